//! One function for each kind of step.

use super::decision::{
    Choice, Decision, Departure, Placement, choice_at, departure, early_for, node_at_hand, placement, room_makers,
};
use super::{Explained, dispatch, fit, pool, rank, reload, why};
use crate::model::{BufIx, Event, Fallback, Graph, NodeIx, Operation, SpillIx, Verdict, VictimRule};
use crate::output::labels::{buffer_id, buffer_label, buffer_words, node_id, node_label, range, unit};
use crate::output::numbers::{counted, grouped, listed};
use crate::output::quantities::{duration, duration_words, moment, span};
use crate::trace::{Mark, Trace};

/// How many buffers a sentence names before it counts the rest.
const NAMED: usize = 6;

/// An ALLOC.
pub(super) fn alloc(trace: &Trace, step: usize, buf: BufIx) -> Explained {
    let graph = &trace.problem.graph;
    let (size, id) = (graph.buffer(buf).size, buffer_id(graph, buf));
    let name = &trace.problem.level(trace.problem.level_of(buf)).name;
    let sentence = format!("{} gets {} of {name}.", buffer_label(graph, buf), counted(size, "unit"));
    let Some(Placement { position, level, offset, .. }) = placement(trace, step) else {
        return Explained { sentence, ..Explained::default() };
    };
    let at = trace.time_of(step).map_or(0, |(start, _)| start);
    let taken = range(&trace.problem, level, offset, size);
    let mut why: Vec<String> = made_room(trace, step, buf).into_iter().collect();
    why.push(fit::placed(trace, position, level, offset, size));
    why.extend(earlier_postponements(trace, buf, position));
    let users = graph.users(buf).iter().filter_map(|&user| Some((trace.step_of(user)?, user)));
    let next = match users.min() {
        Some((at, user)) => format!("first used by {} at step {at}", node_id(graph, user)),
        None => format!("no step of this plan uses {id}"),
    };
    let did = vec![format!("{id} ({}) placed at {taken}, from {} on", grouped(size), moment(&trace.problem, at))];
    Explained { sentence, did, why, next: vec![next], ..Explained::default() }
}

/// Who left so that `buf` could be placed at `step`.
pub(super) fn made_room(trace: &Trace, step: usize, buf: BufIx) -> Option<String> {
    let steps = room_makers(trace, step, buf);
    let first = choice_at(trace, steps.start)?;
    let victims: Vec<String> = steps
        .clone()
        .filter_map(|at| choice_at(trace, at))
        .map(|choice| buffer_id(&trace.problem.graph, choice.victim))
        .collect();
    let at = if steps.len() == 1 {
        format!("step {}", steps.start)
    } else {
        format!("steps {}–{}", steps.start, steps.end - 1)
    };
    let how = if first.how == Fallback::Pack { "as the last resort".into() } else { format!("by {}", first.how) };
    Some(format!("{} made room {how} ({at})", listed(victims.into_iter(), NAMED)))
}

fn earlier_postponements(trace: &Trace, buf: BufIx, before: usize) -> Option<String> {
    let moves = trace
        .touches(buf)
        .iter()
        .map(|&position| position as usize)
        .filter(|&position| position < before && Mark::of(&trace.events()[position]) == Some(Mark::Postpone));
    let steps: Vec<String> = moves.map(|position| trace.step_at(position + 1).to_string()).collect();
    (!steps.is_empty()).then(|| format!("its ALLOC was put off before, at step {}", listed(steps.into_iter(), NAMED)))
}

/// A FREE.
pub(super) fn free(trace: &Trace, step: usize, node: NodeIx, buf: BufIx) -> Explained {
    let graph = &trace.problem.graph;
    let (size, id) = (graph.buffer(buf).size, buffer_id(graph, buf));
    let level = trace.problem.level_of(buf);
    let name = &trace.problem.level(level).name;
    let units = counted(size, "unit");
    let sentence = format!("{} is no longer needed: its {units} of {name} are free again.", buffer_label(graph, buf));
    let mut did = left_lines(trace, step);
    did.push(format!("{} takes no time", node_id(graph, node)));
    let users = graph.users(buf).iter().filter_map(|&user| Some((trace.step_of(user)?, user)));
    let why = match users.max() {
        Some((at, user)) => format!("{}, its last use, ran at step {at}", node_id(graph, user)),
        None => format!("no operation uses {id}"),
    };
    Explained { sentence, did, why: vec![why], ..Explained::default() }
}

