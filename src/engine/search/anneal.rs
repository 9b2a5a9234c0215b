//! Simulated annealing over an order (Kirkpatrick, Gelatt, Vecchi: "Optimization by simulated annealing", 1983), with the
//! threshold of each try drawn beforehand, so that an evaluation can stop as soon as it is passed.

use std::ops::Range;

use super::budget::{Phase, Purse};
use super::dice::Dice;
use super::moves::{MoveKind, Sequence, Web};

/// How hot it is at first and at last, in units of the energy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Heat {
    pub(super) first: f64,
    pub(super) last: f64,
}

/// The parts that an evaluation of a whole order counts for.
pub(super) const WHOLE: u64 = 64;

/// What is made small by annealing.
pub(super) trait Energy {
    /// What an order comes to; `None` where there is no plan for it.
    fn of(&mut self, order: &[u32]) -> Option<f64>;

    /// What the order last kept comes to, once the stretch `range` of it has changed; `None` where it is above the limit.
    fn changed(&mut self, order: &[u32], range: Range<usize>, limit: f64) -> Option<f64>;

    /// The last change stays, which was `found` to come to so much. What the order comes to by a closer look.
    fn keep(&mut self, _order: &[u32], found: f64, _is_best: bool) -> f64 {
        found
    }

    /// Things that cost something where they stand: changes are tried there first.
    fn costly(&self) -> &[u32] {
        &[]
    }

    /// What the last evaluation of a change took, of the [`WHOLE`] that a whole one takes.
    fn spent(&self) -> u64 {
        WHOLE
    }
}

/// An energy whose every change takes a whole evaluation: of an order, with a limit.
pub(super) struct Plain<F>(pub(super) F);

impl<F: FnMut(&[u32], f64) -> Option<f64>> Energy for Plain<F> {
    fn of(&mut self, order: &[u32]) -> Option<f64> {
        self.0(order, f64::INFINITY)
    }

    fn changed(&mut self, order: &[u32], _: Range<usize>, limit: f64) -> Option<f64> {
        self.0(order, limit)
    }
}

/// What annealing found.
#[derive(Clone, Debug)]
pub(super) struct Annealed {
    /// The best order, and its energy.
    pub(super) order: Vec<u32>,
    pub(super) energy: f64,
    /// What kind of move led to it; `None` where it is the one that it began with.
    pub(super) kind: Option<MoveKind>,
    /// Orders on the way, each the best of its time.
    pub(super) trail: Vec<Waypoint>,
}

impl Annealed {
    /// Nothing but what there was.
    pub(super) fn nothing(order: Vec<u32>) -> Self {
        Self { order, energy: f64::INFINITY, kind: None, trail: Vec::new() }
    }
}

/// An order on the way.
#[derive(Clone, Debug)]
pub(super) struct Waypoint {
    /// Evaluations spent by then.
    pub(super) evaluations: u64,
    pub(super) order: Vec<u32>,
    pub(super) kind: MoveKind,
}

/// Of the evaluations and of the phase, what lies between two orders that are kept on the way, at least.
const APART: u64 = 2_000;
const LEG: f64 = 0.125;

/// Anneals from `start` until the phase is over, or nothing is left that could be made smaller. `None` where there is no plan for that.
pub(super) fn anneal(
    web: Web<'_>,
    start: &[u32],
    heat: Heat,
    budget: &mut Purse<'_>,
    phase: &Phase,
    dice: &mut Dice,
    energy: &mut impl Energy,
) -> Option<Annealed> {
    let mut now = energy.of(start)?;
    budget.spend(phase.price);
    let mut sequence = Sequence::new(start.to_vec());
    let mut best = Annealed { order: start.to_vec(), energy: now, kind: None, trail: Vec::new() };
    // When the last order on the way was kept, and when the best one was found.
    let mut leg = (budget.spent(), 0.0);
    let mut found_at = 0;
    let mut course = Course::new(heat);
    let mut vain = 0;
    while best.energy > 0.0
        && let Some(done) = budget.progress(phase)
    {
        let temperature = course.at(done);
        let Some(change) = sequence.propose(web, energy.costly(), dice) else {
            vain += 1;
            if vain > 100_000 {
                break;
            }
            continue;
        };
        vain = 0;
        sequence.apply(change);
        let limit = now + temperature * dice.exponential();
        let found = energy.changed(&sequence.order, change.range(), limit);
        budget.spend_parts(phase.price * energy.spent());
        match found {
            Some(found) if found <= limit => {
                now = energy.keep(&sequence.order, found, found < best.energy);
                if now < best.energy {
                    if let Some(kind) = best.kind
                        && budget.spent() > leg.0 + APART
                        && done > leg.1 + LEG
                    {
                        leg = (budget.spent(), done);
                        best.trail.push(Waypoint { evaluations: found_at, order: best.order.clone(), kind });
                    }
                    found_at = budget.spent();
                    best.energy = now;
                    best.kind = Some(sequence.kind);
                    best.order.clear();
                    best.order.extend_from_slice(&sequence.order);
                    budget.improved(now);
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
