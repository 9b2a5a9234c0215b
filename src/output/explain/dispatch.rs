//! The scheduler's decision for the operation of a step: who was ready, in what order, why this one went first, who
//! waits for memory.

use super::{Explained, QueueRow};
use crate::model::{Event, LevelIx, NodeIx, NodeKind, Operation, Standing, Won};
use crate::output::labels::{buffer_id, node_id, node_label, unit_lane};
use crate::output::numbers::{grouped, listed};
use crate::output::quantities::{compared, duration_words, exact_size, moment, size_words, span};
use crate::trace::Trace;

/// How many buffers or operations a line names before it counts the rest.
const NAMED: usize = 6;

/// The decision that let the operation of a step start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dispatch {
    pub node: NodeIx,
    /// How many were ready, it among them.
    pub ready: u32,
    pub won: Won,
    pub at: u64,
    /// The position of the event.
    pub position: usize,
}

/// The decision in the run of `step`, if the scheduler made one.
pub(super) fn dispatch_at(trace: &Trace, step: usize) -> Option<Dispatch> {
    trace.run_range(step).find_map(|position| match trace.events()[position] {
        Event::Dispatched { node, ready, won, at } => Some(Dispatch { node, ready, won, at, position }),
        _ => None,
    })
}

/// An operation that the scheduler let start.
pub(super) fn operation(trace: &Trace, step: usize, decision: &Dispatch, op: &Operation) -> Explained {
    let queue = queue(trace, decision);
    let shown = queue.len() as u64;
    let mut did = ran(trace, step, op);
    did.extend(buffers_told(trace, step));
    let mut why = vec![reason(trace, decision, &queue)];
    why.extend(waited(trace, decision));
    let beyond = u64::from(decision.ready).saturating_sub(shown);
    let more_ready = (beyond > 0).then(|| format!("{} more ready, not listed", grouped(beyond)));
    Explained { sentence: sentence(trace, decision, &queue), did, why, queue, more_ready, ..Explained::default() }
}

/// The decision in one plain sentence.
fn sentence(trace: &Trace, decision: &Dispatch, queue: &[QueueRow]) -> String {
    let name = node_label(&trace.problem.graph, decision.node);
    let others = match decision.ready.saturating_sub(1) {
        0 => "nothing else is ready".into(),
        1 => "1 other is ready".into(),
        count => format!("{} others are ready", grouped(u64::from(count))),
    };
    match decision.won {
        Won::Alone => format!("{name} starts: nothing else is ready."),
        Won::Given => format!("{name} starts: the order is given; {others}."),
        Won::LowestId => format!("{name} starts: it comes first in the file; {others}."),
        Won::Critical => format!("{name} starts: it is critical; {others}."),
        Won::Urgent => format!("{name} starts: it must not start later; {others}."),
        Won::Light => match let_pass(trace, queue) {
            Some(urgent) => format!("{name} starts before {urgent}, which can wait for so long; {others}."),
            None => format!("{name} starts: it is the shortest, and none is critical; {others}."),
        },
        Won::Releases => format!("{name} starts: it gives most memory back; {others}."),
        Won::Forced => {
            format!("{name} starts, for which others must leave: nothing runs and nothing has room; {others}.")
        }
        Won::Fits => format!("{name} starts: it is the first in the queue that has room; {others}."),
    }
}

/// The more urgent operation that lets the winner pass.
fn let_pass(trace: &Trace, queue: &[QueueRow]) -> Option<String> {
    let row = queue.iter().find(|row| row.standing == Standing::LetPass)?;
    Some(node_id(&trace.problem.graph, row.node))
}

