//! What an order of groups comes to: that of the macros as they open, of which a change of groups leaves most in place.

use std::ops::Range;

use super::anneal::{Energy, WHOLE};
use super::groups::Groups;
use super::macros::Macros;
use super::revised::Revised;
use crate::model::Problem;

/// What opening the groups takes: about as long as an evaluation.
const OPENING: u64 = WHOLE;

/// An order of groups with the order of macros that it opens to.
pub(super) struct Opened<'a> {
    groups: &'a Groups,
    macros: &'a Macros,
    revised: Revised<'a>,
    now: Vec<u32>,
    tried: Vec<u32>,
    /// What the order that is kept comes to.
    units: f64,
    /// Whether the last change made no difference to the macros.
    is_same: bool,
}

impl<'a> Opened<'a> {
    pub(super) fn new(problem: &Problem, groups: &'a Groups, macros: &'a Macros) -> Self {
        let revised = Revised::new(problem, macros);
        Self { groups, macros, revised, now: Vec::new(), tried: Vec::new(), units: 0.0, is_same: false }
    }
}

impl Energy for Opened<'_> {
    fn of(&mut self, order: &[u32]) -> Option<f64> {
        self.now = self.groups.open(self.macros, order)?;
        self.units = self.revised.of(&self.now)?;
        Some(self.units)
    }

    fn changed(&mut self, order: &[u32], _: Range<usize>, limit: f64) -> Option<f64> {
        self.tried = self.groups.open(self.macros, order)?;
        let differs = |(now, tried): (&u32, &u32)| now != tried;
        let start = self.now.iter().zip(&self.tried).position(differs);
        self.is_same = start.is_none();
        let Some(start) = start else { return Some(self.units) };
        let same_behind = self.now.iter().rev().zip(self.tried.iter().rev()).position(differs).unwrap_or(0);
        self.revised.changed(&self.tried, start..self.tried.len() - same_behind, limit)
    }

    fn keep(&mut self, _: &[u32], found: f64, is_best: bool) -> f64 {
        if !self.is_same {
            std::mem::swap(&mut self.now, &mut self.tried);
            self.units = self.revised.keep(&self.now, found, is_best);
        }
        self.units
    }

    fn spent(&self) -> u64 {
        OPENING + if self.is_same { 0 } else { self.revised.spent() }
    }
}
