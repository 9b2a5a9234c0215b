//! When buffers were and will be used, as the victim rules count it: in places of the first order.

use super::Walk;
use crate::model::{BufIx, NodeIx, NodeKind, Sink, VictimRule};

impl<S: Sink> Walk<'_, S> {
    /// Which victim goes first.
    pub(in crate::engine) fn victims(&self) -> VictimRule {
        self.options.victims
    }

    /// Steps from `here` to the FREE of `buf` (or the end), both in the first order.
    pub(in crate::engine) fn remaining_life(&self, buf: BufIx, here: u32) -> u32 {
        let free = self.problem.graph.buffer(buf).free;
        free.map_or(self.end(), |free| self.sequence.first_place(free)).saturating_sub(here)
    }

    /// Steps from `now` to the next use of `buf` (its FREE, or the end, where none comes); at least 1. Only where the rule
    /// looks ahead or a record is made.
    pub(in crate::engine) fn distance(&self, buf: BufIx, now: u32) -> u32 {
        let next = self.next_use.as_ref().and_then(|next_use| next_use.of(buf));
        next.map_or(self.end(), |node| self.sequence.first_place(node)).saturating_sub(now).max(1)
    }

    /// Steps from the last use of `buf` (or its ALLOC) to `now`. Only where the rule looks back.
    pub(in crate::engine) fn unused_for(&self, buf: BufIx, now: u32) -> u32 {
        now.saturating_sub(self.last_use.get(buf.at()).copied().unwrap_or(0))
    }

    /// `node` has its turn.
    pub(super) fn note_use(&mut self, node: NodeIx) {
        if self.last_use.is_empty() {
            return;
        }
        let place = self.sequence.place(node);
        let graph = &*self.problem.graph;
        match graph.node(node).kind {
            NodeKind::Alloc(buf) => self.last_use[buf.at()] = place,
            NodeKind::Op(op) => graph.operands(&op).iter().for_each(|buf| self.last_use[buf.at()] = place),
            NodeKind::Free(_) => {}
        }
    }

    /// One past the last place.
    fn end(&self) -> u32 {
        self.problem.graph.node_count() as u32
    }
}
