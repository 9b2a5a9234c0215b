//! One mutant of a valid plan for each way to break a rule: the checker must name the rule and the step.

use std::sync::Arc;

use serde_json::{Value, json};
use spillscope::check::{MAX_LISTED, Report, Rule, check};
use spillscope::model::{GraphBuilder, Machine, Problem, RawPlan};

use super::npu_json;
use super::two_in_turn::{GRAPH, MEMORY, SCHEDULE, SPILLS};

pub(super) fn two_in_turn() -> Value {
    serde_json::from_str(GRAPH).expect("JSON")
}

pub(super) fn valid_plan() -> RawPlan {
    RawPlan { schedule: SCHEDULE.to_vec(), memory: MEMORY.to_vec(), spills: SPILLS.to_vec() }
}

pub(super) fn machine(capacity: u64) -> Machine {
    let mut machine = Machine::npu();
    machine.levels[0].capacity = capacity;
    machine
}

pub(super) fn problem() -> Problem {
    Problem::new(npu_json::graph(&two_in_turn()), machine(100)).unwrap()
}

/// Checks the valid plan after `change`.
fn mutant(change: impl FnOnce(&mut RawPlan)) -> Report {
    let mut plan = valid_plan();
    change(&mut plan);
    let report = check(&problem(), &plan);
    assert_eq!(report.figures, None, "a broken plan has no figures");
    assert!(!report.is_valid());
    report
}

/// Rules and steps of what was found.
fn found(report: &Report) -> Vec<(Rule, Option<usize>)> {
    report.broken.iter().map(|broken| (broken.rule, broken.step)).collect()
}

/// Takes the entry at `from` out of the schedule and puts it in again so that it stands at step `to`.
fn shift(plan: &mut RawPlan, from: usize, to: usize) {
    let id = plan.schedule.remove(from);
    plan.schedule.insert(to, id);
}

#[test]
fn r1_a_missing_node_is_named_and_has_no_step() {
    let report = mutant(|plan| _ = plan.schedule.remove(8));
    assert_eq!(found(&report), [(Rule::R1, None)]);
    assert_eq!(report.broken[0].nodes, [4]);
}

#[test]
fn r1_a_missing_alloc_or_half_a_spill_is_told_once() {
    for (step, id) in [(4, 2), (6, 12), (10, 13)] {
        let report = mutant(|plan| _ = plan.schedule.remove(step));
        assert_eq!(found(&report), [(Rule::R1, None)], "without node {id}");
        assert_eq!(report.broken[0].nodes, [id]);
    }
}

#[test]
fn r1_a_doubled_node_is_found_where_it_stands_again() {
    let report = mutant(|plan| plan.schedule.insert(12, 4));
    assert_eq!(found(&report), [(Rule::R1, Some(12))]);
    assert_eq!(report.broken[0].to_string(), "R1 step 12: node 4 stands a second time, after step 8");
}

#[test]
fn r1_a_doubled_half_of_a_spill() {
    let report = mutant(|plan| plan.schedule.insert(14, 15));
    assert_eq!(found(&report), [(Rule::R1, Some(14))]);
}

#[test]
fn r1_an_unknown_id_is_found_at_its_step() {
    for id in [16, 17, 1_000, u64::MAX] {
        let report = mutant(|plan| plan.schedule.insert(5, id));
        assert_eq!(found(&report), [(Rule::R1, Some(5))]);
        assert_eq!(report.broken[0].nodes, [id]);
    }
}

#[test]
fn r1_a_buffer_without_a_placement() {
    let report = mutant(|plan| _ = plan.memory.remove(1));
    assert_eq!(found(&report), [(Rule::R1, None)]);
    assert_eq!(report.broken[0].bufs, [2]);
}

#[test]
fn r1_a_buffer_placed_twice() {
    for again in [(2, 0), (2, -1)] {
        let report = mutant(|plan| plan.memory.push(again));
        assert_eq!(found(&report), [(Rule::R1, None)]);
        assert_eq!(report.broken[0].bufs, [2]);
    }
}

#[test]
fn r1_a_spill_of_an_unknown_buffer_is_found_at_its_way_out() {
    let report = mutant(|plan| {
        plan.spills.push((77, 0));
        plan.schedule.extend([16, 17]);
    });
    assert_eq!(found(&report), [(Rule::R1, Some(16))]);
    assert_eq!(report.broken[0].bufs, [77]);
}

#[test]
fn r1_a_spill_that_is_never_scheduled() {
    let report = mutant(|plan| plan.spills.push((2, 0)));
    assert_eq!(found(&report), [(Rule::R1, None)]);
    assert_eq!(report.broken[0].nodes, [16, 17]);
}

