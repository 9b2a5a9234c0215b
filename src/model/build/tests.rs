use super::*;

const L1: Symbol = Symbol(0);
const L0A: Symbol = Symbol(1);
const MATMUL: Symbol = Symbol(2);
const CUBE: Symbol = Symbol(3);
const COPY_IN: Symbol = Symbol(4);

fn builder() -> GraphBuilder {
    let mut graph = GraphBuilder::new("g".into());
    for name in ["L1", "L0A", "MATMUL", "CUBE", "COPY_IN"] {
        graph.intern(name).unwrap();
    }
    graph
}

/// ALLOC 10 and FREE 12 of buffer 7, and an operation 11 on it; ids not in the file's order.
fn small() -> GraphBuilder {
    let mut graph = builder();
    graph.free(12, 7);
    graph.op(11, MATMUL, CUBE, 5, &[7]);
    graph.alloc(10, 7, 64, L1);
    graph.edges = Some(vec![(10, 11), (11, 12)]);
    graph
}

fn ids_of_edges(graph: &Graph) -> Vec<(u64, u64)> {
    let pairs = graph.node_ixs().flat_map(|node| graph.succs(node).map(move |next| (node, next)));
    let mut pairs: Vec<_> = pairs.map(|(a, b)| (graph.node(a).id, graph.node(b).id)).collect();
    pairs.sort_unstable();
    pairs
}

#[track_caller]
fn assert_fault(graph: GraphBuilder, at: Entry, words: &str) {
    let fault = graph.build().unwrap_err();
    assert!(fault.what.contains(words), "{}", fault.what);
    assert_eq!(fault.at, at, "{}", fault.what);
}

#[test]
fn nodes_and_buffers_are_indexed_by_id() {
    let graph = small().build().unwrap();
    let ids: Vec<u64> = graph.node_ixs().map(|node| graph.node(node).id).collect();
    assert_eq!(ids, [10, 11, 12]);
    let buffer = &graph.buffers()[0];
    assert_eq!((buffer.id, buffer.size, buffer.alloc, buffer.free), (7, 64, NodeIx(0), Some(NodeIx(2))));
    assert_eq!(graph.users(BufIx(0)), [NodeIx(1)]);
    assert_eq!(graph.first_spill_id(), 13);
}

#[test]
fn an_empty_graph_is_a_graph() {
    let graph = GraphBuilder { schedule: Some(vec![]), ..builder() }.build().unwrap();
    assert_eq!((graph.node_count(), graph.first_spill_id()), (0, 0));
}

#[test]
fn a_buffer_without_free_a_doubled_edge_and_distant_ids_are_no_fault() {
    let mut graph = builder();
    graph.alloc(MAX_NUMBER, MAX_NUMBER, 1, L1);
    graph.op(3, MATMUL, CUBE, 0, &[MAX_NUMBER, MAX_NUMBER]);
    graph.edges = Some(vec![(MAX_NUMBER, 3), (MAX_NUMBER, 3)]);
    let graph = graph.build().unwrap();
    assert_eq!((graph.edge_count(), graph.buffers()[0].free), (1, None));
    assert_eq!(graph.users(BufIx(0)).len(), 1, "a buffer that an operation names twice has one user");
    assert_eq!(graph.first_spill_id(), 1 << 63);
}

#[test]
fn operands_keep_the_files_order_and_also_stand_sorted() {
    let mut graph = builder();
    (0..3).for_each(|buf| graph.alloc(buf, buf, 1, L1));
    graph.op(9, COPY_IN, CUBE, 0, &[2, 0, 2]);
    let graph = graph.build().unwrap();
    let NodeKind::Op(op) = graph.node(NodeIx(3)).kind else { panic!("node 9 is an operation") };
    assert_eq!(graph.operands(&op), [BufIx(2), BufIx(0)]);
    assert_eq!(graph.sorted_operands(&op), [BufIx(0), BufIx(2)]);
    let backed: Vec<bool> = graph.buffers().iter().map(|buffer| buffer.backed).collect();
    assert_eq!(backed, [true, false, true]);
}

