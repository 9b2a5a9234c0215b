use super::*;
use crate::input::{read_graph_source, read_graph_with};
use crate::model::{NodeIx, NodeKind};

fn source(text: &str) -> Source {
    Source::from_text("g.json", text.replace('\'', "\""))
}

/// Reads a graph in JSON, in which `'` stands for `"`.
fn graph(text: &str) -> Graph {
    read_graph_source(&source(text)).unwrap_or_else(|error| panic!("{error}"))
}

/// A node in JSON, without its closing brace.
fn node(name: &str, inputs: &str) -> String {
    format!("{{'name': '{name}', 'op_type': 'conv', 'inputs': [{inputs}], 'output_size': 8")
}

fn graph_of(nodes: &[String]) -> String {
    let nodes: Vec<String> = nodes.iter().map(|node| format!("{node}}}")).collect();
    format!("{{'nodes': [\n{}\n]}}", nodes.join(",\n"))
}

/// The text must be refused with these words, at the place that `@` marks in it.
#[track_caller]
fn assert_fault(marked: &str, words: &str) -> Error {
    let (before, behind) = marked.split_once('@').expect("a place is marked");
    let line = before.rsplit('\n').next().unwrap_or_default();
    let place = (before.matches('\n').count() + 1, line.chars().count() + 1);
    let error = read_graph_source(&source(&format!("{before}{behind}"))).expect_err("the input is broken");
    assert!(error.what.contains(words), "expected {words:?} in {:?}", error.what);
    assert_eq!(error.place.as_ref().and_then(|found| found.at), Some(place), "{marked}: {}", error.what);
    error
}

fn ids(graph: &Graph, nodes: impl Iterator<Item = NodeIx>) -> Vec<u64> {
    let mut ids: Vec<u64> = nodes.map(|node| graph.node(node).id).collect();
    ids.sort_unstable();
    ids
}

#[test]
fn an_operation_becomes_alloc_operation_and_free() {
    let text = "{'nodes': [
        {'name': 'b', 'op_type': 'relu', 'inputs': ['a', 'x', 'a'], 'output_size': 5, 'est_duration': 0.3, 'actual_size': 6},
        {'name': 'a', 'op_type': 'conv', 'inputs': [], 'output_size': 7, 'est_duration': 2, 'zero_fill': true}],
        'inputs': [{'name': 'x', 'size': 9}, {'name': 'unread', 'size': 1}]}";
    let graph = graph(text);
    let shown: Vec<String> = graph
        .node_ixs()
        .map(|node| {
            format!("{} {} {}", graph.node(node).id, graph.op_name(node), graph.node(node).name.as_ref().unwrap())
        })
        .collect();
    let expected =
        ["0 ALLOC b", "1 relu b", "3 ALLOC a", "4 conv a", "5 FREE a", "6 ALLOC x", "7 FREE x", "8 ALLOC unread"];
    assert_eq!(shown, expected, "an output of the graph has no FREE");

    let relu = graph.find_node(1).unwrap();
    assert_eq!(ids(&graph, graph.preds(relu)), [0, 4, 6], "its own ALLOC, the producer of a, the ALLOC of x");
    assert_eq!(ids(&graph, graph.succs(relu)), [5, 7], "the FREEs of what it reads");
    let NodeKind::Op(op) = graph.node(relu).kind else { panic!("an operation") };
    let operands: Vec<u64> = graph.operands(&op).iter().map(|&buf| graph.buffer(buf).id).collect();
    assert_eq!((op.cycles, operands), (300, vec![1, 2, 0]), "inputs, each once, then the output");
    assert_eq!((graph.symbol(op.pipe).raw(), graph.symbol(graph.buffers()[0].level).raw()), ("worker", "pool"));

    let facts: Vec<_> = graph.buffers().iter().map(|b| (b.size, b.actual_size, b.backed, b.zero_fill)).collect();
    let expected = [(5, Some(6), false, false), (7, None, false, true), (9, None, true, false), (1, None, true, false)];
    assert_eq!(facts, expected);
    assert_eq!(graph.operation_graph, Some(OperationGraph::default()));
}

#[test]
fn a_kind_called_copy_in_backs_nothing() {
    let graph = graph("{'nodes': [{'name': 'a', 'op_type': 'COPY_IN', 'inputs': [], 'output_size': 1}]}");
    assert!(!graph.buffers()[0].backed);
}

