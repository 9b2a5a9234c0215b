//! The exact evaluation of an order: addresses, spills and cycles, as the checker counts them.
//!
//! At each request the level is looked at as a whole: of all windows of neighbouring stretches that are large enough, the
//! one goes whose buffers are worth least, a buffer being worth the cost of its spill spread over the steps until it is
//! needed. So several small victims weigh against a large one, and holes are used where they lie. A second term counts
//! the cycles that what fills the buffer must wait for the window: a transfer that can begin early hides behind other work.
//! Where a layout has
//! an address for the buffer (`layout`), that window goes unless it is worth more than the best by a set amount.

mod rerun;
mod rooms;

use std::sync::Arc;

pub(super) use rerun::Rerun;

use super::addresses::{Addresses, FREE, Fit, Price, Window};
use super::layout::Layout;
use super::rows::Rows;
use crate::model::{BufIx, NodeIx, NodeKind, Plan, Problem, SpillIx, Step, UnitIx};

/// What an order comes to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Score {
    pub(super) traffic: u64,
    pub(super) makespan: u64,
}

/// Where an evaluation stops.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    pub(super) traffic: u64,
    pub(super) makespan: u64,
}

impl Limits {
    pub(super) const NONE: Self = Self { traffic: u64::MAX, makespan: u64::MAX };
}

/// What is known of a buffer for good.
#[derive(Clone, Copy, Debug)]
struct Facts {
    size: u64,
    cost: u64,
    level: u16,
    /// Cycles of its way out and back.
    out: u64,
    back: u64,
}

/// Where a buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    /// Not born, or gone.
    Nowhere,
    Address(u64),
    Out(SpillIx),
}

/// One buffer during an evaluation.
#[derive(Clone, Copy, Debug)]
struct State {
    at: At,
    /// The place in the order at which it is needed next.
    next: u32,
    /// The turn at which it was named last: it may not leave during that turn.
    pinned: u32,
    /// When its way out was done.
    out_end: u64,
    /// When its last way back was done.
    back_end: u64,
    /// When ALLOC, ways back and users so far are done.
    touched: u64,
    /// Which of its stays in the layout this is.
    stay: u32,
}

const UNBORN: State = State { at: At::Nowhere, next: 0, pinned: 0, out_end: 0, back_end: 0, touched: 0, stay: 0 };

/// Evaluates orders of nodes. Little is allocated from the second call on.
#[derive(Clone, Debug)]
pub(super) struct Exact<'a> {
    problem: &'a Problem,
    fit: Fit,
    /// Where buffers had best go.
    layout: Arc<Layout>,
    preds: Rows,
    facts: Vec<Facts>,
    /// By buffer: the unit of the first operation that names it, which fills it as a rule.
    filled_on: Vec<UnitIx>,
    states: Vec<State>,
    levels: Vec<Addresses>,
    prices: Vec<Price>,
    leaving: Vec<u32>,
    /// By access, in the order of the walk: the place of the next access to the same buffer.
    next: Vec<u32>,
    last: Vec<u32>,
    /// The access that comes next, counted as in `next`.
    access: usize,
    node_end: Vec<u64>,
    lanes: Vec<Vec<u64>>,
    spills: u32,
    turn: u32,
    place: u32,
    limits: Limits,
    score: Score,
    /// The plan in the making, where one is asked for.
    plan: Option<Plan>,
}

impl<'a> Exact<'a> {
    pub(super) fn new(problem: &'a Problem) -> Self {
        let graph = &*problem.graph;
        let transfer = &problem.machine.transfer;
        let facts = (0..graph.buffers().len()).map(BufIx::new).map(|buf| {
            let buffer = graph.buffer(buf);
            let back = transfer.cycles(buffer.size).unwrap_or(u64::MAX);
            let out = if buffer.backed && transfer.backed_out_free { 0 } else { back };
            Facts { size: buffer.size, cost: problem.spill_cost(buf), level: problem.level_of(buf).0, out, back }
        });
        let mut preds = Rows::new();
        graph.node_ixs().for_each(|node| preds.push(graph.preds(node).map(|pred| pred.0)));
        Self {
            problem,
            fit: Fit::default(),
            layout: Arc::default(),
            preds,
            facts: facts.collect(),
            filled_on: (0..graph.buffers().len()).map(|buf| filled_on(problem, BufIx::new(buf))).collect(),
            states: vec![UNBORN; graph.buffers().len()],
            levels: problem.machine.levels.iter().map(|level| Addresses::new(level.capacity)).collect(),
            prices: Vec::new(),
            leaving: Vec::new(),
            next: Vec::new(),
            last: vec![0; graph.buffers().len()],
            access: 0,
            node_end: vec![0; graph.node_count()],
            lanes: problem.units.iter().map(|unit| vec![0; usize::from(unit.count)]).collect(),
            spills: 0,
            turn: 0,
            place: 0,
            limits: Limits::NONE,
            score: Score::default(),
            plan: None,
        }
    }

    /// Buffers had best go where `layout` has them.
    pub(super) fn follow(&mut self, layout: &Arc<Layout>) {
        self.layout = Arc::clone(layout);
    }

    /// What `order` comes to; `None` where a buffer finds no room, or a limit is passed.
    pub(super) fn of(&mut self, order: &[NodeIx], fit: Fit, limits: Limits) -> Option<Score> {
        self.plan = None;
        self.limits = limits;
        self.walk(order, fit)
    }

