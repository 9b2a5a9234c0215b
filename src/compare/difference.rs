//! Where two plans of one graph part, and which buffers fare differently.
//!
//! Two steps are the same if they run the same node, or move the same buffer between the same two of its uses, and give
//! it the same address. The longest run of same steps that both plans have in order stays common (a longest increasing
//! subsequence, since no step stands twice in a plan); what is left over on either side are the [`Parting`]s.

mod buffers;

use std::collections::HashMap;
use std::ops::Range;

pub use buffers::Fate;

use crate::model::{BufIx, NodeKind, SpillIx, Step};
use crate::trace::Trace;

/// A maximal run of steps that differ, half-open, in either plan. One of the two may be empty: the other plan does
/// something before the step that comes next here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Parting {
    /// The steps in the first plan and in the second.
    pub steps: [Range<u32>; 2],
}

/// How two plans of one graph differ.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Where they part, in order.
    pub partings: Vec<Parting>,
    /// The buffers that are spilled at other times or lie elsewhere, those whose traffic differs most first.
    pub buffers: Vec<Fate>,
    /// By spill of either plan: that of the other which moves the same buffer between the same uses.
    twins: [Vec<Option<SpillIx>>; 2],
}

/// A step of the other plan to stand at beside one of this.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counterpart {
    /// The step of the other plan.
    pub step: usize,
    /// What it is to the step of this plan.
    pub kind: Kinship,
}

/// What a [`Counterpart`] is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kinship {
    /// It does the same.
    Same,
    /// It does the same within the same parting, perhaps at another address.
    Here,
    /// It does the same, but the other plan has come to it earlier or comes to it later.
    Elsewhere,
    /// It does something else; the other plan never does the same, and this is where it goes on.
    Instead,
}

/// No step.
const NONE: u32 = u32::MAX;

impl Difference {
    /// Compares two plans of the same graph. Takes O(n log n) for n steps and operands together; the first three
    /// arguments of nothing else: neither events nor states are walked.
    pub fn new(a: &Trace, b: &Trace) -> Self {
        let twins = twins(a, b);
        let same: Vec<u32> = (0..a.plan.steps.len()).map(|step| same_step(a, b, step, &twins[0])).collect();
        let partings = partings(&common(&same, b.plan.steps.len()), same.len(), b.plan.steps.len());
        let buffers = buffers::fates([a, b], &partings, &twins);
        Self { partings, buffers, twins }
    }

    /// Whether the plans are the same, step by step and address by address.
    pub fn is_none(&self) -> bool {
        self.partings.is_empty()
    }

    /// The same with the sides exchanged.
    #[must_use]
    pub fn swapped(mut self) -> Self {
        self.partings.iter_mut().for_each(|parting| parting.steps.swap(0, 1));
        self.buffers.iter_mut().for_each(Fate::swap);
        self.twins.swap(0, 1);
        self
    }

    /// How many partings begin at or before `step` of the plan of `side` (0 the first, 1 the second), and whether that
    /// step is in the last of them. An empty one has the step at which it stands.
    pub fn place(&self, side: usize, step: usize) -> (usize, bool) {
        let begun = self.partings.partition_point(|parting| parting.steps[side].start as usize <= step);
        let last = begun.checked_sub(1).map(|at| &self.partings[at].steps[side]);
        let inside = last.is_some_and(|steps| step < (steps.end as usize).max(steps.start as usize + 1));
        (begun, inside)
    }

    /// The step of the other plan that belongs to `step` of the plan of `side`. `None` where the other has no step.
    pub fn counterpart(&self, traces: [&Trace; 2], side: usize, step: usize) -> Option<Counterpart> {
        let (this, other) = (traces[side], traces[1 - side]);
        let last = other.step_count().checked_sub(1)?;
        let begun = self.partings.partition_point(|parting| parting.steps[side].start as usize <= step);
        let before = begun.checked_sub(1).map(|at| &self.partings[at].steps);
        let [own, theirs] = before.map_or([0..0, 0..0], |steps| {
            [&steps[side], &steps[1 - side]].map(|steps| steps.start as usize..steps.end as usize)
        });
        if step >= own.end {
            let step = (step - own.end + theirs.end).min(last);
            return Some(Counterpart { step, kind: Kinship::Same });
        }
        let twin = this.step(step).and_then(|what| twin_step(other, what, &self.twins[side]));
        if let Some(step) = twin {
            let kind = if theirs.contains(&step) { Kinship::Here } else { Kinship::Elsewhere };
            return Some(Counterpart { step, kind });
        }
        // What stands at the same place of the parting, or where that has nothing (more), what comes behind it.
        let step = (theirs.start + (step - own.start)).min(theirs.end.saturating_sub(1).max(theirs.start));
        Some(Counterpart { step: step.min(last), kind: Kinship::Instead })
    }
}

/// The step of `other` that does the same as `what`, wherever it stands.
fn twin_step(other: &Trace, what: Step, twins: &[Option<SpillIx>]) -> Option<usize> {
    let spilled = |spill: SpillIx| other.spill_steps(twins.get(spill.at()).copied().flatten()?);
    let known = |step: u32| (step != NONE).then_some(step as usize);
    match what {
        Step::Node(node) => other.step_of(node),
        Step::Out(spill) => known(spilled(spill)?.out),
        Step::Back(spill) => known(spilled(spill)?.back),
    }
}