/// The address that fell free in `step`, and the hole that is there now.
fn left_lines(trace: &Trace, step: usize) -> Vec<String> {
    let problem = &trace.problem;
    let lines = trace.run(step).iter().filter_map(|event| match *event {
        Event::Left { buf, level, offset, .. } => {
            let size = problem.graph.buffer(buf).size;
            let from = range(problem, level, offset, size);
            Some(format!("{} ({}) left {from}", buffer_id(&problem.graph, buf), grouped(size)))
        }
        Event::Coalesced { level, start, size } => {
            Some(format!("the hole there is now {}, {}", range(problem, level, start, size), counted(size, "unit")))
        }
        _ => None,
    });
    lines.collect()
}

/// An operation.
pub(super) fn operation(trace: &Trace, step: usize, node: NodeIx, op: &Operation) -> Explained {
    let graph = &trace.problem.graph;
    let operands = graph.operands(op);
    let names = listed(operands.iter().map(|&buf| buffer_id(graph, buf)), NAMED);
    let using = if operands.is_empty() { String::new() } else { format!(", using {names}") };
    let pipe = unit(&trace.problem, trace.problem.unit_of(op.pipe));
    let kind = graph.symbol(op.op);
    let sentence = format!("{kind} runs on {pipe} for {}{using}.", duration_words(&trace.problem, op.cycles));
    let mut did = vec![node_label(graph, node)];
    did.extend(busy(trace, step));
    did.extend(dispatch::buffers_told(trace, step));
    let mut why = vec![match operands.len() {
        0 => "everything that it depends on is done".to_string(),
        1 => "everything that it depends on is done, and its buffer is in place".into(),
        count => format!("everything that it depends on is done, and its {count} buffers are in place"),
    }];
    why.extend(queue_line(trace, step, node));
    Explained { sentence, did, why, ..Explained::default() }
}

/// Since when the operation was ready, and among how many.
fn queue_line(trace: &Trace, step: usize, node: NodeIx) -> Option<String> {
    let before = u32::try_from(step.checked_sub(1)?).ok()?;
    let first = trace.ready().list(before, 0, 1).into_iter().next().filter(|first| first.node == node)?;
    Some(match trace.ready().count(before) {
        1 => format!("ready since step {}, alone", first.since),
        count => format!("ready since step {}; first in the order of the {} ready", first.since, grouped(count as u64)),
    })
}

/// Which unit the step kept busy, and when.
pub(super) fn busy(trace: &Trace, step: usize) -> Option<String> {
    let (ix, start, end) = trace.run(step).iter().find_map(|event| match *event {
        Event::Ran { unit, start, end, .. }
        | Event::MovedOut { unit, start, end, .. }
        | Event::MovedBack { unit, start, end, .. } => Some((unit, start, end)),
        _ => None,
    })?;
    let name = unit(&trace.problem, ix);
    Some(if start == end {
        format!("takes no cycles ({name}, at {})", grouped(start))
    } else {
        format!("{name} busy {} ({})", span(&trace.problem, start, end), duration(&trace.problem, end - start))
    })
}

