//! What is where at one point of the record. The only interpreter of events: [`State::apply`] and
//! [`State::undo`] are exact inverses, so a state can walk both ways.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::{BlockFate, BufIx, Event, Leaving, LevelIx, Placing, Problem};

/// The state after some number of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    /// The machine's levels, then main memory.
    levels: Vec<LevelState>,
    /// Offset of a resident buffer, else [`ABSENT`] or [`OUT`].
    place: Vec<u64>,
    out: BTreeSet<BufIx>,
    /// Units of size moved by spills so far, counted at each SPILL_OUT.
    pub extra_traffic: u64,
    /// Spills begun so far.
    pub spills: u32,
    /// Postponements so far.
    pub postponed: u32,
}

/// One level's residents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LevelState {
    /// Units in use.
    pub used: u64,
    /// Resident buffers by start address.
    pub by_address: BTreeMap<u64, BufIx>,
    /// Of a pool: the blocks that it holds, in use or idle, by start address, with their units.
    pub blocks: BTreeMap<u64, u64>,
    /// Of a pool: units of all blocks.
    pub held: u64,
    /// Of a pool: units of the blocks in use.
    pub busy: u64,
}

/// Where a buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Not born yet, or gone.
    Absent,
    /// At this offset of its level.
    Resident(u64),
    /// Spilled out.
    Out,
}

const ABSENT: u64 = u64::MAX;
const OUT: u64 = u64::MAX - 1;

/// The live part of a state, from which the state can be restored. Residents stand level by level, by address.
#[derive(Clone, Debug)]
pub(super) struct Snapshot {
    resident: Box<[(LevelIx, BufIx, u64)]>,
    /// Level, start and units of the blocks of pools, level by level, by address.
    blocks: Box<[(LevelIx, u64, u64)]>,
    /// By level: units of the blocks in use. Residents do not tell, between the taking of a block and the placing in it.
    busy: Box<[u64]>,
    out: Box<[BufIx]>,
    extra_traffic: u64,
    spills: u32,
    postponed: u32,
}

impl State {
    /// Before the first event.
    pub fn empty(problem: &Problem) -> Self {
        Self {
            levels: vec![LevelState::default(); problem.level_count() + 1],
            place: vec![ABSENT; problem.graph.buffers().len()],
            out: BTreeSet::new(),
            extra_traffic: 0,
            spills: 0,
            postponed: 0,
        }
    }

    /// The level's residents.
    pub fn level(&self, level: LevelIx) -> &LevelState {
        &self.levels[level.at()]
    }

    /// Main memory: blocks alone, and no buffer is resident in it.
    pub fn main(&self) -> &LevelState {
        self.levels.last().expect("it is always there")
    }

    /// Where `buf` is.
    pub fn place(&self, buf: BufIx) -> Place {
        match self.place[buf.at()] {
            ABSENT => Place::Absent,
            OUT => Place::Out,
            offset => Place::Resident(offset),
        }
    }

