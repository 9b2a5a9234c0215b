//! What a step waited for, what waited for it, and the critical path of the plan, in words.

use crate::engine::binding::{Binding, Cause};
use crate::model::{Event, Step};
use crate::output::labels::{buffer_id, range, step_label, unit_lane};
use crate::output::numbers::{counted, grouped, listed};
use crate::output::quantities::{duration, duration_words, moment, span};
use crate::session::{Session, Track};

/// A bar of a lane in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Held {
    /// What it is, where, and when.
    pub bar: String,
    /// What it waited for, and why.
    pub waited: String,
    /// What waited for it.
    pub waiting: String,
}

/// How many steps are named that waited for one.
const NAMED: usize = 4;

/// The words on `step`.
pub fn held(session: &Session, step: usize) -> Held {
    Held { bar: bar(session, step), waited: waited(session, step), waiting: waiting(session, step) }
}

/// `35 MATMUL (step 40)`.
fn named(session: &Session, step: usize) -> String {
    let what = session.trace.step(step).map_or_else(String::new, |what| step_label(&session.trace, what));
    format!("{what} (step {step})")
}

fn bar(session: &Session, step: usize) -> String {
    let problem = &session.trace.problem;
    let (start, end) = session.trace.time_of(step).unwrap_or((0, 0));
    let on = session.trace.lane_at(step).map(|(unit, lane)| format!(" on {}", unit_lane(problem, unit, lane)));
    let path = session.bindings().path();
    let place = path.place_of(step).map_or_else(
        || "not on the critical path".into(),
        |at| format!("on the critical path, {} of {}", grouped(at as u64 + 1), grouped(path.steps.len() as u64)),
    );
    let when = if start == end {
        format!("takes no time, at {}", moment(problem, start))
    } else {
        format!("{}, {}", span(problem, start, end), duration_words(problem, end.saturating_sub(start)))
    };
    let idle = idle_before(session, step).map(|idle| format!(", after {} idle", duration_words(problem, idle)));
    format!("{}{}: {when}{}; {place}", named(session, step), on.unwrap_or_default(), idle.unwrap_or_default())
}

/// How long the lane did nothing before `step`.
fn idle_before(session: &Session, step: usize) -> Option<u64> {
    let (lane, place) = session.lane_of(step)?;
    let before = place.checked_sub(1).map(|at| session.track(Track::Lane(lane))[at] as usize);
    let free = before.and_then(|before| session.trace.time_of(before)).map_or(0, |(_, end)| end);
    let (start, _) = session.trace.time_of(step)?;
    start.checked_sub(free).filter(|&idle| idle > 0)
}

/// What `step` waited for and why, as a clause that begins with “waited”.
pub fn waited(session: &Session, step: usize) -> String {
    let Some(Binding { cause, by }) = session.bindings().wait(step) else {
        return "waited for nothing: it starts with the plan".into();
    };
    let worker = named(session, by);
    let (who, link) = session.bindings().telling(step).unwrap_or((step, Binding { cause, by }));
    let problem = &session.trace.problem;
    match cause {
        Cause::Dependency => dependency(session, step, by, &worker),
        Cause::Transfer if matches!(session.trace.step(who), Some(Step::Back(_))) => {
            format!("waited for its own way out to main memory, {worker}")
        }
        Cause::Transfer => format!("waited for an operand to come back from main memory: {worker}"),
        Cause::Address => address(session, who, link, by),
        Cause::Memory => format!("waited for memory: {} gave it back, once {worker} was done", named(session, link.by)),
        Cause::Window => {
            let window = problem.machine.window.unwrap_or(0);
            format!("waited for the window of {window}: so many operations ran until {worker} was done")
        }
        Cause::Unit => match session.trace.lane_at(step) {
            Some((unit, lane)) => format!("waited for {}, busy with {worker}", unit_lane(problem, unit, lane)),
            None => format!("waited for the unit, busy with {worker}"),
        },
        Cause::Turn => {
            format!("waited for its turn: steps start in order, and step {} could only after {worker}", link.by)
        }
    }
}

/// A predecessor, with the buffer through which it is one, or what takes no time between them.
fn dependency(session: &Session, step: usize, by: usize, worker: &str) -> String {
    let trace = &session.trace;
    let graph = &trace.problem.graph;
    let through = match (trace.step(step), trace.step(by)) {
        (Some(Step::Out(_)), _) => return format!("waited for the last use of its buffer, {worker}"),
        (Some(Step::Node(node)), Some(Step::Node(before))) => {
            let direct = graph.preds(node).any(|pred| pred == before);
            match graph.shared_buffer(node, before) {
                Some(buf) if direct => format!(" through {}", buffer_id(graph, buf)),
                _ => String::new(),
            }
        }
        _ => String::new(),
    };
    format!("waited for {worker}, on which it depends{through}")
}

