//! What a frame's cells show: their symbols, safe to write, and their look.

use std::fmt::Write;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr;

/// How a cell looks, apart from its symbol.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Look {
    /// The colour of the symbol.
    pub fg: Color,
    /// The colour behind it.
    pub bg: Color,
    /// Bold, dim, reversed and the like.
    pub modifier: Modifier,
}

impl From<&Cell> for Look {
    fn from(cell: &Cell) -> Self {
        Self { fg: cell.fg, bg: cell.bg, modifier: cell.modifier }
    }
}

/// The SGR parameter of each modifier (ECMA-48, 8.3.117).
const MODIFIERS: [(Modifier, u8); 9] = [
    (Modifier::BOLD, 1),
    (Modifier::DIM, 2),
    (Modifier::ITALIC, 3),
    (Modifier::UNDERLINED, 4),
    (Modifier::SLOW_BLINK, 5),
    (Modifier::RAPID_BLINK, 6),
    (Modifier::REVERSED, 7),
    (Modifier::HIDDEN, 8),
    (Modifier::CROSSED_OUT, 9),
];

impl Look {
    /// Whether a space looks other than empty.
    pub(crate) fn fills(self) -> bool {
        self.bg != Color::Reset
            || self.modifier.intersects(Modifier::REVERSED | Modifier::UNDERLINED | Modifier::CROSSED_OUT)
    }

    /// Appends the one SGR escape that gives this look whatever was before. The sixteen are written as 30–37 and
    /// 90–97, which a terminal of sixteen colours knows; where no colour is set, no colour parameter is written.
    pub(crate) fn push_sgr(self, out: &mut String) {
        out.push_str("\x1b[0");
        for (modifier, parameter) in MODIFIERS {
            if self.modifier.contains(modifier) {
                push(out, format_args!(";{parameter}"));
            }
        }
        push_color(out, self.fg, 30);
        push_color(out, self.bg, 40);
        out.push('m');
    }
}

/// `base` is 30 for the foreground and 40 for the background.
fn push_color(out: &mut String, color: Color, base: u8) {
    let extended = base + 8;
    match color {
        Color::Reset => {}
        Color::Rgb(r, g, b) => push(out, format_args!(";{extended};2;{r};{g};{b}")),
        Color::Indexed(index) => push(out, format_args!(";{extended};5;{index}")),
        named => {
            let number = crate::ui::rgb::NAMED.iter().position(|&known| known == named).unwrap_or(7) as u8;
            let parameter = if number < 8 { base + number } else { base + 60 + number - 8 };
            push(out, format_args!(";{parameter}"));
        }
    }
}

fn push(out: &mut String, arguments: std::fmt::Arguments) {
    // Writing to a string cannot fail.
    let _ = out.write_fmt(arguments);
}

/// `symbol` as it may be written: control characters never reach a terminal or a file, and what has no width of its
/// own would shift the columns.
pub(crate) fn printable(symbol: &str) -> &str {
    if symbol.chars().any(char::is_control) {
        "\u{fffd}"
    } else if symbol.width() == 0 {
        " "
    } else {
        symbol
    }
}

/// A cell that shows, with the columns it covers.
pub(super) struct Shown<'a> {
    /// The column, from 0.
    pub x: u16,
    /// The columns that the symbol covers, at least 1.
    pub width: u16,
    /// The symbol, safe to write.
    pub symbol: &'a str,
    /// How it looks.
    pub look: Look,
}

/// The cells of row `y` from left to right, without those that a wide symbol covers. Together they cover every
/// column once: a wide symbol that the edge cuts is shown as a space.
pub(super) fn cells(buffer: &Buffer, y: u16) -> impl Iterator<Item = Shown<'_>> {
    let area = buffer.area;
    let mut x = 0;
    std::iter::from_fn(move || {
        let cell = (x < area.width).then(|| &buffer[(area.x + x, area.y + y)])?;
        let symbol = printable(cell.symbol());
        let width = symbol.width() as u16;
        let fits = width <= area.width - x;
        let shown = Shown {
            x,
            width: if fits { width } else { 1 },
            symbol: if fits { symbol } else { " " },
            look: cell.into(),
        };
        x += shown.width;
        Some(shown)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sgr(fg: Color, bg: Color, modifier: Modifier) -> String {
        let mut out = String::new();
        Look { fg, bg, modifier }.push_sgr(&mut out);
        out
    }

    #[test]
    fn the_sixteen_are_written_as_a_terminal_of_sixteen_knows_them() {
        assert_eq!(sgr(Color::Black, Color::Gray, Modifier::empty()), "\x1b[0;30;47m");
        assert_eq!(sgr(Color::DarkGray, Color::White, Modifier::empty()), "\x1b[0;90;107m");
    }

    #[test]
    fn marks_alone_write_no_colour() {
        assert_eq!(sgr(Color::Reset, Color::Reset, Modifier::BOLD | Modifier::REVERSED), "\x1b[0;1;7m");
        assert_eq!(sgr(Color::Reset, Color::Reset, Modifier::empty()), "\x1b[0m");
    }

    #[test]
    fn a_wide_symbol_cut_by_the_edge_shows_as_a_space() {
        let mut buffer = Buffer::empty(ratatui::layout::Rect::new(0, 0, 2, 1));
        buffer[(1, 0)].set_symbol("内");
        let shown: Vec<_> = cells(&buffer, 0).map(|cell| (cell.x, cell.width, cell.symbol)).collect();
        assert_eq!(shown, [(0, 1, " "), (1, 1, " ")]);
    }
}
