//! The record of a plan: recorder, state, keyframes, cursor, index.
//!
//! A record is a list of events; each step owns a run of them. A *position* is a number of events applied, from
//! 0 (before anything) to [`Trace::event_count`]; the state *after step n* is the one at [`Trace::end_of`]`(n)`.
//! Seeking goes to the nearer of the cursor as it stands and the nearest keyframe, then replays or undoes.

mod about;
mod blocks;
pub mod file;
mod index;
mod letters;
mod occupancy;
mod ready;
mod recorder;
mod state;
mod stays;
mod waits;

use std::ops::Range;
use std::sync::OnceLock;

pub use about::{buf_of, node_of};
pub use blocks::BlockLife;
pub use index::{Index, Lane, Mark, SpillSteps};
pub use letters::LETTERS;
pub use occupancy::Occupancy;
pub use ready::{ReadyIndex, ReadyOp};
pub use recorder::Recorder;
pub use state::{LevelState, Place, State};
pub use stays::Stay;
pub use waits::{Wait, Waits};

use crate::model::{BufIx, Event, LevelIx, NodeIx, Plan, Problem, SpillIx, Step, UnitIx};
use state::Snapshot;

/// A finished record, ready to be walked.
#[derive(Clone, Debug)]
pub struct Trace {
    /// What was planned.
    pub problem: Problem,
    /// The plan (unfinished where planning failed).
    pub plan: Plan,
    events: Vec<Event>,
    /// For each step, the position after its last event. One more entry than the plan has steps where it failed:
    /// the failing step, which has events but no step.
    ends: Vec<u32>,
    /// Made when first asked for: who only writes the plan down never walks it.
    ways: OnceLock<Ways>,
}

/// What makes a record walkable.
#[derive(Clone, Debug)]
struct Ways {
    keyframes: Vec<Keyframe>,
    index: Index,
}

/// The state at one position.
#[derive(Clone, Debug)]
struct Keyframe {
    position: u32,
    snapshot: Snapshot,
}

/// A place in a record, with the state there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    position: u32,
    state: State,
}

/// What a seek cost; asserted in tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeekCost {
    /// Keyframes restored: 0 or 1.
    pub keyframes: usize,
    /// Events applied or undone.
    pub events: usize,
}

/// A keyframe is kept when the events since the last one weigh this many times the live state…
const EVENTS_PER_LIVE_BUFFER: usize = 1;
/// …and are at least this many.
const LEAST_EVENTS_BETWEEN: usize = 512;

impl Trace {
    /// The record of `plan`. Keyframes and index are made when first asked for, or by [`Trace::prepare`].
    pub fn new(problem: Problem, plan: Plan, recorder: Recorder) -> Self {
        let Recorder { mut events, mut ends } = recorder;
        if ends.last().copied().unwrap_or(0) as usize != events.len() {
            ends.push(events.len() as u32); // what led to the failure
        }
        events.shrink_to_fit();
        ends.shrink_to_fit();
        Self { problem, plan, events, ends, ways: OnceLock::new() }
    }

    /// Makes the record walkable now, so that whoever moves in it first need not wait.
    pub fn prepare(&self) {
        self.ways();
    }

    fn ways(&self) -> &Ways {
        self.ways.get_or_init(|| self.build())
    }

    fn index(&self) -> &Index {
        &self.ways().index
    }

    /// One pass over all events: keyframes and index.
    fn build(&self) -> Ways {
        let mut index = Index::new(&self.problem);
        let mut keyframes = Vec::new();
        let mut state = State::empty(&self.problem);
        let mut last_keyframe = 0;
        let mut latest = 0;
        for step in 0..self.ends.len() {
            if let Some(&what) = self.plan.steps.get(step) {
                index.enter_step(step as u32, what);
            }
            for position in self.run_range(step) {
                let event = self.events[position];
                state.apply(&self.problem, &event);
                index.enter_event(position as u32, step as u32, &event);
                latest = latest.max(end_cycle(&event).unwrap_or(0));
                let since = position + 1 - last_keyframe;
                if since >= LEAST_EVENTS_BETWEEN && since >= EVENTS_PER_LIVE_BUFFER * state.weight() {
                    last_keyframe = position + 1;
                    keyframes.push(Keyframe { position: last_keyframe as u32, snapshot: state.snapshot() });
                }
            }
            index.clock.push(latest);
            for level in 0..self.problem.level_count() {
                let level_state = state.level(LevelIx::new(level));
                index.occupancy[level].push(step as u32, level_state.used);
                index.held[level].push(step as u32, level_state.held);
            }
            index.held[self.problem.level_count()].push(step as u32, state.main().held);
        }
        index.extra_traffic = state.extra_traffic;
        index.finish(&self.problem, &self.events, &self.ends);
        Ways { keyframes, index }
    }

