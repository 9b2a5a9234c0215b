//! One lane as what its columns show, from left to right.

use std::ops::Range;

use super::axis::Axis;
use crate::engine::binding::Cause;
use crate::output::explain::held;
use crate::session::{Session, Sum, Track};

/// Some columns of a lane that show one thing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The columns.
    pub columns: Range<usize>,
    /// What they show.
    pub what: What,
}

/// What columns of a lane show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// One step at work.
    Bar {
        /// The step.
        step: usize,
        /// Whether it is on the critical path of the plan.
        on_path: bool,
    },
    /// Several in one column.
    Many {
        /// The first of them.
        step: usize,
        /// What they come to.
        sum: Sum,
        /// How many there are.
        count: usize,
        /// Eighths of the column's cycles that the lane works, at least one.
        eighths: usize,
    },
    /// Nothing, until a step starts that had to wait.
    Idle {
        /// That step.
        next: usize,
        /// Why it waited; `None` where it is not known.
        cause: Option<Cause>,
        /// Why and for which step, in a word.
        label: String,
    },
    /// Nothing more.
    Nothing,
}

/// What `track` shows along `axis`.
pub(super) fn pieces(session: &Session, track: Track, axis: &Axis) -> Vec<Piece> {
    let steps = session.track(track);
    let time = |step: u32| session.trace.time_of(step as usize).unwrap_or((0, 0));
    let starts_before = |at: usize, cycle: u64| steps.get(at).is_some_and(|&step| time(step).0 < cycle);
    let mut out = Vec::new();
    let mut column = 0;
    let mut at = ended_by(steps, time, axis.start);
    while column < axis.columns {
        let Some((step, (start, end))) = steps.get(at).map(|&step| (step as usize, time(step))) else {
            out.push(Piece { columns: column..axis.columns, what: What::Nothing });
            break;
        };
        let from = axis.column(start).max(column);
        if from > column {
            let columns = column..from.min(axis.columns);
            out.push(Piece { columns, what: idle(session, step) });
            column = from;
            continue;
        }
        if starts_before(at + 1, axis.cycle(column + 1)) {
            let begun = steps[at..].partition_point(|&step| time(step).0 < axis.cycle(column + 1));
            let behind = at + begun.max(1);
            out.push(Piece { columns: column..column + 1, what: many(session, track, at..behind, axis, column) });
            column += 1;
            // The last of them may go on, and is a bar from here.
            at += ended_by(&steps[at..behind], time, axis.cycle(column));
            continue;
        }
        // The column in which it ends is the next one's, where that starts in it.
        let last = axis.column(end.saturating_sub(1)).max(column);
        let to = if starts_before(at + 1, axis.cycle(last + 1)) { last.max(column + 1) } else { last + 1 };
        let to = to.min(axis.columns);
        let on_path = session.bindings().path().place_of(step).is_some();
        out.push(Piece { columns: column..to, what: What::Bar { step, on_path } });
        column = to;
        at += 1;
    }
    out
}

/// How many of these steps have ended by `cycle`. One that takes no time and stands at that very cycle is still to be
/// shown.
fn ended_by(steps: &[u32], time: impl Fn(u32) -> (u64, u64), cycle: u64) -> usize {
    steps.partition_point(|&step| {
        let (start, end) = time(step);
        end < cycle || (end == cycle && start < end)
    })
}

fn idle(session: &Session, next: usize) -> What {
    let wait = session.bindings().wait(next);
    What::Idle { next, cause: wait.map(|wait| wait.cause), label: held::label(session, next) }
}

/// The bars `range`, which all reach into `column`.
fn many(session: &Session, track: Track, range: Range<usize>, axis: &Axis, column: usize) -> What {
    let steps = session.track(track);
    let time = |at: usize| steps.get(at).and_then(|&step| session.trace.time_of(step as usize)).unwrap_or((0, 0));
    let sum = session.sum(track, range.clone());
    let (from, to) = (axis.cycle(column), axis.cycle(column + 1));
    // Only the first and the last can reach beyond the column.
    let outside = from.saturating_sub(time(range.start).0) + time(range.end - 1).1.saturating_sub(to);
    let inside = u128::from(sum.busy.saturating_sub(outside));
    let eighths = (inside * 8).div_ceil(u128::from(axis.scale)).clamp(1, 8) as usize;
    What::Many { step: steps[range.start] as usize, sum, count: range.len(), eighths }
}
