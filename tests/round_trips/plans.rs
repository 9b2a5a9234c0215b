//! Plan files, `plan.json`, trace lines.

use serde_json::{Value, json};
use spillscope::input::{Source, read_plan};
use spillscope::model::{Step, step_id};
use spillscope::output::plan_files::save_plan;
use spillscope::output::plan_json::write_plan_json;
use spillscope::output::trace_file::write_trace;
use spillscope::session::Session;
use spillscope::trace::State;

pub fn read_back_the_same(session: &Session, about: &str) {
    plan_files(session, about);
    plan_json(session, about);
    trace_lines(session, about);
}

fn plan_files(session: &Session, about: &str) {
    let folder = tempfile::tempdir().expect("a folder");
    if session.diagnosis.is_some() {
        save_plan(folder.path(), "g", session, "again").expect_err("there is no plan");
        return;
    }
    save_plan(folder.path(), "g", session, "again").expect("written");
    let raw = read_plan(folder.path(), "g").unwrap_or_else(|error| panic!("{about}: {error}"));
    assert_eq!(raw, session.trace.plan.to_raw(&session.trace.problem.graph), "{about}");
    let again = Session::of_plan(session.trace.problem.clone(), session.options.clone(), &raw, "g");
    assert!(again.check.is_valid(), "{about}");
    assert_eq!(again.trace.plan, session.trace.plan, "{about}");
    assert_eq!(again.figures, session.figures, "{about}");
}

/// The plan as JSON.
pub fn json_of(session: &Session) -> Value {
    let mut text = Vec::new();
    write_plan_json(&mut text, session, "spillscope plan g.json").expect("memory takes all");
    serde_json::from_slice(&text).expect("JSON")
}

/// Everything in it is what the session has.
fn plan_json(session: &Session, about: &str) {
    let json = json_of(session);
    let trace = &session.trace;
    let (problem, graph) = (&trace.problem, &*trace.problem.graph);
    let sizes = ["nodes", "edges", "buffers"].map(|name| json["graph"][name].as_u64());
    let expected = [graph.node_count(), graph.edge_count(), graph.buffers().len()].map(|count| Some(count as u64));
    assert_eq!(sizes, expected, "{about}");
    let figures = &session.figures;
    for (name, figure) in [
        ("steps", figures.steps),
        ("spills", figures.spills),
        ("extra_traffic", figures.extra_traffic),
        ("makespan", figures.makespan),
        ("peak_stay", figures.peak_stay),
    ] {
        assert_eq!(json["figures"][name], figure, "{about}: {name}");
    }
    for (level, &peak) in problem.machine.levels.iter().zip(&figures.peak) {
        assert_eq!(json["figures"]["peak"][level.name.raw()], peak, "{about}");
    }
    let machine = spillscope::input::read_machine(&Source::from_text("m.json", json["machine"].to_string()));
    assert_eq!(machine.expect("a machine file"), problem.machine, "{about}");
    let raw = trace.plan.to_raw(graph);
    let memory: Vec<Value> = raw.memory.iter().map(|&(buf, offset)| json!([buf, offset])).collect();
    assert_eq!(json["memory"], Value::from(memory), "{about}");
    spills(session, &json, about);
    let listed = json["steps"].as_array().expect("a list");
    assert_eq!(listed.len(), trace.plan.steps.len(), "{about}");
    for (at, (entry, &step)) in listed.iter().zip(&trace.plan.steps).enumerate() {
        assert_eq!(entry["id"], step_id(graph, step), "{about}, step {at}");
        let time = entry["start"].as_u64().zip(entry["end"].as_u64());
        assert_eq!(time, trace.time_of(at), "{about}, step {at}");
        let unit = trace.lane_at(at).map(|(unit, _)| problem.units[unit.at()].name.raw());
        assert_eq!(entry["unit"].as_str(), unit, "{about}, step {at}");
    }
}

fn spills(session: &Session, json: &Value, about: &str) {
    let trace = &session.trace;
    let listed = json["spills"].as_array().expect("a list");
    assert_eq!(listed.len(), trace.plan.spills.len(), "{about}");
    for (entry, spill) in listed.iter().zip(&trace.plan.spills) {
        assert_eq!(entry["buffer"], trace.problem.graph.buffer(spill.buf).id, "{about}");
        assert_eq!(entry["offset"].as_u64(), spill.offset, "{about}");
        for (name, is_half) in [("out", true), ("back", false)] {
            let Some(step) = entry[name].as_u64() else { continue };
            let found = trace.plan.steps[step as usize];
            assert!(if is_half { matches!(found, Step::Out(_)) } else { matches!(found, Step::Back(_)) }, "{about}");
        }
    }
}

/// What is read back stands at each step where the plan stood, forward and, by the record's own undoing, back.
fn trace_lines(session: &Session, about: &str) {
    let mut bytes = Vec::new();
    write_trace(&mut bytes, session).expect("memory takes all");
    let text = String::from_utf8(bytes).expect("UTF-8");
    assert_eq!(text.lines().count(), 1 + session.trace.step_count(), "{about}: a line a step");
    let read = Session::read(&Source::from_text("g.trace.jsonl", text));
    let again = read.unwrap_or_else(|error| panic!("{about}: {error}"));
    let (trace, back) = (&session.trace, &again.trace);
    assert_eq!(back.step_count(), trace.step_count(), "{about}");
    assert_eq!(again.figures, session.figures, "{about}");
    let mut cursor = back.cursor();
    let mut state = State::empty(&trace.problem);
    for step in 0..trace.step_count() {
        trace.run(step).iter().for_each(|event| state.apply(&trace.problem, event));
        back.seek_step(&mut cursor, step);
        assert_eq!(cursor.state(), &state, "{about}, step {step}");
        assert_eq!(back.time_of(step), trace.time_of(step), "{about}, step {step}");
    }
    back.seek(&mut cursor, 0);
    assert_eq!(cursor, back.cursor(), "{about}");
}