    /// The buffers that are spilled out, by ascending id.
    pub fn out(&self) -> impl ExactSizeIterator<Item = BufIx> + '_ {
        self.out.iter().copied()
    }

    /// What a snapshot of the state weighs: the buffers resident or out, and the blocks of pools.
    pub(super) fn weight(&self) -> usize {
        self.live_count() + self.levels.iter().map(|level| level.blocks.len()).sum::<usize>()
    }

    /// How many buffers are resident or out.
    pub fn live_count(&self) -> usize {
        self.out.len() + self.levels.iter().map(|level| level.by_address.len()).sum::<usize>()
    }

    /// The holes of a level as half-open address ranges, in order.
    pub fn holes(&self, problem: &Problem, level: LevelIx) -> Vec<(u64, u64)> {
        let mut holes = Vec::new();
        let mut end = 0;
        for (&start, &buf) in &self.levels[level.at()].by_address {
            if start > end {
                holes.push((end, start));
            }
            end = end.max(start.saturating_add(problem.graph.buffer(buf).size));
        }
        let capacity = problem.level(level).capacity;
        if end < capacity {
            holes.push((end, capacity));
        }
        holes
    }

    /// Goes one event forward.
    pub fn apply(&mut self, problem: &Problem, event: &Event) {
        match *event {
            Event::Placed { buf, how, level, offset, .. } => {
                if how == Placing::Back {
                    self.out.remove(&buf);
                }
                self.settle(problem, buf, level, offset);
            }
            Event::Left { buf, how, level, offset, .. } => {
                self.lift(problem, buf, level, offset);
                if how == Leaving::Out {
                    self.out.insert(buf);
                    self.place[buf.at()] = OUT;
                    self.spills += 1;
                    self.extra_traffic += problem.spill_cost(buf);
                }
            }
            Event::Postponed { .. } => self.postponed += 1,
            Event::Block { level, fate, offset, size } => self.levels[level.at()].turn(fate, offset, size),
            _ => {}
        }
    }

    /// Goes one event back: undoes what [`State::apply`] did for it.
    pub fn undo(&mut self, problem: &Problem, event: &Event) {
        match *event {
            Event::Placed { buf, how, level, offset, .. } => {
                self.lift(problem, buf, level, offset);
                if how == Placing::Back {
                    self.out.insert(buf);
                    self.place[buf.at()] = OUT;
                }
            }
            Event::Left { buf, how, level, offset, .. } => {
                if how == Leaving::Out {
                    self.out.remove(&buf);
                    self.spills -= 1;
                    self.extra_traffic -= problem.spill_cost(buf);
                }
                self.settle(problem, buf, level, offset);
            }
            Event::Postponed { .. } => self.postponed -= 1,
            Event::Block { level, fate, offset, size } => self.levels[level.at()].turn_back(fate, offset, size),
            _ => {}
        }
    }

    fn settle(&mut self, problem: &Problem, buf: BufIx, level: LevelIx, offset: u64) {
        let state = &mut self.levels[level.at()];
        state.used += problem.graph.buffer(buf).size;
        state.by_address.insert(offset, buf);
        self.place[buf.at()] = offset;
    }

    fn lift(&mut self, problem: &Problem, buf: BufIx, level: LevelIx, offset: u64) {
        let state = &mut self.levels[level.at()];
        state.used -= problem.graph.buffer(buf).size;
        state.by_address.remove(&offset);
        self.place[buf.at()] = ABSENT;
    }

    pub(super) fn snapshot(&self) -> Snapshot {
        let residents = self.levels.iter().enumerate().flat_map(|(at, level)| {
            level.by_address.iter().map(move |(&offset, &buf)| (LevelIx::new(at), buf, offset))
        });
        Snapshot {
            resident: residents.collect(),
            blocks: self.blocks().collect(),
            busy: self.levels.iter().map(|level| level.busy).collect(),
            out: self.out.iter().copied().collect(),
            extra_traffic: self.extra_traffic,
            spills: self.spills,
            postponed: self.postponed,
        }
    }

    fn blocks(&self) -> impl Iterator<Item = (LevelIx, u64, u64)> + '_ {
        self.levels
            .iter()
            .enumerate()
            .flat_map(|(at, level)| level.blocks.iter().map(move |(&offset, &size)| (LevelIx::new(at), offset, size)))
    }

    pub(super) fn restore(&mut self, problem: &Problem, snapshot: &Snapshot) {
        for level in &mut self.levels {
            level.by_address.values().for_each(|buf| self.place[buf.at()] = ABSENT);
            level.by_address.clear();
            level.used = 0;
            level.blocks.clear();
            (level.held, level.busy) = (0, 0);
        }
        std::mem::take(&mut self.out).into_iter().for_each(|buf| self.place[buf.at()] = ABSENT);
        // Level by level and in order of address, as snapshots are, a map is built much faster than entry by entry.
        for run in snapshot.resident.chunk_by(|a, b| a.0 == b.0) {
            let level = &mut self.levels[run[0].0.at()];
            level.used = run.iter().map(|&(_, buf, _)| problem.graph.buffer(buf).size).sum();
            level.by_address = run.iter().map(|&(_, buf, offset)| (offset, buf)).collect();
            run.iter().for_each(|&(_, buf, offset)| self.place[buf.at()] = offset);
        }
        for run in snapshot.blocks.chunk_by(|a, b| a.0 == b.0) {
            let level = &mut self.levels[run[0].0.at()];
            level.held = run.iter().map(|&(.., size)| size).sum();
            level.blocks = run.iter().map(|&(_, offset, size)| (offset, size)).collect();
        }
        for (level, &busy) in self.levels.iter_mut().zip(&snapshot.busy) {
            level.busy = busy;
        }
        for &buf in &snapshot.out {
            self.place[buf.at()] = OUT;
        }
        self.out = snapshot.out.iter().copied().collect();
        self.extra_traffic = snapshot.extra_traffic;
        self.spills = snapshot.spills;
        self.postponed = snapshot.postponed;
    }
}

impl LevelState {
    /// A block of the pool is taken, given back or dropped.
    fn turn(&mut self, fate: BlockFate, offset: u64, size: u64) {
        match fate {
            BlockFate::Fresh => {
                self.blocks.insert(offset, size);
                self.held += size;
                self.busy += size;
            }
            BlockFate::Reused => self.busy += size,
            BlockFate::Idle => self.busy -= size,
            BlockFate::OverCap | BlockFate::Aged => {
                self.blocks.remove(&offset);
                self.held -= size;
            }
        }
    }

    /// The inverse of [`LevelState::turn`].
    fn turn_back(&mut self, fate: BlockFate, offset: u64, size: u64) {
        match fate {
            BlockFate::Fresh => {
                self.blocks.remove(&offset);
                self.held -= size;
                self.busy -= size;
            }
            BlockFate::Reused => self.busy -= size,
            BlockFate::Idle => self.busy += size,
            BlockFate::OverCap | BlockFate::Aged => {
                self.blocks.insert(offset, size);
                self.held += size;
            }
        }
    }
}

impl Snapshot {
    /// How many buffers and blocks it holds.
    pub(super) fn len(&self) -> usize {
        self.resident.len() + self.out.len() + self.blocks.len()
    }

    pub(super) fn bytes(&self) -> usize {
        size_of::<Self>()
            + size_of_val(&*self.resident)
            + size_of_val(&*self.out)
            + size_of_val(&*self.blocks)
            + size_of_val(&*self.busy)
    }
}
