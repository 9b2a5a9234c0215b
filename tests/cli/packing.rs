//! Lifetimes and dumps of XLA: answers, what is written, and what is refused.

use super::run::{Folder, json};

#[path = "../support/tflite.rs"]
mod tflite;

/// A sample's text.
pub fn file(name: &str) -> String {
    let path = format!("{}/samples/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("samples can be read")
}

/// A folder with the samples of both kinds.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("l.csv", &file("lifetimes.csv"));
    for ending in ["buffer-assignment", "live-range"] {
        folder.write(&format!("d-{ending}.txt"), &file(&format!("two-layers-{ending}.txt")));
    }
    folder
}

const DUMP: &str = "d-buffer-assignment.txt";

#[test]
fn what_fits_is_written_with_the_columns_of_the_input() {
    let folder = folder();
    let out = folder.run(&["plan", "l.csv", "--capacity", "40", "-o", "out"]).ok();
    assert!(out.starts_with("l: fits 40: the highest buffer ends at "), "{out}");
    assert!(out.contains("max live") && out.contains("peak") && out.contains("features"), "{out}");
    assert_eq!(folder.names("out"), ["l_packed.csv"]);
    let written = folder.read("out/l_packed.csv");
    let mut rows = written.lines().zip(folder.read("l.csv").lines().map(str::to_owned).collect::<Vec<_>>());
    assert_eq!(rows.next().map(|(row, from)| row == format!("{from},offset")), Some(true), "{written}");
    assert!(rows.all(|(row, from)| row.rsplit_once(',').is_some_and(|(before, _)| before == from)), "{written}");

    let checked = folder.run(&["check", "l.csv", "out", "--capacity", "40"]).ok();
    assert!(checked.starts_with("l: valid packing, height "), "{checked}");
    folder.run(&["check", "out/l_packed.csv"]).ok();
    folder.run(&["view", "l.csv", "--plan", "out"]).ok();
    folder.run(&["check", "out/l_packed.csv", "--capacity", "31"]).ended(1, &["the packing is broken"]);
}

#[test]
fn the_report_for_programs_has_every_address() {
    let folder = folder();
    let report = json(&folder.run(&["plan", "l.csv", "--capacity", "40", "--format", "json"]).ok());
    assert_eq!((&report["answer"], &report["capacity"]), (&"fits".into(), &40.into()));
    assert_eq!(report["max_live"], serde_json::json!({"bytes": 32, "at": 10}));
    assert_eq!(report["packing"].as_array().map(Vec::len), Some(12));
    assert_eq!(report["peak"][0], serde_json::json!({"id": "features", "size": 12}));
    let command = report["command"].as_str().expect("a command");
    let again = json(&folder.sh(&format!("{command} --format json")).ok());
    assert_eq!(again["packing"], report["packing"]);
}

#[test]
fn a_no_is_proven_and_names_buffers() {
    let folder = folder();
    let out = folder.run(&["plan", "l.csv", "--capacity", "31", "-o", "out"]).ended(1, &["proven not to fit 31"]);
    assert!(out.contains("core") && out.contains("at time 10 they need 32 together"), "{out}");
    assert!(folder.names("out").is_empty(), "nothing is written");
    let report = json(&folder.run(&["plan", "l.csv", "--capacity", "31", "--format", "json"]).ended(1, &[]));
    assert_eq!((&report["answer"], &report["height"]), (&"cannot_fit".into(), &serde_json::Value::Null));
    assert!(report["core"].as_array().is_some_and(|core| core.len() > 1), "{report}");
    let frame = folder.run(&["frame", "l.csv", "--capacity", "31"]).ok();
    assert!(frame.contains("FAILED") && frame.contains("proven not to fit 31"), "{frame}");
}

#[test]
fn without_a_capacity_the_smallest_is_looked_for() {
    let folder = folder();
    for flags in [&[][..], &["--minimize"]] {
        let report = json(&folder.run(&[&["plan", "l.csv", "--format", "json"], flags].concat()).ok());
        let answer = report["answer"].as_str().expect("an answer");
        assert!(["smallest", "smallest_found"].contains(&answer), "{report}");
        assert!(report["height"].as_u64() >= report["bound"].as_u64() && report["bound"] == 32, "{report}");
    }
    folder.run(&["plan", "l.csv", "--minimize", "--capacity", "9"]).refused(&["leave one of the two out"]);
}

