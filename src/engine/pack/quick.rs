//! Ordered fits: the buffers one after another, each into a hole that is free for its whole life.

use std::cmp::Reverse;

use super::answer::Meter;
use super::index::Index;
use super::part::{Part, parts};
use crate::model::{Lifetime, Packed, Packing, SplitMix64};

/// Looks at pairs of buffers that the orders together may take.
const PAIRS: u64 = 20_000_000;

/// Into which hole a buffer goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// The lowest.
    First,
    /// The smallest; the lowest of equal ones.
    Best,
}

/// A packing made ready to be packed in one order after another.
pub(super) struct Fitter<'a> {
    packing: &'a Packing,
    parts: Vec<Vec<Part>>,
    index: Index,
    /// How many pairs of buffers one order looks at, about.
    pairs: u64,
    placed: Vec<bool>,
    offsets: Vec<u64>,
    taken: Vec<(u64, u64)>,
}

impl<'a> Fitter<'a> {
    pub(super) fn new(packing: &'a Packing) -> Self {
        let count = packing.buffers.len();
        let index = Index::new(packing);
        Self {
            packing,
            parts: packing.buffers.iter().map(parts).collect(),
            pairs: index.pairs() + count as u64 + 1,
            index,
            placed: vec![false; count],
            offsets: vec![0; count],
            taken: Vec::new(),
        }
    }

    /// How many orders such a number of looks at pairs of buffers allows for.
    pub(super) fn tries(&self, pairs: u64) -> u64 {
        pairs / self.pairs
    }

    /// Packs in this order; fixed buffers go first. `None` where addresses would pass 2^64.
    pub(super) fn fit(&mut self, order: &[usize], fit: Fit) -> Option<Packed> {
        let buffers = &self.packing.buffers;
        for (at, buffer) in buffers.iter().enumerate() {
            self.placed[at] = buffer.fixed.is_some();
            self.offsets[at] = buffer.fixed.unwrap_or(0);
        }
        for &at in order.iter().filter(|&&at| buffers[at].fixed.is_none()) {
            self.offsets[at] = self.place(at, fit)?;
            self.placed[at] = true;
        }
        Some(Packed::new(self.packing, self.offsets.clone()))
    }

    /// Where a buffer goes that is not placed yet.
    fn place(&mut self, at: usize, fit: Fit) -> Option<u64> {
        self.taken.clear();
        let buffer = &self.packing.buffers[at];
        let (index, taken) = (&self.index, &mut self.taken);
        let (placed, offsets, parts) = (&self.placed, &self.offsets, &self.parts);
        index.each(buffer.lower, buffer.upper, &mut |other| {
            if placed[other] {
                taken_by(&parts[at], &parts[other], offsets[other], taken);
            }
        });
        taken.sort_unstable();
        free(taken, buffer.alignment, fit).filter(|offset| offset.checked_add(buffer.size).is_some())
    }
}

/// Adds the addresses at which a buffer with these parts would collide with another there, half-open.
fn taken_by(own: &[Part], others: &[Part], offset: u64, taken: &mut Vec<(u64, u64)>) {
    for part in own {
        for other in others.iter().filter(|other| other.lower < part.upper && part.lower < other.upper) {
            taken.push((
                (offset + other.from + 1).saturating_sub(part.to),
                (offset + other.to).saturating_sub(part.from),
            ));
        }
    }
}

/// A multiple of `alignment` outside these ranges of addresses, half-open and sorted by their starts. Best fit is by
/// the room that is left above it up to the next range; above the last there is room without end.
fn free(taken: &[(u64, u64)], alignment: u64, fit: Fit) -> Option<u64> {
    let (mut offset, mut best) = (0u64, None);
    for &(from, to) in taken {
        if from > offset {
            if fit == Fit::First {
                return Some(offset);
            }
            let room = from - offset;
            if best.is_none_or(|(least, _)| room < least) {
                best = Some((room, offset));
            }
        }
        if to > offset {
            offset = to.checked_next_multiple_of(alignment)?;
        }
    }
    Some(best.map_or(offset, |(_, offset)| offset))
}

/// What buffers are sorted by, falling; the first names the most promising.
fn keys(buffer: &Lifetime) -> [f64; 8] {
    let (life, size) = ((buffer.upper - buffer.lower) as f64, buffer.size as f64);
    [
        life * size * size,
        size,
        life * size,
        life,
        life * life * size,
        life.sqrt() * size,
        -(buffer.lower as f64),
        -(buffer.upper as f64),
    ]
}

/// The order by one of the keys, the largest first; the longer and then the earlier of equal ones.
fn order_by(packing: &Packing, key: usize) -> Vec<usize> {
    let values: Vec<f64> = packing.buffers.iter().map(|buffer| keys(buffer)[key]).collect();
    let mut order: Vec<usize> = (0..packing.buffers.len()).collect();
    order.sort_by(|&a, &b| {
        let life = |at: usize| packing.buffers[at].upper - packing.buffers[at].lower;
        values[b].total_cmp(&values[a]).then(Reverse(life(a)).cmp(&Reverse(life(b))))
    });
    order
}

/// The lowest of what several orders and rules come to, with its order; as many as some million looks at pairs of
/// buffers allow for. `None` where none stays below 2^64.
pub(super) fn ordered(fitter: &mut Fitter, enough: u64) -> Option<(Packed, Vec<usize>)> {
    let tries = fitter.tries(PAIRS).clamp(1, 16) as usize;
    let mut best: Option<(Packed, Vec<usize>)> = None;
    for at in 0..tries {
        let order = order_by(fitter.packing, at / 2);
        let packed = fitter.fit(&order, if at % 2 == 0 { Fit::First } else { Fit::Best });
        if let Some(packed) =
            packed.filter(|packed| best.as_ref().is_none_or(|(least, _)| packed.height < least.height))
        {
            let is_enough = packed.height <= enough;
            best = Some((packed, order));
            if is_enough {
                break;
            }
        }
    }
    best
}

/// Goes on from an order by small changes for as long as the meter allows, or until the height is `enough`: moves the
/// buffers that reach highest, and others by chance, towards the front, and keeps what is not higher.
pub(super) fn polish(
    fitter: &mut Fitter,
    (mut best, mut order): (Packed, Vec<usize>),
    enough: u64,
    tries: u64,
    meter: &Meter,
    seed: u64,
) -> Packed {
    let mut random = SplitMix64::new(seed);
    let count = order.len();
    let mut current = best.clone();
    for _ in 0..tries {
        if best.height <= enough || count < 2 || meter.is_over() {
            break;
        }
        let end = |at: usize| current.offsets[at] + fitter.packing.buffers[at].size;
        let high = order.iter().position(|&at| end(at) == current.height).unwrap_or(0);
        let from = if random.chance(0.5) { high } else { random.index(count) };
        let to = if from > 0 && random.chance(0.8) { random.index(from) } else { random.index(count) };
        let mut next = order.clone();
        let moved = next.remove(from);
        next.insert(to, moved);
        let Some(packed) = fitter.fit(&next, Fit::First) else { continue };
        if packed.height <= current.height {
            (current, order) = (packed, next);
            if current.height < best.height {
                best = current.clone();
            }
        }
    }
    best
}
