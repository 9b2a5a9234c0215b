//! `check`: our plans hold, broken ones are found.

use super::run::{Folder, json, sample};

/// A folder with `graph.json` and its plan in `plan`.
fn planned(name: &str) -> Folder {
    let folder = Folder::with_sample(name);
    folder.run(&["plan", "graph.json", "-o", "plan"]).ok();
    folder
}

const FIGURES: [&str; 7] = ["steps", "spills", "extra_traffic", "peak", "peak_stay", "l0_live", "makespan"];

#[test]
fn our_plan_holds_with_the_figures_of_its_report() {
    let folder = planned("thrash");
    let out = folder.run(&["check", "graph.json", "plan"]).ok();
    assert!(out.starts_with("graph: valid plan, 68 steps, 5 spills"), "{out}");
    let checked = json(&folder.run(&["check", "graph.json", "plan", "--format", "json"]).ok());
    let report = json(&folder.run(&["plan", "graph.json", "--format", "json"]).ok());
    assert_eq!((&checked["valid"], &checked["problems"]), (&true.into(), &serde_json::json!([])));
    FIGURES.iter().for_each(|name| assert_eq!(checked[name], report[name], "{name}"));
}

#[test]
fn a_broken_plan_is_found_with_rule_and_step() {
    let folder = planned("first-spill");
    let schedule = folder.read("plan/graph_schedule.txt");
    let mut lines: Vec<&str> = schedule.lines().collect();
    lines.swap(0, 1);
    folder.write("plan/graph_schedule.txt", &lines.join("\n"));
    let out = folder.run(&["check", "graph.json", "plan"]).ended(1, &["the plan in plan is broken: 2 findings"]);
    assert!(out.contains("BROKEN") && out.contains("R2 step 0: node 1 runs before node 0"), "{out}");
    assert!(out.contains("R4 step 0: node 1 (COPY_IN) uses buffer 0 before its ALLOC"), "{out}");

    let report = json(&folder.run(&["check", "graph.json", "plan", "--format", "json"]).ended(1, &["is broken"]));
    assert_eq!((&report["valid"], report["problems"].as_array().map(Vec::len)), (&false.into(), Some(2)));
    FIGURES.iter().for_each(|name| assert!(report.get(name).is_none(), "{name} of a plan that does not hold"));
}

#[test]
fn buffers_over_each_other_and_outside_their_level_are_found() {
    let folder = planned("first-spill");
    let memory = folder.read("plan/graph_memory.txt");
    let place_1 = |at: &str| {
        let lines = memory.lines().map(|line| if line.starts_with("1:") { at } else { line });
        folder.write("plan/graph_memory.txt", &lines.collect::<Vec<_>>().join("\n"));
    };
    place_1("1:1");
    let out = folder.run(&["check", "graph.json", "plan"]).ended(1, &[]);
    assert!(out.contains("R6 step 2: buffer 1 at L1[1,1025) overlaps buffer 0"), "{out}");
    place_1("1:4000");
    let out = folder.run(&["check", "graph.json", "plan"]).ended(1, &[]);
    assert!(out.contains("R5 step 2: buffer 1 at L1[4000,5024) lies outside [0,4096)"), "{out}");
    folder.run(&["check", "graph.json", "plan", "--capacity", "L1=8192"]).ok();
}

#[test]
fn a_plan_for_a_larger_machine_breaks_on_a_smaller_one() {
    let folder = Folder::with_sample("first-spill");
    folder.run(&["plan", "graph.json", "-o", "plan", "--capacity", "L1=8192"]).ok();
    folder.run(&["check", "graph.json", "plan", "--capacity", "L1=8192"]).ok();
    let out = folder.run(&["check", "graph.json", "plan"]).ended(1, &["is broken"]);
    assert!(out.contains("R5"), "{out}");
}

#[test]
fn the_graph_may_come_from_standard_input() {
    let folder = planned("first-spill");
    let out = folder.run_with(&["check", "-", "plan"], &sample("first-spill")).ok();
    assert!(out.ends_with("spillscope check - plan --machine npu\n"), "{out}");
}

#[test]
fn what_is_missing_or_no_plan_file_is_bad_input() {
    let folder = planned("first-spill");
    folder.run(&["check", "graph.json", "elsewhere"]).refused(&["elsewhere", "no such folder"]);
    folder.run(&["check", "none.json", "plan"]).refused(&["none.json", "no such file"]);
    folder.run(&["check", "graph.json"]).refused(&["<DIR>"]);
    folder.run(&["check", "graph.json", "plan", "--on-full", "spill"]).refused(&["--on-full"]);
    folder.write("plan/graph_spill.txt", "0:1\nzero:1\n");
    folder.run(&["check", "graph.json", "plan"]).refused(&["graph_spill.txt:2:1", "expected BufId:NewOffset"]);
    std::fs::remove_file(folder.path("plan/graph_memory.txt")).expect("it is there");
    folder.run(&["check", "graph.json", "plan"]).refused(&["graph_memory.txt"]);
}
