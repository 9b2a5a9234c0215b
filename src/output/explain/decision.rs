//! The engine's decisions, read back from the record. A decision is opened by a placement that found no hole; it
//! ends with victims, a postponement, the last resort or the plan's end. Its events stand in the run of the first
//! step after it, so a run may hold several: postponements of other ALLOCs come before the step's own.

use std::ops::Range;

use crate::model::{BufIx, Event, Fallback, LevelIx, NodeIx, Step, Verdict};
use crate::trace::Trace;

/// How many steps are looked through for the other parts of one decision. The last resort can let thousands
/// leave; beyond this many the texts count no further.
const REACH: usize = 4096;

/// The decision events of one placement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Decision<'a> {
    /// The step in whose run it stands.
    pub step: usize,
    /// Position of its first event.
    pub position: usize,
    /// Its events.
    pub events: &'a [Event],
}

/// A placement that found no hole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Opening {
    pub buf: BufIx,
    pub level: LevelIx,
    pub free: u64,
    pub largest: u64,
}

/// A buffer that leaves to make room.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub victim: BufIx,
    pub need: BufIx,
    pub how: Fallback,
}

/// An ALLOC that moved later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Postponement {
    pub buf: BufIx,
    pub count: u32,
    pub after: NodeIx,
    pub free: u64,
}

/// The decisions in the run of `step`, in order.
pub(super) fn decisions(trace: &Trace, step: usize) -> Vec<Decision<'_>> {
    let range = trace.run_range(step);
    let mut found: Vec<Range<usize>> = Vec::new();
    for position in range.clone() {
        let event = &trace.events()[position];
        if !is_decision(event) {
            continue;
        }
        match found.last_mut() {
            Some(last) if !matches!(event, Event::NoHole { .. }) => last.end = position + 1,
            _ => found.push(position..position + 1),
        }
    }
    let decision = |at: Range<usize>| Decision { step, position: at.start, events: &trace.events()[at] };
    found.into_iter().map(decision).collect()
}

fn is_decision(event: &Event) -> bool {
    matches!(
        event,
        Event::NoHole { .. }
            | Event::Candidate { .. }
            | Event::MoreCandidates { .. }
            | Event::FellThrough { .. }
            | Event::Chosen { .. }
            | Event::PlannedBack { .. }
            | Event::Postponed { .. }
            | Event::Packed { .. }
            | Event::Failed { .. }
    )
}

impl<'a> Decision<'a> {
    /// The placement that found no hole; `None` for a later victim of a decision that stands further back.
    pub fn opening(&self) -> Option<Opening> {
        self.events.iter().find_map(|event| match *event {
            Event::NoHole { buf, level, free, largest } => Some(Opening { buf, level, free, largest }),
            _ => None,
        })
    }

    /// The candidates as they were last ranked (the chain may rank them once for each fallback), and the counts
    /// of those beyond.
    pub fn ranking(&self) -> &'a [Event] {
        let ranks = |event: &Event| matches!(event, Event::Candidate { .. } | Event::MoreCandidates { .. });
        let Some(last) = self.events.iter().rposition(ranks) else { return &[] };
        let start = self.events[..last].iter().rposition(|event| !ranks(event)).map_or(0, |before| before + 1);
        &self.events[start..=last]
    }

    /// How many were shown or counted as possible victims, pinned ones left out.
    pub fn rivals(&self) -> u64 {
        self.ranking().iter().fold(0, |sum, event| match *event {
            Event::Candidate { verdict, .. } => sum + u64::from(verdict != Verdict::Pinned),
            Event::MoreCandidates { no_hole, not_needed, chosen, .. } => {
                sum + u64::from(no_hole) + u64::from(not_needed) + u64::from(chosen)
            }
            _ => sum,
        })
    }

    /// The victim that leaves with this step.
    pub fn choice(&self) -> Option<Choice> {
        self.events.iter().find_map(choice_of)
    }

    /// The ALLOC that moved.
    pub fn postponement(&self) -> Option<Postponement> {
        self.events.iter().find_map(|event| match *event {
            Event::Postponed { buf, count, after, free } => Some(Postponement { buf, count, after, free }),
            _ => None,
        })
    }

    /// The buffer for which nothing made room, and the node at hand.
    pub fn failure(&self) -> Option<(BufIx, NodeIx)> {
        self.events.iter().find_map(|event| match *event {
            Event::Failed { buf, node } => Some((buf, node)),
            _ => None,
        })
    }
}

fn choice_of(event: &Event) -> Option<Choice> {
    match *event {
        Event::Chosen { victim, need, how, .. } => Some(Choice { victim, need, how }),
        _ => None,
    }
}

