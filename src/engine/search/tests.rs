//! Against all orders of small graphs.

use super::addresses::Fit;
use super::dice::Dice;
use super::exact::{Exact, Limits};
use super::items::{Expander, Items};
use super::{Budget, Objective, Unheard, improve};
use crate::engine::bounds::operand_sets;
use crate::model::{GraphBuilder, Machine, Problem};

/// Up to `operations` operations over buffers of a level that holds little more than one of them needs.
pub(super) fn small(seed: u64, operations: u64) -> Problem {
    let mut dice = Dice::new(seed);
    let mut builder = GraphBuilder::new("small".into());
    let (level, kind, pipe) = (builder.intern("L1"), builder.intern("WORK"), builder.intern("CUBE"));
    let (level, kind, pipe) = (level.unwrap(), kind.unwrap(), pipe.unwrap());
    let buffers = 3 + dice.below(4) as u64;
    let size = |dice: &mut Dice| if seed.is_multiple_of(2) { 4 } else { 1 + dice.below(8) as u64 };
    let mut edges = Vec::new();
    for buf in 0..buffers {
        builder.alloc(buf, buf, size(&mut dice), level);
        builder.free(100 + buf, buf);
        edges.push((buf, 100 + buf));
        if dice.below(2) == 0 {
            builder.backed.push(buf);
        }
    }
    let mut producer = vec![None; buffers as usize];
    for op in 50..50 + operations {
        let named = 1 + dice.below(3);
        let mut bufs: Vec<u64> = (0..named).map(|_| dice.below(buffers as usize) as u64).collect();
        bufs.sort_unstable();
        bufs.dedup();
        builder.op(op, kind, pipe, 1 + dice.below(9) as u64, &bufs);
        for &buf in &bufs {
            edges.extend([(buf, op), (op, 100 + buf)]);
            edges.extend(producer[buf as usize].map(|first| (first, op)));
            producer[buf as usize].get_or_insert(op);
        }
    }
    builder.edges = Some(edges);
    let mut problem = Problem::new(builder.build().unwrap().into(), Machine::npu()).unwrap();
    let need = operand_sets(&problem)[0].as_ref().map_or(8, |set| set.need);
    problem.machine.levels[0].capacity = need + dice.below(3) as u64;
    problem
}

/// The least extra traffic over all orders of items.
fn least_of_all(problem: &Problem) -> u64 {
    let items = Items::new(problem);
    let mut all =
        All { problem, exact: Exact::new(problem), expander: Expander::default(), least: u64::MAX, items: &items };
    let mut waits: Vec<usize> = (0..items.len() as u32).map(|item| items.preds.of(item).len()).collect();
    all.extend(&mut Vec::new(), &mut waits);
    all.least
}

struct All<'a> {
    problem: &'a Problem,
    items: &'a Items,
    exact: Exact<'a>,
    expander: Expander,
    least: u64,
}

impl All<'_> {
    fn extend(&mut self, order: &mut Vec<u32>, waits: &mut Vec<usize>) {
        if order.len() == self.items.len() {
            let nodes = self.expander.nodes(self.problem, self.items, order);
            for snug in [0.0, 1e-5, 1e-3] {
                if let Some(score) = self.exact.of(nodes, Fit { snug, ..Fit::default() }, Limits::NONE) {
                    self.least = self.least.min(score.traffic);
                }
            }
            return;
        }
        for item in 0..self.items.len() as u32 {
            if waits[item as usize] > 0 || order.contains(&item) {
                continue;
            }
            order.push(item);
            self.items.succs.of(item).iter().for_each(|&next| waits[next as usize] -= 1);
            self.extend(order, waits);
            self.items.succs.of(item).iter().for_each(|&next| waits[next as usize] += 1);
            order.pop();
        }
    }
}

#[test]
fn small_graphs_get_the_best_of_all_orders() {
    let (mut equal, mut all, mut spilled) = (0, 0, 0);
    for seed in 0..300 {
        let problem = small(seed, 4 + seed % 3);
        let least = least_of_all(&problem);
        let found = improve(&problem, &Objective::Traffic, Budget::Evaluations(3000), seed, &mut Unheard).unwrap();
        all += 1;
        equal += u32::from(found.planned.figures.extra_traffic <= least);
        spilled += u32::from(least > 0);
    }
    assert!(equal * 100 >= all * 99, "{equal} of {all}");
    assert!(spilled > 40, "the level is tight: {spilled}");
}
