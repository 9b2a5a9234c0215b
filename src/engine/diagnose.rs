//! Why there is no plan, and who is in the way.

use super::bounds::{OperandAt, operand_sets};
use super::order::Ordered;
use super::{Planned, Stuck, autopsy};
use crate::model::{
    BufIx, Diagnosis, FailureKind, Fallback, Holder, LevelIx, NodeIx, NodeKind, Options, Problem, Stay, Step,
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
    let buf = (0..graph.buffers().len()).map(BufIx::new).find(|&buf| problem.space_of(buf) > capacity(buf))?;
    let node = graph.buffer(buf).alloc;
    Some(unplanned(problem, FailureKind::LargerThanLevel, buf, Some(node), problem.space_of(buf), Vec::new()))
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
    together.sort_by_key(|&buf| (std::cmp::Reverse(problem.space_of(buf)), buf));
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
    let mut found = Diagnosis {
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
        waiting: Vec::new(),
        conflict: None,
        rise: None,
        remedies: Vec::new(),
        in_vain: Vec::new(),
    };
    found.conflict = autopsy::smallest_conflict(problem, &found);
    found
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
pub fn of_stuck(problem: &Problem, ordered: &Ordered, options: &Options, planned: &Planned, stuck: Stuck) -> Diagnosis {
    let level = problem.level_of(stuck.buf);
    let residents = residents(problem, planned, level);
    let is_pool = problem.level(level).pool().is_some();
    let capacity = problem.level(level).capacity;
    let used: u64 = residents.iter().map(|(buf, ..)| problem.space_of(*buf)).sum();
    let need = if stuck.deadlock { ordered.deadlock[0].need } else { problem.space_of(stuck.buf) };
    let free = capacity - used;
    let next_use = next_uses(problem, &ordered.nodes, planned, &residents);
    let stays = why_they_stay(problem, options, level);
    let holders = residents.iter().zip(next_use).map(|(&(buf, offset, since), next_use)| Holder {
        buf,
        offset,
        since,
        next_use,
        stays,
    });
    let mut found = Diagnosis {
        kind: match (stuck.deadlock, free >= need) {
            (true, _) => FailureKind::Deadlock,
            (false, true) => FailureKind::NoHole,
            (false, false) => FailureKind::Forbidden,
        },
        level,
        buf: stuck.buf,
        node: Some(stuck.node),
        step: Some(planned.plan.steps.len() as u32),
        need,
        capacity,
        free,
        // A block can lie anywhere, so a pool has no holes.
        largest_hole: if is_pool { free } else { largest_hole(problem, &residents, capacity) },
        holders: holders.collect(),
        waiting: if stuck.deadlock { ordered.deadlock.clone() } else { Vec::new() },
        conflict: None,
        rise: None,
        remedies: Vec::new(),
        in_vain: Vec::new(),
    };
    found.conflict = autopsy::smallest_conflict(problem, &found);
    found.rise = autopsy::rise(problem, &planned.plan, &found);
    found
}

/// Who is in `level` at the end of the planned part, by address: buffer, offset, step since when.
fn residents(problem: &Problem, planned: &Planned, level: LevelIx) -> Vec<(BufIx, u64, u32)> {
    let mut at = std::collections::BTreeMap::new();
    for (step, buf, offset) in autopsy::moves(problem, &planned.plan, level) {
        match offset {
            Some(offset) => drop(at.insert(buf, (offset, step))),
            None => drop(at.remove(&buf)),
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
    if problem.level(level).pool().is_some() {
        Stay::PoolsKeep
    } else if !problem.level(level).spill {
        Stay::LevelMayNotSpill
    } else if options.on_full.contains(&Fallback::Spill) {
        Stay::OpensNoHole
    } else {
        Stay::ChainDoesNotSpill
    }
}
