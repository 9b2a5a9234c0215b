//! The pools of a run with the memory behind their blocks.

use std::sync::Arc;

use super::block::{Block, View, words_of};
use super::roles::Roles;
use super::stamp::Stamp;
use crate::engine::memory::pool::{Acquired, DropReason, NoRoom, Request};
use crate::engine::memory::{Handle, Pool};
use crate::model::{BlockFate, BlockId, BufIx, Event, Leaving, Placing, Problem, Sink};

/// All pools and who holds what.
pub(super) struct Memory<'p> {
    problem: &'p Problem,
    roles: &'p Roles,
    /// By level; of a level that is no pool, one that nobody asks.
    levels: Vec<Level>,
    /// By buffer, from its placement on; forgotten when it is released as it should be.
    held: Vec<Option<Held>>,
    /// The planted fault: see [`Fault::EarlyRelease`](super::Fault::EarlyRelease).
    early_release: bool,
}

struct Level {
    pool: Pool,
    /// By id of the block; none where it was dropped.
    blocks: Vec<Option<Owned>>,
    /// Where the next fresh block starts.
    next_offset: u64,
}

struct Owned {
    block: Arc<Block>,
    offset: u64,
    size: u64,
    holder: Option<BufIx>,
}

#[derive(Clone)]
struct Held {
    handle: Handle,
    block: Arc<Block>,
    offset: u64,
    /// Its producer is to zero it first: others have written there.
    must_zero: bool,
}

impl<'p> Memory<'p> {
    pub fn new(problem: &'p Problem, roles: &'p Roles, early_release: bool) -> Self {
        let level = |level: &crate::model::Level| {
            let rules = level.pool();
            let buckets = rules.map_or_else(Default::default, |rules| rules.buckets.clone());
            let pool = Pool::new(buckets, level.capacity, rules.and_then(|rules| rules.max_age));
            Level { pool, blocks: Vec::new(), next_offset: 0 }
        };
        Self {
            problem,
            roles,
            levels: problem.machine.levels.iter().map(level).collect(),
            held: vec![None; problem.graph.buffers().len()],
            early_release,
        }
    }

    /// Takes a block for `buf`, large enough for what its producer will report.
    ///
    /// # Errors
    /// Where the pool has no room; nothing has changed then.
    pub fn acquire(&mut self, buf: BufIx, now: u64, sink: &mut impl Sink) -> Result<(), NoRoom> {
        let level = self.problem.level_of(buf);
        let buffer = self.problem.graph.buffer(buf);
        // The fault of the seed's sketch: the count begins at zero, and grows with those that start.
        let consumers = if self.early_release { 0 } else { self.roles.consumers(buf) };
        let Level { pool, blocks, next_offset } = &mut self.levels[level.at()];
        let acquired =
            pool.acquire(Request { size: self.problem.asked_of(buf), consumers, zero_fill: buffer.zero_fill }, now)?;
        let Acquired { handle, block_size, hit, must_zero } = acquired;
        for dropped in pool.dropped() {
            if let Some(Owned { offset, size, .. }) = blocks[dropped.block.at()].take() {
                sink.record(Event::Block { level, fate: fate(dropped.why), offset, size });
            }
        }
        if buffer.free.is_none() {
            // Its handle was just given.
            let kept = pool.keep(handle);
            debug_assert_eq!(kept, Ok(()));
        }
        if blocks.len() <= handle.block.at() {
            blocks.resize_with(handle.block.at() + 1, || None);
        }
        let owned = blocks[handle.block.at()].get_or_insert_with(|| {
            let offset = *next_offset;
            *next_offset = next_offset.saturating_add(block_size);
            let block = Arc::new(Block::new(block_size, handle.generation));
            Owned { block, offset, size: block_size, holder: None }
        });
        owned.holder = Some(buf);
        let Owned { ref block, offset, size, .. } = *owned;
        let fate = if hit { BlockFate::Reused } else { BlockFate::Fresh };
        sink.record(Event::Block { level, fate, offset, size });
        sink.record(Event::Placed { buf, how: Placing::Alloc, level, offset, at: now });
        self.held[buf.at()] = Some(Held { handle, block: block.clone(), offset, must_zero });
        Ok(())
    }

