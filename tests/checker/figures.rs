//! Figures of valid plans, worked out by hand, and numbers at their limits.

use serde_json::json;
use spillscope::check::check;
use spillscope::model::{Figures, Level, Machine, PoolFigures, Problem, RawPlan, Unit};

use super::mutants::{machine, problem, two_in_turn, valid_plan};
use super::npu_json;

#[test]
fn the_plan_itself_is_valid_and_its_figures_are_those_worked_out_by_hand() {
    let report = check(&problem(), &valid_plan());
    assert_eq!(report.broken, []);
    // COPY_IN to 100; out 0 free of charge; ADD 3 to 110; out 1 (120+150) to 380; back 0 to 650; ADD 4 to 670; out 2
    // free of charge; back 1 to 940; ADD 5 to 970; back 2 to 1240; ADD 7 to 1280.
    let expected = Figures {
        steps: 16,
        spills: 3,
        extra_traffic: 60 + 120 + 60,
        peak: vec![100, 0, 0, 0, 0],
        peak_stay: 160,
        l0_live: vec![0; 5],
        makespan: 1280,
        pools: vec![PoolFigures::default(); 5],
        // Buffer 2 alone is not backed: its 60 are of a class of their own (steps of 2 from 32 to 64).
        main: PoolFigures { misses: 1, peak_held: 60, peak_busy: 60, ..PoolFigures::default() },
    };
    assert_eq!(report.figures, Some(expected));
    assert!(report.is_valid() && report.notes.is_empty());
}

#[test]
fn neighbours_that_touch_and_levels_with_equal_addresses_do_not_overlap() {
    let graph = json!({
        "Nodes": [
            {"Id": 0, "Op": "ALLOC", "BufId": 0, "Size": 50, "Type": "L1"},
            {"Id": 1, "Op": "ALLOC", "BufId": 1, "Size": 50, "Type": "L1"},
            {"Id": 2, "Op": "ALLOC", "BufId": 2, "Size": 50, "Type": "UB"},
            {"Id": 3, "Op": "ALLOC", "BufId": 3, "Size": 9, "Type": "L0A"},
            {"Id": 4, "Op": "ALLOC", "BufId": 4, "Size": 9, "Type": "L0A"}
        ],
        "Edges": []
    });
    let problem = Problem::new(npu_json::graph(&graph), machine(100)).unwrap();
    let memory = vec![(0, 50), (1, 0), (2, 0), (3, 9), (4, 0)];
    let report = check(&problem, &RawPlan { schedule: (0..5).collect(), memory, spills: Vec::new() });
    let figures = report.figures.expect("valid");
    assert_eq!(figures.l0_live, [0, 0, 2, 0, 0]);
    assert_eq!((figures.peak, figures.peak_stay), (vec![100, 50, 18, 0, 0], 150));
}

#[test]
fn a_unit_with_lanes_runs_as_many_nodes_at_once() {
    let node = |id| json!({"Id": id, "Op": "X", "Pipe": "CORE", "Cycles": 10 + id, "Bufs": []});
    let graph = json!({"Nodes": [node(0), node(1), node(2), node(3), node(4)], "Edges": []});
    let plan = RawPlan { schedule: vec![0, 1, 2, 3, 4], ..RawPlan::default() };
    let makespan = |count| {
        let machine = Machine { units: vec![Unit { name: "CORE".into(), count }], ..Machine::npu() };
        let problem = Problem::new(npu_json::graph(&graph), machine).unwrap();
        check(&problem, &plan).figures.unwrap().makespan
    };
    // Two lanes: 10, 11, then 12 more on the first (22), 13 more on the second (24), 14 more on the first (36).
    assert_eq!((makespan(1), makespan(2), makespan(5)), (60, 36, 14));
}

#[test]
fn figures_too_large_to_count_are_withheld_and_noted() {
    let mut machine = machine(100);
    machine.transfer.overhead = u64::MAX / 2;
    let problem = Problem::new(npu_json::graph(&two_in_turn()), machine).unwrap();
    let report = check(&problem, &valid_plan());
    assert!(report.is_valid() && report.figures.is_none());
    assert_eq!(report.notes.len(), 1);
}

#[test]
fn ids_and_sizes_at_their_limits() {
    let most = i64::MAX as u64;
    let graph = json!({
        "Nodes": [
            {"Id": most - 1, "Op": "ALLOC", "BufId": most, "Size": most, "Type": "HUGE"},
            {"Id": most, "Op": "FREE", "BufId": most}
        ],
        "Edges": [[most - 1, most]]
    });
    let huge = Level { name: "HUGE".into(), capacity: u64::MAX, ..Machine::npu().levels[0].clone() };
    let problem = Problem::new(npu_json::graph(&graph), Machine { levels: vec![huge], ..Machine::npu() }).unwrap();
    let plan = |offset| RawPlan { schedule: vec![most - 1, most], memory: vec![(most, offset)], spills: Vec::new() };
    assert!(check(&problem, &plan(0)).is_valid());
    assert!(check(&problem, &plan(i64::MAX)).is_valid());
    let spilled = RawPlan { schedule: vec![most - 1, most + 1, most + 2, most], spills: vec![(most, 0)], ..plan(0) };
    assert!(check(&problem, &spilled).is_valid(), "{:?}", check(&problem, &spilled));
}

#[test]
fn operations_whose_pipe_has_no_name_wait_for_no_unit() {
    let node = |id, pipe| json!({"Id": id, "Op": "X", "Pipe": pipe, "Cycles": 10, "Bufs": []});
    let makespan = |pipe| {
        let graph = json!({"Nodes": [node(0, pipe), node(1, pipe)], "Edges": []});
        let problem = Problem::new(npu_json::graph(&graph), Machine::npu()).unwrap();
        check(&problem, &RawPlan { schedule: vec![0, 1], ..RawPlan::default() }).figures.unwrap().makespan
    };
    assert_eq!((makespan("CORE"), makespan("")), (20, 10));
}
