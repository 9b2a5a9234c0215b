//! The keys, over everything else.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};

use super::text::{left, put};
use super::theme::Look;
use crate::app::App;
use crate::app::help::{KEYS, lines, page};

/// Draws the help from line `top` on.
pub fn draw(app: &App, look: Look, area: Rect, top: usize, buf: &mut Buffer) {
    let lines = lines(app.keymap(), area.width, app.prefs.ascii);
    let page = page(area.height);
    let top = top.min(lines.len().saturating_sub(page));
    let width = area.width.min(KEYS as u16 + 64);
    let height = (page as u16 + 2).min(area.height);
    let place = Rect { x: (area.width - width) / 2, y: (area.height - height) / 2, width, height };
    Clear.render(place, buf);
    buf.set_style(place, look.text());
    let more = lines.len().saturating_sub(top + page);
    let foot = match (top, more) {
        (0, 0) => " Esc leaves ".to_owned(),
        (_, 0) => " the end · Esc leaves ".to_owned(),
        _ => format!(" ↓ {more} more · Esc leaves "),
    };
    Block::bordered().border_style(look.accent()).title(" Keys ").title_bottom(foot).render(place, buf);
    let inner =
        Rect { x: place.x + 1, y: place.y + 1, width: width.saturating_sub(2), height: height.saturating_sub(2) };
    for (row, line) in lines.iter().skip(top).take(page).enumerate() {
        let shown = if line.heading {
            Line::styled(line.text.clone(), look.accent().patch(look.strong()))
        } else {
            Line::from(vec![Span::styled(left(&line.keys, KEYS), look.strong()), Span::raw(line.text.clone())])
        };
        put(buf, inner, row, shown);
    }
}
