//! Small random problems with everything that a buffer can have, and the exhaustive search that they are held against.

use spillscope::model::{Gap, Lifetime, Name, Packing, SplitMix64};

/// Up to eight buffers over a dozen times, of sizes up to five; some aligned, fixed, with gaps and windows. The fixed
/// ones are aligned and do not collide.
pub fn random(seed: u64) -> Packing {
    let mut rng = SplitMix64::new(seed);
    let count = 1 + rng.index(8);
    let (aligns, fixes, gaps) = (rng.chance(0.4), rng.chance(0.3), rng.chance(0.5));
    let mut packing = Packing::default();
    for at in 0..count {
        let lower = rng.below(10);
        let upper = lower + 1 + rng.below(6);
        let size = 1 + rng.below(5);
        let alignment = if aligns && rng.chance(0.5) { 1 << rng.below(3) } else { 1 };
        let gaps = if gaps { random_gaps(lower, upper, size, &mut rng) } else { Vec::new() };
        let name = Name::new(format!("b{at}"));
        let hint = rng.chance(0.2).then(|| rng.below(10));
        let mut buffer = Lifetime { name, lower, upper, size, alignment, fixed: None, hint, gaps };
        let address = rng.below(10) / alignment * alignment;
        let others = packing.buffers.iter().filter_map(|other| Some((other, other.fixed?)));
        if fixes && rng.chance(0.4) && !others.into_iter().any(|(other, there)| meet(other, there, &buffer, address)) {
            buffer.fixed = Some(address);
        }
        packing.buffers.push(buffer);
    }
    packing
}

fn random_gaps(lower: u64, upper: u64, size: u64, rng: &mut SplitMix64) -> Vec<Gap> {
    let mut gaps = Vec::new();
    let mut from = lower;
    while from < upper && rng.chance(0.5) {
        let start = from + rng.below(upper - from);
        let end = start + 1 + rng.below(upper - start);
        let low = rng.below(size);
        let window = rng.chance(0.6).then(|| (low, low + 1 + rng.below(size - low)));
        gaps.push(Gap { lower: start, upper: end, window });
        from = end;
    }
    gaps
}

/// The addresses that a buffer holds at a time, counted from its own; `None` where it holds none.
fn held(buffer: &Lifetime, time: u64) -> Option<(u64, u64)> {
    if !(buffer.lower..buffer.upper).contains(&time) {
        return None;
    }
    match buffer.gaps.iter().find(|gap| (gap.lower..gap.upper).contains(&time)) {
        Some(gap) => gap.window,
        None => Some((0, buffer.size)),
    }
}

/// Whether two buffers share an address at some time, tick by tick.
pub fn meet(one: &Lifetime, at: u64, other: &Lifetime, there: u64) -> bool {
    (one.lower.max(other.lower)..one.upper.min(other.upper)).any(|time| match (held(one, time), held(other, time)) {
        (Some(a), Some(b)) => at + a.0 < there + b.1 && there + b.0 < at + a.1,
        _ => false,
    })
}

/// Whether the buffers of which `which` is true fit within `capacity`: tries every address of every buffer.
pub fn fits(packing: &Packing, which: &[bool], capacity: u64) -> bool {
    fn go(packing: &Packing, which: &[bool], capacity: u64, placed: &mut Vec<(usize, u64)>, at: usize) -> bool {
        if at == which.len() {
            return true;
        }
        if !which[at] {
            return go(packing, which, capacity, placed, at + 1);
        }
        let buffer = &packing.buffers[at];
        let all = buffer.fixed.map_or((0, capacity), |fixed| (fixed, fixed + 1));
        for address in (all.0..all.1).filter(|address| address % buffer.alignment == 0) {
            let collides = |&(other, there): &(usize, u64)| meet(buffer, address, &packing.buffers[other], there);
            if address + buffer.size > capacity || placed.iter().any(collides) {
                continue;
            }
            placed.push((at, address));
            if go(packing, which, capacity, placed, at + 1) {
                return true;
            }
            placed.pop();
        }
        false
    }
    go(packing, which, capacity, &mut Vec::new(), 0)
}

/// The smallest capacity that holds all buffers; no less than what is alive at some tick.
pub fn smallest(packing: &Packing) -> u64 {
    let all = vec![true; packing.buffers.len()];
    let live = |time| packing.buffers.iter().filter_map(|buffer| held(buffer, time)).map(|(from, to)| to - from).sum();
    let most: u64 = (0..16).map(live).max().unwrap_or(0);
    (most..most + 1000).find(|&capacity| fits(packing, &all, capacity)).expect("stacked, they are lower")
}
