//! Graph files in the shapes that the readers take: NPU JSON and the pair of CSV files.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt::Write;

use crate::model::{Graph, Node, NodeIx, NodeKind};

/// How many ids of a schedule stand on a line.
const SCHEDULE_IDS_A_LINE: usize = 20;

/// The graph as an NPU JSON file: a node a line, the edges out of a node on a line. Reading it gives the same graph.
///
/// Edges that follow from the buffers are left out. Nodes stand in ascending order of id, except where that would
/// change such edges: then each stands behind those that it depends on.
pub fn npu_json(graph: &Graph) -> String {
    // A node takes some 80 characters, an edge some 16.
    let mut out = String::with_capacity(80 * graph.node_count() + 16 * graph.edge_count() + 64);
    let symbols: Vec<String> = graph.symbols().iter().map(|name| quoted(name.raw())).collect();
    out.push_str("{\n  \"Nodes\": [");
    let order = node_order(graph);
    for (at, &node) in order.iter().enumerate() {
        out.push_str(if at == 0 { "\n    " } else { ",\n    " });
        put_node(&mut out, graph, graph.node(node), &symbols);
    }
    out.push_str("\n  ]");
    if graph.explicit_edges {
        put_edges(&mut out, graph);
    }
    if let Some(schedule) = graph.schedule() {
        put_schedule(&mut out, graph, schedule);
    }
    out.push_str("\n}\n");
    out
}

/// The graph as a pair of CSV files, nodes and edges. Names and the schedule have no place there.
pub fn npu_csv(graph: &Graph) -> (String, String) {
    let fields: Vec<String> = graph.symbols().iter().map(|name| csv_field(name.raw())).collect();
    let mut nodes = String::with_capacity(32 * graph.node_count() + 64);
    nodes.push_str("Id,Op,BufId,Size,Type,Pipe,Cycles,Bufs\n");
    for node in graph.node_ixs().map(|node| graph.node(node)) {
        put(&mut nodes, format_args!("{},", node.id));
        match node.kind {
            NodeKind::Alloc(buf) | NodeKind::Free(buf) => {
                let (kind, buffer) = (cache_kind(node), graph.buffer(buf));
                let level = &fields[buffer.level.at()];
                put(&mut nodes, format_args!("{kind},{},{},{level},,,\n", buffer.id, buffer.size));
            }
            NodeKind::Op(op) => {
                let (kind, pipe) = (&fields[op.op.at()], &fields[op.pipe.at()]);
                put(&mut nodes, format_args!("{kind},,,,{pipe},{},\"", op.cycles));
                put_list(&mut nodes, graph.operands(&op).iter().map(|&buf| graph.buffer(buf).id));
                nodes.push_str("\"\n");
            }
        }
    }
    let mut edges = String::with_capacity(16 * graph.edge_count() + 32);
    edges.push_str("StartNodeId,EndNodeId\n");
    for (from, to) in edge_ids(graph) {
        put(&mut edges, format_args!("{from},{to}\n"));
    }
    (nodes, edges)
}

/// Appends formatted text; writing into a `String` cannot fail.
fn put(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

fn put_list(out: &mut String, numbers: impl Iterator<Item = u64>) {
    for (at, number) in numbers.enumerate() {
        if at > 0 {
            out.push(',');
        }
        put(out, format_args!("{number}"));
    }
}

fn put_node(out: &mut String, graph: &Graph, node: &Node, symbols: &[String]) {
    put(out, format_args!("{{\"Id\":{},", node.id));
    match node.kind {
        NodeKind::Alloc(buf) | NodeKind::Free(buf) => {
            put(out, format_args!("\"Op\":\"{}\",", cache_kind(node)));
            put_name(out, node);
            let buffer = graph.buffer(buf);
            let level = &symbols[buffer.level.at()];
            put(out, format_args!("\"BufId\":{},\"Size\":{},\"Type\":{level}}}", buffer.id, buffer.size));
        }
        NodeKind::Op(op) => {
            put(out, format_args!("\"Op\":{},", symbols[op.op.at()]));
            put_name(out, node);
            put(out, format_args!("\"Pipe\":{},\"Cycles\":{},\"Bufs\":[", symbols[op.pipe.at()], op.cycles));
            put_list(out, graph.operands(&op).iter().map(|&buf| graph.buffer(buf).id));
            out.push_str("]}");
        }
    }
}

fn put_name(out: &mut String, node: &Node) {
    if let Some(name) = &node.name {
        put(out, format_args!("\"Name\":{},", quoted(name.raw())));
    }
}

fn cache_kind(node: &Node) -> &'static str {
    if matches!(node.kind, NodeKind::Alloc(_)) { "ALLOC" } else { "FREE" }
}

