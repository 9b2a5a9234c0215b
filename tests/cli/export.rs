//! Plans for other tools.

use super::run::{Folder, json};

#[test]
fn each_format_goes_to_standard_output_or_into_a_file() {
    let folder = Folder::with_sample("first-spill");
    for (format, beginning, part) in [
        (&["chrome-trace"][..], "{\"displayTimeUnit\"", "\"name\":\"SPILL_OUT b0\""),
        (&["dot"], "digraph {", " -> "),
        (&["svg"], "<svg ", "memory map of L1"),
        (&["svg", "--what", "timeline", "--axis", "cycles"], "<svg ", "peak 3 328 of 4 096"),
        (&["svg", "--what", "map", "--level", "UB"], "<svg ", "memory map of UB"),
        (&["csv", "--what", "steps"], "step,cycle_start,", "spill_out"),
        (&["csv", "--what", "buffers"], "buffer,name,level,", "image"),
        (&["trace"], "{\"spillscope_trace\":1,", "{\"moved_out\":"),
    ] {
        let arguments = [&["export", "graph.json", "--to"], format].concat();
        let out = folder.run(&arguments).ok();
        assert!(out.starts_with(beginning) && out.contains(part), "{format:?}: {out}");
        assert_eq!(folder.run(&[&arguments[..], &["-o", "file"]].concat()).ok(), "", "{format:?}");
        let is_timed = format[0] == "trace"; // its head has the seconds that planning took
        assert!(is_timed || folder.read("file") == out, "{format:?}");
    }
}

#[test]
fn the_two_tables_go_into_a_folder() {
    let folder = Folder::with_sample("matmul");
    folder.run(&["export", "graph.json", "--to", "csv", "-o", "tables"]).ok();
    assert_eq!(folder.names("tables"), ["graph_buffers.csv", "graph_steps.csv"]);
    folder.run(&["export", "graph.json", "--to", "csv"]).refused(&["two tables", "--what steps"]);
}

#[test]
fn a_chrome_trace_repeats_its_plan() {
    let folder = Folder::with_sample("conv");
    let trace = json(&folder.run(&["export", "graph.json", "--to", "chrome-trace"]).ok());
    let repeat = trace["otherData"]["repeat"].as_str().expect("a command");
    let report = folder.run(&["plan", "graph.json"]).ok();
    assert_eq!(report.lines().last(), Some(repeat));
}

#[test]
fn a_trace_is_opened_and_exported_again() {
    let folder = Folder::with_sample("thrash");
    folder.run(&["export", "graph.json", "--to", "trace", "-o", "x.jsonl", "--evaluations", "400"]).ok();
    let left = |arguments: &[&str]| {
        let frame = folder.run(&[&["frame"], arguments, &["--step", "peak", "--size", "130x40"]].concat()).ok();
        frame.lines().skip(1).take(20).map(|line| line.chars().take(64).collect::<String>()).collect::<Vec<_>>()
    };
    assert_eq!(left(&["x.jsonl"]), left(&["graph.json", "--evaluations", "400"]));
    let report = folder.run(&["view", "x.jsonl"]).ok();
    assert!(report.contains("recorded plan"), "{report}");
    let frame = folder.run(&["frame", "x.jsonl", "--size", "130x40"]).ok();
    assert!(frame.contains("plan from a search of"), "{frame}");
    for what in ["steps", "buffers"] {
        let of = |from: &[&str]| folder.run(&[&["export"], from, &["--to", "csv", "--what", what]].concat()).ok();
        assert_eq!(of(&["x.jsonl"]), of(&["graph.json", "--evaluations", "400"]), "{what}");
    }
    assert_eq!(
        folder.run(&["export", "x.jsonl", "--to", "dot"]).ok(),
        folder.run(&["export", "graph.json", "--to", "dot"]).ok()
    );
    folder.run(&["export", "x.jsonl", "--to", "trace", "-o", "y.jsonl"]).ok();
    assert_eq!(folder.read("y.jsonl"), folder.read("x.jsonl"), "written the same again");
    folder.run(&["export", "x.jsonl", "--plan", ".", "--to", "dot"]).refused(&["x.jsonl", "trace of one plan"]);
}

