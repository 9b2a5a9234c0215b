//! One unit for all numbers of a column, said once in its title.

use crate::model::Problem;
use crate::output::numbers::grouped;
use crate::output::quantities::in_micros;

/// A unit, and how numbers are told in it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Scale {
    /// What stands in the title; empty for plain counts.
    pub unit: &'static str,
    per: u64,
}

/// The prefixes of the SI: a kB is 1000 bytes.
const BYTES: [(&str, u64); 5] =
    [("B", 1), ("kB", 1000), ("MB", 1_000_000), ("GB", 1_000_000_000), ("TB", 1_000_000_000_000)];

const MICROS: [(&str, u64); 3] = [("µs", 1), ("ms", 1000), ("s", 1_000_000)];

impl Scale {
    /// Whole numbers in units of the graph.
    pub const PLAIN: Self = Self { unit: "", per: 1 };

    /// For bytes up to `largest`.
    pub fn bytes(largest: u64) -> Self {
        Self::fitting(&BYTES, largest)
    }

    /// For microseconds up to `largest`.
    pub fn micros(largest: u64) -> Self {
        Self::fitting(&MICROS, largest)
    }

    /// For times of `problem`.
    pub fn times(problem: &Problem, largest: u64) -> Self {
        if in_micros(problem) { Self::micros(largest) } else { Self::PLAIN }
    }

    /// The largest unit of which the largest number has ten: the smaller ones in the column keep digits enough.
    fn fitting(units: &[(&'static str, u64)], largest: u64) -> Self {
        let fits = units.iter().rev().find(|(_, per)| largest / per >= 10);
        let &(unit, per) = fits.unwrap_or(&units[0]);
        Self { unit, per }
    }

    /// `amount` without its unit.
    pub fn show(self, amount: u64) -> String {
        // A thousand and more has no decimal, nor has what is rounded to a thousand.
        if self.per == 1 || amount as f64 / self.per as f64 >= 999.95 {
            let rounded_up = amount % self.per >= self.per.div_ceil(2) && self.per > 1;
            return grouped(amount / self.per + u64::from(rounded_up));
        }
        format!("{:.1}", amount as f64 / self.per as f64)
    }

    /// `amount` with its unit.
    pub fn words(self, amount: u64) -> String {
        format!("{} {}", self.show(amount), self.unit).trim_end().to_owned()
    }

    /// `name` with the unit behind it.
    pub fn title(self, name: &str) -> String {
        format!("{name} {}", self.unit).trim_end().to_owned()
    }
}

/// `value` beside `base`: `0.45×`; a dash where there is nothing to be beside.
pub(super) fn ratio(value: u64, base: Option<u64>) -> String {
    match base {
        Some(base) if base > 0 => format!("{:.2}×", value as f64 / base as f64),
        Some(_) if value == 0 => "1.00×".into(),
        _ => "-".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_keeps_digits_for_the_small_ones() {
        let gigabytes = Scale::bytes(5_583_457_484);
        assert_eq!(gigabytes.title("peak"), "peak MB");
        assert_eq!([5_583_457_484, 901_775_360, 0].map(|size| gigabytes.show(size)), ["5 583", "901.8", "0.0"]);
        assert_eq!([999_949_000, 999_999_999].map(|size| gigabytes.show(size)), ["999.9", "1 000"]);
        assert_eq!(Scale::bytes(16 << 30).words(16 << 30), "17.2 GB");
        assert_eq!(Scale::bytes(9).words(9), "9 B");
        assert_eq!(Scale::bytes(u64::MAX).show(u64::MAX), "18 446 744");
        assert_eq!(Scale::micros(328_400).words(328_400), "328.4 ms");
        assert_eq!(Scale::PLAIN.words(12_345), "12 345");
    }

    #[test]
    fn ratios_do_not_divide_by_nothing() {
        assert_eq!(ratio(45, Some(100)), "0.45×");
        assert_eq!(ratio(0, Some(0)), "1.00×");
        assert_eq!([ratio(5, Some(0)), ratio(5, None)], ["-", "-"]);
    }
}
