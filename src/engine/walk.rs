//! The one walk over the order: each node gets its room (by the chain of fallbacks where there is none), its
//! time, and its record. Nothing is scanned that is not resident in the level at hand, so it is near linear.
//!
//! Every loop ends: an ALLOC is postponed at most `postpone_limit` times a buffer and always moves forward;
//! every other turn of the walk emits the node at hand; each spill removes a resident buffer; what comes back early is
//! pinned while others do.

mod ahead;
mod fit;
mod main_memory;
mod pools;
mod room;
mod spills;
mod uses;

pub(super) use ahead::Ahead;
use ahead::Demand;
pub(super) use main_memory::MainMemory;
use room::Room;

use super::memory::{Arena, PoolLevel};
use super::next_use::NextUse;
use super::order::{Ordered, ReadyQueue};
use super::sequence::Sequence;
use super::spill::Ranking;
use super::timing::Timing;
use super::{Planned, Reached, Stuck};
use crate::model::{
    BufIx, Event, Fallback, Figures, Leaving, Level, LevelIx, NodeIx, NodeKind, Options, Placing, Plan, Problem, Sink,
    SpillIx, Step, VictimRule, Waiting,
};

/// Plans an order, which holds every node once and is legal ([`Graph::check_order`](crate::model::Graph::check_order)),
/// where the operands of every node fit their levels.
pub(super) fn walk<S: Sink>(problem: &Problem, order: &Ordered, options: &Options, sink: &mut S) -> Planned {
    walk_ahead(problem, order, options, None, sink)
}

/// The same with reloads that come early.
pub(super) fn walk_ahead<S: Sink>(
    problem: &Problem,
    order: &Ordered,
    options: &Options,
    ahead: Option<Ahead>,
    sink: &mut S,
) -> Planned {
    let mut walk = Walk { ahead, ..Walk::new(problem, order, options, sink) };
    let stuck = walk.all(order).err();
    walk.finish(stuck)
}

/// Where a buffer is now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// Not born, or gone.
    Nowhere,
    /// Resident at this offset.
    Offset(u64),
    /// Out by this spill, whose way out was done at this cycle.
    Out(SpillIx, u64),
}

pub(super) struct Walk<'a, S> {
    pub(super) problem: &'a Problem,
    options: &'a Options,
    /// How far reloads may come early, where they may.
    ahead: Option<Ahead>,
    sink: &'a mut S,
    pub(super) sequence: Sequence,
    /// By level; a level that is a pool has an empty one.
    pub(super) arenas: Vec<Arena>,
    /// By level.
    pub(super) pools: Vec<Option<PoolLevel>>,
    /// By level that is a pool: the sizes of its residents together.
    pool_live: Vec<u64>,
    /// By buffer: users still to come. Only for the record of pools.
    users_left: Vec<u32>,
    /// What the scheduler decided before the step at hand and is not recorded yet.
    decided: Vec<Event>,
    /// By buffer.
    place: Vec<At>,
    /// How many buffers are out.
    out: usize,
    /// By level: what is wanted of it by the nodes that are looked at ahead.
    demand: Vec<Demand>,
    /// By level: who is resident, in no order, and where each stands in that list.
    pub(super) resident: Vec<Vec<BufIx>>,
    slot: Vec<u32>,
    /// The node at whose turn a buffer was last named: it is pinned while that turn lasts.
    pinned_at: Vec<u32>,
    turn: u32,
    postponed: Vec<u32>,
    timing: Timing<'a>,
    main: MainMemory,
    /// Only for the record and for rules that look ahead.
    pub(super) next_use: Option<NextUse>,
    /// By buffer, only for the rule that looks back: the place in the first order of its last use.
    last_use: Vec<u32>,
    /// By level: where the last placement ended.
    last_end: Vec<u64>,
    ready: Option<ReadyQueue>,
    ranking: Ranking,
    plan: Plan,
    reached: Reached,
    traffic: u64,
    used_peak: Vec<u64>,
    stay: (u64, u64),
    l0_live: Vec<(u64, u64)>,
}

