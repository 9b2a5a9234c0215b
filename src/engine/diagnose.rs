//! Why there is no plan, who is in the way, and what would help. Every remedy was planned again before it is named.

use super::bounds::{OperandAt, operand_sets};
use super::{Planned, Stuck, order, walk};
use crate::model::{
    BufIx, Diagnosis, FailureKind, Fallback, Holder, LevelIx, NodeIx, NodeKind, Options, Order, Problem, Remedy, Stay,
    Step,
};

/// The failure that no order and no policy can avoid: a node (or the end) whose buffers exceed a level together.
/// Said before planning. `None` where the operand sets fit.
pub fn impossible(problem: &Problem) -> Option<Diagnosis> {
    too_large_alone(problem).or_else(|| too_large_together(problem))
}

/// A buffer that exceeds its level.
fn too_large_alone(problem: &Problem) -> Option<Diagnosis> {
    let graph = &*problem.graph;
    let capacity = |buf: BufIx| problem.level(problem.level_of(buf)).capacity;
    let buf = (0..graph.buffers().len()).map(BufIx::new).find(|&buf| graph.buffer(buf).size > capacity(buf))?;
    let node = graph.buffer(buf).alloc;
    Some(unplanned(problem, FailureKind::LargerThanLevel, buf, Some(node), graph.buffer(buf).size, Vec::new()))
}

/// Buffers that one node (or the end) needs together and that exceed their level.
fn too_large_together(problem: &Problem) -> Option<Diagnosis> {
    let sets = operand_sets(problem);
    let exceeded = |at: &usize| sets[*at].as_ref().is_some_and(|set| set.need > problem.machine.levels[*at].capacity);
    let level = LevelIx::new((0..sets.len()).find(exceeded)?);
    let set = sets[level.at()].as_ref()?;
    let (node, mut together) = match set.at {
        OperandAt::Node(node) => (Some(node), named(problem, node)),
        OperandAt::End => (None, undying(problem)),
    };
    together.retain(|&buf| problem.level_of(buf) == level);
    together.sort_by_key(|&buf| (std::cmp::Reverse(problem.graph.buffer(buf).size), buf));
    let buf = *together.first()?;
    Some(unplanned(problem, FailureKind::OperandsLargerThanLevel, buf, node, set.need, together))
}

/// A failure that is known before anything is placed.
fn unplanned(
    problem: &Problem,
    kind: FailureKind,
    buf: BufIx,
    node: Option<NodeIx>,
    need: u64,
    together: Vec<BufIx>,
) -> Diagnosis {
    let level = problem.level_of(buf);
    let capacity = problem.level(level).capacity;
    let holder = |buf| Holder { buf, offset: 0, since: 0, next_use: node, stays: Stay::Pinned };
    Diagnosis {
        kind,
        level,
        buf,
        node,
        step: None,
        need,
        capacity,
        free: capacity,
        largest_hole: capacity,
        holders: together.into_iter().map(holder).collect(),
        remedies: Vec::new(),
    }
}

fn named(problem: &Problem, node: NodeIx) -> Vec<BufIx> {
    match problem.graph.node(node).kind {
        NodeKind::Alloc(buf) | NodeKind::Free(buf) => vec![buf],
        NodeKind::Op(op) => problem.graph.operands(&op).to_vec(),
    }
}

/// The buffers without a FREE: they are all resident when the plan ends.
fn undying(problem: &Problem) -> Vec<BufIx> {
    let buffers = problem.graph.buffers().iter().enumerate();
    buffers.filter(|(_, buffer)| buffer.free.is_none()).map(|(at, _)| BufIx::new(at)).collect()
}

