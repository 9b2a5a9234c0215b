//! Units: a lane each on the axis of cycles, around the step where one stands; above them the critical path of the plan.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::text::{empty, left, put, put_row};
use super::theme::{Look, Sign};
use crate::app::units::{Piece, UnitsView, What};
use crate::app::words::wrap;
use crate::app::{App, Pane};
use crate::engine::binding::Cause;
use crate::model::{SpillIx, Step, clean};
use crate::output::labels::{buffer_id, node_id, unit_lane};
use crate::output::numbers::{counted, grouped};
use crate::output::quantities::{duration_words, in_micros, moment};
use crate::session::Sum;

/// What stands above the pane.
pub fn title(app: &App) -> (String, String) {
    let column = duration_words(&app.trace().problem, app.units().axis.scale);
    ("Units".into(), format!("column = {column} · * critical path"))
}

/// Draws the pane.
pub fn draw(app: &App, look: Look, area: Rect, buf: &mut Buffer) {
    let (trace, view) = (app.trace(), app.units());
    let lanes = trace.lanes();
    if lanes.is_empty() {
        return empty(buf, area, "What each unit runs would be here, cycle by cycle: nothing ran.", look.dim());
    }
    put(buf, area, 0, ruler(app, look));
    let mut row = 1;
    if let Some(path) = &view.path {
        let mut spans = vec![Span::styled(format!(" {} ", left("path", view.names)), look.strong())];
        spans.extend(path.iter().flat_map(|piece| unveiled(app, look, piece, true)));
        put(buf, area, row, Line::from(spans));
        row += 1;
    }
    for (at, pieces) in view.lanes.iter().enumerate() {
        let lane = &lanes[view.first + at];
        let label = left(&unit_lane(&trace.problem, lane.unit, lane.lane), view.names);
        let chosen = view.first + at == app.rows().units && app.focus() == Pane::Units;
        let marker = if chosen { "▸" } else { " " };
        let mut spans = vec![Span::styled(format!("{marker}{label} "), look.dim())];
        spans.extend(pieces.iter().flat_map(|piece| unveiled(app, look, piece, false)));
        put(buf, area, row, Line::from(spans));
        if chosen {
            let name = Rect { width: (view.names as u16 + 2).min(area.width), ..area };
            put_row(buf, name, row, Line::raw(format!("▸{label} ")), look.selected());
        }
        row += 1;
    }
    row += usize::from(rest(app, look, view, area, buf));
    for text in view.texts.iter().filter(|_| !app.is_veiled()) {
        put(buf, area, row, Span::styled(format!(" {text}"), look.dim()));
        row += 1;
    }
    let legend = wrap(LEGEND, usize::from(area.width).saturating_sub(2).max(1), 0);
    let from = usize::from(area.height).saturating_sub(legend.len());
    if row <= from && app.enlarged() {
        for (at, text) in legend.into_iter().enumerate() {
            put(buf, area, from + at, Span::styled(format!(" {text}"), look.dim()));
        }
    }
}

/// What the signs of idle columns mean, in the order of [`fill`].
const LEGEND: &str =
    "idle for: · input  - reload  % address  ░ memory  , window  ; unit  ^ turn    * on the critical path";

/// Says in the last line how many lanes are not shown.
fn rest(app: &App, look: Look, view: &UnitsView, area: Rect, buf: &mut Buffer) -> bool {
    let all = app.trace().lanes().len();
    let below = all - view.first - view.lanes.len();
    let text = match (view.first, below) {
        (0, 0) => return false,
        (0, below) => format!("… {} more", counted(below as u64, "lane")),
        (above, 0) => format!("… {} above", counted(above as u64, "lane")),
        (above, below) => format!("… {} above, {} more", counted(above as u64, "lane"), grouped(below as u64)),
    };
    let row = usize::from(area.height).saturating_sub(1);
    put(buf, area, row, Span::styled(left(&text, usize::from(area.width)), look.dim()));
    true
}

