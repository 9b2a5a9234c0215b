//! The lanes of the units: which cycles are shown, what stands in which column, which bar is selected, and what is said
//! of it. Worked out when one of these changes; drawing only reads it.

pub mod axis;
pub mod pieces;

use ratatui::layout::Rect;

use super::command::{Dir, Zoom};
use super::{App, Pane, rows};
use crate::output::explain::held;
use crate::output::numbers::grouped;
use crate::session::{Session, Track};
use axis::Axis;
pub use pieces::{Piece, What};

/// How many cycles a column shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// So many that an operation of mean length can be read.
    #[default]
    Usual,
    /// So many that the whole plan is shown, whatever the width.
    Whole,
    /// These.
    Cycles(u64),
}

/// What the person has set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Setting {
    /// How many cycles a column shows.
    pub scale: Scale,
    /// Columns by which the lanes are moved away from the playhead.
    pub pan: i64,
}

/// What the view depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted {
    step: usize,
    area: Rect,
    setting: Setting,
    lane: usize,
    enlarged: bool,
}

/// What the pane shows.
#[derive(Clone, Debug, Default)]
pub struct UnitsView {
    wanted: Option<Wanted>,
    /// The cycles of the columns.
    pub axis: Axis,
    /// The cycle of the playhead.
    pub now: u64,
    /// Columns of the lanes' names.
    pub names: usize,
    /// The critical path of the plan, where there is room for it.
    pub path: Option<Vec<Piece>>,
    /// The first lane shown.
    pub first: usize,
    /// The lanes shown.
    pub lanes: Vec<Vec<Piece>>,
    /// The step of the selected bar: in the selected lane the one that runs at the playhead, else the next one.
    pub bar: Option<usize>,
    /// What is said below the lanes: of the selected bar, and of the critical path.
    pub texts: Vec<String>,
}

/// Lines that the pane has for the lanes and for texts, beside the ruler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Room {
    path: bool,
    lanes: usize,
    texts: usize,
}

/// Lines of text that the whole screen gives away while lanes are hidden.
const LEAST_TEXTS: usize = 8;

fn room(height: u16, lanes: usize, enlarged: bool) -> Room {
    let path = height >= 4;
    let rest = usize::from(height).saturating_sub(1 + usize::from(path));
    let kept = if enlarged { LEAST_TEXTS.min(rest / 2) } else { 0 };
    let shown = lanes.min(rest - kept);
    Room { path, lanes: shown, texts: rest - shown }
}

/// Makes the view.
fn view(session: &Session, wanted: Wanted) -> UnitsView {
    let trace = &session.trace;
    let lanes = trace.lanes();
    if lanes.is_empty() {
        return UnitsView { wanted: Some(wanted), ..UnitsView::default() };
    }
    let names = name_columns(session);
    let columns = usize::from(wanted.area.width).saturating_sub(names + 2);
    let now = trace.time_of(wanted.step).map_or_else(|| trace.clock(wanted.step), |(start, _)| start);
    let axis = Axis::new(session, wanted.setting, columns, now);
    let room = room(wanted.area.height, lanes.len(), wanted.enlarged);
    let first = rows::first_row(wanted.lane.min(lanes.len() - 1), room.lanes);
    let bar = selected_bar(session, wanted.lane, wanted.step, now);
    // A lone line is left free: it could say nothing whole.
    let texts = if room.texts >= 2 { texts(session, bar, wanted.area.width, room.texts) } else { Vec::new() };
    UnitsView {
        wanted: Some(wanted),
        axis,
        now,
        names,
        path: room.path.then(|| pieces::pieces(session, Track::Path, &axis)),
        first,
        lanes: (first..(first + room.lanes).min(lanes.len()))
            .map(|lane| pieces::pieces(session, Track::Lane(lane), &axis))
            .collect(),
        bar,
        texts,
    }
}

fn name_columns(session: &Session) -> usize {
    use unicode_width::UnicodeWidthStr;
    let trace = &session.trace;
    let name =
        |lane: &crate::trace::Lane| crate::output::labels::unit_lane(&trace.problem, lane.unit, lane.lane).width();
    trace.lanes().iter().map(name).max().unwrap_or(0).clamp(4, 10)
}

/// The step itself where it runs on the lane; else what the lane runs at `now`, or next.
fn selected_bar(session: &Session, lane: usize, step: usize, now: u64) -> Option<usize> {
    let trace = &session.trace;
    if session.lane_of(step).is_some_and(|(its, _)| its == lane) {
        return Some(step);
    }
    let steps = session.track(Track::Lane(lane));
    let at = steps.partition_point(|&step| trace.time_of(step as usize).is_some_and(|(_, end)| end <= now));
    steps.get(at).map(|&step| step as usize)
}

/// What is said in so many lines: of the bar first, then of the path; apart where there is room.
fn texts(session: &Session, bar: Option<usize>, width: u16, lines: usize) -> Vec<String> {
    let width = usize::from(width).saturating_sub(2).max(1);
    let wrapped = |texts: Vec<String>| -> Vec<String> {
        texts.iter().flat_map(|text| super::words::wrap(text, width, 2)).collect()
    };
    let of_bar = bar.map(|step| held::held(session, step));
    let of_bar = wrapped(of_bar.map_or_else(Vec::new, |held| vec![held.bar, held.waited, held.waiting]));
    let of_path = wrapped(held::critical_path(session));
    let mut out = if of_bar.len() + of_path.len() + 2 <= lines {
        [vec![String::new()], of_bar, vec![String::new()], of_path].concat()
    } else {
        [of_bar, of_path].concat()
    };
    if out.len() > lines {
        out.truncate(lines);
        if let Some(last) = out.last_mut() {
            *last = super::words::cut(&format!("{last} …"), width);
        }
    }
    out
}

