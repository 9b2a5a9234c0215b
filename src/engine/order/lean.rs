//! Sequences that run one operation at a time and hold little memory: the way to the end that keeps a schedule safe.

use super::{Priorities, any_order};
use crate::model::{BufIx, Graph, LevelIx, NodeIx, NodeKind, Problem};

/// Of some sequences of all operations the one that holds least: depth first from the graph's ends, each time into
/// what lies deepest (one chain after the other, in place of all side by side), or into what has the highest or the
/// lowest id; and the order of the ids. To find the least of all is NP-hard (Sethi: "Complete register allocation
/// problems", 1975).
pub(super) fn lean_sequence(problem: &Problem, starts: &Priorities) -> Vec<NodeIx> {
    let graph = &*problem.graph;
    let depths = depths(graph);
    let deepest = |node: NodeIx| (u64::from(depths[node.at()]), starts.earliest(node));
    let candidates = [
        depth_first(graph, deepest),
        depth_first(graph, |node| (u64::from(node.0), 0)),
        depth_first(graph, |node| (u64::from(u32::MAX - node.0), 0)),
        by_id(graph),
    ];
    let least = candidates.into_iter().min_by_key(|sequence| Weight::of(problem, sequence));
    least.unwrap_or_default()
}

/// Units of `level` that are held at most when the operations run one at a time: in the first sequence that does with
/// `enough`, else in the one that holds least.
pub fn lean_need(problem: &Problem, level: LevelIx, enough: u64) -> u64 {
    let graph = &*problem.graph;
    let need = |sequence: &[NodeIx]| most_held(problem, sequence)[level.at()];
    let first = need(&depth_first(graph, |node| (u64::from(node.0), 0)));
    if first <= enough {
        return first;
    }
    let starts = Priorities::new(graph, &any_order(graph));
    need(&lean_sequence(problem, &starts))
}

/// How many edges the longest chain before each node has.
fn depths(graph: &Graph) -> Vec<u32> {
    let mut depths = vec![0; graph.node_count()];
    for node in any_order(graph) {
        depths[node.at()] = graph.preds(node).map(|pred| depths[pred.at()] + 1).max().unwrap_or(0);
    }
    depths
}

/// The operations in the order in which a walk against the edges leaves them. From each node it goes first to the
/// predecessor of largest `rank`.
fn depth_first(graph: &Graph, rank: impl Fn(NodeIx) -> (u64, u64)) -> Vec<NodeIx> {
    let mut seen = vec![false; graph.node_count()];
    let mut sequence = Vec::new();
    // Of each node on the way: it, and where its predecessors that are still to be visited begin on `open`.
    let mut path: Vec<(NodeIx, usize)> = Vec::new();
    let mut open: Vec<NodeIx> = graph.node_ixs().filter(|&node| graph.succs(node).next().is_none()).collect();
    open.sort_by_key(|&node| rank(node));
    loop {
        let base = path.last().map_or(0, |&(_, base)| base);
        if open.len() > base {
            let Some(node) = open.pop() else { break };
            if !std::mem::replace(&mut seen[node.at()], true) {
                path.push((node, open.len()));
                let start = open.len();
                open.extend(graph.preds(node).filter(|pred| !seen[pred.at()]));
                open[start..].sort_by_key(|&node| rank(node));
            }
        } else if let Some((node, _)) = path.pop() {
            sequence.extend(graph.node(node).kind.is_op().then_some(node));
        } else {
            break;
        }
    }
    sequence
}

/// Kahn's order with the lowest id first.
fn by_id(graph: &Graph) -> Vec<NodeIx> {
    use std::cmp::Reverse;
    let mut waits = graph.pred_counts();
    let mut open: std::collections::BinaryHeap<Reverse<NodeIx>> =
        graph.node_ixs().filter(|node| waits[node.at()] == 0).map(Reverse).collect();
    let mut sequence = Vec::new();
    while let Some(Reverse(node)) = open.pop() {
        sequence.extend(graph.node(node).kind.is_op().then_some(node));
        for next in graph.succs(node) {
            waits[next.at()] -= 1;
            if waits[next.at()] == 0 {
                open.push(Reverse(next));
            }
        }
    }
    sequence
}