/// The cycle of the step, above its column.
fn ruler(app: &App, look: Look) -> Line<'static> {
    let view = app.units();
    let axis = &view.axis;
    let problem = &app.trace().problem;
    let time = |cycle: u64| if in_micros(problem) { moment(problem, cycle) } else { grouped(cycle) };
    let text = match view.now {
        now if now < axis.start => format!("◂ {}", time(now)),
        now if now >= axis.end() => format!("{} ▸", time(now)),
        now => format!("▾ {}", time(now)),
    };
    let column = axis.column(view.now).min(axis.columns.saturating_sub(1));
    let start = if column + text.width() <= axis.columns { column } else { axis.columns.saturating_sub(text.width()) };
    // What the shading says is only told where something waits at all.
    let key = if app.trace().waits().count() == 0 { "" } else { " ░ memory" };
    let key = if key.width() <= view.names + 2 { key } else { "" };
    Line::from(vec![
        Span::styled(left(key, view.names + 2), look.dim()),
        Span::raw(" ".repeat(start)),
        Span::styled(text, look.accent()),
    ])
}

/// What one piece of a lane shows, without what a question that is open is about: whatever begins or goes on from the
/// moment at which one stands, but for what has happened.
fn unveiled(app: &App, look: Look, piece: &Piece, path: bool) -> Vec<Span<'static>> {
    let Range { start, end } = piece.columns;
    let seen = match piece.what {
        _ if !app.is_veiled() => end,
        What::Bar { step, .. } if step > app.step() => start,
        What::Bar { .. } | What::Nothing => end,
        What::Many { .. } | What::Idle { .. } => app.units().axis.column(app.units().now).clamp(start, end),
    };
    if seen == end {
        return vec![span(app, look, piece, path)];
    }
    // Of what reaches beyond the moment only that it has begun is told, not why.
    let before = Piece { columns: start..seen, what: What::Nothing };
    vec![span(app, look, &before, path), Span::styled("?".repeat(end - seen), look.dim())]
}

/// What one piece of a lane shows.
fn span(app: &App, look: Look, piece: &Piece, path: bool) -> Span<'static> {
    let width = piece.columns.len();
    match &piece.what {
        What::Bar { step, on_path } => {
            let text = bar(&bar_name(app, *step), width, *on_path && !path);
            Span::styled(text, bar_style(app, look, *step, *on_path))
        }
        What::Many { sum, count, eighths, .. } => {
            let style = many_style(look, sum, *count);
            Span::styled(many_sign(sum, *count, *eighths).to_string(), style)
        }
        What::Idle { cause, label, .. } => idle(app, look, piece, *cause, label),
        What::Nothing => Span::styled(playhead(app, piece, " ".repeat(width)), look.dim()),
    }
}

/// Several bars in a column: how much of it they work, or the letter of what most of them are.
fn many_sign(sum: &Sum, count: usize, eighths: usize) -> char {
    const BLOCKS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    match most_are(sum, count) {
        Some(sign) => sign.letter(),
        None => BLOCKS[eighths.clamp(1, 8) - 1],
    }
}

fn many_style(look: Look, sum: &Sum, count: usize) -> Style {
    let style = most_are(sum, count).map_or(look.text(), |sign| look.sign(sign));
    if sum.on_path > 0 { style.patch(look.strong()) } else { style }
}

fn most_are(sum: &Sum, count: usize) -> Option<Sign> {
    let more_than_half = |some: u32| some as usize * 2 > count;
    match (more_than_half(sum.out), more_than_half(sum.back)) {
        (true, _) => Some(Sign::Spill),
        (_, true) => Some(Sign::Reload),
        _ => None,
    }
}

/// What idle columns are filled with, by why the next step waits.
fn fill(cause: Option<Cause>) -> char {
    match cause {
        Some(Cause::Dependency) | None => '·',
        Some(Cause::Transfer) => '-',
        Some(Cause::Address) => '%',
        Some(Cause::Memory) => '░',
        Some(Cause::Window) => ',',
        Some(Cause::Unit) => ';',
        Some(Cause::Turn) => '^',
    }
}

