//! One planned graph with everything that is shown of it: what reports and the screen read.

use crate::check;
use crate::engine::Reached;
use crate::model::{Diagnosis, Figures, Options, UnitIx};
use crate::trace::Trace;

/// A plan (or the failure to make one), its record, its check and its bounds.
#[derive(Clone, Debug)]
pub struct Session {
    /// The record, with problem and plan.
    pub trace: Trace,
    /// How it was planned.
    pub options: Options,
    /// The engine's figures; of the part that was planned, where planning failed.
    pub figures: Figures,
    /// How placements were reached, counted.
    pub reached: Reached,
    /// Why there is no plan, where there is none.
    pub diagnosis: Option<Diagnosis>,
    /// What the checker says; empty where planning failed.
    pub check: check::Report,
    /// What no plan can beat.
    pub bounds: Bounds,
    /// Seconds that planning took, without reading and checking.
    pub seconds: f64,
}

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
    /// For any order: no makespan is smaller, in cycles.
    pub fn makespan(&self) -> u64 {
        self.busiest.map_or(0, |(_, cycles)| cycles).max(self.critical_path)
    }
}
