//! The panes, and what is said of where they stand. The same layout serves `update` (what did the mouse hit, how
//! many rows fit) and drawing.

use ratatui::layout::Rect;
use serde::{Deserialize, Serialize};

/// A pane of the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Pane {
    /// A bar for each level.
    Levels,
    /// What was done, why, who else was considered, what comes next.
    Step,
    /// Addresses × steps of the focused level.
    Map,
    /// The ready queue.
    Ready,
    /// Lanes of the units over cycles.
    Units,
    /// Live buffers, or the story of one.
    Buffers,
    /// The log.
    Events,
    /// Occupancy of the focused level over the whole plan.
    Timeline,
    /// Predecessors and successors of the node at hand.
    Graph,
    /// The diagnosis; there only where planning failed.
    Failure,
}

impl Pane {
    /// What stands above it.
    pub fn title(self) -> &'static str {
        match self {
            Self::Levels => "Levels",
            Self::Step => "This step",
            Self::Map => "Map",
            Self::Ready => "Ready",
            Self::Units => "Units",
            Self::Buffers => "Buffers",
            Self::Events => "Events",
            Self::Timeline => "Timeline",
            Self::Graph => "Graph",
            Self::Failure => "Failure",
        }
    }

    /// The same where there is little room.
    pub fn short(self) -> &'static str {
        match self {
            Self::Step => "Step",
            Self::Failure => "Fail",
            Self::Buffers => "Bufs",
            Self::Events => "Log",
            _ => self.title(),
        }
    }

    /// The first letters, where there is least room.
    pub fn shortest(self) -> &'static str {
        &self.short()[..3]
    }
}

/// How much room there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// All panes.
    Full,
    /// Levels, map and timeline; the rest as tabs in a right column.
    Tabs,
    /// Levels, one pane (a tab), timeline.
    Narrow,
    /// One line that says what size it wants.
    Tiny,
}

/// Where everything stands. Rectangles include the panes' borders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    /// How much room there is.
    pub class: Class,
    /// The title line.
    pub title: Rect,
    /// The caption of a lesson; empty where there is none.
    pub caption: Rect,
    /// The panes that are visible, in the order of Tab.
    pub panes: Vec<(Pane, Rect)>,
    /// The names of the panes that share one place, and where the names stand; the visible one is in `panes`.
    pub tabs: Vec<(Pane, Rect)>,
    /// The footer: likely next keys, or the prompt.
    pub footer: Rect,
}

impl Layout {
    /// Where `pane` stands, if it is visible.
    pub fn rect(&self, pane: Pane) -> Option<Rect> {
        self.panes.iter().find(|(visible, _)| *visible == pane).map(|(_, rect)| *rect)
    }

    /// Where a panel stands that must leave map, levels and timeline in sight: over what shares a place, else over the
    /// right half.
    pub fn panel(&self) -> Rect {
        let tab = self.tabs.iter().find_map(|(pane, _)| self.rect(*pane)).or_else(|| self.rect(Pane::Step));
        let body = self.panes.first().map_or(Rect::ZERO, |(_, rect)| *rect);
        match (tab, self.panes.len()) {
            (Some(rect), 2..) => rect,
            _ if body.width < 80 => body,
            _ => Rect { x: body.x + body.width / 2, width: body.width - body.width / 2, ..body },
        }
    }

    /// The visible pane at that cell.
    pub fn pane_at(&self, x: u16, y: u16) -> Option<Pane> {
        let at = ratatui::layout::Position { x, y };
        let inside = |pane: &Pane| self.content(*pane).contains(at);
        let on_a_line = || self.panes.iter().find(|(_, rect)| rect.contains(at));
        // Lines are shared: what stands inside comes first.
        self.panes.iter().find(|(pane, _)| inside(pane)).or_else(on_a_line).map(|(pane, _)| *pane)
    }
}
