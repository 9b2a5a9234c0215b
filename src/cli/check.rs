//! `check`: verify a plan, ours or anyone's.

use std::path::PathBuf;

use super::plan::Format;
use super::planning::{Flags, quoted};
use crate::check;
use crate::error::Error;
use crate::input;
use crate::output::check_report;

/// Arguments of `check`.
#[derive(clap::Args)]
pub struct Args {
    /// The graph: a file, or - for standard input
    graph: String,
    /// The folder with X_schedule.txt, X_memory.txt, X_spill.txt
    dir: PathBuf,
    /// The report's form
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    machine: Flags,
}

/// Replays the plan and prints its figures, or every rule that it breaks (exit status 1).
pub fn run(args: &Args) -> Result<(), Error> {
    let job = args.machine.job(Some(&args.graph))?;
    let plan = input::read_plan(&args.dir, &job.stem)?;
    let report = check::check(&job.problem, &plan);
    let dir = quoted(&args.dir.to_string_lossy());
    let repeat = format!("spillscope check {} {dir} {}", quoted(&args.graph), args.machine.machine_words());
    super::print(&match args.format {
        Format::Text => check_report::text(&job.problem, &report, repeat.trim_end()),
        Format::Json => check_report::json(&job.problem, &report, repeat.trim_end()),
    })?;
    if report.is_valid() {
        return Ok(());
    }
    let what = format!("the plan in {dir} breaks {}", check_report::count(&report));
    Err(Error::no_plan(what, "the report above names each with its step"))
}
