//! The rows of the map.

use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::super::text::{cut, right};
use super::super::theme::{Look, Sign, letter};
use crate::app::map::{Cell, Class, Coloring, GapEnd, MANY, MapRow, label_width};
use crate::app::{App, Change};
use crate::model::{BufIx, Leaving};
use crate::output::labels::buffer_id;
use crate::trace::Mark;

/// One column of a row.
type Glyph = (char, Style);

/// Row `at` of the map.
pub fn line(app: &App, look: Look, at: usize, row: &MapRow) -> Line<'static> {
    let here = row.steps.contains(&app.step());
    let number = usize::from(label_width(app.trace().step_count())) - 3;
    let style = if here { look.accent().patch(look.strong()) } else { look.dim() };
    if row.steps.start > app.step() && app.is_veiled() {
        return Line::styled(format!("{} ?", right(&row.steps.start.to_string(), number)), look.dim());
    }
    let sign = row.mark.map(Sign::of_mark);
    let spot = app.map().spot.filter(|(row, _)| *row == at).map(|(_, column)| column);
    let mut spans = vec![
        Span::styled(right(&row.steps.start.to_string(), number), style),
        Span::styled(if here { "▸" } else { " " }, style),
        sign.map_or(Span::raw(" "), |sign| Span::styled(sign.letter().to_string(), look.sign(sign))),
        Span::styled(if spot.is_some() { "›" } else { " " }, look.accent().patch(look.strong())),
    ];
    // The buffers of the step at hand are named in its row.
    let named = here && row.steps.len() == 1;
    let mut glyphs: Vec<Glyph> = Vec::with_capacity(row.cells.len());
    for run in row.cells.chunk_by(|a, b| a == b) {
        let class = row.classes.get(glyphs.len()).copied().flatten();
        glyphs.extend(stretch(app, look, run[0], class, run.len(), named));
    }
    for piece in &row.gaps {
        if let Some(glyph) = glyphs.get_mut(piece.column) {
            *glyph = (gap_glyph(piece.end), look.buffer(piece.buf).add_modifier(Modifier::BOLD));
        }
    }
    if let Some((_, style)) = spot.and_then(|column| glyphs.get_mut(column)) {
        *style = style.add_modifier(Modifier::REVERSED | Modifier::BOLD);
    }
    for run in glyphs.chunk_by(|a, b| a.1 == b.1) {
        spans.push(Span::styled(run.iter().map(|(glyph, _)| glyph).collect::<String>(), run[0].1));
    }
    Line::from(spans)
}

fn gap_glyph(end: GapEnd) -> char {
    match end {
        GapEnd::Leaves => '╷',
        GapEnd::Middle => '│',
        GapEnd::Returns => '╵',
    }
}

/// A stretch of columns that hold the same.
fn stretch(app: &App, look: Look, cell: Cell, class: Option<Class>, width: usize, named: bool) -> Vec<Glyph> {
    let all = |glyph: char, style: Style| vec![(glyph, style); width];
    let pool = app.map().pool.is_some();
    match cell {
        Cell::Free => all('·', look.dim()),
        Cell::Partly => all('-', look.dim()),
        Cell::Edge => all('│', look.dim()),
        Cell::Several { count, quarters } => all(several(app, count, quarters), look.text()),
        Cell::Dropped => all('×', look.dim()),
        Cell::Left(buf, Leaving::Out) => {
            spilled_text(app, buf, width, named).chars().map(|glyph| (glyph, look.sign(Sign::Spill))).collect()
        }
        Cell::Left(_, Leaving::Free) if pool => all('▒', look.text()),
        Cell::Idle | Cell::Left(_, Leaving::Free) => all('░', look.dim()),
        Cell::Held(buf) | Cell::Placed(buf) => {
            let placed = matches!(cell, Cell::Placed(_));
            let (fill, style) = match class {
                None => (letter(app.trace(), buf), look.buffer(buf)),
                Some(class) => (class_glyph(app, class), class_style(app, look, class)),
            };
            let style = emphasis(app, style, buf, named, placed && width == 1);
            held_text(app, buf, fill, width, named, placed).into_iter().map(|glyph| (glyph, style)).collect()
        }
    }
}

