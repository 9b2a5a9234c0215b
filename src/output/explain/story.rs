//! The life of one buffer, a line for each thing that happened to it.

use super::decision::{choice_at, node_at_hand};
use super::pool;
use super::reload;
use crate::model::{BufIx, Event, Leaving, NodeIx, Placing, Step};
use crate::output::labels::{buffer_id, node_id, node_label, range};
use crate::output::numbers::{counted, grouped, ordinal, percent};
use crate::output::quantities::{duration_words, exact_size};
use crate::trace::{Mark, Trace};

/// One line of a buffer's story.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoryLine {
    /// The step at which it happened; `None` for what never happens.
    pub step: Option<usize>,
    /// What happened.
    pub text: String,
    /// The step of the other half of a spill.
    pub jump: Option<usize>,
}

/// The story of `buf`: born, put off, used, spilled out, reloaded, freed, in the order of the plan.
pub fn story(trace: &Trace, buf: BufIx) -> Vec<StoryLine> {
    let graph = &trace.problem.graph;
    let touched = trace.touches(buf).iter().filter_map(|&position| told(trace, buf, position as usize));
    // Who reads a buffer of a pool is recorded, with what is left of its consumers.
    let recorded = |user: NodeIx, step: usize| {
        let reads =
            |event: &Event| matches!(*event, Event::Read { buf: read, node, .. } if read == buf && node == user);
        trace.run(step).iter().any(reads)
    };
    let used = graph.users(buf).iter().filter_map(|&user| {
        let step = trace.step_of(user).filter(|&step| !recorded(user, step))?;
        let verb = if pool::makes(graph, user, buf) { "made" } else { "used" };
        Some(StoryLine { step: Some(step), text: format!("{verb} by {}", node_label(graph, user)), jump: None })
    });
    // Stable: what was decided before a step stays before what the step does.
    let mut lines: Vec<StoryLine> = touched.chain(used).collect();
    lines.sort_by_key(|line| line.step);
    lines.extend(what_never_happens(trace, buf).map(|text| StoryLine { step: None, text, jump: None }));
    lines
}

/// How often `buf` was spilled, what that moved, the share of the plan's extra traffic that it is, and how long the
/// transfers took; `None` where it never was.
pub fn totals(trace: &Trace, buf: BufIx) -> Option<String> {
    let problem = &trace.problem;
    let steps: Vec<usize> = spills_of(trace, buf).map(|position| trace.step_at(position + 1)).collect();
    if steps.is_empty() {
        return None;
    }
    let moved = problem.spill_cost(buf).saturating_mul(steps.len() as u64);
    let all = trace.extra_traffic();
    let halves = steps.iter().filter_map(|&step| match trace.step(step) {
        Some(Step::Out(spill)) => trace.spill_steps(spill),
        _ => None,
    });
    let times = halves.flat_map(|halves| [halves.out, halves.back]).filter_map(|step| trace.time_of(step as usize));
    let cycles = times.fold(0u64, |sum, (start, end)| sum.saturating_add(end.saturating_sub(start)));
    Some(format!(
        "{} moved {}, {} of all, in {}",
        counted(steps.len() as u64, "spill"),
        counted(moved, "unit"),
        percent(moved, all),
        duration_words(problem, cycles)
    ))
}

/// The positions of the events with which `buf` left by a spill.
fn spills_of(trace: &Trace, buf: BufIx) -> impl Iterator<Item = usize> + '_ {
    let is_spill = |&position: &u32| Mark::of(&trace.events()[position as usize]) == Some(Mark::Spill);
    trace.touches(buf).iter().filter(move |position| is_spill(position)).map(|&position| position as usize)
}

/// Which time it is that `buf` leaves, from the second on.
fn again(trace: &Trace, buf: BufIx, position: usize) -> String {
    match spills_of(trace, buf).take_while(|&spill| spill <= position).count() {
        0 | 1 => String::new(),
        time => format!(" for the {} time", ordinal(time as u64)),
    }
}

fn what_never_happens(trace: &Trace, buf: BufIx) -> Option<String> {
    let buffer = trace.problem.graph.buffer(buf);
    if trace.step_of(buffer.alloc).is_none() {
        return Some("the plan ends before it is born".into());
    }
    match buffer.free {
        None => Some("never freed: it lives to the end".into()),
        Some(free) if trace.step_of(free).is_none() => Some("the plan ends before it is freed".into()),
        Some(_) => None,
    }
}

/// The event at `position`, which concerns `buf`.
fn told(trace: &Trace, buf: BufIx, position: usize) -> Option<StoryLine> {
    let problem = &trace.problem;
    let graph = &problem.graph;
    let size = graph.buffer(buf).size;
    let step = trace.step_at(position + 1);
    let halves = match trace.step(step) {
        Some(Step::Out(spill) | Step::Back(spill)) => trace.spill_steps(spill),
        _ => None,
    };
    let mut jump = None;
    let text = match trace.events()[position] {
        Event::Placed { how: Placing::Alloc, level, offset, .. } => match pool::block_of(trace, step, level, offset) {
            Some(block) => {
                format!("born: {} in {}", exact_size(problem.level(level), size), pool::block_words(trace, &block))
            }
            None => format!("born: {} at {}", counted(size, "unit"), range(problem, level, offset, size)),
        },
        Event::Placed { how: Placing::Back, level, offset, .. } => {
            jump = halves.map(|halves| halves.out);
            let place = range(problem, level, offset, size);
            let early = reload::early(trace, step);
            let node = early.map(|early| early.node).or_else(|| node_at_hand(trace, step));
            let goal = node.map_or("the end".into(), |node| node_id(graph, node));
            format!("reloaded {}to {place} for {goal}", if early.is_some() { "early " } else { "" })
        }
        Event::Left { how: Leaving::Free, level, offset, .. }
            if pool::block_of(trace, step, level, offset).is_some() =>
        {
            "given back: its block lies idle".into()
        }
        Event::Left { how: Leaving::Free, .. } => "freed".into(),
        Event::Read { node, left: 0, .. } => format!("read by {}, the last", node_label(graph, node)),
        Event::Read { node, left, .. } => {
            format!("read by {}, {} more to come", node_label(graph, node), grouped(u64::from(left)))
        }
        Event::Reported { actual, .. } => {
            let real = exact_size(problem.level(problem.level_of(buf)), actual);
            format!("real size reported: {real}")
        }
        Event::Left { how: Leaving::Out, .. } => {
            jump = halves.map(|halves| halves.back);
            let again = again(trace, buf, position);
            match choice_at(trace, step) {
                Some(choice) if choice.need != buf => {
                    format!("spilled out{again} for {} by {}", buffer_id(graph, choice.need), choice.how)
                }
                Some(choice) => format!("spilled out{again} by {}", choice.how),
                None => format!("spilled out{again}"),
            }
        }
        Event::NoHole { free, largest, .. } => {
            format!("no hole of {}: largest {}, free {}", grouped(size), grouped(largest), grouped(free))
        }
        Event::Postponed { after, .. } => format!("ALLOC put off to after {}", node_id(graph, after)),
        Event::Failed { .. } => "no room: the plan fails here".into(),
        _ => return None,
    };
    let jump = jump.filter(|&other| other != u32::MAX).map(|other| other as usize);
    Some(StoryLine { step: Some(step), text, jump })
}
