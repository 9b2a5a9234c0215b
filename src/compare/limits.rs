//! What no strategy can beat.

use crate::engine::bounds;
use crate::engine::order::{Priorities, any_order};
use crate::model::{Buckets, Manager, Problem};

/// Bounds that hold for any order of the graph on its machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The largest set of buffers that must be in pools at once, in bytes and without rounding to blocks; added up over
    /// pools. 0 without pools.
    pub operand_set: u64,
    /// The longest chain of dependent operations, in cycles.
    pub critical_path: u64,
    /// No order takes fewer cycles: the larger of the critical path and, for the busiest unit, head + work ÷ lanes + tail.
    pub makespan: u64,
}

impl Limits {
    /// The bounds for `problem`.
    pub fn new(problem: &Problem) -> Self {
        let mut exact = problem.clone();
        for level in &mut exact.machine.levels {
            if let Manager::Pool(rules) = &mut level.manager {
                rules.buckets = Buckets::Exact;
            }
        }
        let sets = bounds::operand_sets(&exact);
        let in_pools = sets.iter().zip(&exact.machine.levels).filter(|(_, level)| level.pool().is_some());
        let need = in_pools.filter_map(|(set, _)| set.as_ref()).map(|set| set.need);
        let starts = Priorities::new(&problem.graph, &any_order(&problem.graph));
        let makespan = bounds::makespan_bound(problem, &starts);
        Self {
            operand_set: need.fold(0, u64::saturating_add),
            critical_path: makespan.critical_path,
            makespan: makespan.best,
        }
    }
}
