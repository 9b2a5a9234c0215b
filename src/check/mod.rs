//! The checker: replays a plan against its graph and machine, finds every rule that it breaks, and works out its
//! figures. It knows the model alone, so that a fault of the engine cannot hide in it.
//!
//! # Rules
//!
//! The rules are those published with the public NPU kernel graphs. Steps are positions in the schedule from 0. With
//! N = 1 + the largest node id of the graph, spill k has the nodes N+2k (SPILL_OUT) and N+2k+1 (SPILL_IN).
//!
//! | rule | what must hold |
//! |------|----------------|
//! | R1 | the schedule holds every node of the graph and every spill node exactly once, and nothing else; every buffer has exactly one first placement; every spill names a buffer of the graph |
//! | R2 | every edge runs forward in the schedule |
//! | R3 | ALLOC < SPILL_OUT < SPILL_IN < FREE for each spill of a buffer, and spills of one buffer do not nest; pools do not spill |
//! | R4 | no operation that names a buffer runs while that buffer is not resident |
//! | R5 | every placement lies inside its level: 0 ≤ offset and offset + size ≤ capacity; in a pool: 0 ≤ offset, and its block and the blocks in use together are at most the capacity |
//! | R6 | two buffers resident at the same time in one level do not share an address; in a pool, no block shares one with another that the pool holds, in use or idle |
//!
//! A buffer is resident on the half-open range of steps [ALLOC, SPILL_OUT), [SPILL_IN, next SPILL_OUT), …,
//! [SPILL_IN, FREE), at the half-open range of addresses [offset, offset + size). Without a FREE it stays to the end.
//!
//! # Pools
//!
//! In a pool the offset of a buffer is the start of its block, [offset, offset + block size), in a space of addresses
//! without an end; the size is [`Problem::block_size`]. The files of a plan do not say what becomes of idle blocks.
//! These rules do:
//!
//! - A FREE leaves the block idle. At each placement, those that have been idle for `max_age` cycles or longer go first.
//! - A placement at the start of an idle block of its size takes that block: a hit. Which one it takes, or whether it
//!   takes one at all, is the plan's affair.
//! - Any other is a new block: a miss. The longest idle blocks, of whatever size, go until it fits under the capacity.
//!   Only then R6 is asked, so that addresses of blocks that have gone may be used again: by a new block, never by a hit.
//!
//! Main memory is such a pool too, without a cap: a buffer that is not backed has a block of it from its SPILL_OUT to
//! that spill's SPILL_IN, taken when the one starts and given back when the other ends. Files do not name these blocks:
//! the idle one of the size that was given back last is taken, else a new one. It has figures, and breaks no rule.
//!
//! # Figures
//!
//! See [`Figures`]. A buffer counts in `peak` with its size, in the waste of a pool with what it really uses of its
//! block. The makespan is that of running the steps in schedule order, each as early as can be:
//!
//! - a node waits for the ends of its predecessors, and on its unit for a lane (the one that is free first; the
//!   lowest on a tie). An operation whose pipe has no name waits for no unit;
//! - ALLOC and FREE take no time and no unit; a transfer takes [`Transfer::cycles`](crate::model::Transfer::cycles)
//!   on its unit, but the way out of a backed buffer takes 0 (and still waits for its unit) where the machine says so;
//! - SPILL_OUT waits for the buffer's ALLOC, its earlier users and its previous SPILL_IN; SPILL_IN for its SPILL_OUT;
//!   later users and FREE for the SPILL_INs before them;
//! - ALLOC and SPILL_IN wait until every earlier holder of any of their addresses has left: a FREE or SPILL_OUT
//!   leaves when it ends.
//!
//! These are the published rules. Machines with pools or a window have more ([`Problem::is_clocked`]):
//!
//! - no step starts before the one that stands before it; ages in a pool are those of this clock;
//! - no operation starts while as many run as the window allows. Transfers are no operations;
//! - where a pool level has a rate for fresh memory, the first operation that names a buffer in a new block takes
//!   [`Level::fresh_cycles`](crate::model::Level::fresh_cycles) of the buffer's size longer, unless it is backed.