impl App {
    /// Brings the lanes in line with the rest of the state.
    pub(super) fn refresh_units(&mut self) {
        let area = self.layout.content(Pane::Units);
        if area.width == 0 || area.height == 0 {
            return;
        }
        let enlarged = self.enlarged && self.focus == Pane::Units;
        let wanted = Wanted { step: self.step, area, setting: self.units_setting, lane: self.rows.units, enlarged };
        if Some(wanted) != self.units.wanted {
            self.units = view(&self.session, wanted);
        }
    }

    /// The lanes of the units.
    pub fn units(&self) -> &UnitsView {
        &self.units
    }

    /// The lane of the step is selected wherever one comes to.
    pub(super) fn follow_lane(&mut self) {
        self.units_setting.pan = 0;
        if let Some((lane, _)) = self.session.lane_of(self.step) {
            self.rows.units = lane;
        }
    }

    pub(super) fn zoom_units(&mut self, zoom: Zoom) {
        let before = self.units.axis.scale;
        let whole = axis::whole(&self.session, self.units.axis.columns);
        let scale = match zoom {
            Zoom::In => Scale::Cycles(axis::finer(before)),
            Zoom::Out if axis::coarser(before) < whole => Scale::Cycles(axis::coarser(before)),
            Zoom::Out | Zoom::Fit => Scale::Whole,
        };
        self.units_setting = Setting { scale, pan: 0 };
        match scale {
            Scale::Cycles(scale) if scale == before => self.say("a column is a single cycle"),
            Scale::Whole => self.say("the lanes show the whole plan"),
            _ => {}
        }
    }

    /// Moves the lanes by half of what is shown, without moving through the plan.
    pub(super) fn pan_units(&mut self, dir: Dir, count: usize) {
        let half = (self.units.axis.columns / 2).max(1).saturating_mul(count);
        let half = i64::try_from(half).unwrap_or(i64::MAX);
        let by = if dir == Dir::Forward { half } else { half.saturating_neg() };
        let before = self.units.axis.start;
        let moved = Setting { pan: self.units_setting.pan.saturating_add(by), ..self.units_setting };
        let axis = Axis::new(&self.session, moved, self.units.axis.columns, self.units.now);
        if axis.start == before {
            return self.say(if dir == Dir::Forward { "the plan ends here" } else { "the plan begins here" });
        }
        self.units_setting = moved;
    }

    /// To the selected bar; from there to the next one of its lane.
    pub(super) fn enter_unit(&mut self) {
        let lane = self.rows.units;
        let steps = self.session.track(Track::Lane(lane));
        if steps.is_empty() {
            return self.say("nothing ran");
        }
        let after = steps.partition_point(|&step| step as usize <= self.step);
        let bar = self.units.bar.filter(|&bar| bar != self.step).or(steps.get(after).map(|&step| step as usize));
        match bar {
            Some(step) => self.jump(step),
            None => self.say("this unit does nothing more"),
        }
    }

    /// To the next or previous step on the critical path of the plan.
    pub(super) fn path_by(&mut self, dir: Dir, count: usize) {
        let path = &self.session.bindings().path().steps;
        let count = count.max(1);
        let after = path.partition_point(|&step| (step as usize) <= self.step);
        let before = path.partition_point(|&step| (step as usize) < self.step);
        let place = match dir {
            Dir::Forward => (after < path.len()).then(|| after.saturating_add(count - 1).min(path.len() - 1)),
            Dir::Back => before.checked_sub(1).map(|last| last.saturating_sub(count - 1)),
        };
        let Some(place) = place else {
            let end =
                if path.is_empty() { "nothing takes time in this plan" } else { "the critical path goes no further" };
            return self.say(end);
        };
        let (step, of) = (path[place] as usize, path.len());
        self.jump(step);
        let why = held::waited(&self.session, step);
        self.say(format!("critical path, {} of {}: {why}", grouped(place as u64 + 1), grouped(of as u64)));
    }

    /// A click into the lanes: a bar leads to its step, a gap tells why nothing runs.
    pub(super) fn click_units(&mut self, x: u16, y: u16) {
        let content = self.layout.content(Pane::Units);
        let (row, column) = (usize::from(y - content.y), usize::from(x - content.x));
        // Below the ruler: the path, where there is room for it, then the lanes.
        let tracks = self.units.path.iter().map(|path| (None, path));
        let lanes = self.units.lanes.iter().enumerate().map(|(at, lane)| (Some(self.units.first + at), lane));
        let Some((lane, pieces)) = row.checked_sub(1).and_then(|row| tracks.chain(lanes).nth(row)) else { return };
        let at = column.checked_sub(self.units.names + 2);
        let what =
            at.and_then(|at| pieces.iter().find(|piece| piece.columns.contains(&at))).map(|piece| piece.what.clone());
        match what {
            Some(What::Bar { step, .. } | What::Many { step, .. }) => {
                self.jump(step);
            }
            Some(What::Idle { next, .. }) => {
                let text = format!("idle until step {next}: {}", held::waited(&self.session, next));
                self.say(text);
            }
            Some(What::Nothing) | None => {}
        }
        if let Some(lane) = lane {
            self.rows.units = lane;
        }
    }
}
