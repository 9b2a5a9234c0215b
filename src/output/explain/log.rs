//! The log: an event in one short line.

use super::{rank, why};
use crate::model::{BlockFate, BufIx, Event, Leaving, LevelIx, Placing, SpillIx, Standing, UnitIx, Verdict, Won};
use crate::output::labels::{buffer_id, node_id, range, unit};
use crate::output::numbers::{counted, cycles, grouped, times};
use crate::output::quantities::{duration, duration_words, exact_size, moment, size};
use crate::trace::Trace;

/// The event at `position`, after its step: `1183 SPILL_OUT b42 256 L1[1536,1792)`. What a step does is in
/// capitals, what was decided is not. Empty past the end.
pub fn one_line(trace: &Trace, position: usize) -> String {
    let Some(event) = trace.events().get(position) else { return String::new() };
    format!("{} {}", trace.step_at(position + 1), text(trace, event))
}

fn text(trace: &Trace, event: &Event) -> String {
    let graph = &trace.problem.graph;
    let id = |buf: BufIx| buffer_id(graph, buf);
    match *event {
        Event::Ready { node } => format!("ready {}", node_id(graph, node)),
        Event::Ran { node, unit: ix, start, end, .. } => {
            format!("RAN {} {}", node_id(graph, node), on_unit(trace, ix, start, end))
        }
        Event::MovedOut { spill, unit: ix, start, end, .. } => {
            format!("moved out {} {}", spilled(trace, spill), on_unit(trace, ix, start, end))
        }
        Event::MovedBack { spill, unit: ix, start, end, .. } => {
            format!("moved back {} {}", spilled(trace, spill), on_unit(trace, ix, start, end))
        }
        Event::Placed { buf, how, level, offset, .. } => {
            let what = match how {
                Placing::Alloc => "ALLOC",
                Placing::Back => "SPILL_IN",
            };
            format!("{what} {}", at_place(trace, buf, level, offset))
        }
        Event::Left { buf, how, level, offset, .. } => {
            let what = match how {
                Leaving::Free => "FREE",
                Leaving::Out => "SPILL_OUT",
            };
            format!("{what} {}", at_place(trace, buf, level, offset))
        }
        Event::Coalesced { level, start, size } => {
            format!("hole {} {}", range(&trace.problem, level, start, size), grouped(size))
        }
        Event::NoHole { buf, level, free, largest } => {
            let (size, name) = (grouped(graph.buffer(buf).size), &trace.problem.level(level).name);
            format!("no hole {} {size} {name}: largest {}, free {}", id(buf), grouped(largest), grouped(free))
        }
        Event::Fitted { buf, fit, holes, free_at } => {
            let holes = counted(u64::from(holes), "hole");
            format!("fit {} {fit}: {holes}, free at {}", id(buf), moment(&trace.problem, free_at))
        }
        Event::Prefetched { spill, node, ahead } => {
            let ahead = counted(u64::from(ahead), "operation");
            format!("early {}: {ahead} ahead, for {}", spilled(trace, spill), node_id(graph, node))
        }
        Event::PlannedBack { spill, node } => {
            format!("due back {} before {}", spilled(trace, spill), node_id(graph, node))
        }
        Event::Postponed { buf, count, after, .. } => {
            format!("POSTPONED {} to after {} ({})", id(buf), node_id(graph, after), times(u64::from(count)))
        }
        Event::Packed { level, buf } => format!("pack {} for {}", trace.problem.level(level).name, id(buf)),
        Event::Failed { buf, node } => format!("FAILED {} at {}", id(buf), node_id(graph, node)),
        Event::Candidate { .. } | Event::MoreCandidates { .. } | Event::FellThrough { .. } | Event::Chosen { .. } => {
            choice_text(trace, event)
        }
        Event::Dispatched { .. }
        | Event::Queued { .. }
        | Event::WaitsForMemory { .. }
        | Event::Woken { .. }
        | Event::Block { .. }
        | Event::Read { .. }
        | Event::Reported { .. } => scheduling_text(trace, event),
    }
}

