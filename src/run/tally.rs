//! What is counted while a run goes on.

use std::collections::BTreeMap;

use super::executor::LaneIx;
use super::worker::Outcome;
use super::{Ending, KindTimes, LaneBusy, Measured, Outgrown};
use crate::model::{BufIx, Operation, Problem, Symbol};
use crate::trace::Trace;

#[derive(Default)]
pub(super) struct Tally {
    operations: u64,
    late: u64,
    stamps: u64,
    bytes: u64,
    kinds: BTreeMap<Symbol, KindTimes>,
    busy: BTreeMap<LaneIx, u64>,
    outgrown: Vec<Outgrown>,
}

impl Tally {
    /// Nothing has happened; every lane of the units that work is there.
    pub fn new(problem: &Problem) -> Self {
        let units = problem.graph.node_ixs().filter_map(|node| match problem.graph.node(node).kind {
            crate::model::NodeKind::Op(op) => Some(problem.unit_of(op.pipe)),
            _ => None,
        });
        let mut busy = BTreeMap::new();
        for unit in units.collect::<std::collections::BTreeSet<_>>() {
            busy.extend((0..problem.units[unit.at()].count).map(|lane| ((unit, lane), 0)));
        }
        Self { busy, ..Self::default() }
    }

    pub fn finished(&mut self, op: &Operation, lane: LaneIx, (start, end): (u64, u64), outcome: &Outcome) {
        let took = end.saturating_sub(start);
        *self.busy.entry(lane).or_default() += took;
        let Outcome::Done { stamps, bytes, late } = *outcome else { return };
        self.operations += 1;
        self.late += u64::from(late);
        self.stamps += stamps;
        self.bytes += bytes;
        let kind = self.kinds.entry(op.op).or_insert(KindTimes { kind: op.op, count: 0, estimated: 0, measured: 0 });
        kind.count += 1;
        kind.estimated = kind.estimated.saturating_add(op.cycles);
        kind.measured = kind.measured.saturating_add(took);
    }

    /// The producer of `buf` reported another size than was estimated.
    pub fn reported(&mut self, problem: &Problem, buf: BufIx) {
        let Some(rules) = problem.level(problem.level_of(buf)).pool() else { return };
        let estimated = rules.buckets.block_size(problem.graph.buffer(buf).size);
        let block = problem.space_of(buf);
        if let Some(estimated) = estimated.filter(|&estimated| estimated < block) {
            self.outgrown.push(Outgrown { buf, actual: problem.used_of(buf), estimated, block });
        }
    }

    pub fn measured(self, trace: Trace, ending: Ending, micros: u64) -> Measured {
        Measured {
            trace,
            ending,
            micros,
            operations: self.operations,
            late: self.late,
            stamps: self.stamps,
            bytes: self.bytes,
            kinds: self.kinds.into_values().collect(),
            busy: self.busy.into_iter().map(|((unit, lane), micros)| LaneBusy { unit, lane, micros }).collect(),
            outgrown: self.outgrown,
        }
    }
}
