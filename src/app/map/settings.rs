//! How the person looks at the map: zoom along steps and addresses, colours, one level or all, the cell at hand.

use super::super::command::Zoom;
use super::coloring::Coloring;
use super::scale::Scale;
use crate::model::LevelIx;

/// What the person has chosen for the map.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// A row stands for 2 to the power of this steps, unless the whole plan is shown.
    pub(super) steps: u32,
    /// Whether a row stands for as many steps as it takes to show the whole plan, whatever the room.
    pub(super) whole: bool,
    /// The part of a level's addresses that is shown, where it is not all.
    pub(super) window: Option<AddressWindow>,
    /// Whether all levels stand side by side.
    pub all_levels: bool,
    /// What colours and letters tell.
    pub coloring: Coloring,
    /// The cell that the person has gone to.
    pub(in crate::app) spot: Option<Spot>,
}

/// A part of the addresses of a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AddressWindow {
    pub level: LevelIx,
    /// One part in 2 to the power of this.
    pub power: u32,
    /// The address in the middle, as far as the level's ends allow.
    pub middle: u64,
}

/// A cell of the map: its row by a step that it stands for, and its column of those on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::app) struct Spot {
    pub step: usize,
    pub column: usize,
}

/// Fewer addresses than this are not spread over the map.
const LEAST_ADDRESSES: u64 = 8;

/// The least power of two that shows so many steps in that many rows.
fn fit(steps: usize, rows: usize) -> u32 {
    let each = steps.div_ceil(rows.max(1)).max(1);
    each.checked_next_power_of_two().map_or(usize::BITS - 1, usize::trailing_zeros)
}

impl Settings {
    /// Steps of a row, of so many in a map of that many rows.
    pub(super) fn steps_per_row(&self, steps: usize, rows: usize) -> usize {
        1 << self.power(steps, rows)
    }

    /// Shows the whole plan, whatever the room.
    pub(in crate::app) fn show_whole(&mut self) {
        self.whole = true;
    }

    fn power(&self, steps: usize, rows: usize) -> u32 {
        let fit = fit(steps, rows);
        if self.whole { fit } else { self.steps.min(fit) }
    }

    /// Zooms along the steps; a second [`Zoom::Fit`] comes back to single steps. Whether anything changed.
    pub(super) fn zoom_steps(&mut self, zoom: Zoom, steps: usize, rows: usize) -> bool {
        let (before, fit) = (self.power(steps, rows), fit(steps, rows));
        (self.steps, self.whole) = match zoom {
            Zoom::In => (before.saturating_sub(1), false),
            Zoom::Out => ((before + 1).min(fit), false),
            Zoom::Fit => (0, before < fit),
        };
        self.power(steps, rows) != before
    }

    /// Zooms along the addresses of a level, around `middle`. Whether anything changed.
    pub(super) fn zoom_addresses(&mut self, zoom: Zoom, level: LevelIx, capacity: u64, middle: u64) -> bool {
        let before = self.window;
        let power = before.filter(|window| window.level == level).map_or(0, |window| window.power);
        let power = match zoom {
            Zoom::In if capacity.checked_shr(power + 1).unwrap_or(0) >= LEAST_ADDRESSES => power + 1,
            Zoom::In => power,
            Zoom::Out => power.saturating_sub(1),
            Zoom::Fit => 0,
        };
        self.window = (power > 0).then_some(AddressWindow { level, power, middle });
        self.window.map(|window| window.power) != before.map(|window| window.power)
    }

    /// Moves the part of the addresses that is shown so that `[start, start + size)` is in it.
    pub(super) fn show_addresses(&mut self, level: LevelIx, capacity: u64, start: u64, size: u64) {
        let shown = self.scale(level, capacity, 1);
        let Some(window) = self.window.as_mut().filter(|window| window.level == level) else { return };
        let end = start.saturating_add(size.min(shown.len));
        if start < shown.start {
            window.middle = start.saturating_add(shown.len / 2);
        } else if end > shown.start.saturating_add(shown.len) {
            window.middle = end.saturating_sub(shown.len - shown.len / 2);
        }
    }

