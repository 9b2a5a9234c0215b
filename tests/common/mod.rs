//! Generated cases: graph, machine and options from one seed.
#![allow(dead_code, reason = "each test file uses its part")]

pub mod operations;

use std::sync::Arc;

use spillscope::engine::bounds::operand_sets;
use spillscope::engine::{self, diagnose, order};
use spillscope::generate::random::{self, Sizes};
use spillscope::model::{Fallback, Level, Machine, Options, Order, Problem};
use spillscope::session::{Extras, Session};

/// A small generator of its own, so that cases do not change with the product's.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0xd1b5_4a32_d192_ed03)
    }

    /// Below `sides`.
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    pub fn one_in(&mut self, sides: u64) -> bool {
        self.roll(sides) == 0
    }

    pub fn pick<T: Clone>(&mut self, of: &[T]) -> T {
        of[self.roll(of.len() as u64) as usize].clone()
    }
}

/// Graph, machine and options from `seed`: all kinds of sizes, chains, capacities, with and without a schedule,
/// edges, FREEs, gaps in ids. Where `all_spill`, every level may spill.
pub fn case(seed: u64, all_spill: bool) -> (Problem, Options) {
    let mut dice = Dice::new(seed);
    let levels = [("L1", 1024), ("UB", 256), ("L0A", 64), ("L0C", 128)];
    let used = 1 + dice.roll(levels.len() as u64) as usize;
    let config = random::Config {
        seed,
        nodes: 20 + dice.roll(180),
        levels: levels[..used].iter().map(|&(name, size)| (name.into(), size)).collect(),
        sizes: dice.pick(&[Sizes::Mixed, Sizes::Uniform, Sizes::Equal]),
        backed: dice.roll(5) as f64 / 4.0,
        unfreed: if dice.one_in(4) { 0.1 } else { 0.0 },
        operands: 1 + dice.roll(4) as u32,
        window: 2 + dice.roll(16) as u32,
        pipes: 1 + dice.roll(4) as u32,
        schedule: !dice.one_in(3),
        edges: !dice.one_in(4),
        gaps: dice.one_in(2),
        shuffle: dice.one_in(3),
        ..random::Config::default()
    };
    let graph = random::generate(&config).unwrap_or_else(|fault| panic!("seed {seed}: {fault:?}"));
    let order = if graph.schedule().is_some() { Order::Given } else { Order::Program };
    let roomy = Problem::new(Arc::new(graph), Machine::npu()).expect("the preset has all levels");
    let problem = with_tight_machine(&roomy, &mut dice, all_spill);
    let mut options = Options::classic(order);
    if dice.one_in(2) {
        let all = [Fallback::Spill, Fallback::SpillMany, Fallback::Postpone];
        options.on_full = (0..dice.roll(4)).map(|_| dice.pick(&all)).collect();
        options.on_full.dedup();
    }
    options.postpone_limit = dice.pick(&[0, 1, 5, 5, 50]);
    (problem, options)
}

/// The same graph on a machine whose capacities lie around what the operand sets need.
fn with_tight_machine(problem: &Problem, dice: &mut Dice, all_spill: bool) -> Problem {
    let sets = operand_sets(problem);
    let mut machine = problem.machine.clone();
    machine.levels = problem
        .machine
        .levels
        .iter()
        .zip(&sets)
        .map(|(level, set)| {
            let need = set.as_ref().map_or(8, |set| set.need);
            // Sometimes one unit short of what any plan needs, mostly up to twice of it.
            let capacity = if dice.one_in(12) { need.saturating_sub(1).max(1) } else { need + dice.roll(need + 1) };
            let spill = all_spill || dice.roll(3) > 0;
            Level::arena(level.name.clone(), capacity, spill)
        })
        .collect();
    machine.transfer.bytes_per_cycle = dice.pick(&[0.5, 1.0, 3.0, 512.0]);
    machine.transfer.overhead = dice.roll(200);
    machine.transfer.backed_out_free = !dice.one_in(3);
    Problem::new(problem.graph.clone(), machine).expect("the same levels")
}

/// The same problem with that capacity for one level.
pub fn with_capacity(problem: &Problem, level: usize, capacity: u64) -> Problem {
    let mut changed = problem.clone();
    changed.machine.levels[level].capacity = capacity;
    changed
}

/// Plans with remedies.
pub fn planned(problem: &Problem, options: &Options) -> Session {
    let extras = Extras { fractional_bound: false, remedies: true };
    Session::plan(problem.clone(), options.clone(), extras).expect("generated orders are legal")
}

/// Whether there is a plan, by the engine alone.
pub fn works(problem: &Problem, options: &Options) -> bool {
    let first = order::first_order(problem, options, false).expect("generated orders are legal");
    diagnose::impossible(problem).is_none() && engine::walk(problem, &first, options, &mut ()).stuck.is_none()
}

/// The plan holds, and the figures that the engine reports are those that the checker counts.
pub fn assert_checked(session: &Session, about: &str) {
    let broken: Vec<String> = session.check.broken.iter().map(ToString::to_string).collect();
    assert!(broken.is_empty(), "{about}: {}", broken.join("; "));
    assert_eq!(session.check.figures.as_ref(), Some(&session.figures), "{about}");
}
