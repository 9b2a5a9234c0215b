//! Program order: the order of the file, ALLOC as late and FREE as early as can be. Exactly the rule of
//! `classic_reference.py`.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::ready::ReadyQueue;
use crate::model::{Graph, NodeIx, NodeKind};

/// Of the operations that are ready, the one with the lowest id; right before it, by id, the ALLOCs that it
/// waits for; right after it, by id, the FREEs that wait for nothing more; at the end what no operation leads to.
pub fn program_order(graph: &Graph) -> Vec<NodeIx> {
    let mut build = Build {
        graph,
        queue: ReadyQueue::new(graph),
        waits: graph.pred_counts(),
        heap: BinaryHeap::new(),
        done: vec![false; graph.node_count()],
        order: Vec::with_capacity(graph.node_count()),
    };
    let roots = graph.node_ixs().filter(|&node| graph.node(node).kind.is_op() && build.queue.is_ready(node));
    build.heap = roots.map(Reverse).collect();
    build.operations();
    build.unused_buffers();
    build.whatever_is_left();
    build.order
}

struct Build<'a> {
    graph: &'a Graph,
    queue: ReadyQueue,
    /// Predecessors that are not done, by node.
    waits: Vec<u32>,
    /// Ready operations, lowest id first.
    heap: BinaryHeap<Reverse<NodeIx>>,
    done: Vec<bool>,
    order: Vec<NodeIx>,
}

impl Build<'_> {
    fn operations(&mut self) {
        let mut touched = Vec::new();
        while let Some(Reverse(op)) = self.heap.pop() {
            if self.done[op.at()] {
                continue; // emitted among what was left
            }
            touched.clear();
            touched.extend(self.graph.preds(op).filter(|pred| !self.done[pred.at()]));
            touched.sort_unstable();
            touched.push(op);
            touched.iter().for_each(|&node| self.emit(node));
            self.frees_after(&touched);
        }
    }

    fn unused_buffers(&mut self) {
        for node in self.graph.node_ixs() {
            let is_alloc = matches!(self.graph.node(node).kind, NodeKind::Alloc(_));
            if is_alloc && !self.done[node.at()] && self.waits[node.at()] == 0 {
                self.emit(node);
                self.frees_after(&[node]);
            }
        }
    }

    /// Nodes that neither of the two reaches: behind edges that lead from a FREE to a FREE or through ALLOCs
    /// only. Kahn's order by id, which always ends, since the graph has no cycle.
    fn whatever_is_left(&mut self) {
        if self.order.len() == self.graph.node_count() {
            return;
        }
        let open = |build: &Self, node: NodeIx| !build.done[node.at()] && build.waits[node.at()] == 0;
        let mut free: BinaryHeap<Reverse<NodeIx>> =
            self.graph.node_ixs().filter(|&node| open(self, node)).map(Reverse).collect();
        while let Some(Reverse(node)) = free.pop() {
            if open(self, node) {
                self.emit(node);
                free.extend(self.graph.succs(node).filter(|&next| open(self, next)).map(Reverse));
            }
        }
    }

    fn emit(&mut self, node: NodeIx) {
        self.order.push(node);
        self.done[node.at()] = true;
        for next in self.graph.succs(node) {
            self.waits[next.at()] -= 1;
        }
        let heap = &mut self.heap;
        self.queue.done(self.graph, node, |op| heap.push(Reverse(op)));
    }

    fn frees_after(&mut self, touched: &[NodeIx]) {
        let mut frees: Vec<NodeIx> = touched
            .iter()
            .flat_map(|&node| self.graph.succs(node))
            .filter(|next| matches!(self.graph.node(*next).kind, NodeKind::Free(_)))
            .filter(|next| self.waits[next.at()] == 0 && !self.done[next.at()])
            .collect();
        frees.sort_unstable();
        frees.dedup();
        frees.into_iter().for_each(|free| self.emit(free));
    }
}