    /// The memory of `buf`.
    pub fn view(&self, buf: BufIx) -> Option<View> {
        let Held { handle, block, must_zero, .. } = self.held[buf.at()].as_ref()?;
        let node = self.roles.producer(buf).unwrap_or(self.problem.graph.buffer(buf).alloc);
        let stamp = Stamp { node, generation: handle.generation };
        let len = words_of(self.problem.used_of(buf));
        Some(View { buf, block: block.clone(), len, stamp, must_zero: *must_zero })
    }

    /// A consumer of `buf` starts. Counted beforehand, so that there is nothing to do; but for the planted fault.
    pub fn consumer_starts(&mut self, buf: BufIx) {
        if let Some(held) = self.held[buf.at()].as_ref().filter(|_| self.early_release) {
            // Where the block is gone already, the sketch does not notice; the reader will.
            let _ = self.levels[self.problem.level_of(buf).at()].pool.add_consumer(held.handle);
        }
    }

    /// A consumer of `buf` has read it. Returns whether it was the last one and the buffer has left.
    pub fn consumer_ends(&mut self, buf: BufIx, now: u64, sink: &mut impl Sink) -> bool {
        let Some(held) = &self.held[buf.at()] else { return false };
        let pool = &mut self.levels[self.problem.level_of(buf).at()].pool;
        let last = pool.consume(held.handle, now);
        debug_assert!(self.early_release || last.is_ok(), "every consumer was counted");
        if last != Ok(true) {
            return false;
        }
        self.leave(buf, now, sink);
        true
    }

    /// The producer of `buf` is done and says how large it is. Returns whether nobody reads it and it has left.
    pub fn produced(&mut self, buf: BufIx, now: u64, sink: &mut impl Sink) -> bool {
        let Some(held) = &self.held[buf.at()] else { return false };
        let pool = &mut self.levels[self.problem.level_of(buf).at()].pool;
        let reported = pool.resize_report(held.handle, self.problem.used_of(buf));
        debug_assert_eq!(reported, Ok(()), "the block was taken for the real size");
        if self.problem.graph.buffer(buf).free.is_none() || self.roles.consumers(buf) > 0 {
            return false;
        }
        let released = pool.release(held.handle, now);
        debug_assert_eq!(released, Ok(()), "nobody reads it");
        self.leave(buf, now, sink);
        true
    }

    /// The pool has taken the block of `buf` back: tells whoever may still read it, and the record.
    fn leave(&mut self, buf: BufIx, now: u64, sink: &mut impl Sink) {
        let level = self.problem.level_of(buf);
        let Level { pool, blocks, .. } = &mut self.levels[level.at()];
        let Some(held) = &self.held[buf.at()] else { return };
        held.block.set_generation(pool.generation(held.handle.block).unwrap_or(u64::MAX));
        let offset = held.offset;
        sink.record(Event::Left { buf, how: Leaving::Free, level, offset, at: now });
        if let Some(owned) = &mut blocks[held.handle.block.at()] {
            owned.holder = None;
            sink.record(Event::Block { level, fate: BlockFate::Idle, offset, size: owned.size });
        }
        if !self.early_release {
            self.held[buf.at()] = None;
        }
    }

    /// The block that `buf` was given, and which buffer holds that memory now, if any.
    pub fn holder(&self, buf: BufIx) -> Option<(BlockId, Option<BufIx>)> {
        let held = self.held[buf.at()].as_ref()?;
        let owned = self.levels[self.problem.level_of(buf).at()].blocks[held.handle.block.at()].as_ref();
        // The id of a dropped block may be another's by now, with other memory.
        let holder = owned.filter(|owned| Arc::ptr_eq(&owned.block, &held.block)).and_then(|owned| owned.holder);
        Some((held.handle.block, holder))
    }
}

fn fate(why: DropReason) -> BlockFate {
    match why {
        DropReason::OverCap => BlockFate::OverCap,
        DropReason::Aged => BlockFate::Aged,
    }
}