/// Spills of both plans that move the same buffer between the same two of its uses, by number; of several there, the first
/// to the first.
fn twins(a: &Trace, b: &Trace) -> [Vec<Option<SpillIx>>; 2] {
    let keys = [a, b].map(spill_keys);
    let by_key: HashMap<Key, usize> = keys[1].iter().enumerate().filter_map(|(at, key)| Some(((*key)?, at))).collect();
    let mut twins = [vec![None; keys[0].len()], vec![None; keys[1].len()]];
    for (at, key) in keys[0].iter().enumerate() {
        if let Some(&other) = key.and_then(|key| by_key.get(&key)) {
            twins[0][at] = Some(SpillIx::new(other));
            twins[1][other] = Some(SpillIx::new(at));
        }
    }
    twins
}

/// The buffer, how many uses of it came before, and how many spills since the last of them.
type Key = (BufIx, u32, u32);

/// What tells the spills of a plan apart, by number; `None` for one that does not go out.
fn spill_keys(trace: &Trace) -> Vec<Option<Key>> {
    let graph = &*trace.problem.graph;
    let mut keys = vec![None; trace.plan.spills.len()];
    let mut uses = vec![(0u32, 0u32); if keys.is_empty() { 0 } else { graph.buffers().len() }];
    if keys.is_empty() {
        return keys;
    }
    for &step in &trace.plan.steps {
        match step {
            Step::Out(spill) => {
                let buf = trace.plan.spills[spill.at()].buf;
                let (uses, spills) = &mut uses[buf.at()];
                keys[spill.at()] = Some((buf, *uses, *spills));
                *spills += 1;
            }
            Step::Node(node) => {
                if let NodeKind::Op(op) = graph.node(node).kind {
                    for buf in graph.operands(&op) {
                        let (uses, spills) = &mut uses[buf.at()];
                        (*uses, *spills) = (*uses + 1, 0);
                    }
                }
            }
            Step::Back(_) => {}
        }
    }
    keys
}

/// The step of `b` that is the same as `step` of `a`, address included.
fn same_step(a: &Trace, b: &Trace, step: usize, twins: &[Option<SpillIx>]) -> u32 {
    let what = a.plan.steps[step];
    let same_address = match what {
        Step::Node(node) => match a.problem.graph.node(node).kind {
            NodeKind::Alloc(buf) => a.plan.memory[buf.at()] == b.plan.memory[buf.at()],
            NodeKind::Free(_) | NodeKind::Op(_) => true,
        },
        Step::Out(_) => true,
        Step::Back(spill) => {
            let twin = twins[spill.at()].map(|twin| b.plan.spills[twin.at()].offset);
            twin == Some(a.plan.spills[spill.at()].offset)
        }
    };
    let found = if same_address { twin_step(b, what, twins) } else { None };
    found.map_or(NONE, |step| step as u32)
}

/// The pairs of steps that stay common, ascending on both sides. `same` has for each step of the first plan that of the
/// second, no two alike.
fn common(same: &[u32], other_len: usize) -> Vec<(u32, u32)> {
    // What both begin and end with is kept in any case, and most of two plans is that.
    let head = same.iter().enumerate().take_while(|&(at, &other)| at == other as usize).count();
    let from_end = |at: usize, other: u32| same.len() - at == other_len.wrapping_sub(other as usize);
    let tail = same[head..].iter().enumerate().rev().take_while(|&(at, &other)| from_end(head + at, other)).count();
    let middle = head..same.len() - tail;
    let mut kept: Vec<(u32, u32)> = (0..head as u32).map(|at| (at, at)).collect();
    kept.extend(longest_ascending(&same[middle.clone()]).into_iter().map(|at| {
        let at = middle.start + at;
        (at as u32, same[at])
    }));
    kept.extend((middle.end..same.len()).map(|at| (at as u32, same[at])));
    kept
}

/// The places of a longest ascending subsequence of `values`, those that are [`NONE`] left out (patience sorting).
fn longest_ascending(values: &[u32]) -> Vec<usize> {
    // By length: where the subsequence of that length with the lowest end has its end.
    let mut ends: Vec<u32> = Vec::new();
    let mut before = vec![NONE; values.len()];
    for (at, &value) in values.iter().enumerate().filter(|(_, value)| **value != NONE) {
        let length = ends.partition_point(|&end| values[end as usize] < value);
        before[at] = length.checked_sub(1).map_or(NONE, |shorter| ends[shorter]);
        if length == ends.len() { ends.push(at as u32) } else { ends[length] = at as u32 }
    }
    let mut found = Vec::with_capacity(ends.len());
    let mut at = ends.last().copied().unwrap_or(NONE);
    while at != NONE {
        found.push(at as usize);
        at = before[at as usize];
    }
    found.reverse();
    found
}

/// What lies between the common steps.
fn partings(common: &[(u32, u32)], len: usize, other_len: usize) -> Vec<Parting> {
    let mut found = Vec::new();
    let mut next = (0, 0);
    for &(at, other) in common.iter().chain([&(len as u32, other_len as u32)]) {
        if (at, other) != next {
            found.push(Parting { steps: [next.0..at, next.1..other] });
        }
        next = (at + 1, other + 1);
    }
    found
}

#[cfg(test)]
mod tests;
