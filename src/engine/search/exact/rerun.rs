//! The exact evaluation of an order that changes bit by bit: from the last checkpoint before the change on.
//!
//! As with the fast one (`revised`), what was decided before the change stays; now and then all is decided anew. Behind
//! the change, an order that has moved more than the limit leaves is given up at once: what it is behind seldom comes back.

use super::{Addresses, Exact, Fit, Limits, Score, State};
use crate::model::NodeIx;

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
    node_end: Vec<u64>,
    score: Score,
    /// Above what is allowed by so much an order is given up.
    slack: u64,
    walked: usize,
}

impl<'a> Rerun<'a> {
    pub(in crate::engine::search) fn new(exact: &Exact<'a>, fit: Fit) -> Self {
        let exact = Exact { fit, plan: None, ..exact.clone() };
        let slack = exact.facts.iter().map(|facts| facts.cost).max().unwrap_or(0);
        Self {
            exact,
            order: Vec::new(),
            checkpoints: Vec::new(),
            moved: Vec::new(),
            node_end: Vec::new(),
            score: Score::default(),
            slack,
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
        self.walked = 0;
        for (place, &node) in order.iter().enumerate().skip(from) {
            let moved = self.moved[place.max(end).min(order.len() - 1)];
            let ceiling = left.saturating_sub(self.score.traffic - moved);
            self.exact.limits = Limits { traffic: ceiling.min(limits.traffic), ..limits };
            self.walked += 1;
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
