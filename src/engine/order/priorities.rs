//! Earliest and latest starts by dependencies and durations alone: no unit is busy, no memory is full (Kahn's order,
//! then the longest path both ways; seed 000).

use crate::model::{Graph, NodeIx, NodeKind};

/// For each node, how long the longest chains before it and from it on are, in cycles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Priorities {
    earliest: Vec<u64>,
    /// From the node's start to the end of the longest chain behind it, the node included.
    tail: Vec<u64>,
    /// By how much a search has moved the latest starts; empty where it has not.
    shifts: Vec<i64>,
    critical_path: u64,
}

impl Priorities {
    /// Of all nodes of a graph; ALLOC and FREE take no time. `order` is any in which every edge runs forward: it gives
    /// a way through the graph and does not change the result.
    pub fn new(graph: &Graph, order: &[NodeIx]) -> Self {
        let mut earliest = vec![0u64; graph.node_count()];
        for &node in order {
            let ends = graph.preds(node).map(|before| earliest[before.at()] + cycles(graph, before));
            earliest[node.at()] = ends.max().unwrap_or(0);
        }
        let mut tail = vec![0u64; graph.node_count()];
        for &node in order.iter().rev() {
            let behind = graph.succs(node).map(|after| tail[after.at()]).max().unwrap_or(0);
            tail[node.at()] = behind + cycles(graph, node);
        }
        let critical_path = tail.iter().copied().max().unwrap_or(0);
        Self { earliest, tail, shifts: Vec::new(), critical_path }
    }

    /// The first cycle at which `node` could start.
    pub fn earliest(&self, node: NodeIx) -> u64 {
        self.earliest[node.at()]
    }

    /// The last cycle at which `node` could start without making the whole longer than its critical path.
    pub fn latest(&self, node: NodeIx) -> u64 {
        let latest = self.critical_path - self.tail[node.at()];
        self.shifts.get(node.at()).map_or(latest, |&shift| latest.saturating_add_signed(shift))
    }

    /// Moves the latest start of `node` by so many cycles: how urgent a scheduler takes it to be.
    pub fn shift(&mut self, node: NodeIx, by: i64) {
        self.shifts.resize(self.tail.len(), 0);
        self.shifts[node.at()] = self.shifts[node.at()].saturating_add(by);
    }

    /// Cycles from the start of `node` to the end of the longest chain that begins with it.
    pub fn tail(&self, node: NodeIx) -> u64 {
        self.tail[node.at()]
    }

    /// By how many cycles `node` may start later without harm; zero means critical.
    pub fn slack(&self, node: NodeIx) -> u64 {
        self.latest(node).saturating_sub(self.earliest[node.at()])
    }

    /// The longest chain of dependent nodes, in cycles.
    pub fn critical_path(&self) -> u64 {
        self.critical_path
    }
}

fn cycles(graph: &Graph, node: NodeIx) -> u64 {
    match graph.node(node).kind {
        NodeKind::Op(op) => op.cycles,
        NodeKind::Alloc(_) | NodeKind::Free(_) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::GraphBuilder;

    #[test]
    fn slack_is_what_a_node_may_lose() {
        let mut builder = GraphBuilder::new("g".into());
        let (kind, pipe) = (builder.intern("WORK").unwrap(), builder.intern("CUBE").unwrap());
        for (id, cycles) in [(0, 5), (1, 7), (2, 3), (3, 1)] {
            builder.op(id, kind, pipe, cycles, &[]);
        }
        builder.edges = Some(vec![(0, 1), (0, 2), (1, 3), (2, 3)]);
        let starts = Priorities::new(&builder.build().unwrap(), &[0, 2, 1, 3].map(NodeIx));
        assert_eq!(starts.critical_path(), 13);
        let slacks: Vec<u64> = (0..4).map(|node| starts.slack(NodeIx(node))).collect();
        assert_eq!(slacks, [0, 0, 4, 0]);
        assert_eq!((starts.earliest(NodeIx(2)), starts.latest(NodeIx(2))), (5, 9));
    }
}
