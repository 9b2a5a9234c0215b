//! The search: every plan that it finds holds, none is worse than the classic one, and the same call finds the same.

mod common;

use std::sync::Arc;

use common::case;
use spillscope::check;
use spillscope::engine::search::{Budget, Found, Objective, Progress, Unheard, improve};
use spillscope::engine::{self, diagnose, replay};
use spillscope::generate::matmul;
use spillscope::model::{Fallback, LevelIx, Machine, Options, Order, Problem, Step};
use spillscope::output::explain::explain;
use spillscope::session::{Extras, Session, Wanted};

fn searched(problem: &Problem, objective: &Objective, evaluations: u64, seed: u64) -> Found {
    improve(problem, objective, Budget::Evaluations(evaluations), seed, &mut Unheard).expect("the graph has an order")
}

/// The checker finds nothing and counts what the search reports.
fn assert_holds(problem: &Problem, found: &Found, about: &str) {
    let report = check::check(problem, &found.planned.plan.to_raw(&problem.graph));
    let broken: Vec<String> = report.broken.iter().map(ToString::to_string).collect();
    assert!(broken.is_empty(), "{about}: {}", broken.join("; "));
    assert_eq!(report.figures.as_ref(), Some(&found.planned.figures), "{about}");
}

fn product(tiles: u32) -> Problem {
    let config = matmul::Config { tiles, ..matmul::Config::default() };
    let graph = matmul::generate(&config).expect("a sound configuration");
    Problem::new(Arc::new(graph), Machine::npu()).expect("the preset has the levels")
}

#[test]
fn four_hundred_cases_end_in_plans_that_hold_and_are_never_worse_than_the_classic_one() {
    let (mut better, mut plans, mut only_here) = (0, 0, 0);
    for seed in 0..400 {
        let (problem, options) = case(seed, false);
        if diagnose::impossible(&problem).is_some() {
            let found = improve(&problem, &Objective::Traffic, Budget::Evaluations(1), 0, &mut Unheard);
            assert!(found.is_err_and(|fault| fault.what.starts_with("no plan exists")), "seed {seed}");
            continue;
        }
        let objective = match seed % 4 {
            0 => Objective::Makespan { slack: 1.1 },
            1 => Objective::Weighted { traffic: 1.0, makespan: 0.5 },
            _ => Objective::Traffic,
        };
        let about = format!("seed {seed}, {objective:?}");
        let classic = engine::plan(&problem, &Options::classic(options.order), &mut ()).expect("an order");
        let found = searched(&problem, &objective, 300, seed);
        if found.planned.stuck.is_some() {
            assert!(classic.stuck.is_some(), "{about}: lost a plan");
            continue;
        }
        plans += 1;
        only_here += u32::from(classic.stuck.is_some());
        assert_holds(&problem, &found, &about);
        if classic.stuck.is_none() && objective == Objective::Traffic {
            assert!(found.planned.figures.extra_traffic <= classic.figures.extra_traffic, "{about}");
            better += u32::from(found.planned.figures.extra_traffic < classic.figures.extra_traffic);
        }
    }
    assert!(
        plans > 200 && better > 60 && only_here > 3,
        "{plans} plans, {better} better, {only_here} found here alone"
    );
}

#[test]
fn the_same_seed_and_evaluations_give_the_same_plan() {
    let problem = product(4);
    for objective in [Objective::Traffic, Objective::Makespan { slack: 1.2 }] {
        let (one, two) = (searched(&problem, &objective, 1500, 7), searched(&problem, &objective, 1500, 7));
        assert_eq!(one.planned.plan, two.planned.plan);
        assert_eq!((one.evaluations, one.history), (two.evaluations, two.history));
    }
}

#[test]
fn an_order_that_runs_accumulators_side_by_side_is_found_at_once() {
    let problem = product(8);
    let classic = engine::plan(&problem, &Options::classic(Order::Program), &mut ()).expect("an order");
    let found = searched(&problem, &Objective::Traffic, 2000, 1);
    assert_holds(&problem, &found, "product");
    let (before, after) = (classic.figures.extra_traffic, found.planned.figures.extra_traffic);
    assert!(after * 10 < before * 6, "{before} → {after}");
}

