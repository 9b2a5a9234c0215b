//! How full a level is over the whole plan, with the extremes of any range of steps in logarithmic time.

use std::ops::Range;

/// How many entries one entry of the next layer sums up.
const FAN: usize = 16;

/// Units in use in one level after each step, kept as changes, with a pyramid of minima and maxima above them.
#[derive(Clone, Debug, Default)]
pub struct Occupancy {
    /// Steps at which the use changed, ascending; the first entry is step 0.
    steps: Vec<u32>,
    /// Units in use from that step on.
    used: Vec<u64>,
    /// `layers[k][i]` has (minimum, maximum) over `FAN^(k+1)` entries of `used`.
    layers: Vec<Vec<(u64, u64)>>,
}

impl Occupancy {
    /// Takes the units in use after `step`; steps come in ascending order.
    pub(super) fn push(&mut self, step: u32, used: u64) {
        if self.used.last() == Some(&used) {
            return;
        }
        self.steps.push(step);
        self.used.push(used);
    }

    /// Builds the pyramid once all is pushed.
    pub(super) fn finish(&mut self) {
        let mut below: Vec<(u64, u64)> = self.used.iter().map(|&used| (used, used)).collect();
        while below.len() > 1 {
            let above: Vec<_> = below.chunks(FAN).map(fold).collect();
            self.layers.push(above.clone());
            below = above;
        }
        self.steps.shrink_to_fit();
        self.used.shrink_to_fit();
    }

    /// Units in use after `step`.
    pub fn at(&self, step: u32) -> u64 {
        self.entry(step).map_or(0, |at| self.used[at])
    }

    /// The least and the most units in use after the steps of `range`; zero for an empty one.
    pub fn range(&self, range: Range<u32>) -> (u64, u64) {
        if range.is_empty() || self.used.is_empty() {
            return (0, 0);
        }
        // The entry in force at the start counts; before the first entry nothing is in use.
        let (first, before) = match self.entry(range.start) {
            Some(at) => (at, None),
            None => (0, Some((0, 0))),
        };
        let end = self.steps.partition_point(|&step| step < range.end);
        let inside = (first < end).then(|| self.extremes(first, end));
        match (before, inside) {
            (Some(a), Some(b)) => join(a, b),
            (a, b) => a.or(b).unwrap_or((0, 0)),
        }
    }

    /// The first step after which the most units are in use among steps `0..=until`, and how many.
    pub fn peak(&self, until: u32) -> (u32, u64) {
        let (_, most) = self.range(0..until.saturating_add(1));
        (self.first_reaching(most), most)
    }

    /// The first step from `from` on after which at least `least` units are in use, and were not before it.
    pub fn next_rise(&self, from: u32, least: u64) -> Option<u32> {
        let entry = self.steps.partition_point(|&step| step < from);
        let above = entry.checked_sub(1).is_some_and(|before| self.used[before] >= least);
        let low = if above { self.first(entry, |(min, _)| min < least)? } else { entry };
        self.first(low, |(_, max)| max >= least).map(|at| self.steps[at])
    }

    /// The last step before `before` after which at least `least` units are in use, and were not before it.
    pub fn last_rise(&self, before: u32, least: u64) -> Option<u32> {
        let end = self.steps.partition_point(|&step| step < before);
        let high = self.last(end, |(_, max)| max >= least)?;
        let low = self.last(high, |(min, _)| min < least);
        Some(self.steps[low.map_or(0, |low| low + 1)])
    }

    /// The first entry from `at` on whose extremes fit. What fits must fit for every entry above that has it inside.
    fn first(&self, mut at: usize, fits: impl Fn((u64, u64)) -> bool) -> Option<usize> {
        let mut height = 0;
        while at < self.width(height) {
            if fits(self.extreme(height, at)) {
                if height == 0 {
                    return Some(at);
                }
                (height, at) = (height - 1, at * FAN);
                continue;
            }
            at += 1;
            while at.is_multiple_of(FAN) && height < self.layers.len() {
                (height, at) = (height + 1, at / FAN);
            }
        }
        None
    }

    /// The last entry before `end` whose extremes fit.
    fn last(&self, mut end: usize, fits: impl Fn((u64, u64)) -> bool) -> Option<usize> {
        let mut height = 0;
        while end > 0 {
            if fits(self.extreme(height, end - 1)) {
                if height == 0 {
                    return Some(end - 1);
                }
                height -= 1;
                end = (end * FAN).min(self.width(height));
                continue;
            }
            end -= 1;
            while end > 0 && end.is_multiple_of(FAN) && height < self.layers.len() {
                (height, end) = (height + 1, end / FAN);
            }
        }
        None
    }

    /// How many entries the pyramid has at a height; the uses themselves are at height 0.
    fn width(&self, height: usize) -> usize {
        height.checked_sub(1).map_or(self.used.len(), |layer| self.layers[layer].len())
    }