#[test]
fn r2_an_edge_that_runs_backward() {
    // ADD 7 before ADD 4, both while buffer 1 is in.
    let report = mutant(|plan| shift(plan, 14, 8));
    assert_eq!(found(&report), [(Rule::R2, Some(8))]);
    assert_eq!(report.broken[0].nodes, [4, 7]);
}

#[test]
fn r3_a_spill_out_before_the_alloc() {
    let report = mutant(|plan| shift(plan, 6, 4));
    assert!(found(&report).contains(&(Rule::R3, Some(4))), "{report:?}");
    assert_eq!(report.broken[0].nodes, [12]);
}

#[test]
fn r3_a_spill_out_after_the_free() {
    let report = mutant(|plan| {
        plan.spills.push((2, 0));
        plan.schedule.splice(13..13, [16, 17]);
    });
    assert_eq!(found(&report), [(Rule::R3, Some(13))]);
}

#[test]
fn r3_a_way_back_after_the_free() {
    let report = mutant(|plan| {
        plan.spills.push((2, 0));
        plan.schedule.insert(12, 16);
        plan.schedule.insert(14, 17);
    });
    // The FREE finds the buffer out, the way back finds it gone.
    assert_eq!(found(&report), [(Rule::R3, Some(13)), (Rule::R3, Some(14))]);
}

#[test]
fn r3_a_way_back_before_the_way_out() {
    let report = mutant(|plan| {
        plan.spills.push((3, 60));
        plan.schedule.splice(9..9, [17, 16]);
    });
    assert_eq!(found(&report), [(Rule::R3, Some(9))]);
    assert_eq!(report.broken[0].to_string(), "R3 step 9: buffer 3 comes back before it was spilled out");
}

#[test]
fn r3_spills_that_nest() {
    let report = mutant(|plan| {
        plan.spills.push((1, 0));
        plan.schedule.splice(4..4, [16, 17]);
    });
    assert_eq!(found(&report), [(Rule::R3, Some(4))]);
}

#[test]
fn r3_spills_whose_ways_back_are_swapped() {
    let report = mutant(|plan| plan.schedule.swap(7, 13));
    assert!(found(&report).contains(&(Rule::R3, Some(7))), "{report:?}");
}

#[test]
fn r3_a_free_before_the_alloc() {
    let graph = json!({
        "Nodes": [
            {"Id": 0, "Op": "ALLOC", "BufId": 1, "Size": 60, "Type": "L1"},
            {"Id": 1, "Op": "FREE", "BufId": 1}
        ],
        "Edges": []
    });
    let problem = Problem::new(npu_json::graph(&graph), machine(100)).unwrap();
    let plan = RawPlan { schedule: vec![1, 0], memory: vec![(1, 0)], spills: Vec::new() };
    assert_eq!(found(&check(&problem, &plan)), [(Rule::R3, Some(0))]);
}

#[test]
fn r4_an_operation_before_the_alloc_of_its_buffer() {
    let report = mutant(|plan| shift(plan, 5, 4));
    assert_eq!(found(&report), [(Rule::R2, Some(4)), (Rule::R4, Some(4))]);
    assert_eq!(report.broken[1].to_string(), "R4 step 4: node 3 (ADD) uses buffer 2 before its ALLOC");
}

#[test]
fn r4_an_operation_while_its_buffer_is_out() {
    let report = mutant(|plan| shift(plan, 11, 9));
    assert_eq!(found(&report), [(Rule::R4, Some(9))]);
    assert_eq!((&report.broken[0].nodes[..], &report.broken[0].bufs[..]), (&[5][..], &[2][..]));
}

#[test]
fn r4_an_operation_after_the_free_of_its_buffer() {
    let report = mutant(|plan| shift(plan, 11, 12));
    assert_eq!(found(&report), [(Rule::R2, Some(11)), (Rule::R4, Some(12))]);
}

#[test]
fn r5_a_first_placement_outside_the_level() {
    for offset in [61, -1, i64::MAX, i64::MIN] {
        let report = mutant(|plan| plan.memory[2].1 = offset);
        assert_eq!(found(&report), [(Rule::R5, Some(0))], "at {offset}");
    }
    let report = mutant(|plan| plan.memory[2].1 = -3);
    assert_eq!(report.broken[0].to_string(), "R5 step 0: buffer 3 at L1[-3,37) lies outside [0,100)");
}

#[test]
fn r5_a_way_back_to_outside_the_level() {
    for offset in [41, -1, i64::MAX, i64::MIN] {
        let report = mutant(|plan| plan.spills[1].1 = offset);
        assert_eq!(found(&report), [(Rule::R5, Some(10))], "to {offset}");
    }
}