#[test]
fn ids_must_be_unique_and_below_2_63() {
    let mut graph = small();
    graph.op(11, MATMUL, CUBE, 1, &[]);
    assert_fault(graph, Entry::Node(3), "node id 11 stands twice");
    let mut graph = small();
    graph.op(1 << 63, MATMUL, CUBE, 1, &[]);
    assert_fault(graph, Entry::Node(3), "9223372036854775808 is 2^63 or more");
}

#[test]
fn a_buffer_has_one_alloc_and_one_free_that_agree() {
    let mut graph = small();
    graph.alloc(20, 7, 64, L1);
    assert_fault(graph, Entry::Node(3), "buffer 7 is allocated twice: by node 10 and by node 20");
    let mut graph = small();
    graph.free(20, 7);
    assert_fault(graph, Entry::Node(3), "buffer 7 is freed a second time by node 20");
    let mut graph = small();
    graph.free(20, 8);
    assert_fault(graph, Entry::Node(3), "node 20 frees buffer 8, which no node allocates");
    let mut graph = small();
    graph.nodes[0].kind = RawKind::Free(7, Some(65), None);
    assert_fault(graph, Entry::Node(0), "with size 65; its ALLOC, node 10, says 64");
    let mut graph = small();
    graph.nodes[0].kind = RawKind::Free(7, Some(64), Some(L0A));
    assert_fault(graph, Entry::Node(0), "from level L0A; its ALLOC, node 10, says L1");
    let mut graph = small();
    graph.nodes[0].kind = RawKind::Free(7, Some(64), Some(L1));
    graph.build().unwrap();
}

#[test]
fn sizes_start_at_1_and_sums_stay_below_2_63() {
    let mut graph = small();
    graph.alloc(20, 8, 0, L1);
    assert_fault(graph, Entry::Node(3), "node 20: buffer 8 has size 0");
    let mut graph = small();
    graph.alloc(20, 8, MAX_NUMBER - 63, L1);
    assert_fault(graph, Entry::Node(3), "sizes of all buffers together pass 2^63-1");
    let mut graph = small();
    graph.op(20, MATMUL, CUBE, MAX_NUMBER - 4, &[]);
    assert_fault(graph, Entry::Node(3), "cycles of all operations together pass 2^63-1");
}

#[test]
fn operands_are_allocated() {
    let mut graph = small();
    graph.op(20, MATMUL, CUBE, 1, &[7, 8]);
    assert_fault(graph, Entry::Node(3), "node 20 names buffer 8, which no node allocates");
}

#[test]
fn edges_lead_from_one_node_to_another() {
    let with = |edge| {
        let mut graph = small();
        graph.edges.as_mut().unwrap().push(edge);
        graph
    };
    assert_fault(with((10, 99)), Entry::Edge(2), "edge [10,99] names node 99");
    assert_fault(with((99, 10)), Entry::Edge(2), "edge [99,10] names node 99");
    assert_fault(with((11, 11)), Entry::Edge(2), "leads from a node to itself");
}

#[test]
fn a_cycle_is_named_in_order() {
    let mut graph = builder();
    for id in [4, 8, 6, 2] {
        graph.op(id, MATMUL, CUBE, 1, &[]);
    }
    graph.nodes[1].name = Some("q\x1bk".into());
    graph.edges = Some(vec![(2, 4), (4, 8), (8, 6), (6, 4), (6, 2)]);
    let words = "a cycle of 4 nodes: 2 MATMUL → 4 MATMUL → 8 MATMUL 'q\u{fffd}k' → 6 MATMUL → 2";
    assert_fault(graph, Entry::Node(3), words);
}

#[test]
fn a_cycle_through_very_many_nodes_is_found_and_cut_in_the_message() {
    let mut graph = builder();
    let count = 300_000;
    (0..count).for_each(|id| graph.op(id, MATMUL, CUBE, 1, &[]));
    graph.edges = Some((0..count).map(|id| (id, (id + 1) % count)).collect());
    assert_fault(graph, Entry::Node(0), "a cycle of 300000 nodes: 0 MATMUL → 1 MATMUL");
}