fn reason(trace: &Trace, decision: &Dispatch, queue: &[QueueRow]) -> String {
    match decision.won {
        Won::Alone => "everything that it depends on is done, and no other was ready for its unit".into(),
        Won::Given => "it is the next of the order that was given".into(),
        Won::LowestId => "order topological: of the ready ones the lowest id, whatever its worth".into(),
        Won::Critical => "critical: it lies on the longest chain, so a delay of it delays the whole".into(),
        Won::Urgent => "its slack is used up: it is late, or would be if a shorter one went first".into(),
        Won::Light => match queue.iter().find(|row| row.standing == Standing::LetPass) {
            Some(row) => format!(
                "light: it takes {}, which fits into the slack of {} ({})",
                duration_words(&trace.problem, cycles(trace, decision.node)),
                node_id(&trace.problem.graph, row.node),
                duration_words(&trace.problem, row.slack)
            ),
            None => "light: the shortest of those ready, and it makes no other one late".into(),
        },
        Won::Releases => "order memory-aware: of the ready ones it gives most memory back".into(),
        Won::Forced => "nothing runs and nothing has room; it is the first for which others may be spilled".into(),
        Won::Fits => "those before it in the queue find no room in memory".into(),
    }
}

/// The queue as it stood.
fn queue(trace: &Trace, decision: &Dispatch) -> Vec<QueueRow> {
    let queued = |event: &Event| matches!(event, Event::Queued { .. });
    let events = &trace.events()[..decision.position];
    let start = events.iter().rposition(|event| !queued(event)).map_or(0, |before| before + 1);
    let rows = events[start..].iter().filter_map(|event| match *event {
        Event::Queued { node, standing, slack } => {
            let text = standing_text(trace, node, standing, decision.position);
            Some(QueueRow { node, standing, slack, cycles: cycles(trace, node), text })
        }
        _ => None,
    });
    rows.collect()
}

fn cycles(trace: &Trace, node: NodeIx) -> u64 {
    match trace.problem.graph.node(node).kind {
        NodeKind::Op(op) => op.cycles,
        NodeKind::Alloc(_) | NodeKind::Free(_) => 0,
    }
}

/// What became of a ready operation.
fn standing_text(trace: &Trace, node: NodeIx, standing: Standing, position: usize) -> String {
    let numbers = || {
        let wait = trace.waits().latest(node, position)?;
        let level = trace.problem.level(wait.level);
        Some(compared(level, wait.need, wait.room))
    };
    match standing {
        Standing::Won => "starts".into(),
        Standing::Behind => "its turn comes later".into(),
        Standing::LetPass => "can wait: lets the lighter one pass".into(),
        Standing::Waits => match numbers() {
            Some((need, room)) => format!("waits for memory: needs {need}, {room} free"),
            None => "waits for memory".into(),
        },
        Standing::HeldBack => match numbers() {
            Some((need, room)) => format!("held back: needs {need}; the {room} free are kept"),
            None => "held back: the room that is free is kept".into(),
        },
    }
}

/// Where and when it ran, and what of it was for fresh memory.
fn ran(trace: &Trace, step: usize, op: &Operation) -> Vec<String> {
    let problem = &trace.problem;
    let found = trace.run(step).iter().find_map(|event| match *event {
        Event::Ran { unit, lane, start, end, .. } => Some((unit, lane, start, end)),
        _ => None,
    });
    let Some((unit, lane, start, end)) = found else { return Vec::new() };
    let kind = problem.graph.symbol(op.op);
    let took = duration_words(problem, end - start);
    let mut lines =
        vec![format!("{kind} on {}, {} ({took})", unit_lane(problem, unit, lane), span(problem, start, end))];
    let touching = (end - start).saturating_sub(op.cycles);
    if touching > 0 {
        lines.push(format!("{} of it to touch fresh memory", duration_words(problem, touching)));
    }
    lines
}

/// What it read, and the real sizes that it reported.
pub(super) fn buffers_told(trace: &Trace, step: usize) -> Vec<String> {
    reads(trace, step).into_iter().chain(reported(trace, step)).collect()
}

