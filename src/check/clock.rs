//! When things happen: the lanes of the units and, where steps start in the order in which they stand, the clock.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::model::{Operation, Problem, UnitIx};

/// The cycles `[start, end)` of something that ran.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Span {
    pub(super) start: u64,
    pub(super) end: u64,
}

/// See the [module](self). Times saturate.
pub(super) struct Clock<'a> {
    problem: &'a Problem,
    clocked: bool,
    /// When the latest step started; stays 0 where steps do not start in order.
    now: u64,
    /// When each lane of each unit is free again.
    lanes: Vec<Vec<u64>>,
    /// Ends of the operations that may still run. Kept only where there is a window.
    running: BinaryHeap<Reverse<u64>>,
    makespan: u64,
}

impl<'a> Clock<'a> {
    pub(super) fn new(problem: &'a Problem) -> Self {
        Self {
            problem,
            clocked: problem.is_clocked(),
            now: 0,
            lanes: problem.units.iter().map(|unit| vec![0; usize::from(unit.count.max(1))]).collect(),
            running: BinaryHeap::new(),
            makespan: 0,
        }
    }

    /// The latest end so far.
    pub(super) fn makespan(&self) -> u64 {
        self.makespan
    }

    /// The earliest cycle at which a step that waits until `ready` can start.
    pub(super) fn earliest(&self, ready: u64) -> u64 {
        ready.max(self.now)
    }

    /// An ALLOC or FREE happens at `cycle`.
    pub(super) fn pass(&mut self, cycle: u64) {
        self.start(cycle);
        self.makespan = self.makespan.max(cycle);
    }

    /// Runs an operation for `cycles`, which may be more than its own.
    pub(super) fn run(&mut self, op: &Operation, ready: u64, cycles: u64) -> Span {
        let unnamed = self.problem.graph.symbol(op.pipe).raw().is_empty();
        let unit = (!unnamed).then(|| self.problem.unit_of(op.pipe));
        let free = unit.map_or(0, |unit| *self.lane(unit));
        let start = self.wait_for_window(self.earliest(ready.max(free)));
        let span = self.span(unit, start, cycles);
        if self.problem.machine.window.is_some() {
            self.running.push(Reverse(span.end));
        }
        span
    }

    /// Runs a transfer for `cycles`. It is no operation: the window neither counts it nor holds it up.
    pub(super) fn transfer(&mut self, unit: UnitIx, ready: u64, cycles: u64) -> Span {
        let free = *self.lane(unit);
        self.span(Some(unit), self.earliest(ready.max(free)), cycles)
    }

    /// The first cycle from `start` on at which fewer operations run than the window allows.
    fn wait_for_window(&mut self, mut start: u64) -> u64 {
        let Some(window) = self.problem.machine.window else { return start };
        // Steps start in order, so whoever has ended by now need not be asked about again.
        while let Some(&Reverse(end)) = self.running.peek()
            && (end <= start || self.running.len() >= window.max(1) as usize)
        {
            self.running.pop();
            start = start.max(end);
        }
        start
    }

    fn span(&mut self, unit: Option<UnitIx>, start: u64, cycles: u64) -> Span {
        let end = start.saturating_add(cycles);
        if let Some(unit) = unit {
            *self.lane(unit) = end;
        }
        self.start(start);
        self.makespan = self.makespan.max(end);
        Span { start, end }
    }

    fn start(&mut self, cycle: u64) {
        if self.clocked {
            self.now = self.now.max(cycle);
        }
    }

    /// The lane of `unit` that is free first, the lowest on a tie.
    fn lane(&mut self, unit: UnitIx) -> &mut u64 {
        self.lanes[unit.at()].iter_mut().min().expect("every unit has a lane")
    }
}
