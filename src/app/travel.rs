//! Moving through the plan.

use std::sync::Arc;

use super::command::Dir;
use super::find::Query;
use super::{App, Pane, Subject, log, look, rows};
use crate::model::LevelIx;
use crate::output::labels::buffer_id;
use crate::output::numbers::grouped;
use crate::trace::{self, Mark};

/// How many places Backspace goes back.
const MOST_PAST: usize = 100;

impl App {
    /// Stands after step `step`, or the last.
    pub(super) fn go(&mut self, step: usize) {
        let session = Arc::clone(&self.session);
        let trace = &session.trace;
        let last = trace.step_count().saturating_sub(1);
        self.step = step.min(last);
        if trace.step_count() > 0 {
            trace.seek_step(&mut self.cursor, self.step);
        }
        self.arrive();
    }

    /// What begins anew wherever one stands.
    fn arrive(&mut self) {
        self.take_cell_along();
        (self.rows.events, self.rows.step, self.rows.ready) = (0, 0, 0);
        if self.focus != Pane::Buffers {
            self.rows.buffers = self.row_of_step();
        }
        self.follow_lane();
        // What is wrong shows where it is, the steps everywhere else.
        let (from, to) = if self.fails_here() { (Pane::Step, Pane::Failure) } else { (Pane::Failure, Pane::Step) };
        if self.tab == from {
            self.tab = to;
        }
        if self.focus == from && !self.enlarged {
            self.focus = to;
        }
    }

    /// The row of the table of buffers that this step is about, to be in sight; the first where it has none.
    fn row_of_step(&self) -> usize {
        if self.buffer_order() == super::moved::BufferOrder::Moved {
            return 0;
        }
        let Some(buf) = rows::buffer_of_step(self.trace(), self.step) else { return 0 };
        let live = rows::live_buffers(self.trace(), self.state(), self.level, 0, rows::MOST_ROWS);
        live.rows.iter().position(|&row| row == buf).unwrap_or(0)
    }

    /// Goes there and remembers where one was.
    pub(super) fn jump(&mut self, step: usize) {
        if step != self.step {
            self.past.push(self.step);
            if self.past.len() > MOST_PAST {
                self.past.remove(0);
            }
        }
        self.go(step);
    }

    /// Stands before or after a single event.
    fn go_to_position(&mut self, position: usize) {
        let session = Arc::clone(&self.session);
        session.trace.seek(&mut self.cursor, position);
        self.step = session.trace.step_at(self.position());
        self.arrive();
    }

    pub(super) fn step_by(&mut self, dir: Dir, count: usize) {
        let before = (self.step, self.position());
        let in_midst = self.position() < self.trace().end_of(self.step);
        match dir {
            // A step that is half done is completed first.
            Dir::Forward => self.go(self.step.saturating_add(count) - usize::from(in_midst)),
            Dir::Back => self.go(self.step.saturating_sub(count)),
        }
        if before == (self.step, self.position()) {
            self.say(if dir == Dir::Forward { "this is the last step" } else { "this is the first step" });
        }
    }

    pub(super) fn event_by(&mut self, dir: Dir, count: usize) {
        match dir {
            Dir::Forward if self.position() == self.trace().event_count() => self.say("this is the last event"),
            Dir::Back if self.position() == 0 => self.say("nothing has happened yet"),
            Dir::Forward => self.go_to_position(self.position().saturating_add(count)),
            Dir::Back => self.go_to_position(self.position().saturating_sub(count)),
        }
    }

    pub(super) fn percent(&mut self, share: usize) {
        let last = self.trace().step_count().saturating_sub(1);
        self.jump((last as u128 * share.min(100) as u128 / 100) as usize);
    }

    /// To the `count`th event of these kinds that way.
    pub(super) fn jump_to_mark(&mut self, kinds: &[Mark], dir: Dir, count: usize, what: &str) {
        let found = self.beyond_here(dir, count, |from| self.mark_from(kinds, dir, from));
        self.jump_or_say(found, what, dir);
    }

    /// The position of the `count`th event that way, `next` finding one beyond a position; the last one found where
    /// there are fewer. Events of one step count once.
    fn beyond_here(&self, dir: Dir, count: usize, next: impl Fn(usize) -> Option<usize>) -> Option<usize> {
        let mut found = None;
        let mut from = self.reach(dir);
        for _ in 0..count.min(self.trace().event_count()) {
            let Some(position) = next(from) else { break };
            let run = self.trace().run_range(self.trace().step_at(position + 1));
            from = if dir == Dir::Forward { run.end } else { run.start };
            found = Some(position);
        }
        found
    }

    /// The first event position beyond where one stands: forward the first not applied, back the end of what is.
    fn reach(&self, dir: Dir) -> usize {
        match dir {
            Dir::Forward => self.position().max(self.trace().run_range(self.step).start),
            Dir::Back => self.trace().run_range(self.step).start,
        }
    }

    /// The nearest mark of these kinds: forward from `from` on, back before it.
    fn mark_from(&self, kinds: &[Mark], dir: Dir, from: usize) -> Option<usize> {
        let nearest = kinds.iter().filter_map(|&kind| neighbour(self.trace().marks(kind), dir, from));
        if dir == Dir::Forward { nearest.min() } else { nearest.max() }
    }

