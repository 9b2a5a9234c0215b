//! Writes frames to a terminal: a ratatui backend.
//!
//! In place of crossterm's, which writes the sixteen colours as `38;5;n` (unknown to terminals that have no more than
//! sixteen) and colour resets even where there must be no colour. Each frame leaves in one write and as one synchronised
//! update: on its way over a network it arrives in pieces, and a terminal that knows the mode shows it whole.
//! Others pass over the two marks.

use std::io::{self, Write};

use crossterm::cursor::{Hide, MoveTo, Show};
use crossterm::queue;
use crossterm::terminal::{BeginSynchronizedUpdate, Clear, ClearType as CrosstermClear, EndSynchronizedUpdate};
use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::Cell;
use ratatui::layout::{Position, Size};

use crate::ui::export::{Look, printable};

/// A terminal of a known size behind a writer.
pub(super) struct Screen<W: Write> {
    out: W,
    /// What the next flush writes. Dropped unwritten when the screen is.
    pending: Vec<u8>,
    size: Size,
    cursor: Position,
}

impl<W: Write> Screen<W> {
    pub(super) fn new(out: W, size: Size) -> Self {
        Self { out, pending: Vec::new(), size, cursor: Position::ORIGIN }
    }

    /// The size that the program was told. Asking the terminal for each frame could give one that it has not heard
    /// of yet.
    pub(super) fn set_size(&mut self, size: Size) {
        self.size = size;
    }
}

impl<W: Write> Backend for Screen<W> {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let mut look = Look::default();
        let mut text = String::new();
        let mut next = None;
        for (x, y, cell) in content {
            if next != Some((x, y)) {
                self.pending.append(&mut std::mem::take(&mut text).into_bytes());
                queue!(self.pending, MoveTo(x, y))?;
            }
            // Wrong behind a wide symbol, whose second cell never comes: the cursor is then moved, which is right.
            next = Some((x + 1, y));
            if look != cell.into() {
                look = cell.into();
                look.push_sgr(&mut text);
            }
            text.push_str(printable(cell.symbol()));
        }
        if look != Look::default() {
            Look::default().push_sgr(&mut text);
        }
        self.pending.append(&mut text.into_bytes());
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        queue!(self.pending, Hide)
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        queue!(self.pending, Show)
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        Ok(self.cursor)
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        self.cursor = position.into();
        queue!(self.pending, MoveTo(self.cursor.x, self.cursor.y))
    }

    fn clear(&mut self) -> io::Result<()> {
        self.clear_region(ClearType::All)
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        let region = match region {
            ClearType::All => CrosstermClear::All,
            ClearType::AfterCursor => CrosstermClear::FromCursorDown,
            ClearType::BeforeCursor => CrosstermClear::FromCursorUp,
            ClearType::CurrentLine => CrosstermClear::CurrentLine,
            ClearType::UntilNewLine => CrosstermClear::UntilNewLine,
        };
        queue!(self.pending, Clear(region))
    }

    fn size(&self) -> io::Result<Size> {
        Ok(self.size)
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize { columns_rows: self.size, pixels: Size::ZERO })
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.pending.is_empty() {
            return Ok(());
        }
        let mut whole = Vec::with_capacity(self.pending.len() + 16);
        queue!(whole, BeginSynchronizedUpdate)?;
        whole.append(&mut self.pending);
        queue!(whole, EndSynchronizedUpdate)?;
        self.out.write_all(&whole)?;
        self.out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::Terminal;
    use ratatui::style::{Color, Style};

    fn draw(line: &str, style: Style) -> String {
        let mut terminal = Terminal::new(Screen::new(Vec::new(), Size::new(10, 2))).expect("never fails");
        terminal.draw(|frame| frame.buffer_mut().set_string(1, 1, line, style)).expect("a Vec can be written");
        let written = String::from_utf8(terminal.backend().out.clone()).expect("UTF-8");
        let frame = written.strip_prefix("\x1b[?2026h").and_then(|rest| rest.strip_suffix("\x1b[?2026l"));
        frame.expect("one synchronised update").to_owned()
    }

    #[test]
    fn sixteen_colours_are_written_so_that_sixteen_suffice() {
        assert_eq!(draw("ab", Style::new().fg(Color::LightRed)), "\x1b[2;2H\x1b[0;91mab\x1b[0m\x1b[?25l");
    }

    #[test]
    fn without_colours_none_is_written() {
        assert_eq!(draw("ab", Style::new()), "\x1b[2;2Hab\x1b[?25l");
    }

    #[test]
    fn behind_a_wide_symbol_the_cursor_is_placed_anew() {
        assert_eq!(draw("内x", Style::new()), "\x1b[2;2H内\x1b[2;4Hx\x1b[?25l");
    }

    #[test]
    fn an_unchanged_frame_writes_no_cell() {
        let mut terminal = Terminal::new(Screen::new(Vec::new(), Size::new(10, 2))).expect("never fails");
        for _ in 0..2 {
            terminal.draw(|frame| frame.buffer_mut().set_string(0, 0, "ab", Style::new())).expect("written");
        }
        assert_eq!(String::from_utf8_lossy(&terminal.backend().out).matches("ab").count(), 1);
    }
}
