//! One planned graph with everything that is shown of it: what reports and the screen read.

mod bounds;
mod given;
mod lanes;
pub mod packing;
mod recorded;
mod setup;

use std::panic::resume_unwind;
use std::sync::{Arc, OnceLock};
use std::thread;
use std::time::Instant;

use crate::check;
use crate::engine::binding::Bindings;
use crate::engine::order::{self, Ordered, Priorities};
use crate::engine::{self, Planned, Reached, diagnose, remedies, search};
use crate::model::{
    BufIx, Diagnosis, Entry, Fallback, Fault, Figures, MAX_NUMBER, NodeIx, Options, Plan, PoolFigures, Problem, Sink,
    Step,
};
use crate::trace::{Recorder, Trace};
pub use bounds::Bounds;
pub use given::Given;
pub use lanes::{Sum, Track};
pub use recorded::{Recorded, figures};
use setup::Metered;
pub use setup::{Meter, Setup};

/// A plan (or the failure to make one), its record, its check and its bounds.
#[derive(Clone, Debug)]
pub struct Session {
    /// The record, with problem and plan.
    pub trace: Trace,
    /// How it was planned.
    pub options: Options,
    /// The engine's figures; of the part that was planned, where planning failed.
    pub figures: Figures,
    /// How placements were reached, counted.
    pub reached: Reached,
    /// Why there is no plan, where there is none.
    pub diagnosis: Option<Diagnosis>,
    /// What the checker says; empty where planning failed.
    pub check: check::Report,
    /// What no plan can beat.
    pub bounds: Bounds,
    /// Earliest and latest starts, for slack and the critical path.
    pub starts: Priorities,
    /// Seconds that planning took, without reading and checking.
    pub seconds: f64,
    /// Set where the record was not planned here: it was measured, or read from a file.
    pub recorded: Option<Recorded>,
    /// How it was found, where a search found it; order and policy of the options then say nothing.
    pub searched: Option<Searched>,
    /// Set where lifetimes were given addresses, and no steps were planned.
    pub packed: Option<packing::Seen>,
    /// Made when first asked for: only who looks at the units needs it.
    bindings: OnceLock<Bindings>,
    lane_sums: OnceLock<lanes::LaneSums>,
}

impl Searched {
    /// Whether it found a plan better than the one that it began with.
    pub fn found_better(&self) -> bool {
        let firsts = [search::CLASSIC, search::GIVEN, search::ITS_ORDER];
        self.history.last().is_some_and(|last| !firsts.contains(&last.phase))
    }
}

/// A plan with all that led to it, not yet checked.
struct Made {
    first: Vec<NodeIx>,
    planned: Planned,
    diagnosis: Option<Diagnosis>,
    recorder: Recorder,
    seconds: f64,
    searched: Option<Searched>,
}

/// What a search is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Wanted {
    /// What is made small.
    pub objective: search::Objective,
    /// What may be spent.
    pub budget: search::Budget,
    /// The same seed and evaluations give the same plan.
    pub seed: u64,
    /// The plan of elsewhere that it begins with, if it does.
    pub from: Option<Arc<Given>>,
}

impl Wanted {
    /// A short search for little traffic, whose plan nobody has to wait for.
    pub fn quick(problem: &Problem) -> Self {
        Self { objective: search::Objective::Traffic, budget: search::quick_budget(problem), seed: 0, from: None }
    }
}

/// How a plan was found by searching.
#[derive(Clone, Debug, PartialEq)]
pub struct Searched {
    /// What was asked for.
    pub wanted: Wanted,
    /// Evaluations spent.
    pub evaluations: u64,
    /// The better plans on the way.
    pub history: Vec<search::Improvement>,
}

/// How much is worked out beside the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extras {
    /// The fractional spill bound.
    pub fractional_bound: bool,
    /// Remedies of a failure; plans again some dozen times.
    pub remedies: bool,
}

