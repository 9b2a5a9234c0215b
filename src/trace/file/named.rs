//! What an event names, for the check that all of it exists.

use crate::model::{BufIx, Event, LevelIx, MAX_NUMBER, NodeIx, Problem, SpillIx, UnitIx};

/// The indices and numbers of one event.
#[derive(Default)]
pub(super) struct Named {
    node: Option<NodeIx>,
    bufs: [Option<BufIx>; 2],
    level: Option<LevelIx>,
    /// A level, or main memory.
    pool: Option<LevelIx>,
    lane: Option<(UnitIx, u8)>,
    spill: Option<SpillIx>,
    /// Cycles or units of size; two of them are a half-open span.
    numbers: [u64; 2],
}

impl Named {
    pub fn of(event: &Event) -> Self {
        let none = Self::default();
        let span = |unit, lane, start, end| Self { lane: Some((unit, lane)), numbers: [start, end], ..Self::default() };
        match *event {
            Event::Ready { node } | Event::Queued { node, .. } => Self { node: Some(node), ..none },
            Event::Dispatched { node, at, .. } => Self { node: Some(node), numbers: [0, at], ..none },
            Event::Ran { node, unit, lane, start, end } => Self { node: Some(node), ..span(unit, lane, start, end) },
            Event::MovedOut { spill, unit, lane, start, end } | Event::MovedBack { spill, unit, lane, start, end } => {
                Self { spill: Some(spill), ..span(unit, lane, start, end) }
            }
            Event::Placed { buf, level, offset, at, .. } | Event::Left { buf, level, offset, at, .. } => {
                let numbers = [offset.min(at), offset.max(at)];
                Self { bufs: [Some(buf), None], level: Some(level), numbers, ..none }
            }
            Event::Coalesced { level, start, size } => {
                Self { level: Some(level), numbers: [start, start.saturating_add(size)], ..none }
            }
            Event::NoHole { buf, level, free, largest } => {
                Self { bufs: [Some(buf), None], level: Some(level), numbers: [largest, free], ..none }
            }
            Event::Candidate { buf, .. } => Self { bufs: [Some(buf), None], ..none },
            Event::MoreCandidates { .. } => none,
            Event::Fitted { buf, free_at, .. } => Self { bufs: [Some(buf), None], numbers: [0, free_at], ..none },
            Event::FellThrough { buf, node, .. } | Event::Read { buf, node, .. } => {
                Self { node: Some(node), bufs: [Some(buf), None], ..none }
            }
            Event::Chosen { victim, need, spill, .. } => {
                Self { bufs: [Some(victim), Some(need)], spill: Some(spill), ..none }
            }
            Event::PlannedBack { spill, node } | Event::Prefetched { spill, node, .. } => {
                Self { node: Some(node), spill: Some(spill), ..none }
            }
            Event::Postponed { buf, after, free, .. } => {
                Self { node: Some(after), bufs: [Some(buf), None], numbers: [0, free], ..none }
            }
            Event::Packed { level, buf } => Self { bufs: [Some(buf), None], level: Some(level), ..none },
            Event::WaitsForMemory { node, level, need, room } => {
                let numbers = [need.min(room), need.max(room)];
                Self { node: Some(node), level: Some(level), numbers, ..none }
            }
            Event::Woken { node, level, since, at } => {
                Self { node: Some(node), level: Some(level), numbers: [since, at], ..none }
            }
            Event::Block { level, offset, size, .. } => {
                Self { pool: Some(level), numbers: [offset, offset.saturating_add(size)], ..none }
            }
            Event::Reported { buf, actual } => Self { bufs: [Some(buf), None], numbers: [0, actual], ..none },
            Event::Failed { buf, node } => Self { node: Some(node), bufs: [Some(buf), None], ..none },
        }
    }

    /// Whether all of it exists, with `spills` begun so far.
    pub fn check(&self, problem: &Problem, spills: usize) -> Result<(), String> {
        let graph = &problem.graph;
        if let Some(node) = self.node.filter(|node| node.at() >= graph.node_count()) {
            return Err(format!("there is no node {}", node.0));
        }
        if let Some(buf) = self.bufs.iter().flatten().find(|buf| buf.at() >= graph.buffers().len()) {
            return Err(format!("there is no buffer {}", buf.0));
        }
        if let Some(level) = self.level.filter(|level| level.at() >= problem.level_count()) {
            return Err(format!("there is no level {}", level.0));
        }
        if let Some(pool) = self.pool.filter(|&pool| pool > problem.main_memory()) {
            return Err(format!("there is no level {}", pool.0));
        }
        let has_lane = |(unit, lane): (UnitIx, u8)| problem.units.get(unit.at()).is_some_and(|unit| lane < unit.count);
        if let Some((unit, lane)) = self.lane.filter(|&lane| !has_lane(lane)) {
            return Err(format!("there is no lane {lane} of unit {}", unit.0));
        }
        if let Some(spill) = self.spill.filter(|spill| spill.at() >= spills) {
            return Err(format!("spill {} has not begun", spill.0));
        }
        if self.numbers[0] > self.numbers[1] || self.numbers[1] > MAX_NUMBER {
            return Err("its numbers run backward or pass 2^63-1".into());
        }
        Ok(())
    }
}
