//! The memory map as a picture: time from left to right, addresses from below upward, a rectangle for each stay of a buffer
//! at an address. Colours and letters are those of the screen's map; where the pointer rests, a stay says whose it is, from
//! when to when, and whether it began with a reload (green edge) or ended with a spill (red edge).
//!
//! Of more than [`MOST`] stays, the largest are drawn. The others are summed up in a grid of grey: the darker, the more of
//! that place and time they take. How many they are stands above the plot.

use std::io::{self, Write};

use super::effect::Effect;
use super::labels::{buffer_id, buffer_label, letter, range};
use super::numbers::{counted, grouped};
use super::svg::{Axis, DIM, LEFT, PLOT, Picture, RELOAD, SPILL, Scale, TEXT, colors};
use crate::model::{LevelIx, Step};
use crate::session::Session;
use crate::trace::{Stay, Trace};

/// Stays that are drawn one by one.
pub const MOST: usize = 5000;

/// Pixels from top to bottom: above the plot, of the plot, and of the whole.
const TOP: f64 = 52.0;
const HIGH: f64 = 520.0;
const HEIGHT: f64 = TOP + HIGH + 52.0;

/// The grid of what is not drawn one by one: columns, and bands of addresses.
const COLUMNS: usize = 320;
const BANDS: usize = 64;

/// How many greys there are.
const GREYS: f64 = 5.0;

/// Writes the map of `level` of the plan of `session`.
///
/// # Errors
/// Where `out` fails.
pub fn write_map(out: &mut dyn Write, session: &Session, level: LevelIx, axis: Axis) -> io::Result<()> {
    let trace = &session.trace;
    let places = Places::new(trace, level, axis);
    let stays = trace.stays_beginning(level, 0..u32::MAX);
    let mut drawn: Vec<&Stay> = stays.iter().collect();
    let mut summed = Vec::new();
    if drawn.len() > MOST {
        drawn.sort_by(|a, b| places.area(b).total_cmp(&places.area(a)));
        summed = drawn.split_off(MOST);
        drawn.sort_by_key(|stay| stay.from);
    }
    let name = &trace.problem.level(level).name;
    let title = format!("{}: memory map of {name}", trace.problem.graph.name);
    let figures = format!(
        "{}, {}, {} at most of {}",
        counted(session.figures.steps, "step"),
        counted(stays.len() as u64, "stay"),
        grouped(trace.occupancy(level).peak(u32::MAX - 1).1),
        grouped(trace.problem.level(level).capacity)
    );
    let mut picture = Picture::open(out, HEIGHT, &title, &figures)?;
    picture.text((LEFT, 22.0), "start", TEXT, &title)?;
    let note = match summed.len() as u64 {
        0 => String::new(),
        more => format!("; the {} smallest are summed up in grey", grouped(more)),
    };
    picture.text((LEFT, 40.0), "start", DIM, &format!("{figures}{note}"))?;
    places.frame(&mut picture)?;
    grid(&mut picture, &places, &summed)?;
    drawn.iter().try_for_each(|stay| places.draw(&mut picture, stay))?;
    picture.close()
}

/// Where stays lie in the picture.
struct Places<'a> {
    trace: &'a Trace,
    level: LevelIx,
    axis: Axis,
    time: Scale,
    addresses: Scale,
}

impl<'a> Places<'a> {
    fn new(trace: &'a Trace, level: LevelIx, axis: Axis) -> Self {
        let last = trace.step_count().saturating_sub(1);
        let end = match axis {
            Axis::Steps => trace.step_count() as u64,
            Axis::Cycles => trace.clock(last),
        };
        // The blocks of a pool have addresses of their own, which may pass its cap.
        let stays = trace.stays_beginning(level, 0..u32::MAX).iter();
        let reached = stays.map(|stay| stay.offset.saturating_add(trace.problem.graph.buffer(stay.buf).size)).max();
        let room = trace.problem.level(level);
        let highest = if room.pool().is_some() { reached.unwrap_or(0) } else { room.capacity };
        let time = Scale { from: LEFT, pixels: PLOT, end };
        Self { trace, level, axis, time, addresses: Scale { from: 0.0, pixels: HIGH, end: highest } }
    }

