//! The critical path of a plan.

use super::{Bindings, Cause, NOBODY};
use crate::model::{NodeKind, Plan, Problem, Step};

/// The steps that make the plan as long as it is: each worked right up to the start of the next, from cycle 0 to the
/// makespan. Times are in cycles and together they are the makespan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CriticalPath {
    /// The steps that take time on it, ascending in step and in time.
    pub steps: Vec<u32>,
    /// Cycles of operations, without what fresh memory costs them.
    pub operations: u64,
    /// What fresh memory of pools cost their first users.
    pub fresh: u64,
    /// Cycles of SPILL_OUTs.
    pub out: u64,
    /// Cycles of SPILL_INs.
    pub back: u64,
    /// Cycles that no rule explains: only where times were measured.
    pub unexplained: u64,
    /// By [`Cause`]: how often it held the next step of the path up.
    pub waits: [u32; Cause::ALL.len()],
}

impl CriticalPath {
    pub(super) fn new(problem: &Problem, plan: &Plan, bindings: &Bindings, start: &[u64], end: &[u64]) -> Self {
        let mut path = Self::default();
        let mut next = last_to_end(start, end);
        let mut gap_until = None;
        while let Some(at) = next {
            if let Some(until) = gap_until {
                path.unexplained += u64::saturating_sub(until, end[at]);
            }
            path.steps.push(at as u32);
            path.add(problem, plan.steps[at], end[at] - start[at]);
            gap_until = Some(start[at]);
            let by = bindings.worker[at];
            if by != NOBODY {
                path.waits[bindings.named[at] as usize] += 1;
            }
            next = (by != NOBODY).then_some(by as usize);
        }
        path.unexplained += gap_until.unwrap_or(0);
        path.steps.reverse();
        path.steps.shrink_to_fit();
        path
    }

    fn add(&mut self, problem: &Problem, step: Step, cycles: u64) {
        match step {
            Step::Out(_) => self.out += cycles,
            Step::Back(_) => self.back += cycles,
            Step::Node(node) => {
                let own = match problem.graph.node(node).kind {
                    NodeKind::Op(op) if problem.is_clocked() => op.cycles.min(cycles),
                    _ => cycles,
                };
                self.operations += own;
                self.fresh += cycles - own;
            }
        }
    }

    /// All cycles from 0 to the makespan.
    pub fn cycles(&self) -> u64 {
        self.operations + self.fresh + self.out + self.back + self.unexplained
    }

    /// Where `step` stands on the path, from 0.
    pub fn place_of(&self, step: usize) -> Option<usize> {
        let step = u32::try_from(step).ok()?;
        self.steps.binary_search(&step).ok()
    }
}

/// The step that ends last; of those that end together one that takes time, then the first.
fn last_to_end(start: &[u64], end: &[u64]) -> Option<usize> {
    let takes_time = (0..end.len()).filter(|&at| end[at] > start[at]);
    takes_time.rev().max_by_key(|&at| end[at])
}