/// Who held the addresses that the step `who` places its buffer at.
fn address(session: &Session, who: usize, link: Binding, worker: usize) -> String {
    let trace = &session.trace;
    let graph = &trace.problem.graph;
    let left = |event: &Event| if let Event::Left { buf, .. } = *event { Some(buf) } else { None };
    let placed = trace.run(who).iter().find_map(|event| match *event {
        Event::Placed { buf, level, offset, .. } => Some((buf, level, offset)),
        _ => None,
    });
    let holder = trace.run(link.by).iter().find_map(left).map_or_else(|| "another".into(), |buf| buffer_id(graph, buf));
    let Some((buf, level, offset)) = placed else {
        return format!("waited for addresses that {holder} held until {}", named(session, link.by));
    };
    let place = range(&trace.problem, level, offset, graph.buffer(buf).size);
    let after = if link.by == worker { String::new() } else { format!(", after {}", named(session, worker)) };
    format!(
        "waited for addresses: {place} for {} was held by {holder} until {}{after}",
        buffer_id(graph, buf),
        named(session, link.by)
    )
}

fn waiting(session: &Session, step: usize) -> String {
    let waiters = waiters(session, step);
    if waiters.is_empty() {
        return "nothing was waiting for it".into();
    }
    format!("waited for it: {}", listed(waiters.into_iter().map(|step| named(session, step)), NAMED))
}

/// The steps of all lanes that start when `step` is done, and because of it; a few more than are named.
fn waiters(session: &Session, step: usize) -> Vec<usize> {
    let trace = &session.trace;
    let Some((_, done)) = trace.time_of(step) else { return Vec::new() };
    let start = |step: u32| trace.time_of(step as usize).map_or(0, |(start, _)| start);
    let started = trace.lanes().iter().flat_map(|lane| {
        let first = lane.steps.partition_point(|&step| start(step) < done);
        let together = lane.steps[first..].iter().take_while(|&&step| start(step) == done);
        together.map(|&step| step as usize).take(2 * NAMED)
    });
    let mut waiters: Vec<usize> =
        started.filter(|&next| session.bindings().wait(next).is_some_and(|wait| wait.by == step)).collect();
    waiters.sort_unstable();
    waiters
}

/// Why a step waited, in a word.
pub fn cause_word(cause: Cause) -> &'static str {
    match cause {
        Cause::Dependency => "input",
        Cause::Transfer => "reload",
        Cause::Address => "address",
        Cause::Memory => "memory",
        Cause::Window => "window",
        Cause::Unit => "unit",
        Cause::Turn => "turn",
    }
}

/// Why and for which step `step` waited, for a gap in its lane: `address ←33`.
pub fn label(session: &Session, step: usize) -> String {
    session.bindings().wait(step).map_or_else(String::new, |wait| format!("{} ←{}", cause_word(wait.cause), wait.by))
}

/// The critical path of the plan: how long, of what, and what holds it up.
pub fn critical_path(session: &Session) -> Vec<String> {
    let path = session.bindings().path();
    let problem = &session.trace.problem;
    if path.steps.is_empty() {
        return vec!["no critical path: nothing takes time".into()];
    }
    let parts = [
        (path.operations, "operations"),
        (path.out, "spills out"),
        (path.back, "reloads"),
        (path.fresh, "fresh memory"),
        (path.unexplained, "not explained"),
    ];
    let parts: Vec<String> = parts
        .iter()
        .filter(|(cycles, _)| *cycles > 0)
        .map(|(cycles, what)| format!("{} {what}", duration(problem, *cycles)))
        .collect();
    let mut waits: Vec<(Cause, u32)> = Cause::ALL
        .into_iter()
        .map(|cause| (cause, path.waits[cause as usize]))
        .filter(|(_, count)| *count > 0)
        .collect();
    waits.sort_by_key(|&(_, count)| std::cmp::Reverse(count));
    let waits: Vec<String> =
        waits.iter().map(|&(cause, count)| format!("{}× for {}", grouped(u64::from(count)), reason(cause))).collect();
    let mut lines = vec![format!(
        "critical path of this plan: {} = {}, in {}",
        duration_words(problem, path.cycles()),
        parts.join(" + "),
        counted(path.steps.len() as u64, "step")
    )];
    if !waits.is_empty() {
        lines.push(format!("its steps wait {}", waits.join(", ")));
    }
    lines.push(format!(
        "slack counts from another: the graph's longest chain, {} without units and memory",
        duration_words(problem, session.bounds.critical_path)
    ));
    lines
}

fn reason(cause: Cause) -> &'static str {
    match cause {
        Cause::Dependency => "an input",
        Cause::Transfer => "a buffer on its way",
        Cause::Address => "an address in use",
        Cause::Memory => "memory",
        Cause::Window => "the window",
        Cause::Unit => "a busy unit",
        Cause::Turn => "their turn",
    }
}