#[test]
fn without_edges_a_buffers_nodes_follow_one_another() {
    let mut graph = builder();
    graph.free(0, 1);
    graph.op(5, MATMUL, CUBE, 1, &[1, 2, 1]);
    graph.op(3, MATMUL, CUBE, 1, &[1]);
    graph.alloc(9, 1, 1, L1);
    graph.alloc(8, 2, 1, L1);
    let as_in_file = graph.clone().build().unwrap();
    assert_eq!(ids_of_edges(&as_in_file), [(3, 0), (5, 3), (8, 5), (9, 5)]);
    assert!(!as_in_file.explicit_edges);
    graph.schedule = Some(vec![9, 8, 3, 5, 0]);
    assert_eq!(ids_of_edges(&graph.build().unwrap()), [(3, 5), (5, 0), (8, 5), (9, 3)]);
}

#[test]
fn no_edges_listed_is_not_the_same_as_no_list_of_edges() {
    let graph = GraphBuilder { edges: Some(vec![]), ..small() }.build().unwrap();
    assert_eq!((graph.edge_count(), graph.explicit_edges), (0, true));
}

#[test]
fn a_schedule_holds_every_node_once_in_a_legal_order() {
    let with = |schedule: &[u64]| GraphBuilder { schedule: Some(schedule.to_vec()), ..small() };
    with(&[10, 11, 12]).build().unwrap();
    assert_fault(with(&[10, 11]), Entry::Whole, "misses 1 of 3 nodes: 12");
    assert_fault(with(&[]), Entry::Whole, "misses 3 of 3 nodes: 10, 11, 12");
    assert_fault(with(&[10, 11, 12, 11]), Entry::Schedule(3), "node 11 twice");
    assert_fault(with(&[10, 11, 12, 13]), Entry::Schedule(3), "node 13, which the graph does not have");
    assert_fault(with(&[10, 12, 11]), Entry::Schedule(1), "node 12 stands at place 1 before node 11");
    let without_edges = GraphBuilder { edges: None, ..with(&[10, 11, 13]) };
    assert_fault(without_edges, Entry::Schedule(2), "node 13, which the graph does not have");
}

#[test]
fn a_schedule_uses_no_buffer_before_its_alloc_or_after_its_free() {
    let with = |schedule: &[u64]| GraphBuilder {
        schedule: Some(schedule.to_vec()),
        edges: Some(vec![]), // so that only the buffers forbid anything
        ..small()
    };
    assert_fault(with(&[11, 10, 12]), Entry::Schedule(0), "node 11 (MATMUL) uses buffer 7 before its ALLOC, node 10");
    assert_fault(with(&[10, 12, 11]), Entry::Schedule(2), "node 11 (MATMUL) uses buffer 7 after its FREE, node 12");
    assert_fault(with(&[12, 10, 11]), Entry::Schedule(0), "node 12 (FREE) uses buffer 7 before its ALLOC");
}

#[test]
fn names_in_messages_are_safe_to_print() {
    let mut graph = builder();
    let escape = graph.intern("\x1b[2J").unwrap();
    graph.alloc(0, 0, 1, L1);
    graph.op(1, escape, CUBE, 1, &[0]);
    graph.edges = Some(vec![]);
    graph.schedule = Some(vec![1, 0]);
    assert_fault(graph, Entry::Schedule(0), "node 1 (\u{fffd}[2J) uses buffer 0");
}

#[test]
fn a_graph_has_at_most_32768_names() {
    let mut graph = GraphBuilder::default();
    (0..MAX_SYMBOLS).for_each(|at| assert_eq!(graph.intern(&at.to_string()), Ok(Symbol::new(at))));
    assert_eq!(graph.intern("7"), Ok(Symbol(7)));
    assert_eq!(graph.intern("one more").unwrap_err().at, Entry::Whole);
}
