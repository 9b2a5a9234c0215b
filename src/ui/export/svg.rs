//! A frame as an SVG picture.
//!
//! Columns align in every renderer and with every font: a cell is 8 × 16 units, the font size makes DejaVu Sans Mono
//! exactly that wide, each run of text starts at its own column, and `textLength` holds other fonts to the width.
//! Crisp edges keep seams from showing between the cells of a scaled picture; thin lines are drawn smoothly, since
//! crisp ones may fall between two pixels and vanish.

use std::fmt::Write;

use ratatui::buffer::Buffer;
use ratatui::style::Modifier;

use super::cells::{Look, Shown, cells};
use super::palette::{DARK, LIGHT, Palette};
use super::shapes::{CELL_HEIGHT, CELL_WIDTH, Piece, shape};
use crate::output::svg::escape;
use crate::ui::rgb::Rgb;

/// Units between the text and the picture's edge.
const MARGIN: u16 = 8;
/// DejaVu Sans Mono is 1233 / 2048 of its size wide: at this size, 8 units.
const FONT_SIZE: &str = "13.288";
/// Where a line's letters stand, from the top of its cells.
const BASELINE: u16 = 12;

/// CSS font families, best first.
pub(super) const FAMILIES: &str = "DejaVu Sans Mono, Menlo, Consolas, Liberation Mono, monospace";

/// How the picture is made.
#[derive(Clone, Debug)]
pub struct SvgStyle {
    /// CSS font families, best first; monospaced.
    pub font_family: String,
    /// The height of a line in pixels, before the viewer scales the picture.
    pub line_height: u16,
    /// Dark on light in place of light on dark, wherever the frame leaves colours to the terminal.
    pub light: bool,
}

impl Default for SvgStyle {
    fn default() -> Self {
        Self { font_family: FAMILIES.into(), line_height: 16, light: false }
    }
}

/// The frame as an SVG document; `title` is what a screen reader or a tooltip says.
pub fn to_svg(buffer: &Buffer, title: &str, style: &SvgStyle) -> String {
    let palette = if style.light { &LIGHT } else { &DARK };
    // A theme paints the whole frame, and so the margin: by the first cell.
    let corner = buffer.content.first().map_or_else(Look::default, Look::from);
    let mut canvas = Canvas { out: String::new(), palette, ground: palette.resolve(corner).1 };
    canvas.open(buffer, title, style);
    for y in 0..buffer.area.height {
        canvas.row(y, &cells(buffer, y).collect::<Vec<_>>());
    }
    canvas.out.push_str("</g>\n</svg>\n");
    canvas.out
}

struct Canvas<'a> {
    out: String,
    palette: &'a Palette,
    /// The colour behind everything.
    ground: Rgb,
}

