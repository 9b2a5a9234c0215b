//! Comparisons and sweeps for programs (`compare --format json`). Stable: fields are added, never renamed.
//!
//! | field | what |
//! |---|---|
//! | `graph`, `machine` | as in the report of a plan |
//! | `baseline` | the strategy that ratios are beside |
//! | `strategies` | a row each, see below; empty for a sweep |
//! | `bounds` | for any order: `operand_set_bytes` (the most that one operation or the end needs in pools at once), `critical_path` and `makespan`, in cycles |
//! | `sweep` | `null`, or `setting`, `order`, `values` (rows with a `value` each), `knee` (a value) and `within_percent`: the knee is the smallest value whose plan takes at most so much more time than the best of all; where that is `null`, the one at the bend (furthest below the line between the ends) |
//! | `repeat` | the command that gives the same again |
//!
//! A row has `valid`, and where that is false `failure` in words. Else, of any graph: `makespan` in cycles (of operation
//! graphs microseconds), `makespan_bound` and `makespan_over_bound`, `at_once` (operations that run, on average) and
//! `at_once_by_tenth` of the makespan, `busy` (the share of the makespan in which each lane works, with `unit` and `lane`),
//! `seconds` (of planning).
//! With pools: `peak_bytes` (the most held from the system, idle blocks included), `live_peak_bytes`,
//! `peak_over_operand_set`, `allocations` (new blocks), `reuses` (requests that took an idle block) and `reuse` (their
//! share), `dropped` (idle blocks), `waste_bytes` (the most by which blocks were larger than what they held), `waits` and
//! `waiting` (how often and for how many cycles operations waited for memory). Else: `extra_traffic`, `traffic_bound`
//! (no plan in the same order moves less; `null` where it was not worked out), `spills`, `peak` by level.
//! A strategy has also `strategy` (its name), `order`, `window` and `max_pool_bytes` (`null` without a limit),
//! `makespan_ratio` and `peak_ratio` or `traffic_ratio` (beside the baseline), and `tuned`, the sweep that chose its window
//! or cap, where there was one.

use serde::Serialize;

use super::json::{GraphJson, MachineJson, Object, by_level, printable};
use crate::compare::{
    Comparison, Kind, KneeRule, Lane, Limits, Measured, Outcome, Point, Row, Setting, Sweep, WITHIN_PERCENT,
};
use crate::model::{Options, Problem};
use crate::output::diagnosis::headline;

#[derive(Serialize)]
struct Document<'a> {
    graph: GraphJson,
    machine: MachineJson<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    baseline: Option<&'static str>,
    strategies: Vec<RowJson>,
    bounds: BoundsJson,
    sweep: Option<SweepJson>,
    repeat: &'a str,
}

#[derive(Serialize)]
struct BoundsJson {
    operand_set_bytes: u64,
    critical_path: u64,
    makespan: u64,
}

#[derive(Serialize)]
struct SweepJson {
    setting: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    order: Option<String>,
    values: Vec<PointJson>,
    knee: Option<u64>,
    within_percent: Option<u64>,
}

#[derive(Serialize)]
struct PointJson {
    value: u64,
    #[serde(flatten)]
    row: RowJson,
}

/// One row; see the [module](self).
#[derive(Serialize)]
pub(super) struct RowJson {
    #[serde(flatten)]
    pub(super) strategy: Option<StrategyJson>,
    pub(super) valid: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<String>,
    #[serde(flatten)]
    pub(super) memory: Option<MemoryJson>,
    #[serde(flatten)]
    pub(super) time: Option<TimeJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tuned: Option<SweepJson>,
}

#[derive(Serialize)]
pub(super) struct StrategyJson {
    pub(super) strategy: String,
    pub(super) order: String,
    pub(super) window: Option<u32>,
    pub(super) max_pool_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) peak_ratio: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) traffic_ratio: Option<f64>,
    pub(super) makespan_ratio: Option<f64>,
}

#[derive(Serialize)]
#[serde(untagged)]
pub(super) enum MemoryJson {
    Pools(PoolsJson),
    Arenas { extra_traffic: u64, traffic_bound: Option<u64>, spills: u64, peak: Object<u64> },
}

#[derive(Serialize)]
pub(super) struct PoolsJson {
    pub(super) peak_bytes: u64,
    pub(super) live_peak_bytes: u64,
    pub(super) peak_over_operand_set: Option<f64>,
    pub(super) allocations: u64,
    pub(super) reuses: u64,
    pub(super) reuse: Option<f64>,
    pub(super) dropped: u64,
    pub(super) waste_bytes: u64,
    pub(super) waits: u64,
    pub(super) waiting: u64,
}

#[derive(Serialize)]
pub(super) struct TimeJson {
    pub(super) makespan: u64,
    pub(super) makespan_bound: u64,
    pub(super) makespan_over_bound: Option<f64>,
    pub(super) at_once: f64,
    pub(super) at_once_by_tenth: Vec<f64>,
    pub(super) busy: Vec<LaneJson>,
    pub(super) seconds: f64,
}

#[derive(Serialize)]
pub(super) struct LaneJson {
    pub(super) unit: String,
    pub(super) lane: u8,
    pub(super) share: f64,
}

/// The comparison as one JSON object; ends with a newline.
pub fn strategies(compared: &Comparison, repeat: &str) -> String {
    let rows = compared.rows.iter().map(|row| RowJson::of_row(compared, row)).collect();
    document(&compared.problem, Some(compared.kind().baseline()), rows, compared.limits, None, repeat)
}

