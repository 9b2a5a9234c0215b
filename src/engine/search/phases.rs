//! The phases of a search, one after the other, each from the best that those before it left.

use super::Objective;
use super::addresses::Fit;
use super::anneal::{Heat, Plain, anneal};
use super::budget::{Phase, Purse};
use super::dice::Dice;
use super::exact::{Exact, Limits, Score};
use super::groups::Groups;
use super::items::{Expander, Items};
use super::macros::Macros;
use super::moves::Web;
use super::opened::Opened;
use super::peak::{Load, Peak};
use super::placed::Placed;
use super::revised::Revised;
use super::tour::Tour;
use super::traffic::Traffic;
use crate::model::{BufIx, NodeIx, Plan, Problem};

/// An order of items and the weights by which it is placed.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) items: Vec<u32>,
    pub(super) fit: Fit,
    pub(super) phase: &'static str,
}

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

/// The weights that are tried, of time and of what is left over of a hole.
const TIMES: [f64; 7] = [1e-6, 1e-5, 1e-4, 3e-4, 1e-3, 1e-2, 0.0];
const SNUGS: [f64; 3] = [0.0, 1e-5, 1e-3];

/// By which spills weigh as temperatures: at half and at twice as much, public kernel graphs end with more traffic.
const WARMTH: f64 = 2.0;

/// By how much the exact traffic may be above the fast evaluation's before the two have parted ways.
const APART: f64 = 1.02;

/// What an exact evaluation counts for: it takes about as long as so many fast ones.
const EXACT: u64 = 8;

/// Tries of the rough annealing of groups, for each group.
const TRIES: u64 = 200;

/// What it may look at in all.
const MOST_WORK: u64 = 100_000_000;

