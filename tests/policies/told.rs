//! What is said of a decision is what the rule looked at.

use spillscope::model::{Fit, Options, Order, Problem, Step, VictimRule};
use spillscope::output::explain::{Explained, explain, story};
use spillscope::session::Session;
use spillscope::trace::Trace;

use super::common::planned;
use super::earned::{CHEAP_NEIGHBOURS, NEEDED_NEXT, SLOW_HOLDER, WAITING_TRANSFER, problem};

fn session(problem: &Problem, change: impl Fn(&mut Options)) -> Session {
    let mut options = Options::classic(Order::Given);
    change(&mut options);
    planned(problem, &options)
}

/// The first step of that kind in words.
fn first(trace: &Trace, wanted: impl Fn(&Step) -> bool) -> Explained {
    let step = (0..trace.step_count()).find(|&at| trace.step(at).is_some_and(|step| wanted(&step)));
    explain(trace, step.expect("there is one"))
}

fn spill_under(problem: &Problem, victims: VictimRule) -> Explained {
    first(&session(problem, |options| options.victims = victims).trace, |step| matches!(step, Step::Out(_)))
}

#[test]
fn each_rule_says_what_it_ranked_by() {
    let problem = problem(2, 1, NEEDED_NEXT);
    for (rule, words) in [
        (VictimRule::LifeTimesSize, "7 steps to its FREE × 1 unit = 7"),
        (VictimRule::FarthestNextUse, "next use at 7, in 4 steps"),
        (VictimRule::DistanceSizeCost, "4 steps to its next use × 1 unit ÷ 2 to move = 2.0"),
        (VictimRule::CheapestRun, "2 to move ÷ 4 steps to its next use = 0.500"),
        (VictimRule::Largest, "(1 unit)"),
        (VictimRule::LeastRecentlyUsed, "unused for 1 step"),
    ] {
        let told = spill_under(&problem, rule);
        assert!(told.why.iter().any(|why| why.contains(words)), "{rule}: {:?}", told.why);
        assert!(told.rank.iter().all(|row| row.rule == rule), "{rule}");
    }
}

#[test]
fn a_run_of_neighbours_says_why_nobody_alone_was_taken() {
    let told = spill_under(&problem(8, 1, CHEAP_NEIGHBOURS), VictimRule::CheapestRun);
    let says = |words: &str| told.why.iter().any(|why| why.contains(words));
    assert!(says("several neighbours cost less than any single buffer"), "{:?}", told.why);
    assert!(says("b0 is number 1 of the 2 buffers side by side whose leaving costs least"), "{:?}", told.why);
    let spared = told.rank.iter().find(|row| !row.chosen && row.text.contains("costs more"));
    assert_eq!(spared.map(|row| row.buf.0), Some(2), "{:?}", told.rank);
}

#[test]
fn a_window_says_since_when_it_is_free() {
    let session = session(&problem(8, 1, SLOW_HOLDER), |options| options.fit = Fit::Window);
    let last = (0..session.trace.step_count())
        .rev()
        .map(|step| explain(&session.trace, step))
        .find(|told| told.sentence.starts_with("b2 gets"))
        .expect("its ALLOC");
    assert!(last.why.iter().any(|why| why.starts_with("window: ") && why.contains("cycle 9")), "{:?}", last.why);
}

#[test]
fn an_early_reload_says_for_whom_and_how_long_before() {
    let session = session(&problem(8, 4, WAITING_TRANSFER), |options| options.prefetch = 2);
    let told = first(&session.trace, |step| matches!(step, Step::Back(_)));
    assert!(told.sentence.contains("b0 comes back from main memory early"), "{told:?}");
    assert!(told.why[0].starts_with("prefetch: it comes "), "{told:?}");
    let out = first(&session.trace, |step| matches!(step, Step::Out(_)));
    assert!(out.did.iter().any(|line| line.contains("early for ")), "{out:?}");
    let lines = story(&session.trace, spillscope::model::BufIx(0));
    assert!(lines.iter().any(|line| line.text.starts_with("reloaded early to L1[0,8) for ")), "{lines:?}");
}