    /// Goes to the event that was found, and shows the level in which it happened.
    fn jump_or_say(&mut self, found: Option<usize>, what: &str, dir: Dir) {
        match (found, dir) {
            (Some(position), _) => {
                let buf = trace::buf_of(self.trace(), &self.trace().events()[position]);
                self.level = buf.map_or(self.level, |buf| self.trace().problem.level_of(buf));
                self.jump(self.trace().step_at(position + 1));
            }
            (None, Dir::Forward) => self.say(format!("no {what} after step {}", self.step)),
            (None, Dir::Back) => self.say(format!("no {what} before step {}", self.step)),
        }
    }

    /// To the next event that the filter shows; without a filter, to the next mark of any kind.
    pub(super) fn jump_to_notable(&mut self, dir: Dir, count: usize) {
        if self.filter.is_empty() {
            return self.jump_to_mark(&Mark::ALL, dir, count, "spill, reload, postponement, wait or failure");
        }
        let next = |from| log::next(self.trace(), &self.filter, from, dir);
        let found = self.beyond_here(dir, count, next);
        self.jump_or_say(found, "event that the filter shows", dir);
    }

    /// To the next event of the selected buffer; where none is selected, of the one that this step is about.
    pub(super) fn jump_to_buffer_event(&mut self, dir: Dir, count: usize) {
        let of_step = || rows::buffer_of_step(self.trace(), self.step);
        let Some(buf) = self.selected_buffer().or_else(of_step) else { return self.say("no buffer is selected") };
        self.selected = Some(Subject::Buffer(buf));
        let found = self.beyond_here(dir, count, |from| neighbour(self.trace().touches(buf), dir, from));
        let what = format!("event of {}", buffer_id(&self.trace().problem.graph, buf));
        self.jump_or_say(found, &what, dir);
    }

    /// To the peak of the focused level, or from there to the fullest moment of any.
    pub(super) fn jump_to_peak(&mut self) {
        let (step, used) = self.trace().occupancy(self.level).peak(u32::MAX);
        if self.step != step as usize {
            let level = self.trace().problem.level(self.level);
            let notice = format!("peak of {}: {} of {}", level.name, grouped(used), grouped(level.capacity));
            self.jump(step as usize);
            return self.say(notice);
        }
        let before = self.level;
        self.go_to_highest_peak();
        let name = &self.trace().problem.level(self.level).name;
        let notice = if before == self.level {
            format!("{name} is the fullest level, and this is its peak")
        } else {
            format!("peak of all levels: {name}")
        };
        self.say(notice);
    }

    /// Focuses the level that is ever the fullest, by share of its capacity, and stands at its peak.
    pub(super) fn go_to_highest_peak(&mut self) {
        let problem = &self.trace().problem;
        let peak = |level: LevelIx| self.trace().occupancy(level).peak(u32::MAX);
        let share = |level: LevelIx| peak(level).1 as f64 / problem.level(level).capacity.max(1) as f64;
        let levels = (0..problem.level_count()).map(LevelIx::new);
        // Of equal ones the first, as the screen lists them.
        if let Some(level) = levels.rev().max_by(|&a, &b| share(a).total_cmp(&share(b))) {
            self.level = level;
            self.jump(self.trace().occupancy(level).peak(u32::MAX).0 as usize);
        }
    }

    /// Opens at the first mark of a kind, and at the level that it is about.
    pub(super) fn go_to_first(&mut self, mark: Mark, what: &str) {
        let Some(&position) = self.trace().marks(mark).first() else {
            self.go(0);
            return self.say(format!("this plan has no {what}"));
        };
        if let Some(level) = look::level_of_first(self.trace(), mark) {
            self.level = level;
        }
        self.go(self.trace().step_at(position as usize + 1));
    }

    /// Opens where planning failed, with the diagnosis.
    pub(super) fn go_to_failure(&mut self) {
        if !self.has_failure() {
            self.go(0);
            return self.say("this plan did not fail");
        }
        if let Some(found) = &self.session.diagnosis {
            self.level = found.level;
        }
        self.go(self.failing_step());
        (self.tab, self.focus) = (Pane::Failure, Pane::Failure);
    }

    /// Takes up a search and goes to the first match after where one stands, round the end if need be.
    pub(super) fn search_for(&mut self, query: Query) {
        self.selected = query.buf().map(Subject::Buffer).or(self.selected);
        self.search = Some(query);
        self.jump_to_match(Dir::Forward, 1);
    }

    pub(super) fn jump_to_match(&mut self, dir: Dir, count: usize) {
        let Some(query) = self.search.take() else { return self.say("nothing is searched for: / asks") };
        let steps = self.trace().step_count();
        let mut at = self.step;
        for _ in 0..count.min(steps) {
            let round =
                (1..=steps).map(|by| if dir == Dir::Forward { (at + by) % steps } else { (at + steps - by) % steps });
            let Some(found) = round.into_iter().find(|&step| query.matches_step(self.trace(), step)) else {
                self.say(format!("no step matches “{}”", crate::model::clean(&query.text)));
                self.search = Some(query);
                return;
            };
            at = found;
        }
        let wrapped = if dir == Dir::Forward { at <= self.step } else { at >= self.step };
        let notice = match (wrapped, at == self.step) {
            (_, true) => "the only match",
            (true, _) => "search went round the end",
            _ => "",
        };
        self.jump(at);
        if !notice.is_empty() {
            self.say(notice);
        }
        self.search = Some(query);
    }
}

/// The nearest of ascending positions: forward from `from` on, back before it.
fn neighbour(positions: &[u32], dir: Dir, from: usize) -> Option<usize> {
    let at = positions.partition_point(|&position| (position as usize) < from);
    let found = if dir == Dir::Forward { positions.get(at) } else { at.checked_sub(1).map(|at| &positions[at]) };
    found.map(|&position| position as usize)
}
