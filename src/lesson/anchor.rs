//! Finding the moment at which a station stops.

use super::{Misfit, NamedPlan, figures};
use crate::input::lesson::{Anchor, EventKind, Moment, Reference, Referent, WantedEvent};
use crate::model::{BlockFate, BufIx, Event, Leaving, LevelIx, NodeIx, NodeKind, Placing, Problem, Step, Won, clean};
use crate::trace::{Trace, buf_of, node_of};

/// Names that a message lists at most.
const MOST_LISTED: usize = 12;

/// A moment that was found.
pub(super) struct Found {
    pub step: usize,
    /// The buffer that it is about.
    pub buf: Option<BufIx>,
    /// The operation that it is about.
    pub node: Option<NodeIx>,
}

/// Where `anchor` stands in `plan`.
pub(super) fn find(plan: &NamedPlan, anchor: &Anchor) -> Result<Found, Misfit> {
    let mut found = moment(plan, anchor)?;
    if anchor.before {
        let step = found.step.checked_sub(1);
        found.step = step.ok_or_else(|| never(plan, anchor, "nothing comes before that moment"))?;
    }
    Ok(found)
}

/// The message that the moment never comes.
fn never(plan: &NamedPlan, anchor: &Anchor, what: &str) -> Misfit {
    Misfit::new(&anchor.at, format!("in the plan “{}” {what}", clean(&plan.name)), "")
}

fn moment(plan: &NamedPlan, anchor: &Anchor) -> Result<Found, Misfit> {
    let trace = &plan.session.trace;
    let last = trace.step_count().saturating_sub(1);
    let at = |step| Found { step, buf: buf_of_step(trace, step), node: node_of_step(trace, step) };
    Ok(match &anchor.moment {
        Moment::Start => at(0),
        Moment::End => at(last),
        Moment::Peak(name) => {
            let level = name.as_deref().map(|name| level(plan, anchor, name)).transpose()?;
            at(peak(trace, level))
        }
        Moment::Failure => match (trace.failing_step(), &plan.session.diagnosis) {
            (Some(step), Some(failure)) => Found { step, buf: Some(failure.buf), node: failure.node },
            (None, Some(_)) => at(last), // no order can help, so nothing was planned
            _ => return Err(never(plan, anchor, "nothing fails")),
        },
        Moment::Step(step) => match usize::try_from(*step).ok().filter(|step| *step <= last) {
            Some(step) => at(step),
            None => return Err(never(plan, anchor, &format!("there is no step {step}: the last is {last}"))),
        },
        Moment::Node(reference) => {
            let node = node(&trace.problem, reference)?;
            let step = trace.step_of(node).ok_or_else(|| never(plan, anchor, "that operation never runs"))?;
            Found { step, buf: buf_of_step(trace, step), node: Some(node) }
        }
        Moment::Event(wanted) => event(plan, anchor, wanted)?,
    })
}

/// The event that a lesson asks for, in the plan's own indices.
struct Sought {
    kind: EventKind,
    buffer: Option<BufIx>,
    node: Option<NodeIx>,
    level: Option<LevelIx>,
}

fn event(plan: &NamedPlan, anchor: &Anchor, wanted: &WantedEvent) -> Result<Found, Misfit> {
    let trace = &plan.session.trace;
    let sought = Sought {
        kind: wanted.kind,
        buffer: wanted.buffer.as_ref().map(|to| buffer(&trace.problem, to)).transpose()?,
        node: wanted.node.as_ref().map(|to| node(&trace.problem, to)).transpose()?,
        level: wanted.level.as_deref().map(|name| level(plan, anchor, name)).transpose()?,
    };
    let all: Vec<usize> = (0..trace.event_count()).filter(|&position| sought.is_at(trace, position)).collect();
    let nth = usize::try_from(wanted.nth - 1).ok();
    match nth.and_then(|nth| all.get(nth)) {
        Some(&position) => Ok(Found {
            step: trace.step_at(position + 1),
            buf: subject(trace, position),
            node: node_of(&trace.events()[position]),
        }),
        None => Err(never_met(plan, anchor, wanted, all.len())),
    }
}

impl Sought {
    fn is_at(&self, trace: &Trace, position: usize) -> bool {
        let event = &trace.events()[position];
        kind_of(event) == Some(self.kind)
            && self.buffer.is_none_or(|wanted| subject(trace, position) == Some(wanted))
            && self.node.is_none_or(|wanted| node_of(event) == Some(wanted))
            && self.level.is_none_or(|wanted| level_of(trace, position) == Some(wanted))
    }
}

/// The level of that name.
fn level(plan: &NamedPlan, anchor: &Anchor, name: &str) -> Result<LevelIx, Misfit> {
    let found = figures::level_named(&plan.session.trace.problem, name);
    found.ok_or_else(|| never(plan, anchor, &format!("the machine has no level “{}”", clean(name))))
}

/// The kind of an event, if one can stop at it.
fn kind_of(event: &Event) -> Option<EventKind> {
    Some(match event {
        Event::Placed { how: Placing::Alloc, .. } => EventKind::Place,
        Event::Placed { how: Placing::Back, .. } => EventKind::Reload,
        Event::Left { how: Leaving::Free, .. } => EventKind::Free,
        Event::Left { how: Leaving::Out, .. } => EventKind::Spill,
        Event::NoHole { .. } => EventKind::Full,
        Event::Postponed { .. } => EventKind::Postpone,
        Event::Packed { .. } => EventKind::Pack,
        Event::Ran { .. } => EventKind::Run,
        Event::Dispatched { won: Won::Light, .. } => EventKind::Light,
        Event::WaitsForMemory { .. } => EventKind::Wait,
        Event::Woken { .. } => EventKind::Wake,
        Event::Read { .. } => EventKind::Read,
        Event::Block { fate: BlockFate::Fresh, .. } => EventKind::Miss,
        Event::Block { fate: BlockFate::Reused, .. } => EventKind::Hit,
        Event::Block { fate: BlockFate::Idle, .. } => EventKind::Idle,
        Event::Block { fate: BlockFate::OverCap, .. } => EventKind::Drop,
        Event::Failed { .. } => EventKind::Fail,
        _ => return None,
    })
}