/// A SPILL_OUT.
pub(super) fn spill_out(trace: &Trace, step: usize, spill: SpillIx) -> Explained {
    let graph = &trace.problem.graph;
    let mut did = left_lines(trace, step);
    did.extend(busy(trace, step));
    let Some(choice) = choice_at(trace, step) else {
        let sentence = format!("Spill {} goes out to main memory.", spill.0);
        return Explained { sentence, did, why: vec!["the plan says so".into()], ..Explained::default() };
    };
    did.push(extra_traffic(trace, choice.victim));
    did.extend(pool::main_memory(trace, step));
    did.push(reload::comes_back(trace, step, spill));
    let leaving = departure(trace, step, &choice);
    let mut why = Vec::new();
    let (mut rank, mut more) = (Vec::new(), None);
    if let Some(decision) = &leaving.opening {
        why.push(why::opening(trace, decision).unwrap_or_else(|| had_a_hole(graph, choice.need)));
        why.extend(why::refusals(trace, decision));
        // In the last resort all leave, whatever their rank; what the rows say is why nobody could alone.
        let ranked = (choice.how != Fallback::Pack).then_some(&leaving);
        (rank, more) = why::ranking(trace, decision, step, ranked);
    }
    why.push(choice_reason(trace, step, &choice, &leaving));
    let mut next = Vec::new();
    let settles = placement(trace, leaving.steps.end).filter(|placed| placed.buf == choice.need);
    // Right after this step it is told as what follows anyway.
    if settles.is_some() && leaving.steps.end > step + 1 {
        next.push(format!("{} is placed at step {}", buffer_id(graph, choice.need), leaving.steps.end));
    }
    Explained { sentence: spill_out_sentence(trace, step, &choice), did, why, rank, more, next, ..Explained::default() }
}

fn spill_out_sentence(trace: &Trace, step: usize, choice: &Choice) -> String {
    let graph = &trace.problem.graph;
    let level = &trace.problem.level(trace.problem.level_of(choice.victim)).name;
    let free_way_out = graph.buffer(choice.victim).backed && trace.problem.machine.transfer.backed_out_free;
    let goes = if free_way_out {
        format!(
            "{} gives up its place in {level} (main memory still holds its data)",
            buffer_label(graph, choice.victim)
        )
    } else {
        format!("{} is copied from {level} out to main memory", buffer_label(graph, choice.victim))
    };
    if choice.how != Fallback::Pack {
        let need = buffer_label(graph, choice.need);
        return match early_for(trace, step) {
            Some(node) => format!("{goes} to make room for {need}, which comes early for {}.", node_id(graph, node)),
            None => format!("{goes} to make room for {need}."),
        };
    }
    match node_at_hand(trace, step) {
        Some(node) => format!("{goes}, as everything does, so that {} finds all its buffers.", node_id(graph, node)),
        None => format!("{goes}, as everything does, so that what lives to the end fits."),
    }
}

/// Why this victim: its place in the ranking.
fn choice_reason(trace: &Trace, step: usize, choice: &Choice, leaving: &Departure) -> String {
    let graph = &trace.problem.graph;
    let victim = buffer_id(graph, choice.victim);
    let scored = leaving.opening.and_then(|decision| {
        decision.ranking().iter().find_map(|event| match *event {
            Event::Candidate { buf, verdict: Verdict::Chosen, .. } if buf == choice.victim => {
                why::rank_row(trace, event)
            }
            _ => None,
        })
    });
    let score = scored.as_ref().map_or_else(String::new, |row| format!(" ({})", rank::score_text(row)));
    let is_run = scored.as_ref().is_some_and(|row| row.rule == VictimRule::CheapestRun);
    let rivals = leaving.opening.map_or(0, |decision| decision.rivals());
    let among = if rivals > 1 { format!(" of {}", grouped(rivals)) } else { String::new() };
    let number = step - leaving.steps.start + 1;
    let total = leaving.steps.len();
    match choice.how {
        Fallback::Spill => {
            format!("spill: {victim} is the first{among} in rank{score} whose leaving opens a large enough hole")
        }
        Fallback::SpillMany if is_run => format!(
            "spill-many: {victim} is number {number} of the {} side by side whose leaving costs least{score}",
            counted(total as u64, "buffer")
        ),
        Fallback::SpillMany => {
            format!("spill-many: {victim} is number {number} of the {total} that leave, in order of rank{score}")
        }
        Fallback::Pack => format!(
            "last resort: all {} that are there leave ({victim} is number {number}), and those needed come back side by side from address 0",
            counted(total as u64, "buffer")
        ),
        Fallback::Search => {
            let together = if total > 1 { format!(", with {} more", total - 1) } else { String::new() };
            format!(
                "search: {victim} leaves{together}{score}: of all windows of addresses that are large enough, these \
                 holders cost least until they are needed; how early the addresses fall free counts too"
            )
        }
        Fallback::Plan => {
            let place = place_among(leaving, choice.victim, rivals);
            format!("the plan says so and brings no reason; {victim}{score} is {place}")
        }
        Fallback::Postpone => format!("{victim} leaves"),
    }
}

