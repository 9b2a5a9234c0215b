//! Levels that are pools: blocks in place of addresses, and nobody is spilled.

use super::Walk;
use crate::model::{BlockFate, BufIx, Event, Leaving, LevelIx, NodeIx, Operation, Sink};

impl<S: Sink> Walk<'_, S> {
    /// Whether `buf`, of that size, has room in its level as it is.
    pub(super) fn has_room(&self, buf: BufIx, level: LevelIx, size: u64) -> bool {
        match &self.pools[level.at()] {
            Some(pool) => pool.room() >= self.problem.space_of(buf),
            None => self.arenas[level.at()].largest() >= size,
        }
    }

    /// Units free in a level, and the largest piece of them. Idle blocks of a pool count as free, since they make way.
    pub(super) fn free_and_largest(&self, level: LevelIx) -> (u64, u64) {
        match &self.pools[level.at()] {
            Some(pool) => (pool.room(), pool.room()),
            None => (self.arenas[level.at()].free(), self.arenas[level.at()].largest()),
        }
    }

    /// Takes a block for `buf`, for which there is room. Where it starts, and when it is taken.
    pub(super) fn settle_in_pool(&mut self, node: NodeIx, buf: BufIx, level: LevelIx) -> (u64, u64) {
        let problem = self.problem;
        let now = self.timing.ready_at(node);
        let Some(pool) = &mut self.pools[level.at()] else { unreachable!("the caller asked for a pool") };
        let taken = pool.place(buf, problem.asked_of(buf), problem.used_of(buf), now).expect("the caller made room");
        for &(offset, size, fate) in pool.dropped() {
            self.sink.record(Event::Block { level, fate, offset, size });
        }
        let fate = if taken.fresh { BlockFate::Fresh } else { BlockFate::Reused };
        self.sink.record(Event::Block { level, fate, offset: taken.offset, size: taken.size });
        let fresh = if taken.fresh { problem.fresh_cycles(buf) } else { 0 };
        let at = self.timing.take_block(node, buf, fresh);
        self.moves_in(buf, level, taken.offset);
        self.pool_live[level.at()] += problem.graph.buffer(buf).size;
        self.used_peak[level.at()] = self.used_peak[level.at()].max(self.pool_live[level.at()]);
        (taken.offset, at)
    }

    /// Gives the block of `buf` back.
    pub(super) fn lift_from_pool(&mut self, node: NodeIx, buf: BufIx, level: LevelIx) {
        let at = self.timing.give_block(node);
        let Some((offset, size)) = self.pools[level.at()].as_mut().and_then(|pool| pool.lift(buf, at)) else { return };
        self.place[buf.at()] = super::At::Nowhere;
        self.moves_out(buf, level);
        self.pool_live[level.at()] -= self.problem.graph.buffer(buf).size;
        self.sink.record(Event::Left { buf, how: Leaving::Free, level, offset, at });
        self.sink.record(Event::Block { level, fate: BlockFate::Idle, offset, size });
    }

    /// Records who has been read, how many readers are still to come, and what the real sizes are.
    pub(super) fn tell_reads(&mut self, node: NodeIx, op: &Operation) {
        if !S::ON {
            return;
        }
        let graph = &*self.problem.graph;
        for &buf in graph.operands(op) {
            if self.pools[self.problem.level_of(buf).at()].is_none() {
                continue;
            }
            let left = &mut self.users_left[buf.at()];
            *left = left.saturating_sub(1);
            let is_first = *left as usize + 1 == graph.users(buf).len();
            match graph.buffer(buf).actual_size {
                // Whoever uses a buffer first makes it, unless main memory did.
                _ if !is_first || graph.buffer(buf).backed => self.sink.record(Event::Read { buf, node, left: *left }),
                Some(actual) => self.sink.record(Event::Reported { buf, actual }),
                None => {}
            }
        }
    }
}