/// The buffer of an event; of what becomes of a block, the buffer that takes or leaves it.
fn subject(trace: &Trace, position: usize) -> Option<BufIx> {
    let event = &trace.events()[position];
    let Event::Block { level: of, offset: at, .. } = *event else { return buf_of(trace, event) };
    trace.run(trace.step_at(position + 1)).iter().find_map(|other| match *other {
        Event::Placed { buf, level, offset, .. } | Event::Left { buf, level, offset, .. } => {
            (level == of && offset == at).then_some(buf)
        }
        _ => None,
    })
}

fn level_of(trace: &Trace, position: usize) -> Option<LevelIx> {
    match trace.events()[position] {
        Event::Block { level, .. } | Event::WaitsForMemory { level, .. } | Event::Woken { level, .. } => Some(level),
        _ => subject(trace, position).map(|buf| trace.problem.level_of(buf)),
    }
}

/// The step at which `level` is fullest; without one, the level that is ever fullest by share.
fn peak(trace: &Trace, level: Option<LevelIx>) -> usize {
    let peak = |level: LevelIx| trace.occupancy(level).peak(u32::MAX);
    let share = |level: LevelIx| peak(level).1 as f64 / trace.problem.level(level).capacity.max(1) as f64;
    let levels = (0..trace.problem.level_count()).map(LevelIx::new);
    // Of equal ones the first, as the screen lists them.
    let level = level.or_else(|| levels.rev().max_by(|&a, &b| share(a).total_cmp(&share(b))));
    level.map_or(0, |level| peak(level).0 as usize)
}

fn buf_of_step(trace: &Trace, step: usize) -> Option<BufIx> {
    match trace.step(step)? {
        Step::Out(spill) | Step::Back(spill) => trace.plan.spills.get(spill.at()).map(|spill| spill.buf),
        Step::Node(node) => match trace.problem.graph.node(node).kind {
            NodeKind::Alloc(buf) | NodeKind::Free(buf) => Some(buf),
            NodeKind::Op(_) => None,
        },
    }
}

fn node_of_step(trace: &Trace, step: usize) -> Option<NodeIx> {
    if let Step::Node(node) = trace.step(step)? { Some(node) } else { None }
}

/// The message that there are not so many such events; what there is instead helps to mend the lesson.
fn never_met(plan: &NamedPlan, anchor: &Anchor, wanted: &WantedEvent, there: usize) -> Misfit {
    let kind = wanted.kind.name();
    let more = if there == 0 { String::new() } else { format!(" number {}, only {there}", wanted.nth) };
    let misfit = never(plan, anchor, &format!("there is no such {kind} event{more}"));
    let events = plan.session.trace.events();
    let count = |(name, kind): &(&str, EventKind)| {
        let count = events.iter().filter(|event| kind_of(event) == Some(*kind)).count();
        (count > 0).then(|| format!("{count} {name}"))
    };
    let all: Vec<String> = EventKind::ALL.iter().filter_map(count).collect();
    let advice = if all.is_empty() { "it has no event at all".into() } else { format!("it has {}", all.join(", ")) };
    Misfit { advice, ..misfit }
}

/// The buffer that a lesson names.
pub(super) fn buffer(problem: &Problem, reference: &Reference) -> Result<BufIx, Misfit> {
    let graph = &problem.graph;
    let found = match &reference.to {
        Referent::Id(id) => graph.find_buffer(*id),
        Referent::Name(name) => figures::buffer_named(problem, name),
    };
    found.ok_or_else(|| {
        let buffers = (0..graph.buffers().len()).map(BufIx::new);
        let names = buffers.map(|buf| match graph.buffer_name(buf) {
            Some(name) => name.to_string(),
            None => graph.buffer(buf).id.to_string(),
        });
        Misfit::new(&reference.at, format!("the graph has no buffer {}", shown(&reference.to)), list("buffers", names))
    })
}

/// The node that a lesson names.
fn node(problem: &Problem, reference: &Reference) -> Result<NodeIx, Misfit> {
    let graph = &problem.graph;
    let found = match &reference.to {
        Referent::Id(id) => graph.find_node(*id),
        Referent::Name(name) => figures::node_named(problem, name),
    };
    found.ok_or_else(|| {
        let named = graph.node_ixs().filter(|&node| graph.node(node).kind.is_op());
        let names = named.map(|node| match &graph.node(node).name {
            Some(name) => name.to_string(),
            None => graph.node(node).id.to_string(),
        });
        Misfit::new(&reference.at, format!("the graph has no node {}", shown(&reference.to)), list("operations", names))
    })
}

fn shown(to: &Referent) -> String {
    match to {
        Referent::Id(id) => id.to_string(),
        Referent::Name(name) => format!("“{}”", clean(name)),
    }
}

fn list(what: &str, names: impl Iterator<Item = String>) -> String {
    let mut names: Vec<String> = names.take(MOST_LISTED + 1).collect();
    if names.len() > MOST_LISTED {
        names[MOST_LISTED] = "…".into();
    }
    format!("its {what} are {}", names.join(", "))
}
