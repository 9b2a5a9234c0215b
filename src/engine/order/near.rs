//! An order that can be run, as near as may be to one that need not be.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::model::{BufIx, Graph, NodeIx};

/// Every node once, ALLOCs before and FREEs behind what uses their buffers: of those that may come next always the one
/// that stands first in `wanted` (nodes that are not there come last, by id). Where `wanted` can be run, it is what comes
/// out. Ends early where no order can be run, since an edge forbids it.
pub fn near_order(graph: &Graph, wanted: &[NodeIx]) -> Vec<NodeIx> {
    let mut place = vec![u32::MAX; graph.node_count()];
    for (at, node) in wanted.iter().enumerate().rev() {
        place[node.at()] = at as u32; // the first place of one that stands there twice
    }
    let after = implied(graph);
    let mut waits = graph.pred_counts();
    after.iter().for_each(|&(_, node)| waits[node.at()] += 1);
    let ranked = |node: NodeIx| Reverse((place[node.at()], node));
    let roots = graph.node_ixs().filter(|node| waits[node.at()] == 0);
    let mut ready: BinaryHeap<_> = roots.map(ranked).collect();
    let mut order = Vec::with_capacity(graph.node_count());
    while let Some(Reverse((_, node))) = ready.pop() {
        order.push(node);
        let from = after.partition_point(|&(before, _)| before < node);
        let behind = after[from..].iter().take_while(|&&(before, _)| before == node).map(|&(_, next)| next);
        for next in graph.succs(node).chain(behind) {
            waits[next.at()] -= 1;
            if waits[next.at()] == 0 {
                ready.push(ranked(next));
            }
        }
    }
    order
}

/// What buffers ask for beside the edges, sorted: an ALLOC before each user and the FREE, each user before the FREE.
fn implied(graph: &Graph) -> Vec<(NodeIx, NodeIx)> {
    let mut pairs = Vec::new();
    for (at, buffer) in graph.buffers().iter().enumerate() {
        for &user in graph.users(BufIx::new(at)) {
            pairs.push((buffer.alloc, user));
            pairs.extend(buffer.free.map(|free| (user, free)));
        }
        pairs.extend(buffer.free.map(|free| (buffer.alloc, free)));
    }
    pairs.sort_unstable();
    pairs
}