impl<'a, S: Sink> Walk<'a, S> {
    fn new(problem: &'a Problem, ordered: &Ordered, options: &'a Options, sink: &'a mut S) -> Self {
        let graph = &*problem.graph;
        let order = &ordered.nodes;
        let buffers = graph.buffers().len();
        let levels = problem.level_count();
        let arena = |level: &Level| Arena::new(if level.pool().is_some() { 0 } else { level.capacity });
        let pool = |level: &Level| level.pool().map(|rules| PoolLevel::new(rules, level.capacity, buffers));
        Self {
            problem,
            options,
            ahead: None,
            sequence: Sequence::new(order),
            arenas: problem.machine.levels.iter().map(arena).collect(),
            pools: problem.machine.levels.iter().map(pool).collect(),
            pool_live: vec![0; levels],
            users_left: if S::ON && problem.is_clocked() {
                (0..buffers).map(|at| graph.users(BufIx::new(at)).len() as u32).collect()
            } else {
                Vec::new()
            },
            decided: Vec::new(),
            place: vec![At::Nowhere; buffers],
            out: 0,
            demand: vec![Demand::default(); levels],
            resident: vec![Vec::new(); levels],
            slot: vec![0; buffers],
            pinned_at: vec![0; buffers],
            turn: 0,
            postponed: vec![0; buffers],
            timing: Timing::new(problem),
            main: MainMemory::default(),
            next_use: (S::ON || options.look_ahead()).then(|| NextUse::new(graph, order)),
            last_use: if options.victims == VictimRule::LeastRecentlyUsed { vec![0; buffers] } else { Vec::new() },
            last_end: vec![0; levels],
            // An event-driven order comes with its own record of who was ready.
            ready: (S::ON && ordered.decisions.is_none()).then(|| ReadyQueue::new(graph)),
            sink,
            ranking: Ranking::default(),
            plan: Plan {
                steps: Vec::with_capacity(order.len() + order.len() / 4),
                memory: vec![None; buffers],
                spills: Vec::new(),
            },
            reached: Reached::default(),
            traffic: 0,
            used_peak: vec![0; levels],
            stay: (0, 0),
            l0_live: vec![(0, 0); levels],
        }
    }

    fn all(&mut self, order: &Ordered) -> Result<(), Stuck> {
        self.announce_roots();
        let end = order.nodes.get(order.planned).copied();
        let mut told = 0;
        let mut hand = order.nodes.first().copied();
        while let Some(node) = hand.filter(|&node| Some(node) != end) {
            if !self.sink.is_wanted() {
                return Ok(());
            }
            self.turn += 1;
            if let Some(decisions) = order.decisions.as_ref().filter(|_| S::ON) {
                let place = self.sequence.first_place(node) as usize;
                (told..=place).for_each(|place| self.decided.extend_from_slice(decisions.at(place)));
                told = told.max(place + 1);
                if !self.problem.graph.node(node).kind.is_op() {
                    self.tell_decisions(None);
                }
            }
            hand = match self.problem.graph.node(node).kind {
                NodeKind::Alloc(buf) => self.alloc(node, buf)?,
                NodeKind::Free(buf) => self.free(node, buf),
                NodeKind::Op(_) => self.operation(node),
            };
            if self.problem.graph.node(node).kind.is_op() {
                self.bring_back_early(hand);
            }
        }
        if let Some(first) = order.deadlock.first() {
            return Err(self.deadlock(order, first));
        }
        self.bring_back_the_undying(order.nodes.len());
        Ok(())
    }

