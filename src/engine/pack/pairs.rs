//! The exact search for buffers with gaps: pair by pair, which of the two lies below.
//!
//! Parts of a buffer that need different ranges of its memory make no skyline, so this search knows no shapes. For each
//! pair of buffers that meet in time it holds the differences of address that keep them apart: usually two ranges (one
//! below the other), more where gaps let one into the other. A range once chosen is one or two inequalities between
//! two addresses, as of disjunctive graphs in job-shop scheduling (Balas 1969). The lowest addresses that satisfy all
//! chosen ones are unique; where no pair collides at them, they are the answer, else a colliding pair is decided. Ranges
//! that the bounds rule out are never tried, and a pair with one range left is decided at once.

use std::collections::VecDeque;

use super::answer::Meter;
use super::exact::Outcome;
use super::part::parts;
use crate::model::{Lifetime, Packing};

/// Two buffers that meet in time.
struct Pair {
    one: u32,
    other: u32,
    /// The differences, the other's address − the one's, that keep them apart: closed ranges, ascending.
    apart: Vec<(i128, i128)>,
}

/// Larger than any difference of addresses.
const FAR: i128 = 1 << 100;

enum Undo {
    Low { at: u32, was: i128 },
    High { at: u32, was: i128 },
    Edge { from: u32, to: u32 },
    Decided { pair: u32 },
}

struct Choice {
    mark: usize,
    pair: u32,
    ranges: Vec<u32>,
    next: usize,
}

/// See the [module](self).
pub(super) struct Pairs {
    all: Vec<Pair>,
    align: Vec<i128>,
    low: Vec<i128>,
    high: Vec<i128>,
    /// `(to, by)` of `from`: the address of `to` is at least that of `from` + `by`.
    above: Vec<Vec<(u32, i128)>>,
    below: Vec<Vec<(u32, i128)>>,
    decided: Vec<bool>,
    trail: Vec<Undo>,
    queue: VecDeque<u32>,
    queued: Vec<bool>,
    /// How many times a bound was raised or lowered since the last node.
    moved: u64,
    /// Decisions so far.
    pub(super) nodes: u64,
}

impl Pairs {
    /// All addresses are open. `None` where a buffer alone does not fit.
    pub(super) fn new(packing: &Packing, capacity: u64) -> Option<Self> {
        let buffers = &packing.buffers;
        let (mut low, mut high) = (Vec::new(), Vec::new());
        for buffer in buffers {
            let most = capacity.checked_sub(buffer.size)?;
            let (from, to) = buffer.fixed.map_or((0, most - most % buffer.alignment), |fixed| (fixed, fixed));
            if to > most {
                return None;
            }
            low.push(i128::from(from));
            high.push(i128::from(to));
        }
        let all = all_pairs(buffers);
        let count = buffers.len();
        Some(Self {
            decided: vec![false; all.len()],
            all,
            align: buffers.iter().map(|buffer| i128::from(buffer.alignment)).collect(),
            low,
            high,
            above: vec![Vec::new(); count],
            below: vec![Vec::new(); count],
            trail: Vec::new(),
            queue: VecDeque::new(),
            queued: vec![false; count],
            moved: 0,
            nodes: 0,
        })
    }

    /// Searches from the start, at most `limit` decisions more. Of equally constrained pairs that with the largest key
    /// goes first; the key of a pair is the sum of its buffers'.
    pub(super) fn run(&mut self, keys: &[f64], limit: u64, meter: &Meter) -> Outcome {
        let most = self.nodes.saturating_add(limit);
        let mut choices: Vec<Choice> = Vec::new();
        let mut fits = true;
        loop {
            self.nodes += 1 + self.moved / 64;
            self.moved = 0;
            if self.nodes > most || (self.nodes.is_multiple_of(64) && meter.is_over()) {
                self.undo(0);
                return Outcome::Limit;
            }
            if fits && self.propagate(most - self.nodes) {
                let Some((pair, ranges)) = self.choose(keys) else {
                    let found = self.low.iter().map(|low| low.unsigned_abs() as u64).collect();
                    self.undo(0);
                    return Outcome::Found(found);
                };
                choices.push(Choice { mark: self.trail.len(), pair, ranges, next: 0 });
            } else if self.moved / 64 > most - self.nodes {
                continue;
            }
            fits = loop {
                let Some(choice) = choices.last_mut() else { return Outcome::Infeasible };
                let (mark, pair) = (choice.mark, choice.pair);
                let range = choice.ranges.get(choice.next).copied();
                choice.next += 1;
                self.undo(mark);
                match range {
                    Some(range) => break self.decide(pair, range),
                    None => choices.pop(),
                };
            };
        }
    }

    fn undo(&mut self, mark: usize) {
        while self.trail.len() > mark {
            match self.trail.pop() {
                Some(Undo::Low { at, was }) => self.low[at as usize] = was,
                Some(Undo::High { at, was }) => self.high[at as usize] = was,
                Some(Undo::Edge { from, to }) => {
                    self.above[from as usize].pop();
                    self.below[to as usize].pop();
                }
                Some(Undo::Decided { pair }) => self.decided[pair as usize] = false,
                None => {}
            }
        }
        while let Some(at) = self.queue.pop_front() {
            self.queued[at as usize] = false;
        }
    }

    /// Which ranges of a pair its bounds still allow.
    fn possible(&self, pair: &Pair) -> impl Iterator<Item = u32> {
        let (one, other) = (pair.one as usize, pair.other as usize);
        let (least, most) = (self.low[other] - self.high[one], self.high[other] - self.low[one]);
        let ranges = pair.apart.iter().enumerate();
        ranges.filter(move |(_, range)| range.0 <= most && least <= range.1).map(|(at, _)| at as u32)
    }

