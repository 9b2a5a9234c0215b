//! Sums over a line of places: add to a run of places, ask for the largest of all. Both logarithmic.

/// A segment tree of values that start at zero.
#[derive(Clone, Debug)]
pub(super) struct Profile {
    places: usize,
    /// By tree node: added to the whole run below it.
    added: Vec<i64>,
    /// By tree node: the largest value below it, `added` of the node included.
    largest: Vec<i64>,
}

impl Profile {
    /// All zero.
    pub(super) fn new(places: usize) -> Self {
        let nodes = 2 * places.next_power_of_two().max(1);
        Self { places, added: vec![0; nodes], largest: vec![0; nodes] }
    }

    /// The largest value.
    pub(super) fn largest(&self) -> i64 {
        self.largest[1]
    }

    /// Adds `by` to the places `[start, end)`.
    pub(super) fn add(&mut self, start: usize, end: usize, by: i64) {
        if start < end.min(self.places) && by != 0 {
            self.add_below(1, 0, self.added.len() / 2, start, end.min(self.places), by);
        }
    }

    fn add_below(&mut self, node: usize, from: usize, to: usize, start: usize, end: usize, by: i64) {
        if start <= from && to <= end {
            self.added[node] += by;
            self.largest[node] += by;
            return;
        }
        let middle = from.midpoint(to);
        if start < middle {
            self.add_below(2 * node, from, middle, start, end, by);
        }
        if end > middle {
            self.add_below(2 * node + 1, middle, to, start, end, by);
        }
        self.largest[node] = self.added[node] + self.largest[2 * node].max(self.largest[2 * node + 1]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_is_that_of_a_plain_list() {
        for places in [1usize, 2, 3, 13, 64] {
            let mut profile = Profile::new(places);
            let mut plain = vec![0i64; places];
            for turn in 0..300u16 {
                let (start, end) = (usize::from(turn) * 7 % places, usize::from(turn) * 11 % places + 1);
                let by = i64::from(turn) * 37 % 19 - 9;
                profile.add(start, end, by);
                plain.iter_mut().take(end).skip(start).for_each(|value| *value += by);
                assert_eq!(profile.largest().max(0), plain.iter().copied().max().unwrap_or(0).max(0));
            }
        }
    }
}
