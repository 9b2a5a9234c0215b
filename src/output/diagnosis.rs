//! Why there is no plan, in words: for the report and for the failure pane.

mod autopsy;

use crate::model::{BufIx, Diagnosis, FailureKind, Holder, LevelIx, NodeKind, Order, Problem, Remedy, Stay};
use crate::output::labels::{buffer_id, buffer_label, chain, let_spill, node_id, node_label, range};
use crate::output::numbers::{counted, grouped, listed};
use crate::output::quantities::{exact_size, moment, size};
use crate::trace::Trace;

/// What a line of a diagnosis is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// What failed, in a sentence; the first line.
    Headline,
    /// The kind of failure, and its numbers.
    Fact,
    /// A buffer that holds part of the level.
    Holder,
    /// Holders that stand between holes which would do together.
    Blocker,
    /// What was tried and works.
    Remedy,
    /// What was tried and fails too.
    InVain,
    /// Buffers that cannot be together, as few as can be.
    Conflict,
    /// What came and stayed, so that the level filled.
    Rise,
}

/// One line of a diagnosis.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What it is.
    pub role: Role,
    /// Its text.
    pub text: String,
    /// The buffer that it speaks of.
    pub buf: Option<BufIx>,
    /// The step to look at.
    pub step: Option<usize>,
    /// Which remedy of the diagnosis it tells, counted from 0.
    pub remedy: Option<usize>,
}

impl Line {
    fn new(role: Role, text: String) -> Self {
        Self { role, text, buf: None, step: None, remedy: None }
    }
}

/// How many blockers are named.
const NAMED_BLOCKERS: usize = 3;

/// The diagnosis in lines: the headline, facts, blockers, holders by address, remedies, what was tried in vain, the
/// conflict, and how the level filled.
pub fn diagnosis(trace: &Trace, found: &Diagnosis) -> Vec<Line> {
    let problem = &trace.problem;
    let headline = Line {
        buf: Some(found.buf),
        step: found.step.map(|step| step as usize),
        ..Line::new(Role::Headline, headline(problem, found))
    };
    let mut lines = vec![headline];
    lines.extend(facts(problem, found).into_iter().map(|text| Line::new(Role::Fact, text)));
    lines.extend(blockers(problem, found));
    lines.extend(found.holders.iter().map(|holder| Line {
        buf: Some(holder.buf),
        step: Some(holder.since as usize),
        ..Line::new(Role::Holder, holder_text(trace, found, holder))
    }));
    lines.extend(
        found
            .remedies
            .iter()
            .enumerate()
            .map(|(at, remedy)| Line { remedy: Some(at), ..Line::new(Role::Remedy, remedy_text(problem, remedy)) }),
    );
    let in_vain = |remedy| Line::new(Role::InVain, format!("{}  fails too", remedy_flag(problem, remedy)));
    lines.extend(found.in_vain.iter().map(in_vain));
    lines.extend(found.conflict.as_ref().map(|conflict| autopsy::conflict(problem, found, conflict)));
    lines.extend(found.rise.iter().flat_map(|rise| autopsy::rise(problem, found, rise)));
    lines
}

/// How many of those that wait in a deadlock are named.
const WAITING_NAMED: usize = 4;

/// What failed, in a sentence.
pub fn headline(problem: &Problem, found: &Diagnosis) -> String {
    let graph = &problem.graph;
    let level = &problem.level(found.level).name;
    let entry = problem.level(found.level);
    let (need, capacity) = (exact_size(entry, found.need), grouped(found.capacity));
    match (found.kind, found.node) {
        (FailureKind::LargerThanLevel, _) => format!(
            "No plan exists: {} needs {need}, and {level} has {capacity} in all.",
            buffer_label(graph, found.buf)
        ),
        (FailureKind::OperandsLargerThanLevel, Some(node)) => format!(
            "No plan exists: {} needs {need} of {level} at once, which has {capacity} in all.",
            node_label(graph, node)
        ),
        (FailureKind::OperandsLargerThanLevel, None) => format!(
            "No plan exists: buffers that are never freed need {need} of {level} at the end, which has {capacity}."
        ),
        (FailureKind::Deadlock, _) => {
            let step = found.step.map_or_else(String::new, |step| format!(", step {step}"));
            let waiting = counted(found.waiting.len() as u64, "operation");
            let verb = if found.waiting.len() == 1 { "waits" } else { "wait" };
            format!("Deadlock{step}: nothing runs, and {waiting} that could run {verb} for memory of {level}.")
        }
        (FailureKind::NoHole | FailureKind::Forbidden, node) => {
            let at = node.map_or_else(String::new, |node| format!(" at {}", node_id(graph, node)));
            let step = found.step.map_or_else(String::new, |step| format!(", step {step}"));
            format!("No plan: {level} has no room for {}{at}{step}.", buffer_label(graph, found.buf))
        }
    }
}

