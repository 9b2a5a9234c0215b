//! The examples of the library run.

#[path = "../examples/check_a_plan.rs"]
mod check_a_plan;
#[path = "../examples/plan_a_graph.rs"]
mod plan_a_graph;
#[path = "../examples/walk_a_trace.rs"]
mod walk_a_trace;

#[test]
fn a_graph_is_planned() {
    plan_a_graph::main().expect("a plan");
}

#[test]
fn a_trace_is_walked() {
    walk_a_trace::main().expect("a walk");
}

#[test]
fn a_plan_is_checked() {
    check_a_plan::main().expect("a check");
}

#[test]
fn every_example_runs_here() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/examples");
    let entries = std::fs::read_dir(folder).expect("examples").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    assert_eq!(names, ["check_a_plan.rs", "plan_a_graph.rs", "walk_a_trace.rs"]);
}
