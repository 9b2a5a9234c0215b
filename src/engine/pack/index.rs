//! Which buffers are alive during a stretch of time.

use crate::model::Packing;

/// Buffers by the start of their lives, with the latest end of each subtree over them (the interval tree of Cormen,
/// Leiserson, Rivest and Stein, laid out as an implicit segment tree).
pub(super) struct Index {
    /// Lower, upper and index of each buffer, ascending.
    lives: Vec<(u64, u64, u32)>,
    /// The latest end below each node; the leaves are the second half.
    latest: Vec<u64>,
    leaves: usize,
}

impl Index {
    pub(super) fn new(packing: &Packing) -> Self {
        let buffers = packing.buffers.iter().enumerate();
        let mut lives: Vec<_> = buffers.map(|(at, buffer)| (buffer.lower, buffer.upper, at as u32)).collect();
        lives.sort_unstable();
        let leaves = lives.len().next_power_of_two();
        let mut latest = vec![0; 2 * leaves];
        for (at, life) in lives.iter().enumerate() {
            latest[leaves + at] = life.1;
        }
        for node in (1..leaves).rev() {
            latest[node] = latest[2 * node].max(latest[2 * node + 1]);
        }
        Self { lives, latest, leaves }
    }

    /// Calls `meet` with every buffer that is alive at some time in `[lower, upper)`, by start.
    pub(super) fn each(&self, lower: u64, upper: u64, meet: &mut impl FnMut(usize)) {
        let end = self.lives.partition_point(|life| life.0 < upper);
        if end > 0 {
            self.visit(1, 0, self.leaves, end, lower, meet);
        }
    }

    fn visit(&self, node: usize, from: usize, to: usize, end: usize, lower: u64, meet: &mut impl FnMut(usize)) {
        if from >= end || self.latest[node] <= lower {
            return;
        }
        if to - from == 1 {
            meet(self.lives[from].2 as usize);
            return;
        }
        let middle = usize::midpoint(from, to);
        self.visit(2 * node, from, middle, end, lower, meet);
        self.visit(2 * node + 1, middle, to, end, lower, meet);
    }

    /// How many pairs of buffers are alive at the same time.
    pub(super) fn pairs(&self) -> u64 {
        let mut ends: Vec<u64> = self.lives.iter().map(|life| life.1).collect();
        ends.sort_unstable();
        let (mut gone, mut pairs) = (0, 0);
        for (before, life) in self.lives.iter().enumerate() {
            while ends[gone] <= life.0 {
                gone += 1;
            }
            pairs += (before - gone) as u64;
        }
        pairs
    }
}
