//! What each step waited for is the constraint that set its start, and the chain of constraints is as long as the plan.

mod common;

use std::sync::Arc;

use common::operations::tight_case;
use common::{Dice, case};
use spillscope::engine::binding::{Binding, Bindings, Cause};
use spillscope::input::{Source, read_graph_source};
use spillscope::model::{Event, Level, LevelIx, Machine, Options, Order, Problem, Step};
use spillscope::session::{Extras, Session};

fn planned(problem: Problem, options: Options) -> Session {
    let extras = Extras { fractional_bound: false, remedies: false };
    Session::plan(problem, options, extras).expect("an order")
}

/// Caches by the published rule, some of them with a window, and pools by the clocked rule.
fn sessions() -> impl Iterator<Item = (String, Session)> {
    let caches = (0..300).map(|seed| {
        let (mut problem, options) = case(seed, seed % 2 == 0);
        let mut dice = Dice::new(seed);
        if dice.one_in(3) {
            problem.machine.window = Some(1 + dice.roll(4) as u32);
        }
        (format!("caches {seed}"), planned(problem, options))
    });
    let pools = (0..300).map(|seed| {
        let (problem, options) = tight_case(seed);
        (format!("pool {seed}"), planned(problem, options))
    });
    caches.chain(pools)
}

fn time(session: &Session, step: usize) -> (u64, u64) {
    session.trace.time_of(step).unwrap_or((0, 0))
}

#[test]
fn a_step_starts_when_what_it_waited_for_is_done() {
    let mut seen = [0usize; Cause::ALL.len()];
    for (about, session) in sessions() {
        let bindings = session.bindings();
        for step in 0..session.trace.plan.steps.len() {
            let (start, _) = time(&session, step);
            let about = format!("{about}, step {step}");
            let Some(Binding { cause, by }) = bindings.direct(step) else {
                assert_eq!(start, 0, "{about}: nothing held it");
                assert_eq!(bindings.wait(step), None, "{about}");
                continue;
            };
            seen[cause as usize] += 1;
            assert!(by < step && start > 0, "{about}");
            let (its_start, its_end) = time(&session, by);
            let until = if cause == Cause::Turn { its_start } else { its_end };
            assert_eq!(start, until, "{about}: {cause:?} of step {by}");
            let wait = bindings.wait(step).unwrap_or_else(|| panic!("{about}: somebody worked until cycle {start}"));
            let (its_start, its_end) = time(&session, wait.by);
            assert!(its_start < its_end && its_end == start, "{about}: {wait:?}");
            let (who, telling) = bindings.telling(step).unwrap_or_else(|| panic!("{about}: {wait:?} has a link"));
            assert_eq!((telling.cause, time(&session, who).0), (wait.cause, start), "{about}");
        }
    }
    assert!(seen.iter().all(|&count| count > 20), "each cause occurs: {seen:?}");
}

/// A constraint that binds is one that the rule has: the right node, unit, addresses, level.
#[test]
fn each_cause_is_true() {
    for (about, session) in sessions() {
        let (trace, bindings) = (&session.trace, session.bindings());
        let graph = &trace.problem.graph;
        for step in 0..trace.plan.steps.len() {
            let Some(Binding { cause, by }) = bindings.direct(step) else { continue };
            let about = format!("{about}, step {step}, {cause:?} of {by}");
            match (cause, trace.plan.steps[step], trace.plan.steps[by]) {
                (Cause::Dependency, Step::Node(node), Step::Node(before)) => {
                    assert!(graph.preds(node).any(|pred| pred == before), "{about}");
                }
                (Cause::Dependency, Step::Out(spill), Step::Node(before)) => {
                    let buf = trace.plan.spills[spill.at()].buf;
                    assert!(graph.users(buf).contains(&before) || graph.buffer(buf).alloc == before, "{about}");
                }
                (Cause::Dependency, ..) => panic!("{about}: no edge"),
                (Cause::Transfer, Step::Back(spill), other) => assert_eq!(other, Step::Out(spill), "{about}"),
                (Cause::Transfer, _, other) => assert!(matches!(other, Step::Back(_)), "{about}"),
                (Cause::Address, ..) => {
                    let (level, start, end) = place(&session, step, true).expect("it was placed");
                    let (there, from, to) = place(&session, by, false).expect("it left");
                    assert!(level == there && start < to && from < end, "{about}");
                }
                (Cause::Memory, Step::Node(node), Step::Node(free)) => {
                    let waited = trace.waits().latest(node, trace.run_range(step).end).expect("it waited");
                    let freed = graph.node(free).kind.cache_buffer().expect("a FREE");
                    assert_eq!(waited.level, trace.problem.level_of(freed), "{about}");
                    assert_eq!(graph.buffer(freed).free, Some(free), "{about}");
                }
                (Cause::Memory, ..) => panic!("{about}: no operation"),
                (Cause::Unit, ..) => assert_eq!(lane(&session, step), lane(&session, by), "{about}"),
                (Cause::Window, _, other) => {
                    assert!(trace.problem.machine.window.is_some(), "{about}");
                    assert!(matches!(other, Step::Node(node) if graph.node(node).kind.is_op()), "{about}");
                }
                (Cause::Turn, ..) => assert!(trace.problem.is_clocked(), "{about}"),
            }
        }
    }
}

