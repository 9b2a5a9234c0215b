//! What is wrong with an input is said in one message, at the right place; what is not wrong is accepted.

use proptest::prelude::*;

use spillscope::error::{Error, ErrorKind};
use spillscope::input::{Source, read_graph, read_graph_source};
use spillscope::model::{BufIx, Graph};

/// Reads a graph in JSON, in which `'` stands for `"`.
fn read(text: &str) -> Result<Graph, Error> {
    read_graph_source(&Source::from_text("g.json", text.replace('\'', "\"")))
}

/// One line a node, so that a test can tell lines: node k is on line k + 2.
fn graph_of(nodes: &[&str], rest: &str) -> String {
    format!("{{'Nodes': [\n{}\n]{rest}}}", nodes.join(",\n"))
}

const ALLOC: &str = "{'Id': 0, 'Op': 'ALLOC', 'BufId': 5, 'Size': 16, 'Type': 'L1'}";
const COPY: &str = "{'Id': 1, 'Op': 'COPY_IN', 'Pipe': 'MTE2', 'Cycles': 8, 'Bufs': [5]}";
const FREE: &str = "{'Id': 2, 'Op': 'FREE', 'BufId': 5, 'Size': 16, 'Type': 'L1'}";

/// The text must be refused with these words, at the place that `@` marks in it (without `@`: at none).
#[track_caller]
fn assert_fault(marked: &str, words: &str) {
    let place = marked.split_once('@').map(|(before, _)| {
        let line = before.rsplit('\n').next().unwrap_or_default();
        (before.matches('\n').count() + 1, line.chars().count() + 1)
    });
    let error = read(&marked.replacen('@', "", 1)).expect_err("the input is broken");
    assert!(error.what.contains(words), "expected {words:?} in {:?}", error.what);
    assert_eq!(error.kind, ErrorKind::Input);
    let found = error.place.expect("every message names its file");
    assert_eq!((found.file.as_str(), found.at), ("g.json", place), "{marked}: {}", error.what);
}

/// The first node of a graph is broken.
#[track_caller]
fn assert_node_fault(marked: &str, words: &str) {
    assert_fault(&graph_of(&[marked, COPY, FREE], ""), words);
}

#[test]
fn a_file_that_is_not_json_or_is_cut_short() {
    for (text, words) in [
        ("", "the file is empty"),
        (" \n\t", "the file is empty"),
        ("@hello", "not valid JSON: a value must stand here"),
        ("@\0\0\0", "not valid JSON"),
        ("{'Nodes': @[\n", "cut short"),
        ("{'Nodes': [{'I@d", "cut short"),
        ("{'Nodes': [\n@]\n", "cut short"),
        ("{'Nodes': []} @{}", "something follows the end"),
        ("{'Nodes': [],@}", "a comma must be followed by a further entry"),
        ("{'Nodes' @[]}", "a name must be followed by `:`"),
        ("{@Nodes: []}", "a name in double quotes"),
        ("{'Nodes': [\n{'Id': 0 @'Op': 'X'}]}", "goes on with `,`"),
        ("{'Nodes': [{'Id': @007}]}", "not a number"),
        ("{'Nodes': [{'Id': @1e999}]}", "too large"),
        ("{'Nodes': @NaN}", "a value must stand here"),
        ("{'Nodes': [{'Op': 'a@\nb'}]}", "line break or another control character"),
        ("{'Nodes': [{'Op': '\\@q'}]}", "broken escape"),
    ] {
        assert_fault(text, words);
    }
}

#[test]
fn depth_does_not_exhaust_the_stack() {
    let deep = "[".repeat(300_000);
    assert_fault(&format!("{deep}@["), "cut short");
    assert_fault(&format!("{{'Nodes': [@{deep}"), "entry 0 of `Nodes` must be an object, found a list");
    assert_fault(&format!("{{'x': {deep}@["), "cut short");
    assert_fault(&format!("{{'Nodes': [{{'Id': {deep}@["), "cut short");
    assert_fault(&format!("{{'Nodes': [{{'Bufs': {}@1", "{'a':".repeat(300_000)), "cut short");
}

