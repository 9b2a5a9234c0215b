//! Static packing: buffers whose lifetimes are known in advance and that only need addresses; nothing is spilled.

use super::name::Name;

/// Buffers with lifetimes, to be given addresses in one memory so that no two that are alive together overlap.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packing {
    /// The buffers, in the order of the file.
    pub buffers: Vec<Lifetime>,
}

/// A buffer of a static packing problem. Times and sizes are abstract whole units below 2^63.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lifetime {
    /// Its name in the file.
    pub name: Name,
    /// The first time at which it is alive.
    pub lower: u64,
    /// The time from which on it is not: alive in the half-open `[lower, upper)`, never empty.
    pub upper: u64,
    /// How much memory it takes, at least 1.
    pub size: u64,
    /// Its address is a multiple of this, at least 1.
    pub alignment: u64,
    /// The address that it must have, where that is not free to choose.
    pub fixed: Option<u64>,
    /// The address that it had best have, where nothing is lost by it.
    pub hint: Option<u64>,
    /// When it needs less than all of its memory or none: disjoint, ascending, inside its lifetime.
    pub gaps: Vec<Gap>,
}

/// A part of a lifetime in which a buffer needs less of its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gap {
    /// The first time of the gap.
    pub lower: u64,
    /// Behind its last: half-open.
    pub upper: u64,
    /// What it still needs meanwhile, as `[from, to)` within the buffer; none where it needs nothing.
    pub window: Option<(u64, u64)>,
}

/// An address for every buffer of a [`Packing`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packed {
    /// The addresses, in the order of the buffers.
    pub offsets: Vec<u64>,
    /// The end of the highest buffer: the least capacity that holds them there.
    pub height: u64,
}

impl Packed {
    /// These addresses, with their height.
    pub fn new(packing: &Packing, offsets: Vec<u64>) -> Self {
        let ends = packing.buffers.iter().zip(&offsets).map(|(buffer, offset)| offset.saturating_add(buffer.size));
        let height = ends.max().unwrap_or(0);
        Self { offsets, height }
    }
}
