//! Units: a lane each on the axis of cycles, around the step where one stands.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::text::{empty, left, put, put_row};
use super::theme::{Look, Sign};
use crate::app::{App, Pane, rows};
use crate::model::{SpillIx, Step, clean};
use crate::output::labels::{buffer_id, node_id, unit_lane};
use crate::output::numbers::grouped;
use crate::output::quantities::{duration_words, in_micros, moment};
use crate::trace::{Lane, Trace};

/// Columns that an operation of mean length is drawn in.
const MEAN_COLUMNS: u64 = 6;

/// What stands above the pane.
pub fn title(app: &App) -> (String, String) {
    let column = duration_words(&app.trace().problem, scale(app.trace()));
    ("Units".into(), format!("column = {column}"))
}

/// Steps that are looked at to find how long operations take.
const SAMPLED: usize = 200;

/// Cycles a column: so that an operation of mean length can be read, and the same all through the plan.
fn scale(trace: &Trace) -> u64 {
    let steps = trace.step_count();
    let sample = (0..steps).step_by((steps / SAMPLED).max(1)).filter_map(|step| trace.time_of(step));
    let (mut sum, mut ran) = (0u64, 0);
    for (start, end) in sample.filter(|(start, end)| end > start) {
        (sum, ran) = (sum.saturating_add(end - start), ran + 1);
    }
    round(sum / ran.max(1) / MEAN_COLUMNS)
}

/// The next 1, 2 or 5 times a power of ten.
fn round(cycles: u64) -> u64 {
    let power = 10u64.pow(cycles.max(1).ilog10());
    [1, 2, 5, 10].iter().map(|by| power.saturating_mul(*by)).find(|round| *round >= cycles).unwrap_or(power).max(1)
}

/// The cycles that the columns show.
struct Axis {
    start: u64,
    scale: u64,
    columns: usize,
}

impl Axis {
    fn cycle(&self, column: usize) -> u64 {
        self.start.saturating_add(self.scale.saturating_mul(column as u64))
    }

    fn column(&self, cycle: u64) -> usize {
        usize::try_from(cycle.saturating_sub(self.start) / self.scale).unwrap_or(usize::MAX)
    }
}

/// Draws the pane.
pub fn draw(app: &App, look: Look, area: Rect, buf: &mut Buffer) {
    let trace = app.trace();
    let lanes = trace.lanes();
    if lanes.is_empty() {
        return empty(buf, area, "What each unit runs would be here, cycle by cycle: nothing ran.", look.dim());
    }
    let names: Vec<String> = lanes.iter().map(|lane| unit_lane(&trace.problem, lane.unit, lane.lane)).collect();
    let name = names.iter().map(|name| name.width()).max().unwrap_or(0).clamp(4, 10);
    let columns = usize::from(area.width).saturating_sub(name + 2);
    let scale = scale(trace);
    let now = trace.time_of(app.step()).map_or_else(|| trace.clock(app.step()), |(start, _)| start);
    // A third of the width for what has been, the rest for what comes.
    let start = now.saturating_sub(scale.saturating_mul(columns as u64 / 3)) / scale * scale;
    let axis = Axis { start, scale, columns };
    put(buf, area, 0, ruler(app, look, &axis, name, now));
    let height = rows::table_rows(area.height, lanes.len());
    let selected = app.rows().units.min(lanes.len() - 1);
    let top = rows::first_row(selected, height);
    for (row, (lane, label)) in lanes.iter().zip(&names).enumerate().skip(top).take(height) {
        let chosen = row == selected && app.focus() == Pane::Units;
        let mut spans =
            vec![Span::styled(format!(" {} ", left(label, name)), if chosen { look.strong() } else { look.dim() })];
        bars(app, look, lane, &axis, now, &mut spans);
        put(buf, area, row - top + 1, Line::from(spans));
        if chosen {
            put_row(
                buf,
                Rect { width: name as u16 + 1, ..area },
                row - top + 1,
                Line::raw(format!(" {}", left(label, name))),
                look.selected(),
            );
        }
    }
    let below = lanes.len().saturating_sub(top + height);
    let rest = match (top, below) {
        (0, 0) => return,
        (0, below) => format!("… {below} more"),
        (above, 0) => format!("… {above} above"),
        (above, below) => format!("… {above} above, {below} more"),
    };
    put(buf, area, usize::from(area.height) - 1, Span::styled(rest, look.dim()));
}

/// The cycle of the step, above its column.
fn ruler(app: &App, look: Look, axis: &Axis, name: usize, now: u64) -> Line<'static> {
    let column = axis.column(now).min(axis.columns.saturating_sub(1));
    let problem = &app.trace().problem;
    let text =
        if in_micros(problem) { format!("▾ {}", moment(problem, now)) } else { format!("▾ {}", grouped(now)) };
    let start = if column + text.width() <= axis.columns { column } else { axis.columns.saturating_sub(text.width()) };
    // What the shading says is only told where something waits at all.
    let key = if app.trace().waits().count() == 0 { "" } else { " ░ memory" };
    let key = if key.width() < name + 2 { key } else { "" };
    Line::from(vec![
        Span::styled(left(key, name + 2), look.dim()),
        Span::raw(" ".repeat(start)),
        Span::styled(text, look.accent()),
    ])
}

