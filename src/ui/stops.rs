//! The stops: what halts playing, where each is met next, and what can be typed. Stands where This step stands.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};
use unicode_width::UnicodeWidthStr;

use super::text::{left, put, put_row};
use super::theme::Look;
use crate::app::stops::{Outlook, first_row, rows_shown};
use crate::app::words::wrap;
use crate::app::{App, Ask, Mode};
use crate::model::clean;

/// Draws the panel over `place`.
pub fn draw(app: &App, look: Look, place: Rect, buf: &mut Buffer) {
    let selected = match app.mode() {
        Mode::Stops(row) | Mode::Prompt { ask: Ask::Stop(row), .. } => *row,
        _ => return,
    };
    Clear.render(place, buf);
    buf.set_style(place, look.text());
    Block::bordered()
        .border_style(look.accent().patch(look.strong()))
        .title(Span::styled("▸Stops", look.accent().patch(look.strong())))
        .render(place, buf);
    let inner = Rect {
        x: place.x + 1,
        y: place.y + 1,
        width: place.width.saturating_sub(2),
        height: place.height.saturating_sub(2),
    };
    let stops = app.stops().len();
    let shown = rows_shown(stops, place);
    let width = app.stops().iter().map(|stop| clean(&stop.to_string()).width()).max().unwrap_or(0);
    let width = width.min(usize::from(inner.width) / 2);
    let first = first_row(selected, stops, place);
    for at in first..(first + shown).min(stops + 1) {
        let line = if at < stops { stop_line(app, look, at, at == selected, width) } else { add_line(at == selected) };
        let style = if at == selected { look.selected() } else { look.text() };
        put_row(buf, inner, at - first, line, style);
    }
    let lines = examples(app, usize::from(inner.width));
    for (row, text) in lines.into_iter().enumerate() {
        put(buf, inner, shown + 1 + row, Line::styled(text, look.dim()));
    }
}

/// `▸[x] L1 > 90%   before at 17, next at 1183`
fn stop_line(app: &App, look: Look, at: usize, selected: bool, width: usize) -> Line<'static> {
    let stop = &app.stops()[at];
    let marker = if selected { "▸" } else { " " };
    let switch = if stop.on { "[x]" } else { "[ ]" };
    let text = left(&clean(&stop.condition.to_string()), width);
    let outlook = match app.outlook(at) {
        Outlook::Unknown(why) => why,
        Outlook::Met(None, None) => "never in this plan".into(),
        Outlook::Met(Some(before), None) => format!("last at step {before}"),
        Outlook::Met(None, Some(next)) => format!("next at step {next}"),
        Outlook::Met(Some(before), Some(next)) => format!("last at step {before}, next {next}"),
    };
    let style = if stop.on { look.strong() } else { look.dim() };
    Line::from(vec![
        Span::raw(format!("{marker}{switch} ")),
        Span::styled(text, style),
        Span::styled(format!("  {outlook}"), look.dim()),
    ])
}

fn add_line(selected: bool) -> Line<'static> {
    Line::raw(if selected { "▸ +  add a stop: Enter" } else { "  +  add a stop" })
}

/// What can be typed, with the names that this plan has.
fn examples(app: &App, width: usize) -> Vec<String> {
    let problem = &app.trace().problem;
    let level = problem.machine.levels.first().map_or_else(|| "L1".to_owned(), |level| level.name.to_string());
    let (buffer, node) = if problem.graph.by_name() { ("conv1", "node conv1") } else { ("b42", "node 1184") };
    let rows = [
        (format!("{level} > 90%"), "so full (or a size)"),
        (buffer.to_owned(), "touched, by id or name"),
        (node.to_owned(), "reached, by id or name"),
        (format!("spill {level}"), "or reload, postpone, wait, no room, failure; in any level without its name"),
        ("traffic > 10000".to_owned(), "or spills, reloads, postponements, waits, cycle"),
    ];
    let column = rows.iter().map(|(text, _)| text.width()).max().unwrap_or(0);
    let room = width.saturating_sub(column + 3).max(1);
    let mut lines = vec![" Playing halts where one becomes true:".to_owned()];
    for (text, meaning) in rows {
        for (at, part) in wrap(meaning, room, 0).into_iter().enumerate() {
            let text = if at == 0 { text.as_str() } else { "" };
            lines.push(format!(" {}  {part}", left(text, column)));
        }
    }
    lines
}
