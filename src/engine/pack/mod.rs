//! Static packing: addresses for buffers whose lifetimes are known, so that no two that are alive together overlap.
//!
//! This is dynamic storage allocation (NP-hard; Garey and Johnson, SR2), or strip packing with one coordinate given:
//! each buffer is a rectangle of time by address that may only be moved in address. The pipeline, read top-down:
//!
//! 1. `live`: the bound. What is alive at once ([`max_live`]), and each buffer alone, rounded up to the unit of which
//!    every lowest height is a multiple.
//! 2. `refute`: what no search need find out: more alive than fits, a buffer too large, fixed addresses that collide.
//! 3. `dense`: where memory is full nearly all the time, what starts takes exactly the place of what ended. `glue` puts
//!    such buffers together, and what they are put together to, until little is left; `reglue` opens again what was
//!    glued wrongly, a piece at a time, until nothing else is left over. The rest is searched, or packed by
//!    `valley`, which fills the lowest run of the skyline with a best row.
//! 4. `quick`: first and best fit in several orders, and a local search that moves buffers forward in an order.
//! 5. `search`: the exact search from the start again and again, in other orders and with growing patience, over a
//!    `skyline` with strong propagation (`exact`); for buffers with gaps, pair by pair (`pairs`).
//! 6. `refute` again, where the search has shown that nothing fits: the buffers that alone already do not, as few as can
//!    be, each left out and the rest searched again.
//!
//! A "no" is only given where every possibility was looked at. Sections of time, canonical packings, and parts that are
//! solved on their own are ideas of minimalloc (Moffitt, ASPLOS 2023, doi 10.1145/3623278.3624752); switching among
//! orders where one gets stuck is one of `TelaMalloc` (Maas and others, ASPLOS 2023, doi 10.1145/3567955.3567961).
//!
//! # Figures
//!
//! One core, release build, user time.
//!
//! - The six problems published with minimalloc (154 to 454 buffers; but for C, no room to spare): fitted, and their
//!   smallest capacity proven, in about 0.01 s each; so are shuffled, reversed and shortened ones. Without gluing it
//!   takes 0.02 to 0.2 s, but 2 to 8 s for G.
//! - A rectangle with 2^20 times and a height of a million, cut from edge to edge: its very height, of 20 000 buffers
//!   in 0.2 s, of 60 000 in 0.4 s; with pinwheels in 0.3 s and 1.6 s (gluing and mending alone). So it is, mostly, with
//!   100 000 times for 20 000 buffers. Where there are only as many times as buffers and few different sizes, or many
//!   slivers, so that lives and sizes match by chance, [`quick()`] stays 5 % to 25 % above the height.
//! - Kernels of [`generate`](crate::generate): max-live is reached in every level, without a search.

mod answer;
mod dense;
mod exact;
mod glue;
mod index;
mod live;
mod pairs;
mod part;
mod quick;
mod refute;
mod reglue;
mod search;
mod sections;
mod skyline;
mod valley;

pub use answer::{Answer, Clash, Effort, MaxLive, Smallest, Why};
pub use live::max_live;

use answer::Meter;
use exact::Outcome;
use quick::Fitter;
use search::Search;

use crate::model::{Packed, Packing};

/// Looks at pairs of buffers that the local search may take before the exact one.
const POLISH: u64 = 100_000_000;

/// Packs fast: what [`smallest`] and [`fit`] start from. Works for every problem of which the fixed addresses do not
/// collide; where no order stays below 2^64 the height is `u64::MAX`, and the addresses mean nothing.
pub fn quick(packing: &Packing) -> Packed {
    quickly(packing, 0, 1).map_or_else(|| unpacked(packing), |packed| hinted(packing, packed))
}

fn unpacked(packing: &Packing) -> Packed {
    Packed { offsets: vec![0; packing.buffers.len()], height: u64::MAX }
}

/// The lowest of gluing and of ordered fits; ends early at the height `enough` or where none can be lower.
fn quickly(packing: &Packing, enough: u64, seed: u64) -> Option<Packed> {
    let bound = live::bound(packing);
    let enough = enough.max(bound);
    // Few buffers are soon searched through; and sums of sizes must stay far below 2^64.
    let is_dense = packing.buffers.len() >= 16 && bound < 1 << 40 && dense::is_plain(packing);
    let glued = if is_dense { dense::dense(packing, bound, enough, seed) } else { None };
    if glued.as_ref().is_some_and(|packed| packed.height <= enough || is_near(packed.height, bound)) {
        return glued;
    }
    let ordered = quick::ordered(&mut Fitter::new(packing), enough).map(|(packed, _)| packed);
    glued.into_iter().chain(ordered).min_by_key(|packed| packed.height)
}