#[test]
fn a_top_level_that_is_no_npu_graph() {
    for (text, words) in [
        ("@[1, 2]", "must hold an object at the top, found [1, 2]"),
        ("@42", "must hold an object at the top, found 42"),
        ("@{}", "no list `Nodes`"),
        ("@{'Nodes': null}", "no list `Nodes`"),
        ("{'Nodes': @{'Id': 1, 'Op': 'ALLOC'}}", "`Nodes` must be a list, found an object"),
        ("{'Nodes': [], 'Edges': @'x'}", "`Edges` must be a list, found \"x\""),
        ("{'Nodes': [], 'Schedule': @7}", "`Schedule` must be a list, found 7"),
        ("{'Nodes': [], 'Nodes': @[]}", "`Nodes` stands twice"),
        ("{'Nodes': [], 'Edges': [], 'Edges': @[]}", "`Edges` stands twice"),
    ] {
        assert_fault(text, words);
    }
}

#[test]
fn missing_fields() {
    for (missing, node) in [
        ("entry 0 of the nodes, counted from 0: `Id`", "@{'Op': 'ALLOC', 'BufId': 5, 'Size': 16, 'Type': 'L1'}"),
        ("entry 0 of the nodes, counted from 0: `Id`", "@{}"),
        ("node 9: `Op`", "@{'Id': 9, 'BufId': 5, 'Size': 16, 'Type': 'L1'}"),
        ("node 9: `BufId`", "@{'Id': 9, 'Op': 'ALLOC', 'Size': 16, 'Type': 'L1'}"),
        ("node 9: `Size`", "@{'Id': 9, 'Op': 'ALLOC', 'BufId': 5, 'Type': 'L1'}"),
        ("node 9: `Size`", "@{'Id': 9, 'Op': 'ALLOC', 'BufId': 5, 'Size': null, 'Type': 'L1'}"),
        ("node 9: `Type`", "@{'Id': 9, 'Op': 'ALLOC', 'BufId': 5, 'Size': 16}"),
        ("node 9: `BufId`", "@{'Id': 9, 'Op': 'FREE', 'Size': 16, 'Type': 'L1'}"),
        ("node 9: `Pipe`", "@{'Id': 9, 'Op': 'X', 'Cycles': 1, 'Bufs': []}"),
        ("node 9: `Cycles`", "@{'Id': 9, 'Op': 'X', 'Pipe': 'P', 'Bufs': []}"),
        ("node 9: `Bufs`", "@{'Id': 9, 'Op': 'X', 'Pipe': 'P', 'Cycles': 1}"),
    ] {
        assert_node_fault(node, &format!("{missing} is missing"));
    }
}

#[test]
fn mistyped_and_doubled_fields() {
    let op = "{'Id': 9, 'Op': 'X', 'Pipe': 'P', 'Cycles': 1, 'Bufs': ";
    let ids = "whole numbers from 0 to 2^63-1";
    for (node, words) in [
        ("{'Id': 9, 'Op': @7}", "node 9: `Op` must be a text, found 7"),
        ("{'Id': 9, 'Op': @['ALLOC']}", "`Op` must be a text, found [\"ALLOC\"]"),
        ("{'Id': 9, 'Op': 'FREE', 'BufId': 5, 'Type': @{}}", "`Type` must be a text, found {}"),
        ("{'Id': 9, 'Op': 'X', 'Name': @true}", "`Name` must be a text, found true"),
        ("{'Id': 9, 'Op': 'X', 'Pipe': @false}", "`Pipe` must be a text, found false"),
        (&format!("{op}@5}}"), "`Bufs` must be a list of buffer ids, found 5"),
        (&format!("{op}[5, @null, -1]}}"), &format!("`Bufs` must hold buffer ids, {ids}, found null")),
        ("@[1]", "entry 0 of `Nodes` must be an object, found [1]"),
        ("@null", "entry 0 of `Nodes` must be an object, found null"),
        ("{'Id': 9, 'Op': 'ALLOC', 'Id': @9}", "`Id` stands twice in the same object"),
    ] {
        assert_node_fault(node, words);
    }
}

