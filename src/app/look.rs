//! Looking around: panes, rows, stories.

use super::command::{Command, Dir, Zoom};
use super::layout::SMALLEST;
use super::{App, Class, Pane, Story, Subject, queue, rows};
use crate::model::{BufIx, Event, LevelIx};
use crate::output::explain;
use crate::trace::{Mark, Trace};

/// The order of Tab.
const ORDER: [Pane; 10] = [
    Pane::Step,
    Pane::Failure,
    Pane::Levels,
    Pane::Map,
    Pane::Ready,
    Pane::Units,
    Pane::Buffers,
    Pane::Events,
    Pane::Graph,
    Pane::Timeline,
];

/// The level that the first mark of a kind is about.
pub(super) fn level_of_first(trace: &Trace, mark: Mark) -> Option<LevelIx> {
    let &position = trace.marks(mark).first()?;
    let buf = match *trace.events().get(position as usize)? {
        Event::Postponed { buf, .. } => Some(buf),
        // A postponement owns no step, other marks are what their step is about.
        _ => rows::buffer_of_step(trace, trace.step_at(position as usize + 1)),
    };
    buf.map(|buf| trace.problem.level_of(buf))
}

/// The level to look at first: that of the first spill or postponement, else the fullest by share.
pub(super) fn busiest_level(trace: &Trace) -> LevelIx {
    if let Some(level) = [Mark::Spill, Mark::Postpone].into_iter().find_map(|mark| level_of_first(trace, mark)) {
        return level;
    }
    let share = |level: LevelIx| {
        trace.occupancy(level).peak(u32::MAX).1 as f64 / trace.problem.level(level).capacity.max(1) as f64
    };
    let levels = (0..trace.problem.level_count()).map(LevelIx::new);
    levels.rev().max_by(|&a, &b| share(a).total_cmp(&share(b))).unwrap_or(LevelIx::new(0))
}

impl App {
    pub(super) fn say(&mut self, notice: impl Into<String>) {
        self.notice = Some(notice.into());
    }

    pub(super) fn resize(&mut self, width: u16, height: u16) {
        self.size = (width, height);
        self.show(self.focus);
    }

    /// Gives `pane` the keys and brings it to sight.
    pub(super) fn focus_on(&mut self, pane: Pane) {
        self.focus = pane;
        self.show(pane);
    }

    fn show(&mut self, pane: Pane) {
        if Class::beside(self.size, self.caption_rows()).tabs(self.has_failure()).contains(&pane) {
            self.tab = pane;
        }
    }

    pub(super) fn next_pane(&mut self, dir: Dir) {
        let panes: Vec<Pane> = ORDER.into_iter().filter(|&pane| pane != Pane::Failure || self.has_failure()).collect();
        let at = panes.iter().position(|&pane| pane == self.focus).unwrap_or(0);
        let by = if dir == Dir::Forward { 1 } else { panes.len() - 1 };
        self.focus_on(panes[(at + by) % panes.len()]);
    }

    pub(super) fn next_level(&mut self, dir: Dir) {
        let levels = self.trace().problem.level_count();
        if levels > 0 {
            let by = if dir == Dir::Forward { 1 } else { levels - 1 };
            self.level = LevelIx::new((self.level.at() + by) % levels);
            self.rows.buffers = 0;
        }
    }

    pub(super) fn zoom(&mut self, zoom: Zoom) {
        if self.focus == Pane::Units {
            return self.zoom_units(zoom);
        }
        let before = self.window;
        self.window.zoom(zoom, self.step);
        if self.window == before {
            let all = self.window.len == self.window.all;
            self.say(if all { "the timeline shows every step" } else { "the timeline zooms in no further" });
        }
    }

    pub(super) fn enlarge(&mut self) {
        if Class::of(self.size) == Class::Tiny {
            return self.say(format!("{}×{} or more is needed", SMALLEST.0, SMALLEST.1));
        }
        self.enlarged = !self.enlarged;
    }

