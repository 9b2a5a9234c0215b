//! Whole blocks in size buckets with consumer counts (seed 000, sections 3.1 to 3.3, its faults mended).
//!
//! A producer [acquires](Pool::acquire) a block for its output, with the number of those that will read it. Each of
//! them [consumes](Pool::consume) once; the last one gives the block back, and it lies idle until a request of the
//! same bucket takes it again. What the seed's sketch got wrong holds here:
//!
//! - Sizes are bytes everywhere, and a block has its bucket's full size.
//! - The count starts at the number of consumers. One that grows as consumers start falls to zero between two of them.
//! - In use and idle together never pass the cap. Idle blocks make way before a request is refused; what is in use never does.
//! - Each release counts the block's generation up, so that whoever still holds its [`Handle`] is told, also where
//!   nobody has taken the block since.
//!
//! Bytes and times only: contents belong to the caller, and times come from it, in any unit. Every call is logarithmic in
//! the number of buckets, beside constant time for each block that it drops.

mod error;
mod idle;
mod stats;
#[cfg(test)]
mod tests;

pub use error::{NoRoom, PoolError};
pub use stats::PoolStats;

use std::collections::{BTreeMap, VecDeque};

use crate::model::{BlockId, Buckets, MAX_NUMBER};
use idle::IdleQueue;

/// One holding of a block, from acquire to release.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Handle {
    /// The block.
    pub block: BlockId,
    /// How often the block's id had been released before.
    pub generation: u64,
}

/// What is asked of [`Pool::acquire`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Bytes.
    pub size: u64,
    /// How many will read the block: each is to consume it once. With none, only [`Pool::release`] gives it back.
    pub consumers: u32,
    /// Whether the contents must be zero.
    pub zero_fill: bool,
}

/// The answer of [`Pool::acquire`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Acquired {
    /// The block, held from now on.
    pub handle: Handle,
    /// Bytes of the block: its bucket's.
    pub block_size: u64,
    /// Whether an idle block was taken; else it is new, and the caller is to make its memory (zeroed).
    pub hit: bool,
    /// The caller must zero the contents: it was asked for, and others have written here before.
    pub must_zero: bool,
}

/// A block that is gone from the pool; the caller is to give its memory back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// Its id, which a later block may get.
    pub block: BlockId,
    /// Its bytes.
    pub size: u64,
    /// Why it went.
    pub why: DropReason,
}

/// Why an idle block was dropped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DropReason {
    /// To make room under the cap for a new block.
    OverCap,
    /// It was idle for the greatest age.
    Aged,
}

/// How many blocks of one size there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BucketUse {
    /// Bytes of each.
    pub block_size: u64,
    /// Blocks in use.
    pub busy: usize,
    /// Blocks that wait to be used again.
    pub idle: usize,
}

/// See the [module](self).
///
/// ```
/// use spillscope::engine::memory::pool::{Pool, Request};
/// use spillscope::model::Buckets;
///
/// let mut pool = Pool::new(Buckets::PowersOfTwo, 4096, None);
/// let first = pool.acquire(Request { size: 1000, consumers: 1, zero_fill: false }, 0)?;
/// assert!(pool.consume(first.handle, 10)?, "its only consumer has read it");
/// let second = pool.acquire(Request { size: 600, consumers: 1, zero_fill: false }, 20)?;
/// assert!(second.hit && second.block_size == 1024);
/// assert!(pool.check(first.handle).is_err(), "the block is another's now");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Pool {
    buckets: Buckets,
    cap: u64,
    max_age: Option<u64>,
    blocks: Vec<Block>,
    /// Ids whose block was dropped.
    vacant: Vec<BlockId>,
    /// By size of block. None is empty.
    shelves: BTreeMap<u64, Shelf>,
    idle: IdleQueue,
    dropped: Vec<Dropped>,
    stats: PoolStats,
}

#[derive(Clone, Debug)]
struct Block {
    size: u64,
    generation: u64,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    Busy(Holding),
    Idle,
    Dropped,
}

#[derive(Clone, Debug)]
struct Holding {
    /// Bytes that the holder uses, at most the block's.
    size: u64,
    consumers: u32,
    /// No consumer is the last one.
    kept: bool,
}

/// The blocks of one size.
#[derive(Clone, Debug, Default)]
struct Shelf {
    busy: usize,
    /// In the order in which they were released, so that the oldest of all blocks is at the front of its shelf.
    idle: VecDeque<BlockId>,
}