#[test]
fn durations_come_from_the_file_then_the_profile_then_the_default() {
    let mut profile = Profile::default();
    profile.observe("conv", 41.2, 0.2);
    let nodes = [node("a", "") + ", 'est_duration': 0.0001", node("b", ""), node("c", "").replace("conv", "other")];
    let text = source(&graph_of(&nodes));
    let cycles = |graph: &Graph| -> Vec<u64> {
        let ops = graph.node_ixs().filter_map(|node| match graph.node(node).kind {
            NodeKind::Op(op) => Some(op.cycles),
            _ => None,
        });
        ops.collect()
    };
    let with = read_graph_with(&text, Some(&profile)).unwrap();
    assert_eq!(cycles(&with), [1, 42, 1000]);
    let expected = OperationGraph { max_pool_bytes: None, durations_from_profile: 1, durations_by_default: 1 };
    assert_eq!(with.operation_graph, Some(expected));
    let without = read_graph_source(&text).unwrap();
    assert_eq!(cycles(&without), [1, 1000, 1000]);
    assert_eq!(without.operation_graph.map(|facts| facts.durations_by_default), Some(2));
    let npu = Source::from_text("g.json", "{\"Nodes\": []}");
    assert!(read_graph_with(&npu, Some(&profile)).unwrap_err().what.contains("a profile is for operation graphs"));
}

#[test]
fn what_is_no_fault() {
    assert_eq!(graph("{'nodes': []}").node_count(), 0);
    assert_eq!(
        graph("\u{feff} {'version': 1, 'nodes': [], 'inputs': null, 'generated': {'seed': 1}}").ignored_fields,
        1
    );
    let extra = node("a\\u001b[31m\\ud83d\\ude00", "") + ", 'x': [{}], 'est_duration': null, 'actual_size': null";
    let graph = graph(&graph_of(&[extra, node("b", "'a\\u001b[31m😀'")]));
    assert_eq!((graph.ignored_fields, graph.edge_count()), (1, 4));
    let name = graph.node(NodeIx(0)).name.as_ref().unwrap();
    assert_eq!((name.raw(), name.to_string().as_str()), ("a\u{1b}[31m😀", "a\u{fffd}[31m😀"));
}

#[test]
fn nodes_are_told_from_nodes_wherever_they_stand() {
    let empty = "{'Edges': [], 'nodes': []}";
    assert!(read_graph_source(&source(empty)).unwrap().operation_graph.is_some());
    assert!(read_graph_source(&source("{'Edges': [], 'Nodes': [], 'nodes': []}")).unwrap().operation_graph.is_none());
    assert!(read_graph_source(&source("{\n 'Nodes': []}")).unwrap().operation_graph.is_none());
}

#[test]
fn a_file_that_is_no_operation_graph() {
    for (text, words) in [
        ("{'nodes': @{}}", "`nodes` must be a list, found {}"),
        ("{'nodes': [], 'inputs': @3}", "`inputs` must be a list, found 3"),
        ("{'nodes': [], 'nodes': @[]}", "`nodes` stands twice"),
        ("{'nodes': [@7]}", "entry 0 of `nodes` (counted from 0) must be an object, found 7"),
        ("{'nodes': [\n@]\n", "cut short"),
        ("{'nodes': [{}] @'inputs': []}", "an object goes on with `,`"),
        ("{'nodes': []} @x", "something follows the end"),
        ("{'nodes': [{'name': @'\\ud800', 'op_type': 'x', 'inputs': [], 'output_size': 1}]}", "surrogate pair"),
        ("{'nodes': [@{'\\ud800': 1}]}", "surrogate pair"),
    ] {
        assert_fault(text, words);
    }
    let error = read_graph_source(&source("{'nodes': null}")).unwrap_err();
    assert!(error.what.contains("no list `nodes`"), "{error}");
    let deep = "[".repeat(300_000);
    assert!(read_graph_source(&source(&format!("{{'nodes': [{deep}"))).is_err());
    assert!(read_graph_source(&source(&format!("{{'nodes': [{deep}{}]}}", "]".repeat(300_000)))).is_err());
}

