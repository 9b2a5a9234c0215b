//! What the columns of a file of lifetimes mean, by their names.

use super::super::csv_table::Header;
use super::super::source::{Source, quoted};
use crate::error::Error;
use crate::model::Name;

/// What a column says of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Column {
    Id,
    Lower,
    /// The end of the lifetime: half-open, or the last moment ([`Columns::inclusive`]).
    Upper,
    Size,
    Alignment,
    Offset,
    Hint,
    Gaps,
}

/// The names under which other tools write a column. Of several names of a buffer the first here is taken.
const NAMES: [(Column, &[&str]); 8] = [
    (Column::Id, &["id", "buffer_id", "buffer", "name"]),
    (Column::Lower, &["lower", "start", "begin", "first", "alloc_time"]),
    (Column::Upper, &["upper", "stop", "end_exclusive", "free_time", "end", "last"]),
    (Column::Size, &["size", "bytes"]),
    (Column::Alignment, &["alignment", "align"]),
    (Column::Offset, &["offset", "address"]),
    (Column::Hint, &["hint"]),
    (Column::Gaps, &["gaps"]),
];

/// The names of an end that is still part of the lifetime.
const INCLUSIVE: [&str; 2] = ["end", "last"];

const ADVICE: &str = "the first row names the columns, between commas: id,lower,upper,size and, where wanted, \
                      alignment,offset,hint,gaps; a column named end is inclusive";

fn names_of(column: Column) -> &'static [&'static str] {
    NAMES.iter().find(|(known, _)| *known == column).map_or(&[], |(_, names)| names)
}

fn is_named(name: &str, column: Column) -> bool {
    names_of(column).iter().any(|known| known.eq_ignore_ascii_case(name))
}

/// Whether the first line of a text names columns of lifetimes: two of start, end and size.
pub(in crate::input) fn is_header(text: &str) -> bool {
    // JSON on one line may be megabytes of cells, some of them with such names.
    if text.trim_start().starts_with(['{', '[']) {
        return false;
    }
    let first = text.trim_start_matches(['\r', '\n']).lines().next().unwrap_or_default();
    let cells = || first.split(',').map(|cell| cell.trim().trim_matches('"').trim());
    let has = |column| cells().any(|cell| is_named(cell, column));
    let found = [Column::Lower, Column::Upper, Column::Size].into_iter().filter(|&column| has(column)).count();
    found >= 2
}

/// Where each column stands.
#[derive(Clone, Debug)]
pub(super) struct Columns {
    /// By column, in the order of [`NAMES`].
    at: [Option<usize>; 8],
    names: Vec<String>,
}

impl Columns {
    pub(super) fn of(header: &Header, source: &Source) -> Result<Self, Error> {
        header.must_be_distinct(source)?;
        let mut at = [None; 8];
        for (place, (column, known)) in at.iter_mut().zip(NAMES) {
            let mut found =
                known.iter().filter_map(|known| header.names.iter().position(|name| name.eq_ignore_ascii_case(known)));
            *place = found.next();
            let second = found.next().filter(|_| column != Column::Id);
            if let (Some(first), Some(second)) = (*place, second) {
                let (first, later) = (&header.names[first.min(second)], first.max(second));
                let what = format!(
                    "the columns `{}` and `{}` say the same of a buffer",
                    quoted(first),
                    quoted(&header.names[later])
                );
                return Err(source.error(header.row.cell_range(source, later), what, "keep one of the two"));
            }
        }
        let columns = Self { at, names: header.names.clone() };
        let wanted = [Column::Id, Column::Lower, Column::Upper, Column::Size];
        match wanted.into_iter().find(|&column| columns.at(column).is_none()) {
            None => Ok(columns),
            Some(missing) => {
                let what = format!("there is no column `{}`", names_of(missing).join("`, `").replace("`, `", "` or `"));
                Err(source.error(header.row.range(source), what, ADVICE))
            }
        }
    }

    pub(super) fn at(&self, column: Column) -> Option<usize> {
        NAMES.iter().zip(self.at).find(|((known, _), _)| *known == column).and_then(|(_, at)| at)
    }

    /// The column's name, as the file has it and safe to print.
    pub(super) fn name(&self, column: Column) -> String {
        self.at(column).map_or_else(String::new, |at| quoted(&self.names[at]))
    }

    /// Whether the end is the last moment, still part of the lifetime.
    pub(super) fn inclusive(&self) -> bool {
        self.at(Column::Upper).is_some_and(|at| INCLUSIVE.iter().any(|name| name.eq_ignore_ascii_case(&self.names[at])))
    }

    /// The names of the columns that mean nothing here.
    pub(super) fn unknown(&self, header: &Header) -> Vec<Name> {
        let unknown = header.names.iter().enumerate().filter(|&(at, _)| !self.at.contains(&Some(at)));
        unknown.map(|(_, name)| Name::new(name.as_str())).collect()
    }
}
