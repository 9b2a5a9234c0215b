//! `plan`: plan without a screen.

use std::path::PathBuf;

use clap::ValueEnum;

use super::planning::Flags;
use crate::error::Error;
use crate::model::Fault;
use crate::output::plan_json::write_plan_json;
use crate::output::{plan_files, report, report_json, save};
use crate::session::{Extras, Session};

/// Arguments of `plan`.
#[derive(clap::Args)]
pub struct Args {
    /// The graph: a file, or - for standard input [default: the built-in sample]
    graph: Option<String>,
    /// Write the plan there: X_schedule.txt, X_memory.txt, X_spill.txt and X_plan.json, where X is the graph file's name
    /// without its ending
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Where there is no plan, write the part that was planned and why it stopped (JSON)
    #[arg(long, value_name = "FILE")]
    save_failed: Option<PathBuf>,
    /// The report's form
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Work out the least extra traffic for this order too; slow on large graphs
    #[arg(long)]
    bounds: bool,
    #[command(flatten)]
    planning: Flags,
}

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  spillscope plan graph.json                    # report only
  spillscope plan graph.json -o plan            # and write the plan files
  spillscope plan graph.json --capacity L1=3500,UB=512 --on-full spill-many,postpone
  cat graph.json | spillscope plan - --format json

Exit status: 0 done; 1 there is no plan; 2 bad usage or bad input.";

/// The form of a report.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people
    Text,
    /// For programs: stable names
    Json,
}

/// Plans, writes the files, prints the report; exit status 1 where there is no plan.
pub fn run(args: &Args) -> Result<(), Error> {
    let job = args.planning.job(args.graph.as_deref())?;
    let extras = Extras { fractional_bound: args.bounds, remedies: true };
    let session = Session::plan_unwatched(job.problem, job.options, extras).map_err(no_order)?;
    let repeat = format!("spillscope plan {}", job.words);
    super::must_hold(&session)?;
    let failed = session.diagnosis.is_some();
    match (&args.out, &args.save_failed) {
        (Some(dir), _) if !failed => drop(plan_files::save_plan(dir, &job.stem, &session, &repeat)?),
        (_, Some(file)) if failed => save::save_file(file, |out| write_plan_json(out, &session, &repeat))?,
        _ => {}
    }
    super::print(&match args.format {
        Format::Text => report::report(&session, &repeat),
        Format::Json => report_json::report_json(&session, &repeat),
    })?;
    super::no_plan(&session)
}

/// There is no first order to plan from.
pub fn no_order(fault: Fault) -> Error {
    Error::input(fault.what, fault.advice)
}
