//! The memory map: what each column of addresses holds, step by step or many steps a row. Worked out when it changes:
//! single steps by a cursor of its own that walks over the visible rows only, and rows of many steps from the stays of
//! the buffers, so that the whole of a long plan costs no more than a glance.

mod coloring;
mod control;
mod gaps;
mod grid;
mod kinds;
mod probe;
mod scale;
mod section;
mod settings;
mod steps;

use std::ops::Range;

use ratatui::layout::Rect;

pub use coloring::{Class, Coloring, LONGEST};
pub use gaps::{Absence, GapEnd, GapPiece};
pub use kinds::Kinds;
pub use probe::{MOST_NAMED, Probe};
pub use scale::{Axis, Scale};
pub use section::Section;
pub use settings::Settings;

use super::pool_map::Shown;
use super::rows;
use crate::model::{BufIx, Leaving, LevelIx, Step};
use crate::trace::{Cursor, Mark, Trace};
use section::Drawn;
use steps::Steps;

/// What a map depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wanted {
    pub level: LevelIx,
    pub step: usize,
    pub position: usize,
    pub area: Rect,
    pub settings: Settings,
    pub selected: Option<BufIx>,
}

/// The visible part of the map.
#[derive(Clone, Debug, Default)]
pub struct MapView {
    pub(super) wanted: Option<Wanted>,
    /// Where the columns of addresses stand on the screen; the column of step numbers is left of it.
    pub cells: Rect,
    /// Whether a line below the rows is left for the legend.
    pub legend: bool,
    /// Whether the last line of the area is left for a note: what the cell at hand stands for, or where a buffer is.
    pub note: bool,
    /// Steps of each row.
    pub steps_per_row: usize,
    /// The rows.
    pub rows: Vec<MapRow>,
    /// The levels shown, from left to right, a column apart.
    pub sections: Vec<Section>,
    /// How many levels there was no room for, of those that all together should show.
    pub left_out: usize,
    /// The blocks that share the columns, where the focused level is a pool.
    pub pool: Option<Shown>,
    /// The row and the column of the cell that the person has gone to.
    pub spot: Option<(usize, usize)>,
    /// What that cell stands for.
    pub probe: Option<Probe>,
    /// Where the selected buffer is, or the one that this step moves, while it is spilled.
    pub absence: Option<Absence>,
}

/// The levels after one step, or during many.
#[derive(Clone, Debug)]
pub struct MapRow {
    /// The steps `[start, end)`.
    pub steps: Range<usize>,
    /// What happened; of many steps the gravest.
    pub mark: Option<Mark>,
    /// Column by column.
    pub cells: Vec<Cell>,
    /// What the letter of each cell tells; empty where that is the buffer.
    pub classes: Vec<Option<Class>>,
    /// The lines of spilled time in it.
    pub gaps: Vec<GapPiece>,
}

/// That many buffers in one cell are not counted further.
pub const MANY: u8 = 10;

/// What a column of addresses holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Nothing, at any of the steps.
    Free,
    /// Nothing but the edge of a buffer that is drawn beside it.
    Partly,
    /// A buffer, and no other.
    Held(BufIx),
    /// A buffer that this step placed.
    Placed(BufIx),
    /// Nothing: this step took the buffer away.
    Left(BufIx, Leaving),
    /// Several buffers, at its addresses or during its steps.
    Several {
        /// How many, up to [`MANY`].
        count: u8,
        /// How much of its addresses × steps is in use by them, in quarters: 0 for less than one, to 3.
        quarters: u8,
    },
    /// A block of a pool that no buffer is in.
    Idle,
    /// Nothing: this step dropped the pool's block that was there.
    Dropped,
    /// The line between two levels.
    Edge,
}

impl Cell {
    /// The buffer that is there, or was until this step; `None` where there are several.
    pub fn buf(self) -> Option<BufIx> {
        match self {
            Self::Held(buf) | Self::Placed(buf) | Self::Left(buf, _) => Some(buf),
            Self::Free | Self::Partly | Self::Several { .. } | Self::Idle | Self::Dropped | Self::Edge => None,
        }
    }
}

/// Columns taken by step number, sign and marker.
pub fn label_width(steps: usize) -> u16 {
    steps.saturating_sub(1).max(1).ilog10() as u16 + 4
}

