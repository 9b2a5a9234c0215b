//! How addresses, or the blocks of a pool, are laid out over columns.

use std::ops::Range;

/// Addresses `[start, start + len)` drawn as columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scale {
    /// The first address shown.
    pub start: u64,
    /// How many addresses are shown.
    pub len: u64,
    /// Over how many columns.
    pub columns: usize,
}

/// The columns of something that lies at some addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// Every column that has any of its addresses.
    pub touched: Range<usize>,
    /// Those in which it is drawn: rounded, so that neighbours meet wherever they stand, and at least one.
    pub drawn: Range<usize>,
}

impl Scale {
    /// The addresses `[from, to)` that have a part in column `column`; never empty. Where columns do not divide them evenly,
    /// neighbours share one.
    pub fn addresses(&self, column: usize) -> Range<u64> {
        let (columns, len) = (self.columns.max(1) as u128, u128::from(self.len));
        let from = (column as u128 * len / columns) as u64;
        let to = ((column as u128 + 1) * len).div_ceil(columns) as u64;
        self.start.saturating_add(from)..self.start.saturating_add(to.max(from.saturating_add(1)))
    }

    /// Where addresses `[start, start + size)` are drawn; `None` where none of them is shown.
    pub(super) fn extent(&self, start: u64, size: u64) -> Option<Extent> {
        let end = start.saturating_add(size).min(self.start.saturating_add(self.len));
        let start = start.max(self.start);
        if start >= end || self.columns == 0 {
            return None;
        }
        let (columns, len) = (self.columns as u128, u128::from(self.len));
        let scaled = |address: u64| u128::from(address - self.start) * columns;
        let nearest = |address: u64| ((scaled(address) + len / 2) / len) as usize;
        let touched = (scaled(start) / len) as usize..scaled(end).div_ceil(len) as usize;
        let mut drawn = nearest(start)..nearest(end);
        if drawn.is_empty() {
            // Thinner than a column: it stands where its middle is.
            let middle = ((scaled(start) + scaled(end)) / (2 * len)) as usize;
            drawn = middle..middle + 1;
        }
        Some(Extent { touched, drawn })
    }
}

/// What the columns of one level stand for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Axis {
    /// Contiguous addresses.
    Addresses(Scale),
    /// Blocks of a pool: start, and columns, by ascending start.
    Blocks(Vec<(u64, Range<usize>)>),
}

impl Axis {
    /// Where a buffer of that size and address is drawn, if it is shown.
    pub(super) fn extent(&self, start: u64, size: u64) -> Option<Extent> {
        match self {
            Self::Addresses(scale) => scale.extent(start, size),
            Self::Blocks(blocks) => {
                let at = blocks.binary_search_by_key(&start, |(start, _)| *start).ok()?;
                let columns = blocks.get(at)?.1.clone();
                Some(Extent { touched: columns.clone(), drawn: columns })
            }
        }
    }

    /// The share of column `column` that addresses `[start, start + size)` take; of a block, all.
    pub(super) fn share(&self, column: usize, start: u64, size: u64) -> f32 {
        let Self::Addresses(scale) = self else { return 1.0 };
        let here = scale.addresses(column);
        let common = start.saturating_add(size).min(here.end).saturating_sub(start.max(here.start));
        common as f32 / (here.end - here.start) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_meet_and_every_buffer_is_drawn_where_it_lies() {
        for (len, columns) in [(4096u64, 32usize), (1000, 77), (10, 80), (u64::MAX, 50), (7, 1)] {
            let scale = Scale { start: 0, len, columns };
            let cut = [0, len / 3, len / 2, len - 1, len];
            for pair in cut.windows(2) {
                let Extent { touched, drawn } = scale.extent(pair[0], pair[1] - pair[0]).expect("it is shown");
                assert!(!drawn.is_empty() && drawn.end <= columns, "{len} {columns} {pair:?}");
                assert!(touched.start <= drawn.start && drawn.end <= touched.end, "{len} {columns} {pair:?}");
                let next = scale.extent(pair[1], 1).map_or(columns, |next| next.touched.start);
                assert!(next <= touched.end, "a gap that is not there: {len} {columns} {pair:?}");
            }
        }
    }

    #[test]
    fn a_window_shows_what_is_inside_of_it() {
        let scale = Scale { start: 100, len: 50, columns: 10 };
        assert_eq!(scale.addresses(3), 115..120);
        assert_eq!(Scale { start: 0, len: 10, columns: 4 }.addresses(1), 2..5, "its edges lie within addresses");
        assert_eq!(scale.extent(0, 100), None);
        assert_eq!(scale.extent(150, 10), None);
        assert_eq!(scale.extent(90, 20).map(|extent| extent.drawn), Some(0..2));
        assert_eq!(scale.extent(149, 500).map(|extent| extent.drawn), Some(9..10));
        assert_eq!(scale.extent(112, 0), None);
        let far = Scale { start: u64::MAX - 4, len: 4, columns: 2 };
        assert_eq!(far.extent(u64::MAX - 2, u64::MAX).map(|extent| extent.touched), Some(1..2));
    }
}
