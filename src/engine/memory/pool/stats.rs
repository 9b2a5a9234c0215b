//! What a pool counts.

use super::DropReason;

/// Counts since the pool was made, and bytes now and at their most.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolStats {
    /// Requests served by an idle block.
    pub hits: u64,
    /// Requests served by a new block: the allocations.
    pub misses: u64,
    /// Idle blocks dropped to make room under the cap.
    pub dropped_over_cap: u64,
    /// Idle blocks dropped for their age.
    pub aged_out: u64,
    /// Bytes of the blocks in use.
    pub in_use: u64,
    /// Bytes of the idle blocks.
    pub idle: u64,
    /// Bytes by which the blocks in use are larger than what is used of them.
    pub waste: u64,
    /// The most that `waste` has been.
    pub worst_waste: u64,
    /// The most that `in_use` has been.
    pub peak_in_use: u64,
    /// The most that in use and idle together have been: what the pool asked of the system.
    pub peak_held: u64,
}

impl PoolStats {
    /// Bytes in use and idle together.
    pub fn held(&self) -> u64 {
        self.in_use + self.idle
    }

    pub(super) fn acquired(&mut self, block_size: u64, size: u64, hit: bool) {
        *(if hit { &mut self.hits } else { &mut self.misses }) += 1;
        self.in_use += block_size;
        self.peak_in_use = self.peak_in_use.max(self.in_use);
        self.peak_held = self.peak_held.max(self.held());
        self.waste += block_size - size;
        self.worst_waste = self.worst_waste.max(self.waste);
    }

    /// `size` is what was used of the block.
    pub(super) fn released(&mut self, block_size: u64, size: u64) {
        self.in_use -= block_size;
        self.idle += block_size;
        self.waste -= block_size - size;
    }

    pub(super) fn resized(&mut self, block_size: u64, before: u64, actual: u64) {
        self.waste -= block_size - before;
        self.waste += block_size - actual;
        self.worst_waste = self.worst_waste.max(self.waste);
    }

    pub(super) fn dropped(&mut self, block_size: u64, why: DropReason) {
        self.idle -= block_size;
        match why {
            DropReason::OverCap => self.dropped_over_cap += 1,
            DropReason::Aged => self.aged_out += 1,
        }
    }
}