    fn extreme(&self, height: usize, at: usize) -> (u64, u64) {
        height.checked_sub(1).map_or_else(|| (self.used[at], self.used[at]), |layer| self.layers[layer][at])
    }

    /// Bytes held.
    pub(super) fn bytes(&self) -> usize {
        self.steps.capacity() * 4
            + self.used.capacity() * 8
            + self.layers.iter().map(|layer| layer.capacity() * 16).sum::<usize>()
    }

    /// The entry in force after `step`.
    fn entry(&self, step: u32) -> Option<usize> {
        self.steps.partition_point(|&at| at <= step).checked_sub(1)
    }

    /// Extremes of the entries `[from, to)`, which are not empty.
    fn extremes(&self, mut from: usize, mut to: usize) -> (u64, u64) {
        let mut found = (u64::MAX, 0);
        let base = |at: usize| (self.used[at], self.used[at]);
        let mut layer: Option<&Vec<(u64, u64)>> = None;
        for next in self.layers.iter().map(Some).chain([None]) {
            let get = |at: usize| layer.map_or_else(|| base(at), |layer| layer[at]);
            let Some(next) = next.filter(|_| to - from > FAN) else {
                (from..to).for_each(|at| found = join(found, get(at)));
                return found;
            };
            while !from.is_multiple_of(FAN) {
                found = join(found, get(from));
                from += 1;
            }
            while !to.is_multiple_of(FAN) {
                to -= 1;
                found = join(found, get(to));
            }
            (from, to) = (from / FAN, to / FAN);
            layer = Some(next);
            if from >= to {
                return found;
            }
        }
        found
    }

    /// The first step after which at least `used` units are in use; 0 where it never comes to that.
    fn first_reaching(&self, used: u64) -> u32 {
        let mut at = 0;
        for layer in self.layers.iter().rev() {
            at *= FAN;
            while at < layer.len() && layer[at].1 < used {
                at += 1;
            }
        }
        at *= FAN;
        while at < self.used.len() && self.used[at] < used {
            at += 1;
        }
        self.steps.get(at).copied().unwrap_or(0)
    }
}

fn join(a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    (a.0.min(b.0), a.1.max(b.1))
}

fn fold(chunk: &[(u64, u64)]) -> (u64, u64) {
    chunk.iter().copied().reduce(join).unwrap_or((0, 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extremes_and_peaks_equal_a_plain_scan() {
        let mut seed: u64 = 7;
        let mut random = move |below: u64| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (seed >> 33) % below
        };
        for steps in [1u32, 2, 15, 16, 17, 255, 256, 257, 5000] {
            let values: Vec<u64> = (0..steps).map(|_| random(50)).collect();
            let mut occupancy = Occupancy::default();
            values.iter().enumerate().for_each(|(step, &used)| occupancy.push(step as u32, used));
            occupancy.finish();
            for _ in 0..300 {
                let a = random(u64::from(steps)) as u32;
                let b = a + 1 + random(u64::from(steps - a)) as u32;
                let part = &values[a as usize..b as usize];
                let expected = (*part.iter().min().unwrap(), *part.iter().max().unwrap());
                assert_eq!(occupancy.range(a..b), expected, "{steps} steps, range {a}..{b}");
                let most = values[..=a as usize].iter().max().unwrap();
                let first = values.iter().position(|value| value == most).unwrap();
                assert_eq!(occupancy.peak(a), (first as u32, *most));
            }
        }
    }

    #[test]
    fn rises_equal_those_of_a_plain_scan() {
        let mut random = crate::model::SplitMix64::new(3);
        for steps in [1usize, 2, 15, 16, 17, 255, 256, 257, 5000] {
            for least in [0, 1, 2, 9, 30, 49, 50] {
                // Long stretches without a change, as plans have them, and a few wild ones.
                let mut value = 0;
                let values: Vec<u64> = (0..steps)
                    .map(|_| {
                        value = if random.below(4) == 0 { random.below(50) } else { value };
                        value
                    })
                    .collect();
                let mut occupancy = Occupancy::default();
                values.iter().enumerate().for_each(|(step, &used)| occupancy.push(step as u32, used));
                occupancy.finish();
                let rises = |at: &usize| values[*at] >= least && (*at == 0 || values[*at - 1] < least);
                let rises: Vec<u32> = (0..steps).filter(rises).map(|at| at as u32).collect();
                for from in (0..=steps + 1).step_by(steps / 200 + 1) {
                    let from = from as u32;
                    let next = rises.iter().copied().find(|&at| at >= from);
                    let last = rises.iter().copied().rev().find(|&at| at < from);
                    assert_eq!(occupancy.next_rise(from, least), next, "{steps} steps, {least} from {from}");
                    assert_eq!(occupancy.last_rise(from, least), last, "{steps} steps, {least} before {from}");
                }
            }
        }
        assert_eq!((Occupancy::default().next_rise(0, 1), Occupancy::default().last_rise(9, 1)), (None, None));
    }
}