    /// Records what led to the step at hand. The time of a decision is that of its effect (`start`): the scheduler knows
    /// nothing of transfers, and what it let wait for no lane and no memory starts as soon as it can.
    fn tell_decisions(&mut self, start: Option<u64>) {
        for mut event in self.decided.drain(..) {
            match (&mut event, start) {
                (Event::Dispatched { at, .. }, Some(start)) => *at = start,
                (Event::Woken { at, since, .. }, Some(start)) => (*at, *since) = (start, start.min(*since)),
                _ => {}
            }
            self.sink.record(event);
        }
    }

    /// The scheduler came no further: the first that waits is what had no room.
    fn deadlock(&mut self, order: &Ordered, first: &Waiting) -> Stuck {
        let problem = self.problem;
        if let Some(decisions) = &order.decisions {
            decisions.trailing().iter().for_each(|&event| self.sink.record(event));
        }
        let graph = &*problem.graph;
        let operands = match graph.node(first.node).kind {
            NodeKind::Op(op) => graph.operands(&op).to_vec(),
            NodeKind::Alloc(buf) | NodeKind::Free(buf) => vec![buf],
        };
        let unborn = |buf: &&BufIx| self.plan.memory[buf.at()].is_none() && problem.level_of(**buf) == first.level;
        let buf = operands.iter().find(unborn).or(operands.first()).copied().unwrap_or(BufIx(0));
        self.sink.record(Event::Failed { buf, node: first.node });
        Stuck { node: first.node, buf, deadlock: true }
    }

    fn announce_roots(&mut self) {
        if let Some(ready) = &self.ready {
            let graph = &*self.problem.graph;
            for node in graph.node_ixs().filter(|&node| graph.node(node).kind.is_op() && ready.is_ready(node)) {
                self.sink.record(Event::Ready { node });
            }
        }
    }

    /// Ends the turn of `node` and returns who is at hand next.
    fn emit(&mut self, node: NodeIx) -> Option<NodeIx> {
        self.plan.steps.push(Step::Node(node));
        if let Some(ready) = &mut self.ready {
            ready.done(&self.problem.graph, node, |node| self.sink.record(Event::Ready { node }));
        }
        if let Some(next_use) = &mut self.next_use {
            next_use.pass(&self.problem.graph, node);
        }
        self.note_use(node);
        self.sink.end_step(Step::Node(node));
        self.sequence.after(node)
    }

    fn alloc(&mut self, node: NodeIx, buf: BufIx) -> Result<Option<NodeIx>, Stuck> {
        let here = self.sequence.first_place(node);
        let options = self.options;
        let Some(room) = self.make_room(buf, node, here, &options.on_full) else {
            self.sink.record(Event::Failed { buf, node });
            return Err(Stuck { node, buf, deadlock: false });
        };
        self.count(&room);
        if let Room::Moved(next) = room {
            return Ok(Some(next));
        }
        let level = self.problem.level_of(buf);
        let size = self.problem.graph.buffer(buf).size;
        let (offset, at) = if self.pools[level.at()].is_some() {
            self.settle_in_pool(node, buf, level)
        } else {
            let offset = self.settle(buf, self.options.fit);
            (offset, self.timing.alloc(node, level, offset, size))
        };
        self.plan.memory[buf.at()] = Some(offset);
        self.count_alive(level, size, true);
        self.sink.record(Event::Placed { buf, how: Placing::Alloc, level, offset, at });
        Ok(self.emit(node))
    }

    fn operation(&mut self, node: NodeIx) -> Option<NodeIx> {
        let NodeKind::Op(op) = self.problem.graph.node(node).kind else { unreachable!("the caller matched") };
        let problem = self.problem;
        self.bring_back(problem.graph.sorted_operands(&op), node, self.sequence.first_place(node));
        let slot = self.timing.run(node, &op);
        self.tell_decisions(Some(slot.start));
        self.tell_reads(node, &op);
        self.sink.record(Event::Ran { node, unit: slot.unit, lane: slot.lane, start: slot.start, end: slot.end });
        self.emit(node)
    }

