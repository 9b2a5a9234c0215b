//! The memory map: addresses from left to right, steps from top to bottom.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::text::{cut, empty, left, put, right};
use super::theme::{Look, Sign, letter};
use crate::app::map::{Cell, MapRow, addresses, label_width};
use crate::app::{App, Change};
use crate::model::{BufIx, Leaving};
use crate::output::labels::{buffer_id, buffer_label};
use crate::output::numbers::grouped;
use crate::output::quantities::size;
use crate::trace::Place;

/// What stands above the pane.
pub fn title(app: &App) -> (String, String) {
    let level = app.trace().problem.level(app.level());
    let columns = usize::from(app.map().cells.width);
    if let Some(shown) = app.map().pool {
        let hidden =
            if shown.hidden == 0 { String::new() } else { format!(" · {} more blocks", grouped(shown.hidden as u64)) };
        let scale =
            if columns < 48 { String::new() } else { format!(" · a full row is {}", size(level, shown.units)) };
        return (format!("Map of {}", level.name), format!("blocks × steps{scale}{hidden}"));
    }
    let (_, column) = addresses(level.capacity, 0, columns);
    let scale = if columns < 48 { String::new() } else { format!(" · a column is {}", grouped(column)) };
    (format!("Map of {}", level.name), format!("addresses × steps{scale}"))
}

/// Draws the pane.
pub fn draw(app: &App, look: Look, area: Rect, buf: &mut Buffer) {
    let map = app.map();
    if map.rows.is_empty() {
        return empty(
            buf,
            area,
            "What each address holds, step by step, would be here: the plan has no step.",
            look.dim(),
        );
    }
    put(buf, area, 0, ruler(app, look, area));
    for (at, row) in map.rows.iter().enumerate() {
        put(buf, area, at + 1, line(app, look, row));
    }
    if map.legend {
        put(buf, area, usize::from(area.height) - 1, legend(app, look, usize::from(area.width)));
    }
}

/// Addresses above the columns where they stand.
fn ruler(app: &App, look: Look, area: Rect) -> Line<'static> {
    if app.map().pool.is_some() {
        return Line::styled(pool_key(usize::from(area.width)), look.dim());
    }
    let capacity = app.trace().problem.level(app.level()).capacity;
    let width = usize::from(app.map().cells.width);
    let every = grouped(capacity).len() + 4;
    let ticks = (width / every).clamp(1, 8);
    let mut text = String::new();
    for tick in 0..ticks {
        let column = width * tick / ticks;
        let address = addresses(capacity, column, width).0;
        text = left(&text, column) + &grouped(address);
    }
    let end = grouped(capacity);
    if text.width() + end.width() < width {
        text = left(&text, width - end.width()) + &end;
    }
    let label = usize::from(label_width(app.trace().step_count()).min(area.width));
    Line::styled(format!("{}{text}", " ".repeat(label)), look.dim())
}

/// What the shadings of a pool's blocks say, the longest that fits.
fn pool_key(width: usize) -> &'static str {
    let keys = [
        " [a] taken now  a in use  ▒ given back now  ░ idle  × dropped",
        " a in use ▒ given back ░ idle × dropped",
        " ▒ given back ░ idle × dropped",
        " ░ idle",
    ];
    keys.into_iter().find(|key| key.width() <= width).unwrap_or("")
}

fn line(app: &App, look: Look, row: &MapRow) -> Line<'static> {
    let here = row.step == app.step();
    let sign = Sign::of_run(app.trace().run(row.step));
    let number = usize::from(label_width(app.trace().step_count())) - 3;
    let style = if here { look.accent().patch(look.strong()) } else { look.dim() };
    let mut spans = vec![
        Span::styled(right(&row.step.to_string(), number), style),
        Span::styled(if here { "▸" } else { " " }, style),
        sign.map_or(Span::raw(" "), |sign| Span::styled(sign.letter().to_string(), look.sign(sign))),
        Span::raw(" "),
    ];
    for run in row.cells.chunk_by(|a, b| a == b) {
        cells(app, look, run[0], run.len(), here, &mut spans);
    }
    Line::from(spans)
}

