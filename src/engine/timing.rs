//! When each step runs: the published rule, as `check_plan.py` counts it.
//!
//! A unit runs its nodes in schedule order, one on each of its lanes; a node starts when its predecessors, a lane
//! of its unit and every earlier holder of its addresses are done. ALLOC and FREE take no time; an operation whose pipe
//! has no name waits for no unit. Sums saturate; the session refuses a plan whose makespan comes to 2^63 or more.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

use crate::model::{BufIx, LevelIx, NodeIx, Operation, Problem, UnitIx};

/// Work on a lane during `[start, end)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The unit.
    pub unit: UnitIx,
    /// Which of its lanes.
    pub lane: u8,
    /// First cycle.
    pub start: u64,
    /// The cycle at which it is done.
    pub end: u64,
}

/// The clocks of one walk over a schedule.
#[derive(Clone, Debug)]
pub struct Timing<'a> {
    problem: &'a Problem,
    /// When each node is done.
    node_end: Vec<u64>,
    /// When each lane falls free, by unit.
    lanes: Vec<Vec<u64>>,
    /// When each address of a level was last left.
    left: Vec<AddressClock<u64>>,
    /// When a buffer's last way back is done; 0 where it was never spilled.
    back_end: Vec<u64>,
    /// When the last use of a buffer so far is done.
    use_end: Vec<u64>,
    /// Where steps start in the order in which they stand ([`Problem::is_clocked`]): the start of the last one.
    clock: Option<u64>,
    /// Ends of the operations that may still run at the clock's time; kept only where the machine has a window.
    running: BinaryHeap<Reverse<u64>>,
    /// By buffer: what fresh memory costs whoever uses it first.
    fresh: Vec<u64>,
    makespan: u64,
}

impl<'a> Timing<'a> {
    /// At cycle 0.
    pub fn new(problem: &'a Problem) -> Self {
        let buffers = problem.graph.buffers().len();
        Self {
            problem,
            node_end: vec![0; problem.graph.node_count()],
            lanes: problem.units.iter().map(|unit| vec![0; usize::from(unit.count)]).collect(),
            left: vec![AddressClock::default(); problem.level_count()],
            back_end: vec![0; buffers],
            use_end: vec![0; buffers],
            clock: problem.is_clocked().then_some(0),
            running: BinaryHeap::new(),
            fresh: vec![0; if problem.is_clocked() { buffers } else { 0 }],
            makespan: 0,
        }
    }

    /// The latest end so far.
    pub fn makespan(&self) -> u64 {
        self.makespan
    }

    /// An ALLOC that puts its buffer at `[offset, offset + size)`: the cycle from which the address is its own.
    pub fn alloc(&mut self, node: NodeIx, level: LevelIx, offset: u64, size: u64) -> u64 {
        let at = self.preds_end(node).max(self.left[level.at()].latest(offset, offset + size));
        let at = self.tick(at);
        self.finish(node, at)
    }

    /// The cycle at which the last of those who held any of the addresses `[start, end)` has left.
    pub fn free_since(&self, level: LevelIx, start: u64, end: u64) -> u64 {
        self.left[level.at()].latest(start, end)
    }

    /// When the next lane of `unit` falls free; 0 where nothing waits for one.
    pub fn lane_free(&self, unit: UnitIx) -> u64 {
        let unnamed = self.problem.units[unit.at()].name.raw().is_empty();
        self.lanes[unit.at()].iter().copied().min().filter(|_| !unnamed).unwrap_or(0)
    }

    /// The addresses within `[start, end)` at which [`Self::free_since`] changes.
    pub fn borders(&self, level: LevelIx, start: u64, end: u64) -> impl Iterator<Item = u64> {
        self.left[level.at()].since.range(start..end).map(|(&at, _)| at)
    }

    /// When `node` could run by its predecessors and the clock.
    pub fn ready_at(&self, node: NodeIx) -> u64 {
        self.preds_end(node).max(self.clock())
    }