/// Somebody leaves without need.
fn had_a_hole(graph: &Graph, need: BufIx) -> String {
    format!("a hole would have held {}; the plan gives it these addresses all the same", buffer_id(graph, need))
}

/// Where the victim stands among those that could have left, by cost ÷ steps: `the cheapest of 21`.
fn place_among(leaving: &Departure, victim: BufIx, rivals: u64) -> String {
    let ranking = leaving.opening.map_or(&[][..], |decision| decision.ranking());
    let at = ranking.iter().position(|event| matches!(event, Event::Candidate { buf, .. } if *buf == victim));
    match at {
        _ if rivals <= 1 => "the only one that could leave".into(),
        Some(0) => format!("the cheapest of {}", grouped(rivals)),
        Some(at) => format!("number {} of {}, the cheapest first", at + 1, grouped(rivals)),
        None => format!("one of {}", grouped(rivals)),
    }
}

/// What a spill of `buf` costs beside time.
fn extra_traffic(trace: &Trace, buf: BufIx) -> String {
    let size = trace.problem.graph.buffer(buf).size;
    let cost = trace.problem.spill_cost(buf);
    if trace.problem.graph.buffer(buf).backed {
        format!("extra data movement {}: way back only", grouped(cost))
    } else {
        format!("extra data movement {} = 2 × {}: out and back", grouped(cost), grouped(size))
    }
}

/// The end without a plan.
pub(super) fn failure(trace: &Trace, decision: Option<Decision>) -> Explained {
    let graph = &trace.problem.graph;
    let failed = decision.and_then(|decision| Some((decision, decision.failure()?)));
    let Some((decision, (buf, node))) = failed.filter(|(decision, _)| decision.opening().is_some()) else {
        return stalled(trace, failed.map(|(_, (_, node))| node));
    };
    let level = &trace.problem.level(trace.problem.level_of(buf)).name;
    let sentence = format!("Planning stops here: {level} has no room for {}.", buffer_words(graph, buf));
    let did = vec![format!("{} could not run", node_label(graph, node))];
    let mut why: Vec<String> = why::opening(trace, &decision).into_iter().collect();
    let refusals = why::refusals(trace, &decision);
    if refusals.is_empty() {
        why.push(format!("nothing is allowed to make room in {level} (--on-full)"));
    }
    why.extend(refusals);
    let (rank, more) = why::ranking(trace, &decision, decision.step, None);
    let next = vec![format!("the diagnosis says who holds {level} and what would help")];
    Explained { sentence, did, why, rank, more, next, ..Explained::default() }
}

/// The end where no placement failed: the scheduler found nothing that may start.
fn stalled(trace: &Trace, node: Option<NodeIx>) -> Explained {
    let waits = dispatch::open_waits(trace, NAMED);
    let (sentence, why) = if waits.is_empty() {
        ("The plan ends here without an answer.".into(), vec!["the diagnosis says more".into()])
    } else {
        ("Deadlock: nothing runs, and all that is ready waits for memory.".into(), waits)
    };
    let did = node.map(|node| format!("{} could not run", node_label(&trace.problem.graph, node)));
    let next = vec!["the diagnosis says who holds the memory and what would help".into()];
    Explained { sentence, did: did.into_iter().collect(), why, next, ..Explained::default() }
}
