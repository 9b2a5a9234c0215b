//! What comes of a choice: planned by the engine, never told by the text.

use std::sync::Arc;

use super::fill::Scene;
use super::{Cost, Misfit, anchor, figures};
use crate::input::lesson::{CostOfChoice, Reference};
use crate::model::{PickedVictim, SpillIx, Step};
use crate::output::labels::buffer_label;
use crate::session::{Extras, Session};
use crate::trace::Trace;

/// What comes of a choice at the moment of `scene`.
pub(super) fn cost(scene: &Scene, wanted: &CostOfChoice) -> Result<Cost, Misfit> {
    match wanted {
        CostOfChoice::Plan(at) => {
            let session = Arc::clone(&scene.plans[*at].session);
            let step = same_node(&scene.session.trace, scene.step, &session.trace);
            Ok(Cost { figures: figures::line(&session), step, session })
        }
        CostOfChoice::Evict(victim) => evicted(scene, victim),
    }
}

/// The plan of the scene with `victim` leaving at the next spill.
fn evicted(scene: &Scene, victim: &Reference) -> Result<Cost, Misfit> {
    let base = scene.session;
    let trace = &base.trace;
    let buf = anchor::buffer(&trace.problem, victim)?;
    let wrong = |what: String| Misfit::new(&victim.at, what, "");
    if base.searched.is_some() {
        return Err(wrong("a plan that a search found has no decisions in which another buffer could leave".into()));
    }
    let number = next_spill(trace, scene.step).ok_or_else(|| wrong("after this moment nothing is spilled".into()))?;
    let mut options = base.options.clone();
    options.picked = Some(PickedVictim { spill: number, victim: buf });
    let extras = Extras { fractional_bound: false, remedies: false };
    let session = Session::plan(trace.problem.clone(), options, extras).map_err(|fault| wrong(fault.what))?;
    if let Some(broken) = session.broken() {
        return Err(wrong(broken));
    }
    let left = session.trace.plan.spills.get(number.at()).map(|spill| spill.buf);
    let step = session.trace.spill_steps(number).map(|steps| steps.out as usize);
    if let Some(step) = step.filter(|_| left == Some(buf)) {
        Ok(Cost { figures: figures::line(&session), step, session: Arc::new(session) })
    } else {
        let label = buffer_label(&trace.problem.graph, buf);
        Err(wrong(format!(
            "{label} cannot leave there: it is pinned, not resident, or opens no hole that is large enough"
        )))
    }
}

/// The first spill whose SPILL_OUT comes at `step` or later.
fn next_spill(trace: &Trace, step: usize) -> Option<SpillIx> {
    let spills = (0..trace.plan.spills.len()).map(SpillIx::new);
    spills.into_iter().find(|&spill| trace.spill_steps(spill).is_some_and(|steps| steps.out as usize >= step))
}

/// The step of `to` that runs the node which `from` runs at `step` or next after it; else the same number.
fn same_node(from: &Trace, step: usize, to: &Trace) -> usize {
    let id = (step..from.step_count()).find_map(|step| match from.step(step) {
        Some(Step::Node(node)) => Some(from.problem.graph.node(node).id),
        _ => None,
    });
    let found = id.and_then(|id| to.problem.graph.find_node(id)).and_then(|node| to.step_of(node));
    found.unwrap_or(step).min(to.step_count().saturating_sub(1))
}
