//! The event-driven scheduler: every run ends in a plan that holds or in a diagnosis that is true, and the orders are
//! worth what they cost.

mod common;

use std::sync::Arc;

use common::operations::{EVENT_DRIVEN, operations, tight_case};
use common::{Dice, assert_checked, case, planned, with_capacity, works};
use spillscope::model::{Diagnosis, FailureKind, Graph, Machine, NodeKind, Options, Order, Problem, Remedy};
use spillscope::session::{Extras, Session};

/// The capacity that is named works, and one unit less in any level of it fails.
fn assert_capacity(problem: &Problem, options: &Options, found: &Diagnosis, about: &str) {
    let capacities = found.remedies.iter().find_map(|remedy| match remedy {
        Remedy::Capacity { levels, .. } => Some(levels),
        _ => None,
    });
    let levels = capacities.unwrap_or_else(|| panic!("{about}: no capacity is named: {found:?}"));
    let with = |less: Option<usize>| {
        levels.iter().enumerate().fold(problem.clone(), |problem, (at, &(level, cap))| {
            with_capacity(&problem, level.at(), if less == Some(at) { cap - 1 } else { cap })
        })
    };
    assert!(works(&with(None), options), "{about}: {levels:?} does not work");
    for at in 0..levels.len() {
        assert!(!works(&with(Some(at)), options), "{about}: one unit less than {levels:?} works too");
    }
}

#[test]
fn a_thousand_tight_pools_end_in_a_schedule_or_in_a_deadlock_whose_cap_works() {
    let (mut plans, mut deadlocks, mut avoided) = (0, 0, 0);
    for seed in 0..1000 {
        let (problem, options) = tight_case(seed);
        let session = planned(&problem, &options);
        let about = format!("seed {seed}, {options:?}");
        let Some(found) = &session.diagnosis else {
            plans += 1;
            assert_checked(&session, &about);
            let greedy = Options { avoid_deadlock: false, ..options.clone() };
            avoided += u32::from(options.avoid_deadlock && !works(&problem, &greedy));
            continue;
        };
        assert_capacity(&problem, &options, found, &about);
        if found.kind == FailureKind::Deadlock {
            deadlocks += 1;
            assert!(
                !found.waiting.is_empty() && found.waiting.iter().any(|who| who.need > who.room),
                "{about}: {found:?}"
            );
        }
    }
    assert!(plans > 300 && deadlocks > 50 && avoided > 5, "{plans} plans, {deadlocks} deadlocks, {avoided} avoided");
}

#[test]
fn levels_with_addresses_are_scheduled_too() {
    let mut plans = 0;
    for seed in 0..400 {
        let (problem, mut options) = case(seed, seed % 2 == 0);
        options.order = EVENT_DRIVEN[seed as usize % 3];
        // Graphs whose edges leave the operands to the schedule have no other order.
        let Ok(session) = Session::plan(problem.clone(), options.clone(), Extras::for_screen(0)) else { continue };
        let about = format!("seed {seed}, {options:?}");
        match &session.diagnosis {
            None => {
                plans += 1;
                assert_checked(&session, &about);
            }
            Some(found) => assert_capacity(&problem, &options, found, &about),
        }
    }
    assert!(plans > 150, "{plans} plans");
}

/// The operations of a graph with what each waits for, as bits.
struct Plain {
    cycles: Vec<u64>,
    waits: Vec<u32>,
}

impl Plain {
    fn new(graph: &Graph) -> Self {
        let ops: Vec<_> = graph.node_ixs().filter(|&node| graph.node(node).kind.is_op()).collect();
        let place = |node| ops.iter().position(|&op| op == node);
        let cycles = |&node: &_| match graph.node(node).kind {
            NodeKind::Op(op) => op.cycles,
            _ => 0,
        };
        let waits = |&node: &_| graph.preds(node).filter_map(place).fold(0, |bits, at| bits | 1 << at);
        Self { cycles: ops.iter().map(cycles).collect(), waits: ops.iter().map(waits).collect() }
    }

    /// The least makespan on `workers`, over all orders in which operations can start.
    fn best(&self, workers: usize) -> u64 {
        let mut best = u64::MAX;
        self.search(0, 0, &mut vec![0; workers], &mut vec![0; self.cycles.len()], &mut best);
        best
    }

    fn search(&self, started: u32, makespan: u64, free: &mut Vec<u64>, ends: &mut Vec<u64>, best: &mut u64) {
        if makespan >= *best {
            return;
        }
        if started.count_ones() as usize == self.cycles.len() {
            *best = makespan;
            return;
        }
        for op in (0..self.cycles.len()).filter(|op| started & 1 << op == 0 && self.waits[*op] & !started == 0) {
            let ready =
                (0..ends.len()).filter(|at| self.waits[op] & 1 << at != 0).map(|at| ends[at]).max().unwrap_or(0);
            let lane = (0..free.len()).min_by_key(|&lane| free[lane]).unwrap();
            let before = free[lane];
            ends[op] = ready.max(before) + self.cycles[op];
            free[lane] = ends[op];
            self.search(started | 1 << op, makespan.max(ends[op]), free, ends, best);
            free[lane] = before;
        }
    }
}

#[test]
fn critical_path_first_is_near_the_best_of_all_orders() {
    let (mut near, mut worst, mut exact) = (0, 1.0f64, 0);
    for seed in 0..200 {
        let mut dice = Dice::new(seed + 77);
        let count = 4 + dice.roll(6);
        let graph = operations(&mut dice, count);
        let workers = dice.pick(&[2u8, 3]);
        let mut machine = Machine::host();
        machine.units[0].count = workers;
        machine.levels[0].fresh_bytes_per_cycle = None;
        let plain = Plain::new(&graph);
        let problem = Problem::new(Arc::new(graph), machine).expect("the host has a pool");
        let session = planned(&problem, &Options::classic(Order::CriticalPath));
        let (ours, best) = (session.figures.makespan, plain.best(usize::from(workers)));
        assert!(ours >= best, "seed {seed}: {ours} is below the least of all, {best}");
        let ratio = ours as f64 / best.max(1) as f64;
        assert!(
            ratio <= 2.0 - 1.0 / f64::from(workers),
            "seed {seed}: {ours} against {best}: Graham's bound is broken"
        );
        worst = worst.max(ratio);
        near += u32::from(ratio <= 1.05);
        exact += u32::from(ours == best);
    }
    println!("best order met {exact} times of 200, within 5 % {near} times, worst {worst:.3}");
    assert!(near >= 180, "{near} of 200 within 5 %, worst {worst}");
}
