//! Which buffers fare differently.

use std::cmp::Reverse;

use super::Parting;
use crate::model::{BufIx, SpillIx, Step};
use crate::trace::Trace;

/// How one buffer fares in two plans.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fate {
    /// Whose.
    pub buf: BufIx,
    /// How often it is spilled in either plan.
    pub spills: [u32; 2],
    /// What that moves, in units of size.
    pub traffic: [u64; 2],
    /// Its first address in either plan.
    pub offset: [Option<u64>; 2],
    /// Whether one of its spills has none between the same uses, or to the same address, in the other plan.
    pub moves_differ: bool,
    /// The first step of a parting that is about it, in either plan.
    pub first: [Option<u32>; 2],
}

impl Fate {
    pub(super) fn swap(&mut self) {
        self.spills.swap(0, 1);
        self.traffic.swap(0, 1);
        self.offset.swap(0, 1);
        self.first.swap(0, 1);
    }

    /// By how much less the second plan moves of it than the first; negative where it moves more.
    pub fn saving(&self) -> i128 {
        i128::from(self.traffic[0]) - i128::from(self.traffic[1])
    }
}

/// The buffers that fare differently, most traffic first, then those that move at other times, then those that merely lie
/// elsewhere, each by id.
pub(super) fn fates(traces: [&Trace; 2], partings: &[Parting], twins: &[Vec<Option<SpillIx>>; 2]) -> Vec<Fate> {
    let spills = traces.map(spills);
    let first = [0, 1].map(|side| first_steps(traces[side], partings, side));
    let moves_differ = moves_differ(traces, twins);
    let count = traces[0].plan.memory.len();
    let fate = |at: usize| {
        let buf = BufIx::new(at);
        let spills = [spills[0][at], spills[1][at]];
        let cost = |side: usize| traces[side].problem.spill_cost(buf).saturating_mul(u64::from(spills[side]));
        Fate {
            buf,
            spills,
            traffic: [cost(0), cost(1)],
            offset: traces.map(|trace| trace.plan.memory[at]),
            moves_differ: moves_differ[at],
            first: [first[0][at], first[1][at]].map(|step| (step != u32::MAX).then_some(step)),
        }
    };
    let differs = |fate: &Fate| fate.moves_differ || fate.offset[0] != fate.offset[1];
    let mut fates: Vec<Fate> = (0..count).map(fate).filter(differs).collect();
    fates.sort_by_key(|fate| (Reverse(fate.saving().unsigned_abs()), !fate.moves_differ, fate.buf));
    fates
}

/// By buffer: how often it goes out.
fn spills(trace: &Trace) -> Vec<u32> {
    let mut spills = vec![0; trace.plan.memory.len()];
    for &step in &trace.plan.steps {
        if let Step::Out(spill) = step {
            spills[trace.plan.spills[spill.at()].buf.at()] += 1;
        }
    }
    spills
}

/// By buffer: whether a spill of it has no twin that comes back to the same address.
fn moves_differ(traces: [&Trace; 2], twins: &[Vec<Option<SpillIx>>; 2]) -> Vec<bool> {
    let mut differ = vec![false; traces[0].plan.memory.len()];
    for side in 0..2 {
        let (own, other) = (&traces[side].plan.spills, &traces[1 - side].plan.spills);
        for (spill, twin) in own.iter().zip(&twins[side]) {
            let same = twin.is_some_and(|twin| other[twin.at()].offset == spill.offset);
            differ[spill.buf.at()] |= !same;
        }
    }
    differ
}

/// By buffer: the first step of a parting that places, frees or moves it; `u32::MAX` for none.
fn first_steps(trace: &Trace, partings: &[Parting], side: usize) -> Vec<u32> {
    let mut first = vec![u32::MAX; trace.plan.memory.len()];
    for step in partings.iter().flat_map(|parting| parting.steps[side].clone()) {
        let buf = match trace.plan.steps[step as usize] {
            Step::Out(spill) | Step::Back(spill) => Some(trace.plan.spills[spill.at()].buf),
            Step::Node(node) => trace.problem.graph.node(node).kind.cache_buffer(),
        };
        if let Some(buf) = buf {
            first[buf.at()] = first[buf.at()].min(step);
        }
    }
    first
}
