//! The published kernel graphs: our classic plans are those of the reference, byte for byte, and the oracle finds
//! them valid with the same figures.
//!
//! Needs `SPILLSCOPE_CASES` (the folder of the graphs), `SPILLSCOPE_TOOLS` (the folder with `classic_reference.py` and
//! `check_plan.py`) and `python3`; ignored without.

use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::tempdir;

fn folder(variable: &str) -> PathBuf {
    std::env::var_os(variable).unwrap_or_else(|| panic!("{variable} is not set")).into()
}

fn graphs() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder("SPILLSCOPE_CASES")).expect("the folder of cases can be read");
    let mut graphs: Vec<PathBuf> = entries
        .map(|entry| entry.expect("its entries too").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .collect();
    graphs.sort();
    assert!(!graphs.is_empty(), "SPILLSCOPE_CASES holds no graph");
    graphs
}

fn tool(name: &str) -> Command {
    let mut command = Command::new("python3");
    command.arg(folder("SPILLSCOPE_TOOLS").join(name));
    command
}

fn spillscope(arguments: &[&str], out: &Path, graph: &Path) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_spillscope"))
        .arg("plan")
        .arg(graph)
        .args(arguments)
        .arg("-o")
        .arg(out)
        .output()
        .expect("the binary runs")
}

const KINDS: [&str; 3] = ["schedule", "memory", "spill"];

fn plan_file(dir: &Path, graph: &Path, kind: &str) -> PathBuf {
    let stem = graph.file_stem().expect("a file").to_string_lossy();
    dir.join(format!("{stem}_{kind}.txt"))
}

/// Plans `graph` with us and with the reference, by these extra flags; both must come to the same.
fn same_plan(graph: &Path, flags: &[&str]) {
    let (ours, theirs) = (tempdir().unwrap(), tempdir().unwrap());
    let reference = tool("classic_reference.py").arg(graph).args(flags).arg("-o").arg(theirs.path()).output().unwrap();
    let mut arguments = vec!["--policy", "classic", "--order", "program", "--machine", "npu", "--format", "json"];
    arguments.extend(flags);
    let output = spillscope(&arguments, ours.path(), graph);
    let about = format!("{} {flags:?}", graph.display());
    assert_eq!(reference.status.success(), output.status.success(), "{about}: one has a plan, the other has none");
    if !output.status.success() {
        return;
    }
    for kind in KINDS {
        let read = |dir: &Path| std::fs::read(plan_file(dir, graph, kind)).unwrap();
        assert!(read(ours.path()) == read(theirs.path()), "{about}: the {kind} files differ");
    }
    let ours: serde_json::Value = serde_json::from_slice(&output.stdout).expect("stdout is JSON and nothing else");
    let oracle = tool("check_plan.py")
        .arg(graph)
        .args(KINDS.map(|kind| plan_file(theirs.path(), graph, kind)))
        .arg("--json")
        .output()
        .unwrap();
    let oracle: serde_json::Value = serde_json::from_slice(&oracle.stdout).unwrap();
    for figure in ["steps", "spills", "extra_traffic", "peak", "peak_stay", "l0_live", "makespan"] {
        // Capacities given by flag are not the oracle's: its verdict is not asked for there, its replay of times is.
        assert_eq!(ours[figure], oracle[figure], "{about}: {figure}");
    }
}

#[test]
#[ignore = "needs SPILLSCOPE_CASES and SPILLSCOPE_TOOLS"]
fn classic_plans_are_the_references_byte_for_byte() {
    for graph in graphs() {
        same_plan(&graph, &[]);
    }
}

#[test]
#[ignore = "needs SPILLSCOPE_CASES and SPILLSCOPE_TOOLS"]
fn other_chains_and_limits_are_the_references_too() {
    for graph in graphs().iter().filter(|graph| graph.metadata().is_ok_and(|meta| meta.len() < 1_000_000)) {
        for chain in ["spill", "spill-many", "postpone", "postpone,spill", "postpone,spill-many", "spill-many,postpone"]
        {
            same_plan(graph, &["--on-full", chain]);
        }
        same_plan(graph, &["--spill-l0"]);
        same_plan(graph, &["--on-full", "postpone,spill", "--postpone-limit", "1"]);
    }
}

/// Graph, the extra traffic of the best plan that was published for it, what a quick plan stays below, and its evaluations.
const PUBLISHED: [(&str, u64, u64, u64); 4] = [
    ("Matmul_Case0", 28_800, 18_000, 3_846),
    ("Matmul_Case1", 430_208, 231_000, 516),
    ("FlashAttention_Case0", 3_584, 600, 8_000),
    ("Conv_Case0", 57_408, 42_000, 6_201),
];

#[test]
#[ignore = "needs SPILLSCOPE_CASES and SPILLSCOPE_TOOLS"]
fn a_short_search_beats_what_was_published_and_the_oracle_agrees() {
    let known =
        |graph: &PathBuf| PUBLISHED.iter().find(|(name, ..)| graph.file_stem().is_some_and(|stem| stem == *name));
    for (graph, &(name, published, reached, evaluations)) in
        graphs().iter().filter_map(|graph| Some((graph, known(graph)?)))
    {
        let out = tempdir().unwrap();
        let evaluations = evaluations.to_string();
        let output = spillscope(&["--evaluations", &evaluations, "--format", "json"], out.path(), graph);
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        let ours: serde_json::Value = serde_json::from_slice(&output.stdout).expect("stdout is JSON and nothing else");
        let files = KINDS.map(|kind| plan_file(out.path(), graph, kind));
        let oracle = tool("check_plan.py").arg(graph).args(files).arg("--json").output().unwrap();
        assert!(oracle.status.success(), "{name}: {}", String::from_utf8_lossy(&oracle.stdout));
        let oracle: serde_json::Value = serde_json::from_slice(&oracle.stdout).unwrap();
        for figure in ["extra_traffic", "peak", "makespan"] {
            assert_eq!(ours[figure], oracle[figure], "{name}: {figure}");
        }
        assert!(reached < published);
        assert!(oracle["extra_traffic"].as_u64().is_some_and(|moved| moved < reached), "{name}: {oracle}");
    }
}
