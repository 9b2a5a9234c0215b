//! `plan`: reports, plan files, and what happens where there is no plan.

use serde_json::{Value, json as value};

use super::run::{Folder, json, sample};

/// One buffer of that size in L1.
fn one_buffer(size: u64) -> String {
    value!({"Nodes": [{"Id": 5, "Op": "ALLOC", "BufId": 1, "Size": size, "Type": "L1"}], "Edges": []}).to_string()
}

/// Two buffers of 3000, which one operation needs at once.
fn operands_too_large() -> String {
    let alloc = |id: u64| value!({"Id": id, "Op": "ALLOC", "BufId": id, "Size": 3000, "Type": "L1"});
    let add = value!({"Id": 2, "Op": "ADD", "Pipe": "VECTOR", "Cycles": 1, "Bufs": [0, 1]});
    value!({"Nodes": [alloc(0), alloc(1), add], "Edges": [[0, 2], [1, 2]]}).to_string()
}

const FILES: [&str; 4] = ["graph_memory.txt", "graph_plan.json", "graph_schedule.txt", "graph_spill.txt"];

#[test]
fn the_report_goes_to_stdout_and_ends_with_the_command_that_repeats_it() {
    let out = Folder::with_sample("first-spill").run(&["plan", "graph.json"]).ok();
    assert!(out.starts_with("graph: valid plan, 22 steps, 1 spill\n"), "{out}");
    let last = out.lines().last();
    assert_eq!(last, Some("spillscope plan graph.json --machine npu --order given --policy classic"));
}

#[test]
fn json_has_the_documented_names_in_their_order_and_nothing_beside_it() {
    let folder = Folder::with_sample("first-spill");
    let out = folder.run(&["plan", "graph.json", "--format", "json", "-o", "plan"]).ok();
    let report = json(&out);
    let mut names: Vec<&String> = report.as_object().expect("an object").keys().collect();
    names.sort_by_key(|name| out.find(&format!("\n  \"{name}\":")).expect("a line of its own"));
    let figures =
        ["valid", "steps", "spills", "extra_traffic", "peak", "peak_stay", "l0_live", "makespan", "main_memory"];
    let rest = ["graph", "machine", "policy", "reached", "bounds", "broken", "seconds", "repeat"];
    assert_eq!(names, figures.iter().chain(&rest).collect::<Vec<_>>());
    assert_eq!((&report["steps"], &report["spills"], &report["valid"]), (&22.into(), &1.into(), &true.into()));
    assert_eq!(folder.names("plan"), FILES, "files are written beside it all the same");
}

#[test]
fn bounds_are_worked_out_on_request() {
    let folder = Folder::with_sample("first-spill");
    let bound = |flags: &[&str]| {
        let out = folder.run(&[&["plan", "graph.json", "--format", "json"], flags].concat()).ok();
        json(&out)["bounds"]["this_order"]["extra_traffic"].clone()
    };
    assert_eq!(bound(&[]), Value::Null);
    // For one step L1 would have to hold 4352 of 4096; in parts, 256 backed units would have to leave.
    assert_eq!(bound(&["--bounds"]), 256);
}

#[test]
fn four_files_are_written_over_old_ones_and_nothing_is_left_beside_them() {
    let folder = Folder::with_sample("first-spill");
    folder.run(&["plan", "graph.json", "-o", "new/plan", "--capacity", "L1=8192"]).ok();
    let roomy = folder.files("new/plan");
    assert_eq!(roomy.keys().collect::<Vec<_>>(), FILES);
    assert_eq!(roomy["graph_spill.txt"], b"");
    folder.run(&["plan", "graph.json", "-o", "new/plan"]).ok();
    let tight = folder.files("new/plan");
    assert_eq!(tight.keys().collect::<Vec<_>>(), FILES);
    assert_eq!(String::from_utf8_lossy(&tight["graph_schedule.txt"]).lines().count(), 22);
    let plan = json(&folder.read("new/plan/graph_plan.json"));
    assert_eq!((&plan["format"], &plan["version"]), (&"spillscope-plan".into(), &2.into()));
    assert_eq!(plan["steps"].as_array().map(Vec::len), Some(22));
}

#[test]
fn where_there_is_no_plan_the_report_says_why_and_nothing_is_written() {
    let folder = Folder::with_sample("no-plan");
    let out = folder.run(&["plan", "graph.json", "-o", "plan"]).ended(1, &["No plan: L0C has no room", "--spill-l0"]);
    assert!(out.contains("what works") && out.contains("held by"), "{out}");
    assert_eq!(folder.names("."), ["graph.json"]);
    let out = folder.run(&["plan", "graph.json", "--format", "json"]).ended(1, &["No plan"]);
    let report = json(&out);
    assert_eq!((&report["valid"], &report["failure"]["level"]), (&false.into(), &"L0C".into()));
    // What the text says of the conflict and of what was tried in vain, the JSON says too.
    let failure = &report["failure"];
    let text = folder.run(&["plan", "graph.json"]).ended(1, &["No plan"]);
    let buffers = failure["conflict"]["buffers"].as_array().expect("the buffers that conflict");
    assert!(!buffers.is_empty() && failure["conflict"]["kind"].is_string(), "{failure}");
    let in_vain: Vec<&str> = failure["in_vain"]
        .as_array()
        .expect("what was tried in vain")
        .iter()
        .map(|tried| tried["flag"].as_str().expect("a flag"))
        .collect();
    assert_eq!(in_vain.len(), text.matches("fails too").count(), "{failure}");
    assert!(!in_vain.is_empty() && in_vain.iter().all(|flag| text.contains(flag)), "{in_vain:?}");
    folder.run(&["plan", "graph.json", "--spill-l0"]).ok();
}

