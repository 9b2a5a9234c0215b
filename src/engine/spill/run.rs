//! Runs of neighbours: whose leaving opens one hole.

use crate::model::BufIx;

/// A resident buffer, as a possible part of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neighbour {
    pub(super) buf: BufIx,
    /// Where it starts.
    pub(super) start: u64,
    /// The address behind it.
    pub(super) end: u64,
    /// What its leaving costs; `None` where it may not leave.
    pub(super) price: Option<u128>,
}

/// Of the runs whose leaving opens a hole of `size`, the one with the smallest sum of prices; ties go to the shortest,
/// then to the lowest address. `residents` are all buffers of a level of that `capacity`, by address. Linear.
pub(super) fn cheapest_run(residents: &[Neighbour], capacity: u64, size: u64) -> Option<&[Neighbour]> {
    let mut best: Option<(u128, usize, usize)> = None;
    let (mut end, mut sum, mut kept) = (0, 0u128, 0usize);
    for first in 0..residents.len() {
        let from = first.checked_sub(1).map_or(0, |before| residents[before].end);
        let upto = |end: usize| residents.get(end).map_or(capacity, |behind| behind.start);
        // The hole that residents[first..end] would leave ends where the one behind them starts.
        while end <= first || upto(end) - from < size {
            let Some(next) = residents.get(end) else { return best.map(|(_, first, end)| &residents[first..end]) };
            sum += next.price.unwrap_or(0);
            kept += usize::from(next.price.is_none());
            end += 1;
        }
        let length = end - first;
        if kept == 0 && best.is_none_or(|(price, from, to)| (sum, length) < (price, to - from)) {
            best = Some((sum, first, end));
        }
        sum -= residents[first].price.unwrap_or(0);
        kept -= usize::from(residents[first].price.is_none());
    }
    best.map(|(_, first, end)| &residents[first..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A size, and what the resident there costs: `None` for a hole, `Some(None)` for one that may not leave.
    type Part = (u64, Option<Option<u128>>);

    /// Residents and holes from address 0 on, and where the last ends.
    fn level(parts: &[Part]) -> (Vec<Neighbour>, u64) {
        let mut residents = Vec::new();
        let mut at = 0;
        for &(size, held) in parts {
            if let Some(price) = held {
                residents.push(Neighbour { buf: BufIx(residents.len() as u32), start: at, end: at + size, price });
            }
            at += size;
        }
        (residents, at)
    }

    fn chosen(parts: &[Part], size: u64) -> Option<Vec<u32>> {
        let (residents, capacity) = level(parts);
        Some(cheapest_run(&residents, capacity, size)?.iter().map(|one| one.buf.0).collect())
    }

    #[test]
    fn the_cheapest_neighbours_leave_and_holes_beside_them_count() {
        let parts = [(4, Some(Some(9))), (2, None), (2, Some(Some(3))), (4, Some(Some(3))), (4, Some(Some(7)))];
        assert_eq!(chosen(&parts, 4), Some(vec![1]), "with the hole before it");
        assert_eq!(chosen(&parts, 8), Some(vec![1, 2]));
        assert_eq!(chosen(&parts, 16), Some(vec![0, 1, 2, 3]));
        assert_eq!(chosen(&parts, 17), None);
    }

    #[test]
    fn nobody_who_may_not_leave_is_part_of_it() {
        let parts = [(4, Some(Some(9))), (4, Some(None)), (4, Some(Some(3))), (4, Some(Some(3)))];
        assert_eq!(chosen(&parts, 4), Some(vec![2]), "of equal ones the lowest address");
        assert_eq!(chosen(&parts, 8), Some(vec![2, 3]));
        assert_eq!(chosen(&parts, 9), None);
    }

    #[test]
    fn it_equals_trying_every_run() {
        let mut seed: u64 = 5;
        let mut roll = |sides: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % sides
        };
        for _ in 0..3000 {
            let parts: Vec<_> = (0..=roll(7))
                .map(|_| {
                    let price = (roll(5) > 0).then(|| u128::from(roll(6)));
                    (1 + roll(5), (roll(3) > 0).then_some(price))
                })
                .collect();
            let (residents, capacity) = level(&parts);
            let size = 1 + roll(12);
            let opens = |first: usize, end: usize| {
                let from = if first == 0 { 0 } else { residents[first - 1].end };
                residents.get(end).map_or(capacity, |behind| behind.start) - from
            };
            let runs =
                (0..residents.len()).flat_map(|first| (first + 1..=residents.len()).map(move |end| (first, end)));
            let prices = runs.filter(|&(first, end)| opens(first, end) >= size).filter_map(|(first, end)| {
                let sum: Option<u128> = residents[first..end].iter().map(|one| one.price).sum();
                Some((sum?, end - first, first))
            });
            let found = cheapest_run(&residents, capacity, size);
            let sum = |run: &[Neighbour]| run.iter().filter_map(|one| one.price).sum::<u128>();
            let found = found.map(|run| (sum(run), run.len(), run[0].buf.0 as usize));
            assert_eq!(found, prices.min(), "{parts:?} for {size}");
        }
    }
}
