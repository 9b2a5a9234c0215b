//! A text from outside, and the places in it that messages point at.

use std::io::{self, Read};
use std::ops::Range;
use std::path::Path;

use super::tflite;
use crate::error::{Error, Place};
use crate::model::clean;

/// Characters kept of a line that a message shows, before and from the column on: a minified file is one
/// line of megabytes.
const SHOWN_BEFORE: usize = 60;
const SHOWN_FROM: usize = 120;

/// The most bytes that are read: some ten million nodes, and still in an ordinary machine's memory.
const LARGEST_FILE: u64 = 2 << 30;

/// An input file, read whole.
#[derive(Clone, Debug)]
pub struct Source {
    /// The file as the user named it; `<stdin>` for `-`.
    pub name: String,
    /// The file's name without folder and ending: the `X` of the plan files. `stdin` for `-`.
    pub stem: String,
    /// What it holds, without a byte order mark.
    pub text: String,
    /// What it holds where it is no text but a model; the text is empty then.
    pub bytes: Vec<u8>,
}

impl Source {
    /// Reads a file, or standard input for `-`.
    ///
    /// # Errors
    /// Where there is no such file, it cannot be read, or it is not UTF-8.
    pub fn read(path: &str) -> Result<Self, Error> {
        let bytes = if path == "-" { read_stdin() } else { read_file(path) };
        let bytes = bytes.map_err(|error| error.in_file(shown_name(path)))?;
        Self::from_bytes(path, bytes)
    }

    /// The same; a model of TensorFlow Lite, by its name or what it holds, is no text and is kept as bytes.
    ///
    /// # Errors
    /// As [`Self::read`].
    pub fn read_text_or_model(path: &str) -> Result<Self, Error> {
        let bytes = if path == "-" { read_stdin() } else { read_file(path) };
        let bytes = bytes.map_err(|error| error.in_file(shown_name(path)))?;
        let is_named = Path::new(path).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("tflite"));
        if bytes.is_empty() || !(is_named || tflite::is_model(&bytes)) {
            return Self::from_bytes(path, bytes);
        }
        Ok(Self { bytes, ..Self::from_text(path, String::new()) })
    }

    /// A text that is already here, under the name that messages give it.
    pub fn from_text(name: &str, text: impl Into<String>) -> Self {
        let mut text = text.into();
        if text.starts_with('\u{feff}') {
            text.remove(0);
        }
        Self { name: shown_name(name).to_owned(), stem: stem_of(name), text, bytes: Vec::new() }
    }

    fn from_bytes(path: &str, mut bytes: Vec<u8>) -> Result<Self, Error> {
        if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
            let error = Error::input("the file is UTF-16, not UTF-8", "save it as UTF-8");
            return Err(error.in_file(shown_name(path)));
        }
        if bytes.starts_with(b"\xef\xbb\xbf") {
            bytes.drain(..3);
        }
        let name = shown_name(path).to_owned();
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self { name, stem: stem_of(path), text, bytes: Vec::new() }),
            Err(error) => {
                let bad = error.utf8_error().valid_up_to();
                let byte = error.as_bytes()[bad];
                let lossy = Self::from_text(path, String::from_utf8_lossy(error.as_bytes()));
                let what = format!("the file is not UTF-8: byte 0x{byte:02x} cannot stand here");
                Err(lossy.error(bad..bad + 1, what, "save it as UTF-8; is it a binary or compressed file?"))
            }
        }
    }

    /// The same where carriage returns alone end the lines, as old systems have it: each becomes a newline, so that lines
    /// and places are counted. For files of lines; within JSON it makes no difference.
    #[must_use]
    pub fn with_newlines(mut self) -> Self {
        if self.text.contains('\r') {
            self.text = self.text.replace("\r\n", " \n").replace('\r', "\n");
        }
        self
    }

    /// An error at that range of bytes of the text.
    pub fn error(&self, at: Range<usize>, what: impl Into<String>, advice: impl Into<String>) -> Error {
        Error { place: Some(Box::new(self.place(at))), ..Error::input(what, advice) }
    }

    /// An error of the file as a whole.
    pub fn whole_error(&self, what: impl Into<String>, advice: impl Into<String>) -> Error {
        Error::input(what, advice).in_file(&self.name)
    }

    /// The place of a range of bytes, as far as it lies on one line.
    pub fn place(&self, at: Range<usize>) -> Place {
        let start = self.floor_boundary(at.start);
        let line_start = self.text[..start].rfind('\n').map_or(0, |newline| newline + 1);
        let line_end = self.text[start..].find('\n').map_or(self.text.len(), |newline| start + newline);
        let line = self.text[line_start..line_end].trim_end_matches('\r');
        let end = self.floor_boundary(at.end).clamp(start, line_start + line.len().max(start - line_start));
        let before = self.text[line_start..start].chars().count();
        let cut =
            if line.chars().nth(SHOWN_BEFORE + SHOWN_FROM).is_some() { before.saturating_sub(SHOWN_BEFORE) } else { 0 };
        Place {
            file: self.name.clone(),
            at: Some((self.text[..start].matches('\n').count() + 1, before + 1)),
            line_text: Some(line.chars().skip(cut).take(SHOWN_BEFORE + SHOWN_FROM).collect()),
            width: self.text[start..end].chars().count().max(1),
            cut,
        }
    }

    /// The number of the line, from 1, that the byte `at` stands in.
    pub(super) fn line_of(&self, at: usize) -> usize {
        self.text[..self.floor_boundary(at)].matches('\n').count() + 1
    }

    /// The byte where line and column stand, both from 1 and the column in bytes, as parsers count. Column 0 is
    /// the line break before the line.
    pub(crate) fn offset(&self, line: usize, column: usize) -> usize {
        let line_start = match line {
            0 | 1 => 0,
            _ => self.text.match_indices('\n').nth(line - 2).map_or(self.text.len(), |(newline, _)| newline + 1),
        };
        self.floor_boundary((line_start + column).saturating_sub(1))
    }

    /// The lines that are not blank, trimmed, each with the byte where it starts.
    pub(super) fn filled_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        let mut next = 0;
        let lines = self.text.split_inclusive('\n').map(move |line| {
            let start = next;
            next += line.len();
            (start + line.len() - line.trim_start().len(), line.trim())
        });
        lines.filter(|(_, line)| !line.is_empty())
    }

    fn floor_boundary(&self, at: usize) -> usize {
        let mut at = at.min(self.text.len());
        while !self.text.is_char_boundary(at) {
            at -= 1;
        }
        at
    }
}

