//! The phases of a search, one after the other, each from the best that those before it left.
//!
//! `start.rs`: starting orders, and annealing with the fast evaluation. `place.rs`: addresses, and annealing with the exact
//! one. `least_peak.rs`: the phases of a search for a small peak.

mod least_peak;
mod place;
mod start;

use std::sync::Arc;
use std::time::Instant;

use super::Objective;
use super::addresses::Fit;
use super::anneal::Annealed;
use super::budget::Purse;
use super::dice::Dice;
use super::exact::{Exact, Limits, Score};
use super::items::{Expander, Items};
use super::layout::Layout;
use super::macros::Macros;
use super::moves::{MoveKind, Web};
use super::traffic::Traffic;
use crate::model::{BufIx, NodeIx, Plan, Problem};

/// An order of items, and how it is placed.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) items: Vec<u32>,
    pub(super) fit: Fit,
    pub(super) layout: Arc<Layout>,
    pub(super) phase: &'static str,
    /// The kind of the move that led to it.
    pub(super) kind: Option<MoveKind>,
}

impl Candidate {
    /// With the first of the weights that are tried, and no layout.
    fn new(items: Vec<u32>, phase: &'static str) -> Self {
        Self { items, fit: Fit { time: TIMES[0], ..Fit::default() }, layout: Arc::default(), phase, kind: None }
    }
}

/// What a round comes to.
#[derive(Default)]
struct Round {
    candidate: Option<Candidate>,
    score: Option<Score>,
    /// The order of macros behind it.
    order: Vec<u32>,
    /// Whether addresses cost much beside it.
    is_apart: bool,
}

/// Evaluations of a round, at least, where there are several; and how many there are at most.
const ROUND: f64 = 40_000.0;
const MOST_ROUNDS: u32 = 8;

/// Legs of the last annealing.
const LEGS: u32 = 3;

/// What the last annealing makes small where little traffic is wanted.
const CYCLES: Objective = Objective::Makespan { slack: 1.0 };

/// Evaluations by which it is known how long one takes.
const CLOCKED: u32 = 8;

/// Hears of candidates.
type Offer<'o> = dyn FnMut(&Candidate, &mut Search<'_>, u64) + 'o;

/// All that the phases share.
pub(super) struct Search<'a> {
    problem: &'a Problem,
    objective: &'a Objective,
    items: Items,
    macros: Macros,
    traffic: Traffic,
    exact: Exact<'a>,
    expander: Expander,
    dice: Dice,
    /// The unit of temperatures: what one spill costs, as a rule, times [`WARMTH`].
    unit: f64,
    /// The size of a buffer, as a rule: the unit of temperatures for the peak.
    size: f64,
    /// The least extra traffic so far.
    least: u64,
    list: Vec<u32>,
    done: Vec<bool>,
}

/// The weights that are tried, of time and of what is left over of a hole; and how far a layout is trusted, in what one
/// spill costs, as a rule.
const TIMES: [f64; 8] = [1e-6, 1e-5, 1e-4, 3e-4, 1e-3, 1e-2, 0.1, 0.0];
const SNUGS: [f64; 3] = [0.0, 1e-5, 1e-3];
const TRUSTS: [f64; 3] = [f64::INFINITY, 1.0, 0.1];

/// By which spills weigh as temperatures: at half and at twice as much, public kernel graphs end with more traffic.
const WARMTH: f64 = 2.0;

/// By how much the exact traffic may be above the fast evaluation's before the two have parted ways.
const APART: f64 = 1.02;

/// What an exact evaluation counts for: it takes about as long as so many fast ones.
const EXACT: u64 = 8;

impl<'a> Search<'a> {
    pub(super) fn new(problem: &'a Problem, objective: &'a Objective, seed: u64) -> Self {
        let items = Items::new(problem);
        let macros = Macros::contracted(problem, &items);
        let all = (0..problem.graph.buffers().len()).map(BufIx::new);
        let sizes = mean(all.clone().map(|buf| problem.graph.buffer(buf).size));
        let spills =
            mean(all.filter(|&buf| problem.level(problem.level_of(buf)).spill).map(|buf| problem.spill_cost(buf)));
        Self {
            problem,
            objective,
            macros,
            items,
            traffic: Traffic::new(problem),
            exact: Exact::new(problem),
            expander: Expander::default(),
            dice: Dice::new(seed),
            unit: spills * WARMTH,
            size: sizes,
            least: u64::MAX,
            list: Vec::new(),
            done: Vec::new(),
        }
    }

    /// The plan of a candidate.
    pub(super) fn plan(&mut self, candidate: &Candidate) -> Option<Plan> {
        let nodes = self.expander.nodes(self.problem, &self.items, &candidate.items);
        self.exact.follow(&candidate.layout);
        self.exact.plan(nodes, candidate.fit)
    }

