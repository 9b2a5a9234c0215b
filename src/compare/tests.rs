use super::hold::hold_to_the_end;
use super::testing::{FORK, RIVALS, pooled, topological};
use super::*;
use crate::model::{NodeKind, Order};

const MB: u64 = 1 << 20;

fn compared(problem: &Problem) -> Comparison {
    Comparison::run(problem, standard(problem, &topological()).unwrap(), &mut || {})
}

fn measured(problem: &Problem) -> Measured {
    plan(problem.clone(), topological(), PLAIN).measured().expect("it has a plan").clone()
}

/// Ten times the values, rounded, so that they can be compared.
fn in_tenths(values: &[f64]) -> Vec<i64> {
    values.iter().map(|value| (value * 10.0).round() as i64).collect()
}

#[test]
fn waiting_for_memory_is_counted_from_the_first_look_to_the_room() {
    // By hand: 0 runs in [0,100), 2 in [100,200) and frees its input; only then 1 fits, [200,300), then 3.
    let found = measured(&pooled(&RIVALS, 2, 12));
    assert_eq!((found.waits, found.waiting, found.figures.makespan), (1, 200, 400));
    assert_eq!(found.lanes.iter().map(|lane| lane.busy).sum::<u64>(), 400);
    assert!((found.mean_concurrency() - 1.0).abs() < 1e-9, "{:?}", found.concurrency);
    let roomy = measured(&pooled(&RIVALS, 2, 22));
    assert_eq!((roomy.waits, roomy.waiting, roomy.figures.makespan), (0, 0, 200));
    assert_eq!(in_tenths(&roomy.concurrency), [20; TENTHS]);
    assert_eq!(in_tenths(&roomy.busy_shares()), [10, 10]);
}

#[test]
fn tenths_say_when_work_runs_side_by_side() {
    // Both chains run in [0,100); then only the longer one.
    let found = measured(&pooled(&[(&[], 1, 400), (&[], 1, 100), (&[0], 1, 100)], 2, 100));
    assert_eq!(found.figures.makespan, 500);
    assert_eq!(in_tenths(&found.concurrency), [20, 20, 10, 10, 10, 10, 10, 10, 10, 10]);
}

#[test]
fn each_idea_does_what_its_name_says() {
    let problem = pooled(&FORK, 2, 45 * MB);
    let compared = compared(&problem);
    let names: Vec<&str> = compared.rows.iter().map(|row| row.strategy.name.as_str()).collect();
    assert_eq!(names, ["naive", "refcount", "pool", "pool+window", "pool+critical-path", "pool+search"]);
    let of = |name: &str| compared.measured(name).unwrap_or_else(|| panic!("{name} has no plan"));
    assert_eq!(of("naive").pool.peak_held, 65 * MB, "everything is held to the end");
    let refcount = of("refcount");
    assert_eq!((refcount.pool.hits, refcount.pool.misses), (0, 6), "each buffer is fresh");
    assert_eq!(refcount.pool.peak_held, refcount.live, "nothing lies idle");
    assert!(refcount.pool.peak_held < 65 * MB);
    assert!(of("pool").pool.hits > 0 && of("pool").pool.peak_held <= 45 * MB);
    assert_eq!(of("naive").figures.makespan, refcount.figures.makespan, "to give memory back takes no time");
    assert_eq!(compared.limits.operand_set, 35 * MB, "the last one reads 20 and 10 and makes 5");
    assert!(compared.rows.iter().all(|row| row.outcome.makespan() >= Some(compared.limits.makespan)));
}

#[test]
fn a_tuned_strategy_has_the_knee_of_its_sweep() {
    let problem = pooled(&FORK, 2, 45 * MB);
    let compared = compared(&problem);
    for row in compared.rows.iter().filter(|row| row.strategy.tune.is_some() && row.strategy.evaluations.is_none()) {
        let sweep = row.tuning.as_ref().expect("it was swept");
        let knee = &sweep.points[sweep.knee.expect("a value has a plan")];
        assert_eq!(row.outcome.makespan(), knee.outcome.makespan());
        let set = match sweep.setting {
            Setting::Window => row.strategy.problem.machine.window.map(u64::from),
            Setting::PoolBytes | Setting::Capacity(_) => row.strategy.cap(),
        };
        assert_eq!(set, Some(knee.value));
        assert_eq!(
            plan(row.strategy.problem.clone(), row.strategy.options.clone(), PLAIN).makespan(),
            row.outcome.makespan()
        );
    }
    let window = compared.rows[3].tuning.as_ref().map(|sweep| sweep.points.len());
    assert_eq!(window, Some(4), "up to twice the workers");
}

