//! Sessions whose record was not planned here: a measured run, or a trace file.

use crate::check;
use crate::engine::Reached;
use crate::engine::order::{Priorities, any_order};
use crate::error::Error;
use crate::input::{Source, read_machine};
use crate::model::{
    BlockFate, BufIx, Event, Fault, Figures, Leaving, LevelIx, NodeIx, Options, Placing, PoolFigures, Problem, Step,
    UnknownLevel,
};
use crate::trace::file::{self, Head, Malformed};
use crate::trace::{State, Trace};

use super::{Bounds, Extras, Session};

/// What sets a record apart from a plan that was made here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Whether its times were measured, not planned. The rule of the clock does not hold for it then.
    pub measured: bool,
    /// Why it ends before the graph does, in words, where it does.
    pub ended: Option<String>,
    /// The folder of the plan files that it was replayed from, or what else its trace file says that it comes from, safe to
    /// print.
    pub from: Option<String>,
}

impl Session {
    /// The session of a record. Its plan is checked where it is whole; its figures are those of the record.
    pub fn recorded(trace: Trace, options: Options, recorded: Recorded, seconds: f64) -> Self {
        let is_whole = order_of(&trace).len() == trace.problem.graph.node_count();
        let plan = is_whole.then(|| trace.plan.to_raw(&trace.problem.graph));
        let check = plan.map_or_else(check::Report::default, |plan| check::check(&trace.problem, &plan));
        let figures = figures(&trace);
        Self { seconds, ..Self::of_record(trace, options, recorded, figures, check) }
    }

    /// A record with its figures and what the checker says of it. It took no time to plan.
    pub(super) fn of_record(
        trace: Trace,
        options: Options,
        recorded: Recorded,
        figures: Figures,
        check: check::Report,
    ) -> Self {
        let problem = &trace.problem;
        let starts = Priorities::new(&problem.graph, &any_order(&problem.graph));
        let extras = Extras { fractional_bound: false, remedies: false };
        let order = order_of(&trace);
        let is_whole = order.len() == problem.graph.node_count();
        let order = if is_whole { order } else { any_order(&problem.graph) };
        let mut bounds = Bounds::new(problem, &order, &starts, extras);
        if !is_whole {
            bounds.max_live.clear();
        }
        Self {
            options,
            figures,
            reached: Reached::default(),
            diagnosis: None,
            check,
            bounds,
            starts,
            seconds: 0.0,
            recorded: Some(recorded),
            searched: None,
            packed: None,
            bindings: std::sync::OnceLock::new(),
            lane_sums: std::sync::OnceLock::new(),
            trace,
        }
    }

    /// Reads a trace file.
    ///
    /// # Errors
    /// Where something in it is not as it must be; see [`file`](mod@crate::trace::file).
    pub fn read(source: &Source) -> Result<Self, Error> {
        let malformed = |found: Malformed| at_line(source, &found);
        let head = file::read_head(&source.text).map_err(malformed)?;
        let options = head.options.options().map_err(|what| head_error(source, what, String::new()))?;
        let problem = problem(source, &head)?;
        let trace = file::read_steps(problem, &head, &source.text).map_err(malformed)?;
        let ended = head.ended.as_deref().map(crate::model::clean).map(Into::into);
        let from = head.from.as_deref().map(crate::model::clean).map(Into::into);
        let recorded = Recorded { measured: head.measured, ended, from };
        Ok(Self::recorded(trace, options, recorded, head.seconds))
    }
}

/// Graph and machine of a trace file.
fn problem(source: &Source, head: &Head) -> Result<Problem, Error> {
    let machine = Source::from_text(&source.name, head.machine.to_string());
    let machine = read_machine(&machine).map_err(|error| head_error(source, error.what, error.advice))?;
    let graph = head.graph.build().map_err(|Fault { what, advice, .. }| head_error(source, what, advice))?;
    Problem::new(graph.into(), machine).map_err(|UnknownLevel { buf, .. }| {
        head_error(source, format!("the machine has no level for buffer {}", buf.0), String::new())
    })
}

/// Something is wrong in the first line, which is too long to point into.
fn head_error(source: &Source, what: String, advice: String) -> Error {
    Error { advice, ..at_line(source, &Malformed { line: 1, column: 1, what }) }
}

fn at_line(source: &Source, found: &Malformed) -> Error {
    let start = source.text.split_inclusive('\n').take(found.line - 1).map(str::len).sum::<usize>() + found.column - 1;
    source.error(start..start + 1, found.what.clone(), "trace files are written by spillscope run and export")
}

/// The nodes of a record in the order in which they ran.
fn order_of(trace: &Trace) -> Vec<NodeIx> {
    let node = |&step: &Step| if let Step::Node(node) = step { Some(node) } else { None };
    trace.plan.steps.iter().filter_map(node).collect()
}

