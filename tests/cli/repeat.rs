//! The command at the end of a report gives the same plan again, byte for byte.

use super::run::{Folder, json, sample};

const MACHINE: &str = r#"{"name": "two", "levels": [{"name": "L1", "capacity": 4000}, {"name": "UB", "capacity": 900},
    {"name": "L0A", "capacity": 256}, {"name": "L0B", "capacity": 256}, {"name": "L0C", "capacity": 600, "spill": true}],
    "units": [{"name": "CUBE", "count": 2}], "transfer": {"bytes_per_cycle": 3, "overhead": 7}}"#;

/// Plans `graph` with `flags` and then as the report says; the plan files must be equal.
#[track_caller]
fn assert_repeats(folder: &Folder, graph: &str, flags: &[&str]) {
    let arguments = [&["plan"], &[graph][..], flags].concat();
    let out = folder.run(&[&arguments[..], &["-o", "first"]].concat()).ok();
    let repeat = out.lines().last().expect("a last line").to_owned();
    let again = folder.sh(&format!("{repeat} -o second")).ok();
    assert_eq!(again.lines().last(), Some(repeat.as_str()), "the repeated command repeats itself");
    let (first, second) = (folder.files("first"), folder.files("second"));
    assert_eq!(first.len(), 4);
    assert!(first == second, "{repeat} gives another plan");
    let report = json(&folder.run(&[&arguments[..], &["--format", "json"]].concat()).ok());
    assert_eq!(report["repeat"], repeat);
    for dir in ["first", "second"] {
        std::fs::remove_dir_all(folder.path(dir)).expect("it is there");
    }
}

#[test]
fn for_every_flag() {
    let folder = Folder::with_sample("conv");
    folder.write("machine.json", MACHINE);
    let out = folder.run(&["plan", "graph.json", "-o", "given", "--on-full", "postpone,spill-many"]).ok();
    assert!(out.contains("64 spills") || out.contains("spill"), "{out}");
    // Another legal order of the same graph: what was planned, without the spills.
    let nodes = json(&sample("conv"))["Nodes"].as_array().map_or(0, Vec::len);
    let schedule = folder.read("given/graph_schedule.txt");
    let own = schedule.lines().filter(|id| id.parse::<usize>().expect("an id") < nodes);
    folder.write("its schedule.txt", &own.collect::<Vec<_>>().join("\n"));
    for flags in [
        &[][..],
        &["--machine", "seed"],
        &["--machine", "machine.json"],
        &["--capacity", "L1=3000,UB=1000"],
        &["--capacity", "L1=3000", "--capacity", "L1=2048"],
        &["--on-full", "postpone,spill-many"],
        &["--on-full", "spill,spill-many", "--postpone-limit", "0"],
        &["--postpone-limit", "4294967295", "--on-full", "postpone,spill-many"],
        &["--spill-l0", "--capacity", "L0C=300"],
        &["--schedule", "its schedule.txt"],
        &["--schedule", "its schedule.txt", "--order", "program"],
        &["--bytes-per-cycle", "0.3", "--overhead", "0"],
        &["--bytes-per-cycle", "1e-3", "--overhead", "123456789"],
        &["--policy", "classic", "--order", "program"],
        &["--victims", "cheapest-run", "--fit", "window", "--hoist"],
        &["--victims", "lru", "--prefetch", "5", "--on-full", "spill-many"],
    ] {
        assert_repeats(&folder, "graph.json", flags);
    }
}

#[test]
fn for_the_flags_of_operation_graphs() {
    let folder = Folder::with_sample("pipeline-240");
    let no_durations = folder.read("graph.json").replace("\"est_duration\": ", "\"x\": ");
    folder.write("no durations.json", &no_durations);
    let profile =
        r#"{"version": 1, "op_types": {"conv": {"mean_us": 2500.5, "runs": 3}, "matmul": {"mean_us": 9000}}}"#;
    folder.write("a profile.json", profile);
    for flags in [
        &[][..],
        &["--machine", "host"],
        &["--order", "topological", "--max-pool-bytes", "3GiB"],
        &["--capacity", "pool=3000000000"],
        &["--buckets", "pow2", "--max-age", "5000", "--window", "4", "--workers", "6"],
        &["--buckets", "fixed:4096,1048576", "--order", "memory-aware"],
    ] {
        assert_repeats(&folder, "graph.json", flags);
    }
    assert_repeats(&folder, "no durations.json", &["--profile", "a profile.json"]);
    let out = folder.run(&["plan", "no durations.json", "--profile", "a profile.json"]).ok();
    let [conv, matmul] = ["conv", "matmul"].map(|kind| no_durations.matches(&format!("\"{kind}\"")).count());
    let counts = format!("240 missing: {} from the profile, {} taken as 1 ms", conv + matmul, 240 - conv - matmul);
    assert!(out.contains(&counts), "{out}");
    let repeat = folder.run(&["plan", "graph.json"]).ok();
    assert!(repeat.lines().last().is_some_and(|line| line.contains("--machine host --max-pool-bytes 2")));
}

#[test]
fn for_names_that_a_shell_would_take_apart() {
    let folder = Folder::new();
    for name in ["it's a \"graph\" of $HOME; #1.json", "back\\slash & *.json", "-dash.json", "é漢.json", " .json"] {
        folder.write(name, &sample("first-spill"));
        folder.write("--machine file'.json", MACHINE);
        let path = if name.starts_with('-') { format!("./{name}") } else { name.to_owned() };
        assert_repeats(&folder, &path, &["--machine", "./--machine file'.json"]);
    }
    // Named behind `--`, which the repeated command does without.
    let out = folder.run(&["plan", "--", "-dash.json"]).ok();
    folder.sh(out.lines().last().expect("a line")).ok();
}

#[test]
fn for_standard_input_and_the_built_in_sample() {
    let folder = Folder::with_sample("first-spill");
    let out = folder.run_with(&["plan", "-", "-o", "first"], &sample("first-spill")).ok();
    let repeat = out.lines().last().expect("a line");
    folder.sh(&format!("cat graph.json | {repeat} -o second")).ok();
    assert!(folder.files("first") == folder.files("second"));

    let out = folder.run(&["plan", "-o", "third"]).ok();
    folder.sh(&format!("{} -o fourth", out.lines().last().expect("a line"))).ok();
    assert!(folder.files("third") == folder.files("fourth"));
}

#[test]
fn reports_of_failures_and_checks_end_with_it_too() {
    let folder = Folder::with_sample("no-plan");
    let out = folder.run(&["plan", "graph.json"]).ended(1, &[]);
    folder.sh(out.lines().last().expect("a line")).ended(1, &[]);

    let flags = ["--capacity", "L0C=600", "--overhead", "3"];
    folder.run(&[&["plan", "graph.json", "-o", "the plan"], &flags[..]].concat()).ended(1, &[]);
    folder.run(&[&["plan", "graph.json", "-o", "the plan", "--spill-l0"], &flags[..]].concat()).ok();
    let out = folder.run(&[&["check", "graph.json", "the plan"], &flags[..]].concat()).ok();
    assert_eq!(folder.sh(out.lines().last().expect("a line")).ok(), out);
}
