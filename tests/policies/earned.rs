//! For each part of the policy a small graph on which it is better than the classic one.

use spillscope::input::{Source, read_graph_source};
use spillscope::model::{Figures, Fit, Level, Machine, Options, Order, Problem, VictimRule};

use super::common::{assert_checked, planned};

/// Buffer 0 lives longest, but is needed next.
pub const NEEDED_NEXT: &str = "\
    +0 L1 1, +1 L1 1, ADD VECTOR 9 0 1, +2 L1 1, EXP VECTOR 9 2, ADD VECTOR 9 0 2, -2, EXP VECTOR 9 1, -1, \
    EXP VECTOR 9 0, -0";

/// Two small buffers that main memory still holds stand beside a large one.
pub const CHEAP_NEIGHBOURS: &str = "\
    +0 L1 2, COPY_IN MTE2 9 0, +1 L1 2, COPY_IN MTE2 9 1, +2 L1 4, EXP VECTOR 9 2, +3 L1 4, EXP VECTOR 9 3, \
    -3, EXP VECTOR 9 2, -2, ADD VECTOR 9 0 1, -0, -1";

/// Of two places of a size one is held by a slow operation.
pub const SLOW_HOLDER: &str =
    "+0 L1 4, +1 L1 4, MATMUL CUBE 5000 0, EXP VECTOR 9 1, -0, -1, +2 L1 4, COPY_IN MTE2 100 2, EXP VECTOR 3000 2, -2";

/// Buffer 4 takes the place of 3 in UB, which the slow operation holds until cycle 5000; 0 is out, and has room.
pub const WAITING_TRANSFER: &str = "\
    +0 L1 8, EXP VECTOR 9 0, +1 L1 8, EXP VECTOR 9 1, -1, +3 UB 4, MATMUL CUBE 5000 3, -3, +4 UB 4, COPY_IN \
    MTE2 100 4, EXP VECTOR 3000 0, ADD VECTOR 9 4 0, -0, -4";

