//! The fast evaluation of an order that changes bit by bit: only what lies around a change is gone through again.
//!
//! At a *checkpoint*, one every few macros, it is known what is resident. A change is evaluated from the checkpoint
//! before it to the first one behind it at which the same buffers are resident as without it: from there on nothing
//! differs. What was decided further ahead stays, though the next use that it looked at may have moved: that is a plan
//! too, and now and then all is decided anew.

#[cfg(test)]
mod tests;

use std::ops::Range;

use super::anneal::{Energy, WHOLE};
use super::macros::{LAST, Macros};
use super::traffic::{Holding, NEVER, link};
use crate::model::Problem;

/// Macros from one checkpoint to the next, where checkpoints do not get too large.
const EVERY: usize = 8;

/// The most residents that all checkpoints note together; beyond, there are fewer checkpoints.
const MOST_NOTED: usize = 1 << 22;

/// Changes that are kept until all is decided anew.
const STALE: u32 = 500;

/// What setting out a change takes, in macros that could be gone through meanwhile.
const SETTING_OUT: u64 = 16;

/// What is known where a macro begins.
#[derive(Clone, Debug, Default)]
struct Checkpoint {
    /// Units moved before.
    moved: u64,
    /// Buffers that are resident, with the access at which each is needed next.
    residents: Vec<(u32, u32)>,
}

impl Checkpoint {
    fn note(&mut self, holding: &Holding) {
        self.moved = holding.moved;
        self.residents.clear();
        self.residents.extend(holding.residents());
    }
}

/// A change that was evaluated last.
#[derive(Clone, Debug, Default)]
struct Trial {
    /// The macros that change places.
    range: Range<usize>,
    /// Their accesses.
    window: Range<usize>,
    /// Accesses from the checkpoint before the change to its end, and the next one to the same buffer for each.
    accesses: Vec<u32>,
    next: Vec<u32>,
    /// From the one behind the first checkpoint on; those from the checkpoint `until` on hold as they are.
    checkpoints: Vec<Checkpoint>,
    until: usize,
    total: u64,
}

/// An order of macros with its extra traffic.
#[derive(Clone, Debug)]
pub(super) struct Revised<'a> {
    macros: &'a Macros,
    holding: Holding,
    /// By macro in the order, and behind the last: its first access.
    starts: Vec<u32>,
    accesses: Vec<u32>,
    /// By access: the next one to the same buffer, and the one before.
    next: Vec<u32>,
    prev: Vec<u32>,
    /// At every macro whose number is a multiple of `every`.
    checkpoints: Vec<Checkpoint>,
    every: usize,
    total: u64,
    /// By buffer that the last change touches: its first access in what changes.
    first: Vec<u32>,
    trial: Trial,
    /// Above what is allowed by so much a change is given up before it is known how it ends.
    slack: u64,
    walked: u64,
    kept: u32,
    /// Macros that some buffer had to come back for, when all was last decided anew.
    costly: Vec<u32>,
    /// First accesses in what changes, each with the one before; kept for its memory.
    prev_of: Vec<(u32, u32)>,
}

impl<'a> Revised<'a> {
    pub(super) fn new(problem: &Problem, macros: &'a Macros) -> Self {
        let buffers = problem.graph.buffers().len();
        let dearest = (0..buffers).map(|buf| problem.spill_cost(crate::model::BufIx::new(buf))).max();
        Self {
            macros,
            holding: Holding::new(problem),
            starts: Vec::new(),
            accesses: Vec::new(),
            next: Vec::new(),
            prev: Vec::new(),
            checkpoints: Vec::new(),
            every: EVERY,
            total: 0,
            first: vec![NEVER; buffers],
            trial: Trial::default(),
            slack: dearest.unwrap_or(0),
            walked: 0,
            kept: 0,
            costly: Vec::new(),
            prev_of: Vec::new(),
        }
    }

    /// Lists the accesses of an order.
    fn list(&mut self, order: &[u32]) {
        self.accesses.clear();
        self.starts.clear();
        for &own in order {
            self.starts.push(self.accesses.len() as u32);
            self.accesses.extend_from_slice(self.macros.accesses.of(own));
        }
        self.starts.push(self.accesses.len() as u32);
        self.next.resize(self.accesses.len(), NEVER);
        self.first.fill(NEVER);
        link(&self.accesses, 0, &mut self.next, &mut self.first);
        self.prev.clear();
        self.prev.resize(self.accesses.len(), NEVER);
        for (at, &next) in (0u32..).zip(&self.next) {
            if next != NEVER {
                self.prev[next as usize] = at;
            }
        }
    }

