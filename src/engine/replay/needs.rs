//! Whom victims leave for, read from where the plan puts them.

use crate::model::{BufIx, NodeKind, Plan, Problem, Step};

/// Whom a victim leaves for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Need {
    /// The buffer that is placed in the victim's level next.
    pub buf: BufIx,
    /// How many leave that level from this victim on, it among them, until then.
    pub victims: u32,
}

/// The need of each spill; `None` where nothing is placed in its level after it. One pass from the end, since a plan may
/// spill much before it places anything.
pub(super) fn needs(problem: &Problem, plan: &Plan) -> Vec<Option<Need>> {
    let mut needs = vec![None; plan.spills.len()];
    let mut next: Vec<Option<Need>> = vec![None; problem.level_count()];
    for &step in plan.steps.iter().rev() {
        let placed = match step {
            Step::Out(spill) => {
                let level = problem.level_of(plan.spills[spill.at()].buf);
                if let Some(need) = &mut next[level.at()] {
                    need.victims = need.victims.saturating_add(1);
                }
                needs[spill.at()] = next[level.at()];
                continue;
            }
            Step::Back(spill) => plan.spills[spill.at()].buf,
            Step::Node(node) => match problem.graph.node(node).kind {
                NodeKind::Alloc(buf) => buf,
                NodeKind::Free(_) | NodeKind::Op(_) => continue,
            },
        };
        next[problem.level_of(placed).at()] = Some(Need { buf: placed, victims: 0 });
    }
    needs
}