#[test]
fn numbers_that_are_no_ids_sizes_or_cycles() {
    let too_large = ["9223372036854775808", "18446744073709551616", "-9223372036854775809"];
    for bad in ["-3", "1.5", "12.0", "1e3", "'7'", "true"].iter().chain(&too_large) {
        let found = format!("found {}", bad.replace('\'', "\""));
        let wanted =
            |field: &str, from: u64| format!("`{field}` must be a whole number from {from} to 2^63-1, {found}");
        let alloc = |fields: &str| format!("{{'Id': 9, 'Op': 'ALLOC', {fields}, 'Type': 'L1'}}");
        let op = |fields: &str| format!("{{'Id': 9, 'Op': 'X', 'Pipe': 'P', {fields}}}");
        assert_node_fault(&format!("{{'Id': @{bad}, 'Op': 'X'}}"), &wanted("Id", 0));
        assert_node_fault(&alloc(&format!("'BufId': @{bad}, 'Size': 1")), &wanted("BufId", 0));
        assert_node_fault(&alloc(&format!("'BufId': 1, 'Size': @{bad}")), &format!("node 9: {}", wanted("Size", 1)));
        assert_node_fault(&op(&format!("'Cycles': @{bad}")), &wanted("Cycles", 0));
        let ids = format!("`Bufs` must hold buffer ids, whole numbers from 0 to 2^63-1, {found}");
        assert_node_fault(&op(&format!("'Cycles': 1, 'Bufs': [5, @{bad}]")), &ids);
        let edge = graph_of(&[ALLOC], &format!(", 'Edges': [@[0, {bad}]]"));
        assert_fault(&edge, "entry 0 of `Edges` must be a pair [from, to] of node ids");
        let schedule = graph_of(&[ALLOC], &format!(", 'Schedule': [0, @{bad}]"));
        assert_fault(&schedule, &format!("entry 1 of `Schedule` must be a node id, {found}"));
    }
    let from_1 = "`Size` must be a whole number from 1 to 2^63-1, found 0";
    assert_node_fault("{'Id': 9, 'Op': 'ALLOC', 'BufId': 1, 'Size': @0, 'Type': 'L1'}", from_1);
    assert_node_fault("{'Id': 9, 'Op': 'FREE', 'BufId': 5, 'Size': @0}", from_1);
    let largest = "{'Id': 9223372036854775807, 'Op': 'X', 'Pipe': 'P', 'Cycles': 9223372036854775807, 'Bufs': []}";
    read(&graph_of(&[largest], "")).unwrap();
}

#[test]
fn edges_and_schedules_of_a_wrong_shape() {
    for bad in ["[0]", "[]", "[0, 1, 2]", "7", "{'from': 0}", "'0-1'", "null"] {
        let words =
            format!("entry 1 of `Edges` must be a pair [from, to] of node ids, found {bad}").replace('\'', "\"");
        assert_fault(&graph_of(&[ALLOC], &format!(", 'Edges': [[0, 1], @{bad}]")), &words);
    }
    for bad in ["null", "[0]", "'0'", "{}"] {
        let words = "entry 0 of `Schedule` must be a node id";
        assert_fault(&graph_of(&[ALLOC], &format!(", 'Schedule': [@{bad}]")), words);
    }
}

#[test]
fn buffers_that_are_not_allocated_once_and_freed_once() {
    let second_copy = format!("@{COPY}");
    let bare_free = format!("@{FREE}");
    for (nodes, words) in [
        ([ALLOC, COPY, &second_copy], "node id 1 stands twice"),
        (
            [ALLOC, COPY, "@{'Id': 7, 'Op': 'ALLOC', 'BufId': 5, 'Size': 16, 'Type': 'L1'}"],
            "buffer 5 is allocated twice: by node 0 and by node 7",
        ),
        ([ALLOC, FREE, "@{'Id': 7, 'Op': 'FREE', 'BufId': 5}"], "buffer 5 is freed a second time by node 7"),
        ([ALLOC, COPY, "@{'Id': 2, 'Op': 'FREE', 'BufId': 5, 'Size': 17}"], "with size 17; its ALLOC, node 0, says 16"),
        (
            [ALLOC, COPY, "@{'Id': 2, 'Op': 'FREE', 'BufId': 5, 'Type': 'UB'}"],
            "from level UB; its ALLOC, node 0, says L1",
        ),
        (
            [ALLOC, COPY, "@{'Id': 7, 'Op': 'X', 'Pipe': 'P', 'Cycles': 1, 'Bufs': [5, 6]}"],
            "node 7 names buffer 6, which no node allocates",
        ),
    ] {
        assert_fault(&graph_of(&nodes, ""), words);
    }
    assert_fault(&graph_of(&[&bare_free], ""), "node 2 frees buffer 5, which no node allocates");
}

