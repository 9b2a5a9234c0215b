//! What every JSON reader shares: values with their places, and syntax errors in plain words.

use std::ops::Range;

use serde::de::IgnoredAny;

use super::source::{Source, quoted};
use crate::error::Error;

/// A value inside a text, found by its brackets and quotes alone. The text must be JSON as far as the value
/// goes; where it is not, the walk ends early and never fails, since it only serves to point at places.
#[derive(Clone, Copy, Debug)]
pub(super) struct Value<'t> {
    text: &'t str,
    start: usize,
    end: usize,
}

/// One step from a value to one inside it.
#[derive(Clone, Copy, Debug)]
pub(super) enum PathStep {
    /// The member of that name; the number counts the members of that name from 0.
    Key(&'static str, usize),
    /// The element of that number, from 0.
    Item(usize),
}

impl<'t> Value<'t> {
    /// The value that the whole text is.
    pub fn root(text: &'t str) -> Self {
        Self::starting_at(text, 0)
    }

    /// The value `part` of `text`.
    pub fn spanning(text: &'t str, part: &str) -> Self {
        let start = part.as_ptr().addr().saturating_sub(text.as_ptr().addr()).min(text.len());
        Self { text, start, end: (start + part.len()).min(text.len()) }
    }

    fn starting_at(text: &'t str, at: usize) -> Self {
        let start = skip(text, at, b" \t\r\n");
        Self { text, start, end: end_of_value(text.as_bytes(), start) }
    }

    /// The bytes that it takes.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }

    /// Its text as it stands in the file.
    pub fn raw(self) -> &'t str {
        &self.text[self.range()]
    }

    /// What it is, for a message that ends in "found …".
    pub fn found(self) -> String {
        let is_short = self.raw().len() <= 20 && !self.raw().contains('\n');
        match self.raw().as_bytes().first() {
            Some(b'[') if !is_short => "a list".into(),
            Some(b'{') if !is_short => "an object".into(),
            _ => quoted(self.raw()),
        }
    }

    /// Its members with their names; none where it is not an object.
    pub fn members(self) -> impl Iterator<Item = (String, Self)> {
        let object = self.raw().starts_with('{');
        let mut at = if object { self.start + 1 } else { self.end };
        std::iter::from_fn(move || {
            let key = self.next_inside(at)?;
            let value = Self::starting_at(self.text, skip(self.text, key.end, b" \t\r\n:"));
            at = value.end;
            (value.end > value.start).then(|| (serde_json::from_str(key.raw()).unwrap_or_default(), value))
        })
    }

    /// Its elements; none where it is not a list.
    pub fn items(self) -> impl Iterator<Item = Self> {
        let mut at = if self.raw().starts_with('[') { self.start + 1 } else { self.end };
        std::iter::from_fn(move || {
            let value = self.next_inside(at)?;
            at = value.end;
            Some(value)
        })
    }

    /// The value inside this one that follows `at` and a comma; none at the closing bracket.
    fn next_inside(self, at: usize) -> Option<Self> {
        let value = Self::starting_at(self.text, skip(self.text, at, b" \t\r\n,"));
        (value.start < self.end && value.end > value.start).then_some(value)
    }

    /// The value at the end of a path, or the last one on the way that there is.
    pub fn descend(self, path: &[PathStep]) -> Self {
        let mut here = self;
        for &step in path {
            let next = match step {
                PathStep::Key(name, number) => {
                    here.members().filter(|(key, _)| key == name).nth(number).map(|found| found.1)
                }
                PathStep::Item(number) => here.items().nth(number),
            };
            let Some(next) = next else { break };
            here = next;
        }
        here
    }
}

fn skip(text: &str, at: usize, bytes: &[u8]) -> usize {
    text.as_bytes()[at..].iter().position(|byte| !bytes.contains(byte)).map_or(text.len(), |more| at + more)
}

/// Where the value that starts at `start` ends. A loop, not a recursion: a file may nest as deep as it is long.
fn end_of_value(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0usize;
    let mut at = start;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at = end_of_string(bytes, at),
            b'[' | b'{' => {
                depth += 1;
                at += 1;
            }
            b']' | b'}' if depth == 0 => return at,
            b']' | b'}' => {
                depth -= 1;
                at += 1;
            }
            _ if depth > 0 => at += 1,
            b',' | b':' | b' ' | b'\t' | b'\r' | b'\n' => return at,
            _ => {
                at += 1;
                continue; // a number or a word ends only at what follows it
            }
        }
        if depth == 0 {
            return at;
        }
    }
    bytes.len()
}

fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Checks that the text is one JSON object; its members are not looked at.
///
/// # Errors
/// Where it is empty, not JSON, cut short, followed by something, or not an object.
pub(super) fn check_object(source: &Source, wanted: &str) -> Result<(), Error> {
    let text = source.text.trim_start();
    if text.is_empty() {
        return Err(source.whole_error("the file is empty", format!("expected {wanted}")));
    }
    serde_json::from_str::<IgnoredAny>(&source.text).map_err(|error| syntax_error(source, &error))?;
    if text.starts_with('{') {
        return Ok(());
    }
    let value = Value::root(&source.text);
    let what = format!("the file must hold an object at the top, found {}", value.found());
    Err(source.error(value.range(), what, format!("expected {wanted}")))
}

