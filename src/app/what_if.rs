//! What-if: the panel of knobs. Each turn asks for the new plan at once; the old one stays on the screen until it is there.

use tui_input::Input;

use super::command::{Command, Dir, Effect};
use super::knobs::{Knob, knobs};
use super::{App, Ask, Mode};

/// Said where there are no steps to plan.
pub(super) const NOTHING_TO_PLAN: &str =
    "these are lifetimes: they need addresses, and no step can be planned otherwise; see spillscope plan --help";

impl App {
    /// Opens the panel.
    pub(super) fn open_what_if(&mut self) {
        if self.session.packed.is_some() {
            self.say(NOTHING_TO_PLAN);
            return;
        }
        self.mode = Mode::WhatIf;
        self.knob = self.knob.min(knobs(&self.setup()).len().saturating_sub(1));
    }

    /// The knob that is picked out, by its row.
    pub fn knob(&self) -> usize {
        self.knob
    }

    fn knob_at_hand(&self) -> Option<Knob> {
        knobs(&self.setup()).get(self.knob).copied()
    }

    /// What a command means in the panel; `None` where it means what it always does.
    pub(super) fn in_what_if(&mut self, command: &Command) -> Option<Effect> {
        match *command {
            Command::Escape if self.break_off() => {}
            Command::Escape | Command::WhatIf => self.mode = Mode::Browse,
            Command::Row(dir) => {
                let last = knobs(&self.setup()).len().saturating_sub(1);
                self.knob = match dir {
                    Dir::Forward => (self.knob + 1).min(last),
                    Dir::Back => self.knob.saturating_sub(1),
                };
            }
            Command::Step(dir) => return Some(self.turn(dir)),
            Command::Enter => return Some(self.type_or_turn()),
            // Of what can be copied, here only this is meant.
            Command::Copy => return Some(self.copy_command()),
            Command::Digit(digit) => self.ask_value(&digit.to_string()),
            _ => return None,
        }
        Some(Effect::Redraw)
    }

    fn turn(&mut self, dir: Dir) -> Effect {
        let Some(knob) = self.knob_at_hand() else { return Effect::Redraw };
        let mut setup = self.setup();
        if !knob.turn(&mut setup, dir, &self.plans.first().setup()) {
            self.say(format!("{} goes no further", knob.name(&setup)));
            return Effect::Redraw;
        }
        let change = format!("{} {}", knob.name(&setup), knob.value(&setup));
        self.what_if(setup, change)
    }

    fn type_or_turn(&mut self) -> Effect {
        match self.knob_at_hand() {
            Some(knob) if knob.takes_text() => {
                self.ask_value("");
                Effect::Redraw
            }
            _ => self.turn(Dir::Forward),
        }
    }

    fn ask_value(&mut self, typed: &str) {
        match self.knob_at_hand() {
            Some(knob) if knob.takes_text() => {
                self.mode = Mode::Prompt { ask: Ask::Value(knob), input: Input::new(typed.to_owned()) };
            }
            _ => self.say("← and → change this"),
        }
    }

    /// Copies the command line that gives the plan on the screen.
    pub(super) fn copy_command(&mut self) -> Effect {
        let Some(command) = self.command_line() else {
            self.say("this record was made elsewhere: no command line gives it");
            return Effect::Redraw;
        };
        self.say(format!("copied: {command}"));
        Effect::Copy(command)
    }

    /// A value was typed.
    pub(super) fn value_typed(&mut self, knob: Knob, text: &str) -> Effect {
        self.mode = Mode::WhatIf;
        let mut setup = self.setup();
        if let Err(why) = knob.set(&mut setup, text) {
            self.say(format!("{}: {why}", knob.name(&setup)));
            return Effect::Redraw;
        }
        let change = format!("{} {}", knob.name(&setup), knob.value(&setup));
        self.what_if(setup, change)
    }
}
