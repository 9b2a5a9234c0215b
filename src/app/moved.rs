//! Which buffers moved most so far: the other order of the table of buffers.

use super::App;
use crate::model::{BufIx, Event, Leaving};
use crate::output::numbers::grouped;
use crate::trace::{Mark, Trace};

/// The order of the table of buffers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BufferOrder {
    /// Those alive, by level and address.
    #[default]
    Address,
    /// Those spilled so far, by the extra traffic that they caused, the most first.
    Moved,
}

/// How often each buffer was spilled so far, and the buffers by what that moved.
#[derive(Clone, Debug, Default)]
pub struct MovedView {
    /// By buffer; empty until first asked for.
    times: Vec<u32>,
    /// Spills counted.
    counted: usize,
    /// The buffers spilled so far, by what they moved.
    pub rows: Vec<BufIx>,
}

impl MovedView {
    /// How often `buf` was spilled so far.
    pub fn times(&self, buf: BufIx) -> u32 {
        self.times.get(buf.at()).copied().unwrap_or(0)
    }

    /// Units of size that the spills of `buf` moved so far, out and back.
    pub fn units(&self, trace: &Trace, buf: BufIx) -> u64 {
        trace.problem.spill_cost(buf).saturating_mul(u64::from(self.times(buf)))
    }

    /// Counts on, or back, to `position`: only the spills between.
    fn count_to(&mut self, trace: &Trace, position: usize) {
        let spills = trace.marks(Mark::Spill);
        let target = spills.partition_point(|&at| (at as usize) < position);
        if self.times.is_empty() {
            self.times = vec![0; trace.problem.graph.buffers().len()];
        } else if target == self.counted {
            return;
        }
        let spilled = |at: &u32| match trace.events()[*at as usize] {
            Event::Left { buf, how: Leaving::Out, .. } => Some(buf),
            _ => None,
        };
        for buf in spills[self.counted.min(target)..self.counted.max(target)].iter().filter_map(spilled) {
            let times = &mut self.times[buf.at()];
            *times = if target > self.counted { *times + 1 } else { *times - 1 };
        }
        self.counted = target;
        let moved = (0..self.times.len()).map(BufIx::new).filter(|&buf| self.times(buf) > 0);
        let mut rows: Vec<BufIx> = moved.collect();
        rows.sort_by_cached_key(|&buf| (std::cmp::Reverse(self.units(trace, buf)), buf));
        self.rows = rows;
    }
}

impl App {
    /// The order of the table of buffers.
    pub fn buffer_order(&self) -> BufferOrder {
        self.buffer_order
    }

    /// What moved so far, while the table is in that order.
    pub fn moved(&self) -> &MovedView {
        &self.moved
    }

    /// Buffers that the table is about, listed or not.
    pub fn table_length(&self) -> usize {
        match self.buffer_order {
            BufferOrder::Address => self.state().live_count(),
            BufferOrder::Moved => self.moved.rows.len(),
        }
    }

    /// Rows of the table of buffers that can be selected.
    pub(super) fn buffer_rows(&self) -> usize {
        match self.buffer_order {
            BufferOrder::Address => self.table_length().min(super::rows::MOST_ROWS),
            BufferOrder::Moved => self.table_length(),
        }
    }

    /// The buffer in that row of the table.
    pub(super) fn buffer_in_row(&self, row: usize) -> Option<BufIx> {
        match self.buffer_order {
            BufferOrder::Address => {
                let live = super::rows::live_buffers(self.trace(), self.state(), self.level, row, 1);
                live.rows.first().copied()
            }
            BufferOrder::Moved => self.moved.rows.get(row).copied(),
        }
    }

    /// Counts what has moved by where one stands, while that is to be seen.
    pub(super) fn refresh_moved(&mut self) {
        if self.buffer_order == BufferOrder::Moved {
            self.moved.count_to(&self.session.trace, self.position());
        }
    }

    /// Turns between the two orders of the table, and shows it.
    pub(super) fn order_buffers(&mut self) {
        self.buffer_order = match self.buffer_order {
            BufferOrder::Address => BufferOrder::Moved,
            BufferOrder::Moved => BufferOrder::Address,
        };
        self.story = None;
        self.rows.buffers = 0;
        self.focus_on(super::Pane::Buffers);
        self.refresh_moved();
        let text = match self.buffer_order {
            BufferOrder::Address => "buffers by address: those alive".into(),
            BufferOrder::Moved => {
                self.select_buffer_row(0);
                self.most_moved()
            }
        };
        self.say(text);
    }

    /// Who moved most so far, and what share of the traffic that is.
    fn most_moved(&self) -> String {
        let trace = self.trace();
        let Some(&buf) = self.moved.rows.first() else {
            return "buffers by what moved so far: nothing was spilled up to here".into();
        };
        let (units, all) = (self.moved.units(trace, buf), self.state().extra_traffic);
        format!(
            "{} moved most so far: {} of {} units",
            crate::output::labels::buffer_label(&trace.problem.graph, buf),
            grouped(units),
            grouped(all)
        )
    }
}