/// Text from a file for use inside a message: cut to a readable length and safe to print.
pub(super) fn quoted(text: &str) -> String {
    const LONGEST: usize = 40;
    let more = if text.chars().nth(LONGEST).is_some() { "…" } else { "" };
    clean(&text.chars().take(LONGEST).collect::<String>()).into_owned() + more
}

fn shown_name(path: &str) -> &str {
    if path == "-" { "<stdin>" } else { path }
}

fn stem_of(path: &str) -> String {
    let stem = if path == "-" || path == "<stdin>" { None } else { Path::new(path).file_stem() };
    stem.map_or_else(|| "stdin".to_owned(), |stem| stem.to_string_lossy().into_owned())
}

fn read_stdin() -> Result<Vec<u8>, Error> {
    read_to_end(io::stdin().lock(), 0, LARGEST_FILE)
}

/// Reads what may never end (a device, a pipe): stops at more than `largest` bytes, and at a first part with a zero
/// byte, which no text has and models alone may have, so that the reader says what is wrong instead of running out of memory. `expected` is
/// only a hint.
fn read_to_end(mut from: impl Read, expected: u64, largest: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::with_capacity(expected.min(largest) as usize);
    from.by_ref().take(1 << 16).read_to_end(&mut bytes).map_err(|error| cannot_read(&error))?;
    if bytes.contains(&0) && !tflite::is_model(&bytes) {
        return Ok(bytes);
    }
    from.take(largest).read_to_end(&mut bytes).map_err(|error| cannot_read(&error))?;
    if bytes.len() as u64 > largest {
        return Err(Error::input(format!("there are more than {largest} bytes"), "is it a graph at all?"));
    }
    Ok(bytes)
}

