//! The visualizer where standard output is no terminal: a text report. (On a terminal: `tests/terminal.rs`.)

use super::run::{Folder, sample};

/// A report without the time that planning took.
fn timeless(report: &str) -> String {
    report.lines().filter(|line| !line.contains("planned in")).collect::<Vec<_>>().join("\n")
}

#[test]
fn a_pipe_gets_the_report_of_plan() {
    let folder = Folder::with_sample("first-spill");
    let report = timeless(&folder.run(&["plan", "graph.json"]).ok());
    for arguments in [
        &["graph.json"][..],
        &["view", "graph.json"],
        &["graph.json", "--at", "peak"],
        &["view", "graph.json", "--watch", "--no-mouse", "--ascii", "--theme", "dark"],
    ] {
        let out = folder.run(arguments).ok();
        assert!(!out.contains('\x1b'), "{out}");
        assert_eq!(timeless(&out), report, "{arguments:?}");
    }
    let out = folder.run_with(&["-"], &sample("first-spill")).ok();
    assert!(out.starts_with("stdin: valid plan"), "{out}");
    let out = folder.run(&[]).ok();
    assert!(out.starts_with("flash-attention: valid plan"), "{out}");
}

#[test]
fn a_failed_plan_has_its_status() {
    let out = Folder::with_sample("no-plan").run(&["graph.json", "--at", "fail"]).ended(1, &["No plan"]);
    assert!(out.contains("what works"), "{out}");
}

#[test]
fn a_place_that_is_none_is_refused() {
    let folder = Folder::with_sample("first-spill");
    folder.run(&["graph.json", "--at", "end"]).refused(&["'end' is no place", "peak, fail or spill"]);
    folder.run(&["graph.json", "--at=-1"]).refused(&["'-1' is no place"]);
    folder.run(&["view", "--watch"]).refused(&["<GRAPH>"]);
}
