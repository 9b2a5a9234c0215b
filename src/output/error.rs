//! Errors as a person reads them: what is wrong, the line it is in, and what to do.

use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};

use crate::error::{Error, Place};
use crate::model::clean;

/// Characters of a message that are shown; names in files may be of any length.
const LONGEST_MESSAGE: usize = 2000;
/// Columns that a tab of the excerpt takes.
const TAB: &str = "    ";

/// The message for a terminal or a log; ends without a newline. With `color`, only the colours that
/// `annotate-snippets` sets for errors reach the terminal: all that comes from a file is cleaned.
pub fn render(error: &Error, color: bool) -> String {
    let what = message(&error.what);
    let advice = message(&error.advice);
    let place = error.place.as_deref();
    let excerpt = place.and_then(Excerpt::of);
    let title = match place {
        Some(place) if excerpt.is_none() => format!("{}: {what}", origin(place)),
        _ => what,
    };
    let mut group = Level::ERROR.primary_title(title).elements(Vec::<Origin>::new());
    if let (Some(place), Some(excerpt)) = (place, &excerpt) {
        let path = Origin::path(clean(&place.file)).line(excerpt.line).char_column(excerpt.column);
        let mark = AnnotationKind::Primary.span(excerpt.mark.clone());
        group = group.element(path).element(Snippet::source(&excerpt.text).line_start(excerpt.line).annotation(mark));
    }
    if !advice.is_empty() {
        group = group.element(Level::HELP.message(advice));
    }
    let renderer = if color { Renderer::styled().hyperlink(false) } else { Renderer::plain() };
    renderer.render(&[group])
}

/// The line that a place lies in, ready to print.
struct Excerpt {
    text: String,
    line: usize,
    column: usize,
    /// The bytes of `text` that are meant.
    mark: std::ops::Range<usize>,
}

impl Excerpt {
    fn of(place: &Place) -> Option<Self> {
        let (line, column) = place.at?;
        let raw = place.line_text.as_deref()?;
        let mut text = if place.cut > 0 { "… ".to_owned() } else { String::new() };
        let before = (column - 1).saturating_sub(place.cut);
        let mut characters = raw.chars();
        characters.by_ref().take(before).for_each(|c| push_shown(&mut text, c));
        let start = text.len();
        characters.by_ref().take(place.width.max(1)).for_each(|c| push_shown(&mut text, c));
        let end = text.len();
        characters.for_each(|c| push_shown(&mut text, c));
        (!text.trim().is_empty()).then_some(Self { text, line, column, mark: start..end })
    }
}

fn push_shown(text: &mut String, character: char) {
    match character {
        '\t' => text.push_str(TAB),
        _ => text.push_str(&clean(character.encode_utf8(&mut [0; 4]))),
    }
}

fn origin(place: &Place) -> String {
    let file = clean(&place.file);
    place.at.map_or_else(|| file.to_string(), |(line, column)| format!("{file}:{line}:{column}"))
}

/// Cleaned, and cut where it is longer than anyone reads.
fn message(text: &str) -> String {
    let more = if text.chars().nth(LONGEST_MESSAGE).is_some() { "…" } else { "" };
    clean(&text.chars().take(LONGEST_MESSAGE).collect::<String>()).into_owned() + more
}
