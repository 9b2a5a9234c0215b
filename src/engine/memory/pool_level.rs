//! A level that is a pool: which block each buffer lies in, and where the blocks are.

use super::pool::{DropReason, Handle, NoRoom, Pool, Request};
use crate::model::{BlockFate, BlockId, BufIx, PoolFigures, PoolRules};

/// A pool's blocks with addresses: each new block gets the next ones of an unbounded space, and none is used twice. So
/// two buffers lie at the same address exactly where they had the same block.
#[derive(Clone, Debug)]
pub struct PoolLevel {
    pool: Pool,
    /// By buffer.
    held: Vec<Option<(Handle, u64)>>,
    /// Where each block starts, by its id.
    starts: Vec<u64>,
    /// Where the next new block starts.
    end: u64,
    /// What the last placement dropped: start, size, why.
    dropped: Vec<(u64, u64, BlockFate)>,
}

/// A buffer in a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InBlock {
    /// Where the block starts.
    pub offset: u64,
    /// Bytes of the block.
    pub size: u64,
    /// Whether the block is new.
    pub fresh: bool,
}

impl PoolLevel {
    /// An empty pool of at most `cap` bytes, for a graph with that many buffers.
    pub fn new(rules: &PoolRules, cap: u64, buffers: usize) -> Self {
        Self {
            pool: Pool::new(rules.buckets.clone(), cap, rules.max_age),
            held: vec![None; buffers],
            starts: Vec::new(),
            end: 0,
            dropped: Vec::new(),
        }
    }

    /// Takes a block of `size` bytes for `buf`, which will use `used` of them. What had to go for it is in
    /// [`PoolLevel::dropped`].
    ///
    /// # Errors
    /// [`NoRoom`] where it does not fit beside the blocks in use. Then nothing has changed.
    pub fn place(&mut self, buf: BufIx, size: u64, used: u64, now: u64) -> Result<InBlock, NoRoom> {
        let taken = self.pool.acquire(Request { size, consumers: 0, zero_fill: false }, now)?;
        let fate = |why| if why == DropReason::Aged { BlockFate::Aged } else { BlockFate::OverCap };
        let starts = &self.starts;
        self.dropped.clear();
        self.dropped
            .extend(self.pool.dropped().iter().map(|gone| (starts[gone.block.at()], gone.size, fate(gone.why))));
        // The block holds the larger of estimate and real size, so this cannot fail.
        let reported = self.pool.resize_report(taken.handle, used);
        debug_assert!(reported.is_ok());
        if !taken.hit {
            self.start_block(taken.handle.block, taken.block_size);
        }
        self.held[buf.at()] = Some((taken.handle, taken.block_size));
        Ok(InBlock { offset: self.starts[taken.handle.block.at()], size: taken.block_size, fresh: !taken.hit })
    }

    fn start_block(&mut self, block: BlockId, size: u64) {
        if self.starts.len() <= block.at() {
            self.starts.resize(block.at() + 1, 0);
        }
        self.starts[block.at()] = self.end;
        self.end = self.end.saturating_add(size);
    }

    /// What the last [`PoolLevel::place`] dropped: start, size and why, longest idle first.
    pub fn dropped(&self) -> &[(u64, u64, BlockFate)] {
        &self.dropped
    }

    /// Gives the block of `buf` back: its start and size. `None` where it has none.
    pub fn lift(&mut self, buf: BufIx, now: u64) -> Option<(u64, u64)> {
        let (handle, size) = self.held[buf.at()].take()?;
        self.pool.release(handle, now).ok()?;
        Some((self.starts[handle.block.at()], size))
    }

    /// The holding of the block in which `buf` lies.
    pub fn handle(&self, buf: BufIx) -> Option<Handle> {
        self.held[buf.at()].map(|(handle, _)| handle)
    }

    /// How often the block with `handle` has been given back so far.
    pub fn generation(&self, handle: Handle) -> u64 {
        self.pool.generation(handle.block).unwrap_or(0)
    }

    /// Bytes that a request can have: all but the blocks in use, since idle ones make way.
    pub fn room(&self) -> u64 {
        self.pool.cap() - self.pool.stats().in_use
    }

    /// The most bytes in use and idle together.
    pub fn cap(&self) -> u64 {
        self.pool.cap()
    }

    /// What happened so far.
    pub fn figures(&self) -> PoolFigures {
        let stats = self.pool.stats();
        PoolFigures {
            hits: stats.hits,
            misses: stats.misses,
            over_cap: stats.dropped_over_cap,
            aged: stats.aged_out,
            peak_held: stats.peak_held,
            peak_busy: stats.peak_in_use,
            worst_waste: stats.worst_waste,
        }
    }
}
