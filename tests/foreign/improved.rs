//! `plan --from`: a plan of elsewhere as what a search begins with.

use spillscope::engine::order::near_order;
use spillscope::engine::search::{Budget, Objective, Unheard};
use spillscope::model::{NodeIx, RawPlan};
use spillscope::session::{Extras, Given, Searched, Session, Wanted};

use super::common::{Dice, assert_checked, case, planned};
use super::run::{Folder, json};

const EXTRAS: Extras = Extras { fractional_bound: false, remedies: false };

/// What `evaluations` make of the plan.
fn improved(session: &Session, raw: &RawPlan, objective: Objective, evaluations: u64) -> Session {
    let problem = session.trace.problem.clone();
    let given = Given::new(&problem, raw, "elsewhere");
    let budget = Budget::Evaluations(evaluations);
    let wanted = Wanted { objective, budget, seed: 1, from: Some(given.into()) };
    let options = session.options.clone();
    Session::search_meanwhile(problem, options, EXTRAS, &wanted, &mut Unheard, |_| ()).expect("an order").0
}

fn is_better(session: &Session) -> bool {
    session.searched.as_ref().is_some_and(Searched::found_better)
}

#[test]
fn what_comes_out_is_never_worse_than_a_plan_that_holds() {
    let (mut better, mut kept) = (0, 0);
    for seed in 0..60 {
        let (problem, options) = case(seed, true);
        let session = planned(&problem, &options);
        if session.diagnosis.is_some() {
            continue;
        }
        let raw = session.trace.plan.to_raw(&problem.graph);
        for (evaluations, objective) in [
            (1, Objective::Traffic),
            (200, Objective::Traffic),
            (60, Objective::Weighted { traffic: 1.0, makespan: 1.0 }),
        ] {
            let found = improved(&session, &raw, objective.clone(), evaluations);
            assert_checked(&found, &format!("seed {seed}"));
            let figures = |session: &Session| match objective {
                Objective::Traffic => (session.figures.extra_traffic, session.figures.makespan),
                _ => (session.figures.extra_traffic + session.figures.makespan, 0),
            };
            assert!(figures(&found) <= figures(&session), "seed {seed}, {evaluations} evaluations");
            better += u32::from(is_better(&found));
            // From what was found, a single evaluation gets no further, and then it is the plan itself that comes out.
            let raw = found.trace.plan.to_raw(&problem.graph);
            let again = improved(&session, &raw, objective.clone(), 1);
            assert!(figures(&again) <= figures(&found), "seed {seed}");
            if !is_better(&again) {
                assert_eq!(again.trace.plan, found.trace.plan, "seed {seed}");
                kept += 1;
            }
        }
    }
    assert!(better > 20 && kept > 0, "{better} are better, {kept} stay");
}

#[test]
fn a_broken_plan_lends_its_order() {
    for seed in 0..40 {
        let (problem, options) = case(seed, true);
        let session = planned(&problem, &options);
        if session.diagnosis.is_some() {
            continue;
        }
        let mut raw = session.trace.plan.to_raw(&problem.graph);
        let mut dice = Dice::new(seed);
        for _ in 0..5 {
            let (one, other) = (dice.roll(raw.schedule.len() as u64), dice.roll(raw.schedule.len() as u64));
            raw.schedule.swap(one as usize, other as usize);
        }
        raw.memory.truncate(raw.memory.len() / 2);
        let given = Given::new(&problem, &raw, "elsewhere");
        assert!(given.start.plan.is_none() && given.broken.is_some(), "seed {seed}");
        problem.graph.check_order(&given.start.order).unwrap_or_else(|fault| panic!("seed {seed}: {fault:?}"));
        let found = improved(&session, &raw, Objective::Traffic, 30);
        assert!(found.diagnosis.is_some() || found.check.is_valid(), "seed {seed}");
    }
}

