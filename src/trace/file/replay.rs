//! Whether what a file says can have happened. Nothing here judges a plan (that is the checker's); it holds what the
//! trace relies on: indices that exist, placements and departures that pair up, blocks that are taken only when idle.

use std::collections::BTreeMap;

use super::super::state::{Place, State};
use super::named::Named;
use crate::model::{
    BlockFate, BufIx, Event, Leaving, LevelIx, MAX_NUMBER, NodeKind, Placing, Plan, Problem, Spill, SpillIx, Step,
};

/// The state on the way through a file, and the plan that it adds up to.
pub(super) struct Replay<'p> {
    problem: &'p Problem,
    state: State,
    plan: Plan,
    /// By node, whether it has had its step.
    done: Vec<bool>,
    /// By level, then of main memory: the pool's blocks by start, with their size and whether one is in use.
    blocks: Vec<BTreeMap<u64, (u64, bool)>>,
    events: usize,
    failed: bool,
}

impl<'p> Replay<'p> {
    pub fn new(problem: &'p Problem) -> Self {
        Self {
            problem,
            state: State::empty(problem),
            plan: Plan { memory: vec![None; problem.graph.buffers().len()], ..Plan::default() },
            done: vec![false; problem.graph.node_count()],
            blocks: vec![BTreeMap::new(); problem.level_count() + 1],
            events: 0,
            failed: false,
        }
    }

    /// The plan that the steps so far are.
    pub fn finish(self) -> Plan {
        self.plan
    }

    /// Takes a step with its events; `None` for the failing one.
    pub fn step(&mut self, step: Option<Step>, events: &[Event]) -> Result<(), String> {
        if self.failed {
            return Err("a step follows the failing one (a line without `step`), which must be the last".into());
        }
        self.events += events.len();
        if self.events > u32::MAX as usize {
            return Err("there are more than 2^32 events".into());
        }
        match step {
            Some(step) => self.enter(step)?,
            None => self.failed = true,
        }
        for event in events {
            self.event(step, event).map_err(|what| format!("event {event:?}: {what}"))?;
            self.state.apply(self.problem, event);
        }
        let effects: Vec<&Event> = events.iter().filter(|event| is_effect(event)).collect();
        if !self.is_done_by(step, &effects) {
            return Err(format!("the events do not do what the step says: {step:?}"));
        }
        Ok(())
    }

    /// A step that may come next.
    fn enter(&mut self, step: Step) -> Result<(), String> {
        match step {
            Step::Node(node) => {
                let done = self.done.get_mut(node.at()).ok_or_else(|| format!("there is no node {}", node.0))?;
                if std::mem::replace(done, true) {
                    return Err(format!("node {} has a second step", node.0));
                }
            }
            Step::Out(spill) if spill.at() == self.plan.spills.len() => {}
            Step::Out(spill) => return Err(format!("spill {} is not the next one", spill.0)),
            Step::Back(spill) => {
                let found = self.plan.spills.get(spill.at());
                if found.is_none_or(|found| found.offset.is_some()) {
                    return Err(format!("spill {} is not out", spill.0));
                }
            }
        }
        self.plan.steps.push(step);
        Ok(())
    }

    /// An event that is possible here. What it changes is entered, but for the state.
    fn event(&mut self, step: Option<Step>, event: &Event) -> Result<(), String> {
        let spills = if let Some(Step::Out(spill)) = step { spill.at() + 1 } else { self.plan.spills.len() };
        Named::of(event).check(self.problem, spills)?;
        match *event {
            Event::Placed { buf, how, level, offset, .. } => self.placed(buf, how, level, offset),
            Event::Left { buf, how, level, offset, .. } => self.left(buf, how, level, offset),
            Event::Block { level, fate, offset, size } => self.block(level, fate, offset, size),
            _ => Ok(()),
        }
    }

    fn placed(&mut self, buf: BufIx, how: Placing, level: LevelIx, offset: u64) -> Result<(), String> {
        let size = self.problem.graph.buffer(buf).size;
        if level != self.problem.level_of(buf) {
            return Err("this is not the buffer's level".into());
        }
        if self.state.level(level).by_address.contains_key(&offset) {
            return Err("another buffer starts there".into());
        }
        if self.problem.level(level).pool().is_some() {
            let block = self.blocks[level.at()].get(&offset);
            if block.is_none_or(|&(block, busy)| !busy || block < size) {
                return Err("no block that was taken for it starts there, or it is too small".into());
            }
        } else if offset.checked_add(size).is_none_or(|end| end > self.problem.level(level).capacity) {
            return Err("it lies outside its level".into());
        }
        match (how, self.state.place(buf)) {
            (Placing::Alloc, Place::Absent) if self.plan.memory[buf.at()].is_none() => {
                self.plan.memory[buf.at()] = Some(offset);
                Ok(())
            }
            (Placing::Back, Place::Out) => Ok(()),
            (_, place) => Err(format!("the buffer is already {}", word(place))),
        }
    }

