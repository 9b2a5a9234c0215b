//! Contiguous addresses with best fit and coalescing (seed 002, its faults mended: best fit also after merging,
//! and neighbours merge at once).

use std::collections::{BTreeMap, BTreeSet};

/// A free stretch `[start, start + size)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hole {
    /// Where it starts.
    pub start: u64,
    /// How long it is.
    pub size: u64,
}

/// The free stretches of one level. Invariant: no two touch, and both indices hold the same ones.
#[derive(Clone, Debug)]
pub struct Arena {
    by_start: BTreeMap<u64, u64>,
    by_size: BTreeSet<(u64, u64)>,
    free: u64,
}

impl Arena {
    /// An empty level of that capacity.
    pub fn new(capacity: u64) -> Self {
        let mut arena = Self { by_start: BTreeMap::new(), by_size: BTreeSet::new(), free: 0 };
        if capacity > 0 {
            arena.insert(Hole { start: 0, size: capacity });
            arena.free = capacity;
        }
        arena
    }

    /// Free units over all holes.
    pub fn free(&self) -> u64 {
        self.free
    }

    /// Size of the largest hole.
    pub fn largest(&self) -> u64 {
        self.by_size.last().map_or(0, |&(size, _)| size)
    }

    /// Start of the smallest hole that holds `size`; ties go to the lowest address.
    pub fn best_fit(&self, size: u64) -> Option<u64> {
        self.by_size.range((size, 0)..).next().map(|&(_, start)| start)
    }

    /// Whether `[start, start + size)` lies in one hole.
    pub fn is_free(&self, start: u64, size: u64) -> bool {
        let hole = self.by_start.range(..=start).next_back();
        hole.is_some_and(|(&hole, &length)| size <= length && start - hole <= length - size)
    }

    /// Start of the first hole from address `from` on that holds `size`.
    pub fn first_fit(&self, size: u64, from: u64) -> Option<u64> {
        self.by_start.range(from..).find(|&(_, &length)| length >= size).map(|(&start, _)| start)
    }

    /// The holes that hold `size`, the smallest first, by address where they are equal.
    pub fn holes_for(&self, size: u64) -> impl Iterator<Item = Hole> {
        self.by_size.range((size, 0)..).map(|&(size, start)| Hole { start, size })
    }

    /// Takes `[start, start + size)`, which must lie in one hole.
    pub fn take(&mut self, start: u64, size: u64) {
        let (&hole, &length) = self.by_start.range(..=start).next_back().expect("taken from a hole");
        debug_assert!(hole + length >= start + size, "taken within one hole");
        self.remove(Hole { start: hole, size: length });
        if start > hole {
            self.insert(Hole { start: hole, size: start - hole });
        }
        let behind = (hole + length) - (start + size);
        if behind > 0 {
            self.insert(Hole { start: start + size, size: behind });
        }
        self.free -= size;
    }

    /// Gives `[start, start + size)` back and returns the hole that it is part of now.
    pub fn give(&mut self, start: u64, size: u64) -> Hole {
        let (before, behind) = self.neighbours(start, size);
        before.into_iter().chain(behind).for_each(|hole| self.remove(hole));
        let merged = join(start, size, before, behind);
        self.insert(merged);
        self.free += size;
        merged
    }

    /// The size of the hole that giving `[start, start + size)` back would open.
    pub fn hole_if_given(&self, start: u64, size: u64) -> u64 {
        let (before, behind) = self.neighbours(start, size);
        join(start, size, before, behind).size
    }

    /// The holes that touch `[start, start + size)` on either side.
    fn neighbours(&self, start: u64, size: u64) -> (Option<Hole>, Option<Hole>) {
        let hole = |(&start, &size): (&u64, &u64)| Hole { start, size };
        let before = self.by_start.range(..start).next_back().map(hole).filter(|hole| hole.start + hole.size == start);
        let behind = self.by_start.get_key_value(&(start + size)).map(hole);
        (before, behind)
    }

    fn insert(&mut self, hole: Hole) {
        self.by_start.insert(hole.start, hole.size);
        self.by_size.insert((hole.size, hole.start));
    }

    fn remove(&mut self, hole: Hole) {
        self.by_start.remove(&hole.start);
        self.by_size.remove(&(hole.size, hole.start));
    }
}

fn join(start: u64, size: u64, before: Option<Hole>, behind: Option<Hole>) -> Hole {
    let front = before.map_or(0, |hole| hole.size);
    Hole { start: start - front, size: front + size + behind.map_or(0, |hole| hole.size) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_fit_prefers_the_smallest_hole_then_the_lowest_address() {
        let mut arena = Arena::new(100);
        arena.take(0, 100);
        for (start, size) in [(10, 20), (40, 10), (60, 10)] {
            arena.give(start, size);
        }
        assert_eq!(arena.best_fit(8), Some(40));
        assert_eq!(arena.best_fit(11), Some(10));
        assert_eq!(arena.best_fit(21), None, "40 are free in total, but in pieces");
        assert_eq!((arena.free(), arena.largest()), (40, 20));
    }

    #[test]
    fn neighbours_merge_at_once_on_both_sides() {
        let mut arena = Arena::new(100);
        arena.take(0, 100);
        arena.give(0, 30);
        arena.give(50, 50);
        assert_eq!(arena.hole_if_given(30, 20), 100);
        assert_eq!(arena.give(30, 20), Hole { start: 0, size: 100 });
    }

    #[test]
    fn taking_from_the_middle_undoes_giving() {
        let mut arena = Arena::new(100);
        arena.take(0, 60);
        arena.give(20, 10);
        let before = format!("{arena:?}");
        arena.give(30, 30);
        arena.take(30, 30);
        assert_eq!(format!("{arena:?}"), before);
    }
}
