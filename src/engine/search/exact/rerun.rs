//! The exact evaluation of an order that changes bit by bit: from the last checkpoint before the change on.
//!
//! As with the fast one (`revised`), what was decided before the change stays; now and then all is decided anew. Behind
//! the change, an order that has moved more than the limit leaves is given up at once, and so is one in which the busiest
//! unit is later than the limit leaves: what it is behind seldom comes back.

use super::{Addresses, Exact, Fit, Limits, Score, State};
use crate::model::{NodeIx, NodeKind, Problem, UnitIx};

/// Checkpoints over a whole order, at most.
const CHECKPOINTS: usize = 24;

/// Nodes that all checkpoints know of together, at most: a large graph has fewer checkpoints.
const MOST_KNOWN: usize = 1_000_000;

/// What is known before a place.
#[derive(Clone, Debug)]
struct Checkpoint {
    place: usize,
    states: Vec<State>,
    levels: Vec<Addresses>,
    lanes: Vec<Vec<u64>>,
    spills: u32,
    turn: u32,
    score: Score,
}

/// An order that was evaluated, and where its evaluation can be taken up again.
#[derive(Clone, Debug)]
pub(in crate::engine::search) struct Rerun<'a> {
    exact: Exact<'a>,
    order: Vec<NodeIx>,
    checkpoints: Vec<Checkpoint>,
    /// By place: extra traffic before it.
    moved: Vec<u64>,
    /// By place: when the busiest unit is done with what stands before it.
    done: Vec<u64>,
    busiest: UnitIx,
    node_end: Vec<u64>,
    score: Score,
    /// Above what is allowed by so much an order is given up: units moved, and cycles of the busiest unit.
    slack: u64,
    late: u64,
    walked: usize,
}

impl<'a> Rerun<'a> {
    pub(in crate::engine::search) fn new(exact: &Exact<'a>, fit: Fit) -> Self {
        let exact = Exact { fit, plan: None, ..exact.clone() };
        let slack = exact.facts.iter().map(|facts| facts.cost).max().unwrap_or(0);
        let (busiest, late) = busiest(exact.problem);
        Self {
            exact,
            order: Vec::new(),
            checkpoints: Vec::new(),
            moved: Vec::new(),
            done: Vec::new(),
            busiest,
            node_end: Vec::new(),
            score: Score::default(),
            slack,
            late,
            walked: 0,
        }
    }

    /// The share of the order that the last evaluation went through, in so many parts of the whole.
    pub(in crate::engine::search) fn walked(&self, whole: u64) -> u64 {
        1 + self.walked as u64 * whole / self.order.len().max(1) as u64
    }

    /// Evaluates the whole order and keeps it.
    pub(in crate::engine::search) fn whole(&mut self, order: &[NodeIx]) -> Option<Score> {
        self.checkpoints.clear();
        self.moved.clear();
        self.done.clear();
        self.exact.clear();
        self.exact.look_ahead(order, 0);
        self.go_through(order, 0)
    }

    /// What `order` comes to; `None` where a limit is passed, or most likely will be.
    pub(in crate::engine::search) fn changed(&mut self, order: &[NodeIx], limits: Limits) -> Option<Score> {
        let Some(start) = self.first_change(order) else { return Some(self.score) };
        let end = order.len() - self.order.iter().rev().zip(order.iter().rev()).position(|(a, b)| a != b).unwrap_or(0);
        let from = self.take_up(order, start);
        let left = limits.traffic.saturating_add(self.slack);
        let later = limits.makespan.saturating_add(self.late).saturating_sub(self.score.makespan);
        self.walked = 0;
        for (place, &node) in order.iter().enumerate().skip(from) {
            let moved = self.moved[place.max(end).min(order.len() - 1)];
            let ceiling = left.saturating_sub(self.score.traffic - moved);
            self.exact.limits = Limits { traffic: ceiling.min(limits.traffic), ..limits };
            self.walked += 1;
            if place > end && self.exact.done_by(self.busiest) > self.done[place].saturating_add(later) {
                return None;
            }
            self.exact.step(place as u32, node)?;
        }
        self.exact.limits = limits;
        let score = self.exact.end()?;
        (score.traffic <= limits.traffic).then_some(score)
    }

