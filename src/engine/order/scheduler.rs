//! The event-driven scheduler: which operation starts next, on which unit, whenever one is done or memory is freed (seed
//! 000, sections 2.3 and 4, its faults mended).
//!
//! It decides and keeps accounts; it runs nothing and has no clock. Whoever drives it, the simulation here or
//! an executor with threads, asks for the [next](Scheduler::next) operation until there is none, and reports each
//! [completion](Scheduler::complete).
//!
//! For each unit there are three sets: the ready, those that came to their turn and lacked memory, and those for which
//! there is memory that is kept back (`safety`). At each decision the first of all in the order of preference goes that has
//! room; those that wait are looked at again at each decision, so that no wake-up can be lost. An operation moves between
//! the sets a bounded number of times for each buffer that it waits for, and each look is logarithmic (`ranks`).

mod choose;
mod keys;
mod ledger;
mod profile;
mod ranks;
mod safety;
mod simulate;

pub use ledger::{Lack, Ledger};
pub(super) use simulate::schedule;

use std::collections::BTreeSet;

use super::lean::lean_sequence;
use super::{Priorities, ReadyQueue};
use crate::model::{Event, LevelIx, NodeIx, NodeKind, Options, Order, Problem, UnitIx};
use keys::Keys;
use ranks::{Op, Ranks, Set};
use safety::Safety;

/// Decides which operation starts next. It runs nothing and has no clock: whoever drives it asks for the
/// [next](Scheduler::next) until there is none, and reports each [completion](Scheduler::complete).
#[derive(Clone, Debug)]
pub struct Scheduler<'a> {
    problem: &'a Problem,
    starts: &'a Priorities,
    order: Order,
    light_tasks: bool,
    window: u32,
    /// The operations by ascending id, and for each node its place among them.
    ops: Vec<NodeIx>,
    op_of: Vec<Op>,
    keys: Keys,
    ranks: Ranks,
    /// By operation.
    standing: Vec<Place>,
    queues: Vec<Queue>,
    /// Units with an idle lane at which something may have changed since the last look.
    dirty: BTreeSet<UnitIx>,
    /// Units at which somebody waits for memory.
    stalled: BTreeSet<UnitIx>,
    readiness: ReadyQueue,
    /// By node: predecessors that are not done.
    waits: Vec<u32>,
    ledger: Ledger<'a>,
    safety: Option<Safety<'a>>,
    running: u32,
    /// Operations that have not started.
    left: usize,
    /// By operation: since when it has waited for memory.
    waiting_since: Vec<u64>,
    /// Nodes in the order in which they ran; taken by [`Scheduler::take_steps`].
    steps: Vec<NodeIx>,
    record: bool,
    events: Vec<Event>,
    allocs: Vec<NodeIx>,
}

/// An operation that starts now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The operation.
    pub node: NodeIx,
    /// Its unit.
    pub unit: UnitIx,
    /// How long it takes, in cycles, fresh memory included.
    pub cycles: u64,
}

/// In which set an operation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// It is not ready yet, or has started.
    None,
    Ready,
    /// It waits for room in this level.
    Waiting(LevelIx),
    /// There is room, which is kept back.
    Held,
}

/// What wants to run on one unit.
#[derive(Clone, Debug)]
struct Queue {
    ready: Set,
    /// By level.
    waiting: Vec<Set>,
    held: Set,
    /// The ready ones by duration; kept only where the order asks for it.
    by_cycles: BTreeSet<(u64, Op)>,
    idle: u32,
}

impl Queue {
    fn len(&self) -> u32 {
        self.ready.len() + self.held.len() + self.waiting.iter().map(|set| set.len()).sum::<u32>()
    }
}

impl<'a> Scheduler<'a> {
    /// Nothing has run. `record` keeps the decisions as events.
    pub fn new(problem: &'a Problem, starts: &'a Priorities, options: &Options, record: bool) -> Self {
        let wants_sequence = options.avoid_deadlock || options.order == Order::MemoryAware;
        let lean = if wants_sequence { lean_sequence(problem, starts) } else { Vec::new() };
        let graph = &*problem.graph;
        let ops: Vec<NodeIx> = graph.node_ixs().filter(|&node| graph.node(node).kind.is_op()).collect();
        let mut op_of = vec![u32::MAX; graph.node_count()];
        ops.iter().enumerate().for_each(|(at, node)| op_of[node.at()] = at as u32);
        let queue = |unit: &crate::model::Unit| Queue {
            ready: Set::default(),
            waiting: vec![Set::default(); problem.level_count()],
            held: Set::default(),
            by_cycles: BTreeSet::new(),
            // A pipe without a name is no unit: nothing waits for it.
            idle: if unit.name.raw().is_empty() { u32::MAX } else { u32::from(unit.count) },
        };
        let mut scheduler = Self {
            problem,
            starts,
            order: options.order,
            light_tasks: options.light_tasks,
            window: problem.machine.window.unwrap_or(u32::MAX),
            keys: Keys::new(problem, starts, options.order, &ops, &lean),
            ranks: Ranks::new(ops.len()),
            standing: vec![Place::None; ops.len()],
            queues: problem.units.iter().map(queue).collect(),
            dirty: BTreeSet::new(),
            stalled: BTreeSet::new(),
            readiness: ReadyQueue::new(graph),
            waits: graph.pred_counts(),
            ledger: Ledger::new(problem),
            safety: options.avoid_deadlock.then(|| Safety::new(problem, lean)).flatten(),
            running: 0,
            left: ops.len(),
            waiting_since: vec![u64::MAX; ops.len()],
            steps: Vec::new(),
            record,
            events: Vec::new(),
            allocs: Vec::new(),
            ops,
            op_of,
        };
        let roots: Vec<NodeIx> =
            scheduler.ops.iter().copied().filter(|&node| scheduler.readiness.is_ready(node)).collect();
        roots.into_iter().for_each(|node| scheduler.becomes_ready(node));
        scheduler
    }

