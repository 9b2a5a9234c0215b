//! CSV files row by row, with the places of their cells.

use std::ops::Range;

use csv::{ByteRecord, Reader, ReaderBuilder, Trim};

use super::source::{Source, quoted};
use crate::error::Error;
use crate::model::MAX_NUMBER;

/// A whole number below 2^63. Tables that went through a spreadsheet or pandas say `12.0` for 12.
pub(super) fn whole(cell: &str) -> Option<u64> {
    let (digits, rest) = cell.split_once('.').unwrap_or((cell, ""));
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit()) && rest.bytes().all(|byte| byte == b'0');
    digits.parse().ok().filter(|&number| plain && number <= MAX_NUMBER)
}

/// A CSV file, row by row.
pub(super) struct Table<'s> {
    source: &'s Source,
    reader: Reader<&'s [u8]>,
}

/// The names in the first row.
pub(super) struct Header {
    pub names: Vec<String>,
    pub row: Row,
}

/// One row: its cells, and where it starts in the file.
pub(super) struct Row {
    pub cells: Vec<String>,
    start: usize,
}

impl<'s> Table<'s> {
    pub(super) fn new(source: &'s Source) -> Self {
        let mut options = ReaderBuilder::new();
        options.flexible(true).trim(Trim::All).has_headers(true);
        Self { source, reader: options.from_reader(source.text.as_bytes()) }
    }

    /// The first row.
    pub(super) fn header(&mut self) -> Result<Header, Error> {
        let record = self.reader.byte_headers().map_err(|error| broken(self.source, &error))?.clone();
        let row = Row::new(self.source, &record);
        if row.cells.is_empty() {
            return Err(self.source.whole_error("the file is empty", "expected a first row with the columns' names"));
        }
        Ok(Header { names: row.cells.clone(), row })
    }

    /// The next row, if there is one.
    pub(super) fn next(&mut self) -> Result<Option<Row>, Error> {
        let mut record = ByteRecord::new();
        let more = self.reader.read_byte_record(&mut record).map_err(|error| broken(self.source, &error))?;
        Ok(more.then(|| Row::new(self.source, &record)))
    }
}

fn broken(source: &Source, error: &csv::Error) -> Error {
    let at = error.position().map_or(0, |position| position.byte() as usize);
    source.error(at..at + 1, "this row is not CSV", "expected cells between commas")
}

impl Header {
    /// Where the wanted columns stand; `advice` is for where one is missing. Every name may stand only once.
    pub(super) fn check<const N: usize>(
        &self,
        source: &Source,
        wanted: &[&str; N],
        advice: &str,
    ) -> Result<[usize; N], Error> {
        self.must_be_distinct(source)?;
        let mut found = [0; N];
        for (place, wanted) in found.iter_mut().zip(wanted) {
            *place = self.names.iter().position(|name| name == wanted).ok_or_else(|| {
                let what = format!("there is no column `{wanted}`");
                source.error(self.row.range(source), what, advice)
            })?;
        }
        Ok(found)
    }

    /// Every name may stand only once.
    pub(super) fn must_be_distinct(&self, source: &Source) -> Result<(), Error> {
        for (at, name) in self.names.iter().enumerate().filter(|(_, name)| !name.is_empty()) {
            if self.names[..at].contains(name) {
                let what = format!("the column `{}` stands twice", quoted(name));
                return Err(source.error(self.row.cell_range(source, at), what, "keep one of the two"));
            }
        }
        Ok(())
    }
}

impl Row {
    /// The parser lets a record start at the blank lines before it.
    fn new(source: &Source, record: &ByteRecord) -> Self {
        let start = record.position().map_or(0, |position| position.byte() as usize).min(source.text.len());
        let blank = source.text.as_bytes()[start..].iter().take_while(|byte| b"\r\n".contains(byte)).count();
        let cells = record.iter().map(|cell| String::from_utf8_lossy(cell).into_owned()).collect();
        Self { cells, start: start + blank }
    }

    /// The cell's text; empty where the row ends before it.
    pub(super) fn cell(&self, at: usize) -> &str {
        self.cells.get(at).map_or("", String::as_str)
    }

    pub(super) fn check_length(&self, source: &Source, columns: usize) -> Result<(), Error> {
        let Some(extra) = (columns..self.cells.len()).find(|&at| !self.cells[at].is_empty()) else { return Ok(()) };
        let what = format!("the row has {} cells, but there are {columns} columns", self.cells.len());
        Err(source.error(self.cell_range(source, extra), what, "put a cell that holds commas in double quotes"))
    }

    pub(super) fn range(&self, source: &Source) -> Range<usize> {
        let end = source.text[self.start..].find(['\r', '\n']).map_or(source.text.len(), |length| self.start + length);
        self.start..end
    }

    /// The bytes of a cell, found again by its commas and quotes; the row's end where it has no such cell.
    pub(super) fn cell_range(&self, source: &Source, at: usize) -> Range<usize> {
        let bytes = source.text.as_bytes();
        let (mut start, mut end, mut cell, mut in_quotes) = (self.start, self.start, 0, false);
        while end < bytes.len() {
            match bytes[end] {
                b'"' => in_quotes = !in_quotes,
                b'\r' | b'\n' if !in_quotes => break,
                b',' if !in_quotes && cell == at => break,
                b',' if !in_quotes => (cell, start) = (cell + 1, end + 1),
                _ => {}
            }
            end += 1;
        }
        if cell < at {
            start = end;
        }
        let text = &source.text[start..end];
        start += text.len() - text.trim_start().len();
        start..start.max(start + text.trim().len())
    }
}