    /// How many steps can be stood at: the plan's, and the failing one where it failed.
    pub fn step_count(&self) -> usize {
        self.ends.len()
    }

    /// How many events there are.
    pub fn event_count(&self) -> usize {
        self.events.len()
    }

    /// What step `n` does; `None` for the failing step and past the end.
    pub fn step(&self, n: usize) -> Option<Step> {
        self.plan.steps.get(n).copied()
    }

    /// The failing step, where planning failed.
    pub fn failing_step(&self) -> Option<usize> {
        (self.ends.len() > self.plan.steps.len()).then(|| self.ends.len() - 1)
    }

    /// The position after the last event of step `n`.
    pub fn end_of(&self, n: usize) -> usize {
        self.ends.get(n).map_or(self.events.len(), |&end| end as usize)
    }

    /// The positions of the events of step `n`, half-open.
    pub fn run_range(&self, n: usize) -> Range<usize> {
        let start = if n == 0 { 0 } else { self.end_of(n - 1) };
        start..self.end_of(n)
    }

    /// The events of step `n`.
    pub fn run(&self, n: usize) -> &[Event] {
        &self.events[self.run_range(n)]
    }

    /// All events.
    pub fn events(&self) -> &[Event] {
        &self.events
    }

    /// The step that the event before `position` belongs to; step 0 at the start.
    pub fn step_at(&self, position: usize) -> usize {
        let step = self.ends.partition_point(|&end| (end as usize) < position);
        step.min(self.ends.len().saturating_sub(1))
    }

    /// The cycles `[start, end)` of step `n`: of its work, or the moment of its ALLOC or FREE.
    pub fn time_of(&self, n: usize) -> Option<(u64, u64)> {
        let works =
            |event: &&Event| matches!(event, Event::Ran { .. } | Event::MovedOut { .. } | Event::MovedBack { .. });
        let mut run = self.run(n).iter().rev();
        run.clone().find(works).or_else(|| run.find(|event| span(event).is_some())).and_then(span)
    }

    /// The unit that step `n` worked on, and which of its lanes.
    pub fn lane_at(&self, n: usize) -> Option<(UnitIx, u8)> {
        self.run(n).iter().rev().find_map(|event| match *event {
            Event::Ran { unit, lane, .. }
            | Event::MovedOut { unit, lane, .. }
            | Event::MovedBack { unit, lane, .. } => Some((unit, lane)),
            _ => None,
        })
    }

    /// The cycle that the plan has come to after step `n`: the latest end so far.
    pub fn clock(&self, n: usize) -> u64 {
        let clock = &self.index().clock;
        clock.get(n).or(clock.last()).copied().unwrap_or(0)
    }

    /// The first step by which the plan has come to `cycle` or further.
    pub fn first_ending_at(&self, cycle: u64) -> Option<usize> {
        let clock = &self.index().clock;
        let step = clock.partition_point(|&end| end < cycle);
        (step < clock.len()).then_some(step)
    }

    /// The step that runs `node`.
    pub fn step_of(&self, node: NodeIx) -> Option<usize> {
        Some(self.index().step_of_node[node.at()]).filter(|&step| step != u32::MAX).map(|step| step as usize)
    }

    /// The two halves of a spill.
    pub fn spill_steps(&self, spill: SpillIx) -> Option<SpillSteps> {
        self.index().spills.get(spill.at()).copied()
    }

    /// The positions of events of a kind, ascending.
    pub fn marks(&self, mark: Mark) -> &[u32] {
        &self.index().marks[mark as usize]
    }

    /// How many events of a kind stand at `positions`.
    pub fn marks_in(&self, mark: Mark, positions: &Range<usize>) -> usize {
        let before = |end: usize| self.marks(mark).partition_point(|&at| (at as usize) < end);
        before(positions.end).saturating_sub(before(positions.start))
    }

    /// The positions of the events that concern a buffer's fate, ascending.
    pub fn touches(&self, buf: BufIx) -> &[u32] {
        let Index { touches, touches_of, .. } = self.index();
        &touches[touches_of[buf.at()] as usize..touches_of[buf.at() + 1] as usize]
    }

    /// The lanes of all units that ran anything.
    pub fn lanes(&self) -> &[Lane] {
        &self.index().lanes
    }

    /// How full a level is over the plan.
    pub fn occupancy(&self, level: LevelIx) -> &Occupancy {
        &self.index().occupancy[level.at()]
    }

