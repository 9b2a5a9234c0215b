//! Packing problems that fill their memory all the time: glue, then pack what is left.

use super::answer::Meter;
use super::exact::Outcome;
use super::glue::Glued;
use super::search::Search;
use super::sections::Sections;
use super::valley::valley;
use crate::model::{Packed, Packing};

/// So many blocks left over are worth a search.
const SEARCHED: usize = 1_000;

/// So much work for each item goes into mending what was glued, some second for 20 000 items, and no more than some
/// seconds for any number.
const MENDING: u64 = 800;
const MENDING_ALL: u64 = 60_000_000;

/// Whether every address is free to choose, all of a buffer's life long.
pub(super) fn is_plain(packing: &Packing) -> bool {
    packing.buffers.iter().all(|b| b.gaps.is_empty() && b.fixed.is_none() && b.alignment == 1)
}

/// Packs a [plain](is_plain) problem by gluing in two ways: stacks first, which is right where few lives are the same by
/// chance, and matching stacks only, which is right where few sizes are. Ends early at the height `enough`.
pub(super) fn dense(packing: &Packing, bound: u64, enough: u64, seed: u64) -> Option<Packed> {
    let sections = Sections::new(packing);
    let mut best: Option<Packed> = None;
    for stacks_first in [true, false] {
        let count = sections.items.len();
        let work = if count > SEARCHED { MENDING_ALL.min(MENDING * count as u64) } else { 0 };
        let glued = Glued::new(&sections, stacks_first, work, seed);
        let rest = glued.sections.reduced();
        let mut take = |offsets: &[u64]| {
            let packed = Packed::new(packing, glued.unfold(offsets));
            let is_lower = best.as_ref().is_none_or(|best| packed.height < best.height);
            if is_lower {
                best = Some(packed);
            }
            best.as_ref().is_some_and(|best| best.height <= enough.max(bound))
        };
        if take(&valley(&rest)) {
            break;
        }
        let is_glued = rest.items.len() < sections.items.len();
        if is_glued && rest.items.len() <= SEARCHED && searched(packing, rest, bound, enough, seed, &mut take) {
            break;
        }
    }
    best
}

/// Looks for addresses of the blocks at the bound and at shares of it above; the first that it finds goes to `take`,
/// which tells whether that is enough.
fn searched(
    packing: &Packing,
    rest: Sections,
    bound: u64,
    enough: u64,
    seed: u64,
    take: &mut dyn FnMut(&[u64]) -> bool,
) -> bool {
    let limit = 8_000;
    let search = Search::over(packing, rest, seed);
    for share in ABOVE {
        let capacity = bound + bound / share;
        // Where more would do as well, less need not be tried.
        if capacity < enough.min(bound + bound / 8) || !search.is_possible(capacity) {
            continue;
        }
        if let Outcome::Found(offsets) = search.at(capacity, limit, &mut Meter::of_nodes(limit)) {
            return take(&offsets);
        }
    }
    false
}

/// How far above the bound to look, as parts of the bound.
const ABOVE: [u64; 8] = [u64::MAX, 400, 100, 50, 30, 20, 12, 8];