/// A graph as its schedule, on a machine whose L1 and UB have these capacities: `+3 L1 16` allocates buffer 3, `-3` frees
/// it, `ADD VECTOR 10 3 4` is an operation of 10 cycles on buffers 3 and 4. Whatever a COPY_IN fills is backed.
pub fn problem(l1: u64, ub: u64, schedule: &str) -> Problem {
    let entries = schedule.split(',').map(str::trim).enumerate();
    let nodes: Vec<String> = entries.map(|(id, entry)| node(id, entry)).collect();
    let order: Vec<String> = (0..nodes.len()).map(|id| id.to_string()).collect();
    let text = format!(r#"{{"Nodes":[{}],"Schedule":[{}]}}"#, nodes.join(","), order.join(","));
    let graph = read_graph_source(&Source::from_text("g.json", text)).expect("a legal graph");
    let mut machine = Machine::npu();
    machine.levels = [("L1", l1), ("UB", ub)].map(|(name, size)| Level::arena(name, size, true)).into();
    Problem::new(graph.into(), machine).expect("the levels are there")
}

fn node(id: usize, entry: &str) -> String {
    let words: Vec<&str> = entry.split_whitespace().collect();
    if let Some(buf) = words[0].strip_prefix('+') {
        let (level, size) = (words[1], words[2]);
        return format!(r#"{{"Id":{id},"Op":"ALLOC","BufId":{buf},"Type":"{level}","Size":{size}}}"#);
    }
    if let Some(buf) = words[0].strip_prefix('-') {
        return format!(r#"{{"Id":{id},"Op":"FREE","BufId":{buf}}}"#);
    }
    let (op, pipe, cycles, bufs) = (words[0], words[1], words[2], words[3..].join(","));
    format!(r#"{{"Id":{id},"Op":"{op}","Pipe":"{pipe}","Cycles":{cycles},"Bufs":[{bufs}]}}"#)
}

/// The figures of the classic plan and of one with other options. Both plans hold.
fn both(problem: &Problem, change: impl Fn(&mut Options)) -> (Figures, Figures) {
    let classic = Options::classic(Order::Given);
    let mut changed = classic.clone();
    change(&mut changed);
    assert_ne!(classic, changed);
    let figures = |options: &Options| {
        let session = planned(problem, options);
        assert!(session.diagnosis.is_none(), "{options:?}");
        assert_checked(&session, &format!("{options:?}"));
        session.figures
    };
    (figures(&classic), figures(&changed))
}

fn spills_under(problem: &Problem, victims: VictimRule) -> (u64, u64) {
    let (classic, other) = both(problem, |options| options.victims = victims);
    (classic.spills, other.spills)
}

fn traffic_under(problem: &Problem, victims: VictimRule) -> (u64, u64) {
    let (classic, other) = both(problem, |options| options.victims = victims);
    (classic.extra_traffic, other.extra_traffic)
}

#[test]
fn farthest_spares_what_lives_long_but_is_needed_next() {
    let problem = problem(2, 1, NEEDED_NEXT);
    assert_eq!(spills_under(&problem, VictimRule::FarthestNextUse), (2, 1));
}

#[test]
fn lru_spares_what_lives_long_and_was_used_just_now() {
    let problem = problem(
        2,
        1,
        "+0 L1 1, +1 L1 1, EXP VECTOR 9 1, EXP VECTOR 9 0, +2 L1 1, EXP VECTOR 9 2, ADD VECTOR 9 0 2, -2, \
         EXP VECTOR 9 1, -1, EXP VECTOR 9 0, -0",
    );
    assert_eq!(spills_under(&problem, VictimRule::LeastRecentlyUsed), (2, 1));
}

#[test]
fn distance_size_cost_spills_what_main_memory_still_holds() {
    let problem = problem(
        8,
        1,
        "+0 L1 4, COPY_IN MTE2 9 0, +1 L1 4, EXP VECTOR 9 1, +2 L1 4, EXP VECTOR 9 2, -2, EXP VECTOR 9 0, -0, \
         EXP VECTOR 9 1, -1",
    );
    assert_eq!(traffic_under(&problem, VictimRule::DistanceSizeCost), (8, 4));
    assert_eq!(traffic_under(&problem, VictimRule::FarthestNextUse), (8, 8), "distance alone does not see it");
}

#[test]
fn cheapest_run_spills_two_cheap_neighbours_in_place_of_a_dear_buffer() {
    let problem = problem(8, 1, CHEAP_NEIGHBOURS);
    assert_eq!(traffic_under(&problem, VictimRule::CheapestRun), (8, 4));
    assert_eq!(traffic_under(&problem, VictimRule::DistanceSizeCost), (8, 8), "one by one neither is large enough");
}

#[test]
fn largest_makes_room_for_two_at_once() {
    let problem = problem(
        7,
        1,
        "+0 L1 3, EXP VECTOR 9 0, +1 L1 4, EXP VECTOR 9 1, +2 L1 2, +3 L1 2, ADD VECTOR 9 2 3, -2, -3, EXP VECTOR 9 1, \
         -1, EXP VECTOR 9 0, EXP VECTOR 9 0, EXP VECTOR 9 0, EXP VECTOR 9 0, -0",
    );
    assert_eq!(spills_under(&problem, VictimRule::Largest), (2, 1));
}

#[test]
fn smallest_moves_no_more_than_it_must() {
    let problem = problem(
        5,
        1,
        "+0 L1 4, EXP VECTOR 9 0, +1 L1 1, EXP VECTOR 9 1, +2 L1 1, EXP VECTOR 9 2, -2, EXP VECTOR 9 1, -1, \
         EXP VECTOR 9 0, -0",
    );
    assert_eq!(traffic_under(&problem, VictimRule::Smallest), (8, 2));
}

#[test]
fn first_fit_keeps_a_hole_whole_that_best_fit_cuts() {
    let problem = problem(
        12,
        1,
        "+0 L1 6, +1 L1 1, +2 L1 5, ADD VECTOR 9 0 1 2, -0, -2, +3 L1 4, +4 L1 2, +5 L1 5, ADD VECTOR 9 1 3 4 5, -1, -3, \
         -4, -5",
    );
    let (best, first) = both(&problem, |options| options.fit = Fit::First);
    assert!(best.spills > 0, "{best:?}");
    assert_eq!(first.spills, 0);
}

#[test]
fn next_fit_goes_on_behind_the_last_placement() {
    let problem = problem(
        12,
        1,
        "+0 L1 5, +6 L1 1, +1 L1 6, ADD VECTOR 9 0 6 1, -6, +2 L1 1, -0, -1, +3 L1 4, +4 L1 2, +5 L1 5, \
         ADD VECTOR 9 2 3 4 5, -2, -3, -4, -5",
    );
    let (best, next) = both(&problem, |options| options.fit = Fit::Next);
    assert!(best.spills > 0, "{best:?}");
    assert_eq!(next.spills, 0);
}

#[test]
fn window_fit_waits_for_no_slow_holder() {
    let problem = problem(8, 1, SLOW_HOLDER);
    let (best, window) = both(&problem, |options| options.fit = Fit::Window);
    assert_eq!((best.makespan, window.makespan), (8100, 5000), "beside the slow one in place of after it");
}

#[test]
fn hoisted_frees_make_room_before_anyone_is_spilled() {
    let problem =
        problem(2, 1, "+0 L1 1, EXP VECTOR 9 0, +1 L1 1, EXP VECTOR 9 1, +2 L1 1, ADD VECTOR 9 1 2, -0, -1, -2");
    let (late, hoisted) = both(&problem, |options| options.hoist = true);
    assert_eq!((late.spills, hoisted.spills), (3, 0), "and what is dead comes back to be freed");
}

#[test]
fn an_early_reload_does_not_queue_behind_a_transfer_that_waits() {
    let problem = problem(8, 4, WAITING_TRANSFER);
    let (in_turn, early) = both(&problem, |options| options.prefetch = 2);
    assert_eq!((early.spills, early.extra_traffic), (in_turn.spills, in_turn.extra_traffic));
    assert!(early.makespan + 2500 < in_turn.makespan, "{} and {}", early.makespan, in_turn.makespan);
}