    /// What annealing with the exact evaluation makes small, and the most traffic that it allows. Less traffic is hardly ever
    /// found so; where that is wanted, it is cycles at the least there is.
    fn goal(&self) -> (&'a Objective, u64) {
        match self.objective {
            Objective::Traffic => (&CYCLES, self.least),
            other => (other, self.traffic_limit()),
        }
    }

    /// The most extra traffic that the objective allows.
    pub(super) fn traffic_limit(&self) -> u64 {
        match self.objective {
            // Casts from floats saturate.
            #[expect(clippy::cast_sign_loss, reason = "the slack is at least 1")]
            Objective::Makespan { slack } if self.least < u64::MAX => (self.least as f64 * slack.max(1.0)) as u64,
            _ => u64::MAX,
        }
    }

    /// All phases. An order that somebody gave is annealed as it is, too; others are but one to begin with among several.
    pub(super) fn run(&mut self, first: &[NodeIx], is_given: bool, purse: &mut Purse<'_>, offer: &mut Offer<'_>) {
        let first = self.items.of_order(first);
        if let Objective::PeakStay { single } = self.objective {
            self.run_peak(&first, single, purse, offer);
            return;
        }
        let program = self.macros.of_items(&first);
        let found = self.all_rounds(&first, &program, is_given, purse, offer);
        let cost = |round: &Round| round.score.map_or(f64::INFINITY, |score| self.cost_of(score));
        let best = found.into_iter().min_by(|a, b| cost(a).total_cmp(&cost(b)));
        let Some(Round { candidate: Some(candidate), order, is_apart, .. }) = best else { return };
        // Cycles are known to the exact evaluation alone, which hardly finds the way to little traffic where sizes are mixed:
        // there it goes on from where addresses were laid out.
        let candidate = if self.is_for_traffic() || is_apart {
            candidate
        } else {
            let candidate = self.exact_macros(&candidate, order, 0.25, purse, offer);
            self.scan_weights(candidate, purse, offer)
        };
        // Other weights suit other orders, so what is left goes in legs, each cooler than the one before.
        let share = purse.left() / f64::from(LEGS);
        (0..LEGS).fold(candidate, |candidate, leg| {
            let candidate = self.exact_items(candidate, share, 1.0 / f64::from(1 << leg), purse, offer);
            self.scan_weights(candidate, purse, offer)
        });
    }

    fn is_for_traffic(&self) -> bool {
        matches!(self.objective, Objective::Traffic)
    }

    /// The first order, and what each round came to.
    fn all_rounds(
        &mut self,
        first: &[u32],
        program: &[u32],
        is_given: bool,
        purse: &mut Purse<'_>,
        offer: &mut Offer<'_>,
    ) -> Vec<Round> {
        let as_it_is = || Round { order: program.to_vec(), is_apart: true, ..Round::default() };
        let candidate = Candidate::new(first.to_vec(), "first order");
        self.offer(&candidate, purse, offer);
        let mut found = vec![self.scored(candidate, as_it_is())];
        let is_mild = self.is_mild(program);
        // Little traffic is soon found where little does not fit; cycles take longer.
        let part = match (self.is_for_traffic(), is_mild) {
            (true, _) => 0.9,
            (false, true) => 0.3,
            (false, false) => 0.65,
        };
        let rounds = self.rounds(program, part, purse);
        purse.within(part / f64::from(rounds + u32::from(is_given)));
        if is_given {
            found.push(self.by_items(first, as_it_is(), [0.7, 0.3], purse, offer));
        }
        for turn in 0..rounds {
            if self.least == 0 {
                break;
            }
            found.push(if is_mild && turn % 2 == 0 {
                self.fitting_round(program, purse, offer)
            } else {
                self.round(program, purse, offer)
            });
        }
        purse.within(1.0);
        found
    }

    /// How often it pays to begin anew: what a round finds depends on where it begins, more than on how long it takes.
    fn rounds(&mut self, program: &[u32], part: f64, purse: &Purse<'_>) -> u32 {
        let expected = purse.expected(|| {
            let started = Instant::now();
            (0..CLOCKED).for_each(|_| {
                self.traffic.of(&self.macros, program, u64::MAX);
            });
            started.elapsed().as_secs_f64() / f64::from(CLOCKED)
        });
        #[expect(clippy::cast_sign_loss, reason = "casts from floats saturate")]
        let rounds = (expected * part / ROUND) as u32;
        rounds.clamp(1, MOST_ROUNDS)
    }

