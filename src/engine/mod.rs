//! The planning pipeline, read top-down: order → place → spill or wait → time.
//!
//! 1. [`order::first_order`] decides the sequence of nodes.
//! 2. [`walk`](walk()) goes over it once. Each ALLOC gets an address by best fit ([`memory`]); where no hole holds
//!    it, the chain of fallbacks makes room (who leaves: `spill`) or moves the ALLOC. Spilled buffers come back
//!    right before their next use. Each step gets its cycles as it is emitted (`timing`).
//! 3. Where that is asked for, reloads then come early (`prefetch`).
//! 4. Where the walk gets stuck, [`diagnose`] says why and who is in the way, and [`remedies`] what would help.
//!
//! Every decision goes to a [`Sink`]; with the empty sink `()` recording is compiled away.

mod autopsy;
pub mod binding;
pub mod bounds;
pub mod diagnose;
pub mod memory;
mod next_use;
pub mod order;
pub mod pack;
mod prefetch;
pub mod remedies;
mod replay;
pub mod search;
mod sequence;
mod spill;
pub mod timing;
mod walk;

use order::Ordered;
pub use replay::{replay, replay_given};

use crate::model::{BufIx, Fault, Figures, NodeIx, Options, Plan, Problem, Sink};

/// What planning came to.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The plan; where it got stuck, the part before that.
    pub plan: Plan,
    /// Its figures (of that part).
    pub figures: Figures,
    /// How placements were reached.
    pub reached: Reached,
    /// Where it got stuck, if it did.
    pub stuck: Option<Stuck>,
}

/// What had no room in the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// The ALLOC for which the chain made no room; in a deadlock, the first operation that waits.
    pub node: NodeIx,
    /// The buffer.
    pub buf: BufIx,
    /// Whether the scheduler came to a deadlock.
    pub deadlock: bool,
}

/// How placements were reached, counted (the names of `classic_reference.py`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// A hole was there.
    pub fits: u64,
    /// One victim left.
    pub spill: u64,
    /// Several victims left.
    pub spill_many: u64,
    /// The ALLOC was moved.
    pub postpone: u64,
    /// Everything left the level and the operands came back.
    pub packed: u64,
}

/// Plans an order, which holds every node once and is legal ([`Graph::check_order`](crate::model::Graph::check_order)),
/// where the operands of every node fit their levels. With [`Options::prefetch`] reloads come early.
pub fn walk<S: Sink>(problem: &Problem, order: &Ordered, options: &Options, sink: &mut S) -> Planned {
    if options.prefetch > 0 {
        prefetch::walk_with_prefetch(problem, order, options, sink)
    } else {
        walk::walk(problem, order, options, sink)
    }
}

/// Orders the graph and walks it.
///
/// # Errors
/// Where there is no first order ([`order::first_order`]).
pub fn plan<S: Sink>(problem: &Problem, options: &Options, sink: &mut S) -> Result<Planned, Fault> {
    let ordered = order::first_order(problem, options, S::ON)?;
    Ok(walk(problem, &ordered, options, sink))
}
