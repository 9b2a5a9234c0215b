//! The memory map: what each column of addresses holds after each visible step. Worked out when it changes, by a
//! cursor of its own that walks over the visible rows only.

use ratatui::layout::Rect;

use super::pool_map::{self, Shown};
use crate::model::{BufIx, Event, Leaving, LevelIx};
use crate::trace::{Cursor, LevelState, Trace};

/// What a map depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub level: LevelIx,
    pub step: usize,
    pub position: usize,
    pub area: Rect,
}

/// The visible part of the map.
#[derive(Clone, Debug, Default)]
pub struct MapView {
    pub(super) wanted: Option<Wanted>,
    /// Where the columns of addresses stand on the screen; the column of step numbers is left of it.
    pub cells: Rect,
    /// Whether the last line of the area is left for the legend.
    pub legend: bool,
    /// The rows, a step each.
    pub rows: Vec<MapRow>,
    /// The blocks that share the columns, where the level is a pool.
    pub pool: Option<Shown>,
}

/// The level after one step.
#[derive(Clone, Debug)]
pub struct MapRow {
    /// The step.
    pub step: usize,
    /// Column by column.
    pub cells: Vec<Cell>,
}

/// What a column of addresses holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Nothing.
    Free,
    /// A buffer.
    Held(BufIx),
    /// A buffer that this step placed.
    Placed(BufIx),
    /// Nothing: this step took the buffer away.
    Left(BufIx, Leaving),
    /// A block of a pool that no buffer is in.
    Idle,
    /// Nothing: this step dropped the pool's block that was there.
    Dropped,
}

impl Cell {
    /// The buffer that is there, or was until this step.
    pub fn buf(self) -> Option<BufIx> {
        match self {
            Self::Free | Self::Idle | Self::Dropped => None,
            Self::Held(buf) | Self::Placed(buf) | Self::Left(buf, _) => Some(buf),
        }
    }
}

/// Columns taken by step number, sign and marker.
pub fn label_width(steps: usize) -> u16 {
    steps.saturating_sub(1).max(1).ilog10() as u16 + 4
}

/// The addresses `[from, to)` of column `column` of `columns`; never empty.
pub fn addresses(capacity: u64, column: usize, columns: usize) -> (u64, u64) {
    let at = |column: usize| (column as u128 * u128::from(capacity) / columns.max(1) as u128) as u64;
    let from = at(column);
    (from, at(column + 1).max(from.saturating_add(1)))
}

/// The rows around the step, `here` being the state where one stands.
pub(super) fn view(trace: &Trace, here: &Cursor, walker: &mut Cursor, wanted: Wanted) -> MapView {
    let area = wanted.area;
    let label = label_width(trace.step_count()).min(area.width);
    let legend = area.height >= 5;
    let rows = area.height.saturating_sub(1 + u16::from(legend));
    let cells = Rect { x: area.x + label, y: area.y + 1, width: area.width - label, height: rows };
    let shown = usize::from(rows).min(trace.step_count());
    // Two thirds of the rows are the past: that is where the reasons are.
    let first = wanted.step.saturating_sub(shown * 2 / 3).min(trace.step_count() - shown);
    let level = wanted.level;
    let view = MapView { wanted: Some(wanted), cells, legend, ..MapView::default() };
    if trace.problem.level(level).pool().is_some() {
        let (rows, shown) = pool_map::rows(trace, walker, &wanted, first..first + shown, usize::from(cells.width));
        return MapView { rows, pool: Some(shown), ..view };
    }
    let rows = (first..first + shown).map(|step| {
        let state = if step == wanted.step {
            here.state()
        } else {
            trace.seek_step(walker, step);
            walker.state()
        };
        let applied = if step == wanted.step { wanted.position } else { trace.end_of(step) };
        let run = trace.run_range(step);
        let done = &trace.events()[run.start..applied.clamp(run.start, run.end)];
        MapRow { step, cells: row(trace, state.level(level), level, done, usize::from(cells.width)) }
    });
    MapView { rows: rows.collect(), ..view }
}

/// Addresses drawn as columns.
#[derive(Clone, Copy)]
struct Scale {
    capacity: u64,
    columns: usize,
}

impl Scale {
    /// The columns `[from, to)` in which addresses `[start, start + size)` are drawn: rounded, so that neighbours
    /// meet wherever they stand, and at least one.
    fn drawn(self, start: u64, size: u64) -> (usize, usize) {
        let capacity = u128::from(self.capacity.max(1));
        let nearest = |address: u64| ((u128::from(address) * self.columns as u128 + capacity / 2) / capacity) as usize;
        let from = nearest(start).min(self.columns.saturating_sub(1));
        (from, nearest(start.saturating_add(size)).clamp(from + 1, self.columns.max(from + 1)))
    }
}

/// How many residents are looked at for one column: the last that start before its end.
const LOOKED_AT: usize = 4;

/// One row: the residents, then what the step's own events did.
fn row(trace: &Trace, state: &LevelState, level: LevelIx, done: &[Event], columns: usize) -> Vec<Cell> {
    let scale = Scale { capacity: trace.problem.level(level).capacity, columns };
    let size = |buf: BufIx| trace.problem.graph.buffer(buf).size;
    let holder = |column: usize| {
        let (_, end) = addresses(scale.capacity, column, columns);
        let near = state.by_address.range(..end).rev().take(LOOKED_AT);
        let drawn = near.map(|(&start, &buf)| (scale.drawn(start, size(buf)), buf));
        // The smallest wins, which would not be seen elsewhere.
        let here = drawn.filter(|((from, to), _)| (*from..*to).contains(&column));
        here.min_by_key(|((from, to), _)| to - from).map_or(Cell::Free, |(_, buf)| Cell::Held(buf))
    };
    let mut cells: Vec<Cell> = (0..columns).map(holder).collect();
    for event in done {
        match *event {
            Event::Placed { buf, level: at, .. } if at == level => {
                cells.iter_mut().filter(|cell| **cell == Cell::Held(buf)).for_each(|cell| *cell = Cell::Placed(buf));
            }
            Event::Left { buf, how, level: at, offset, .. } if at == level && columns > 0 => {
                let (from, to) = scale.drawn(offset, size(buf));
                let left = cells[from..to].iter_mut().filter(|cell| **cell == Cell::Free);
                left.for_each(|cell| *cell = Cell::Left(buf, how));
            }
            _ => {}
        }
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_meet_and_every_buffer_has_a_column() {
        for (capacity, columns) in [(4096u64, 32usize), (1000, 77), (10, 80), (u64::MAX, 50), (7, 1)] {
            let scale = Scale { capacity, columns };
            let cut = [0, capacity / 3, capacity / 2, capacity - 1, capacity];
            for pair in cut.windows(2) {
                let (from, to) = scale.drawn(pair[0], pair[1] - pair[0]);
                assert!(from < to && to <= columns, "{capacity} {columns} {pair:?}");
                let (next, _) = scale.drawn(pair[1], 1);
                assert!(next <= to, "a gap that is not there: {capacity} {columns} {pair:?}");
            }
        }
    }
}
