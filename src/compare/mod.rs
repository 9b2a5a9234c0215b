//! Strategies side by side on one graph, one setting over a range of values, and two plans step by step
//! ([`Difference`]).
//!
//! A [`Strategy`] is a value: a name, a problem and options, both changed in one respect from what was asked for, and
//! perhaps a setting that is chosen by a sweep of its own. Each is planned and checked like any other plan
//! ([`Session`]) and comes to an [`Outcome`]; one without a plan stands beside the others and says why.

pub mod difference;
mod hold;
mod limits;
mod measured;
mod strategy;
mod sweep;

pub use difference::Difference;
pub use limits::Limits;
pub use measured::{Lane, Measured, TENTHS};
pub use strategy::{Kind, Strategy, standard, workers};
pub use sweep::{KneeRule, MOST_VALUES, Point, Range, Setting, Sweep, USUAL_VALUES, WITHIN_PERCENT, evenly, stepped};

use crate::engine::search::{Budget, Objective};
use crate::model::{Diagnosis, Fault, Options, Problem};
use crate::session::{Extras, Session, Wanted};

/// What a strategy, or one value of a sweep, came to.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// A plan that the checker finds no fault with.
    Planned(Box<Measured>),
    /// There is no plan.
    NoPlan(Box<Diagnosis>),
    /// There is nothing to plan from: no such order, or sums that cannot be counted.
    NoOrder(Fault),
    /// The plan is broken, and this says how: a fault of ours.
    Broken(String),
}

impl Outcome {
    /// The figures, where there is a plan.
    pub fn measured(&self) -> Option<&Measured> {
        if let Self::Planned(measured) = self { Some(measured) } else { None }
    }

    /// Cycles, where there is a plan.
    pub fn makespan(&self) -> Option<u64> {
        self.measured().map(|measured| measured.figures.makespan)
    }
}

/// One strategy and what it came to.
#[derive(Clone, Debug)]
pub struct Row {
    /// The strategy, with the setting that was chosen for it.
    pub strategy: Strategy,
    /// The sweep that chose it.
    pub tuning: Option<Sweep>,
    /// What it came to.
    pub outcome: Outcome,
}

/// What is enough for a variant of another row, and for a value of a sweep.
const PLAIN: Extras = Extras { fractional_bound: false, remedies: false };

/// Nodes up to which the bound on traffic is worked out: beyond, that may take many seconds.
const MOST_BOUNDED: usize = 40_000;

/// What is worked out for a strategy: with the bound on traffic where it stands for itself.
fn extras(strategy: &Strategy) -> Extras {
    let problem = &strategy.problem;
    let is_bounded = !problem.is_clocked() && problem.graph.node_count() <= MOST_BOUNDED;
    Extras { fractional_bound: is_bounded && strategy.variant_of.is_none(), ..PLAIN }
}

/// Plans and checks; keeps figures and no record.
fn plan(problem: Problem, options: Options, extras: Extras) -> Outcome {
    outcome(Session::plan_meanwhile(problem, options, extras, Measured::new))
}

/// The same with a search of so many evaluations: for the shortest time in pools, else for the least traffic.
fn search(problem: Problem, options: Options, evaluations: u64, extras: Extras) -> Outcome {
    let budget = Budget::Evaluations(evaluations);
    let objective = if problem.is_clocked() { Objective::Makespan { slack: 1.0 } } else { Objective::Traffic };
    let wanted = Wanted { objective, budget, seed: 0, from: None };
    outcome(Session::search_meanwhile(problem, options, extras, &wanted, &mut |_| true, Measured::new))
}

fn outcome(made: Result<(Session, Measured), Fault>) -> Outcome {
    match made {
        Err(fault) => Outcome::NoOrder(fault),
        Ok((session, measured)) => match (session.broken(), session.diagnosis) {
            (Some(how), _) => Outcome::Broken(how),
            (None, Some(diagnosis)) => Outcome::NoPlan(Box::new(diagnosis)),
            (None, None) => Outcome::Planned(Box::new(measured)),
        },
    }
}

/// Strategies on one graph, what they came to, and what none can beat.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The graph, on the machine that was asked for.
    pub problem: Problem,
    /// A row for each strategy.
    pub rows: Vec<Row>,
    /// Bounds for any order.
    pub limits: Limits,
}

impl Comparison {
    /// Runs each strategy. `planned` is called after each of the [`count`] plans that this takes.
    pub fn run(problem: &Problem, strategies: Vec<Strategy>, planned: &mut dyn FnMut()) -> Self {
        let rows = strategies.into_iter().map(|strategy| run(strategy, planned)).collect();
        Self { problem: problem.clone(), rows, limits: Limits::new(problem) }
    }

    /// What memory decides about the columns.
    pub fn kind(&self) -> Kind {
        Kind::of(&self.problem)
    }

    /// The figures of the strategy of that name, where it has a plan.
    pub fn measured(&self, name: &str) -> Option<&Measured> {
        self.rows.iter().find(|row| row.strategy.name == name)?.outcome.measured()
    }

    /// The rows that texts show: all but [`Self::alike`].
    pub fn told(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| !self.is_alike(row))
    }

    /// The variants that come to the same figures as what they are variants of, by that.
    pub fn alike(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| self.is_alike(row))
    }

    fn is_alike(&self, row: &Row) -> bool {
        let usual = row.strategy.variant_of.as_ref().and_then(|usual| self.measured(usual));
        usual.zip(row.outcome.measured()).is_some_and(|(usual, own)| usual.figures == own.figures)
    }

    /// The figures that the others are measured by.
    pub fn baseline(&self) -> Option<&Measured> {
        self.measured(self.kind().baseline())
    }
}

/// How many plans [`Comparison::run`] makes.
pub fn count(strategies: &[Strategy]) -> usize {
    strategies.iter().map(|strategy| strategy.tune.as_ref().map_or(1, |range| range.values.len())).sum()
}

fn run(mut strategy: Strategy, planned: &mut dyn FnMut()) -> Row {
    let Some(range) = &strategy.tune else {
        let (problem, options, extras) = (strategy.problem.clone(), strategy.options.clone(), extras(&strategy));
        let outcome = match strategy.evaluations {
            Some(evaluations) => search(problem, options, evaluations, extras),
            None => plan(problem, options, extras),
        };
        planned();
        return Row { strategy, tuning: None, outcome };
    };
    let sweep = Sweep::run(&strategy.problem, &strategy.options, range, planned);
    // Where no value has a plan, the largest one says why.
    let chosen = sweep.knee.or(sweep.points.len().checked_sub(1)).and_then(|at| sweep.points.get(at));
    let outcome = match chosen {
        Some(point) => {
            range.setting.apply(&mut strategy.problem, point.value);
            match strategy.evaluations {
                Some(evaluations) => search(strategy.problem.clone(), strategy.options.clone(), evaluations, PLAIN),
                None => point.outcome.clone(),
            }
        }
        None => plan(strategy.problem.clone(), strategy.options.clone(), PLAIN),
    };
    Row { strategy, tuning: Some(sweep), outcome }
}

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;
