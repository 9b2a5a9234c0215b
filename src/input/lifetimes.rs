//! Lifetimes: static packing problems as a CSV file, one buffer a row (`id,lower,upper,size`). The names of the columns are
//! those of minimalloc and of its kind; what other columns say is kept and written back.

mod columns;
mod gaps;

use std::collections::HashMap;
use std::ops::Range;

use super::csv_table::{Row, Table, whole};
use super::source::{Source, quoted};
use super::tflite::Model;
use crate::error::Error;
use crate::model::{Lifetime, MAX_NUMBER, Name, Packed, Packing};
pub(super) use columns::is_header;
use columns::{Column, Columns};

/// A file of lifetimes: the problem, and the table to write back with addresses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Lifetimes {
    /// The file's name without its ending.
    pub name: Name,
    /// The buffers, in the order of the rows.
    pub packing: Packing,
    /// The names of the columns, as they stand in the file.
    pub header: Vec<String>,
    /// The rows, each with as many cells as there are columns.
    pub rows: Vec<Vec<String>>,
    /// Which column holds addresses, if any does.
    pub offset_column: Option<usize>,
    /// The columns that mean nothing here; they are kept.
    pub unknown_columns: Vec<Name>,
    /// Set where they are those of the tensors of a model.
    pub model: Option<Model>,
}

impl Lifetimes {
    /// The addresses in the file, where it has one for every buffer: a packing that somebody made.
    pub fn given(&self) -> Option<Packed> {
        let offsets: Option<Vec<u64>> = self.packing.buffers.iter().map(|buffer| buffer.fixed).collect();
        Some(Packed::new(&self.packing, offsets.filter(|offsets| !offsets.is_empty())?))
    }
}

/// Reads lifetimes.
///
/// # Errors
/// Whatever is wrong with the table or a cell of it, with the place.
pub fn read_lifetimes(source: &Source) -> Result<Lifetimes, Error> {
    let mut table = Table::new(source);
    let header = table.header()?;
    let columns = Columns::of(&header, source)?;
    let mut file = Lifetimes {
        name: Name::new(source.stem.as_str()),
        header: header.names.clone(),
        offset_column: columns.at(Column::Offset),
        unknown_columns: columns.unknown(&header),
        ..Lifetimes::default()
    };
    let mut starts: HashMap<String, usize> = HashMap::new();
    let mut total: u64 = 0;
    while let Some(row) = table.next()? {
        let cells = Cells { source, row: &row, columns: &columns };
        cells.must_be_whole(&header.names)?;
        let buffer = cells.lifetime()?;
        if let Some(earlier) = starts.insert(buffer.name.raw().to_owned(), row.range(source).start) {
            let earlier = source.line_of(earlier);
            let what = format!("the id {} stands twice: it is that of line {earlier} too", quoted(buffer.name.raw()));
            return Err(cells.error(Column::Id, what, "give each buffer an id of its own"));
        }
        total = total.checked_add(buffer.size).filter(|&sum| sum <= MAX_NUMBER).ok_or_else(|| {
            let what = "with this buffer the sizes of all buffers together pass 2^63-1";
            cells.error(Column::Size, what.into(), "use a larger unit for sizes")
        })?;
        file.packing.buffers.push(buffer);
        file.rows.push(row.cells);
    }
    Ok(file)
}

/// A row, by what its columns mean.
struct Cells<'a> {
    source: &'a Source,
    row: &'a Row,
    columns: &'a Columns,
}

