//! Starting orders, and annealing with the fast evaluation, addresses left aside.

use super::super::anneal::{Annealed, Energy, Heat, anneal};
use super::super::budget::Purse;
use super::super::excess::Excess;
use super::super::groups::Groups;
use super::super::macros::Macros;
use super::super::opened::Opened;
use super::super::revised::Revised;
use super::super::tour::Tour;
use super::{Search, web, whole};

/// Tries of the rough annealing of groups, for each group.
const TRIES: u64 = 200;

/// What it may look at in all.
const MOST_WORK: u64 = 100_000_000;

/// What does not fit while a macro is done, at most, for that to be a guide: in the mean, of what the levels hold that may
/// spill. In their first orders public attention and convolutions come to 0.03 and 0.17, generated ones of some thousand
/// nodes to 1, for which it still is one; matrix products to 2.5 and 17, for which it is not.
const MILD: f64 = 1.5;

/// Draws of a starting order by nearest neighbours, at most.
const DRAWS: u32 = 10;

impl Search<'_> {
    /// The better of program order and an order of groups.
    pub(super) fn best_start(&mut self, program: Vec<u32>, share: f64, purse: &mut Purse<'_>) -> Vec<u32> {
        let phase = purse.phase("groups", share, 1);
        let before = self.traffic.of(&self.macros, &program, u64::MAX);
        purse.spend(1);
        let Some(groups) = Groups::new(self.problem, &self.macros) else { return program };
        let (macros, traffic) = (&self.macros, &mut self.traffic);
        let mut energy = |order: &[u32], limit: f64| {
            let opened = groups.open(macros, order)?;
            traffic.of(macros, &opened, whole(limit)).map(|units| units as f64)
        };
        let mut best = groups.in_order(&program);
        let mut least = energy(&best, f64::INFINITY);
        purse.spend(1);
        let footprint = groups.footprint();
        let mild = Heat { first: footprint / 20.0, last: footprint / 80.0 };
        let tries = (groups.len() as u64 * TRIES).min(MOST_WORK / (groups.touches.total() as u64).max(1));
        // Some draws; then the best of them again and again, with more tries each time.
        for round in (0..).take_while(|_| groups.firsts_tried() > 0) {
            if purse.progress(&phase).is_none_or(|done| done > 0.6) {
                break;
            }
            let (from, effort) = if round < DRAWS {
                (groups.nearest(round % 2 == 0, &mut self.dice), 1)
            } else {
                (best.clone(), u64::from(round - DRAWS) + 2)
            };
            let drawn = Tour::new(&groups, from).shorten(tries * effort, mild, &mut self.dice);
            purse.spend(groups.len() as u64 * effort);
            let units = energy(&drawn, f64::INFINITY);
            if units.is_some_and(|units| least.is_none_or(|least| units < least)) {
                (best, least) = (drawn, units);
            }
        }
        let heat = Heat { first: footprint / 16.0, last: footprint / 100.0 };
        let mut opened = Opened::new(self.problem, &groups, &self.macros);
        let annealed = anneal(groups.web(), &best, heat, purse, &phase, &mut self.dice, &mut opened);
        match annealed {
            Some(Annealed { order, energy, .. }) if before.is_none_or(|before| energy < before as f64) => {
                groups.open(&self.macros, &order).unwrap_or(program)
            }
            _ => program,
        }
    }

    /// Whether little does not fit in an order of macros, were nobody ever spilled.
    pub(super) fn is_mild(&self, order: &[u32]) -> bool {
        let mut excess = Excess::new(self.problem, &self.macros);
        excess.of(order).is_some() && excess.is_mild(MILD)
    }

    /// An order of single items in which as little as can be does not fit: macros first, then single items.
    pub(super) fn fitted(&mut self, start: Vec<u32>, share: f64, purse: &mut Purse<'_>) -> Vec<u32> {
        let phase = purse.phase("what does not fit", share / 2.0, 1);
        let single = Macros::single(self.problem, &self.items);
        // A buffer that is too much all the time.
        let hot = self.size * self.items.len() as f64;
        let heat = Heat { first: hot, last: self.size / 10.0 };
        let mut excess = Excess::new(self.problem, &self.macros);
        let found = anneal(web(&self.macros), &start, heat, purse, &phase, &mut self.dice, &mut excess);
        let items = self.items_of(&found.map_or(start, |found| found.order));
        let phase = purse.phase("what does not fit", share / 2.0, 1);
        let heat = Heat { first: hot / 3.0, ..heat };
        let mut excess = Excess::new(self.problem, &single);
        let found = anneal(web(&single), &items, heat, purse, &phase, &mut self.dice, &mut excess);
        found.map_or(items, |found| found.order)
    }

    /// Anneals macros with addresses aside.
    pub(super) fn anneal_macros(&mut self, start: Vec<u32>, share: f64, purse: &mut Purse<'_>) -> Annealed {
        let phase = purse.phase("macros", share, 1);
        let heat = Heat { first: self.unit, last: self.unit / 10.0 };
        let mut revised = Revised::new(self.problem, &self.macros);
        let found = anneal(web(&self.macros), &start, heat, purse, &phase, &mut self.dice, &mut revised);
        found.unwrap_or_else(|| Annealed::nothing(start))
    }

    /// Anneals single items with addresses aside; the order with its extra traffic. So a tile may be moved on to an inner level long before it is used there,
    /// which keeps it while its place in the outer level serves another.
    pub(super) fn anneal_items(&mut self, start: &[u32], share: f64, purse: &mut Purse<'_>) -> Annealed {
        let phase = purse.phase("single items", share, 1);
        let single = Macros::single(self.problem, &self.items);
        let heat = Heat { first: self.unit / 2.0, last: self.unit / 20.0 };
        let mut revised = Revised::new(self.problem, &single);
        let found = anneal(web(&single), start, heat, purse, &phase, &mut self.dice, &mut revised);
        found.unwrap_or_else(|| Annealed::nothing(start.to_vec()))
    }
}
