//! Lessons: the caption over the panes, and the list of all lessons.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};
use unicode_width::UnicodeWidthStr;

use super::text::{cut, left, put, put_row, right};
use super::theme::Look;
use crate::app::App;
use crate::app::lesson::{CaptionTone, Player, ShelfPlace, Standing};

/// Draws the caption: a heading that tells where one is, then what is said.
pub fn caption(app: &App, look: Look, buf: &mut Buffer) {
    let Some(player) = app.player().filter(|player| player.is_open()) else { return };
    let area = app.layout().caption;
    put_row(buf, area, 0, heading(player, look, usize::from(area.width)), look.selected());
    let inside = Rect { x: area.x + 1, width: area.width.saturating_sub(2), ..area };
    for (row, line) in player.lines().iter().enumerate() {
        let style = match line.tone {
            CaptionTone::Plain => look.text(),
            CaptionTone::Strong => look.strong(),
            CaptionTone::Choice => look.accent(),
            CaptionTone::Picked => look.accent().patch(look.strong()),
        };
        put(buf, inside, row + 1, Span::styled(line.text.clone(), style));
    }
}

/// `Lesson 2 of 12 · The first spill` at the left, at the right the station.
fn heading(player: &Player, look: Look, width: usize) -> Line<'static> {
    let stations = player.lesson().stations.len();
    let mut place = match player.station() {
        Some(_) => format!("{}/{stations}", player.at() + 1),
        None => "the end".to_owned(),
    };
    if let (page, pages @ 2..) = player.pages() {
        place = format!("page {} of {pages}  {place}", page + 1);
    }
    if let Some(question) = player.question().filter(|_| player.is_asking()) {
        place = format!("1–{} answers  {place}", question.choices.len());
    }
    if player.question().zip(player.picked()).is_some_and(|(asked, picked)| asked.choices[picked].cost.is_some()) {
        place = format!("the panes show your choice  {place}");
    }
    let lesson = match player.shelf().current {
        Some(at) => format!("Lesson {} of {} · ", at + 1, player.shelf().entries.len()),
        None => String::new(),
    };
    let title = format!(" {lesson}{}", player.lesson().title);
    let place = cut(&place, width.saturating_sub(2));
    let room = width.saturating_sub(place.width() + 2);
    Line::from(vec![Span::styled(left(&title, room), look.strong()), Span::raw(format!(" {place} "))])
}

/// Draws the list of lessons with row `row` selected.
pub fn shelf(app: &App, look: Look, area: Rect, row: usize, buf: &mut Buffer) {
    let Some(player) = app.player() else { return };
    let entries = player.entries();
    let count = entries.len();
    let ShelfPlace { outer: place, inner, top, shown, lines } = ShelfPlace::new(area, count, row);
    Clear.render(place, buf);
    buf.set_style(place, look.text());
    let more = count - top - shown;
    let foot = if more > 0 {
        format!(" ↓ {more} more · Enter opens · Esc leaves ")
    } else {
        " Enter opens · Esc leaves ".into()
    };
    Block::bordered().border_style(look.accent()).title(" Lessons ").title_bottom(foot).render(place, buf);
    for (at, entry) in entries.enumerate().skip(top).take(shown) {
        let sign = match entry.standing {
            Standing::Done => "•",
            Standing::At(_) => "…",
            Standing::New => " ",
        };
        let marker = if at == row { "▸" } else { " " };
        let progress = entry.progress();
        let room = usize::from(inner.width).saturating_sub(progress.width() + 2);
        let title = left(&format!("{marker}{} {sign} {}", right(&(at + 1).to_string(), 2), entry.title), room);
        let line = Line::from(vec![Span::styled(title, look.strong()), Span::raw(format!(" {progress} "))]);
        let y = (at - top) * lines;
        if at == row {
            put_row(buf, inner, y, line, look.selected());
        } else {
            put(buf, inner, y, line);
        }
        if lines > 1 {
            put(buf, inner, y + 1, Span::styled(format!("      {}", entry.aim), look.dim()));
        }
    }
}