/// What a lane does over the columns: operations in brackets with their names, critical ones with a mark; idle columns
/// as dots, shaded where they need not be idle but for memory.
fn bars(app: &App, look: Look, lane: &Lane, axis: &Axis, now: u64, spans: &mut Vec<Span<'static>>) {
    let trace = app.trace();
    let time = |step: u32| trace.time_of(step as usize).unwrap_or((0, 0));
    let first = lane.steps.partition_point(|&step| time(step).1 <= axis.start);
    let mut column = 0;
    let mut at = first;
    while column < axis.columns {
        // Of operations that share a column the first is drawn; the next begins where that one ends.
        at += lane.steps[at..].partition_point(|&step| time(step).1 <= axis.cycle(column));
        let next = lane.steps.get(at).map(|&step| (step as usize, time(step)));
        let Some((step, (start, end))) = next.filter(|(_, (start, _))| *start < axis.cycle(axis.columns)) else {
            spans.push(idle(trace, look, axis, column..axis.columns, now));
            return;
        };
        let from = axis.column(start).max(column);
        let to = axis.column(end).clamp(from + 1, axis.columns.max(from + 1));
        if from > column {
            spans.push(idle(trace, look, axis, column..from, now));
        }
        spans.push(Span::styled(bar_text(app, step, to - from), bar_style(app, look, step)));
        column = to;
    }
}

/// Shaded while an operation waits for memory, for then more of it may have kept the lane at work; else nothing that may
/// run on it was ready.
fn idle(trace: &Trace, look: Look, axis: &Axis, columns: Range<usize>, now: u64) -> Span<'static> {
    let playhead = axis.column(now);
    let text = columns.map(|column| match column {
        _ if column == playhead => '│',
        _ if trace.waits().throughout(axis.cycle(column), axis.cycle(column + 1)) => '░',
        _ => '·',
    });
    Span::styled(text.collect::<String>(), look.dim())
}

fn bar_style(app: &App, look: Look, step: usize) -> Style {
    let style = match app.trace().step(step) {
        Some(Step::Out(_)) => look.sign(Sign::Spill),
        Some(Step::Back(_)) => look.sign(Sign::Reload),
        _ if step > app.step() => look.dim(),
        _ if is_critical(app, step) => look.strong(),
        _ => look.text(),
    };
    if step == app.step() { style.patch(look.strong()).patch(look.selected()) } else { style }
}

/// Whether the step is an operation on the critical path.
fn is_critical(app: &App, step: usize) -> bool {
    match app.trace().step(step) {
        Some(Step::Node(node)) => app.session().starts.slack(node) == 0,
        _ => false,
    }
}

fn bar_text(app: &App, step: usize, width: usize) -> String {
    let trace = app.trace();
    let graph = &trace.problem.graph;
    let spilled = |spill: SpillIx| {
        trace.plan.spills.get(spill.at()).map_or_else(String::new, |spill| buffer_id(graph, spill.buf))
    };
    let name = match trace.step(step) {
        Some(Step::Out(spill)) => format!("S {}", spilled(spill)),
        Some(Step::Back(spill)) => format!("R {}", spilled(spill)),
        Some(Step::Node(node)) if graph.by_name() => node_id(graph, node),
        Some(Step::Node(node)) => clean(graph.op_name(node)).into_owned(),
        None => String::new(),
    };
    bar(&name, width, is_critical(app, step))
}

/// A bar of that many columns with the name in it. A critical one begins with `!`; one column keeps the letter, and is
/// told by its emphasis alone.
fn bar(name: &str, width: usize, critical: bool) -> String {
    let first = name.chars().next().filter(char::is_ascii).unwrap_or('#');
    match (width, critical) {
        (1, _) => first.to_string(),
        (2, true) => "!]".into(),
        (2, false) => format!("[{}", left(name, 1).replace('…', "]")),
        (_, critical) => format!("{}{}]", if critical { '!' } else { '[' }, pad(name, width - 2)),
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
    fn a_bar_fills_its_columns_and_a_critical_one_is_told_without_colour() {
        let bars = |critical| [1, 2, 3, 5, 12].map(|width| bar("conv1", width, critical));
        assert_eq!(bars(false), ["c", "[]", "[…]", "[co…]", "[ conv1 ===]"]);
        assert_eq!(bars(true), ["c", "!]", "!…]", "!co…]", "! conv1 ===]"]);
        assert_eq!(bar("卷积", 1, false), "#");
    }

    #[test]
    fn scales_are_round_numbers_and_never_none() {
        assert_eq!([0, 1, 3, 6, 11, 21, 60, 700].map(round), [1, 1, 5, 10, 20, 50, 100, 1000]);
        assert!(round(u64::MAX) > 0);
    }
}
