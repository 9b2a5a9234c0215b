//! An order that can be edited in place while it is walked: an ALLOC at hand moves to behind a later FREE in
//! constant time, and nothing is ever renumbered.

use crate::model::NodeIx;

/// The nodes still to come, as a linked list, with keys that compare like places in it.
#[derive(Clone, Debug)]
pub struct Sequence {
    next: Vec<u32>,
    /// Place in the first order; by node.
    first: Vec<u32>,
    /// Of a moved node: the place of the FREE behind which it stands, and how many moves there had been.
    moved: Vec<(u32, u32)>,
    moves: u32,
}

const END: u32 = u32::MAX;

/// Compares like places in the sequence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlaceKey(u32, u32);

impl Sequence {
    /// The first order.
    pub fn new(order: &[NodeIx]) -> Self {
        let mut next = vec![END; order.len()];
        let mut first = vec![0; order.len()];
        for (place, node) in order.iter().enumerate() {
            first[node.at()] = place as u32;
            next[node.at()] = order.get(place + 1).map_or(END, |next| next.0);
        }
        Self { next, first, moved: vec![(END, 0); order.len()], moves: 0 }
    }

    /// The place of `node` in the first order.
    pub fn first_place(&self, node: NodeIx) -> u32 {
        self.first[node.at()]
    }

    /// The same for a node that may have moved: the place of the FREE behind which it stands.
    pub fn place(&self, node: NodeIx) -> u32 {
        self.key(node).0
    }

    /// The node behind `node`.
    pub fn after(&self, node: NodeIx) -> Option<NodeIx> {
        Some(self.next[node.at()]).filter(|&next| next != END).map(NodeIx)
    }

    /// Compares like the places of nodes that are still to come.
    pub fn key(&self, node: NodeIx) -> PlaceKey {
        let (behind, count) = self.moved[node.at()];
        // Of several that moved behind one FREE, the last to move stands first.
        if behind == END { PlaceKey(self.first[node.at()], 0) } else { PlaceKey(behind, u32::MAX - count) }
    }

    /// Takes `node`, which is at hand, out of its place and puts it right behind `free`, which is still to come
    /// and has never moved. Returns the node that is at hand instead.
    pub fn postpone(&mut self, node: NodeIx, free: NodeIx) -> NodeIx {
        let successor = NodeIx(self.next[node.at()]);
        self.moves += 1;
        self.moved[node.at()] = (self.first[free.at()], self.moves);
        self.next[node.at()] = self.next[free.at()];
        self.next[free.at()] = node.0;
        successor
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(sequence: &Sequence, from: NodeIx) -> Vec<u32> {
        std::iter::successors(Some(from), |&node| sequence.after(node)).map(|node| node.0).collect()
    }

    #[test]
    fn keys_compare_like_the_list() {
        let order: Vec<NodeIx> = (0..6).map(NodeIx).collect();
        let mut sequence = Sequence::new(&order);
        let hand = sequence.postpone(NodeIx(0), NodeIx(4));
        let hand = sequence.postpone(hand, NodeIx(4));
        let hand = sequence.postpone(hand, NodeIx(5));
        let listed = walk(&sequence, hand);
        assert_eq!(listed, [3, 4, 1, 0, 5, 2]);
        let keys: Vec<PlaceKey> = listed.iter().map(|&node| sequence.key(NodeIx(node))).collect();
        assert!(keys.windows(2).all(|pair| pair[0] < pair[1]), "{keys:?}");
    }
}