    /// This step on the whole screen, or back from it.
    pub(super) fn why(&mut self) {
        let there = self.enlarged && self.focus == Pane::Step;
        self.focus_on(Pane::Step);
        self.enlarged = !there;
    }

    /// Rows of content that a pane has.
    fn height(&self, pane: Pane) -> usize {
        usize::from(self.layout.content(pane).height)
    }

    /// Moves the selection of the focused pane.
    pub(super) fn row_by(&mut self, dir: Dir, count: usize) {
        let before = self.rows;
        self.move_row(dir, count);
        let lists = !matches!(self.focus, Pane::Levels | Pane::Timeline | Pane::Map);
        if lists && before == self.rows {
            self.say(if dir == Dir::Forward { "nothing more below" } else { "nothing more above" });
        }
    }

    fn move_row(&mut self, dir: Dir, count: usize) {
        match self.focus {
            Pane::Levels | Pane::Timeline => self.next_level(dir),
            Pane::Map => self.next_resident(dir),
            Pane::Step => {
                let most = self.words.step.len().saturating_sub(self.height(Pane::Step));
                self.rows.step = moved(self.rows.step, dir, count, most);
            }
            Pane::Failure => {
                self.rows.failure = self.autopsy.moved(self.rows.failure, dir, count);
                self.notice = self.what_enter_does();
            }
            Pane::Ready => {
                let most = self.trace().ready().count(self.step as u32).min(rows::MOST_ROWS).saturating_sub(1);
                self.rows.ready = moved(self.rows.ready, dir, count, most);
                let found = queue::ready(self.trace(), self.step, self.rows.ready, 1);
                self.selected = found.first().map(|ready| Subject::Node(ready.op.node)).or(self.selected);
            }
            Pane::Units => {
                let most = self.trace().lanes().len().saturating_sub(1);
                self.rows.units = moved(self.rows.units, dir, count, most);
            }
            Pane::Graph => self.graph_row(dir, count),
            Pane::Buffers => self.buffers_row(dir, count),
            Pane::Events => {
                let by = isize::try_from(count).unwrap_or(isize::MAX);
                let by = if dir == Dir::Forward { by } else { -by };
                // No further than the lines of the pane, which are what can be seen to be selected.
                let most = self.height(Pane::Events).cast_signed();
                self.rows.events = self.rows.events.saturating_add(by).clamp(-most, most);
            }
        }
    }

    fn buffers_row(&mut self, dir: Dir, count: usize) {
        if let Some(story) = &self.story {
            self.rows.story = moved(self.rows.story, dir, count, story.lines.len().saturating_sub(1));
            return;
        }
        let most = self.buffer_rows().saturating_sub(1);
        self.select_buffer_row(moved(self.rows.buffers, dir, count, most));
    }

    pub(super) fn select_buffer_row(&mut self, row: usize) {
        self.rows.buffers = row;
        self.selected = self.buffer_in_row(row).map(Subject::Buffer).or(self.selected);
    }

    /// Selects the resident at the next higher or lower address of the focused level.
    fn next_resident(&mut self, dir: Dir) {
        let residents = &self.state().level(self.level).by_address;
        let here = self.selected_buffer().and_then(|buf| match self.state().place(buf) {
            crate::trace::Place::Resident(at) if self.trace().problem.level_of(buf) == self.level => Some(at),
            _ => None,
        });
        let next = match (here, dir) {
            (None, _) => residents.iter().next(),
            (Some(at), Dir::Forward) => residents.range(at.saturating_add(1)..).next(),
            (Some(at), Dir::Back) => residents.range(..at).next_back(),
        };
        match next {
            Some((_, &buf)) => {
                self.selected = Some(Subject::Buffer(buf));
                self.show_selected_addresses();
            }
            None => self.say("no further buffer in this level"),
        }
    }

