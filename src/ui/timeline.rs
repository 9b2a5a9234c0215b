//! The timeline: how full the focused level is over the plan, and where things happened.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Span;

use super::text::{empty, put};
use super::theme::{Look, Sign};
use crate::app::{App, Pane, rows};
use crate::output::numbers::percent;
use crate::output::quantities::size;
use crate::trace::Mark;

/// What stands above the pane.
pub fn title(app: &App) -> (String, String) {
    let trace = app.trace();
    let level = trace.problem.level(app.level());
    let (at, peak) = trace.occupancy(app.level()).peak(u32::MAX);
    let window = app.window();
    let last = (window.start + window.len).min(trace.step_count()).saturating_sub(1);
    let share = percent(peak, level.capacity);
    let peak = format!("peak {} of {} ({share}) at {at}", size(level, peak), size(level, level.capacity));
    let held = if level.pool().is_some() {
        format!(" · ░ held, at most {}", size(level, trace.held(app.level()).peak(u32::MAX).1))
    } else {
        String::new()
    };
    let full = if rows::full_scale(trace, app.level()) < level.capacity { ", the full height" } else { "" };
    let area = app.layout().content(Pane::Timeline);
    let steps = format!("steps {}–{last} of {}", window.start, trace.step_count());
    if app.is_veiled() {
        return (format!("Timeline of {}", level.name), format!("{steps} · ? what comes is asked"));
    }
    let stops = if app.stops_between(window.start, last + 1) { " · ◇ stop" } else { "" };
    let dense = if area.height >= 4 && is_dense(app, area) { " · 2–9 + so many marks" } else { "" };
    (format!("Timeline of {}", level.name), format!("{steps} · {peak}{held}{full}{stops}{dense}"))
}

/// Draws the pane: the graph, a row of marks, where any column has several of them a row that counts them, and a row with
/// the playhead's step. Where there is little room, the counts give way to that; where there is less, both are left out.
pub fn draw(app: &App, look: Look, area: Rect, buf: &mut Buffer) {
    if app.trace().step_count() == 0 {
        return empty(
            buf,
            area,
            "How full the level is, step by step, would be here: the plan has no step.",
            look.dim(),
        );
    }
    let axis = u16::from(area.height >= 4);
    let counts = u16::from(area.height >= 6 && is_dense(app, area));
    let graph = Rect { height: area.height.saturating_sub(1 + axis + counts), ..area };
    let columns = usize::from(area.width);
    let playhead = app.window().column_of(app.step(), columns);
    for column in 0..columns {
        if app.is_veiled() && app.window().steps_of(column, columns).0 > app.step() {
            // A question about it is open.
            put(
                buf,
                Rect { x: area.x + column as u16, width: 1, ..area },
                usize::from(graph.height),
                Span::styled("?", look.dim()),
            );
            continue;
        }
        draw_column(app, look, graph, column, buf);
        stop(app, look, graph, column, buf);
        mark(app, look, area, graph.height, column, buf);
        if axis > 0 {
            count(app, look, area, graph.height + 1, column, buf);
        }
    }
    let Some(column) = playhead else { return };
    let line = Rect { x: area.x + column as u16, width: 1, ..graph };
    buf.set_style(line, look.accent().patch(look.selected()));
    if let Some(cell) = buf.cell_mut((line.x, line.bottom())) {
        // A sign keeps its colour where the playhead stands on it.
        match cell.symbol() {
            " " => cell.set_char('▴').set_style(look.accent()),
            _ => cell.set_style(look.selected()),
        };
    }
    if axis > 0 {
        let used = app.state().level(app.level()).used;
        let share = percent(used, app.trace().problem.level(app.level()).capacity);
        let text = format!("▴ {} ({share})", app.step());
        let width = text.chars().count();
        let (start, text) = if column + width <= columns {
            (column, text)
        } else {
            (columns.saturating_sub(width), format!("({share}) {} ▴", app.step()))
        };
        let room = Rect { x: area.x + start as u16, y: area.bottom() - 1, width: area.width - start as u16, height: 1 };
        put(buf, room, 0, Span::styled(text, look.accent()));
    }
}

