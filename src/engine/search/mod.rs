//! The search for a better plan: a better order first, for order matters more than who is spilled.
//!
//! 1. `Items`: what is permuted. Most ALLOCs and FREEs follow from the rest.
//! 2. `Macros`: items that serve one another stay together at first.
//! 3. `Groups`: where buffers cannot leave their level (accumulators), starting orders keep as many of
//!    them open as there is room for, side by side where they share what they read; nearest neighbours, several draws,
//!    then annealing on the order of groups.
//! 4. Annealing on the order of macros with the fast evaluation (`traffic`), which leaves addresses aside. A change is
//!    evaluated around where it is made (`revised`). Besides blocks that move, a *cone* does (`moves`): something goes ahead
//!    together with all that it waits for, which draws chains of operations into one another or apart.
//! 5. Where little does not fit, another way there: `excess` sums up by how much the levels would be too full if nobody
//!    were ever spilled. Traffic falls in steps, a whole spill at a time, and most changes of a good order make no
//!    difference to it; this falls a little with each step by which a buffer lives shorter. Annealed from hot, it leads
//!    attention kernels to orders that move nothing at all, in some thousand evaluations.
//! 6. Annealing of single items by traffic. A tile may then go on to an inner level early and wait there, so that the outer
//!    level holds one more than it has room for.
//! 7. A scan of the weights by which addresses are chosen (`addresses`): what those are worth who must leave, how long what
//!    fills the window would wait for it, what is left over of a hole.
//! 8. `layout`: where fast and exact evaluation part ways, since sizes are mixed. The fast one tells who stays when, so
//!    addresses are a static packing problem. Where all stays find room, the plan moves what the fast evaluation says.
//! 9. Steps 3 to 8 begin anew some times where the budget allows it: what they find depends on where they begin, more than
//!    on how long they take. The best goes on with annealing for cycles by the exact evaluation (`exact`), from the last
//!    checkpoint before a change on (`placed`), at no more traffic than is allowed; where little traffic is wanted, at the
//!    least there is.
//!
//! The same problem, objective, seed and number of evaluations give the same plan on any machine. Nothing depends on
//! what operations are called or compute. A plan that a search returns is never worse than the one it was given to beat;
//! where no order finds room for all buffers, the classic plan stays.
//!
//! What did not pay: sorting by start times of the last plan; a bias for each buffer in choosing victims; beginning
//! hot from a good order; what does not fit squared, or where most does not. To no clear effect: changes of what the
//! busiest unit waits for, ahead of others.
//!
//! # Figures
//!
//! Extra traffic on the public kernel graphs, machine `npu`, on one core: a quick plan with seed 0, which
//! takes some tenths of a second; searches of 20 s with seeds 0 to 4, the median. In the last columns cycles with `slack`
//! 1.1, which counts from the least traffic that the same search finds, and the traffic of those plans, medians too.
//!
//! | graph | classic | best published | [quick](quick_budget) | 20 s | 20 s for cycles | their traffic |
//! |---|---|---|---|---|---|---|
//! | Matmul_Case0 | 35 712 | 28 800 | 14 592 | 12 416 | 88 528 | 13 440 |
//! | Matmul_Case1 | 462 464 | 430 208 | 230 400 | 229 888 | 937 270 | 242 816 |
//! | FlashAttention_Case0 | 3 584 | 3 584 | 256 | 0 | 28 736 | 0 |
//! | Conv_Case0 | 110 208 | 57 408 | 40 080 | 39 936 | 432 106 | 43 870 |

mod addresses;
mod anneal;
mod budget;
mod dice;
mod exact;
mod excess;
mod groups;
mod items;
mod layout;
mod listener;
mod macros;
mod moves;
mod opened;
mod opening;
mod peak;
mod phases;
mod placed;
mod revised;
mod rows;
mod schedules;
#[cfg(test)]
mod tests;
mod tour;
mod traffic;

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

pub use budget::{Budget, Progress};
pub use listener::{Listener, Unheard};
pub use moves::MoveKind;
pub use schedules::{Schedule, improve_schedule};

use crate::engine::order::{self, Ordered};
use crate::engine::{Planned, diagnose, replay, walk};
use crate::model::{Fallback, Fault, Figures, LevelIx, NodeIx, Options, Order, Plan, Problem};
use budget::Purse;
use phases::{Candidate, Search};

/// What a search makes small.
#[derive(Clone, Debug, PartialEq)]
pub enum Objective {
    /// Extra traffic; among equals, cycles.
    Traffic,
    /// Cycles, at no more than `slack` times the least extra traffic that the search finds.
    Makespan {
        /// At least 1.
        slack: f64,
    },
    /// The largest sum of sizes between ALLOC and FREE outside the innermost levels.
    PeakStay {
        /// Levels that hold at most one live buffer at a time.
        single: Vec<LevelIx>,
    },
    /// A weighted sum of units moved and cycles.
    Weighted {
        /// Of a unit of extra traffic.
        traffic: f64,
        /// Of a cycle.
        makespan: f64,
    },
}

