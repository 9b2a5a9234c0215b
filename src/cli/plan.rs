//! `plan`: plan without a screen.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::ValueEnum;

use super::packing::{self, Wish};
use super::planning::{Flags, Job, Search, read_text};
use super::search_flags::Listener;
use crate::engine::search::Unheard;
use crate::error::{Error, ErrorKind};
use crate::input;
use crate::model::Fault;
use crate::output::plan_json::write_plan_json;
use crate::output::{plan_files, report, report_json, save};
use crate::session::{Extras, Given, Session, Wanted};

/// Arguments of `plan`.
#[derive(clap::Args)]
pub struct Args {
    /// The graph, lifetimes in CSV, a TensorFlow Lite model, or the buffer assignment of an XLA dump: a file, or - for standard
    /// input [default: the built-in sample]
    graph: Option<String>,
    /// Write the plan there: X_schedule.txt, X_memory.txt, X_spill.txt and X_plan.json, where X is the graph file's name
    /// without its ending; for lifetimes and models X_packed.csv
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
    /// Improve the plan in this folder, ours or another tool's: the search begins with its order, and what comes out is
    /// never worse where that plan holds [default search: as quick as --policy quick]
    #[arg(long, value_name = "DIR")]
    #[arg(conflicts_with_all = ["order", "policy", "on_full", "postpone_limit", "victims", "fit", "hoist", "prefetch"])]
    #[arg(conflicts_with_all = ["deadlock", "no_light_tasks", "schedule"])]
    from: Option<PathBuf>,
    /// Of lifetimes, look for the smallest capacity and a proof that there is no smaller [default where no capacity is given,
    /// for a short time]
    #[arg(long)]
    minimize: bool,
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
  spillscope plan graph.json --from plan --evaluations 2000   # from a plan that is there already
  cat graph.json | spillscope plan - --format json
  spillscope plan lifetimes.csv --capacity 1048576 -o packed   # addresses alone
  spillscope plan lifetimes.csv --minimize      # the smallest capacity
  spillscope plan dump-buffer-assignment.txt    # XLA's allocations, packed again

Exit status: 0 done; 1 there is no plan, or none was found; 2 bad usage or bad input;
130 a search was interrupted, and what it had found was written.";

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
    let text = read_text(args.graph.as_deref())?;
    if let Some(subject) = packing::subject(&text)? {
        return packing::plan(&subject, &wish(args)?);
    }
    if args.minimize {
        let what = "--minimize is for lifetimes: a graph is planned for the capacities of its machine";
        return Err(Error::input(what, "leave it out; spillscope compare --sweep capacity.LEVEL=A..B tries several"));
    }
    let mut job = args.planning.job_of(&text, args.graph.as_deref())?;
    if let Some(folder) = &args.from {
        begin_with(&mut job, folder)?;
    }
    let extras = Extras { fractional_bound: args.bounds, remedies: true };
    let words = |session: &Session| job.origin.plan_command(session);
    // The files are written while the plan is being checked, and take their places once it holds.
    let stage = |session: &Session| {
        let dir = args.out.as_ref().filter(|_| session.diagnosis.is_none());
        dir.map(|dir| plan_files::stage_plan(dir, &job.stem, session, &words(session))).transpose()
    };
    let Made { session, meanwhile: staged, interrupted } = make(&job, extras, stage)?;
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
    not_interrupted(interrupted)
}

/// What was planned.
pub struct Made<T> {
    /// The plan.
    pub session: Session,
    /// What was done while it was being checked.
    pub meanwhile: T,
    /// Whether a search was interrupted.
    pub interrupted: bool,
}

/// Plans; where a search was asked for, with its bar and until it is interrupted.
pub fn make<T>(job: &Job, extras: Extras, meanwhile: impl FnOnce(&Session) -> T) -> Result<Made<T>, Error> {
    let mut interrupted = false;
    let made = match &job.search {
        Some(search) if search.is_asked => {
            let listener = Listener::new()?;
            let mut hear = |progress| listener.hear(progress);
            let made = job.setup().make(extras, &mut hear, meanwhile);
            interrupted = listener.is_interrupted();
            made
        }
        _ => job.setup().make(extras, &mut Unheard, meanwhile),
    };
    let (session, meanwhile) = made.map_err(no_order)?;
    Ok(Made { session, meanwhile, interrupted })
}

/// An error (exit status 130) where a search was.
pub fn not_interrupted(interrupted: bool) -> Result<(), Error> {
    if interrupted {
        let what = "interrupted: this is the best plan by then";
        return Err(Error { kind: ErrorKind::Interrupted, ..Error::input(what, "") });
    }
    Ok(())
}

/// Lets the search of `job`, the quick one where none was asked for, begin with the plan in `folder`.
fn begin_with(job: &mut Job, folder: &Path) -> Result<(), Error> {
    if job.problem.is_clocked() {
        let what = "--from improves plans of memories with addresses, not of pools and windows";
        return Err(Error::input(what, "leave it out, or ask for a search with --evaluations N"));
    }
    let raw = input::read_plan(folder, &job.stem)?;
    let given = Given::new(&job.problem, &raw, &folder.to_string_lossy());
    let search = job.search.take();
    let mut search = search.unwrap_or_else(|| Search { wanted: Wanted::quick(&job.problem), is_asked: false });
    search.wanted.from = Some(Arc::new(given));
    job.search = Some(search);
    Ok(())
}

/// What is asked of a packer.
fn wish(args: &Args) -> Result<Wish<'_>, Error> {
    if args.save_failed.is_some() || args.bounds || args.from.is_some() {
        let what = "--save-failed, --bounds and --from are for graphs, and these are lifetimes";
        return Err(Error::input(what, "leave them out"));
    }
    Ok(Wish {
        path: args.graph.as_deref().unwrap_or_default(),
        out: args.out.as_deref(),
        minimize: args.minimize,
        format: args.format,
        flags: &args.planning,
    })
}

/// There is no first order to plan from.
pub fn no_order(fault: Fault) -> Error {
    Error::input(fault.what, fault.advice)
}
