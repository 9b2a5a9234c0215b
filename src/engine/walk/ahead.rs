//! Reloads before their turn, for operations that come soon: their transfer then runs beside what stands between.

use super::Walk;
use crate::engine::spill::Moment;
use crate::model::{BufIx, Event, Fallback, LevelIx, NodeIx, NodeKind, Sink};

/// How far a walk looks ahead for buffers that are out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::engine) struct Ahead {
    /// The most operations that stand between an early reload and its turn.
    pub(in crate::engine) operations: u32,
    /// Whether others may leave for it; else it needs a hole that nothing else wants until its turn.
    pub(in crate::engine) spills: bool,
}

/// What the nodes looked at so far take of a level and give back.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Demand {
    net: i128,
    /// The most that is missing at once, as a number not above 0.
    least: i128,
}

impl Demand {
    fn take(&mut self, size: u64) {
        self.net -= i128::from(size);
        self.least = self.least.min(self.net);
    }

    fn give(&mut self, size: u64) {
        self.net += i128::from(size);
    }
}

impl<S: Sink> Walk<'_, S> {
    /// An operation is done and `hand` comes next: brings back what the operations from there on name, in the order in
    /// which they need it, up to the first that has no room. None of it may leave for another.
    pub(super) fn bring_back_early(&mut self, hand: Option<NodeIx>) {
        let (Some(ahead), Some(hand)) = (self.ahead, hand) else { return };
        if self.out == 0 {
            return;
        }
        self.turn += 1;
        self.demand.fill(Demand::default());
        let graph = &*self.problem.graph;
        let (mut operations, mut next) = (0, Some(hand));
        while let Some(node) = next.filter(|_| operations <= ahead.operations) {
            match graph.node(node).kind {
                NodeKind::Alloc(buf) => self.demand[self.problem.level_of(buf).at()].take(graph.buffer(buf).size),
                NodeKind::Free(buf) => {
                    self.pinned_at[buf.at()] = self.turn;
                    if !self.is_out(buf) {
                        self.demand[self.problem.level_of(buf).at()].give(graph.buffer(buf).size);
                    }
                }
                NodeKind::Op(op) => {
                    let named = graph.sorted_operands(&op);
                    named.iter().for_each(|buf| self.pinned_at[buf.at()] = self.turn);
                    if !named.iter().all(|&buf| !self.is_out(buf) || self.come_back_early(buf, node, hand, operations))
                    {
                        return;
                    }
                    operations += 1;
                }
            }
            next = self.sequence.after(node);
        }
    }

    /// Brings `buf` back for `node`, which stands `operations` operations behind `hand`; whether there was room.
    fn come_back_early(&mut self, buf: BufIx, node: NodeIx, hand: NodeIx, operations: u32) -> bool {
        let level = self.problem.level_of(buf);
        let size = self.problem.graph.buffer(buf).size;
        let here = self.sequence.place(hand);
        if self.ahead.is_some_and(|ahead| ahead.spills) {
            let one =
                [Fallback::Spill, Fallback::SpillMany].into_iter().find(|step| self.options.on_full.contains(step));
            let chain: Vec<Fallback> = one.into_iter().collect();
            if !self.could_make_room(buf, level, here, &chain) {
                return false;
            }
            let Some(room) = self.make_room(buf, hand, here, &chain) else { return false };
            self.count(&room);
        } else if self.is_spare(level, size) {
            self.reached.fits += 1;
        } else {
            return false;
        }
        self.come_back_for(buf, node, operations);
        true
    }

    /// Whether a hole of `size` is there, and the rest is enough for what is born in the level meanwhile.
    fn is_spare(&self, level: LevelIx, size: u64) -> bool {
        let arena = &self.arenas[level.at()];
        let rest = i128::from(arena.free()) - i128::from(size);
        arena.largest() >= size && rest + self.demand[level.at()].least >= 0
    }

    /// Whether [`Self::make_room`] would find room, without a word in the record.
    fn could_make_room(&mut self, buf: BufIx, level: LevelIx, here: u32, chain: &[Fallback]) -> bool {
        let size = self.problem.graph.buffer(buf).size;
        let moment = Moment { first: here, now: here };
        self.has_room(buf, level, size)
            || chain.first().is_some_and(|step| {
                self.may_spill(level) && self.find_victims(level, size, moment, *step == Fallback::SpillMany).is_ok()
            })
    }

    fn come_back_for(&mut self, buf: BufIx, node: NodeIx, operations: u32) {
        if let super::At::Out(spill, _) = self.place[buf.at()] {
            self.sink.record(Event::Prefetched { spill, node, ahead: operations });
            self.come_back(buf, self.options.fit);
        }
    }
}