#[test]
fn a_node_over_several_lines_is_shown_by_its_id() {
    assert_fault("{'Nodes': [{\n  'Id': @4,\n  'Op': 'FREE',\n  'BufId': 5}]}", "node 4 frees buffer 5");
}

#[test]
fn edges_to_nowhere_and_cycles() {
    let with = |edges: &str| graph_of(&[ALLOC, COPY, FREE], &format!(", 'Edges': [[0, 1],\n {edges}]"));
    assert_fault(&with("@[1, 9]"), "edge [1,9] names node 9, which the graph does not have");
    assert_fault(&with("@[1, 1]"), "edge [1,1] leads from a node to itself");
    let copy = format!("@{COPY}");
    let cycle = graph_of(&[ALLOC, &copy, FREE], ", 'Edges': [[0, 1], [1, 2], [2, 1]]");
    assert_fault(&cycle, "a cycle of 2 nodes: 1 COPY_IN → 2 FREE → 1");
}

#[test]
fn schedules_that_do_not_fit_the_graph() {
    for (rest, words) in [
        ("'Schedule': [0, 1]", "the schedule misses 1 of 3 nodes: 2"),
        ("'Schedule': []", "the schedule misses 3 of 3 nodes: 0, 1, 2"),
        ("'Schedule': [0, 1, @1, 2]", "the schedule has node 1 twice"),
        ("'Schedule': [0, 1, 2,\n @9]", "names node 9, which the graph does not have"),
        ("'Edges': [[1, 2]], 'Schedule': [0, @2, 1]", "node 2 stands at place 1 before node 1"),
        ("'Edges': [], 'Schedule': [@1, 0, 2]", "node 1 (COPY_IN) uses buffer 5 before its ALLOC, node 0"),
        ("'Edges': [], 'Schedule': [0, 2, @1]", "node 1 (COPY_IN) uses buffer 5 after its FREE, node 2"),
    ] {
        assert_fault(&graph_of(&[ALLOC, COPY, FREE], &format!(", {rest}")), words);
    }
}

#[test]
fn what_is_no_fault() {
    let empty = read("{'Nodes': [], 'Edges': [], 'Schedule': []}").unwrap();
    assert_eq!((empty.node_count(), empty.name.raw()), (0, "g"));
    let graph = read(&graph_of(&[ALLOC, COPY, FREE], ", 'Edges': null, 'Schedule': null")).unwrap();
    assert_eq!((graph.edge_count(), graph.explicit_edges, graph.schedule()), (2, false, None));
    let no_free = read(&graph_of(&[ALLOC, COPY], ", 'Edges': [[0,1],[0,1]]")).unwrap();
    assert_eq!((no_free.edge_count(), no_free.buffers()[0].free), (1, None));
    let bare_free = "{'BufId': 5, 'Op': 'FREE', 'Size': null, 'Id': 900}";
    let any_name = "{'Id': 77, 'Op': '', 'Pipe': '管\\u001b', 'Cycles': 0, 'Bufs': [5, 5], 'Name': 'n'}";
    let graph = read(&graph_of(&[bare_free, any_name, ALLOC], "")).unwrap();
    assert_eq!((graph.node_count(), graph.users(BufIx(0)).len(), graph.ignored_fields), (3, 1, 0));
    assert!(graph.symbols().iter().any(|name| name.raw() == "管\u{1b}"));
}

#[test]
fn fields_that_mean_nothing_are_counted() {
    let alloc = "{'Id': 0, 'Op': 'ALLOC', 'BufId': 5, 'Size': 16, 'Type': 'L1', \
                 'x': {'y': [1]}, 'Cycles': -1, 'Bufs': [9]}";
    let op = "{'Id': 1, 'Op': 'X', 'BufId': -1, 'Size': 0, 'Type': '', \
              'Pipe': 'P', 'Cycles': 1, 'Bufs': [5], 'Note': null}";
    let graph = read(&graph_of(&[alloc, op], ", 'Version': 3, 'op': ['a']")).unwrap();
    assert_eq!(graph.ignored_fields, 3 + 4 + 2);
    assert_eq!(graph.users(BufIx(0)).len(), 1);
}

