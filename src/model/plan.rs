//! A plan, its figures, and how one is asked for.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::event::Fallback;
use super::graph::Graph;
use super::ids::{BufIx, NodeIx, SpillIx};
use super::policy::{Fit, PickedVictim, VictimRule};

/// One entry of the final schedule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A node of the graph.
    Node(NodeIx),
    /// A spill goes out.
    Out(SpillIx),
    /// A spill comes back.
    Back(SpillIx),
}

/// One spill: the buffer, and where it comes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spill {
    /// The buffer.
    pub buf: BufIx,
    /// Its address from the SPILL_IN on; `None` only while it is out in an unfinished plan.
    pub offset: Option<u64>,
}

/// A schedule with addresses and spills. Unfinished where planning failed: it then ends before the failing step.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// The steps in order.
    pub steps: Vec<Step>,
    /// First address of each buffer; `None` where the plan does not get so far.
    pub memory: Vec<Option<u64>>,
    /// The spills by number.
    pub spills: Vec<Spill>,
}

/// A plan as its three files say it, with the ids of the graph file: what the checker reads, whoever made it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RawPlan {
    /// Node ids in order. Spill k has ids N+2k (out) and N+2k+1 (in), N = 1 + the largest node id.
    pub schedule: Vec<u64>,
    /// Buffer and first address.
    pub memory: Vec<(u64, i64)>,
    /// Buffer and address after the way back, spill by spill.
    pub spills: Vec<(u64, i64)>,
}

impl Plan {
    /// The plan in the ids of the graph file.
    pub fn to_raw(&self, graph: &Graph) -> RawPlan {
        let address = |offset: u64| i64::try_from(offset).unwrap_or(i64::MAX);
        let placed = graph.buffers().iter().zip(&self.memory);
        RawPlan {
            schedule: self.steps.iter().map(|&step| step_id(graph, step)).collect(),
            memory: placed.filter_map(|(buffer, offset)| Some((buffer.id, address((*offset)?)))).collect(),
            spills: self
                .spills
                .iter()
                .map(|spill| (graph.buffer(spill.buf).id, spill.offset.map_or(-1, address)))
                .collect(),
        }
    }
}

/// The id that a step has in the schedule file.
pub fn step_id(graph: &Graph, step: Step) -> u64 {
    match step {
        Step::Node(node) => graph.node(node).id,
        Step::Out(spill) => graph.first_spill_id() + 2 * u64::from(spill.0),
        Step::Back(spill) => graph.first_spill_id() + 2 * u64::from(spill.0) + 1,
    }
}

/// The figures of a plan, under the names of `check_plan.py`. Levels are in the machine's order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Figures {
    /// Entries of the schedule, spills included.
    pub steps: u64,
    /// Spills; each is two steps.
    pub spills: u64,
    /// Units of size moved because of spills: a buffer's size where it is backed, else twice that, for each spill.
    pub extra_traffic: u64,
    /// Per level, the largest sum of sizes resident at once.
    pub peak: Vec<u64>,
    /// The largest sum, over the levels whose name does not start with `L0`, of the sizes of buffers between ALLOC and FREE.
    pub peak_stay: u64,
    /// Per level, the most buffers between ALLOC and FREE at once; meant for the levels named `L0…`, 0 elsewhere.
    pub l0_live: Vec<u64>,
    /// Cycles from the first start to the last end.
    pub makespan: u64,
    /// Per level, what its pool did; all zero for a level that is no pool.
    pub pools: Vec<PoolFigures>,
    /// What the pool of main memory did for the buffers that were spilled out and are not backed.
    pub main: PoolFigures,
}

/// What a pool did over a whole plan. Units of size are bytes where the machine's are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolFigures {
    /// Requests served by an idle block.
    pub hits: u64,
    /// Requests served by a new block: the allocations.
    pub misses: u64,
    /// Idle blocks dropped to make room under the cap.
    pub over_cap: u64,
    /// Idle blocks dropped for their age.
    pub aged: u64,
    /// The most that blocks in use and idle together have been: what the pool asked of the system.
    pub peak_held: u64,
    /// The most that the blocks in use have been.
    pub peak_busy: u64,
    /// The most by which the blocks in use were larger than what is used of them.
    pub worst_waste: u64,
}

