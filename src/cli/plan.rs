//! `plan`: plan without a screen.

use std::path::PathBuf;

use clap::ValueEnum;

use super::planning::Flags;
use super::search_flags::Listener;
use crate::engine::search::Unheard;
use crate::error::{Error, ErrorKind};
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
  spillscope plan graph.json --evaluations 2000 # search for a better one
  cat graph.json | spillscope plan - --format json

Exit status: 0 done; 1 there is no plan; 2 bad usage or bad input; 130 a search was
interrupted, and what it had found was written.";

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
    let words = |session: &Session| job.origin.plan_command(session);
    // The files are written while the plan is being checked, and take their places once it holds.
    let stage = |session: &Session| {
        let dir = args.out.as_ref().filter(|_| session.diagnosis.is_none());
        dir.map(|dir| plan_files::stage_plan(dir, &job.stem, session, &words(session))).transpose()
    };
    let mut interrupted = false;
    let made = match &job.search {
        Some(search) if search.is_asked => {
            let listener = Listener::new()?;
            let mut hear = |progress| listener.hear(progress);
            let made = job.setup().make(extras, &mut hear, stage);
            interrupted = listener.is_interrupted();
            made
        }
        _ => job.setup().make(extras, &mut Unheard, stage),
    };
    let (session, staged) = made.map_err(no_order)?;
    let repeat = words(&session);
    super::must_hold(&session)?;
    if let Some(staged) = staged? {
        staged.publish()?;
    }
    if let Some(file) = args.save_failed.as_ref().filter(|_| session.diagnosis.is_some()) {
        save::save_file(file, |out| write_plan_json(out, &session, &repeat))?;
    }
    super::print(&match args.format {
        Format::Text => report::report(&session, &repeat),
        Format::Json => report_json::report_json(&session, &repeat),
    })?;
    super::no_plan(&session)?;
    if interrupted {
        let what = "interrupted: this is the best plan by then";
        return Err(Error { kind: ErrorKind::Interrupted, ..Error::input(what, "") });
    }
    Ok(())
}

/// There is no first order to plan from.
pub fn no_order(fault: Fault) -> Error {
    Error::input(fault.what, fault.advice)
}
