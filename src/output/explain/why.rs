//! The reasons behind a decision: what was needed, what was tried, how the candidates ranked.

use super::RankRow;
use super::decision::{Decision, Departure, Opening, Postponement, choice_at, early_for, holes_at, node_at_hand};
use crate::model::{BufIx, Event, NodeIx, Refusal, Verdict};
use crate::output::labels::{buffer_id, let_spill, node_id};
use crate::output::numbers::{counted, grouped};
use crate::trace::Trace;

/// What found no hole: `b77 needs 256 units of L1, but the largest hole has 96 (352 free in 5 holes: …)`.
pub(super) fn opening(trace: &Trace, decision: &Decision) -> Option<String> {
    let Opening { buf, level, free, largest } = decision.opening()?;
    let problem = &trace.problem;
    let (id, size, name) = (buffer_id(&problem.graph, buf), problem.graph.buffer(buf).size, &problem.level(level).name);
    let needs = format!("{id} needs {} of {name}", counted(size, "unit"));
    if free == 0 {
        return Some(format!("{needs}, but {name} is full"));
    }
    let holes = holes_at(trace, decision.position, level).len() as u64;
    if holes == 1 {
        return Some(format!("{needs}, but only {} are free", grouped(free)));
    }
    let holes = counted(holes, "hole");
    let total = if free >= size { "enough in total, but fragmented" } else { "too little" };
    let (free, largest) = (grouped(free), grouped(largest));
    Some(format!("{needs}, but the largest hole has {largest} ({free} free in {holes}: {total})"))
}

/// What was tried and did not help, a line each.
pub(super) fn refusals(trace: &Trace, decision: &Decision) -> Vec<String> {
    let tried = decision.events.iter().filter_map(|event| match *event {
        Event::FellThrough { buf, fallback, reason, node } => {
            Some(format!("{fallback} did not help: {}", refusal(trace, buf, reason, node)))
        }
        _ => None,
    });
    tried.collect()
}

/// Why a fallback made no room for `buf`.
pub(super) fn refusal(trace: &Trace, buf: BufIx, reason: Refusal, node: NodeIx) -> String {
    let problem = &trace.problem;
    let level = problem.level(problem.level_of(buf));
    let size = grouped(problem.graph.buffer(buf).size);
    let (id, name) = (buffer_id(&problem.graph, buf), &level.name);
    let node = node_id(&problem.graph, node);
    match reason {
        Refusal::LevelMayNotSpill => format!("{name} may not spill ({})", let_spill(level)),
        Refusal::NoVictim => format!("nothing is in {name} that may leave"),
        Refusal::NoSingleVictim => format!("no single buffer's leaving opens a hole of {size}"),
        Refusal::NotEnoughTogether => format!("even all that may leave together open no hole of {size}"),
        Refusal::PostponeLimit => format!("{id} was put off as often as --postpone-limit allows"),
        Refusal::NoLaterFree => format!("no later FREE of a buffer that is in {name} now makes enough room"),
        Refusal::RunIsCheaper => {
            format!("several neighbours cost less than any single buffer that opens a hole of {size}")
        }
        Refusal::PastFirstUse => format!("room comes only behind {node}, which needs {id}"),
    }
}

/// What a postponement waits for.
pub(super) fn postponed(trace: &Trace, moved: &Postponement) -> String {
    let graph = &trace.problem.graph;
    let step = trace.step_of(moved.after).map_or_else(String::new, |step| format!(" (step {step})"));
    let free = counted(moved.free, "unit");
    format!(
        "postpone: by {}{step} {free} will be free, before anything needs {}",
        node_id(graph, moved.after),
        buffer_id(graph, moved.buf)
    )
}

/// The candidates of `decision` as rows, and the rest in words; `leaving` is the departure that it brought about,
/// and `step` the one that is explained.
pub(super) fn ranking(
    trace: &Trace,
    decision: &Decision,
    step: usize,
    leaving: Option<&Departure>,
) -> (Vec<RankRow>, Option<String>) {
    let mut rows = Vec::new();
    let mut more = None;
    for event in decision.ranking() {
        match *event {
            Event::Candidate { buf, verdict, .. } => {
                let leaves = leaving.and_then(|leaving| leaves_at(trace, leaving, buf));
                rows.extend(rank_row(trace, event).map(|row| RankRow {
                    chosen: leaves == Some(step),
                    text: verdict_text(trace, decision, verdict, step, leaves),
                    ..row
                }));
            }
            Event::MoreCandidates { pinned, no_hole, not_needed, chosen } => {
                let counts =
                    [(chosen, "chosen"), (no_hole, "of no use"), (not_needed, "not needed"), (pinned, "pinned")];
                more = Some(beyond(&counts));
            }
            _ => {}
        }
    }
    (rows, more)
}

/// A candidate's numbers as a row, without what became of it in words.
pub(super) fn rank_row(trace: &Trace, event: &Event) -> Option<RankRow> {
    let Event::Candidate { buf, verdict, rule, next_use, steps, score } = *event else { return None };
    Some(RankRow {
        buf,
        chosen: false,
        verdict,
        next_use: (next_use != u32::MAX).then_some(next_use),
        rule,
        steps,
        size: trace.problem.graph.buffer(buf).size,
        cost: trace.problem.spill_cost(buf),
        score,
        text: String::new(),
    })
}

/// The step of the departure with which `buf` leaves.
fn leaves_at(trace: &Trace, leaving: &Departure, buf: BufIx) -> Option<usize> {
    leaving.steps.clone().find(|&at| choice_at(trace, at).is_some_and(|choice| choice.victim == buf))
}

/// `12 more: 3 pinned, 9 not needed`.
pub(super) fn beyond(counts: &[(u32, &str)]) -> String {
    let total: u64 = counts.iter().map(|&(count, _)| u64::from(count)).sum();
    let parts = counts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = parts.map(|(count, what)| format!("{} {what}", grouped(u64::from(*count)))).collect();
    format!("{} more: {}", grouped(total), parts.join(", "))
}

fn verdict_text(trace: &Trace, decision: &Decision, verdict: Verdict, step: usize, leaves: Option<usize>) -> String {
    let graph = &trace.problem.graph;
    let size = decision.opening().map_or(0, |opening| graph.buffer(opening.buf).size);
    match (verdict, leaves) {
        (_, Some(at)) if at == step => "chosen".into(),
        (_, Some(at)) if at < step => format!("left at step {at}"),
        (_, Some(at)) => format!("leaves at step {at}"),
        (Verdict::Chosen, None) => "chosen".into(),
        (Verdict::NoHole, None) => format!("opens no hole of {}", grouped(size)),
        (Verdict::NotNeeded, None) => "not needed".into(),
        (Verdict::NotEnough, None) => "not enough together".into(),
        (Verdict::Stays, None) => "stays".into(),
        (Verdict::DearerRun, None) => "with its neighbours it costs more".into(),
        (Verdict::Pinned, None) if early_for(trace, decision.step).is_some() => "pinned: needed sooner".into(),
        (Verdict::Pinned, None) => match node_at_hand(trace, decision.step) {
            Some(node) => format!("pinned by {}", node_id(graph, node)),
            None => "pinned: it lives to the end".into(),
        },
    }
}
