//! What the search permutes: the operations, and the ALLOCs and FREEs that hold others back.
//!
//! An ALLOC that waits for nothing goes right before the first item that needs it, a FREE that nothing waits for right
//! behind the last of its buffer's users: earlier or later helps no plan. All other nodes are *items*. So there are
//! no more precedences among items than edges in the graph, whatever its shape.

use super::rows::Rows;
use crate::model::{BufIx, NodeIx, NodeKind, Problem};

/// Stands for "none" among items.
pub(super) const NONE: u32 = u32::MAX;

/// The items of a problem and what must hold among them.
#[derive(Clone, Debug)]
pub(super) struct Items {
    /// The node of each item, ascending.
    pub(super) nodes: Vec<NodeIx>,
    /// The item of each node; [`NONE`] where it follows from the others.
    pub(super) of_node: Vec<u32>,
    /// By item: items that must be done before it.
    pub(super) preds: Rows,
    /// By item: items that wait for it.
    pub(super) succs: Rows,
    /// By item: buffers that must be resident.
    pub(super) operands: Rows,
    /// By buffer: items that need it resident.
    pub(super) users: Rows,
    /// By item: buffers whose ALLOC is no item and must stand before it.
    allocs: Rows,
    /// By item: buffers whose FREE is no item and waits for it.
    frees: Rows,
    /// By buffer: for how many items its FREE waits, where that is no item.
    free_waits: Vec<u32>,
}

impl Items {
    /// Sorts out what is an item.
    pub(super) fn new(problem: &Problem) -> Self {
        let graph = &*problem.graph;
        let mut of_node = vec![NONE; graph.node_count()];
        let mut nodes = Vec::new();
        for node in graph.node_ixs() {
            let follows = match graph.node(node).kind {
                NodeKind::Op(_) => false,
                NodeKind::Alloc(_) => graph.preds(node).next().is_none(),
                NodeKind::Free(_) => graph.succs(node).next().is_none(),
            };
            if !follows {
                of_node[node.at()] = nodes.len() as u32;
                nodes.push(node);
            }
        }
        Self::connect(problem, nodes, of_node)
    }

    fn connect(problem: &Problem, nodes: Vec<NodeIx>, of_node: Vec<u32>) -> Self {
        let graph = &*problem.graph;
        let (mut before, mut operands, mut allocs, mut frees) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for (item, &node) in (0u32..).zip(&nodes) {
            for pred in graph.preds(node) {
                match (of_node[pred.at()], graph.node(pred).kind) {
                    (NONE, NodeKind::Alloc(buf)) => allocs.push((item, buf.0)),
                    (NONE, _) => {} // a FREE that something waits for is an item
                    (pred, _) => before.push((pred, item)),
                }
            }
            match graph.node(node).kind {
                NodeKind::Op(op) => operands.extend(graph.operands(&op).iter().map(|buf| (item, buf.0))),
                NodeKind::Alloc(buf) | NodeKind::Free(buf) => operands.push((item, buf.0)),
            }
        }
        for (buf, buffer) in (0u32..).zip(graph.buffers()) {
            let alloc = of_node[buffer.alloc.at()];
            let free = buffer.free.map(|free| (free, of_node[free.at()]));
            for user in graph.users(BufIx(buf)).iter().map(|user| of_node[user.at()]) {
                if alloc == NONE {
                    allocs.push((user, buf));
                } else {
                    before.push((alloc, user));
                }
                match free {
                    Some((_, NONE)) => frees.push((user, buf)),
                    Some((_, free)) => before.push((user, free)),
                    None => {}
                }
            }
            match free {
                Some((node, NONE)) => {
                    let preds = graph.preds(node).map(|pred| of_node[pred.at()]).filter(|&pred| pred != NONE);
                    frees.extend(preds.chain((alloc != NONE).then_some(alloc)).map(|pred| (pred, buf)));
                }
                Some((_, free)) if alloc == NONE => allocs.push((free, buf)),
                Some((_, free)) => before.push((alloc, free)),
                None => {}
            }
        }
        frees.sort_unstable();
        frees.dedup();
        let mut free_waits = vec![0; graph.buffers().len()];
        frees.iter().for_each(|&(_, buf)| free_waits[buf as usize] += 1);
        let turned = |pairs: &[(u32, u32)]| pairs.iter().map(|&(a, b)| (b, a)).collect::<Vec<_>>();
        let count = nodes.len();
        Self {
            preds: Rows::from_set(count, turned(&before)),
            succs: Rows::from_set(count, before),
            users: Rows::from_set(graph.buffers().len(), turned(&operands)),
            operands: Rows::from_pairs(count, &operands),
            allocs: Rows::from_set(count, allocs),
            frees: Rows::from_pairs(count, &frees),
            free_waits,
            nodes,
            of_node,
        }
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The items of an order of nodes, in that order.
    pub(super) fn of_order(&self, order: &[NodeIx]) -> Vec<u32> {
        order.iter().map(|node| self.of_node[node.at()]).filter(|&item| item != NONE).collect()
    }
}

/// From an order of items to one of nodes. Kept between calls for its memory.
#[derive(Clone, Debug, Default)]
pub(super) struct Expander {
    order: Vec<NodeIx>,
    allocated: Vec<bool>,
    waits: Vec<u32>,
}

impl Expander {
    /// All nodes in the order that `items` says, ALLOCs as late and FREEs as early as can be.
    pub(super) fn nodes(&mut self, problem: &Problem, items: &Items, sequence: &[u32]) -> &[NodeIx] {
        let buffers = problem.graph.buffers();
        self.order.clear();
        self.allocated.clear();
        self.allocated.resize(buffers.len(), false);
        self.waits.clone_from(&items.free_waits);
        for &item in sequence {
            items.allocs.of(item).iter().for_each(|&buf| self.alloc(problem, buf));
            let node = items.nodes[item as usize];
            if let NodeKind::Alloc(buf) = problem.graph.node(node).kind {
                self.allocated[buf.at()] = true;
            }
            self.order.push(node);
            for &buf in items.frees.of(item) {
                self.waits[buf as usize] -= 1;
                if self.waits[buf as usize] == 0 {
                    self.free(problem, buf);
                }
            }
        }
        // Buffers that no item needs.
        for (buf, buffer) in (0u32..).zip(buffers) {
            if items.of_node[buffer.alloc.at()] == NONE {
                self.alloc(problem, buf);
            }
            let follows = buffer.free.is_some_and(|free| items.of_node[free.at()] == NONE);
            if follows && items.free_waits[buf as usize] == 0 {
                self.free(problem, buf);
            }
        }
        &self.order
    }

    /// The order that was made last.
    pub(super) fn last(&self) -> &[NodeIx] {
        &self.order
    }

    fn alloc(&mut self, problem: &Problem, buf: u32) {
        if !std::mem::replace(&mut self.allocated[buf as usize], true) {
            self.order.push(problem.graph.buffer(BufIx(buf)).alloc);
        }
    }

    fn free(&mut self, problem: &Problem, buf: u32) {
        let Some(free) = problem.graph.buffer(BufIx(buf)).free else { return };
        for pred in problem.graph.preds(free) {
            if let NodeKind::Alloc(other) = problem.graph.node(pred).kind {
                self.alloc(problem, other.0);
            }
        }
        self.order.push(free);
    }
}
