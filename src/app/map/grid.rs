//! Cells that stand for many addresses and steps: whoever was in one at any of its steps is counted.

use super::scale::Axis;
use super::steps::Steps;
use super::{Cell, MANY};
use crate::model::BufIx;
use crate::trace::Stay;

/// Rows of one level over its columns.
pub(super) struct Grid {
    columns: usize,
    mixes: Vec<Mix>,
}

/// What one cell stands for.
#[derive(Clone)]
struct Mix {
    /// The buffers that are drawn in it, each once, as long as there is room.
    bufs: [BufIx; MANY as usize - 1],
    /// How many they are; [`MANY`] and more are not told apart.
    count: u8,
    /// The share of its addresses × steps that is in use, by them.
    fill: f32,
    /// Whether it has addresses of a buffer that is drawn beside it.
    partly: bool,
}

impl Mix {
    const EMPTY: Self = Self { bufs: [BufIx(0); MANY as usize - 1], count: 0, fill: 0.0, partly: false };

    fn add(&mut self, buf: BufIx, share: f32) {
        self.fill += share;
        let known = usize::from(self.count).min(self.bufs.len());
        if self.count == MANY || self.bufs[..known].contains(&buf) {
            return;
        }
        if let Some(room) = self.bufs.get_mut(known) {
            *room = buf;
        }
        self.count += 1;
    }

    fn cell(&self) -> Cell {
        match self.count {
            0 if self.partly => Cell::Partly,
            0 => Cell::Free,
            1 => Cell::Held(self.bufs[0]),
            count => {
                let quarters = (1..=3u8).filter(|&quarters| self.fill * 4.0 >= f32::from(quarters)).count() as u8;
                Cell::Several { count, quarters }
            }
        }
    }
}

impl Grid {
    pub fn new(rows: usize, columns: usize) -> Self {
        Self { columns, mixes: vec![Mix::EMPTY; rows * columns] }
    }

    /// Enters a stay of a buffer of that size.
    pub fn paint(&mut self, axis: &Axis, steps: &Steps, stay: &Stay, size: u64) {
        let Some(extent) = axis.extent(stay.offset, size) else { return };
        for row in steps.rows_of(stay) {
            let lasts = steps.share(row, stay);
            let mixes = &mut self.mixes[row * self.columns..(row + 1) * self.columns];
            for column in extent.touched.clone() {
                if extent.drawn.contains(&column) {
                    mixes[column].add(stay.buf, lasts * axis.share(column, stay.offset, size));
                } else {
                    mixes[column].partly = true;
                }
            }
        }
    }

    /// The cells of a row.
    pub fn cells(&self, row: usize) -> Vec<Cell> {
        self.mixes[row * self.columns..(row + 1) * self.columns].iter().map(Mix::cell).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_counts_each_buffer_once_and_knows_how_full_it_is() {
        let mut mix = Mix::EMPTY;
        assert_eq!(mix.cell(), Cell::Free);
        mix.partly = true;
        assert_eq!(mix.cell(), Cell::Partly);
        (0..3).for_each(|_| mix.add(BufIx(7), 0.1));
        assert_eq!(mix.cell(), Cell::Held(BufIx(7)));
        mix.add(BufIx(8), 0.1);
        assert_eq!(mix.cell(), Cell::Several { count: 2, quarters: 1 });
        (0..40).for_each(|buf| mix.add(BufIx(buf), 0.1));
        assert_eq!(mix.cell(), Cell::Several { count: MANY, quarters: 3 });
    }
}
