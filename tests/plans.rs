//! Generated graphs → plan → checker: every case ends in a plan that holds, or in a diagnosis that is true.

mod common;

use common::{assert_checked, case, planned, with_capacity, works};
use spillscope::engine;
use spillscope::engine::bounds::operand_sets;
use spillscope::input::{Source, read_graph_source};
use spillscope::model::{
    Diagnosis, FailureKind, Fallback, Holder, Machine, Options, Order, Problem, Remedy, Stay, Unit,
};
use spillscope::output::graph_file;

/// The kind follows from the numbers, and the numbers add up.
fn assert_adds_up(problem: &Problem, found: &Diagnosis, about: &str) {
    let sizes: u64 = found.holders.iter().map(|holder| problem.graph.buffer(holder.buf).size).sum();
    assert!(found.need > found.largest_hole, "{about}: there was room: {found:?}");
    if found.step.is_none() {
        let alone = problem.graph.buffer(found.buf).size > found.capacity;
        let (kind, together) =
            if alone { (FailureKind::LargerThanLevel, 0) } else { (FailureKind::OperandsLargerThanLevel, found.need) };
        assert_eq!((found.kind, sizes), (kind, together), "{about}: {found:?}");
        return;
    }
    let kind = if found.free >= found.need { FailureKind::NoHole } else { FailureKind::Forbidden };
    assert_eq!((found.kind, sizes + found.free), (kind, found.capacity), "{about}: {found:?}");
    let may_not = !problem.level(found.level).spill;
    let said = |holder: &Holder| (holder.stays == Stay::LevelMayNotSpill) == may_not && holder.stays != Stay::Pinned;
    assert!(found.holders.iter().all(said), "{about}: {found:?}");
}

/// A remedy, planned again, does what it says.
fn assert_remedy(problem: &Problem, options: &Options, remedy: &Remedy, about: &str) {
    match remedy {
        Remedy::Capacity { levels, smallest } => {
            let raised =
                levels.iter().fold(problem.clone(), |problem, &(level, cap)| with_capacity(&problem, level.at(), cap));
            assert!(works(&raised, options), "{about}: {remedy:?} does not work");
            for &(level, cap) in levels {
                let less = with_capacity(&raised, level.at(), cap - 1);
                assert!(!works(&less, options), "{about}: one unit less than {remedy:?} works too");
            }
            if *smallest {
                let sets = operand_sets(problem);
                for &(level, cap) in levels {
                    assert_eq!(sets[level.at()].as_ref().map(|set| set.need), Some(cap), "{about}: called smallest");
                }
            }
        }
        Remedy::SpillL0 => {
            let mut changed = problem.clone();
            changed.machine.let_l0_spill();
            assert!(works(&changed, options), "{about}: {remedy:?}");
        }
        Remedy::Chain(chain) => {
            assert!(works(problem, &Options { on_full: chain.clone(), ..options.clone() }), "{about}: {remedy:?}");
        }
        Remedy::PostponeLimit(limit) => {
            let with = |limit| Options { postpone_limit: limit, ..options.clone() };
            assert!(works(problem, &with(*limit)), "{about}: {remedy:?}");
            assert!(!works(problem, &with(limit - 1)), "{about}: less than {remedy:?} works too");
        }
        Remedy::Order(order) => {
            assert!(works(problem, &Options { order: *order, ..options.clone() }), "{about}: {remedy:?}");
        }
        Remedy::AvoidDeadlock => {
            assert!(works(problem, &Options { avoid_deadlock: true, ..options.clone() }), "{about}: {remedy:?}");
        }
    }
}

#[test]
fn a_thousand_cases_end_in_a_plan_that_holds_or_a_diagnosis_that_is_true() {
    let (mut plans, mut failures) = (0, 0);
    for seed in 0..1000 {
        let (problem, options) = case(seed, false);
        let session = planned(&problem, &options);
        let about = format!("seed {seed}, {options:?}");
        let Some(diagnosis) = &session.diagnosis else {
            plans += 1;
            assert_checked(&session, &about);
            continue;
        };
        failures += 1;
        assert_adds_up(&problem, diagnosis, &about);
        let capacity = diagnosis.remedies.iter().find(|remedy| matches!(remedy, Remedy::Capacity { .. }));
        assert!(capacity.is_some(), "{about}: no capacity is named");
        diagnosis.remedies.iter().for_each(|remedy| assert_remedy(&problem, &options, remedy, &about));
    }
    assert!(plans > 300 && failures > 100, "both ends are met often: {plans} plans, {failures} failures");
}

