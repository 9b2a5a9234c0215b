//! From a finished plan to its record and its figures: what a search has found, or another tool has made, is shown and
//! counted like any other plan.

mod alternatives;
mod given;
mod needs;

use super::memory::{Arena, GivenPool};
use super::order::ReadyQueue;
use super::timing::Timing;
use super::walk::MainMemory;
use super::{Planned, Reached};
use crate::model::{
    BufIx, Event, Fallback, Figures, Leaving, LevelIx, MAX_NUMBER, NodeIx, NodeKind, Placing, Plan, PoolFigures,
    Problem, Sink, SpillIx, Step,
};
use alternatives::Alternatives;
pub use given::replay_given;
use needs::{Need, needs};

/// Goes over a plan that keeps the rules of the checker, for a problem without pools. Who a victim leaves for is read
/// from the plan: the buffer that is placed in its level next. `maker` says who chose them: [`Fallback::Search`] or
/// [`Fallback::Plan`].
pub fn replay<S: Sink>(problem: &Problem, plan: Plan, maker: Fallback, sink: &mut S) -> Planned {
    let mut replay = Replay::new(problem, &plan, maker, sink);
    replay.announce_roots();
    for at in 0..plan.steps.len() {
        let carried_out = replay.step(at);
        debug_assert!(carried_out, "the plan keeps the rules");
    }
    let figures = replay.figures();
    let reached = replay.reached;
    Planned { plan, figures, reached, stuck: None }
}

struct Replay<'a, S> {
    problem: &'a Problem,
    plan: &'a Plan,
    maker: Fallback,
    sink: &'a mut S,
    arenas: Vec<Arena>,
    /// By level; only plans of elsewhere are replayed for machines with pools.
    pools: Vec<Option<GivenPool>>,
    /// By buffer: where it is, while it is resident.
    place: Vec<Option<u64>>,
    /// By buffer: the spill by which it is out.
    out_by: Vec<Option<SpillIx>>,
    /// By buffer of a pool: how many operations have used it.
    reads: Vec<u32>,
    /// By buffer: when its last way out was done.
    out_end: Vec<u64>,
    timing: Timing<'a>,
    main: MainMemory,
    /// Only for the record.
    alternatives: Option<Alternatives>,
    ready: Option<ReadyQueue>,
    /// By spill: whom the victim leaves for.
    needs: Vec<Option<Need>>,
    /// Whom the victims of the level at hand leave for, while they leave.
    need: Option<BufIx>,
    reached: Reached,
    used: Vec<u64>,
    figures: Figures,
    stay: u64,
    alive: Vec<u64>,
}

impl<'a, S: Sink> Replay<'a, S> {
    fn new(problem: &'a Problem, plan: &'a Plan, maker: Fallback, sink: &'a mut S) -> Self {
        let graph = &*problem.graph;
        let levels = problem.level_count();
        let node = |step: &Step| if let Step::Node(node) = step { Some(*node) } else { None };
        let order: Vec<NodeIx> = plan.steps.iter().filter_map(node).collect();
        Self {
            problem,
            plan,
            maker,
            sink,
            arenas: problem.machine.levels.iter().map(|level| Arena::new(level.capacity)).collect(),
            pools: problem.machine.levels.iter().map(GivenPool::of).collect(),
            place: vec![None; graph.buffers().len()],
            out_by: vec![None; graph.buffers().len()],
            reads: vec![0; graph.buffers().len()],
            out_end: vec![0; graph.buffers().len()],
            timing: Timing::new(problem),
            main: MainMemory::default(),
            alternatives: S::ON.then(|| Alternatives::new(problem, &order)),
            ready: S::ON.then(|| ReadyQueue::new(graph)),
            needs: needs(problem, plan),
            need: None,
            reached: Reached::default(),
            used: vec![0; levels],
            figures: Figures {
                peak: vec![0; levels],
                l0_live: vec![0; levels],
                pools: vec![PoolFigures::default(); levels],
                ..Figures::default()
            },
            stay: 0,
            alive: vec![0; levels],
        }
    }

