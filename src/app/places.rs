//! Where in a plan a condition becomes true, found without walking it.

use super::command::Dir;
use super::stop::{Amount, Condition, event_word, means};
use crate::model::{BufIx, Event, LevelIx, NodeIx, Problem, clean};
use crate::output::quantities::size;
use crate::trace::{Mark, Trace, buf_of};

/// The steps at which a condition becomes true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Places {
    /// Those of all events of a kind.
    Mark(Mark),
    /// These, ascending, each once.
    Steps(Vec<u32>),
    /// Those after which at least so much of a level is in use, and was not before.
    Rises {
        /// The level.
        level: LevelIx,
        /// Units in use.
        least: u64,
    },
    /// None.
    Never,
}

/// The figures that a plan comes to, by their words.
const FIGURES: [&str; 6] = ["traffic", "spills", "reloads", "postponements", "waits", "cycle"];

impl Places {
    /// Where in `trace` the condition becomes true. Takes time once, so that looking for the next is quick.
    ///
    /// # Errors
    /// In words, what the plan does not have that the condition names.
    pub fn of(condition: &Condition, trace: &Trace) -> Result<Self, String> {
        match condition {
            Condition::Over { what, at_least, amount } => over(trace, what, *at_least, *amount),
            Condition::Buffer(id) => match trace.problem.graph.find_buffer(*id) {
                Some(buf) => Ok(touched(trace, &[buf])),
                None => Err(format!("this graph has no buffer b{id}")),
            },
            Condition::Named(name) => named(trace, name),
            Condition::Node(name) => nodes(trace, name),
            Condition::Event(mark, None) => Ok(Self::Mark(*mark)),
            Condition::Event(mark, Some(name)) => {
                let level = level_named(&trace.problem, name).ok_or_else(|| {
                    format!("{} in “{}”: the machine has no such level", event_word(*mark), clean(name))
                })?;
                let positions = trace.marks(*mark).iter().map(|&at| at as usize);
                let in_level = positions.filter(|&at| level_of_event(trace, at) == Some(level));
                Ok(Self::steps(steps_of(trace, in_level)))
            }
        }
    }

    fn steps(mut steps: Vec<u32>) -> Self {
        steps.sort_unstable();
        steps.dedup();
        Self::Steps(steps)
    }

    /// Forward, the first step from `bound` on; back, the last one before `bound`.
    pub fn next(&self, trace: &Trace, bound: usize, dir: Dir) -> Option<usize> {
        match self {
            Self::Never => None,
            Self::Mark(mark) => {
                let positions = trace.marks(*mark);
                // Nothing stands behind the last step.
                let from = if bound < trace.step_count() { trace.run_range(bound).start } else { trace.event_count() };
                let at = neighbour(positions, from, dir)?;
                Some(trace.step_at(at + 1))
            }
            Self::Steps(steps) => neighbour(steps, bound, dir),
            Self::Rises { level, least } => {
                let bound = u32::try_from(bound).unwrap_or(u32::MAX);
                let occupancy = trace.occupancy(*level);
                let step = match dir {
                    Dir::Forward => occupancy.next_rise(bound, *least),
                    Dir::Back => occupancy.last_rise(bound, *least),
                };
                step.map(|step| step as usize)
            }
        }
    }

    /// What is so at `step`, in words, where the condition does not say it by itself.
    pub fn news(&self, trace: &Trace, step: usize) -> Option<String> {
        let Self::Rises { level, .. } = self else { return None };
        let entry = trace.problem.level(*level);
        let used = trace.occupancy(*level).at(step as u32);
        Some(format!("{} of {} in use", size(entry, used), size(entry, entry.capacity)))
    }
}

/// How many steps are looked at one by one before the step of an event is searched for.
const NEAR: usize = 32;

/// The steps of events at ascending positions, which are mostly near each other.
fn steps_of(trace: &Trace, positions: impl Iterator<Item = usize>) -> Vec<u32> {
    let mut step = 0;
    let mut step_of = |at: usize| {
        let near = (step..step + NEAR).find(|&step| at < trace.end_of(step));
        step = near.unwrap_or_else(|| trace.step_at(at + 1));
        step as u32
    };
    positions.map(&mut step_of).collect()
}

/// Of ascending numbers, forward the first from `bound` on, back the last before it.
fn neighbour(numbers: &[u32], bound: usize, dir: Dir) -> Option<usize> {
    let at = numbers.partition_point(|&number| (number as usize) < bound);
    let found = if dir == Dir::Forward { numbers.get(at) } else { at.checked_sub(1).map(|at| &numbers[at]) };
    found.map(|&number| number as usize)
}

fn level_named(problem: &Problem, name: &str) -> Option<LevelIx> {
    problem.machine.levels.iter().position(|level| means(name, &level.name)).map(LevelIx::new)
}

/// The level in which the event at `position` happens.
pub(super) fn level_of_event(trace: &Trace, position: usize) -> Option<LevelIx> {
    match trace.events().get(position)? {
        Event::WaitsForMemory { level, .. } => Some(*level),
        event => buf_of(trace, event).map(|buf| trace.problem.level_of(buf)),
    }
}

