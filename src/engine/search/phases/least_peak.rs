//! The phases of a search for a small peak.

use super::super::anneal::{Heat, Plain, anneal};
use super::super::budget::Purse;
use super::super::macros::Macros;
use super::super::peak::{Load, Peak};
use super::{Candidate, Offer, Search, web};
use crate::model::LevelIx;

impl Search<'_> {
    /// The whole search for a small peak.
    pub(super) fn run_peak(&mut self, first: &[u32], single: &[LevelIx], purse: &mut Purse<'_>, offer: &mut Offer<'_>) {
        let mut peak = Peak::new(self.problem, &self.items, single);
        let start = self.macros.of_items(first);
        // The sum over the order is to pass four fifths of the first peak as seldom as can be.
        let floor = peak.of(&self.items, first, 0).peak / 5 * 4;
        let cost = |load: Load| load.peak as f64 + load.excess * 4.0 + load.crowded as f64 * 1e9;
        let phase = purse.phase("macros", 0.6, 1);
        let heat = Heat { first: self.size, last: self.size / 50.0 };
        let (items, macros, list, done) = (&self.items, &self.macros, &mut self.list, &mut self.done);
        let energy = |order: &[u32], _: f64| {
            macros.items(items, order, list, done);
            Some(cost(peak.of(items, list, floor)))
        };
        let order = anneal(web(macros), &start, heat, purse, &phase, &mut self.dice, &mut Plain(energy));
        let order = order.map_or(start, |found| found.order);
        let items = self.items_of(&order);
        self.scan_weights(Candidate::new(items, "macros"), purse, offer);
        let alone = Macros::single(self.problem, &self.items);
        let phase = purse.phase("items", 0.4, 1);
        let start = self.items_of(&order);
        let heat = Heat { first: self.size / 4.0, last: self.size / 50.0 };
        let energy = |order: &[u32], _: f64| Some(cost(peak.of(&self.items, order, floor)));
        let order = anneal(web(&alone), &start, heat, purse, &phase, &mut self.dice, &mut Plain(energy));
        let candidate = Candidate::new(order.map_or(start, |found| found.order), "items");
        self.scan_weights(candidate, purse, offer);
    }
}
