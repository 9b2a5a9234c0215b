//! What the tables list: worked out for the rows that are wanted, never for all.

use crate::model::{BufIx, Event, Leaving, LevelIx, NodeIx, NodeKind, Placing, Step};
use crate::trace::{Place, State, Trace};

/// What a step does to a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Its ALLOC: it got an address.
    Placed,
    /// It came back from main memory.
    Back,
    /// Its FREE.
    Freed,
    /// It was spilled out.
    Out,
    /// Its ALLOC was put off.
    Postponed,
    /// No room was found for it.
    Refused,
    /// The operation works on it, so that it may not leave.
    Pinned,
}

/// Most buffers of one step that are marked; operations name few.
const MOST_CHANGES: usize = 4096;

/// What step `n` does to buffers; where it does two things to one, the later.
pub fn changes(trace: &Trace, n: usize) -> Vec<(BufIx, Change)> {
    let mut out: Vec<(BufIx, Change)> = trace.run(n).iter().rev().filter_map(change).take(MOST_CHANGES).collect();
    if let Some(Step::Node(node)) = trace.step(n) {
        let graph = &trace.problem.graph;
        if let NodeKind::Op(op) = graph.node(node).kind {
            out.extend(graph.operands(&op).iter().take(MOST_CHANGES).map(|&buf| (buf, Change::Pinned)));
        }
    }
    out
}

fn change(event: &Event) -> Option<(BufIx, Change)> {
    match *event {
        Event::Placed { buf, how: Placing::Alloc, .. } => Some((buf, Change::Placed)),
        Event::Placed { buf, how: Placing::Back, .. } => Some((buf, Change::Back)),
        Event::Left { buf, how: Leaving::Free, .. } => Some((buf, Change::Freed)),
        Event::Left { buf, how: Leaving::Out, .. } => Some((buf, Change::Out)),
        Event::Postponed { buf, .. } => Some((buf, Change::Postponed)),
        Event::NoHole { buf, .. } | Event::Failed { buf, .. } => Some((buf, Change::Refused)),
        _ => None,
    }
}

/// The buffer that step `n` is about: what it places or moves, else the first that it works on.
pub fn buffer_of_step(trace: &Trace, n: usize) -> Option<BufIx> {
    let graph = &trace.problem.graph;
    match trace.step(n) {
        Some(Step::Out(spill) | Step::Back(spill)) => trace.plan.spills.get(spill.at()).map(|spill| spill.buf),
        Some(Step::Node(node)) => match graph.node(node).kind {
            NodeKind::Alloc(buf) | NodeKind::Free(buf) => Some(buf),
            NodeKind::Op(op) => graph.operands(&op).first().copied(),
        },
        None => trace.run(n).iter().rev().find_map(change).map(|(buf, _)| buf),
    }
}

/// Rows that a table holds at most; the rest is counted.
pub const MOST_ROWS: usize = 1000;

/// The live buffers: those of `level` by address, then those that are out of it, then the other levels'.
pub struct LiveBuffers {
    /// The rows wanted.
    pub rows: Vec<BufIx>,
    /// How many there are, in the table or not.
    pub all: usize,
}

/// Rows `[skip, skip + limit)` of the live buffers, `level` first.
pub fn live_buffers(trace: &Trace, state: &State, level: LevelIx, skip: usize, limit: usize) -> LiveBuffers {
    let limit = limit.min(MOST_ROWS.saturating_sub(skip));
    let residents = |level: LevelIx| state.level(level).by_address.values().copied();
    let others = (0..trace.problem.level_count()).map(LevelIx::new).filter(|&other| other != level);
    let here = |buf: &BufIx| trace.problem.level_of(*buf) == level;
    // Out buffers are looked through once for each half; there may be as many as there are spills.
    let out = || state.out().take(MOST_ROWS);
    let rows = residents(level)
        .chain(out().filter(here))
        .chain(others.flat_map(residents))
        .chain(out().filter(|buf| !here(buf)))
        .skip(skip)
        .take(limit)
        .collect();
    LiveBuffers { rows, all: state.live_count() }
}

/// When a buffer is used next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NextUse {
    /// At this step.
    At(usize),
    /// Not any more in this plan.
    Never,
    /// It has so many users that they were not looked through.
    Many(usize),
}

/// Users that are looked through for one cell of a table.
const MOST_USERS: usize = 512;

/// The next step after `step` that names `buf`: an operation or its FREE.
pub fn next_use(trace: &Trace, buf: BufIx, step: usize) -> NextUse {
    let graph = &trace.problem.graph;
    let users = graph.users(buf);
    if users.len() > MOST_USERS {
        return NextUse::Many(users.len());
    }
    let steps = users.iter().copied().chain(graph.buffer(buf).free).filter_map(|node| trace.step_of(node));
    steps.filter(|&at| at > step).min().map_or(NextUse::Never, NextUse::At)
}

/// How many consumers of a buffer are still to start at `position`, as the record counts them; `None` where it does not.
pub fn readers_left(trace: &Trace, buf: BufIx, position: usize) -> Option<u32> {
    let touches = trace.touches(buf);
    let now = touches.partition_point(|&touch| (touch as usize) < position);
    let left = |touch: &u32| match trace.events()[*touch as usize] {
        Event::Read { left, .. } => Some(left),
        _ => None,
    };
    let last = touches[..now].iter().rev().take(MOST_USERS).find_map(left);
    // Before the first read, that one is still to come.
    last.or_else(|| touches[now..].iter().take(MOST_USERS).find_map(left).map(|left| left + 1))
}

