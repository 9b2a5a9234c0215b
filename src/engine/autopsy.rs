//! What a failure looks like from inside: the smallest set of buffers that cannot be together, and what filled the level.

use std::cmp::Reverse;

use crate::model::{
    BufIx, Conflict, ConflictKind, Diagnosis, FailureKind, Fill, LevelIx, NodeIx, NodeKind, Plan, Problem, Rise, Step,
};

/// How many buffers of a rise are told one by one.
const MOST_FILLS: usize = 12;
/// How far a chain of operations is followed back.
const MOST_BEHIND: usize = 3;

/// Who comes to `level` (with its address) and who leaves it, step by step.
pub(super) fn moves<'a>(
    problem: &'a Problem,
    plan: &'a Plan,
    level: LevelIx,
) -> impl Iterator<Item = (u32, BufIx, Option<u64>)> + 'a {
    let moved = |what: Step| match what {
        Step::Node(node) => match problem.graph.node(node).kind {
            NodeKind::Alloc(buf) => Some((buf, plan.memory[buf.at()])),
            NodeKind::Free(buf) => Some((buf, None)),
            NodeKind::Op(_) => None,
        },
        Step::Out(spill) => Some((plan.spills[spill.at()].buf, None)),
        Step::Back(spill) => Some((plan.spills[spill.at()].buf, plan.spills[spill.at()].offset)),
    };
    plan.steps.iter().enumerate().filter_map(move |(step, &what)| {
        let (buf, offset) = moved(what)?;
        (problem.level_of(buf) == level).then_some((step as u32, buf, offset))
    })
}

/// A smallest set of buffers that cannot be in the level together: operands by their sizes; where something was
/// requested and those in the level may not go, these by their sizes and else as they lie.
pub(super) fn smallest_conflict(problem: &Problem, found: &Diagnosis) -> Option<Conflict> {
    let sized = |bufs: Vec<BufIx>| bufs.into_iter().map(|buf| (problem.space_of(buf), buf)).collect::<Vec<_>>();
    let holders = || found.holders.iter().map(|holder| holder.buf).collect::<Vec<_>>();
    match found.kind {
        FailureKind::LargerThanLevel => {
            let kind = ConflictKind::Sizes { sum: problem.space_of(found.buf) };
            Some(Conflict { bufs: vec![found.buf], kind })
        }
        FailureKind::OperandsLargerThanLevel => {
            let (bufs, sum) = fewest_above(sized(holders()), found.capacity)?;
            Some(Conflict { bufs, kind: ConflictKind::Sizes { sum } })
        }
        FailureKind::NoHole | FailureKind::Forbidden | FailureKind::Deadlock => {
            let Some((bufs, sum)) = fewest_above(sized(holders()), found.capacity.saturating_sub(found.need)) else {
                return fewest_in_the_way(problem, found);
            };
            Some(Conflict { bufs, kind: ConflictKind::SizesAndRequest { sum: sum.saturating_add(found.need) } })
        }
    }
}

/// The fewest whose sizes come to more than `limit`: the largest ones. Without any of them, the others are no more than
/// as many of the largest, which were not enough.
fn fewest_above(mut sized: Vec<(u64, BufIx)>, limit: u64) -> Option<(Vec<BufIx>, u64)> {
    sized.sort_unstable_by_key(|&(size, buf)| (Reverse(size), buf));
    let mut sum = 0u64;
    let enough = sized.iter().position(|&(size, _)| {
        sum = sum.saturating_add(size);
        sum > limit
    })?;
    sized.truncate(enough + 1);
    Some((sized.into_iter().map(|(_, buf)| buf).collect(), sum))
}

