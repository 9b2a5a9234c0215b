//! Two plans side by side. The one on the screen leads; the other is an [`App`] of its own that is never asked by keys and
//! always stands where the leader's step has its counterpart.

use std::sync::Arc;

use super::command::{Command, Dir, Effect};
use super::knobs::{Knob, knobs};
use super::plans::{Aim, Version};
use super::sides::{self, SidesLayout};
use super::{App, Mode, Pane, Subject};
use crate::compare::Difference;
use crate::compare::difference::Counterpart;
use crate::model::LevelIx;
use crate::output::labels::buffer_id;
use crate::output::numbers::{counted, grouped};
use crate::output::plan_pair::{Pair, parting_run, why_better};
use crate::session::Setup;

/// The comparison that is open.
#[derive(Clone, Debug)]
pub struct Compared {
    other: Box<App>,
    rival: Version,
    difference: Arc<Difference>,
    /// What the other's step is to the leader's.
    beside: Option<Counterpart>,
    /// The row of the list that is picked out.
    row: usize,
    /// Whether the reasons have the room of the maps.
    why: bool,
    layout: SidesLayout,
    /// What the two do where one stands, if they part there.
    here: Option<[String; 2]>,
    /// Why one of the two is better, in a sentence.
    sentence: String,
}

impl Compared {
    /// The plan beside the one on the screen.
    pub fn other(&self) -> &App {
        &self.other
    }

    /// What that plan is called: what was changed for it, or nothing.
    pub fn rival(&self) -> &Version {
        &self.rival
    }

    /// How the two differ, the plan on the screen being the first.
    pub fn difference(&self) -> &Difference {
        &self.difference
    }

    /// What the other's step is to the one on the screen; `None` where the other plan has no step.
    pub fn beside(&self) -> Option<Counterpart> {
        self.beside
    }

    /// The row of the list of buffers that is picked out.
    pub fn row(&self) -> usize {
        self.row
    }

    /// Where everything stands.
    pub fn layout(&self) -> &SidesLayout {
        &self.layout
    }

    /// What the two do where one stands, if they part there.
    pub fn here(&self) -> Option<&[String; 2]> {
        self.here.as_ref()
    }

    /// Why one of the two is better.
    pub fn sentence(&self) -> &str {
        &self.sentence
    }
}

impl App {
    /// The comparison that is open, if one is.
    pub fn compared(&self) -> Option<&Compared> {
        self.compared.as_deref()
    }

    /// Names the plan to compare with where what-if has made none.
    pub fn may_be_compared_with(&mut self, rival: Option<Version>) {
        self.rival = rival;
    }

    /// The plan to compare with: the one before the change, else the one that was named, else the one that was taken back.
    fn comparable(&self) -> Option<Version> {
        let versions = self.plans.versions();
        let before = self.plans.at().checked_sub(1).map(|at| &versions[at]);
        before.or(self.rival.as_ref()).or(versions.get(self.plans.at() + 1)).cloned()
    }

    /// Opens the comparison at the first step that differs, or asks with what to compare.
    pub fn compare(&mut self) -> Effect {
        match self.comparable() {
            Some(rival) => return self.ask_difference(rival),
            None if self.session.packed.is_some() => {
                self.say("there is one packing alone, and none to compare it with");
            }
            None => self.mode = Mode::Rivals(0),
        }
        self.refresh();
        Effect::Redraw
    }

    pub(super) fn compare_with(&mut self, rival: Version, difference: Arc<Difference>) {
        self.beside(rival, difference, 0, false);
        let first = self.compared().and_then(|compared| compared.difference.partings.first());
        match first.map(|parting| parting.steps[0].start as usize) {
            None => self.say("the two plans are the same, step by step and address by address"),
            Some(step) => {
                self.jump_to_parting(step);
                self.say_where_they_part(step);
            }
        }
    }

