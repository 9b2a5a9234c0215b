//! Addresses for an order: the weights that suit it, a layout, and annealing with the exact evaluation.

use std::sync::Arc;

use super::super::Objective;
use super::super::addresses::Fit;
use super::super::anneal::{Heat, anneal};
use super::super::budget::{Phase, Purse};
use super::super::dice::Dice;
use super::super::exact::Limits;
use super::super::layout::Packer;
use super::super::macros::Macros;
use super::super::placed::Placed;
use super::{Candidate, EXACT, Offer, SNUGS, Search, TIMES, TRUSTS, web};

/// What a pass over all stays counts for.
const PASS: u64 = 4;

impl Search<'_> {
    /// The best weights for an order of macros.
    pub(super) fn scan_weights(
        &mut self,
        order: &[u32],
        phase: &'static str,
        purse: &mut Purse<'_>,
        offer: &mut Offer<'_>,
    ) -> Candidate {
        let items = self.items_of(order);
        self.scan_weights_of(Candidate::new(items, phase), purse, offer)
    }

    /// The candidate with the weights that suit it best.
    pub(super) fn scan_weights_of(
        &mut self,
        candidate: Candidate,
        purse: &mut Purse<'_>,
        offer: &mut Offer<'_>,
    ) -> Candidate {
        let mut scored = Vec::new();
        for fit in std::iter::once(candidate.fit).chain(self.weights(&candidate)) {
            purse.spend(EXACT);
            if let Some(score) = self.score(&Candidate { fit, ..candidate.clone() }, Limits::NONE) {
                self.least = self.least.min(score.traffic);
                scored.push((score, fit));
            }
            if purse.is_over() {
                break;
            }
        }
        let best = scored.iter().min_by(|a, b| self.cost_of(a.0).total_cmp(&self.cost_of(b.0)));
        let candidate = Candidate { fit: best.map_or(candidate.fit, |(_, fit)| *fit), ..candidate };
        self.offer(&candidate, purse, offer);
        candidate
    }

    /// The weights that are tried for a candidate: a layout leaves less to be decided.
    fn weights(&self, candidate: &Candidate) -> Vec<Fit> {
        let each =
            |others: &'static [f64]| TIMES.iter().flat_map(move |&time| others.iter().map(move |&other| (time, other)));
        if candidate.layout.is_empty() {
            return each(&SNUGS).map(|(time, snug)| Fit { time, snug, trust: 0.0 }).collect();
        }
        each(&TRUSTS).map(|(time, trust)| Fit { time, snug: 0.0, trust: trust * self.unit }).collect()
    }

    /// The candidate with addresses at which it moves little more than the fast evaluation says. `None` where too many
    /// buffers meet to look for any.
    pub(super) fn lay_out(&mut self, candidate: &Candidate, share: f64, purse: &mut Purse<'_>) -> Option<Candidate> {
        let phase = purse.phase("layout", share, EXACT);
        let single = Macros::single(self.problem, &self.items);
        let stays = self.traffic.stays(&single, &candidate.items)?;
        let mut packer = Packer::new(self.problem, &self.items, &stays)?;
        while packer.outside() > 0 && purse.progress(&phase).is_some() {
            packer.again(&mut self.dice);
            purse.spend(PASS);
        }
        let layout = Arc::new(packer.into_layout());
        let fit = Fit { trust: f64::INFINITY, ..candidate.fit };
        Some(Candidate { layout, fit, phase: "layout", ..candidate.clone() })
    }

    /// Anneals macros with the exact evaluation, from `start`.
    pub(super) fn exact_macros(
        &mut self,
        candidate: &Candidate,
        start: Vec<u32>,
        share: f64,
        purse: &mut Purse<'_>,
    ) -> Candidate {
        let phase = purse.phase("exact", share, EXACT);
        let dice = Dice::new(self.dice.roll());
        let order = self.anneal_placed(&self.macros, &start, candidate, self.unit, (purse, &phase), dice);
        let items = self.items_of(&order.unwrap_or(start));
        Candidate { items, phase: "exact", ..candidate.clone() }
    }

    /// Anneals single items with the exact evaluation.
    pub(super) fn exact_items(&mut self, candidate: Candidate, share: f64, purse: &mut Purse<'_>) -> Candidate {
        let phase = purse.phase("items", share, EXACT);
        let single = Macros::single(self.problem, &self.items);
        let dice = Dice::new(self.dice.roll());
        let start = &candidate.items;
        let order = self.anneal_placed(&single, start, &candidate, self.unit / 2.0, (purse, &phase), dice);
        Candidate { items: order.unwrap_or(candidate.items), phase: "items", ..candidate }
    }

    /// Anneals from `start`, placed as the candidate is; `unit` is that of temperatures.
    fn anneal_placed(
        &self,
        macros: &Macros,
        start: &[u32],
        candidate: &Candidate,
        unit: f64,
        (purse, phase): (&mut Purse<'_>, &Phase),
        mut dice: Dice,
    ) -> Option<Vec<u32>> {
        let parts = (self.problem, &self.items, macros);
        let mut exact = self.exact.clone();
        exact.follow(&candidate.layout);
        let mut placed = Placed::new(&exact, parts, (self.objective, self.traffic_limit()), candidate.fit);
        let heat = heat(self.objective, unit);
        Some(anneal(web(macros), start, heat, purse, phase, &mut dice, &mut placed)?.0)
    }
}

/// The temperatures for exact annealing, from a good start: not hot.
fn heat(objective: &Objective, unit: f64) -> Heat {
    let scale = match objective {
        Objective::Traffic | Objective::PeakStay { .. } => unit,
        Objective::Makespan { .. } => unit * 2.0,
        Objective::Weighted { traffic, makespan } => unit * (traffic + makespan * 2.0).max(1e-9),
    };
    Heat { first: scale / 2.0, last: scale / 20.0 }
}