#[test]
fn a_graph_in_csv_needs_both_files_and_the_right_name() {
    let folder = tempfile::tempdir().unwrap();
    let nodes = folder.path().join("k_Nodes.csv");
    let nodes = nodes.to_str().unwrap();
    std::fs::write(nodes, "Id,Op,BufId,Size,Type,Pipe,Cycles,Bufs\n0,ALLOC,5,16,L1,,,\n1,X,,,,P,1,5\n").unwrap();
    let error = read_graph(nodes).unwrap_err();
    assert!(error.place.unwrap().file.ends_with("k_Edges.csv"));
    assert!(error.what.contains("there is no such file"), "{}", error.what);
    std::fs::write(folder.path().join("k_Edges.csv"), "StartNodeId,EndNodeId\n0,1\n").unwrap();
    let graph = read_graph(nodes).unwrap();
    assert_eq!((graph.name.raw(), graph.node_count(), graph.edge_count()), ("k", 2, 1));
    let other = read_graph_source(&Source::from_text("k.csv", "Id,Op\n")).unwrap_err();
    assert!(other.what.contains("X_Nodes.csv and X_Edges.csv"), "{}", other.what);
}

/// Valid text with a few bytes changed, dropped or put in, and cut: what a broken tool or a slip of the hand makes.
fn broken_json() -> impl Strategy<Value = String> {
    let whole = graph_of(
        &[ALLOC, COPY, FREE, "{'Id': 3, 'Op': 'X', 'Pipe': '\\u7ba1é', 'Cycles': 1, 'Bufs': [5], 'z': [{}]}"],
        ", 'Edges': [[0, 1], [0, 3], [1, 2], [3, 2]], 'Schedule': [0, 1, 3, 2]",
    );
    let whole: Vec<char> = whole.replace('\'', "\"").chars().collect();
    let pieces =
        ["", "\"", "{", "}", "[", "]", ",", ":", "-", ".5", "e9", "\\", "null", "0", "9999999999999999999", "\n"];
    let piece = prop_oneof![
        proptest::sample::select(pieces.to_vec()).prop_map(str::to_owned),
        any::<char>().prop_map(String::from)
    ];
    let change = (0..whole.len(), 0..4usize, piece);
    (proptest::collection::vec(change, 0..4), 0..2 * whole.len()).prop_map(move |(changes, cut)| {
        let mut text: Vec<String> = whole.iter().map(|&c| String::from(c)).collect();
        for (at, length, piece) in changes {
            let end = (at + length).min(text.len());
            text[at..end].iter_mut().for_each(String::clear);
            text[at].push_str(&piece);
        }
        text.iter().take(cut).map(String::as_str).collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn broken_json_ends_in_a_graph_or_a_message(text in broken_json()) {
        if let Err(error) = read(&text) {
            prop_assert!(!error.what.is_empty());
            let shown = spillscope::output::error::render(&error, false);
            prop_assert!(shown.starts_with("error: ") && !shown.contains('\x1b'), "{shown}");
            let place = error.place.expect("every message names its file");
            if let Some((line, column)) = place.at {
                prop_assert!(line <= text.lines().count() + 1 && line >= 1 && column >= 1, "{line}:{column}");
            }
        }
    }

    #[test]
    fn any_text_ends_in_a_graph_or_a_message(text in ".{0,60}", as_csv in any::<bool>()) {
        let name = if as_csv { "none_Nodes.csv" } else { "g.json" };
        if let Err(error) = read_graph_source(&Source::from_text(name, text)) {
            prop_assert!(!error.what.is_empty());
        }
    }
}

#[test]
#[ignore = "needs the published cases: set SPILLSCOPE_CASES to their folder"]
fn published_cases_load() {
    let folder = std::env::var("SPILLSCOPE_CASES").expect("SPILLSCOPE_CASES names the folder of the published cases");
    for (name, nodes, buffers) in [
        ("Conv_Case0", 2580, 831),
        ("FlashAttention_Case0", 1716, 572),
        ("Matmul_Case0", 4160, 1216),
        ("Matmul_Case1", 30976, 8960),
    ] {
        let graph = read_graph(&format!("{folder}/{name}.json")).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!((graph.node_count(), graph.buffers().len(), graph.ignored_fields), (nodes, buffers, 0), "{name}");
        assert_eq!(graph.name.raw(), name);
    }
}
