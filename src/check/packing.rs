//! The check of a static packing: every pair of buffers is looked at, plainly. It shares only the model with the
//! engine.
//!
//! # Rules
//!
//! A packing has one address for every buffer. A buffer occupies the addresses [address, address + size) at the times
//! [lower, upper), but in its gaps only the gap's window, [address + from, address + to), or nothing.
//!
//! - no two occupy one address at one time;
//! - with a capacity, address + size ≤ capacity for each;
//! - each address is a multiple of its buffer's alignment, and the fixed one where there is one.

use std::fmt;

use crate::model::{Lifetime, Packing};

/// How many findings are listed at most.
pub const MAX_BROKEN: usize = 40;

/// A rule that a packing breaks. Buffers are told by their indices; `Display` needs none of them, it has the names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenPacking {
    /// The buffers concerned, as indices into the packing's, ascending.
    pub buffers: Vec<usize>,
    /// What is broken.
    pub kind: BrokenKind,
    /// What is wrong, in one sentence. Safe to print.
    pub what: String,
}

/// The ways in which a packing can be broken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BrokenKind {
    /// There are more or fewer addresses than buffers; nothing else is looked at then.
    Count,
    /// A buffer ends above the capacity.
    Above,
    /// An address is no multiple of the buffer's alignment.
    Misaligned,
    /// A fixed address is not the one that is given.
    NotFixed,
    /// Two buffers share an address at the same time.
    Overlap {
        /// The first time at which they do.
        time: u64,
        /// The lowest address that they share then.
        address: u64,
    },
}

impl fmt::Display for BrokenPacking {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)
    }
}

/// Everything that is wrong with these addresses, at most [`MAX_BROKEN`] findings: those about single buffers, then
/// overlaps, each in the order of the buffers. Takes time in proportion to the square of the number of buffers.
pub fn check_packing(packing: &Packing, capacity: Option<u64>, offsets: &[u64]) -> Vec<BrokenPacking> {
    let buffers = &packing.buffers;
    if buffers.len() != offsets.len() {
        let what = format!("{} addresses are given for {} buffers", offsets.len(), buffers.len());
        return vec![BrokenPacking { buffers: Vec::new(), kind: BrokenKind::Count, what }];
    }
    let mut broken = Vec::new();
    for (at, (buffer, &offset)) in buffers.iter().zip(offsets).enumerate() {
        check_alone(buffer, capacity, offset, &mut |kind, what| {
            broken.push(BrokenPacking { buffers: vec![at], kind, what });
        });
    }
    for (later, buffer) in buffers.iter().enumerate() {
        for (earlier, other) in buffers[..later].iter().enumerate() {
            if broken.len() >= MAX_BROKEN {
                broken.truncate(MAX_BROKEN);
                return broken;
            }
            if let Some((time, address)) = overlap(other, offsets[earlier], buffer, offsets[later]) {
                let kind = BrokenKind::Overlap { time, address };
                let what = format!("{} and {} both hold address {address} at time {time}", other.name, buffer.name);
                broken.push(BrokenPacking { buffers: vec![earlier, later], kind, what });
            }
        }
    }
    broken
}

fn check_alone(buffer: &Lifetime, capacity: Option<u64>, offset: u64, tell: &mut dyn FnMut(BrokenKind, String)) {
    let name = &buffer.name;
    let end = u128::from(offset) + u128::from(buffer.size);
    if let Some(capacity) = capacity.filter(|&capacity| end > u128::from(capacity)) {
        tell(BrokenKind::Above, format!("{name} at {offset} ends at {end}, above the capacity of {capacity}"));
    }
    if !offset.is_multiple_of(buffer.alignment) {
        let alignment = buffer.alignment;
        tell(
            BrokenKind::Misaligned,
            format!("{name} is at {offset}, which is no multiple of its alignment {alignment}"),
        );
    }
    if let Some(fixed) = buffer.fixed.filter(|&fixed| fixed != offset) {
        tell(BrokenKind::NotFixed, format!("{name} is at {offset}, but its address is fixed at {fixed}"));
    }
}

/// What a buffer occupies: times `[lower, upper)`, addresses `[from, to)`. Addresses may lie beyond 64 bits.
struct Held {
    lower: u64,
    upper: u64,
    from: u128,
    to: u128,
}