/// The buffers that it reads, with what is left of their consumers.
fn reads(trace: &Trace, step: usize) -> Option<String> {
    let read = trace.run(step).iter().filter_map(|event| match *event {
        Event::Read { buf, left, .. } => Some((buf, left)),
        _ => None,
    });
    let texts: Vec<String> = read
        .map(|(buf, left)| {
            let name = buffer_id(&trace.problem.graph, buf);
            if left == 0 { format!("{name} (its last reader)") } else { format!("{name} ({left} more to come)") }
        })
        .collect();
    (!texts.is_empty()).then(|| format!("reads {}", listed(texts.into_iter(), NAMED)))
}

/// The real sizes that it reported.
fn reported(trace: &Trace, step: usize) -> Vec<String> {
    let lines = trace.run(step).iter().filter_map(|event| match *event {
        Event::Reported { buf, actual } => {
            let level = trace.problem.level(trace.problem.level_of(buf));
            let planned = exact_size(level, trace.problem.graph.buffer(buf).size);
            Some(format!("reports a real size of {}; planned with {planned}", exact_size(level, actual)))
        }
        _ => None,
    });
    lines.collect()
}

/// That the winner itself had waited for memory.
fn waited(trace: &Trace, decision: &Dispatch) -> Option<String> {
    let wait = trace.waits().latest(decision.node, decision.position + 1)?;
    let (since, until) = wait.cycles?;
    let level = trace.problem.level(wait.level);
    Some(format!(
        "it had waited {} for {} of {} (since {})",
        duration_words(&trace.problem, until - since),
        size_words(level, wait.need),
        level.name,
        moment(&trace.problem, since)
    ))
}

/// What the step's decisions say of others than its own operation: who waits from here on, who has room now, who became
/// ready. They were made before the step, so a wait is told first.
pub(super) fn tell_others(trace: &Trace, step: usize, told: &mut Explained) {
    let graph = &trace.problem.graph;
    let (mut waits, mut ready) = (Vec::new(), Vec::new());
    for event in trace.run(step) {
        match *event {
            Event::WaitsForMemory { node, level, need, room } => waits.push(wait_text(trace, node, level, need, room)),
            Event::Woken { node, since, at, .. } => {
                let took = duration_words(&trace.problem, at.saturating_sub(since));
                told.did.push(format!("{} has room now: it had waited {took}", node_id(graph, node)));
            }
            Event::Ready { node } if trace.problem.is_clocked() => ready.push(node_id(graph, node)),
            _ => {}
        }
    }
    if !ready.is_empty() {
        let verb = if ready.len() == 1 { "is" } else { "are" };
        told.did.push(format!("{} {verb} ready now", listed(ready.into_iter(), NAMED)));
    }
    let mut waits = waits.into_iter();
    if let Some(first) = waits.next() {
        told.sentence = format!("{first}. Then: {}", told.sentence);
        told.did.extend(waits.take(NAMED));
    }
}

/// Those that wait for memory where the record ends, `limit` of them and the rest counted.
pub(super) fn open_waits(trace: &Trace, limit: usize) -> Vec<String> {
    let mut open = trace.waits().never_ended();
    let shown = open.by_ref().take(limit).map(|wait| wait_text(trace, wait.node, wait.level, wait.need, wait.room));
    let mut lines: Vec<String> = shown.collect();
    let more = open.count() as u64;
    lines.extend((more > 0).then(|| format!("and {} more wait", grouped(more))));
    lines
}

/// `relu7 has to wait for memory: it needs 16.0 MB of pool, and 12.0 MB are free`.
pub(super) fn wait_text(trace: &Trace, node: NodeIx, level: LevelIx, need: u64, room: u64) -> String {
    let entry = trace.problem.level(level);
    let name = node_id(&trace.problem.graph, node);
    let (needs, free) = compared(entry, need, room);
    if room >= need {
        format!(
            "{name} is held back: it needs {needs} of {} and {free} are free, but are kept so that the rest can run to its end",
            entry.name
        )
    } else {
        format!("{name} has to wait for memory: it needs {needs} of {}, and {free} are free", entry.name)
    }
}
