//! `plan --evaluations`: the same call gives the same files, which hold; flags that go nowhere are refused.

use super::run::{Folder, json};

#[test]
fn the_same_search_writes_the_same_files_and_they_hold() {
    let folder = Folder::with_sample("matmul");
    let search = ["plan", "graph.json", "--evaluations", "2000", "--seed", "3"];
    let out = folder.run(&[&search[..], &["-o", "first"]].concat()).ok();
    assert!(out.contains("evaluations; extra traffic"), "{out}");
    for run in 2..=10 {
        let other = format!("run-{run}");
        folder.run(&[&search[..], &["-o", &other]].concat()).ok();
        assert!(folder.files("first") == folder.files(&other), "run {run}");
    }
    folder.run(&["check", "graph.json", "first"]).ok();
    let repeat = out.lines().last().expect("a last line");
    assert!(repeat.ends_with("--evaluations 2000 --objective traffic --seed 3"), "{repeat}");
    folder.sh(&format!("{repeat} -o third")).ok();
    assert!(folder.files("first") == folder.files("third"));

    let classic = ["plan", "graph.json", "--policy", "classic", "--format", "json"];
    let plain = json(&folder.run(&classic).ok());
    let found = json(&folder.run(&[&search[..], &["--format", "json"]].concat()).ok());
    assert!(found["extra_traffic"].as_u64() < plain["extra_traffic"].as_u64(), "{found}");
    assert_eq!(found["search"]["history"].as_array().and_then(|all| all[0]["phase"].as_str()), Some("classic"));
}

#[test]
fn every_objective_is_taken() {
    let folder = Folder::with_sample("matmul");
    for objective in [
        &["--objective", "makespan", "--traffic-slack", "1.5"][..],
        &["--objective", "peak", "--single", "L0A,L0B,L0C"],
        &["--objective", "energy"],
        &["--objective", "traffic=1,makespan=0.1"],
    ] {
        let out = folder.run(&[&["plan", "graph.json", "--evaluations", "300"][..], objective].concat()).ok();
        assert!(out.contains("valid plan"), "{objective:?}: {out}");
    }
    folder.run(&["plan", "graph.json", "--search", "0.2"]).ok();
}

#[test]
fn flags_that_go_nowhere_are_refused() {
    let folder = Folder::with_sample("first-spill");
    folder.run(&["plan", "graph.json", "--seed", "1"]).ended(2, &["--search SECONDS or --evaluations N"]);
    let search = ["plan", "graph.json", "--evaluations", "10"];
    for (flags, word) in [
        (&["--traffic-slack", "2"][..], "--objective makespan"),
        (&["--single", "L0A"], "--objective peak"),
        (&["--objective", "peak", "--single", "L9"], "L9"),
        (&["--objective", "speed"], "unknown objective"),
        (&["--search", "5"], "cannot be used with"),
    ] {
        folder.run(&[&search[..], flags].concat()).ended(2, &[word]);
    }
    folder.run(&["plan", "graph.json", "--search", "0"]).ended(2, &["seconds above 0"]);
    let none = Folder::with_sample("no-plan");
    none.run(&["plan", "graph.json"]).ended(1, &["No plan"]);
    let found = none.run(&["plan", "graph.json", "--evaluations", "10"]).ok();
    assert!(found.contains("the classic policy has no plan"), "{found}");
    let small = ["--capacity", "L1=1"];
    folder.run(&[&search[..], &small[..]].concat()).ended(1, &[]);
}

#[test]
fn an_interrupt_writes_the_best_plan_by_then() {
    let folder = Folder::with_sample("matmul");
    // The search would take ten minutes; the interrupt comes once the search has begun to listen.
    let line = "spillscope plan graph.json --search 600 -o out & search=$!; \
                for _ in 1 2 3 4 5 6 7 8 9 10; do sleep 0.3; kill -INT $search 2>/dev/null; done; wait $search";
    let told = folder.sh(line).ended(130, &["interrupted", "best plan by then"]);
    assert!(told.contains("valid plan"), "{told}");
    folder.run(&["check", "graph.json", "out"]).ok();
    let plan = json(&folder.read("out/graph_plan.json"));
    assert_eq!((&plan["search"]["asked_seconds"], &plan["search"]["seed"]), (&600.0.into(), &0.into()));
    assert_eq!(plan["search"]["objective"], "traffic");
    let last = plan["search"]["history"].as_array().and_then(|all| all.last()).expect("a history");
    assert_eq!(last["extra_traffic"], plan["figures"]["extra_traffic"]);
}