#[test]
fn every_plan_that_is_made_is_told_of() {
    let problem = pooled(&RIVALS, 2, 22);
    let strategies = standard(&problem, &topological()).unwrap();
    let (expected, mut made) = (count(&strategies), 0);
    Comparison::run(&problem, strategies, &mut || made += 1);
    assert_eq!(made, expected);
}

#[test]
fn a_row_without_a_plan_leaves_the_others_alone() {
    let problem = pooled(&RIVALS, 2, 12);
    let given = Options::classic(Order::Given);
    let rows = vec![
        Strategy::new("given", &problem, given),
        Strategy::new("small", &pooled(&RIVALS, 2, 10), topological()),
        Strategy::new("fits", &problem, topological()),
    ];
    let compared = Comparison::run(&problem, rows, &mut || {});
    assert!(matches!(compared.rows[0].outcome, Outcome::NoOrder(_)));
    assert!(matches!(compared.rows[1].outcome, Outcome::NoPlan(_)));
    assert_eq!(compared.rows[2].outcome.makespan(), Some(400));
    assert!(compared.baseline().is_none(), "there is no refcount here");
}

#[test]
fn values_without_a_plan_stay_in_their_sweep() {
    let problem = pooled(&RIVALS, 2, 12);
    let range = Range { setting: Setting::PoolBytes, values: vec![10, 12, 22, 30] };
    let sweep = Sweep::run(&problem, &topological(), &range, &mut || {});
    let times: Vec<Option<u64>> = sweep.points.iter().map(|point| point.outcome.makespan()).collect();
    assert_eq!(times, [None, Some(400), Some(200), Some(200)]);
    assert_eq!(sweep.knee, Some(2));
}

#[test]
fn a_graph_that_holds_to_the_end_differs_in_its_frees_alone() {
    let graph = &pooled(&FORK, 2, 45 * MB).graph;
    let held = hold_to_the_end(graph).unwrap();
    let frees = graph.node_ixs().filter(|&node| matches!(graph.node(node).kind, NodeKind::Free(_))).count();
    assert_eq!(held.node_count(), graph.node_count() - frees);
    assert!(held.buffers().iter().all(|buffer| buffer.free.is_none()));
    assert_eq!(held.buffers().len(), graph.buffers().len());
    for node in held.node_ixs() {
        let id = held.node(node).id;
        let before = graph.find_node(id).unwrap();
        let preds = |graph: &crate::model::Graph, node| {
            let mut ids: Vec<u64> = graph.preds(node).map(|pred| graph.node(pred).id).collect();
            ids.sort_unstable();
            ids
        };
        assert_eq!(preds(&held, node), preds(graph, before), "node {id}");
    }
}

#[test]
fn what_lives_in_no_pool_is_compared_by_orders_and_chains() {
    let graph = crate::input::read_graph("samples/matmul.json").unwrap();
    let problem = Problem::new(std::sync::Arc::new(graph), crate::model::Machine::npu()).unwrap();
    let strategies = standard(&problem, &Options::classic(Order::Program)).unwrap();
    let names: Vec<&str> = strategies.iter().map(|strategy| strategy.name.as_str()).collect();
    let orders = ["program", "topological", "critical-path", "memory-aware", "quick", "search"];
    let chains = ["--on-full spill", "--on-full spill-many", "--on-full postpone"];
    let first = [&orders[..], &chains].concat();
    assert_eq!(names[..first.len()], first);
    assert!(names.contains(&"--victims lru") && names.contains(&"--hoist"), "{names:?}");
    let compared = Comparison::run(&problem, strategies, &mut || {});
    assert_eq!(compared.kind(), Kind::Arenas);
    assert_eq!(compared.baseline().map(|base| base.figures.extra_traffic), Some(2560));
}
