//! Sessions of plans that were made elsewhere, read from their files.

use super::recorded::figures;
use super::{Recorded, Session};
use crate::check::{self, Broken};
use crate::engine;
use crate::engine::order::near_order;
use crate::engine::search::Start;
use crate::model::{Figures, NodeIx, Options, Plan, Problem, RawPlan, Spill, SpillIx, Step, clean};
use crate::trace::{Recorder, Trace};

/// A plan of elsewhere that a search begins with, and what it is worth.
#[derive(Clone, Debug, PartialEq)]
pub struct Given {
    /// Its order, and where it holds the plan.
    pub start: Start,
    /// Its figures, where it holds.
    pub figures: Option<Figures>,
    /// The first finding, where it is broken.
    pub broken: Option<Broken>,
    /// The folder that it comes from, safe to print.
    pub folder: Box<str>,
}

impl Given {
    /// Checks the plan that `folder` holds. Where it is broken, what is left of it is its order, as far as it is one.
    pub fn new(problem: &Problem, raw: &RawPlan, folder: &str) -> Self {
        let check::Report { broken, figures, seen, .. } = check::check(problem, raw);
        let plan = plan_of(problem, raw);
        let known: Vec<NodeIx> = raw.schedule.iter().filter_map(|&id| problem.graph.find_node(id)).collect();
        let order = near_order(&problem.graph, &known);
        let start = Start { order, plan: (seen == 0).then_some(plan) };
        Self { start, figures, broken: broken.into_iter().next(), folder: clean(folder).into() }
    }
}

impl Session {
    /// Checks and replays a plan that `from` holds. Where it is broken, it is shown up to the first step that cannot be
    /// carried out; [`Recorded::ended`] says so, and that step is the failing one of the trace. Its figures are the
    /// checker's, or of what could be replayed.
    pub fn of_plan(problem: Problem, options: Options, raw: &RawPlan, from: &str) -> Self {
        let check = check::check(&problem, raw);
        let mut recorder = Recorder::for_nodes(problem.graph.node_count());
        let replayed = engine::replay_given(&problem, plan_of(&problem, raw), &mut recorder);
        let ended = ended(raw, &check, replayed.plan.steps.len());
        if replayed.plan.steps.len() < raw.schedule.len() {
            recorder.end_in_failure();
        }
        let trace = Trace::new(problem, replayed.plan, recorder);
        let recorded = Recorded { measured: false, ended, from: Some(clean(from).into()) };
        let figures = check.figures.clone().unwrap_or_else(|| figures(&trace));
        Self::of_record(trace, options, recorded, figures, check)
    }

    /// What is broken at `step`, where this is the plan of another tool.
    pub fn broken_at(&self, step: usize) -> impl Iterator<Item = &Broken> {
        let listed = if self.recorded.is_some() { &self.check.broken[..] } else { &[] };
        listed.iter().filter(move |broken| broken.step == Some(step))
    }

    /// The first step at which the plan of another tool is broken, of those that can be stood at; where only something
    /// is missing, the last step.
    pub fn first_broken(&self) -> Option<usize> {
        let last = self.trace.step_count().checked_sub(1)?;
        if self.recorded.is_none() || self.check.is_valid() {
            return None;
        }
        let first = self.check.broken.iter().filter_map(|broken| broken.step).min();
        Some(first.map_or(last, |step| step.min(last)))
    }
}

/// Why the record ends before the plan does.
fn ended(raw: &RawPlan, check: &check::Report, replayed: usize) -> Option<String> {
    if replayed >= raw.schedule.len() {
        return None;
    }
    let steps = raw.schedule.len();
    let why = check.broken.iter().find(|broken| broken.step == Some(replayed)).map(|broken| broken.what.as_str());
    let why = why.unwrap_or("what comes before leaves it no meaning");
    Some(format!("it cannot be replayed beyond step {replayed} of {steps}: {why}"))
}

/// The plan in indices, up to the first entry of the schedule that names nothing.
fn plan_of(problem: &Problem, raw: &RawPlan) -> Plan {
    let graph = &*problem.graph;
    let offset = |offset: i64| u64::try_from(offset).ok();
    let mut memory = vec![None; graph.buffers().len()];
    for &(id, at) in &raw.memory {
        if let Some(buf) = graph.find_buffer(id) {
            memory[buf.at()] = offset(at);
        }
    }
    // A spill of a buffer that the graph does not have ends what can be replayed, and so do all behind it: a spill's
    // number is its place in the list.
    let known =
        raw.spills.iter().map_while(|&(id, at)| Some(Spill { buf: graph.find_buffer(id)?, offset: offset(at) }));
    let spills: Vec<Spill> = known.collect();
    let steps = raw.schedule.iter().map_while(|&id| step_of(problem, id, spills.len())).collect();
    Plan { steps, memory, spills }
}

fn step_of(problem: &Problem, id: u64, spills: usize) -> Option<Step> {
    let Some(beyond) = id.checked_sub(problem.graph.first_spill_id()) else {
        return problem.graph.find_node(id).map(Step::Node);
    };
    let spill = usize::try_from(beyond / 2).ok().filter(|&spill| spill < spills).map(SpillIx::new)?;
    Some(if beyond % 2 == 0 { Step::Out(spill) } else { Step::Back(spill) })
}
