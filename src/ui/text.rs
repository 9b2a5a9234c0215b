//! Text in columns: cut with a mark, padded by what a terminal shows, not by bytes.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

pub use crate::app::words::cut;
use crate::app::words::prefix;

/// `text` in exactly `width` columns, at their left.
pub fn left(text: &str, width: usize) -> String {
    let text = cut(text, width);
    let rest = width - text.width();
    text + &" ".repeat(rest)
}

/// `text` in exactly `width` columns, at their right.
pub fn right(text: &str, width: usize) -> String {
    let text = cut(text, width);
    " ".repeat(width - text.width()) + &text
}

/// Writes a line into row `row` of `area`, cut with a mark where it is too long.
pub fn put(buf: &mut Buffer, area: Rect, row: usize, line: impl Into<Line<'static>>) {
    let Some(y) = u16::try_from(row).ok().filter(|&row| row < area.height) else { return };
    let line = cut_line(line.into(), usize::from(area.width));
    buf.set_line(area.x, area.y + y, &line, area.width);
}

/// Writes a line whose ground reaches over the whole row.
pub fn put_row(buf: &mut Buffer, area: Rect, row: usize, line: impl Into<Line<'static>>, style: Style) {
    put(buf, area, row, line);
    if row < usize::from(area.height) {
        buf.set_style(Rect { y: area.y + row as u16, height: 1, ..area }, style);
    }
}

fn cut_line(line: Line<'static>, width: usize) -> Line<'static> {
    if line.width() <= width {
        return line;
    }
    let Some(mut room) = width.checked_sub(1) else { return Line::default() };
    let mut spans: Vec<Span<'static>> = Vec::new();
    for span in line.spans {
        if span.width() > room {
            spans.push(Span::styled(prefix(&span.content, room) + "…", span.style));
            break;
        }
        room -= span.width();
        spans.push(span);
    }
    Line::from(spans)
}

/// Says in the middle of an empty pane what would be here.
pub fn empty(buf: &mut Buffer, area: Rect, text: &str, style: Style) {
    let width = usize::from(area.width);
    let lines = crate::app::words::wrap(text, width.saturating_sub(2).max(1), 0);
    for (row, line) in lines.into_iter().enumerate() {
        put(buf, area, row, Span::styled(format!(" {line}"), style));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_hold_with_wide_and_combining_characters() {
        for text in ["", "abc", "权重", "cafe\u{301}", "a权b重c", "0123456789"] {
            for width in 0..12 {
                assert_eq!(left(text, width).width(), width, "{text}");
                assert_eq!(right(text, width).width(), width, "{text}");
                let short = cut(text, width);
                assert!(short == *text || width == 0 || short.ends_with('…'), "{text} cut without a mark: {short}");
            }
        }
    }

    #[test]
    fn a_line_that_goes_on_past_the_edge_is_marked() {
        for width in 1..12u16 {
            let area = Rect { x: 0, y: 0, width, height: 1 };
            let mut buf = Buffer::empty(area);
            put(&mut buf, area, 0, Line::from(vec![Span::raw("abcd"), Span::raw("efgh"), Span::raw("ijkl")]));
            assert_eq!(buf[(width - 1, 0)].symbol(), "…");
        }
    }
}
