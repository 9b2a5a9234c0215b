//! Partings against definitions that are too slow for anything but small plans.

use std::sync::Arc;

use super::*;
use crate::generate::random::{self, Config};
use crate::model::{Fallback, Machine, Options, Order, Problem};
use crate::session::{Extras, Session};

const EXTRAS: Extras = Extras { fractional_bound: false, remedies: false };

fn planned(seed: u64, capacity: u64, order: Order, on_full: &[Fallback]) -> Trace {
    let levels = vec![("L1".into(), 512), ("UB".into(), 128)];
    let config = Config { seed, nodes: 70, levels, ..Config::default() };
    let graph = random::generate(&config).expect("a sound configuration");
    let mut machine = Machine::npu();
    machine.levels.iter_mut().for_each(|level| level.capacity = capacity);
    let problem = Problem::new(Arc::new(graph), machine).expect("the preset has all levels");
    let options = Options { on_full: on_full.to_vec(), ..Options::classic(order) };
    Session::plan(problem, options, EXTRAS).expect("it has an order").trace
}

/// Plans of the same graph, planned in other ways; some of them fail half-way.
fn pairs() -> impl Iterator<Item = [Trace; 2]> {
    use Fallback::{Postpone, Spill, SpillMany};
    let others = [
        (512, Order::Program, vec![Postpone, Spill, SpillMany]),
        (700, Order::Program, vec![Spill, SpillMany]),
        (512, Order::MemoryAware, vec![SpillMany]),
        (512, Order::Topological, vec![Spill]),
        (300, Order::CriticalPath, vec![Spill, SpillMany, Postpone]),
    ];
    (0..40).map(move |seed| {
        let (capacity, order, chain) = &others[seed as usize % others.len()];
        [planned(seed, 512, Order::Program, &[Spill, SpillMany]), planned(seed, *capacity, *order, chain)]
    })
}

/// A step with its address, told apart from all others of its plan by counting from the start.
fn token(trace: &Trace, at: usize) -> (u8, u32, usize, usize, Option<u64>) {
    let graph = &trace.problem.graph;
    let steps = &trace.plan.steps;
    let spill = |kind: u8, spill: SpillIx, offset: Option<u64>| {
        let buf = trace.plan.spills[spill.at()].buf;
        let out = steps.iter().position(|&step| step == Step::Out(spill)).expect("it went out");
        let uses = |step: &Step| match *step {
            Step::Node(node) => match graph.node(node).kind {
                NodeKind::Op(op) => graph.operands(&op).contains(&buf),
                _ => false,
            },
            _ => false,
        };
        let count = steps[..out].iter().filter(|step| uses(step)).count();
        let last = steps[..out].iter().rposition(uses).unwrap_or(0);
        let goes = |step: &Step| matches!(*step, Step::Out(other) if trace.plan.spills[other.at()].buf == buf);
        (kind, buf.0, count, steps[last..out].iter().filter(|step| goes(step)).count(), offset)
    };
    match steps[at] {
        Step::Node(node) => {
            let offset = match graph.node(node).kind {
                NodeKind::Alloc(buf) => trace.plan.memory[buf.at()],
                _ => None,
            };
            (0, node.0, 0, 0, offset)
        }
        Step::Out(number) => spill(1, number, None),
        Step::Back(number) => spill(2, number, trace.plan.spills[number.at()].offset),
    }
}

/// The length of a longest common subsequence, by the table of the textbooks.
fn longest_common<T: PartialEq>(a: &[T], b: &[T]) -> usize {
    let mut row = vec![0; b.len() + 1];
    for one in a {
        let mut diagonal = 0;
        for (at, other) in b.iter().enumerate() {
            let above = row[at + 1];
            row[at + 1] = if one == other { diagonal + 1 } else { above.max(row[at]) };
            diagonal = above;
        }
    }
    row[b.len()]
}

