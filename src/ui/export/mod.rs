//! A frame as text, as text with ANSI escapes, or as a picture. Nothing here depends on the machine: the same
//! buffer always gives the same bytes.

mod cells;
mod palette;
mod png;
mod shapes;
mod svg;

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

use super::fold::fold;
use crate::app::{App, Command, update};
use cells::cells;
pub(crate) use cells::{Look, printable};
pub use png::to_png;
pub use svg::{SvgStyle, to_svg};

/// The frame that the app shows at that size, folded by its preferences.
pub fn render(app: &App, width: u16, height: u16) -> Buffer {
    let mut app = app.clone();
    update(&mut app, Command::Resize(width, height));
    let Ok(mut terminal) = Terminal::new(TestBackend::new(width, height));
    let Ok(frame) = terminal.draw(|frame| super::draw(&app, frame));
    let mut buffer = frame.buffer.clone();
    fold(&mut buffer, app.prefs.ascii, app.prefs.color);
    buffer
}

/// The frame's characters, a line each, without trailing spaces.
pub fn to_text(buffer: &Buffer) -> String {
    let mut out = String::new();
    for y in 0..buffer.area.height {
        let start = out.len();
        cells(buffer, y).for_each(|cell| out.push_str(cell.symbol));
        let trimmed = out[start..].trim_end_matches(' ').len();
        out.truncate(start + trimmed);
        out.push('\n');
    }
    out
}

/// The frame's characters with their colours and modifiers as ANSI escapes. Each line starts and ends plain, so that
/// it can be cut out; trailing spaces stay only where they show.
pub fn to_ansi(buffer: &Buffer) -> String {
    let mut out = String::new();
    for y in 0..buffer.area.height {
        let mut look = Look::default();
        // The end of what shows, as a length of `out`.
        let mut shown = out.len();
        for cell in cells(buffer, y) {
            if cell.look != look {
                look = cell.look;
                look.push_sgr(&mut out);
            }
            out.push_str(cell.symbol);
            if cell.symbol != " " || look.fills() {
                shown = out.len();
            }
        }
        let plain_from_there = !out[shown..].contains('\x1b') && look == Look::default();
        out.truncate(shown);
        if !plain_from_there {
            Look::default().push_sgr(&mut out);
        }
        out.push('\n');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::{Color, Modifier, Style};

    fn sample() -> Buffer {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 8, 3));
        buffer.set_string(0, 0, "ab", Style::new().fg(Color::Red).add_modifier(Modifier::BOLD));
        buffer.set_string(2, 0, "c", Style::new());
        buffer.set_string(0, 1, "内x", Style::new().bg(Color::Indexed(200)));
        buffer.set_string(4, 1, " ", Style::new().add_modifier(Modifier::REVERSED));
        buffer
    }

    #[test]
    fn text_keeps_columns_and_drops_trailing_spaces() {
        assert_eq!(to_text(&sample()), "abc\n内x\n\n");
    }

    #[test]
    fn ansi_writes_runs_and_ends_each_line_plain() {
        let lines = ["\x1b[0;1;31mab\x1b[0mc", "\x1b[0;48;5;200m内x\x1b[0m \x1b[0;7m \x1b[0m", "", ""];
        assert_eq!(to_ansi(&sample()), lines.join("\n"));
    }

    #[test]
    fn a_last_character_in_colour_is_followed_by_a_reset() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 3, 1));
        buffer.set_string(0, 0, "xyz", Style::new().fg(Color::Rgb(1, 2, 3)));
        assert_eq!(to_ansi(&buffer), "\x1b[0;38;2;1;2;3mxyz\x1b[0m\n");
        buffer.set_string(0, 0, "x  ", Style::new().fg(Color::Green));
        assert_eq!(to_ansi(&buffer), "\x1b[0;32mx\x1b[0m\n");
    }

    #[test]
    fn escapes_in_a_cell_are_never_written() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 3, 1));
        buffer[(0, 0)].set_symbol("\x1b]0;x\x07");
        buffer[(1, 0)].set_symbol("");
        assert_eq!(to_text(&buffer), "\u{fffd}\n");
        assert!(!to_ansi(&buffer).contains('\x1b'));
    }

    #[test]
    fn an_empty_frame_is_empty() {
        let buffer = Buffer::empty(Rect::new(0, 0, 0, 0));
        assert_eq!((to_text(&buffer), to_ansi(&buffer)), (String::new(), String::new()));
    }
}
