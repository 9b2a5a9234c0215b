//! The rectangles that a buffer occupies: time by address.

use crate::model::Lifetime;

/// A stretch of time in which a buffer needs one range of its memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Times, half-open.
    pub(super) lower: u64,
    pub(super) upper: u64,
    /// Addresses, half-open, counted from the buffer's own.
    pub(super) from: u64,
    pub(super) to: u64,
}

/// The parts of a buffer in the order of time: the whole of it outside its gaps, the windows inside them.
pub(super) fn parts(buffer: &Lifetime) -> Vec<Part> {
    let mut found = Vec::with_capacity(2 * buffer.gaps.len() + 1);
    let mut from = buffer.lower;
    for gap in &buffer.gaps {
        found.push(Part { lower: from, upper: gap.lower, from: 0, to: buffer.size });
        if let Some((low, high)) = gap.window {
            found.push(Part { lower: gap.lower, upper: gap.upper, from: low, to: high });
        }
        from = gap.upper;
    }
    found.push(Part { lower: from, upper: buffer.upper, from: 0, to: buffer.size });
    found.retain(|part| part.lower < part.upper && part.from < part.to);
    found
}

/// Whether two buffers at these addresses share one of them at some time.
pub(super) fn collide(one: &Lifetime, at: u64, other: &Lifetime, others: u64) -> bool {
    let theirs = parts(other);
    parts(one).iter().any(|a| {
        let meets = |b: &Part| {
            let times = a.lower < b.upper && b.lower < a.upper;
            let ends = [(at, a.from), (others, b.to), (others, b.from), (at, a.to)];
            let ends = ends.map(|(offset, within)| u128::from(offset) + u128::from(within));
            times && ends[0] < ends[1] && ends[2] < ends[3]
        };
        theirs.iter().any(meets)
    })
}