#[test]
fn a_search_for_the_peak_keeps_single_levels_single() {
    let problem = product(4);
    let single: Vec<LevelIx> = (2..5).map(LevelIx).collect();
    let found = searched(&problem, &Objective::PeakStay { single: single.clone() }, 3000, 1);
    assert_holds(&problem, &found, "peak");
    let figures = &found.planned.figures;
    assert!(single.iter().all(|level| figures.l0_live[level.at()] <= 1), "{figures:?}");
    let classic = engine::plan(&problem, &Options::classic(Order::Program), &mut ()).expect("an order");
    assert!(figures.peak_stay <= classic.figures.peak_stay, "{figures:?}");
}

#[test]
fn traffic_within_the_slack_buys_cycles() {
    let problem = product(6);
    let least = searched(&problem, &Objective::Traffic, 3000, 1).planned.figures;
    let fast = searched(&problem, &Objective::Makespan { slack: 1.5 }, 3000, 1).planned.figures;
    assert!(fast.makespan <= least.makespan, "{fast:?} {least:?}");
}

#[test]
fn an_interrupt_keeps_what_was_found() {
    let problem = product(6);
    let mut heard = 0;
    let mut once = |_: Progress| {
        heard += 1;
        heard < 3
    };
    let found = improve(&problem, &Objective::Traffic, Budget::Evaluations(1_000_000), 1, &mut once).expect("an order");
    assert!(found.evaluations < 100_000);
    assert_holds(&problem, &found, "interrupted");
}

#[test]
fn replaying_a_plan_counts_what_planning_it_counted() {
    for seed in 0..200 {
        let (problem, options) = case(seed, true);
        if diagnose::impossible(&problem).is_some() {
            continue;
        }
        let planned = engine::plan(&problem, &options, &mut ()).expect("an order");
        if planned.stuck.is_none() {
            let again = replay(&problem, planned.plan.clone(), Fallback::Search, &mut ());
            assert_eq!((again.plan, again.figures), (planned.plan, planned.figures), "seed {seed}");
        }
    }
}

#[test]
fn a_searched_plan_is_recorded_like_any_other() {
    let wanted = Wanted { objective: Objective::Traffic, budget: Budget::Evaluations(500), seed: 3, from: None };
    let extras = Extras { fractional_bound: true, remedies: true };
    let options = Options::classic(Order::Program);
    let (session, ()) =
        Session::search_meanwhile(product(4), options, extras, &wanted, &mut Unheard, |_| ()).expect("an order");
    assert!(session.check.is_valid());
    assert_eq!(session.check.figures.as_ref(), Some(&session.figures));
    let trace = &session.trace;
    let mut cursor = trace.cursor();
    trace.seek_step(&mut cursor, trace.step_count() / 2);
    assert!(cursor.state().live_count() > 0);
    assert!(session.bounds.spill_traffic.is_some_and(|bound| bound <= session.figures.extra_traffic));
    assert!(session.searched.is_some_and(|searched| searched.evaluations >= 500));
}

#[test]
fn each_spill_of_a_searched_plan_tells_its_reason_and_who_else_could_have_left() {
    let mut spills = 0;
    for seed in 0..40 {
        let (problem, options) = case(seed, true);
        let extras = Extras { fractional_bound: false, remedies: false };
        let wanted = Wanted { objective: Objective::Traffic, budget: Budget::Evaluations(300), seed: 0, from: None };
        let Ok((session, ())) = Session::search_meanwhile(problem, options, extras, &wanted, &mut Unheard, |session| {
            session.trace.prepare();
        }) else {
            continue;
        };
        let Some(searched) = session.searched.as_ref().filter(|searched| searched.history.len() > 1) else { continue };
        assert_eq!(searched.history.last().map(|last| &last.figures), Some(&session.figures));
        for at in 0..session.trace.step_count() {
            if let Some(Step::Out(_)) = session.trace.step(at) {
                let told = explain(&session.trace, at);
                assert!(told.why.iter().any(|why| why.starts_with("search: ")), "{seed}, {at}: {told:?}");
                spills += 1;
                assert!(told.rank.iter().any(|row| row.chosen), "{seed}, {at}: {told:?}");
            }
        }
    }
    assert!(spills > 50, "{spills} spills are few");
}
