//! What would help where there is no plan. Every remedy was planned again before it is named.

use super::Stuck;
use super::bounds::operand_sets;
use super::diagnose::impossible;
use super::order::{self, Ordered};
use super::walk::walk;
use crate::model::{BufIx, Diagnosis, FailureKind, Fallback, LevelIx, NodeIx, Options, Order, Problem, Remedy};

/// Plans again with one thing changed at a time, and tells what works from what does not: flags first, then capacities.
pub fn find_remedies(problem: &Problem, options: &Options, diagnosis: &mut Diagnosis) {
    let Some(trial) = Trial::new(problem, options) else { return };
    let mut tried: Vec<Tried> = Vec::new();
    if diagnosis.step.is_some() {
        tried.extend(trial.spill_l0(options));
        tried.extend(trial.full_chain(options));
        tried.extend(trial.postpone_limit(options));
        tried.extend(trial.avoid_deadlock(options, diagnosis));
        tried.extend(trial.other_orders(options));
    }
    tried.extend(trial.capacity(options).map(|remedy| Tried { remedy, works: true }));
    let (works, in_vain): (Vec<_>, Vec<_>) = tried.into_iter().partition(|tried| tried.works);
    diagnosis.remedies = works.into_iter().map(|tried| tried.remedy).collect();
    diagnosis.in_vain = in_vain.into_iter().map(|tried| tried.remedy).collect();
}

/// Changes what `remedy` says.
pub fn apply(problem: &mut Problem, options: &mut Options, remedy: &Remedy) {
    match remedy {
        Remedy::Capacity { levels, .. } => {
            levels.iter().for_each(|&(level, capacity)| problem.machine.levels[level.at()].capacity = capacity);
        }
        Remedy::SpillL0 => problem.machine.let_l0_spill(),
        Remedy::Chain(on_full) => options.on_full.clone_from(on_full),
        Remedy::PostponeLimit(limit) => options.postpone_limit = *limit,
        Remedy::Order(order) => options.order = *order,
        Remedy::AvoidDeadlock => options.avoid_deadlock = true,
    }
}

fn applied(problem: &Problem, options: &Options, remedy: &Remedy) -> (Problem, Options) {
    let (mut problem, mut options) = (problem.clone(), options.clone());
    apply(&mut problem, &mut options, remedy);
    (problem, options)
}

/// A change, and whether there is a plan with it.
struct Tried {
    remedy: Remedy,
    works: bool,
}

/// Plans again and again.
struct Trial<'a> {
    problem: &'a Problem,
    /// The order, where it does not depend on capacities.
    fixed: Option<Ordered>,
}

impl<'a> Trial<'a> {
    fn new(problem: &'a Problem, options: &Options) -> Option<Self> {
        let fixed = match options.order {
            Order::Given | Order::Program => Some(order::first_order(problem, options, false).ok()?),
            Order::Topological | Order::CriticalPath | Order::MemoryAware => None,
        };
        Some(Self { problem, fixed })
    }

    /// Where it gets stuck, if it does. An order that cannot be made counts as stuck nowhere it could be told.
    fn stuck(&self, problem: &Problem, options: &Options) -> Option<Stuck> {
        match &self.fixed {
            Some(fixed) => walk(problem, fixed, options, &mut ()).stuck,
            None => stuck_anew(problem, options),
        }
    }

    /// Plans again with `remedy` taken, in the order at hand where that can stay.
    fn tried(&self, options: &Options, remedy: Remedy) -> Tried {
        let (problem, options) = applied(self.problem, options, &remedy);
        Tried { works: self.stuck(&problem, &options).is_none(), remedy }
    }

    fn spill_l0(&self, options: &Options) -> Option<Tried> {
        let (changed, _) = applied(self.problem, options, &Remedy::SpillL0);
        (changed.machine != self.problem.machine).then(|| self.tried(options, Remedy::SpillL0))
    }

    fn full_chain(&self, options: &Options) -> Option<Tried> {
        let full = Options::classic(options.order).on_full;
        let missing = full.iter().any(|step| !options.on_full.contains(step));
        missing.then(|| self.tried(options, Remedy::Chain(full)))
    }

    /// The smallest limit found at which it works while one less fails; in vain, the largest that means anything.
    fn postpone_limit(&self, options: &Options) -> Option<Tried> {
        let works = |limit: u32| {
            let trial = Options { postpone_limit: limit, ..options.clone() };
            self.stuck(self.problem, &trial).is_none()
        };
        if !options.on_full.contains(&Fallback::Postpone) {
            return None;
        }
        // Nobody can be postponed more often than there are FREEs.
        let (mut fails, mut limit) = (options.postpone_limit, self.problem.graph.node_count() as u32);
        if limit <= fails {
            return None;
        }
        if !works(limit) {
            return Some(Tried { remedy: Remedy::PostponeLimit(limit), works: false });
        }
        while limit - fails > 1 {
            let middle = fails + (limit - fails) / 2;
            if works(middle) { limit = middle } else { fails = middle }
        }
        Some(Tried { remedy: Remedy::PostponeLimit(limit), works: true })
    }

