//! Stops: conditions at which playing halts, and to which one jumps. Their panel.

use ratatui::layout::{Position, Rect};
use tui_input::Input;

use super::command::{Command, Dir, Effect};
use super::places::Places;
use super::stop::{Condition, Stop};
use super::{App, Ask, Mode, Subject, places};
use crate::model::clean;
use crate::trace::Mark;

/// The stops that are set.
#[derive(Clone, Debug, Default)]
pub struct Stops {
    list: Vec<Stop>,
    /// Of each, where the plan at hand has it, or why nowhere.
    places: Vec<Result<Places, String>>,
    /// What was typed last and not understood, to be mended.
    draft: String,
}

/// A step at which playing halts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Halt {
    step: usize,
    /// The first stop that is met there.
    stop: usize,
    /// How many more are.
    others: usize,
}

/// How a stop stands to where one is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outlook {
    /// The last step before, and the next one, at which it is met.
    Met(Option<usize>, Option<usize>),
    /// Why the plan has no such place.
    Unknown(String),
}

impl App {
    /// The stops that are set.
    pub fn stops(&self) -> &[Stop] {
        &self.stops.list
    }

    /// Sets these stops in place of those at hand. What they name and the plan does not have stays in the list, and is
    /// said there.
    pub fn set_stops(&mut self, stops: Vec<Stop>) {
        self.stops.list = stops;
        self.resolve_stops();
    }

    /// Finds the places of all stops in the plan at hand.
    pub(super) fn resolve_stops(&mut self) {
        let trace = &self.session.trace;
        self.stops.places = self.stops.list.iter().map(|stop| Places::of(&stop.condition, trace)).collect();
    }

    /// Where the stop in that row is met, seen from here.
    pub fn outlook(&self, row: usize) -> Outlook {
        match self.stops.places.get(row) {
            Some(Ok(places)) => {
                let next = |bound, dir| places.next(self.trace(), bound, dir);
                Outlook::Met(next(self.step(), Dir::Back), next(self.first_ahead(), Dir::Forward))
            }
            Some(Err(why)) => Outlook::Unknown(why.clone()),
            None => Outlook::Met(None, None),
        }
    }

    /// Whether a stop that is on is met at any of the steps `[from, to)`.
    pub fn stops_between(&self, from: usize, to: usize) -> bool {
        let stops = self.stops.list.iter().zip(&self.stops.places).filter(|(stop, _)| stop.on);
        let mut met = stops.filter_map(|(_, places)| places.as_ref().ok()?.next(self.trace(), from, Dir::Forward));
        met.any(|step| step < to)
    }

    /// The first step that is still to come; one that is half done is.
    fn first_ahead(&self) -> usize {
        let half_done = self.position() < self.trace().end_of(self.step);
        if half_done { self.step } else { self.step + 1 }
    }

    /// The nearest step that way at which a stop is met: forward from `bound` on, back before it.
    fn halt_from(&self, bound: usize, dir: Dir) -> Option<Halt> {
        let stops = self.stops.list.iter().zip(&self.stops.places).enumerate();
        let met = stops
            .filter(|(_, (stop, _))| stop.on)
            .filter_map(|(at, (_, places))| Some((places.as_ref().ok()?.next(self.trace(), bound, dir)?, at)));
        let met: Vec<(usize, usize)> = met.collect();
        let steps = met.iter().map(|&(step, _)| step);
        let step = if dir == Dir::Forward { steps.min() } else { steps.max() }?;
        let mut here = met.iter().filter(|&&(other, _)| other == step);
        let &(_, stop) = here.next()?;
        Some(Halt { step, stop, others: here.count() })
    }

    fn bound(&self, dir: Dir) -> usize {
        if dir == Dir::Forward { self.first_ahead() } else { self.step }
    }

    /// Plays that many steps on, but past no stop. Whether it can go on.
    pub(super) fn play_on(&mut self, steps: usize) -> bool {
        let dir = self.play.dir();
        let halt = self.halt_from(self.bound(dir), dir);
        if let Some(halt) = halt.filter(|halt| halt.step.abs_diff(self.step) <= steps) {
            self.go(halt.step);
            self.tell_halt(halt);
            return false;
        }
        let before = (self.step, self.position());
        self.step_by(dir, steps);
        before != (self.step, self.position())
    }

    /// To the `count`th step that way at which a stop is met; the last one found where there are fewer.
    pub(super) fn jump_to_stop(&mut self, dir: Dir, count: usize) {
        let mut found: Option<Halt> = None;
        for _ in 0..count.min(self.trace().step_count()) {
            let bound = match (found, dir) {
                (None, _) => self.bound(dir),
                (Some(halt), Dir::Forward) => halt.step + 1,
                (Some(halt), Dir::Back) => halt.step,
            };
            let Some(halt) = self.halt_from(bound, dir) else { break };
            found = Some(halt);
        }
        match found {
            Some(halt) => {
                self.jump(halt.step);
                self.tell_halt(halt);
            }
            None if !self.stops().iter().any(|stop| stop.on) => {
                self.say(format!("no stop is set: {} sets one", self.key_for(&Command::Stops)));
            }
            None if dir == Dir::Forward => self.say(format!("no stop is met after step {}", self.step)),
            None => self.say(format!("no stop is met before step {}", self.step)),
        }
    }

