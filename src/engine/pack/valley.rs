//! Lowest valley first: a heuristic for very many buffers, near-linear in their number.
//!
//! The skyline of what is placed is a sequence of runs of equal height. The lowest run is filled next: with a row of
//! items, each alive only within the run and no two at the same time, that leaves least of the run uncovered and has
//! most weight otherwise (a longest path over the run). A run into which nothing fits is raised to the lower of its
//! neighbours. For items without alignment and fixed address.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use super::sections::{Item, Sections};

/// A stretch of the skyline; its start is its key.
#[derive(Clone, Copy)]
struct Run {
    end: u32,
    floor: u64,
}

struct Valley<'a> {
    items: &'a [Item],
    /// Of each section, the open items that start there, by their ends.
    starts: Vec<Vec<u32>>,
    runs: BTreeMap<u32, Run>,
    /// The runs by height; those that are no more are passed over.
    lowest: BinaryHeap<Reverse<(u64, u32)>>,
    offsets: Vec<u64>,
    weight: Vec<f64>,
    /// Of each section of a run, the best that covers the run up to there, and the item that ends it.
    best: Vec<f64>,
    by: Vec<Option<u32>>,
}

/// An address for each item.
pub(super) fn valley(sections: &Sections) -> Vec<u64> {
    let items = &sections.items[..];
    let most = items.iter().map(|item| item.size).max().unwrap_or(1) as f64;
    let weigh = |item: &Item| {
        let (life, size) = (item.span().len() as f64 / sections.count as f64, item.size as f64 / most);
        life * size * size
    };
    let mut starts = vec![Vec::new(); sections.count];
    for (at, item) in items.iter().enumerate() {
        starts[item.first as usize].push(at as u32);
    }
    starts.iter_mut().for_each(|all: &mut Vec<u32>| all.sort_by_key(|&at| items[at as usize].end));
    let mut valley = Valley {
        items,
        starts,
        runs: BTreeMap::new(),
        lowest: BinaryHeap::new(),
        offsets: vec![0; items.len()],
        weight: items.iter().map(weigh).collect(),
        best: Vec::new(),
        by: Vec::new(),
    };
    valley.set(0, sections.count as u32, 0);
    let mut left = items.len();
    while left > 0 {
        let Some(Reverse((floor, start))) = valley.lowest.pop() else { break };
        if valley.runs.get(&start).is_some_and(|run| run.floor == floor) {
            left -= valley.fill(start, floor);
        }
    }
    valley.offsets
}

impl Valley<'_> {
    fn set(&mut self, start: u32, end: u32, floor: u64) {
        if start < end {
            self.runs.insert(start, Run { end, floor });
            self.lowest.push(Reverse((floor, start)));
        }
    }

    /// Fills a run as far as it goes, or raises it. How many items it took.
    fn fill(&mut self, start: u32, floor: u64) -> usize {
        let (start, end) = self.joined(start, floor);
        let Some(row) = self.row(start, end) else {
            let before = self.runs.range(..start).next_back().map_or(u64::MAX, |(_, run)| run.floor);
            let after = self.runs.get(&end).map_or(u64::MAX, |run| run.floor);
            if before.min(after) < u64::MAX {
                self.set(start, end, before.min(after));
            }
            return 0;
        };
        self.runs.remove(&start);
        let mut from = start;
        for &at in &row {
            let item = self.items[at as usize];
            self.starts[item.first as usize].retain(|&other| other != at);
            self.offsets[at as usize] = floor;
            self.set(from, item.first, floor);
            self.set(item.first, item.end, floor + item.size);
            from = item.end;
        }
        self.set(from, end, floor);
        row.len()
    }

    /// Joins a run with neighbours of its height.
    fn joined(&mut self, start: u32, floor: u64) -> (u32, u32) {
        let (mut from, mut to) = (start, self.runs.get(&start).map_or(start, |run| run.end));
        if let Some((&before, _)) = self.runs.range(..start).next_back().filter(|(_, run)| run.floor == floor) {
            self.runs.remove(&start);
            from = before;
        }
        if let Some(after) = self.runs.get(&to).copied().filter(|run| run.floor == floor) {
            self.runs.remove(&to);
            to = after.end;
        }
        self.runs.insert(from, Run { end: to, floor });
        (from, to)
    }

    /// The best row of items within `[start, end)`, in the order of time; `None` where no item is.
    fn row(&mut self, start: u32, end: u32) -> Option<Vec<u32>> {
        let count = (end - start) as usize;
        self.best.clear();
        self.best.resize(count + 1, f64::NEG_INFINITY);
        self.by.clear();
        self.by.resize(count + 1, None);
        self.best[0] = 0.0;
        let mut is_empty = true;
        for at in 0..count {
            let here = self.best[at];
            if here - 1.0 > self.best[at + 1] {
                (self.best[at + 1], self.by[at + 1]) = (here - 1.0, None);
            }
            for &item in &self.starts[start as usize + at] {
                let to = self.items[item as usize].end;
                if to > end {
                    break;
                }
                is_empty = false;
                let (to, value) = ((to - start) as usize, here + self.weight[item as usize]);
                if value > self.best[to] {
                    (self.best[to], self.by[to]) = (value, Some(item));
                }
            }
        }
        if is_empty {
            return None;
        }
        let (mut row, mut at) = (Vec::new(), count);
        while at > 0 {
            at = match self.by[at] {
                Some(item) => {
                    row.push(item);
                    (self.items[item as usize].first - start) as usize
                }
                None => at - 1,
            };
        }
        row.reverse();
        Some(row)
    }
}
