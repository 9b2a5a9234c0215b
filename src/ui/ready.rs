//! The ready queue: operations that wait for nothing but their turn and their buffers' places. Slack comes from
//! dependencies and durations alone: how much later an operation may start without making the longest chain longer.
//! Where a scheduler decided, the queue stands in the order of its last decision, with how each fared.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::text::{empty, left, put, put_row, right};
use super::theme::{Look, Sign};
use crate::app::queue::{self, QueuedOp};
use crate::app::rows::{self, Missing};
use crate::app::{App, Pane};
use crate::model::Standing;
use crate::output::labels::{buffer_id, node_id, node_label};
use crate::output::numbers::grouped;
use crate::output::quantities::{duration, moment, size};
use crate::trace::Wait;

/// What stands above the pane.
pub fn title(app: &App) -> (String, String) {
    let count = app.trace().ready().count(app.step() as u32);
    let waiting = app.trace().waits().open_at(app.position()) as u64;
    let waits = if waiting == 0 { String::new() } else { format!("W {} · ", grouped(waiting)) };
    (format!("Ready ({})", grouped(count as u64)), format!("{waits}! critical"))
}

/// Draws the pane.
pub fn draw(app: &App, look: Look, area: Rect, buf: &mut Buffer) {
    let all = app.trace().ready().count(app.step() as u32);
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
    let columns = columns(app, usize::from(area.width));
    put(buf, area, 0, heading(&columns, look));
    let rooms = rows::rooms(app.trace(), app.state());
    for (row, queued) in queue::ready(app.trace(), app.step(), top, height).into_iter().enumerate() {
        let line = line(app, look, &columns, &rooms, queued);
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

fn columns(app: &App, width: usize) -> Columns {
    if app.trace().problem.graph.by_name() {
        // A name is shorter than id and kind, a wait says since when itself, and slack is what a scheduler goes by.
        let (slack, since) = (width >= 36, width >= 96);
        let others = 46 + 9 * (usize::from(slack) + usize::from(since));
        return Columns { name: width.saturating_sub(others).clamp(11, 30), slack, since };
    }
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

fn line(app: &App, look: Look, columns: &Columns, rooms: &[Option<u64>], queued: QueuedOp) -> Line<'static> {
    let trace = app.trace();
    let op = queued.op;
    let new = op.since as usize == app.step();
    let style = if new { look.strong() } else { look.text() };
    let runs =
        op.runs.map_or_else(|| "never".to_owned(), |at| format!("+{}", grouped(u64::from(at) - app.step() as u64)));
    let label = node_label(&trace.problem.graph, op.node);
    let whole = label.width() <= columns.name;
    let name = left(&if whole { label } else { node_id(&trace.problem.graph, op.node) }, columns.name);
    let critical = app.session().starts.slack(op.node) == 0;
    let mark = if critical { "!" } else { " " };
    let mut spans = vec![
        Span::styled(mark, look.strong()),
        Span::styled(name, style),
        Span::styled(format!(" {}", right(&runs, 7)), look.dim()),
    ];
    if columns.slack {
        spans.push(Span::styled(right(&slack_text(app, queued, critical), 9), look.dim()));
    }
    if columns.since {
        spans.push(Span::styled(right(&op.since.to_string(), 9), look.dim()));
    }
    spans.push(Span::raw(" "));
    spans.extend(state(app, look, rooms, queued));
    Line::from(spans)
}

/// The slack of the last decision; before one, that by dependencies alone.
fn slack_text(app: &App, queued: QueuedOp, critical: bool) -> String {
    let slack = queued.last.map_or_else(|| app.session().starts.slack(queued.op.node), |(_, slack)| slack);
    match slack {
        0 if critical => "crit".into(),
        0 => "none".into(),
        _ => duration(&app.trace().problem, slack),
    }
}

/// What keeps it from running: memory, the scheduler, the buffers that must come first, or its turn alone.
fn state(app: &App, look: Look, rooms: &[Option<u64>], queued: QueuedOp) -> Vec<Span<'static>> {
    let missing = rows::missing(app.trace(), app.state(), rooms, queued.op.node);
    // With all its buffers in place it waits no more, whenever the waking is told.
    if missing.is_empty() {
        return vec![Span::styled("its turn", look.dim())];
    }
    if let Some(wait) = app.trace().waits().of(queued.op.node, app.position()) {
        return vec![Span::styled("W ", look.sign(Sign::Wait)), Span::styled(wait_text(app, wait), look.text())];
    }
    match queued.last {
        Some((Standing::LetPass, _)) => return vec![Span::styled("lets lighter ones pass", look.text())],
        Some((Standing::HeldBack, _)) => return vec![Span::styled("held back", look.text())],
        Some((Standing::Behind, _)) => return vec![Span::styled("its turn", look.dim())],
        _ => {}
    }
    let mut spans = Vec::new();
    for (at, missing) in missing.iter().enumerate() {
        if at > 0 {
            spans.push(Span::raw(", "));
        }
        spans.extend(wait(app, look, *missing));
    }
    spans
}

/// `24.0 MB, 10.0 MB free, since step 40`, the most wanted first.
fn wait_text(app: &App, wait: &Wait) -> String {
    let problem = &app.trace().problem;
    let level = problem.level(wait.level);
    let (need, room) = (size(level, wait.need), size(level, wait.room));
    let since = match wait.cycles {
        Some((since, _)) => moment(problem, since),
        None => format!("step {}", app.trace().step_at(wait.began as usize + 1)),
    };
    if wait.room >= wait.need {
        format!("{need}, held back of {room}, since {since}")
    } else {
        format!("{need}, {room} free, since {since}")
    }
}

/// A buffer that must come first; `W` where it finds no room now.
fn wait(app: &App, look: Look, missing: Missing) -> Vec<Span<'static>> {
    let problem = &app.trace().problem;
    let level = problem.level(problem.level_of(missing.buf));
    let size = size(level, problem.graph.buffer(missing.buf).size);
    let out = if missing.out { " out" } else { "" };
    // By name, the operation's own output would only repeat its name; only inputs of the graph have another.
    let text = if problem.graph.by_name() {
        let input = problem.graph.buffer(missing.buf).backed;
        if input { format!("{size} for {}", buffer_id(&problem.graph, missing.buf)) } else { size }
    } else {
        format!("{}{out} {size} {}", buffer_id(&problem.graph, missing.buf), level.name)
    };
    match missing.fits {
        Some(false) => vec![Span::styled("W ", look.sign(Sign::Wait)), Span::styled(text, look.text())],
        Some(true) => vec![Span::styled(text, look.dim())],
        None => vec![Span::styled(format!("{text}?"), look.dim())],
    }
}
