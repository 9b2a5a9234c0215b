//! Why a packing cannot fit, and the fewest buffers that show it.

use super::answer::{Answer, Meter, Why};
use super::exact::Outcome;
use super::live::{live_at, max_live};
use super::quickly;
use super::search::Search;
use crate::model::{Lifetime, Packing};

/// A reason that needs no search: what is fixed wrongly or is too large alone, or more alive at once than fits.
pub(super) fn obvious(packing: &Packing, capacity: u64, meter: &mut Meter, seed: u64) -> Option<Answer> {
    if let Some((core, why)) = clash(packing, capacity) {
        return Some(Answer::CannotFit { core, irreducible: true, why });
    }
    let most = max_live(packing);
    (most.bytes > capacity).then(|| {
        let mut core = live_at(packing, most.at);
        let mut spare = most.bytes - capacity;
        // The small ones go as long as what is left is still too much.
        core.sort_by_key(|&(at, bytes)| (bytes, at));
        core.retain(|&(_, bytes)| {
            let goes = bytes < spare;
            spare -= if goes { bytes } else { 0 };
            !goes
        });
        let mut core: Vec<usize> = core.into_iter().map(|(at, _)| at).collect();
        core.sort_unstable();
        // Left out any one, the others can simply be stacked, unless something holds them in place.
        let is_plain = |buffer: &Lifetime| buffer.alignment == 1 && buffer.fixed.is_none() && buffer.gaps.is_empty();
        let irreducible = core.iter().all(|&at| is_plain(&packing.buffers[at]));
        if irreducible {
            let bytes = core.iter().map(|&at| packing.buffers[at].size).sum();
            return Answer::CannotFit { core, irreducible, why: Why::MaxLive { at: most.at, bytes } };
        }
        reduced(packing, capacity, core, 10_000, meter, seed)
    })
}

/// What is fixed wrongly, or ends above the capacity on its own.
pub(super) fn clash(packing: &Packing, capacity: u64) -> Option<(Vec<usize>, Why)> {
    let alone = packing.buffers.iter().enumerate().find_map(|(at, buffer)| {
        let is_aligned = buffer.fixed.is_none_or(|fixed| fixed.is_multiple_of(buffer.alignment));
        let end = u128::from(buffer.fixed.unwrap_or(0)) + u128::from(buffer.size);
        if !is_aligned {
            return Some((vec![at], Why::Misaligned { buffer: at }));
        }
        (end > u128::from(capacity)).then(|| (vec![at], Why::Larger { buffer: at }))
    });
    alone.or_else(|| fixed_conflict(packing))
}

fn fixed_conflict(packing: &Packing) -> Option<(Vec<usize>, Why)> {
    let fixed: Vec<(usize, u64)> =
        packing.buffers.iter().enumerate().filter_map(|(at, buffer)| Some((at, buffer.fixed?))).collect();
    let mut starts: Vec<(u64, u64, usize, u64)> = Vec::new();
    for &(at, offset) in &fixed {
        let own = super::part::parts(&packing.buffers[at]);
        starts.extend(own.iter().map(|part| (part.lower, part.upper, at, offset)));
    }
    starts.sort_unstable();
    let mut live: Vec<(u64, usize, u64)> = Vec::new();
    for (lower, upper, at, offset) in starts {
        live.retain(|&(end, _, _)| end > lower);
        for &(_, other, others) in &live {
            if other != at && super::part::collide(&packing.buffers[at], offset, &packing.buffers[other], others) {
                let (one, other) = (at.min(other), at.max(other));
                return Some((vec![one, other], Why::Fixed { one, other }));
            }
        }
        live.push((upper, at, offset));
    }
    None
}

/// The answer for a packing that is proven not to fit, from buffers that alone do not: leaves out what can be left out.
/// `nodes` is what the proof took; each smaller proof may take a few times that.
pub(super) fn reduced(
    packing: &Packing,
    capacity: u64,
    mut core: Vec<usize>,
    mut nodes: u64,
    meter: &mut Meter,
    seed: u64,
) -> Answer {
    let mut irreducible;
    let mut step = core.len().div_ceil(2).max(1);
    loop {
        let mut from = 0;
        irreducible = true;
        while from < core.len() {
            let to = (from + step).min(core.len());
            let rest: Vec<usize> = [&core[..from], &core[to..]].concat();
            let before = meter.nodes;
            match refutes(packing, capacity, &rest, 4 * nodes + 10_000, meter, seed) {
                Some(true) => {
                    core = rest;
                    nodes = before - meter.nodes;
                }
                Some(false) => from = to,
                None => {
                    irreducible = false;
                    from = to;
                }
            }
            if meter.is_over() {
                irreducible = false;
                break;
            }
        }
        if step == 1 || meter.is_over() {
            break;
        }
        step = (step / 2).min(core.len().div_ceil(2)).max(1);
    }
    let most = max_live(&part_of(packing, &core));
    let why = match core[..] {
        [buffer] => Why::Larger { buffer },
        _ if most.bytes > capacity => Why::MaxLive { at: most.at, bytes: most.bytes },
        _ => Why::Exhausted { nodes },
    };
    irreducible &= step == 1;
    Answer::CannotFit { core, irreducible, why }
}

/// These buffers of a packing alone.
pub(super) fn part_of(packing: &Packing, which: &[usize]) -> Packing {
    Packing { buffers: which.iter().map(|&at| packing.buffers[at].clone()).collect() }
}

/// Whether these buffers alone are proven not to fit; `None` where that stays open.
fn refutes(
    packing: &Packing,
    capacity: u64,
    which: &[usize],
    limit: u64,
    meter: &mut Meter,
    seed: u64,
) -> Option<bool> {
    let part = part_of(packing, which);
    if max_live(&part).bytes > capacity {
        return Some(true);
    }
    if quickly(&part, capacity, seed).is_some_and(|packed| packed.height <= capacity) {
        return Some(false);
    }
    let search = Search::new(&part, seed);
    if !search.is_possible(capacity) {
        return None;
    }
    match search.at(capacity, limit, meter) {
        Outcome::Found(_) => Some(false),
        Outcome::Infeasible => Some(true),
        Outcome::Limit => None,
    }
}