/// Idle columns: why the next step waits as a fill, with the word where there is room. Shaded where something waits for
/// memory, for then more of it may have kept the lane at work.
fn idle(app: &App, look: Look, piece: &Piece, cause: Option<Cause>, label: &str) -> Span<'static> {
    let axis = &app.units().axis;
    let waits = app.trace().waits();
    let shade = |column: usize| waits.throughout(axis.cycle(column), axis.cycle(column + 1));
    let fill = |column: usize| if shade(column) { '░' } else { fill(cause) };
    let width = piece.columns.len();
    let text = if width >= label.width() + 4 && !label.is_empty() {
        let side = (width - label.width() - 2) / 2;
        let (before, after) =
            (piece.columns.start..piece.columns.start + side, piece.columns.end - side..piece.columns.end);
        let odd = (width - label.width() - 2) % 2;
        format!(
            "{} {label} {}{}",
            before.map(fill).collect::<String>(),
            " ".repeat(odd),
            after.map(fill).collect::<String>()
        )
    } else {
        piece.columns.clone().map(fill).collect()
    };
    let style = match cause {
        Some(Cause::Address | Cause::Memory | Cause::Transfer) => look.sign(Sign::Wait),
        _ => look.dim(),
    };
    Span::styled(playhead(app, piece, text), style)
}

/// A line through what is idle, at the playhead. `text` has a column a character.
fn playhead(app: &App, piece: &Piece, text: String) -> String {
    let column = app.units().axis.column(app.units().now);
    let inside = app.units().now >= app.units().axis.start && piece.columns.contains(&column);
    let free = |c: char| !c.is_alphanumeric() && c != '←';
    match text.chars().nth(column.wrapping_sub(piece.columns.start)).filter(|&c| inside && free(c)) {
        Some(_) => {
            text.chars().enumerate().map(|(at, c)| if at + piece.columns.start == column { '│' } else { c }).collect()
        }
        None => text,
    }
}

fn bar_style(app: &App, look: Look, step: usize, on_path: bool) -> Style {
    let style = match app.trace().step(step) {
        Some(Step::Out(_)) => look.sign(Sign::Spill),
        Some(Step::Back(_)) => look.sign(Sign::Reload),
        _ if on_path => look.strong(),
        _ if step > app.step() => look.dim(),
        _ => look.text(),
    };
    if step == app.step() { style.patch(look.strong()).patch(look.selected()) } else { style }
}

fn bar_name(app: &App, step: usize) -> String {
    let trace = app.trace();
    let graph = &trace.problem.graph;
    let spilled = |spill: SpillIx| {
        trace.plan.spills.get(spill.at()).map_or_else(String::new, |spill| buffer_id(graph, spill.buf))
    };
    match trace.step(step) {
        Some(Step::Out(spill)) => format!("S {}", spilled(spill)),
        Some(Step::Back(spill)) => format!("R {}", spilled(spill)),
        Some(Step::Node(node)) if graph.by_name() => node_id(graph, node),
        Some(Step::Node(node)) => clean(graph.op_name(node)).into_owned(),
        None => String::new(),
    }
}

/// A bar of that many columns with the name in it. One on the critical path begins with `*`; of a single column it keeps
/// the letter, and is told by its emphasis and by the line of the path.
fn bar(name: &str, width: usize, on_path: bool) -> String {
    let first = name.chars().next().filter(char::is_ascii).unwrap_or('#');
    match (width, on_path) {
        (1, _) => first.to_string(),
        (2, true) => "*]".into(),
        (2, false) => format!("[{}", left(name, 1).replace('…', "]")),
        (_, on_path) => format!("{}{}]", if on_path { '*' } else { '[' }, pad(name, width - 2)),
    }
}

/// The name in the middle of what is drawn as busy.
fn pad(name: &str, width: usize) -> String {
    if name.width() + 2 > width {
        left(name, width)
    } else {
        format!(" {name} {}", "=".repeat(width - name.width() - 2))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_fills_its_columns_and_one_on_the_path_is_told_without_colour() {
        let bars = |on_path| [1, 2, 3, 5, 12].map(|width| bar("conv1", width, on_path));
        assert_eq!(bars(false), ["c", "[]", "[…]", "[co…]", "[ conv1 ===]"]);
        assert_eq!(bars(true), ["c", "*]", "*…]", "*co…]", "* conv1 ===]"]);
        assert_eq!(bar("卷积", 1, false), "#");
    }

    #[test]
    fn each_cause_has_a_sign_of_its_own_and_the_legend_names_it() {
        let signs: Vec<char> = Cause::ALL.into_iter().map(|cause| fill(Some(cause))).collect();
        for (at, sign) in signs.iter().enumerate() {
            assert!(!signs[..at].contains(sign), "{sign}");
            assert!(LEGEND.contains(&format!(" {sign} ")), "{sign}");
        }
    }
}
