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
//! `format` is `spillscope-plan`, `version` is [`PLAN_VERSION`].
//!
//! It is written as it goes, without a copy of the plan in memory. What stands there once goes through the serializer,
//! the long lists are put together by hand: their field names are most of the file, and need no escaping.

use std::io::{self, Write};

use serde::Serialize;

use super::effect::Effect;
use super::failure_json::FailureJson;
use super::json::{FiguresJson, GraphJson, MachineJson, PolicyJson, SearchJson};
use super::line::Line;
use crate::model::{Spill, Step, step_id};
use crate::session::Session;
use crate::trace::Trace;

/// The version of the format; raised when a field or a word changes its meaning or goes.
///
/// 2: the classic rule under `policy.victims` is called `life-size`, as in `--victims`; version 1 said `life-times-size`.
pub const PLAN_VERSION: u32 = 2;

/// What stands before the lists.
#[derive(Serialize)]
struct Head<'a> {
    format: &'static str,
    version: u32,
    graph: GraphJson,
    machine: MachineJson<'a>,
    policy: PolicyJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    search: Option<SearchJson>,
    figures: FiguresJson,
    #[serde(skip_serializing_if = "Option::is_none")]
    failure: Option<FailureJson>,
    repeat: &'a str,
}

/// Writes the plan of `session`, finished or not; `repeat` is the command that gives it again.
///
/// # Errors
/// Where `out` fails.
pub fn write_plan_json(out: &mut dyn Write, session: &Session, repeat: &str) -> io::Result<()> {
    let trace = &session.trace;
    let head = Head {
        format: "spillscope-plan",
        version: PLAN_VERSION,
        graph: GraphJson::new(&trace.problem.graph),
        machine: MachineJson::new(&trace.problem.machine),
        policy: PolicyJson::new(&session.options, &trace.problem.machine),
        search: SearchJson::new(session),
        figures: FiguresJson::new(&trace.problem, &session.figures),
        failure: FailureJson::new(session),
        repeat,
    };
    let head = serde_json::to_string(&head)?;
    out.write_all(head.strip_suffix('}').unwrap_or(&head).as_bytes())?;
    list(out, "steps", 0..trace.plan.steps.len(), |line, at| add_step(line, trace, at))?;
    let placed = trace.problem.graph.buffers().iter().zip(&trace.plan.memory);
    list(out, "memory", placed.filter_map(|(buffer, offset)| Some((buffer.id, (*offset)?))), |line, (id, offset)| {
        line.text("[").number(id).text(",").number(offset).text("]");
    })?;
    list(out, "spills", &spills(trace), add_spill)?;
    out.write_all(b"}\n")
}

/// A further member of the object: a list, of which `add` puts one entry into the line.
fn list<T>(
    out: &mut dyn Write,
    name: &str,
    entries: impl IntoIterator<Item = T>,
    mut add: impl FnMut(&mut Line, T),
) -> io::Result<()> {
    let mut line = Line::default();
    line.text(",\"").text(name).text("\":[");
    for (at, entry) in entries.into_iter().enumerate() {
        line.text(if at == 0 { "" } else { "," });
        add(&mut line, entry);
        line.flush(out)?;
    }
    line.text("]").flush(out)
}

fn add_step(line: &mut Line, trace: &Trace, at: usize) {
    let graph = &*trace.problem.graph;
    let step = trace.plan.steps[at];
    line.text("{\"id\":").number(step_id(graph, step)).text(",\"op\":");
    match step {
        Step::Node(node) => {
            line.quoted(graph.op_name(node));
            if let Some(name) = &graph.node(node).name {
                line.text(",\"name\":").quoted(name.raw());
            }
        }
        Step::Out(_) => _ = line.text("\"SPILL_OUT\""),
        Step::Back(_) => _ = line.text("\"SPILL_IN\""),
    }
    let effect = Effect::of(trace.run(at));
    if let Some((buf, level, offset)) = effect.moved {
        let level = &trace.problem.level(level).name;
        line.text(",\"buffer\":").number(graph.buffer(buf).id);
        line.text(",\"level\":").quoted(level.raw()).text(",\"offset\":").number(offset);
    }
    if let Some((unit, _)) = effect.unit {
        line.text(",\"unit\":").quoted(trace.problem.units[unit.at()].name.raw());
    }
    line.text(",\"start\":").number(effect.time.0).text(",\"end\":").number(effect.time.1).text("}");
}