#[test]
fn traces_that_cannot_be_read_are_pointed_at() {
    let folder = Folder::with_sample("first-spill");
    folder.run(&["export", "graph.json", "--to", "trace", "-o", "x.jsonl"]).ok();
    let text = folder.read("x.jsonl");
    let lines: Vec<&str> = text.lines().collect();
    let damaged = |line: usize, by: &str| {
        let mut lines = lines.clone();
        lines[line] = by;
        folder.write("y.jsonl", &(lines.join("\n") + "\n"));
    };
    damaged(4, "{\"step\":{\"node\":0},");
    folder.run(&["view", "y.jsonl"]).refused(&["y.jsonl:5:", "trace files are written by"]);
    damaged(4, lines[3]);
    folder.run(&["view", "y.jsonl"]).refused(&["y.jsonl:5:1", "has a second step"]);
    folder.write("y.jsonl", &(lines[..9].join("\n") + "\n"));
    folder.run(&["frame", "y.jsonl"]).refused(&["y.jsonl:9:1", "promises 22 steps, found 8", "cut short"]);
    folder.write("y.jsonl", &text.replace('\n', "\r\n"));
    folder.run(&["frame", "y.jsonl"]).ok();
}

#[test]
fn a_plan_of_elsewhere_is_exported_as_far_as_it_goes() {
    let folder = Folder::with_sample("first-spill");
    folder.run(&["plan", "graph.json", "-o", "theirs"]).ok();
    let steps = ["export", "graph.json", "--plan", "theirs", "--to", "csv", "--what", "steps"];
    assert_eq!(folder.run(&steps).ok().lines().count(), 1 + 22);
    folder.run(&[&steps[..], &["--order", "program"]].concat()).refused(&["--order"]);
    let schedule = folder.read("theirs/graph_schedule.txt");
    let cut: Vec<&str> = schedule.lines().take(12).collect();
    folder.write("theirs/graph_schedule.txt", &cut.join("\n"));
    let out = folder.run(&steps).ended(1, &["the plan in theirs is broken"]);
    assert_eq!(out.lines().count(), 1 + 12);
}

#[test]
fn a_failure_is_exported_and_still_one() {
    let folder = Folder::with_sample("no-plan");
    let trace = folder.run(&["export", "graph.json", "--to", "chrome-trace"]).ended(1, &["works"]);
    assert!(trace.contains("\"name\":\"no plan: "), "{trace}");
    folder.run(&["export", "graph.json", "--to", "trace", "-o", "x.jsonl"]).ended(1, &[]);
    let frame = folder.run(&["frame", "x.jsonl", "--size", "120x36"]).ok();
    assert!(frame.contains("step "), "{frame}");
    folder.run(&["export", "graph.json", "--to", "svg", "--what", "timeline"]).ended(1, &[]);
    // The graph is the same whether or not it can be planned.
    folder.run(&["export", "graph.json", "--to", "dot"]).ok();
}

#[test]
fn flags_that_the_format_has_no_use_for_are_refused() {
    let folder = Folder::with_sample("first-spill");
    for (arguments, words) in [
        (&["--to", "svg", "--what", "steps"][..], "--what says steps or buffers of --to csv"),
        (&["--to", "csv", "--what", "map"], "--what says"),
        (&["--to", "dot", "--what", "map"], "--what says"),
        (&["--to", "trace", "--level", "L1"], "--level and --axis go with --to svg"),
        (&["--to", "dot", "--axis", "cycles"], "--level and --axis go with --to svg"),
        (&["--to", "svg", "--level", "L7"], "its levels are L1, UB"),
        (&["--to", "json"], "chrome-trace"),
        (&[], "--to"),
        (&["--to", "svg", "-o", "no/such/folder/x.svg"], "cannot write"),
    ] {
        folder.run(&[&["export", "graph.json"], arguments].concat()).refused(&[words]);
    }
    assert_eq!(folder.names("."), ["graph.json"], "nothing is written");
}

#[test]
fn names_reach_no_terminal_raw_and_no_spreadsheet_as_a_formula() {
    let folder = Folder::new();
    let graph = r#"{"Nodes": [
        {"Id": 0, "Op": "ALLOC", "BufId": 0, "Size": 4, "Type": "UB", "Name": "=HYPERLINK(\"x\")\u001b[2J<b>"},
        {"Id": 1, "Op": "@SUM", "Pipe": "+V", "Cycles": 2, "Bufs": [0], "Name": "-1\u202e"},
        {"Id": 2, "Op": "FREE", "BufId": 0}], "Edges": [[0, 1], [1, 2]]}"#;
    folder.write("graph.json", graph);
    for format in [
        &["chrome-trace"][..],
        &["dot"],
        &["svg"],
        &["svg", "--what", "timeline"],
        &["csv", "--what", "steps"],
        &["csv", "--what", "buffers"],
    ] {
        let out = folder.run(&[&["export", "graph.json", "--to"], format].concat()).ok();
        assert!(!out.contains(['\u{1b}', '\u{202e}']), "{format:?}: {out}");
        assert!(format[0] != "svg" || !out.contains("<b>"), "{out}");
        assert!(
            format[0] != "csv" || [",=", ",@", ",+", ",-", ",\"="].iter().all(|start| !out.contains(start)),
            "{out}"
        );
    }
}