impl Extras {
    /// What the screen asks for: remedies unless the graph is so large that they would keep one waiting.
    pub fn for_screen(nodes: usize) -> Self {
        Self { fractional_bound: false, remedies: nodes <= 100_000 }
    }
}

impl Session {
    /// Plans, records and checks.
    ///
    /// # Errors
    /// Where there is no first order ([`order::first_order`]), or a sum passes 2^63-1. That there is no plan is no error: it
    /// is recorded and diagnosed like any other.
    pub fn plan(problem: Problem, options: Options, extras: Extras) -> Result<Self, Fault> {
        let (session, ()) = Self::plan_meanwhile(problem, options, extras, Self::prepare)?;
        Ok(session)
    }

    /// The same, with something to do while the plan is being checked. What it is given has no check report yet, and
    /// its record is made walkable when first asked for.
    ///
    /// # Errors
    /// As for [`Session::plan`].
    pub fn plan_meanwhile<T>(
        problem: Problem,
        options: Options,
        extras: Extras,
        meanwhile: impl FnOnce(&Self) -> T,
    ) -> Result<(Self, T), Fault> {
        Self::plan_metered(problem, options, extras, None, meanwhile)
    }

    /// The same, telling `meter` how far it has come.
    fn plan_metered<T>(
        problem: Problem,
        options: Options,
        extras: Extras,
        meter: Option<&Meter>,
        meanwhile: impl FnOnce(&Self) -> T,
    ) -> Result<(Self, T), Fault> {
        let started = Instant::now();
        must_be_addressable(&problem)?;
        let first = order::first_order(&problem, &options, true)?;
        let nodes = problem.graph.node_count();
        let mut recorder = Recorder::for_nodes(nodes);
        let (planned, mut diagnosis) = match meter {
            None => attempt(&problem, &first, &options, &mut recorder),
            Some(meter) => attempt(&problem, &first, &options, &mut Metered::new(&mut recorder, meter, nodes)),
        };
        if meter.is_some_and(Meter::is_stopped) {
            return Err(setup::broken_off());
        }
        let seconds = started.elapsed().as_secs_f64();
        must_be_countable(&planned.figures)?;
        if let Some(diagnosis) = diagnosis.as_mut().filter(|_| extras.remedies) {
            remedies::find_remedies(&problem, &options, diagnosis);
        }
        let made = Made { first: first.nodes, planned, diagnosis, recorder, seconds, searched: None };
        Ok(Self::made(problem, options, extras, made, meanwhile))
    }

    /// Searches for a better plan than the classic one and records it, with something to do while it is being checked.
    /// `listener` hears how the search goes and says whether to go on. Where the search has nothing better, or no
    /// plan exists, this is [`Session::plan_meanwhile`].
    ///
    /// # Errors
    /// As for [`Session::plan`] and [`search::improve_from`].
    pub fn search_meanwhile<T>(
        problem: Problem,
        options: Options,
        extras: Extras,
        wanted: &Wanted,
        listener: &mut dyn search::Listener,
        meanwhile: impl FnOnce(&Self) -> T,
    ) -> Result<(Self, T), Fault> {
        let started = Instant::now();
        must_be_addressable(&problem)?;
        if diagnose::impossible(&problem).is_some() {
            return Self::plan_meanwhile(problem, options, extras, meanwhile);
        }
        let mut recorder = Recorder::for_nodes(problem.graph.node_count());
        let (first, planned, searched) = found(&problem, &options, wanted, listener, &mut recorder)?;
        if planned.stuck.is_some() {
            return Self::plan_meanwhile(problem, options, extras, meanwhile);
        }
        let seconds = started.elapsed().as_secs_f64();
        must_be_countable(&planned.figures)?;
        let made = Made { first, planned, diagnosis: None, recorder, seconds, searched: Some(searched) };
        Ok(Self::made(problem, options, extras, made, meanwhile))
    }