    fn free(&mut self, node: NodeIx, buf: BufIx) -> Option<NodeIx> {
        self.bring_back(&[buf], node, self.sequence.first_place(node));
        let level = self.problem.level_of(buf);
        let size = self.problem.graph.buffer(buf).size;
        if self.pools[level.at()].is_some() {
            self.lift_from_pool(node, buf, level);
            self.count_alive(level, size, false);
        } else if let At::Offset(offset) = self.place[buf.at()] {
            let at = self.timing.free(node, buf, level, offset, size);
            self.place[buf.at()] = At::Nowhere;
            self.lift(buf, level, offset, size, Leaving::Free, at);
            self.count_alive(level, size, false);
        }
        self.emit(node)
    }

    /// `buf` is resident now.
    fn moves_in(&mut self, buf: BufIx, level: LevelIx, offset: u64) {
        self.place[buf.at()] = At::Offset(offset);
        self.slot[buf.at()] = self.resident[level.at()].len() as u32;
        self.resident[level.at()].push(buf);
    }

    /// `buf` is resident no more.
    fn moves_out(&mut self, buf: BufIx, level: LevelIx) {
        let residents = &mut self.resident[level.at()];
        let slot = self.slot[buf.at()] as usize;
        residents.swap_remove(slot);
        if let Some(moved) = residents.get(slot) {
            self.slot[moved.at()] = slot as u32;
        }
    }

    /// Gives the address of `buf` back.
    fn lift(&mut self, buf: BufIx, level: LevelIx, offset: u64, size: u64, how: Leaving, at: u64) {
        self.moves_out(buf, level);
        self.sink.record(Event::Left { buf, how, level, offset, at });
        let hole = self.arenas[level.at()].give(offset, size);
        if hole.size > size {
            self.sink.record(Event::Coalesced { level, start: hole.start, size: hole.size });
        }
    }

    fn is_out(&self, buf: BufIx) -> bool {
        matches!(self.place[buf.at()], At::Out(..))
    }

    /// The offset of a resident buffer.
    pub(super) fn offset(&self, buf: BufIx) -> Option<u64> {
        if let At::Offset(offset) = self.place[buf.at()] { Some(offset) } else { None }
    }

    /// Whether the node at hand names `buf`.
    pub(super) fn is_pinned(&self, buf: BufIx) -> bool {
        self.pinned_at[buf.at()] == self.turn
    }

    fn count(&mut self, room: &Room) {
        let counter = match room {
            Room::Fits => &mut self.reached.fits,
            Room::Moved(_) => &mut self.reached.postpone,
            Room::By(Fallback::Spill) => &mut self.reached.spill,
            Room::By(Fallback::SpillMany) => &mut self.reached.spill_many,
            Room::By(Fallback::Postpone | Fallback::Pack | Fallback::Search | Fallback::Plan) => return,
        };
        *counter += 1;
    }

    /// Keeps the figures of buffers between ALLOC and FREE.
    fn count_alive(&mut self, level: LevelIx, size: u64, born: bool) {
        let (counter, by) =
            if self.problem.level(level).is_l0() { (&mut self.l0_live[level.at()], 1) } else { (&mut self.stay, size) };
        counter.0 = if born { counter.0 + by } else { counter.0 - by };
        counter.1 = counter.1.max(counter.0);
    }

    fn finish(self, stuck: Option<Stuck>) -> Planned {
        let figures = Figures {
            steps: self.plan.steps.len() as u64,
            spills: self.plan.spills.len() as u64,
            extra_traffic: self.traffic,
            peak: self.used_peak,
            peak_stay: self.stay.1,
            l0_live: self.l0_live.into_iter().map(|(_, most)| most).collect(),
            makespan: self.timing.makespan(),
            pools: self
                .pools
                .iter()
                .map(|pool| pool.as_ref().map_or_else(Default::default, PoolLevel::figures))
                .collect(),
            main: self.main.figures(),
        };
        Planned { plan: self.plan, figures, reached: self.reached, stuck }
    }
}