#[test]
fn missing_and_mistyped_fields() {
    let whole = "must be a whole number from 1 to 2^63-1";
    for (fields, words) in [
        ("@{'op_type': 'x'", "entry 0 of `nodes` (counted from 0): `name` is missing".to_owned()),
        ("{'name': @''", "`name` must be a text that is not empty, found \"\"".into()),
        ("{'name': @3", "entry 0 of `nodes` (counted from 0): `name` must be a text, found 3".into()),
        ("@{'name': 'a'", "node 'a': `op_type` is missing".into()),
        ("@{'name': 'a', 'op_type': null", "node 'a': `op_type` is missing".into()),
        ("{'name': 'a', 'op_type': @[]", "node 'a': `op_type` must be a text, found []".into()),
        ("@{'name': 'a', 'op_type': 'x', 'inputs': []", "node 'a': `output_size` is missing".into()),
        ("@{'name': 'a', 'op_type': 'x', 'output_size': 1", "node 'a': `inputs` is missing".into()),
        ("{'name': 'a', 'op_type': 'x', 'output_size': 1, 'inputs': @'b'", "node 'a': `inputs` must be a list".into()),
        (
            "{'name': 'a', 'op_type': 'x', 'output_size': 1, 'inputs': [@7]",
            "an entry of `inputs` must be a text".into(),
        ),
        ("{'name': 'a', 'op_type': 'x', 'output_size': @0", format!("node 'a': `output_size` {whole}, found 0")),
        ("{'name': 'a', 'op_type': 'x', 'output_size': @-4", format!("`output_size` {whole}, found -4")),
        ("{'name': 'a', 'op_type': 'x', 'output_size': @1.5", format!("`output_size` {whole}, found 1.5")),
        ("{'name': 'a', 'op_type': 'x', 'output_size': @1e3", format!("`output_size` {whole}, found 1e3")),
        ("{'name': 'a', 'op_type': 'x', 'output_size': @'8'", format!("`output_size` {whole}, found \"8\"")),
        (
            "{'name': 'a', 'op_type': 'x', 'output_size': @9223372036854775808",
            format!("{whole}, found 9223372036854775808"),
        ),
        ("{'name': 'a', 'op_type': 'x', 'output_size': @99999999999999999999999", whole.into()),
        (
            "{'name': 'a', 'op_type': 'x', 'output_size': 1, 'actual_size': @0",
            format!("`actual_size` {whole}, found 0"),
        ),
        ("{'name': 'a', 'op_type': 'x', 'output_size': 1, 'zero_fill': @1", "`zero_fill` must be true or false".into()),
        (
            "{'name': 'a', 'op_type': 'x', 'output_size': 1, 'est_duration': @-1",
            "`est_duration` must be milliseconds".into(),
        ),
        ("{'name': 'a', 'op_type': 'x', 'output_size': 1, 'est_duration': @'1'", "found \"1\"".into()),
        ("{'name': 'a', 'op_type': 'x', 'output_size': 1, 'est_duration': @1e999", "found 1e999".into()),
        ("{'name': 'a', 'op_type': 'x', 'name': @'b'", "`name` stands twice in the same object".into()),
    ] {
        assert_fault(&format!("{{'nodes': [{fields}}}]}}"), &words);
    }
    let over_lines = "{'nodes': [{\n 'op_type': 'x',\n 'name': @'a'}]}";
    assert_fault(over_lines, "node 'a': `output_size` is missing");
}

#[test]
fn graph_inputs_are_checked_too() {
    for (input, words) in [
        ("@{'size': 1}", "entry 0 of `inputs` (counted from 0): `name` is missing"),
        ("@{'name': 'x'}", "graph input 'x': `size` is missing"),
        ("{'name': 'x', 'size': @0}", "graph input 'x': `size` must be a whole number from 1"),
        ("{'name': @'a', 'size': 1}", "the name 'a' stands twice: entry 0 of `nodes` (counted from 0) has it too"),
        ("{'name': 'x', 'size': 1}, {'name': @'x', 'size': 1}", "entry 0 of `inputs` (counted from 0) has it too"),
    ] {
        assert_fault(&format!("{{'nodes': [{}}}], 'inputs': [{input}]}}", node("a", "")), words);
    }
}

#[test]
fn names_must_lead_somewhere_else() {
    assert_fault(
        &graph_of(&[node("a", ""), node("a", "").replacen('\'', "@'", 3).replacen('@', "", 2)]),
        "the name 'a' stands twice",
    );
    assert_fault(&graph_of(&[node("a", "@'a'")]), "node 'a' reads its own output");
    let error =
        assert_fault(&graph_of(&[node("conv_1", ""), node("b", "@'conv1'")]), "reads 'conv1', which no node makes");
    assert!(error.advice.starts_with("did you mean 'conv_1'?"), "{}", error.advice);
    let error = assert_fault(&graph_of(&[node("conv_1", ""), node("b", "@'pool'")]), "which no node makes");
    assert!(!error.advice.contains("did you mean"), "{}", error.advice);
}

#[test]
fn a_cycle_is_named_in_order() {
    let nodes = [
        node("z", ""),
        node("a", "'c', 'z'").replacen('\'', "@'", 3).replacen('@', "", 2),
        node("b", "'a'"),
        node("c", "'b'"),
    ];
    assert_fault(&graph_of(&nodes), "the operations wait for each other in a cycle of 3: 'a' → 'b' → 'c' → 'a'");
}

#[test]
fn sums_that_pass_what_can_be_counted_are_refused() {
    let large = |name: &str, size: &str, more: &str| {
        node(name, "").replace("'output_size': 8", &format!("'output_size': {size}{more}"))
    };
    let half = "4611686018427387904";
    let mark = |text: String| text.replacen("{'name': ", "{'name': @", 1);
    assert_fault(
        &graph_of(&[large("a", half, ""), mark(large("b", half, ""))]),
        "with node 'b' of 4611686018427387904 bytes",
    );
    let actual = format!(", 'actual_size': {half}");
    assert_fault(
        &graph_of(&[large("a", half, ""), mark(large("b", "1", &actual))]),
        "the sizes of all buffers together",
    );
    let long = ", 'est_duration': 9000000000000000";
    assert_fault(
        &graph_of(&[large("a", "1", long), mark(large("b", "1", long))]),
        "with node 'b' the durations of all",
    );
}
