//! `X_plan.json`: everything about a plan in one file, versioned.
//!
//! Beside graph, machine, policy, figures and the repeating command it holds
//!
//! - `steps`: one object a step, in order: `id` (as in the schedule file), `op`, for work `unit`, `start` and
//!   `end` in cycles (half-open), for what moves a buffer `buffer`, `level` and `offset`;
//! - `memory`: `[buffer, offset]` for each first placement, by ascending buffer;
//! - `spills`: one object a spill, in the order of the SPILL_OUTs: `buffer`, the steps `out` and `back`, the
//!   `offset` from then on.
//!
//! Of a plan that failed (`plan --save-failed`) it holds the part that was planned, with `null` for what was not reached,
//! and the diagnosis under `failure` as in the report.
//!
//! It is written as it goes, without a copy of the plan in memory.

use std::io::{self, BufWriter, Write};

use serde::{Serialize, Serializer};

use super::failure_json::FailureJson;
use super::json::{FiguresJson, GraphJson, MachineJson, PolicyJson};
use crate::model::{BufIx, Event, LevelIx, Name, SpillIx, Step, UnitIx, step_id};
use crate::session::Session;
use crate::trace::Trace;

/// The version of the format; raised when a field changes its meaning or goes.
pub const PLAN_VERSION: u32 = 1;

#[derive(Serialize)]
struct PlanJson<'a> {
    format: &'static str,
    version: u32,
    graph: GraphJson,
    machine: MachineJson<'a>,
    policy: PolicyJson,
    figures: FiguresJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<FailureJson>,
    repeat: &'a str,
    steps: Steps<'a>,
    memory: Memory<'a>,
    spills: Spills<'a>,
}

/// Writes the plan of `session`, finished or not; `repeat` is the command that gives it again.
///
/// # Errors
/// Where `out` fails.
pub fn write_plan_json(out: &mut dyn Write, session: &Session, repeat: &str) -> io::Result<()> {
    let trace = &session.trace;
    let plan = PlanJson {
        format: "spillscope-plan",
        version: PLAN_VERSION,
        graph: GraphJson::new(&trace.problem.graph),
        machine: MachineJson::new(&trace.problem.machine),
        policy: PolicyJson::new(&session.options, &trace.problem.machine),
        figures: FiguresJson::new(&trace.problem, &session.figures),
        failure: FailureJson::new(session),
        repeat,
        steps: Steps(trace),
        memory: Memory(trace),
        spills: Spills(trace),
    };
    // Many small pieces: gathered here, they do not each go through the trait object.
    let mut gathered = BufWriter::with_capacity(1 << 16, out);
    serde_json::to_writer(&mut gathered, &plan)?;
    writeln!(gathered)?;
    gathered.flush()
}

struct Steps<'a>(&'a Trace);

#[derive(Serialize)]
struct StepJson<'a> {
    id: u64,
    op: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    buffer: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    level: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    offset: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unit: Option<&'a str>,
    start: u64,
    end: u64,
}

impl Serialize for Steps<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq((0..self.0.plan.steps.len()).map(|at| step_json(self.0, at)))
    }
}

fn step_json(trace: &Trace, at: usize) -> StepJson<'_> {
    let graph = &*trace.problem.graph;
    let step = trace.plan.steps[at];
    let (op, name) = match step {
        Step::Node(node) => (graph.op_name(node), graph.node(node).name.as_ref().map(Name::raw)),
        Step::Out(_) => ("SPILL_OUT", None),
        Step::Back(_) => ("SPILL_IN", None),
    };
    let (start, end) = trace.time_of(at).unwrap_or((0, 0));
    let moved = moved(trace, at);
    StepJson {
        id: step_id(graph, step),
        op,
        name,
        buffer: moved.map(|(buf, ..)| graph.buffer(buf).id),
        level: moved.map(|(_, level, _)| trace.problem.level(level).name.raw()),
        offset: moved.map(|(.., offset)| offset),
        unit: unit_of(trace, at).map(|unit| trace.problem.units[unit.at()].name.raw()),
        start,
        end,
    }
}

/// The buffer that came to or left an address in that step.
fn moved(trace: &Trace, at: usize) -> Option<(BufIx, LevelIx, u64)> {
    trace.run(at).iter().find_map(|event| match *event {
        Event::Placed { buf, level, offset, .. } | Event::Left { buf, level, offset, .. } => Some((buf, level, offset)),
        _ => None,
    })
}

fn unit_of(trace: &Trace, at: usize) -> Option<UnitIx> {
    trace.run(at).iter().find_map(|event| match *event {
        Event::Ran { unit, .. } | Event::MovedOut { unit, .. } | Event::MovedBack { unit, .. } => Some(unit),
        _ => None,
    })
}

struct Memory<'a>(&'a Trace);

impl Serialize for Memory<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let placed = self.0.problem.graph.buffers().iter().zip(&self.0.plan.memory);
        serializer.collect_seq(placed.filter_map(|(buffer, offset)| Some((buffer.id, (*offset)?))))
    }
}

struct Spills<'a>(&'a Trace);

#[derive(Serialize)]
struct SpillJson {
    buffer: u64,
    out: Option<u32>,
    back: Option<u32>,
    offset: Option<u64>,
}

impl Serialize for Spills<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let spills = self.0.plan.spills.iter().enumerate().map(|(at, spill)| {
            let steps = self.0.spill_steps(SpillIx::new(at));
            let reached = |step: u32| Some(step).filter(|&step| step != u32::MAX);
            SpillJson {
                buffer: self.0.problem.graph.buffer(spill.buf).id,
                out: steps.and_then(|steps| reached(steps.out)),
                back: steps.and_then(|steps| reached(steps.back)),
                offset: spill.offset,
            }
        });
        serializer.collect_seq(spills)
    }
}
