//! What does not fit, summed over an order: another fast evaluation, which still falls where the traffic stands.
//!
//! Each buffer counts from its first use to its last, as if nobody were ever spilled. What the levels would then hold
//! beyond their capacities is summed over the items. Where that is 0, the order moves nothing beside the graph's own
//! copies, addresses left aside. A change of an order matters only to the stretch that changes, so it is cheap.
//!
//! It is a guide where little does not fit. Where levels are far too small, as in large matrix products, what counts is how
//! often things come back, of which it knows nothing.

#[cfg(test)]
mod tests;

use std::ops::Range;

use super::anneal::{Energy, WHOLE};
use super::macros::{LAST, Macros};
use super::phases::whole;
use super::traffic::NEVER;
use crate::model::{BufIx, Problem};

/// What setting out a change takes, in macros that could be gone through meanwhile.
const SETTING_OUT: u64 = 8;

/// A macro is gone through so many times as fast as by the evaluation of traffic.
const FASTER: u64 = 4;

/// What is known of a buffer for good.
#[derive(Clone, Copy, Debug)]
struct Facts {
    size: u64,
    level: u16,
    freed: bool,
}

/// What is known of a level for good.
#[derive(Clone, Copy, Debug)]
struct Level {
    capacity: u64,
    may_spill: bool,
}

/// The first and the last access to a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Life {
    first: u32,
    last: u32,
}

impl Life {
    const NONE: Self = Self { first: NEVER, last: NEVER };
}

/// A stretch of an order, gone through.
#[derive(Clone, Debug, Default)]
struct Stretch {
    range: Range<usize>,
    /// By macro of the stretch: its first access.
    starts: Vec<u32>,
    /// By macro of the stretch, level by level: units that live where it begins.
    live: Vec<u64>,
    /// By macro of the stretch: what does not fit during it.
    over: Vec<u64>,
    /// Buffers that it names; and by buffer how long those live.
    named: Vec<u32>,
    lives: Vec<Life>,
    /// By level: units that live, on the way.
    now: Vec<u64>,
    /// What does not fit in the whole order.
    total: u64,
}

/// An order of macros with what does not fit.
#[derive(Clone, Debug)]
pub(super) struct Excess<'a> {
    macros: &'a Macros,
    facts: Vec<Facts>,
    levels: Vec<Level>,
    /// By macro in the order, and behind the last: its first access.
    starts: Vec<u32>,
    /// As in a [`Stretch`], of the whole order.
    live: Vec<u64>,
    over: Vec<u64>,
    lives: Vec<Life>,
    total: u64,
    trial: Stretch,
}

impl<'a> Excess<'a> {
    pub(super) fn new(problem: &Problem, macros: &'a Macros) -> Self {
        let facts = (0..problem.graph.buffers().len()).map(BufIx::new).map(|buf| Facts {
            size: problem.graph.buffer(buf).size,
            level: problem.level_of(buf).0,
            freed: problem.graph.buffer(buf).free.is_some(),
        });
        let facts: Vec<Facts> = facts.collect();
        let levels = problem.machine.levels.iter();
        Self {
            macros,
            levels: levels.map(|level| Level { capacity: level.capacity, may_spill: level.spill }).collect(),
            starts: Vec::new(),
            live: Vec::new(),
            over: Vec::new(),
            lives: vec![Life::NONE; facts.len()],
            total: 0,
            trial: Stretch { lives: vec![Life::NONE; facts.len()], ..Stretch::default() },
            facts,
        }
    }

    /// Whether little does not fit in the order that was evaluated last: in the mean over its macros no more than
    /// `share` of what the levels hold that may spill.
    pub(super) fn is_mild(&self, share: f64) -> bool {
        let held: u64 = self.levels.iter().filter(|level| level.may_spill).map(|level| level.capacity).sum();
        self.total as f64 <= self.over.len() as f64 * held as f64 * share
    }

