//! Bad usage and bad input: exit status 2, one message that says what to do, nothing written.

use super::run::{Folder, sample};

#[test]
fn each_says_what_to_do() {
    let folder = Folder::with_sample("first-spill");
    folder.write("broken.json", "{\"Nodes\": [\n");
    folder.write("empty.json", "");
    let plan = |flags: &[&'static str]| [&["plan", "graph.json", "-o", "out"], flags].concat();
    let cases: [(Vec<&str>, &[&str]); 23] = [
        (vec!["plan", "none.json", "-o", "out"], &["none.json: there is no such file"]),
        (vec!["plan", ".", "-o", "out"], &["expected a file, found a folder"]),
        (vec!["plan", "broken.json", "-o", "out"], &["broken.json:1:", "cut short"]),
        (vec!["plan", "empty.json", "-o", "out"], &["the file is empty", "Nodes"]),
        (vec!["plan", "-", "-o", "out"], &["<stdin>: the file is empty"]),
        (vec!["plan", "-", "--schedule", "-", "-o", "out"], &["standard input is named twice", "name a file"]),
        (vec!["none.json"], &["none.json: there is no such file"]),
        (vec!["view", "--watch", "-"], &["--watch cannot watch standard input", "name a file"]),
        (vec!["plam", "graph.json"], &["'graph.json'", "the commands are", "plan"]),
        (plan(&["--capacity", "L9=5"]), &["level L9", "its levels are L1, UB, L0A, L0B, L0C"]),
        (plan(&["--capacity", "L1"]), &["use LEVEL=N, as in L1=4096"]),
        (plan(&["--capacity", "L1=0"]), &["from 1 to 2^63-1"]),
        (plan(&["--capacity", "L1=9223372036854775808"]), &["from 1 to 2^63-1"]),
        (plan(&["--capacity", "L1=-4"]), &["must be a whole number"]),
        (plan(&["--machine", "tpu"]), &["there is no such machine", "npu, seed"]),
        (plan(&["--machine", "broken.json"]), &["broken.json:1:"]),
        (plan(&["--bytes-per-cycle", "0"]), &["--bytes-per-cycle must be above 0"]),
        (plan(&["--bytes-per-cycle=NaN"]), &["--bytes-per-cycle must be above 0"]),
        (plan(&["--overhead", "9223372036854775808"]), &["--overhead"]),
        (plan(&["--schedule", "none.txt"]), &["none.txt: there is no such file"]),
        (plan(&["--on-full", "spill,pray"]), &["'pray'", "spill-many"]),
        (plan(&["--postpone-limit", "-1"]), &["-1"]),
        (plan(&["--format", "yaml"]), &["'yaml'", "text", "json"]),
    ];
    for (arguments, words) in cases {
        folder.run(&arguments).refused(words);
        assert_eq!(folder.names("."), ["broken.json", "empty.json", "graph.json"], "{arguments:?}");
    }
}

#[test]
fn flags_of_pools_and_profiles_are_refused_where_they_mean_nothing() {
    let folder = Folder::with_sample("first-spill");
    folder.write("operations.json", &sample("buckets"));
    folder.write("profile.json", r#"{"version": 1, "op_types": {}}"#);
    folder.write("broken.json", r#"{"version": 1, "op_types": {"conv": {}}}"#);
    for (arguments, words) in [
        (&["graph.json", "--max-pool-bytes", "1MiB"][..], &["--max-pool-bytes is for pools", "npu has none"][..]),
        (&["graph.json", "--buckets", "pow2"], &["--buckets is for pools"]),
        (&["graph.json", "--workers", "3"], &["--workers counts the unit 'worker'", "npu has none"]),
        (&["graph.json", "--profile", "profile.json"], &["graph.json: a profile is for operation graphs"]),
        (&["operations.json", "--profile", "broken.json"], &["broken.json:1:", "`mean_us` is missing"]),
        (&["operations.json", "--profile", "none.json"], &["none.json: there is no such file"]),
        (&["operations.json", "--machine", "npu"], &["asks for level pool", "its levels are L1"]),
        (
            &["operations.json", "--capacity", "pool=99", "--max-pool-bytes", "99"],
            &["both say the capacity of level pool"],
        ),
        (&["operations.json", "--max-pool-bytes", "0"], &["use whole bytes from 1 to 2^63-1"]),
        (&["operations.json", "--max-pool-bytes", "5GB"], &["as in 900000000, 900MiB or 2GiB"]),
        (&["operations.json", "--buckets", "oak"], &["unknown buckets 'oak'"]),
        (&["operations.json", "--window", "0"], &["--window"]),
        (&["operations.json", "--workers", "256"], &["--workers"]),
    ] {
        folder.run(&[&["plan", "-o", "out"], arguments].concat()).refused(words);
        assert!(!folder.path("out").exists(), "{arguments:?}");
    }
}

#[test]
fn a_level_that_the_machine_lacks_is_named_with_those_that_it_has() {
    let folder = Folder::new();
    folder.write("graph.json", &sample("first-spill").replace("\"L1\"", "\"L7\""));
    let words = ["graph.json: node 0: buffer 0 asks for level L7", "L1, UB, L0A, L0B, L0C", "--machine"];
    folder.run(&["plan", "graph.json"]).refused(&words);
    folder.run(&["graph.json"]).refused(&words);
    folder.run(&["frame", "graph.json"]).refused(&words);
}

#[test]
fn a_level_of_an_npu_graph_can_be_a_pool() {
    let folder = Folder::with_sample("first-spill");
    let machine = r#"{"name": "m", "levels": [{"name": "L1", "capacity": 8192, "manager": "pool"}],
                      "transfer": {"bytes_per_cycle": 1, "overhead": 0}}"#;
    folder.write("machine.json", machine);
    folder.run(&["plan", "graph.json", "--machine", "machine.json", "-o", "plan"]).ok();
    folder.run(&["check", "graph.json", "plan", "--machine", "machine.json"]).ok();
}

#[test]
fn a_folder_that_cannot_be_written_is_left_as_it_was() {
    let folder = Folder::with_sample("first-spill");
    folder.write("file", "in the way");
    folder.run(&["plan", "graph.json", "-o", "file"]).refused(&["file", "can be written"]);
    folder.run(&["plan", "graph.json", "-o", "file/below"]).refused(&["file/below"]);
    std::fs::create_dir_all(folder.path("plan/graph_spill.txt")).expect("a folder in the way");
    folder.run(&["plan", "graph.json", "-o", "plan"]).refused(&["graph_spill.txt"]);
    assert_eq!(folder.names("."), ["file", "graph.json", "plan"]);
    assert_eq!(folder.names("plan"), ["graph_spill.txt"], "none of the four, and no leftovers");
}

#[test]
fn names_in_messages_and_reports_are_cleaned() {
    let folder = Folder::new();
    let evil = "\\u001b]0;pwn\\u0007";
    let text = format!(
        r#"{{"Nodes": [{{"Id":0,"Op":"ALLOC","BufId":0,"Size":9000,"Type":"L1","Name":"{evil}"}},
            {{"Id":1,"Op":"{evil}","Pipe":"{evil}","Cycles":1,"Bufs":[0]}}], "Edges": [[0,1]]}}"#
    );
    folder.write("graph.json", &text);
    folder.write("level.json", &text.replace("\"L1\"", &format!("\"{evil}\"")));
    for arguments in [&["plan", "graph.json"][..], &["frame", "graph.json"], &["plan", "level.json"], &["\u{1b}[2J"]] {
        let ran = folder.run(arguments);
        let raw = |text: &str| text.chars().any(|c| c.is_control() && c != '\n');
        assert!(!raw(&ran.out) && !raw(&ran.err), "{ran:?}");
    }
}

#[test]
fn what_a_search_decides_itself_goes_with_no_search() {
    let folder = Folder::with_sample("matmul");
    folder.run(&["plan", "graph.json", "--order", "given"]).refused(&["no schedule to follow", "--order program"]);
    for flags in [&["--order", "program"][..], &["--policy", "classic"], &["--on-full", "spill"], &["--victims", "lru"]]
    {
        for search in [&["--evaluations", "10"][..], &["--policy", "quick"]] {
            if flags[0] != "--policy" || search[0] != "--policy" {
                folder
                    .run(&[&["plan", "graph.json"], flags, search].concat())
                    .refused(&[flags[0], "goes with no search"]);
            }
        }
    }
    let pools = Folder::with_sample("pipeline-240");
    pools.run(&["plan", "graph.json", "--policy", "quick"]).refused(&["--policy quick", "pools"]);
    pools.run(&["run", "graph.json", "--evaluations", "5"]).refused(&["decides as it goes"]);
}