/// What is known of a walk that got stuck, without remedies.
pub fn of_stuck(
    problem: &Problem,
    first_order: &[NodeIx],
    options: &Options,
    planned: &Planned,
    stuck: Stuck,
) -> Diagnosis {
    let level = problem.level_of(stuck.buf);
    let residents = residents(problem, planned, level);
    let capacity = problem.level(level).capacity;
    let used: u64 = residents.iter().map(|(buf, ..)| problem.graph.buffer(*buf).size).sum();
    let need = problem.graph.buffer(stuck.buf).size;
    let free = capacity - used;
    let next_use = next_uses(problem, first_order, planned, &residents);
    let stays = why_they_stay(problem, options, level);
    let holders = residents.iter().zip(next_use).map(|(&(buf, offset, since), next_use)| Holder {
        buf,
        offset,
        since,
        next_use,
        stays,
    });
    Diagnosis {
        kind: if free >= need { FailureKind::NoHole } else { FailureKind::Forbidden },
        level,
        buf: stuck.buf,
        node: Some(stuck.node),
        step: Some(planned.plan.steps.len() as u32),
        need,
        capacity,
        free,
        largest_hole: largest_hole(problem, &residents, capacity),
        holders: holders.collect(),
        remedies: Vec::new(),
    }
}

/// Who is in `level` at the end of the planned part, by address: buffer, offset, step since when.
fn residents(problem: &Problem, planned: &Planned, level: LevelIx) -> Vec<(BufIx, u64, u32)> {
    let graph = &*problem.graph;
    let mut at = std::collections::BTreeMap::new();
    for (step, what) in planned.plan.steps.iter().enumerate() {
        let (buf, offset) = match *what {
            Step::Node(node) => match graph.node(node).kind {
                NodeKind::Alloc(buf) => (buf, planned.plan.memory[buf.at()]),
                NodeKind::Free(buf) => (buf, None),
                NodeKind::Op(_) => continue,
            },
            Step::Out(spill) => (planned.plan.spills[spill.at()].buf, None),
            Step::Back(spill) => {
                let spill = planned.plan.spills[spill.at()];
                (spill.buf, spill.offset)
            }
        };
        match offset {
            Some(offset) if problem.level_of(buf) == level => drop(at.insert(buf, (offset, step as u32))),
            _ => drop(at.remove(&buf)),
        }
    }
    let mut residents: Vec<_> = at.into_iter().map(|(buf, (offset, since))| (buf, offset, since)).collect();
    residents.sort_unstable_by_key(|&(_, offset, _)| offset);
    residents
}

fn largest_hole(problem: &Problem, residents: &[(BufIx, u64, u32)], capacity: u64) -> u64 {
    let mut end = 0;
    let mut largest = 0;
    for &(buf, offset, _) in residents {
        largest = largest.max(offset - end);
        end = offset + problem.graph.buffer(buf).size;
    }
    largest.max(capacity - end)
}

/// For each resident, the first of its users (else its FREE) that has not run.
fn next_uses(
    problem: &Problem,
    first_order: &[NodeIx],
    planned: &Planned,
    residents: &[(BufIx, u64, u32)],
) -> Vec<Option<NodeIx>> {
    let graph = &*problem.graph;
    let mut place = vec![0; graph.node_count()];
    first_order.iter().enumerate().for_each(|(at, node)| place[node.at()] = at);
    let mut done = vec![false; graph.node_count()];
    for step in &planned.plan.steps {
        if let Step::Node(node) = step {
            done[node.at()] = true;
        }
    }
    let next = |buf: BufIx| {
        let users = graph.users(buf).iter().copied().filter(|user| !done[user.at()]);
        users.min_by_key(|user| place[user.at()]).or(graph.buffer(buf).free)
    };
    residents.iter().map(|&(buf, ..)| next(buf)).collect()
}

fn why_they_stay(problem: &Problem, options: &Options, level: LevelIx) -> Stay {
    if !problem.level(level).spill {
        Stay::LevelMayNotSpill
    } else if options.on_full.contains(&Fallback::Spill) {
        Stay::OpensNoHole
    } else {
        Stay::ChainDoesNotSpill
    }
}

