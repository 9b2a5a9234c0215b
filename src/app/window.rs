//! The stretch of steps that the timeline shows.

use super::command::Zoom;

/// The fewest steps that the timeline zooms in to.
const LEAST: usize = 20;

/// Steps `[start, start + len)` of `all`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// First step shown.
    pub start: usize,
    /// How many steps are shown; at least 1.
    pub len: usize,
    /// How many there are.
    pub all: usize,
}

impl Window {
    /// All steps.
    pub fn all(steps: usize) -> Self {
        Self { start: 0, len: steps.max(1), all: steps }
    }

    /// Zooms around `step`.
    pub(super) fn zoom(&mut self, zoom: Zoom, step: usize) {
        let all = self.all.max(1);
        let len = match zoom {
            Zoom::In => (self.len / 2).max(LEAST),
            Zoom::Out => self.len.saturating_mul(2),
            Zoom::Fit => all,
        };
        self.len = len.min(all);
        self.start = step.saturating_sub(self.len / 2).min(all - self.len);
    }

    /// Pages so that `step` is inside.
    pub(super) fn hold(&mut self, step: usize) {
        if step < self.start || step >= self.start + self.len {
            self.start = step.saturating_sub(self.len / 2).min(self.all.max(1) - self.len);
        }
    }

    /// The steps `[from, to)` of column `column` of `columns`; never empty.
    pub fn steps_of(&self, column: usize, columns: usize) -> (usize, usize) {
        let at = |column: usize| (column as u128 * self.len as u128 / columns.max(1) as u128) as usize;
        let (from, to) = (at(column), at(column + 1));
        (self.start + from, self.start + to.max(from + 1))
    }

    /// The column of `columns` in which `step` stands, if it is inside.
    pub fn column_of(&self, step: usize, columns: usize) -> Option<usize> {
        let at = step.checked_sub(self.start).filter(|&at| at < self.len)?;
        // The first column whose steps end past it: the one in which `steps_of` has it.
        let column = (at as u128 * columns as u128 / self.len as u128) as usize;
        (column..columns).find(|&column| self.steps_of(column, columns).1 > step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_stands_in_a_column_that_has_it() {
        for (len, columns) in [(1, 1), (1, 80), (7, 80), (80, 80), (81, 80), (1_000_000, 77), (13, 5)] {
            let window = Window::all(len);
            for step in (0..len).step_by(len / 97 + 1).chain([len - 1]) {
                let column = window.column_of(step, columns).expect("inside");
                let (from, to) = window.steps_of(column, columns);
                assert!((from..to).contains(&step), "{step} of {len} in {columns}: {column}");
            }
            assert_eq!(window.column_of(len, columns), None);
        }
    }

    #[test]
    fn zooming_keeps_the_step_and_stays_inside() {
        let mut window = Window::all(1000);
        for step in [0, 500, 999] {
            for _ in 0..10 {
                window.zoom(Zoom::In, step);
                assert!((window.start..window.start + window.len).contains(&step));
            }
            assert_eq!(window.len, LEAST);
            (0..10).for_each(|_| window.zoom(Zoom::Out, step));
            assert_eq!(window, Window::all(1000));
        }
        let mut empty = Window::all(0);
        empty.zoom(Zoom::In, 0);
        empty.hold(5);
    }
}
