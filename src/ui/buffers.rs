//! Buffers: the live ones as a table, or the story of one.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::moved;
use super::text::{empty, left, put, put_row, right};
use super::theme::{Look, Sign, letter};
use crate::app::moved::BufferOrder;
use crate::app::rows::{self, NextUse};
use crate::app::{App, Change, Pane, Story};
use crate::model::BufIx;
use crate::output::labels::{buffer_id, buffer_label};
use crate::output::numbers::{counted, grouped};
use crate::output::quantities::{exact_size, size};
use crate::trace::Place;

/// What stands above the pane.
pub fn title(app: &App) -> (String, String) {
    if let Some(story) = app.story() {
        let name = buffer_label(&app.trace().problem.graph, story.buf);
        return (format!("Story of {name}"), "Esc: table".into());
    }
    if app.buffer_order() == BufferOrder::Moved {
        return moved::title(app);
    }
    let (live, out) = (app.state().live_count(), app.state().out().len());
    let level = app.trace().problem.level(app.level());
    let rest = if level.pool().is_some() {
        format!("{} live", size(level, app.state().level(app.level()).used))
    } else {
        format!("{} of them out", grouped(out as u64))
    };
    (format!("Buffers ({})", grouped(live as u64)), rest)
}

/// Draws the pane.
pub fn draw(app: &App, look: Look, area: Rect, buf: &mut Buffer) {
    match app.story() {
        Some(story) => draw_story(app, look, story, area, buf),
        None if app.buffer_order() == BufferOrder::Moved => moved::draw(app, look, area, buf),
        None => draw_table(app, look, area, buf),
    }
}

/// Which columns there is room for, beside letter and name.
struct Columns {
    name: usize,
    place: bool,
    since: bool,
    backed: bool,
}

fn columns(width: usize) -> Columns {
    let (place, since, backed) = (width >= 38, width >= 60, width >= 52);
    let fixed = 2 + 7 + 9 + 11 * usize::from(place) + 8 * usize::from(since) + 8 * usize::from(backed);
    Columns { name: width.saturating_sub(fixed).clamp(4, 24), place, since, backed }
}

/// Whether the table counts readers to come, as a pool does, in place of what is backed.
fn counts_readers(app: &App) -> bool {
    app.trace().problem.level(app.level()).pool().is_some()
}

fn heading(app: &App, columns: &Columns, look: Look) -> Line<'static> {
    let optional = |shown: bool, text: String| if shown { text } else { String::new() };
    let text = [
        format!("  {}", left("buffer", columns.name)),
        right("size", 7),
        optional(columns.place, format!(" {}", left(if counts_readers(app) { "block" } else { "at" }, 11))),
        right("next use", if columns.place { 8 } else { 9 }),
        optional(columns.since, right("since", 8)),
        optional(columns.backed, if counts_readers(app) { " readers" } else { "  backed" }.into()),
    ];
    Line::styled(text.concat(), look.dim())
}

fn draw_table(app: &App, look: Look, area: Rect, buf: &mut Buffer) {
    let all = app.state().live_count();
    if all == 0 {
        return empty(
            buf,
            area,
            "Buffers between their ALLOC and their FREE would be here: none is alive.",
            look.dim(),
        );
    }
    let height = rows::table_rows(area.height, all);
    let selected = app.rows().buffers.min(all - 1);
    let top = rows::first_row(selected, height);
    let columns = columns(usize::from(area.width));
    put(buf, area, 0, heading(app, &columns, look));
    let live = rows::live_buffers(app.trace(), app.state(), app.level(), top, height);
    for (row, &buffer) in live.rows.iter().enumerate() {
        let line = table_line(app, look, &columns, buffer);
        if app.focus() == Pane::Buffers && top + row == selected {
            put_row(buf, area, row + 1, line, look.selected());
        } else {
            put(buf, area, row + 1, line);
        }
    }
    rest(look, area, top, all.saturating_sub(top + live.rows.len()), buf);
}

/// Says in the last line how many rows there are beyond those shown.
pub(super) fn rest(look: Look, area: Rect, above: usize, below: usize, buf: &mut Buffer) {
    let text = match (above as u64, below as u64) {
        (0, 0) => return,
        (0, below) => format!("… {} more", grouped(below)),
        (above, 0) => format!("… {} above", grouped(above)),
        (above, below) => format!("… {} above, {} more", grouped(above), grouped(below)),
    };
    put(buf, area, usize::from(area.height).saturating_sub(1), Span::styled(text, look.dim()));
}

