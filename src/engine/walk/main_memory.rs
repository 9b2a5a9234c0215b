//! Main memory, where spilled data goes: a pool without a cap. A buffer that is not backed has a block of it from its
//! SPILL_OUT to that spill's SPILL_IN.

use crate::engine::memory::PoolLevel;
use crate::model::{BlockFate, BufIx, Event, MAX_NUMBER, PoolFigures, Problem, Sink};

/// See the [module](self).
#[derive(Default)]
pub(in crate::engine) struct MainMemory {
    /// Made at the first spill that needs it: most plans that search makes have none.
    pool: Option<PoolLevel>,
    /// Whether it came to more than can be counted.
    overflowed: bool,
}

impl MainMemory {
    /// `buf` begins to go out at `cycle`.
    pub(in crate::engine) fn keep<S: Sink>(&mut self, problem: &Problem, buf: BufIx, cycle: u64, sink: &mut S) {
        if problem.graph.buffer(buf).backed {
            return;
        }
        let buffers = problem.graph.buffers().len();
        let new = || PoolLevel::new(&problem.machine.main_memory, MAX_NUMBER, buffers);
        let pool = self.pool.get_or_insert_with(new);
        let Ok(taken) = pool.place(buf, problem.asked_of(buf), problem.used_of(buf), cycle) else {
            self.overflowed = true;
            return;
        };
        self.overflowed |= taken.offset.saturating_add(taken.size) > MAX_NUMBER;
        let level = problem.main_memory();
        for &(offset, size, fate) in pool.dropped() {
            sink.record(Event::Block { level, fate, offset, size });
        }
        let fate = if taken.fresh { BlockFate::Fresh } else { BlockFate::Reused };
        sink.record(Event::Block { level, fate, offset: taken.offset, size: taken.size });
    }

    /// `buf` is back at `cycle`.
    pub(in crate::engine) fn release<S: Sink>(&mut self, problem: &Problem, buf: BufIx, cycle: u64, sink: &mut S) {
        let Some((offset, size)) = self.pool.as_mut().and_then(|pool| pool.lift(buf, cycle)) else { return };
        sink.record(Event::Block { level: problem.main_memory(), fate: BlockFate::Idle, offset, size });
    }

    /// What it did. Its peak is `u64::MAX` where it came to more than can be counted, which the session refuses.
    pub(in crate::engine) fn figures(&self) -> PoolFigures {
        let figures = self.pool.as_ref().map_or_else(PoolFigures::default, PoolLevel::figures);
        let peak_held = if self.overflowed { u64::MAX } else { figures.peak_held };
        PoolFigures { peak_held, ..figures }
    }
}
