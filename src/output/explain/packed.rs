//! Steps of a graph that only spells out lifetimes: what is alive, who holds most of it.

use super::{Explained, explain};
use crate::model::{BufIx, LevelIx, NodeKind, Step, Timeline};
use crate::output::labels::{buffer_id, node_id};
use crate::output::numbers::{counted, grouped, listed, percent};
use crate::session::Session;
use crate::session::packing::Seen;

/// How many holders a sentence names.
const NAMED: usize = 3;
/// How many holders are listed below it.
const LISTED: usize = 8;

/// [`explain`], with what is known of a packing.
pub(super) fn explain_packed(session: &Session, seen: &Seen, step: usize) -> Explained {
    let (trace, graph) = (&session.trace, &*session.trace.problem.graph);
    if trace.failing_step() == Some(step) {
        let mut told = explain(trace, step);
        told.why.insert(0, seen.verdict.clone());
        if !seen.core.is_empty() {
            let names = seen.core.iter().map(|&buf| buffer_id(graph, buf));
            told.why.insert(1, format!("these alone do not fit: {}", listed(names, LISTED)));
        }
        return told;
    }
    let Some(Step::Node(node)) = trace.step(step) else { return explain(trace, step) };
    let NodeKind::Op(op) = graph.node(node).kind else { return explain(trace, step) };
    let alive = alive(session, step);
    let held: u64 = alive.iter().map(|&(_, size)| size).sum();
    let at = trace.time_of(step).map_or(0, |(start, _)| start);
    let when = match graph.timeline {
        Some(Timeline::Program) => format!("As {} runs, {}", node_id(graph, node), holders_word(&alive, "value")),
        _ if op.cycles == 1 => format!("At time {}, {}", grouped(at), holders_word(&alive, "buffer")),
        _ => {
            let end = grouped(at + op.cycles);
            format!("From time {} to {end}, {}", grouped(at), holders_word(&alive, "buffer"))
        }
    };
    let amount = amount(session, held);
    let most = match alive.len() {
        0 => String::new(),
        _ => format!("; most by {}", listed_first(session, &alive)),
    };
    let peak = if step == seen.peak && held > 0 { "The peak. " } else { "" };
    let sentence = if alive.is_empty() { format!("{when}.") } else { format!("{peak}{when} {amount}{most}.") };
    let mut did = levels(session, &alive);
    let several = trace.problem.level_count() > 1;
    did.extend(alive.iter().take(LISTED).map(|&(buf, size)| {
        let level = &trace.problem.level(trace.problem.level_of(buf)).name;
        let place = if several { format!(" in {level}") } else { String::new() };
        format!("{} {} ({}){place}", buffer_id(graph, buf), grouped(size), percent(size, held))
    }));
    if alive.len() > LISTED {
        did.push(format!("and {} more", grouped((alive.len() - LISTED) as u64)));
    }
    let next = explain(trace, step).next;
    Explained { sentence, did, why: vec![seen.verdict.clone()], next, ..Explained::default() }
}

fn holders_word(alive: &[(BufIx, u64)], word: &str) -> String {
    match alive.len() {
        0 => "nothing is alive".into(),
        1 => format!("1 {word} holds"),
        count => format!("{} hold", counted(count as u64, word)),
    }
}

/// `37 of 40` of one memory; `37 bytes` where there are several.
fn amount(session: &Session, held: u64) -> String {
    match session.trace.problem.machine.levels.as_slice() {
        [one] => format!("{} of {}", grouped(held), grouped(one.capacity)),
        levels => format!("{} in {}", counted(held, "byte"), counted(levels.len() as u64, "allocation")),
    }
}

fn listed_first(session: &Session, alive: &[(BufIx, u64)]) -> String {
    let graph = &session.trace.problem.graph;
    let named = alive.iter().take(NAMED).map(|&(buf, size)| format!("{} ({})", buffer_id(graph, buf), grouped(size)));
    let named: Vec<String> = named.collect();
    listed(named.into_iter(), NAMED)
}

/// How full each memory is, the fullest first, where there are several.
fn levels(session: &Session, alive: &[(BufIx, u64)]) -> Vec<String> {
    let problem = &session.trace.problem;
    if problem.level_count() < 2 {
        return Vec::new();
    }
    let mut held = vec![0u64; problem.level_count()];
    alive.iter().for_each(|&(buf, size)| held[problem.level_of(buf).at()] += size);
    let Some((first, most)) = held.iter().enumerate().max_by_key(|&(at, &most)| (most, std::cmp::Reverse(at))) else {
        return Vec::new();
    };
    let level = problem.level(LevelIx::new(first));
    vec![format!("most of it in {}: {} of {}", level.name, grouped(*most), grouped(level.capacity))]
}

/// Who is alive at `step`, the largest first.
fn alive(session: &Session, step: usize) -> Vec<(BufIx, u64)> {
    let (trace, graph) = (&session.trace, &*session.trace.problem.graph);
    let is_alive = |buf: &BufIx| {
        let buffer = graph.buffer(*buf);
        let born = trace.step_of(buffer.alloc).is_some_and(|born| born <= step);
        born && buffer.free.and_then(|free| trace.step_of(free)).is_none_or(|gone| gone > step)
    };
    let bufs = (0..graph.buffers().len()).map(BufIx::new).filter(is_alive);
    let mut alive: Vec<(BufIx, u64)> = bufs.map(|buf| (buf, graph.buffer(buf).size)).collect();
    alive.sort_by_key(|&(buf, size)| (std::cmp::Reverse(size), buf));
    alive
}
