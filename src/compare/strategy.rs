//! Which strategies are compared where nobody names any.

use std::sync::Arc;

use super::hold::hold_to_the_end;
use super::sweep::{Range, Setting, USUAL_VALUES, evenly};
use crate::engine::bounds;
use crate::engine::search::{Budget, MOST_NODES, quick_budget};
use crate::model::{
    Buckets, BufIx, Entry, Fallback, Fault, Fit, MAX_NUMBER, Manager, NodeKind, Options, Order, PoolRules, Problem,
    VictimRule,
};

/// How many caps are tried for the critical path.
const CAPS: usize = 32;

/// How many evaluations the search of the last row spends.
const EVALUATIONS: u64 = 500;

/// The most nodes of a graph on which that takes no longer than one likes to wait.
const MOST_SEARCHED: usize = 5_000;

/// How many operations early reloads may come in the row that tries it.
const PREFETCH: u32 = 8;

/// A way to plan a graph.
#[derive(Clone, Debug)]
pub struct Strategy {
    /// What it is called: the name of an idea, or flags.
    pub name: String,
    /// Graph and machine.
    pub problem: Problem,
    /// How it is planned.
    pub options: Options,
    /// A setting whose knee is taken.
    pub tune: Option<Range>,
    /// How many evaluations a search spends on it, with the setting that was chosen.
    pub evaluations: Option<u64>,
    /// The strategy of which it changes one part of the policy. Where both come to the same, texts name it and show no row.
    pub variant_of: Option<String>,
}

/// What kind of memory the buffers of a graph live in, which decides about strategies and columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Some are in pools: allocations, reuse and waiting count.
    Pools,
    /// None is: spills and extra traffic count.
    Arenas,
}

impl Kind {
    /// The kind of `problem`.
    pub fn of(problem: &Problem) -> Self {
        let bufs = (0..problem.graph.buffers().len()).map(BufIx::new);
        let mut levels = bufs.map(|buf| problem.level(problem.level_of(buf)));
        if levels.any(|level| level.pool().is_some()) { Self::Pools } else { Self::Arenas }
    }

    /// The name of the strategy that the others are measured by.
    pub fn baseline(self) -> &'static str {
        match self {
            Self::Pools => "refcount",
            Self::Arenas => "program",
        }
    }
}

impl Strategy {
    /// `problem` planned by `options`.
    pub fn new(name: impl Into<String>, problem: &Problem, options: Options) -> Self {
        Self { name: name.into(), problem: problem.clone(), options, tune: None, evaluations: None, variant_of: None }
    }

    /// The cap of the pools, the smallest where there are several; `None` where there is as good as none.
    pub fn cap(&self) -> Option<u64> {
        let pools = self.problem.machine.levels.iter().filter(|level| level.pool().is_some());
        pools.map(|level| level.capacity).min().filter(|&cap| cap < MAX_NUMBER)
    }

    fn tuned(self, setting: Setting, values: Vec<u64>) -> Self {
        Self { tune: Some(Range { setting, values }), ..self }
    }
}

/// The strategies for a graph as it would be planned: `problem` and `options` say everything that a strategy does not
/// change.
///
/// # Errors
/// None that a checked graph can have.
pub fn standard(problem: &Problem, options: &Options) -> Result<Vec<Strategy>, Fault> {
    match Kind::of(problem) {
        Kind::Pools => pooled(problem, options),
        Kind::Arenas => Ok(spilling(problem, options)),
    }
}

/// The table of the issue: from everything held to the end, idea by idea, to the critical path under a cap (seed 000,
/// section 5.1).
fn pooled(problem: &Problem, options: &Options) -> Result<Vec<Strategy>, Fault> {
    let ordered = |order| Options { order, ..options.clone() };
    let topological = || ordered(Order::Topological);
    let fresh = always_fresh(problem);
    let held = without_frees(&fresh)?;
    let windows = evenly(1, 2 * workers(problem), USUAL_VALUES);
    let by_critical_path = |name: &str| {
        Strategy::new(name, problem, ordered(Order::CriticalPath)).tuned(Setting::PoolBytes, caps(problem))
    };
    let mut strategies = vec![
        Strategy::new("naive", &held, topological()),
        Strategy::new("refcount", &fresh, topological()),
        Strategy::new("pool", problem, topological()),
        Strategy::new("pool+window", problem, topological()).tuned(Setting::Window, windows),
        by_critical_path("pool+critical-path"),
    ];
    if problem.graph.node_count() <= MOST_SEARCHED {
        strategies.push(Strategy { evaluations: Some(EVALUATIONS), ..by_critical_path("pool+search") });
    }
    Ok(strategies)
}

