//! Sets of operations in order of preference that answer, in logarithmic time, which is the first that needs no more
//! than some room.

use crate::model::SplitMix64;

/// An operation, by its place among the graph's operations in ascending order of id.
pub(super) type Op = u32;

const NONE: u32 = u32::MAX;

/// Smaller goes first. The last part is the operation's own number, so that no two are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key(pub(super) u64, pub(super) u64, pub(super) u32);

/// A set of operations; empty by default.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Set {
    root: u32,
    len: u32,
}

impl Default for Set {
    fn default() -> Self {
        Self { root: NONE, len: 0 }
    }
}

impl Set {
    pub(super) fn len(self) -> u32 {
        self.len
    }

    pub(super) fn is_empty(self) -> bool {
        self.len == 0
    }
}

/// The memory of any number of sets; an operation is in one of them at most. Each set is a treap (Seidel, Aragon:
/// "Randomized search trees", 1996) whose nodes know the least need below them.
#[derive(Clone, Debug)]
pub(super) struct Ranks {
    nodes: Vec<Node>,
}

#[derive(Clone, Copy, Debug)]
struct Node {
    key: Key,
    need: u64,
    least_need: u64,
    left: u32,
    right: u32,
}

impl Ranks {
    /// For that many operations, all of them in no set.
    pub(super) fn new(ops: usize) -> Self {
        let node = Node { key: Key::default(), need: 0, least_need: 0, left: NONE, right: NONE };
        Self { nodes: vec![node; ops] }
    }

    pub(super) fn key(&self, op: Op) -> Key {
        self.nodes[op as usize].key
    }

    pub(super) fn need(&self, op: Op) -> u64 {
        self.nodes[op as usize].need
    }

    /// Puts `op`, which is in no set, into `set`.
    pub(super) fn insert(&mut self, set: &mut Set, op: Op, key: Key, need: u64) {
        self.nodes[op as usize] = Node { key, need, least_need: need, left: NONE, right: NONE };
        let (before, behind) = self.split(set.root, key);
        let front = self.join(before, op);
        set.root = self.join(front, behind);
        set.len += 1;
    }

    /// Takes `op`, which is in `set`, out of it.
    pub(super) fn remove(&mut self, set: &mut Set, op: Op) {
        let mut parent = NONE;
        let mut here = set.root;
        let key = self.key(op);
        let mut path = Vec::new();
        while here != op {
            debug_assert!(here != NONE, "the operation is in the set");
            path.push(here);
            parent = here;
            here = if key < self.key(here) { self.nodes[here as usize].left } else { self.nodes[here as usize].right };
        }
        let Node { left, right, .. } = self.nodes[op as usize];
        let rest = self.join(left, right);
        if parent == NONE {
            set.root = rest;
        } else if self.nodes[parent as usize].left == op {
            self.nodes[parent as usize].left = rest;
        } else {
            self.nodes[parent as usize].right = rest;
        }
        path.into_iter().rev().for_each(|node| self.update(node));
        set.len -= 1;
    }

    /// The first of all.
    pub(super) fn first(&self, set: Set) -> Option<Op> {
        self.first_fitting(set, u64::MAX)
    }

    /// The first that needs no more than `room`.
    pub(super) fn first_fitting(&self, set: Set, room: u64) -> Option<Op> {
        let mut here = set.root;
        while here != NONE {
            let node = &self.nodes[here as usize];
            if node.left != NONE && self.nodes[node.left as usize].least_need <= room {
                here = node.left;
            } else if node.need <= room {
                return Some(here);
            } else if node.right != NONE && self.nodes[node.right as usize].least_need <= room {
                here = node.right;
            } else {
                return None;
            }
        }
        None
    }

    /// The first behind `key`.
    pub(super) fn after(&self, set: Set, key: Key) -> Option<Op> {
        let mut here = set.root;
        let mut best = None;
        while here != NONE {
            let node = &self.nodes[here as usize];
            if node.key > key {
                best = Some(here);
                here = node.left;
            } else {
                here = node.right;
            }
        }
        best
    }

    /// The first `limit` in order.
    pub(super) fn front(&self, set: Set, limit: usize) -> Vec<Op> {
        let next = |&op: &Op| self.after(set, self.key(op));
        std::iter::successors(self.first(set), next).take(limit).collect()
    }

    /// What lies before `key`, and the rest.
    fn split(&mut self, root: u32, key: Key) -> (u32, u32) {
        if root == NONE {
            return (NONE, NONE);
        }
        if self.key(root) < key {
            let (left, right) = self.split(self.nodes[root as usize].right, key);
            self.nodes[root as usize].right = left;
            self.update(root);
            (root, right)
        } else {
            let (left, right) = self.split(self.nodes[root as usize].left, key);
            self.nodes[root as usize].left = right;
            self.update(root);
            (left, root)
        }
    }

    /// One tree of two, of which all of the first lies before the second.
    fn join(&mut self, left: u32, right: u32) -> u32 {
        if left == NONE || right == NONE {
            return if left == NONE { right } else { left };
        }
        if priority(left) >= priority(right) {
            let below = self.join(self.nodes[left as usize].right, right);
            self.nodes[left as usize].right = below;
            self.update(left);
            left
        } else {
            let below = self.join(left, self.nodes[right as usize].left);
            self.nodes[right as usize].left = below;
            self.update(right);
            right
        }
    }

    fn update(&mut self, node: u32) {
        let Node { need, left, right, .. } = self.nodes[node as usize];
        let below = |child: u32| if child == NONE { u64::MAX } else { self.nodes[child as usize].least_need };
        self.nodes[node as usize].least_need = need.min(below(left)).min(below(right));
    }
}

/// Spreads numbers over all of their range, so that trees are shallow and the same on each run.
fn priority(op: Op) -> u64 {
    SplitMix64::new(u64::from(op)).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_those_of_a_plain_list() {
        let mut ranks = Ranks::new(200);
        let mut set = Set::default();
        let mut plain: Vec<(Key, u64, Op)> = Vec::new();
        let mut state: u64 = 7;
        let mut next = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..20_000 {
            let op = next(200) as u32;
            if let Some(at) = plain.iter().position(|&(.., other)| other == op) {
                plain.remove(at);
                ranks.remove(&mut set, op);
            } else {
                let (key, need) = (Key(next(3), next(10), op), next(50));
                plain.push((key, need, op));
                plain.sort_unstable();
                ranks.insert(&mut set, op, key, need);
            }
            let room = next(60);
            let fitting = plain.iter().find(|&&(_, need, _)| need <= room).map(|&(.., op)| op);
            assert_eq!(ranks.first_fitting(set, room), fitting);
            let key = Key(next(3), next(10), next(200) as u32);
            assert_eq!(ranks.after(set, key), plain.iter().find(|&&(other, ..)| other > key).map(|&(.., op)| op));
            assert_eq!(set.len() as usize, plain.len());
        }
        let front: Vec<Op> = plain.iter().take(8).map(|&(.., op)| op).collect();
        assert_eq!(ranks.front(set, 8), front);
    }
}
