//! The addresses of one level: who holds each stretch now, and when each was last left.

use std::collections::BTreeMap;

use crate::model::BufIx;

/// A half-open range of addresses [start, end), never empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) start: u64,
    pub(super) end: u64,
}

/// See the [module](self).
pub(super) struct Addresses {
    /// Start of each held range, its end and holder. The ranges are disjoint.
    held: BTreeMap<u64, (u64, BufIx)>,
    /// Ranges that overlapped another when they were taken. Each is a finding, so there are few.
    intruders: Vec<(Range, BufIx)>,
    /// When each address was last left, as a step function: the value at a key holds up to the next key.
    left: BTreeMap<u64, u64>,
}

impl Addresses {
    pub(super) fn new() -> Self {
        Self { held: BTreeMap::new(), intruders: Vec::new(), left: BTreeMap::from([(0, 0)]) }
    }

    /// Gives `range` to `buf`. Returns the cycle at which the last of its earlier holders left; at most `limit` of those
    /// who still hold part of it are put into `overlapped`.
    pub(super) fn take(&mut self, range: Range, buf: BufIx, limit: usize, overlapped: &mut Vec<BufIx>) -> u64 {
        overlapped.clear();
        // Held ranges are disjoint, so only the last one that starts before `range` can reach into it.
        let reaching_in = self.held.range(..range.start).next_back().filter(|(_, (end, _))| *end > range.start);
        let inside = self.held.range(range.start..range.end);
        overlapped.extend(reaching_in.into_iter().chain(inside).map(|(_, &(_, holder))| holder).take(limit));
        let sharing = self.intruders.iter().filter(|(other, _)| other.start < range.end && range.start < other.end);
        overlapped.extend(sharing.map(|&(_, holder)| holder).take(limit - overlapped.len()));
        if overlapped.is_empty() {
            self.held.insert(range.start, (range.end, buf));
        } else {
            self.intruders.push((range, buf));
        }
        self.last_left(range)
    }

    /// Takes `range` from `buf`, who leaves at `cycle`.
    pub(super) fn leave(&mut self, range: Range, buf: BufIx, cycle: u64) {
        match self.held.get(&range.start) {
            Some(&(_, holder)) if holder == buf => {
                self.held.remove(&range.start);
            }
            _ => self.intruders.retain(|&(_, intruder)| intruder != buf),
        }
        self.note_leaving(range, cycle);
    }

    fn last_left(&self, range: Range) -> u64 {
        let first = self.left_at(range.start);
        self.left.range(range.start..range.end).map(|(_, &cycle)| cycle).fold(first, u64::max)
    }

    fn left_at(&self, address: u64) -> u64 {
        self.left.range(..=address).next_back().map_or(0, |(_, &cycle)| cycle)
    }

    /// Raises the step function to at least `cycle` on `range`. Neighbours of equal value are joined, so that the
    /// function has no more steps than the level has had borders.
    fn note_leaving(&mut self, range: Range, cycle: u64) {
        let after = self.left_at(range.end);
        let first = self.left_at(range.start);
        let mut before = self.left.range(..range.start).next_back().map(|(_, &cycle)| cycle);
        self.left.insert(range.start, first);
        let borders: Vec<(u64, u64)> = self.left.range(range.start..range.end).map(|(&at, &was)| (at, was)).collect();
        for (at, was) in borders {
            let now = was.max(cycle);
            if before == Some(now) {
                self.left.remove(&at);
            } else {
                self.left.insert(at, now);
            }
            before = Some(now);
        }
        if before == Some(after) {
            self.left.remove(&range.end);
        } else {
            self.left.insert(range.end, after);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same by one entry for each address.
    struct Plain {
        left: [u64; 64],
        holders: Vec<(Range, BufIx)>,
    }

    impl Plain {
        fn take(&mut self, range: Range, buf: BufIx) -> (u64, Vec<BufIx>) {
            let shares = |other: &Range| (range.start..range.end).any(|at| (other.start..other.end).contains(&at));
            let overlapped = self.holders.iter().filter(|(other, _)| shares(other)).map(|&(_, buf)| buf).collect();
            self.holders.push((range, buf));
            let since = (range.start..range.end).map(|at| self.left[at as usize]).max().unwrap_or(0);
            (since, overlapped)
        }

        fn leave(&mut self, at: usize, cycle: u64) -> (Range, BufIx) {
            let (range, buf) = self.holders.remove(at);
            for address in range.start..range.end {
                let left = &mut self.left[address as usize];
                *left = cycle.max(*left);
            }
            (range, buf)
        }
    }

    #[test]
    fn holders_and_last_leavings_are_those_of_single_addresses() {
        let mut plain = Plain { left: [0; 64], holders: Vec::new() };
        let mut addresses = Addresses::new();
        let mut state: u64 = 1;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for turn in 0..20_000 {
            if plain.holders.is_empty() || plain.holders.len() < 6 && next(2) == 0 {
                let start = next(63);
                let range = Range { start, end: start + 1 + next(12.min(64 - start)) };
                let (since, mut expected) = plain.take(range, BufIx(turn));
                let mut found = Vec::new();
                assert_eq!(addresses.take(range, BufIx(turn), 40, &mut found), since);
                expected.sort_unstable();
                found.sort_unstable();
                assert_eq!(found, expected);
            } else {
                // Cycles that also go back, as where a FREE waits for less than its ALLOC did.
                let cycle = u64::from(turn / 8) + next(40);
                let (range, buf) = plain.leave(next(plain.holders.len() as u64) as usize, cycle);
                addresses.leave(range, buf, cycle);
            }
            for at in 0..64 {
                assert_eq!(addresses.left_at(at), plain.left[at as usize]);
            }
        }
    }

    #[test]
    fn equal_neighbours_are_joined() {
        let mut addresses = Addresses::new();
        for start in [0, 8, 16, 24] {
            addresses.leave(Range { start, end: start + 8 }, BufIx(0), 5);
        }
        assert_eq!(addresses.left.into_iter().collect::<Vec<_>>(), [(0, 5), (32, 0)]);
    }
}