    fn say_where_they_part(&mut self, step: usize) {
        let count = self.compared().map_or(0, |compared| compared.difference.partings.len());
        let more = match count {
            1 => String::new(),
            count => format!(", {} in all: the key ; goes to the next", counted(count as u64, "difference")),
        };
        self.say(format!("first parting: step {}{more}", grouped(step as u64)));
    }

    /// Puts `rival` beside the plan on the screen.
    fn beside(&mut self, rival: Version, difference: Arc<Difference>, row: usize, why: bool) {
        let mut other = Box::new(App::new(Arc::clone(&rival.session), self.prefs));
        // A pane that the comparison does not show has the keys, so that none seems to.
        other.focus = Pane::Timeline;
        let changes = [self.plans.current().change.as_str(), &rival.change];
        let sessions = [&*self.session, &*rival.session];
        let sentence = why_better(&Pair { sessions, changes, difference: &difference });
        let layout = SidesLayout::default();
        // The arrows go over steps here, not over the map's cells or the knobs.
        self.mode = Mode::Browse;
        self.map_settings.spot = None;
        self.compared =
            Some(Box::new(Compared { other, rival, difference, beside: None, row, why, layout, here: None, sentence }));
    }

    /// What a command means while two plans are compared; `None` where it means what it always does, for the one that leads.
    pub(super) fn in_comparison(&mut self, command: &Command) -> Option<Effect> {
        let compared = self.compared.as_deref_mut()?;
        let last = compared.difference.buffers.len().saturating_sub(1);
        let count = self.count.unwrap_or(1).max(1);
        match *command {
            Command::Escape if self.count.is_some() => return None,
            Command::Escape | Command::Compare => self.leave_comparison(),
            Command::Row(Dir::Forward) => compared.row = compared.row.saturating_add(count).min(last),
            Command::Row(Dir::Back) => compared.row = compared.row.saturating_sub(count),
            Command::Enter => self.go_to_fate(),
            Command::Why | Command::Enlarge => compared.why = !compared.why,
            Command::Click { x, y } => self.click_compared(x, y),
            Command::Scroll { x, y, delta } => self.scroll_compared(x, y, delta),
            Command::Drag { .. } => {}
            Command::Cells => self.say("d leaves the comparison; then C goes over the cells of the map"),
            Command::Pane(_) => {
                self.say("the keys move the left plan; ↑ ↓ go through the list, Enter goes to where a buffer differs");
            }
            Command::WhatIf | Command::Filter | Command::Graph | Command::BufferOrder => {
                self.compared = None;
                return None;
            }
            _ => return None,
        }
        self.count = None;
        Some(Effect::Redraw)
    }

    /// Back to the one plan, or to the menu that the other was chosen from.
    fn leave_comparison(&mut self) {
        let Some(compared) = self.compared.take() else { return };
        match rivals(&self.session.setup()).iter().position(|(change, _)| *change == compared.rival.change) {
            Some(row) if self.plans.at() == 0 && self.rival.is_none() => self.mode = Mode::Rivals(row),
            _ => self.say("d compares again"),
        }
    }

    /// To the next or previous step at which the plans part.
    pub(super) fn next_parting(&mut self, dir: Dir, count: usize) {
        let Some(compared) = self.compared() else {
            return self.say("d compares two plans; then ; and : go to where they part");
        };
        let partings = &compared.difference.partings;
        let last = self.trace().step_count().saturating_sub(1);
        let stands = |at: usize| (partings[at].steps[0].start as usize).min(last);
        let begun = partings.partition_point(|parting| (parting.steps[0].start as usize).min(last) <= self.step);
        let found = match dir {
            Dir::Forward => (begun < partings.len()).then(|| begun.saturating_add(count - 1).min(partings.len() - 1)),
            Dir::Back => {
                let here = begun.checked_sub(1).is_some_and(|at| stands(at) == self.step);
                let before = begun - usize::from(here);
                before.checked_sub(count).or_else(|| (before > 0).then_some(0))
            }
        };
        match (found.map(stands), dir) {
            (Some(step), _) => self.jump_to_parting(step),
            (None, Dir::Forward) => self.say("they do not part again after this step"),
            (None, Dir::Back) => self.say("they do not part before this step"),
        }
    }

