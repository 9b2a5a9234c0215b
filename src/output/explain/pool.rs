//! What a pool does at an ALLOC and a FREE: which block, why that one, which others had to go.

use super::Explained;
use super::decision::{Placement, placement};
use crate::model::{BlockFate, BufIx, Event, Graph, LevelIx, NodeIx};
use crate::output::labels::{buffer_words, capital, node_id, range};
use crate::output::numbers::{counted, grouped, listed, percent};
use crate::output::quantities::{exact_size, moment, size_words};
use crate::trace::Trace;

/// How many dropped blocks are named before the rest is counted.
const NAMED: usize = 4;

/// How many events are looked through for the moment from which a block lay idle.
const REACH: usize = 1 << 16;

/// A block and what became of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Turn {
    pub level: LevelIx,
    pub fate: BlockFate,
    pub offset: u64,
    pub size: u64,
}

/// What the step did to blocks of pools and of main memory, in order.
fn all_turns(trace: &Trace, step: usize) -> impl Iterator<Item = Turn> + '_ {
    trace.run(step).iter().filter_map(|event| match *event {
        Event::Block { level, fate, offset, size } => Some(Turn { level, fate, offset, size }),
        _ => None,
    })
}

/// What the step did to blocks of the machine's pools.
fn turns(trace: &Trace, step: usize) -> impl Iterator<Item = Turn> + '_ {
    all_turns(trace, step).filter(|turn| turn.level != trace.problem.main_memory())
}

/// What the step did to the block of `level` at `offset` last.
pub(super) fn block_of(trace: &Trace, step: usize, level: LevelIx, offset: u64) -> Option<Turn> {
    turns(trace, step).filter(|turn| (turn.level, turn.offset) == (level, offset)).last()
}

/// What a spill does to main memory: the block that keeps the data, or falls idle.
pub(super) fn main_memory(trace: &Trace, step: usize) -> Option<String> {
    let turn = all_turns(trace, step).filter(|turn| turn.level == trace.problem.main_memory()).last()?;
    let units = counted(turn.size, "unit");
    Some(match turn.fate {
        BlockFate::Fresh => format!("main memory keeps it in a new block of {units}"),
        BlockFate::Reused => format!("main memory keeps it in a block of {units} that lay idle"),
        _ => format!("its block of main memory, {units}, lies idle"),
    })
}

/// `a new block of 33 554 432 bytes`.
pub(super) fn block_words(trace: &Trace, block: &Turn) -> String {
    let kind = if block.fate == BlockFate::Fresh { "a new block" } else { "a block used before" };
    format!("{kind} of {}", exact_size(trace.problem.level(block.level), block.size))
}

/// Whether `user` makes `buf`: in a graph whose nodes are told apart by name it is called alike.
pub(super) fn makes(graph: &Graph, user: NodeIx, buf: BufIx) -> bool {
    graph.by_name() && graph.node(user).name.as_ref() == graph.buffer_name(buf)
}

/// An ALLOC in a pool.
pub(super) fn alloc(trace: &Trace, step: usize, buf: BufIx) -> Explained {
    let graph = &trace.problem.graph;
    let name = buffer_words(graph, buf);
    let taken = turns(trace, step).find(|turn| matches!(turn.fate, BlockFate::Fresh | BlockFate::Reused));
    let (Some(block), Some(placed)) = (taken, placement(trace, step)) else {
        return Explained { sentence: capital(&format!("{name} gets its block.")), ..Explained::default() };
    };
    let size = size_words(trace.problem.level(block.level), block.size);
    let hit = block.fate == BlockFate::Reused;
    let sentence = if hit {
        format!("{name} gets a block of {size} that lay idle.")
    } else {
        format!("{name} gets a new block of {size}: no idle one of that size is there.")
    };
    let why = vec![if hit { why_hit(trace, &placed, &block) } else { why_miss(trace, step, &block) }];
    let mut explained = Explained { sentence: capital(&sentence), why, ..Explained::default() };
    explained.did = placed_lines(trace, step, buf, &block);
    explained.did.extend(dropped(trace, step, BlockFate::Aged));
    explained.did.extend(dropped(trace, step, BlockFate::OverCap));
    explained.why.extend(why_dropped(trace, step, &block));
    let users = graph.users(buf).iter().filter_map(|&user| Some((trace.step_of(user)?, user)));
    explained.next = vec![match users.min() {
        Some((at, user)) => format!("first used by {} at step {at}", node_id(graph, user)),
        None => "no step of this plan uses it".into(),
    }];
    explained
}

/// Size, block, and what of the block stays unused.
fn placed_lines(trace: &Trace, step: usize, buf: BufIx, block: &Turn) -> Vec<String> {
    let level = trace.problem.level(block.level);
    let size = trace.problem.graph.buffer(buf).size;
    let place = range(&trace.problem, block.level, block.offset, block.size);
    let at = trace.time_of(step).map_or(0, |(at, _)| at);
    let mut lines =
        vec![format!("{} in the block {place}, at {}", exact_size(level, size), moment(&trace.problem, at))];
    let unused = block.size.saturating_sub(size);
    if unused > 0 {
        lines.push(format!("{} of the block stay unused ({})", exact_size(level, unused), percent(unused, block.size)));
    }
    lines
}

