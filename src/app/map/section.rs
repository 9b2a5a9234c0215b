//! One level of the map, over its part of the columns.

use std::ops::Range;

use super::super::pool_map::{self, Shown};
use super::grid::Grid;
use super::scale::Axis;
use super::steps::Steps;
use super::{Cell, Wanted};
use crate::model::{Event, LevelIx};
use crate::trace::{BlockLife, Cursor, Stay, Trace};

/// A level of the map.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section {
    /// Which.
    pub level: LevelIx,
    /// Its columns, of all.
    pub columns: Range<usize>,
    /// What each of its columns stands for, counted from its first.
    pub axis: Axis,
}

/// What a level shows.
pub(super) struct Drawn {
    /// Row by row, column by column.
    pub cells: Vec<Vec<Cell>>,
    pub axis: Axis,
    /// Where the level is a pool.
    pub pool: Option<Shown>,
    /// The stays that the rows were made of.
    pub stays: Vec<Stay>,
}

/// Levels side by side.
pub(super) struct LaidOut {
    /// The levels with their columns.
    pub spans: Vec<(LevelIx, Range<usize>)>,
    /// Levels for which there is no room.
    pub left_out: usize,
}

/// Fewer columns than this show nothing of a level.
const LEAST_COLUMNS: usize = 10;

/// The focused level over all columns, or every level that is ever used, as far as there is room.
pub(super) fn lay_out(trace: &Trace, focused: LevelIx, all: bool, width: usize) -> LaidOut {
    let used = |&level: &LevelIx| level == focused || trace.occupancy(level).peak(u32::MAX).1 > 0;
    let levels: Vec<LevelIx> = (0..trace.problem.level_count()).map(LevelIx::new).filter(used).collect();
    if !all || levels.is_empty() {
        return LaidOut { spans: vec![(focused, 0..width)], left_out: 0 };
    }
    let shown = ((width + 1) / (LEAST_COLUMNS + 1)).clamp(1, levels.len());
    let at = levels.iter().position(|&level| level == focused).unwrap_or(0);
    let first = (at + 1).saturating_sub(shown);
    let room = width - (shown - 1).min(width);
    let mut start = 0;
    let mut spans = Vec::new();
    for (at, &level) in levels.iter().skip(first).take(shown).enumerate() {
        let columns = room * (at + 1) / shown - room * at / shown;
        spans.push((level, start..start + columns));
        start += columns + 1;
    }
    LaidOut { spans, left_out: levels.len() - shown }
}

/// The rows of the level that is wanted.
pub(super) fn draw(
    trace: &Trace,
    here: &Cursor,
    walker: &mut Cursor,
    wanted: &Wanted,
    steps: &Steps,
    columns: usize,
) -> Drawn {
    let level = wanted.level;
    let stays = stays(trace, walker, level, steps);
    let entry = trace.problem.level(level);
    if entry.pool().is_none() {
        let axis = Axis::Addresses(wanted.settings.scale(level, entry.capacity, columns));
        let mut cells = paint(trace, &axis, steps, &stays, columns);
        if steps.each == 1 {
            single_steps(trace, here, wanted, &axis, steps, &mut cells);
        }
        return Drawn { cells, axis, pool: None, stays };
    }
    if steps.each == 1 {
        let (cells, axis, shown) = pool_map::rows(trace, walker, wanted, steps.whole(), columns);
        return Drawn { cells, axis, pool: Some(shown), stays };
    }
    let lives = lives(trace, level, steps);
    let (axis, shown) = pool_map::blocks_of(trace, &stays, &lives, columns);
    let mut cells = paint(trace, &axis, steps, &stays, columns);
    lives.iter().for_each(|life| paint_idle(&axis, steps, life, &mut cells));
    Drawn { cells, axis, pool: Some(shown), stays }
}

