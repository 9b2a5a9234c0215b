//! What one cell of the map stands for.

use std::ops::Range;

use super::scale::Axis;
use super::steps::Steps;
use crate::model::{BufIx, LevelIx};
use crate::trace::{Stay, Trace};

/// What a cell stands for.
#[derive(Clone, Debug, PartialEq)]
pub struct Probe {
    /// The level.
    pub level: LevelIx,
    /// The steps.
    pub steps: Range<usize>,
    /// The addresses; of a pool, those of the block, and empty where the column has none.
    pub addresses: Range<u64>,
    /// The buffers that were there at any of the steps, those first that had most of it; at most [`MOST_NAMED`].
    pub bufs: Vec<BufIx>,
    /// How many there were.
    pub count: usize,
    /// The first of the steps at which the first of the buffers was there; else the first of all.
    pub step: usize,
}

/// More buffers are not named, only counted.
pub const MOST_NAMED: usize = 8;

/// Looks into the cell of `row` and `column` (of its level's); `stays` are those of the visible steps.
pub(super) fn probe(
    trace: &Trace,
    level: LevelIx,
    axis: &Axis,
    steps: &Steps,
    stays: &[Stay],
    (row, column): (usize, usize),
) -> Probe {
    let of = steps.of(row);
    let mut shares: Vec<(BufIx, f32, usize)> = Vec::new();
    for stay in stays.iter().filter(|stay| (stay.from as usize) < of.end && stay.to as usize > of.start) {
        let size = trace.problem.graph.buffer(stay.buf).size;
        if axis.extent(stay.offset, size).is_none_or(|extent| !extent.touched.contains(&column)) {
            continue;
        }
        let share = steps.share(row, stay) * axis.share(column, stay.offset, size);
        shares.push((stay.buf, share, of.start.max(stay.from as usize)));
    }
    // A buffer that came back counts once, from when it was there first.
    shares.sort_by_key(|&(buf, _, step)| (buf, step));
    shares.dedup_by(|later, first| {
        let same = later.0 == first.0;
        first.1 += if same { later.1 } else { 0.0 };
        same
    });
    shares.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    let addresses = match axis {
        Axis::Addresses(scale) => scale.addresses(column),
        Axis::Blocks(blocks) => {
            let block = blocks.iter().find(|(_, columns)| columns.contains(&column));
            block.map_or(0..0, |&(start, _)| start..start.saturating_add(1))
        }
    };
    Probe {
        level,
        addresses,
        bufs: shares.iter().take(MOST_NAMED).map(|&(buf, ..)| buf).collect(),
        count: shares.len(),
        step: shares.first().map_or(of.start, |&(.., step)| step),
        steps: of,
    }
}
