//! Agreement with the public tools on generated graphs: our plans are the reference's, the oracle accepts them, and
//! every figure is the same.
//!
//! Needs `SPILLSCOPE_TOOLS` (the folder with `classic_reference.py` and `check_plan.py`) and `python3`; ignored
//! without. One Python process judges all cases.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::case;
use serde_json::{Value, json};
use spillscope::model::{Fallback, Options, Order, Problem};
use spillscope::output::{graph_file, plan_files};
use spillscope::session::{Extras, Session};

/// Reads cases from a folder; prints what the reference plans and what the oracle says of our plan, a line a case.
const JUDGE: &str = r#"
import json, math, pathlib, sys
sys.path.insert(0, sys.argv[1])
import check_plan, classic_reference
for case in sorted(pathlib.Path(sys.argv[2]).iterdir()):
    about = json.loads((case / "about.json").read_text())
    graph = json.loads((case / "graph.json").read_text())
    capacity, answer = about["capacity"], {"case": case.name}
    if about["reference"]:
        try:
            final, memory, spills, count = classic_reference.plan(
                graph, capacity, about["on_full"], about["postpone_limit"], about["spill_l0"])
            answer["reference"] = {"schedule": final, "memory": sorted(memory.items()), "spills": spills}
        except classic_reference.NoPlan as failure:
            answer["reference"] = None
    if about["planned"]:
        move = about["transfer"]
        problems, figures = check_plan.check(
            graph, check_plan.read_ids(case / "graph_schedule.txt"), check_plan.read_pairs(case / "graph_memory.txt"),
            check_plan.read_pairs(case / "graph_spill.txt"), capacity,
            lambda size: move["overhead"] + math.ceil(size / move["bytes_per_cycle"]), move["backed_out_free"])
        answer["problems"], answer["figures"] = problems, figures
    print(json.dumps(answer))
"#;

/// Whether the reference knows this case: it lets levels spill by name, and leaves buffers that are never freed out
/// at the end, which the oracle then refuses.
fn reference_knows(problem: &Problem) -> Option<bool> {
    if problem.graph.buffers().iter().any(|buffer| buffer.free.is_none()) {
        return None;
    }
    let levels = &problem.machine.levels;
    let spills = |l0: bool| levels.iter().filter(move |level| level.is_l0() == l0).map(|level| level.spill);
    let outer_spill = spills(false).all(|spill| spill);
    let l0_alike = spills(true).all(|spill| spill) || spills(true).all(|spill| !spill);
    (outer_spill && l0_alike).then(|| spills(true).all(|spill| spill))
}

fn write_case(dir: &Path, problem: &Problem, options: &Options, session: &Session) {
    std::fs::create_dir(dir).expect("a fresh folder");
    std::fs::write(dir.join("graph.json"), graph_file::npu_json(&problem.graph)).expect("written");
    let capacity: serde_json::Map<String, Value> =
        problem.machine.levels.iter().map(|level| (level.name.raw().to_owned(), json!(level.capacity))).collect();
    let transfer = &problem.machine.transfer;
    let known = reference_knows(problem);
    let about = json!({
        "capacity": capacity,
        "on_full": options.on_full.iter().map(Fallback::to_string).collect::<Vec<_>>(),
        "postpone_limit": options.postpone_limit,
        "spill_l0": known == Some(true),
        "reference": known.is_some(),
        "planned": session.diagnosis.is_none(),
        "transfer": {
            "overhead": transfer.overhead,
            "bytes_per_cycle": transfer.bytes_per_cycle,
            "backed_out_free": transfer.backed_out_free,
        },
    });
    std::fs::write(dir.join("about.json"), about.to_string()).expect("written");
    if session.diagnosis.is_none() {
        plan_files::save_plan(dir, "graph", session, "").expect("written");
    }
}

/// What `check_plan.py` calls the figures of a session.
fn figures(session: &Session) -> Value {
    let text = spillscope::output::report_json::report_json(session, "");
    let mut report: Value = serde_json::from_str(&text).expect("the report is JSON");
    let names = ["steps", "spills", "extra_traffic", "peak", "peak_stay", "l0_live", "makespan"];
    names.iter().map(|name| ((*name).to_owned(), report[*name].take())).collect::<serde_json::Map<_, _>>().into()
}

#[test]
#[ignore = "needs SPILLSCOPE_TOOLS"]
fn generated_plans_are_the_references_and_the_oracle_accepts_them() {
    let tools: PathBuf = std::env::var_os("SPILLSCOPE_TOOLS").expect("SPILLSCOPE_TOOLS is set").into();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut sessions = Vec::new();
    for seed in 0..1000u64 {
        let (problem, mut options) = case(seed, seed % 3 == 0);
        if problem.graph.schedule().is_none() {
            options.order = Order::Program;
        }
        let extras = Extras { fractional_bound: false, remedies: false };
        let session = Session::plan(problem.clone(), options.clone(), extras).expect("an order");
        write_case(&folder.path().join(format!("{seed:04}")), &problem, &options, &session);
        sessions.push(session);
    }
    let judge =
        Command::new("python3").args(["-c", JUDGE]).arg(tools).arg(folder.path()).output().expect("python3 runs");
    assert!(judge.status.success(), "{}", String::from_utf8_lossy(&judge.stderr));
    let (mut accepted, mut compared) = (0, 0);
    for (seed, line) in String::from_utf8_lossy(&judge.stdout).lines().enumerate() {
        let answer: Value = serde_json::from_str(line).expect("a line of JSON");
        let session = &sessions[seed];
        if session.diagnosis.is_none() {
            assert_eq!(answer["problems"], json!([]), "seed {seed}");
            assert_eq!(answer["figures"], figures(session), "seed {seed}");
            accepted += 1;
        }
        if let Some(reference) = answer.get("reference") {
            let ours = session.diagnosis.is_none().then(|| {
                let plan = session.trace.plan.to_raw(&session.trace.problem.graph);
                json!({"schedule": plan.schedule, "memory": plan.memory, "spills": plan.spills})
            });
            assert_eq!(&ours.unwrap_or(Value::Null), reference, "seed {seed}: the reference plans otherwise");
            compared += 1;
        }
    }
    assert!(accepted > 400 && compared > 200, "{accepted} accepted, {compared} compared");
}
