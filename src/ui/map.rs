//! The memory map: addresses from left to right, steps from top to bottom.

mod cells;
mod legend;
mod note;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use unicode_width::UnicodeWidthStr;

use super::text::{cut, empty, left, put};
use super::theme::Look;
use crate::app::App;
use crate::app::map::{Axis, Coloring, Scale, Section, label_width};
use crate::output::numbers::{counted, grouped};
use crate::output::quantities::size;

/// Narrower maps tell the least of what a row and a column are.
const ROOMY: usize = 48;

/// What stands above the pane.
pub fn title(app: &App) -> (String, String) {
    let map = app.map();
    let settings = app.map_settings();
    let level = app.trace().problem.level(app.level());
    let name = if settings.all_levels { "Map of all levels".to_owned() } else { format!("Map of {}", level.name) };
    let roomy = usize::from(map.cells.width) >= ROOMY;
    let mut parts = Vec::new();
    let over = if map.pool.is_some() && !settings.all_levels { "blocks" } else { "addresses" };
    parts.push(match map.steps_per_row {
        0 | 1 => format!("{over} × steps"),
        many => format!("{over} × {}", counted(many as u64, "step") + " a row"),
    });
    if settings.coloring != Coloring::Buffer {
        parts.push(format!("by {}", settings.coloring.words()));
    }
    if map.left_out > 0 {
        parts.push(format!("no room for {}", counted(map.left_out as u64, "more level")));
    }
    if let Some(shown) = map.pool.filter(|_| !settings.all_levels) {
        if shown.hidden > 0 {
            parts.push(format!("{} more blocks", grouped(shown.hidden as u64)));
        }
        if roomy {
            parts.push(format!("a full row is {}", size(level, shown.units)));
        }
    } else if let Some(Axis::Addresses(scale)) = map.sections.first().map(|section| &section.axis)
        && roomy
        && !settings.all_levels
    {
        let part = scale.len < level.capacity;
        parts.extend(part.then(|| format!("{} of {}", grouped(scale.len), grouped(level.capacity))));
        parts.push(format!("a column is {}", grouped((scale.len / scale.columns.max(1) as u64).max(1))));
    }
    (name, parts.join(" · "))
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
        put(buf, area, at + 1, cells::line(app, look, at, row));
    }
    let below = usize::from(map.cells.bottom() - area.y);
    let width = usize::from(area.width);
    if map.legend {
        // Where there is one line only, what was asked for comes first.
        let asked = (!map.note).then(|| note::asked(app, width)).flatten();
        let line = asked.map_or_else(|| legend::line(app, look, width), |text| Line::styled(text, look.text()));
        put(buf, area, below, line);
    }
    if map.note {
        put(buf, area, below + 1, note::line(app, look, width));
    }
}

/// What stands above the columns: addresses, or the names of the levels; an arrow over the cell at hand.
fn ruler(app: &App, look: Look, area: Rect) -> Line<'static> {
    let map = app.map();
    let label = usize::from(label_width(app.trace().step_count()).min(area.width));
    let mut text = String::new();
    for section in &map.sections {
        text = left(&text, section.columns.start);
        text.push_str(&above(app, section));
    }
    if map.pool.is_some() && !app.map_settings().all_levels && map.spot.is_none() && map.steps_per_row == 1 {
        return Line::styled(pool_key(usize::from(area.width)), look.dim());
    }
    let text = left(&text, usize::from(map.cells.width));
    let Some((_, column)) = map.spot else {
        return Line::styled(" ".repeat(label) + &text, look.dim());
    };
    let marked: String = text.chars().enumerate().map(|(at, c)| if at == column { '▾' } else { c }).collect();
    Line::styled(" ".repeat(label) + &marked, look.dim())
}

/// What stands above the columns of one level.
fn above(app: &App, section: &Section) -> String {
    let width = section.columns.len();
    let level = app.trace().problem.level(section.level);
    match &section.axis {
        Axis::Addresses(scale) if !app.map_settings().all_levels => ticks(*scale),
        _ => {
            let focus = if section.level == app.level() && app.map().sections.len() > 1 { "▸" } else { "" };
            let name = format!("{focus}{}", level.name);
            let whole = format!("{name} {}", size(level, level.capacity));
            if whole.width() <= width { whole } else { cut(&name, width) }
        }
    }
}

/// Addresses above the columns where they stand.
fn ticks(scale: Scale) -> String {
    let end = grouped(scale.start.saturating_add(scale.len));
    let ticks = (scale.columns / (end.len() + 4)).clamp(1, 8);
    let mut text = String::new();
    for tick in 0..ticks {
        let column = scale.columns * tick / ticks;
        text = left(&text, column) + &grouped(scale.addresses(column).start);
    }
    if text.width() + end.width() < scale.columns {
        text = left(&text, scale.columns - end.width()) + &end;
    }
    text
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