/// The step at which a live buffer came to where it is.
pub fn since(trace: &Trace, buf: BufIx, position: usize) -> Option<usize> {
    let touches = trace.touches(buf);
    let before = touches.partition_point(|&touch| (touch as usize) < position);
    let moved = |event: &Event| matches!(event, Event::Placed { .. } | Event::Left { .. });
    let last = touches[..before].iter().rev().find(|&&touch| moved(&trace.events()[touch as usize]))?;
    Some(trace.step_at(*last as usize + 1))
}

/// A buffer that a ready operation waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Missing {
    /// The buffer.
    pub buf: BufIx,
    /// Whether it is spilled out (else its ALLOC has not run).
    pub out: bool,
    /// Whether there is room for it now; `None` where the level has too many residents to say.
    pub fits: Option<bool>,
}

/// The buffers that `node` names and that are not resident, with whether each fits into the room of its level now.
pub fn missing(trace: &Trace, state: &State, rooms: &[Option<u64>], node: NodeIx) -> Vec<Missing> {
    let graph = &trace.problem.graph;
    let NodeKind::Op(op) = graph.node(node).kind else { return Vec::new() };
    let wanted = graph.operands(&op).iter().take(MOST_USERS);
    wanted
        .filter_map(|&buf| {
            let out = match state.place(buf) {
                Place::Resident(_) => return None,
                Place::Out => true,
                Place::Absent => false,
            };
            let level = trace.problem.level_of(buf);
            let need = trace.problem.space_of(buf);
            Some(Missing { buf, out, fits: rooms[level.at()].map(|room| need <= room) })
        })
        .collect()
}

/// More residents than this are not walked for one figure.
const MOST_RESIDENTS: usize = 8192;

/// The most that one request could get in `level` now: its largest hole, or of a pool what no block in use takes, since
/// idle ones make way. `None` where an arena has too many residents to say.
pub fn room(trace: &Trace, state: &State, level: LevelIx) -> Option<u64> {
    let entry = trace.problem.level(level);
    if entry.pool().is_some() {
        return Some(entry.capacity.saturating_sub(state.level(level).busy));
    }
    if state.level(level).by_address.len() > MOST_RESIDENTS {
        return None;
    }
    let holes = state.holes(&trace.problem, level);
    Some(holes.iter().map(|(start, end)| end - start).max().unwrap_or(0))
}

/// The [`room`] of each level.
pub fn rooms(trace: &Trace, state: &State) -> Vec<Option<u64>> {
    (0..trace.problem.level_count()).map(|level| room(trace, state, LevelIx::new(level))).collect()
}

/// What a full bar of `level` stands for: its capacity, or the most that a pool ever holds where that is less than half
/// of it, so that a generous cap leaves something to see.
pub fn full_scale(trace: &Trace, level: LevelIx) -> u64 {
    let capacity = trace.problem.level(level).capacity;
    let (_, most) = trace.held(level).peak(u32::MAX);
    if most > 0 && most < capacity / 2 { most } else { capacity }
}

/// Lines of the Levels pane: one each, and where there is a pool some for its buckets.
pub fn level_lines(trace: &Trace) -> usize {
    let levels = &trace.problem.machine.levels;
    let pools = levels.iter().any(|level| level.pool().is_some());
    levels.len() + usize::from(main_is_used(trace)) + if pools { POOL_LINES } else { 0 }
}

/// Whether main memory ever holds anything: what was spilled and had no copy there.
pub fn main_is_used(trace: &Trace) -> bool {
    trace.held(trace.problem.main_memory()).peak(u32::MAX).1 > 0
}

/// Lines that tell more of the focused pool.
const POOL_LINES: usize = 3;

/// The first row shown so that row `selected` is among `height` of them.
pub fn first_row(selected: usize, height: usize) -> usize {
    (selected + 1).saturating_sub(height.max(1))
}

/// Rows of a table in a pane of that height, below its heading; the last line says how many more there are.
pub fn table_rows(height: u16, all: usize) -> usize {
    let room = usize::from(height).saturating_sub(1);
    if all <= room { room } else { room.saturating_sub(1) }
}

/// The levels that the Levels pane has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownLevels {
    /// Whether a line of headings stands above them.
    pub heading: bool,
    /// The first one.
    pub first: usize,
    /// How many.
    pub count: usize,
    /// How many more there are.
    pub more: usize,
}

/// As many of the levels as `height` lines have room for, the focused one among them.
pub fn shown_levels(focused: LevelIx, levels: usize, height: u16) -> ShownLevels {
    let heading = height > 2;
    let room = usize::from(height) - usize::from(heading);
    let count = levels.min(room);
    let first = first_row(focused.at(), room.max(1)).min(levels - count);
    ShownLevels { heading, first, count, more: levels - count }
}

impl ShownLevels {
    /// The level on that line of the pane.
    pub fn level_at(&self, line: usize) -> Option<LevelIx> {
        let row = line.checked_sub(usize::from(self.heading))?;
        (row < self.count).then(|| LevelIx::new(self.first + row))
    }
}