/// The victim that leaves in `step`, where it is a SPILL_OUT.
pub(super) fn choice_at(trace: &Trace, step: usize) -> Option<Choice> {
    matches!(trace.step(step), Some(Step::Out(_))).then(|| trace.run(step).iter().find_map(choice_of)).flatten()
}

/// The operation for which the SPILL_OUT at `step` makes room before its turn, where it does.
pub(super) fn early_for(trace: &Trace, step: usize) -> Option<NodeIx> {
    let need = choice_at(trace, step)?.need;
    let reach = step..trace.step_count().min(step.saturating_add(REACH));
    let back = reach.into_iter().find(|&at| choice_at(trace, at).is_none_or(|choice| choice.need != need))?;
    trace.run(back).iter().find_map(|event| match *event {
        Event::Prefetched { spill, node, .. } if trace.plan.spills.get(spill.at())?.buf == need => Some(node),
        _ => None,
    })
}

/// The SPILL_OUTs that one decision brought about, and that decision.
#[derive(Clone, Debug)]
pub(super) struct Departure<'a> {
    /// The decision that opened it, where it is within reach.
    pub opening: Option<Decision<'a>>,
    /// Its SPILL_OUTs, in order.
    pub steps: Range<usize>,
}

/// The departure that the SPILL_OUT at `step` is part of.
pub(super) fn departure<'a>(trace: &'a Trace, step: usize, choice: &Choice) -> Departure<'a> {
    let same = |at: usize| choice_at(trace, at).is_some_and(|c| (c.need, c.how) == (choice.need, choice.how));
    // A plan that was found by a search may let somebody leave though there is a hole: then only the ranking tells.
    let begins = |d: &Decision| d.choice().is_some() && (d.opening().is_some() || !d.ranking().is_empty());
    let opens = |at: usize| decisions(trace, at).into_iter().find(begins);
    let mut first = step;
    let mut opening = opens(first);
    while opening.is_none() && first > 0 && step - first < REACH && same(first - 1) {
        first -= 1;
        opening = opens(first);
    }
    let mut end = step + 1;
    while end - step < REACH && same(end) && opens(end).is_none() {
        end += 1;
    }
    Departure { opening, steps: first..end }
}

/// The SPILL_OUTs right before `step` that made room for `buf`, as a run of steps; empty where none was needed.
pub(super) fn room_makers(trace: &Trace, step: usize, buf: BufIx) -> Range<usize> {
    let run_before = |end: usize, belongs: &dyn Fn(&Choice) -> bool| {
        let mut start = end;
        while start > 0 && end - start < REACH && choice_at(trace, start - 1).is_some_and(|c| belongs(&c)) {
            start -= 1;
        }
        start..end
    };
    let own = run_before(step, &|choice| choice.need == buf);
    if !own.is_empty() {
        return own;
    }
    // After the last resort all operands of the level come back in a row, behind the same SPILL_OUTs.
    let mut end = step;
    while end > 0 && step - end < REACH && matches!(trace.step(end - 1), Some(Step::Back(_))) {
        end -= 1;
    }
    let level = trace.problem.level_of(buf);
    run_before(end, &|choice| choice.how == Fallback::Pack && trace.problem.level_of(choice.need) == level)
}

/// The node for which the spills and reloads of `step` happen: the next one that runs, or the one at which the
/// plan fails. `None` at the end of the plan.
pub(super) fn node_at_hand(trace: &Trace, step: usize) -> Option<NodeIx> {
    let reach = step..trace.step_count().min(step.saturating_add(REACH));
    reach.into_iter().find_map(|at| match trace.step(at) {
        Some(Step::Node(node)) => Some(node),
        Some(_) => None,
        None => decisions(trace, at).iter().find_map(Decision::failure).map(|(_, node)| node),
    })
}

/// A buffer that got an address.
#[derive(Clone, Copy, Debug)]
pub(super) struct Placement {
    /// Position of the event.
    pub position: usize,
    pub buf: BufIx,
    pub level: LevelIx,
    pub offset: u64,
}

/// What was placed in the run of `step`.
pub(super) fn placement(trace: &Trace, step: usize) -> Option<Placement> {
    trace.run_range(step).find_map(|position| match trace.events()[position] {
        Event::Placed { buf, level, offset, .. } => Some(Placement { position, buf, level, offset }),
        _ => None,
    })
}

/// The holes of `level` before the event at `position`, half-open.
pub(super) fn holes_at(trace: &Trace, position: usize, level: LevelIx) -> Vec<(u64, u64)> {
    let mut cursor = trace.cursor();
    trace.seek(&mut cursor, position);
    cursor.state().holes(&trace.problem, level)
}