/// Draws of a starting order by nearest neighbours, at most.
const DRAWS: u32 = 10;

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
        self.exact.plan(nodes, candidate.fit)
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

    pub(super) fn run(&mut self, first: &[NodeIx], purse: &mut Purse<'_>, offer: &mut Offer<'_>) {
        let first = self.items.of_order(first);
        if let Objective::PeakStay { single } = self.objective {
            self.run_peak(&first, single, purse, offer);
            return;
        }
        let fit = Fit { time: TIMES[0], snug: SNUGS[0] };
        self.offer(&Candidate { items: first.clone(), fit, phase: "first order" }, purse, offer);
        let program = self.macros.of_items(&first);
        let start = self.best_start(program, 0.15, purse);
        let (best, fast) = self.anneal_macros(start, 0.2, purse);
        let candidate = self.scan_weights(&best, "macros", purse, offer);
        // Where addresses cost much beside the order, the exact evaluation gets the rest of the budget; where cycles count
        // too. Else more is to be had from the fast one.
        let for_cycles = !matches!(self.objective, Objective::Traffic);
        let apart = self.least as f64 > fast * APART;
        let candidate = if for_cycles || apart {
            self.by_exact(candidate, best, apart && for_cycles, purse, offer)
        } else {
            self.by_fast(best, purse, offer)
        };
        let candidate = self.exact_items(candidate, 1.0, purse);
        self.scan_weights_of(candidate, purse, offer);
    }

    /// Anneals on with the fast evaluation: macros again, then single items.
    fn by_fast(&mut self, best: Vec<u32>, purse: &mut Purse<'_>, offer: &mut Offer<'_>) -> Candidate {
        let (best, _) = self.anneal_macros(best, 0.2, purse);
        let candidate = self.scan_weights(&best, "macros", purse, offer);
        let items = self.anneal_items(&candidate.items, 0.35, purse);
        self.scan_weights_of(Candidate { items, phase: "single items", ..candidate }, purse, offer)
    }

    /// Anneals on with the exact evaluation, first for traffic where addresses cost much and cycles are wanted.
    fn by_exact(
        &mut self,
        candidate: Candidate,
        best: Vec<u32>,
        for_traffic_first: bool,
        purse: &mut Purse<'_>,
        offer: &mut Offer<'_>,
    ) -> Candidate {
        let candidate = if for_traffic_first {
            let nearest = self.exact_macros(&candidate, best.clone(), 0.1, true, purse);
            self.scan_weights_of(nearest, purse, offer)
        } else {
            candidate
        };
        let candidate = self.exact_macros(&candidate, best, 0.3, false, purse);
        self.scan_weights_of(candidate, purse, offer)
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
        self.exact.of(nodes, candidate.fit, limits)
    }

    /// The better of program order and an order of groups.
    fn best_start(&mut self, program: Vec<u32>, share: f64, purse: &mut Purse<'_>) -> Vec<u32> {
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
            Some((order, units)) if before.is_none_or(|before| units < before as f64) => {
                groups.open(&self.macros, &order).unwrap_or(program)
            }
            _ => program,
        }
    }

    /// Anneals macros with addresses aside.
    fn anneal_macros(&mut self, start: Vec<u32>, share: f64, purse: &mut Purse<'_>) -> (Vec<u32>, f64) {
        let phase = purse.phase("macros", share, 1);
        let heat = Heat { first: self.unit, last: self.unit / 10.0 };
        let mut revised = Revised::new(self.problem, &self.macros);
        let found = anneal(web(&self.macros), &start, heat, purse, &phase, &mut self.dice, &mut revised);
        found.unwrap_or((start, f64::INFINITY))
    }

    /// Anneals single items with addresses aside. So a tile may be moved on to an inner level long before it is used there,
    /// which keeps it while its place in the outer level serves another.
    fn anneal_items(&mut self, start: &[u32], share: f64, purse: &mut Purse<'_>) -> Vec<u32> {
        let phase = purse.phase("single items", share, 1);
        let single = Macros::single(self.problem, &self.items);
        let heat = Heat { first: self.unit / 2.0, last: self.unit / 20.0 };
        let mut revised = Revised::new(self.problem, &single);
        let found = anneal(web(&single), start, heat, purse, &phase, &mut self.dice, &mut revised);
        found.map_or_else(|| start.to_vec(), |(order, _)| order)
    }

    /// The best weights for an order of macros.
    fn scan_weights(
        &mut self,
        order: &[u32],
        phase: &'static str,
        purse: &mut Purse<'_>,
        offer: &mut Offer<'_>,
    ) -> Candidate {
        self.macros.items(&self.items, order, &mut self.list, &mut self.done);
        let fit = Fit { time: TIMES[0], snug: SNUGS[0] };
        let candidate = Candidate { items: self.list.clone(), fit, phase };
        self.scan_weights_of(candidate, purse, offer)
    }

    /// The candidate with the weights that suit it best.
    fn scan_weights_of(&mut self, candidate: Candidate, purse: &mut Purse<'_>, offer: &mut Offer<'_>) -> Candidate {
        let mut scored = Vec::new();
        let fits = TIMES.iter().flat_map(|&time| SNUGS.iter().map(move |&snug| Fit { time, snug }));
        for fit in std::iter::once(candidate.fit).chain(fits) {
            purse.spend(EXACT);
            if let Some(score) = self.score(&Candidate { fit, ..candidate.clone() }, Limits::NONE) {
                self.least = self.least.min(score.traffic);
                scored.push((score, fit));
            }
            if purse.is_over() {
                break;
            }
        }
        let limit = self.traffic_limit();
        let cost = |score: &Score| self.objective.cost(score.traffic, score.makespan, 0, limit);
        let best = scored.iter().min_by(|a, b| cost(&a.0).total_cmp(&cost(&b.0)));
        let candidate = Candidate { fit: best.map_or(candidate.fit, |(_, fit)| *fit), ..candidate };
        self.offer(&candidate, purse, offer);
        candidate
    }

    /// Anneals macros with the exact evaluation, from `start`. `for_traffic` in place of the objective.
    fn exact_macros(
        &mut self,
        candidate: &Candidate,
        start: Vec<u32>,
        share: f64,
        for_traffic: bool,
        purse: &mut Purse<'_>,
    ) -> Candidate {
        let phase = purse.phase("exact", share, EXACT);
        let objective = if for_traffic { &Objective::Traffic } else { self.objective };
        let heat = heat(objective, self.unit);
        let dice = Dice::new(self.dice.roll());
        let order = self.anneal_placed(&self.macros, &start, (objective, candidate.fit), heat, (purse, &phase), dice);
        self.macros.items(&self.items, &order.unwrap_or(start), &mut self.list, &mut self.done);
        Candidate { items: self.list.clone(), fit: candidate.fit, phase: "exact" }
    }

    /// Anneals single items with the exact evaluation.
    fn exact_items(&mut self, candidate: Candidate, share: f64, purse: &mut Purse<'_>) -> Candidate {
        let phase = purse.phase("items", share, EXACT);
        let single = Macros::single(self.problem, &self.items);
        let heat = heat(self.objective, self.unit / 2.0);
        let (how, dice) = ((self.objective, candidate.fit), Dice::new(self.dice.roll()));
        let order = self.anneal_placed(&single, &candidate.items, how, heat, (purse, &phase), dice);
        Candidate { items: order.unwrap_or(candidate.items), phase: "items", ..candidate }
    }

    fn anneal_placed(
        &self,
        macros: &Macros,
        start: &[u32],
        (objective, fit): (&Objective, Fit),
        heat: Heat,
        (purse, phase): (&mut Purse<'_>, &Phase),
        mut dice: Dice,
    ) -> Option<Vec<u32>> {
        let parts = (self.problem, &self.items, macros);
        let mut placed = Placed::new(&self.exact, parts, (objective, self.traffic_limit()), fit);
        Some(anneal(web(macros), start, heat, purse, phase, &mut dice, &mut placed)?.0)
    }

    /// The whole search for a small peak.
    fn run_peak(
        &mut self,
        first: &[u32],
        single: &[crate::model::LevelIx],
        purse: &mut Purse<'_>,
        offer: &mut Offer<'_>,
    ) {
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
        let order = order.map_or(start, |(order, _)| order);
        self.scan_weights(&order, "macros", purse, offer);
        let alone = Macros::single(self.problem, &self.items);
        let phase = purse.phase("items", 0.4, 1);
        self.macros.items(&self.items, &order, &mut self.list, &mut self.done);
        let start = self.list.clone();
        let heat = Heat { first: self.size / 4.0, last: self.size / 50.0 };
        let energy = |order: &[u32], _: f64| Some(cost(peak.of(&self.items, order, floor)));
        let order = anneal(web(&alone), &start, heat, purse, &phase, &mut self.dice, &mut Plain(energy));
        let fit = Fit { time: TIMES[0], snug: SNUGS[0] };
        let candidate = Candidate { items: order.map_or(start, |(order, _)| order), fit, phase: "items" };
        self.scan_weights_of(candidate, purse, offer);
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

/// The temperatures for exact annealing, from a good start: not hot.
fn heat(objective: &Objective, unit: f64) -> Heat {
    let scale = match objective {
        Objective::Traffic | Objective::PeakStay { .. } => unit,
        Objective::Makespan { .. } => unit * 2.0,
        Objective::Weighted { traffic, makespan } => unit * (traffic + makespan * 2.0).max(1e-9),
    };
    Heat { first: scale / 2.0, last: scale / 20.0 }
}

/// Held between 0 and 2^64 − 1.
#[expect(clippy::cast_sign_loss, reason = "casts from floats saturate")]
pub(super) fn whole(limit: f64) -> u64 {
    limit as u64
}