    /// Looks into what the focused pane has selected.
    pub(super) fn enter(&mut self) {
        match self.focus {
            Pane::Levels | Pane::Timeline => self.focus_on(Pane::Map),
            Pane::Map if self.map_settings.spot.is_some() => self.enter_cell(),
            Pane::Map => match self.selected_buffer() {
                Some(buf) => self.open_story(buf),
                None => self.say("move up or down to select a buffer of the map"),
            },
            Pane::Step => match rows::buffer_of_step(self.trace(), self.step) {
                Some(buf) => self.open_story(buf),
                None => self.say("this step is about no buffer"),
            },
            Pane::Failure => self.enter_failure(),
            Pane::Ready => self.enter_ready(),
            Pane::Units => self.enter_unit(),
            Pane::Graph => self.enter_graph(),
            Pane::Buffers => self.enter_buffers(),
            Pane::Events => match self.event_at_row() {
                Some(event) => self.jump(self.trace().step_at(event + 1)),
                None => self.say("no event is selected"),
            },
        }
    }

    fn enter_ready(&mut self) {
        let found = queue::ready(self.trace(), self.step, self.rows.ready, 1);
        match found.first().map(|ready| (ready.op.node, ready.op.runs)) {
            Some((node, Some(step))) => {
                self.selected = Some(Subject::Node(node));
                self.jump(step as usize);
            }
            Some((_, None)) => self.say("it never runs: the plan ends before"),
            None => self.say("nothing is ready"),
        }
    }

    fn enter_buffers(&mut self) {
        let Some(story) = &self.story else {
            // A buffer that was searched for or picked elsewhere may have no row here, and is the one that is meant.
            return match self.selected_buffer().or_else(|| self.buffer_in_row(self.rows.buffers)) {
                Some(buf) => self.open_story(buf),
                None => self.say("no buffer is alive here"),
            };
        };
        let Some(line) = story.lines.get(self.rows.story) else { return };
        // A second Enter crosses over to the other half of the spill.
        let target = if line.step == Some(self.step) { line.jump.or(line.step) } else { line.step };
        let Some(step) = target else { return self.say("that never happens in this plan") };
        let row = story.lines.iter().position(|line| line.step == Some(step) && line.jump.is_some());
        self.rows.story = row.unwrap_or(self.rows.story);
        self.jump(step);
    }

    pub(super) fn open_story(&mut self, buf: BufIx) {
        let lines = explain::story(self.trace(), buf);
        let here = self.step;
        self.rows.story = lines.iter().rposition(|line| line.step.is_some_and(|step| step <= here)).unwrap_or(0);
        let totals = explain::totals(self.trace(), buf);
        self.story = Some(Story { buf, totals, lines });
        self.selected = Some(Subject::Buffer(buf));
        self.focus_on(Pane::Buffers);
    }

    /// Back out of what is innermost.
    pub(super) fn escape(&mut self) {
        if self.count.take().is_some() || self.break_off() || self.leave_cells() {
        } else if self.story.is_some() && self.focus == Pane::Buffers {
            self.story = None;
        } else if self.enlarged {
            self.enlarged = false;
        } else if self.leave_caption() || self.story.take().is_some() {
        } else if !self.filter.is_empty() && self.focus == Pane::Events {
            self.filter = super::Filter::default();
            self.say("the log shows everything");
        } else if self.selected.take().is_none() {
            self.say(format!("nothing to go back from; {} quits", self.key_for(&Command::Quit)));
        }
    }

    /// The event that the log's selected row shows.
    fn event_at_row(&self) -> Option<usize> {
        let row = self.rows.events;
        let (before, after) = (1 + row.min(0).unsigned_abs(), row.max(0).unsigned_abs());
        let lines = super::log::around(self.trace(), &self.filter, self.position(), before, after);
        let at = lines.happened.cast_signed() - 1 + row;
        usize::try_from(at).ok().and_then(|at| lines.lines.get(at)).copied()
    }
}

/// `at` moved by `count` within `0..=most`.
fn moved(at: usize, dir: Dir, count: usize, most: usize) -> usize {
    match dir {
        Dir::Forward => at.saturating_add(count).min(most),
        Dir::Back => at.min(most).saturating_sub(count),
    }
}
