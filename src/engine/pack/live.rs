//! What is alive when: bounds that hold for any addresses.

use super::MaxLive;
use super::part::parts;
use crate::model::Packing;

/// The time at which the buffers together need most memory: the classic lower bound on any capacity. In its gaps a
/// buffer counts with what it still needs.
pub fn max_live(packing: &Packing) -> MaxLive {
    let mut changes: Vec<(u64, bool, u64)> = Vec::with_capacity(2 * packing.buffers.len());
    for part in packing.buffers.iter().flat_map(parts) {
        changes.push((part.lower, true, part.to - part.from));
        changes.push((part.upper, false, part.to - part.from));
    }
    // At one time what ends goes first: lifetimes are half-open.
    changes.sort_unstable();
    let (mut live, mut most) = (0u128, (0u128, 0));
    for (at, starts, bytes) in changes {
        if starts {
            live += u128::from(bytes);
            if live > most.0 {
                most = (live, at);
            }
        } else {
            live -= u128::from(bytes);
        }
    }
    MaxLive { bytes: u64::try_from(most.0).unwrap_or(u64::MAX), at: most.1 }
}

/// The buffers that need memory at a time, with how much.
pub(super) fn live_at(packing: &Packing, time: u64) -> Vec<(usize, u64)> {
    let each = packing.buffers.iter().enumerate().flat_map(|(at, buffer)| {
        let own = parts(buffer).into_iter().filter(|part| part.lower <= time && time < part.upper);
        own.map(move |part| (at, part.to - part.from))
    });
    each.collect()
}

/// A lower bound on any capacity: what is alive at once, and where each buffer alone ends at the least.
pub(super) fn bound(packing: &Packing) -> u64 {
    let alone = packing.buffers.iter().map(|buffer| buffer.fixed.unwrap_or(0).saturating_add(buffer.size));
    let bytes = max_live(packing).bytes.max(alone.max().unwrap_or(0));
    bytes.checked_next_multiple_of(granule(packing)).unwrap_or(u64::MAX)
}

/// A unit of which every lowest height is a multiple: where all sizes and fixed addresses are multiples of it, and the
/// alignments multiples or divisors, buffers that are pushed down as far as they go lie at its multiples.
pub(super) fn granule(packing: &Packing) -> u64 {
    let sizes = packing.buffers.iter().flat_map(|buffer| [buffer.size, buffer.fixed.unwrap_or(0)]);
    let windows = packing.buffers.iter().flat_map(|buffer| &buffer.gaps).filter_map(|gap| gap.window);
    let all = sizes.chain(windows.flat_map(|(from, to)| [from, to]));
    let unit = all.fold(0, gcd);
    let held = packing.buffers.iter().map(|buffer| buffer.alignment);
    held.fold(unit, |unit, align| if unit.is_multiple_of(align) { unit } else { gcd(unit, align) }).max(1)
}

fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}