/// Plans again with one thing changed at a time, and keeps what works: flags first, then capacities.
pub fn find_remedies(problem: &Problem, options: &Options, diagnosis: &mut Diagnosis) {
    let Ok(first) = order::first_order(&problem.graph, options.order) else { return };
    let tried = Trial { problem, order: &first };
    let mut remedies = Vec::new();
    if diagnosis.step.is_some() {
        remedies.extend(tried.spill_l0(options));
        remedies.extend(tried.full_chain(options));
        remedies.extend(tried.postpone_limit(options));
        remedies.extend(tried.program_order(options));
    }
    remedies.extend(tried.capacity(options));
    diagnosis.remedies = remedies;
}

struct Trial<'a> {
    problem: &'a Problem,
    order: &'a [NodeIx],
}

impl Trial<'_> {
    fn spill_l0(&self, options: &Options) -> Option<Remedy> {
        let mut problem = self.problem.clone();
        problem.machine.let_l0_spill();
        (problem.machine != self.problem.machine && stuck_at(&problem, self.order, options).is_none())
            .then_some(Remedy::SpillL0)
    }

    fn full_chain(&self, options: &Options) -> Option<Remedy> {
        let full = Options::classic(options.order).on_full;
        let missing = full.iter().any(|step| !options.on_full.contains(step));
        let trial = Options { on_full: full.clone(), ..options.clone() };
        (missing && stuck_at(self.problem, self.order, &trial).is_none()).then_some(Remedy::Chain(full))
    }

    /// The smallest limit found at which it works while one less fails.
    fn postpone_limit(&self, options: &Options) -> Option<Remedy> {
        let works = |limit: u32| {
            let trial = Options { postpone_limit: limit, ..options.clone() };
            stuck_at(self.problem, self.order, &trial).is_none()
        };
        if !options.on_full.contains(&Fallback::Postpone) {
            return None;
        }
        // Nobody can be postponed more often than there are FREEs.
        let (mut fails, mut limit) = (options.postpone_limit, self.order.len() as u32);
        if limit <= fails || !works(limit) {
            return None;
        }
        while limit - fails > 1 {
            let middle = fails + (limit - fails) / 2;
            if works(middle) { limit = middle } else { fails = middle }
        }
        Some(Remedy::PostponeLimit(limit))
    }

    fn program_order(&self, options: &Options) -> Option<Remedy> {
        if options.order == Order::Program {
            return None;
        }
        let program = order::first_order(&self.problem.graph, Order::Program).ok()?;
        stuck_at(self.problem, &program, options).is_none().then_some(Remedy::ProgramOrder)
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
        // Lowering one level may let another sink again, so until nothing moves. Each round only lowers.
        loop {
            let before = caps.clone();
            raised.iter().for_each(|&level| self.lower(&mut caps, level, given[level.at()], options));
            if caps == before {
                break;
            }
        }
        let levels: Vec<(LevelIx, u64)> = raised
            .iter()
            .map(|&level| (level, caps[level.at()]))
            .filter(|&(level, cap)| cap > given[level.at()])
            .collect();
        let sets = operand_sets(self.problem);
        let smallest = levels.iter().all(|&(level, cap)| sets[level.at()].as_ref().is_some_and(|set| set.need == cap));
        Some(Remedy::Capacity { levels, smallest })
    }

    /// Lowers `level` to where it still works and one unit less fails, or to `given`.
    fn lower(&self, caps: &mut [u64], level: LevelIx, given: u64, options: &Options) {
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
            None => stuck_at(&problem, self.order, options).map(|stuck| problem.level_of(stuck.buf)),
        }
    }

    fn all_sizes(&self, level: LevelIx) -> u64 {
        let buffers = self.problem.graph.buffers().iter().enumerate();
        buffers.filter(|(at, _)| self.problem.level_of(BufIx::new(*at)) == level).map(|(_, buffer)| buffer.size).sum()
    }
}

fn stuck_at(problem: &Problem, order: &[NodeIx], options: &Options) -> Option<Stuck> {
    walk(problem, order, options, &mut ()).stuck
}