/// One column: solid up to the least use in its steps, shaded from there to the most, and lighter to what a pool holds.
fn draw_column(app: &App, look: Look, graph: Rect, column: usize, buf: &mut Buffer) {
    let (from, to) = app.window().steps_of(column, usize::from(graph.width));
    let to = to.min(app.trace().step_count());
    let steps = from as u32..to as u32;
    let (least, most) = app.trace().occupancy(app.level()).range(steps.clone());
    // Of a pool the blocks that hold those buffers, and the idle ones.
    let (_, held) = app.trace().held(app.level()).range(steps);
    let capacity = rows::full_scale(app.trace(), app.level()).max(1);
    let eighths = |used: u64| {
        let exact = u128::from(used) * u128::from(graph.height) * 8;
        exact.div_ceil(u128::from(capacity)) as usize
    };
    let (least, most, held) = (eighths(least), eighths(most), eighths(held));
    for row in 0..graph.height {
        let below = usize::from(graph.height - 1 - row) * 8;
        let symbol = match (least.saturating_sub(below), most.saturating_sub(below)) {
            (8.., _) => '█',
            (_, 8..) => '▒',
            // Half a row or more of idle blocks above what is live.
            (_, part) if part < 4 && held.saturating_sub(below) >= 4 => '░',
            (_, part @ 1..8) => ['▁', '▂', '▃', '▄', '▅', '▆', '▇'][part - 1],
            _ => ' ',
        };
        let style = if column_happened(app, from) { look.text() } else { look.dim() };
        if let Some(cell) = buf.cell_mut((graph.x + column as u16, graph.y + row)) {
            cell.set_char(symbol).set_style(style);
        }
    }
}

/// Marks, at the top, where playing halts.
fn stop(app: &App, look: Look, graph: Rect, column: usize, buf: &mut Buffer) {
    let (from, to) = app.window().steps_of(column, usize::from(graph.width));
    // Where a step is wider than a column, its first one has the sign; the lowest row belongs to the graph alone.
    let again = column > 0 && app.window().steps_of(column - 1, usize::from(graph.width)).0 == from;
    if graph.height < 2 || again || !app.stops_between(from, to) {
        return;
    }
    if let Some(cell) = buf.cell_mut((graph.x + column as u16, graph.y)) {
        cell.set_char('◇').set_style(look.accent().patch(look.strong()));
    }
}

fn column_happened(app: &App, from: usize) -> bool {
    from <= app.step()
}

/// The positions of the events of a column's steps; empty where a step is wider than a column and has had its sign.
fn events_of(app: &App, area: Rect, column: usize) -> std::ops::Range<usize> {
    let steps = |column: usize| app.window().steps_of(column, usize::from(area.width));
    let (from, to) = steps(column);
    let start = app.trace().run_range(from).start;
    if column > 0 && steps(column - 1).0 == from {
        return start..start;
    }
    start..app.trace().end_of(to.min(app.trace().step_count()).saturating_sub(1)).max(start)
}

/// The gravest mark among events, and how many there are. That no hole was found is only where a decision began.
fn marks(app: &App, events: &std::ops::Range<usize>) -> Option<(Mark, usize)> {
    let count = |mark: Mark| app.trace().marks_in(mark, events);
    let gravest = Mark::GRAVEST_FIRST.into_iter().find(|&mark| count(mark) > 0)?;
    let all: usize = Mark::ALL.into_iter().filter(|&mark| mark != Mark::Full).map(count).sum();
    Some((gravest, all.max(1)))
}

/// Whether any column has more marks than one.
fn is_dense(app: &App, area: Rect) -> bool {
    let columns = 0..usize::from(area.width);
    columns.into_iter().any(|column| marks(app, &events_of(app, area, column)).is_some_and(|(_, count)| count > 1))
}

/// The sign of what happened in a column's steps, or its bookmark's letter.
fn mark(app: &App, look: Look, area: Rect, row: u16, column: usize, buf: &mut Buffer) {
    let (from, to) = app.window().steps_of(column, usize::from(area.width));
    let events = events_of(app, area, column);
    if events.is_empty() {
        return;
    }
    let bookmark = app.bookmarks().iter().find(|(_, step)| (from..to).contains(step));
    let (symbol, style) = match (bookmark, marks(app, &events)) {
        (Some((&letter, _)), _) if letter.is_ascii_graphic() => (letter, look.accent().patch(look.strong())),
        (Some(_), _) => ('•', look.accent()),
        (None, Some((mark, _))) => {
            let sign = Sign::of_mark(mark);
            (sign.letter(), look.sign(sign))
        }
        (None, None) => return,
    };
    if let Some(cell) = buf.cell_mut((area.x + column as u16, area.y + row)) {
        cell.set_char(symbol).set_style(style);
    }
}

/// How many marks a column has, where there are several.
fn count(app: &App, look: Look, area: Rect, row: u16, column: usize, buf: &mut Buffer) {
    let symbol = match marks(app, &events_of(app, area, column)) {
        None | Some((_, 0 | 1)) => return,
        Some((_, count @ 2..=9)) => char::from(b'0' + count as u8),
        Some(_) => '+',
    };
    if let Some(cell) = buf.cell_mut((area.x + column as u16, area.y + row)) {
        cell.set_char(symbol).set_style(look.dim());
    }
}