impl Pool {
    /// An empty pool of at most `cap` bytes in use and idle together (`max_pool_bytes`; held at 2^63 − 1) that keeps no
    /// block idle for `max_age` or longer, where there is one; with 0, none is used again.
    pub fn new(buckets: Buckets, cap: u64, max_age: Option<u64>) -> Self {
        Self {
            buckets,
            cap: cap.min(MAX_NUMBER),
            max_age,
            blocks: Vec::new(),
            vacant: Vec::new(),
            shelves: BTreeMap::new(),
            idle: IdleQueue::default(),
            dropped: Vec::new(),
            stats: PoolStats::default(),
        }
    }

    /// Takes a block for an output: the one of its bucket that was released last, since it is the likeliest to be in
    /// a cache still, else a new one. What had to go is in [`Pool::dropped`].
    ///
    /// # Errors
    /// [`NoRoom`] where the block does not fit beside those in use. Then nothing has changed.
    pub fn acquire(&mut self, request: Request, now: u64) -> Result<Acquired, NoRoom> {
        self.dropped.clear();
        let block_size = self.room_for(request.size)?;
        self.drop_aged(now);
        let reused = self.take_idle(block_size);
        let block = reused.unwrap_or_else(|| self.make(block_size));
        let hit = reused.is_some();
        self.shelves.entry(block_size).or_default().busy += 1;
        let held = &mut self.blocks[block.at()];
        held.state = State::Busy(Holding { size: request.size, consumers: request.consumers, kept: false });
        let handle = Handle { block, generation: held.generation };
        self.stats.acquired(block_size, request.size, hit);
        Ok(Acquired { handle, block_size, hit, must_zero: hit && request.zero_fill })
    }

    /// Bytes of the block that [`Pool::acquire`] would give for so many; takes nothing.
    ///
    /// # Errors
    /// [`NoRoom`] where it would refuse.
    pub fn room_for(&self, size: u64) -> Result<u64, NoRoom> {
        let need = self.buckets.block_size(size).unwrap_or(NoRoom::BEYOND);
        // Idle blocks are no obstacle: the one that fits is taken, and the others make way.
        if need > self.cap - self.stats.in_use {
            return Err(NoRoom { need, in_use: self.stats.in_use, idle: self.stats.idle, cap: self.cap });
        }
        Ok(need)
    }

    /// One more will read the block.
    ///
    /// # Errors
    /// A handle that no longer holds its block; more than 2^32 − 1 consumers.
    pub fn add_consumer(&mut self, handle: Handle) -> Result<(), PoolError> {
        let (_, holding) = self.holding_mut(handle)?;
        holding.consumers = holding.consumers.checked_add(1).ok_or(PoolError::TooManyConsumers)?;
        Ok(())
    }

    /// One consumer has read the block; the last one gives it back. Says whether this was the last one.
    ///
    /// # Errors
    /// A handle that no longer holds its block; more consumers than were registered.
    pub fn consume(&mut self, handle: Handle, now: u64) -> Result<bool, PoolError> {
        let (_, holding) = self.holding_mut(handle)?;
        holding.consumers = holding.consumers.checked_sub(1).ok_or(PoolError::NoConsumer)?;
        let last = holding.consumers == 0 && !holding.kept;
        if last {
            self.give_back(handle.block, now);
        }
        Ok(last)
    }

    /// Lets no consumer be the last one: the block stays until [`Pool::release`], as outputs of the graph do.
    ///
    /// # Errors
    /// A handle that no longer holds its block.
    pub fn keep(&mut self, handle: Handle) -> Result<(), PoolError> {
        self.holding_mut(handle)?.1.kept = true;
        Ok(())
    }

    /// Gives back a block that no consumer will: one that was kept, or that nobody reads.
    ///
    /// # Errors
    /// A handle that no longer holds its block; consumers that have not read it yet.
    pub fn release(&mut self, handle: Handle, now: u64) -> Result<(), PoolError> {
        match self.consumers(handle)? {
            0 => self.give_back(handle.block, now),
            consumers => return Err(PoolError::StillRead { consumers }),
        }
        Ok(())
    }

    /// The producer reports how many bytes the output really has, which counts as asked for from now on.
    ///
    /// # Errors
    /// A handle that no longer holds its block; [`PoolError::Overrun`] where the block is too small, and then nothing
    /// has changed.
    pub fn resize_report(&mut self, handle: Handle, actual: u64) -> Result<(), PoolError> {
        let (block_size, holding) = self.holding_mut(handle)?;
        if actual > block_size {
            return Err(PoolError::Overrun { actual, block_size });
        }
        let before = std::mem::replace(&mut holding.size, actual);
        self.stats.resized(block_size, before, actual);
        Ok(())
    }

    /// Drops the blocks that have been idle for longer than the greatest age; they are in [`Pool::dropped`].
    /// [`Pool::acquire`] does so by itself.
    pub fn age(&mut self, now: u64) {
        self.dropped.clear();
        self.drop_aged(now);
    }

