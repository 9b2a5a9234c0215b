//! What simple packers come to, to measure a search by: buffers in some order, each as low as it can lie.

use std::cmp::Reverse;

use super::lifetimes::{Piece, pieces};
use crate::check::packing::check_packing;
use crate::model::{Lifetime, MAX_NUMBER, Packed, Packing};

/// An order in which first fit takes the buffers. Those with a fixed address come before all others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Baseline {
    /// As they are born.
    Birth,
    /// The largest first.
    Size,
    /// The longest life first.
    Life,
    /// The largest size × life first.
    Area,
}

impl Baseline {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Birth, Self::Size, Self::Life, Self::Area];

    /// In a few words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Birth => "first fit, as they are born",
            Self::Size => "first fit, the largest first",
            Self::Life => "first fit, the longest life first",
            Self::Area => "first fit, size × life",
        }
    }

    /// The packing; `None` where there is none of that kind, since fixed addresses are in the way.
    pub fn pack(self, packing: &Packing) -> Option<Packed> {
        let buffers = &packing.buffers;
        let mut order: Vec<usize> = (0..buffers.len()).collect();
        order.sort_by_key(|&at| (buffers[at].fixed.is_none(), self.key(&buffers[at]), at));
        first_fit(packing, order)
    }

    fn key(self, buffer: &Lifetime) -> Reverse<u128> {
        let life = u128::from(buffer.upper - buffer.lower);
        Reverse(match self {
            Self::Birth => u128::MAX - u128::from(buffer.lower),
            Self::Size => u128::from(buffer.size),
            Self::Life => life,
            Self::Area => u128::from(buffer.size) * life,
        })
    }
}

/// As many buffers are packed by size while somebody waits: the time is quadratic.
const MOST: usize = 1 << 15;

/// The packing of TensorFlow Lite Micro's `GreedyMemoryPlanner`: the largest first, of those of one size the last first, each
/// in the lowest gap between those that it meets. `None` where fixed addresses are in the way or the
/// buffers are too many to wait for it.
pub fn greedy_by_size(packing: &Packing) -> Option<Packed> {
    let buffers = &packing.buffers;
    if buffers.len() > MOST {
        return None;
    }
    let mut order: Vec<usize> = (0..buffers.len()).collect();
    order.sort_by_key(|&at| Reverse((buffers[at].fixed.is_some(), buffers[at].size, at)));
    first_fit(packing, order)
}

/// Takes the buffers in this order, each to its fixed address or as low as it can lie.
fn first_fit(packing: &Packing, order: Vec<usize>) -> Option<Packed> {
    let buffers = &packing.buffers;
    let parts: Vec<Vec<Piece>> = buffers.iter().map(pieces).collect();
    let mut offsets = vec![0; buffers.len()];
    let mut placed: Vec<usize> = Vec::new();
    for at in order {
        offsets[at] = match buffers[at].fixed {
            Some(fixed) => fixed,
            None => lowest(&buffers[at], &parts[at], &placed, &parts, &offsets)?,
        };
        placed.push(at);
    }
    check_packing(packing, None, &offsets).is_empty().then(|| Packed::new(packing, offsets))
}