impl Cells<'_> {
    fn must_be_whole(&self, names: &[String]) -> Result<(), Error> {
        let (found, wanted) = (self.row.cells.len(), names.len());
        if found == wanted {
            return Ok(());
        }
        let at = if found > wanted { self.row.cell_range(self.source, wanted) } else { self.row.range(self.source) };
        let cells = if found == 1 { "cell" } else { "cells" };
        let what = format!("the row has {found} {cells}, but there are {wanted} columns");
        Err(self.source.error(at, what, "each row has one cell a column; a cell may be empty where it is optional"))
    }

    fn lifetime(&self) -> Result<Lifetime, Error> {
        let id = self.cell(Column::Id);
        if id.is_empty() {
            return Err(self.error(Column::Id, "the buffer has no id".into(), "give each buffer an id of its own"));
        }
        let lower = self.number(Column::Lower, 0)?;
        let upper = self.upper(lower)?;
        let size = self.number(Column::Size, 1)?;
        let alignment = self.optional(Column::Alignment, 1)?.unwrap_or(1);
        let fixed = self.optional(Column::Offset, 0)?;
        if let Some(fixed) = fixed {
            self.must_be_possible(fixed, size, alignment)?;
        }
        let hint = self.optional(Column::Hint, 0)?;
        let mut buffer = Lifetime { name: Name::new(id), lower, upper, size, alignment, fixed, hint, gaps: Vec::new() };
        buffer.gaps = gaps::read(self.cell(Column::Gaps), &buffer, self.columns.inclusive())
            .map_err(|what| self.error(Column::Gaps, what, gaps::SHAPE))?;
        Ok(buffer)
    }

    /// The end of the lifetime, half-open.
    fn upper(&self, lower: u64) -> Result<u64, Error> {
        let last = self.number(Column::Upper, 0)?;
        let upper = last + u64::from(self.columns.inclusive());
        if upper > MAX_NUMBER {
            let what = "the lifetime ends after 2^63-1".into();
            return Err(self.error(Column::Upper, what, "use a larger unit for times"));
        }
        if upper > lower {
            return Ok(upper);
        }
        let (name, start) = (self.columns.name(Column::Upper), self.columns.name(Column::Lower));
        let (what, advice) = if self.columns.inclusive() {
            (format!("`{name}` must be at least `{start}`, which is {lower}, found {last}"), "`end` is the last moment")
        } else {
            (
                format!("`{name}` must be above `{start}`, which is {lower}, found {last}"),
                "lifetimes are half-open: alive from the first number on, and no more from the second",
            )
        };
        Err(self.error(Column::Upper, what, advice))
    }

    fn must_be_possible(&self, offset: u64, size: u64, alignment: u64) -> Result<(), Error> {
        if !offset.is_multiple_of(alignment) {
            let what = format!("the address {offset} is no multiple of the alignment {alignment} of the same row");
            return Err(self.error(Column::Offset, what, "change one of the two"));
        }
        if offset.checked_add(size).is_none_or(|end| end > MAX_NUMBER) {
            let what = format!("the buffer of {size} at address {offset} ends behind 2^63-1");
            return Err(self.error(Column::Offset, what, "use a lower address"));
        }
        Ok(())
    }

    fn number(&self, column: Column, least: u64) -> Result<u64, Error> {
        self.optional(column, least)?.ok_or_else(|| {
            let what = format!("`{}` is empty: expected a whole number from {least}", self.columns.name(column));
            self.error(column, what, "only optional cells may be empty: alignment, offset, hint, gaps")
        })
    }

    fn optional(&self, column: Column, least: u64) -> Result<Option<u64>, Error> {
        let cell = self.cell(column);
        if cell.is_empty() {
            return Ok(None);
        }
        let number = whole(cell).filter(|&number| number >= least);
        number.map(Some).ok_or_else(|| {
            let name = self.columns.name(column);
            let what = format!("`{name}` must be a whole number from {least} to 2^63-1, found {}", quoted(cell));
            self.error(column, what, "numbers stand in digits alone, without a sign or a unit")
        })
    }

    /// The cell's text; empty where there is no such column.
    fn cell(&self, column: Column) -> &str {
        self.columns.at(column).map_or("", |at| self.row.cell(at))
    }

    fn error(&self, column: Column, what: String, advice: &str) -> Error {
        let range: Range<usize> = match self.columns.at(column) {
            Some(at) => self.row.cell_range(self.source, at),
            None => self.row.range(self.source),
        };
        self.source.error(range, what, advice)
    }
}

#[cfg(test)]
mod tests;
