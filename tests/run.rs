//! `run` as a person meets it: reports, exit status, stamps over many runs, faults, interrupts, traces.
#![cfg(unix)]

#[allow(dead_code, reason = "shared with the tests of the other commands")]
#[path = "cli/run.rs"]
mod program;

use std::io::Read;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use program::{Folder, json};
use serde_json::Value;

/// Small enough for any machine, quick enough for many runs.
const TINY: [&str; 4] = ["--size-scale", "0.0005", "--time-scale", "0.005"];

fn run(folder: &Folder, more: &[&str]) -> program::Ran {
    folder.run(&[&["run", "graph.json"], more].concat())
}

fn report(folder: &Folder, more: &[&str]) -> Value {
    json(&run(folder, &[more, &["--format", "json"]].concat()).ok())
}

#[test]
fn the_report_has_the_measured_beside_the_planned() {
    let folder = Folder::with_sample("early-release");
    let text = run(&folder, &[]).ok();
    for words in ["5 operations done", "measured    planned", "allocations            3          3", "the same again:"]
    {
        assert!(text.contains(words), "{words} is missing: {text}");
    }
    let found = report(&folder, &["--workers", "2"]);
    assert_eq!((&found["ending"], &found["stamps"]), (&"done".into(), &5.into()));
    assert_eq!(found["measured"]["peak_bytes"], found["predicted"]["peak_bytes"]);
    assert!(found["measured"]["makespan"].as_u64() >= Some(22_000), "no kernel ends early: {found}");
    assert_eq!(found["busy"].as_array().map(Vec::len), Some(2));
}

#[test]
fn no_stamp_breaks_in_200_runs() {
    let folder = Folder::with_sample("pipeline-240");
    for workers in ["2", "8"] {
        let found = report(&folder, &[&TINY[..], &["--runs", "200", "--workers", workers]].concat());
        assert_eq!(found["times"].as_array().map(Vec::len), Some(200));
        let operands = found["stamps"].as_u64().expect("a number");
        assert!(operands > 0 && operands.is_multiple_of(200), "every run looks for the same stamps: {operands}");
    }
}

#[test]
fn the_planted_fault_is_caught_in_each_run() {
    for (sample, scale) in [("pipeline-240", &TINY[..]), ("early-release", &TINY[2..])] {
        let folder = Folder::with_sample(sample);
        for workers in ["2", "8"] {
            for _ in 0..5 {
                let ran = run(&folder, &[scale, &["--workers", workers, "--fault", "early-release"]].concat());
                let out = ran.ended(1, &["a stamp is broken: ", " read ", " in block "]);
                assert!(out.contains("BROKEN"), "{out}");
            }
        }
    }
}

#[test]
fn what_happened_can_be_watched() {
    let folder = Folder::with_sample("light-tasks");
    run(&folder, &["--time-scale", "0.1", "-o", "x.trace.jsonl"]).ok();
    let text = folder.run(&["view", "x.trace.jsonl"]).ok();
    assert!(text.starts_with("graph: measured run, ") && text.contains("rules R1–R6 hold"), "{text}");
    let frame = folder.run(&["frame", "x.trace.jsonl", "--step", "peak"]).ok();
    assert!(frame.contains("measured run"), "{frame}");
    folder.run(&["plan", "x.trace.jsonl"]).refused(&["this is a trace file", "spillscope view"]);

    let fault = ["--fault", "early-release", "--trace", "broken.trace.jsonl"];
    folder.write("graph.json", &program::sample("early-release"));
    run(&folder, &fault).ended(1, &["a stamp is broken"]);
    let text = folder.run(&["view", "broken.trace.jsonl"]).ended(1, &["the plan is broken"]);
    assert!(text.contains("ended early: 1 broken stamp"), "{text}");
}

#[test]
fn a_failing_kernel_is_named_and_ends_the_run() {
    let folder = Folder::with_sample("early-release");
    let out = run(&folder, &["--fail-at", "refine 1"]).ended(1, &["the kernel of ", "refine 1", "failed"]);
    assert!(out.contains("after 2 operations"), "{out}");
    run(&folder, &["--fail-at", "nobody"]).refused(&["no operation has the name 'nobody'"]);
}

#[test]
fn means_of_durations_are_kept() {
    let folder = Folder::with_sample("buckets");
    run(&folder, &["--profile", "means.json"]).ok();
    let first = json(&folder.read("means.json"));
    assert_eq!(first["op_types"]["conv"]["runs"], 12);
    assert!(first["op_types"]["conv"]["mean_us"].as_f64() >= Some(1000.0), "{first}");
    run(&folder, &["--profile", "means.json", "--smoothing", "0.5", "--time-scale", "0.5"]).ok();
    let second = json(&folder.read("means.json"));
    assert_eq!((&second["op_types"]["conv"]["runs"], &second["smoothing"]), (&24.into(), &0.5.into()));
    run(&folder, &["--smoothing", "0.5"]).ended(2, &["--profile"]);
}

#[test]
fn what_cannot_be_run_is_refused_beforehand() {
    let folder = Folder::with_sample("early-release");
    run(&folder, &["--size-scale", "1e9"]).refused(&["the pool may come to hold", "use --size-scale"]);
    run(&folder, &["--order", "program"]).refused(&["is fixed beforehand", "--order critical-path"]);
    for wrong in ["0", "-1", "nan", "x"] {
        run(&folder, &[&format!("--time-scale={wrong}")]).ended(2, &["--time-scale", "above 0"]);
    }
    Folder::with_sample("first-spill").run(&["run", "graph.json"]).refused(&["which is no pool"]);
    Folder::with_sample("deadlock").run(&["run", "graph.json"]).ended(1, &["eadlock"]);
}

#[test]
fn an_interrupt_waits_for_what_runs_and_reports_what_was_done() {
    let folder = Folder::with_sample("light-tasks");
    let mut child = Command::new(env!("CARGO_BIN_EXE_spillscope"))
        .args(["run", "graph.json", "--time-scale", "50", "--workers", "1", "-o", "x.trace.jsonl"])
        .current_dir(folder.path("."))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it starts");
    std::thread::sleep(Duration::from_millis(600));
    let pid = child.id().to_string();
    let asked = Instant::now();
    assert!(Command::new("kill").args(["-INT", &pid]).status().expect("kill is there").success());
    let status = child.wait().expect("it ends");
    assert_eq!(status.code(), Some(130), "by its own decision, not by the signal");
    assert!(asked.elapsed() < Duration::from_secs(4), "only what ran was waited for");
    let (mut out, mut err) = (String::new(), String::new());
    child.stdout.take().expect("piped").read_to_string(&mut out).expect("text");
    child.stderr.take().expect("piped").read_to_string(&mut err).expect("text");
    assert!(out.contains(": interrupted after ") && err.contains("interrupted after "), "{out}{err}");
    let text = folder.run(&["view", "x.trace.jsonl"]).ok();
    assert!(text.contains("ended early: interrupted"), "{text}");
}
