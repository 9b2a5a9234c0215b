//! Reloads: when a spilled buffer comes back, for whom, and what it is to come early.

use super::decision::{Placement, node_at_hand, placement};
use super::steps::{busy, made_room};
use super::{Explained, fit, pool};
use crate::model::{BufIx, Event, NodeIx, SpillIx};
use crate::output::labels::{buffer_id, buffer_label, node_id, range};
use crate::output::numbers::{counted, grouped};
use crate::output::quantities::duration_words;
use crate::trace::Trace;

/// A reload that came before its turn.
#[derive(Clone, Copy, Debug)]
pub(super) struct Early {
    /// The operation that needs the buffer.
    pub node: NodeIx,
    /// Operations between here and there.
    ahead: u32,
}

/// What is recorded of the reload at `step`, where it came early.
pub(super) fn early(trace: &Trace, step: usize) -> Option<Early> {
    trace.run(step).iter().find_map(|event| match *event {
        Event::Prefetched { node, ahead, .. } => Some(Early { node, ahead }),
        _ => None,
    })
}

/// For whom `buf` comes early: the sentence and the exact reason.
fn early_reason(trace: &Trace, buf: BufIx, early: Early) -> (String, String) {
    let graph = &trace.problem.graph;
    let (name, node) = (buffer_label(graph, buf), node_id(graph, early.node));
    let ahead = counted(u64::from(early.ahead), "operation");
    match early.ahead {
        0 => (
            format!("{name} comes back from main memory early, for {node}, the next operation."),
            "prefetch: it comes before what else has to be done for that operation".into(),
        ),
        _ => (
            format!("{name} comes back from main memory early: {ahead} from now {node} needs it."),
            format!("prefetch: it comes {ahead} before its turn, so that its transfer runs beside them"),
        ),
    }
}

/// How long before its use `buf` is back.
fn in_time(trace: &Trace, step: usize, early: Early) -> Option<String> {
    let problem = &trace.problem;
    let (_, end) = trace.time_of(step)?;
    let (start, _) = trace.time_of(trace.step_of(early.node)?)?;
    let node = node_id(&problem.graph, early.node);
    Some(match start.saturating_sub(end) {
        0 => format!("{node} starts as soon as it is there"),
        wait => format!("it is there {} before {node} starts", duration_words(problem, wait)),
    })
}

/// When the victim of the SPILL_OUT at `step` returns.
pub(super) fn comes_back(trace: &Trace, step: usize, spill: SpillIx) -> String {
    let planned = trace.run(step).iter().find_map(|event| match *event {
        Event::PlannedBack { node, .. } => Some(node),
        _ => None,
    });
    let back = trace.spill_steps(spill).map(|steps| steps.back).filter(|&back| back != u32::MAX);
    let early = back.is_some_and(|back| early(trace, back as usize).is_some());
    let before = match planned {
        Some(node) if early => format!("early for {}", node_id(&trace.problem.graph, node)),
        Some(node) => format!("just before {}", node_id(&trace.problem.graph, node)),
        None => "at the end, since nothing frees it".into(),
    };
    match back {
        Some(back) => format!("back at step {back}, {before}"),
        None => format!("was to come back {before}; the plan does not get there"),
    }
}

/// A SPILL_IN.
pub(super) fn spill_in(trace: &Trace, step: usize, spill: SpillIx) -> Explained {
    let problem = &trace.problem;
    let graph = &problem.graph;
    let Some(Placement { position, buf, level, offset }) = placement(trace, step) else {
        let sentence = format!("Spill {} comes back from main memory.", spill.0);
        return Explained { sentence, did: busy(trace, step).into_iter().collect(), ..Explained::default() };
    };
    let (size, id) = (graph.buffer(buf).size, buffer_id(graph, buf));
    let early = early(trace, step);
    let (sentence, reason) = match early {
        Some(early) => early_reason(trace, buf, early),
        None => reload_reason(trace, step, buf),
    };
    let mut did = vec![format!("{id} ({}) is back at {}", grouped(size), range(problem, level, offset, size))];
    did.extend(busy(trace, step));
    did.extend(pool::main_memory(trace, step));
    let mut why = vec![reason];
    if let Some(out) = trace.spill_steps(spill).map(|steps| steps.out).filter(|&out| out != u32::MAX) {
        why.push(format!("it was spilled out at step {out}"));
    }
    why.extend(early.and_then(|early| in_time(trace, step, early)));
    why.extend(made_room(trace, step, buf));
    why.push(fit::placed(trace, position, level, offset, size));
    Explained { sentence, did, why, ..Explained::default() }
}

/// For whom `buf` comes back at `step`: the sentence, and the exact reason.
fn reload_reason(trace: &Trace, step: usize, buf: BufIx) -> (String, String) {
    let graph = &trace.problem.graph;
    let (name, id) = (buffer_label(graph, buf), buffer_id(graph, buf));
    let Some(node) = node_at_hand(trace, step) else {
        return (
            format!("{name} comes back from main memory, because it lives to the end."),
            format!("nothing frees {id}, so it must be in place when the plan ends"),
        );
    };
    let next = node_id(graph, node);
    if graph.buffer(buf).free == Some(node) {
        return (
            format!("{name} comes back from main memory to be freed."),
            format!("{next} comes next, and a buffer must be in place for its FREE"),
        );
    }
    (
        format!("{name} comes back from main memory, because {next} needs it."),
        format!("{next} names {id} and is the next to run"),
    )
}