    /// Takes `order` over, which was evaluated last.
    pub(in crate::engine::search) fn keep(&mut self, order: &[NodeIx]) -> Option<Score> {
        let Some(start) = self.first_change(order) else { return Some(self.score) };
        let from = self.take_up(order, start);
        self.checkpoints.retain(|checkpoint| checkpoint.place < from);
        self.moved.truncate(from);
        self.done.truncate(from);
        self.go_through(order, from)
    }

    fn first_change(&self, order: &[NodeIx]) -> Option<usize> {
        self.order.iter().zip(order).position(|(a, b)| a != b)
    }

    /// Goes back to the last checkpoint before the place `start` and returns its place.
    fn take_up(&mut self, order: &[NodeIx], start: usize) -> usize {
        let at = self.checkpoints.partition_point(|checkpoint| checkpoint.place <= start).saturating_sub(1);
        let (checkpoint, exact) = (&self.checkpoints[at], &mut self.exact);
        exact.look_ahead(order, checkpoint.place);
        exact.states.clone_from(&checkpoint.states);
        exact.states.iter_mut().zip(&exact.last).for_each(|(state, &next)| state.next = next);
        exact.levels.clone_from(&checkpoint.levels);
        exact.lanes.clone_from(&checkpoint.lanes);
        exact.node_end.clone_from(&self.node_end);
        (exact.spills, exact.turn, exact.score) = (checkpoint.spills, checkpoint.turn, checkpoint.score);
        checkpoint.place
    }

    /// Evaluates from a place on, where the evaluation stands, and keeps all that is needed to take it up again.
    fn go_through(&mut self, order: &[NodeIx], from: usize) -> Option<Score> {
        let checkpoints = (MOST_KNOWN / order.len().max(1)).clamp(1, CHECKPOINTS);
        let every = order.len() / checkpoints + 1;
        self.exact.limits = Limits::NONE;
        for (place, &node) in order.iter().enumerate().skip(from) {
            if place.is_multiple_of(every) {
                let exact = &self.exact;
                self.checkpoints.push(Checkpoint {
                    place,
                    states: exact.states.clone(),
                    levels: exact.levels.clone(),
                    lanes: exact.lanes.clone(),
                    spills: exact.spills,
                    turn: exact.turn,
                    score: exact.score,
                });
            }
            self.moved.push(self.exact.score.traffic);
            self.done.push(self.exact.done_by(self.busiest));
            self.exact.step(place as u32, node)?;
        }
        self.score = self.exact.end()?;
        self.order.clear();
        self.order.extend_from_slice(order);
        self.node_end.clone_from(&self.exact.node_end);
        self.walked = order.len() - from;
        Some(self.score)
    }
}

/// The unit whose operations take longest in all, by lane, and what one of them takes, as a rule.
fn busiest(problem: &Problem) -> (UnitIx, u64) {
    let mut work = vec![(0u64, 0u64); problem.units.len()];
    for node in problem.graph.node_ixs() {
        if let NodeKind::Op(op) = problem.graph.node(node).kind {
            let (cycles, count) = &mut work[problem.unit_of(op.pipe).at()];
            (*cycles, *count) = (cycles.saturating_add(op.cycles), *count + 1);
        }
    }
    let lanes = |at: usize| u64::from(problem.units[at].count.max(1));
    let busiest = (0..work.len()).max_by_key(|&at| work[at].0 / lanes(at)).unwrap_or(0);
    let (cycles, count) = work.get(busiest).copied().unwrap_or_default();
    (UnitIx::new(busiest), cycles / count.max(1))
}