#[test]
fn r6_a_first_placement_that_overlaps() {
    let report = mutant(|plan| plan.memory[0].1 = 1);
    assert_eq!(found(&report), [(Rule::R6, Some(1))]);
    assert_eq!(report.broken[0].to_string(), "R6 step 1: buffer 1 at L1[1,61) overlaps buffer 3");
    assert_eq!(report.broken[0].bufs, [1, 3]);
}

#[test]
fn r6_a_way_back_that_overlaps() {
    let report = mutant(|plan| plan.spills[2].1 = 40);
    assert_eq!(found(&report), [(Rule::R6, Some(13))]);
}

#[test]
fn r6_a_spill_out_that_comes_too_late() {
    let report = mutant(|plan| shift(plan, 3, 5));
    assert_eq!(found(&report), [(Rule::R6, Some(3))]);
}

#[test]
fn r6_a_buffer_within_another_and_one_over_two_others() {
    let graph = json!({
        "Nodes": [
            {"Id": 0, "Op": "ALLOC", "BufId": 0, "Size": 100, "Type": "L1"},
            {"Id": 1, "Op": "ALLOC", "BufId": 1, "Size": 10, "Type": "L1"},
            {"Id": 2, "Op": "ALLOC", "BufId": 2, "Size": 10, "Type": "L1"},
            {"Id": 3, "Op": "FREE", "BufId": 0},
            {"Id": 4, "Op": "ALLOC", "BufId": 3, "Size": 50, "Type": "L1"}
        ],
        "Edges": []
    });
    let problem = Problem::new(npu_json::graph(&graph), machine(100)).unwrap();
    let memory = vec![(0, 0), (1, 40), (2, 60), (3, 30)];
    let report = check(&problem, &RawPlan { schedule: vec![0, 1, 2, 3, 4], memory, spills: Vec::new() });
    let pairs: Vec<_> = report.broken.iter().map(|b| (b.rule, b.step.unwrap(), b.bufs.clone())).collect();
    let expected = [(1, [1, 0]), (2, [2, 0]), (4, [3, 1]), (4, [3, 2])];
    assert_eq!(pairs, expected.map(|(step, bufs)| (Rule::R6, step, bufs.to_vec())));
}

#[test]
fn placements_of_unknown_buffers_break_no_rule_but_are_noted() {
    let mut plan = valid_plan();
    plan.memory.push((99, -5));
    let report = check(&problem(), &plan);
    assert!(report.is_valid() && report.figures.is_some());
    assert_eq!(report.notes, ["placed, but not in the graph: 1 buffer: 99"]);
    // Twice is what the oracle refuses even then.
    assert_eq!(found(&mutant(|broken| broken.memory.extend([(99, 0), (99, 0)]))), [(Rule::R1, None)]);
}

#[test]
fn several_faults_are_all_found_in_the_order_of_their_steps() {
    let report = mutant(|plan| {
        plan.spills[2].1 = 40;
        plan.memory[2].1 = 100;
        plan.schedule.push(500);
        plan.memory.push((3, 100));
    });
    assert_eq!(found(&report), [(Rule::R1, None), (Rule::R1, Some(16))], "what is placed twice is left out");
    let report = mutant(|plan| {
        plan.spills[2].1 = -1;
        plan.memory[0].1 = 1;
        plan.schedule.push(500);
    });
    assert_eq!(found(&report), [(Rule::R6, Some(1)), (Rule::R5, Some(13)), (Rule::R1, Some(16))]);
}

#[test]
fn a_plan_of_another_graph_is_refused_after_some_findings_and_never_a_panic() {
    let report = mutant(|plan| {
        plan.schedule = (0..100_000).map(|at| at * 7_919 % 30).collect();
        plan.memory = (0..1_000).map(|at| (at % 5, i64::MAX)).collect();
        plan.spills = (0..1_000).map(|at| (at % 5, i64::MIN)).collect();
    });
    assert_eq!(report.broken.len(), MAX_LISTED);
    assert!(report.seen > MAX_LISTED);
    assert!(report.broken.is_sorted_by_key(|broken| broken.step));
}

#[test]
fn an_empty_plan_is_valid_for_an_empty_graph_alone() {
    let empty = Problem::new(Arc::new(GraphBuilder::default().build().unwrap()), Machine::npu()).unwrap();
    let report = check(&empty, &RawPlan::default());
    assert_eq!(report.figures.map(|figures| (figures.steps, figures.makespan)), Some((0, 0)));
    let report = check(&problem(), &RawPlan::default());
    assert_eq!(found(&report), [(Rule::R1, None), (Rule::R1, None)]);
    assert_eq!(report.broken[0].to_string(), "R1: missing from the schedule: 10 nodes: 0, 1, 2, 3, 4, 5, 6, 7, …");
    assert_eq!(report.broken[1].to_string(), "R1: without a placement: 3 buffers: 1, 2, 3");
}