    /// An ALLOC in a pool: the cycle at which the block is taken. Its first user pays `fresh` cycles for new memory.
    pub fn take_block(&mut self, node: NodeIx, buf: BufIx, fresh: u64) -> u64 {
        self.fresh[buf.at()] = fresh;
        let at = self.tick(self.preds_end(node));
        self.finish(node, at)
    }

    /// A FREE in a pool: the cycle at which the block is given back.
    pub fn give_block(&mut self, node: NodeIx) -> u64 {
        let at = self.tick(self.preds_end(node));
        self.finish(node, at)
    }

    /// The cycle of the last step's start.
    pub fn clock(&self) -> u64 {
        self.clock.unwrap_or(0)
    }

    /// When something that could be at `ready` is, by the clock.
    fn tick(&mut self, ready: u64) -> u64 {
        let Some(clock) = &mut self.clock else { return ready };
        *clock = ready.max(*clock);
        *clock
    }

    /// A FREE of a buffer at `[offset, offset + size)`: the cycle at which the address falls free.
    pub fn free(&mut self, node: NodeIx, buf: BufIx, level: LevelIx, offset: u64, size: u64) -> u64 {
        let at = self.tick(self.preds_end(node).max(self.back_end[buf.at()]));
        self.left[level.at()].raise(offset, offset + size, at);
        self.finish(node, at)
    }

    /// An operation.
    pub fn run(&mut self, node: NodeIx, op: &Operation) -> Slot {
        let problem = self.problem;
        let operands = problem.graph.operands(op);
        let back = operands.iter().map(|buf| self.back_end[buf.at()]).max().unwrap_or(0);
        let mut ready = self.preds_end(node).max(back);
        let mut cycles = op.cycles;
        if self.clock.is_some() {
            ready = self.through_window(ready);
            let fresh = operands.iter().map(|buf| std::mem::take(&mut self.fresh[buf.at()]));
            cycles = fresh.fold(cycles, u64::saturating_add);
        }
        let slot = self.occupy(problem.unit_of(op.pipe), ready, cycles);
        if problem.machine.window.is_some() {
            self.running.push(Reverse(slot.end));
        }
        for buf in operands {
            let last = &mut self.use_end[buf.at()];
            *last = (*last).max(slot.end);
        }
        self.finish(node, slot.end);
        slot
    }

    /// The SPILL_OUT of a buffer at `[offset, offset + size)`: waits for its ALLOC, its users so far and its last
    /// way back. Takes no time where main memory still holds the contents and the machine says so, but queues.
    pub fn move_out(&mut self, buf: BufIx, level: LevelIx, offset: u64) -> Slot {
        let buffer = self.problem.graph.buffer(buf);
        let transfer = &self.problem.machine.transfer;
        let cycles = if buffer.backed && transfer.backed_out_free { 0 } else { self.transfer_cycles(buffer.size) };
        let ready = self.node_end[buffer.alloc.at()].max(self.use_end[buf.at()]).max(self.back_end[buf.at()]);
        let slot = self.occupy(self.problem.out_unit, ready, cycles);
        self.left[level.at()].raise(offset, offset + buffer.size, slot.end);
        slot
    }

    /// The SPILL_IN to `[offset, offset + size)` of a spill whose way out was done at `out_end`.
    pub fn move_back(&mut self, buf: BufIx, level: LevelIx, offset: u64, out_end: u64) -> Slot {
        let size = self.problem.graph.buffer(buf).size;
        let ready = out_end.max(self.left[level.at()].latest(offset, offset + size));
        let slot = self.occupy(self.problem.back_unit, ready, self.transfer_cycles(size));
        self.back_end[buf.at()] = slot.end;
        slot
    }

    /// When an operation that could start at `ready` may, with fewer running than the window allows.
    fn through_window(&mut self, ready: u64) -> u64 {
        let mut ready = ready.max(self.clock());
        let Some(window) = self.problem.machine.window else { return ready };
        while let Some(&Reverse(end)) = self.running.peek()
            && (end <= ready || self.running.len() >= window as usize)
        {
            self.running.pop();
            ready = ready.max(end);
        }
        ready
    }