fn facts(problem: &Problem, found: &Diagnosis) -> Vec<String> {
    let level = problem.level(found.level);
    let name = &level.name;
    // A pool has no holes: what is free may be had in one piece.
    let hole =
        if level.pool().is_some() { String::new() } else { format!("largest hole {}, ", grouped(found.largest_hole)) };
    let numbers = format!(
        "needed {}, free {}, {hole}capacity {}",
        grouped(found.need),
        grouped(found.free),
        grouped(found.capacity)
    );
    match found.kind {
        FailureKind::LargerThanLevel => {
            vec![format!("no order and no policy can help: {name} is too small for this one buffer")]
        }
        FailureKind::OperandsLargerThanLevel => {
            let operands = operands(problem, found);
            let mut lines = vec![format!("no order and no policy can help: these must be in {name} at the same time")];
            lines.extend((!operands.is_empty()).then_some(operands));
            lines
        }
        FailureKind::NoHole => vec![format!(
            "needed {}, free {} in {}, but the largest has {}: fragmented",
            grouped(found.need),
            grouped(found.free),
            counted(holes(problem, found).len() as u64, "hole"),
            grouped(found.largest_hole)
        )],
        FailureKind::Deadlock => {
            let first = found.waiting.iter().take(WAITING_NAMED).map(|waiting| {
                let level = problem.level(waiting.level);
                let (need, room) = (exact_size(level, waiting.need), grouped(waiting.room));
                let since = moment(problem, waiting.since);
                let name = node_label(&problem.graph, waiting.node);
                format!("{name} waits for {need} since {since}; {room} can be had")
            });
            let more = found.waiting.len().saturating_sub(WAITING_NAMED) as u64;
            let more = (more > 0).then(|| format!("and {} more", grouped(more)));
            first.chain(more).chain(["what holds the memory is freed only by those that wait".into()]).collect()
        }
        FailureKind::Forbidden if level.pool().is_some() => {
            vec!["too little is free, and a block of a pool stays until its buffer is freed".into(), numbers]
        }
        FailureKind::Forbidden if !level.spill => {
            vec![format!("too little is free, and {name} may not spill ({})", let_spill(level)), numbers]
        }
        FailureKind::Forbidden => {
            vec!["too little is free, and the policy lets too little go (--on-full)".into(), numbers]
        }
    }
}

/// The buffers in the level that the node at hand names: `b1 (96), b2 (128)`.
fn operands(problem: &Problem, found: &Diagnosis) -> String {
    let graph = &problem.graph;
    let level = problem.level(found.level);
    let named: Vec<BufIx> = match found.node.map(|node| graph.node(node).kind) {
        Some(NodeKind::Op(op)) => graph.operands(&op).to_vec(),
        Some(_) => Vec::new(),
        None => (0..graph.buffers().len()).map(BufIx::new).filter(|&buf| graph.buffer(buf).free.is_none()).collect(),
    };
    let here = named.into_iter().filter(|&buf| problem.level_of(buf) == found.level);
    let texts: Vec<String> =
        here.map(|buf| format!("{} ({})", buffer_id(graph, buf), size(level, graph.buffer(buf).size))).collect();
    listed(texts.into_iter(), 12)
}

/// The holes between the holders, half-open.
fn holes(problem: &Problem, found: &Diagnosis) -> Vec<(u64, u64)> {
    let mut holes = Vec::new();
    let mut end = 0;
    for holder in &found.holders {
        if holder.offset > end {
            holes.push((end, holder.offset));
        }
        end = end.max(holder.offset.saturating_add(problem.graph.buffer(holder.buf).size));
    }
    if end < found.capacity {
        holes.push((end, found.capacity));
    }
    holes
}

