//! What an order of macros comes to with addresses and cycles: the exact evaluation as something to anneal by.

use std::ops::Range;

use super::Objective;
use super::addresses::Fit;
use super::anneal::{Energy, WHOLE};
use super::exact::{Exact, Limits, Rerun, Score};
use super::items::{Expander, Items};
use super::macros::Macros;
use super::phases::whole;
use crate::model::Problem;

/// Changes that are kept until all is decided anew.
const STALE: u32 = 200;

/// Evaluates orders of macros exactly, by an objective.
pub(super) struct Placed<'a> {
    problem: &'a Problem,
    items: &'a Items,
    macros: &'a Macros,
    objective: &'a Objective,
    /// The most extra traffic that the objective allows.
    allowed: u64,
    exact: Exact<'a>,
    rerun: Rerun<'a>,
    fit: Fit,
    expander: Expander,
    list: Vec<u32>,
    done: Vec<bool>,
    kept: u32,
}

impl<'a> Placed<'a> {
    /// For orders that are placed with the weights `fit`.
    pub(super) fn new(
        exact: &Exact<'a>,
        (problem, items, macros): (&'a Problem, &'a Items, &'a Macros),
        (objective, allowed): (&'a Objective, u64),
        fit: Fit,
    ) -> Self {
        Self {
            problem,
            items,
            macros,
            objective,
            allowed,
            exact: exact.clone(),
            rerun: Rerun::new(exact, fit),
            fit,
            expander: Expander::default(),
            list: Vec::new(),
            done: Vec::new(),
            kept: 0,
        }
    }

    fn cost(&self, score: Score) -> f64 {
        self.objective.cost(score.traffic, score.makespan, 0, self.allowed)
    }

    /// Where an evaluation may stop since its cost passes `most`.
    fn limits(&self, most: f64) -> Limits {
        match self.objective {
            Objective::Traffic => Limits { traffic: whole(most), ..Limits::NONE },
            Objective::Makespan { .. } => Limits { makespan: whole(most), ..Limits::NONE },
            Objective::PeakStay { .. } | Objective::Weighted { .. } => Limits::NONE,
        }
    }

    /// Makes the order of nodes, which the expander keeps.
    fn expand(&mut self, order: &[u32]) {
        self.macros.items(self.items, order, &mut self.list, &mut self.done);
        self.expander.nodes(self.problem, self.items, &self.list);
    }

    /// Decides all anew, where that ends in a plan.
    fn decide_anew(&mut self) -> Option<Score> {
        self.kept = 0;
        let nodes = self.expander.last();
        self.exact.of(nodes, self.fit, Limits::NONE)?;
        self.rerun.whole(nodes)
    }
}

impl Energy for Placed<'_> {
    fn of(&mut self, order: &[u32]) -> Option<f64> {
        self.expand(order);
        let score = self.rerun.whole(self.expander.last())?;
        Some(self.cost(score))
    }

    fn changed(&mut self, order: &[u32], _: Range<usize>, limit: f64) -> Option<f64> {
        self.expand(order);
        let score = self.rerun.changed(self.expander.last(), self.limits(limit))?;
        Some(self.cost(score))
    }

    fn keep(&mut self, _: &[u32], found: f64, is_best: bool) -> f64 {
        self.kept += 1;
        if (is_best || self.kept > STALE)
            && let Some(score) = self.decide_anew()
        {
            return self.cost(score);
        }
        self.rerun.keep(self.expander.last());
        found
    }

    fn spent(&self) -> u64 {
        self.rerun.walked(WHOLE)
    }
}
