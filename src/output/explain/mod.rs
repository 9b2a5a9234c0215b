//! The words beside a step: what was done, why, who else was considered, what comes next. All of it is read from
//! the record, never decided again. One plain sentence first, for someone who has not heard of spilling; then
//! the exact numbers.

mod decision;
mod dispatch;
mod fit;
mod given;
pub mod held;
mod log;
mod packed;
mod pool;
pub mod rank;
mod reload;
mod steps;
mod story;
mod why;

pub use given::explain_in;
pub use log::one_line;
pub use story::{StoryLine, story, totals};

use crate::model::{BufIx, NodeIx, NodeKind, Standing, Step, Verdict, VictimRule};
use crate::output::labels::{buffer_id, buffer_label, node_id, step_label};
use crate::output::numbers::{counted, times};
use crate::trace::Trace;
use decision::{Decision, decisions};

/// A step in words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explained {
    /// What happened, in one plain sentence.
    pub sentence: String,
    /// What was done, exactly.
    pub did: Vec<String>,
    /// The reasons, most direct first.
    pub why: Vec<String>,
    /// The possible victims of the decision, in the order in which the policy ranked them; empty where nothing
    /// had to make room. At most [`SHOWN_CANDIDATES`](crate::model::SHOWN_CANDIDATES).
    pub rank: Vec<RankRow>,
    /// The candidates beyond those, counted.
    pub more: Option<String>,
    /// The ready queue as it stood when the scheduler let the step's operation start, in its order of preference;
    /// empty where no scheduler decided. At most [`SHOWN_CANDIDATES`](crate::model::SHOWN_CANDIDATES).
    pub queue: Vec<QueueRow>,
    /// The ready ones beyond those, counted.
    pub more_ready: Option<String>,
    /// What comes next.
    pub next: Vec<String>,
}

/// A possible victim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankRow {
    /// The buffer.
    pub buf: BufIx,
    /// Whether it leaves with the step that is explained.
    pub chosen: bool,
    /// What became of it.
    pub verdict: Verdict,
    /// Place in the first order of its next use; `None` where it has none.
    pub next_use: Option<u32>,
    /// What it was ranked by.
    pub rule: VictimRule,
    /// The steps that the rule counts, in the first order: for the classic one those to its FREE.
    pub steps: u32,
    /// Its size, in units of its level.
    pub size: u64,
    /// Extra data movement of spilling it once, in units of size.
    pub cost: u64,
    /// What the rule ranks by; for the classic one `steps × size`. [`Event::Candidate`](crate::model::Event::Candidate)
    /// says the others.
    pub score: u64,
    /// The verdict in words.
    pub text: String,
}

/// An operation that was ready at a decision.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueRow {
    /// The operation.
    pub node: NodeIx,
    /// How it fared.
    pub standing: Standing,
    /// By how much later it could still start without harm, in cycles.
    pub slack: u64,
    /// How long it takes, in cycles.
    pub cycles: u64,
    /// How it fared, in words.
    pub text: String,
}

/// How many postponements of one run are told one by one.
const TOLD_POSTPONEMENTS: usize = 3;

/// Step `step` of the trace in words. Past the end it says so.
pub fn explain(trace: &Trace, step: usize) -> Explained {
    let own = decisions(trace, step).into_iter().find(|decision| decision.postponement().is_none());
    let mut told = match trace.step(step) {
        Some(Step::Node(node)) => match trace.problem.graph.node(node).kind {
            NodeKind::Alloc(buf) if pooled(trace, buf) => pool::alloc(trace, step, buf),
            NodeKind::Free(buf) if pooled(trace, buf) => pool::free(trace, step, node, buf),
            NodeKind::Alloc(buf) => steps::alloc(trace, step, buf),
            NodeKind::Free(buf) => steps::free(trace, step, node, buf),
            NodeKind::Op(op) => match dispatch::dispatch_at(trace, step) {
                Some(decision) => dispatch::operation(trace, step, &decision, &op),
                None => steps::operation(trace, step, node, &op),
            },
        },
        Some(Step::Out(spill)) => steps::spill_out(trace, step, spill),
        Some(Step::Back(spill)) => reload::spill_in(trace, step, spill),
        None if trace.failing_step() == Some(step) => steps::failure(trace, own),
        None => return Explained { sentence: nothing_here(trace), ..Explained::default() },
    };
    dispatch::tell_others(trace, step, &mut told);
    tell_postponements(trace, step, &mut told);
    if let Some(following) = trace.step(step + 1) {
        told.next.push(format!("step {}: {}", step + 1, step_label(trace, following)));
    } else if trace.failing_step() == Some(step + 1) {
        told.next.push(format!("step {}: the plan fails", step + 1));
    } else if trace.failing_step().is_none() {
        told.next.push("the plan is complete".into());
    }
    told
}

fn pooled(trace: &Trace, buf: BufIx) -> bool {
    trace.problem.level(trace.problem.level_of(buf)).pool().is_some()
}

fn nothing_here(trace: &Trace) -> String {
    match trace.step_count() {
        0 => "Nothing was planned, so there is no step to show.".into(),
        count => format!("The record ends with step {}.", count - 1),
    }
}

/// ALLOCs that were put off before this step ran: they own no step, so they are told with the next one.
fn tell_postponements(trace: &Trace, step: usize, told: &mut Explained) {
    let all = decisions(trace, step);
    let put_off: Vec<&Decision> = all.iter().filter(|decision| decision.postponement().is_some()).collect();
    let Some(first) = put_off.first() else { return };
    let graph = &trace.problem.graph;
    let (mut did, mut reasons) = (Vec::new(), Vec::new());
    for decision in put_off.iter().take(TOLD_POSTPONEMENTS) {
        let Some(moved) = decision.postponement() else { continue };
        let buf = buffer_id(graph, moved.buf);
        let after = node_id(graph, moved.after);
        did.push(format!("ALLOC of {buf} put off to after {after} ({} so far)", times(u64::from(moved.count))));
        reasons.extend(why::opening(trace, decision));
        reasons.extend(why::refusals(trace, decision));
        reasons.push(why::postponed(trace, &moved));
    }
    if put_off.len() > TOLD_POSTPONEMENTS {
        let beyond = (put_off.len() - TOLD_POSTPONEMENTS) as u64;
        did.push(format!("and {} more put off", counted(beyond, "ALLOC")));
    }
    if let Some(moved) = first.postponement() {
        let buf = buffer_label(graph, moved.buf);
        let after = node_id(graph, moved.after);
        told.sentence = format!("{buf} has to wait for {after} to make room. Then: {}", told.sentence);
    }
    did.append(&mut told.did);
    told.did = did;
    reasons.append(&mut told.why);
    told.why = reasons;
    if told.rank.is_empty() {
        (told.rank, told.more) = why::ranking(trace, first, step, None);
    }
}

#[cfg(test)]
mod tests;