    /// Where a stay begins or ends in time: `None` stands for the end of the plan.
    fn moment(&self, step: Option<u32>) -> u64 {
        match (step, self.axis) {
            (None, _) => self.time.end,
            (Some(step), Axis::Steps) => u64::from(step),
            (Some(step), Axis::Cycles) => Effect::of(self.trace.run(step as usize)).at,
        }
    }

    /// Left edge, right edge, upper edge, lower edge.
    fn edges(&self, stay: &Stay) -> [f64; 4] {
        let to = Some(stay.to).filter(|&to| to != u32::MAX);
        let size = self.trace.problem.graph.buffer(stay.buf).size;
        let [low, high] = [stay.offset, stay.offset.saturating_add(size)].map(|at| TOP + HIGH - self.addresses.at(at));
        [self.time.at(self.moment(Some(stay.from))), self.time.at(self.moment(to)), high, low]
    }

    fn area(&self, stay: &Stay) -> f64 {
        let [left, right, high, low] = self.edges(stay);
        (right - left) * (low - high)
    }

    fn frame(&self, picture: &mut Picture) -> io::Result<()> {
        picture.rect((LEFT, TOP), (PLOT, HIGH), &format!(r#"fill="none" stroke="{DIM}""#), "")?;
        for tick in self.addresses.ticks() {
            let y = TOP + HIGH - self.addresses.at(tick);
            picture.line((LEFT - 4.0, y), (LEFT, y), &format!(r#"stroke="{DIM}""#))?;
            picture.text((LEFT - 8.0, y + 4.0), "end", DIM, &grouped(tick))?;
        }
        picture.time_axis(self.time, TOP + HIGH, self.axis)?;
        let signs = "green edge: reloaded · red edge: spilled out · letters as on the screen";
        picture.text((LEFT + PLOT, TOP + HIGH + 40.0), "end", DIM, signs)
    }

    fn draw(&self, picture: &mut Picture, stay: &Stay) -> io::Result<()> {
        let [left, right, high, low] = self.edges(stay);
        let (width, height) = ((right - left).max(0.5), (low - high).max(0.5));
        let (ground, ink) = colors(stay.buf);
        let look = format!(r##"fill="{ground}" stroke="#ffffff" stroke-width="0.5""##);
        picture.rect((left, high), (width, height), &look, &self.title(stay))?;
        let edge = (width / 3.0).min(3.0);
        if self.is_reloaded(stay) {
            picture.rect((left, high), (edge, height), &format!(r#"fill="{RELOAD}""#), "")?;
        }
        if self.is_spilled(stay) {
            picture.rect((left + width - edge, high), (edge, height), &format!(r#"fill="{SPILL}""#), "")?;
        }
        let id = buffer_id(&self.trace.problem.graph, stay.buf);
        // Letters of this size are some 7 pixels wide.
        let fits = |text: &str| text.chars().count() as f64 * 7.5 + 2.0 * edge < width;
        let short = letter(self.trace, stay.buf).to_string();
        let shown = Some(id).filter(|id| fits(id)).or_else(|| Some(short).filter(|letter| fits(letter)));
        match shown.filter(|_| height >= 11.0) {
            Some(text) => picture.text((left + width / 2.0, f64::midpoint(high, low) + 4.0), "middle", ink, &text),
            None => Ok(()),
        }
    }

    fn title(&self, stay: &Stay) -> String {
        let problem = &self.trace.problem;
        let size = problem.graph.buffer(stay.buf).size;
        let until = if stay.to == u32::MAX { "the end".into() } else { format!("step {}", stay.to) };
        let began = if self.is_reloaded(stay) { "reloaded at step" } else { "from step" };
        let ended = if self.is_spilled(stay) { "spilled out at" } else { "to" };
        format!(
            "{}: {} at {}, {began} {}, {ended} {until}",
            buffer_label(&problem.graph, stay.buf),
            counted(size, "unit"),
            range(problem, self.level, stay.offset, size),
            stay.from
        )
    }

    fn is_reloaded(&self, stay: &Stay) -> bool {
        matches!(self.trace.step(stay.from as usize), Some(Step::Back(_)))
    }

    fn is_spilled(&self, stay: &Stay) -> bool {
        stay.to != u32::MAX && matches!(self.trace.step(stay.to as usize), Some(Step::Out(_)))
    }
}

/// What is not drawn one by one.
fn grid(picture: &mut Picture, places: &Places, stays: &[&Stay]) -> io::Result<()> {
    if stays.is_empty() {
        return Ok(());
    }
    let mut taken = vec![0.0; COLUMNS * BANDS];
    let (width, height) = (PLOT / COLUMNS as f64, HIGH / BANDS as f64);
    for stay in stays {
        let [left, right, high, low] = places.edges(stay);
        for band in cells(high - TOP, low - TOP, height, BANDS) {
            let tall = overlap(high - TOP, low - TOP, band as f64 * height, height);
            for column in cells(left - LEFT, right - LEFT, width, COLUMNS) {
                let wide = overlap(left - LEFT, right - LEFT, column as f64 * width, width);
                taken[band * COLUMNS + column] += tall * wide / (width * height);
            }
        }
    }
    for (band, row) in taken.chunks(COLUMNS).enumerate() {
        let grey = |share: f64| (share.min(1.0) * GREYS).round();
        let mut column = 0;
        for run in row.chunk_by(|&a, &b| grey(a).total_cmp(&grey(b)).is_eq()) {
            let opacity = grey(run[0]) / GREYS;
            if opacity > 0.0 {
                let at = (LEFT + column as f64 * width, TOP + band as f64 * height);
                let look = format!(r#"fill="{DIM}" fill-opacity="{opacity:.1}""#);
                picture.rect(at, (width * run.len() as f64, height), &look, "")?;
            }
            column += run.len();
        }
    }
    Ok(())
}

/// The cells of that size, of `count`, that `[from, to)` touches.
#[expect(clippy::cast_sign_loss, reason = "casts from floats saturate")]
fn cells(from: f64, to: f64, size: f64, count: usize) -> std::ops::Range<usize> {
    let first = (from / size) as usize;
    first.min(count)..((to / size).ceil() as usize).min(count)
}

/// How much of `[from, to)` lies in the cell that begins at `start`.
fn overlap(from: f64, to: f64, start: f64, size: f64) -> f64 {
    (to.min(start + size) - from.max(start)).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::testing::{Kind, session};

    fn map(kind: Kind, axis: Axis) -> String {
        let mut text = Vec::new();
        let session = session(kind);
        let level = session
            .trace
            .problem
            .graph
            .buffers()
            .first()
            .map_or(LevelIx(0), |_| session.trace.problem.level_of(crate::model::BufIx(0)));
        write_map(&mut text, &session, level, axis).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn each_stay_is_a_rectangle_that_says_whose_it_is() {
        let svg = map(Kind::Spilled, Axis::Steps);
        let titles: Vec<&str> =
            svg.split("><title>").skip(1).filter_map(|rest| rest.split("</title>").next()).collect();
        assert_eq!(
            titles,
            [
                "b1: 256 units at L1[0,256), from step 0, spilled out at step 3",
                "b2: 256 units at L1[0,256), from step 4, to step 6",
                "b1: 256 units at L1[0,256), reloaded at step 7, to step 9",
            ]
        );
        assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    }

    #[test]
    fn every_plan_has_a_map_by_steps_and_by_cycles() {
        for kind in Kind::ALL {
            for axis in [Axis::Steps, Axis::Cycles] {
                let svg = map(kind, axis);
                assert!(!svg.contains("NaN") && !svg.contains("inf\""), "{kind:?}: {svg}");
                assert!(svg.contains(axis.name()));
            }
        }
    }

    #[test]
    fn cells_and_overlaps_cover_what_they_stand_for() {
        assert_eq!(cells(5.0, 25.0, 10.0, 8), 0..3);
        assert_eq!(cells(70.0, 95.0, 10.0, 8), 7..8);
        let parts: f64 = (0..3).map(|cell| overlap(5.0, 25.0, f64::from(cell) * 10.0, 10.0)).sum();
        assert!((parts - 20.0).abs() < 1e-9);
    }
}
