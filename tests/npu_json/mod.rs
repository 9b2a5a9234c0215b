//! Reads an NPU graph for tests, apart from the product's own reader: well-formed files only.

use std::path::PathBuf;
use std::sync::Arc;

use serde_json::Value;
use spillscope::model::{Graph, GraphBuilder};

/// The graph in `json`.
pub fn graph(json: &Value) -> Arc<Graph> {
    let number = |value: &Value| value.as_u64().unwrap();
    let numbers = |value: &Value| value.as_array().unwrap().iter().map(number).collect::<Vec<_>>();
    let mut builder = GraphBuilder::new("test".into());
    for node in json["Nodes"].as_array().unwrap() {
        let id = number(&node["Id"]);
        let mut symbol = |field: &str| builder.intern(node[field].as_str().unwrap()).unwrap();
        match node["Op"].as_str().unwrap() {
            "ALLOC" => {
                let level = symbol("Type");
                builder.alloc(id, number(&node["BufId"]), number(&node["Size"]), level);
            }
            "FREE" => builder.free(id, number(&node["BufId"])),
            _ => {
                let (op, pipe) = (symbol("Op"), symbol("Pipe"));
                builder.op(id, op, pipe, number(&node["Cycles"]), &numbers(&node["Bufs"]));
            }
        }
    }
    let pair = |edge: &Value| (number(&edge[0]), number(&edge[1]));
    builder.edges = json.get("Edges").map(|edges| edges.as_array().unwrap().iter().map(pair).collect());
    builder.schedule = json.get("Schedule").map(numbers);
    Arc::new(builder.build().unwrap())
}

/// The published graphs: name and path. The folder is named by `SPILLSCOPE_CASES`.
pub fn published() -> Vec<(String, PathBuf)> {
    let folder = std::env::var("SPILLSCOPE_CASES").expect("SPILLSCOPE_CASES names the folder of the published graphs");
    let mut cases: Vec<(String, PathBuf)> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "json"))
        .map(|path| (path.file_stem().unwrap().to_string_lossy().into_owned(), path))
        .collect();
    cases.sort();
    assert!(!cases.is_empty(), "no graph in the folder that SPILLSCOPE_CASES names");
    cases
}