    /// Says which stop was met, and shows what it is about.
    fn tell_halt(&mut self, halt: Halt) {
        let Some((stop, Ok(places))) = self.stops.list.get(halt.stop).zip(self.stops.places.get(halt.stop)) else {
            return;
        };
        let news = places.news(self.trace(), halt.step).map_or_else(String::new, |news| format!(" ({news})"));
        let others = if halt.others == 0 { String::new() } else { format!(" and {} more", halt.others) };
        let notice = format!("stop at step {}: {}{news}{others}", halt.step, clean(&stop.to_string()));
        let level = match (places, &stop.condition) {
            (Places::Rises { level, .. }, _) => Some(*level),
            (_, Condition::Event(mark, _)) => self.level_of_mark(*mark, halt.step),
            _ => None,
        };
        let named = if let Condition::Buffer(id) = stop.condition { Some(id) } else { None };
        if let Some(buf) = named.and_then(|id| self.trace().problem.graph.find_buffer(id)) {
            self.selected = Some(Subject::Buffer(buf));
            self.level = self.trace().problem.level_of(buf);
        }
        self.level = level.unwrap_or(self.level);
        self.say(notice);
    }

    /// The level of the first event of a kind in a step.
    fn level_of_mark(&self, mark: Mark, step: usize) -> Option<crate::model::LevelIx> {
        let events = self.trace().run_range(step);
        let mut of_kind = events.filter(|&at| Mark::of(&self.trace().events()[at]) == Some(mark));
        of_kind.next().and_then(|at| places::level_of_event(self.trace(), at))
    }

    /// What a command means in the panel with that row selected; the row behind the last stop adds one. `None` where it
    /// means what it always does.
    pub(super) fn in_stops(&mut self, command: &Command, row: usize) -> Option<Effect> {
        let last = self.stops().len();
        let row = row.min(last);
        self.mode = Mode::Stops(row);
        match *command {
            Command::Escape | Command::Stops => self.mode = Mode::Browse,
            Command::Row(Dir::Forward) => self.mode = Mode::Stops((row + 1).min(last)),
            Command::Row(Dir::Back) => self.mode = Mode::Stops(row.saturating_sub(1)),
            Command::Enter => self.ask_stop(row),
            Command::Play if row < last => self.switch_stop(row),
            Command::Previous if row < last => self.remove_stop(row),
            Command::Play | Command::Previous => self.say("no stop is selected"),
            Command::Click { x, y } => self.click_stop(x, y, row),
            Command::Scroll { delta, .. } => {
                let to = row.saturating_add_signed(delta.signum() as isize).min(last);
                self.mode = Mode::Stops(to);
            }
            _ => return None,
        }
        Some(Effect::Redraw)
    }

    fn ask_stop(&mut self, row: usize) {
        let text = match self.stops().get(row) {
            Some(stop) => stop.condition.to_string(),
            None => std::mem::take(&mut self.stops.draft),
        };
        self.mode = Mode::Prompt { ask: Ask::Stop(row), input: Input::new(text) };
    }

    fn switch_stop(&mut self, row: usize) {
        if let Some(stop) = self.stops.list.get_mut(row) {
            stop.on = !stop.on;
        }
    }

    fn remove_stop(&mut self, row: usize) {
        let stop = self.stops.list.remove(row);
        let _ = self.stops.places.remove(row);
        self.stops.draft = stop.condition.to_string();
        self.say(format!("removed: {}", clean(&stop.to_string())));
    }

    /// A condition was typed for that row: a stop is changed or, behind the last, added.
    pub(super) fn stop_typed(&mut self, row: usize, text: &str) {
        self.mode = Mode::Stops(row);
        if text.trim().is_empty() {
            return;
        }
        let found = text.parse::<Stop>().and_then(|stop| Ok((Places::of(&stop.condition, self.trace())?, stop)));
        match found {
            Err(why) => {
                self.say(why);
                text.clone_into(&mut self.stops.draft);
                self.mode = Mode::Stops(self.stops().len());
            }
            Ok((places, stop)) => {
                if row < self.stops().len() {
                    self.stops.list[row] = stop;
                    self.stops.places[row] = Ok(places);
                } else {
                    self.stops.list.push(stop);
                    self.stops.places.push(Ok(places));
                }
            }
        }
    }

    /// A click selects a row; on the selected one it is Enter, outside it leaves.
    fn click_stop(&mut self, x: u16, y: u16, selected: usize) {
        let panel = self.layout.panel();
        if !panel.contains(Position { x, y }) {
            self.mode = Mode::Browse;
            return;
        }
        let line = usize::from(y.saturating_sub(panel.y)).checked_sub(1);
        let row = line.map(|line| first_row(selected, self.stops().len(), panel) + line);
        match row.filter(|&row| row <= self.stops().len()) {
            Some(row) if row == selected => self.ask_stop(row),
            Some(row) => self.mode = Mode::Stops(row),
            None => {}
        }
    }
}

/// How many rows of stops the panel has room for, the one that adds among them: where there is little, the examples below
/// make way.
pub fn rows_shown(stops: usize, panel: Rect) -> usize {
    (stops + 1).min(usize::from(panel.height.saturating_sub(2)).max(1))
}

/// The first row shown, so that the selected one is among them.
pub fn first_row(selected: usize, stops: usize, panel: Rect) -> usize {
    super::rows::first_row(selected.min(stops), rows_shown(stops, panel))
}
