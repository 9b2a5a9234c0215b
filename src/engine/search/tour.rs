//! A rough measure of an order of groups, and annealing by it: what is brought in, bundle by bundle, if of each bundle
//! as much stays for the next as both touch and a level holds. It knows nothing of what is older than a bundle, but a
//! change of the order costs a look at the neighbours alone, so a hundred thousand tries take some ten milliseconds.

use super::anneal::{Course, Heat};
use super::dice::Dice;
use super::groups::Groups;
use super::moves::{Move, Sequence};

/// An order of groups, cut into bundles of groups that are open at once.
pub(super) struct Tour<'a> {
    groups: &'a Groups,
    sequence: Sequence,
    at_once: usize,
    /// By buffer: the mark of the bundle that was looked at last and touches it.
    marks: Vec<u32>,
    mark: u32,
}

impl<'a> Tour<'a> {
    pub(super) fn new(groups: &'a Groups, order: Vec<u32>) -> Self {
        let (at_once, marks) = (groups.at_once(), vec![0; groups.users.len()]);
        Self { groups, sequence: Sequence::new(order), at_once, marks, mark: 0 }
    }

    /// Anneals with so many tries and returns the order.
    pub(super) fn shorten(mut self, tries: u64, heat: Heat, dice: &mut Dice) -> Vec<u32> {
        let mut course = Course::new(heat);
        let (mut rise, mut least) = (0.0, 0.0);
        let mut best = self.sequence.order.clone();
        for done in 0..tries {
            let temperature = course.at(done as f64 / tries as f64);
            let Some(change) = self.sequence.propose(self.groups.web(), &[], dice) else { continue };
            let before = self.around(change, false);
            self.sequence.apply(change);
            let by = self.around(change, true) - before;
            if by <= temperature * dice.exponential() {
                rise += by;
                if rise < least {
                    least = rise;
                    best.clone_from(&self.sequence.order);
                }
            } else {
                self.sequence.undo(change);
            }
        }
        best
    }

    /// What the bundles around a change bring in, before it is applied or (`applied`) after: the two differ by what the
    /// whole order's sum changes by.
    fn around(&mut self, change: Move, applied: bool) -> f64 {
        let at_once = self.at_once;
        let of = |at: usize| at / at_once;
        // Inside a block that moves as a whole, or is turned round, neighbours stay neighbours and share as much: only
        // the cuts count, and only what is kept across them.
        let cuts = match change {
            Move::Swap(one, other) => {
                let mut bundles = [of(one), of(one) + 1, of(other), of(other) + 1];
                bundles.sort_unstable();
                let first = |at: &usize| *at == 0 || bundles[at - 1] != bundles[*at];
                return (0..bundles.len()).filter(first).map(|at| self.brought(bundles[at])).sum();
            }
            Move::Reverse(start, end) => [start, end, end],
            Move::Redraw(start, end) => return (of(start)..=of(end - 1) + 1).map(|bundle| self.brought(bundle)).sum(),
            Move::Rotate(start, middle, end) => [start, if applied { start + end - middle } else { middle }, end],
        };
        if cuts.iter().all(|at| at.is_multiple_of(at_once)) {
            let distinct = if cuts[1] == cuts[2] { &cuts[..2] } else { &cuts[..] };
            return -distinct.iter().map(|&at| self.look(of(at)).1).sum::<f64>();
        }
        (of(cuts[0])..=of(cuts[2] - 1) + 1).map(|bundle| self.brought(bundle)).sum()
    }

    /// Units that a bundle brings in; none behind the last one.
    fn brought(&mut self, bundle: usize) -> f64 {
        let (units, kept) = self.look(bundle);
        units - kept
    }

    /// Units that a bundle touches, and those of them that stay from the one before.
    fn look(&mut self, bundle: usize) -> (f64, f64) {
        let Self { groups, sequence, at_once, marks, mark } = self;
        let order = &sequence.order;
        let cut =
            |bundle: usize| &order[(bundle * *at_once).min(order.len())..((bundle + 1) * *at_once).min(order.len())];
        *mark += 2;
        let (older, own) = (*mark - 1, *mark);
        if bundle > 0 {
            let before = cut(bundle - 1).iter().flat_map(|&group| groups.touches.of(group));
            before.for_each(|&buf| marks[buf as usize] = older);
        }
        let (mut units, mut kept) = (0, 0);
        for &buf in cut(bundle).iter().flat_map(|&group| groups.touches.of(group)) {
            let marked = std::mem::replace(&mut marks[buf as usize], own);
            if marked != own {
                let size = groups.size(buf);
                units += size;
                kept += if marked == older { size } else { 0 };
            }
        }
        (units as f64, groups.stays(kept) as f64)
    }
}
