//! Levels: a bar each, with what is used, the mark of the most so far, the largest hole and the rest of what is free.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::pool;
use super::text::{left, put, right};
use super::theme::{Look, Sign};
use crate::app::{App, Pane, rows};
use crate::model::{Event, LevelIx};
use crate::output::numbers::{grouped, percent};
use crate::output::quantities::size;

/// Widths of the columns, the same for all rows.
struct Columns {
    name: usize,
    bar: usize,
    number: usize,
    /// How many of the numbers there is room for, in the order of [`HEADINGS`].
    numbers: usize,
}

/// What the numbers are, most wanted first.
/// "needs" is the capacity with which this order would run without a spill.
const HEADINGS: [&str; 5] = ["used", "of", "needs", "peak", "hole"];
/// The least that a bar is drawn in.
const LEAST_BAR: usize = 8;
const PERCENT: usize = 5;

/// What stands above the pane.
pub fn title(app: &App) -> (String, String) {
    let area = app.layout().content(Pane::Levels);
    let more = rows::shown_levels(app.level(), app.trace().problem.level_count(), area.height).more;
    let needs_shown = columns(app, usize::from(area.width)).numbers > 2;
    let trace = app.trace();
    let entry = trace.problem.level(app.level());
    let full = rows::full_scale(trace, app.level());
    let units = match (is_pool(app, app.level()), needs_shown) {
        (true, _) if full < entry.capacity => format!("a full bar is {}", size(entry, full)),
        (true, _) => format!("cap {}", size(entry, entry.capacity)),
        (false, true) => "needs: to run without a spill".into(),
        (false, false) => "in units of size".into(),
    };
    let rest = if more > 0 { format!("{more} more · {units}") } else { units };
    (Pane::Levels.title().into(), rest)
}

/// Draws the pane.
pub fn draw(app: &App, look: Look, area: Rect, buf: &mut Buffer) {
    let levels = app.trace().problem.level_count();
    let shown = rows::shown_levels(app.level(), levels, area.height);
    let columns = columns(app, usize::from(area.width));
    if shown.heading {
        put(buf, area, 0, heading(app, &columns, look));
    }
    let first = usize::from(shown.heading);
    for row in 0..shown.count {
        put(buf, area, first + row, line(app, look, &columns, LevelIx::new(shown.first + row)));
    }
    let with_main = rows::main_is_used(app.trace()) && shown.more == 0;
    if with_main {
        put(buf, area, first + shown.count, main_line(app, look, &columns));
    }
    if is_pool(app, app.level()) {
        let below = first + shown.count + usize::from(with_main);
        let room = usize::from(area.height).saturating_sub(below);
        let details = pool::details(app, look, app.level(), usize::from(area.width), room);
        details.into_iter().enumerate().for_each(|(row, line)| put(buf, area, below + row, line));
    }
}

fn is_pool(app: &App, level: LevelIx) -> bool {
    app.trace().problem.level(level).pool().is_some()
}

fn columns(app: &App, width: usize) -> Columns {
    let machine = &app.trace().problem.machine;
    let least = if rows::main_is_used(app.trace()) { MAIN.len() } else { 2 };
    let name = machine.levels.iter().map(|level| level.name.to_string().width()).max().unwrap_or(0).clamp(least, 10);
    let needs = app.session().bounds.max_live.iter().zip(&machine.levels).map(|(&needs, level)| size(level, needs));
    let texts = needs.chain(machine.levels.iter().map(|level| size(level, level.capacity)));
    // Any size of a pool may be as wide as the widest.
    let pool = machine.levels.iter().any(|level| level.pool().is_some());
    let number = texts.map(|text| text.width()).max().unwrap_or(0).max(if pool { 7 } else { 5 });
    let fixed = name + 2 + PERCENT;
    let room = width.saturating_sub(fixed + LEAST_BAR.max(width / 3));
    let numbers = (room / (number + 1)).min(HEADINGS.len());
    Columns { name, bar: width.saturating_sub(fixed + numbers * (number + 1)), number, numbers }
}

/// What an arena's bar shows, the longest that fits being told.
const KEYS: [&str; 4] = [
    "█ used  · largest hole  ░ other holes  │ peak so far",
    "█ used · largest hole ░ rest",
    "█ used · hole ░ rest",
    "█ used ·░ free",
];

/// Columns and bars are named for the focused level.
fn heading(app: &App, columns: &Columns, look: Look) -> Line<'static> {
    let (headings, keys) =
        if is_pool(app, app.level()) { (pool::HEADINGS, &pool::KEYS[..]) } else { (HEADINGS, &KEYS[..]) };
    let names = headings[..columns.numbers].iter().map(|name| format!(" {}", right(name, columns.number)));
    let room = columns.bar + PERCENT;
    let key = keys.iter().find(|key| key.width() <= room).unwrap_or(&"");
    let text = format!(" {} {}", left("", columns.name), left(key, room));
    Line::styled(text + &names.collect::<String>(), look.dim())
}

