//! Bounds: what no plan can beat, each labelled with what it holds for.
//!
//! | bound | holds for |
//! |-------|-----------|
//! | [`operand_sets`] | any order: above a level's capacity no plan exists |
//! | [`makespan_bound`] | any order, spills left out |
//! | [`max_live`] | this order: the capacity that runs it without a spill (no bound on a plan that spills) |
//! | [`fractional_spill`] | this order: the least extra traffic, if a buffer could leave in parts |

mod flow;
mod fractional;
mod pool_cap;

pub use fractional::{FractionalBound, fractional_spill};
pub use pool_cap::{default_pool_cap, sum_of_blocks};

use super::order::Priorities;
use crate::model::{BufIx, LevelIx, NodeIx, NodeKind, Problem, UnitIx};

/// The largest set of buffers in one level that must be resident at the same moment, whatever the order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperandSet {
    /// Sum of their sizes (of a pool, of their blocks).
    pub need: u64,
    /// The moment.
    pub at: OperandAt,
}

/// When an operand set must be resident.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandAt {
    /// While this operation runs, or from this ALLOC on.
    Node(NodeIx),
    /// When the plan ends: the buffers without a FREE have all come back by then, since each SPILL_OUT has its SPILL_IN.
    End,
}

/// Per level, the largest operand set; `None` for a level that no buffer lives in. It is the least capacity for which a
/// plan exists. Ties go to the lowest node, the end last.
pub fn operand_sets(problem: &Problem) -> Vec<Option<OperandSet>> {
    let graph = &*problem.graph;
    let mut largest: Vec<Option<OperandSet>> = vec![None; problem.level_count()];
    let mut offer = |level: LevelIx, need: u64, at: OperandAt| {
        let best = &mut largest[level.at()];
        if best.is_none_or(|best| need > best.need) {
            *best = Some(OperandSet { need, at });
        }
    };
    let mut need = vec![0u64; problem.level_count()];
    for node in graph.node_ixs() {
        match graph.node(node).kind {
            NodeKind::Alloc(buf) => offer(problem.level_of(buf), problem.space_of(buf), OperandAt::Node(node)),
            NodeKind::Free(_) => {}
            NodeKind::Op(op) => {
                for &buf in graph.operands(&op) {
                    need[problem.level_of(buf).at()] += problem.space_of(buf);
                }
                for &buf in graph.operands(&op) {
                    let level = problem.level_of(buf);
                    let sum = std::mem::take(&mut need[level.at()]);
                    offer(level, sum, OperandAt::Node(node));
                }
            }
        }
    }
    for (at, _) in graph.buffers().iter().enumerate().filter(|(_, buffer)| buffer.free.is_none()) {
        let buf = BufIx::new(at);
        need[problem.level_of(buf).at()] += problem.space_of(buf);
    }
    for (at, &sum) in need.iter().enumerate().filter(|&(_, &sum)| sum > 0) {
        offer(LevelIx::new(at), sum, OperandAt::End);
    }
    largest
}

/// Per level, the largest sum of sizes between ALLOC and FREE in this order: the capacity needed to run it without a
/// spill, if addresses could always be found. `order` holds every node once, each buffer's FREE after its ALLOC.
pub fn max_live(problem: &Problem, order: &[NodeIx]) -> Vec<u64> {
    let mut live = vec![0u64; problem.level_count()];
    let mut most = live.clone();
    for &node in order {
        let kind = problem.graph.node(node).kind;
        let Some(buf) = kind.cache_buffer() else { continue };
        let (level, size) = (problem.level_of(buf).at(), problem.space_of(buf));
        if let NodeKind::Alloc(_) = kind {
            live[level] += size;
            most[level] = most[level].max(live[level]);
        } else {
            live[level] -= size;
        }
    }
    most
}

/// Lower bounds on the makespan of any order, in cycles. Transfers of spills are left out, so that they hold for any plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MakespanBound {
    /// The longest chain of dependent operations.
    pub critical_path: u64,
    /// The unit for which head + ⌈work ÷ lanes⌉ + tail is largest, and that sum: before the first of its operations can
    /// start the head must have run, after the last one the tail. `None` where no operation takes time on a unit.
    pub busiest: Option<(UnitIx, u64)>,
    /// The larger of the two.
    pub best: u64,
}

/// See [`MakespanBound`]. An operation whose pipe has no name loads no unit.
pub fn makespan_bound(problem: &Problem, starts: &Priorities) -> MakespanBound {
    let critical_path = starts.critical_path();
    let busiest = busiest_unit(problem, starts);
    let best = busiest.map_or(critical_path, |(_, sum)| sum.max(critical_path));
    MakespanBound { critical_path, busiest, best }
}

/// What one unit has to do.
#[derive(Clone, Copy)]
struct Load {
    work: u64,
    head: u64,
    tail: u64,
}

/// Ties go to the lowest unit.
fn busiest_unit(problem: &Problem, starts: &Priorities) -> Option<(UnitIx, u64)> {
    let mut loads = vec![Load { work: 0, head: u64::MAX, tail: u64::MAX }; problem.units.len()];
    for node in problem.graph.node_ixs() {
        let NodeKind::Op(op) = problem.graph.node(node).kind else { continue };
        if op.cycles > 0 && !problem.graph.symbol(op.pipe).raw().is_empty() {
            let load = &mut loads[problem.unit_of(op.pipe).at()];
            load.work += op.cycles;
            load.head = load.head.min(starts.earliest(node));
            load.tail = load.tail.min(starts.tail(node) - op.cycles);
        }
    }
    let mut busiest: Option<(UnitIx, u64)> = None;
    for (at, load) in loads.iter().enumerate().filter(|(_, load)| load.work > 0) {
        // Cannot wrap: head and tail together are at most one chain, and all cycles of a graph are below 2^63.
        let lanes = u64::from(problem.units[at].count.max(1));
        let sum = load.head + load.work.div_ceil(lanes) + load.tail;
        if busiest.is_none_or(|(_, most)| sum > most) {
            busiest = Some((UnitIx::new(at), sum));
        }
    }
    busiest
}

#[cfg(test)]
mod tests;