fn why_hit(trace: &Trace, placed: &Placement, block: &Turn) -> String {
    let size = size_words(trace.problem.level(block.level), block.size);
    let since = idle_since(trace, placed.position, block).map_or_else(String::new, |step| {
        let at = trace.time_of(step).map_or(0, |(at, _)| at);
        format!(", idle since step {step} ({})", moment(&trace.problem, at))
    });
    format!("hit: of the idle blocks of {size} the one given back last{since}")
}

/// The step at whose end the block was idle for the last time before `position`.
fn idle_since(trace: &Trace, position: usize, block: &Turn) -> Option<usize> {
    let before = position.saturating_sub(REACH)..position;
    let given_back = before.rev().find(|&at| {
        matches!(trace.events()[at], Event::Block { level, fate: BlockFate::Idle, offset, .. }
            if level == block.level && offset == block.offset)
    })?;
    Some(trace.step_at(given_back + 1))
}

/// Number and units of the blocks of `level` that lie idle before `position`.
fn idle_at(trace: &Trace, position: usize, level: LevelIx) -> (u64, u64) {
    let mut cursor = trace.cursor();
    trace.seek(&mut cursor, position);
    let state = cursor.state().level(level);
    ((state.blocks.len().saturating_sub(state.by_address.len())) as u64, state.held - state.busy)
}

fn why_miss(trace: &Trace, step: usize, block: &Turn) -> String {
    let level = trace.problem.level(block.level);
    let size = size_words(level, block.size);
    match idle_at(trace, trace.run_range(step).start, block.level) {
        (0, _) => "miss: no block is idle".into(),
        (1, units) => format!("miss: the only idle block has {}, not {size}", size_words(level, units)),
        (count, units) => {
            format!("miss: none of the {} idle blocks ({} in all) has {size}", grouped(count), size_words(level, units))
        }
    }
}

/// The blocks that the step dropped for one reason: `2 idle blocks dropped over the cap: 16.0 MB and 4.0 MB`.
fn dropped(trace: &Trace, step: usize, fate: BlockFate) -> Option<String> {
    let sizes: Vec<String> = turns(trace, step)
        .filter(|turn| turn.fate == fate)
        .map(|turn| size_words(trace.problem.level(turn.level), turn.size))
        .collect();
    let reason = if fate == BlockFate::Aged { "for their age" } else { "over the cap" };
    let count = counted(sizes.len() as u64, "idle block");
    (!sizes.is_empty()).then(|| format!("{count} dropped {reason}: {}", listed(sizes.into_iter(), NAMED)))
}

/// The rules by which blocks were dropped.
fn why_dropped(trace: &Trace, step: usize, block: &Turn) -> Vec<String> {
    let level = trace.problem.level(block.level);
    let went = |fate: BlockFate| turns(trace, step).any(|turn| turn.fate == fate);
    let mut lines = Vec::new();
    if let Some(age) = level.pool().and_then(|rules| rules.max_age).filter(|_| went(BlockFate::Aged)) {
        let age = crate::output::quantities::duration_words(&trace.problem, age);
        lines.push(format!("a block that lies idle for {age} or longer is dropped at the next request"));
    }
    if went(BlockFate::OverCap) {
        let (cap, size) = (size_words(level, level.capacity), size_words(level, block.size));
        lines.push(format!("with {size} more the pool would pass its cap of {cap}: the blocks longest idle go first"));
    }
    lines
}

/// A FREE in a pool.
pub(super) fn free(trace: &Trace, step: usize, node: NodeIx, buf: BufIx) -> Explained {
    let graph = &trace.problem.graph;
    let level = trace.problem.level(trace.problem.level_of(buf));
    let last = graph.users(buf).iter().filter_map(|&user| Some((trace.step_of(user)?, user))).max();
    let name = buffer_words(graph, buf);
    let (sentence, why) = match last {
        Some((at, user)) => (
            format!("{name} is no longer needed: its last reader {} is done.", node_id(graph, user)),
            format!("consumer count 0: {}, the last of them, ran at step {at}", node_id(graph, user)),
        ),
        None => (format!("{name} is no longer needed."), "no operation uses it".into()),
    };
    let at = trace.time_of(step).map_or(0, |(at, _)| at);
    let size = exact_size(level, graph.buffer(buf).size);
    let mut did = vec![format!("{}: {size} given back, at {}", node_id(graph, node), moment(&trace.problem, at))];
    did.extend(turns(trace, step).filter(|turn| turn.fate == BlockFate::Idle).map(|turn| {
        let place = range(&trace.problem, turn.level, turn.offset, turn.size);
        format!("its block of {} lies idle: {place}", size_words(level, turn.size))
    }));
    Explained { sentence: capital(&sentence), did, why: vec![why], ..Explained::default() }
}
