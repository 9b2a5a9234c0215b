//! FREEs moved to just after the last use: a schedule that gives memory back late makes others leave for nothing.

use super::{Decisions, Ordered};
use crate::model::{BufIx, Graph, NodeIx, NodeKind};

/// The same order with every FREE right behind the last of its predecessors and of the operations that name its buffer;
/// several behind one node by ascending id. Only what the scheduler came to moves.
pub(super) fn hoist_frees(graph: &Graph, ordered: Ordered) -> Ordered {
    let (planned, rest) = ordered.nodes.split_at(ordered.planned);
    let mut hoist = Hoist { graph, waits: waits(graph), nodes: Vec::with_capacity(ordered.nodes.len()) };
    rest.iter().for_each(|node| hoist.waits[node.at()] = u32::MAX);
    for &node in planned {
        if !is_free(graph, node) {
            hoist.emit(node);
        }
    }
    let decisions = ordered.decisions.map(|decisions| with_nodes(graph, &decisions, planned, &hoist.nodes));
    hoist.nodes.extend_from_slice(rest);
    Ordered { nodes: hoist.nodes, decisions, ..ordered }
}

/// For each FREE: how many nodes have to run before it.
fn waits(graph: &Graph) -> Vec<u32> {
    let mut waits = graph.pred_counts();
    for (at, buffer) in graph.buffers().iter().enumerate() {
        if let Some(free) = buffer.free {
            waits[free.at()] += 1 + graph.users(BufIx::new(at)).len() as u32;
        }
    }
    waits
}

struct Hoist<'a> {
    graph: &'a Graph,
    waits: Vec<u32>,
    nodes: Vec<NodeIx>,
}

impl Hoist<'_> {
    /// `node` runs, and after it every FREE that waits for nothing more.
    fn emit(&mut self, node: NodeIx) {
        let mut behind = vec![node];
        while let Some(node) = behind.pop() {
            self.nodes.push(node);
            let mut released = self.release(node);
            // The lowest id is taken off the end first.
            released.sort_unstable_by(|a, b| b.cmp(a));
            behind.append(&mut released);
        }
    }

    /// The FREEs that `node` was the last to keep.
    fn release(&mut self, node: NodeIx) -> Vec<NodeIx> {
        let graph = self.graph;
        let named: &[BufIx] = match &graph.node(node).kind {
            NodeKind::Alloc(buf) => std::slice::from_ref(buf),
            NodeKind::Op(op) => graph.operands(op),
            NodeKind::Free(_) => &[],
        };
        let frees = named.iter().filter_map(|buf| graph.buffer(*buf).free);
        let mut released = Vec::new();
        for free in frees.chain(graph.succs(node).filter(|&next| is_free(graph, next))) {
            self.waits[free.at()] -= 1;
            if self.waits[free.at()] == 0 {
                released.push(free);
            }
        }
        released
    }
}

fn is_free(graph: &Graph, node: NodeIx) -> bool {
    matches!(graph.node(node).kind, NodeKind::Free(_))
}

/// The decisions of the scheduler for the new order. What stood with a FREE that moved is told with the next node behind
/// its old place, so that the sequence of decisions stays as it was.
fn with_nodes(graph: &Graph, decisions: &Decisions, old: &[NodeIx], new: &[NodeIx]) -> Decisions {
    let mut told = Decisions::default();
    let mut pending = Vec::new();
    let mut runs = old.iter().enumerate().filter_map(|(place, &node)| {
        pending.extend_from_slice(decisions.at(place));
        (!is_free(graph, node)).then(|| std::mem::take(&mut pending))
    });
    for &node in new {
        let mut run = if is_free(graph, node) { Vec::new() } else { runs.next().unwrap_or_default() };
        told.add_step(&mut run);
    }
    drop(runs);
    told.trailing = pending;
    told.trailing.extend_from_slice(decisions.trailing());
    told
}