/// What a sequence holds at its most: levels that may not spill and overflow count first, then the sum over all levels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Weight {
    overflowing: usize,
    most: u64,
}

impl Weight {
    fn of(problem: &Problem, sequence: &[NodeIx]) -> Self {
        let most = most_held(problem, sequence);
        let hard = |level: LevelIx| !problem.level(level).spill || problem.level(level).pool().is_some();
        let overflows = |(at, most): (usize, &u64)| {
            let level = LevelIx::new(at);
            hard(level) && *most > problem.level(level).capacity
        };
        Self {
            overflowing: most.iter().enumerate().filter(|&entry| overflows(entry)).count(),
            most: most.iter().fold(0, |sum, most| sum.saturating_add(*most)),
        }
    }
}

/// Per level, the most that is held when each buffer lives from its first user to its last.
fn most_held(problem: &Problem, sequence: &[NodeIx]) -> Vec<u64> {
    let graph = &*problem.graph;
    let mut users_left: Vec<u32> =
        (0..graph.buffers().len()).map(|at| graph.users(BufIx::new(at)).len() as u32).collect();
    let mut held = vec![0u64; problem.level_count()];
    let mut most = held.clone();
    for &node in sequence {
        let NodeKind::Op(op) = graph.node(node).kind else { continue };
        let operands = graph.operands(&op);
        for &buf in operands.iter().filter(|buf| users_left[buf.at()] as usize == graph.users(**buf).len()) {
            let level = problem.level_of(buf).at();
            held[level] = held[level].saturating_add(problem.space_of(buf));
            most[level] = most[level].max(held[level]);
        }
        for &buf in operands {
            users_left[buf.at()] -= 1;
            if users_left[buf.at()] == 0 && graph.buffer(buf).free.is_some() {
                let level = problem.level_of(buf).at();
                held[level] = held[level].saturating_sub(problem.space_of(buf));
            }
        }
    }
    most
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::{GraphBuilder, Machine};

    /// `chains` chains of `length` operations each, ids breadth first; a last operation reads all their ends.
    fn chains(chains: u64, length: u64) -> Problem {
        let mut builder = GraphBuilder::new("chains".into());
        let (kind, pipe, level) = ["WORK", "worker", "pool"].map(|name| builder.intern(name).unwrap()).into();
        let mut edges = Vec::new();
        let last = chains * length;
        for op in 0..=last {
            let inputs: Vec<u64> = match op.checked_sub(chains) {
                _ if op == last => (last - chains..last).collect(),
                Some(before) => vec![before],
                None => Vec::new(),
            };
            builder.alloc(3 * op, op, 100, level);
            builder.op(3 * op + 1, kind, pipe, 1, &[inputs.as_slice(), &[op]].concat());
            builder.free(3 * op + 2, op);
            edges.extend([(3 * op, 3 * op + 1), (3 * op + 1, 3 * op + 2)]);
            edges.extend(inputs.iter().flat_map(|input| [(3 * input + 1, 3 * op + 1), (3 * op + 1, 3 * input + 2)]));
        }
        builder.edges = Some(edges);
        Problem::new(Arc::new(builder.build().unwrap()), Machine::host()).unwrap()
    }

    #[test]
    fn chains_are_run_one_after_the_other() {
        let problem = chains(4, 10);
        let starts = Priorities::new(&problem.graph, &any_order(&problem.graph));
        let sequence = lean_sequence(&problem, &starts);
        assert_eq!(sequence.len(), 41);
        // Breadth first, four chains hold 4 and one output more; one by one, only their ends pile up.
        let block = problem.space_of(BufIx(0));
        assert_eq!(most_held(&problem, &by_id(&problem.graph)), [5 * block]);
        assert_eq!(most_held(&problem, &sequence), [5 * block]);
        assert_eq!(most_held(&problem, &sequence[..20]), [3 * block]);
    }
}