    fn left(&mut self, buf: BufIx, how: Leaving, level: LevelIx, offset: u64) -> Result<(), String> {
        if level != self.problem.level_of(buf) || self.state.place(buf) != Place::Resident(offset) {
            return Err(format!("the buffer is {}, not there", word(self.state.place(buf))));
        }
        if how == Leaving::Out {
            let traffic = self.state.extra_traffic.checked_add(self.problem.spill_cost(buf));
            if traffic.is_none_or(|traffic| traffic > MAX_NUMBER) {
                return Err("with it the extra traffic passes 2^63-1".into());
            }
            self.plan.spills.push(Spill { buf, offset: None });
        }
        Ok(())
    }

    fn block(&mut self, level: LevelIx, fate: BlockFate, offset: u64, size: u64) -> Result<(), String> {
        let Some(cap) = self.cap(level) else { return Err("the level is no pool".into()) };
        let held = self.state.level(level).held;
        let resident = self.state.level(level).by_address.contains_key(&offset);
        let blocks = &mut self.blocks[level.at()];
        let found = blocks.get(&offset).copied();
        if found.is_some_and(|(known, _)| known != size) {
            return Err("the block there has another size".into());
        }
        match (fate, found) {
            (BlockFate::Fresh, None) => {
                let end = offset.checked_add(size).filter(|&end| size > 0 && end <= MAX_NUMBER);
                let last = blocks.range(..end.unwrap_or(0)).next_back();
                if end.is_none() || last.is_some_and(|(start, (size, _))| start + size > offset) {
                    return Err("it shares an address with another block".into());
                }
                if size > cap.saturating_sub(held) {
                    return Err("with it the pool passes its cap".into());
                }
                blocks.insert(offset, (size, true));
            }
            (BlockFate::Reused, Some((_, false))) => _ = blocks.insert(offset, (size, true)),
            (BlockFate::Idle, Some((_, true))) if !resident => _ = blocks.insert(offset, (size, false)),
            (BlockFate::OverCap | BlockFate::Aged, Some((_, false))) => _ = blocks.remove(&offset),
            (_, Some((_, true))) => return Err("the block is in use".into()),
            (_, Some((_, false))) => return Err("the block is idle or new".into()),
            (_, None) => return Err("no block starts there".into()),
        }
        Ok(())
    }

    /// The most that a pool may hold; main memory holds what can be counted.
    fn cap(&self, level: LevelIx) -> Option<u64> {
        if level == self.problem.main_memory() {
            return Some(MAX_NUMBER);
        }
        let level = self.problem.level(level);
        level.pool().map(|_| level.capacity)
    }

    /// Whether `effects` are exactly what `step` does.
    fn is_done_by(&mut self, step: Option<Step>, effects: &[&Event]) -> bool {
        let Some(step) = step else { return effects.is_empty() };
        match (step, effects) {
            (Step::Node(node), [effect]) => match (self.problem.graph.node(node).kind, **effect) {
                (NodeKind::Alloc(buf), Event::Placed { buf: placed, how: Placing::Alloc, .. }) => placed == buf,
                (NodeKind::Free(buf), Event::Left { buf: left, how: Leaving::Free, .. }) => left == buf,
                (NodeKind::Op(_), Event::Ran { node: ran, .. }) => ran == node,
                _ => false,
            },
            (Step::Out(spill), [Event::MovedOut { spill: moved, .. }, Event::Left { how: Leaving::Out, .. }]) => {
                *moved == spill
            }
            (
                Step::Back(spill),
                [Event::MovedBack { spill: moved, .. }, Event::Placed { buf, how: Placing::Back, offset, .. }],
            ) => *moved == spill && self.came_back(spill, *buf, *offset),
            _ => false,
        }
    }

    fn came_back(&mut self, spill: SpillIx, buf: BufIx, offset: u64) -> bool {
        let spill = &mut self.plan.spills[spill.at()];
        spill.offset = Some(offset);
        spill.buf == buf
    }
}

/// Whether an event is what a step does, and not what was decided on the way.
fn is_effect(event: &Event) -> bool {
    use Event::{Left, MovedBack, MovedOut, Placed, Ran};
    matches!(event, Placed { .. } | Left { .. } | Ran { .. } | MovedOut { .. } | MovedBack { .. })
}

fn word(place: Place) -> &'static str {
    match place {
        Place::Absent => "absent",
        Place::Resident(_) => "resident",
        Place::Out => "spilled out",
    }
}
