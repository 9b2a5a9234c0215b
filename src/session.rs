//! One planned graph with everything that is shown of it: what reports and the screen read.

use crate::check;
use crate::engine::Reached;
use crate::model::{Diagnosis, Figures, Options};
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
    /// Seconds that planning took, without reading and checking.
    pub seconds: f64,
}
