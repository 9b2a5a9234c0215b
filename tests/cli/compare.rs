//! `compare`: strategies side by side, rows of one's own, sweeps.

use serde_json::{Value, json as value};

use super::run::{Folder, json};

/// A heavy operation beside a chain of light ones, which meet in the end; 65 MiB of outputs in all.
fn fork() -> String {
    let node = |name: &str, inputs: &[&str], mib: u64, millis: f64| value!({"name": name, "op_type": "op", "inputs": inputs, "output_size": mib << 20, "est_duration": millis});
    let nodes = [
        node("read", &[], 10, 1.0),
        node("heavy", &["read"], 20, 9.0),
        node("light1", &["read"], 10, 1.0),
        node("light2", &["light1"], 10, 1.0),
        node("light3", &["light2"], 10, 1.0),
        node("join", &["heavy", "light3"], 5, 0.5),
    ];
    value!({"nodes": nodes}).to_string()
}

fn with_fork() -> Folder {
    let folder = Folder::new();
    folder.write("graph.json", &fork());
    folder
}

const FLAGS: [&str; 4] = ["--workers", "2", "--max-pool-bytes", "45MiB"];

fn strategies(folder: &Folder, more: &[&str]) -> Value {
    let arguments = [&["compare", "graph.json", "--format", "json"], &FLAGS[..], more].concat();
    json(&folder.run(&arguments).ok())
}

#[test]
fn the_table_says_what_each_idea_is_worth() {
    let out = with_fork().run(&[&["compare", "graph.json"], &FLAGS[..]].concat()).ok();
    insta::assert_snapshot!("compare", out);
    let repeat = "spillscope compare graph.json --machine host --max-pool-bytes 47185920 --workers 2";
    assert!(out.lines().last().is_some_and(|last| last.starts_with(repeat)), "{out}");
}

#[test]
fn the_command_that_it_ends_with_gives_the_same_again() {
    let folder = with_fork();
    let with = ["--with", "--order memory-aware --buckets 'exact'"];
    let out = folder.run(&[&["compare", "graph.json"], &FLAGS[..], &with[..]].concat()).ok();
    assert_eq!(folder.sh(out.lines().last().unwrap()).ok(), out);
    let out =
        folder.run(&[&["compare", "graph.json"], &FLAGS[..], &["--sweep", "window=1..4/2", "--ascii"]].concat()).ok();
    let again = format!("{} --ascii", out.lines().last().unwrap());
    assert_eq!(folder.sh(&again).ok(), out);
    assert!(out.contains("< knee") && !out.contains('█'), "{out}");
}

#[test]
fn rows_are_in_json_with_plain_numbers() {
    let folder = with_fork();
    let found = strategies(&folder, &[]);
    let names: Vec<&str> =
        found["strategies"].as_array().unwrap().iter().map(|row| row["strategy"].as_str().unwrap()).collect();
    assert_eq!(names, ["naive", "refcount", "pool", "pool+window", "pool+critical-path", "pool+search"]);
    assert_eq!(found["strategies"][0]["peak_bytes"], 65 << 20);
    assert_eq!(found["bounds"]["operand_set_bytes"], 35 << 20);
    assert_eq!(found["sweep"], Value::Null);
}

#[test]
fn any_planning_flags_make_a_row_that_plan_would_make_too() {
    let folder = with_fork();
    let flags = "--order memory-aware --buckets exact --window 1";
    let row = strategies(&folder, &["--with", flags])["strategies"][6].clone();
    assert_eq!(
        (&row["strategy"], &row["window"], &row["max_pool_bytes"]),
        (&flags.into(), &1.into(), &(45 << 20).into())
    );
    let words: Vec<&str> = flags.split(' ').collect();
    let plan = json(&folder.run(&[&["plan", "graph.json", "--format", "json"], &FLAGS[..], &words[..]].concat()).ok());
    assert_eq!(row["makespan"], plan["makespan"]);
    assert_eq!(row["live_peak_bytes"], plan["peak"]["pool"]);
}

#[test]
fn a_row_without_a_plan_is_shown_beside_the_others() {
    let folder = with_fork();
    let found = strategies(&folder, &["--with", "--max-pool-bytes 20MiB", "--with", "--order given"]);
    let rows = found["strategies"].as_array().unwrap();
    assert_eq!(
        rows.iter().map(|row| row["valid"] == true).collect::<Vec<_>>(),
        [true, true, true, true, true, true, false, false]
    );
}

