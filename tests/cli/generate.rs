//! `generate`: every kind is a graph that the other commands take.

use super::run::{Folder, json};

const KINDS: [&[&str]; 6] = [
    &["matmul", "--tiles", "3"],
    &["matmul", "--m", "1", "--n", "2", "--k", "5", "--tile-size", "64", "--acc-size", "100"],
    &["flash-attention", "--tiles", "2", "--parts", "3"],
    &["conv", "--bands", "3", "--in-channels", "2", "--out-channels", "5"],
    &["random", "--seed", "11", "--nodes", "400", "--schedule", "--gaps", "--shuffle", "--unfreed", "0.1"],
    &["random", "--no-edges", "--levels", "L1=2048,L0C=128", "--sizes", "equal", "--backed", "1"],
];

#[test]
fn every_kind_can_be_planned_and_checked_as_json_and_as_csv() {
    for kind in KINDS {
        let folder = Folder::new();
        let generate = |out: &str| folder.run(&[&["generate"], kind, &["-o", out]].concat()).ok();
        assert_eq!(generate("graph.json"), "");
        generate("graph_Nodes.csv");
        assert_eq!(folder.names("."), ["graph.json", "graph_Edges.csv", "graph_Nodes.csv"]);
        let printed = folder.run(&[&["generate"], kind].concat()).ok();
        assert_eq!(printed, folder.read("graph.json"));
        // L0 may not spill, which some of the random graphs need.
        let plan = |graph: &str, dir: &str| folder.run(&["plan", graph, "--spill-l0", "-o", dir]).ok();
        plan("graph.json", "json");
        folder.run(&["check", "graph.json", "json"]).ok();
        // A CSV pair has edges, but no place for a schedule.
        if json(&printed).get("Schedule").is_none() && json(&printed).get("Edges").is_some() {
            plan("graph_Nodes.csv", "csv");
            for file in ["graph_schedule.txt", "graph_memory.txt", "graph_spill.txt"] {
                assert_eq!(folder.read(&format!("json/{file}")), folder.read(&format!("csv/{file}")), "{kind:?}");
            }
            folder.run(&["check", "graph_Nodes.csv", "json"]).ok();
        }
    }
}

#[test]
fn a_pipeline_of_operations_can_be_planned_and_checked() {
    let folder = Folder::new();
    let kind = ["generate", "chains", "--ops", "60", "--chains", "2", "--length", "12", "--seed", "9"];
    folder.run(&[&kind[..], &["-o", "graph.json"]].concat()).ok();
    assert_eq!(folder.run(&kind).ok(), folder.read("graph.json"));
    assert_eq!(json(&folder.read("graph.json"))["generated"]["seed"], 9);
    folder.run(&["plan", "graph.json", "--max-pool-bytes", "5GiB", "-o", "plan"]).ok();
    folder.run(&["check", "graph.json", "plan", "--max-pool-bytes", "5GiB"]).ok();
    folder.run(&[&kind[..], &["-o", "graph_Nodes.csv"]].concat()).refused(&["no form in CSV", ".json"]);
    folder.run(&["generate", "chains", "--ops", "7"]).refused(&["ops is 7", "have 120 operations"]);
    assert_eq!(folder.names("."), ["graph.json", "plan"]);
}

#[test]
fn the_same_seed_gives_the_same_graph() {
    let folder = Folder::new();
    let graph = |seed: &str| folder.run(&["generate", "random", "--seed", seed]).ok();
    assert_eq!(graph("3"), graph("3"));
    assert_ne!(graph("3"), graph("4"));
    graph("18446744073709551615");
}

#[test]
fn absurd_numbers_are_refused_at_once_and_nothing_is_written() {
    let folder = Folder::new();
    for (arguments, words) in [
        ("matmul --tiles 4294967295", "nodes, more than"),
        ("matmul --tiles 4294967296", "4294967296"),
        ("matmul --tiles 0", "is 0"),
        ("matmul --tile-size 0", "is 0"),
        ("matmul --tile-size 18446744073709551615", "2^63-1"),
        ("matmul --m -1", "-1"),
        ("flash-attention --tiles 4294967295", "nodes, more than"),
        ("flash-attention --parts 4294967295", "nodes, more than"),
        ("flash-attention --row-size 9223372036854775807", "2^63-1"),
        ("conv --tiles 4294967295", "nodes, more than"),
        ("conv --halo-size 18446744073709551615", "2^63-1"),
        ("random --nodes 18446744073709551615", "nodes, more than"),
        ("random --nodes 0", "nodes"),
        ("random --backed 1.5", "from 0 to 1"),
        ("random --unfreed=-1", "from 0 to 1"),
        ("random --backed NaN", "from 0 to 1"),
        ("random --operands 0", "operands"),
        ("random --window 0", "window"),
        ("random --pipes 4294967295", "pipes"),
        ("random --levels L1", "LEVEL=SIZE"),
        ("random --levels L1=0", "0"),
        ("random --levels L9=5", "no level L9"),
        ("random --levels L1=99999", "--allow-impossible"),
        ("sudoku", "sudoku"),
    ] {
        let arguments: Vec<&str> = arguments.split(' ').collect();
        folder.run(&[&["generate"], &arguments[..], &["-o", "graph.json"]].concat()).refused(&[words]);
        assert!(folder.names(".").is_empty(), "{arguments:?}");
    }
    folder.run(&["generate", "conv", "-o", "none/graph.json"]).refused(&["none/graph.json"]);
}