    fn transfer_cycles(&self, size: u64) -> u64 {
        self.problem.machine.transfer.cycles(size).unwrap_or(u64::MAX)
    }

    fn preds_end(&self, node: NodeIx) -> u64 {
        self.problem.graph.preds(node).map(|pred| self.node_end[pred.at()]).max().unwrap_or(0)
    }

    /// Takes the unit's lane that falls free first, from `ready` on. A pipe without a name is no unit: nothing waits for
    /// it, and it has as many lanes as keep its operations apart.
    fn occupy(&mut self, unit: UnitIx, ready: u64, cycles: u64) -> Slot {
        let unnamed = self.problem.units[unit.at()].name.raw().is_empty();
        let lanes = &mut self.lanes[unit.at()];
        if unnamed && u8::try_from(lanes.len()).is_ok() && lanes.iter().all(|&free| free > ready) {
            lanes.push(0);
        }
        let lane = (0..lanes.len()).min_by_key(|&lane| lanes[lane]).unwrap_or(0);
        let mut start = if unnamed { ready } else { ready.max(lanes[lane]) };
        if let Some(clock) = &mut self.clock {
            *clock = start.max(*clock);
            start = *clock;
        }
        let end = start.saturating_add(cycles);
        lanes[lane] = lanes[lane].max(end);
        self.makespan = self.makespan.max(end);
        Slot { unit, lane: lane as u8, start, end }
    }

    fn finish(&mut self, node: NodeIx, end: u64) -> u64 {
        self.node_end[node.at()] = end;
        self.makespan = self.makespan.max(end);
        end
    }
}

/// For each address of a level, when it was last left (a cycle, or whatever orders like one); stretches of equal values
/// are kept as one.
#[derive(Clone, Debug)]
pub(super) struct AddressClock<T> {
    /// From each key up to the next: when.
    since: BTreeMap<u64, T>,
}

impl<T: Ord + Copy + Default> Default for AddressClock<T> {
    fn default() -> Self {
        Self { since: BTreeMap::from([(0, T::default())]) }
    }
}

impl<T: Ord + Copy + Default> AddressClock<T> {
    /// The latest over `[start, end)`.
    pub(super) fn latest(&self, start: u64, end: u64) -> T {
        let first = self.since.range(..=start).next_back().map_or_else(T::default, |(_, &when)| when);
        self.since.range(start..end).map(|(_, &when)| when).fold(first, T::max)
    }

    /// Raises `[start, end)` to at least `when`.
    pub(super) fn raise(&mut self, start: u64, end: u64, when: T) {
        self.split(start);
        self.split(end);
        let mut before = self.since.range(..start).next_back().map(|(_, &when)| when);
        let mut merged: Vec<u64> = Vec::new();
        for (&at, since) in self.since.range_mut(start..=end) {
            if at < end {
                *since = (*since).max(when);
            }
            if before == Some(*since) {
                merged.push(at);
            }
            before = Some(*since);
        }
        for at in merged {
            self.since.remove(&at);
        }
    }

    fn split(&mut self, at: u64) {
        if let Some((&start, &when)) = self.since.range(..=at).next_back()
            && start != at
        {
            self.since.insert(at, when);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_clock_equals_a_plain_array() {
        let mut clock = AddressClock::default();
        let mut plain = [0u64; 40];
        let mut seed: u64 = 3;
        for round in 0..4000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let (a, b) = ((seed >> 40) % 40, (seed >> 50) % 40);
            let (start, end) = (a.min(b), a.max(b) + 1);
            let cycle = (seed >> 33) % 50 + round / 100;
            clock.raise(start, end, cycle);
            plain[start as usize..end as usize].iter_mut().for_each(|at| *at = (*at).max(cycle));
            for start in 0..39 {
                let end = start + 1 + (seed % (40 - start));
                let expected = plain[start as usize..end as usize].iter().max().copied();
                assert_eq!(Some(clock.latest(start, end)), expected);
            }
        }
        let kinds = clock.since.values().collect::<Vec<_>>();
        assert!(kinds.windows(2).all(|pair| pair[0] != pair[1]), "equal neighbours are merged");
    }
}
