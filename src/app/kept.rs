//! What a person has set on a graph, as it is kept between runs: looks, place, bookmarks, stops.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{App, Class, Filter, Pane, Theme};
use crate::model::{LevelIx, Step};
use crate::trace::Trace;

/// What is kept. Levels and nodes are told by what the graph calls them, since another plan of it has other steps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Kept {
    /// Colours.
    pub theme: Theme,
    /// Where one stood.
    pub at: Place,
    /// The pane that has the keys.
    pub focus: Pane,
    /// Whether it has the whole screen.
    pub enlarged: bool,
    /// The name of the level that map, buffers and timeline show; `None` where there is none.
    pub level: Option<String>,
    /// What the log shows, as typed.
    pub filter: String,
    /// Bookmarked places by letter.
    pub bookmarks: BTreeMap<char, Place>,
    /// Conditions at which playing stops, as typed.
    #[serde(default)]
    pub stops: Vec<String>,
}

/// A step that is found again in another plan of the graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Place {
    /// The step, from 0.
    pub step: usize,
    /// The id of the node that runs there, or next; `None` behind the last.
    pub node: Option<u64>,
}

impl Place {
    /// The place of a step.
    pub(super) fn of(trace: &Trace, step: usize) -> Self {
        Self { step, node: node_at(trace, step) }
    }

    /// The step at which it is in `trace`: the same step where the same node runs there, else that of the node, else as
    /// near as can be.
    pub(super) fn find(self, trace: &Trace) -> usize {
        if self.step < trace.step_count() && node_at(trace, self.step) == self.node {
            return self.step;
        }
        let node = self.node.and_then(|id| trace.problem.graph.find_node(id));
        let step = node.and_then(|node| trace.step_of(node)).unwrap_or(self.step);
        step.min(trace.step_count().saturating_sub(1))
    }
}

/// The id of the node that runs at `step`; during a spill, of the one that the spill stands before.
pub(super) fn node_at(trace: &Trace, step: usize) -> Option<u64> {
    (step..trace.step_count()).find_map(|step| match trace.step(step) {
        Some(Step::Node(node)) => Some(trace.problem.graph.node(node).id),
        _ => None,
    })
}

impl App {
    /// What is set now, to be kept.
    pub fn kept(&self) -> Kept {
        let trace = self.trace();
        let levels = &trace.problem.machine.levels;
        Kept {
            theme: self.prefs.theme,
            at: Place::of(trace, self.step),
            focus: self.focus,
            enlarged: self.enlarged,
            level: levels.get(self.level.at()).map(|level| level.name.raw().to_owned()),
            filter: self.filter.text.clone(),
            bookmarks: self.bookmarks.iter().map(|(&letter, &step)| (letter, Place::of(trace, step))).collect(),
            stops: self.stops().iter().map(ToString::to_string).collect(),
        }
    }

    /// Sets what was kept. What this graph does not have (a level, a failure) stays as it is.
    pub fn restore(&mut self, kept: &Kept) {
        let session = std::sync::Arc::clone(&self.session);
        let trace = &session.trace;
        self.prefs.theme = kept.theme;
        let levels = &trace.problem.machine.levels;
        let level = levels.iter().position(|level| kept.level.as_deref() == Some(level.name.raw()));
        self.level = level.map_or(self.level, LevelIx::new);
        self.filter = Filter::new(&kept.filter, &trace.problem);
        self.bookmarks = kept.bookmarks.iter().map(|(&letter, place)| (letter, place.find(trace))).collect();
        self.set_stops(kept.stops.iter().filter_map(|text| text.parse().ok()).collect());
        self.notice = None;
        self.go(kept.at.find(trace));
        if kept.focus != Pane::Failure || self.has_failure() {
            self.focus_on(kept.focus);
            self.enlarged = kept.enlarged && Class::of(self.size) != Class::Tiny;
        }
        self.refresh();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::app::{Command, Prefs, update};
    use crate::input::read_graph;
    use crate::model::{Machine, Options, Order, Problem};
    use crate::session::{Extras, Session};
    use std::sync::Arc;

    /// A sample with that capacity of L1.
    fn sample(name: &str, capacity: u64) -> App {
        let path = format!("{}/samples/{name}.json", env!("CARGO_MANIFEST_DIR"));
        let mut machine = Machine::npu();
        machine.levels[0].capacity = capacity;
        let problem = Problem::new(Arc::new(read_graph(&path).expect("sound")), machine).expect("it has every level");
        let extras = Extras { fractional_bound: false, remedies: false };
        let session = Session::plan(problem, Options::classic(Order::Program), extras).expect("it has an order");
        App::new(Arc::new(session), Prefs::default())
    }

    #[test]
    fn what_was_set_is_there_again() {
        let mut app = sample("thrash", 4096);
        update(&mut app, Command::Resize(130, 40));
        let spill = app.trace().step_count() / 2;
        app.go(spill);
        for command in [Command::SetMark, Command::Letter('a'), Command::Theme, Command::Enlarge] {
            update(&mut app, command);
        }
        let kept = app.kept();
        let text = serde_json::to_string(&kept).expect("it has a text");
        let read: Kept = serde_json::from_str(&text).expect("the same");
        assert_eq!(read, kept);
        let mut again = sample("thrash", 4096);
        update(&mut again, Command::Resize(130, 40));
        again.restore(&kept);
        assert_eq!(again.kept(), kept);
        assert_eq!((again.step(), again.bookmarks().get(&'a')), (spill, Some(&spill)));
    }

    #[test]
    fn in_another_plan_a_place_is_found_by_its_node() {
        let (narrow, wide) = (sample("thrash", 4096), sample("thrash", 1 << 30));
        let (from, to) = (narrow.trace(), wide.trace());
        assert!(to.step_count() < from.step_count(), "the narrow one spills");
        for step in 0..from.step_count() {
            let found = Place::of(from, step).find(to);
            assert_eq!(node_at(to, found), node_at(from, step), "step {step}");
        }
        let behind = Place { step: usize::MAX, node: None };
        assert_eq!(behind.find(to), to.step_count() - 1);
        let unknown = Place { step: 3, node: Some(u64::MAX) };
        assert_eq!(unknown.find(to), 3);
    }
}