/// How the order is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// The schedule that came with the graph.
    Given,
    /// The order of the file, ALLOC as late and FREE as early as can be.
    Program,
    /// Event-driven; of the ready operations the one with the lowest id: the naive baseline (seed 000).
    Topological,
    /// Event-driven; critical ones first, then the shorter, as long as the most urgent can wait for them, then the most
    /// urgent (seed 000, with the slack minded). While less than half of a pool is left, only what is due.
    CriticalPath,
    /// Event-driven; what gives back most memory first, the rest along a sequence that holds little.
    MemoryAware,
}

/// Everything that shapes a plan beside graph and machine. A value: printed in reports, readable from flags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// How the order is made.
    pub order: Order,
    /// What is tried, in order, when no hole is large enough.
    pub on_full: Vec<Fallback>,
    /// How often one buffer's ALLOC may be postponed.
    pub postpone_limit: u32,
    /// Which victim goes first.
    pub victims: VictimRule,
    /// Where a buffer goes.
    pub fit: Fit,
    /// Whether every FREE moves to just after the last use before anything is placed. Where steps start in the order in
    /// which they stand ([`Problem::is_clocked`](super::Problem::is_clocked)) none does: it would keep all others waiting.
    pub hoist: bool,
    /// By how many operations buffers may come back before their turn, as far as the plan is faster so and spills and
    /// moves no more; 0 for none.
    pub prefetch: u32,
    /// A decision in which the rule does not choose.
    pub picked: Option<PickedVictim>,
    /// Whether the event-driven scheduler lets shorter operations pass a long one while they fit into its slack.
    pub light_tasks: bool,
    /// Whether the event-driven scheduler keeps so much memory back that what is left can always run to its end, where
    /// it knows how. Without, it may run into a deadlock.
    pub avoid_deadlock: bool,
}

impl Options {
    /// The classic policy (seed 002, faults mended): spill, spill-many, postpone; at most 5 postponements a buffer.
    pub fn classic(order: Order) -> Self {
        Self {
            order,
            on_full: vec![Fallback::Spill, Fallback::SpillMany, Fallback::Postpone],
            postpone_limit: 5,
            victims: VictimRule::LifeTimesSize,
            fit: Fit::Best,
            hoist: false,
            prefetch: 0,
            picked: None,
            light_tasks: true,
            avoid_deadlock: true,
        }
    }

    /// Whether victim rule or fit look at the next uses of buffers.
    pub fn look_ahead(&self) -> bool {
        self.victims.looks_ahead() || self.fit == Fit::Window
    }

    /// The name of the policy that these options are, apart from order: `classic`, or `custom` where a part differs.
    pub fn policy_name(&self) -> &'static str {
        if *self == Self::classic(self.order) { "classic" } else { "custom" }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Given => "given",
            Self::Program => "program",
            Self::Topological => "topological",
            Self::CriticalPath => "critical-path",
            Self::MemoryAware => "memory-aware",
        })
    }
}

impl fmt::Display for Fallback {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Spill => "spill",
            Self::SpillMany => "spill-many",
            Self::Postpone => "postpone",
            Self::Pack => "pack",
            Self::Search => "search",
            Self::Plan => "plan",
        })
    }
}

impl FromStr for Order {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "given" => Ok(Self::Given),
            "program" => Ok(Self::Program),
            "topological" => Ok(Self::Topological),
            "critical-path" => Ok(Self::CriticalPath),
            "memory-aware" => Ok(Self::MemoryAware),
            _ => Err(format!(
                "unknown order '{}': use given, program, topological, critical-path or memory-aware",
                super::name::clean(text)
            )),
        }
    }
}

impl FromStr for Fallback {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "spill" => Ok(Self::Spill),
            "spill-many" => Ok(Self::SpillMany),
            "postpone" => Ok(Self::Postpone),
            _ => Err(format!("unknown fallback '{}': use spill, spill-many or postpone", super::name::clean(text))),
        }
    }
}
