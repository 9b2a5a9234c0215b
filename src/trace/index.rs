//! Look-ups over a finished record, built in one pass: where things happened, without reading the log.

use super::blocks::Blocks;
use super::letters::Letters;
use super::occupancy::Occupancy;
use super::ready::ReadyIndex;
use super::stays::Stays;
use super::waits::Waits;
use crate::model::{BufIx, Event, Leaving, NodeIx, Placing, Problem, SpillIx, Step, UnitIx};

/// Kinds of event that one jumps between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mark {
    /// A SPILL_OUT.
    Spill,
    /// A SPILL_IN.
    Reload,
    /// A postponed ALLOC.
    Postpone,
    /// A placement for which no hole was large enough.
    Full,
    /// The end without a plan.
    Failure,
    /// An operation waits for memory.
    Wait,
}

impl Mark {
    /// All of them.
    pub const ALL: [Self; 6] = [Self::Spill, Self::Reload, Self::Postpone, Self::Full, Self::Failure, Self::Wait];

    /// The same, the one that is shown first where several share a place. That no hole was found is only where a decision
    /// began, so it comes last but for the wait that it may lead to.
    pub const GRAVEST_FIRST: [Self; 6] =
        [Self::Failure, Self::Spill, Self::Postpone, Self::Reload, Self::Full, Self::Wait];

    /// The kind of an event, if it is one to jump to.
    pub fn of(event: &Event) -> Option<Self> {
        match event {
            Event::Left { how: Leaving::Out, .. } => Some(Self::Spill),
            Event::Placed { how: Placing::Back, .. } => Some(Self::Reload),
            Event::Postponed { .. } => Some(Self::Postpone),
            Event::NoHole { .. } => Some(Self::Full),
            Event::Failed { .. } => Some(Self::Failure),
            Event::WaitsForMemory { .. } => Some(Self::Wait),
            _ => None,
        }
    }
}

/// One lane of a unit: what it ran, in time order.
#[derive(Clone, Debug)]
pub struct Lane {
    /// The unit.
    pub unit: UnitIx,
    /// Which of its lanes.
    pub lane: u8,
    /// The steps that it ran.
    pub steps: Vec<u32>,
}

/// The two halves of a spill, as steps; `u32::MAX` where the plan does not get so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpillSteps {
    /// The SPILL_OUT.
    pub out: u32,
    /// The SPILL_IN.
    pub back: u32,
}

/// Where things happened.
#[derive(Clone, Debug, Default)]
pub struct Index {
    pub(super) step_of_node: Vec<u32>,
    pub(super) spills: Vec<SpillSteps>,
    /// By [`Mark`]: event positions, ascending.
    pub(super) marks: [Vec<u32>; 6],
    /// Event positions that concern a buffer's fate, run by run.
    pub(super) touches: Vec<u32>,
    pub(super) touches_of: Vec<u32>,
    /// By unit, by lane: the steps that it ran. Only until [`Index::finish`] makes the lanes of it.
    ran: Vec<Vec<Vec<u32>>>,
    pub(super) lanes: Vec<Lane>,
    pub(super) occupancy: Vec<Occupancy>,
    /// The same of all blocks of each pool, and of main memory behind them.
    pub(super) held: Vec<Occupancy>,
    pub(super) stays: Stays,
    pub(super) blocks: Blocks,
    /// Only until [`Index::finish`] takes the letters out.
    giver: Letters,
    /// By buffer: its number below [`LETTERS`](super::LETTERS).
    pub(super) letters: Vec<u8>,
    pub(super) ready: ReadyIndex,
    pub(super) waits: Waits,
    /// For each step, the latest end of all steps up to it: the cycle that the plan has come to.
    pub(super) clock: Vec<u64>,
    /// Units of size moved by all spills.
    pub(super) extra_traffic: u64,
}

impl Index {
    pub(super) fn new(problem: &Problem) -> Self {
        Self {
            step_of_node: vec![u32::MAX; problem.graph.node_count()],
            occupancy: vec![Occupancy::default(); problem.level_count()],
            held: vec![Occupancy::default(); problem.level_count() + 1],
            stays: Stays::new(problem),
            blocks: Blocks::new(problem),
            giver: Letters::new(problem),
            touches_of: vec![0; problem.graph.buffers().len() + 1],
            ran: vec![Vec::new(); problem.units.len()],
            ..Self::default()
        }
    }

    /// Enters a step of the plan.
    pub(super) fn enter_step(&mut self, step: u32, what: Step) {
        let spill = |spills: &mut Vec<SpillSteps>, ix: SpillIx| {
            if spills.len() <= ix.at() {
                spills.resize(ix.at() + 1, SpillSteps { out: u32::MAX, back: u32::MAX });
            }
            ix.at()
        };
        match what {
            Step::Node(node) => self.step_of_node[node.at()] = step,
            Step::Out(ix) => {
                let at = spill(&mut self.spills, ix);
                self.spills[at].out = step;
            }
            Step::Back(ix) => {
                let at = spill(&mut self.spills, ix);
                self.spills[at].back = step;
            }
        }
    }

