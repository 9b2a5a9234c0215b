//! Main memory, where spilled data goes: a pool without a cap. A buffer that is not backed has a block of it from its
//! SPILL_OUT to that spill's SPILL_IN.

use crate::engine::memory::pool::{DropReason, Request};
use crate::engine::memory::{Handle, Pool};
use crate::model::{BlockFate, BufIx, Event, LevelIx, MAX_NUMBER, PoolFigures, Problem, Sink, SpillIx};

pub(super) struct MainMemory {
    pool: Pool,
    /// As events name it.
    level: LevelIx,
    /// By spill: the block with what went out; `None` where the buffer is backed.
    kept: Vec<Option<Handle>>,
    /// Where each block starts.
    starts: Vec<u64>,
    /// Where the next new block starts. No two ever share an address.
    end: u64,
    /// Whether it came to more than can be counted.
    overflowed: bool,
}

impl MainMemory {
    pub(super) fn new(problem: &Problem) -> Self {
        let rules = &problem.machine.main_memory;
        Self {
            pool: Pool::new(rules.buckets.clone(), MAX_NUMBER, rules.max_age),
            level: problem.main_memory(),
            kept: Vec::new(),
            starts: Vec::new(),
            end: 0,
            overflowed: false,
        }
    }

    /// The next spill, that of `buf`, begins to go out at `cycle`.
    pub(super) fn keep<S: Sink>(&mut self, problem: &Problem, buf: BufIx, cycle: u64, sink: &mut S) {
        let buffer = problem.graph.buffer(buf);
        let handle = if buffer.backed { None } else { self.acquire(buffer.size, buffer.actual_size, cycle, sink) };
        self.kept.push(handle);
    }

    fn acquire<S: Sink>(&mut self, size: u64, actual: Option<u64>, cycle: u64, sink: &mut S) -> Option<Handle> {
        let request = Request { size: size.max(actual.unwrap_or(0)), consumers: 0, zero_fill: false };
        let Ok(got) = self.pool.acquire(request, cycle) else {
            self.overflowed = true;
            return None;
        };
        if S::ON {
            for gone in self.pool.dropped() {
                let fate = match gone.why {
                    DropReason::OverCap => BlockFate::OverCap,
                    DropReason::Aged => BlockFate::Aged,
                };
                let offset = self.starts[gone.block.at()];
                sink.record(Event::Block { level: self.level, fate, offset, size: gone.size });
            }
        }
        let block = got.handle.block.at();
        if !got.hit {
            self.make(block, got.block_size);
        }
        let fate = if got.hit { BlockFate::Reused } else { BlockFate::Fresh };
        sink.record(Event::Block { level: self.level, fate, offset: self.starts[block], size: got.block_size });
        if let Some(actual) = actual {
            let reported = self.pool.resize_report(got.handle, actual);
            debug_assert!(reported.is_ok(), "the block is of the larger size");
        }
        Some(got.handle)
    }

    /// The block of that id is new.
    fn make(&mut self, block: usize, size: u64) {
        if self.starts.len() <= block {
            self.starts.resize(block + 1, 0);
        }
        self.starts[block] = self.end;
        self.end = self.end.saturating_add(size);
        self.overflowed |= self.end > MAX_NUMBER;
    }

    /// `spill` is back at `cycle`.
    pub(super) fn release<S: Sink>(&mut self, problem: &Problem, buf: BufIx, spill: SpillIx, cycle: u64, sink: &mut S) {
        let Some(handle) = self.kept[spill.at()].take() else { return };
        let released = self.pool.release(handle, cycle);
        debug_assert!(released.is_ok(), "each spill has its own block");
        let size = problem.block_size(buf, &problem.machine.main_memory);
        let offset = self.starts[handle.block.at()];
        sink.record(Event::Block { level: self.level, fate: BlockFate::Idle, offset, size });
    }

    /// What it did. Its peak is `u64::MAX` where it came to more than can be counted, which the session refuses.
    pub(super) fn figures(&self) -> PoolFigures {
        let figures = self.pool.stats().figures();
        let peak_held = if self.overflowed { u64::MAX } else { figures.peak_held };
        PoolFigures { peak_held, ..figures }
    }
}
