//! The ready queue: operations that wait for nothing but their turn and their buffers' places. Slack comes from
//! dependencies and durations alone: how many cycles later an operation may start without making the longest chain longer.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::text::{empty, left, put, put_row, right};
use super::theme::{Look, Sign};
use crate::app::rows::{self, Missing};
use crate::app::{App, Pane};
use crate::output::labels::{buffer_id, node_id, node_label};
use crate::output::numbers::grouped;
use crate::trace::ReadyOp;

/// What stands above the pane.
pub fn title(app: &App) -> (String, String) {
    let count = app.trace().ready().count(app.step() as u32);
    (format!("Ready ({})", grouped(count as u64)), "! critical".into())
}

/// Draws the pane.
pub fn draw(app: &App, look: Look, area: Rect, buf: &mut Buffer) {
    let ready = app.trace().ready();
    let step = app.step() as u32;
    let all = ready.count(step);
    if all == 0 {
        return empty(
            buf,
            area,
            "Operations whose inputs are done would be here: none is ready after this step.",
            look.dim(),
        );
    }
    let height = rows::table_rows(area.height, all);
    let selected = app.rows().ready.min(all - 1);
    let top = rows::first_row(selected, height);
    let columns = columns(usize::from(area.width));
    put(buf, area, 0, heading(&columns, look));
    let holes = rows::largest_holes(app.trace(), app.state());
    for (row, op) in ready.list(step, top, height).into_iter().enumerate() {
        let line = line(app, look, &columns, &holes, op);
        if top + row == selected && app.focus() == Pane::Ready {
            put_row(buf, area, row + 1, line, look.selected());
        } else {
            put(buf, area, row + 1, line);
        }
    }
    let below = all.saturating_sub(top + height);
    if below > 0 {
        put(
            buf,
            area,
            usize::from(area.height) - 1,
            Span::styled(format!("… {} more", grouped(below as u64)), look.dim()),
        );
    }
}

/// Columns: whether it is critical, the operation, in how many steps it runs, its slack and since when it is ready
/// (where there is room), what it waits for.
struct Columns {
    name: usize,
    slack: bool,
    since: bool,
}

fn columns(width: usize) -> Columns {
    let (slack, since) = (width >= 44, width >= 60);
    // What it waits for reads like `W b34 256 UB`, and has the rest beyond the name.
    let others = 23 + 9 * (usize::from(slack) + usize::from(since));
    Columns { name: width.saturating_sub(others).clamp(11, 30), slack, since }
}

fn heading(columns: &Columns, look: Look) -> Line<'static> {
    let slack = if columns.slack { right("slack", 9) } else { String::new() };
    let since = if columns.since { right("since", 9) } else { String::new() };
    let name = left("operation", columns.name);
    Line::styled(format!(" {name} {}{slack}{since} waits for", right("runs in", 7)), look.dim())
}

fn line(app: &App, look: Look, columns: &Columns, holes: &[Option<u64>], op: ReadyOp) -> Line<'static> {
    let trace = app.trace();
    let new = op.since as usize == app.step();
    let style = if new { look.strong() } else { look.text() };
    let runs =
        op.runs.map_or_else(|| "never".to_owned(), |at| format!("+{}", grouped(u64::from(at) - app.step() as u64)));
    let label = node_label(&trace.problem.graph, op.node);
    let whole = label.width() <= columns.name;
    let name = left(&if whole { label } else { node_id(&trace.problem.graph, op.node) }, columns.name);
    let slack = app.session().starts.slack(op.node);
    let mark = if slack == 0 { "!" } else { " " };
    let mut spans = vec![
        Span::styled(mark, look.strong()),
        Span::styled(name, style),
        Span::styled(format!(" {}", right(&runs, 7)), look.dim()),
    ];
    if columns.slack {
        let slack = if slack == 0 { "crit".to_owned() } else { grouped(slack) };
        spans.push(Span::styled(right(&slack, 9), look.dim()));
    }
    if columns.since {
        spans.push(Span::styled(right(&op.since.to_string(), 9), look.dim()));
    }
    spans.push(Span::raw(" "));
    let missing = rows::missing(trace, app.state(), holes, op.node);
    if missing.is_empty() {
        spans.push(Span::styled("its turn", look.dim()));
    }
    for (at, missing) in missing.iter().enumerate() {
        if at > 0 {
            spans.push(Span::raw(", "));
        }
        spans.extend(wait(app, look, *missing));
    }
    Line::from(spans)
}

/// A buffer that must come first; `W` where it finds no room now.
fn wait(app: &App, look: Look, missing: Missing) -> Vec<Span<'static>> {
    let problem = &app.trace().problem;
    let level = &problem.level(problem.level_of(missing.buf)).name;
    let size = grouped(problem.graph.buffer(missing.buf).size);
    let out = if missing.out { " out" } else { "" };
    let text = format!("{}{out} {size} {level}", buffer_id(&problem.graph, missing.buf));
    match missing.fits {
        Some(false) => vec![Span::styled("W ", look.sign(Sign::Wait)), Span::styled(text, look.text())],
        Some(true) => vec![Span::styled(text, look.dim())],
        None => vec![Span::styled(format!("{text}?"), look.dim())],
    }
}