fn table_line(app: &App, look: Look, columns: &Columns, buf: BufIx) -> Line<'static> {
    let trace = app.trace();
    let problem = &trace.problem;
    let entry = problem.graph.buffer(buf);
    let change = app.change_of(buf);
    let sign = change.and_then(Sign::of_change);
    let style = match (sign, change) {
        (Some(sign), _) => look.sign(sign),
        (None, Some(_)) => look.strong(),
        (None, None) => look.text(),
    };
    let mark = match change {
        Some(Change::Placed) => "+".to_owned(),
        Some(Change::Pinned) => "*".to_owned(),
        _ => sign.map_or(" ".to_owned(), |sign| sign.letter().to_string()),
    };
    let name = left(&buffer_label(&problem.graph, buf), columns.name);
    let mut spans = vec![
        Span::styled(letter(trace, buf).to_string(), look.buffer(buf)),
        Span::styled(mark, style),
        Span::styled(name, style),
        Span::raw(right(&size(problem.level(problem.level_of(buf)), entry.size), 7)),
    ];
    if columns.place {
        spans.push(Span::raw(format!(" {}", left(&place(app, buf), 11))));
    }
    let next = match rows::next_use(trace, buf, app.step()) {
        NextUse::At(step) => step.to_string(),
        NextUse::Never => "never".into(),
        NextUse::Many(users) => format!("{} users", grouped(users as u64)),
    };
    spans.push(Span::styled(right(&next, if columns.place { 8 } else { 9 }), look.dim()));
    if columns.since {
        let since = rows::since(trace, buf, app.position()).map_or_else(String::new, |step| step.to_string());
        spans.push(Span::styled(right(&since, 8), look.dim()));
    }
    if columns.backed && counts_readers(app) {
        let left = rows::readers_left(trace, buf, app.position());
        let left = left.map_or_else(String::new, |left| grouped(u64::from(left)));
        spans.push(Span::styled(right(&left, 8), look.dim()));
    } else if columns.backed {
        spans.push(Span::styled(if entry.backed { "  backed" } else { "" }, look.dim()));
    }
    Line::from(spans)
}

/// `L1 @1536`, or that it is out; in a pool, whose addresses are virtual, the size of its block.
fn place(app: &App, buf: BufIx) -> String {
    let problem = &app.trace().problem;
    let entry = problem.level(problem.level_of(buf));
    let level = &entry.name;
    match app.state().place(buf) {
        Place::Resident(offset) if entry.pool().is_some() => {
            let block = app.state().level(problem.level_of(buf)).blocks.get(&offset);
            block.map_or_else(String::new, |&block| size(entry, block))
        }
        Place::Resident(offset) => format!("{level} @{offset}"),
        Place::Out => format!("{level} out"),
        Place::Absent => format!("{level} gone"),
    }
}

fn draw_story(app: &App, look: Look, story: &Story, area: Rect, buf: &mut Buffer) {
    let graph = &app.trace().problem.graph;
    let entry = graph.buffer(story.buf);
    let users = graph.users(story.buf).len() as u64;
    let backed =
        if entry.backed { "backed: main memory keeps a copy" } else { "not backed: going out must be written" };
    let level = app.trace().problem.level(app.trace().problem.level_of(story.buf));
    let (size, uses) = (exact_size(level, entry.size), counted(users, "use"));
    let head = if level.pool().is_some() {
        let readers = users.saturating_sub(u64::from(!entry.backed));
        // The id is what the plan's files call it.
        format!(" {} (b{}): {size}, {}", buffer_id(graph, story.buf), entry.id, counted(readers, "reader"))
    } else {
        format!(" {}: {size}, {uses}, {backed}", buffer_label(graph, story.buf))
    };
    put(
        buf,
        area,
        0,
        Line::from(vec![
            Span::styled(letter(app.trace(), story.buf).to_string(), look.buffer(story.buf)),
            Span::styled(head, look.dim()),
        ]),
    );
    let mut area = area;
    if let Some(totals) = story.totals.as_ref().filter(|_| area.height > 1) {
        put(buf, area, 1, Span::styled(format!("  {totals}"), look.strong()));
        area = Rect { y: area.y + 1, height: area.height - 1, ..area };
    }
    let all = story.lines.len();
    let height = rows::table_rows(area.height, all);
    let top = rows::first_row(app.rows().story, height);
    let digits = app.trace().step_count().to_string().len();
    for (row, line) in story.lines.iter().enumerate().skip(top).take(height) {
        let step = line.step.map_or_else(String::new, |step| step.to_string());
        let jump = match (line.jump, line.step) {
            (Some(jump), Some(step)) if jump > step => format!("(back at {jump}) "),
            (Some(jump), _) => format!("(out at {jump}) "),
            (None, _) => String::new(),
        };
        let here = line.step == Some(app.step());
        let past = line.step.is_some_and(|step| step <= app.step());
        let style = if here {
            look.accent().patch(look.strong())
        } else if past {
            look.text()
        } else {
            look.dim()
        };
        let marker = if here { "▸" } else { " " };
        let text = Line::styled(format!("{}{marker}{jump}{}", right(&step, digits), line.text), style);
        if row == app.rows().story && app.focus() == Pane::Buffers {
            put_row(buf, area, row - top + 1, text, style.patch(look.selected()));
        } else {
            put(buf, area, row - top + 1, text);
        }
    }
    rest(look, area, top, all.saturating_sub(top + height), buf);
}
