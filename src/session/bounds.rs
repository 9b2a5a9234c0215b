//! What no plan of a session can beat.

use super::Extras;
use crate::engine::bounds;
use crate::engine::order::Priorities;
use crate::model::{NodeIx, Problem, UnitIx};

/// What no plan can beat, each with what it holds for. Levels are in the machine's order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// For this order: per level, the capacity needed to run it without a spill, in units of size. Empty where
    /// there is no order.
    pub max_live: Vec<u64>,
    /// For any order: per level, the largest set of buffers that must be there at once, in units of size. With a
    /// smaller capacity no plan exists.
    pub operand_set: Vec<u64>,
    /// For any order: the longest chain of dependent operations, in cycles.
    pub critical_path: u64,
    /// For any order: the unit with the largest head + work + tail, and that sum in cycles.
    pub busiest: Option<(UnitIx, u64)>,
    /// For this order, with every ALLOC and FREE where it stands: the least extra traffic if buffers could leave in
    /// parts, in units of size. `None` where it was not worked out.
    pub spill_traffic: Option<u64>,
}

impl Bounds {
    pub(super) fn new(problem: &Problem, first_order: &[NodeIx], starts: &Priorities, extras: Extras) -> Self {
        let sets = bounds::operand_sets(problem);
        let makespan = bounds::makespan_bound(problem, starts);
        let fractional = extras.fractional_bound.then(|| bounds::fractional_spill(problem, first_order)).flatten();
        Self {
            max_live: bounds::max_live(problem, first_order),
            operand_set: sets.iter().map(|set| set.as_ref().map_or(0, |set| set.need)).collect(),
            critical_path: makespan.critical_path,
            busiest: makespan.busiest,
            spill_traffic: fractional.map(|bound| bound.total),
        }
    }

    /// For any order: no makespan is smaller, in cycles.
    pub fn makespan(&self) -> u64 {
        self.busiest.map_or(0, |(_, cycles)| cycles).max(self.critical_path)
    }
}