fn over(trace: &Trace, what: &str, at_least: bool, amount: Amount) -> Result<Places, String> {
    if let Some(level) = level_named(&trace.problem, what) {
        let least = match amount {
            Amount::Units(units) => Some(units),
            Amount::Share(share) => share_of(trace.problem.level(level).capacity, share, at_least),
        };
        let beyond = !at_least && matches!(amount, Amount::Units(_));
        let least = if beyond { least.and_then(|units| units.checked_add(1)) } else { least };
        return Ok(least.map_or(Places::Never, |least| Places::Rises { level, least }));
    }
    let Amount::Units(units) = amount else {
        return Err(format!("“{}” is no level: only levels have shares", clean(what)));
    };
    // The figure passes `units` where it comes to at least this.
    let Some(least) = units.checked_add(u64::from(!at_least)) else { return Ok(Places::Never) };
    let step = match what.to_lowercase().as_str() {
        "traffic" => passing(trace, Mark::Spill, least, |buf| trace.problem.spill_cost(buf)),
        "spills" => passing(trace, Mark::Spill, least, |_| 1),
        "reloads" => passing(trace, Mark::Reload, least, |_| 1),
        "postponements" => passing(trace, Mark::Postpone, least, |_| 1),
        "waits" => trace.marks(Mark::Wait).get(at_of(least)).map(|&at| trace.step_at(at as usize + 1)),
        "cycle" | "cycles" | "time" => trace.first_ending_at(least),
        _ => {
            let figures = FIGURES.join(", ");
            return Err(format!("“{}” is no level and no figure (figures: {figures})", clean(what)));
        }
    };
    let step = if least == 0 { Some(0) } else { step };
    Ok(Places::Steps(step.map(|step| step as u32).into_iter().collect()))
}

/// The least use that is over (or at least) this share of the capacity; `None` where no number is.
fn share_of(capacity: u64, share: u32, at_least: bool) -> Option<u64> {
    let whole = u128::from(capacity) * u128::from(share);
    let least = if at_least { whole.div_ceil(100_000) } else { whole / 100_000 + 1 };
    u64::try_from(least).ok()
}

/// The index of the `count`th of a list, counted from 1.
fn at_of(count: u64) -> usize {
    usize::try_from(count.saturating_sub(1)).unwrap_or(usize::MAX)
}

/// The step at which the sum over events of a kind comes to `least`.
fn passing(trace: &Trace, mark: Mark, least: u64, worth: impl Fn(BufIx) -> u64) -> Option<usize> {
    let mut sum = 0u64;
    let passes = |&&at: &&u32| {
        let buf = trace.events().get(at as usize).and_then(|event| buf_of(trace, event));
        sum = sum.saturating_add(buf.map_or(0, &worth));
        sum >= least
    };
    trace.marks(mark).iter().find(passes).map(|&at| trace.step_at(at as usize + 1))
}

fn named(trace: &Trace, name: &str) -> Result<Places, String> {
    let graph = &trace.problem.graph;
    let is_named = |&buf: &BufIx| graph.buffer_name(buf).is_some_and(|other| means(name, other));
    let bufs: Vec<BufIx> = (0..graph.buffers().len()).map(BufIx::new).filter(is_named).collect();
    if bufs.is_empty() {
        return Err(format!("“{}” is not understood, and no buffer has that name", clean(name)));
    }
    Ok(touched(trace, &bufs))
}

/// Where one of `bufs` is placed, moved, freed, refused or named by an operation.
fn touched(trace: &Trace, bufs: &[BufIx]) -> Places {
    let fates = |&buf: &BufIx| steps_of(trace, trace.touches(buf).iter().map(|&at| at as usize));
    let uses = |&buf: &BufIx| {
        let users = trace.problem.graph.users(buf).iter();
        users.filter_map(|&node| trace.step_of(node)).map(|step| step as u32)
    };
    Places::steps(bufs.iter().flat_map(fates).chain(bufs.iter().flat_map(uses)).collect())
}

fn nodes(trace: &Trace, name: &str) -> Result<Places, String> {
    let graph = &trace.problem.graph;
    let by_id = name.parse().ok().and_then(|id| graph.find_node(id)).filter(|_| !graph.by_name());
    let is_named =
        |&node: &NodeIx| graph.node(node).name.as_ref().is_some_and(|other| means(name, other)) && is_work(trace, node);
    let nodes: Vec<NodeIx> = by_id.map_or_else(|| graph.node_ixs().filter(is_named).collect(), |node| vec![node]);
    if nodes.is_empty() {
        return Err(format!("this graph has no node {}", clean(name)));
    }
    let runs = nodes.iter().filter_map(|&node| trace.step_of(node));
    // A node at which the plan failed has been reached too.
    let failed = trace.events().last().and_then(|event| match event {
        Event::Failed { node, .. } if nodes.contains(node) => trace.failing_step(),
        _ => None,
    });
    Ok(Places::steps(runs.chain(failed).map(|step| step as u32).collect()))
}

/// Whether a name means this node: an ALLOC and a FREE have that of their buffer.
fn is_work(trace: &Trace, node: NodeIx) -> bool {
    trace.problem.graph.node(node).kind.is_op()
}