impl Canvas<'_> {
    fn line(&mut self, arguments: std::fmt::Arguments) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.out, "{arguments}");
    }

    fn open(&mut self, buffer: &Buffer, title: &str, style: &SvgStyle) {
        let units = |cells: u16, cell: u16| u32::from(cells) * u32::from(cell) + 2 * u32::from(MARGIN);
        let (width, height) = (units(buffer.area.width, CELL_WIDTH), units(buffer.area.height, CELL_HEIGHT));
        let pixels = |units: u32| units * u32::from(style.line_height) / u32::from(CELL_HEIGHT);
        self.line(format_args!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="{}" height="{}" viewBox="0 0 {width} {height}">"#,
            pixels(width),
            pixels(height)
        ));
        self.line(format_args!("<title>{}</title>", escape(title)));
        let background = Hex(self.ground);
        self.line(format_args!(r#"<rect width="{width}" height="{height}" rx="6" fill="{background}"/>"#));
        let family = escape(&style.font_family);
        self.line(format_args!(
            r#"<g transform="translate({MARGIN} {MARGIN})" shape-rendering="crispEdges" font-family="{family}" font-size="{FONT_SIZE}">"#
        ));
    }

    fn row(&mut self, y: u16, row: &[Shown]) {
        let top = u32::from(y) * u32::from(CELL_HEIGHT);
        let mut boxes = Boxes::default();
        for cell in row {
            let (_, bg) = self.palette.resolve(cell.look);
            if bg != self.ground {
                let whole = Piece { x: 0, y: 0, width: cell.width * CELL_WIDTH, height: CELL_HEIGHT, percent: 100 };
                boxes.add(cell.x, whole, bg);
            }
        }
        boxes.end_layer();
        for cell in row {
            let (fg, _) = self.palette.resolve(cell.look);
            marks(cell).for_each(|mark| boxes.add(cell.x, mark, fg));
        }
        for block in boxes.done {
            let Block { x, piece, color } = block;
            let opacity =
                if piece.percent < 100 { format!(r#" fill-opacity="0.{}""#, piece.percent) } else { String::new() };
            let thin = piece.width.min(piece.height) == 1;
            let smooth = if thin { r#" shape-rendering="auto""# } else { "" };
            self.line(format_args!(
                r#"<rect x="{x}" y="{}" width="{}" height="{}" fill="{}"{opacity}{smooth}/>"#,
                top + u32::from(piece.y),
                piece.width,
                piece.height,
                Hex(color)
            ));
        }
        let mut rest = row;
        while let Some((run, after)) = next_run(rest) {
            self.text(top, run);
            rest = after;
        }
    }

    fn text(&mut self, top: u32, run: &[Shown]) {
        let text: String = run.iter().map(|cell| cell.symbol).collect();
        let (x, columns) = (u32::from(run[0].x), run.iter().map(|cell| u32::from(cell.width)).sum::<u32>());
        let look = run[0].look;
        let weight = if look.modifier.contains(Modifier::BOLD) { r#" font-weight="bold""# } else { "" };
        let slant = if look.modifier.contains(Modifier::ITALIC) { r#" font-style="italic""# } else { "" };
        let length = if columns > 1 {
            format!(r#" textLength="{}" lengthAdjust="spacingAndGlyphs""#, columns * u32::from(CELL_WIDTH))
        } else {
            String::new()
        };
        self.line(format_args!(
            r#"<text x="{}" y="{}" fill="{}"{weight}{slant}{length} xml:space="preserve">{}</text>"#,
            x * u32::from(CELL_WIDTH),
            top + u32::from(BASELINE),
            Hex(self.palette.resolve(look).0),
            escape(&text)
        ));
    }
}

/// Whether a font draws the cell.
fn is_text(cell: &Shown) -> bool {
    cell.symbol != " " && shape(cell.symbol).is_none() && !cell.look.modifier.contains(Modifier::HIDDEN)
}

/// The next cells that make one text element, and what follows them. A run is of one look and of ASCII, in which no
/// font differs from its own width; anything else may come from a fallback font and stands by itself.
fn next_run<'r, 'b>(row: &'r [Shown<'b>]) -> Option<(&'r [Shown<'b>], &'r [Shown<'b>])> {
    let row = &row[row.iter().position(is_text)?..];
    let look = row[0].look;
    let joins = |cell: &Shown| cell.look == look && cell.symbol.is_ascii() && shape(cell.symbol).is_none();
    let mut end = 1;
    if joins(&row[0]) {
        // One space stays within a run, two end it.
        while row.get(end).is_some_and(joins) && !(row[end].symbol == " " && row[end - 1].symbol == " ") {
            end += 1;
        }
    }
    while row[end - 1].symbol == " " {
        end -= 1;
    }
    Some(row.split_at(end))
}

/// The rectangles in the text's colour: the symbol's own, and the lines under and through it.
fn marks(cell: &Shown) -> impl Iterator<Item = Piece> {
    let hidden = cell.look.modifier.contains(Modifier::HIDDEN);
    let symbol = if hidden { None } else { shape(cell.symbol) };
    let bar = |modifier, y| {
        let piece = Piece { x: 0, y, width: cell.width * CELL_WIDTH, height: 1, percent: 100 };
        cell.look.modifier.contains(modifier).then_some(piece)
    };
    let under = bar(Modifier::UNDERLINED, BASELINE + 2);
    let through = bar(Modifier::CROSSED_OUT, BASELINE - 4);
    symbol.into_iter().flatten().chain(under).chain(through)
}

/// A rectangle of a row; `x` from the left edge of the text, `piece.x` no longer counts.
struct Block {
    x: u32,
    piece: Piece,
    color: Rgb,
}

/// Collects a row's rectangles and joins those that touch, so that no seam shows between cells.
#[derive(Default)]
struct Boxes {
    done: Vec<Block>,
    /// Where the layer that is being drawn starts; what lies below is not joined with it.
    layer: usize,
}

impl Boxes {
    fn add(&mut self, column: u16, piece: Piece, color: Rgb) {
        let x = u32::from(column) * u32::from(CELL_WIDTH) + u32::from(piece.x);
        let same_band = |block: &&mut Block| {
            let other = block.piece;
            (other.y, other.height, other.percent) == (piece.y, piece.height, piece.percent)
                && block.color == color
                && block.x + u32::from(other.width) == x
        };
        // A cell has few rectangles, so its neighbour's are among the last.
        match self.done[self.layer..].iter_mut().rev().take(6).find(same_band) {
            Some(left) => left.piece.width += piece.width,
            None => self.done.push(Block { x, piece, color }),
        }
    }

    fn end_layer(&mut self) {
        self.layer = self.done.len();
    }
}

/// `#rrggbb`
struct Hex(Rgb);

impl std::fmt::Display for Hex {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [r, g, b] = self.0;
        write!(f, "#{r:02x}{g:02x}{b:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::layout::Rect;
    use ratatui::style::{Color, Style};

    fn draw(width: u16, line: &str, style: Style) -> String {
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, 1));
        buffer.set_string(0, 0, line, style);
        to_svg(&buffer, "a <title> & \x1b", &SvgStyle::default())
    }

    #[test]
    fn markup_in_names_is_escaped() {
        let svg = draw(9, "<b>&\"", Style::new());
        assert!(svg.contains("<title>a &lt;title&gt; &amp; \u{fffd}</title>"), "{svg}");
        assert!(svg.contains(">&lt;b&gt;&amp;&quot;</text>"), "{svg}");
    }

    #[test]
    fn a_run_starts_at_its_column_and_has_its_width() {
        let svg = draw(20, "ab cd   ef", Style::new());
        assert!(svg.contains(r##"<text x="0" y="12" fill="#d8dee9" textLength="40""##), "{svg}");
        assert!(svg.contains(r##"<text x="64" y="12" fill="#d8dee9" textLength="16""##), "{svg}");
        assert_eq!(svg.matches("<text").count(), 2);
    }

    #[test]
    fn lines_are_smooth_and_blocks_crisp() {
        let svg = draw(2, "─█", Style::new());
        assert!(svg.contains(r##"height="1" fill="#d8dee9" shape-rendering="auto"/>"##), "{svg}");
        assert!(svg.contains(r##"height="16" fill="#d8dee9"/>"##), "{svg}");
    }

    #[test]
    fn what_may_come_from_another_font_stands_by_itself() {
        let svg = draw(20, "a内b", Style::new());
        assert!(svg.contains(r##"x="8" y="12" fill="#d8dee9" textLength="16""##), "{svg}");
        assert!(svg.contains(r#"<text x="24""#), "{svg}");
    }

    #[test]
    fn bars_are_rectangles_without_seams() {
        let svg = draw(6, "███▌", Style::new().fg(Color::Rgb(1, 2, 3)));
        assert!(svg.contains(r##"<rect x="0" y="0" width="28" height="16" fill="#010203"/>"##), "{svg}");
        assert!(!svg.contains("<text"));
    }

    #[test]
    fn a_background_of_the_same_colour_never_joins_the_bar_in_front() {
        let mut buffer = Buffer::empty(Rect::new(0, 0, 3, 1));
        buffer[(1, 0)].set_symbol(" ").set_bg(Color::Rgb(1, 2, 3));
        buffer[(2, 0)].set_symbol("█").set_fg(Color::Rgb(1, 2, 3)).set_bg(Color::Rgb(9, 9, 9));
        let svg = to_svg(&buffer, "", &SvgStyle::default());
        let front = svg.find(r##"<rect x="16" y="0" width="8" height="16" fill="#010203"/>"##);
        let back = svg.find(r##"fill="#090909""##);
        assert!(back.is_some() && back < front, "{svg}");
    }

    #[test]
    fn the_margin_has_the_colour_of_the_frame() {
        let svg = draw(1, " ", Style::new().bg(Color::Rgb(7, 7, 7)));
        assert!(svg.contains(r##"<rect width="24" height="32" rx="6" fill="#070707"/>"##), "{svg}");
        assert_eq!(svg.matches("<rect").count(), 1);
    }

    #[test]
    fn modifiers_show() {
        let svg = draw(3, "x", Style::new().add_modifier(Modifier::BOLD | Modifier::UNDERLINED));
        assert!(svg.contains(r#"font-weight="bold""#) && svg.contains(r#"y="14" width="8" height="1""#), "{svg}");
        assert!(!draw(3, "x", Style::new().add_modifier(Modifier::HIDDEN)).contains("<text"));
    }

    #[test]
    fn the_picture_is_as_large_as_the_frame_even_if_empty() {
        let svg = to_svg(&Buffer::empty(Rect::new(0, 0, 0, 0)), "", &SvgStyle::default());
        assert!(svg.contains(r#"viewBox="0 0 16 16""#) && svg.ends_with("</g>\n</svg>\n"), "{svg}");
        let large = SvgStyle { line_height: 32, light: true, ..SvgStyle::default() };
        let svg = to_svg(&Buffer::empty(Rect::new(0, 0, 10, 2)), "", &large);
        assert!(svg.contains(r#"width="192" height="96" viewBox="0 0 96 48""#) && svg.contains("#ffffff"), "{svg}");
    }
}