#[test]
fn fixed_addresses_are_kept_or_refused() {
    let folder = folder();
    folder.write("f.csv", "id,lower,upper,size,offset\na,0,4,4,\nb,2,6,4,0\nc,0,2,3,\n");
    folder.run(&["plan", "f.csv", "-o", "out"]).ok();
    assert!(folder.read("out/f_packed.csv").contains("\nb,2,6,4,0\n"));
    folder.write("f.csv", "id,lower,upper,size,offset\na,0,4,4,2\nb,2,6,4,0\n");
    folder.run(&["plan", "f.csv"]).ended(1, &["whatever the capacity", "a and b overlap"]);
    let broken = folder.run(&["check", "f.csv"]).ended(1, &["the packing is broken: 1 fault"]);
    assert!(broken.contains("a and b both hold address 2 at time 2"), "{broken}");
    let frame = folder.run(&["frame", "f.csv"]).ok();
    assert!(frame.contains("BROKEN"), "{frame}");
}

#[test]
fn names_from_a_file_never_reach_the_terminal_raw() {
    let folder = folder();
    folder.write("n.csv", "id,lower,upper,size\n\u{1b}[31mred,0,4,4\n界,2,6,4\n");
    for command in [&["plan", "n.csv"][..], &["frame", "n.csv"], &["plan", "n.csv", "--capacity", "5"]] {
        let ran = folder.run(command);
        assert!(!format!("{}{}", ran.out, ran.err).contains('\u{1b}'), "{ran:?}");
    }
}

#[test]
fn what_means_nothing_for_lifetimes_is_refused() {
    let folder = folder();
    folder.run(&["plan", "l.csv", "--order", "program"]).refused(&["means nothing for lifetimes"]);
    folder.run(&["view", "l.csv", "--machine", "npu"]).refused(&["means nothing for lifetimes"]);
    folder.run(&["plan", "l.csv", "--capacity", "L1=4096"]).refused(&["--capacity is one number"]);
    folder.run(&["plan", "l.csv", "--bounds"]).refused(&["are for graphs"]);
    folder.run(&["compare", "l.csv", "--sweep", "window=1..4"]).refused(&["these are lifetimes"]);
    folder.run(&["run", "l.csv"]).refused(&["l.csv: these are lifetimes"]);
    folder.run(&["check", "l.csv"]).refused(&["some buffer has no address"]);
    folder.run(&["check", "l.csv", "none.csv"]).refused(&["none.csv: there is no such file"]);
    folder.write("short.csv", "id,lower,upper,size,offset\nimage,0,4,7,0\n");
    folder.run(&["check", "l.csv", "short.csv"]).refused(&["there is no buffer skip"]);
    folder.write("graph.json", &super::run::sample("first-spill"));
    folder.run(&["plan", "graph.json", "--capacity", "4096"]).refused(&["names no level"]);
    folder.run(&["plan", "graph.json", "--minimize"]).refused(&["--minimize is for lifetimes"]);
    folder.run(&["check", "graph.json"]).refused(&["check needs <DIR>, the folder with the plan"]);
    folder.write("bad.csv", "id,lower,upper,size\na,0,4,4\nb,5,5,1\n");
    folder.run(&["plan", "bad.csv", "-o", "out"]).refused(&["`upper` must be above `lower`", "bad.csv:3:5"]);
    assert!(folder.names("out").is_empty());
}

#[test]
fn lifetimes_may_come_on_standard_input() {
    let out = folder().run_with(&["plan", "-", "--capacity", "4"], "id,lower,upper,size\na,0,4,4\n").ok();
    assert!(out.starts_with("stdin: fits 4") && out.contains("spillscope plan - --capacity 4"), "{out}");
}

#[test]
fn an_xla_dump_is_told_by_allocation_and_packed_again() {
    let folder = folder();
    let out = folder.run(&["plan", DUMP]).ok();
    assert!(out.contains("temp 6") && out.contains("packed again 3 976 in place of 4 168, 192 less"), "{out}");
    let report = json(&folder.run(&["plan", DUMP, "--format", "json"]).ok());
    let allocations = report["allocations"].as_array().expect("allocations");
    let temp = allocations.iter().find(|it| it["allocation"] == 6).expect("the temporaries");
    assert_eq!((&temp["size"], &temp["height"], &temp["bound"]), (&1344.into(), &1344.into(), &1152.into()));
    assert_eq!((&temp["packed"], &temp["in_place"]), (&1152.into(), &1.into()));
    assert_eq!(report["skipped_lines"], 0);
    let thread_local = allocations.iter().find(|it| it["allocation"] == 5).expect("it is listed");
    assert_eq!(thread_local["packed"], serde_json::Value::Null);
    folder.run(&["plan", DUMP, "--capacity", "7"]).refused(&["have their sizes"]);
    folder.run(&["plan", DUMP, "-o", "out"]).refused(&["-o writes nothing for a dump"]);
    folder.run(&["check", DUMP]).refused(&["verified as it is planned"]);
    folder.run(&["plan", "d-live-range.txt"]).refused(&["name X-buffer-assignment.txt"]);
    folder.run(&["view", DUMP]).ok();
}

