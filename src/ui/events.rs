//! Events: the log around where one stands; what has not happened yet is dim.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::text::{empty, put, put_row};
use super::theme::{Look, Sign};
use crate::app::{App, Pane, log};
use crate::output::explain::one_line;
use crate::output::numbers::grouped;

/// What stands above the pane.
pub fn title(app: &App) -> (String, String) {
    let filter = app.filter();
    let rest = if filter.is_empty() {
        format!("{} of {}", grouped(app.position() as u64), grouped(app.trace().event_count() as u64))
    } else {
        format!("filter: {}", crate::model::clean(&filter.text))
    };
    ("Events".into(), rest)
}

/// Draws the pane.
pub fn draw(app: &App, look: Look, area: Rect, buf: &mut Buffer) {
    let height = usize::from(area.height);
    let selected = app.rows().events;
    let before = (height * 2 / 3).max(1 + selected.min(0).unsigned_abs());
    let after = if app.is_veiled() { 0 } else { (height - height * 2 / 3).max(selected.max(0).unsigned_abs()) };
    let window = log::around(app.trace(), app.filter(), app.position(), before, after);
    if window.lines.is_empty() {
        let what = if app.filter().is_empty() {
            "Facts and decisions would be here, in their order."
        } else {
            "The filter shows no event near here; e and E go to the next."
        };
        return empty(buf, area, what, look.dim());
    }
    let chosen =
        (window.happened.cast_signed() - 1 + selected).clamp(0, window.lines.len().cast_signed() - 1).unsigned_abs();
    let marker = window.happened.saturating_sub(1);
    let top =
        window.happened.saturating_sub((height * 2 / 3).max(1)).min(chosen).max((chosen + 1).saturating_sub(height));
    for (row, &at) in window.lines.iter().enumerate().skip(top).take(height) {
        let here = row == marker && window.happened > 0;
        let line = line(app, look, at, here, row < window.happened);
        if row == chosen && app.focus() == Pane::Events {
            put_row(buf, area, row - top, line, look.selected());
        } else {
            put(buf, area, row - top, line);
        }
    }
    let shown = window.lines.len() - top;
    if window.gave_up_after && shown < height {
        put(buf, area, shown, Span::styled("… searched no further; e goes on", look.dim()));
    }
}

fn line(app: &App, look: Look, at: usize, here: bool, happened: bool) -> Line<'static> {
    let event = &app.trace().events()[at];
    let of_step = app.trace().run_range(app.step()).contains(&at);
    let style = match (Sign::of_event(event), happened, of_step) {
        (Some(sign), ..) => look.sign(sign),
        (None, true, true) => look.strong(),
        (None, true, false) => look.text(),
        (None, false, _) => look.dim(),
    };
    let sign = Sign::of_event(event).map_or(' ', Sign::letter);
    let marker = if here { "▸" } else { " " };
    Line::from(vec![
        Span::styled(marker, look.accent()),
        Span::styled(format!("{sign} "), style),
        Span::styled(one_line(app.trace(), at), style),
    ])
}
