//! Plans read from folders: shown, replayed, compared.

use serde_json::Value;

use super::run::{Folder, json};

/// A folder with `graph.json`, its plan in `mine`, and one for a smaller L1 in `theirs`.
fn with_plans(name: &str) -> Folder {
    let folder = Folder::with_sample(name);
    folder.run(&["plan", "graph.json", "-o", "mine"]).ok();
    folder.run(&["plan", "graph.json", "-o", "theirs", "--capacity", "L1=3584"]).ok();
    folder
}

fn first_line(frame: &str) -> &str {
    frame.lines().next().expect("a header")
}

#[test]
fn our_plan_read_back_is_the_same_at_every_step() {
    let folder = with_plans("first-spill");
    let steps = folder.read("mine/graph_schedule.txt").lines().count();
    // The map and the levels of each step: what stands left of the words.
    let left = |flags: &[&str], step: usize| {
        let at = step.to_string();
        let frame = folder.run(&[&["frame", "graph.json", "--size", "130x40", "--step", &at], flags].concat()).ok();
        frame.lines().skip(1).take(20).map(|line| line.chars().take(64).collect::<String>()).collect::<Vec<_>>()
    };
    for step in 0..steps {
        assert_eq!(left(&["--plan", "mine"], step), left(&[], step), "step {step}");
    }
}

#[test]
fn a_plan_of_elsewhere_is_told_as_one() {
    let folder = with_plans("first-spill");
    let frame = folder.run(&["frame", "graph.json", "--plan", "mine", "--size", "130x40"]).ok();
    assert!(first_line(&frame).contains("plan from mine"), "{frame}");
    assert!(frame.contains("the plan says so and brings no reason"), "{frame}");
    let report = folder.run(&["view", "graph.json", "--plan", "mine"]).ok();
    assert!(report.contains("rules R1–R6 hold, figures recomputed and equal"), "{report}");
    let again = report.lines().last().expect("the command");
    assert_eq!(again, "spillscope view graph.json --plan mine --machine npu");
    assert_eq!(folder.sh(again).ok(), report);
    folder.run(&["view", "graph.json", "--plan", "mine", "--order", "program"]).refused(&["--order"]);
    folder.run(&["view", "graph.json", "--plan", "nowhere"]).refused(&["nowhere", "no such folder"]);
    folder.write("mine/graph_memory.txt", "0:0\nx\n");
    folder.run(&["frame", "graph.json", "--plan", "mine"]).refused(&["graph_memory.txt:2:1", "expected BufId:Offset"]);
}

#[test]
fn a_broken_plan_opens_at_its_first_fault() {
    let folder = with_plans("first-spill");
    let memory = folder.read("mine/graph_memory.txt");
    let moved: Vec<&str> = memory.lines().map(|line| if line.starts_with("1:") { "1:1" } else { line }).collect();
    folder.write("mine/graph_memory.txt", &moved.join("\n"));
    let frame = folder.run(&["frame", "graph.json", "--plan", "mine", "--size", "130x40"]).ok();
    let head = first_line(&frame);
    assert!(head.contains("BROKEN") && head.contains("step 2/2") && head.contains("finding"), "{head}");
    for part in ["cannot be replayed", "R6   step 2: buffer 1 at L1[1,1025) overlaps buffer 0"] {
        assert!(frame.replace("│\n", " ").contains(part) || frame.contains(part), "{part}\n{frame}");
    }
    let ran = folder.run(&["view", "graph.json", "--plan", "mine"]).ended(1, &["the plan in mine is broken"]);
    assert!(ran.contains("R6 step 2"), "{ran}");
}

