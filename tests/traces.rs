//! The record: the state at a step is the same however one comes there, and coming there is cheap.

mod common;

use common::{Dice, case};
use spillscope::model::{Level, LevelIx, NodeKind};
use spillscope::session::{Extras, Session};
use spillscope::trace::{Mark, State, Trace};

fn traces() -> impl Iterator<Item = (u64, Trace)> {
    (0..60).map(|seed| {
        let (problem, options) = case(seed, seed % 2 == 0);
        let extras = Extras { fractional_bound: false, remedies: false };
        (seed, Session::plan(problem, options, extras).expect("an order").trace)
    })
}

/// The state after each position, by applying one event after another.
fn played(trace: &Trace) -> Vec<State> {
    let mut state = State::empty(&trace.problem);
    let mut states = vec![state.clone()];
    for event in trace.events() {
        state.apply(&trace.problem, event);
        states.push(state.clone());
    }
    states
}

#[test]
fn playing_seeking_and_going_back_come_to_the_same_state() {
    for (seed, trace) in traces() {
        let states = played(&trace);
        let mut dice = Dice::new(seed);
        let mut cursor = trace.cursor();
        for _ in 0..200 {
            let position = dice.roll(states.len() as u64) as usize;
            trace.seek(&mut cursor, position);
            assert_eq!((cursor.position(), cursor.state()), (position, &states[position]), "seed {seed}");
        }
    }
}

#[test]
fn undo_takes_back_exactly_what_apply_did() {
    for (seed, trace) in traces() {
        let states = played(&trace);
        let mut state = states.last().expect("one at least").clone();
        for (position, event) in trace.events().iter().enumerate().rev() {
            state.undo(&trace.problem, event);
            assert_eq!(state, states[position], "seed {seed} at {position}");
        }
    }
}

#[test]
fn main_memory_holds_what_is_out_and_no_more_than_the_figures_say() {
    let mut blocks = 0;
    for seed in 0..60 {
        let (problem, options) = case(seed, true);
        let extras = Extras { fractional_bound: false, remedies: false };
        let session = Session::plan(problem, options, extras).expect("an order");
        let states = played(&session.trace);
        let most = |of: fn(&State) -> u64| states.iter().map(of).max();
        let main = session.figures.main;
        assert_eq!(most(|state| state.main().held), Some(main.peak_held), "seed {seed}");
        assert_eq!(most(|state| state.main().busy), Some(main.peak_busy), "seed {seed}");
        if session.diagnosis.is_none() {
            assert_eq!(states.last().map(|state| state.main().busy), Some(0), "seed {seed}: all is back");
        }
        blocks += main.hits;
    }
    assert!(blocks > 50, "blocks are used again: {blocks}");
}

#[test]
fn the_index_agrees_with_the_log() {
    for (seed, trace) in traces() {
        for mark in Mark::ALL {
            let scanned: Vec<u32> =
                (0u32..).zip(trace.events()).filter(|(_, e)| Mark::of(e) == Some(mark)).map(|(at, _)| at).collect();
            assert_eq!(trace.marks(mark), scanned, "seed {seed} {mark:?}");
        }
        let mut cursor = trace.cursor();
        for step in 0..trace.step_count() {
            trace.seek_step(&mut cursor, step);
            for (at, Level { capacity, .. }) in trace.problem.machine.levels.iter().enumerate() {
                let level = LevelIx::new(at);
                let used = cursor.state().level(level).used;
                assert_eq!(trace.occupancy(level).at(step as u32), used, "seed {seed} step {step}");
                let holes: u64 = cursor.state().holes(&trace.problem, level).iter().map(|(a, b)| b - a).sum();
                assert_eq!(holes + used, *capacity, "seed {seed} step {step}: holes and residents make up the level");
            }
            assert_eq!(trace.step_at(cursor.position()), step, "every step has an event");
        }
    }
}

#[test]
fn an_operation_is_ready_once_all_but_runnable_allocs_are_done() {
    for (seed, trace) in traces() {
        let graph = &trace.problem.graph;
        for step in (0..trace.step_count()).step_by(7) {
            let is_done = |node| trace.step_of(node).is_some_and(|at| at <= step);
            let is_alloc = |node| matches!(graph.node(node).kind, NodeKind::Alloc(_));
            let is_ready = |&node: &_| {
                graph.preds(node).all(|pred| is_done(pred) || is_alloc(pred) && graph.preds(pred).all(is_done))
            };
            let waiting = graph.node_ixs().filter(|&node| graph.node(node).kind.is_op() && !is_done(node));
            let expected: Vec<_> = waiting.filter(is_ready).collect();
            let mut listed: Vec<_> = trace.ready().list(step as u32, 0, usize::MAX).iter().map(|op| op.node).collect();
            assert_eq!(trace.ready().count(step as u32), listed.len(), "seed {seed} step {step}");
            listed.sort_unstable();
            assert_eq!(listed, expected, "seed {seed} step {step}");
        }
    }
}

#[test]
fn a_seek_reads_one_keyframe_at_most_and_replays_no_more_than_the_live_state_is_worth() {
    let config = spillscope::generate::random::Config { nodes: 20_000, seed: 5, ..Default::default() };
    let graph = spillscope::generate::random::generate(&config).expect("a graph");
    let problem = spillscope::model::Problem::new(graph.into(), spillscope::model::Machine::npu()).expect("its levels");
    let options = spillscope::model::Options::classic(spillscope::model::Order::Program);
    let extras = Extras { fractional_bound: false, remedies: false };
    let trace = Session::plan(problem, options, extras).expect("an order").trace;
    let mut cursor = trace.cursor();
    let mut dice = Dice::new(1);
    for _ in 0..500 {
        let cost = trace.seek(&mut cursor, dice.roll(trace.event_count() as u64) as usize);
        assert!(cost.keyframes <= 1);
        assert!(cost.events <= 512 + cursor.state().live_count().max(64), "{cost:?}");
    }
    let here = cursor.position();
    assert_eq!(trace.seek(&mut cursor, here).events, 0, "standing still costs nothing");
    let cost = trace.seek(&mut cursor, here + 3);
    assert_eq!((cost.keyframes, cost.events), (0, 3), "a step nearby is walked");
}