impl Objective {
    /// The cost of a plan's figures; smaller is better. Between plans of one search, see [`Objective::Makespan`].
    fn cost(&self, traffic: u64, makespan: u64, peak_stay: u64, limit: u64) -> f64 {
        let (traffic, makespan) = (traffic as f64, makespan as f64);
        match self {
            Self::Traffic => traffic + makespan * TIE,
            Self::Makespan { .. } => makespan + (traffic - limit as f64).max(0.0) * STEEP,
            Self::PeakStay { .. } => peak_stay as f64 + traffic * TIE,
            Self::Weighted { traffic: a, makespan: b } => traffic * a + makespan * b,
        }
    }
}

impl fmt::Display for Objective {
    /// As `--objective` takes it; slack and levels are flags of their own.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Traffic => f.write_str("traffic"),
            Self::Makespan { .. } => f.write_str("makespan"),
            Self::PeakStay { .. } => f.write_str("peak"),
            Self::Weighted { traffic, makespan } => write!(f, "traffic={traffic},makespan={makespan}"),
        }
    }
}

/// What a cycle counts beside a unit moved where it only breaks ties.
const TIE: f64 = 1e-9;

/// Cycles that a unit of traffic above the allowed one counts for.
const STEEP: f64 = 20.0;

/// The best plan that a search found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The plan with its figures.
    pub planned: Planned,
    /// The order of the graph's nodes in it.
    pub order: Vec<NodeIx>,
    /// Evaluations spent.
    pub evaluations: u64,
    /// Each better plan on the way, in order; the first is the one to beat.
    pub history: Vec<Improvement>,
}

/// A plan that was better than all before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Improvement {
    /// Evaluations spent until then.
    pub evaluations: u64,
    /// What made it.
    pub phase: &'static str,
    /// The kind of the last move that led to it, where one did.
    pub kind: Option<MoveKind>,
    /// Its figures.
    pub figures: Figures,
    /// The plan; `None` where it has pools or a window, whose plans follow from their schedules.
    pub plan: Option<Arc<Plan>>,
}

impl Improvement {
    /// What made it: the phase, and the kind of move where one did.
    pub fn made_by(&self) -> String {
        let kind = self.kind.map(|kind| format!(": {}", kind.as_str()));
        format!("{}{}", self.phase, kind.unwrap_or_default())
    }

    fn new(evaluations: u64, phase: &'static str, kind: Option<MoveKind>, planned: &Planned) -> Self {
        let plan = Some(Arc::new(planned.plan.clone()));
        Self { evaluations, phase, kind, figures: planned.figures.clone(), plan }
    }
}

/// A plan of elsewhere that a search begins with.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// Its order, mended where it cannot be run: every node once.
    pub order: Vec<NodeIx>,
    /// The plan, which is then the one to beat; `None` where it does not hold.
    pub plan: Option<Plan>,
}

/// Searches for a plan that is better than the classic one by `objective`. `listener` hears how it goes and says whether to
/// go on; what has been found by then is returned.
///
/// # Errors
/// Where there is no first order ([`order::first_order`]) or no plan exists ([`diagnose::impossible`]), or the problem has
/// pools or a window, whose plans are made event by event.
pub fn improve(
    problem: &Problem,
    objective: &Objective,
    budget: Budget,
    seed: u64,
    listener: &mut dyn Listener,
) -> Result<Found, Fault> {
    improve_from(problem, None, objective, budget, seed, listener)
}