    fn announce_roots(&mut self) {
        let Some(ready) = &self.ready else { return };
        let graph = &*self.problem.graph;
        for node in graph.node_ixs().filter(|&node| graph.node(node).kind.is_op() && ready.is_ready(node)) {
            self.sink.record(Event::Ready { node });
        }
    }

    /// Carries out the step at `at`; `false` where that means nothing, and nothing has happened then.
    fn step(&mut self, at: usize) -> bool {
        let step = self.plan.steps[at];
        let carried_out = match step {
            Step::Node(node) => self.node(node),
            Step::Out(spill) => self.out(spill, at),
            Step::Back(spill) => self.back(spill),
        };
        if carried_out.is_some() {
            self.sink.end_step(step);
        }
        carried_out.is_some()
    }

    fn node(&mut self, node: NodeIx) -> Option<()> {
        let problem = self.problem;
        match problem.graph.node(node).kind {
            NodeKind::Alloc(buf) => self.alloc(node, buf)?,
            NodeKind::Free(buf) => self.free(node, buf)?,
            NodeKind::Op(op) => {
                let slot = self.timing.run(node, &op);
                let (unit, lane, start, end) = (slot.unit, slot.lane, slot.start, slot.end);
                self.tell_reads(node, &op);
                self.sink.record(Event::Ran { node, unit, lane, start, end });
            }
        }
        if let Some(ready) = &mut self.ready {
            ready.done(&problem.graph, node, |node| self.sink.record(Event::Ready { node }));
        }
        if let Some(alternatives) = &mut self.alternatives {
            alternatives.pass(problem, node);
        }
        Some(())
    }

    fn alloc(&mut self, node: NodeIx, buf: BufIx) -> Option<()> {
        let offset = self.plan.memory[buf.at()]?;
        let level = self.problem.level_of(buf);
        let size = self.problem.graph.buffer(buf).size;
        let at = if self.pools[level.at()].is_some() {
            self.settle_in_block(node, buf, level, offset)?
        } else {
            self.settle(buf, level, offset, size)?;
            self.timing.alloc(node, level, offset, size)
        };
        if self.problem.level(level).is_l0() {
            self.alive[level.at()] += 1;
            let most = &mut self.figures.l0_live[level.at()];
            *most = (*most).max(self.alive[level.at()]);
        } else {
            self.stay += size;
            self.figures.peak_stay = self.figures.peak_stay.max(self.stay);
        }
        self.sink.record(Event::Placed { buf, how: Placing::Alloc, level, offset, at });
        Some(())
    }

    fn free(&mut self, node: NodeIx, buf: BufIx) -> Option<()> {
        let offset = self.place[buf.at()]?;
        let level = self.problem.level_of(buf);
        let size = self.problem.graph.buffer(buf).size;
        if self.problem.level(level).is_l0() {
            self.alive[level.at()] -= 1;
        } else {
            self.stay -= size;
        }
        if self.pools[level.at()].is_some() {
            self.lift_from_block(node, buf, level, offset);
        } else {
            let at = self.timing.free(node, buf, level, offset, size);
            self.lift(buf, level, offset, size, Leaving::Free, at);
        }
        Some(())
    }

    fn out(&mut self, spill: SpillIx, at: usize) -> Option<()> {
        let problem = self.problem;
        let buf = self.plan.spills.get(spill.at())?.buf;
        let offset = self.place[buf.at()]?;
        let level = problem.level_of(buf);
        let traffic = self.figures.extra_traffic.saturating_add(problem.spill_cost(buf));
        if self.pools[level.at()].is_some() || traffic > MAX_NUMBER {
            return None;
        }
        self.figures.extra_traffic = traffic;
        self.tell_need(at, spill, buf, level);
        if let Some(node) = self.alternatives.as_ref().and_then(|alternatives| alternatives.next_use(buf)) {
            self.sink.record(Event::PlannedBack { spill, node });
        }
        let slot = self.timing.move_out(buf, level, offset);
        self.out_end[buf.at()] = slot.end;
        self.out_by[buf.at()] = Some(spill);
        self.main.keep(problem, buf, slot.start, self.sink);
        let (unit, lane, start, end) = (slot.unit, slot.lane, slot.start, slot.end);
        self.sink.record(Event::MovedOut { spill, unit, lane, start, end });
        self.lift(buf, level, offset, problem.graph.buffer(buf).size, Leaving::Out, end);
        Some(())
    }