/// Every buffer gets a new block of its own size, which goes back when the buffer is dead, and nothing caps them.
fn always_fresh(problem: &Problem) -> Problem {
    let mut fresh = problem.clone();
    for level in &mut fresh.machine.levels {
        if let Manager::Pool(rules) = &mut level.manager {
            *rules = PoolRules { buckets: Buckets::Exact, max_age: Some(0) };
            level.capacity = MAX_NUMBER;
        }
    }
    fresh
}

fn without_frees(problem: &Problem) -> Result<Problem, Fault> {
    let graph = Arc::new(hold_to_the_end(&problem.graph)?);
    Problem::new(graph, problem.machine.clone()).map_err(|unknown| Fault {
        what: format!("the machine has no level for buffer {}", problem.graph.buffer(unknown.buf).id),
        advice: String::new(),
        at: Entry::Whole,
    })
}

/// From what one operation or the end of the graph needs at once to the cap that was asked for.
fn caps(problem: &Problem) -> Vec<u64> {
    let in_pool = |at: &usize| problem.machine.levels[*at].pool().is_some();
    let sets = bounds::operand_sets(problem);
    let need = |at: usize| sets.get(at).and_then(Option::as_ref).map_or(1, |set| set.need);
    let pools = || (0..problem.level_count()).filter(in_pool);
    let most = pools().map(|at| problem.machine.levels[at].capacity).max().unwrap_or(1);
    let least = pools().map(need).max().unwrap_or(1);
    evenly(least.clamp(1, most.max(1)), most.max(1), CAPS)
}

/// How many operations the units of `problem` that have work can run at once; at least 1.
pub fn workers(problem: &Problem) -> u64 {
    let mut working = vec![false; problem.units.len()];
    for node in problem.graph.node_ixs() {
        if let NodeKind::Op(op) = problem.graph.node(node).kind {
            working[problem.unit_of(op.pipe).at()] = true;
        }
    }
    let working = problem.units.iter().zip(working).filter(|(_, works)| *works);
    working.map(|(unit, _)| u64::from(unit.count)).sum::<u64>().max(1)
}

/// Each order by the policy that was asked for, then each step of the chain alone in the order that was asked for, then
/// each other part of the policy in place of the one that was asked for.
fn spilling(problem: &Problem, options: &Options) -> Vec<Strategy> {
    let mut orders = vec![Order::Program];
    orders.extend(problem.graph.schedule().map(|_| Order::Given));
    orders.extend([Order::Topological, Order::CriticalPath, Order::MemoryAware]);
    let in_order = |order: Order| Strategy::new(order.to_string(), problem, Options { order, ..options.clone() });
    let chains = [Fallback::Spill, Fallback::SpillMany, Fallback::Postpone].map(|fallback| vec![fallback]);
    let with_chain = |on_full: Vec<Fallback>| {
        Strategy::new(format!("--on-full {}", on_full[0]), problem, Options { on_full, ..options.clone() })
    };
    let chains = chains.into_iter().filter(|chain| *chain != options.on_full).map(with_chain);
    let variants = variants(options).into_iter().map(|(name, changed)| Strategy {
        variant_of: Some(options.order.to_string()),
        ..Strategy::new(name, problem, changed)
    });
    orders.into_iter().map(in_order).chain(searches(problem, options)).chain(chains).chain(variants).collect()
}

/// The plan that one gets without a flag, and what ten times its search finds.
fn searches(problem: &Problem, options: &Options) -> Vec<Strategy> {
    let Budget::Evaluations(quick) = quick_budget(problem) else { return Vec::new() };
    if problem.is_clocked() || problem.graph.node_count() > MOST_NODES {
        return Vec::new();
    }
    let row = |name: &str, evaluations| Strategy {
        evaluations: Some(evaluations),
        ..Strategy::new(name, problem, options.clone())
    };
    vec![row("quick", quick), row("search", quick.saturating_mul(10))]
}

/// Options with one part of the policy changed, by the flag that does it; at last with the parts that search chooses by.
fn variants(options: &Options) -> Vec<(String, Options)> {
    let victims =
        VictimRule::ALL.map(|victims| (format!("--victims {victims}"), Options { victims, ..options.clone() }));
    let fits = Fit::ALL.map(|fit| (format!("--fit {fit}"), Options { fit, ..options.clone() }));
    let hoist = ("--hoist".to_owned(), Options { hoist: true, ..options.clone() });
    let prefetch = (format!("--prefetch {PREFETCH}"), Options { prefetch: PREFETCH, ..options.clone() });
    let together = Options {
        victims: VictimRule::CheapestRun,
        fit: Fit::Window,
        hoist: true,
        prefetch: PREFETCH,
        ..options.clone()
    };
    let name = format!("--victims cheapest-run --fit window --hoist --prefetch {PREFETCH}");
    let all = victims.into_iter().chain(fits).chain([hoist, prefetch, (name, together)]);
    all.filter(|(_, changed)| changed != options).collect()
}