#[test]
fn with_spill_many_and_levels_that_spill_a_plan_exists_exactly_where_the_operand_sets_fit() {
    let (mut plans, mut failures) = (0, 0);
    for seed in 5000..6000 {
        let (problem, mut options) = case(seed, true);
        if !options.on_full.contains(&Fallback::SpillMany) {
            options.on_full.push(Fallback::SpillMany);
        }
        let sets = operand_sets(&problem);
        let fits = problem
            .machine
            .levels
            .iter()
            .zip(&sets)
            .all(|(level, set)| set.as_ref().is_none_or(|set| set.need <= level.capacity));
        let session = planned(&problem, &options);
        assert_eq!(session.diagnosis.is_none(), fits, "seed {seed}");
        if fits {
            plans += 1;
            assert_checked(&session, &format!("seed {seed}"));
        } else {
            failures += 1;
        }
    }
    assert!(plans > 300 && failures > 30, "{plans} plans, {failures} failures");
}

#[test]
fn recording_changes_no_plan_and_the_same_input_gives_the_same_plan() {
    for seed in 0..100 {
        let (problem, options) = case(seed, true);
        let (one, two) = (planned(&problem, &options), planned(&problem, &options));
        assert_eq!(one.trace.plan, two.trace.plan, "seed {seed}");
        assert_eq!(one.trace.events(), two.trace.events(), "seed {seed}");
        if one.diagnosis.is_none() {
            let silent = engine::plan(&problem, &options, &mut ()).expect("an order");
            assert_eq!(silent.plan, one.trace.plan, "seed {seed}");
        }
    }
}

/// The same case on a machine whose units have counts from 1 to 3.
fn with_counts(problem: &Problem, seed: u64) -> Problem {
    let mut dice = common::Dice::new(seed);
    let mut machine = problem.machine.clone();
    machine.units = problem.units.iter().map(|unit| Unit { count: 1 + dice.roll(3) as u8, ..unit.clone() }).collect();
    Problem::new(problem.graph.clone(), machine).expect("the same levels")
}

#[test]
fn engine_and_checker_agree_on_units_that_run_several_nodes_at_once() {
    let mut faster = 0;
    for seed in 0..200 {
        let (problem, options) = case(seed, true);
        let session = planned(&with_counts(&problem, seed), &options);
        if session.diagnosis.is_none() {
            assert_checked(&session, &format!("seed {seed}"));
            assert!(session.bounds.makespan() <= session.figures.makespan, "seed {seed}");
            faster += u32::from(session.figures.makespan < planned(&problem, &options).figures.makespan);
        }
    }
    assert!(faster > 50, "counts matter: {faster}");
}

/// The same case in which the operations of one pipe have none: they wait for nothing but their inputs.
fn without_a_pipe(problem: &Problem) -> Problem {
    let text = graph_file::npu_json(&problem.graph).replace("\"PIPE1\"", "\"\"");
    let graph = read_graph_source(&Source::from_text("g.json", text)).expect("a legal graph");
    Problem::new(graph.into(), problem.machine.clone()).expect("the same levels")
}

#[test]
fn engine_and_checker_agree_on_operations_without_a_pipe() {
    let mut faster = 0;
    for seed in 0..200 {
        let (problem, options) = case(seed, true);
        let session = planned(&without_a_pipe(&problem), &options);
        if session.diagnosis.is_none() {
            assert_checked(&session, &format!("seed {seed}"));
            assert!(session.bounds.makespan() <= session.figures.makespan, "seed {seed}");
            faster += u32::from(session.figures.makespan < planned(&problem, &options).figures.makespan);
        }
    }
    assert!(faster > 50, "the pipe matters: {faster}");
}

#[test]
fn operations_without_a_pipe_are_shown_apart_from_each_other() {
    let operation = |id| format!(r#"{{"Id":{id},"Op":"NOP","Pipe":"","Cycles":10,"Bufs":[]}}"#);
    let nodes: Vec<String> = (0..300).map(operation).collect();
    let text = format!(r#"{{"Nodes":[{}],"Edges":[]}}"#, nodes.join(","));
    let graph = read_graph_source(&Source::from_text("g.json", text)).expect("a legal graph");
    let problem = Problem::new(graph.into(), Machine::npu()).expect("no level is named");
    let session = planned(&problem, &Options::classic(Order::Program));
    assert_checked(&session, "300 at once");
    assert_eq!(
        (session.figures.makespan, session.trace.lanes().len()),
        (10, 256),
        "as many lanes as can be told apart"
    );
}
