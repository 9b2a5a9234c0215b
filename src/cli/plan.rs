//! `plan`: plan without a screen.

use std::path::PathBuf;

use clap::ValueEnum;

use super::planning::Flags;
use crate::error::Error;
use crate::model::Fault;
use crate::output::{plan_files, report, report_json};
use crate::session::{Extras, Session};

/// Arguments of `plan`.
#[derive(clap::Args)]
pub struct Args {
    /// The graph: a file, or - for standard input [default: the built-in sample]
    graph: Option<String>,
    /// Write the plan files and X_plan.json there
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The report's form
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Work out the fractional spill bound too
    #[arg(long)]
    bounds: bool,
    #[command(flatten)]
    planning: Flags,
}

/// The form of a report.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// For people
    Text,
    /// For programs: stable names
    Json,
}

/// glibc gives each large block that is freed back to the system, whose fresh pages then cost planning as much time as
/// its work does. It stops that up to the size of the largest block that it saw freed; a block that nobody writes to
/// costs nothing.
fn reuse_freed_memory() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(31 << 20)));
}

/// Plans, writes the files, prints the report; exit status 1 where there is no plan.
pub fn run(args: &Args) -> Result<(), Error> {
    reuse_freed_memory();
    let job = args.planning.job(args.graph.as_deref())?;
    let extras = Extras { fractional_bound: args.bounds, remedies: true };
    let session = Session::plan_unwatched(job.problem, job.options, extras).map_err(no_order)?;
    let repeat = format!("spillscope plan {}", job.words);
    let failed = session.diagnosis.is_some();
    if !failed {
        super::must_hold(&session)?;
    }
    if let Some(dir) = args.out.as_ref().filter(|_| !failed) {
        plan_files::save_plan(dir, &job.stem, &session, &repeat)?;
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