    /// The plan of `order`.
    pub(super) fn plan(&mut self, order: &[NodeIx], fit: Fit) -> Option<Plan> {
        self.limits = Limits::NONE;
        self.plan = Some(Plan { memory: vec![None; self.facts.len()], ..Plan::default() });
        let walked = self.walk(order, fit);
        walked.and(self.plan.take())
    }

    fn walk(&mut self, order: &[NodeIx], fit: Fit) -> Option<Score> {
        self.fit = fit;
        self.clear();
        self.look_ahead(order, 0);
        for (place, &node) in (0u32..).zip(order) {
            self.step(place, node)?;
        }
        self.end()
    }

    /// One node.
    fn step(&mut self, place: u32, node: NodeIx) -> Option<()> {
        let problem = self.problem;
        let graph = &*problem.graph;
        self.place = place;
        self.turn += 1;
        match graph.node(node).kind {
            NodeKind::Alloc(buf) => {
                let since = self.enter(buf)?;
                let end = self.preds_end(node).max(since);
                self.states[buf.at()].next = self.last[buf.at()];
                self.states[buf.at()].touched = end;
                self.finish(node, end);
            }
            NodeKind::Free(buf) => {
                self.turn_over(node, &[buf]);
                self.bring_back(&[buf])?;
                let end = self.preds_end(node).max(self.states[buf.at()].back_end);
                self.vacate(buf, end, At::Nowhere);
                self.finish(node, end);
                self.access += 1;
            }
            NodeKind::Op(op) => {
                let operands = graph.operands(&op);
                self.turn_over(node, operands);
                self.bring_back(operands)?;
                let back = operands.iter().map(|buf| self.states[buf.at()].back_end).max().unwrap_or(0);
                let end = self.occupy(problem.unit_of(op.pipe), self.preds_end(node).max(back), op.cycles);
                for buf in operands {
                    let state = &mut self.states[buf.at()];
                    state.touched = state.touched.max(end);
                    state.next = self.next[self.access];
                    self.access += 1;
                }
                self.finish(node, end);
            }
        }
        self.emit(Step::Node(node));
        let is_within = self.score.traffic <= self.limits.traffic && self.score.makespan <= self.limits.makespan;
        is_within.then_some(())
    }

    /// Buffers without a FREE must be back.
    fn end(&mut self) -> Option<Score> {
        self.turn += 1;
        self.place += 1;
        let undying = self.problem.graph.buffers().iter().enumerate().filter(|(_, buffer)| buffer.free.is_none());
        let undying: Vec<BufIx> = undying.map(|(at, _)| BufIx::new(at)).collect();
        self.bring_back(&undying)?;
        Some(self.score)
    }

    /// Finds for each access from the place `from` on the next one to the same buffer.
    fn look_ahead(&mut self, order: &[NodeIx], from: usize) {
        let graph = &*self.problem.graph;
        self.last.fill(order.len() as u32);
        self.next.clear();
        for place in (from..order.len()).rev() {
            let last = &mut self.last;
            let mut used = |buf: BufIx| std::mem::replace(&mut last[buf.at()], place as u32);
            match graph.node(order[place]).kind {
                NodeKind::Alloc(_) => {}
                NodeKind::Free(buf) => self.next.push(used(buf)),
                NodeKind::Op(op) => self.next.extend(graph.operands(&op).iter().rev().map(|&buf| used(buf))),
            }
        }
        self.next.reverse();
        self.access = 0;
    }

    /// Empties the levels.
    fn clear(&mut self) {
        self.states.fill(UNBORN);
        self.levels.iter_mut().for_each(Addresses::clear);
        self.lanes.iter_mut().for_each(|lanes| lanes.fill(0));
        (self.spills, self.turn) = (0, 0);
        self.score = Score::default();
    }

    fn preds_end(&self, node: NodeIx) -> u64 {
        self.preds.of(node.0).iter().map(|&pred| self.node_end[pred as usize]).max().unwrap_or(0)
    }

    /// Runs something on the lane of `unit` that is free first. A pipe without a name is no unit: nothing waits for it.
    fn occupy(&mut self, unit: UnitIx, ready: u64, cycles: u64) -> u64 {
        let end = if self.problem.units[unit.at()].name.raw().is_empty() {
            ready.saturating_add(cycles)
        } else {
            let lane = self.lanes[unit.at()].iter_mut().min();
            lane.map_or(ready, |lane| {
                *lane = ready.max(*lane).saturating_add(cycles);
                *lane
            })
        };
        self.score.makespan = self.score.makespan.max(end);
        end
    }

    /// When the unit has a lane free.
    fn done_by(&self, unit: UnitIx) -> u64 {
        self.lanes.get(unit.at()).and_then(|lanes| lanes.iter().min()).copied().unwrap_or(0)
    }

    fn finish(&mut self, node: NodeIx, end: u64) {
        self.node_end[node.at()] = end;
        self.score.makespan = self.score.makespan.max(end);
    }

    fn emit(&mut self, step: Step) {
        if let Some(plan) = &mut self.plan {
            plan.steps.push(step);
        }
    }
}

/// The unit of the first operation that names `buf`; the one on which buffers come back where there is none.
fn filled_on(problem: &Problem, buf: BufIx) -> UnitIx {
    let graph = &*problem.graph;
    let mut pipes = graph.users(buf).iter().filter_map(|&node| match graph.node(node).kind {
        NodeKind::Op(op) => Some(problem.unit_of(op.pipe)),
        NodeKind::Alloc(_) | NodeKind::Free(_) => None,
    });
    pipes.next().unwrap_or(problem.back_unit)
}
