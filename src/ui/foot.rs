//! The footer while something is asked: the question, what was typed, and the way out.

use ratatui::text::{Line, Span};
use tui_input::Input;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::theme::Look;
use crate::app::menu::Pick;
use crate::app::share::Save;
use crate::app::words::cut;
use crate::app::{App, Ask, Command, Dir};
use crate::model::clean;

/// The least room for what is typed beside the longer question.
const LEAST_ROOM: usize = 16;

/// A question, what has been typed with the cursor in it, and where there is room the keys that end it.
pub fn prompt(app: &App, look: Look, ask: Ask, input: &Input, width: usize) -> Line<'static> {
    let (long, short) = question(app, ask);
    // Pasted text is shown like any that comes from outside.
    let typed: Vec<char> = clean(input.value()).chars().collect();
    let columns: usize = typed.iter().map(|c| c.width().unwrap_or(0)).sum();
    let question = if long.width() + columns.max(LEAST_ROOM) < width { long } else { short };
    let keys = if typed.is_empty() { "  Enter · Esc · ? what" } else { "  Enter · Esc" };
    let keys = if question.width() + columns + 1 + keys.width() <= width { keys } else { "" };
    let room = width.saturating_sub(question.width() + keys.width());
    let cursor = input.cursor().min(typed.len());
    let start = first_shown(&typed, cursor, room);
    let part = |chars: &[char]| chars.iter().collect::<String>();
    let under = typed.get(cursor).map_or_else(|| " ".to_owned(), char::to_string);
    Line::from(vec![
        Span::styled(question, look.accent()),
        Span::raw(part(&typed[start..cursor])),
        Span::styled(under, look.selected()),
        Span::raw(part(typed.get(cursor + 1..).unwrap_or_default())),
        Span::styled(keys, look.dim()),
    ])
}

/// The question, and a shorter one.
fn question(app: &App, ask: Ask) -> (String, String) {
    let fixed = |long: &str, short: &str| (long.to_owned(), short.to_owned());
    match ask {
        Ask::Search => fixed(" find (id, b42, operation or name): ", " find: "),
        Ask::Filter => fixed(" show only (spill, L1, b42 or text): ", " show only: "),
        Ask::Stop(_) => fixed(" stop at (L1 > 90%, b42, spill, …): ", " stop at: "),
        Ask::SaveAs(Pick::Plan) => fixed(" write the plan into the folder: ", " folder: "),
        Ask::SaveAs(_) => fixed(" write into the file: ", " file: "),
        Ask::Value(knob) => {
            let (name, value) = (knob.name(&app.setup()), knob.value(&app.setup()));
            (format!(" {name} (now {value}): "), format!(" {name}: "))
        }
    }
}

/// The first character that is shown so that the cursor is in sight: none is hidden while all fit.
fn first_shown(typed: &[char], cursor: usize, room: usize) -> usize {
    let columns = |chars: &[char]| chars.iter().map(|c| c.width().unwrap_or(0)).sum::<usize>();
    let under = typed.get(cursor).and_then(|c| c.width()).unwrap_or(1);
    (0..cursor).find(|&start| columns(&typed[start..cursor]) + under <= room).unwrap_or(cursor)
}

/// The letter of a bookmark is waited for.
pub fn letter(app: &App, set: bool) -> Line<'static> {
    let question = if set { " bookmark under which letter?" } else { " go to the bookmark of which letter?" };
    Line::from(format!("{question}  {} those there are", app.key_for(&Command::Help)))
}

/// Whether to replace a file.
pub fn replace(look: Look, save: &Save) -> Line<'static> {
    let path = cut(&clean(&save.path), 40);
    let what = if save.pick == Pick::Plan { "holds a plan already" } else { "is there already" };
    Line::from(vec![
        Span::styled(" y", look.accent().patch(look.strong())),
        Span::raw(" replaces, any other key leaves it: "),
        Span::styled(format!("{path} {what}"), look.strong()),
    ])
}

/// While the keys are shown.
pub fn help(app: &App) -> Line<'static> {
    let row = |dir| app.key_for(&Command::Row(dir));
    Line::from(format!(" {} {} scroll   Esc leaves the keys", row(Dir::Back), row(Dir::Forward)))
}

/// While a menu is open.
pub fn menu(app: &App) -> Line<'static> {
    let row = |dir| app.key_for(&Command::Row(dir));
    Line::from(format!(" {} {} Enter or a letter  Esc leaves", row(Dir::Back), row(Dir::Forward)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cursor_is_in_sight_however_long_the_line_and_narrow_the_room() {
        for text in ["", "x", &"abcdef".repeat(30), &"权重".repeat(30)] {
            let typed: Vec<char> = text.chars().collect();
            for cursor in [0, 1, typed.len() / 2, typed.len()] {
                let cursor = cursor.min(typed.len());
                for room in [2, 16, 40, 200] {
                    let start = first_shown(&typed, cursor, room);
                    let shown: String = typed[start..cursor].iter().chain(typed.get(cursor)).collect();
                    assert!(shown.width() <= room, "{text} {cursor} {room}: {shown}");
                }
            }
        }
    }
}