fn put_edges(out: &mut String, graph: &Graph) {
    out.push_str(",\n  \"Edges\": [");
    let mut line_of = None;
    for (from, to) in edge_ids(graph) {
        let separator = match line_of {
            None => "\n    ",
            Some(last) if last == from => ",",
            Some(_) => ",\n    ",
        };
        put(out, format_args!("{separator}[{from},{to}]"));
        line_of = Some(from);
    }
    out.push_str("\n  ]");
}

fn put_schedule(out: &mut String, graph: &Graph, schedule: &[NodeIx]) {
    out.push_str(",\n  \"Schedule\": [");
    for (at, ids) in schedule.chunks(SCHEDULE_IDS_A_LINE).enumerate() {
        out.push_str(if at == 0 { "\n    " } else { ",\n    " });
        put_list(out, ids.iter().map(|&node| graph.node(node).id));
    }
    out.push_str("\n  ]");
}

/// The edges as ids, by ascending start, then end.
fn edge_ids(graph: &Graph) -> impl Iterator<Item = (u64, u64)> + '_ {
    graph.node_ixs().flat_map(|from| {
        let mut ends: Vec<u64> = graph.succs(from).map(|to| graph.node(to).id).collect();
        ends.sort_unstable();
        let from = graph.node(from).id;
        ends.into_iter().map(move |to| (from, to))
    })
}

/// The order in which the nodes are written. Where a reader takes the edges from the order of the nodes, and
/// ascending ids would not give the edges that the graph has, each node stands behind those that it depends on.
fn node_order(graph: &Graph) -> Vec<NodeIx> {
    let is_op = |node: NodeIx| graph.node(node).kind.is_op();
    let from_order = !graph.explicit_edges && graph.schedule().is_none();
    let ascending = || {
        let ops = graph.node_ixs().filter(|&node| is_op(node));
        ops.into_iter().all(|node| graph.preds(node).all(|pred| pred < node || !is_op(pred)))
    };
    if !from_order || ascending() { graph.node_ixs().collect() } else { topological(graph) }
}

/// The nodes in topological order, lowest id first.
fn topological(graph: &Graph) -> Vec<NodeIx> {
    let mut waits: Vec<usize> = graph.node_ixs().map(|node| graph.preds(node).count()).collect();
    let mut ready: BinaryHeap<_> = graph.node_ixs().filter(|node| waits[node.at()] == 0).map(Reverse).collect();
    let mut order = Vec::with_capacity(waits.len());
    while let Some(Reverse(node)) = ready.pop() {
        order.push(node);
        for next in graph.succs(node) {
            waits[next.at()] -= 1;
            if waits[next.at()] == 0 {
                ready.push(Reverse(next));
            }
        }
    }
    order
}