#[test]
fn nothing_with_a_plan_is_a_failure() {
    let folder = with_fork();
    let arguments = ["compare", "graph.json", "--sweep", "max-pool-bytes=1MiB..2MiB", "--format", "json"];
    let out = folder.run(&arguments).ended(1, &["no value has a plan"]);
    assert_eq!(json(&out)["sweep"]["knee"], Value::Null);
}

#[test]
fn a_sweep_goes_through_its_values() {
    let folder = with_fork();
    let sweep = |range: &str| {
        let found = strategies(&folder, &["--sweep", range]);
        assert_eq!(found["strategies"], value!([]));
        let values = found["sweep"]["values"].as_array().unwrap();
        (found["sweep"]["knee"].clone(), values.iter().map(|row| row["value"].as_u64().unwrap()).collect::<Vec<_>>())
    };
    assert_eq!(sweep("window=1..4"), (2.into(), vec![1, 2, 3, 4]));
    let (knee, caps) = sweep("max-pool-bytes=20MiB..80MiB..20MiB");
    assert_eq!(caps, [20 << 20, 40 << 20, 60 << 20, 80 << 20]);
    assert!(knee.as_u64().is_some_and(|knee| knee > 20 << 20), "the end needs 35 MiB at once");
    assert_eq!(sweep("capacity.pool=40MiB..80MiB/3").1, [40 << 20, 60 << 20, 80 << 20]);
    let csv = folder
        .run(&[&["compare", "graph.json"], &FLAGS[..], &["--sweep", "window=1..3", "--format", "csv"]].concat())
        .ok();
    assert_eq!(csv.lines().count(), 4, "{csv}");
    assert!(csv.starts_with("window,knee,valid,"), "{csv}");
}

#[test]
fn caches_are_compared_by_traffic() {
    let folder = Folder::with_sample("first-spill");
    let found = json(&folder.run(&["compare", "graph.json", "--format", "json"]).ok());
    assert_eq!((&found["baseline"], &found["strategies"][0]["extra_traffic"]), (&"program".into(), &1024.into()));
    let found =
        json(&folder.run(&["compare", "graph.json", "--sweep", "capacity.L1=4096..8192/3", "--format", "json"]).ok());
    let traffic: Vec<&Value> =
        found["sweep"]["values"].as_array().unwrap().iter().map(|row| &row["extra_traffic"]).collect();
    assert_eq!(traffic, [&Value::from(1024), &0.into(), &0.into()]);
}

#[test]
fn standard_input_is_read_once_for_all_rows() {
    let out = Folder::new().run_with(&["compare", "-", "--with", "--window 1"], &fork()).ok();
    assert!(out.starts_with("stdin: 6 operations on 8 workers; 7 strategies\n"), "{out}");
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = with_fork();
    folder.write("npu.json", &super::run::sample("first-spill"));
    let refused = |graph: &str, arguments: &[&str], words: &[&str]| {
        folder.run(&[&["compare", graph], arguments].concat()).refused(words);
    };
    for (flags, words) in [
        ("--sweep=window", "expected SETTING=A..B"),
        ("--sweep=window=4..1", "backwards, from 4 to 1"),
        ("--sweep=window=1..5000000000", "a window is at most 4294967295"),
        ("--sweep=speed=1..4", "use window, max-pool-bytes or capacity.LEVEL"),
        ("--sweep=capacity.L9=1..4", "its levels are pool"),
        ("--with=--pray", "--pray"),
        ("--with=graph.json", "graph.json"),
        ("--with=--order 'x", "a quote is never closed"),
        ("--with=--window 0", "0"),
        ("--format=yaml", "'yaml'"),
    ] {
        refused("graph.json", &[flags], &[words]);
    }
    refused("npu.json", &["--sweep", "max-pool-bytes=1..4"], &["no buffer of this graph lives in one", "capacity.L1"]);
    refused("graph.json", &["--with", "--window 1", "--sweep", "window=1..4"], &["cannot be used with"]);
    refused("none.json", &[], &["there is no such file"]);
}

#[cfg(unix)]
#[test]
fn an_interrupt_ends_with_130_and_prints_nothing() {
    let folder = Folder::new();
    folder.run(&["generate", "random", "--nodes", "5000", "-o", "graph.json"]).ok();
    // A thousand plans take far longer than the second until the interrupt. The shell lets the process in the background
    // ignore the signal, which must not keep it from ending.
    let ran = folder.sh("spillscope compare graph.json --sweep capacity.L1=4096..8192/1000 & \
         sleep 1; kill -INT $!; wait $!; echo status $? >&2");
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("", "status 130\n"));
}