/// The same from the order of `start` on; the plan to beat is its plan, else the classic one in its order.
///
/// # Errors
/// As for [`improve`].
pub fn improve_from(
    problem: &Problem,
    start: Option<&Start>,
    objective: &Objective,
    budget: Budget,
    seed: u64,
    listener: &mut dyn Listener,
) -> Result<Found, Fault> {
    if problem.is_clocked() {
        return Err(Fault {
            what: "the search plans levels with addresses, not pools and windows".into(),
            advice: "leave the search out, or name another machine with --machine".into(),
            at: crate::model::Entry::Whole,
        });
    }
    if let Some(found) = diagnose::impossible(problem) {
        return Err(Fault {
            what: format!(
                "no plan exists: level {} cannot hold what must be there at once",
                problem.level(found.level).name
            ),
            advice: format!("it needs a capacity of {}", found.need),
            at: crate::model::Entry::Whole,
        });
    }
    let options = classic(problem);
    // Where no order can be run at all, that of the start ends early, and the other one says why.
    let ordered = match start.filter(|start| start.order.len() == problem.graph.node_count()) {
        Some(start) => Ordered::fixed(start.order.clone()),
        None => order::first_order(problem, &options, false)?,
    };
    // Hears of both, though never of both at once.
    let listener = RefCell::new(listener);
    let mut tell = |news: Progress| listener.borrow_mut().progress(news);
    let mut purse = Purse::new(budget, &mut tell);
    let (phase, first) = match start.map(|start| &start.plan) {
        Some(Some(plan)) => (GIVEN, replay(problem, plan.clone(), Fallback::Plan, &mut ())),
        Some(None) => (ITS_ORDER, walk(problem, &ordered, &options, &mut ())),
        None => (CLASSIC, walk(problem, &ordered, &options, &mut ())),
    };
    let mut best = Best::new(problem, objective, phase, first);
    if problem.graph.node_count() > 0 {
        let mut search = Search::new(problem, objective, seed);
        search.run(&ordered.nodes, start.is_some(), &mut purse, &mut |candidate, search, spent| {
            if best.offer(candidate, search, spent) {
                listener.borrow_mut().better(&best.history);
            }
        });
    }
    Ok(best.into_found(purse.spent()))
}

/// What a search is to beat: the classic policy in the order of the graph's schedule, else of the file.
pub fn classic(problem: &Problem) -> Options {
    Options::classic(if problem.graph.schedule().is_some() { Order::Given } else { Order::Program })
}

/// What the history of a search calls the plan that it is to beat.
pub const CLASSIC: &str = "classic";

/// What it calls the plan that it was given to begin with, see [`Start`].
pub const GIVEN: &str = "given plan";

/// What it calls the classic plan in the order of one that it was given, which does not hold.
pub const ITS_ORDER: &str = "order of the given plan";

/// Evaluations for a plan that nobody should wait for: some tenths of a second on any graph.
pub fn quick_budget(problem: &Problem) -> Budget {
    let nodes = problem.graph.node_count().max(1) as u64;
    let evaluations = QUICK / nodes * nodes.min(LARGE) / nodes;
    Budget::Evaluations(evaluations.clamp(1, MOST_QUICK))
}

/// Nodes that are looked at for a quick plan, over all evaluations.
const QUICK: u64 = 16_000_000;

/// Graphs with more nodes get less: an evaluation takes longer for each of their nodes, since more is resident.
const LARGE: u64 = 20_000;

/// Nodes up to which a graph is planned by the quick search where nothing else is asked for: some seconds.
pub const MOST_NODES: usize = 200_000;

/// Evaluations for a quick plan of a small graph.
const MOST_QUICK: u64 = 8_000;

/// The best plan so far.
struct Best<'a> {
    problem: &'a Problem,
    objective: &'a Objective,
    planned: Planned,
    history: Vec<Improvement>,
}

impl<'a> Best<'a> {
    fn new(problem: &'a Problem, objective: &'a Objective, phase: &'static str, planned: Planned) -> Self {
        let first = Improvement::new(0, phase, None, &planned);
        let history = if planned.stuck.is_some() { Vec::new() } else { vec![first] };
        Self { problem, objective, planned, history }
    }

    fn cost(&self, planned: &Planned, limit: u64) -> f64 {
        if planned.stuck.is_some() {
            return f64::INFINITY;
        }
        let figures = &planned.figures;
        let crowded = match self.objective {
            Objective::PeakStay { single } => single.iter().any(|level| figures.l0_live[level.at()] > 1),
            _ => false,
        };
        let cost = self.objective.cost(figures.extra_traffic, figures.makespan, figures.peak_stay, limit);
        if crowded { f64::MAX } else { cost }
    }

    /// Takes the candidate where it is better; whether it is.
    fn offer(&mut self, candidate: &Candidate, search: &mut Search<'_>, spent: u64) -> bool {
        let Some(plan) = search.plan(candidate) else { return false };
        let planned = replay(self.problem, plan, Fallback::Search, &mut ());
        let limit = search.traffic_limit();
        let is_better = self.cost(&planned, limit) < self.cost(&self.planned, limit);
        if is_better {
            self.history.push(Improvement::new(spent, candidate.phase, candidate.kind, &planned));
            self.planned = planned;
        }
        is_better
    }

    fn into_found(self, evaluations: u64) -> Found {
        let node = |step: &crate::model::Step| {
            if let crate::model::Step::Node(node) = step { Some(*node) } else { None }
        };
        let order = self.planned.plan.steps.iter().filter_map(node).collect();
        Found { planned: self.planned, order, evaluations, history: self.history }
    }
}
