//! When operations become ready. An operation is ready when all that must run before it is done, save ALLOCs
//! that could run now: what an ALLOC waits for, its operations wait for.

use crate::model::{Graph, NodeIx, NodeKind};

/// Counts down what each operation waits for.
#[derive(Clone, Debug)]
pub struct ReadyQueue {
    /// What each operation still waits for; by node.
    waits: Vec<u32>,
    /// Operations that wait for a node, run by run.
    waiters: Vec<NodeIx>,
    runs: Vec<u32>,
}

impl ReadyQueue {
    /// Nothing done yet.
    pub fn new(graph: &Graph) -> Self {
        let mut pairs: Vec<(NodeIx, NodeIx)> = Vec::new();
        let mut waits = vec![0; graph.node_count()];
        let mut needs: Vec<NodeIx> = Vec::new();
        for op in graph.node_ixs().filter(|&node| graph.node(node).kind.is_op()) {
            needs.clear();
            for pred in graph.preds(op) {
                match graph.node(pred).kind {
                    NodeKind::Alloc(_) => needs.extend(graph.preds(pred)),
                    _ => needs.push(pred),
                }
            }
            needs.sort_unstable();
            needs.dedup();
            waits[op.at()] = needs.len() as u32;
            pairs.extend(needs.iter().map(|&need| (need, op)));
        }
        let mut runs = vec![0u32; graph.node_count() + 1];
        pairs.iter().for_each(|(need, _)| runs[need.at() + 1] += 1);
        for at in 1..runs.len() {
            runs[at] += runs[at - 1];
        }
        let mut next = runs.clone();
        let mut waiters = vec![NodeIx(0); pairs.len()];
        for (need, op) in pairs {
            waiters[next[need.at()] as usize] = op;
            next[need.at()] += 1;
        }
        Self { waits, waiters, runs }
    }

    /// Whether the operation waits for nothing.
    pub fn is_ready(&self, op: NodeIx) -> bool {
        self.waits[op.at()] == 0
    }

    /// `node` is done: calls `ready` for each operation that waits for nothing any more, by ascending id.
    pub fn done(&mut self, node: NodeIx, mut ready: impl FnMut(NodeIx)) {
        for at in self.runs[node.at()]..self.runs[node.at() + 1] {
            let op = self.waiters[at as usize];
            self.waits[op.at()] -= 1;
            if self.waits[op.at()] == 0 {
                ready(op);
            }
        }
    }
}
