//! Errors as a person reads them: what is wrong, the line it is in, and what to do.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::error::{Error, Place};
use crate::model::clean;

/// Characters of a message that are shown; names in files may be of any length.
const LONGEST_MESSAGE: usize = 2000;

/// The message for a terminal or a log; ends without a newline. With `color`, only the colours that
/// `annotate-snippets` sets for errors reach the terminal: all that comes from a file is cleaned.
pub fn render(error: &Error, color: bool) -> String {
    let renderer = if color { Renderer::styled().hyperlink(false) } else { Renderer::plain() };
    let (what, advice) = (message(&error.what), message(&error.advice));
    let help = (!advice.is_empty()).then_some(advice.as_str());
    let place = error.place.as_deref();
    if let Some((place, excerpt)) = place.and_then(|place| Some((place, Excerpt::of(place)?))) {
        return renderer.render(&[with_excerpt(place, &excerpt, what, help)]);
    }
    let title = place.map_or_else(|| what.clone(), |place| format!("{}: {what}", origin(place)));
    let mut lines = vec![renderer.render(&[Group::with_title(Level::ERROR.primary_title(title))])];
    lines.extend(help.map(|help| renderer.render(&[Group::with_title(Level::HELP.primary_title(help))])));
    lines.join("\n")
}

fn with_excerpt<'a>(place: &'a Place, excerpt: &'a Excerpt, what: String, help: Option<&'a str>) -> Group<'a> {
    // The library works the column out from what it shows, which for a cut line would be the wrong one.
    let (title, path) = match place.cut {
        0 => (what, Some(clean(&place.file))),
        _ => (format!("{}: {what}", origin(place)), None),
    };
    let mark = AnnotationKind::Primary.span(excerpt.mark.clone());
    let snippet = Snippet::source(&excerpt.text).line_start(excerpt.line).path(path).annotation(mark);
    let group = Level::ERROR.primary_title(title).element(snippet);
    group.elements(help.map(|help| Level::HELP.message(help)))
}

/// The line that a place lies in, ready to print.
struct Excerpt {
    text: String,
    line: usize,
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
        (!text.trim().is_empty()).then_some(Self { text, line, mark: start..end })
    }
}

/// Cleaned, but for tabs: the library sets them itself.
fn push_shown(text: &mut String, character: char) {
    match character {
        '\t' => text.push('\t'),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line_text: &str, column: usize, width: usize) -> Error {
        let place =
            Place { file: "g.json".into(), at: Some((7, column)), line_text: Some(line_text.into()), width, cut: 0 };
        Error { place: Some(Box::new(place)), ..Error::input("a size is whole, found -3", "write one from 1") }
    }

    #[test]
    fn the_line_is_shown_with_the_place_marked() {
        let expected = "\
error: a size is whole, found -3
 --> g.json:7:11
  |
7 |   \"Size\": -3,
  |           ^^
  |
  = help: write one from 1";
        assert_eq!(render(&at("  \"Size\": -3,", 11, 2), false), expected);
    }

    #[test]
    fn without_a_line_the_file_stands_in_the_message() {
        let error = Error::input("the file is empty", "expected a graph").in_file("a\x1b.json");
        assert_eq!(render(&error, false), "error: a\u{fffd}.json: the file is empty\nhelp: expected a graph");
        assert_eq!(render(&Error::input("no", ""), false), "error: no");
    }

    #[test]
    fn wide_characters_and_tabs_keep_the_mark_in_place() {
        let shown = render(&at("\t\"权\": -3", 7, 2), false);
        assert!(shown.contains("7 |     \"权\": -3\n  |           ^^"), "{shown}");
    }

    #[test]
    fn nothing_from_a_file_reaches_the_terminal_raw() {
        let mut error = at("\x1b[31m\u{202e}\u{9b}x", 1, 99);
        error.what.push_str("\x1b]0;title\x07\n");
        error.advice.push('\u{85}');
        let shown = render(&error, false);
        assert!(shown.lines().all(|line| clean(line) == line), "{shown:?}");
        assert!(!render(&error, true).contains("[31m\u{202e}"));
    }

    #[test]
    fn a_cut_line_shows_its_window_and_the_true_column() {
        let mut error = at(&format!("{}!{}", "a".repeat(60), "b".repeat(100)), 4001, 1);
        error.place.as_mut().unwrap().cut = 3940;
        let shown = render(&error, false);
        assert!(shown.contains("g.json:7:4001"), "{shown}");
        assert!(shown.lines().all(|line| line.chars().count() <= 180), "{shown}");
        let mark = shown.lines().find_map(|line| line.find('^')).expect("the place is marked");
        assert!(shown.lines().any(|line| line.chars().nth(mark) == Some('!')), "{shown}");
    }

    #[test]
    fn a_place_past_the_end_of_its_line_is_marked_there() {
        let shown = render(&at("abc", 4, 1), false);
        assert!(shown.contains("7 | abc\n  |    ^"), "{shown}");
    }

    #[test]
    fn colour_comes_only_when_asked_for() {
        assert!(!render(&at("abc", 1, 1), false).contains('\x1b'));
        assert!(render(&at("abc", 1, 1), true).contains("\x1b["));
    }

    #[test]
    fn a_message_of_any_length_is_cut() {
        assert!(render(&Error::input("x".repeat(1_000_000), ""), false).len() < 2100);
    }
}