    /// Evaluates the whole order.
    fn whole(&mut self, order: &[u32]) -> Option<u64> {
        self.list(order);
        self.kept = 0;
        self.checkpoints.clear();
        self.costly.clear();
        self.holding.clear();
        let mut noted = 0;
        for (at, &own) in order.iter().enumerate() {
            if at.is_multiple_of(self.every) {
                let mut checkpoint = Checkpoint::default();
                checkpoint.note(&self.holding);
                noted += checkpoint.residents.len();
                self.checkpoints.push(checkpoint);
            }
            if noted > MOST_NOTED {
                self.thin_out(at + 1);
                noted /= 2;
            }
            let span = self.starts[at] as usize..self.starts[at + 1] as usize;
            let comes_back =
                |access: usize| self.prev[access] != NEVER && !self.holding.is_resident(self.accesses[access] & !LAST);
            if span.clone().any(comes_back) {
                self.costly.push(own);
            }
            walk(&mut self.holding, &self.accesses[span.clone()], &self.next[span.clone()], span.start)?;
        }
        self.total = self.holding.moved;
        Some(self.total)
    }

    /// Drops every other checkpoint of the first `count` macros.
    fn thin_out(&mut self, count: usize) {
        self.every *= 2;
        let mut at = 0;
        self.checkpoints.retain(|_| {
            at += 1;
            at % 2 == 1
        });
        debug_assert_eq!(self.checkpoints.len(), count.div_ceil(self.every));
    }

    /// Sets out what the change is, and the levels as they are at the checkpoint before it.
    fn prepare(&mut self, order: &[u32], range: Range<usize>) {
        let from = range.start / self.every;
        let ahead = self.starts[from * self.every] as usize;
        let window = self.starts[range.start] as usize..self.starts[range.end] as usize;
        let Self { trial, first, .. } = self;
        trial.accesses.clear();
        trial.accesses.extend_from_slice(&self.accesses[ahead..window.start]);
        order[range.clone()].iter().for_each(|&own| trial.accesses.extend_from_slice(self.macros.accesses.of(own)));
        trial.next.resize(window.end - ahead, NEVER);
        // The last of each buffer's accesses in the window tells its first one behind it.
        for at in window.clone() {
            first[(self.accesses[at] & !LAST) as usize] = self.next[at];
        }
        let split = window.start - ahead;
        link(&trial.accesses[split..], window.start, &mut trial.next[split..], first);
        for at in 0..split {
            trial.next[at] = revised(self.next[ahead + at], trial.accesses[at] & !LAST, &window, first);
        }
        self.holding.clear();
        let checkpoint = &self.checkpoints[from];
        self.holding.moved = checkpoint.moved;
        for &(buf, next) in &checkpoint.residents {
            self.holding.put(buf, revised(next, buf, &window, first));
        }
        (trial.range, trial.window) = (range, window);
    }

    /// What the order comes to with the change; `None` where that is above the limit, or most likely is.
    fn try_out(&mut self, order: &[u32], limit: u64) -> Option<u64> {
        let end = self.trial.range.end;
        let from = self.trial.range.start / self.every;
        let mut ceiling = self.ceiling(end.div_ceil(self.every), limit);
        let mut access = self.starts[from * self.every] as usize;
        let ahead = access;
        for (at, &own) in order.iter().enumerate().skip(from * self.every) {
            let checkpoint = at / self.every;
            if at.is_multiple_of(self.every) && checkpoint > from {
                if at >= end && self.holding.holds_just(&self.checkpoints[checkpoint].residents) {
                    let rest = self.total - self.checkpoints[checkpoint].moved;
                    return self.ends(checkpoint, self.holding.moved + rest, limit);
                }
                if at >= end {
                    ceiling = self.ceiling(checkpoint + 1, limit);
                }
                self.note(checkpoint - from - 1);
            }
            let named = self.macros.accesses.of(own);
            let stop = access + named.len();
            let next = if at < end { &self.trial.next[access - ahead..stop - ahead] } else { &self.next[access..stop] };
            self.walked += 1;
            walk(&mut self.holding, named, next, access)?;
            if self.holding.moved > ceiling {
                return None;
            }
            access = stop;
        }
        self.ends(self.checkpoints.len(), self.holding.moved, limit)
    }

