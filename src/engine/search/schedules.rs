//! Better schedules of operations in pools: the event-driven scheduler is run again and again, each time with the latest
//! starts of some operations moved, and what shortens the whole is kept. The moves are those of a local search over
//! priorities (Storer, Wu, Vaccari: "New search spaces for sequencing problems", 1992): whatever they are, the scheduler
//! makes a schedule of them that holds, under the same cap and window.

use super::budget::{Budget, Progress, Purse};
use super::dice::Dice;
use super::{Improvement, Listener, Objective};
use crate::engine::order::{Ordered, Priorities, any_order, schedule};
use crate::engine::{Planned, walk};
use crate::model::{Fault, NodeIx, Options, Order, Problem};

/// The best schedule that was found.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The order of the nodes with the decisions behind it.
    pub ordered: Ordered,
    /// Evaluations spent.
    pub evaluations: u64,
    /// Each better schedule on the way; the first is the one by critical path.
    pub history: Vec<Improvement>,
}

/// Of a hundred moves, how many move one operation, up to two, up to four; the others up to eight.
const FEW: [usize; 3] = [25, 50, 75];

/// By what share of the critical path an operation's latest start is moved at most, in either direction.
const REACH: u64 = 12;

/// Searches for a better schedule than the one by critical path; `options` say the rest. Small is the makespan, or, for
/// [`Objective::PeakStay`], what pools hold at most.
///
/// # Errors
/// Where the order runs an operation before an ALLOC or after a FREE of its buffers because no edge says otherwise.
pub fn improve_schedule(
    problem: &Problem,
    options: &Options,
    objective: &Objective,
    budget: Budget,
    seed: u64,
    listener: &mut dyn Listener,
) -> Result<Schedule, Fault> {
    let options = Options { order: Order::CriticalPath, ..options.clone() };
    let graph = &*problem.graph;
    let mut tell = |news: Progress| listener.progress(news);
    let mut purse = Purse::new(budget, &mut tell);
    let mut starts = Priorities::new(graph, &any_order(graph));
    let first = evaluate(problem, &starts, &options)?;
    let mut best = cost(objective, &first);
    let mut history =
        vec![Improvement { evaluations: 1, phase: "critical path", kind: None, figures: first.figures, plan: None }];
    let ops: Vec<NodeIx> = graph.node_ixs().filter(|&node| graph.node(node).kind.is_op()).collect();
    let mut dice = Dice::new(seed);
    let phase = purse.phase("priorities", 1.0, 1);
    purse.spend(1);
    while !ops.is_empty() && purse.progress(&phase).is_some() {
        let before = starts.clone();
        for _ in 0..moved_at_once(&mut dice) {
            let op = ops[dice.below(ops.len())];
            let reach = i64::try_from(starts.critical_path() / REACH + 1).unwrap_or(i64::MAX);
            let by = dice.below(usize::try_from(reach).map_or(usize::MAX, |reach| 2 * reach + 1));
            starts.shift(op, i64::try_from(by).unwrap_or(i64::MAX) - reach);
        }
        let tried = evaluate(problem, &starts, &options)?;
        purse.spend(1);
        let found = cost(objective, &tried);
        if found < best {
            history.push(Improvement {
                evaluations: purse.spent(),
                phase: "priorities",
                kind: None,
                figures: tried.figures,
                plan: None,
            });
        }
        // Equals are taken too: they lead on across plateaus.
        if found <= best {
            best = found;
        } else {
            starts = before;
        }
        // Told each time, since one evaluation of a large graph takes long enough for somebody to lose patience.
        purse.improved(best.1 as f64);
    }
    let ordered = schedule(problem, &starts, &options, true)?;
    Ok(Schedule { ordered, evaluations: purse.spent(), history })
}

fn moved_at_once(dice: &mut Dice) -> usize {
    let percent = dice.below(100);
    1 << FEW.iter().filter(|&&share| percent >= share).count()
}

fn evaluate(problem: &Problem, starts: &Priorities, options: &Options) -> Result<Planned, Fault> {
    Ok(walk(problem, &schedule(problem, starts, options, false)?, options, &mut ()))
}

/// Smaller is better: whether it got stuck, then what is asked for, then the other.
fn cost(objective: &Objective, planned: &Planned) -> (bool, u64, u64) {
    let figures = &planned.figures;
    let held = figures.pools.iter().fold(0, |sum: u64, pool| sum.saturating_add(pool.peak_held));
    let (first, second) = match objective {
        Objective::PeakStay { .. } => (held, figures.makespan),
        Objective::Traffic | Objective::Makespan { .. } | Objective::Weighted { .. } => (figures.makespan, held),
    };
    (planned.stuck.is_some(), first, second)
}
