//! Folds a drawn frame into what the terminal can show: ASCII stand-ins and fewer colours. Everything is drawn as
//! for the best terminal; only this last step knows the others.

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::Color;
use unicode_width::UnicodeWidthStr;

use super::glyphs::GLYPHS;
use super::rgb;
use crate::app::ColorDepth;

/// Folds `buffer` in place. With `ascii` every symbol is one printable ASCII character afterwards; columns stay.
pub fn fold(buffer: &mut Buffer, ascii: bool, depth: ColorDepth) {
    if ascii {
        fold_symbols(buffer);
    }
    if depth != ColorDepth::True {
        buffer.content.iter_mut().for_each(|cell| fold_colors(cell, depth));
    }
}

/// `color` as a terminal of that depth shows it; `Reset` is the terminal's own and always stays.
pub fn fold_color(color: Color, depth: ColorDepth) -> Color {
    match (depth, color) {
        (ColorDepth::None, _) => Color::Reset,
        (ColorDepth::Ansi256, Color::Rgb(r, g, b)) => rgb::to_256([r, g, b]),
        (ColorDepth::Ansi16, Color::Rgb(r, g, b)) => rgb::to_16([r, g, b]),
        (ColorDepth::Ansi16, Color::Indexed(index)) => match rgb::NAMED.get(usize::from(index)) {
            Some(named) => *named,
            None => rgb::to_16(rgb::indexed(index)),
        },
        _ => color,
    }
}

fn fold_colors(cell: &mut Cell, depth: ColorDepth) {
    cell.fg = fold_color(cell.fg, depth);
    cell.bg = fold_color(cell.bg, depth);
}

fn fold_symbols(buffer: &mut Buffer) {
    let width = usize::from(buffer.area.width).max(1);
    for row in buffer.content.chunks_mut(width) {
        // Cells that a wide symbol to their left covers; narrowed, it shows them.
        let mut covered = 0;
        for cell in row {
            if covered > 0 {
                cell.set_char(' ');
                covered -= 1;
                continue;
            }
            covered = cell.symbol().width().saturating_sub(1);
            let stand_in = stand_in(cell.symbol());
            cell.set_char(stand_in);
        }
    }
}

/// The ASCII character that stands for `symbol`.
fn stand_in(symbol: &str) -> char {
    let mut chars = symbol.chars();
    match (chars.next(), chars.next()) {
        (None, _) => ' ',
        (Some(only @ ' '..='~'), None) => only,
        (Some(first), None) => GLYPHS.iter().find(|(glyph, _)| *glyph == first).map_or('?', |(_, ascii)| *ascii),
        // A letter with combining marks keeps its letter.
        (Some(first @ '!'..='~'), Some(_)) => first,
        _ => '?',
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::{Modifier, Style};

    fn folded(line: &str, width: u16) -> String {
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, 1));
        buffer.set_string(0, 0, line, Style::new());
        fold(&mut buffer, true, ColorDepth::True);
        buffer.content.iter().map(Cell::symbol).collect()
    }

    #[test]
    fn every_cell_becomes_one_ascii_character() {
        assert_eq!(folded("a─│b", 6), "a-|b  ");
        assert_eq!(folded("e\u{301}x", 4), "ex  ");
        assert_eq!(folded("λ", 2), "? ");
    }

    #[test]
    fn a_wide_character_keeps_its_two_columns() {
        assert_eq!(folded("内存x", 6), "? ? x ");
        // Cut in two by the edge it is not drawn at all, so nothing may be covered beyond the row.
        assert_eq!(folded("ab内", 3), "ab ");
    }

    #[test]
    fn every_stand_in_is_printable_ascii_and_as_wide() {
        for (glyph, ascii) in GLYPHS {
            assert!((' '..='~').contains(ascii), "{glyph}");
            assert_eq!(glyph.to_string().width(), 1, "{glyph}");
        }
    }

    #[test]
    fn without_colour_marks_remain() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 1, 1));
        let style = Style::new().fg(Color::Red).bg(Color::Rgb(1, 2, 3)).add_modifier(Modifier::REVERSED);
        buffer.set_string(0, 0, "x", style);
        fold(&mut buffer, false, ColorDepth::None);
        let cell = &buffer[(0, 0)];
        assert_eq!((cell.fg, cell.bg, cell.modifier), (Color::Reset, Color::Reset, Modifier::REVERSED));
    }

    #[test]
    fn a_depth_shows_only_its_own_colours() {
        for color in [Color::Reset, Color::Red, Color::Indexed(9), Color::Indexed(214), Color::Rgb(230, 159, 0)] {
            assert_eq!(fold_color(color, ColorDepth::True), color);
            assert!(!matches!(fold_color(color, ColorDepth::Ansi256), Color::Rgb(..)));
            assert!(!matches!(fold_color(color, ColorDepth::Ansi16), Color::Rgb(..) | Color::Indexed(_)));
            assert_eq!(fold_color(color, ColorDepth::None), Color::Reset);
        }
        assert_eq!(fold_color(Color::Indexed(9), ColorDepth::Ansi16), Color::LightRed);
        assert_eq!(fold_color(Color::Rgb(230, 159, 0), ColorDepth::Ansi256), Color::Indexed(178));
    }
}
