//! The ready queue: in the order of the scheduler's last decision where one was recorded, else in the order in which the
//! operations run.

use crate::model::{Event, NodeIx, SHOWN_CANDIDATES, Standing};
use crate::trace::{ReadyOp, Trace};

/// How many events are looked through for the last decision.
const REACH: usize = 4096;

/// One ready operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueuedOp {
    /// The operation, since when it is ready and when it runs.
    pub op: ReadyOp,
    /// How it fared at the last decision, and its slack then in cycles; `None` where it was not among those recorded.
    pub last: Option<(Standing, u64)>,
}

/// The ready operations after `step`: `limit` of them from the `skip`-th on. Those recorded at the last decision stand
/// first, in its order; then the others as they will run.
pub fn ready(trace: &Trace, step: usize, skip: usize, limit: usize) -> Vec<QueuedOp> {
    let head = last_decision(trace, step);
    let recorded = |node: NodeIx| head.iter().any(|queued| queued.op.node == node);
    let step = step as u32;
    // Of the entries that are listed, as many as the head has may be in it.
    let listed = trace.ready().list(step, 0, skip.saturating_add(limit).saturating_add(head.len()));
    let others = listed.into_iter().filter(|op| !recorded(op.node)).map(|op| QueuedOp { op, last: None });
    head.iter().copied().chain(others).skip(skip).take(limit).collect()
}

/// Those of the last recorded queue that are still ready after `step`.
fn last_decision(trace: &Trace, step: usize) -> Vec<QueuedOp> {
    let end = trace.end_of(step);
    let events = &trace.events()[end.saturating_sub(REACH)..end];
    let queued = |event: &Event| matches!(event, Event::Queued { .. });
    let Some(last) = events.iter().rposition(queued) else { return Vec::new() };
    let start = events[..last].iter().rposition(|event| !queued(event)).map_or(0, |before| before + 1);
    let still_ready = |event: &Event| match *event {
        Event::Queued { node, standing, slack } => {
            let runs = trace.step_of(node).map(|at| at as u32);
            let op = trace.ready().of(node, runs).filter(|op| op.since as usize <= step)?;
            let waiting = runs.is_none_or(|at| at as usize > step);
            waiting.then_some(QueuedOp { op, last: Some((standing, slack)) })
        }
        _ => None,
    };
    events[start..=last].iter().take(SHOWN_CANDIDATES).filter_map(still_ready).collect()
}