    /// The blocks that the last [`Pool::acquire`] or [`Pool::age`] dropped, longest idle first.
    pub fn dropped(&self) -> &[Dropped] {
        &self.dropped
    }

    /// Whether `handle` still holds its block.
    ///
    /// # Errors
    /// Why it does not.
    pub fn check(&self, handle: Handle) -> Result<(), PoolError> {
        self.consumers(handle).map(|_| ())
    }

    /// How many consumers have not read the block yet.
    ///
    /// # Errors
    /// A handle that no longer holds its block.
    pub fn consumers(&self, handle: Handle) -> Result<u32, PoolError> {
        let block = self.blocks.get(handle.block.at()).ok_or(PoolError::Unknown)?;
        match &block.state {
            State::Busy(holding) if block.generation == handle.generation => Ok(holding.consumers),
            State::Busy(_) => Err(PoolError::Reused),
            State::Idle | State::Dropped => Err(PoolError::Released),
        }
    }

    /// How often blocks of that id were released; `None` for one that the pool never made.
    pub fn generation(&self, block: BlockId) -> Option<u64> {
        self.blocks.get(block.at()).map(|block| block.generation)
    }

    /// The most bytes in use and idle together.
    pub fn cap(&self) -> u64 {
        self.cap
    }

    /// How requests are rounded up.
    pub fn buckets(&self) -> &Buckets {
        &self.buckets
    }

    /// What has been counted so far.
    pub fn stats(&self) -> &PoolStats {
        &self.stats
    }

    /// Busy and idle blocks by size, ascending; only sizes of which there are any.
    pub fn usage(&self) -> impl Iterator<Item = BucketUse> + '_ {
        let row =
            |(&block_size, shelf): (&u64, &Shelf)| BucketUse { block_size, busy: shelf.busy, idle: shelf.idle.len() };
        self.shelves.iter().map(row)
    }

    /// The block's bytes and what `handle` holds of them.
    fn holding_mut(&mut self, handle: Handle) -> Result<(u64, &mut Holding), PoolError> {
        self.check(handle)?;
        let block = &mut self.blocks[handle.block.at()];
        match &mut block.state {
            State::Busy(holding) => Ok((block.size, holding)),
            State::Idle | State::Dropped => Err(PoolError::Released),
        }
    }

    fn take_idle(&mut self, block_size: u64) -> Option<BlockId> {
        let block = self.shelves.get_mut(&block_size)?.idle.pop_back()?;
        self.idle.remove(block);
        self.stats.idle -= block_size;
        Some(block)
    }

    /// A new block, for which there is room once enough of the idle ones are gone.
    fn make(&mut self, size: u64) -> BlockId {
        while self.stats.held() > self.cap - size
            && let Some((oldest, _)) = self.idle.oldest()
        {
            self.drop_idle(oldest, DropReason::OverCap);
        }
        if let Some(block) = self.vacant.pop() {
            self.blocks[block.at()].size = size;
            return block;
        }
        self.blocks.push(Block { size, generation: 0, state: State::Dropped });
        BlockId::new(self.blocks.len() - 1)
    }

    fn drop_aged(&mut self, now: u64) {
        let Some(max_age) = self.max_age else { return };
        while let Some((oldest, since)) = self.idle.oldest() {
            if now.saturating_sub(since) < max_age {
                break;
            }
            self.drop_idle(oldest, DropReason::Aged);
        }
    }

    /// Drops `block`, the longest idle one.
    fn drop_idle(&mut self, block: BlockId, why: DropReason) {
        self.idle.remove(block);
        let Block { size, state, .. } = &mut self.blocks[block.at()];
        let size = *size;
        *state = State::Dropped;
        if let Some(shelf) = self.shelves.get_mut(&size) {
            let front = shelf.idle.pop_front();
            debug_assert_eq!(front, Some(block), "the oldest of all is the oldest on its shelf");
            if shelf.busy == 0 && shelf.idle.is_empty() {
                self.shelves.remove(&size);
            }
        }
        self.vacant.push(block);
        self.stats.dropped(size, why);
        self.dropped.push(Dropped { block, size, why });
    }

    /// `block`, which is in use, becomes idle.
    fn give_back(&mut self, block: BlockId, now: u64) {
        let held = &mut self.blocks[block.at()];
        if let State::Busy(holding) = &held.state {
            self.stats.released(held.size, holding.size);
        }
        held.state = State::Idle;
        held.generation += 1;
        let shelf = self.shelves.entry(held.size).or_default();
        shelf.busy -= 1;
        shelf.idle.push_back(block);
        self.idle.push(block, now);
    }
}
