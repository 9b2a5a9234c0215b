//! Spilled time: from when a buffer gave up its address until it is back, drawn as a line at the address that it had.

use super::scale::Axis;
use super::steps::Steps;
use crate::model::BufIx;
use crate::trace::{Stay, Trace};

/// A piece of the line, in one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GapPiece {
    /// Whose absence.
    pub buf: BufIx,
    /// The column, of all.
    pub column: usize,
    /// Which piece.
    pub end: GapEnd,
}

/// Where a piece of a line stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GapEnd {
    /// The buffer leaves in this row.
    Leaves,
    /// It is out before and after.
    Middle,
    /// It is back after this row, or within it.
    Returns,
}

/// A buffer between its two halves of a spill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Absence {
    /// Whose.
    pub buf: BufIx,
    /// Its SPILL_OUT.
    pub out: usize,
    /// Where it had been.
    pub left: u64,
    /// Its SPILL_IN and where it is then, if it ever comes back.
    pub back: Option<(usize, u64)>,
}

/// The absences of a buffer, in order. Only a spill parts two stays.
fn absences(trace: &Trace, buf: BufIx) -> impl Iterator<Item = Absence> + '_ {
    let later = trace.stays_of(buf).skip(1).map(Some).chain([None]);
    trace.stays_of(buf).zip(later).filter_map(move |(before, after): (Stay, Option<Stay>)| {
        let back = after.map(|after| (after.from as usize, after.offset));
        (before.to != u32::MAX).then_some(Absence { buf, out: before.to as usize, left: before.offset, back })
    })
}

/// Whether the last of the absences is one: a buffer that was freed does not come back either.
fn is_spill(trace: &Trace, absence: &Absence) -> bool {
    absence.back.is_some() || matches!(trace.step(absence.out), Some(crate::model::Step::Out(_)))
}

/// The absence that `step` is in, begins or ends.
pub(super) fn absence_at(trace: &Trace, buf: BufIx, step: usize) -> Option<Absence> {
    let around = |absence: &Absence| absence.out <= step && absence.back.is_none_or(|(back, _)| step <= back);
    // At a step that ends one and begins another, what begins is what is ahead.
    absences(trace, buf).filter(around).filter(|absence| is_spill(trace, absence)).last()
}

/// The lines of a buffer's absences over these rows, row by row; `start` is the first column of its level.
pub(super) fn pieces(trace: &Trace, buf: BufIx, axis: &Axis, start: usize, steps: &Steps) -> Vec<(usize, GapPiece)> {
    let size = trace.problem.graph.buffer(buf).size;
    let mut found = Vec::new();
    for absence in absences(trace, buf).filter(|absence| is_spill(trace, absence)) {
        let Some(extent) = axis.extent(absence.left, size) else { continue };
        // Beside the first column, where the bracket of whoever takes the place stands.
        let column = start + extent.drawn.start + usize::from(extent.drawn.len() > 2);
        let end = absence.back.map_or(steps.all, |(back, _)| back);
        // A row of one step says at the step itself that the buffer leaves.
        let begin = absence.out + usize::from(steps.each == 1);
        for row in steps.rows_between(begin, end) {
            let of = steps.of(row);
            let piece = if absence.back.is_some() && of.end >= end {
                GapEnd::Returns
            } else if of.contains(&absence.out) {
                GapEnd::Leaves
            } else {
                GapEnd::Middle
            };
            found.push((row, GapPiece { buf, column, end: piece }));
        }
    }
    found
}