fn held(buffer: &Lifetime, offset: u64) -> Vec<Held> {
    let whole = (0, buffer.size);
    let mut times = vec![buffer.lower];
    times.extend(buffer.gaps.iter().flat_map(|gap| [gap.lower, gap.upper]));
    times.push(buffer.upper);
    let mut all = Vec::new();
    for (at, times) in times.windows(2).enumerate() {
        // Stretches outside and inside gaps take turns.
        let range = if at % 2 == 0 { Some(whole) } else { buffer.gaps[at / 2].window };
        if let Some((from, to)) = range.filter(|(from, to)| from < to && times[0] < times[1]) {
            let start = u128::from(offset);
            let (from, to) = (start + u128::from(from), start + u128::from(to));
            all.push(Held { lower: times[0], upper: times[1], from, to });
        }
    }
    all
}

/// The first time at which both hold an address, and the lowest such address then.
fn overlap(one: &Lifetime, at: u64, other: &Lifetime, other_at: u64) -> Option<(u64, u64)> {
    if one.upper <= other.lower || other.upper <= one.lower {
        return None;
    }
    let others = held(other, other_at);
    let shared = held(one, at).into_iter().flat_map(|a| {
        let meets = |b: &Held| {
            let (time, address) = (a.lower.max(b.lower), a.from.max(b.from));
            (time < a.upper.min(b.upper) && address < a.to.min(b.to)).then_some((time, address))
        };
        others.iter().filter_map(meets).collect::<Vec<_>>()
    });
    shared.min().map(|(time, address)| (time, u64::try_from(address).unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Gap, Name};

    fn buffer(name: &str, lower: u64, upper: u64, size: u64) -> Lifetime {
        let name = Name::new(name);
        Lifetime { name, lower, upper, size, alignment: 1, fixed: None, hint: None, gaps: Vec::new() }
    }

    /// `a` at 0, `b` above it while both live, `c` where `a` was, `d` in the gap of `b`.
    fn sound() -> (Packing, Vec<u64>) {
        let gap = |lower, upper, window| Gap { lower, upper, window };
        let b =
            Lifetime { alignment: 4, gaps: vec![gap(4, 6, None), gap(6, 8, Some((2, 3)))], ..buffer("b", 1, 10, 4) };
        let c = Lifetime { fixed: Some(1), ..buffer("c", 3, 5, 2) };
        let packing = Packing { buffers: vec![buffer("a", 0, 3, 4), b, c, buffer("d", 5, 8, 6)] };
        (packing, vec![0, 4, 1, 0])
    }

    fn kinds(packing: &Packing, capacity: Option<u64>, offsets: &[u64]) -> Vec<(Vec<usize>, BrokenKind)> {
        check_packing(packing, capacity, offsets).into_iter().map(|broken| (broken.buffers, broken.kind)).collect()
    }

    #[test]
    fn a_sound_packing_passes() {
        let (packing, offsets) = sound();
        assert_eq!(check_packing(&packing, Some(8), &offsets), []);
        assert_eq!(check_packing(&Packing::default(), Some(0), &[]), []);
    }

    #[test]
    fn each_kind_of_mutant_is_found() {
        let (packing, offsets) = sound();
        assert_eq!(kinds(&packing, None, &offsets[1..]), [(vec![], BrokenKind::Count)]);
        assert_eq!(kinds(&packing, Some(7), &offsets), [(vec![1], BrokenKind::Above)]);
        assert_eq!(kinds(&packing, None, &[0, 9, 1, 0]), [(vec![1], BrokenKind::Misaligned)]);
        assert_eq!(kinds(&packing, None, &[0, 4, 2, 0]), [(vec![2], BrokenKind::NotFixed)]);
        let overlap = |time, address| BrokenKind::Overlap { time, address };
        assert_eq!(kinds(&packing, None, &[1, 4, 1, 0]), [(vec![0, 1], overlap(1, 4))]);
        assert_eq!(kinds(&packing, None, &[0, 4, 1, 1]), [(vec![1, 3], overlap(6, 6))], "in the window of the gap");
        assert_eq!(kinds(&packing, Some(u64::MAX), &[0, u64::MAX - 3, 1, 0]), [(vec![1], BrokenKind::Above)]);
    }

    #[test]
    fn what_is_said_is_safe_and_not_endless() {
        let buffers = (0..100).map(|_| buffer("x\u{1b}", 0, 1, 1)).collect();
        let broken = check_packing(&Packing { buffers }, None, &[0; 100]);
        assert_eq!(broken.len(), MAX_BROKEN);
        assert_eq!(broken[0].to_string(), "x\u{fffd} and x\u{fffd} both hold address 0 at time 0");
    }
}