/// The figures of a record, from its events alone.
pub fn figures(trace: &Trace) -> Figures {
    let problem = &trace.problem;
    let levels = problem.level_count();
    let mut count = Count {
        problem,
        figures: Figures {
            steps: trace.plan.steps.len() as u64,
            peak: vec![0; levels],
            l0_live: vec![0; levels],
            pools: vec![PoolFigures::default(); levels],
            ..Figures::default()
        },
        state: State::empty(problem),
        stay: 0,
        live: vec![0; levels],
        waste: vec![0; levels + 1],
    };
    trace.events().iter().for_each(|event| count.event(event));
    Figures { spills: u64::from(count.state.spills), extra_traffic: count.state.extra_traffic, ..count.figures }
}

struct Count<'a> {
    problem: &'a Problem,
    figures: Figures,
    state: State,
    /// Sizes of the buffers between ALLOC and FREE, outside L0.
    stay: u64,
    /// By level: how many buffers are between ALLOC and FREE.
    live: Vec<u64>,
    /// By level, then of main memory: by how much the blocks in use are larger than what is used of them.
    waste: Vec<u64>,
}

impl Count<'_> {
    fn event(&mut self, event: &Event) {
        self.state.apply(self.problem, event);
        match *event {
            Event::Ran { end, .. } | Event::MovedOut { end, .. } | Event::MovedBack { end, .. } => self.ends(end),
            Event::Placed { buf, level, how, at, .. } => {
                self.ends(at);
                if how == Placing::Alloc {
                    self.is_born(level, self.problem.graph.buffer(buf).size);
                    let wasted = self.wasted(buf);
                    self.wastes(level, wasted);
                }
                if how == Placing::Back {
                    let wasted = self.wasted_outside(buf);
                    self.waste[self.problem.main_memory().at()] -= wasted;
                }
                let peak = &mut self.figures.peak[level.at()];
                *peak = (*peak).max(self.state.level(level).used);
            }
            Event::Left { buf, level, how: Leaving::Free, at, .. } => {
                self.ends(at);
                self.live[level.at()] -= 1;
                let wasted = self.wasted(buf);
                self.waste[level.at()] -= wasted;
                if !self.problem.level(level).is_l0() {
                    self.stay -= self.problem.graph.buffer(buf).size;
                }
            }
            Event::Left { buf, how: Leaving::Out, .. } => {
                self.wastes(self.problem.main_memory(), self.wasted_outside(buf));
            }
            Event::Block { level, fate, .. } => self.block(level, fate),
            _ => {}
        }
    }

    fn ends(&mut self, at: u64) {
        self.figures.makespan = self.figures.makespan.max(at);
    }

    fn is_born(&mut self, level: LevelIx, size: u64) {
        let live = &mut self.live[level.at()];
        *live += 1;
        if self.problem.level(level).is_l0() {
            self.figures.l0_live[level.at()] = self.figures.l0_live[level.at()].max(*live);
        } else {
            self.stay += size;
            self.figures.peak_stay = self.figures.peak_stay.max(self.stay);
        }
    }

    /// By how much the block of `buf` is larger than what is used of it.
    fn wasted(&self, buf: BufIx) -> u64 {
        self.problem.space_of(buf).saturating_sub(self.problem.used_of(buf))
    }

    fn wastes(&mut self, level: LevelIx, units: u64) {
        self.waste[level.at()] += units;
        let waste = self.waste[level.at()];
        let pool = self.pool_mut(level);
        pool.worst_waste = pool.worst_waste.max(waste);
    }

    fn pool_mut(&mut self, level: LevelIx) -> &mut PoolFigures {
        self.figures.pools.get_mut(level.at()).unwrap_or(&mut self.figures.main)
    }

    /// By how much the block of main memory that a spill of `buf` takes is larger than what is used of it.
    fn wasted_outside(&self, buf: BufIx) -> u64 {
        let block = self.problem.block_size(buf, &self.problem.machine.main_memory);
        if self.problem.graph.buffer(buf).backed { 0 } else { block.saturating_sub(self.problem.used_of(buf)) }
    }

    fn block(&mut self, level: LevelIx, fate: BlockFate) {
        let state = self.state.level(level);
        let (held, busy) = (state.held, state.busy);
        let pool = self.pool_mut(level);
        match fate {
            BlockFate::Fresh => pool.misses += 1,
            BlockFate::Reused => pool.hits += 1,
            BlockFate::OverCap => pool.over_cap += 1,
            BlockFate::Aged => pool.aged += 1,
            BlockFate::Idle => {}
        }
        pool.peak_held = pool.peak_held.max(held);
        pool.peak_busy = pool.peak_busy.max(busy);
    }
}
