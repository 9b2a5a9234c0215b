//! Reloads that come early: how far ahead pays without moving more.
//!
//! Whoever comes back right before its next use keeps that waiting for its transfer. A walk that looks ahead brings it back
//! some operations earlier, so that the transfer runs beside them. But early ones take room for longer, and what that costs
//! shows only at the end. So the same order is walked with several distances, and the fastest plan is kept among those
//! that spill and move no more than the one in which nobody comes early.

use super::Planned;
use super::order::Ordered;
use super::walk::{Ahead, walk, walk_ahead};
use crate::model::{Options, Problem, Sink};

/// Walks the order, with reloads up to [`Options::prefetch`] operations early. Takes some 2 log₂ of that walks.
pub(super) fn walk_with_prefetch<S: Sink>(
    problem: &Problem,
    order: &Ordered,
    options: &Options,
    sink: &mut S,
) -> Planned {
    let (mut ahead, mut best) = (None, walk(problem, order, options, &mut ()));
    let limits = (best.figures.spills, best.figures.extra_traffic);
    // A walk that got stuck, or spilled nothing, is not for reloads to mend.
    let tried = distances(options.prefetch).filter(|_| best.stuck.is_none() && limits.0 > 0);
    for trial in tried.collect::<Vec<_>>() {
        let planned = walk_ahead(problem, order, options, Some(trial), &mut ());
        let figures = &planned.figures;
        let is_allowed = figures.spills <= limits.0 && figures.extra_traffic <= limits.1;
        if planned.stuck.is_none() && is_allowed && figures.makespan < best.figures.makespan {
            (ahead, best) = (Some(trial), planned);
        }
    }
    if S::ON { walk_ahead(problem, order, options, ahead, sink) } else { best }
}

/// From `most` down to 0 by halves; each for holes alone, and with others that leave.
fn distances(most: u32) -> impl Iterator<Item = Ahead> {
    let halves = std::iter::successors(Some(most), |&distance| (distance > 0).then_some(distance / 2));
    halves.flat_map(|operations| [false, true].map(|spills| Ahead { operations, spills }))
}
