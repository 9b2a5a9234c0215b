//! The fast evaluation for the peak: what lives at once where buffers stay whole between ALLOC and FREE.

use super::items::Items;
use crate::model::{BufIx, LevelIx, Problem};

/// What is known of a buffer for good.
#[derive(Clone, Copy, Debug)]
struct Facts {
    /// What it counts while it lives; 0 in the innermost levels.
    stays: u64,
    /// Its place among the levels that hold one buffer at a time, if it is in one.
    single: Option<u16>,
    freed: bool,
    users: u32,
}

/// What an order comes to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Load {
    /// The largest sum of sizes between ALLOC and FREE.
    pub(super) peak: u64,
    /// The mean sum over the items: how far from the peak the rest is.
    pub(super) mean: f64,
    /// How often a buffer was born into a level that holds one at a time and was taken.
    pub(super) crowded: u64,
}

/// Evaluates orders of items.
#[derive(Clone, Debug)]
pub(super) struct Peak {
    facts: Vec<Facts>,
    left: Vec<u32>,
    /// By level: how many buffers live there.
    alive: Vec<u32>,
}

impl Peak {
    /// With at most one live buffer in each of the levels `single`.
    pub(super) fn new(problem: &Problem, items: &Items, single: &[LevelIx]) -> Self {
        let facts = (0..problem.graph.buffers().len()).map(BufIx::new).map(|buf| {
            let level = problem.level_of(buf);
            let buffer = problem.graph.buffer(buf);
            Facts {
                stays: if problem.level(level).is_l0() { 0 } else { buffer.size },
                single: single.contains(&level).then_some(level.0),
                freed: buffer.free.is_some(),
                users: items.users.of(buf.0).len() as u32,
            }
        });
        Self { facts: facts.collect(), left: Vec::new(), alive: vec![0; problem.level_count()] }
    }

    /// What the order comes to.
    pub(super) fn of(&mut self, items: &Items, sequence: &[u32]) -> Load {
        self.left.clear();
        self.left.extend(self.facts.iter().map(|facts| facts.users));
        self.alive.fill(0);
        let (mut live, mut peak, mut sum, mut crowded) = (0u64, 0u64, 0.0, 0);
        for &item in sequence {
            for &buf in items.operands.of(item) {
                let facts = &self.facts[buf as usize];
                if self.left[buf as usize] == facts.users {
                    live += facts.stays;
                    if let Some(level) = facts.single {
                        self.alive[level as usize] += 1;
                        crowded += u64::from(self.alive[level as usize] > 1);
                    }
                }
                self.left[buf as usize] -= 1;
            }
            peak = peak.max(live);
            sum += live as f64;
            for &buf in items.operands.of(item) {
                let facts = &self.facts[buf as usize];
                if self.left[buf as usize] == 0 && facts.freed {
                    live -= facts.stays;
                    if let Some(level) = facts.single {
                        self.alive[level as usize] -= 1;
                    }
                }
            }
        }
        Load { peak, mean: sum / sequence.len().max(1) as f64, crowded }
    }
}
