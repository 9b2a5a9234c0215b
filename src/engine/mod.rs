//! The planning pipeline: order → place → spill or wait → time.

pub mod bounds;
