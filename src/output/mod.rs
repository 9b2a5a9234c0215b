//! What leaves the program: texts beside the steps, reports, plan files, graph files.

pub mod diagnosis;
pub mod error;
pub mod explain;
pub mod graph_csv;
pub mod graph_json;
pub mod labels;
pub mod numbers;
pub mod save;