fn line(app: &App, look: Look, columns: &Columns, level: LevelIx) -> Line<'static> {
    let trace = app.trace();
    let entry = trace.problem.level(level);
    let used = app.state().level(level).used;
    let focused = level == app.level();
    let sign = changed_sign(app, level);
    let changed = touched(app, level);
    let marker = if focused { "▸" } else { " " };
    let strong = if changed || focused { look.strong() } else { look.dim() };
    let bar_style = sign.map_or(if focused { look.accent() } else { look.text() }, |sign| look.sign(sign));
    let (bar, figures) = if is_pool(app, level) {
        (pool::bar(app, level, columns.bar), pool::figures(app, level))
    } else {
        arena(app, level, columns.bar)
    };
    let mut spans = vec![
        Span::styled(marker, look.accent()),
        Span::styled(left(&entry.name.to_string(), columns.name), strong),
        Span::raw(" "),
        Span::styled(bar, bar_style),
        Span::styled(right(&percent(used, entry.capacity), PERCENT), strong),
    ];
    let needs = app.session().bounds.max_live.get(level.at());
    let overflows = !is_pool(app, level) && needs.is_some_and(|&needs| needs > entry.capacity);
    for (at, figure) in figures.iter().take(columns.numbers).enumerate() {
        let style = if (at == 0 && changed) || (at == 2 && overflows) { look.strong() } else { look.dim() };
        spans.push(Span::styled(format!(" {}", right(figure, columns.number)), style));
    }
    Line::from(spans)
}

/// What is spilled and has its data in main memory, in the blocks that were taken for it. It has no bounds of its own, so
/// a full bar is the most that this plan ever takes.
fn main_line(app: &App, look: Look, columns: &Columns) -> Line<'static> {
    let (bar, figures) = pool::main_memory(app, columns.bar);
    let changed = app
        .trace()
        .run(app.step())
        .iter()
        .any(|event| matches!(event, Event::Block { level, .. } if *level == app.trace().problem.main_memory()));
    let style = if changed { look.strong() } else { look.dim() };
    let mut spans = vec![
        Span::raw(" "),
        Span::styled(left(MAIN, columns.name), style),
        Span::raw(" "),
        Span::styled(bar, look.text()),
        Span::raw(" ".repeat(PERCENT)),
    ];
    for figure in figures.iter().take(columns.numbers) {
        spans.push(Span::styled(format!(" {}", right(figure, columns.number)), style));
    }
    Line::from(spans)
}

/// What main memory is called here.
const MAIN: &str = "main";

/// Bar and numbers of a level with contiguous addresses, as [`HEADINGS`] names them.
fn arena(app: &App, level: LevelIx, width: usize) -> (String, [String; 5]) {
    let trace = app.trace();
    let capacity = trace.problem.level(level).capacity;
    let used = app.state().level(level).used;
    let hole = rows::room(trace, app.state(), level);
    let (_, peak) = trace.occupancy(level).peak(app.step() as u32);
    let peak = peak.max(used);
    let needs = app.session().bounds.max_live.get(level.at()).copied();
    let known = |amount: Option<u64>| amount.map_or_else(|| "?".to_owned(), grouped);
    let figures = [grouped(used), grouped(capacity), known(needs), grouped(peak), known(hole)];
    (bar(used, hole.unwrap_or(0), peak, capacity, width), figures)
}

/// The sign of what the step did in the level.
fn changed_sign(app: &App, level: LevelIx) -> Option<Sign> {
    let here = |event: &&Event| level_of(event) == Some(level);
    app.trace().run(app.step()).iter().rev().filter(here).find_map(Sign::of_event).filter(|sign| *sign != Sign::Wait)
}

/// Whether the step placed or took anything there.
fn touched(app: &App, level: LevelIx) -> bool {
    app.trace().run(app.step()).iter().any(|event| level_of(event) == Some(level))
}

fn level_of(event: &Event) -> Option<LevelIx> {
    match *event {
        Event::Placed { level, .. } | Event::Left { level, .. } => Some(level),
        _ => None,
    }
}

/// What is used, then the free units: the largest hole and the others, and the peak as a line.
fn bar(used: u64, hole: u64, peak: u64, capacity: u64, width: usize) -> String {
    let eighths = |units: u64| (u128::from(units) * width as u128 * 8 / u128::from(capacity.max(1))) as usize;
    let free = capacity.saturating_sub(used);
    let filled = eighths(used).min(width * 8);
    let other_start = filled.max(eighths(used.saturating_add(hole.min(free)))).div_ceil(8);
    let peak_at = (eighths(peak) / 8).min(width.saturating_sub(1));
    (0..width)
        .map(|at| match filled.saturating_sub(at * 8) {
            8.. => '█',
            part @ 1..8 => ['▏', '▎', '▍', '▌', '▋', '▊', '▉'][part - 1],
            _ if at == peak_at && peak > used => '│',
            _ if at >= other_start => '░',
            _ => '·',
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_is_full_or_empty_only_when_the_level_is() {
        assert_eq!(bar(100, 0, 100, 100, 4), "████");
        assert_eq!(bar(0, 100, 0, 100, 4), "····");
        assert_eq!(bar(50, 25, 75, 100, 4), "██·│");
        assert_eq!(bar(50, 25, 50, 100, 4), "██·░");
        assert_eq!(bar(u64::MAX, 0, u64::MAX, u64::MAX, 3), "███");
        assert_eq!(bar(99, 1, 99, 100, 4), "███▉");
        assert_eq!(bar(0, 0, 0, 0, 2).chars().count(), 2);
    }
}