/// One spill of the plan.
#[derive(Clone, Copy)]
struct SpillEntry {
    buffer: u64,
    out: Option<u64>,
    back: Option<u64>,
    offset: Option<u64>,
}

/// The spills with the steps of their halves. (Not by the trace's index: it need not be there when a plan is written.)
fn spills(trace: &Trace) -> Vec<SpillEntry> {
    let graph = &*trace.problem.graph;
    let entry =
        |spill: &Spill| SpillEntry { buffer: graph.buffer(spill.buf).id, out: None, back: None, offset: spill.offset };
    let mut spills: Vec<SpillEntry> = trace.plan.spills.iter().map(entry).collect();
    for (at, step) in trace.plan.steps.iter().enumerate() {
        match *step {
            Step::Node(_) => {}
            Step::Out(spill) => spills[spill.at()].out = Some(at as u64),
            Step::Back(spill) => spills[spill.at()].back = Some(at as u64),
        }
    }
    spills
}

fn add_spill(line: &mut Line, spill: &SpillEntry) {
    line.text("{\"buffer\":").number(spill.buffer);
    for (name, number) in [("out", spill.out), ("back", spill.back), ("offset", spill.offset)] {
        line.text(",\"").text(name).text("\":").number_or_null(number);
    }
    line.text("}");
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::{GraphBuilder, Machine, Options, Order, Problem};
    use crate::output::testing::{Kind, planned, session};

    #[test]
    fn every_plan_is_json_with_each_step_and_spill() {
        for kind in Kind::ALL {
            let session = session(kind);
            let mut text = Vec::new();
            write_plan_json(&mut text, &session, "spillscope plan 'a\"}b'").unwrap();
            let json: serde_json::Value = serde_json::from_slice(&text).unwrap();
            assert_eq!(json["repeat"], "spillscope plan 'a\"}b'");
            let plan = &session.trace.plan;
            let length = |list: &str| json[list].as_array().map(Vec::len);
            assert_eq!(length("steps"), Some(plan.steps.len()), "{kind:?}");
            assert_eq!(length("spills"), Some(plan.spills.len()), "{kind:?}");
            assert_eq!(length("memory"), Some(plan.memory.iter().flatten().count()), "{kind:?}");
            for (at, step) in plan.steps.iter().enumerate() {
                let entry = &json["steps"][at];
                assert_eq!(entry["id"], step_id(&session.trace.problem.graph, *step));
                assert_eq!(
                    session.trace.time_of(at),
                    entry["start"].as_u64().zip(entry["end"].as_u64()),
                    "{kind:?} {at}"
                );
            }
        }
    }

    #[test]
    fn a_spill_names_its_buffer_and_its_two_steps() {
        let mut text = Vec::new();
        write_plan_json(&mut text, &session(Kind::Spilled), "").unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains(r#""spills":[{"buffer":1,"out":3,"back":7,"offset":0}]"#), "{text}");
        assert!(
            text.contains(r#"{"id":23,"op":"SPILL_OUT","buffer":1,"level":"L1","offset":0,"unit":"MTE3","#),
            "{text}"
        );
    }

    #[test]
    fn names_are_escaped() {
        let mut builder = GraphBuilder::new("a\"b".into());
        let op = builder.intern("x\\y\n").unwrap();
        builder.op(0, op, op, 3, &[]);
        builder.nodes[0].name = Some("\"\u{1b}".into());
        let problem = Problem::new(Arc::new(builder.build().unwrap()), Machine::npu()).unwrap();
        let session = planned(problem, Options::classic(Order::Program));
        let mut text = Vec::new();
        write_plan_json(&mut text, &session, "").unwrap();
        let json: serde_json::Value = serde_json::from_slice(&text).unwrap();
        let step = &json["steps"][0];
        assert_eq!(
            (&step["op"], &step["unit"], &step["name"]),
            (&"x\\y\n".into(), &"x\\y\n".into(), &"\"\u{1b}".into())
        );
    }
}
