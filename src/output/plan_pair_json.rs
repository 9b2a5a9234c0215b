//! Two plans of one graph for programs (`compare GRAPH DIR DIR --format json`). Stable: fields are added, never renamed.
//!
//! | field | what |
//! |---|---|
//! | `graph`, `machine` | as in the report of a plan |
//! | `plans` | the two, `a` then `b`: `plan` (its folder, or how it was planned), `valid`, `problems` (as `check` says them), and the figures where it is valid |
//! | `same` | whether they are the same, step by step and address by address |
//! | `partings` | where they part: the steps `a` and `b`, each `[from, to)`; one of the two may be empty |
//! | `buffers` | those that are spilled at other times or lie elsewhere, most traffic first: `buffer`, and as `[a, b]` `spills`, `traffic`, `offset` (the first address) and `first_step` (the first step of a parting that is about it) |
//! | `repeat` | the command that gives the same again |

use serde::Serialize;

use super::json::{FiguresJson, GraphJson, MachineJson, printable};
use super::plan_pair::{Pair, plan_name};
use crate::compare::difference::Fate;
use crate::session::Session;

#[derive(Serialize)]
struct Document<'a> {
    graph: GraphJson,
    machine: MachineJson<'a>,
    plans: [PlanJson; 2],
    same: bool,
    partings: Vec<PartingJson>,
    buffers: Vec<FateJson>,
    repeat: &'a str,
}

#[derive(Serialize)]
struct PlanJson {
    plan: String,
    valid: bool,
    problems: Vec<String>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    figures: Option<FiguresJson>,
}

#[derive(Serialize)]
struct PartingJson {
    a: [u32; 2],
    b: [u32; 2],
}

#[derive(Serialize)]
struct FateJson {
    buffer: u64,
    spills: [u32; 2],
    traffic: [u64; 2],
    offset: [Option<u64>; 2],
    first_step: [Option<u32>; 2],
}

/// The document; ends with a newline.
pub fn json(pair: &Pair, repeat: &str) -> String {
    let problem = &pair.sessions[0].trace.problem;
    let partings = pair.difference.partings.iter().map(|parting| {
        let [a, b] = [0, 1].map(|side| [parting.steps[side].start, parting.steps[side].end]);
        PartingJson { a, b }
    });
    let fate = |fate: &Fate| FateJson {
        buffer: problem.graph.buffer(fate.buf).id,
        spills: fate.spills,
        traffic: fate.traffic,
        offset: fate.offset,
        first_step: fate.first,
    };
    printable(&Document {
        graph: GraphJson::new(&problem.graph),
        machine: MachineJson::new(&problem.machine),
        plans: pair.sessions.map(plan),
        same: pair.difference.is_none(),
        partings: partings.collect(),
        buffers: pair.difference.buffers.iter().map(fate).collect(),
        repeat,
    })
}

fn plan(session: &Session) -> PlanJson {
    let valid = session.diagnosis.is_none() && session.check.is_valid();
    PlanJson {
        plan: session
            .recorded
            .as_ref()
            .and_then(|recorded| recorded.from.clone())
            .unwrap_or_else(|| plan_name(session)),
        valid,
        problems: session.check.broken.iter().map(ToString::to_string).collect(),
        figures: valid.then(|| FiguresJson::new(&session.trace.problem, &session.figures)),
    }
}
