//! What leaves the program: texts beside the steps, reports, plan files, graph files, and what other tools open.

pub mod buffers_csv;
pub mod check_report;
pub mod chrome_trace;
pub mod command_line;
pub mod compare;
pub mod compare_csv;
pub mod compare_json;
mod csv_text;
pub mod diagnosis;
pub mod difference;
pub mod dot;
pub mod dump_report;
mod effect;
pub mod error;
pub mod explain;
mod failure_json;
pub mod graph_file;
mod json;
pub mod labels;
mod line;
mod model_report;
pub mod numbers;
pub mod packed_csv;
pub mod packing_check;
pub mod packing_compare;
pub mod packing_report;
pub mod packing_words;
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
pub mod steps_csv;
pub mod svg;
pub mod svg_map;
pub mod svg_timeline;
pub mod trace_file;
mod usage;

#[cfg(test)]
mod testing;
