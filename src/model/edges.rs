//! The edges of a graph: listed in its file, or implied by its buffers.

use petgraph::graph::NodeIndex;

use super::build::{Entry, Fault, GraphBuilder};
use super::graph::Graph;
use super::ids::{BufIx, NodeIx};
use super::lookup::Lookup;

impl GraphBuilder {
    /// Adds the edges that the file lists, or else those that follow from the buffers; each once.
    pub(super) fn add_edges(&self, graph: &mut Graph, ids: &Lookup) -> Result<(), Fault> {
        let mut edges = match &self.edges {
            Some(listed) => listed_edges(listed, ids)?,
            None => self.implied_edges(graph, ids)?,
        };
        sort(&mut edges);
        edges.dedup();
        graph.dag.reserve_exact_edges(edges.len());
        for (from, to) in edges {
            graph.dag.add_edge(NodeIndex::new(from as usize), NodeIndex::new(to as usize), ());
        }
        Ok(())
    }

    /// Without `Edges`: each buffer's ALLOC, then its users one after another as in the schedule (else as in
    /// the file), then its FREE.
    fn implied_edges(&self, graph: &Graph, ids: &Lookup) -> Result<Vec<(u32, u32)>, Fault> {
        // Where each node stands; a broken schedule is reported in full by `set_schedule` later on.
        let mut rank = vec![u32::MAX; self.nodes.len()];
        let listed: &mut dyn Iterator<Item = u64> = match &self.schedule {
            Some(schedule) => &mut schedule.iter().copied(),
            None => &mut self.nodes.iter().map(|node| node.id),
        };
        for (place, id) in listed.enumerate() {
            let Some(node) = ids.find(id) else {
                let what = format!("the schedule names node {id}, which the graph does not have");
                return Err(Fault::new(Entry::Schedule(place), what, "take it out of the schedule"));
            };
            rank[node as usize] = place as u32;
        }
        let mut edges = Vec::new();
        let mut chain: Vec<NodeIx> = Vec::new();
        for (index, buffer) in graph.buffers.iter().enumerate() {
            chain.clear();
            chain.push(buffer.alloc);
            chain.extend_from_slice(graph.users(BufIx::new(index)));
            chain[1..].sort_by_key(|node| rank[node.at()]);
            chain.extend(buffer.free);
            edges.extend(chain.windows(2).map(|pair| (pair[0].0, pair[1].0)));
        }
        Ok(edges)
    }
}

/// Sorts the edges. Files list them node by node, which leaves short runs to sort.
fn sort(edges: &mut [(u32, u32)]) {
    if edges.is_sorted_by_key(|&(from, _)| from) {
        edges.chunk_by_mut(|a, b| a.0 == b.0).for_each(<[_]>::sort_unstable);
    } else {
        edges.sort_unstable();
    }
}

fn listed_edges(listed: &[(u64, u64)], ids: &Lookup) -> Result<Vec<(u32, u32)>, Fault> {
    let mut edges = Vec::with_capacity(listed.len());
    for (place, &(from, to)) in listed.iter().enumerate() {
        let node = |id: u64| {
            ids.find(id).ok_or_else(|| {
                let what = format!("edge [{from},{to}] names node {id}, which the graph does not have");
                Fault::new(Entry::Edge(place), what, "add the node or drop the edge")
            })
        };
        if from == to {
            let what = format!("edge [{from},{to}] leads from a node to itself");
            return Err(Fault::new(Entry::Edge(place), what, "drop the edge"));
        }
        edges.push((node(from)?, node(to)?));
    }
    Ok(edges)
}
