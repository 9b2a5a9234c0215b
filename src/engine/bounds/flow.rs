//! Minimum-cost flow in networks whose costs are small whole numbers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// A capacity that no flow of this network can use up, and to which a flow can be added without wrapping.
pub(super) const UNLIMITED: u64 = u64::MAX / 2;

/// A network in the making, then with its residual capacities. Arcs come in pairs: arc `2k` and, at `2k + 1`, its
/// reverse.
pub(super) struct Network {
    nodes: usize,
    to: Vec<u32>,
    cost: Vec<i64>,
    residual: Vec<u64>,
}

/// The residual arcs that leave each node.
struct Leaving {
    first: Vec<u32>,
    arcs: Vec<u32>,
}

impl Network {
    pub(super) fn new(nodes: usize) -> Self {
        Self { nodes, to: Vec::new(), cost: Vec::new(), residual: Vec::new() }
    }

    /// Adds an arc that takes `forward` units at `cost` ≥ 0 each, and `backward` units the other way at −`cost` each
    /// (0 unless the cost is 0, or the network would have a cycle of negative cost).
    pub(super) fn arc(&mut self, from: usize, to: usize, forward: u64, backward: u64, cost: i64) {
        debug_assert!(cost >= 0 && (backward == 0 || cost == 0));
        self.to.extend([to as u32, from as u32]);
        self.cost.extend([cost, -cost]);
        self.residual.extend([forward, backward]);
    }

    /// The least cost of sending `amount` from node 0 to the last node; `None` where so much does not fit.
    ///
    /// Successive shortest paths with potentials (Edmonds and Karp 1972). All paths of one length are used up before
    /// the next search.
    pub(super) fn cheapest(&mut self, mut amount: u64) -> Option<u128> {
        let leaving = self.leaving();
        let sink = self.nodes - 1;
        let mut potential = vec![0i64; self.nodes];
        let mut total: u128 = 0;
        while amount > 0 {
            if !self.search(&leaving, &mut potential) {
                return None;
            }
            let sent = self.send_along_shortest(&leaving, &potential, amount);
            amount -= sent;
            let length = u128::from((potential[sink] - potential[0]).unsigned_abs());
            total += u128::from(sent) * length;
        }
        Some(total)
    }

    fn leaving(&self) -> Leaving {
        let from = |arc: usize| self.to[arc ^ 1] as usize;
        let mut first = vec![0u32; self.nodes + 1];
        for arc in 0..self.to.len() {
            first[from(arc) + 1] += 1;
        }
        for node in 0..self.nodes {
            first[node + 1] += first[node];
        }
        let mut next = first.clone();
        let mut arcs = vec![0u32; self.to.len()];
        for arc in 0..self.to.len() {
            let slot = &mut next[from(arc)];
            arcs[*slot as usize] = arc as u32;
            *slot += 1;
        }
        Leaving { first, arcs }
    }

    /// Dijkstra over reduced costs: afterwards no residual arc has a negative reduced cost, and those of the shortest
    /// paths have 0. Returns whether the last node can be reached.
    fn search(&self, leaving: &Leaving, potential: &mut [i64]) -> bool {
        let sink = self.nodes - 1;
        let mut distance = vec![i64::MAX; self.nodes];
        distance[0] = 0;
        let mut queue = BinaryHeap::new();
        // Most reduced costs are 0: nodes as near as the one at hand need no queue.
        let mut as_near = vec![(0i64, 0u32)];
        while let Some((near, node)) = as_near.pop().or_else(|| queue.pop().map(|Reverse(next)| next)) {
            let node = node as usize;
            if near > distance[node] {
                continue;
            }
            if node == sink {
                break;
            }
            for &arc in leaving.of(node) {
                let (arc, to) = (arc as usize, self.to[arc as usize] as usize);
                let far = near + self.cost[arc] + potential[node] - potential[to];
                if self.residual[arc] > 0 && far < distance[to] {
                    distance[to] = far;
                    if far == near {
                        as_near.push((far, to as u32));
                    } else {
                        queue.push(Reverse((far, to as u32)));
                    }
                }
            }
        }
        let reach = distance[sink];
        if reach == i64::MAX {
            return false;
        }
        // Nodes beyond the sink move as far as the sink does, so that no reduced cost becomes negative.
        for (potential, distance) in potential.iter_mut().zip(distance) {
            *potential += distance.min(reach);
        }
        true
    }

