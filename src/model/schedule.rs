//! Whether an order of the nodes may be run.

use super::build::{Entry, Fault};
use super::graph::{Graph, NodeKind};
use super::ids::{BufIx, NodeIx};
use super::name::clean;

impl Graph {
    /// Takes `ids` as the graph's schedule.
    ///
    /// # Errors
    /// Where it misses a node, has one twice or one that is unknown, runs against an edge, or uses a buffer
    /// before its ALLOC or after its FREE. [`Entry::Schedule`] says at which place.
    pub fn set_schedule(&mut self, ids: &[u64]) -> Result<(), Fault> {
        let mut seen = vec![false; self.node_count()];
        let mut order = Vec::with_capacity(ids.len());
        for (place, &id) in ids.iter().enumerate() {
            let at = Entry::Schedule(place);
            let Some(node) = self.find_node(id) else {
                let what = format!("the schedule names node {id}, which the graph does not have");
                return Err(Fault::new(at, what, "take it out of the schedule"));
            };
            if std::mem::replace(&mut seen[node.at()], true) {
                let what = format!("the schedule has node {id} twice");
                return Err(Fault::new(at, what, "keep one of the two"));
            }
            order.push(node);
        }
        let missing: Vec<u64> =
            self.node_ixs().filter(|node| !seen[node.at()]).map(|node| self.node(node).id).collect();
        if !missing.is_empty() {
            let shown: Vec<String> = missing.iter().take(8).map(u64::to_string).collect();
            let more = if missing.len() > 8 { ", …" } else { "" };
            let what =
                format!("the schedule misses {} of {} nodes: {}{more}", missing.len(), seen.len(), shown.join(", "));
            return Err(Fault::new(Entry::Whole, what, "list every node once"));
        }
        self.check_order(&order)?;
        self.schedule = Some(order);
        Ok(())
    }

    /// Checks that `order`, which holds every node once, may be run: every edge runs forward, and no buffer is
    /// used before its ALLOC or after its FREE.
    ///
    /// # Errors
    /// The first step that may not stand where it does.
    pub fn check_order(&self, order: &[NodeIx]) -> Result<(), Fault> {
        let mut rank = vec![0u32; order.len()];
        for (place, node) in order.iter().enumerate() {
            rank[node.at()] = place as u32;
        }
        for (place, &node) in order.iter().enumerate() {
            let id = self.node(node).id;
            let fault = |what: String, advice: &str| Err(Fault::new(Entry::Schedule(place), what, advice));
            if let Some(pred) = self.preds(node).find(|pred| rank[pred.at()] as usize > place) {
                let pred = self.node(pred).id;
                return fault(
                    format!("node {id} stands at place {place} before node {pred}, on which it depends"),
                    "move it behind or drop the edge between them",
                );
            }
            let (late, early) = match self.node(node).kind {
                NodeKind::Alloc(_) => continue,
                NodeKind::Free(buf) => (self.late_alloc(&[buf], &rank, place), None),
                NodeKind::Op(op) => {
                    let operands = self.operands(&op);
                    (self.late_alloc(operands, &rank, place), self.early_free(operands, &rank, place))
                }
            };
            if let Some((buf, alloc)) = late {
                return fault(
                    format!(
                        "node {id} ({}) uses buffer {buf} before its ALLOC, node {alloc}",
                        clean(self.op_name(node))
                    ),
                    "add the edge from the ALLOC, or order them so in Schedule",
                );
            }
            if let Some((buf, free)) = early {
                return fault(
                    format!("node {id} ({}) uses buffer {buf} after its FREE, node {free}", clean(self.op_name(node))),
                    "add the edge to the FREE, or order them so in Schedule",
                );
            }
        }
        Ok(())
    }

    /// The first of `bufs` (id, and id of its ALLOC) that is allocated only after `place`.
    fn late_alloc(&self, bufs: &[BufIx], rank: &[u32], place: usize) -> Option<(u64, u64)> {
        let late = bufs.iter().map(|&buf| self.buffer(buf)).find(|buffer| rank[buffer.alloc.at()] as usize > place)?;
        Some((late.id, self.node(late.alloc).id))
    }

    /// The first of `bufs` (id, and id of its FREE) that is freed before `place`.
    fn early_free(&self, bufs: &[BufIx], rank: &[u32], place: usize) -> Option<(u64, u64)> {
        let mut frees = bufs.iter().map(|&buf| self.buffer(buf)).filter_map(|buffer| Some((buffer.id, buffer.free?)));
        frees.find(|(_, free)| (rank[free.at()] as usize) < place).map(|(id, free)| (id, self.node(free).id))
    }
}