    /// Goes to a step that differs, and shows the level that it is about: where only the other plan does something there,
    /// the level of that.
    fn jump_to_parting(&mut self, step: usize) {
        self.jump(step);
        let Some(compared) = self.compared() else { return };
        let (begun, _) = compared.difference.place(0, step);
        let parting = begun.checked_sub(1).and_then(|at| compared.difference.partings.get(at));
        let traces = [self.trace(), compared.other.trace()];
        let first = parting.and_then(|parting| {
            let side = usize::from(parting.steps[0].is_empty());
            super::rows::buffer_of_step(traces[side], parting.steps[side].start as usize)
        });
        self.level = first.map_or(self.level, |buf| self.trace().problem.level_of(buf));
    }

    /// Selects the buffer of the list's row and goes to the first step at which it fares differently.
    fn go_to_fate(&mut self) {
        let Some(compared) = self.compared() else { return };
        let Some(fate) = compared.difference.buffers.get(compared.row) else {
            return self.say("no buffer fares differently");
        };
        let (buf, first) = (fate.buf, fate.first);
        let traces = [self.trace(), compared.other.trace()];
        let beside = |step: u32| compared.difference.counterpart(traces, 1, step as usize).map(|found| found.step);
        let step = first[0].map(|step| step as usize).or_else(|| first[1].and_then(beside));
        self.selected = Some(Subject::Buffer(buf));
        self.level = self.trace().problem.level_of(buf);
        match step {
            Some(step) => self.jump(step),
            None => {
                self.say(format!(
                    "{} is the same wherever the plans part",
                    buffer_id(&self.trace().problem.graph, buf)
                ));
            }
        }
    }

    /// Exchanges the two: the other leads.
    pub(super) fn swap_sides(&mut self) {
        let Some(compared) = self.compared.take() else {
            return self.say("d compares two plans; then X exchanges them");
        };
        let Compared { rival, difference, row, why, .. } = *compared;
        let before = self.plans.current().clone();
        let notice = self.notice.take();
        self.swap(Arc::clone(&rival.session));
        self.plans.turn_to(rival);
        let difference = Arc::unwrap_or_clone(difference).swapped();
        self.beside(before, Arc::new(difference), row, why);
        self.notice = notice;
    }

    /// Works out where the halves stand, and lets the other follow. Everything else is up to date.
    pub(super) fn follow(&mut self) {
        let Some(mut compared) = self.compared.take() else { return };
        let other = &mut compared.other;
        (other.prefs, other.size, other.selected) = (self.prefs, self.size, self.selected);
        other.map_settings = self.map_settings;
        // Another machine may have fewer levels.
        let levels = other.trace().problem.level_count();
        other.level = LevelIx::new(self.level.at().min(levels.saturating_sub(1)));
        other.layout = compared.layout.sides[1].clone();
        compared.beside = compared.difference.counterpart([self.trace(), other.trace()], 0, self.step);
        if let Some(beside) = compared.beside.filter(|beside| beside.step != other.step) {
            other.go(beside.step);
        }
        other.work_out();
        compared.here = self.parting_here(&compared);
        self.compared = Some(compared);
    }

    fn parting_here(&self, compared: &Compared) -> Option<[String; 2]> {
        let (begun, inside) = compared.difference.place(0, self.step);
        let parting = compared.difference.partings.get(begun.checked_sub(1)?).filter(|_| inside)?;
        let traces = [self.trace(), compared.other.trace()];
        Some([0, 1].map(|side| parting_run(traces[side], &parting.steps[side])))
    }

    /// Where everything stands while two plans are compared; `None` while none are.
    pub(super) fn sides_layout(&mut self) -> Option<super::Layout> {
        let levels = super::rows::level_lines(self.trace());
        let size = self.size;
        let compared = self.compared.as_deref_mut()?;
        compared.layout = sides::layout(size, levels, compared.why);
        Some(compared.layout.sides[0].clone())
    }