/// The rows around the step, `here` being the state where one stands.
pub(super) fn view(trace: &Trace, here: &Cursor, walker: &mut Cursor, wanted: Wanted) -> MapView {
    let area = wanted.area;
    let label = label_width(trace.step_count()).min(area.width);
    let (legend, note) = (area.height >= 5, area.height >= 8);
    let height = area.height.saturating_sub(1 + u16::from(legend) + u16::from(note));
    let cells = Rect { x: area.x + label, y: area.y + 1, width: area.width - label, height };
    let settings = wanted.settings;
    let spot = settings.spot.filter(|_| height > 0 && cells.width > 0);
    let each = settings.steps_per_row(trace.step_count(), usize::from(height));
    let steps = Steps::around(trace.step_count(), each, usize::from(height), wanted.step, spot.map(|spot| spot.step));
    let mut view = MapView { wanted: Some(wanted), cells, legend, note, steps_per_row: each, ..MapView::default() };
    view.rows = (0..steps.rows).map(|row| empty_row(trace, steps.of(row))).collect();
    let laid_out = section::lay_out(trace, wanted.level, settings.all_levels, usize::from(cells.width));
    view.left_out = laid_out.left_out;
    let spot = spot.and_then(|spot| Some((steps.row_of(spot.step)?, on_a_level(&laid_out.spans, spot.column)?)));
    for (level, columns) in laid_out.spans {
        let drawn = section::draw(trace, here, walker, &Wanted { level, ..wanted }, &steps, columns.len());
        view.probe = view.probe.take().or_else(|| {
            let (row, column) = spot.filter(|(_, column)| columns.contains(column))?;
            let at = (row, column - columns.start);
            Some(probe::probe(trace, level, &drawn.axis, &steps, &drawn.stays, at))
        });
        view.pool = if level == wanted.level { drawn.pool } else { view.pool };
        view.enter(trace, &steps, level, columns, drawn);
    }
    view.spot = spot;
    view.absence =
        watched(trace, &wanted).into_iter().flatten().find_map(|buf| gaps::absence_at(trace, buf, wanted.step));
    view.rows.iter_mut().for_each(|row| classify(trace, settings.coloring, row));
    view
}

impl MapView {
    /// Enters a level's rows, with the line that parts it from the one before.
    fn enter(&mut self, trace: &Trace, steps: &Steps, level: LevelIx, columns: Range<usize>, drawn: Drawn) {
        for (row, cells) in self.rows.iter_mut().zip(drawn.cells) {
            row.cells.resize(columns.start, Cell::Edge);
            row.cells.extend(cells);
        }
        let wanted = self.wanted.iter().flat_map(|wanted| watched(trace, wanted)).flatten();
        for buf in wanted.filter(|&buf| trace.problem.level_of(buf) == level) {
            for (row, piece) in gaps::pieces(trace, buf, &drawn.axis, columns.start, steps) {
                self.rows[row].gaps.push(piece);
            }
        }
        self.sections.push(Section { level, columns, axis: drawn.axis });
    }

    /// Steps that a screen of the map has: what PgUp and PgDn move by.
    pub(super) fn steps_per_screen(&self) -> usize {
        self.rows.len().max(if self.steps_per_row > 1 { 1 } else { 10 }).saturating_mul(self.steps_per_row.max(1))
    }

    /// The cell on the screen at those coordinates, as row and column.
    pub fn cell_at(&self, x: u16, y: u16) -> Option<(usize, usize)> {
        let (row, column) = (y.checked_sub(self.cells.y)?, x.checked_sub(self.cells.x)?);
        let (row, column) = (usize::from(row), usize::from(column));
        let cell = self.rows.get(row)?.cells.get(column)?;
        (*cell != Cell::Edge).then_some((row, column))
    }

    /// The level that the column belongs to.
    pub fn section_of(&self, column: usize) -> Option<&Section> {
        self.sections.iter().find(|section| section.columns.contains(&column))
    }
}

fn empty_row(trace: &Trace, steps: Range<usize>) -> MapRow {
    let events = trace.run_range(steps.start).start..trace.end_of(steps.end.saturating_sub(1));
    let mark = if steps.len() == 1 {
        // Of a single step what happened last; that no hole was found is only where a decision began.
        trace.events()[events].iter().rev().filter_map(Mark::of).find(|mark| *mark != Mark::Full)
    } else {
        Mark::GRAVEST_FIRST.into_iter().find(|&mark| mark != Mark::Full && trace.marks_in(mark, &events) > 0)
    };
    MapRow { steps, mark, cells: Vec::new(), classes: Vec::new(), gaps: Vec::new() }
}

/// The column, or the one beside it where it is the line between two levels.
fn on_a_level(spans: &[(LevelIx, Range<usize>)], column: usize) -> Option<usize> {
    let last = spans.last()?.1.end.checked_sub(1)?;
    let column = column.min(last);
    spans.iter().find(|(_, columns)| column < columns.end).map(|(_, columns)| column.max(columns.start))
}

/// The buffers whose spilled time is drawn: the selected one, and the one that this step moves.
fn watched(trace: &Trace, wanted: &Wanted) -> [Option<BufIx>; 2] {
    let moved = match trace.step(wanted.step) {
        Some(Step::Out(_) | Step::Back(_)) => rows::buffer_of_step(trace, wanted.step),
        _ => None,
    };
    [wanted.selected, moved.filter(|_| moved != wanted.selected)]
}

/// Works out what the letters of a row tell.
fn classify(trace: &Trace, coloring: Coloring, row: &mut MapRow) {
    if coloring == Coloring::Buffer {
        return;
    }
    let last = row.steps.end.saturating_sub(1);
    let class = |cell: &Cell| {
        let (Cell::Held(buf) | Cell::Placed(buf)) = *cell else { return None };
        let stay = trace.stays_of(buf).take_while(|stay| stay.from as usize <= last).last()?;
        // It may have left again before the row ends.
        let step = last.min((stay.to as usize).saturating_sub(1));
        coloring.class(trace, buf, stay.from as usize, step)
    };
    for run in row.cells.chunk_by(|a, b| a == b) {
        let class = class(&run[0]);
        row.classes.extend(run.iter().map(|_| class));
    }
}