#[test]
fn plans_broken_in_any_way_are_shown_as_far_as_they_mean_something() {
    let folder = with_plans("first-spill");
    let files = ["schedule", "memory", "spill"].map(|kind| format!("mine/graph_{kind}.txt"));
    let sound = files.clone().map(|file| folder.read(&file));
    let lines = |at: usize| sound[at].lines().map(str::to_owned).collect::<Vec<_>>();
    let mut broken: Vec<(usize, Vec<String>)> = Vec::new();
    for at in 0..3 {
        broken.push((at, Vec::new()));
        broken.push((at, lines(at).into_iter().rev().collect()));
        for line in 0..lines(at).len() {
            let mut twice = lines(at);
            twice.insert(line, twice[line].clone());
            let mut without = lines(at);
            without.remove(line);
            let mut odd = lines(at);
            odd[line] = ["9223372036854775807", "1:9223372036854775807", "999:-1"][at].into();
            broken.extend([(at, twice), (at, without), (at, odd)]);
        }
    }
    for (at, lines) in broken {
        folder.write(&files[at], &lines.join("\n"));
        let frame =
            folder.run(&["frame", "graph.json", "--plan", "mine", "--size", "100x30", "--keys", "lhGgs]w"]).ok();
        assert!(frame.contains("plan from mine"), "{}: {lines:?}\n{frame}", files[at]);
        folder.write(&files[at], &sound[at]);
    }
}

#[test]
fn plans_of_operation_graphs_keep_their_blocks() {
    let folder = Folder::with_sample("buckets");
    folder.run(&["plan", "graph.json", "-o", "mine"]).ok();
    let left = |flags: &[&str]| {
        let frame = folder.run(&[&["frame", "graph.json", "--step", "peak", "--size", "130x40"], flags].concat()).ok();
        frame.lines().skip(1).take(20).map(|line| line.chars().take(64).collect::<String>()).collect::<Vec<_>>()
    };
    assert_eq!(left(&["--plan", "mine"]), left(&[]));
    let report = folder.run(&["view", "graph.json", "--plan", "mine"]).ok();
    assert!(report.contains("rules R1–R6 hold, figures recomputed and equal"), "{report}");
}

#[test]
fn two_plans_are_told_apart() {
    let folder = with_plans("matmul");
    let flags = ["--capacity", "L1=4096"];
    let out = folder.run(&[&["compare", "graph.json", "mine", "theirs"], &flags[..]].concat()).ok();
    for part in ["A  plan from mine", "B  plan from theirs", "They part at", "fare"] {
        assert!(out.contains(part), "{part}\n{out}");
    }
    let again = out.lines().last().expect("the command");
    assert_eq!(folder.sh(again).ok(), out);
    let found = json(&folder.run(&["compare", "graph.json", "mine", "theirs", "--format", "json"]).ok());
    assert_eq!((&found["same"], &found["plans"][0]["valid"]), (&false.into(), &true.into()));
    assert!(found["partings"].as_array().is_some_and(|partings| !partings.is_empty()));
    let same = json(&folder.run(&["compare", "graph.json", "mine", "mine", "--format", "json"]).ok());
    assert_eq!(
        (&same["same"], &same["partings"], &same["buffers"]),
        (&true.into(), &Value::Array(vec![]), &Value::Array(vec![]))
    );
}

#[test]
fn what_cannot_be_compared_is_refused() {
    let folder = with_plans("first-spill");
    let refused = |arguments: &[&str], words: &[&str]| {
        folder.run(&[&[arguments[0], "graph.json"], &arguments[1..]].concat()).refused(words);
    };
    refused(&["compare", "mine"], &["DIR"]);
    refused(&["compare", "mine", "nowhere"], &["nowhere", "no such folder"]);
    refused(&["compare", "mine", "theirs", "--with", "--order topological"], &["cannot be used with"]);
    refused(&["compare", "mine", "theirs", "--format", "csv"], &["--format csv"]);
    refused(&["view", "--against", "nowhere"], &["neither a folder nor flags"]);
    refused(&["view", "--against", "--pray"], &["--pray"]);
    refused(&["view", "--against", "--order 'x"], &["a quote is never closed"]);
    refused(&["view", "--against", "mine", "--evaluations", "10"], &["a search does not go with --against"]);
}

#[test]
fn a_comparison_where_nobody_looks_is_printed() {
    let folder = with_plans("first-spill");
    let out = folder.run(&["view", "graph.json", "--against", "--capacity L1=3584"]).ok();
    assert!(out.contains("B  --capacity L1=3584 · "), "{out}");
    let again = out.lines().last().expect("the command");
    assert_eq!(folder.sh(again).ok(), out);
    folder.run(&["view", "graph.json", "--plan", "mine", "--against", "theirs"]).ok();
    let frame = folder.run(&["frame", "graph.json", "--plan", "mine", "--against", "theirs", "--size", "100x30"]).ok();
    assert!(frame.contains("plan from mine") && frame.contains("plan from theirs"), "{frame}");
}
