//! What a plan's record is made of: small facts and decisions, numbers only. The engine emits them through a
//! [`Sink`](super::sink::Sink); the trace keeps them; only the trace's state interprets them.

use serde::{Deserialize, Serialize};

use super::ids::{BufIx, LevelIx, NodeIx, SpillIx, UnitIx};
use super::policy::{Fit, VictimRule};
pub use super::verdict::{BlockFate, Fallback, Leaving, Placing, Refusal, SHOWN_CANDIDATES, Standing, Verdict, Won};

/// One recorded fact or decision. Cycles are whole, address ranges half-open; a buffer's size is in the graph.
/// Events of one step stand in the order in which they were decided; the step's own effect comes last.
///
/// Trace files have them under these names in snake case; to rename one is to raise the version of that format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// An operation waits for nothing but ALLOCs that could run now.
    Ready {
        /// The operation.
        node: NodeIx,
    },
    /// An operation ran on `lane` of `unit` during `[start, end)`.
    Ran {
        /// The operation.
        node: NodeIx,
        /// Its unit.
        unit: UnitIx,
        /// Which of the unit's lanes.
        lane: u8,
        /// First cycle.
        start: u64,
        /// The cycle at which it was done.
        end: u64,
    },
    /// The SPILL_OUT of `spill` ran during `[start, end)`.
    MovedOut {
        /// The spill.
        spill: SpillIx,
        /// The unit that moved it.
        unit: UnitIx,
        /// Which of the unit's lanes.
        lane: u8,
        /// First cycle.
        start: u64,
        /// The cycle at which it was done.
        end: u64,
    },
    /// The SPILL_IN of `spill` ran during `[start, end)`.
    MovedBack {
        /// The spill.
        spill: SpillIx,
        /// The unit that moved it.
        unit: UnitIx,
        /// Which of the unit's lanes.
        lane: u8,
        /// First cycle.
        start: u64,
        /// The cycle at which it was done.
        end: u64,
    },
    /// A buffer got an address in `level`.
    Placed {
        /// The buffer.
        buf: BufIx,
        /// First placement or return.
        how: Placing,
        /// Its level.
        level: LevelIx,
        /// Where it starts.
        offset: u64,
        /// The cycle from which the address is its own.
        at: u64,
    },
    /// A buffer gave up its address in `level`.
    Left {
        /// The buffer.
        buf: BufIx,
        /// Freed or spilled.
        how: Leaving,
        /// Its level.
        level: LevelIx,
        /// Where it started.
        offset: u64,
        /// The cycle at which the address falls free.
        at: u64,
    },
    /// A hole grew by joining its neighbours: it is now `[start, start + size)`.
    Coalesced {
        /// The level.
        level: LevelIx,
        /// Where the hole starts.
        start: u64,
        /// Its size.
        size: u64,
    },
    /// No hole holds `buf`: a placement failed and the chain of fallbacks begins.
    NoHole {
        /// The buffer that needs room.
        buf: BufIx,
        /// Its level.
        level: LevelIx,
        /// Free units in the level, over all holes.
        free: u64,
        /// The largest hole.
        largest: u64,
    },
    /// A possible victim, in the policy's order of preference; at most [`SHOWN_CANDIDATES`] a decision.
    Candidate {
        /// The buffer.
        buf: BufIx,
        /// What became of it.
        verdict: Verdict,
        /// What it was ranked by.
        #[serde(default)]
        rule: VictimRule,
        /// Place in the first schedule of its next use, or `u32::MAX` where it has none.
        next_use: u32,
        /// Steps by the first schedule: to its next use, for [`VictimRule::LeastRecentlyUsed`] since its last use, for
        /// the others to its FREE.
        #[serde(alias = "life")]
        steps: u32,
        /// What the rule ranks by, held at `u64::MAX`: `steps` × size, `steps`, or the size; where it is a quotient
        /// (`steps` × size ÷ cost, cost ÷ `steps`) that in thousandths.
        score: u64,
    },
    /// The candidates beyond those shown, counted by verdict; pinned ones among them.
    MoreCandidates {
        /// Named by the operation at hand.
        pinned: u32,
        /// Leaving would open no hole that is large enough.
        no_hole: u32,
        /// Never looked at, since one before them was chosen.
        not_needed: u32,
        /// Chosen too (many victims left).
        chosen: u32,
    },
    /// `fallback` was tried and did not make room.
    FellThrough {
        /// The buffer that needs room.
        buf: BufIx,
        /// What was tried.
        fallback: Fallback,
        /// Why it did not help.
        reason: Refusal,
        /// The node that the reason speaks of (see [`Refusal`]), else the buffer's ALLOC.
        node: NodeIx,
    },
    /// `victim` leaves to make room for `need`, under spill number `spill`.
    Chosen {
        /// The buffer that leaves.
        victim: BufIx,
        /// The buffer that needs the room.
        need: BufIx,
        /// By which step of the chain.
        how: Fallback,
        /// The spill that this begins.
        spill: SpillIx,
    },
    /// Spill `spill` will be undone right before `node`, the victim's next use in the order as it stands
    /// (its FREE, if nothing uses it again).
    PlannedBack {
        /// The spill.
        spill: SpillIx,
        /// The node.
        node: NodeIx,
    },
    /// The buffer of the step at hand goes where another fit than [`Fit::Best`] puts it.
    Fitted {
        /// The buffer.
        buf: BufIx,
        /// The fit.
        fit: Fit,
        /// Holes that are large enough.
        holes: u32,
        /// The cycle at which the last of those who held the addresses leaves.
        free_at: u64,
    },
    /// The SPILL_IN of `spill`, the step at hand, comes before its turn.
    Prefetched {
        /// The spill.
        spill: SpillIx,
        /// The operation that needs the buffer.
        node: NodeIx,
        /// How many operations stand between the two.
        ahead: u32,
    },
    /// An ALLOC moved later, to right after `after`.
    Postponed {
        /// The buffer whose ALLOC moved.
        buf: BufIx,
        /// How many times it has moved now.
        count: u32,
        /// The FREE behind which it stands now.
        after: NodeIx,
        /// Free units once that FREE has run, by the order as it stands.
        free: u64,
    },
    /// The last resort: everything in `level` goes out and the buffers of the node at hand come back from address 0.
    Packed {
        /// The level.
        level: LevelIx,
        /// The buffer for which the chain had made no room.
        buf: BufIx,
    },
    /// The scheduler let the operation of the step at hand start: a worker or pipe was idle and it won.
    Dispatched {
        /// The operation.
        node: NodeIx,
        /// How many operations were ready for this unit, it among them; those that wait for memory too.
        ready: u32,
        /// Why it went before the others.
        won: Won,
        /// The cycle of the decision.
        at: u64,
    },
    /// One of the ready operations at a decision, in the scheduler's order of preference; at most
    /// [`SHOWN_CANDIDATES`] a decision. It stands before the `Dispatched` that it belongs to.
    Queued {
        /// The operation.
        node: NodeIx,
        /// How it fared.
        standing: Standing,
        /// By how many cycles it could still start later without making the whole longer than planned.
        slack: u64,
    },
    /// A ready operation came to its turn and its output had no room; from here on it waits for memory.
    WaitsForMemory {
        /// The operation.
        node: NodeIx,
        /// The level without room.
        level: LevelIx,
        /// Units needed (of a pool: of whole blocks).
        need: u64,
        /// Units that were to be had. Where they are enough, they are kept: with them taken, what is left of the graph
        /// might not run to its end.
        room: u64,
    },
    /// An operation that waited for memory has room now.
    Woken {
        /// The operation.
        node: NodeIx,
        /// The level.
        level: LevelIx,
        /// The cycle since which it had waited.
        since: u64,
        /// The cycle at which it was woken.
        at: u64,
    },
    /// What became of a pool's block at `offset`. A block keeps its offset while the pool has it; no two ever share one.
    Block {
        /// The pool: a level, or main memory ([`Problem::main_memory`](super::Problem::main_memory)).
        level: LevelIx,
        /// Taken, given back or dropped.
        fate: BlockFate,
        /// Where it starts.
        offset: u64,
        /// Its units: those of its bucket.
        size: u64,
    },
    /// An operation reads a buffer of a pool: one consumer less is to come.
    Read {
        /// The buffer.
        buf: BufIx,
        /// The operation.
        node: NodeIx,
        /// Consumers that are still to start.
        left: u32,
    },
    /// The producer of a buffer reported its real size.
    Reported {
        /// The buffer.
        buf: BufIx,
        /// The real size; the graph has the estimate.
        actual: u64,
    },
    /// The plan ends here without an answer for `buf`; the diagnosis says the rest.
    Failed {
        /// The buffer that needed room.
        buf: BufIx,
        /// The node at hand.
        node: NodeIx,
    },
}

const _: () = assert!(size_of::<Event>() <= 24);
