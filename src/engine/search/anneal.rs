//! Simulated annealing over an order (Kirkpatrick, Gelatt, Vecchi: "Optimization by simulated annealing", 1983), with the
//! threshold of each try drawn beforehand, so that an evaluation can stop as soon as it is passed.

use super::budget::{Phase, Purse};
use super::dice::Dice;
use super::moves::{Sequence, Web};

/// How hot it is at first and at last, in units of the energy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heat {
    pub(super) first: f64,
    pub(super) last: f64,
}

/// Anneals from `start` until the phase is over. `energy` tells what an order comes to, or `None` where it is above
/// the limit that it is given. Returns the best order and its energy.
pub(super) fn anneal(
    web: Web<'_>,
    start: &[u32],
    heat: Heat,
    budget: &mut Purse<'_>,
    phase: &Phase,
    dice: &mut Dice,
    mut energy: impl FnMut(&[u32], f64) -> Option<f64>,
) -> Option<(Vec<u32>, f64)> {
    let mut now = energy(start, f64::INFINITY)?;
    budget.spend(phase.price);
    let mut sequence = Sequence::new(start.to_vec());
    let mut best = (start.to_vec(), now);
    let mut course = Course::new(heat);
    let mut vain = 0;
    while let Some(done) = budget.progress(phase) {
        let temperature = course.at(done);
        let Some(change) = sequence.propose(web, dice) else {
            vain += 1;
            if vain > 100_000 {
                break;
            }
            continue;
        };
        vain = 0;
        sequence.apply(change);
        let limit = now + temperature * dice.exponential();
        budget.spend(phase.price);
        match energy(&sequence.order, limit) {
            Some(found) if found <= limit => {
                now = found;
                if found < best.1 {
                    best.1 = found;
                    best.0.clear();
                    best.0.extend_from_slice(&sequence.order);
                    budget.improved(found);
                }
            }
            _ => sequence.undo(change),
        }
    }
    Some(best)
}

/// Geometric cooling in 64 legs. Square roots and products alone, which are the same on any machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Course {
    temperature: f64,
    ratio: f64,
    legs: u32,
}

impl Course {
    pub(super) fn new(heat: Heat) -> Self {
        let ratio = (0..6).fold(heat.last / heat.first, |ratio, _| ratio.sqrt());
        Self { temperature: heat.first, ratio, legs: 0 }
    }

    /// The temperature when that share of the time, from 0 to 1, has passed.
    pub(super) fn at(&mut self, done: f64) -> f64 {
        while f64::from(self.legs) < done * 64.0 {
            self.temperature *= self.ratio;
            self.legs += 1;
        }
        self.temperature
    }
}