/// The reader's own words for a syntax error, with its place.
pub(super) fn syntax_error(source: &Source, error: &serde_json::Error) -> Error {
    if error.is_eof() {
        let end = source.text.trim_end().len();
        let what = "the file is cut short: it ends in the middle of a value";
        return source.error(end.saturating_sub(1)..end, what, "write it again, or copy it again in full");
    }
    let mut at = source.offset(error.line(), error.column());
    let text = error.to_string();
    let message = text.split(" at line ").next().unwrap_or_default();
    let (what, advice) = plain_words(message);
    if message.contains("number") {
        let is_number = |byte: u8| byte.is_ascii_digit() || b"+-.eE".contains(&byte);
        while at > 0 && is_number(source.text.as_bytes()[at - 1]) {
            at -= 1;
        }
    }
    let found = Value::starting_at(&source.text, at).range();
    let end = if found.is_empty() { at + 1 } else { found.end };
    source.error(at..end, format!("not valid JSON: {what}"), advice)
}

/// What each of `serde_json`'s syntax errors means to the one who wrote the file.
fn plain_words(message: &str) -> (&'static str, &'static str) {
    match message {
        "expected `:`" => ("a name must be followed by `:`", ""),
        "expected `,` or `]`" => ("a list goes on with `,` or ends with `]`", "is a comma missing?"),
        "expected `,` or `}`" => ("an object goes on with `,` or ends with `}`", "is a comma missing?"),
        "expected value" | "expected ident" => (
            "a value must stand here: a number, a text in quotes, a list, an object, true, false or null",
            "texts and names need double quotes",
        ),
        "expected `\"`" | "key must be a string" => ("a name in double quotes must stand here", ""),
        "invalid escape" | "unexpected end of hex escape" => {
            ("a text holds a broken escape", "after `\\` stands one of \" \\ / b f n r t or u with four hex digits")
        }
        "invalid number" => ("this is not a number", "write digits without leading zeros or signs other than `-`"),
        "number out of range" => ("this number is too large", "use a whole number below 2^63"),
        "invalid unicode code point" | "lone leading surrogate in hex escape" => {
            ("a text holds half of a surrogate pair", "write the character itself")
        }
        "trailing comma" => ("a comma must be followed by a further entry", "drop the comma"),
        "trailing characters" => ("something follows the end of the value", "drop what follows"),
        "recursion limit exceeded" => ("values are nested too deep", ""),
        _ if message.starts_with("control character") => {
            ("a text holds a line break or another control character", "close the quotes, or write it as an escape")
        }
        _ => ("this cannot stand here", ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at<'t>(text: &'t str, path: &[PathStep]) -> &'t str {
        Value::root(text).descend(path).raw()
    }

    #[test]
    fn a_path_leads_to_the_value() {
        let text = r#" {"a\u0062": [1, -2.5e3 ,{"k": "]\"}"}, []] , "b" :null, "b":7}"#;
        assert_eq!(at(text, &[PathStep::Key("ab", 0), PathStep::Item(1)]), "-2.5e3");
        assert_eq!(at(text, &[PathStep::Key("ab", 0), PathStep::Item(2), PathStep::Key("k", 0)]), r#""]\"}""#);
        assert_eq!(at(text, &[PathStep::Key("ab", 0), PathStep::Item(3)]), "[]");
        assert_eq!(at(text, &[PathStep::Key("b", 1)]), "7");
        assert_eq!(at(text, &[PathStep::Key("b", 0), PathStep::Item(0)]), "null", "ends where there is no more");
    }

    #[test]
    fn broken_text_ends_the_walk() {
        for text in ["", "{", "[", "[1,", "{\"a", "{\"a\":", "{\"a\\", "}{", "[,]", "{\"a\":}", "[[[[", "[é", ":::"] {
            let root = Value::root(text);
            assert!(root.members().count() + root.items().count() < 3, "{text}");
            root.descend(&[PathStep::Key("a", 0), PathStep::Item(0)]);
        }
    }

    #[test]
    fn syntax_errors_are_in_plain_words_at_the_right_place() {
        let fault = |text: &str| {
            let error = check_object(&Source::from_text("x", text), "an object").unwrap_err();
            (error.what, error.place.and_then(|place| place.at))
        };
        let (what, place) = fault("{\"a\": 1\n \"b\": 2}");
        assert!(what.contains("goes on with `,`"), "{what}");
        assert_eq!(place, Some((2, 2)));
        let (what, place) = fault("{\"a\": 01}");
        assert!(what.contains("not a number"), "{what}");
        assert_eq!(place, Some((1, 7)));
        let (what, place) = fault("{\"a\": [1,\n");
        assert!(what.contains("cut short"), "{what}");
        assert_eq!(place, Some((1, 9)));
        assert_eq!(fault("{} x").1, Some((1, 4)));
        assert!(fault(" \n").0.contains("empty"));
        assert!(fault("[{}]").0.contains("found [{}]"));
        assert!(fault(&"[".repeat(1_000_000)).0.contains("cut short"));
        assert!(fault(&format!("{{\"a\":{}", "{\"b\":".repeat(1_000_000))).0.contains("cut short"));
    }
}
