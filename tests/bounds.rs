//! The bounds on the published graphs, against the figures published for them.

mod npu_json;

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};

use spillscope::engine::bounds::{fractional_spill, makespan_bound, max_live, operand_sets};
use spillscope::engine::order::Priorities;
use spillscope::model::{Graph, Machine, NodeIx, NodeKind, Problem};

/// Program order by the rule of the classic policy, in the plainest way: of the operations whose predecessors are done,
/// save ALLOCs that could run now, the lowest id; its ALLOCs right before it, the FREEs it lets go right after it.
fn program_order(graph: &Graph) -> Vec<NodeIx> {
    let is_alloc = |node: NodeIx| matches!(graph.node(node).kind, NodeKind::Alloc(_));
    let is_free = |node: NodeIx| matches!(graph.node(node).kind, NodeKind::Free(_));
    let mut hard: HashMap<NodeIx, usize> = HashMap::new();
    let mut blocks: HashMap<NodeIx, Vec<NodeIx>> = HashMap::new();
    for op in graph.node_ixs().filter(|&node| graph.node(node).kind.is_op()) {
        let mut needs: BTreeSet<NodeIx> = graph.preds(op).filter(|&node| !is_alloc(node)).collect();
        needs.extend(graph.preds(op).filter(|&node| is_alloc(node)).flat_map(|alloc| graph.preds(alloc)));
        hard.insert(op, needs.len());
        for need in needs {
            blocks.entry(need).or_default().push(op);
        }
    }
    let mut waits: Vec<usize> = graph.node_ixs().map(|node| graph.preds(node).count()).collect();
    let mut ready: BinaryHeap<Reverse<NodeIx>> =
        hard.iter().filter(|(_, count)| **count == 0).map(|(&op, _)| Reverse(op)).collect();
    let mut done = vec![false; graph.node_count()];
    let mut order = Vec::new();
    while let Some(Reverse(op)) = ready.pop() {
        let mut run: Vec<NodeIx> = graph.preds(op).filter(|node| !done[node.at()]).collect();
        run.sort_unstable();
        run.push(op);
        let mut frees: BTreeSet<NodeIx> = BTreeSet::new();
        for at in 0.. {
            if at == run.len() {
                run.extend(std::mem::take(&mut frees));
            }
            let Some(&node) = run.get(at) else { break };
            order.push(node);
            done[node.at()] = true;
            for after in graph.succs(node) {
                waits[after.at()] -= 1;
                if is_free(after) && waits[after.at()] == 0 {
                    frees.insert(after);
                }
            }
            for &blocked in blocks.get(&node).map_or(&[][..], Vec::as_slice) {
                let count = hard.get_mut(&blocked).unwrap();
                *count -= 1;
                if *count == 0 {
                    ready.push(Reverse(blocked));
                }
            }
        }
    }
    assert_eq!(order.len(), graph.node_count(), "the published graphs have no buffer without a user");
    order
}

#[test]
#[ignore = "set SPILLSCOPE_CASES to the folder of the published graphs"]
fn bounds_of_the_published_graphs_are_those_published() {
    // Name, fractional spill bound in program order (by linear programming elsewhere), work of the busiest pipe.
    let published = HashMap::from([
        ("Matmul_Case0", (Some(34_944), 65_536)),
        ("Matmul_Case1", (None, 524_288)),
        ("FlashAttention_Case0", (Some(2_680), 25_600)),
        ("Conv_Case0", (Some(52_255), 348_677)),
    ]);
    for (name, path) in npu_json::published() {
        let Some(&(traffic, work)) = published.get(name.as_str()) else { continue };
        let json = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
        let problem = Problem::new(npu_json::graph(&json), Machine::npu()).unwrap();
        let order = program_order(&problem.graph);
        let start = std::time::Instant::now();
        let bound = fractional_spill(&problem, &order).unwrap();
        println!("{name}: {bound:?} in {:?}", start.elapsed());
        println!("  {:?}", makespan_bound(&problem, &Priorities::new(&problem.graph, &order)));
        println!("  live {:?}, sets {:?}", max_live(&problem, &order), operand_sets(&problem));
        assert_eq!(bound.total, traffic.unwrap_or(bound.total), "{name}");
        let most_work = problem.graph.node_ixs().fold(vec![0; problem.units.len()], |mut sums, node| {
            if let NodeKind::Op(op) = problem.graph.node(node).kind {
                sums[problem.unit_of(op.pipe).at()] += op.cycles;
            }
            sums
        });
        assert_eq!(most_work.iter().copied().max(), Some(work), "{name}");
        assert!(makespan_bound(&problem, &Priorities::new(&problem.graph, &order)).best >= work, "{name}");
    }
}