/// A stretch of columns that hold the same.
fn cells(app: &App, look: Look, cell: Cell, width: usize, here: bool, spans: &mut Vec<Span<'static>>) {
    match cell {
        Cell::Free => spans.push(Span::styled("·".repeat(width), look.dim())),
        Cell::Left(buf, Leaving::Out) => {
            spans.push(Span::styled(spilled_text(app, buf, width, here), look.sign(Sign::Spill)));
        }
        Cell::Dropped => spans.push(Span::styled("×".repeat(width), look.dim())),
        Cell::Left(_, Leaving::Free) if app.map().pool.is_some() => {
            spans.push(Span::styled("▒".repeat(width), look.text()));
        }
        Cell::Idle | Cell::Left(_, Leaving::Free) => spans.push(Span::styled("░".repeat(width), look.dim())),
        Cell::Held(buf) | Cell::Placed(buf) => {
            let placed = matches!(cell, Cell::Placed(_));
            let style = held_style(app, look, buf, here, placed && width == 1);
            spans.push(Span::styled(held_text(app, buf, width, here, placed), style));
        }
    }
}

fn held_style(app: &App, look: Look, buf: BufIx, here: bool, narrow_placed: bool) -> Style {
    let mut style = look.buffer(buf);
    if here && app.change_of(buf) == Some(Change::Pinned) {
        style = style.add_modifier(Modifier::UNDERLINED | Modifier::BOLD);
    }
    if app.selected_buffer() == Some(buf) || narrow_placed {
        style = style.add_modifier(Modifier::REVERSED);
    }
    style
}

/// The sign of a spill, in the playhead's row with the id of who left, and shading.
fn spilled_text(app: &App, buf: BufIx, width: usize, here: bool) -> String {
    let id = buffer_id(&app.trace().problem.graph, buf);
    let text = if here && width >= id.len() + 4 { format!("S {id} ") } else { "S".into() };
    let rest = width.saturating_sub(text.width());
    text + &"░".repeat(rest)
}

/// Letters, the id among them in the playhead's row, and brackets around what the step placed.
fn held_text(app: &App, buf: BufIx, width: usize, here: bool, placed: bool) -> String {
    let fill = letter(buf).to_string();
    let mut text: Vec<char> = fill.repeat(width).chars().collect();
    if let Some(id) = shown_id(app, buf, width).filter(|_| here) {
        let length = id.chars().count();
        let start = (width - length) / 2;
        text.splice(start - 1..=start + length, format!(" {id} ").chars());
    }
    if placed && width >= 2 {
        (text[0], text[width - 1]) = ('[', ']');
    }
    text.into_iter().collect()
}

/// What a buffer is called inside of so many columns, with a letter at each side: its id, or as much of its name as
/// there is room for. Names of wide characters would not keep the columns.
fn shown_id(app: &App, buf: BufIx, width: usize) -> Option<String> {
    let graph = &app.trace().problem.graph;
    let id = buffer_id(graph, buf);
    let room = width.checked_sub(4)?;
    let id = if graph.by_name() && room >= LEAST_NAME { cut(&id, room) } else { id };
    (id.width() <= room && id.width() == id.chars().count()).then_some(id)
}

/// Less of a name says nothing.
const LEAST_NAME: usize = 4;

/// Which letter is which buffer: those that the step is about first, also where they have just left or find no
/// room, then the other residents by address.
fn legend(app: &App, look: Look, width: usize) -> Line<'static> {
    let residents = &app.state().level(app.level()).by_address;
    let graph = &app.trace().problem.graph;
    let changed = changed_here(app);
    let absent = changed.iter().filter(|&&buf| !matches!(app.state().place(buf), Place::Resident(_))).count();
    let all = residents.len() + absent;
    let others = residents.values().copied().filter(|buf| !changed.contains(buf));
    let mut spans: Vec<Span<'static>> = Vec::new();
    let mut room = width;
    for (at, buf) in changed.iter().copied().chain(others).enumerate() {
        let units = size(app.trace().problem.level(app.level()), graph.buffer(buf).size);
        let text = format!(" {} {units}  ", buffer_label(graph, buf));
        let rest = all - at;
        let more = if rest > 1 { format!("… {rest} more").len() } else { 0 };
        if text.width() + 1 + more > room {
            spans.push(Span::styled(format!("… {rest} more"), look.dim()));
            break;
        }
        room -= text.width() + 1;
        spans.extend([Span::styled(letter(buf).to_string(), look.buffer(buf)), Span::styled(text, look.dim())]);
    }
    if all == 0 {
        spans.push(Span::styled("· free   ░ just left   [ ] just placed", look.dim()));
    }
    Line::from(spans)
}

/// More than this would not fit into the legend anyway.
const MOST_NAMED: usize = 8;

/// The buffers of the level that the step is about, each once.
fn changed_here(app: &App) -> Vec<BufIx> {
    let mut found = Vec::new();
    for &(buf, _) in app.changes() {
        if found.len() < MOST_NAMED && app.trace().problem.level_of(buf) == app.level() && !found.contains(&buf) {
            found.push(buf);
        }
    }
    found
}
