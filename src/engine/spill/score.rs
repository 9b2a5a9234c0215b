//! What each victim rule ranks by.

use crate::engine::walk::Walk;
use crate::model::{BufIx, Sink, VictimRule};

/// Quotients are compared in units of 2^-32 and shown in thousandths.
const FRACTION: u32 = 32;
const SHOWN_PARTS: u128 = 1000;

/// Where the walk stands, in places of the first order.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Moment {
    /// The place of the node at hand; of a postponed ALLOC the one it had at first, which the classic rule counts from.
    pub(in crate::engine) first: u32,
    /// The same, of a postponed ALLOC where it stands now.
    pub(in crate::engine) now: u32,
}

/// How a buffer ranks.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Score {
    /// Greater leaves first.
    pub(in crate::engine) rank: u128,
    /// The steps that the rule counts; see [`Event::Candidate`](crate::model::Event::Candidate).
    pub(in crate::engine) steps: u32,
    /// What is shown.
    pub(in crate::engine) shown: u64,
}

impl Score {
    /// Of `buf`, which is resident.
    pub(in crate::engine) fn new<S: Sink>(walk: &Walk<'_, S>, buf: BufIx, moment: Moment) -> Self {
        let size = walk.problem.graph.buffer(buf).size;
        let rule = walk.victims();
        let steps = match rule {
            VictimRule::FarthestNextUse | VictimRule::DistanceSizeCost | VictimRule::CheapestRun => {
                walk.distance(buf, moment.now)
            }
            VictimRule::LeastRecentlyUsed => walk.unused_for(buf, moment.now),
            VictimRule::LifeTimesSize | VictimRule::Largest | VictimRule::Smallest => {
                walk.remaining_life(buf, moment.first)
            }
        };
        let (rank, shown) = match rule {
            VictimRule::LifeTimesSize => same(u128::from(steps) * u128::from(size)),
            VictimRule::FarthestNextUse | VictimRule::LeastRecentlyUsed => same(u128::from(steps)),
            VictimRule::DistanceSizeCost => {
                let gain = u128::from(steps) * u128::from(size);
                quotient(gain, walk.problem.spill_cost(buf).into())
            }
            VictimRule::CheapestRun => {
                let (price, shown) = quotient(walk.problem.spill_cost(buf).into(), steps.into());
                (u128::MAX - price, shown)
            }
            VictimRule::Largest => same(size.into()),
            VictimRule::Smallest => (u128::MAX - u128::from(size), size.into()),
        };
        Self { rank, steps, shown: u64::try_from(shown).unwrap_or(u64::MAX) }
    }

    /// Under [`VictimRule::CheapestRun`]: cost ÷ steps to the next use, in units of 2^-32.
    pub(super) fn price(&self) -> u128 {
        u128::MAX - self.rank
    }
}

fn same(number: u128) -> (u128, u128) {
    (number, number)
}

/// `of` ÷ `by`, to compare and to show. `of` stays below 2^95, so neither product overflows.
fn quotient(of: u128, by: u128) -> (u128, u128) {
    let by = by.max(1);
    ((of << FRACTION) / by, of * SHOWN_PARTS / by)
}
