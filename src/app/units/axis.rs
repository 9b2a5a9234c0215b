//! The cycles that the columns of the lanes show.

use super::{Scale, Setting};
use crate::session::Session;
use crate::trace::Trace;

/// Columns that an operation of mean length is drawn in, where the person has not zoomed.
const MEAN_COLUMNS: u64 = 6;

/// Steps that are looked at to find how long operations take.
const SAMPLED: usize = 200;

/// Column `i` shows the cycles `[start + i × scale, start + (i + 1) × scale)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Axis {
    /// The first cycle shown.
    pub start: u64,
    /// Cycles a column; at least 1.
    pub scale: u64,
    /// How many columns there are.
    pub columns: usize,
}

impl Default for Axis {
    fn default() -> Self {
        Self { start: 0, scale: 1, columns: 0 }
    }
}

impl Axis {
    /// The axis around `now`: a third of the width for what has been, the rest for what comes.
    pub(super) fn new(session: &Session, setting: Setting, columns: usize, now: u64) -> Self {
        let scale = match setting.scale {
            Scale::Usual => usual(&session.trace),
            Scale::Whole => whole(session, columns),
            Scale::Cycles(scale) => scale.max(1),
        };
        let last = session.figures.makespan / scale;
        let before = (now / scale).saturating_sub(columns as u64 / 3);
        let first = before.saturating_add_signed(setting.pan).min(last);
        let first = if session.figures.makespan.div_ceil(scale) <= columns as u64 { 0 } else { first };
        Self { start: first.saturating_mul(scale), scale, columns }
    }

    /// The first cycle of a column.
    pub fn cycle(&self, column: usize) -> u64 {
        self.start.saturating_add(self.scale.saturating_mul(column as u64))
    }

    /// The column of a cycle, the first for all that come before.
    pub fn column(&self, cycle: u64) -> usize {
        usize::try_from(cycle.saturating_sub(self.start) / self.scale).unwrap_or(usize::MAX)
    }

    /// The first cycle behind the columns.
    pub fn end(&self) -> u64 {
        self.cycle(self.columns)
    }
}

/// The scale at which an operation of mean length can be read, the same all through the plan.
fn usual(trace: &Trace) -> u64 {
    let steps = trace.step_count();
    let sample = (0..steps).step_by((steps / SAMPLED).max(1)).filter_map(|step| trace.time_of(step));
    let (mut sum, mut ran) = (0u64, 0);
    for (start, end) in sample.filter(|(start, end)| end > start) {
        (sum, ran) = (sum.saturating_add(end - start), ran + 1);
    }
    round(sum / ran.max(1) / MEAN_COLUMNS)
}

/// The finest scale at which the columns hold the whole plan.
pub(super) fn whole(session: &Session, columns: usize) -> u64 {
    session.figures.makespan.div_ceil(columns.max(1) as u64).max(1)
}

/// The next 1, 2 or 5 times a power of ten, `cycles` itself included.
pub(super) fn round(cycles: u64) -> u64 {
    let power = 10u64.pow(cycles.max(1).ilog10());
    [1, 2, 5, 10].iter().map(|by| power.saturating_mul(*by)).find(|round| *round >= cycles).unwrap_or(power).max(1)
}

/// The next coarser scale.
pub(super) fn coarser(scale: u64) -> u64 {
    round(scale.saturating_add(1))
}

/// The next finer scale.
pub(super) fn finer(scale: u64) -> u64 {
    let power = 10u64.pow(scale.max(1).ilog10());
    let finer = [5, 2, 1].iter().map(|by| power.saturating_mul(*by)).find(|finer| *finer < scale);
    finer.unwrap_or(power / 2).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_round_numbers_and_never_none() {
        assert_eq!([0, 1, 3, 6, 11, 21, 60, 700].map(round), [1, 1, 5, 10, 20, 50, 100, 1000]);
        assert!(round(u64::MAX) > 0);
    }

    #[test]
    fn zooming_in_takes_back_zooming_out() {
        let mut scale = 1;
        for expected in [2, 5, 10, 20, 50, 100, 200] {
            assert_eq!(coarser(scale), expected);
            assert_eq!(finer(expected), scale);
            scale = expected;
        }
        assert_eq!(finer(1), 1);
        assert!(coarser(u64::MAX) > 0 && finer(u64::MAX) > 0);
    }
}
