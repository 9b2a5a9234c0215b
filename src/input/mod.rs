//! What comes in: one file a format, each ending in the model; nothing else knows a format.
//!
//! | file | format |
//! |---|---|
//! | `npu_json.rs` | NPU graph, JSON (`npu_plain.rs`: the short way for most) |
//! | `npu_csv.rs` | NPU graph, a pair of CSV files |
//! | `lifetimes.rs` | lifetimes to be packed, CSV |
//! | `xla.rs` | what XLA's buffer assignment decided, a pair of texts |
//! | `tflite.rs` | TensorFlow Lite models as lifetimes, a FlatBuffer |
//! | `operations.rs` | operation graph, JSON |
//! | `profile.rs` | mean durations of kinds of operation, JSON |
//! | `machine.rs` | machine, JSON |
//! | `lesson.rs` | guided lessons, JSON |
//! | `schedule.rs` | schedule, one node id a line |
//! | `plan_files.rs` | a plan's three files |
//!
//! `bytes.rs` reads amounts of memory, `source.rs` holds the text and its places, `npu_node.rs` what the two NPU formats share, and the files
//! `json*.rs` what JSON readers share. Errors carry file, line and column, and quote the line.

mod bytes;
mod csv_table;
mod json;
mod json_any;
mod json_fields;
mod json_object;
pub mod lesson;
mod lifetimes;
mod machine;
mod npu_csv;
mod npu_json;
mod npu_node;
mod npu_plain;
mod operations;
pub mod plan_files;
mod profile;
mod schedule;
mod source;
mod tflite;
mod xla;

pub use bytes::parse_bytes;
pub use lesson::read_lesson;
pub use lifetimes::{Lifetimes, read_lifetimes};
pub use machine::{find_machine, read_machine};
pub use plan_files::read_plan;
pub use profile::{DEFAULT_SMOOTHING, Profile, read_profile};
pub use schedule::apply_schedule;
pub use source::Source;
pub use tflite::{MODEL_ALIGNMENT, Model, read_tflite};
pub use xla::{Allocation, Dump, Role, Value, read_xla};

use crate::error::Error;
use crate::model::Graph;

/// The formats that a graph may come in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GraphFormat {
    NpuJson,
    NpuCsv,
    Operations,
}

/// Problems that need no planning of steps, only addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StaticFormat {
    /// [`read_lifetimes`].
    Lifetimes,
    /// [`read_xla`].
    Xla,
    /// [`read_tflite`].
    Tflite,
}

/// Whether `source` holds a static packing problem, by name and content, and in which format.
///
/// # Errors
/// Where it is the wrong one of two files.
pub fn static_format(source: &Source) -> Result<Option<StaticFormat>, Error> {
    if source.name.ends_with(npu_csv::NODES_ENDING) {
        return Ok(None);
    }
    if !source.bytes.is_empty() {
        return Ok(Some(StaticFormat::Tflite));
    }
    let start = source.text.trim_start();
    if start.starts_with(xla::LIVE_RANGE_START) {
        let what = "these are the live ranges of an XLA dump; what is opened is the file beside it";
        return Err(source.whole_error(what, "name X-buffer-assignment.txt"));
    }
    if start.starts_with(xla::ASSIGNMENT_START) {
        return Ok(Some(StaticFormat::Xla));
    }
    Ok(lifetimes::is_header(&source.text).then_some(StaticFormat::Lifetimes))
}

/// Reads the graph in the file `path`, or on standard input for `-`. Its format follows from name and content.
///
/// # Errors
/// Where the file cannot be read, or something in it is not as it must be.
pub fn read_graph(path: &str) -> Result<Graph, Error> {
    read_graph_source(&Source::read_text_or_model(path)?)
}

/// Reads the graph in a text that is already here. For a CSV pair, the file with the edges is still read.
///
/// # Errors
/// Where something in it is not as it must be.
pub fn read_graph_source(source: &Source) -> Result<Graph, Error> {
    read_graph_with(source, None)
}

/// The same; durations that an operation graph leaves out come from `profile`, as far as it has them.
///
/// # Errors
/// Where something in it is not as it must be, or a profile is given to a graph that has all its durations.
pub fn read_graph_with(source: &Source, profile: Option<&Profile>) -> Result<Graph, Error> {
    let format = format_of(source)?;
    if profile.is_some() && format != GraphFormat::Operations {
        let what = "a profile is for operation graphs; every operation of this graph says its cycles";
        return Err(source.whole_error(what, "leave the profile out"));
    }
    match format {
        GraphFormat::NpuJson => npu_json::read(source),
        GraphFormat::NpuCsv => npu_csv::read(source),
        GraphFormat::Operations => operations::read(source, profile),
    }
}

fn format_of(source: &Source) -> Result<GraphFormat, Error> {
    if source.name.ends_with(npu_csv::NODES_ENDING) {
        return Ok(GraphFormat::NpuCsv);
    }
    if static_format(source)?.is_some() {
        let what = "these are lifetimes, which need addresses alone, and not a graph whose steps can be planned";
        return Err(
            source.whole_error(what, "they can be seen with view and frame, packed with plan, verified with check")
        );
    }
    let is_csv =
        std::path::Path::new(&source.name).extension().is_some_and(|ending| ending.eq_ignore_ascii_case("csv"));
    if is_csv || source.text.starts_with("Id,") {
        let what = "a graph in CSV is a pair of files, X_Nodes.csv and X_Edges.csv";
        let advice =
            "name the file X_Nodes.csv; the other must stand beside it. Lifetimes have columns id,lower,upper,size";
        return Err(source.whole_error(what, advice));
    }
    // Its reader stands elsewhere, behind this one.
    if source.text.starts_with("{\"spillscope_trace\":") {
        return Err(source.whole_error("this is a trace file, not a graph", "open it with spillscope view FILE"));
    }
    Ok(if has_operations(&source.text) { GraphFormat::Operations } else { GraphFormat::NpuJson })
}

/// Whether the object at the top has `nodes`, and no `Nodes` before it. The text need not be JSON.
fn has_operations(text: &str) -> bool {
    // To walk past the list would take as long as to read it.
    let first = text.trim_start().strip_prefix('{').unwrap_or_default().trim_start();
    if first.starts_with("\"Nodes\"") || first.starts_with("\"nodes\"") {
        return first.starts_with("\"nodes\"");
    }
    let mut keys = json::Value::root(text).members().map(|(key, _)| key);
    keys.find(|key| key == "Nodes" || key == "nodes").is_some_and(|key| key == "nodes")
}
