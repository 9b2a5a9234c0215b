//! Swapping the plan under the screen without losing the place.

use std::sync::Arc;

use super::autopsy::Autopsy;
use super::kept::node_at;
use super::plans::Plans;
use super::window::Window;
use super::{App, Pane, Query, find, map, words};
use crate::model::LevelIx;
use crate::session::Session;
use crate::trace::Trace;

impl App {
    /// Shows `session` in place of all plans at hand, at the same node where it still has it (by id), else at the
    /// failure or as near as can be. Focus, level and looks stay; bookmarks and history belong to the old graph and go.
    pub fn replace(&mut self, session: Arc<Session>) {
        let step = same_node(self.trace(), &session.trace, self.step).unwrap_or(self.step);
        let origin = self.plans.current_mut().origin.take();
        self.plans = Plans::new(Arc::clone(&session));
        self.plans.current_mut().origin = origin;
        self.rival = None;
        self.bookmarks.clear();
        self.past.clear();
        (self.selected, self.story) = (None, None);
        self.take_over(session);
        if self.has_failure() {
            self.open_at(super::Where::Failure);
        } else {
            self.go(step);
        }
        self.notice = Some("the file changed and was planned again".into());
        self.refresh();
    }

    /// Puts `session` under the screen, to stand at its first step. What was worked out of the old one is worked out anew.
    pub(super) fn take_over(&mut self, session: Arc<Session>) {
        let trace = &session.trace;
        let problem = &trace.problem;
        self.cursor = trace.cursor();
        self.map_cursor = trace.cursor();
        self.step = 0;
        if self.level.at() >= problem.level_count() {
            self.level = LevelIx::new(0);
        }
        self.window = self.window.of_other_length(trace.step_count());
        self.filter = find::Filter::new(&self.filter.text, problem);
        self.search = self.search.take().map(|query| Query::new(&query.text, &problem.graph));
        self.map = map::MapView::default();
        self.kinds = map::Kinds::default();
        self.words = words::Words::default();
        self.units = super::units::UnitsView::default();
        self.graph = super::graph::GraphView::default();
        self.moved = super::moved::MovedView::default();
        self.play.set(false);
        self.autopsy = Autopsy::new(&session);
        self.rows.failure = 0;
        self.session = session;
        self.resolve_stops();
        self.compared = None;
        if let Some(buf) = self.story.as_ref().map(|story| story.buf) {
            let focus = self.focus;
            self.open_story(buf);
            self.focus_on(focus);
        }
        if self.focus == Pane::Failure && !self.has_failure() {
            self.focus_on(Pane::Step);
        }
    }

    /// Says something in the footer.
    pub fn notify(&mut self, what: String) {
        self.notice = Some(what);
    }
}

/// The step of `is` at which the node of step `step` of `was` stands, by its id; for half of a spill, that of the node
/// before which the spill stands.
pub(super) fn same_node(was: &Trace, is: &Trace, step: usize) -> Option<usize> {
    let found = is.problem.graph.find_node(node_at(was, step)?)?;
    is.step_of(found)
}

impl Window {
    /// The same stretch of a plan of so many steps; all of it, if it was all.
    fn of_other_length(self, steps: usize) -> Self {
        if self.len >= self.all {
            return Self::all(steps);
        }
        let len = self.len.min(steps.max(1));
        Self { start: self.start.min(steps.max(1) - len), len, all: steps }
    }
}
