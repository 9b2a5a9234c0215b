//! What a search may spend: evaluations, which give the same plan on any machine, or seconds.

use std::time::Instant;

use super::anneal::WHOLE;

/// What a search may spend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// So many evaluations of an order with addresses left aside; an exact one counts for eight, and one of a part of the
    /// order for that part.
    Evaluations(u64),
    /// So much time by the clock; the result tells how many evaluations that were.
    Seconds(f64),
}

/// News of a running search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    /// Evaluations so far.
    pub evaluations: u64,
    /// The share of the budget that is spent, from 0 to 1.
    pub done: f64,
    /// What the phase at hand has as its best, in the objective's units.
    pub best: f64,
    /// The phase.
    pub phase: &'static str,
}

/// Evaluations between two calls of the progress function.
const PULSE: u64 = 256;

/// The budget with what is spent of it.
pub(super) struct Purse<'a> {
    budget: Budget,
    started: Instant,
    spent: u64,
    /// Parts of an evaluation beside; see [`WHOLE`].
    parts: u64,
    /// Where the phases so far end, as a share of the whole.
    planned: f64,
    /// What the shares of phases are shares of, as a share of the whole.
    part: f64,
    tell: &'a mut dyn FnMut(Progress) -> bool,
    stopped: bool,
    phase: &'static str,
    best: f64,
}

/// A phase of the search: what share of the budget has been spent when it begins and ends.
pub(super) struct Phase {
    start: f64,
    end: f64,
    /// What an evaluation counts for.
    pub(super) price: u64,
}

impl<'a> Purse<'a> {
    /// `tell` hears how it goes and returns whether to go on.
    pub(super) fn new(budget: Budget, tell: &'a mut dyn FnMut(Progress) -> bool) -> Self {
        Self {
            budget,
            started: Instant::now(),
            spent: 0,
            parts: 0,
            planned: 0.0,
            part: 1.0,
            tell,
            stopped: false,
            phase: "",
            best: f64::INFINITY,
        }
    }

    pub(super) fn spent(&self) -> u64 {
        self.spent
    }

    /// Counts evaluations.
    pub(super) fn spend(&mut self, evaluations: u64) {
        let pulses = self.spent / PULSE;
        self.spent += evaluations;
        if self.spent / PULSE > pulses {
            self.report();
        }
    }

    /// Counts parts of evaluations.
    pub(super) fn spend_parts(&mut self, parts: u64) {
        self.parts += parts;
        self.spend(self.parts / WHOLE);
        self.parts %= WHOLE;
    }

    /// Whether all is spent, or whoever listens has had enough.
    pub(super) fn is_over(&self) -> bool {
        self.stopped || self.share() >= 1.0
    }

    pub(super) fn improved(&mut self, best: f64) {
        self.best = best;
        self.report();
    }

    fn report(&mut self) {
        let news =
            Progress { evaluations: self.spent, done: self.share().min(1.0), best: self.best, phase: self.phase };
        self.stopped |= !(self.tell)(news);
    }

    /// The share that is spent, which may pass 1.
    pub(super) fn share(&self) -> f64 {
        match self.budget {
            Budget::Evaluations(all) => self.spent as f64 / all.max(1) as f64,
            Budget::Seconds(all) => self.started.elapsed().as_secs_f64() / all.max(1e-9),
        }
    }

    /// How many evaluations there will be in all, if one takes so many `seconds`.
    pub(super) fn expected(&self, seconds: impl FnOnce() -> f64) -> f64 {
        match self.budget {
            Budget::Evaluations(all) => all as f64,
            Budget::Seconds(all) => all / seconds().max(1e-9),
        }
    }

    /// The share that is planned for no phase yet.
    pub(super) fn left(&self) -> f64 {
        1.0 - self.planned
    }

    /// From now on, the shares of phases are shares of this part of the whole.
    pub(super) fn within(&mut self, part: f64) {
        self.part = part;
    }

    /// Plans a phase of that share of the part at hand, behind those before it, whose evaluations count for `price` each.
    pub(super) fn phase(&mut self, name: &'static str, share: f64, price: u64) -> Phase {
        self.phase = name;
        self.planned = (self.planned + share * self.part).min(1.0);
        Phase { start: self.share(), end: self.planned, price }
    }

    /// How much of the phase has passed, from 0 to 1; `None` when it is over.
    pub(super) fn progress(&self, phase: &Phase) -> Option<f64> {
        let now = self.share();
        (now < phase.end && !self.stopped).then(|| (now - phase.start) / (phase.end - phase.start))
    }
}
