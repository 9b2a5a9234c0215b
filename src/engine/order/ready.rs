//! When operations become ready. An operation is ready when all that must run before it is done, save ALLOCs
//! that could run now: what an ALLOC waits for, its operations wait for.

use crate::model::{Graph, NodeIx, NodeKind};

/// Counts down what each operation waits for. An ALLOC is passed over as soon as it could run, so one with many
/// nodes before and behind it costs their sum, not their product.
#[derive(Clone, Debug)]
pub struct ReadyQueue {
    /// By node: for an operation, the predecessors that are not done, ALLOCs that could run left out; for an ALLOC,
    /// the predecessors that are not done.
    waits: Vec<u32>,
    /// Kept between calls for its memory.
    ready: Vec<NodeIx>,
}

impl ReadyQueue {
    /// Nothing done yet.
    pub fn new(graph: &Graph) -> Self {
        let holds_back = |node: NodeIx| !is_alloc(graph, node) || graph.preds(node).next().is_some();
        let count = |node: NodeIx| match graph.node(node).kind {
            NodeKind::Op(_) => graph.preds(node).filter(|&pred| holds_back(pred)).count() as u32,
            NodeKind::Alloc(_) => graph.preds(node).count() as u32,
            NodeKind::Free(_) => 0,
        };
        Self { waits: graph.node_ixs().map(count).collect(), ready: Vec::new() }
    }

    /// Whether the operation waits for nothing.
    pub fn is_ready(&self, op: NodeIx) -> bool {
        self.waits[op.at()] == 0
    }

    /// `node` is done: calls `ready` for each operation that waits for nothing any more, by ascending id.
    pub fn done(&mut self, graph: &Graph, node: NodeIx, ready: impl FnMut(NodeIx)) {
        self.release(graph, node, !is_alloc(graph, node));
        self.ready.sort_unstable();
        self.ready.drain(..).for_each(ready);
    }

    /// Those behind `node` wait for it no more: its operations only if they still did, its ALLOCs in any case.
    fn release(&mut self, graph: &Graph, node: NodeIx, operations: bool) {
        for next in graph.succs(node) {
            match graph.node(next).kind {
                NodeKind::Op(_) if operations && self.is_last(next) => self.ready.push(next),
                NodeKind::Alloc(_) if self.is_last(next) => self.pass_over(graph, next),
                _ => {}
            }
        }
    }

    /// The ALLOC could run now, which is all that its operations wait for.
    fn pass_over(&mut self, graph: &Graph, alloc: NodeIx) {
        for next in graph.succs(alloc) {
            if graph.node(next).kind.is_op() && self.is_last(next) {
                self.ready.push(next);
            }
        }
    }

    /// Counts one down, and says whether that was the last.
    fn is_last(&mut self, node: NodeIx) -> bool {
        self.waits[node.at()] -= 1;
        self.waits[node.at()] == 0
    }
}

fn is_alloc(graph: &Graph, node: NodeIx) -> bool {
    matches!(graph.node(node).kind, NodeKind::Alloc(_))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::GraphBuilder;

    /// The operations that become ready with each node, in the order of the ids.
    fn played(allocs: &[u64], ops: &[u64], edges: &[(u64, u64)]) -> Vec<Vec<u32>> {
        let mut builder = GraphBuilder::default();
        let name = builder.intern("X").unwrap();
        allocs.iter().for_each(|&id| builder.alloc(id, id, 1, name));
        ops.iter().for_each(|&id| builder.op(id, name, name, 1, &[]));
        builder.edges = Some(edges.to_vec());
        let graph = builder.build().unwrap();
        let mut queue = ReadyQueue::new(&graph);
        let mut done = |node| {
            let mut ready = Vec::new();
            queue.done(&graph, node, |op| ready.push(op.0));
            ready
        };
        graph.node_ixs().map(&mut done).collect()
    }

    #[test]
    fn an_alloc_that_could_run_holds_nobody_back_and_one_that_waits_does() {
        // 0 and 1 run before ALLOC 2, on which 3 and 4 wait; ALLOC 5 waits for nothing, and 6 for it and 4.
        let ready = played(&[2, 5], &[0, 1, 3, 4, 6], &[(0, 2), (1, 2), (2, 3), (2, 4), (5, 6), (4, 6)]);
        assert_eq!(ready, [vec![], vec![3, 4], vec![], vec![], vec![6], vec![], vec![]]);
    }

    #[test]
    fn an_alloc_behind_an_alloc_is_waited_for_until_the_first_has_run() {
        assert_eq!(played(&[0, 1], &[2], &[(0, 1), (1, 2)]), [vec![2], vec![], vec![]]);
    }

    #[test]
    fn a_node_that_is_waited_for_twice_counts_twice() {
        // 2 waits for 0 itself and through ALLOC 1.
        assert_eq!(played(&[1], &[0, 2], &[(0, 1), (0, 2), (1, 2)]), [vec![2], vec![], vec![]]);
    }
}
