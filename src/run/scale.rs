//! A graph with other sizes and durations, so that a large one can be run on a small machine.

use crate::model::{Fault, Graph, GraphBuilder, MAX_NUMBER, RawKind};

/// What sizes and durations are multiplied with; above 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Sizes; they stay above 0.
    pub size: f64,
    /// Durations, rounded to whole microseconds.
    pub time: f64,
}

impl Scale {
    /// `size` units, rounded up.
    pub fn size(&self, size: u64) -> u64 {
        times(size, self.size, f64::ceil).max(1)
    }

    /// `micros` microseconds, to the nearest.
    pub fn time(&self, micros: u64) -> u64 {
        times(micros, self.time, f64::round)
    }
}

/// Whether a factor changes nothing.
pub fn is_one(factor: f64) -> bool {
    factor.total_cmp(&1.0).is_eq()
}

/// `number` × `by`, held at the largest number that is taken.
fn times(number: u64, by: f64, round: fn(f64) -> f64) -> u64 {
    if is_one(by) {
        return number; // also where a double would be too coarse
    }
    // Casts from floats saturate.
    #[expect(clippy::cast_sign_loss, reason = "both are above 0")]
    let scaled = round(number as f64 * by) as u64;
    scaled.min(MAX_NUMBER)
}

/// `graph` with sizes and durations scaled.
///
/// # Errors
/// Where they pass 2^63−1 together.
pub fn scaled(graph: &Graph, scale: Scale) -> Result<Graph, Fault> {
    let mut builder = GraphBuilder::of(graph);
    for node in &mut builder.nodes {
        match &mut node.kind {
            RawKind::Alloc(_, size, _) => *size = scale.size(*size),
            RawKind::Op(_, _, cycles, _) => *cycles = scale.time(*cycles),
            RawKind::Free(..) => {}
        }
    }
    for (_, size) in &mut builder.actual_sizes {
        *size = scale.size(*size);
    }
    builder.build()
}
