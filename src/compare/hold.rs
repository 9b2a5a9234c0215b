//! A graph that gives nothing back before its end.

use std::collections::HashSet;

use crate::model::{Fault, Graph, GraphBuilder, RawKind};

/// `graph` without its FREEs. What only follows through a FREE follows no more.
///
/// # Errors
/// None that a checked graph can have.
pub(super) fn hold_to_the_end(graph: &Graph) -> Result<Graph, Fault> {
    let mut builder = GraphBuilder::of(graph);
    builder.nodes.retain(|node| !matches!(node.kind, RawKind::Free(..)));
    let frees = graph.buffers().iter().filter_map(|buffer| buffer.free);
    let frees: HashSet<u64> = frees.map(|free| graph.node(free).id).collect();
    if let Some(edges) = &mut builder.edges {
        edges.retain(|(from, to)| !frees.contains(from) && !frees.contains(to));
    }
    if let Some(order) = &mut builder.schedule {
        order.retain(|id| !frees.contains(id));
    }
    builder.build()
}
