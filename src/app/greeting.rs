//! What a newcomer reads first, and the keys that it names.

use std::sync::Arc;

use super::{App, Command, Dir, Keymap, Mode};
use crate::output::check_report;
use crate::output::numbers::counted;
use crate::trace::Mark;

impl App {
    /// Binds the keys anew.
    pub fn set_keymap(&mut self, keymap: Keymap) {
        let greeted = self.notice.is_some() && self.step == 0;
        self.keymap = Arc::new(keymap);
        if greeted {
            self.greet();
        }
    }

    /// Says what is wrong with a plan that was made elsewhere.
    pub(super) fn greet_broken(&mut self) {
        let broken = check_report::count(&self.session.check);
        let ended = self.session.recorded.as_ref().and_then(|recorded| recorded.ended.as_deref());
        self.say(match ended {
            Some(ended) => format!("this plan is broken, {broken}; {ended}"),
            None => format!("this plan is broken, {broken}; this is the first"),
        });
    }

    /// Shows over the first frame what to press; gone with any key.
    pub fn show_hint(&mut self) {
        self.mode = Mode::Hint;
    }

    /// Says in the footer what there is and what to press first.
    pub(super) fn greet(&mut self) {
        if let Some(seen) = &self.session.packed {
            let [peak, help] = [Command::Peak, Command::Help].map(|command| self.key_for(&command));
            let text = format!("{}.  {peak} goes to the peak, {help} shows the keys", seen.verdict);
            return self.say(text);
        }
        let steps = counted(self.trace().step_count() as u64, "step");
        let marks = |mark: Mark| self.trace().marks(mark).len() as u64;
        let next = Command::Notable(Dir::Forward);
        let (what, command, leads) = match (marks(Mark::Spill), marks(Mark::Postpone), marks(Mark::Wait)) {
            (0, 0, 0) => {
                let clocked = self.trace().problem.is_clocked();
                let what = if clocked { "no wait for memory" } else { "no spill" };
                (what.into(), Command::Step(Dir::Forward), "goes on")
            }
            (0, 0, waits) => (format!("{} for memory", counted(waits, "wait")), next, "goes to the first"),
            (0, moves, _) => (format!("no spill, {}", counted(moves, "postponement")), next, "goes to the first"),
            (spills, ..) => {
                (counted(spills, "spill"), Command::Mark(Mark::Spill, Dir::Forward), "goes to the first spill")
            }
        };
        let [go, play, help] = [command, Command::Play, Command::Help].map(|command| self.key_for(&command));
        self.say(format!("{steps}, {what}.  {go} {leads}, {play} plays, {help} shows the keys"));
    }
}
