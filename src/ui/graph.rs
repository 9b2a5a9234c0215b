//! Graph: the node at hand between what it depends on and what depends on it.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::text::{empty, left, put, put_row, right};
use super::theme::Look;
use crate::app::graph::{Neighbour, Side};
use crate::app::layout::graph_areas;
use crate::app::{App, Pane, rows};
use crate::output::labels::{buffer_id, buffer_label, node_id, node_label};
use crate::output::numbers::grouped;
use crate::output::quantities::duration_words;

/// What stands above the pane.
pub fn title(app: &App) -> (String, String) {
    let graph = &app.trace().problem.graph;
    let edges = if graph.explicit_edges { "edges from the file" } else { "edges follow from the buffers" };
    (Pane::Graph.title().into(), edges.into())
}

/// Draws the pane.
pub fn draw(app: &App, look: Look, area: Rect, buf: &mut Buffer) {
    let view = app.graph();
    let Some(node) = view.node else {
        let text = "What a node depends on, and what depends on it, would be here: this step is about no node.";
        return empty(buf, area, text, look.dim());
    };
    let areas = graph_areas(area);
    let trace = app.trace();
    let step = trace.step_of(node).map_or_else(|| "never runs".into(), |step| format!("step {step}"));
    let title = Line::from(vec![
        Span::styled(format!(" {}", node_label(&trace.problem.graph, node)), look.accent().patch(look.strong())),
        Span::styled(format!("  {step}{}", facts(app)), look.dim()),
    ]);
    put(buf, areas.node, 0, title);
    let (pred, succ) = view.row();
    side(app, look, "depends on", &view.preds, pred, areas.preds, buf);
    side(app, look, "needed by", &view.succs, succ, areas.succs, buf);
    if areas.line.width > 0 {
        for y in areas.line.top()..areas.line.bottom() {
            put(buf, Rect { y, height: 1, ..areas.line }, 0, Span::styled("│", look.dim()));
        }
    }
}

/// How long the node takes and how long it could wait, and where the edges come from.
fn facts(app: &App) -> String {
    let (trace, Some(node)) = (app.trace(), app.graph().node) else { return String::new() };
    let graph = &trace.problem.graph;
    match graph.node(node).kind {
        crate::model::NodeKind::Op(op) => {
            let slack = app.session().starts.slack(node);
            let slack = if slack == 0 { "no slack".into() } else { format!("slack {}", grouped(slack)) };
            format!(" · {} · {slack}", duration_words(&trace.problem, op.cycles))
        }
        crate::model::NodeKind::Alloc(of) | crate::model::NodeKind::Free(of) => {
            format!(" · {}", buffer_label(graph, of))
        }
    }
}

fn side(app: &App, look: Look, what: &str, side: &Side, selected: Option<usize>, area: Rect, buf: &mut Buffer) {
    let digits = app.trace().step_count().to_string().len().max(4);
    let name = usize::from(area.width).saturating_sub(digits + 2 + THROUGH);
    let head = format!(" {what} ({})", grouped(side.all as u64));
    let head = if name >= 6 {
        format!("{}{}{}", left(&head, name + 1), left("through", THROUGH), right("step", digits))
    } else {
        head
    };
    put(buf, area, 0, Span::styled(head, look.dim()));
    if side.all == 0 {
        put(buf, area, 1, Span::styled("  nothing", look.dim()));
    }
    let height = rows::table_rows(area.height, side.all);
    let top = rows::first_row(selected.unwrap_or(0), height);
    for (row, neighbour) in side.rows.iter().enumerate().skip(top).take(height) {
        let chosen = selected == Some(row);
        let line = line(app, look, neighbour, chosen, name, digits);
        if chosen && app.focus() == Pane::Graph {
            put_row(buf, area, row - top + 1, line, look.selected());
        } else {
            put(buf, area, row - top + 1, line);
        }
    }
    let below = side.all.saturating_sub(top + height);
    if below > 0 {
        let rest = format!(" … {} more", grouped(below as u64));
        put(buf, area, usize::from(area.height).saturating_sub(1), Span::styled(rest, look.dim()));
    }
}

/// Columns of the buffer through which a node depends on another.
const THROUGH: usize = 8;

fn line(app: &App, look: Look, row: &Neighbour, chosen: bool, name: usize, digits: usize) -> Line<'static> {
    let graph = &app.trace().problem.graph;
    let label = node_label(graph, row.node);
    let label = if label.width() <= name { label } else { node_id(graph, row.node) };
    let marker = if chosen { "▸" } else { " " };
    let done = row.step.is_some_and(|step| step <= app.step());
    let style = if done { look.text() } else { look.dim() };
    let through = row.through.map_or_else(|| "-".into(), |buf| buffer_id(graph, buf));
    let step = row.step.map_or_else(|| "never".into(), |step| step.to_string());
    if name < 6 {
        return Line::styled(format!("{marker}{label}"), style);
    }
    Line::from(vec![
        Span::styled(format!("{marker}{}", left(&label, name)), style),
        Span::styled(left(&through, THROUGH - 1) + " ", row.through.map_or(Style::new(), |_| style)),
        Span::styled(right(&step, digits), look.dim()),
    ])
}