/// The sweep as one JSON object; ends with a newline.
pub fn sweep(problem: &Problem, options: &Options, swept: &Sweep, repeat: &str) -> String {
    let limits = Limits::new(problem);
    let sweep = SweepJson::new(problem, Some(options), swept, limits.operand_set);
    document(problem, None, Vec::new(), limits, Some(sweep), repeat)
}

fn document(
    problem: &Problem,
    baseline: Option<&'static str>,
    strategies: Vec<RowJson>,
    limits: Limits,
    sweep: Option<SweepJson>,
    repeat: &str,
) -> String {
    let Limits { operand_set, critical_path, makespan } = limits;
    printable(&Document {
        graph: GraphJson::new(&problem.graph),
        machine: MachineJson::new(&problem.machine),
        baseline,
        strategies,
        bounds: BoundsJson { operand_set_bytes: operand_set, critical_path, makespan },
        sweep,
        repeat,
    })
}

impl SweepJson {
    fn new(problem: &Problem, options: Option<&Options>, swept: &Sweep, operand_set: u64) -> Self {
        let mut setting = swept.setting.to_string();
        if let Setting::Capacity(level) = swept.setting {
            setting = format!("{setting}.{}", problem.level(level).name.raw());
        }
        let point = |point: &Point| PointJson {
            value: point.value,
            row: RowJson::of_outcome(problem, &point.outcome, operand_set),
        };
        Self {
            setting,
            order: options.map(|options| options.order.to_string()),
            values: swept.points.iter().map(point).collect(),
            knee: swept.knee.and_then(|at| swept.points.get(at)).map(|point| point.value),
            within_percent: match swept.setting.knee_rule() {
                KneeRule::NearBestTime => Some(WITHIN_PERCENT),
                KneeRule::Bend => None,
            },
        }
    }
}

impl RowJson {
    /// The row of a strategy.
    pub(super) fn of_row(compared: &Comparison, row: &Row) -> Self {
        let problem = &row.strategy.problem;
        let operand_set = compared.limits.operand_set;
        let mut json = Self::of_outcome(problem, &row.outcome, operand_set);
        let both = row.outcome.measured().zip(compared.baseline());
        let beside = |value: fn(&Measured) -> u64| both.and_then(|(now, base)| over(value(now), value(base)));
        let kind = compared.kind();
        json.strategy = Some(StrategyJson {
            strategy: row.strategy.name.clone(),
            order: row.strategy.options.order.to_string(),
            window: problem.machine.window,
            max_pool_bytes: row.strategy.cap(),
            peak_ratio: beside(|measured| measured.pool.peak_held).filter(|_| kind == Kind::Pools),
            traffic_ratio: beside(|measured| measured.figures.extra_traffic).filter(|_| kind == Kind::Arenas),
            makespan_ratio: beside(|measured| measured.figures.makespan),
        });
        json.tuned = row.tuning.as_ref().map(|sweep| SweepJson::new(problem, None, sweep, operand_set));
        json
    }

    /// The row of anything that was planned for `problem`, whose largest operand set has so many bytes.
    pub(super) fn of_outcome(problem: &Problem, outcome: &Outcome, operand_set: u64) -> Self {
        let failure = match outcome {
            Outcome::Planned(_) => None,
            Outcome::NoPlan(found) => Some(headline(problem, found)),
            Outcome::NoOrder(fault) => Some(fault.what.clone()),
            Outcome::Broken(how) => Some(how.clone()),
        };
        let measured = outcome.measured();
        Self {
            strategy: None,
            valid: measured.is_some(),
            failure,
            memory: measured.map(|measured| MemoryJson::new(problem, measured, operand_set)),
            time: measured.map(|measured| TimeJson::new(problem, measured)),
            tuned: None,
        }
    }
}

impl MemoryJson {
    fn new(problem: &Problem, measured: &Measured, operand_set: u64) -> Self {
        let pool = &measured.pool;
        match Kind::of(problem) {
            Kind::Pools => Self::Pools(PoolsJson {
                peak_bytes: pool.peak_held,
                live_peak_bytes: measured.live,
                peak_over_operand_set: over(pool.peak_held, operand_set),
                allocations: pool.misses,
                reuses: pool.hits,
                reuse: over(pool.hits, pool.hits.saturating_add(pool.misses)),
                dropped: pool.over_cap.saturating_add(pool.aged),
                waste_bytes: pool.worst_waste,
                waits: measured.waits,
                waiting: measured.waiting,
            }),
            Kind::Arenas => Self::Arenas {
                extra_traffic: measured.figures.extra_traffic,
                traffic_bound: measured.traffic_bound,
                spills: measured.figures.spills,
                peak: by_level(problem, &measured.figures.peak),
            },
        }
    }
}

impl TimeJson {
    fn new(problem: &Problem, measured: &Measured) -> Self {
        let makespan = measured.figures.makespan;
        let lanes = measured.lanes.iter().zip(measured.busy_shares());
        let lane = |(lane, share): (&Lane, f64)| LaneJson {
            unit: problem.units[lane.unit.at()].name.raw().to_owned(),
            lane: lane.lane,
            share: rounded(share),
        };
        Self {
            makespan,
            makespan_bound: measured.makespan_bound,
            makespan_over_bound: over(makespan, measured.makespan_bound),
            at_once: rounded(measured.mean_concurrency()),
            at_once_by_tenth: measured.concurrency.iter().copied().map(rounded).collect(),
            busy: lanes.map(lane).collect(),
            seconds: measured.seconds,
        }
    }
}

/// `value ÷ base`, where that says anything.
fn over(value: u64, base: u64) -> Option<f64> {
    (base > 0).then(|| rounded(value as f64 / base as f64))
}

/// To a millionth: what lies behind is noise.
fn rounded(value: f64) -> f64 {
    (value * 1e6).round() / 1e6
}
