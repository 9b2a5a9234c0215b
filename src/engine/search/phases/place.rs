//! Addresses for an order: the weights that suit it, a layout, and annealing with the exact evaluation.

use std::sync::Arc;

use super::super::Objective;
use super::super::addresses::Fit;
use super::super::anneal::{Annealed, Heat, anneal};
use super::super::budget::{Phase, Purse};
use super::super::dice::Dice;
use super::super::exact::Limits;
use super::super::layout::Packer;
use super::super::macros::Macros;
use super::super::placed::Placed;
use super::{Candidate, EXACT, Offer, SNUGS, Search, TIMES, TRUSTS, web};

/// What a pass over all stays counts for.
const PASS: u64 = 4;

/// A scan of the weights ends after this share of the budget, once so many have been tried.
const SCAN: f64 = 0.05;
const FEW: usize = 4;

/// From one pair of weights to the next; prime to how many there are.
const STRIDE: usize = 7;

/// Passes between two layouts that are looked at closely.
const OFTEN: u32 = 6;

impl Search<'_> {
    /// The candidate with the weights that suit it best.
    pub(super) fn scan_weights(
        &mut self,
        candidate: Candidate,
        purse: &mut Purse<'_>,
        offer: &mut Offer<'_>,
    ) -> Candidate {
        let mut scored = Vec::new();
        let before = purse.share();
        for fit in std::iter::once(candidate.fit).chain(self.weights(&candidate)) {
            purse.spend(EXACT);
            if let Some(score) = self.score(&Candidate { fit, ..candidate.clone() }, Limits::NONE) {
                self.least = self.least.min(score.traffic);
                scored.push((score, fit));
            }
            if purse.is_over() || (scored.len() >= FEW && purse.share() > before + SCAN) {
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
        // The whole range is looked at soon, since there may not be time for all.
        let spread = |fits: Vec<Fit>| (0..fits.len()).map(|at| fits[at * STRIDE % fits.len()]).collect();
        let each =
            |others: &'static [f64]| TIMES.iter().flat_map(move |&time| others.iter().map(move |&other| (time, other)));
        if candidate.layout.is_empty() {
            return spread(each(&SNUGS).map(|(time, snug)| Fit { time, snug, trust: 0.0 }).collect());
        }
        spread(each(&TRUSTS).map(|(time, trust)| Fit { time, snug: 0.0, trust: trust * self.unit }).collect())
    }

    /// The candidate with addresses at which it moves little more than the fast evaluation says. `None` where too many
    /// buffers meet to look for any.
    pub(super) fn lay_out(&mut self, candidate: &Candidate, share: f64, purse: &mut Purse<'_>) -> Option<Candidate> {
        let phase = purse.phase("layout", share, EXACT);
        let single = Macros::single(self.problem, &self.items);
        let stays = self.traffic.stays(&single, &candidate.items)?;
        let mut packer = Packer::new(self.problem, &self.items, &stays)?;
        // Where some find no room, it matters who they are and when.
        let mut best = self.laid_out(candidate, &packer, purse);
        for pass in 1u32.. {
            if packer.outside() == 0 || purse.progress(&phase).is_none() {
                break;
            }
            packer.again(&mut self.dice);
            purse.spend(PASS);
            if packer.outside() == 0 || (packer.is_at_best() && pass.is_multiple_of(OFTEN)) {
                let other = self.laid_out(candidate, &packer, purse);
                best = if other.0 < best.0 { other } else { best };
            }
        }
        Some(best.1)
    }

    /// The candidate with the layout as it stands, and its extra traffic.
    fn laid_out(&mut self, candidate: &Candidate, packer: &Packer, purse: &mut Purse<'_>) -> (u64, Candidate) {
        let fit = Fit { trust: f64::INFINITY, ..candidate.fit };
        let layout = Arc::new(packer.layout());
        let candidate = Candidate { layout, fit, phase: "layout", kind: None, ..candidate.clone() };
        purse.spend(EXACT);
        let score = self.score(&candidate, Limits::NONE);
        (score.map_or(u64::MAX, |score| score.traffic), candidate)
    }

    /// Anneals macros with the exact evaluation, from `start`.
    pub(super) fn exact_macros(
        &mut self,
        candidate: &Candidate,
        start: Vec<u32>,
        share: f64,
        purse: &mut Purse<'_>,
        offer: &mut Offer<'_>,
    ) -> Candidate {
        let phase = purse.phase("exact", share, EXACT);
        let dice = Dice::new(self.dice.roll());
        let annealed = self.anneal_placed(&self.macros, &start, candidate, self.unit, (purse, &phase), dice);
        let annealed = annealed.unwrap_or_else(|| Annealed::nothing(start));
        let items = self.items_of(&annealed.order);
        let like = Candidate { phase: "exact", ..candidate.clone() };
        self.retrace(&annealed, false, &like, purse, offer);
        Candidate { items, phase: "exact", kind: annealed.kind, ..candidate.clone() }
    }

    /// Anneals single items with the exact evaluation; `warmth` is 1 for a first time.
    pub(super) fn exact_items(
        &mut self,
        candidate: Candidate,
        share: f64,
        warmth: f64,
        purse: &mut Purse<'_>,
        offer: &mut Offer<'_>,
    ) -> Candidate {
        let phase = purse.phase("items", share, EXACT);
        let single = Macros::single(self.problem, &self.items);
        let dice = Dice::new(self.dice.roll());
        let (start, unit) = (&candidate.items, self.unit / 2.0 * warmth);
        let annealed = self.anneal_placed(&single, start, &candidate, unit, (purse, &phase), dice);
        let Some(annealed) = annealed else { return candidate };
        let candidate = Candidate { phase: "items", ..candidate };
        self.retrace(&annealed, true, &candidate, purse, offer);
        Candidate { items: annealed.order, kind: annealed.kind, ..candidate }
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
    ) -> Option<Annealed> {
        let parts = (self.problem, &self.items, macros);
        let mut exact = self.exact.clone();
        exact.follow(&candidate.layout);
        let (objective, allowed) = self.goal();
        let mut placed = Placed::new(&exact, parts, (objective, allowed), candidate.fit);
        let heat = heat(objective, unit);
        anneal(web(macros), start, heat, purse, phase, &mut dice, &mut placed)
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
