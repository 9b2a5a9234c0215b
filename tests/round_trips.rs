//! What is written reads back to the same: plan files, `plan.json`, trace lines, graphs as JSON and as a CSV pair; and what
//! is only written (CSV, Chrome traces, pictures, DOT) says the same as the plan.
//!
//! A hundred generated graphs each time; a thousand with `cargo test --test round_trips -- --ignored`.

mod common;

#[path = "round_trips/chrome.rs"]
mod chrome;
#[path = "round_trips/graphs.rs"]
mod graphs;
#[path = "round_trips/plans.rs"]
mod plans;
#[path = "round_trips/tables.rs"]
mod tables;

use common::case;
use common::operations::tight_case;
use spillscope::engine::search::{Budget, Objective};
use spillscope::session::{Extras, Session, Wanted};

/// Graphs that are always gone through, and with `--ignored`.
const FEW: u64 = 100;
const MANY: u64 = 1000;

/// A planned graph: mostly memories with addresses by the classic policy, with failures among them; each fifth a pool, each
/// seventh found by a short search.
fn session(seed: u64) -> Session {
    let extras = Extras { fractional_bound: false, remedies: false };
    let (problem, options) = if seed % 5 == 4 { tight_case(seed) } else { case(seed, !seed.is_multiple_of(3)) };
    if seed % 7 == 3 && !problem.is_clocked() {
        let budget = Budget::Evaluations(40);
        let wanted = Wanted { objective: Objective::Traffic, budget, seed, from: None };
        let found = Session::search_meanwhile(problem, options, extras, &wanted, &mut |_| true, |_| ());
        return found.expect("generated orders are legal").0;
    }
    Session::plan(problem, options, extras).expect("generated orders are legal")
}

/// Each check, of each graph; `kinds` counts what there was of each kind, so that none is tested in name alone.
fn go_through(seeds: u64) {
    let mut kinds = [0u64; 4];
    for seed in 0..seeds {
        let session = session(seed);
        let about = format!("seed {seed}");
        let is_plan = session.diagnosis.is_none();
        plans::read_back_the_same(&session, &about);
        graphs::read_back_the_same(&session.trace.problem.graph, &about);
        tables::say_what_the_plan_does(&session, &about);
        chrome::keeps_the_rules(&session, &about);
        let is = [is_plan, !is_plan, session.trace.problem.is_clocked(), session.figures.spills > 0];
        kinds.iter_mut().zip(is).for_each(|(count, is)| *count += u64::from(is));
    }
    assert!(kinds.iter().all(|&count| count >= seeds / 50), "plans, failures, pools, spills: {kinds:?}");
}

#[test]
fn of_a_hundred_graphs() {
    go_through(FEW);
}

#[test]
#[ignore = "ten times as long as the hundred"]
fn of_a_thousand_graphs() {
    go_through(MANY);
}
