//! Packs, and checks what was packed before anybody sees it.

use std::time::Instant;

use crate::check::packing::check_packing;
use crate::engine::pack::{self, Answer, Effort, MaxLive, Smallest};
use crate::model::{Packed, Packing};

/// What is asked of the packer.
#[derive(Clone, Debug)]
pub struct Asked {
    /// The capacity to fit; none asks for the smallest.
    pub capacity: Option<u64>,
    /// How much work may be spent.
    pub effort: Effort,
}

/// What packing came to.
#[derive(Clone, Debug)]
pub struct Solved {
    /// The answer.
    pub outcome: Outcome,
    /// When most is alive, and how much that is: no capacity below it can do.
    pub max_live: MaxLive,
    /// Seconds that it took, without reading and checking.
    pub seconds: f64,
}

/// An answer. A "no" is always proven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Of the capacity that was asked for; or, where none was, why no capacity can do.
    Fit(Answer),
    /// The smallest capacity that was found.
    Smallest(Smallest),
}

impl Outcome {
    /// The packing that answers the question, if there is one.
    pub fn packed(&self) -> Option<&Packed> {
        match self {
            Outcome::Fit(Answer::Fits(packed)) | Outcome::Smallest(Smallest { packed, .. }) => Some(packed),
            Outcome::Fit(Answer::CannotFit { .. } | Answer::Unknown { .. }) => None,
        }
    }
}

/// Packs.
///
/// # Errors
/// Where the checker refuses what was packed: a fault of ours. No answer of that kind is shown.
pub fn solve(packing: &Packing, asked: &Asked) -> Result<Solved, String> {
    let started = Instant::now();
    let outcome = match asked.capacity {
        Some(capacity) => Outcome::Fit(pack::fit(packing, capacity, &asked.effort)),
        None => smallest(packing, &asked.effort),
    };
    let seconds = started.elapsed().as_secs_f64();
    must_hold(packing, asked.capacity, &outcome)?;
    Ok(Solved { outcome, max_live: pack::max_live(packing), seconds })
}

/// The smallest capacity; where fixed addresses are at odds with each other there is none.
fn smallest(packing: &Packing, effort: &Effort) -> Outcome {
    match pack::smallest(packing, effort) {
        Ok(smallest) => Outcome::Smallest(smallest),
        Err(pack::Clash { core, why }) => Outcome::Fit(Answer::CannotFit { core, irreducible: true, why }),
    }
}

fn must_hold(packing: &Packing, capacity: Option<u64>, outcome: &Outcome) -> Result<(), String> {
    let Some(packed) = outcome.packed() else { return Ok(()) };
    let broken = check_packing(packing, capacity, &packed.offsets);
    if let Some(first) = broken.first() {
        return Err(format!("the packing that was made is broken: {first}"));
    }
    let counted = Packed::new(packing, packed.offsets.clone()).height;
    if counted != packed.height {
        return Err(format!("the packing's height is said to be {}, but is {counted}", packed.height));
    }
    Ok(())
}