/// The blocks that a pool has at any of the visible steps.
fn lives(trace: &Trace, level: LevelIx, steps: &Steps) -> Vec<BlockLife> {
    let whole = steps.whole();
    let lives = trace.blocks(level).iter().take_while(|life| (life.from as usize) < whole.end);
    lives.filter(|life| life.to as usize > whole.start).copied().collect()
}

/// Where a block is there and nobody was in it at any of a row's steps, it is idle.
fn paint_idle(axis: &Axis, steps: &Steps, life: &BlockLife, cells: &mut [Vec<Cell>]) {
    let Some(extent) = axis.extent(life.offset, life.size) else { return };
    for row in &mut cells[steps.rows_between(life.from as usize, life.to as usize)] {
        row[extent.drawn.clone()].iter_mut().filter(|cell| **cell == Cell::Free).for_each(|cell| *cell = Cell::Idle);
    }
}

/// The stays in `level` at any of the visible steps: those that last from before, then those that begin.
fn stays(trace: &Trace, walker: &mut Cursor, level: LevelIx, steps: &Steps) -> Vec<Stay> {
    let whole = steps.whole();
    if whole.is_empty() {
        return Vec::new();
    }
    trace.seek(walker, trace.run_range(whole.start).start);
    let first = whole.start as u32;
    let residents = walker.state().level(level).by_address.values();
    let mut found: Vec<Stay> =
        residents.filter_map(|&buf| trace.stays_of(buf).take_while(|stay| stay.from < first).last()).collect();
    found.retain(|stay| stay.to > first);
    found.extend_from_slice(trace.stays_beginning(level, first..whole.end as u32));
    found
}

fn paint(trace: &Trace, axis: &Axis, steps: &Steps, stays: &[Stay], columns: usize) -> Vec<Vec<Cell>> {
    let mut grid = Grid::new(steps.rows, columns);
    for stay in stays {
        grid.paint(axis, steps, stay, trace.problem.graph.buffer(stay.buf).size);
    }
    (0..steps.rows).map(|row| grid.cells(row)).collect()
}

/// Marks what each step did. The step at hand may be in its midst.
fn single_steps(trace: &Trace, here: &Cursor, wanted: &Wanted, axis: &Axis, steps: &Steps, cells: &mut [Vec<Cell>]) {
    for (row, cells) in cells.iter_mut().enumerate() {
        let step = steps.of(row).start;
        let run = trace.run_range(step);
        let at_hand = step == wanted.step;
        let done = if at_hand { wanted.position.clamp(run.start, run.end) } else { run.end };
        if done < run.end {
            *cells = standing(trace, here, wanted.level, axis, cells.len());
        }
        for event in &trace.events()[run.start..done] {
            mark(trace, wanted.level, axis, event, cells);
        }
    }
}

/// The row of a state.
fn standing(trace: &Trace, here: &Cursor, level: LevelIx, axis: &Axis, columns: usize) -> Vec<Cell> {
    let one = Steps { first: 0, each: 1, rows: 1, all: 1 };
    let residents = here.state().level(level).by_address.iter();
    let stays: Vec<Stay> = residents.map(|(&offset, &buf)| Stay::new(buf, offset, 0, 1)).collect();
    paint(trace, axis, &one, &stays, columns).pop().unwrap_or_default()
}

/// Marks what an event did in the row of its step.
fn mark(trace: &Trace, wanted: LevelIx, axis: &Axis, event: &Event, cells: &mut [Cell]) {
    match *event {
        Event::Placed { buf, level, .. } if level == wanted => {
            cells.iter_mut().filter(|cell| **cell == Cell::Held(buf)).for_each(|cell| *cell = Cell::Placed(buf));
        }
        Event::Left { buf, how, level, offset, .. } if level == wanted => {
            let Some(extent) = axis.extent(offset, trace.problem.graph.buffer(buf).size) else { return };
            let left = cells[extent.drawn].iter_mut().filter(|cell| **cell == Cell::Free);
            left.for_each(|cell| *cell = Cell::Left(buf, how));
        }
        _ => {}
    }
}
