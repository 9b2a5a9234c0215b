//! How a search came to its plan: the better plans on the way, each of which can be looked at.

use std::sync::Arc;

use super::command::{Command, Dir, Effect};
use super::plans::Version;
use super::{App, Mode};
use crate::output::numbers::grouped;
use crate::session::{Searched, Session};

impl App {
    /// Opens the history of the search at hand.
    pub(super) fn open_history(&mut self) {
        match &self.session.searched {
            None => self.say("this plan was not searched for: c and then search looks for a better one"),
            Some(searched) => self.mode = Mode::History(searched.history.len().saturating_sub(1)),
        }
    }

    /// What a command means in the history; `None` where it means what it always does.
    pub(super) fn in_history(&mut self, row: usize, command: &Command) -> Option<Effect> {
        let last = self.session.searched.as_ref()?.history.len().saturating_sub(1);
        self.mode = Mode::History(row.min(last));
        match *command {
            Command::Escape | Command::History => self.mode = Mode::Browse,
            Command::Row(Dir::Forward) => self.mode = Mode::History((row + 1).min(last)),
            Command::Row(Dir::Back) => self.mode = Mode::History(row.saturating_sub(1)),
            Command::Enter => self.show_found(row),
            _ => return None,
        }
        Some(Effect::Redraw)
    }

    /// Shows the plan of that row, behind the one that it bettered, so that the two can be compared.
    fn show_found(&mut self, row: usize) {
        let Some(searched) = self.session.searched.clone() else { return };
        let rows = [row.checked_sub(1), Some(row)];
        let found: Vec<Version> = rows.into_iter().flatten().filter_map(|row| self.found(&searched, row)).collect();
        if found.is_empty() {
            return self.say("of schedules over pools only the last is kept");
        }
        self.show_versions(found);
        let evaluations = searched.history.get(row).map_or(0, |found| found.evaluations);
        self.say(format!("the plan after {} evaluations; u: back", grouped(evaluations)));
    }

    fn found(&self, searched: &Searched, row: usize) -> Option<Version> {
        let history = searched.history.get(..=row)?.to_vec();
        let last = history.last()?;
        let change = format!("search, {} evaluations ({})", grouped(last.evaluations), last.made_by());
        let part = Searched { evaluations: last.evaluations, history, ..searched.clone() };
        let (problem, options) = (&self.session.trace.problem, &self.session.options);
        let session = Session::of_search(problem, options, part, self.session.seconds)?;
        Some(Version { session: Arc::new(session), change, origin: self.plans().current().origin.clone() })
    }
}
