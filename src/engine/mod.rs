//! The planning pipeline: order → place → spill or wait → time.

pub mod bounds;

/// How placements were reached, counted (the names of `classic_reference.py`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reached {
    /// A hole was there.
    pub fits: u64,
    /// One victim left.
    pub spill: u64,
    /// Several victims left.
    pub spill_many: u64,
    /// The ALLOC was moved.
    pub postpone: u64,
    /// Everything left the level and the operands came back.
    pub packed: u64,
}
