//! What a plan measures: its figures, and what its record adds to them.

use crate::model::{Event, Figures, LevelIx, PoolFigures, Problem, UnitIx};
use crate::session::Session;

/// Into how many equal parts the time of a plan is cut to see where it runs side by side.
pub const TENTHS: usize = 10;

/// The figures of one plan. Sizes and cycles are in the units of the graph; for pools they are bytes and microseconds.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    /// The engine's figures, which the checker agrees with.
    pub figures: Figures,
    /// All pools together. Where there are several, their peaks are added up, although they may not coincide.
    pub pool: PoolFigures,
    /// The most that buffers in pools took at once, blocks and idle memory aside; added up like [`Measured::pool`].
    pub live: u64,
    /// Cycles that operations were ready and waited for memory, summed over operations.
    pub waiting: u64,
    /// How often an operation began to wait for memory.
    pub waits: u64,
    /// For each lane of each unit that has work, in the order of the units.
    pub lanes: Vec<Lane>,
    /// For each tenth of the makespan, how many operations ran on average.
    pub concurrency: [f64; TENTHS],
    /// No order of this graph takes fewer cycles: the larger of its longest chain and of work ÷ lanes of its busiest unit
    /// (with what must come before and after).
    pub makespan_bound: u64,
    /// In the order of this plan no plan moves less ([`fractional_spill`](crate::engine::bounds::fractional_spill)), in units
    /// of size. `None` where it was not worked out, or ALLOCs moved, which that bound keeps in place.
    pub traffic_bound: Option<u64>,
    /// Seconds that planning took.
    pub seconds: f64,
}

/// One worker, or one of a pipe's lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane {
    /// Its unit.
    pub unit: UnitIx,
    /// Its number there.
    pub lane: u8,
    /// Cycles in which it worked.
    pub busy: u64,
}

impl Measured {
    /// Of the plan that `session` made.
    pub(super) fn new(session: &Session) -> Self {
        let problem = &session.trace.problem;
        let figures = session.figures.clone();
        let pools = || (0..problem.level_count()).filter(|&at| problem.level(LevelIx::new(at)).pool().is_some());
        let sum = |values: &[u64]| {
            pools().filter_map(|at| values.get(at)).fold(0u64, |sum, &value| sum.saturating_add(value))
        };
        let pool = pools().filter_map(|at| figures.pools.get(at)).fold(PoolFigures::default(), added);
        let mut measured = Self {
            pool,
            live: sum(&figures.peak),
            waiting: 0,
            waits: 0,
            lanes: lanes(problem),
            concurrency: [0.0; TENTHS],
            makespan_bound: session.bounds.makespan(),
            traffic_bound: session.bounds.spill_traffic.filter(|_| session.reached.postpone == 0),
            seconds: session.seconds,
            figures,
        };
        session.trace.events().iter().for_each(|event| measured.enter(event));
        let working: Vec<UnitIx> = measured.lanes.iter().filter(|lane| lane.busy > 0).map(|lane| lane.unit).collect();
        measured.lanes.retain(|lane| working.contains(&lane.unit));
        measured
    }

    fn enter(&mut self, event: &Event) {
        match *event {
            Event::Ran { unit, lane, start, end, .. } => {
                self.enter_work(unit, lane, start, end);
                self.enter_concurrency(start, end);
            }
            Event::MovedOut { unit, lane, start, end, .. } | Event::MovedBack { unit, lane, start, end, .. } => {
                self.enter_work(unit, lane, start, end);
            }
            Event::WaitsForMemory { .. } => self.waits += 1,
            Event::Woken { since, at, .. } => self.waiting = self.waiting.saturating_add(at.saturating_sub(since)),
            _ => {}
        }
    }

    fn enter_work(&mut self, unit: UnitIx, lane: u8, start: u64, end: u64) {
        let at = self.lanes.binary_search_by_key(&(unit, lane), |known| (known.unit, known.lane));
        if let Ok(at) = at {
            self.lanes[at].busy = self.lanes[at].busy.saturating_add(end.saturating_sub(start));
        }
    }

    /// An operation ran during `[start, end)`.
    fn enter_concurrency(&mut self, start: u64, end: u64) {
        let tenth = self.figures.makespan as f64 / TENTHS as f64;
        if tenth <= 0.0 {
            return;
        }
        let (start, end) = (start as f64 / tenth, end as f64 / tenth);
        for (at, running) in self.concurrency.iter_mut().enumerate() {
            *running += (end.min(at as f64 + 1.0) - start.max(at as f64)).max(0.0);
        }
    }

    /// How many operations ran at once, on average over the whole time.
    pub fn mean_concurrency(&self) -> f64 {
        self.concurrency.iter().sum::<f64>() / TENTHS as f64
    }

    /// The share of the time in which each lane worked, from 0 to 1.
    pub fn busy_shares(&self) -> Vec<f64> {
        let makespan = self.figures.makespan.max(1) as f64;
        self.lanes.iter().map(|lane| lane.busy as f64 / makespan).collect()
    }
}

fn added(sum: PoolFigures, one: &PoolFigures) -> PoolFigures {
    PoolFigures {
        hits: sum.hits.saturating_add(one.hits),
        misses: sum.misses.saturating_add(one.misses),
        over_cap: sum.over_cap.saturating_add(one.over_cap),
        aged: sum.aged.saturating_add(one.aged),
        peak_held: sum.peak_held.saturating_add(one.peak_held),
        peak_busy: sum.peak_busy.saturating_add(one.peak_busy),
        worst_waste: sum.worst_waste.saturating_add(one.worst_waste),
    }
}

/// All lanes of all units, in order. A pipe without a name is no unit.
fn lanes(problem: &Problem) -> Vec<Lane> {
    let named = problem.units.iter().enumerate().filter(|(_, unit)| !unit.name.raw().is_empty());
    let of = |(at, unit): (usize, &crate::model::Unit)| {
        (0..unit.count.max(1)).map(move |lane| Lane { unit: UnitIx::new(at), lane, busy: 0 })
    };
    named.flat_map(of).collect()
}