#[test]
fn an_order_that_can_be_run_is_its_own_nearest() {
    for seed in 0..40 {
        let (problem, _) = case(seed, true);
        let graph = &*problem.graph;
        let first = near_order(graph, &[]);
        assert_eq!(first.len(), graph.node_count(), "seed {seed}");
        graph.check_order(&first).unwrap_or_else(|fault| panic!("seed {seed}: {fault:?}"));
        assert_eq!(near_order(graph, &first), first, "seed {seed}");
        let doubled: Vec<NodeIx> = first.iter().flat_map(|&node| [node, first[0]]).collect();
        assert_eq!(near_order(graph, &doubled), first, "seed {seed}: the first place counts");
    }
}

#[test]
fn the_report_says_what_it_began_with_and_how_to_repeat_it() {
    let folder = Folder::with_sample("matmul");
    folder.run(&["plan", "graph.json", "-o", "theirs", "--policy", "classic"]).ok();
    let out = folder.run(&["plan", "graph.json", "--from", "theirs", "-o", "mine", "--evaluations", "300"]).ok();
    assert!(out.contains("the plan in theirs, valid: extra traffic "), "{out}");
    let again = out.lines().last().expect("the command");
    assert!(again.ends_with(" --from theirs"), "{again}");
    folder.sh(&format!("{again} -o again")).ok();
    assert!(folder.files("mine") == folder.files("again"), "{again} gives another plan");
    let whole = json(&folder.read("mine/graph_plan.json"));
    assert_eq!(whole["search"]["from"], serde_json::json!({"folder": "theirs", "valid": true}));
    let before = json(&folder.read("theirs/graph_plan.json"));
    let traffic = |plan: &serde_json::Value| plan["figures"]["extra_traffic"].as_u64().expect("a number");
    assert!(traffic(&whole) <= traffic(&before));
    // Without a word on the search it is the quick one.
    let quick = folder.run(&["plan", "graph.json", "--from", "mine"]).ok();
    assert!(quick.contains("--evaluations ") && quick.contains("the plan in mine, valid"), "{quick}");
}

#[test]
fn a_broken_one_is_said_to_be_broken() {
    let folder = Folder::with_sample("matmul");
    folder.run(&["plan", "graph.json", "-o", "theirs", "--policy", "classic"]).ok();
    let schedule = folder.read("theirs/graph_schedule.txt");
    let cut: Vec<&str> = schedule.lines().skip(1).collect();
    folder.write("theirs/graph_schedule.txt", &cut.join("\n"));
    let out = folder.run(&["plan", "graph.json", "--from", "theirs", "--evaluations", "100"]).ok();
    assert!(out.contains("the order of the plan in theirs, which is BROKEN: R1: "), "{out}");
    let report = json(&folder.run(&["plan", "graph.json", "--from", "theirs", "--format", "json"]).ok());
    assert_eq!(report["search"]["from"]["valid"], false);
    assert!(report["search"]["from"]["finding"].as_str().is_some_and(|finding| finding.starts_with("R1")));
}

#[test]
fn what_goes_with_no_given_plan_is_refused() {
    let folder = Folder::with_sample("matmul");
    folder.run(&["plan", "graph.json", "-o", "theirs"]).ok();
    for (flags, words) in [
        (&["--order", "program"][..], "--order"),
        (&["--policy", "classic"], "--policy"),
        (&["--victims", "lru"], "--victims"),
        (&["--objective", "makespan"], "add --search SECONDS or --evaluations N"),
    ] {
        folder.run(&[&["plan", "graph.json", "--from", "theirs"], flags].concat()).refused(&[words]);
    }
    folder.run(&["plan", "graph.json", "--from", "nowhere"]).refused(&["nowhere", "no such folder"]);
    let pools = Folder::with_sample("buckets");
    pools.run(&["plan", "graph.json", "-o", "theirs"]).ok();
    pools.run(&["plan", "graph.json", "--from", "theirs"]).refused(&["not of pools"]);
}
