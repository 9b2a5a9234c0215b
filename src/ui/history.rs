//! How a search came to its plan: the curve of what it made small, and the better plans on the way.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::text::{put, put_row, right};
use super::theme::Look;
use super::what_if::panel;
use crate::app::App;
use crate::engine::search::{Improvement, Objective};
use crate::output::numbers::{counted, grouped};
use crate::output::quantities::duration;
use crate::session::Searched;

/// Rows of the curve.
const CURVE: usize = 5;

/// Draws the panel over `place`, with that row picked out.
pub fn draw(app: &App, look: Look, place: Rect, row: usize, buf: &mut Buffer) {
    let inner = panel(look, place, "▸Search", buf);
    let Some(searched) = &app.session().searched else { return };
    let small = match searched.wanted.objective {
        Objective::Traffic => "extra traffic",
        Objective::Makespan { .. } => "makespan",
        Objective::PeakStay { .. } => "peak",
        Objective::Weighted { .. } => "weighted sum",
    };
    let head = format!(" {}, made small: {small}", counted(searched.evaluations, "evaluation"));
    put(buf, inner, 0, Span::styled(head, look.strong()));
    let mut top = 1;
    if inner.height >= 14 {
        curve(searched, look, Rect { y: inner.y + 1, height: CURVE as u16 + 1, ..inner }, buf);
        top += CURVE + 2;
    }
    let rows = Rect { y: inner.y + top as u16, height: inner.height.saturating_sub(top as u16), ..inner };
    table(app, searched, row, look, rows, buf);
}

/// What the search makes small, of one plan.
fn cost(objective: &Objective, found: &Improvement) -> f64 {
    let figures = &found.figures;
    match objective {
        Objective::Traffic => figures.extra_traffic as f64,
        Objective::Makespan { .. } => figures.makespan as f64,
        Objective::PeakStay { .. } => figures.peak_stay as f64,
        Objective::Weighted { traffic, makespan } => {
            figures.extra_traffic as f64 * traffic + figures.makespan as f64 * makespan
        }
    }
}

/// The best so far over the evaluations, which run from left to right on a scale of logarithms: the first thousand matter
/// as much as the next hundred thousand.
fn curve(searched: &Searched, look: Look, area: Rect, buf: &mut Buffer) {
    let costs: Vec<f64> = searched.history.iter().map(|found| cost(&searched.wanted.objective, found)).collect();
    let most = costs.iter().copied().fold(0.0, f64::max);
    let columns = usize::from(area.width).saturating_sub(2);
    let scale = |evaluations: u64| (evaluations as f64).ln_1p() / (searched.evaluations.max(1) as f64).ln_1p();
    for column in 0..columns {
        let share = (column + 1) as f64 / columns as f64;
        let reached = searched.history.iter().take_while(|found| scale(found.evaluations) <= share).count();
        let Some(&now) = reached.checked_sub(1).and_then(|at| costs.get(at)).or(costs.first()) else { return };
        #[expect(clippy::cast_sign_loss, reason = "costs are not negative")]
        let eighths = if most > 0.0 { (now / most * (CURVE * 8) as f64).ceil() as usize } else { 0 };
        for row in 0..CURVE {
            let part = eighths.saturating_sub((CURVE - 1 - row) * 8).min(8);
            let x = area.x + 1 + column as u16;
            let cell = Rect { x, y: area.y + row as u16, width: 1, height: 1 };
            put(buf, cell, 0, Span::styled(BARS[part], look.accent()));
        }
    }
    let end = format!("{} evaluations", grouped(searched.evaluations));
    let axis = format!(" 0{}", right(&end, columns.saturating_sub(1)));
    put(buf, area, CURVE, Span::styled(axis, look.dim()));
}

/// Bars of so many eighths.
const BARS: [&str; 9] = [" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"];

fn table(app: &App, searched: &Searched, selected: usize, look: Look, area: Rect, buf: &mut Buffer) {
    let problem = &app.trace().problem;
    let titles = ["after", "traffic", "makespan"].map(str::to_owned);
    let cells: Vec<[String; 3]> = searched
        .history
        .iter()
        .map(|found| {
            let figures = &found.figures;
            [grouped(found.evaluations), grouped(figures.extra_traffic), duration(problem, figures.makespan)]
        })
        .collect();
    let wide: [usize; 3] =
        std::array::from_fn(|at| cells.iter().chain([&titles]).map(|row| row[at].width()).max().unwrap_or(0));
    let row_text = |cells: &[String; 3]| {
        let columns: Vec<String> = cells.iter().zip(wide).map(|(cell, wide)| right(cell, wide)).collect();
        columns.join("  ")
    };
    put(buf, area, 0, Span::styled(format!("  {}  found by", row_text(&titles)), look.dim()));
    let height = usize::from(area.height).saturating_sub(1);
    let top = selected.saturating_sub(height.saturating_sub(1)).min(cells.len().saturating_sub(height));
    for (at, row) in cells.iter().enumerate().skip(top).take(height) {
        let marker = if at == selected { "▸" } else { " " };
        let text = format!("{marker} {}  {}", row_text(row), searched.history[at].made_by());
        let style = if at == selected { look.selected() } else { look.text() };
        put_row(buf, area, 1 + at - top, Line::raw(text), style);
    }
}
