//! The node at hand with its predecessors and successors, to walk along the edges of the graph.

use super::command::Dir;
use super::{App, Pane, Subject, rows};
use crate::model::{BufIx, Event, NodeIx, Step};
use crate::trace::Trace;

/// A node at the other end of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbour {
    /// The node.
    pub node: NodeIx,
    /// The step that runs it, if the plan gets so far.
    pub step: Option<usize>,
    /// The first buffer that both name, through which one depends on the other.
    pub through: Option<BufIx>,
}

/// One side of the node: as many neighbours as a table holds, by step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Side {
    /// The neighbours, those that the plan does not get to last.
    pub rows: Vec<Neighbour>,
    /// How many there are, listed or not.
    pub all: usize,
}

/// What the pane shows.
#[derive(Clone, Debug, Default)]
pub struct GraphView {
    /// Whose neighbours these are; `None` where the step is about no node.
    pub node: Option<NodeIx>,
    /// What must be done before it.
    pub preds: Side,
    /// What waits for it.
    pub succs: Side,
    /// The selected row: predecessors from 0, then successors.
    pub selected: usize,
}

impl GraphView {
    fn of(trace: &Trace, node: Option<NodeIx>) -> Self {
        let Some(node) = node else { return Self::default() };
        let graph = &trace.problem.graph;
        let preds = side(trace, node, graph.preds(node));
        let succs = side(trace, node, graph.succs(node));
        // One walks with the data first.
        let selected = if succs.rows.is_empty() { 0 } else { preds.rows.len() };
        Self { node: Some(node), preds, succs, selected }
    }

    /// The selected neighbour.
    pub fn neighbour(&self) -> Option<&Neighbour> {
        self.preds.rows.iter().chain(&self.succs.rows).nth(self.selected)
    }

    /// The selected row among the predecessors, or among the successors.
    pub fn row(&self) -> (Option<usize>, Option<usize>) {
        match self.selected.checked_sub(self.preds.rows.len()) {
            None => (Some(self.selected), None),
            Some(row) if row < self.succs.rows.len() => (None, Some(row)),
            Some(_) => (None, None),
        }
    }
}

fn side(trace: &Trace, node: NodeIx, others: impl Iterator<Item = NodeIx>) -> Side {
    let mut others = others;
    let mut rows: Vec<Neighbour> = others
        .by_ref()
        .take(rows::MOST_ROWS)
        .map(|other| Neighbour {
            node: other,
            step: trace.step_of(other),
            through: trace.problem.graph.shared_buffer(node, other),
        })
        .collect();
    rows.sort_unstable_by_key(|row| (row.step.unwrap_or(usize::MAX), row.node));
    let all = rows.len() + others.count();
    Side { rows, all }
}

/// Spills in a row that are looked past for the node that they make room for or bring operands to.
const MOST_SPILLS: usize = 1000;

impl App {
    /// The neighbours of the node at hand.
    pub fn graph(&self) -> &GraphView {
        &self.graph
    }

    /// The selected node; else that of the step, or of the next one after spills.
    fn node_of_graph(&self) -> Option<NodeIx> {
        if let Some(Subject::Node(node)) = self.selected {
            return Some(node);
        }
        (self.step..self.trace().step_count()).take(MOST_SPILLS).find_map(|step| match self.trace().step(step) {
            Some(Step::Node(node)) => Some(node),
            Some(Step::Out(_) | Step::Back(_)) => None,
            None => self.failing_node(step),
        })
    }

    /// The node for which the plan had no answer.
    fn failing_node(&self, step: usize) -> Option<NodeIx> {
        self.trace().run(step).iter().find_map(|event| match *event {
            Event::Failed { node, .. } => Some(node),
            _ => None,
        })
    }

    /// Brings the pane in line with the rest of the state, while it is to be seen.
    pub(super) fn refresh_graph(&mut self) {
        if self.layout.rect(Pane::Graph).is_none() {
            return;
        }
        let node = self.node_of_graph();
        if self.graph.node != node || node.is_none() {
            self.graph = GraphView::of(&self.session.trace, node);
        }
    }

    pub(super) fn graph_row(&mut self, dir: Dir, count: usize) {
        let most = (self.graph.preds.rows.len() + self.graph.succs.rows.len()).saturating_sub(1);
        self.graph.selected = match dir {
            Dir::Forward => self.graph.selected.saturating_add(count).min(most),
            Dir::Back => self.graph.selected.saturating_sub(count),
        };
    }

    /// To the step of the selected neighbour; where the plan does not get so far, the walk goes on without a step.
    pub(super) fn enter_graph(&mut self) {
        let Some(&Neighbour { node, step, .. }) = self.graph.neighbour() else {
            return self.say("no edge leads from here");
        };
        let Some(step) = step else {
            self.selected = Some(Subject::Node(node));
            return self.say("the plan ends before this node runs");
        };
        self.selected = None;
        self.jump(step);
    }

    /// A click into the pane: a neighbour is selected, the selected one is gone to.
    pub(super) fn click_graph(&mut self, x: u16, y: u16) {
        let content = self.layout.content(Pane::Graph);
        let areas = super::layout::graph_areas(content);
        let (preds, succs) = (&self.graph.preds, &self.graph.succs);
        let sides = [(areas.preds, 0, preds), (areas.succs, preds.rows.len(), succs)];
        let at = ratatui::layout::Position { x, y };
        let Some((area, first, side)) = sides.into_iter().find(|(area, ..)| area.contains(at) && y > area.y) else {
            return;
        };
        let selected = self.graph.selected.checked_sub(first).filter(|&row| row < side.rows.len());
        let top = rows::first_row(selected.unwrap_or(0), rows::table_rows(area.height, side.all));
        let row = top + usize::from(y - area.y) - 1;
        if selected == Some(row) {
            self.enter_graph();
        } else if row < side.rows.len() {
            self.graph.selected = first + row;
        }
    }
}