    /// Notes how a trial ends: from the checkpoint `until` on all is as before.
    fn ends(&mut self, until: usize, total: u64, limit: u64) -> Option<u64> {
        (self.trial.until, self.trial.total) = (until, total);
        Some(total).filter(|&total| total <= limit)
    }

    /// How much may have been moved by a checkpoint if the whole is to stay within the limit, with some slack: the
    /// difference to what was moved by then seldom shrinks by more.
    fn ceiling(&self, checkpoint: usize, limit: u64) -> u64 {
        self.checkpoints
            .get(checkpoint)
            .map_or(limit, |checkpoint| limit.saturating_add(self.slack).saturating_sub(self.total - checkpoint.moved))
    }

    fn note(&mut self, place: usize) {
        if self.trial.checkpoints.len() <= place {
            self.trial.checkpoints.resize_with(place + 1, Checkpoint::default);
        }
        self.trial.checkpoints[place].note(&self.holding);
    }

    /// Takes the trial over.
    fn settle(&mut self, order: &[u32]) {
        let Self { trial, first, .. } = self;
        let (range, window) = (trial.range.clone(), trial.window.clone());
        // What stood before the window goes on with the first access in it. Read before it is written over.
        for at in window.clone() {
            let (buf, prev) = ((self.accesses[at] & !LAST) as usize, self.prev[at]);
            if prev == NEVER || (prev as usize) < window.start {
                self.prev_of.push((first[buf], prev));
            }
        }
        let split = trial.accesses.len() - window.len();
        self.accesses[window.clone()].copy_from_slice(&trial.accesses[split..]);
        self.next[window.clone()].copy_from_slice(&trial.next[split..]);
        for at in window.clone() {
            if self.next[at] != NEVER {
                self.prev[self.next[at] as usize] = at as u32;
            }
        }
        for (at, prev) in self.prev_of.drain(..) {
            self.prev[at as usize] = prev;
            if prev != NEVER {
                self.next[prev as usize] = at;
            }
        }
        let mut access = self.starts[range.start];
        for at in range.clone() {
            self.starts[at] = access;
            access += self.macros.accesses.of(order[at]).len() as u32;
        }
        let from = range.start / self.every;
        for checkpoint in &mut self.checkpoints[..=from] {
            for (buf, next) in &mut checkpoint.residents {
                *next = revised(*next, *buf, &window, first);
            }
        }
        for (old, new) in self.checkpoints[from + 1..trial.until].iter_mut().zip(&mut trial.checkpoints) {
            std::mem::swap(old, new);
        }
        for checkpoint in &mut self.checkpoints[trial.until..] {
            checkpoint.moved = checkpoint.moved + trial.total - self.total;
        }
        self.total = trial.total;
    }
}

impl Energy for Revised<'_> {
    fn of(&mut self, order: &[u32]) -> Option<f64> {
        self.whole(order).map(|units| units as f64)
    }

    fn changed(&mut self, order: &[u32], range: Range<usize>, limit: f64) -> Option<f64> {
        self.walked = 0;
        self.prepare(order, range);
        self.try_out(order, super::phases::whole(limit)).map(|units| units as f64)
    }

    fn keep(&mut self, order: &[u32], found: f64, is_best: bool) -> f64 {
        self.kept += 1;
        if is_best || self.kept > STALE {
            // Whether there is room depends on the order alone, so this finds a plan too.
            return self.of(order).unwrap_or(found);
        }
        self.settle(order);
        found
    }

    fn costly(&self) -> &[u32] {
        &self.costly
    }

    fn spent(&self) -> u64 {
        1 + (self.walked + SETTING_OUT) * WHOLE / (self.starts.len() as u64)
    }
}

fn walk(holding: &mut Holding, accesses: &[u32], next: &[u32], start: usize) -> Option<()> {
    let mut at = 0;
    for named in accesses.split_inclusive(|access| access & LAST != 0) {
        holding.step(named, &next[at..at + named.len()], (start + at) as u32)?;
        at += named.len();
    }
    Some(())
}

/// An access that is next to another outside the window, once the window has changed.
fn revised(next: u32, buf: u32, window: &Range<usize>, first: &[u32]) -> u32 {
    if window.contains(&(next as usize)) { first[buf as usize] } else { next }
}
