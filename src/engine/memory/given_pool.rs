//! A pool whose blocks stand where a finished plan puts them. Which block a buffer takes is the plan's affair; what becomes
//! of idle ones follows from the rules that the checker states.

use std::collections::BTreeMap;

use crate::model::{BlockFate, Level};

/// The blocks of one pool, at given addresses.
#[derive(Clone, Debug)]
pub struct GivenPool {
    cap: u64,
    max_age: Option<u64>,
    /// By start.
    blocks: BTreeMap<u64, Block>,
    /// The idle ones, longest idle first: start, and since when.
    idle: BTreeMap<u64, (u64, u64)>,
    /// How often a block was given back so far.
    lifts: u64,
    busy: u64,
    held: u64,
    dropped: Vec<(u64, u64, BlockFate)>,
}

#[derive(Clone, Copy, Debug)]
struct Block {
    size: u64,
    /// Its key among the idle ones.
    idle: Option<u64>,
}

impl GivenPool {
    /// The pool that `level` is, empty; `None` where it is none.
    pub fn of(level: &Level) -> Option<Self> {
        let rules = level.pool()?;
        Some(Self {
            cap: level.capacity,
            max_age: rules.max_age,
            blocks: BTreeMap::new(),
            idle: BTreeMap::new(),
            lifts: 0,
            busy: 0,
            held: 0,
            dropped: Vec::new(),
        })
    }

    /// Takes the block `[start, start + size)` at cycle `now`: idle or new. What had to go for it is in
    /// [`GivenPool::dropped`]. `None` where there can be no such block beside the others.
    pub fn place(&mut self, start: u64, size: u64, now: u64) -> Option<BlockFate> {
        self.dropped.clear();
        if size > self.cap - self.busy {
            return None;
        }
        while let Some((_, &(idle, since))) = self.idle.first_key_value()
            && self.max_age.is_some_and(|most| now.saturating_sub(since) >= most)
        {
            self.drop_block(idle, BlockFate::Aged);
        }
        let reused = self.blocks.get_mut(&start).filter(|block| block.size == size).and_then(|block| block.idle.take());
        if let Some(key) = reused {
            self.idle.remove(&key);
            self.busy += size;
            return Some(BlockFate::Reused);
        }
        while self.held > self.cap - size
            && let Some((_, &(idle, _))) = self.idle.first_key_value()
        {
            self.drop_block(idle, BlockFate::OverCap);
        }
        let end = start.checked_add(size)?;
        let before = self.blocks.range(..end).next_back();
        if before.is_some_and(|(&other, block)| other.saturating_add(block.size) > start) {
            return None;
        }
        self.blocks.insert(start, Block { size, idle: None });
        self.busy += size;
        self.held += size;
        Some(BlockFate::Fresh)
    }

    /// What the last placement dropped: start, size and why.
    pub fn dropped(&self) -> &[(u64, u64, BlockFate)] {
        &self.dropped
    }

    /// The block at `start` falls idle at cycle `now`. A time before that of the last one counts as that, so that the
    /// longest idle one is always the oldest.
    pub fn lift(&mut self, start: u64, now: u64) {
        let Some(block) = self.blocks.get_mut(&start).filter(|block| block.idle.is_none()) else { return };
        let newest = self.idle.last_key_value().map_or(now, |(_, &(_, since))| since.max(now));
        block.idle = Some(self.lifts);
        self.busy -= block.size;
        self.idle.insert(self.lifts, (start, newest));
        self.lifts += 1;
    }

    fn drop_block(&mut self, start: u64, why: BlockFate) {
        let Some(block) = self.blocks.remove(&start) else { return };
        block.idle.map(|key| self.idle.remove(&key));
        self.held -= block.size;
        self.dropped.push((start, block.size, why));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Buckets, Manager, Name, PoolRules};

    fn pool(cap: u64, max_age: Option<u64>) -> GivenPool {
        let mut level = Level::arena(Name::new("pool"), cap, false);
        level.manager = Manager::Pool(PoolRules { buckets: Buckets::Exact, max_age });
        GivenPool::of(&level).expect("it is a pool")
    }

    #[test]
    fn an_idle_block_is_taken_again_only_whole_and_at_its_start() {
        let mut pool = pool(100, None);
        assert_eq!(pool.place(0, 40, 0), Some(BlockFate::Fresh));
        assert_eq!(pool.place(39, 10, 0), None, "it is in use");
        pool.lift(0, 5);
        assert_eq!(pool.place(0, 30, 5), None, "it is idle, and larger");
        assert_eq!(pool.place(0, 40, 5), Some(BlockFate::Reused));
        assert_eq!(pool.place(40, 61, 5), None, "past the cap");
        assert_eq!(pool.place(u64::MAX, 1, 5), None, "past all addresses");
    }

    #[test]
    fn idle_blocks_go_by_age_and_then_to_make_room_the_longest_idle_first() {
        let mut pool = pool(100, Some(10));
        for (start, now) in [(0, 0), (30, 1), (60, 12)] {
            assert_eq!(pool.place(start, 30, 0), Some(BlockFate::Fresh));
            pool.lift(start, now);
        }
        assert_eq!(pool.place(200, 80, 11), Some(BlockFate::Fresh));
        assert_eq!(pool.dropped(), [(0, 30, BlockFate::Aged), (30, 30, BlockFate::Aged), (60, 30, BlockFate::OverCap)]);
    }
}
