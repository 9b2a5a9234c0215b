//! A pool in the Levels pane: its bar of live, wasted and idle bytes, and its blocks by bucket.

use std::collections::BTreeMap;

use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::text::{left, right};
use super::theme::Look;
use crate::app::{App, rows};
use crate::model::LevelIx;
use crate::output::numbers::{counted, grouped};
use crate::output::quantities::size;
use crate::trace::LevelState;

/// What the numbers of a pool are, most wanted first. "held" are all its blocks, "most" the most that they have been.
pub const HEADINGS: [&str; 5] = ["live", "of", "held", "most", "peak"];

/// What the bar shows, the longest that fits being told.
pub const KEYS: [&str; 3] =
    ["█ live  ▒ unused part of blocks  ░ idle  │ most held", "█ live ▒ waste ░ idle", "█ live ░ idle"];

/// More blocks than this are not sorted into buckets for one frame.
const MOST_BLOCKS: usize = 1 << 13;

/// Columns of one bucket: its size, its blocks in use and idle.
const BUCKET: usize = 16;

/// The numbers of a pool at the step, as [`HEADINGS`] names them.
pub fn figures(app: &App, level: LevelIx) -> [String; 5] {
    let entry = app.trace().problem.level(level);
    let state = app.state().level(level);
    let so_far = |occupancy: &crate::trace::Occupancy| occupancy.peak(app.step() as u32).1;
    let most = so_far(app.trace().held(level)).max(state.held);
    let peak = so_far(app.trace().occupancy(level)).max(state.used);
    [state.used, entry.capacity, state.held, most, peak].map(|amount| size(entry, amount))
}

/// Live bytes, the unused rest of their blocks, idle blocks, and the most ever held as a line.
pub fn bar(app: &App, level: LevelIx, width: usize) -> String {
    let state = app.state().level(level);
    let most = app.trace().held(level).peak(app.step() as u32).1.max(state.held);
    drawn(state, most, rows::full_scale(app.trace(), level), width)
}

/// Main memory: its bar and numbers under the headings of the focused level.
pub fn main_memory(app: &App, width: usize) -> (String, [String; 5]) {
    let trace = app.trace();
    let held = trace.held(trace.problem.main_memory());
    let state = app.state().main();
    let most = held.peak(app.step() as u32).1.max(state.held);
    // Its blocks in use are what is spilled.
    let shown = LevelState { used: state.busy, busy: state.busy, held: state.held, ..LevelState::default() };
    let entry = trace.problem.level(app.level());
    let [used, held_now, most_now] = [state.busy, state.held, most].map(|amount| size(entry, amount));
    let none = || "–".to_owned();
    let figures = match entry.pool() {
        Some(_) => [used, none(), held_now, most_now, none()],
        None => [used, none(), none(), most_now, none()],
    };
    (drawn(&shown, most, held.peak(u32::MAX).1, width), figures)
}

fn drawn(state: &LevelState, most: u64, full: u64, width: usize) -> String {
    let eighths = |units: u64| (u128::from(units) * width as u128 * 8 / u128::from(full.max(1))) as usize;
    let live = eighths(state.used).min(width * 8);
    let (busy, held) = (eighths(state.busy).max(live).div_ceil(8), eighths(state.held).div_ceil(8));
    let most_at = (eighths(most) / 8).min(width.saturating_sub(1));
    (0..width)
        .map(|at| match live.saturating_sub(at * 8) {
            8.. => '█',
            part @ 1..8 => ['▏', '▎', '▍', '▌', '▋', '▊', '▉'][part - 1],
            _ if at < busy => '▒',
            _ if at < held => '░',
            _ if at == most_at && most > state.held => '│',
            _ => '·',
        })
        .collect()
}

/// The pool in words and its buckets, in `height` lines.
pub fn details(app: &App, look: Look, level: LevelIx, width: usize, height: usize) -> Vec<Line<'static>> {
    if height == 0 {
        return Vec::new();
    }
    let state = app.state().level(level);
    let mut lines = vec![Line::styled(format!(" {}", summary(app, level, width)), look.dim())];
    if state.blocks.len() > MOST_BLOCKS {
        let text = format!(" {}: too many to be sorted into buckets here", counted(state.blocks.len() as u64, "block"));
        lines.push(Line::styled(text, look.dim()));
    } else {
        lines.extend(buckets(app, look, level, width, height - 1));
    }
    lines.truncate(height);
    lines
}

