//! From a finished plan to its record and its figures: what a search has found is shown and counted like any other plan.

mod alternatives;

use super::memory::Arena;
use super::order::ReadyQueue;
use super::timing::Timing;
use super::walk::MainMemory;
use super::{Planned, Reached};
use crate::model::{
    BufIx, Event, Fallback, Figures, Leaving, LevelIx, NodeIx, NodeKind, Placing, Plan, PoolFigures, Problem, Sink,
    SpillIx, Step,
};
use alternatives::Alternatives;

/// Goes over a plan that keeps the rules of the checker, for a problem without pools. Who a victim leaves for is read
/// from the plan: the buffer that is placed in its level next. `maker` says who chose them: [`Fallback::Search`] or
/// [`Fallback::Plan`].
pub fn replay<S: Sink>(problem: &Problem, plan: Plan, maker: Fallback, sink: &mut S) -> Planned {
    let mut replay = Replay::new(problem, &plan, maker, sink);
    replay.announce_roots();
    for at in 0..plan.steps.len() {
        replay.step(at);
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
    /// By buffer: where it is, while it is resident.
    place: Vec<Option<u64>>,
    /// By buffer: when its last way out was done.
    out_end: Vec<u64>,
    timing: Timing<'a>,
    main: MainMemory,
    /// Only for the record.
    alternatives: Option<Alternatives>,
    ready: Option<ReadyQueue>,
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
            place: vec![None; graph.buffers().len()],
            out_end: vec![0; graph.buffers().len()],
            timing: Timing::new(problem),
            main: MainMemory::default(),
            alternatives: S::ON.then(|| Alternatives::new(problem, &order)),
            ready: S::ON.then(|| ReadyQueue::new(graph)),
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

    fn step(&mut self, at: usize) {
        let step = self.plan.steps[at];
        match step {
            Step::Node(node) => self.node(node),
            Step::Out(spill) => self.out(spill, at),
            Step::Back(spill) => self.back(spill),
        }
        self.sink.end_step(step);
    }

    fn node(&mut self, node: NodeIx) {
        let problem = self.problem;
        match problem.graph.node(node).kind {
            NodeKind::Alloc(buf) => self.alloc(node, buf),
            NodeKind::Free(buf) => self.free(node, buf),
            NodeKind::Op(op) => {
                let slot = self.timing.run(node, &op);
                let (unit, lane, start, end) = (slot.unit, slot.lane, slot.start, slot.end);
                self.sink.record(Event::Ran { node, unit, lane, start, end });
            }
        }
        if let Some(ready) = &mut self.ready {
            ready.done(&problem.graph, node, |node| self.sink.record(Event::Ready { node }));
        }
        if let Some(alternatives) = &mut self.alternatives {
            alternatives.pass(problem, node);
        }
    }

    fn alloc(&mut self, node: NodeIx, buf: BufIx) {
        let Some(offset) = self.plan.memory[buf.at()] else { return };
        let level = self.problem.level_of(buf);
        let size = self.problem.graph.buffer(buf).size;
        self.settle(buf, level, offset, size);
        let at = self.timing.alloc(node, level, offset, size);
        if self.problem.level(level).is_l0() {
            self.alive[level.at()] += 1;
            let most = &mut self.figures.l0_live[level.at()];
            *most = (*most).max(self.alive[level.at()]);
        } else {
            self.stay += size;
            self.figures.peak_stay = self.figures.peak_stay.max(self.stay);
        }
        self.sink.record(Event::Placed { buf, how: Placing::Alloc, level, offset, at });
    }

    fn free(&mut self, node: NodeIx, buf: BufIx) {
        let Some(offset) = self.place[buf.at()] else { return };
        let level = self.problem.level_of(buf);
        let size = self.problem.graph.buffer(buf).size;
        let at = self.timing.free(node, buf, level, offset, size);
        if self.problem.level(level).is_l0() {
            self.alive[level.at()] -= 1;
        } else {
            self.stay -= size;
        }
        self.lift(buf, level, offset, size, Leaving::Free, at);
    }

    fn out(&mut self, spill: SpillIx, at: usize) {
        let problem = self.problem;
        let buf = self.plan.spills[spill.at()].buf;
        let Some(offset) = self.place[buf.at()] else { return };
        let level = problem.level_of(buf);
        let size = problem.graph.buffer(buf).size;
        let (need, victims) = self.placed_next(at, level).unwrap_or((buf, 1));
        if self.need != Some(need) {
            self.need = Some(need);
            let arena = &self.arenas[level.at()];
            let (free, largest) = (arena.free(), arena.largest());
            if largest < problem.graph.buffer(need).size {
                self.sink.record(Event::NoHole { buf: need, level, free, largest });
            }
            if let Some(alternatives) = &self.alternatives {
                alternatives.record(problem, self.plan, at, level, self.maker, self.sink);
            }
            if victims > 1 { self.reached.spill_many += 1 } else { self.reached.spill += 1 }
        }
        self.sink.record(Event::Chosen { victim: buf, need, how: self.maker, spill });
        if let Some(node) = self.alternatives.as_ref().and_then(|alternatives| alternatives.next_use(buf)) {
            self.sink.record(Event::PlannedBack { spill, node });
        }
        let slot = self.timing.move_out(buf, level, offset);
        self.out_end[buf.at()] = slot.end;
        self.figures.extra_traffic = self.figures.extra_traffic.saturating_add(problem.spill_cost(buf));
        self.main.keep(problem, buf, slot.start, self.sink);
        let (unit, lane, start, end) = (slot.unit, slot.lane, slot.start, slot.end);
        self.sink.record(Event::MovedOut { spill, unit, lane, start, end });
        self.lift(buf, level, offset, size, Leaving::Out, end);
    }

    fn back(&mut self, spill: SpillIx) {
        let problem = self.problem;
        let moved = self.plan.spills[spill.at()];
        let (buf, Some(offset)) = (moved.buf, moved.offset) else { return };
        let level = problem.level_of(buf);
        self.settle(buf, level, offset, problem.graph.buffer(buf).size);
        let slot = self.timing.move_back(buf, level, offset, self.out_end[buf.at()]);
        let (unit, lane, start, end) = (slot.unit, slot.lane, slot.start, slot.end);
        self.sink.record(Event::MovedBack { spill, unit, lane, start, end });
        self.main.release(problem, buf, end, self.sink);
        self.sink.record(Event::Placed { buf, how: Placing::Back, level, offset, at: start });
    }

    /// The buffer that is placed in `level` after the step at `at`, and how many leave the level until then.
    fn placed_next(&self, at: usize, level: LevelIx) -> Option<(BufIx, u32)> {
        let mut victims = 0;
        for &step in &self.plan.steps[at..] {
            let placed = match step {
                Step::Out(spill) => {
                    victims += u32::from(self.problem.level_of(self.plan.spills[spill.at()].buf) == level);
                    None
                }
                Step::Back(spill) => Some(self.plan.spills[spill.at()].buf),
                Step::Node(node) => match self.problem.graph.node(node).kind {
                    NodeKind::Alloc(buf) => Some(buf),
                    NodeKind::Free(_) | NodeKind::Op(_) => None,
                },
            };
            if let Some(buf) = placed.filter(|&buf| self.problem.level_of(buf) == level) {
                return Some((buf, victims));
            }
        }
        None
    }

    fn settle(&mut self, buf: BufIx, level: LevelIx, offset: u64, size: u64) {
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
