//! The next step that needs each buffer, by the first order. Operations and FREEs never move, so a buffer's
//! uses are a fixed list with a pointer that only goes forward.

use crate::model::{BufIx, Graph, NodeIx, NodeKind};

/// Uses of every buffer in order: operations that name it, then its FREE.
#[derive(Clone, Debug)]
pub struct NextUse {
    uses: Vec<NodeIx>,
    /// Where each buffer's next use stands in `uses`.
    next: Vec<u32>,
    /// Where each buffer's uses end.
    end: Vec<u32>,
}

impl NextUse {
    /// At the start of `order`.
    pub fn new(graph: &Graph, order: &[NodeIx]) -> Self {
        let mut total = 0;
        let mut next = Vec::with_capacity(graph.buffers().len());
        for (at, buffer) in graph.buffers().iter().enumerate() {
            next.push(total);
            total += graph.users(BufIx::new(at)).len() as u32 + u32::from(buffer.free.is_some());
        }
        let mut end = next.clone();
        let mut uses = vec![NodeIx(0); total as usize];
        for &node in order {
            each_used(graph, node, |buf| {
                uses[end[buf.at()] as usize] = node;
                end[buf.at()] += 1;
            });
        }
        Self { uses, next, end }
    }

    /// The step at hand is `node`: its buffers' next uses lie behind it.
    pub fn pass(&mut self, graph: &Graph, node: NodeIx) {
        each_used(graph, node, |buf| self.next[buf.at()] += 1);
    }

    /// The next node that needs `buf`; `None` where nothing does and it is never freed.
    pub fn of(&self, buf: BufIx) -> Option<NodeIx> {
        let at = self.next[buf.at()];
        (at < self.end[buf.at()]).then(|| self.uses[at as usize])
    }
}

fn each_used(graph: &Graph, node: NodeIx, mut used: impl FnMut(BufIx)) {
    match graph.node(node).kind {
        NodeKind::Alloc(_) => {}
        NodeKind::Free(buf) => used(buf),
        NodeKind::Op(op) => graph.operands(&op).iter().for_each(|&buf| used(buf)),
    }
}