    /// Sends up to `amount` over paths of reduced cost 0, by depth-first search without recursion. Sends something
    /// where such a path exists, though not always all that would fit.
    fn send_along_shortest(&mut self, leaving: &Leaving, potential: &[i64], amount: u64) -> u64 {
        let mut walk = Walk::from_source(leaving);
        let mut sent = 0;
        while sent < amount {
            if walk.node + 1 == self.nodes {
                sent += self.fill(&mut walk, amount - sent);
            } else if let Some(arc) = self.next_arc(&mut walk, leaving, potential) {
                walk.forward(arc, self.to[arc] as usize);
            } else if !walk.give_up(&self.to) {
                break;
            }
        }
        sent
    }

    /// The next arc by which the walk can go on from where it is.
    fn next_arc(&self, walk: &mut Walk, leaving: &Leaving, potential: &[i64]) -> Option<usize> {
        let node = walk.node;
        while walk.next[node] < leaving.first[node + 1] {
            let arc = leaving.arcs[walk.next[node] as usize] as usize;
            let to = self.to[arc] as usize;
            if self.residual[arc] > 0 && !walk.closed[to] && self.cost[arc] + potential[node] == potential[to] {
                return Some(arc);
            }
            walk.next[node] += 1;
        }
        None
    }

    /// Sends what the walk's path holds, at most `amount`, and steps back to before its first full arc.
    fn fill(&mut self, walk: &mut Walk, amount: u64) -> u64 {
        let room = walk.path.iter().fold(amount, |room, &arc| room.min(self.residual[arc]));
        let mut keep = walk.path.len();
        for (at, &arc) in walk.path.iter().enumerate().rev() {
            self.residual[arc] -= room;
            self.residual[arc ^ 1] += room;
            if self.residual[arc] == 0 {
                keep = at;
            }
        }
        while walk.path.len() > keep {
            let left = walk.node;
            walk.back(&self.to);
            walk.closed[left] = false;
        }
        room
    }
}

/// A depth-first walk from node 0.
struct Walk {
    node: usize,
    /// Arcs from node 0 to `node`.
    path: Vec<usize>,
    /// For each node, the position of the arc to try next.
    next: Vec<u32>,
    /// Nodes on the path, and dead ends.
    closed: Vec<bool>,
}

impl Walk {
    fn from_source(leaving: &Leaving) -> Self {
        let nodes = leaving.first.len() - 1;
        let mut closed = vec![false; nodes];
        closed[0] = true;
        Self { node: 0, path: Vec::new(), next: leaving.first[..nodes].to_vec(), closed }
    }

    fn forward(&mut self, arc: usize, to: usize) {
        self.path.push(arc);
        self.node = to;
        self.closed[to] = true;
    }

    /// One arc back, if there is one.
    fn back(&mut self, to: &[u32]) -> bool {
        let Some(arc) = self.path.pop() else { return false };
        self.node = to[arc ^ 1] as usize;
        true
    }

    /// Leaves a dead end, which stays closed. Returns whether there was anywhere to go back to.
    fn give_up(&mut self, to: &[u32]) -> bool {
        let back = self.back(to);
        self.next[self.node] += u32::from(back);
        back
    }
}

impl Leaving {
    fn of(&self, node: usize) -> &[u32] {
        &self.arcs[self.first[node] as usize..self.first[node + 1] as usize]
    }
}
