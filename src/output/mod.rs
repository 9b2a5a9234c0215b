//! What leaves the program: texts beside the steps, reports, plan files, graph files.

pub mod check_report;
pub mod command_line;
pub mod compare;
pub mod compare_csv;
pub mod compare_json;
pub mod diagnosis;
pub mod difference;
pub mod error;
pub mod explain;
mod failure_json;
pub mod graph_file;
mod json;
pub mod labels;
mod line;
pub mod numbers;
pub mod plan_files;
pub mod plan_json;
pub mod plan_pair;
pub mod plan_pair_json;
pub mod quantities;
pub mod report;
pub mod report_json;
pub mod run_json;
pub mod run_report;
pub mod save;
pub mod trace_file;

#[cfg(test)]
mod testing;
