//! What lies over the panes for a moment: menus, notes, the hint of the first start.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Widget};
use unicode_width::UnicodeWidthStr;

use super::text::{left, put, put_row};
use super::theme::Look;
use crate::app::menu::{Item, Menu};
use crate::app::note::Note;
use crate::app::words::wrap;
use crate::app::{App, Command, Dir, Mode};
use crate::trace::Mark;

/// Columns that a box takes at most.
const WIDEST: usize = 76;

/// Draws what the mode lays over the panes.
pub fn draw(app: &App, look: Look, area: Rect, buf: &mut Buffer) {
    match app.mode() {
        Mode::Menu(menu) => draw_menu(app, look, *menu, area, buf),
        Mode::Note(note) => draw_note(look, note, area, buf),
        Mode::Hint => draw_hint(app, look, area, buf),
        _ => {}
    }
}

/// An emptied box with a frame; what is inside of the frame.
fn open_box(look: Look, place: Rect, title: &str, foot: &str, buf: &mut Buffer) -> Rect {
    Clear.render(place, buf);
    buf.set_style(place, look.text());
    let block = Block::bordered().border_style(look.accent()).title(format!(" {title} "));
    let block = if foot.is_empty() { block } else { block.title_bottom(format!(" {foot} ")) };
    let inner = block.inner(place);
    block.render(place, buf);
    inner
}

fn draw_menu(app: &App, look: Look, menu: Menu, area: Rect, buf: &mut Buffer) {
    let items = app.items(menu.kind);
    let place = app.menu_place(menu.kind).intersection(area);
    let inner = open_box(look, place, menu.kind.title(), "Enter picks · Esc leaves", buf);
    for (row, item) in items.iter().enumerate() {
        let line = item_line(look, item);
        if row == menu.row {
            put_row(buf, inner, row, line, look.selected());
        } else {
            put(buf, inner, row, line);
        }
    }
    // Why the selected one cannot be had, or nothing.
    let lacks = items.get(menu.row).and_then(|item| item.lacks).unwrap_or("");
    put(buf, inner, items.len(), Span::styled(format!(" {lacks}"), look.dim()));
}

fn item_line(look: Look, item: &Item) -> Line<'static> {
    let (key, text) = if item.lacks.is_some() { (look.dim(), look.dim()) } else { (look.strong(), look.text()) };
    // Without colour, what cannot be had is told by the sign before it.
    let mark = if item.lacks.is_some() { "×" } else { " " };
    Line::from(vec![Span::styled(format!("{mark}{}  ", item.key), key), Span::styled(item.text.clone(), text)])
}

/// A box that is as large as its lines, in the middle.
fn draw_lines(look: Look, title: &str, foot: &str, lines: &[String], area: Rect, buf: &mut Buffer) {
    let room = usize::from(area.width).saturating_sub(4).clamp(1, WIDEST);
    let lines: Vec<String> = lines.iter().flat_map(|line| wrap(line, room, 2)).collect();
    let widest = lines.iter().map(|line| line.width()).chain([title.width() + 2, foot.width() + 2]).max().unwrap_or(0);
    let width = (widest.min(room) + 4) as u16;
    let height = (lines.len() as u16).saturating_add(2).min(area.height);
    let place = Rect {
        x: area.x + area.width.saturating_sub(width) / 2,
        y: area.y + (area.height - height) / 2,
        width: width.min(area.width),
        height,
    };
    let inner = open_box(look, place, title, foot, buf);
    let page = usize::from(inner.height);
    for (row, line) in lines.iter().take(page).enumerate() {
        let cut = row + 1 == page && lines.len() > page;
        let line = if cut { format!(" … {} more lines", lines.len() - row) } else { format!(" {line}") };
        put(buf, inner, row, Span::raw(left(&line, usize::from(inner.width))));
    }
}

fn draw_note(look: Look, note: &Note, area: Rect, buf: &mut Buffer) {
    draw_lines(look, note.title, "any key goes back", &note.lines, area, buf);
}

/// Three lines for someone who has never seen it.
fn draw_hint(app: &App, look: Look, area: Rect, buf: &mut Buffer) {
    let key = |command| app.key_for(&command);
    let (back, on) = (key(Command::Step(Dir::Back)), key(Command::Step(Dir::Forward)));
    let spill = key(Command::Mark(Mark::Spill, Dir::Forward));
    let lines = [
        format!("{back} {on} step through the plan, {spill} jumps to the next spill, {} plays", key(Command::Play)),
        format!(
            "{} says why, {} goes from pane to pane, {} looks into what is selected",
            key(Command::Why),
            key(Command::Pane(Dir::Forward)),
            key(Command::Enter)
        ),
        format!("{} shows every key and sign, {} quits", key(Command::Help), key(Command::Quit)),
    ];
    draw_lines(look, "Welcome to Spillscope", "any key: on with it", &lines, area, buf);
}
