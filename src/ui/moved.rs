//! The table of buffers by what their spills moved so far, whether they are alive or not.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::buffers::rest;
use super::text::{empty, left, put, put_row, right};
use super::theme::{Look, Sign, letter};
use crate::app::{App, Pane, rows};
use crate::model::BufIx;
use crate::output::labels::buffer_label;
use crate::output::numbers::{grouped, percent};

/// How wide the columns are.
struct Columns {
    name: usize,
    times: usize,
    moved: usize,
}

/// Columns of a share in percent.
const SHARE: usize = 6;

/// As wide as the largest numbers need; the name has the rest.
fn columns(app: &App, width: usize) -> Columns {
    let spills = grouped(u64::from(app.state().spills)).len();
    let most = app.moved().rows.first().map_or(0, |&buf| app.moved().units(app.trace(), buf));
    let (times, moved) = (spills.max("spills".len()) + 1, grouped(most).len().max("moved".len()) + 1);
    Columns { name: width.saturating_sub(2 + times + moved + SHARE).max(4), times, moved }
}

/// What stands above the pane.
pub fn title(app: &App) -> (String, String) {
    let moved = app.state().extra_traffic;
    ("Buffers by moved".into(), format!("{} units so far", grouped(moved)))
}

/// Draws the table.
pub fn draw(app: &App, look: Look, area: Rect, buf: &mut Buffer) {
    let all = &app.moved().rows;
    if all.is_empty() {
        let text =
            "Buffers that were spilled, and what that moved, would be here: nothing was spilled up to this step.";
        return empty(buf, area, text, look.dim());
    }
    let columns = columns(app, usize::from(area.width));
    let head = format!(
        "  {}{}{}{}",
        left("buffer", columns.name),
        right("spills", columns.times),
        right("moved", columns.moved),
        right("share", SHARE)
    );
    put(buf, area, 0, Line::styled(head, look.dim()));
    let height = rows::table_rows(area.height, all.len());
    let selected = app.rows().buffers.min(all.len() - 1);
    let top = rows::first_row(selected, height);
    for (row, &buffer) in all.iter().enumerate().skip(top).take(height) {
        let line = line(app, look, &columns, buffer);
        if row == selected && app.focus() == Pane::Buffers {
            put_row(buf, area, row - top + 1, line, look.selected());
        } else {
            put(buf, area, row - top + 1, line);
        }
    }
    rest(look, area, top, all.len().saturating_sub(top + height), buf);
}

fn line(app: &App, look: Look, columns: &Columns, buf: BufIx) -> Line<'static> {
    let trace = app.trace();
    let moved = app.moved().units(trace, buf);
    let change = app.change_of(buf).and_then(Sign::of_change);
    let style = change.map_or(look.text(), |sign| look.sign(sign));
    let mark = change.map_or(' ', Sign::letter);
    Line::from(vec![
        Span::styled(letter(trace, buf).to_string(), look.buffer(buf)),
        Span::styled(mark.to_string(), style),
        Span::styled(left(&buffer_label(&trace.problem.graph, buf), columns.name), style),
        Span::raw(right(&grouped(u64::from(app.moved().times(buf))), columns.times)),
        Span::raw(right(&grouped(moved), columns.moved)),
        Span::styled(right(&percent(moved, app.state().extra_traffic), SHARE), look.dim()),
    ])
}