#[test]
fn what_no_plan_can_hold_is_said_before_planning() {
    let folder = Folder::new();
    folder.write("buffer.json", &one_buffer(4097));
    folder.write("operands.json", &operands_too_large());
    for (graph, words) in [
        ("buffer.json", "No plan exists: b1 needs 4 097 units, and L1 has 4 096 in all."),
        ("operands.json", "No plan exists: 2 ADD needs 6 000 units of L1 at once"),
    ] {
        let out = folder.run(&["plan", graph, "--format", "json", "-o", "plan"]).ended(1, &[words]);
        assert_eq!(json(&out)["steps"], 0);
    }
    assert_eq!(folder.names("."), ["buffer.json", "operands.json"]);
    folder.run(&["plan", "buffer.json", "--capacity", "L1=4097"]).ok();
    folder.run(&["plan", "operands.json", "--capacity", "L1=6000"]).ok();
}

#[test]
fn save_failed_keeps_the_part_that_was_planned_and_the_diagnosis() {
    let folder = Folder::with_sample("no-plan");
    let arguments = ["plan", "graph.json", "-o", "plan", "--save-failed", "failed.json"];
    let report = json(&folder.run(&[&arguments[..], &["--format", "json"]].concat()).ended(1, &["No plan"]));
    assert_eq!(folder.names("."), ["failed.json", "graph.json"]);
    let kept = json(&folder.read("failed.json"));
    assert_eq!(kept["failure"], report["failure"]);
    assert_eq!(kept["steps"].as_array().map(Vec::len), report["steps"].as_u64().map(|steps| steps as usize));
    assert_eq!(kept["figures"]["makespan"], report["makespan"]);

    folder.run(&["plan", "graph.json", "--save-failed", "none/failed.json"]).refused(&["none/failed.json"]);
    folder.write("graph.json", &sample("first-spill"));
    folder.run(&["plan", "graph.json", "--save-failed", "none.json"]).ok();
    assert_eq!(folder.names("."), ["failed.json", "graph.json"], "a plan that holds did not fail");
}

#[test]
fn a_failure_before_the_first_step_is_kept_too() {
    let folder = Folder::new();
    folder.write("graph.json", &one_buffer(5000));
    folder.run(&["plan", "graph.json", "--save-failed", "failed.json"]).ended(1, &["No plan exists"]);
    let kept = json(&folder.read("failed.json"));
    assert_eq!((&kept["steps"], &kept["failure"]["kind"]), (&value!([]), &"larger-than-level".into()));
}

#[test]
fn standard_input_is_a_graph_called_stdin() {
    let folder = Folder::new();
    let out = folder.run_with(&["plan", "-", "-o", "plan"], &sample("first-spill")).ok();
    assert!(out.starts_with("stdin: valid plan"), "{out}");
    let names = FILES.map(|name| name.replace("graph", "stdin"));
    assert_eq!(folder.names("plan"), names);
}

#[test]
fn without_a_graph_the_built_in_sample_is_planned() {
    let out = Folder::new().run(&["plan"]).ok();
    assert!(out.starts_with("flash-attention: valid plan"), "{out}");
}

#[test]
fn the_smallest_graphs_have_plans() {
    let folder = Folder::new();
    let operation = r#"{"Nodes":[{"Id":9,"Op":"NOP","Pipe":"V","Cycles":3,"Bufs":[]}],"Edges":[]}"#;
    let (empty, buffer) = (r#"{"Nodes":[],"Edges":[]}"#, one_buffer(1));
    for (text, steps, makespan) in [(empty, 0, 0), (operation, 1, 3), (&buffer, 1, 0)] {
        folder.write("graph.json", text);
        let report = json(&folder.run(&["plan", "graph.json", "--format", "json", "-o", "plan"]).ok());
        let figures = ["valid", "steps", "spills", "extra_traffic", "makespan"].map(|name| report[name].clone());
        assert_eq!(figures, [value!(true), value!(steps), value!(0), value!(0), value!(makespan)]);
        assert_eq!(folder.read("plan/graph_schedule.txt").lines().count(), steps);
        folder.run(&["check", "graph.json", "plan"]).ok();
    }
}

#[test]
fn a_makespan_too_large_to_count_is_no_figure() {
    let folder = Folder::with_sample("thrash");
    folder.run(&["plan", "graph.json", "--overhead", "9223372036854775807", "-o", "plan"]).refused(&["2^63-1"]);
    assert_eq!(folder.names("."), ["graph.json"]);
    folder.run(&["plan", "graph.json", "--overhead", "1000000000000000000"]).ok();
}

#[test]
fn a_reader_that_goes_away_is_no_fault() {
    let folder = Folder::with_sample("first-spill");
    for command in ["plan graph.json", "generate random --nodes 50000", "frame --size 400x200", "--help"] {
        let ran = folder.sh(&format!("{{ spillscope {command}; echo status $? >&2; }} | head -1"));
        assert_eq!((ran.out.lines().count(), ran.err.as_str()), (1, "status 0\n"), "{command}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_report_that_cannot_be_written_is_an_error() {
    let ran = Folder::with_sample("first-spill").sh("spillscope plan graph.json > /dev/full");
    ran.refused(&["cannot write to standard output"]);
}