    /// Enters an event that stands at `position` in `step`.
    pub(super) fn enter_event(&mut self, position: u32, step: u32, event: &Event) {
        if let Some(mark) = Mark::of(event) {
            self.marks[mark as usize].push(position);
        }
        if let Some(buf) = touched(event) {
            self.touches_of[buf.at() + 1] += 1;
        }
        self.waits.enter(position, event);
        self.stays.enter(step, event);
        self.blocks.enter(step, event);
        self.giver.enter(event);
        match *event {
            Event::Ran { unit, lane, .. }
            | Event::MovedOut { unit, lane, .. }
            | Event::MovedBack { unit, lane, .. } => {
                let lanes = &mut self.ran[unit.at()];
                if lanes.len() <= usize::from(lane) {
                    lanes.resize(usize::from(lane) + 1, Vec::new());
                }
                lanes[usize::from(lane)].push(step);
            }
            _ => {}
        }
    }

    /// Sorts what could only be counted on the way, and builds the pyramids.
    pub(super) fn finish(&mut self, problem: &Problem, events: &[Event], ends: &[u32]) {
        for at in 1..self.touches_of.len() {
            self.touches_of[at] += self.touches_of[at - 1];
        }
        let mut next = self.touches_of.clone();
        self.touches = vec![0; self.touches_of.last().copied().unwrap_or(0) as usize];
        for (position, event) in events.iter().enumerate() {
            if let Some(buf) = touched(event) {
                let slot = &mut next[buf.at()];
                self.touches[*slot as usize] = position as u32;
                *slot += 1;
            }
        }
        self.occupancy.iter_mut().chain(&mut self.held).for_each(Occupancy::finish);
        self.waits.finish();
        self.stays.finish();
        self.blocks.finish();
        self.letters = std::mem::take(&mut self.giver).finish();
        self.lanes = lanes(std::mem::take(&mut self.ran));
        self.ready = self.ready_index(problem, events, ends);
    }

    fn ready_index(&self, problem: &Problem, events: &[Event], ends: &[u32]) -> ReadyIndex {
        let mut since = vec![u32::MAX; problem.graph.node_count()];
        let mut step = 0;
        for (position, event) in events.iter().enumerate() {
            while step + 1 < ends.len() && ends[step] as usize <= position {
                step += 1;
            }
            if let Event::Ready { node } = *event {
                since[node.at()] = step as u32;
            }
        }
        let operations = problem.graph.node_ixs().filter(|&node| problem.graph.node(node).kind.is_op());
        let mut order: Vec<(NodeIx, u32)> = operations.map(|node| (node, self.step_of_node[node.at()])).collect();
        order.sort_unstable_by_key(|&(node, step)| (step, node));
        ReadyIndex::new(order, &since)
    }

    pub(super) fn bytes(&self) -> usize {
        let words = self.step_of_node.capacity()
            + self.marks.iter().map(Vec::capacity).sum::<usize>()
            + self.touches.capacity()
            + self.touches_of.capacity()
            + self.lanes.iter().map(|lane| lane.steps.capacity()).sum::<usize>();
        words * 4
            + (self.spills.capacity() + self.clock.capacity()) * 8
            + self.occupancy.iter().chain(&self.held).map(Occupancy::bytes).sum::<usize>()
            + self.ready.bytes()
            + self.waits.bytes()
            + self.stays.bytes()
            + self.blocks.bytes()
            + self.letters.capacity()
    }
}

/// The lanes that ran anything.
fn lanes(ran: Vec<Vec<Vec<u32>>>) -> Vec<Lane> {
    let lanes = ran.into_iter().enumerate().flat_map(|(unit, lanes)| {
        let lanes = lanes.into_iter().enumerate();
        lanes.map(move |(lane, steps)| Lane { unit: UnitIx::new(unit), lane: lane as u8, steps })
    });
    let mut lanes: Vec<Lane> = lanes.filter(|lane| !lane.steps.is_empty()).collect();
    lanes.iter_mut().for_each(|lane| lane.steps.shrink_to_fit());
    lanes
}

/// The buffer whose fate an event concerns: placed, gone, refused, postponed, failed.
pub(super) fn touched(event: &Event) -> Option<BufIx> {
    match *event {
        Event::Placed { buf, .. }
        | Event::Left { buf, .. }
        | Event::NoHole { buf, .. }
        | Event::Postponed { buf, .. }
        | Event::Read { buf, .. }
        | Event::Reported { buf, .. }
        | Event::Failed { buf, .. } => Some(buf),
        _ => None,
    }
}