#[test]
fn a_dump_opens_at_its_peak_with_our_packing_beside_it() {
    let folder = folder();
    let frame = folder.run(&["frame", DUMP]).ok();
    assert!(frame.contains("as XLA has it") && frame.contains("The peak."), "{frame}");
    let both = folder.run(&["frame", DUMP, "--keys", "d"]).ok();
    assert!(both.contains("packed by spillscope"), "{both}");
    let knobs = folder.run(&["frame", DUMP, "--keys", "c"]).ok();
    assert!(knobs.contains("they need addresses, and no step can be planned otherwise"), "{knobs}");
}

#[test]
fn packers_are_compared_with_the_bound() {
    let folder = folder();
    let out = folder.run(&["compare", "l.csv"]).ok();
    let row = |name: &str| out.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{name} in {out}"));
    assert!(row("the largest first").contains("37") && row("search").contains("32   proven optimal"), "{out}");
    let report = json(&folder.run(&["compare", "l.csv", "--format", "json"]).ok());
    assert_eq!((&report["bound"], report["rows"].as_array().map(Vec::len)), (&32.into(), Some(5)));
    let csv = folder.run(&["compare", "l.csv", "--format", "csv"]).ok();
    assert!(csv.starts_with("packer,height,above_bound\n") && csv.ends_with("\"search\",32,0\n"), "{csv}");
    folder.run(&["compare", DUMP]).refused(&["compared as it is planned"]);
}

/// A folder with a model whose arena needs 160 bytes.
fn with_model() -> Folder {
    let folder = Folder::new();
    std::fs::write(folder.path("m.tflite"), tflite::small()).expect("written");
    folder
}

#[test]
fn the_arena_of_a_model_is_packed_beside_what_its_runtime_would_make() {
    let folder = with_model();
    let out = folder.run(&["plan", "m.tflite"]).ok();
    assert!(out.starts_with("m: smallest capacity 160: proven\n"), "{out}");
    assert!(out.contains("3 operators, 7 tensors, beside the arena 1 constant, 1 variable, 1 unused"), "{out}");
    assert!(out.contains("160 by size") && out.contains("1 subgraph behind the first"), "{out}");
    assert!(out.contains("160 at CONV_2D.0 (operator 0)"), "{out}");
    let report = json(&folder.run(&["plan", "m.tflite", "--format", "json"]).ok());
    let arena = serde_json::json!([{"allocation": "arena", "size": 160, "packed": 160, "bound": 160}]);
    assert_eq!((&report["allocations"], &report["model"]["operators"]), (&arena, &3.into()));
    folder.run(&["plan", "m.tflite", "--capacity", "160", "-o", "out"]).ok();
    folder.run(&["check", "m.tflite", "out", "--capacity", "160"]).ok();
    let rows = folder.read("out/m_packed.csv");
    assert!(rows.starts_with("id,lower,upper,size,alignment,offset\nx,0,1,32,16,"), "{rows}");
    folder.run(&["plan", "m.tflite", "--capacity", "159"]).ended(1, &["proven not to fit 159"]);
    let table = folder.run(&["compare", "m.tflite"]).ok();
    assert!(table.contains("the largest first"), "{table}");
}

#[test]
fn a_model_opens_at_its_peak_with_the_packing_by_size_beside_it() {
    let folder = with_model();
    let frame = folder.run(&["frame", "m.tflite"]).ok();
    assert!(frame.contains("packed by spillscope") && frame.contains("arena"), "{frame}");
    let both = folder.run(&["frame", "m.tflite", "--keys", "d"]).ok();
    assert!(both.contains("greedy by size"), "{both}");
    folder.run(&["view", "m.tflite"]).ok();
}

#[test]
fn what_is_no_model_says_at_which_byte() {
    let folder = with_model();
    std::fs::write(folder.path("cut.tflite"), &tflite::small()[..200]).expect("written");
    folder.run(&["plan", "cut.tflite", "-o", "out"]).refused(&["cut.tflite: at byte "]);
    folder.write("text.tflite", "this is a text");
    folder.run(&["frame", "text.tflite"]).refused(&["text.tflite: at byte 4: expected the identifier TFL3"]);
    folder.run(&["run", "m.tflite"]).refused(&["m.tflite"]);
    assert!(folder.names("out").is_empty());
}

/// What a newcomer sees first: the whole packing, at the peak, with names; the proof where there is none.
#[test]
fn frames_show_the_packing_at_once() {
    let folder = folder();
    let cases: [(&str, &[&str]); 4] = [
        ("lifetimes", &["l.csv", "--capacity", "32"]),
        ("lifetimes-no-room", &["l.csv", "--capacity", "31"]),
        ("xla", &[DUMP]),
        ("xla-compared", &[DUMP, "--keys", "d"]),
    ];
    for (name, flags) in cases {
        for size in ["80x24", "120x36"] {
            let frame = folder.run(&[&["frame", "--size", size], flags].concat()).ok();
            insta::assert_snapshot!(format!("{name}-{size}"), frame);
        }
    }
}
