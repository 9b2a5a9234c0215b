//! What-if: the knobs, and what they did to the figures. Stands where This step stands, so that map, levels and timeline
//! stay in sight and change with each turn.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};
use unicode_width::UnicodeWidthStr;

use super::text::{cut, left, put, put_row, right};
use super::theme::{Look, Sign};
use crate::app::App;
use crate::app::knobs::{Knob, knobs};
use crate::output::difference::{Row, rows};
use crate::session::Setup;

/// Draws the panel over `place`.
pub fn draw(app: &App, look: Look, place: Rect, buf: &mut Buffer) {
    let inner = panel(look, place, "▸What if", buf);
    let figures = figures(app, look, usize::from(inner.width));
    // The knobs take what the figures leave, but never less than three rows.
    let wanted = usize::from(inner.height);
    let rows = wanted.saturating_sub(figures.len() + 1).max(3).min(wanted);
    draw_knobs(app, look, Rect { height: rows as u16, ..inner }, buf);
    for (row, line) in figures.into_iter().enumerate() {
        put(buf, inner, rows + 1 + row, line);
    }
}

/// Clears `place` and frames it; what is inside.
pub fn panel(look: Look, place: Rect, title: &'static str, buf: &mut Buffer) -> Rect {
    let style = look.accent().patch(look.strong());
    let frame = Block::bordered().border_style(style).title(Span::styled(title, style));
    let inner = frame.inner(place);
    Clear.render(place, buf);
    buf.set_style(place, look.text());
    frame.render(place, buf);
    inner
}

fn draw_knobs(app: &App, look: Look, area: Rect, buf: &mut Buffer) {
    let setup = app.setup();
    let original = app.plans().first().setup();
    let knobs = knobs(&setup);
    let height = usize::from(area.height);
    let at = app.knob().min(knobs.len().saturating_sub(1));
    let top = at.saturating_sub(height.saturating_sub(1) / 2).min(knobs.len().saturating_sub(height));
    let name = knobs.iter().map(|knob| knob.name(&setup).width()).max().unwrap_or(0);
    for (row, &knob) in knobs.iter().enumerate().skip(top).take(height) {
        let selected = row == at;
        let line = knob_line(knob, &setup, &original, name, selected, look);
        let style = if selected { look.selected() } else { look.text() };
        put_row(buf, area, row - top, line, style);
    }
    let below = knobs.len().saturating_sub(top + height);
    if below > 0 && height > 0 {
        let more = format!("↓ {below} more ");
        let x = area.right().saturating_sub(more.width() as u16);
        put(buf, Rect { x, width: area.right() - x, ..area }, height - 1, Span::styled(more, look.dim()));
    }
}

/// `▸capacity L1   ‹3 584 units›   was 4 096 units`
fn knob_line(knob: Knob, setup: &Setup, original: &Setup, name: usize, selected: bool, look: Look) -> Line<'static> {
    let (value, was) = (knob.value(setup), knob.value(original));
    let marker = if selected { "▸" } else { " " };
    let shown = if selected { format!("‹{value}›") } else { format!(" {value} ") };
    let changed = value != was;
    let style = if changed { look.accent().patch(look.strong()) } else { look.text() };
    let mut spans = vec![Span::raw(format!("{marker}{}  ", left(&knob.name(setup), name))), Span::styled(shown, style)];
    spans.extend(changed.then(|| Span::styled(format!("  was {was}"), look.dim())));
    Line::from(spans)
}

/// The figures as opened and now, and which plan this is.
fn figures(app: &App, look: Look, width: usize) -> Vec<Line<'static>> {
    let plans = app.plans();
    let rows = rows(plans.first(), app.session());
    let column = |title: &str, of: fn(&Row) -> &str| {
        rows.iter().map(|row| of(row).width()).chain([title.width()]).max().unwrap_or(0)
    };
    let name = column("", |row| &row.name);
    let titles = ["as opened", "now", "change"];
    let wide =
        [column(titles[0], |row| &row.before), column(titles[1], |row| &row.now), column(titles[2], |row| &row.change)];
    let row = |name_text: &str, [before, now, change]: [&str; 3]| {
        let name = left(name_text, name);
        format!(" {name}  {}  {}  {}", right(before, wide[0]), right(now, wide[1]), right(change, wide[2]))
    };
    let mut lines = vec![Line::styled(cut(&row("", titles), width), look.dim())];
    lines.extend(rows.iter().map(|figure| {
        let style = match figure.better {
            Some(true) => look.strong(),
            Some(false) => look.sign(Sign::Spill),
            None => look.dim(),
        };
        let text = row(&figure.name, [&figure.before, &figure.now, &figure.change]);
        let shared = format!("{text}  {}", figure.share);
        Line::styled(if shared.width() <= width { shared } else { text }, style)
    }));
    lines.push(Line::styled(cut(&standing(app), width), look.dim()));
    lines
}

/// Which plan this is, and what it changed.
fn standing(app: &App) -> String {
    if let Some(news) = app.plans().asked().and_then(crate::app::plans::Asked::news) {
        return format!(" {news}");
    }
    let plans = app.plans();
    let (at, all) = (plans.at(), plans.versions().len());
    let change = &plans.versions()[at].change;
    let failed = if app.session().diagnosis.is_some() { "no plan: " } else { "" };
    match at {
        0 => format!(" {failed}plan 1 of {all}: as opened"),
        _ => format!(" {failed}plan {} of {all}: {change}", at + 1),
    }
}