/// Where a step came to (`placed`) or left: level and addresses `[start, end)`.
fn place(session: &Session, step: usize, placed: bool) -> Option<(LevelIx, u64, u64)> {
    session
        .trace
        .run(step)
        .iter()
        .find_map(|event| match *event {
            Event::Placed { buf, level, offset, .. } if placed => Some((buf, level, offset)),
            Event::Left { buf, level, offset, .. } if !placed => Some((buf, level, offset)),
            _ => None,
        })
        .map(|(buf, level, offset)| (level, offset, offset + session.trace.problem.graph.buffer(buf).size))
}

fn lane(session: &Session, step: usize) -> Option<(u16, u8)> {
    session.trace.run(step).iter().find_map(|event| match *event {
        Event::Ran { unit, lane, .. } | Event::MovedOut { unit, lane, .. } | Event::MovedBack { unit, lane, .. } => {
            Some((unit.0, lane))
        }
        _ => None,
    })
}

#[test]
fn the_critical_path_is_as_long_as_the_plan_and_has_no_gap() {
    for (about, session) in sessions() {
        let path = session.bindings().path();
        assert_eq!(path.cycles(), session.figures.makespan, "{about}");
        assert_eq!(path.unexplained, 0, "{about}");
        let mut at = 0;
        for &step in &path.steps {
            let (start, end) = time(&session, step as usize);
            assert_eq!(start, at, "{about}, step {step}");
            assert!(end > start, "{about}, step {step}");
            at = end;
        }
        assert_eq!(at, session.figures.makespan, "{about}");
        let waits: u32 = path.waits.iter().sum();
        assert_eq!(waits as usize + usize::from(!path.steps.is_empty()), path.steps.len().max(usize::from(waits > 0)));
        for (place, &step) in path.steps.iter().enumerate() {
            assert_eq!(path.place_of(step as usize), Some(place), "{about}");
        }
    }
}

/// Two buffers share the only room there is: the second one's operation waits for the address, not for a dependency.
#[test]
fn address_reuse_is_seen_through_alloc_and_free() {
    let text = r#"{"Nodes": [
        {"Id": 0, "Op": "ALLOC", "BufId": 0, "Size": 8, "Type": "L1"},
        {"Id": 1, "Op": "WORK", "Pipe": "A", "Cycles": 100, "Bufs": [0]},
        {"Id": 2, "Op": "FREE", "BufId": 0},
        {"Id": 3, "Op": "ALLOC", "BufId": 1, "Size": 8, "Type": "L1"},
        {"Id": 4, "Op": "WORK", "Pipe": "B", "Cycles": 50, "Bufs": [1]},
        {"Id": 5, "Op": "FREE", "BufId": 1}], "Schedule": [0, 1, 2, 3, 4, 5]}"#;
    let graph = read_graph_source(&Source::from_text("two.json", text)).expect("a sound graph");
    let mut machine = Machine::npu();
    machine.levels = vec![Level::arena("L1", 8, true)];
    let problem = Problem::new(Arc::new(graph), machine).expect("it has the level");
    let session = planned(problem, Options::classic(Order::Given));
    let bindings: &Bindings = session.bindings();
    assert_eq!(bindings.direct(4), Some(Binding { cause: Cause::Dependency, by: 3 }), "its ALLOC");
    assert_eq!(bindings.direct(3), Some(Binding { cause: Cause::Address, by: 2 }), "the FREE of b0");
    assert_eq!(bindings.wait(4), Some(Binding { cause: Cause::Address, by: 1 }), "the last use of b0");
    assert_eq!(bindings.telling(4), Some((3, Binding { cause: Cause::Address, by: 2 })));
    assert_eq!(bindings.path().steps, [1, 4]);
    assert_eq!((bindings.path().operations, bindings.path().waits[Cause::Address as usize]), (150, 1));
}