    /// The last plan of a search's history so far, as [`Session::search_meanwhile`] would give it; `None` where it keeps no
    /// plans (see [`search::Improvement::plan`]).
    pub fn of_search(problem: &Problem, options: &Options, searched: Searched, seconds: f64) -> Option<Self> {
        let plan = searched.history.last()?.plan.as_deref()?.clone();
        let first = nodes_of(&plan);
        let mut recorder = Recorder::for_nodes(first.len());
        let planned = engine::replay(problem, plan, Fallback::Search, &mut recorder);
        let made = Made { first, planned, diagnosis: None, recorder, seconds, searched: Some(searched) };
        let extras = Extras { fractional_bound: false, remedies: false };
        Some(Self::made(problem.clone(), options.clone(), extras, made, Self::prepare).0)
    }

    /// Checks what was made, works out its bounds, and does something meanwhile.
    fn made<T>(
        problem: Problem,
        options: Options,
        extras: Extras,
        made: Made,
        meanwhile: impl FnOnce(&Self) -> T,
    ) -> (Self, T) {
        let Made { first, planned, diagnosis, recorder, seconds, searched } = made;
        let Planned { plan, figures, reached, .. } = planned;
        let to_check = diagnosis.is_none().then(|| (problem.clone(), plan.to_raw(&problem.graph)));
        let (mut session, done, check) = thread::scope(|scope| {
            let checked = to_check.map(|(problem, plan)| scope.spawn(move || check::check(&problem, &plan)));
            let starts = Priorities::new(&problem.graph, &first);
            let bounds = Bounds::new(&problem, &first, &starts, extras);
            let trace = Trace::new(problem, plan, recorder);
            let check = check::Report::default();
            let session = Self {
                trace,
                options,
                figures,
                reached,
                diagnosis,
                check,
                bounds,
                starts,
                seconds,
                recorded: None,
                searched,
                packed: None,
                bindings: OnceLock::new(),
                lane_sums: OnceLock::new(),
            };
            let done = meanwhile(&session);
            let check = checked.map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
            (session, done, check)
        });
        session.check = check.unwrap_or_default();
        (session, done)
    }

    /// What each step waited for, and the critical path of the plan.
    pub fn bindings(&self) -> &Bindings {
        self.bindings.get_or_init(|| Bindings::new(&self.trace.problem, &self.trace.plan, |step| self.trace.run(step)))
    }

    fn lane_sums(&self) -> &lanes::LaneSums {
        self.lane_sums.get_or_init(|| lanes::LaneSums::new(&self.trace, self.bindings().path()))
    }

    /// Works out what the screen reads, so that whoever looks first need not wait.
    fn prepare(&self) {
        self.trace.prepare();
        self.lane_sums();
    }

    /// In what the plan is broken, if the checker refuses it or counts otherwise: a fault of ours that nobody should
    /// build on. What was recorded elsewhere is shown as it is.
    pub fn broken(&self) -> Option<String> {
        if self.recorded.is_some() {
            return None;
        }
        if let Some(broken) = self.check.broken.first() {
            return Some(format!("the plan that was made is broken: {broken}"));
        }
        let is_equal = self.diagnosis.is_some() || self.check.figures.as_ref() == Some(&self.figures);
        let unequal =
            || format!("the plan's figures are {:?}, but the checker counts {:?}", self.figures, self.check.figures);
        (!is_equal).then(unequal)
    }
}

