//! How full the levels are over the plan, as a picture: a strip for each level with its capacity as a line, the peak, and
//! strokes below it where buffers were spilled out (red) and reloaded (green). A column of a pixel or more stands for many
//! steps where there are many: dark up to the least use in it, light up to the most.

use std::io::{self, Write};

use super::numbers::grouped;
use super::svg::{Axis, DIM, FAILURE, LEFT, PLOT, Picture, RELOAD, SPILL, Scale, TEXT};
use super::usage::by_cycle;
use crate::model::{BufIx, LevelIx};
use crate::session::Session;
use crate::trace::{Mark, Trace, buf_of};

/// Columns of the plot, at most.
const COLUMNS: u64 = 1024;

/// Pixels from top to bottom: above the first strip, of a strip, and from one strip to the next.
const TOP: f64 = 56.0;
const STRIP: f64 = 96.0;
const PITCH: f64 = STRIP + 44.0;

/// Writes the timeline of `levels` of the plan of `session`.
///
/// # Errors
/// Where `out` fails.
pub fn write_timeline(out: &mut dyn Write, session: &Session, levels: &[LevelIx], axis: Axis) -> io::Result<()> {
    let trace = &session.trace;
    let title = format!("{}: how full its memory is", trace.problem.graph.name);
    let figures = format!(
        "{} steps, {} spills, extra traffic {}, makespan {} cycles",
        grouped(session.figures.steps),
        grouped(session.figures.spills),
        grouped(session.figures.extra_traffic),
        grouped(session.figures.makespan)
    );
    let height = TOP + PITCH * levels.len() as f64 + 32.0;
    let mut picture = Picture::open(out, height, &title, &figures)?;
    picture.text((LEFT, 22.0), "start", TEXT, &title)?;
    picture.text((LEFT, 40.0), "start", DIM, &figures)?;
    let columns = Columns::new(trace, axis);
    for (at, &level) in levels.iter().enumerate() {
        strip(&mut picture, trace, &columns, level, TOP + PITCH * at as f64)?;
    }
    let time = Scale { from: LEFT, pixels: PLOT, end: columns.end };
    if let Some(step) = trace.failing_step() {
        let x = time.at(columns.moment(trace, step));
        let look = format!(r#"stroke="{FAILURE}" stroke-width="2""#);
        picture.line((x, TOP), (x, height - 36.0), &look)?;
        picture.text((x - 4.0, height - 40.0), "end", FAILURE, "no plan from here on")?;
    }
    picture.time_axis(time, height - 32.0, axis)?;
    picture.close()
}

/// The plan cut into columns of equal length.
struct Columns {
    axis: Axis,
    end: u64,
    count: u64,
    /// By level, where it goes by cycles.
    by_cycle: Vec<Vec<(u64, u64)>>,
}

impl Columns {
    fn new(trace: &Trace, axis: Axis) -> Self {
        let end = match axis {
            Axis::Steps => trace.step_count() as u64,
            Axis::Cycles => trace.clock(trace.step_count().saturating_sub(1)),
        };
        let by_cycle = if axis == Axis::Cycles { by_cycle(trace) } else { Vec::new() };
        Self { axis, end, count: end.clamp(1, COLUMNS), by_cycle }
    }

    /// Where a column begins: of steps, or of cycles.
    fn start(&self, column: u64) -> u64 {
        // The product of a makespan and a column may pass 64 bits.
        u64::try_from(u128::from(self.end) * u128::from(column) / u128::from(self.count)).unwrap_or(self.end)
    }

    fn moment(&self, trace: &Trace, step: usize) -> u64 {
        match self.axis {
            Axis::Steps => step as u64,
            Axis::Cycles => trace.time_of(step).map_or_else(|| trace.clock(step), |(start, _)| start),
        }
    }

    fn column_of(&self, moment: u64) -> usize {
        let column = u128::from(moment) * u128::from(self.count) / u128::from(self.end.max(1));
        usize::try_from(column.min(u128::from(self.count - 1))).unwrap_or(0)
    }

    /// By column: the least and the most units in use of `level`.
    fn extremes(&self, trace: &Trace, level: LevelIx) -> Vec<(u64, u64)> {
        let whole = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        let spans = (0..self.count).map(|column| (self.start(column), self.start(column + 1)));
        match self.by_cycle.get(level.at()) {
            None => {
                spans.map(|(from, to)| trace.occupancy(level).range(whole(from)..whole(to.max(from + 1)))).collect()
            }
            Some(points) => spans.map(|(from, to)| in_span(points, from, to)).collect(),
        }
    }

    /// By column: how many events of a kind concern `level`.
    fn counts(&self, trace: &Trace, mark: Mark, level: LevelIx) -> Vec<u32> {
        let mut counts = vec![0; self.count as usize];
        for &position in trace.marks(mark) {
            let buf: Option<BufIx> = trace.events().get(position as usize).and_then(|event| buf_of(trace, event));
            if buf.is_some_and(|buf| trace.problem.level_of(buf) == level) {
                counts[self.column_of(self.moment(trace, trace.step_at(position as usize + 1)))] += 1;
            }
        }
        counts
    }
}

/// The extremes over `[from, to)` of what `points` say is in use from each of them on.
fn in_span(points: &[(u64, u64)], from: u64, to: u64) -> (u64, u64) {
    let before = points.partition_point(|&(at, _)| at <= from);
    let first = before.checked_sub(1).map_or(0, |at| points[at].1);
    let inside = points[before..].iter().take_while(|&&(at, _)| at < to).map(|&(_, used)| used);
    inside.fold((first, first), |(least, most), used| (least.min(used), most.max(used)))
}

fn strip(picture: &mut Picture, trace: &Trace, columns: &Columns, level: LevelIx, top: f64) -> io::Result<()> {
    let room = trace.problem.level(level);
    let extremes = columns.extremes(trace, level);
    let peak = extremes.iter().map(|&(_, most)| most).max().unwrap_or(0);
    // The cap of a pool may lie far above all that is used of it.
    let shown = if room.pool().is_some() { peak.max(1) } else { room.capacity };
    let heights = Scale { from: 0.0, pixels: STRIP, end: shown };
    let ground = top + STRIP;
    let width = PLOT / extremes.len().max(1) as f64;
    let outline = |of: fn(&(u64, u64)) -> u64| -> Vec<(f64, f64)> {
        let corners = extremes.iter().enumerate().flat_map(|(column, extremes)| {
            let (x, y) = (LEFT + width * column as f64, ground - heights.at(of(extremes)));
            [(x, y), (x + width, y)]
        });
        corners.collect()
    };
    picture.area(&outline(|&(_, most)| most), ground, r##"fill="#56b4e9" fill-opacity="0.5""##)?;
    picture.area(&outline(|&(least, _)| least), ground, r##"fill="#0072b2""##)?;
    picture.line((LEFT, ground), (LEFT + PLOT, ground), &format!(r#"stroke="{DIM}""#))?;
    if shown == room.capacity {
        picture.line((LEFT, top), (LEFT + PLOT, top), &format!(r#"stroke="{TEXT}" stroke-dasharray="6 4""#))?;
    }
    picture.text((LEFT - 8.0, top + 4.0), "end", DIM, &grouped(shown))?;
    picture.text((LEFT - 8.0, ground + 4.0), "end", DIM, "0")?;
    picture.text((LEFT - 8.0, top + STRIP / 2.0), "end", TEXT, &room.name.to_string())?;
    let of = format!("peak {} of {}", grouped(peak), grouped(room.capacity));
    picture.text((LEFT + PLOT, top - 4.0), "end", DIM, &of)?;
    picture.marks(&columns.counts(trace, Mark::Spill, level), ground + 4.0, SPILL, "spill")?;
    picture.marks(&columns.counts(trace, Mark::Reload, level), ground + 12.0, RELOAD, "reload")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::testing::{Kind, session};

    fn timeline(kind: Kind, axis: Axis) -> String {
        let mut text = Vec::new();
        let session = session(kind);
        let levels: Vec<LevelIx> = (0..session.trace.problem.level_count()).map(LevelIx::new).collect();
        write_timeline(&mut text, &session, &levels, axis).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn spills_and_reloads_are_marked_and_the_peak_is_told() {
        for axis in [Axis::Steps, Axis::Cycles] {
            let svg = timeline(Kind::Spilled, axis);
            assert!(svg.contains("peak 256 of 256"), "{svg}");
            assert_eq!((svg.matches(">1 spill<").count(), svg.matches(">1 reload<").count()), (1, 1), "{axis:?}");
        }
    }

    #[test]
    fn every_plan_has_one() {
        for kind in Kind::ALL {
            for axis in [Axis::Steps, Axis::Cycles] {
                let svg = timeline(kind, axis);
                assert!(svg.ends_with("</svg>\n") && !svg.contains("NaN"), "{kind:?}");
                assert_eq!(svg.contains("no plan from here on"), kind == Kind::Failed);
            }
        }
    }

    #[test]
    fn spans_have_the_extremes_of_what_holds_in_them() {
        let points = [(2, 10), (5, 4), (9, 7)];
        for (from, to, expected) in
            [(0, 2, (0, 0)), (0, 3, (0, 10)), (2, 5, (10, 10)), (3, 9, (4, 10)), (9, 20, (7, 7))]
        {
            assert_eq!(in_span(&points, from, to), expected, "[{from},{to})");
        }
    }
}