    fn avoid_deadlock(&self, options: &Options, diagnosis: &Diagnosis) -> Option<Tried> {
        let open = !options.avoid_deadlock && diagnosis.kind == FailureKind::Deadlock;
        open.then(|| self.tried_anew(options, Remedy::AvoidDeadlock))
    }

    /// Other orders up to the first that works: program order, then those that mind memory.
    fn other_orders(&self, options: &Options) -> Vec<Tried> {
        let mut tried: Vec<Tried> = Vec::new();
        for order in [Order::Program, Order::MemoryAware, Order::Topological] {
            if order != options.order && !tried.iter().any(|tried| tried.works) {
                tried.push(self.tried_anew(options, Remedy::Order(order)));
            }
        }
        tried
    }

    /// Plans again with `remedy` taken, in an order made anew.
    fn tried_anew(&self, options: &Options, remedy: Remedy) -> Tried {
        let (problem, options) = applied(self.problem, options, &remedy);
        Tried { works: stuck_anew(&problem, &options).is_none(), remedy }
    }

    /// Capacities at which the same policy succeeds and one unit less in any raised level fails. Greedy policies may
    /// fail again above, so it is called smallest only where no order could do with less.
    fn capacity(&self, options: &Options) -> Option<Remedy> {
        let given: Vec<u64> = self.problem.machine.levels.iter().map(|level| level.capacity).collect();
        let mut caps = given.clone();
        let mut raised: Vec<LevelIx> = Vec::new();
        while let Some(level) = self.fails_with(&caps, options) {
            // All buffers of the level side by side: then none is ever in another's way.
            let all = self.all_sizes(level).max(given[level.at()]);
            if caps[level.at()] == all {
                return None;
            }
            caps[level.at()] = all;
            raised.push(level);
        }
        let sets = operand_sets(self.problem);
        let least = |level: LevelIx| sets[level.at()].as_ref().map_or(0, |set| set.need);
        // Lowering one level may let another sink again, so until nothing moves. Each round only lowers.
        loop {
            let before = caps.clone();
            raised.iter().for_each(|&level| self.lower(&mut caps, level, given[level.at()], least(level), options));
            if caps == before {
                break;
            }
        }
        let levels: Vec<(LevelIx, u64)> = raised
            .iter()
            .map(|&level| (level, caps[level.at()]))
            .filter(|&(level, cap)| cap > given[level.at()])
            .collect();
        let smallest = levels.iter().all(|&(level, cap)| least(level) == cap);
        Some(Remedy::Capacity { levels, smallest })
    }

    /// Lowers `level` to where it still works and one unit less fails, or to `given`. Below `least` no plan exists, so
    /// where that works the search is over.
    fn lower(&self, caps: &mut [u64], level: LevelIx, given: u64, least: u64, options: &Options) {
        let at = level.at();
        let works = |cap: u64, caps: &mut [u64]| {
            let before = std::mem::replace(&mut caps[at], cap);
            let works = self.fails_with(caps, options).is_none();
            caps[at] = before;
            works
        };
        let mut good = caps[at];
        if good == given || !works(good - 1, caps) {
            return;
        }
        good -= 1;
        let mut bad = given;
        if good == bad || works(bad, caps) {
            caps[at] = bad;
            return;
        }
        if bad < least {
            if good == least || works(least, caps) {
                caps[at] = least;
                return;
            }
            bad = least;
        }
        while good - bad > 1 {
            let middle = bad + (good - bad) / 2;
            if works(middle, caps) { good = middle } else { bad = middle }
        }
        caps[at] = good;
    }

    /// The level that fails with these capacities.
    fn fails_with(&self, caps: &[u64], options: &Options) -> Option<LevelIx> {
        let mut problem = self.problem.clone();
        problem.machine.levels.iter_mut().zip(caps).for_each(|(level, &cap)| level.capacity = cap);
        match impossible(&problem) {
            Some(diagnosis) => Some(diagnosis.level),
            None => self.stuck(&problem, options).map(|stuck| problem.level_of(stuck.buf)),
        }
    }

    fn all_sizes(&self, level: LevelIx) -> u64 {
        let buffers = (0..self.problem.graph.buffers().len()).map(BufIx::new);
        buffers.filter(|&buf| self.problem.level_of(buf) == level).map(|buf| self.problem.space_of(buf)).sum()
    }
}

/// Where it gets stuck with an order of its own; at nothing that could be told where no order can be made.
fn stuck_anew(problem: &Problem, options: &Options) -> Option<Stuck> {
    match order::first_order(problem, options, false) {
        Ok(order) => walk(problem, &order, options, &mut ()).stuck,
        Err(_) => Some(Stuck { node: NodeIx(0), buf: BufIx(0), deadlock: false }),
    }
}