#[test]
fn partings_are_what_a_longest_common_sequence_of_steps_leaves_over() {
    let mut parted = 0;
    for [a, b] in pairs() {
        let found = Difference::new(&a, &b);
        let [left, right] =
            [&a, &b].map(|trace| (0..trace.plan.steps.len()).map(|step| token(trace, step)).collect::<Vec<_>>());
        let over: usize = found.partings.iter().map(|parting| parting.steps[0].len()).sum();
        assert_eq!(left.len() - over, longest_common(&left, &right), "as much stays common as can");
        let end = Parting { steps: [left.len() as u32..left.len() as u32, right.len() as u32..right.len() as u32] };
        let mut next = [0, 0];
        for parting in found.partings.iter().chain([&end]) {
            let [own, theirs] = [0, 1].map(|side| next[side] as usize..parting.steps[side].start as usize);
            assert_eq!(left[own.clone()], right[theirs], "what is between two partings is common");
            assert!(next == [0, 0] || !own.is_empty() || *parting == end, "neighbours are one parting");
            next = [0, 1].map(|side| parting.steps[side].end);
        }
        let bare = |tokens: &[(u8, u32, usize, usize, Option<u64>)]| {
            tokens.iter().map(|&(kind, what, .., offset)| (kind, what, offset)).collect::<Vec<_>>()
        };
        let (bare_left, bare_right) = (bare(&left), bare(&right));
        let first = (0..left.len().max(right.len())).find(|&at| bare_left.get(at) != bare_right.get(at));
        assert_eq!(found.partings.first().map(|parting| parting.steps[0].start as usize), first);
        parted += usize::from(first.is_some());
    }
    assert!(parted > 10, "only {parted} of the pairs differ");
}

#[test]
fn a_plan_does_not_differ_from_itself() {
    for [a, _] in pairs().take(8) {
        let found = Difference::new(&a, &a.clone());
        assert!(found.is_none() && found.buffers.is_empty());
        for step in 0..a.step_count() {
            let same = Counterpart { step, kind: Kinship::Same };
            assert_eq!(found.counterpart([&a, &a], 0, step), Some(same));
        }
    }
}

#[test]
fn a_node_has_the_same_node_beside_it_from_either_side() {
    for [a, b] in pairs() {
        let found = Difference::new(&a, &b);
        for (side, this, other) in [(0, &a, &b), (1, &b, &a)] {
            let steps = if other.step_count() > 0 { this.step_count() } else { 0 };
            for step in 0..steps {
                let beside = found.counterpart([&a, &b], side, step).expect("the other has steps");
                assert!(beside.step < other.step_count());
                let swapped = found.clone().swapped();
                assert_eq!(swapped.counterpart([&b, &a], 1 - side, step), Some(beside), "seen from the other side");
                if let Some(Step::Node(node)) = this.step(step)
                    && let Some(there) = other.step_of(node)
                {
                    assert_eq!(beside.step, there, "step {step}");
                }
            }
        }
    }
}

#[test]
fn traffic_of_buffers_adds_up_to_that_of_the_plans() {
    let traffic = |trace: &Trace| -> i128 {
        let out =
            |step: &Step| if let Step::Out(spill) = *step { Some(trace.plan.spills[spill.at()].buf) } else { None };
        trace.plan.steps.iter().filter_map(out).map(|buf| i128::from(trace.problem.spill_cost(buf))).sum()
    };
    for [a, b] in pairs() {
        let found = Difference::new(&a, &b);
        let saved: i128 = found.buffers.iter().map(Fate::saving).sum();
        assert_eq!(saved, traffic(&a) - traffic(&b));
        let savings: Vec<u128> = found.buffers.iter().map(|fate| fate.saving().unsigned_abs()).collect();
        assert!(savings.is_sorted_by(|one, next| one >= next));
        for fate in found.buffers.iter().filter(|fate| fate.spills[0] != fate.spills[1]) {
            assert!(fate.first != [None, None], "it moves in one of the partings");
        }
    }
}