    /// Keeps a pair to one of its ranges. Whether the bounds allow that.
    fn decide(&mut self, at: u32, range: u32) -> bool {
        let pair = &self.all[at as usize];
        let (one, other, (least, most)) = (pair.one, pair.other, pair.apart[range as usize]);
        self.decided[at as usize] = true;
        self.trail.push(Undo::Decided { pair: at });
        (least <= -FAR || self.link(one, other, least)) && (most >= FAR || self.link(other, one, -most))
    }

    fn link(&mut self, from: u32, to: u32, by: i128) -> bool {
        self.above[from as usize].push((to, by));
        self.below[to as usize].push((from, by));
        self.trail.push(Undo::Edge { from, to });
        self.lift(to, self.low[from as usize] + by) && self.lower(from, self.high[to as usize] - by)
    }

    fn lift(&mut self, at: u32, low: i128) -> bool {
        let (own, align) = (at as usize, self.align[at as usize]);
        if low > self.low[own] {
            self.trail.push(Undo::Low { at, was: self.low[own] });
            self.low[own] = -(-low).div_euclid(align) * align;
            self.enqueue(at);
        }
        self.low[own] <= self.high[own]
    }

    fn lower(&mut self, at: u32, high: i128) -> bool {
        let (own, align) = (at as usize, self.align[at as usize]);
        if high < self.high[own] {
            self.trail.push(Undo::High { at, was: self.high[own] });
            self.high[own] = high.div_euclid(align) * align;
            self.enqueue(at);
        }
        self.low[own] <= self.high[own]
    }

    fn enqueue(&mut self, at: u32) {
        self.moved += 1;
        if !std::mem::replace(&mut self.queued[at as usize], true) {
            self.queue.push_back(at);
        }
    }

    /// Carries bounds on and decides what has one range left. `false` where something has none left, or after so
    /// much work that it counts as more than `limit` decisions.
    fn propagate(&mut self, limit: u64) -> bool {
        loop {
            if !self.carry(limit) {
                return false;
            }
            let mut changed = false;
            for at in 0..self.all.len() {
                if self.decided[at] {
                    continue;
                }
                let mut possible = self.possible(&self.all[at]);
                let (first, second) = (possible.next(), possible.next());
                drop(possible);
                let Some(only) = first else { return false };
                if second.is_none() {
                    changed = true;
                    if !self.decide(at as u32, only) {
                        return false;
                    }
                }
            }
            if !changed {
                return true;
            }
        }
    }

    fn carry(&mut self, limit: u64) -> bool {
        while let Some(at) = self.queue.pop_front() {
            self.queued[at as usize] = false;
            for edge in 0..self.above[at as usize].len() {
                let (to, by) = self.above[at as usize][edge];
                if !self.lift(to, self.low[at as usize] + by) {
                    return false;
                }
            }
            for edge in 0..self.below[at as usize].len() {
                let (from, by) = self.below[at as usize][edge];
                if !self.lower(from, self.high[at as usize] - by) {
                    return false;
                }
            }
            if self.moved / 64 > limit {
                return false;
            }
        }
        true
    }

    /// A pair that collides at the lowest addresses, with its ranges, that which moves least first.
    fn choose(&self, keys: &[f64]) -> Option<(u32, Vec<u32>)> {
        let mut best: Option<(usize, f64, u32)> = None;
        for (at, pair) in self.all.iter().enumerate() {
            let apart = self.low[pair.other as usize] - self.low[pair.one as usize];
            if self.decided[at] || pair.apart.iter().any(|range| range.0 <= apart && apart <= range.1) {
                continue;
            }
            let (count, key) = (self.possible(pair).count(), keys[pair.one as usize] + keys[pair.other as usize]);
            if best.is_none_or(|(fewest, largest, _)| count < fewest || (count == fewest && key > largest)) {
                best = Some((count, key, at as u32));
            }
        }
        let (_, _, at) = best?;
        let pair = &self.all[at as usize];
        let apart = self.low[pair.other as usize] - self.low[pair.one as usize];
        let mut ranges: Vec<u32> = self.possible(pair).collect();
        ranges.sort_by_key(|&range| {
            let (least, most) = pair.apart[range as usize];
            (least - apart).max(apart - most)
        });
        Some((at, ranges))
    }
}

fn all_pairs(buffers: &[Lifetime]) -> Vec<Pair> {
    let all: Vec<_> = buffers.iter().map(parts).collect();
    let mut pairs = Vec::new();
    for other in 1..buffers.len() {
        for one in 0..other {
            let mut taken: Vec<(i128, i128)> = Vec::new();
            for a in &all[one] {
                let meeting = all[other].iter().filter(|b| a.lower < b.upper && b.lower < a.upper);
                taken.extend(meeting.map(|b| {
                    let ends = [a.from, b.to, a.to, b.from].map(i128::from);
                    (ends[0] - ends[1] + 1, ends[2] - ends[3] - 1)
                }));
            }
            if !taken.is_empty() {
                pairs.push(Pair { one: one as u32, other: other as u32, apart: complement(taken) });
            }
        }
    }
    pairs
}

/// What is outside these closed ranges.
fn complement(mut taken: Vec<(i128, i128)>) -> Vec<(i128, i128)> {
    taken.sort_unstable();
    let (mut free, mut from) = (Vec::new(), -FAR);
    for (least, most) in taken {
        if from < least {
            free.push((from, least - 1));
        }
        from = from.max(most + 1);
    }
    free.push((from, FAR));
    free
}