    /// Sets out a stretch that changes: where its macros begin, and how long the buffers live that they name.
    fn set_out(&mut self, order: &[u32], range: Range<usize>) {
        let Self { macros, trial, starts, lives, .. } = self;
        let window = starts[range.start]..starts[range.end];
        trial.named.drain(..).for_each(|buf| trial.lives[buf as usize] = Life::NONE);
        trial.starts.clear();
        let mut access = window.start;
        for &own in &order[range.clone()] {
            trial.starts.push(access);
            for buf in macros.accesses.of(own).iter().map(|access| access & !LAST) {
                let (life, known) = (&mut trial.lives[buf as usize], lives[buf as usize]);
                // Outside the window nothing changes.
                let is_new = |at: u32| at == NEVER || window.contains(&at);
                if *life == Life::NONE {
                    trial.named.push(buf);
                    *life = Life { first: if is_new(known.first) { access } else { known.first }, last: known.last };
                }
                if is_new(known.last) {
                    life.last = access;
                }
                access += 1;
            }
        }
        trial.range = range;
    }

    /// Goes through the stretch that was set out, from what lives before it: what does not fit. `None` where that is above
    /// the limit, or a level is too small from which nobody may leave.
    fn go_through(&mut self, order: &[u32], limit: u64) -> Option<u64> {
        let Self { macros, facts, levels, trial, .. } = self;
        trial.over.clear();
        trial.live.clear();
        let mut total = 0u64;
        for (&own, &start) in order[trial.range.clone()].iter().zip(&trial.starts) {
            trial.live.extend_from_slice(&trial.now);
            let (mut access, mut excess) = (start, 0u64);
            for names in macros.accesses.of(own).split_inclusive(|access| access & LAST != 0) {
                let named = || (access..).zip(names).map(|(at, access)| (at, (access & !LAST) as usize));
                let born = named().filter(|&(at, buf)| trial.lives[buf].first == at);
                born.for_each(|(_, buf)| trial.now[facts[buf].level as usize] += facts[buf].size);
                for (&live, level) in trial.now.iter().zip(&*levels).filter(|(live, level)| **live > level.capacity) {
                    level.may_spill.then_some(())?;
                    excess = excess.saturating_add(live - level.capacity);
                }
                let dead = named().filter(|&(at, buf)| trial.lives[buf].last == at && facts[buf].freed);
                dead.for_each(|(_, buf)| trial.now[facts[buf].level as usize] -= facts[buf].size);
                access += names.len() as u32;
            }
            trial.over.push(excess);
            total = total.saturating_add(excess);
            if total > limit {
                return None;
            }
        }
        Some(total)
    }

    /// Takes the trial over.
    fn settle(&mut self) {
        let Self { trial, starts, lives, live, over, levels, .. } = self;
        let (from, count) = (trial.range.start, levels.len());
        starts[from..from + trial.starts.len()].copy_from_slice(&trial.starts);
        over[from..from + trial.over.len()].copy_from_slice(&trial.over);
        live[from * count..from * count + trial.live.len()].copy_from_slice(&trial.live);
        trial.named.iter().for_each(|&buf| lives[buf as usize] = trial.lives[buf as usize]);
        self.total = trial.total;
    }
}

impl Energy for Excess<'_> {
    fn of(&mut self, order: &[u32]) -> Option<f64> {
        let accesses: usize = order.iter().map(|&own| self.macros.accesses.of(own).len()).sum();
        self.lives.fill(Life::NONE);
        self.starts = vec![0; order.len() + 1];
        self.starts[order.len()] = accesses as u32;
        self.over = vec![0; order.len()];
        self.live = vec![0; order.len() * self.levels.len()];
        self.trial.now = vec![0; self.levels.len()];
        self.set_out(order, 0..order.len());
        self.trial.total = self.go_through(order, u64::MAX)?;
        self.settle();
        Some(self.total as f64)
    }

    fn changed(&mut self, order: &[u32], range: Range<usize>, limit: f64) -> Option<f64> {
        let before = self.over[range.clone()].iter().fold(0, |sum: u64, &excess| sum.saturating_add(excess));
        let count = self.levels.len();
        self.trial.now.clear();
        self.trial.now.extend_from_slice(&self.live[range.start * count..(range.start + 1) * count]);
        self.set_out(order, range);
        let rest = self.total.saturating_sub(before);
        let within = self.go_through(order, whole(limit).checked_sub(rest)?)?;
        self.trial.total = rest.saturating_add(within);
        Some(self.trial.total as f64)
    }

    fn keep(&mut self, _: &[u32], found: f64, _: bool) -> f64 {
        self.settle();
        found
    }

    fn spent(&self) -> u64 {
        let walked = self.trial.over.len() as u64 + SETTING_OUT;
        1 + walked * WHOLE / FASTER / self.starts.len() as u64
    }
}