    /// Units of all blocks of a pool over the plan: what it asked of the system. Nothing, for a level that is no pool.
    /// Main memory ([`Problem::main_memory`]) is a pool here.
    pub fn held(&self, level: LevelIx) -> &Occupancy {
        &self.index().held[level.at()]
    }

    /// The stays of `level` that begin at the steps of `steps`, in order.
    pub fn stays_beginning(&self, level: LevelIx, steps: Range<u32>) -> &[Stay] {
        self.index().stays.beginning(level, steps)
    }

    /// The stays of `buf` at its addresses, in order.
    pub fn stays_of(&self, buf: BufIx) -> impl Iterator<Item = Stay> + '_ {
        self.index().stays.of(self.problem.level_of(buf), buf)
    }

    /// The blocks that a pool ever has, in the order in which they are made. None, for a level that is no pool.
    pub fn blocks(&self, level: LevelIx) -> &[BlockLife] {
        self.index().blocks.of(level)
    }

    /// The number below [`LETTERS`] from which the screen makes the letter of `buf`.
    pub fn letter_of(&self, buf: BufIx) -> u8 {
        self.index().letters[buf.at()]
    }

    /// Units of size that the whole record moves for spills.
    pub fn extra_traffic(&self) -> u64 {
        self.index().extra_traffic
    }

    /// Who waited for memory when.
    pub fn waits(&self) -> &Waits {
        &self.index().waits
    }

    /// Which operations are ready when.
    pub fn ready(&self) -> &ReadyIndex {
        &self.index().ready
    }

    /// Bytes held for events, keyframes and index.
    pub fn bytes(&self) -> usize {
        let Ways { keyframes, index } = self.ways();
        let keyframes = keyframes.iter().map(|keyframe| keyframe.snapshot.bytes() + 8).sum::<usize>();
        self.events.capacity() * size_of::<Event>() + self.ends.capacity() * 4 + keyframes + index.bytes()
    }

    /// A cursor before the first event.
    pub fn cursor(&self) -> Cursor {
        Cursor { position: 0, state: State::empty(&self.problem) }
    }

    /// Moves `cursor` to `position` (held at the last one) by the cheapest way.
    pub fn seek(&self, cursor: &mut Cursor, position: usize) -> SeekCost {
        let target = position.min(self.events.len());
        let here = cursor.position as usize;
        let keyframes = &self.ways().keyframes;
        let before = keyframes.partition_point(|keyframe| keyframe.position as usize <= target);
        let nearest = [before.checked_sub(1), Some(before)]
            .into_iter()
            .flatten()
            .filter_map(|at| keyframes.get(at))
            .map(|keyframe| (keyframe.snapshot.len() + target.abs_diff(keyframe.position as usize), keyframe))
            .min_by_key(|(cost, _)| *cost);
        let mut cost = SeekCost { keyframes: 0, events: 0 };
        // "The current state is closer: do nothing": restoring weighs as much as what it holds.
        if let Some((_, keyframe)) = nearest.filter(|(cost, _)| *cost + cursor.state.weight() < target.abs_diff(here)) {
            cursor.state.restore(&self.problem, &keyframe.snapshot);
            cursor.position = keyframe.position;
            cost.keyframes = 1;
        }
        cost.events = target.abs_diff(cursor.position as usize);
        self.walk(cursor, target);
        cost
    }

    /// Moves `cursor` to the end of step `n`.
    pub fn seek_step(&self, cursor: &mut Cursor, n: usize) -> SeekCost {
        self.seek(cursor, self.end_of(n))
    }

    fn walk(&self, cursor: &mut Cursor, target: usize) {
        let here = cursor.position as usize;
        if target >= here {
            self.events[here..target].iter().for_each(|event| cursor.state.apply(&self.problem, event));
        } else {
            self.events[target..here].iter().rev().for_each(|event| cursor.state.undo(&self.problem, event));
        }
        cursor.position = target as u32;
    }
}

impl Cursor {
    /// How many events have been applied.
    pub fn position(&self) -> usize {
        self.position as usize
    }

    /// The state there.
    pub fn state(&self) -> &State {
        &self.state
    }
}

/// The cycles that an event's work takes, or its moment.
fn span(event: &Event) -> Option<(u64, u64)> {
    match *event {
        Event::Ran { start, end, .. } | Event::MovedOut { start, end, .. } | Event::MovedBack { start, end, .. } => {
            Some((start, end))
        }
        Event::Placed { at, .. } | Event::Left { at, .. } => Some((at, at)),
        _ => None,
    }
}

fn end_cycle(event: &Event) -> Option<u64> {
    span(event).map(|(_, end)| end)
}
