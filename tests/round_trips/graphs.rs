//! Graphs as JSON and as a CSV pair.

use std::collections::BTreeSet;

use spillscope::input::{Source, read_graph, read_graph_source};
use spillscope::model::{Graph, NodeKind};
use spillscope::output::graph_file::{npu_csv, npu_json};

/// A node or a buffer in words.
type Told = Vec<String>;

pub fn read_back_the_same(graph: &Graph, about: &str) {
    // An operation graph has a format of its own, in which neither file is.
    if graph.operation_graph.is_some() {
        return;
    }
    let again = read_graph_source(&Source::from_text("again.json", npu_json(graph)));
    let again = again.unwrap_or_else(|error| panic!("{about}: {error}"));
    assert_eq!(told(&again), told(graph), "{about}: JSON");
    assert_eq!(again.schedule(), graph.schedule(), "{about}");
    let pair = pair(graph, about);
    assert_eq!(told(&pair), told(graph), "{about}: CSV");
    // And from the pair to JSON and back.
    let json = read_graph_source(&Source::from_text("again.json", npu_json(&pair))).expect("our own");
    assert_eq!(told(&json), told(graph), "{about}: CSV to JSON");
}

fn pair(graph: &Graph, about: &str) -> Graph {
    let folder = tempfile::tempdir().expect("a folder");
    let (nodes, edges) = npu_csv(graph);
    let path = folder.path().join("g_Nodes.csv");
    std::fs::write(&path, nodes).expect("written");
    std::fs::write(folder.path().join("g_Edges.csv"), edges).expect("written");
    read_graph(&path.to_string_lossy()).unwrap_or_else(|error| panic!("{about}: {error}"))
}

/// Nodes, buffers and edges in words, without what a CSV pair has no place for: names and schedule.
fn told(graph: &Graph) -> (Told, Told, BTreeSet<(u64, u64)>) {
    let nodes = graph.node_ixs().map(|ix| {
        let node = graph.node(ix);
        let what = match node.kind {
            NodeKind::Alloc(buf) | NodeKind::Free(buf) => format!("of {}", graph.buffer(buf).id),
            NodeKind::Op(op) => {
                let bufs: Vec<u64> = graph.operands(&op).iter().map(|&buf| graph.buffer(buf).id).collect();
                format!("on {} for {} over {bufs:?}", graph.symbol(op.pipe).raw(), op.cycles)
            }
        };
        format!("{} {} {what}", node.id, graph.op_name(ix))
    });
    let buffers = graph.buffers().iter().map(|buffer| {
        let level = graph.symbol(buffer.level).raw();
        format!(
            "{} of {} in {level}, backed: {}, freed: {}",
            buffer.id,
            buffer.size,
            buffer.backed,
            buffer.free.is_some()
        )
    });
    let id = |node| graph.node(node).id;
    let edges = graph.node_ixs().flat_map(|to| graph.preds(to).map(move |from| (id(from), id(to)))).collect();
    (nodes.collect(), buffers.collect(), edges)
}