/// The events of the scheduler and of pools.
fn scheduling_text(trace: &Trace, event: &Event) -> String {
    let problem = &trace.problem;
    let graph = &problem.graph;
    match *event {
        Event::Dispatched { node, ready, won, at } => {
            let (name, at) = (node_id(graph, node), moment(problem, at));
            format!("START {name}: {}, {} ready, {at}", won_word(won), grouped(u64::from(ready)))
        }
        Event::Queued { node, standing, slack } => {
            let slack = duration(problem, slack);
            format!("queue: {} {}, slack {slack}", node_id(graph, node), standing_word(standing))
        }
        Event::WaitsForMemory { node, level, need, room } => {
            let level = problem.level(level);
            let (need, room) = (size(level, need), size(level, room));
            format!("WAITS {}: needs {need} of {}, {room} free", node_id(graph, node), level.name)
        }
        Event::Woken { node, since, at, .. } => {
            let took = duration_words(problem, at.saturating_sub(since));
            format!("woken {} after {took}, {}", node_id(graph, node), moment(problem, at))
        }
        Event::Block { level, fate, offset, size: units } => {
            let fate = fate_words(fate);
            if level == problem.main_memory() {
                return format!("{fate} of {}, main memory @{offset}", grouped(units));
            }
            let level = problem.level(level);
            format!("{fate} of {}, {} @{offset}", size(level, units), level.name)
        }
        Event::Read { buf, left, .. } => {
            format!("read {}, {} to come", buffer_id(graph, buf), counted(u64::from(left), "reader"))
        }
        Event::Reported { buf, actual } => {
            let level = problem.level(problem.level_of(buf));
            format!("real size of {}: {}", buffer_id(graph, buf), exact_size(level, actual))
        }
        _ => String::new(),
    }
}

fn won_word(won: Won) -> &'static str {
    match won {
        Won::Alone => "alone",
        Won::Given => "given",
        Won::LowestId => "lowest id",
        Won::Critical => "critical",
        Won::Urgent => "no slack left",
        Won::Light => "light",
        Won::Releases => "gives most back",
        Won::Fits => "first that fits",
        Won::Forced => "others must leave",
    }
}

fn standing_word(standing: Standing) -> &'static str {
    match standing {
        Standing::Won => "won",
        Standing::Behind => "behind",
        Standing::LetPass => "lets pass",
        Standing::Waits => "waits for memory",
        Standing::HeldBack => "held back",
    }
}

fn fate_words(fate: BlockFate) -> &'static str {
    match fate {
        BlockFate::Fresh => "miss: new block",
        BlockFate::Reused => "hit: block",
        BlockFate::Idle => "idle: block",
        BlockFate::OverCap => "dropped over the cap: block",
        BlockFate::Aged => "dropped for its age: block",
    }
}

/// The events that weigh who leaves.
fn choice_text(trace: &Trace, event: &Event) -> String {
    let graph = &trace.problem.graph;
    match *event {
        Event::Candidate { buf, verdict, .. } => {
            let score = why::rank_row(trace, event).map_or_else(String::new, |row| rank::score_text(&row));
            format!("candidate {} {}: {score}", buffer_id(graph, buf), verdict_word(verdict))
        }
        Event::MoreCandidates { pinned, no_hole, not_needed, chosen } => {
            let counts = [(chosen, "chosen"), (no_hole, "of no use"), (not_needed, "not needed"), (pinned, "pinned")];
            format!("candidates {}", why::beyond(&counts))
        }
        Event::FellThrough { buf, fallback, reason, node } => {
            format!("{fallback} no {}: {}", buffer_id(graph, buf), why::refusal(trace, buf, reason, node))
        }
        Event::Chosen { victim, need, how, .. } => {
            format!("chosen {} for {} by {how}", buffer_id(graph, victim), buffer_id(graph, need))
        }
        _ => String::new(),
    }
}

fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Chosen => "chosen",
        Verdict::Stays => "stays",
        Verdict::NoHole => "opens no hole",
        Verdict::Pinned => "pinned",
        Verdict::NotNeeded => "not needed",
        Verdict::NotEnough => "not enough",
        Verdict::DearerRun => "in a dearer run",
    }
}

fn spilled(trace: &Trace, spill: SpillIx) -> String {
    match trace.plan.spills.get(spill.at()) {
        Some(spill) => buffer_id(&trace.problem.graph, spill.buf),
        None => format!("spill {}", spill.0),
    }
}

fn on_unit(trace: &Trace, ix: UnitIx, start: u64, end: u64) -> String {
    format!("{} {}", unit(&trace.problem, ix), cycles(start, end))
}

fn at_place(trace: &Trace, buf: BufIx, level: LevelIx, offset: u64) -> String {
    let units = trace.problem.graph.buffer(buf).size;
    let place = range(&trace.problem, level, offset, units);
    format!("{} {} {place}", buffer_id(&trace.problem.graph, buf), size(trace.problem.level(level), units))
}
