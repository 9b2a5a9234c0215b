//! What leaves the program: plan files, reports, graph files.

pub mod error;
pub mod graph_file;