fn read_file(path: &str) -> Result<Vec<u8>, Error> {
    if Path::new(path).is_dir() {
        return Err(Error::input("expected a file, found a folder", "name a file in it"));
    }
    let file = std::fs::File::open(path).map_err(|error| cannot_read(&error))?;
    let expected = file.metadata().map_or(0, |found| found.len());
    read_to_end(file, expected, LARGEST_FILE)
}

/// The error for a file that cannot be read.
pub(super) fn cannot_read(error: &io::Error) -> Error {
    match error.kind() {
        io::ErrorKind::NotFound => Error::input("there is no such file", "check the name and the folder"),
        io::ErrorKind::PermissionDenied => {
            Error::input("the file may not be read: permission denied", "change its permissions, or name a copy")
        }
        _ => Error::input(format!("the file cannot be read: {}", clean(&error.to_string())), ""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters_from_1() {
        let source = Source::from_text("a.json", "\u{feff}{\r\n  \"é\": -3,\r\n}");
        let at = source.text.find("-3").unwrap();
        let place = source.place(at..at + 2);
        assert_eq!((place.at, place.width, place.cut), (Some((2, 8)), 2, 0));
        assert_eq!(place.line_text.as_deref(), Some("  \"é\": -3,"));
        assert_eq!(source.offset(2, 9), at, "columns of parsers count bytes");
    }

    #[test]
    fn a_place_at_the_end_or_past_it_is_still_a_place() {
        let source = Source::from_text("a", "x\n");
        assert_eq!(source.place(2..3).at, Some((2, 1)));
        assert_eq!(source.place(99..100).at, Some((2, 1)));
        assert_eq!(Source::from_text("a", "").place(0..1).at, Some((1, 1)));
        let on_the_line_end = Source::from_text("a", "x\r\ny").place(2..3);
        assert_eq!((on_the_line_end.at, on_the_line_end.width), (Some((1, 3)), 1));
    }

    #[test]
    fn of_a_huge_line_a_window_around_the_column_is_kept() {
        let source = Source::from_text("a", format!("{}!{}", "é".repeat(5000), "b".repeat(5000)));
        let place = source.place(10_000..10_001);
        assert_eq!((place.at, place.cut), (Some((1, 5001)), 4940));
        let text = place.line_text.unwrap();
        assert_eq!((text.chars().nth(60), text.chars().count()), (Some('!'), 180));
    }

    #[test]
    fn bytes_that_are_not_utf8_are_pointed_at() {
        let error = Source::from_bytes("a.json", b"{\n \"a\xc3\x28\": 1}".to_vec()).unwrap_err();
        assert!(error.what.contains("not UTF-8: byte 0xc3"), "{}", error.what);
        assert_eq!(error.place.unwrap().at, Some((2, 4)));
        assert!(Source::from_bytes("a", b"\xff\xfe{\0".to_vec()).unwrap_err().what.contains("UTF-16"));
    }

    #[test]
    fn what_never_ends_is_not_read_to_its_end() {
        assert_eq!(read_to_end(io::repeat(0), 0, u64::MAX).unwrap().len(), 1 << 16);
        assert!(read_to_end(io::repeat(b'['), 0, 1 << 20).unwrap_err().what.contains("more than 1048576 bytes"));
        assert_eq!(read_to_end(&b"[]"[..], 2, 2).unwrap(), b"[]");
    }

    #[test]
    fn missing_files_and_folders_say_so() {
        let folder = tempfile::tempdir().unwrap();
        let missing = folder.path().join("none.json");
        assert!(
            Source::read(missing.to_str().unwrap()).unwrap_err().to_string().contains("none.json: there is no such")
        );
        assert!(Source::read(folder.path().to_str().unwrap()).unwrap_err().what.contains("found a folder"));
    }

    #[test]
    fn the_stem_is_the_file_name_without_its_ending() {
        assert_eq!(Source::from_text("x/y.z.json", "").stem, "y.z");
        let stdin = Source::from_text("-", "");
        assert_eq!((stdin.name.as_str(), stdin.stem.as_str()), ("<stdin>", "stdin"));
    }
}
