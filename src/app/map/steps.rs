//! Which steps the rows of the map stand for.

use std::ops::Range;

use crate::trace::Stay;

/// Rows of equally many steps, one below the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Steps {
    /// The first step of the first row: a multiple of the steps of a row.
    pub first: usize,
    /// Steps of a row.
    pub each: usize,
    /// How many rows there are.
    pub rows: usize,
    /// How many steps the plan has; the last row may have fewer.
    pub all: usize,
}

impl Steps {
    /// As many rows of `each` steps as `height` allows: around row `here`, and with row `there` among them.
    pub fn around(all: usize, each: usize, height: usize, here: usize, there: Option<usize>) -> Self {
        let each = each.max(1);
        let in_all = all.div_ceil(each);
        let rows = height.min(in_all);
        // Two thirds of the rows are the past: that is where the reasons are.
        let mut first = (here / each).saturating_sub(rows * 2 / 3);
        if let Some(there) = there {
            // Without a row there is none to be among.
            first = first.clamp((there / each + 1).saturating_sub(rows.max(1)), there / each);
        }
        Self { first: first.min(in_all - rows) * each, each, rows, all }
    }

    /// The steps of row `row`.
    pub fn of(&self, row: usize) -> Range<usize> {
        let from = self.first + row * self.each;
        from..(from + self.each).min(self.all)
    }

    /// The steps of all rows.
    pub fn whole(&self) -> Range<usize> {
        self.first..(self.first + self.rows * self.each).min(self.all)
    }

    /// The row that has `step`.
    pub fn row_of(&self, step: usize) -> Option<usize> {
        self.whole().contains(&step).then(|| (step - self.first) / self.each)
    }

    /// The rows during which a buffer stays.
    pub fn rows_of(&self, stay: &Stay) -> Range<usize> {
        self.rows_between(stay.from as usize, stay.to as usize)
    }

    /// The rows that have any of the steps `[from, to)`.
    pub fn rows_between(&self, from: usize, to: usize) -> Range<usize> {
        let whole = self.whole();
        let (from, to) = (from.max(whole.start), to.min(whole.end));
        if from >= to {
            return 0..0;
        }
        (from - self.first) / self.each..(to - self.first).div_ceil(self.each)
    }

    /// The share of the row's steps after which the buffer is there.
    pub fn share(&self, row: usize, stay: &Stay) -> f32 {
        let steps = self.of(row);
        let common = (stay.to as usize).min(steps.end).saturating_sub((stay.from as usize).max(steps.start));
        common as f32 / (steps.end - steps.start) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_step_at_hand_and_the_cell_at_hand_are_among_the_rows() {
        for (all, each, height) in [(100, 1, 10), (100, 7, 10), (5, 1, 10), (1000, 64, 3), (9, 16, 4), (8, 4, 1)] {
            for here in 0..all {
                let steps = Steps::around(all, each, height, here, None);
                let row = steps.row_of(here).expect("in sight");
                assert!(row < steps.rows && steps.of(row).contains(&here));
                assert_eq!(steps.first % each, 0);
                for there in 0..all {
                    let steps = Steps::around(all, each, height, here, Some(there));
                    assert!(steps.row_of(there).is_some(), "{all} {each} {height}: {here} {there}");
                }
            }
        }
    }

    #[test]
    fn no_step_makes_no_row() {
        let steps = Steps::around(0, 4, 10, 0, None);
        assert_eq!((steps.rows, steps.whole(), steps.row_of(0)), (0, 0..0, None));
        assert_eq!(Steps::around(0, 4, 10, 0, Some(3)).rows, 0);
        assert_eq!(Steps::around(40, 4, 0, 9, Some(3)).rows, 0, "no room for a row");
    }
}
