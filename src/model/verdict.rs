//! The kinds of things that events tell: how somebody fared, and why.

use serde::{Deserialize, Serialize};

/// How many candidates of one decision are recorded one by one.
pub const SHOWN_CANDIDATES: usize = 8;

/// What became of a pool's block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockFate {
    /// It is new, and taken at once (a miss).
    Fresh,
    /// It was idle, and is taken again (a hit).
    Reused,
    /// Its buffer has left; it lies idle.
    Idle,
    /// It was idle, and went to make room under the cap.
    OverCap,
    /// It was idle for too long.
    Aged,
}

/// Why an operation was let go before the others that were ready.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Won {
    /// No other was ready for this unit.
    Alone,
    /// The order was given.
    Given,
    /// It has the lowest id (order `topological`).
    LowestId,
    /// A delay of it delays the whole: it is on the critical path.
    Critical,
    /// It has the least slack of those that are ready (order `critical-path`).
    Urgent,
    /// It is the shortest, and what is more urgent can wait for so long (order `critical-path`).
    Light,
    /// It gives most memory back (order `memory-aware`).
    Releases,
    /// Those before it have no room; it is the first that has.
    Fits,
    /// Nothing runs and nothing has room; it is the first for which others may be spilled.
    Forced,
}

/// How a ready operation fared at a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It won.
    Won,
    /// Its turn comes later.
    Behind,
    /// It comes first by urgency, but a lighter one fits into its slack.
    LetPass,
    /// It waits for memory.
    Waits,
    /// There is room for it, but that is kept for what must run to the end.
    HeldBack,
}

/// How a buffer came to its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Placing {
    /// By its ALLOC.
    Alloc,
    /// By the SPILL_IN of the step at hand.
    Back,
}

/// How a buffer lost its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Leaving {
    /// By its FREE.
    Free,
    /// By the SPILL_OUT of the step at hand.
    Out,
}

/// What became of a possible victim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// It leaves.
    Chosen,
    /// Its leaving opens no hole that is large enough.
    NoHole,
    /// The operation at hand names it.
    Pinned,
    /// One before it was chosen.
    NotNeeded,
    /// All of them together would not do, so none leaves.
    NotEnough,
    /// The neighbours that leave cost less than those with which it would have to leave.
    DearerRun,
    /// It stays, in a plan that was made elsewhere.
    Stays,
}

/// A step of the chain that runs when no hole is large enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Fallback {
    /// One victim whose leaving opens a large enough hole.
    Spill,
    /// Victims in order until a hole is large enough.
    SpillMany,
    /// Move the ALLOC behind a FREE that makes room.
    Postpone,
    /// Everything out of the level; not part of the chain, always there for operands.
    Pack,
    /// The search looked at all windows of addresses and let this one's holders leave; not part of the chain.
    Search,
    /// A plan that was made elsewhere, without its reasons; not part of the chain.
    Plan,
}

/// Why a fallback made no room.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// The level may not spill.
    LevelMayNotSpill,
    /// Nothing is resident that may leave.
    NoVictim,
    /// No single victim opens a large enough hole.
    NoSingleVictim,
    /// All victims together open none.
    NotEnoughTogether,
    /// The buffer was postponed as often as is allowed.
    PostponeLimit,
    /// No later FREE of a resident buffer makes enough room.
    NoLaterFree,
    /// A FREE makes room only past the first step that needs the buffer (the event's node).
    PastFirstUse,
    /// A run of several victims costs less than any single one, and the next step of the chain may take it.
    RunIsCheaper,
}
