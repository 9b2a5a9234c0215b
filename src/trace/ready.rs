//! Which operations were ready at a step. Being ready is an interval of steps, so it is indexed, not stored
//! step by step.

use crate::model::NodeIx;

/// One ready operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadyOp {
    /// The operation.
    pub node: NodeIx,
    /// The step with which it became ready.
    pub since: u32,
    /// The step at which it runs; `None` where the plan ends before.
    pub runs: Option<u32>,
}

/// All operations in the order in which they run (those that never run last, by id), with the step at which
/// each became ready. In a queue with fixed priorities that is also the order of the queue at every step.
#[derive(Clone, Debug, Default)]
pub struct ReadyIndex {
    nodes: Vec<NodeIx>,
    /// Step of each in `nodes`; `u32::MAX` where it never runs. Ascending.
    runs: Vec<u32>,
    /// Step at which each became ready, as the leaves of a tree of minima: entry `i` of the order is at `width + i`.
    tree: Vec<u32>,
    width: usize,
    /// The steps at which operations became ready, ascending.
    ready_steps: Vec<u32>,
}

impl ReadyIndex {
    /// From (operation, step at which it runs) in order, and the step at which each operation became ready
    /// (by node; `u32::MAX` for never).
    pub(super) fn new(order: Vec<(NodeIx, u32)>, since: &[u32]) -> Self {
        let width = order.len().next_power_of_two().max(1);
        let mut tree = vec![u32::MAX; 2 * width];
        for (at, (node, _)) in order.iter().enumerate() {
            tree[width + at] = since[node.at()];
        }
        for at in (1..width).rev() {
            tree[at] = tree[2 * at].min(tree[2 * at + 1]);
        }
        let mut ready_steps: Vec<u32> = since.iter().copied().filter(|&step| step != u32::MAX).collect();
        ready_steps.sort_unstable();
        let (nodes, runs) = order.into_iter().unzip();
        Self { nodes, runs, tree, width, ready_steps }
    }

    /// How many operations are ready after `step`.
    pub fn count(&self, step: u32) -> usize {
        let became = self.ready_steps.partition_point(|&at| at <= step);
        became.saturating_sub(self.runs.partition_point(|&at| at <= step))
    }

    /// The ready operations after `step`, in queue order: `limit` of them from the `skip`-th on.
    pub fn list(&self, step: u32, skip: usize, limit: usize) -> Vec<ReadyOp> {
        let mut found = Vec::new();
        let mut at = self.runs.partition_point(|&run| run <= step);
        let mut passed = 0;
        while found.len() < limit {
            let Some(next) = self.next_ready(at, step) else { break };
            if passed >= skip {
                let runs = Some(self.runs[next]).filter(|&run| run != u32::MAX);
                found.push(ReadyOp { node: self.nodes[next], since: self.tree[self.width + next], runs });
            }
            passed += 1;
            at = next + 1;
        }
        found
    }

    /// The entry of `node`, which runs at that step, if it ever became ready.
    pub fn of(&self, node: NodeIx, runs: Option<u32>) -> Option<ReadyOp> {
        let first = self.runs.partition_point(|&run| run < runs.unwrap_or(u32::MAX));
        // Those that never run stand last, by id.
        let beyond = if runs.is_none() { self.nodes[first..].partition_point(|&other| other < node) } else { 0 };
        let at = first + beyond;
        let since = Some(self.tree[self.width + at]).filter(|_| self.nodes.get(at) == Some(&node))?;
        (since != u32::MAX).then_some(ReadyOp { node, since, runs })
    }

    /// The first entry from `from` on that became ready at `step` or before.
    fn next_ready(&self, from: usize, step: u32) -> Option<usize> {
        if from >= self.nodes.len() {
            return None;
        }
        let mut at = self.width + from;
        // Up to the first subtree to the right that has one, then down to its leftmost.
        while self.tree[at] > step {
            while at % 2 == 1 {
                at /= 2;
            }
            if at == 0 {
                return None;
            }
            at += 1;
        }
        while at < self.width {
            at = if self.tree[2 * at] <= step { 2 * at } else { 2 * at + 1 };
        }
        Some(at - self.width)
    }

    pub(super) fn bytes(&self) -> usize {
        (self.nodes.capacity() + self.runs.capacity() + self.tree.capacity() + self.ready_steps.capacity()) * 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_equal_a_plain_scan() {
        let since = [0u32, 3, 1, u32::MAX, 2, 9, 4];
        let order: Vec<(NodeIx, u32)> = [(0, 1), (2, 4), (1, 5), (4, 6), (6, 7), (3, u32::MAX), (5, u32::MAX)]
            .map(|(node, step)| (NodeIx(node), step))
            .to_vec();
        let index = ReadyIndex::new(order.clone(), &since);
        for step in 0..12 {
            let expected: Vec<NodeIx> = order
                .iter()
                .filter(|(node, run)| since[node.at()] <= step && *run > step)
                .map(|&(node, _)| node)
                .collect();
            let listed: Vec<NodeIx> = index.list(step, 0, 99).iter().map(|op| op.node).collect();
            assert_eq!(listed, expected, "after step {step}");
            assert_eq!(index.count(step), expected.len());
            let tail: Vec<NodeIx> = index.list(step, 1, 2).iter().map(|op| op.node).collect();
            assert_eq!(tail, expected.iter().copied().skip(1).take(2).collect::<Vec<_>>());
        }
        for (at, (node, run)) in order.into_iter().enumerate() {
            let found = index.of(node, Some(run).filter(|&run| run != u32::MAX));
            let expected = (since[node.at()] != u32::MAX).then_some((node, since[node.at()]));
            assert_eq!(found.map(|op| (op.node, op.since)), expected, "entry {at}");
        }
        assert_eq!(index.of(NodeIx(2), Some(7)), None, "another runs there");
        assert!(ReadyIndex::default().list(0, 0, 5).is_empty());
    }
}