/// The fewest holders that leave no hole for the request: from the start of the level, at each turn the one that
/// reaches furthest of those before which there is no room. `None` where there is room.
fn fewest_in_the_way(problem: &Problem, found: &Diagnosis) -> Option<Conflict> {
    if problem.level(found.level).pool().is_some() {
        return None; // a block can lie anywhere
    }
    let mut bufs = Vec::new();
    let mut end = 0u64;
    let mut rest = found.holders.iter().peekable();
    while found.capacity.saturating_sub(end) >= found.need {
        let mut furthest = None;
        while let Some(holder) = rest.next_if(|holder| holder.offset.saturating_sub(end) < found.need) {
            let reaches = holder.offset.saturating_add(problem.space_of(holder.buf));
            // They lie side by side, so that the last is the one that reaches furthest.
            furthest = Some((reaches, holder.buf));
        }
        let (reaches, buf) = furthest?;
        bufs.push(buf);
        end = reaches;
    }
    Some(Conflict { bufs, kind: ConflictKind::Places })
}

/// What brought those who hold the level at the failure, since the last time that none of them was there.
pub(super) fn rise(problem: &Problem, plan: &Plan, found: &Diagnosis) -> Option<Rise> {
    let first = found.holders.iter().map(|holder| holder.since).min()?;
    let mut largest: Vec<_> = found.holders.iter().collect();
    largest.sort_unstable_by_key(|holder| (Reverse(problem.space_of(holder.buf)), holder.buf));
    let more = largest.len().saturating_sub(MOST_FILLS);
    largest.truncate(MOST_FILLS);
    largest.sort_unstable_by_key(|holder| (holder.since, holder.buf));
    let used = Uses::new(problem, plan, found.level);
    let ran = Ran::new(problem, plan);
    let fills = largest.into_iter().map(|holder| {
        let next = holder.next_use.filter(|&node| problem.graph.node(node).kind.is_op());
        let by = came_for(problem, &ran, holder.buf, holder.since).or(next);
        Fill {
            step: holder.since,
            buf: holder.buf,
            used: used.after(holder.since),
            by,
            behind: by.map(|node| behind(problem, &ran, node)).unwrap_or_default(),
        }
    });
    let low_step = first.checked_sub(1);
    Some(Rise { low_step, low: low_step.map_or(0, |step| used.after(step)), fills: fills.collect(), more })
}

/// Units in use of one level after each step that changes them.
struct Uses(Vec<(u32, u64)>);

impl Uses {
    fn new(problem: &Problem, plan: &Plan, level: LevelIx) -> Self {
        let mut used = 0u64;
        let mut uses = Vec::new();
        for (step, buf, offset) in moves(problem, plan, level) {
            let space = problem.space_of(buf);
            used = if offset.is_some() { used.saturating_add(space) } else { used.saturating_sub(space) };
            uses.push((step, used));
        }
        Self(uses)
    }

    fn after(&self, step: u32) -> u64 {
        let later = self.0.partition_point(|&(at, _)| at <= step);
        later.checked_sub(1).map_or(0, |at| self.0[at].1)
    }
}

/// The steps of the nodes that ran.
struct Ran(Vec<Option<u32>>);

impl Ran {
    fn new(problem: &Problem, plan: &Plan) -> Self {
        let mut steps = vec![None; problem.graph.node_count()];
        for (step, &what) in plan.steps.iter().enumerate() {
            if let Step::Node(node) = what {
                steps[node.at()] = Some(step as u32);
            }
        }
        Self(steps)
    }

    /// The nodes of `among` that ran, each behind its step.
    fn of(&self, among: impl Iterator<Item = NodeIx>) -> impl Iterator<Item = (u32, NodeIx)> {
        among.filter_map(|node| Some((self.0[node.at()]?, node)))
    }
}

/// The first operation after `since` that names `buf`.
fn came_for(problem: &Problem, ran: &Ran, buf: BufIx, since: u32) -> Option<NodeIx> {
    let users = ran.of(problem.graph.users(buf).iter().copied());
    users.filter(|&(step, _)| step > since).min().map(|(_, user)| user)
}

/// From `node` back through the graph, at each turn to the last of the operations that had to be done before.
fn behind(problem: &Problem, ran: &Ran, node: NodeIx) -> Vec<NodeIx> {
    let before = |&node: &NodeIx| {
        let ops = problem.graph.preds(node).filter(|&pred| problem.graph.node(pred).kind.is_op());
        ran.of(ops).max().map(|(_, pred)| pred)
    };
    std::iter::successors(before(&node), before).take(MOST_BEHIND).collect()
}

#[cfg(test)]
mod tests;
