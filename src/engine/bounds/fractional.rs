//! The least extra traffic of one order, if a buffer could be spilled in parts.

use super::flow::{Network, UNLIMITED};
use super::operand_sets;
use crate::model::{BufIx, LevelIx, NodeIx, NodeKind, Problem};

/// A lower bound on the extra traffic of every plan that keeps the nodes in this order. It says nothing once ALLOCs or
/// FREEs move: "bound for this order".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FractionalBound {
    /// Sum over the levels.
    pub total: u64,
    /// Per level, in the machine's order.
    pub per_level: Vec<u64>,
}

/// The fractional spill bound for `order` (every node once, each buffer's FREE after its ALLOC); `None` where some
/// operand set exceeds its level, so that no plan exists.
///
/// Between two neighbouring uses of a buffer (its ALLOC and FREE count; without FREE the end of the plan does) lies a
/// gap. A share 0 ≤ x ≤ 1 of the buffer is out in that gap, at x times the cost of a spill. At each step the shares of
/// the live buffers that are in, and the buffers in use, are within the level's capacity. The bound is the least cost.
/// With y = size · x the constraints say: the y of the gaps around a step are at least the live sizes less the
/// capacity. Each gap covers consecutive steps, so the program is a flow along the line of steps and its optimum whole.
pub fn fractional_spill(problem: &Problem, order: &[NodeIx]) -> Option<FractionalBound> {
    let sets = operand_sets(problem);
    let exceeded = |at: usize| sets[at].is_some_and(|set| set.need > problem.machine.levels[at].capacity);
    if (0..problem.level_count()).any(exceeded) {
        return None;
    }
    let per_level: Vec<u64> =
        (0..problem.level_count()).map(|at| level_bound(problem, order, LevelIx::new(at))).collect::<Option<_>>()?;
    // Saturating keeps it a bound from below.
    let total = per_level.iter().fold(0u64, |sum, &cost| sum.saturating_add(cost));
    Some(FractionalBound { total, per_level })
}

/// Rows [start, end) between two uses of a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Gap {
    start: u32,
    end: u32,
    /// Cost of one unit of size: 1 for a backed buffer, else 2.
    cost: u8,
    size: u64,
}

/// The moments of one level at which more is live than fits, and the gaps around them.
struct Rows {
    /// Live sizes less capacity, above 0.
    demand: Vec<u64>,
    gaps: Vec<Gap>,
}

fn level_bound(problem: &Problem, order: &[NodeIx], level: LevelIx) -> Option<u64> {
    let rows = collect_rows(problem, order, level);
    let Some(&most) = rows.demand.iter().max() else { return Some(0) };
    // One node before each row and one after the last. What crosses a row is `most`: the gaps around it carry their y,
    // the line arc the rest, which may be negative where they carry more than `most`.
    let mut network = Network::new(rows.demand.len() + 1);
    for (row, &demand) in rows.demand.iter().enumerate() {
        network.arc(row, row + 1, most - demand, UNLIMITED, 0);
    }
    for gap in &rows.gaps {
        network.arc(gap.start as usize, gap.end as usize, gap.size, 0, i64::from(gap.cost));
    }
    network.cheapest(most).map(|cost| u64::try_from(cost).unwrap_or(u64::MAX))
}

/// Only a step that touches the level can be a row: any other has the live sizes and at least the gaps of the last
/// such step before it.
fn collect_rows(problem: &Problem, order: &[NodeIx], level: LevelIx) -> Rows {
    let graph = &*problem.graph;
    let capacity = problem.level(level).capacity;
    let mut rows = Rows { demand: Vec::new(), gaps: Vec::new() };
    // For each buffer, the first row after its latest use.
    let mut open = vec![0u32; graph.buffers().len()];
    let mut live: u64 = 0;
    let here = |buf: &BufIx| problem.level_of(*buf) == level;
    let mut used: Vec<BufIx> = Vec::new();
    for &node in order {
        let kind = graph.node(node).kind;
        used.clear();
        match kind {
            NodeKind::Alloc(buf) | NodeKind::Free(buf) => used.extend(Some(buf).filter(here)),
            NodeKind::Op(op) => used.extend(graph.operands(&op).iter().copied().filter(here)),
        }
        if used.is_empty() {
            continue;
        }
        let is_alloc = matches!(kind, NodeKind::Alloc(_));
        if is_alloc {
            live += graph.buffer(used[0]).size;
        }
        let row = rows.demand.len() as u32;
        let demand = live.saturating_sub(capacity);
        if demand > 0 {
            rows.demand.push(demand);
        }
        for &buf in &used {
            if !is_alloc {
                rows.close(problem, buf, open[buf.at()], row);
            }
            open[buf.at()] = rows.demand.len() as u32;
        }
        if matches!(kind, NodeKind::Free(_)) {
            live -= graph.buffer(used[0]).size;
        }
    }
    let end = rows.demand.len() as u32;
    for (at, _) in graph.buffers().iter().enumerate().filter(|(_, buffer)| buffer.free.is_none()) {
        if here(&BufIx::new(at)) {
            rows.close(problem, BufIx::new(at), open[at], end);
        }
    }
    rows
}

impl Rows {
    /// Enters the gap of `buf` over the rows [start, end), unless it covers none.
    fn close(&mut self, problem: &Problem, buf: BufIx, start: u32, end: u32) {
        if start < end {
            let buffer = problem.graph.buffer(buf);
            let cost = if buffer.backed { 1 } else { 2 };
            self.gaps.push(Gap { start, end, cost, size: buffer.size });
        }
    }
}