/// The lowest address at which no part of `buffer` meets a part of those that are placed.
fn lowest(buffer: &Lifetime, own: &[Piece], placed: &[usize], parts: &[Vec<Piece>], offsets: &[u64]) -> Option<u64> {
    // Addresses behind the first and before the second of each pair would overlap.
    let mut taken: Vec<(u64, u64)> = Vec::new();
    for &other in placed {
        for theirs in &parts[other] {
            for mine in own.iter().filter(|mine| mine.meets(theirs)) {
                let (from, to) = (offsets[other] + theirs.window.0, offsets[other] + theirs.window.1);
                let end = to.saturating_sub(mine.window.0);
                if end > 0 {
                    taken.push(((from + 1).saturating_sub(mine.window.1), end));
                }
            }
        }
    }
    taken.sort_unstable();
    let mut lowest = 0u64;
    for (from, to) in taken {
        if lowest >= from && lowest < to {
            lowest = to.checked_next_multiple_of(buffer.alignment)?;
        }
    }
    lowest.checked_add(buffer.size).filter(|&end| end <= MAX_NUMBER).map(|_| lowest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Gap, SplitMix64};

    fn random(seed: u64) -> Packing {
        let mut random = SplitMix64::new(seed);
        let buffers = (0..40).map(|at| {
            let lower = random.below(30);
            let upper = lower + 4 + random.below(20);
            let size = 1 + random.below(20);
            let window = (random.below(3) > 0).then(|| (0, 1 + random.below(size)));
            let gap = Gap { lower: lower + 1, upper: upper - 1, window };
            Lifetime {
                name: format!("b{at}").as_str().into(),
                lower,
                upper,
                size,
                alignment: 1 << random.below(4),
                fixed: None,
                hint: None,
                gaps: if random.below(3) == 0 { vec![gap] } else { Vec::new() },
            }
        });
        Packing { buffers: buffers.collect() }
    }

    #[test]
    fn each_order_gives_a_sound_packing() {
        for seed in 0..50 {
            let packing = random(seed);
            let live = crate::engine::pack::max_live(&packing).bytes;
            for baseline in Baseline::ALL {
                // It is checked there, and is nothing where it is not sound.
                let packed = baseline.pack(&packing).unwrap_or_else(|| panic!("seed {seed}, {baseline:?}"));
                assert!(packed.height >= live, "seed {seed}, {baseline:?}");
            }
        }
    }

    /// By size as its definition says, one address after the other.
    fn by_size_slowly(packing: &Packing) -> Vec<u64> {
        let buffers = &packing.buffers;
        let mut order: Vec<usize> = (0..buffers.len()).rev().collect();
        order.sort_by(|&one, &other| buffers[other].size.cmp(&buffers[one].size));
        let mut offsets: Vec<Option<u64>> = vec![None; buffers.len()];
        for at in order {
            let it = &buffers[at];
            let is_free = |offset: u64| {
                buffers.iter().zip(&offsets).all(|(other, placed)| {
                    let apart = it.upper <= other.lower || other.upper <= it.lower;
                    apart || placed.is_none_or(|placed| placed >= offset + it.size || offset >= placed + other.size)
                })
            };
            offsets[at] = (0..u64::from(u16::MAX)).find(|&offset| is_free(offset));
        }
        offsets.into_iter().flatten().collect()
    }

    #[test]
    fn greedy_by_size_is_what_its_definition_says() {
        for seed in 0..50 {
            let mut packing = random(seed);
            packing.buffers.iter_mut().for_each(|buffer| (buffer.alignment, buffer.gaps) = (1, Vec::new()));
            let expected = by_size_slowly(&packing);
            assert_eq!(greedy_by_size(&packing).map(|packed| packed.offsets), Some(expected), "seed {seed}");
        }
    }

    #[test]
    fn the_order_matters_and_fixed_addresses_are_kept() {
        let buffer = |size, fixed| Lifetime {
            name: "b".into(),
            lower: 0,
            upper: 2,
            size,
            alignment: 1,
            fixed,
            hint: None,
            gaps: Vec::new(),
        };
        let packing = Packing { buffers: vec![buffer(2, None), buffer(5, None), buffer(3, Some(4))] };
        assert_eq!(Baseline::Birth.pack(&packing).unwrap().offsets, [0, 7, 4]);
        assert_eq!(Baseline::Size.pack(&packing).unwrap().offsets, [0, 7, 4]);
        let clash = Packing { buffers: vec![buffer(2, Some(0)), buffer(5, Some(1))] };
        assert_eq!(Baseline::Size.pack(&clash), None);
    }
}