    /// How many operations run now.
    pub fn running(&self) -> u32 {
        self.running
    }

    /// Whether every operation has started.
    pub fn all_started(&self) -> bool {
        self.left == 0
    }

    /// The accounts of memory.
    pub fn ledger(&self) -> &Ledger<'a> {
        &self.ledger
    }

    /// The nodes that have run since the last call, in order: the ALLOCs and the operation of each start, the FREEs of
    /// each completion.
    pub fn take_steps(&mut self) -> Vec<NodeIx> {
        std::mem::take(&mut self.steps)
    }

    /// What was decided since the last call, where it is recorded.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }

    /// The operation that starts at cycle `now`, if any can.
    pub fn next(&mut self, now: u64) -> Option<Start> {
        if self.running >= self.window {
            return None;
        }
        while let Some(&unit) = self.dirty.first() {
            if self.queues[unit.at()].idle > 0
                && let Some(choice) = self.choose(unit, now)
            {
                return Some(self.start(choice, now));
            }
            self.dirty.remove(&unit);
        }
        // Memory that may spill is no reason to stand still.
        if self.running == 0 { self.choose_forced().map(|choice| self.start(choice, now)) } else { None }
    }

    /// `node` is done at cycle `now`: what it was the last to need is freed, and what waited for it is ready.
    pub fn complete(&mut self, node: NodeIx, now: u64) {
        let NodeKind::Op(op) = self.problem.graph.node(node).kind else { return };
        let unit = self.problem.unit_of(op.pipe);
        self.running -= 1;
        let queue = &mut self.queues[unit.at()];
        queue.idle = queue.idle.saturating_add(1);
        self.dirty.insert(unit);
        self.finish(node, now);
    }

    /// Those behind `node` wait for it no more. FREEs take no time, so they are done at once.
    fn finish(&mut self, node: NodeIx, now: u64) {
        let problem = self.problem;
        let mut done = vec![node];
        while let Some(node) = done.pop() {
            let mut frees = Vec::new();
            for next in problem.graph.succs(node) {
                self.waits[next.at()] -= 1;
                if self.waits[next.at()] == 0 && matches!(problem.graph.node(next).kind, NodeKind::Free(_)) {
                    frees.push(next);
                }
            }
            let mut ready = Vec::new();
            self.readiness.done(&problem.graph, node, |op| ready.push(op));
            ready.into_iter().for_each(|op| self.becomes_ready(op));
            frees.sort_unstable();
            for free in frees {
                self.free(free, now);
                done.push(free);
            }
        }
    }

    fn free(&mut self, node: NodeIx, now: u64) {
        let NodeKind::Free(buf) = self.problem.graph.node(node).kind else { return };
        self.ledger.give(buf, now);
        self.steps.push(node);
        self.dirty.extend(self.stalled.iter().copied());
    }

    fn becomes_ready(&mut self, node: NodeIx) {
        if self.record {
            self.events.push(Event::Ready { node });
        }
        self.enter(self.op_of[node.at()], Place::Ready, 0);
    }

    fn unit_of(&self, op: Op) -> UnitIx {
        let NodeKind::Op(operation) = self.problem.graph.node(self.ops[op as usize]).kind else {
            unreachable!("only operations are listed")
        };
        self.problem.unit_of(operation.pipe)
    }

    /// Puts `op`, which is in no set, into one. `need` counts where it waits.
    fn enter(&mut self, op: Op, place: Place, need: u64) {
        let unit = self.unit_of(op);
        let key = self.keys.of(op);
        let cycles = self.cycles(op);
        let queue = &mut self.queues[unit.at()];
        let set = match place {
            Place::None => return,
            Place::Ready => {
                if self.order == Order::CriticalPath {
                    queue.by_cycles.insert((cycles, op));
                }
                self.dirty.insert(unit);
                &mut queue.ready
            }
            Place::Waiting(level) => {
                self.stalled.insert(unit);
                &mut queue.waiting[level.at()]
            }
            Place::Held => {
                self.stalled.insert(unit);
                &mut queue.held
            }
        };
        self.ranks.insert(set, op, key, need);
        self.standing[op as usize] = place;
    }

    /// Takes `op` out of the set that it is in.
    fn leave(&mut self, op: Op) {
        let unit = self.unit_of(op);
        let cycles = self.cycles(op);
        let queue = &mut self.queues[unit.at()];
        let set = match self.standing[op as usize] {
            Place::None => return,
            Place::Ready => {
                queue.by_cycles.remove(&(cycles, op));
                &mut queue.ready
            }
            Place::Waiting(level) => &mut queue.waiting[level.at()],
            Place::Held => &mut queue.held,
        };
        self.ranks.remove(set, op);
        self.standing[op as usize] = Place::None;
        if queue.held.is_empty() && queue.waiting.iter().all(|set| set.is_empty()) {
            self.stalled.remove(&unit);
        }
    }

    /// Its key has changed.
    fn enter_again(&mut self, op: Op) {
        let place = self.standing[op as usize];
        if place != Place::None {
            let need = self.ranks.need(op);
            self.leave(op);
            self.enter(op, place, need);
        }
    }
}
