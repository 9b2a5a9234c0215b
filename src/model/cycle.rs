//! Finding a cycle to name. Kahn's algorithm says whether there is one; Tarjan's says which nodes are on it.

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;

use super::build::{Entry, Fault};
use super::graph::Graph;
use super::ids::NodeIx;
use super::name::clean;

/// The most nodes of a cycle that a message names.
const SHOWN: usize = 12;

/// The message that names `cycle`; `place_in_file` has the place of each node.
pub(super) fn cycle_fault(graph: &Graph, cycle: &[NodeIx], place_in_file: &[u32]) -> Fault {
    let mut shown: Vec<String> = cycle.iter().take(SHOWN).map(|&node| long_name(graph, node)).collect();
    if cycle.len() > SHOWN {
        shown.push(format!("… {} more", cycle.len() - SHOWN));
    }
    shown.push(short_name(graph, cycle[0]));
    let way = shown.join(" → ");
    let at = Entry::Node(place_in_file[cycle[0].at()] as usize);
    if graph.operation_graph.is_some() {
        let what = format!("the operations wait for each other in a cycle of {}: {way}", cycle.len());
        return Fault::new(at, what, "take one of these names out of the `inputs` of the next");
    }
    let what = format!("the edges run in a cycle of {} nodes: {way}", cycle.len());
    Fault::new(at, what, "drop one of these edges")
}

/// The node's id; its name where nodes are known by names.
fn short_name(graph: &Graph, node: NodeIx) -> String {
    match &graph.node(node).name {
        Some(name) if graph.operation_graph.is_some() => format!("'{name}'"),
        _ => graph.node(node).id.to_string(),
    }
}

/// With kind and name where it is known by its id.
fn long_name(graph: &Graph, node: NodeIx) -> String {
    let short = short_name(graph, node);
    if graph.operation_graph.is_some() {
        return short;
    }
    let name = graph.node(node).name.as_ref().map_or(String::new(), |name| format!(" '{name}'"));
    format!("{short} {}{name}", clean(graph.op_name(node)))
}

/// The nodes of one cycle in order, starting at its lowest id; `None` where the graph has none.
pub fn find_cycle(graph: &Graph) -> Option<Vec<NodeIx>> {
    // Most files number their nodes along the edges, and a way that only climbs never comes back.
    if graph.dag.raw_edges().iter().all(|edge| edge.source() < edge.target()) {
        return None;
    }
    let stuck = kahn_leftover(graph);
    if stuck.is_empty() {
        return None;
    }
    let mut left = DiGraphMap::<u32, ()>::new();
    let mut is_left = vec![false; graph.node_count()];
    for node in &stuck {
        is_left[node.at()] = true;
    }
    for &node in &stuck {
        for next in graph.succs(node).filter(|next| is_left[next.at()]) {
            left.add_edge(node.0, next.0, ());
        }
    }
    let component = deep(left.node_count(), move || {
        tarjan_scc(&left)
            .into_iter()
            .filter(|component| component.len() > 1)
            .min_by_key(|c| (c.len(), c.iter().min().copied()))
    });
    // Without memory for so deep a stack the cycle is still found, if not the shortest component.
    Some(component.map_or_else(|| walk_back(graph, stuck[0], &is_left), |component| walk_round(graph, &component)))
}

/// The nodes that Kahn's algorithm never reaches: those on a cycle and those behind one.
fn kahn_leftover(graph: &Graph) -> Vec<NodeIx> {
    let mut waits = graph.pred_counts();
    let mut ready: Vec<NodeIx> = graph.node_ixs().filter(|node| waits[node.at()] == 0).collect();
    while let Some(node) = ready.pop() {
        for next in graph.succs(node) {
            waits[next.at()] -= 1;
            if waits[next.at()] == 0 {
                ready.push(next);
            }
        }
    }
    graph.node_ixs().filter(|node| waits[node.at()] > 0).collect()
}

/// Runs `work` with a stack that grows with `nodes`: petgraph's Tarjan recurses once a node, and a file may hold
/// a cycle of a million.
fn deep<T: Send + 'static>(nodes: usize, work: impl FnOnce() -> Option<T> + Send + 'static) -> Option<T> {
    let stack = (1 << 20) + nodes * 1024;
    std::thread::Builder::new().stack_size(stack).spawn(work).ok()?.join().ok()?
}

/// A cycle found by walking against the edges: every node that Kahn's algorithm left has another such node before it.
fn walk_back(graph: &Graph, start: NodeIx, is_left: &[bool]) -> Vec<NodeIx> {
    let mut step_of = vec![usize::MAX; graph.node_count()];
    let mut walked = Vec::new();
    let mut node = start;
    while step_of[node.at()] == usize::MAX {
        step_of[node.at()] = walked.len();
        walked.push(node);
        node = graph.preds(node).find(|pred| is_left[pred.at()]).unwrap_or(node);
    }
    let mut round = walked.split_off(step_of[node.at()]);
    round.reverse();
    let lowest = round.iter().enumerate().min_by_key(|(_, node)| **node).map_or(0, |(at, _)| at);
    round.rotate_left(lowest);
    round
}

/// A shortest way round from the component's lowest node back to it.
fn walk_round(graph: &Graph, component: &[u32]) -> Vec<NodeIx> {
    let start = NodeIx(component.iter().copied().min().unwrap_or(0));
    let mut inside = vec![false; graph.node_count()];
    for &node in component {
        inside[node as usize] = true;
    }
    let mut from = vec![u32::MAX; graph.node_count()];
    let mut queue = std::collections::VecDeque::from([start]);
    while let Some(node) = queue.pop_front() {
        for next in graph.succs(node) {
            if next == start {
                let mut round = vec![node];
                while let Some(&last) = round.last().filter(|&&last| last != start) {
                    round.push(NodeIx(from[last.at()]));
                }
                round.reverse();
                return round;
            }
            if inside[next.at()] && from[next.at()] == u32::MAX {
                from[next.at()] = node.0;
                queue.push_back(next);
            }
        }
    }
    vec![start] // not reached: every node of a component lies on a cycle
}

#[cfg(test)]
mod tests {
    use super::super::GraphBuilder;
    use super::*;

    #[test]
    fn walking_back_finds_a_cycle_from_a_node_behind_one() {
        let mut builder = GraphBuilder::default();
        let op = builder.intern("X").unwrap();
        for id in 0..5 {
            builder.op(id, op, op, 1, &[]);
        }
        builder.edges = Some(vec![(3, 1), (1, 2), (2, 0), (4, 3)]);
        let mut graph = builder.build().unwrap();
        graph.dag.add_edge(2.into(), 3.into(), ());
        let stuck = kahn_leftover(&graph);
        assert_eq!(stuck, [0, 1, 2, 3].map(NodeIx));
        let is_left = [true, true, true, true, false];
        assert_eq!(walk_back(&graph, NodeIx(0), &is_left), [1, 2, 3].map(NodeIx));
        assert_eq!(find_cycle(&graph).unwrap(), [1, 2, 3].map(NodeIx));
    }
}