    /// A click on the list picks a row and goes there; one on a map goes to its step.
    fn click_compared(&mut self, x: u16, y: u16) {
        let Some(compared) = self.compared.as_deref_mut() else { return };
        let at = ratatui::layout::Position { x, y };
        if compared.layout.list.contains(at) {
            let shown = compared.shown_rows();
            let row = shown.start + usize::from(y - compared.layout.list.y);
            if row < shown.end {
                compared.row = row;
                self.go_to_fate();
            }
            return;
        }
        let step_at = |app: &App| {
            let cells = app.map.cells;
            let row = cells.contains(at).then(|| usize::from(y - cells.y))?;
            app.map.rows.get(row).map(|row| row.steps.start)
        };
        let theirs = step_at(&compared.other);
        let traces = [&self.session.trace, compared.other.trace()];
        let of_theirs =
            theirs.and_then(|step| compared.difference.counterpart(traces, 1, step)).map(|found| found.step);
        if let Some(step) = of_theirs.or_else(|| step_at(self)) {
            self.jump(step);
        }
    }

    fn scroll_compared(&mut self, x: u16, y: u16, delta: i32) {
        let dir = if delta > 0 { Dir::Forward } else { Dir::Back };
        let Some(compared) = self.compared.as_deref_mut() else { return };
        if compared.layout.panel.contains(ratatui::layout::Position { x, y }) {
            let last = compared.difference.buffers.len().saturating_sub(1);
            compared.row = compared.row.saturating_add_signed(delta as isize).min(last);
        } else {
            self.step_by(dir, delta.unsigned_abs() as usize);
        }
    }

    /// What a command means while one is asked with what to compare.
    pub(super) fn choose_rival(&mut self, command: &Command, row: usize) -> Option<Effect> {
        let rivals = rivals(&self.session.setup());
        match *command {
            Command::Escape | Command::Compare => return Some(Effect::Redraw),
            Command::Row(Dir::Forward) => self.mode = Mode::Rivals((row + 1).min(rivals.len().saturating_sub(1))),
            Command::Row(Dir::Back) => self.mode = Mode::Rivals(row.saturating_sub(1)),
            Command::Enter => {
                let Some((change, setup)) = rivals.into_iter().nth(row) else { return Some(Effect::Redraw) };
                return Some(self.ask(setup, change, Aim::Compare));
            }
            _ => {
                self.mode = Mode::Rivals(row);
                return None;
            }
        }
        Some(Effect::Redraw)
    }
}

impl Compared {
    /// The rows of the list that are in sight, the one that is picked out among them.
    pub fn shown_rows(&self) -> std::ops::Range<usize> {
        let height = usize::from(self.layout.list.height);
        let count = self.difference.buffers.len();
        let first = super::rows::first_row(self.row, height).min(count.saturating_sub(height));
        first..count.min(first + height)
    }
}

/// What a plan can be compared with while one has no other: each other value of what goes round in what-if.
pub fn rivals(setup: &Setup) -> Vec<(String, Setup)> {
    let mut knobs: Vec<Knob> = knobs(setup).into_iter().filter(|knob| !knob.takes_text()).collect();
    // What one wonders about first: in what order, who leaves, how room is made.
    let rank = |knob: &Knob| [Knob::Order, Knob::Victims, Knob::OnFull].iter().position(|first| first == knob);
    knobs.sort_by_key(|knob| rank(knob).unwrap_or(usize::MAX));
    let mut found = Vec::new();
    for knob in knobs {
        let first = knob.value(setup);
        let mut turned = setup.clone();
        while found.len() < MOST_RIVALS && knob.turn(&mut turned, Dir::Forward, setup) && knob.value(&turned) != first {
            found.push((format!("{}: {}", knob.name(&turned), knob.value(&turned)), turned.clone()));
        }
    }
    found
}

/// No knob goes round through more values together.
const MOST_RIVALS: usize = 64;