/// So near to the bound that ordered fits, which are rarely that good, are not worth their time.
fn is_near(height: u64, bound: u64) -> bool {
    height.saturating_sub(bound) <= bound / 100
}

/// As [`quickly`], then better by local search where that is not enough.
fn polished(packing: &Packing, enough: u64, effort: &Effort, meter: &Meter) -> Packed {
    let quick = quickly(packing, enough, effort.seed).unwrap_or_else(|| unpacked(packing));
    if quick.height <= enough || is_near(quick.height, live::bound(packing)) {
        return quick;
    }
    let mut fitter = Fitter::new(packing);
    let tries = fitter.tries(POLISH).min(2_000);
    let Some(start) = quick::ordered(&mut fitter, enough) else { return quick };
    let better = quick::polish(&mut fitter, start, enough, tries, meter, effort.seed);
    if better.height < quick.height { better } else { quick }
}

/// Packs into `capacity`, or proves that this cannot be, or runs out of effort.
pub fn fit(packing: &Packing, capacity: u64, effort: &Effort) -> Answer {
    let mut meter = Meter::new(effort);
    if let Some(answer) = refute::obvious(packing, capacity, &mut meter, effort.seed) {
        return answer;
    }
    let best = polished(packing, capacity, effort, &meter);
    if best.height <= capacity {
        return Answer::Fits(hinted(packing, best));
    }
    let search = Search::new(packing, effort.seed);
    if search.is_possible(capacity) {
        let before = meter.nodes;
        match search.at(capacity, u64::MAX, &mut meter) {
            Outcome::Found(offsets) => return Answer::Fits(hinted(packing, Packed::new(packing, offsets))),
            Outcome::Infeasible => {
                let all = (0..packing.buffers.len()).collect();
                return refute::reduced(packing, capacity, all, before - meter.nodes, &mut meter, effort.seed);
            }
            Outcome::Limit => {}
        }
    }
    Answer::Unknown { best: hinted(packing, best), bound: live::bound(packing) }
}

/// Packs as low as can be.
///
/// # Errors
/// Where fixed addresses collide, are not aligned, or end above 2^64: then no packing is right.
pub fn smallest(packing: &Packing, effort: &Effort) -> Result<Smallest, Clash> {
    if let Some((core, why)) = refute::clash(packing, u64::MAX) {
        return Err(Clash { core, why });
    }
    let mut meter = Meter::new(effort);
    let mut bound = live::bound(packing);
    let mut packed = polished(packing, bound, effort, &meter);
    let unit = live::granule(packing);
    let search = Search::new(packing, effort.seed);
    let mut patience = 2_000;
    while bound < packed.height && search.is_possible(packed.height) && !meter.is_over() {
        // The bound first, since it is often reached; then in the middle, where either answer helps; then just below
        // the best, where finding is easiest.
        let middle = bound + (packed.height - bound) / 2 / unit * unit;
        for capacity in [bound, middle, packed.height - unit] {
            if capacity < bound || capacity >= packed.height {
                continue;
            }
            match search.at(capacity, patience, &mut meter) {
                Outcome::Found(offsets) => packed = Packed::new(packing, offsets),
                Outcome::Infeasible => bound = capacity + unit,
                Outcome::Limit => {}
            }
        }
        patience = patience.saturating_mul(2);
    }
    bound = bound.min(packed.height);
    Ok(Smallest { proven: packed.height == bound, packed: hinted(packing, packed), bound })
}

/// Moves buffers to the addresses that they had best have, where these are free and nothing gets higher by it.
fn hinted(packing: &Packing, mut packed: Packed) -> Packed {
    if packing.buffers.iter().all(|buffer| buffer.hint.is_none()) {
        return packed;
    }
    let index = index::Index::new(packing);
    for (at, buffer) in packing.buffers.iter().enumerate() {
        let Some(hint) = buffer.hint.filter(|&hint| hint != packed.offsets[at]) else { continue };
        let is_lower = hint.checked_add(buffer.size).is_some_and(|end| end <= packed.height);
        if buffer.fixed.is_some() || !is_lower || !hint.is_multiple_of(buffer.alignment) {
            continue;
        }
        let mut is_free = true;
        index.each(buffer.lower, buffer.upper, &mut |other| {
            let others = packed.offsets[other];
            is_free &= other == at || !part::collide(buffer, hint, &packing.buffers[other], others);
        });
        if is_free {
            packed.offsets[at] = hint;
        }
    }
    packed
}