    /// Records whom the victim `buf` leaves for, and who could have left in its place.
    fn tell_need(&mut self, at: usize, spill: SpillIx, buf: BufIx, level: LevelIx) {
        let Need { buf: need, victims } = self.needs[spill.at()].unwrap_or(Need { buf, victims: 1 });
        if self.need != Some(need) {
            self.need = Some(need);
            let arena = &self.arenas[level.at()];
            let (free, largest) = (arena.free(), arena.largest());
            if largest < self.problem.graph.buffer(need).size {
                self.sink.record(Event::NoHole { buf: need, level, free, largest });
            }
            if let Some(alternatives) = &self.alternatives {
                alternatives.record(self.problem, self.plan, at, level, self.maker, self.sink);
            }
            if victims > 1 { self.reached.spill_many += 1 } else { self.reached.spill += 1 }
        }
        self.sink.record(Event::Chosen { victim: buf, need, how: self.maker, spill });
    }

    fn back(&mut self, spill: SpillIx) -> Option<()> {
        let problem = self.problem;
        let moved = *self.plan.spills.get(spill.at())?;
        let (buf, offset) = (moved.buf, moved.offset?);
        if self.out_by[buf.at()] != Some(spill) {
            return None;
        }
        let level = problem.level_of(buf);
        self.settle(buf, level, offset, problem.graph.buffer(buf).size)?;
        self.out_by[buf.at()] = None;
        let slot = self.timing.move_back(buf, level, offset, self.out_end[buf.at()]);
        let (unit, lane, start, end) = (slot.unit, slot.lane, slot.start, slot.end);
        self.sink.record(Event::MovedBack { spill, unit, lane, start, end });
        self.main.release(problem, buf, end, self.sink);
        self.sink.record(Event::Placed { buf, how: Placing::Back, level, offset, at: start });
        Some(())
    }

    fn settle(&mut self, buf: BufIx, level: LevelIx, offset: u64, size: u64) -> Option<()> {
        if !self.arenas[level.at()].is_free(offset, size) {
            return None;
        }
        if self.need.take() != Some(buf) {
            self.reached.fits += 1;
        }
        self.arenas[level.at()].take(offset, size);
        self.place[buf.at()] = Some(offset);
        if let Some(alternatives) = &mut self.alternatives {
            alternatives.moved(level, buf, true);
        }
        self.used[level.at()] += size;
        let peak = &mut self.figures.peak[level.at()];
        *peak = (*peak).max(self.used[level.at()]);
        Some(())
    }

    fn lift(&mut self, buf: BufIx, level: LevelIx, offset: u64, size: u64, how: Leaving, at: u64) {
        self.place[buf.at()] = None;
        if let Some(alternatives) = &mut self.alternatives {
            alternatives.moved(level, buf, false);
        }
        self.used[level.at()] -= size;
        self.sink.record(Event::Left { buf, how, level, offset, at });
        let hole = self.arenas[level.at()].give(offset, size);
        if hole.size > size {
            self.sink.record(Event::Coalesced { level, start: hole.start, size: hole.size });
        }
    }

    fn figures(&self) -> Figures {
        Figures {
            steps: self.plan.steps.len() as u64,
            spills: self.plan.spills.len() as u64,
            makespan: self.timing.makespan(),
            main: self.main.figures(),
            ..self.figures.clone()
        }
    }
}
