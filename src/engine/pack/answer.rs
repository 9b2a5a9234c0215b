//! What packing is asked for and what it answers.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use crate::model::Packed;

/// How much work may be spent. The same problem with the same nodes and seed has the same answer; with seconds it
/// depends on how far the search comes.
#[derive(Clone, Debug)]
pub struct Effort {
    /// The most wall-clock time, in seconds.
    pub seconds: Option<f64>,
    /// The most decisions of the exact search, over all of its restarts; the local search tries as many orders as that
    /// allows for.
    pub nodes: Option<u64>,
    /// What the orders of the restarts are drawn with.
    pub seed: u64,
    /// Ends the work early when it is set, as if the time had run out.
    pub stop: Option<Arc<AtomicBool>>,
}

impl Default for Effort {
    fn default() -> Self {
        Self { seconds: Some(20.0), nodes: None, seed: 1, stop: None }
    }
}

/// Whether a packing fits a capacity.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// It does, with these addresses.
    Fits(Packed),
    /// It is proven that it does not.
    CannotFit {
        /// Buffers that alone already do not fit: indices into the packing's, ascending.
        core: Vec<usize>,
        /// Whether the core fits as soon as any one of its buffers is left out.
        irreducible: bool,
        /// The reason.
        why: Why,
    },
    /// The effort ran out before either was known.
    Unknown {
        /// The lowest packing found; higher than the capacity.
        best: Packed,
        /// No packing is lower than this.
        bound: u64,
    },
}

/// Why a packing cannot fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// More is alive at once than the capacity.
    MaxLive {
        /// The time at which most is alive.
        at: u64,
        /// What is alive then.
        bytes: u64,
    },
    /// One buffer alone ends above the capacity, at address 0 or where it is fixed.
    Larger {
        /// Its index.
        buffer: usize,
    },
    /// Two fixed addresses overlap while both buffers are alive, whatever the capacity.
    Fixed {
        /// The index of one.
        one: usize,
        /// And of the other, which is larger.
        other: usize,
    },
    /// A fixed address is no multiple of the buffer's alignment, whatever the capacity.
    Misaligned {
        /// The buffer's index.
        buffer: usize,
    },
    /// Every possibility was looked at.
    Exhausted {
        /// Decisions that this took, for the core alone.
        nodes: u64,
    },
}

/// Fixed addresses that are at odds, whatever the capacity: there is no packing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clash {
    /// The buffers that are: indices into the packing's, ascending.
    pub core: Vec<usize>,
    /// [`Why::Fixed`], [`Why::Misaligned`], or [`Why::Larger`] where it ends above 2^64.
    pub why: Why,
}

/// The lowest packing found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Smallest {
    /// It.
    pub packed: Packed,
    /// No packing is lower than this.
    pub bound: u64,
    /// Whether its height is the smallest capacity that holds the buffers.
    pub proven: bool,
}

/// The time at which most memory is in use, whatever the addresses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MaxLive {
    /// What is alive then. No capacity below it can do.
    pub bytes: u64,
    /// The first such time; 0 where there is no buffer.
    pub at: u64,
}

/// What is left of an [`Effort`].
#[derive(Clone, Debug)]
pub(super) struct Meter {
    deadline: Option<Instant>,
    stop: Option<Arc<AtomicBool>>,
    /// Decisions that may still be taken.
    pub(super) nodes: u64,
}

impl Meter {
    pub(super) fn new(effort: &Effort) -> Self {
        // A time too long for the clock is none.
        let seconds = effort.seconds.map(|seconds| std::time::Duration::try_from_secs_f64(seconds.max(0.0)));
        let deadline = seconds.and_then(|seconds| Instant::now().checked_add(seconds.ok()?));
        Self { deadline, stop: effort.stop.clone(), nodes: effort.nodes.unwrap_or(u64::MAX) }
    }

    /// So many decisions, however long they take.
    pub(super) fn of_nodes(nodes: u64) -> Self {
        Self { deadline: None, stop: None, nodes }
    }

    /// Whether the time is up or somebody asked to stop. Reads the clock, so not for every step.
    pub(super) fn is_over(&self) -> bool {
        self.nodes == 0
            || self.stop.as_ref().is_some_and(|stop| stop.load(Ordering::Relaxed))
            || self.deadline.is_some_and(|deadline| Instant::now() >= deadline)
    }
}