    /// From a starting order to a candidate, with the fast evaluation and a layout.
    fn round(&mut self, program: &[u32], purse: &mut Purse<'_>, offer: &mut Offer<'_>) -> Round {
        let start = self.best_start(program.to_vec(), 0.1, purse);
        let annealed = self.anneal_macros(start, 0.65, purse);
        let plain = Candidate::new(Vec::new(), "macros");
        self.retrace(&annealed, false, &plain, purse, offer);
        let Annealed { order, energy: fast, kind, .. } = annealed;
        let items = self.items_of(&order);
        let candidate = Candidate { kind, ..Candidate::new(items.clone(), "macros") };
        let candidate = self.scan_weights(candidate, purse, offer);
        let round = self.scored(candidate, Round { order, ..Round::default() });
        let is_apart = round.score.is_none_or(|score| score.traffic as f64 > fast * APART);
        self.by_items(&items, Round { is_apart, ..round }, [0.15, 0.1], purse, offer)
    }

    /// The same where little does not fit: what does not is made less first, then the traffic.
    fn fitting_round(&mut self, program: &[u32], purse: &mut Purse<'_>, offer: &mut Offer<'_>) -> Round {
        let items = self.fitted(program.to_vec(), 0.5, purse);
        let order = self.macros.of_items(&items);
        let round = Round { order, is_apart: true, ..Round::default() };
        self.by_items(&items, round, [0.25, 0.25], purse, offer)
    }

    /// Anneals on with the fast evaluation, single items now; and where addresses cost something beside the order, looks for
    /// ones that do not.
    fn by_items(
        &mut self,
        items: &[u32],
        round: Round,
        [annealing, layout]: [f64; 2],
        purse: &mut Purse<'_>,
        offer: &mut Offer<'_>,
    ) -> Round {
        let annealed = self.anneal_items(items, annealing, purse);
        let plain = Candidate::new(Vec::new(), "single items");
        self.retrace(&annealed, true, &plain, purse, offer);
        let Annealed { order: items, energy: fast, kind, .. } = annealed;
        let candidate = Candidate { kind, ..Candidate::new(items, "single items") };
        let candidate = self.scan_weights(candidate, purse, offer);
        let laid_out = match self.score(&candidate, Limits::NONE) {
            Some(score) if score.traffic as f64 <= fast => None,
            _ => self.lay_out(&candidate, layout, purse),
        };
        let round = self.scored(candidate, round);
        let Some(laid_out) = laid_out else { return round };
        let laid_out = self.scan_weights(laid_out, purse, offer);
        self.scored(laid_out, round)
    }

    /// The round with this candidate, where it is better.
    fn scored(&mut self, candidate: Candidate, round: Round) -> Round {
        let score = self.score(&candidate, Limits::NONE);
        let cost = |score: Option<Score>| score.map_or(f64::INFINITY, |score| self.cost_of(score));
        let is_better = round.candidate.is_none() || cost(score) < cost(round.score);
        if is_better { Round { candidate: Some(candidate), score, ..round } } else { round }
    }

    /// The items of an order of macros.
    fn items_of(&mut self, order: &[u32]) -> Vec<u32> {
        self.macros.items(&self.items, order, &mut self.list, &mut self.done);
        self.list.clone()
    }

    /// What a score costs by the objective.
    fn cost_of(&self, score: Score) -> f64 {
        self.objective.cost(score.traffic, score.makespan, 0, self.traffic_limit())
    }

    /// Offers what annealing passed on its way, placed `like` that: orders of single items, or else of macros.
    fn retrace(
        &mut self,
        annealed: &Annealed,
        is_single: bool,
        like: &Candidate,
        purse: &mut Purse<'_>,
        offer: &mut Offer<'_>,
    ) {
        for point in &annealed.trail {
            let items = if is_single { point.order.clone() } else { self.items_of(&point.order) };
            let candidate = Candidate { items, kind: Some(point.kind), ..like.clone() };
            purse.spend(EXACT);
            offer(&candidate, self, point.evaluations);
        }
    }

    fn offer(&mut self, candidate: &Candidate, purse: &mut Purse<'_>, offer: &mut Offer<'_>) {
        purse.spend(EXACT);
        if let Some(score) = self.score(candidate, Limits::NONE) {
            self.least = self.least.min(score.traffic);
        }
        offer(candidate, self, purse.spent());
    }

    fn score(&mut self, candidate: &Candidate, limits: Limits) -> Option<Score> {
        let nodes = self.expander.nodes(self.problem, &self.items, &candidate.items);
        self.exact.follow(&candidate.layout);
        self.exact.of(nodes, candidate.fit, limits)
    }
}

/// The mean, at least 1.
fn mean(values: impl Iterator<Item = u64>) -> f64 {
    let (count, sum) = values.fold((0u64, 0.0), |(count, sum), value| (count + 1, sum + value as f64));
    (sum / count.max(1) as f64).max(1.0)
}

fn web(macros: &Macros) -> Web<'_> {
    Web { preds: &macros.preds, succs: &macros.succs, touches: &macros.accesses, users: &macros.users, bundle: 0 }
}

/// Held between 0 and 2^64 − 1.
#[expect(clippy::cast_sign_loss, reason = "casts from floats saturate")]
pub(super) fn whole(limit: f64) -> u64 {
    limit as u64
}