/// How many buffers share a cell. Of ten or more, and of any where digits mean something else, how full it is.
fn several(app: &App, count: u8, quarters: u8) -> char {
    let digits = !matches!(app.map_settings().coloring, Coloring::Age | Coloring::NextUse);
    match (count, quarters) {
        (2..MANY, _) if digits => char::from(b'0' + count),
        // In a row of one step this would be what has just left, in a pool an idle block.
        (_, 0) if app.map().steps_per_row > 1 && app.map().pool.is_none() => '░',
        (_, 0 | 1) => '▒',
        (_, 2) => '▓',
        _ => '█',
    }
}

/// The letter or digit of a class.
pub(super) fn class_glyph(app: &App, class: Class) -> char {
    match class {
        Class::Steps(magnitude) => char::from(b'0' + magnitude.min(9)),
        Class::Never | Class::Unbacked => 'n',
        Class::Unknown => '?',
        Class::Backed => 'b',
        Class::Kind(kind) => app.kinds().of(kind).map_or('?', |(_, letter)| letter),
    }
}

/// The ground of a class. Those of steps go from light to dark.
pub(super) fn class_style(app: &App, look: Look, class: Class) -> Style {
    const LIGHT_TO_DARK: [usize; 5] = [3, 0, 1, 2, 4];
    look.class(match class {
        Class::Steps(magnitude) => LIGHT_TO_DARK[usize::from(magnitude / 2).min(4)],
        Class::Never | Class::Unknown => 5,
        Class::Unbacked => 0,
        Class::Backed => 1,
        Class::Kind(kind) => app.kinds().of(kind).map_or(0, |(at, _)| at),
    })
}

fn emphasis(app: &App, mut style: Style, buf: BufIx, here: bool, narrow_placed: bool) -> Style {
    if here && app.change_of(buf) == Some(Change::Pinned) {
        style = style.add_modifier(Modifier::UNDERLINED | Modifier::BOLD);
    }
    if app.selected_buffer() == Some(buf) || narrow_placed {
        style = style.add_modifier(Modifier::REVERSED);
    }
    style
}

/// The sign of a spill, in the playhead's row with the id of who left, and shading.
fn spilled_text(app: &App, buf: BufIx, width: usize, here: bool) -> String {
    let id = buffer_id(&app.trace().problem.graph, buf);
    let sign = Sign::of_mark(Mark::Spill).letter();
    let text = if here && width >= id.len() + 4 { format!("{sign} {id} ") } else { sign.to_string() };
    let rest = width.saturating_sub(text.width());
    text + &"░".repeat(rest)
}

/// Letters, the id among them in the playhead's row, and brackets around what the step placed.
fn held_text(app: &App, buf: BufIx, fill: char, width: usize, here: bool, placed: bool) -> Vec<char> {
    let mut text = vec![fill; width];
    if let Some(id) = shown_id(app, buf, width).filter(|_| here) {
        let length = id.chars().count();
        let start = (width - length) / 2;
        text.splice(start - 1..=start + length, format!(" {id} ").chars());
    }
    if placed && width >= 2 {
        (text[0], text[width - 1]) = ('[', ']');
    }
    text
}

/// What a buffer is called inside of so many columns, with a letter at each side: its id, or as much of its name as
/// there is room for. Names of wide characters would not keep the columns.
fn shown_id(app: &App, buf: BufIx, width: usize) -> Option<String> {
    let graph = &app.trace().problem.graph;
    let id = buffer_id(graph, buf);
    let room = width.checked_sub(4)?;
    let id = if graph.by_name() && room >= LEAST_NAME { cut(&id, room) } else { id };
    (id.width() <= room && id.width() == id.chars().count()).then_some(id)
}

/// Less of a name says nothing.
const LEAST_NAME: usize = 4;
