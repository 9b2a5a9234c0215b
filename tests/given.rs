//! Plans of elsewhere: our own, written down and read back, are what they were; broken ones are shown as far as they go.

mod common;

use common::{Dice, case, planned};
use spillscope::input::read_graph;
use spillscope::model::{Machine, Options, Order, Problem, RawPlan};
use spillscope::session::{Extras, Session};

const EXTRAS: Extras = Extras { fractional_bound: false, remedies: false };

/// The session of the plan as its files would say it.
fn read_back(session: &Session) -> Session {
    let problem = session.trace.problem.clone();
    let raw = session.trace.plan.to_raw(&problem.graph);
    Session::of_plan(problem, session.options.clone(), &raw, "elsewhere")
}

fn assert_same(session: &Session, about: &str) {
    let again = read_back(session);
    assert!(again.check.is_valid(), "{about}");
    assert_eq!(again.recorded.as_ref().and_then(|recorded| recorded.ended.as_ref()), None, "{about}");
    assert_eq!(again.figures, session.figures, "{about}");
    assert_eq!(again.trace.step_count(), session.trace.step_count(), "{about}");
    let (mut one, mut two) = (session.trace.cursor(), again.trace.cursor());
    for step in 0..session.trace.step_count() {
        session.trace.seek_step(&mut one, step);
        again.trace.seek_step(&mut two, step);
        // That an ALLOC was postponed is a decision, which no file tells.
        let levels = 0..session.trace.problem.level_count();
        let state = |cursor: &spillscope::trace::Cursor| {
            let state = cursor.state();
            let levels = levels.clone().map(|level| state.level(spillscope::model::LevelIx::new(level)).clone());
            (levels.collect::<Vec<_>>(), state.main().clone(), state.out().collect::<Vec<_>>(), state.extra_traffic)
        };
        assert_eq!(state(&one), state(&two), "{about}, step {step}");
        assert_eq!(session.trace.time_of(step), again.trace.time_of(step), "{about}, step {step}");
    }
}

#[test]
fn a_plan_written_and_read_back_is_the_same_at_every_step() {
    let mut compared = 0;
    for seed in 0..60 {
        let (problem, options) = case(seed, true);
        let session = planned(&problem, &options);
        if session.diagnosis.is_none() {
            assert_same(&session, &format!("seed {seed}"));
            compared += 1;
        }
    }
    assert!(compared > 30, "only {compared} cases have a plan");
}

#[test]
fn plans_with_pools_and_windows_too() {
    for (sample, order) in [
        ("buckets", Order::Topological),
        ("pipeline-240", Order::CriticalPath),
        ("light-tasks", Order::CriticalPath),
        ("early-release", Order::MemoryAware),
    ] {
        let graph = read_graph(&format!("{}/samples/{sample}.json", env!("CARGO_MANIFEST_DIR"))).expect("sound");
        for (window, max_age) in [(None, None), (Some(3), Some(100))] {
            let mut machine = Machine::host();
            machine.window = window;
            if let spillscope::model::Manager::Pool(rules) = &mut machine.levels[0].manager {
                rules.max_age = max_age;
            }
            let problem = Problem::new(graph.clone().into(), machine).expect("it fits the machine");
            let session = Session::plan(problem, Options::classic(order), EXTRAS).expect("it has an order");
            if session.diagnosis.is_none() {
                assert_same(&session, sample);
            }
        }
    }
}

/// Breaks the plan somewhere.
fn break_it(raw: &mut RawPlan, dice: &mut Dice) {
    let place = |dice: &mut Dice, len: usize| dice.roll(len.max(1) as u64) as usize;
    let steps = raw.schedule.len();
    match dice.roll(9) {
        0 if steps > 1 => {
            let (one, other) = (place(dice, steps), place(dice, steps));
            raw.schedule.swap(one, other);
        }
        1 if steps > 0 => {
            let at = place(dice, steps);
            raw.schedule.remove(at);
        }
        2 if steps > 0 => {
            let (from, to) = (place(dice, steps), place(dice, steps));
            raw.schedule.insert(to, raw.schedule[from]);
        }
        3 => raw.schedule.insert(place(dice, steps), dice.pick(&[u64::MAX, 1 << 40, 7777])),
        4 if !raw.memory.is_empty() => {
            let at = place(dice, raw.memory.len());
            raw.memory[at].1 = dice.pick(&[-1, 0, 1, i64::MAX, i64::MIN]);
        }
        5 if !raw.memory.is_empty() => {
            let at = place(dice, raw.memory.len());
            raw.memory.remove(at);
        }
        6 if !raw.spills.is_empty() => {
            let at = place(dice, raw.spills.len());
            raw.spills[at].1 = dice.pick(&[-1, 0, 3, i64::MAX]);
        }
        7 if !raw.spills.is_empty() => {
            let at = place(dice, raw.spills.len());
            raw.spills[at].0 = dice.pick(&[0, 1, u64::MAX]);
        }
        8 if !raw.spills.is_empty() => {
            raw.spills.pop();
        }
        _ => {}
    }
}

#[test]
fn a_plan_broken_in_any_way_is_replayed_up_to_where_it_means_nothing() {
    let mut cut_short = 0;
    for seed in 0..300 {
        let (problem, options) = case(seed % 40, true);
        let session = planned(&problem, &options);
        let mut raw = session.trace.plan.to_raw(&problem.graph);
        let mut dice = Dice::new(seed);
        (0..=dice.roll(3)).for_each(|_| break_it(&mut raw, &mut dice));
        let broken = Session::of_plan(problem, options, &raw, "elsewhere");
        let replayed = broken.trace.plan.steps.len();
        let shown = broken.trace.plan.to_raw(&broken.trace.problem.graph);
        assert_eq!(shown.schedule[..], raw.schedule[..replayed], "seed {seed}: what is shown is what was read");
        // Without a single step the failure is all that there is to show.
        let is_cut = replayed < raw.schedule.len() || raw.schedule.is_empty();
        assert_eq!(broken.trace.failing_step(), is_cut.then_some(replayed), "seed {seed}");
        assert!(!is_cut || !broken.check.is_valid(), "seed {seed}: a plan that holds is replayed to its end");
        assert!(broken.check.is_valid() || broken.first_broken().is_some() || broken.trace.step_count() == 0);
        // Forward and back again: the state is undone to nothing.
        let mut cursor = broken.trace.cursor();
        broken.trace.seek(&mut cursor, broken.trace.event_count());
        broken.trace.seek(&mut cursor, 0);
        assert_eq!(cursor, broken.trace.cursor(), "seed {seed}");
        cut_short += usize::from(is_cut);
    }
    assert!(cut_short > 50, "only {cut_short} plans are cut short");
}
