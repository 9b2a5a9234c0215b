//! Why there is no plan, as data. Found by `engine::diagnose`, shown by reports and the failure pane.

use super::event::Fallback;
use super::ids::{BufIx, LevelIx, NodeIx};
use super::plan::Order;

/// Why planning ended without a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnosis {
    /// What kind of failure it is.
    pub kind: FailureKind,
    /// The level without room.
    pub level: LevelIx,
    /// The buffer that needed room; for an operand set, one of it.
    pub buf: BufIx,
    /// The node at hand; `None` at the end of the plan, where buffers that are never freed must all be resident.
    pub node: Option<NodeIx>,
    /// The step of the (unfinished) plan at which it failed, counted from 0; `None` where no order can help and
    /// nothing was planned.
    pub step: Option<u32>,
    /// Units needed: the buffer's size, or the sum of the operand set.
    pub need: u64,
    /// The level's capacity.
    pub capacity: u64,
    /// Free units in total.
    pub free: u64,
    /// The largest hole.
    pub largest_hole: u64,
    /// Who holds the level, by address.
    pub holders: Vec<Holder>,
    /// Of a deadlock: who waits for memory, in the order of preference.
    pub waiting: Vec<Waiting>,
    /// A smallest set of buffers that cannot be in the level together; `None` where there is room and it is kept back.
    pub conflict: Option<Conflict>,
    /// How the level came to be so full; `None` where nothing was planned.
    pub rise: Option<Rise>,
    /// Changes that were planned again and work, best first; empty until [`Remedy`]s are looked for.
    pub remedies: Vec<Remedy>,
    /// Changes that were planned again and fail too.
    pub in_vain: Vec<Remedy>,
}

/// Buffers of one level that cannot be there together. Irreducible: without any one of them (or without the request,
/// where it is among them) the others fit. No set that is as small does less.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The buffers, the largest first; where they stand in the way as they lie, by address.
    pub bufs: Vec<BufIx>,
    /// What makes them too much.
    pub kind: ConflictKind,
}

/// What makes a set of buffers too much for a level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConflictKind {
    /// Their sizes exceed the capacity, wherever they lie.
    Sizes {
        /// Units of all of them.
        sum: u64,
    },
    /// Their sizes and what is requested exceed the capacity, wherever they lie.
    SizesAndRequest {
        /// Units of all of them and of the request.
        sum: u64,
    },
    /// At their addresses they leave no hole for what is requested.
    Places,
}

/// How a level filled up to the failure: what brought those who hold it now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rise {
    /// The step before any of them came; `None` where the first one came with step 0.
    pub low_step: Option<u32>,
    /// Units in use then.
    pub low: u64,
    /// What came since and is still there, in the order of its coming; of many the largest.
    pub fills: Vec<Fill>,
    /// How many smaller ones are left out.
    pub more: usize,
}

/// One buffer that came and stayed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fill {
    /// The step at which it came.
    pub step: u32,
    /// The buffer.
    pub buf: BufIx,
    /// Units of the level in use after that step.
    pub used: u64,
    /// The operation that it came for: the first that names it from then on, whether or not it has run.
    pub by: Option<NodeIx>,
    /// What led to that operation: back through the graph, at each turn to the last operation that had to be done.
    pub behind: Vec<NodeIx>,
}

/// The kinds of failure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailureKind {
    /// One buffer exceeds its level: no plan exists.
    LargerThanLevel,
    /// The buffers that one node names (or that live to the end) exceed the level together: no plan exists.
    OperandsLargerThanLevel,
    /// Enough is free in total, but no hole is large enough.
    NoHole,
    /// Not enough is free, and the policy forbids what would make room.
    Forbidden,
    /// Nothing runs, and all that is ready waits for memory that only they could free.
    Deadlock,
}

/// An operation that waits for memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiting {
    /// The operation.
    pub node: NodeIx,
    /// The level without room.
    pub level: LevelIx,
    /// Units needed; of a pool, those of whole blocks.
    pub need: u64,
    /// Units to be had.
    pub room: u64,
    /// The cycle since which it has waited.
    pub since: u64,
}

/// A buffer that holds part of the level at the failure; or, where nothing was planned, one of those that do not fit
/// together (then offset and step say nothing).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holder {
    /// The buffer.
    pub buf: BufIx,
    /// Where it starts.
    pub offset: u64,
    /// The step at which it came to that address.
    pub since: u32,
    /// Its next use in the order at hand (its FREE, if nothing uses it again), if any.
    pub next_use: Option<NodeIx>,
    /// Why it could not go.
    pub stays: Stay,
}

/// Why a holder could not go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stay {
    /// The operation at hand names it.
    Pinned,
    /// The level may not spill.
    LevelMayNotSpill,
    /// The chain does not spill (`--on-full`).
    ChainDoesNotSpill,
    /// Its leaving alone opens no hole that is large enough, and the chain lets only one go.
    OpensNoHole,
    /// Blocks of a pool stay until their buffer is freed.
    PoolsKeep,
}

/// A change that was tried and gives a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// These capacities: the same policy then succeeds, and with one unit less in any one of them it fails.
    Capacity {
        /// Level and capacity, each raised above what it was.
        levels: Vec<(LevelIx, u64)>,
        /// Whether no smaller capacity works for any order (a single level at the largest operand set).
        smallest: bool,
    },
    /// Let the levels named `L0…` spill (`--spill-l0`).
    SpillL0,
    /// Use this chain (`--on-full`).
    Chain(Vec<Fallback>),
    /// Allow this many postponements a buffer (`--postpone-limit`).
    PostponeLimit(u32),
    /// Use this order (`--order`).
    Order(Order),
    /// Keep memory back so that there is no deadlock (`--deadlock avoid`).
    AvoidDeadlock,
}