/// Busy, wasted, idle; shorter where there is less room.
fn summary(app: &App, level: LevelIx, width: usize) -> String {
    let entry = app.trace().problem.level(level);
    let state = app.state().level(level);
    let busy = counted(state.by_address.len() as u64, "block");
    let idle = grouped(state.blocks.len().saturating_sub(state.by_address.len()) as u64);
    let waste = size(entry, state.busy.saturating_sub(state.used));
    let (in_use, at_rest) = (size(entry, state.busy), size(entry, state.held - state.busy));
    let idle = if state.held == state.busy { "none idle".into() } else { format!("{idle} idle: {at_rest}") };
    let long = format!("{busy} in use: {in_use}, {waste} of it unused · {idle}");
    let short = format!("{busy} in use, {idle}");
    if long.width() < width { long } else { short }
}

/// The blocks of each size, the largest first: a bar for few, a number for many. Those that find no place are counted.
fn buckets(app: &App, look: Look, level: LevelIx, width: usize, height: usize) -> Vec<Line<'static>> {
    let state = app.state().level(level);
    let counts = by_size(state);
    let columns = (width.saturating_sub(1) / BUCKET).max(1);
    let places = columns * height;
    let shown = if counts.len() > places { places.saturating_sub(1) } else { counts.len() };
    let entry = app.trace().problem.level(level);
    let mut cells: Vec<String> = counts
        .iter()
        .rev()
        .take(shown)
        .map(|(&block, &(busy, idle))| {
            left(&format!("{} {}", right(&size(entry, block), 7), blocks(busy, idle)), BUCKET)
        })
        .collect();
    if shown < counts.len() {
        cells.push(format!("… {}", counted((counts.len() - shown) as u64, "smaller size")));
    }
    let row = |cells: &[String]| Line::from(vec![Span::raw(" "), Span::styled(cells.concat(), look.text())]);
    cells.chunks(columns).map(row).collect()
}

/// By size of block: how many are in use and how many idle.
fn by_size(state: &LevelState) -> BTreeMap<u64, (u64, u64)> {
    let mut counts = BTreeMap::new();
    for (offset, &block) in &state.blocks {
        let (busy, idle): &mut (u64, u64) = counts.entry(block).or_default();
        if state.by_address.contains_key(offset) {
            *busy += 1;
        } else {
            *idle += 1;
        }
    }
    counts
}

/// How many blocks are drawn one by one.
const DRAWN: u64 = 7;

/// `███░`, or `12█ 5░` where they are many.
fn blocks(busy: u64, idle: u64) -> String {
    if busy + idle <= DRAWN {
        return "█".repeat(busy as usize) + &"░".repeat(idle as usize);
    }
    [(busy, '█'), (idle, '░')]
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, glyph)| format!("{}{glyph}", grouped(*count)))
        .collect::<Vec<_>>()
        .join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(blocks: &[(u64, bool)]) -> LevelState {
        let mut state = LevelState::default();
        let mut at = 0;
        for &(size, busy) in blocks {
            state.blocks.insert(at, size);
            state.held += size;
            if busy {
                state.by_address.insert(at, crate::model::BufIx(0));
                state.busy += size;
            }
            at += size;
        }
        state
    }

    #[test]
    fn a_bar_tells_live_unused_idle_and_the_most_apart() {
        let mut pool = state(&[(40, true), (20, false)]);
        pool.used = 30;
        assert_eq!(drawn(&pool, 80, 100, 10), "███▒░░··│·");
        assert_eq!(drawn(&pool, 60, 100, 10), "███▒░░····");
        assert_eq!(drawn(&LevelState::default(), 0, 0, 3), "···");
        let full = LevelState { used: u64::MAX, busy: u64::MAX, held: u64::MAX, ..LevelState::default() };
        assert_eq!(drawn(&full, u64::MAX, u64::MAX, 3), "███");
    }

    #[test]
    fn blocks_are_counted_by_size_and_use() {
        let counts = by_size(&state(&[(8, true), (4, false), (8, false), (8, true)]));
        assert_eq!(counts.into_iter().collect::<Vec<_>>(), [(4, (0, 1)), (8, (2, 1))]);
        assert_eq!([blocks(2, 1), blocks(7, 0), blocks(7, 1), blocks(0, 9)], ["██░", "███████", "7█ 1░", "9░"]);
    }
}