mod addresses;
mod clock;
pub mod packing;
mod pool;
mod replay;
mod roster;

use std::fmt;

use crate::model::{Figures, Problem, RawPlan};

/// How many findings are listed; a plan with more is not looked at to its end.
pub const MAX_LISTED: usize = 40;

/// A rule that a plan can break; the [module](self) states them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rule {
    /// Every node, spill node and placement exactly once.
    R1,
    /// Edges run forward.
    R2,
    /// ALLOC, SPILL_OUT, SPILL_IN, FREE in this order; spills do not nest.
    R3,
    /// Operands are resident.
    R4,
    /// Placements lie inside their level.
    R5,
    /// Resident buffers do not overlap.
    R6,
}

/// One place at which a plan breaks a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The rule.
    pub rule: Rule,
    /// The step at which it is broken; `None` where something is not in the schedule at all.
    pub step: Option<usize>,
    /// The nodes concerned, by the ids of the schedule file.
    pub nodes: Vec<u64>,
    /// The buffers concerned, by the ids of the graph file.
    pub bufs: Vec<u64>,
    /// What is wrong, in one sentence without rule and step. Safe to print.
    pub what: String,
}

/// What the checker found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The broken rules in the order of their steps, those without a step first; at most [`MAX_LISTED`].
    pub broken: Vec<Broken>,
    /// How many findings there were. Above the length of `broken`, the checker stopped early and there may be more.
    pub seen: usize,
    /// What no rule forbids but a reader should know, such as placements of buffers that the graph does not have.
    pub notes: Vec<String>,
    /// The figures; `None` where a rule is broken, or where one of them is too large to count (then a note says so).
    pub figures: Option<Figures>,
}

impl Report {
    /// Whether the plan breaks no rule.
    pub fn is_valid(&self) -> bool {
        self.seen == 0
    }
}

/// Checks `plan`. Whatever ids, offsets and lengths it holds, the answer is a report.
///
/// Takes about O(n log n) time for n steps, edges and operands together.
pub fn check(problem: &Problem, plan: &RawPlan) -> Report {
    let mut findings = Findings::default();
    let mut notes = Vec::new();
    let roster = roster::Roster::new(problem, plan, &mut findings, &mut notes);
    let figures = replay::replay(problem, plan, &roster, &mut findings);
    let Findings { mut listed, seen } = findings;
    listed.sort_by_key(|broken| broken.step);
    let countable = [figures.makespan, figures.extra_traffic, figures.main.peak_held].iter().all(|&sum| sum < u64::MAX);
    if seen == 0 && !countable {
        notes.push("no figures: the makespan, the extra traffic or main memory passes what can be counted".into());
    }
    Report { broken: listed, seen, notes, figures: (seen == 0 && countable).then_some(figures) }
}

/// Collects what is found.
#[derive(Default)]
struct Findings {
    listed: Vec<Broken>,
    seen: usize,
}

impl Findings {
    fn add(&mut self, broken: Broken) {
        self.seen += 1;
        if self.listed.len() < MAX_LISTED {
            self.listed.push(broken);
        }
    }

    /// Whether there is more than can be listed, so that looking on is of no use.
    fn overflowed(&self) -> bool {
        self.seen > MAX_LISTED
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::R1 => "R1",
            Self::R2 => "R2",
            Self::R3 => "R3",
            Self::R4 => "R4",
            Self::R5 => "R5",
            Self::R6 => "R6",
        })
    }
}

impl fmt::Display for Broken {
    /// `R6 step 17: buffer 5 at L1[0,128) overlaps buffer 7`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.step {
            Some(step) => write!(f, "{} step {step}: {}", self.rule, self.what),
            None => write!(f, "{}: {}", self.rule, self.what),
        }
    }
}
