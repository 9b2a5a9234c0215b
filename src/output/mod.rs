//! What leaves the program: texts beside the steps, reports, plan files, graph files.

pub mod diagnosis;
pub mod error;
pub mod explain;
pub mod graph_file;
pub mod labels;
pub mod numbers;
pub mod save;
