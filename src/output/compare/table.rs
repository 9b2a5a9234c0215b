//! A table that fits a width: columns that have no room are left out and named, and nothing is wrapped.

use std::fmt::Write;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// What stands between two columns.
const GAP: usize = 2;

/// The longest a name in the first column may be.
const LONGEST_NAME: usize = 28;

/// Titles and rows. The first column is flush left, the others flush right.
#[derive(Clone, Debug, Default)]
pub(super) struct Table {
    /// The titles of the columns, the most important first.
    pub titles: Vec<String>,
    /// The rows.
    pub rows: Vec<Cells>,
}

/// One row.
#[derive(Clone, Debug)]
pub(super) enum Cells {
    /// A cell for each column.
    Whole(Vec<String>),
    /// A name and words in place of cells.
    Words(String, String),
}

impl Table {
    /// The lines, none wider than `width` as long as two columns fit; then what was left out, if anything.
    pub fn lines(&self, width: usize) -> Vec<String> {
        let widths: Vec<usize> = (0..self.titles.len()).map(|column| self.widest(column)).collect();
        let shown = fitting(&widths, width);
        let mut lines = vec![line(&self.titles, &widths, shown)];
        lines.extend(self.rows.iter().map(|row| match row {
            Cells::Whole(cells) => line(cells, &widths, shown),
            Cells::Words(name, words) => {
                line(&[name.clone(), words.clone()], &[widths.first().copied().unwrap_or(0), words.width()], 2)
            }
        }));
        if shown < self.titles.len() {
            let left_out = format!("(no room here for: {})", self.titles[shown..].join(", "));
            lines.extend(wrapped(&left_out, width, "  ", "  "));
        }
        lines
    }

    fn widest(&self, column: usize) -> usize {
        let cell = |row: &Cells| match row {
            Cells::Whole(cells) => cells.get(column).map_or(0, |cell| shortened(cell, column).width()),
            Cells::Words(name, _) if column == 0 => shortened(name, 0).width(),
            Cells::Words(..) => 0,
        };
        self.rows.iter().map(cell).chain([self.titles[column].width()]).max().unwrap_or(0)
    }
}

/// How many of the columns fit; at least two.
fn fitting(widths: &[usize], width: usize) -> usize {
    let mut used = 0;
    let fits = widths.iter().take_while(|column| {
        used += *column + GAP;
        used <= width
    });
    fits.count().max(2).min(widths.len())
}

fn line(cells: &[String], widths: &[usize], shown: usize) -> String {
    let mut text = String::new();
    for (column, (cell, width)) in cells.iter().zip(widths).take(shown).enumerate() {
        let cell = shortened(cell, column);
        let padding = " ".repeat(width.saturating_sub(cell.width()));
        let (before, after) = if column == 0 { ("", padding.as_str()) } else { (padding.as_str(), "") };
        // Writing to a String cannot fail.
        let _ = write!(text, "  {before}{cell}{after}");
    }
    text.trim_end().to_owned()
}

/// A name as the table shows it.
pub(super) fn short_name(name: &str) -> String {
    shortened(name, 0)
}

fn shortened(cell: &str, column: usize) -> String {
    if column > 0 || cell.width() <= LONGEST_NAME {
        return cell.to_owned();
    }
    let mut width = 1;
    let fits = cell.chars().take_while(|c| {
        width += c.width().unwrap_or(0);
        width <= LONGEST_NAME
    });
    fits.chain(['…']).collect()
}

/// `text` in lines of at most `width` columns, those behind the first indented; a longer word keeps its line.
pub(super) fn wrapped(text: &str, width: usize, first: &str, rest: &str) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = first.to_owned();
    let mut is_empty = true;
    for word in text.split(' ').filter(|word| !word.is_empty()) {
        if !is_empty && line.width() + 1 + word.width() > width {
            lines.push(std::mem::replace(&mut line, rest.to_owned()));
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let whole = |cells: [&str; 4]| Cells::Whole(cells.map(str::to_owned).to_vec());
        Table {
            titles: ["strategy", "peak", "time", "waste"].map(str::to_owned).to_vec(),
            rows: vec![
                whole(["pool", "12", "345", "6"]),
                Cells::Words("naive".into(), "no plan: deadlock in pool".into()),
                whole(["权权权", "1", "2", "3"]),
            ],
        }
    }

    #[test]
    fn columns_are_as_wide_as_their_widest_cell_on_a_terminal() {
        let expected = [
            "  strategy  peak  time  waste",
            "  pool        12   345      6",
            "  naive     no plan: deadlock in pool",
            "  权权权       1     2      3",
        ];
        assert_eq!(table().lines(80), expected);
    }

    #[test]
    fn what_has_no_room_is_left_out_and_named() {
        let lines = table().lines(24);
        assert_eq!(lines[1], "  pool        12   345");
        assert_eq!(lines[4..], ["  (no room here for:", "  waste)"]);
        assert_eq!(table().lines(1)[1], "  pool        12", "the figure that is asked for most is always there");
    }

    #[test]
    fn a_long_name_is_cut() {
        assert_eq!(short_name("--order memory-aware"), "--order memory-aware");
        assert_eq!(short_name("--order memory-aware --buckets pow2").width(), LONGEST_NAME);
        assert!(short_name(&"权".repeat(40)).width() <= LONGEST_NAME);
    }

    #[test]
    fn words_are_wrapped_and_none_is_lost() {
        assert_eq!(wrapped("one two three", 9, "  ", "    "), ["  one two", "    three"]);
        assert_eq!(wrapped("unbreakable x", 4, "", ""), ["unbreakable", "x"]);
        assert_eq!(wrapped("", 4, "  ", ""), ["  "]);
    }
}
