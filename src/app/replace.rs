//! Swapping the plan under the screen without losing the place.

use std::sync::Arc;

use super::App;
use crate::model::Step;
use crate::session::Session;

impl App {
    /// Shows `session` in place of the one at hand, at the same node where it still has it (by id), else at the
    /// failure or as near as can be. Focus, level and looks stay; bookmarks and history belong to the old plan and go.
    pub fn replace(&mut self, session: Arc<Session>) {
        let id = self.node_at_hand();
        let step = id
            .and_then(|id| session.trace.problem.graph.find_node(id))
            .and_then(|node| session.trace.step_of(node))
            .unwrap_or(self.step);
        let failed = session.diagnosis.is_some();
        let levels = session.trace.problem.level_count();
        let mut fresh = Self::new(session, self.prefs);
        (fresh.size, fresh.focus, fresh.tab, fresh.enlarged) = (self.size, self.focus, self.tab, self.enlarged);
        if self.level.at() < levels {
            fresh.level = self.level;
        }
        if !failed {
            fresh.go(step);
        }
        fresh.notice = Some("the file changed and was planned again".into());
        fresh.refresh();
        *self = fresh;
    }

    /// Says something in the footer.
    pub fn notify(&mut self, what: String) {
        self.notice = Some(what);
    }

    /// The id of the node at the playhead; during a spill, of the one that the spill stands before.
    fn node_at_hand(&self) -> Option<u64> {
        let trace = self.trace();
        (self.step..trace.step_count()).find_map(|step| match trace.step(step) {
            Some(Step::Node(node)) => Some(trace.problem.graph.node(node).id),
            _ => None,
        })
    }
}