/// The holders between two holes that would do together with what stands between them, fewest units first.
fn blockers(problem: &Problem, found: &Diagnosis) -> Vec<Line> {
    if found.kind != FailureKind::NoHole {
        return Vec::new();
    }
    let holes = holes(problem, found);
    let mut gaps: Vec<(u64, u64, u64)> = holes
        .windows(2)
        .map(|pair| (pair[1].0 - pair[0].1, pair[0].0, pair[1].1))
        .filter(|&(_, start, end)| end - start >= found.need)
        .collect();
    gaps.sort_unstable();
    let line = |&(between, start, end): &(u64, u64, u64)| {
        let inside: Vec<&Holder> =
            found.holders.iter().filter(|holder| (start..end).contains(&holder.offset)).collect();
        let names: Vec<String> = inside.iter().map(|holder| buffer_id(&problem.graph, holder.buf)).collect();
        let (verb, free) = (if names.len() == 1 { "stands" } else { "stand" }, end - start - between);
        let each = if inside.len() > 1 && inside[0].stays == Stay::OpensNoHole { "each " } else { "" };
        let stays =
            inside.first().map_or_else(String::new, |holder| format!("; {each}{}", stays_text(problem, found, holder)));
        let text = format!(
            "{} ({}) {verb} between holes of {} in {}{stays}",
            listed(names.into_iter(), 6),
            grouped(between),
            grouped(free),
            range(problem, found.level, start, end - start)
        );
        Line { buf: inside.first().map(|holder| holder.buf), ..Line::new(Role::Blocker, text) }
    };
    gaps.iter().take(NAMED_BLOCKERS).map(line).collect()
}

/// Why a holder could not go.
fn stays_text(problem: &Problem, found: &Diagnosis, holder: &Holder) -> String {
    match (holder.stays, found.node) {
        (Stay::Pinned, Some(node)) => format!("pinned by {}", node_id(&problem.graph, node)),
        (Stay::Pinned, None) => "must be there at the end".into(),
        (Stay::PoolsKeep, _) => "held until it is freed".into(),
        (Stay::LevelMayNotSpill, _) => "may not spill".into(),
        (Stay::ChainDoesNotSpill, _) => "--on-full does not spill".into(),
        (Stay::OpensNoHole, _) => format!("alone opens no hole of {}", grouped(found.need)),
    }
}

fn holder_text(trace: &Trace, found: &Diagnosis, holder: &Holder) -> String {
    let problem = &trace.problem;
    let graph = &problem.graph;
    let next = match holder.next_use {
        Some(node) if graph.buffer(holder.buf).free == Some(node) => "only its FREE is left".into(),
        Some(node) => format!("next in {}", node_id(graph, node)),
        None => "lives to the end".into(),
    };
    let stays = stays_text(problem, found, holder);
    let name = buffer_label(graph, holder.buf);
    let level = problem.level(found.level);
    let units = size(level, graph.buffer(holder.buf).size);
    if found.step.is_none() {
        // Nothing was placed: there is only the size to tell.
        return format!("{name} {units}; {stays}");
    }
    // A block's address is virtual; what it takes of the pool is its size.
    let place = match level.pool() {
        Some(rules) => format!("in a block of {}", size(level, problem.block_size(holder.buf, rules))),
        None => range(problem, found.level, holder.offset, graph.buffer(holder.buf).size),
    };
    format!("{name} {units} {place} since step {}; {next}; {stays}", holder.since)
}

fn remedy_text(problem: &Problem, remedy: &Remedy) -> String {
    let flag = remedy_flag(problem, remedy);
    match remedy {
        Remedy::Capacity { smallest: true, .. } => format!("{flag}  works; no smaller one can, in any order"),
        Remedy::Capacity { levels, .. } => match levels[..] {
            [(_, size)] => format!("{flag}  works; {} fails", size.saturating_sub(1)),
            _ => format!("{flag}  works; with one unit less in any of them it fails"),
        },
        Remedy::SpillL0 => format!("{flag}  works: L0… may then spill"),
        Remedy::Order(Order::Program) => format!("{flag}  works: the order of the file"),
        Remedy::AvoidDeadlock => format!("{flag}  works: memory is kept back for what must end"),
        Remedy::Order(_) | Remedy::Chain(_) | Remedy::PostponeLimit(_) => format!("{flag}  works"),
    }
}

/// A remedy as the flag that asks for it.
pub fn remedy_flag(problem: &Problem, remedy: &Remedy) -> String {
    match remedy {
        Remedy::Capacity { levels, .. } => {
            let size = |&(level, size): &(LevelIx, u64)| format!("{}={size}", problem.level(level).name);
            format!("--capacity {}", levels.iter().map(size).collect::<Vec<_>>().join(","))
        }
        Remedy::SpillL0 => "--spill-l0".into(),
        Remedy::Chain(on_full) => format!("--on-full {}", chain(on_full)),
        Remedy::PostponeLimit(limit) => format!("--postpone-limit {limit}"),
        Remedy::Order(order) => format!("--order {order}"),
        Remedy::AvoidDeadlock => "--deadlock avoid".into(),
    }
}

#[cfg(test)]
mod tests;
