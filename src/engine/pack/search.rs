//! The portfolio: the exact searches again and again from the start, each time in another order and with more patience.
//!
//! One order decides a problem in as many steps as it has buffers and another not in millions: running times of
//! backtracking are heavy-tailed, and restarts cut the tail off (Gomes, Selman, Kautz 1998; `TelaMalloc` switches among
//! orders for the same reason). What was refuted once stays so over the restarts.

use super::answer::Meter;
use super::exact::{Exact, Focus, Outcome};
use super::pairs::Pairs;
use super::sections::Sections;
use crate::model::{Packing, SplitMix64};

/// Runs that have the same patience.
const ROUND: u64 = 8;

/// A problem made ready to be searched at any capacity.
pub(super) struct Search<'a> {
    packing: &'a Packing,
    /// Where no buffer has gaps.
    sections: Option<Sections>,
    seed: u64,
}

impl<'a> Search<'a> {
    pub(super) fn new(packing: &'a Packing, seed: u64) -> Self {
        let has_gaps = packing.buffers.iter().any(|buffer| !buffer.gaps.is_empty());
        Self { packing, sections: (!has_gaps).then(|| Sections::new(packing)), seed }
    }

    /// Over sections that are made of the packing in some other way.
    pub(super) fn over(packing: &'a Packing, sections: Sections, seed: u64) -> Self {
        Self { packing, sections: Some(sections), seed }
    }

    /// Whether the problem is small enough for an exact search at all; that adds capacities in 64 bits.
    pub(super) fn is_possible(&self, capacity: u64) -> bool {
        if capacity >= 1 << 62 {
            return false;
        }
        match &self.sections {
            Some(Sections { items, .. }) => {
                items.len() <= 5_000 && items.iter().map(|item| item.span().len()).sum::<usize>() < 1 << 22
            }
            None => self.packing.buffers.len() <= 2_000,
        }
    }

    /// Looks for addresses within `capacity`, for at most `limit` decisions and as long as the meter allows.
    pub(super) fn at(&self, capacity: u64, limit: u64, meter: &mut Meter) -> Outcome {
        let limit = limit.min(meter.nodes);
        let start = meter.nodes;
        let mut random = SplitMix64::new(self.seed);
        if let Some(sections) = &self.sections {
            let Some(mut exact) = Exact::new(sections, capacity) else { return Outcome::Infeasible };
            self.restart(&mut random, limit, |turn, keys, patience| {
                let before = exact.nodes;
                let outcome = exact.run(FOCUS[(turn % FOCUS.len() as u64) as usize], keys, patience, meter);
                meter.nodes = meter.nodes.saturating_sub(exact.nodes - before);
                (outcome, start - meter.nodes, meter.is_over())
            })
        } else {
            let Some(mut pairs) = Pairs::new(self.packing, capacity) else { return Outcome::Infeasible };
            self.restart(&mut random, limit, |_, keys, patience| {
                let before = pairs.nodes;
                let outcome = pairs.run(keys, patience, meter);
                meter.nodes = meter.nodes.saturating_sub(pairs.nodes - before);
                (outcome, start - meter.nodes, meter.is_over())
            })
        }
    }

    /// Calls `run` with the turn, the keys of the buffers and how many decisions it may take, until that is more than
    /// `limit` together. It tells how it came out, how many decisions are spent, and whether the time is up.
    fn restart(
        &self,
        random: &mut SplitMix64,
        limit: u64,
        mut run: impl FnMut(u64, &[f64], u64) -> (Outcome, u64, bool),
    ) -> Outcome {
        let count = self.sections.as_ref().map_or(self.packing.buffers.len(), |sections| sections.items.len());
        let mut patience = 500.max(2 * count as u64);
        let mut spent = 0;
        for turn in 0.. {
            let keys = self.keys(random);
            let (outcome, all, is_over) = run(turn, &keys, patience.min(limit - spent));
            spent = all;
            if !matches!(outcome, Outcome::Limit) {
                return outcome;
            }
            if is_over || spent >= limit {
                break;
            }
            if turn % ROUND == ROUND - 1 {
                patience += patience / 8;
            }
        }
        Outcome::Limit
    }

    /// Which buffers go first: long ones, large ones, or a product of both, with more or less noise.
    fn keys(&self, random: &mut SplitMix64) -> Vec<f64> {
        let (long, large) = [(1, 0), (0, 1), (1, 1), (2, 1), (1, 2)][random.index(5)];
        let noise = [0.0, 0.1, 0.3, 1.0][random.index(4)];
        let lives: Vec<(f64, f64)> = if let Some(sections) = &self.sections {
            sections.items.iter().map(|item| (item.span().len() as f64, item.size as f64)).collect()
        } else {
            let buffers = self.packing.buffers.iter();
            buffers.map(|buffer| ((buffer.upper - buffer.lower) as f64, buffer.size as f64)).collect()
        };
        let mut key = |&(life, size): &(f64, f64)| {
            let share = (random.next() >> 11) as f64 / 9_007_199_254_740_992.0;
            life.powi(long) * size.powi(large) * (1.0 + noise * share)
        };
        lives.iter().map(&mut key).collect()
    }
}

const FOCUS: [Focus; 4] = [Focus::Lowest, Focus::FewestTight, Focus::FewestLow, Focus::Failing];