/// What a search finds, recorded: the order, the plan, and how it was found. Plans with pools or a window are made event by
/// event, so there it is a schedule that is searched for.
fn found(
    problem: &Problem,
    options: &Options,
    wanted: &Wanted,
    listener: &mut dyn search::Listener,
    recorder: &mut Recorder,
) -> Result<(Vec<NodeIx>, Planned, Searched), Fault> {
    let Wanted { objective, budget, seed, from } = wanted;
    if problem.is_clocked() {
        let found = search::improve_schedule(problem, options, objective, *budget, *seed, listener)?;
        let planned = engine::walk(problem, &found.ordered, options, recorder);
        let searched = Searched { wanted: wanted.clone(), evaluations: found.evaluations, history: found.history };
        return Ok((found.ordered.nodes, planned, searched));
    }
    let start = from.as_ref().map(|given| &given.start);
    let found = search::improve_from(problem, start, objective, *budget, *seed, listener)?;
    let searched = Searched { wanted: wanted.clone(), evaluations: found.evaluations, history: found.history };
    if found.planned.stuck.is_some() {
        return Ok((found.order, found.planned, searched));
    }
    if let [first] = &searched.history[..]
        && first.phase == search::CLASSIC
    {
        // Walked once more, for a walk records why it did what it did.
        let classic = search::classic(problem);
        let ordered = order::first_order(problem, &classic, true)?;
        let planned = engine::walk(problem, &ordered, &classic, recorder);
        return Ok((ordered.nodes, planned, searched));
    }
    let is_given = matches!(&searched.history[..], [first] if first.phase == search::GIVEN);
    let maker = if is_given { Fallback::Plan } else { Fallback::Search };
    Ok((found.order, engine::replay(problem, found.planned.plan, maker, recorder), searched))
}

/// The nodes of a plan in their order.
fn nodes_of(plan: &Plan) -> Vec<NodeIx> {
    plan.steps.iter().filter_map(|step| if let Step::Node(node) = step { Some(*node) } else { None }).collect()
}

/// Each new block of a pool gets addresses of its own, which are written down as whole numbers below 2^63.
fn must_be_addressable(problem: &Problem) -> Result<(), Fault> {
    for (at, level) in problem.machine.levels.iter().enumerate().filter(|(_, level)| level.pool().is_some()) {
        let here = (0..problem.graph.buffers().len()).map(BufIx::new).filter(|&buf| problem.level_of(buf).at() == at);
        let sum = here.map(|buf| problem.space_of(buf)).try_fold(0u64, u64::checked_add);
        if sum.is_none_or(|sum| sum > MAX_NUMBER) {
            return Err(Fault {
                what: format!("the blocks for all buffers of level {} together pass 2^63-1", level.name),
                advice: "use finer buckets (--buckets tlsf or exact) or a larger unit for sizes".into(),
                at: Entry::Whole,
            });
        }
    }
    Ok(())
}

/// The walk's sums saturate, which is beyond what is taken here.
fn must_be_countable(figures: &Figures) -> Result<(), Fault> {
    let sums = [
        ("makespan", figures.makespan, "cycles"),
        ("extra traffic", figures.extra_traffic, "units"),
        ("main memory", figures.main.peak_held, "units"),
    ];
    match sums.into_iter().find(|&(_, sum, _)| sum > MAX_NUMBER) {
        None => Ok(()),
        Some((name, _, unit)) => Err(Fault {
            what: format!("the plan's {name} passes 2^63-1 {unit}, so it cannot be counted"),
            advice: "use a larger unit for sizes and cycles, or cheaper transfers (--bytes-per-cycle, --overhead)"
                .into(),
            at: Entry::Whole,
        }),
    }
}

/// Walks the order, or says why that would be in vain.
fn attempt<S: Sink>(
    problem: &Problem,
    first_order: &Ordered,
    options: &Options,
    recorder: &mut S,
) -> (Planned, Option<Diagnosis>) {
    if let Some(diagnosis) = diagnose::impossible(problem) {
        return (nothing(problem), Some(diagnosis));
    }
    let planned = engine::walk(problem, first_order, options, recorder);
    let of = |stuck| diagnose::of_stuck(problem, first_order, options, &planned, stuck);
    let diagnosis = planned.stuck.map(of);
    (planned, diagnosis)
}

/// The part of a plan that was made where none can be: no step.
fn nothing(problem: &Problem) -> Planned {
    let levels = problem.level_count();
    Planned {
        plan: Plan { memory: vec![None; problem.graph.buffers().len()], ..Plan::default() },
        figures: Figures {
            peak: vec![0; levels],
            l0_live: vec![0; levels],
            pools: vec![PoolFigures::default(); levels],
            ..Figures::default()
        },
        reached: Reached::default(),
        stuck: None,
    }
}