/// `text` as a JSON string.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// `text` as a CSV field (RFC 4180): quoted where it holds a separator, a quote, a line break, or outer blanks that
/// a reader might trim.
fn csv_field(text: &str) -> String {
    let plain = !text.contains([',', '"', '\r', '\n']) && text.trim() == text;
    if plain { text.to_owned() } else { format!("\"{}\"", text.replace('"', "\"\"")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::{matmul, random};
    use crate::input::{Source, read_graph, read_graph_source};
    use crate::model::GraphBuilder;

    fn reread(text: &str) -> Graph {
        read_graph_source(&Source::from_text("again.json", text)).unwrap()
    }

    fn edges(graph: &Graph) -> Vec<(u64, u64)> {
        edge_ids(graph).collect()
    }

    fn random(seed: u64, switches: u64) -> Graph {
        let switch = |bit: u64| switches >> bit & 1 == 1;
        let (schedule, edges, gaps, shuffle) = (switch(0), switch(1), switch(2), switch(3));
        let config = random::Config { seed, schedule, edges, gaps, shuffle, unfreed: 0.1, ..random::Config::default() };
        random::generate(&config).unwrap()
    }

    /// One operation on one buffer, with those names.
    fn tiny(name: &str, kind: &str) -> Graph {
        let mut builder = GraphBuilder::new("tiny".into());
        let (level, kind) = (builder.intern("L1").unwrap(), builder.intern(kind).unwrap());
        builder.alloc(0, 7, 5, level);
        builder.nodes[0].name = Some(name.into());
        builder.op(1, kind, level, 9, &[7]);
        builder.free(2, 7);
        builder.build().unwrap()
    }

    #[test]
    fn a_graph_survives_the_way_through_a_json_file() {
        for switches in 0..16 {
            let graph = random(switches, switches);
            let text = npu_json(&graph);
            let again = reread(&text);
            assert_eq!(edges(&again), edges(&graph), "switches {switches:04b}");
            assert_eq!(again.explicit_edges, graph.explicit_edges);
            assert_eq!(again.schedule(), graph.schedule());
            assert_eq!(npu_json(&again), text);
        }
    }

    #[test]
    fn edges_stand_in_the_file_only_where_the_graph_lists_them() {
        assert!(npu_json(&random(1, 0b10)).contains("\"Edges\""));
        assert!(!npu_json(&random(1, 0b00)).contains("\"Edges\""));
    }

    #[test]
    fn the_layout_is_a_node_a_line() {
        let text = npu_json(&tiny("W", "COPY_IN"));
        let expected = "{\n  \"Nodes\": [\n    \
            {\"Id\":0,\"Op\":\"ALLOC\",\"Name\":\"W\",\"BufId\":7,\"Size\":5,\"Type\":\"L1\"},\n    \
            {\"Id\":1,\"Op\":\"COPY_IN\",\"Pipe\":\"L1\",\"Cycles\":9,\"Bufs\":[7]},\n    \
            {\"Id\":2,\"Op\":\"FREE\",\"BufId\":7,\"Size\":5,\"Type\":\"L1\"}\n  ]\n}\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn any_name_gives_valid_json() {
        for name in ["", "a\"b\\c", "line\nbreak\u{0}\u{1b}[31m", "权重 \u{202e}"] {
            let again = reread(&npu_json(&tiny(name, "OP")));
            assert_eq!(again.buffer_name(again.find_buffer(7).unwrap()).unwrap().raw(), name);
            let again = reread(&npu_json(&tiny("W", name)));
            assert_eq!(again.op_name(again.find_node(1).unwrap()), name);
        }
    }

    #[test]
    fn an_empty_graph_is_a_valid_file() {
        let graph = GraphBuilder::new("empty".into()).build().unwrap();
        assert_eq!(reread(&npu_json(&graph)).node_count(), 0);
        assert_eq!(npu_csv(&graph).1, "StartNodeId,EndNodeId\n");
    }

    #[test]
    fn the_csv_pair_has_the_published_columns() {
        let (nodes, edges) = npu_csv(&tiny("W", "COPY_IN"));
        let expected =
            "Id,Op,BufId,Size,Type,Pipe,Cycles,Bufs\n0,ALLOC,7,5,L1,,,\n1,COPY_IN,,,,L1,9,\"7\"\n2,FREE,7,5,L1,,,\n";
        assert_eq!(nodes, expected);
        assert_eq!(edges, "StartNodeId,EndNodeId\n0,1\n1,2\n");
    }

    #[test]
    fn csv_quotes_what_would_break_a_row() {
        let kind = "a,\"b\"\nc";
        let (nodes, _) = npu_csv(&tiny("W", kind));
        let mut reader = csv::Reader::from_reader(nodes.as_bytes());
        let row = reader.records().nth(1).unwrap().unwrap();
        assert_eq!((&row[1], &row[7]), (kind, "7"));
    }

    #[test]
    fn a_graph_survives_the_way_through_a_csv_pair() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("X_Nodes.csv");
        for seed in 0..8 {
            let graph = random(seed, seed << 1);
            let (nodes, ends) = npu_csv(&graph);
            std::fs::write(&path, &nodes).unwrap();
            std::fs::write(folder.path().join("X_Edges.csv"), &ends).unwrap();
            let again = read_graph(path.to_str().unwrap()).unwrap();
            assert_eq!(npu_csv(&again), (nodes, ends), "seed {seed}");
        }
    }

    #[test]
    fn csv_lists_every_node_and_edge() {
        let graph = matmul::generate(&matmul::Config { tiles: 2, ..matmul::Config::default() }).unwrap();
        let (nodes, edges) = npu_csv(&graph);
        assert_eq!((nodes.lines().count(), edges.lines().count()), (graph.node_count() + 1, graph.edge_count() + 1));
        assert!(nodes.contains(",MATMUL,,,,CUBE,128,\"0,4,3\"\n"), "{nodes}");
    }
}
