//! Small graphs: the search against all orders and all choices of who is spilled.
//!
//! The reference knows no addresses. So where buffers have one size it is what the best plan moves, and where sizes are
//! mixed no plan moves less.

use std::collections::HashMap;

use spillscope::check;
use spillscope::engine::search::{Budget, Objective, improve};
use spillscope::model::{BufIx, Graph, GraphBuilder, Machine, NodeKind, Problem, SplitMix64};

/// Up to ten operations over up to six buffers, in a level that holds little more than one of them needs.
fn small(seed: u64) -> Problem {
    let mut dice = SplitMix64::new(seed);
    let mut builder = GraphBuilder::new("small".into());
    let mut word = |text: &str| builder.intern(text).expect("few words");
    let (level, kind, pipe) = (word("L1"), word("WORK"), word("CUBE"));
    let buffers = 3 + dice.below(4);
    let mut edges = Vec::new();
    let mut sizes = Vec::new();
    let mut need = 0;
    for buf in 0..buffers {
        let size = if seed.is_multiple_of(4) { 1 + dice.below(8) } else { 4 };
        sizes.push(size);
        need = need.max(size);
        builder.alloc(buf, buf, size, level);
        builder.free(100 + buf, buf);
        edges.push((buf, 100 + buf));
        if dice.below(2) == 0 {
            builder.backed.push(buf);
        }
    }
    let mut writer = vec![None; sizes.len()];
    for op in 50..54 + dice.below(7) {
        let mut named: Vec<u64> = (0..=dice.below(3)).map(|_| dice.below(buffers)).collect();
        named.sort_unstable();
        named.dedup();
        builder.op(op, kind, pipe, 1 + dice.below(9), &named);
        need = need.max(named.iter().map(|&buf| sizes[buf as usize]).sum());
        for buf in named {
            edges.extend([(buf, op), (op, 100 + buf)]);
            edges.extend(writer[buf as usize].map(|first| (first, op)));
            writer[buf as usize].get_or_insert(op);
        }
    }
    builder.edges = Some(edges);
    let mut machine = Machine::npu();
    machine.levels[0].capacity = need + dice.below(4);
    Problem::new(builder.build().expect("sound").into(), machine).expect("one level")
}

/// A graph's operations as sets: bit by bit, operations and buffers.
struct Sets<'a> {
    graph: &'a Graph,
    capacity: u64,
    /// By operation: the operations before it, and the buffers that it names.
    before: Vec<u32>,
    named: Vec<u32>,
    /// By buffer: the operations that name it.
    users: Vec<u32>,
}

impl<'a> Sets<'a> {
    fn new(problem: &'a Problem) -> Self {
        let graph = &*problem.graph;
        let is_op = |node: &_| matches!(graph.node(*node).kind, NodeKind::Op(_));
        let ops: Vec<_> = graph.node_ixs().filter(is_op).collect();
        let bit = |node: &_| ops.iter().position(|op| op == node).map_or(0, |at| 1u32 << at);
        let before = ops.iter().map(|&op| graph.preds(op).map(|pred| bit(&pred)).sum()).collect();
        let operands = |node: &_| match graph.node(*node).kind {
            NodeKind::Op(op) => graph.operands(&op).iter().map(|buf| 1u32 << buf.0).sum(),
            _ => 0,
        };
        let named: Vec<u32> = ops.iter().map(operands).collect();
        let uses = |buf: usize| (0..ops.len()).filter(|&op| named[op] >> buf & 1 > 0).map(|op| 1u32 << op).sum();
        let users = (0..graph.buffers().len()).map(uses).collect();
        Self { graph, capacity: problem.machine.levels[0].capacity, before, named, users }
    }

    fn units(&self, bufs: u32) -> u64 {
        let sizes = self.graph.buffers().iter().enumerate();
        sizes.filter(|(buf, _)| bufs >> buf & 1 > 0).map(|(_, buffer)| buffer.size).sum()
    }

    /// The least that any order with any choice of victims moves: by the sets of operations that are done and buffers that
    /// are resident then, set by set in the order of their sizes.
    fn least(&self, problem: &Problem) -> u64 {
        let all = (1u32 << self.named.len()) - 1;
        let mut reached: Vec<HashMap<u32, u64>> = vec![HashMap::new(); all as usize + 1];
        reached[0].insert(0, 0);
        for done in 0..all {
            for (resident, moved) in std::mem::take(&mut reached[done as usize]) {
                for op in (0..self.named.len()).filter(|&op| done >> op & 1 == 0 && self.before[op] & !done == 0) {
                    let after = done | 1 << op;
                    let dead: u32 =
                        (0..self.users.len()).filter(|&b| self.users[b] & !after == 0).map(|b| 1 << b).sum();
                    self.victims(resident & !self.named[op], self.named[op], &mut |out| {
                        let left = (resident & !out | self.named[op]) & !dead;
                        let moved = moved + self.cost(problem, out);
                        let least = reached[after as usize].entry(left).or_insert(u64::MAX);
                        *least = moved.min(*least);
                    });
                }
            }
        }
        reached[all as usize].values().copied().min().expect("an order exists")
    }

    /// Each choice of victims after which `named` and those that stay fit.
    fn victims(&self, from: u32, named: u32, choice: &mut dyn FnMut(u32)) {
        let mut out = from;
        loop {
            if self.units(from & !out | named) <= self.capacity {
                choice(out);
            }
            if out == 0 {
                return;
            }
            out = (out - 1) & from;
        }
    }

    fn cost(&self, problem: &Problem, out: u32) -> u64 {
        (0..self.users.len()).filter(|&buf| out >> buf & 1 > 0).map(|buf| problem.spill_cost(BufIx::new(buf))).sum()
    }
}

/// How many of the graphs with these seeds get the best plan there is.
fn assert_best(seeds: std::ops::Range<u64>) {
    let (mut best, mut one_size, mut spilled) = (0u64, 0, 0);
    for seed in seeds {
        let problem = small(seed);
        let found = improve(&problem, &Objective::Traffic, Budget::Evaluations(10_000), seed, &mut |_| true);
        let found = found.expect("the graph has an order");
        let report = check::check(&problem, &found.planned.plan.to_raw(&problem.graph));
        assert!(report.is_valid(), "seed {seed}: {:?}", report.broken);
        let (least, moved) = (Sets::new(&problem).least(&problem), found.planned.figures.extra_traffic);
        assert!(moved >= least, "seed {seed}: {moved} is less than any plan can move, {least}");
        if seed.is_multiple_of(4) {
            continue; // holes may cost something too
        }
        one_size += 1;
        best += u64::from(moved == least);
        spilled += u64::from(least > 0);
    }
    assert!(best * 100 >= one_size * 99, "{best} of {one_size}");
    assert!(spilled * 4 > one_size, "the level is tight: {spilled} of {one_size}");
}

#[test]
fn a_hundred_small_graphs_get_the_best_plan_there_is() {
    assert_best(0..100);
}

#[test]
#[ignore = "a minute, unoptimised"]
fn two_thousand_small_graphs_get_the_best_plan_there_is() {
    assert_best(0..2000);
}