    /// Moves the part that is shown by a half of it. Whether there was more to show.
    pub(super) fn pan_addresses(&mut self, level: LevelIx, capacity: u64, higher: bool) -> bool {
        let before = self.scale(level, capacity, 1);
        let Some(window) = self.window.as_mut().filter(|window| window.level == level) else { return false };
        let middle = before.start + before.len / 2;
        let by = (before.len / 2).max(1);
        window.middle = if higher { middle.saturating_add(by) } else { middle.saturating_sub(by) };
        self.scale(level, capacity, 1) != before
    }

    /// The addresses of a level that are shown, over that many columns.
    pub(super) fn scale(&self, level: LevelIx, capacity: u64, columns: usize) -> Scale {
        let Some(window) = self.window.filter(|window| window.level == level) else {
            return Scale { start: 0, len: capacity, columns };
        };
        let len = capacity.checked_shr(window.power).unwrap_or(0).max(1).min(capacity);
        let start = window.middle.saturating_sub(len / 2).min(capacity - len);
        Scale { start, len, columns }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const L: LevelIx = LevelIx(0);

    #[test]
    fn steps_are_zoomed_by_powers_of_two_up_to_the_whole_plan() {
        let mut settings = Settings::default();
        assert!(!settings.zoom_steps(Zoom::In, 1000, 10));
        assert!(settings.zoom_steps(Zoom::Fit, 1000, 10));
        assert_eq!(settings.steps_per_row(1000, 10), 128, "10 rows of 128 hold 1000 steps, of 64 they do not");
        assert_eq!(settings.steps_per_row(1000, 40), 32, "the whole plan stays whole where there is more room");
        assert!(!settings.zoom_steps(Zoom::Out, 1000, 10));
        assert!(settings.zoom_steps(Zoom::In, 1000, 10));
        assert_eq!(settings.steps_per_row(1000, 10), 64);
        assert!(settings.zoom_steps(Zoom::Out, 1000, 10) && !settings.zoom_steps(Zoom::Out, 1000, 10));
        settings.zoom_steps(Zoom::Fit, 1000, 10);
        assert_eq!(settings.steps_per_row(1000, 10), 1, "again: back to single steps");
        assert!(!settings.zoom_steps(Zoom::Fit, 0, 0));
        assert_eq!(fit(usize::MAX, 0), usize::BITS - 1);
    }

    #[test]
    fn addresses_are_zoomed_around_a_place_and_stay_inside_of_the_level() {
        let mut settings = Settings::default();
        assert!(settings.zoom_addresses(Zoom::In, L, 4096, 4000));
        assert_eq!(settings.scale(L, 4096, 64), Scale { start: 2048, len: 2048, columns: 64 });
        assert_eq!(settings.scale(LevelIx(1), 256, 64).len, 256, "another level is shown whole");
        settings.show_addresses(L, 4096, 100, 50);
        assert_eq!(settings.scale(L, 4096, 64).start, 100);
        settings.show_addresses(L, 4096, 2200, 100);
        assert_eq!(settings.scale(L, 4096, 64).start, 252);
        assert!(settings.pan_addresses(L, 4096, true));
        assert_eq!(settings.scale(L, 4096, 64).start, 1276);
        (0..9).for_each(|_| _ = settings.pan_addresses(L, 4096, true));
        assert!(!settings.pan_addresses(L, 4096, true), "nothing lies beyond the end");
        (0..99).for_each(|_| _ = settings.zoom_addresses(Zoom::In, L, 4096, 4000));
        assert_eq!(settings.scale(L, 4096, 64).len, LEAST_ADDRESSES);
        assert!(settings.zoom_addresses(Zoom::Fit, L, 4096, 0));
        assert_eq!(settings.scale(L, 4096, 64).len, 4096);
    }

    #[test]
    fn no_capacity_breaks_the_zoom() {
        for capacity in [0, 1, 7, u64::MAX] {
            let mut settings = Settings::default();
            for _ in 0..80 {
                settings.zoom_addresses(Zoom::In, L, capacity, u64::MAX);
                settings.show_addresses(L, capacity, u64::MAX - 1, u64::MAX);
                settings.pan_addresses(L, capacity, true);
                let scale = settings.scale(L, capacity, 10);
                assert!(scale.start.checked_add(scale.len).is_some_and(|end| end <= capacity), "{scale:?}");
            }
        }
    }
}
