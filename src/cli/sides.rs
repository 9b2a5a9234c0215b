//! The plan that is shown and the one that it is compared with: planned by flags, or read from a folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::packing;
use super::planning::{Flags, Job, read_text};
use super::with::updated;
use crate::app::Version;
use crate::engine::search::Unheard;
use crate::error::Error;
use crate::input::{self, Source};
use crate::model::clean;
use crate::output::command_line::{Origin, path_word, quoted};
use crate::session::{Extras, Session, Setup, Wanted};
use crate::trace::file::is_trace_file;

/// Where the plans come from, beside the planning flags.
#[derive(clap::Args, Clone, Debug, Default)]
pub struct Sides {
    /// Replay the plan in this folder, ours or another tool's, in place of planning
    #[arg(long, value_name = "DIR")]
    #[arg(conflicts_with_all = ["order", "policy", "on_full", "postpone_limit", "victims", "fit", "hoist", "prefetch"])]
    #[arg(conflicts_with_all = ["deadlock", "no_light_tasks", "schedule", "search", "evaluations"])]
    plan: Option<PathBuf>,
    /// Compare with a second plan: one made with these flags on top of the others, as in "--order memory-aware", or the one in
    /// a folder
    #[arg(long, value_name = "FLAGS|DIR", allow_hyphen_values = true)]
    against: Option<String>,
}

/// What the arguments ask for.
pub struct Planned {
    /// The plan that is shown.
    pub session: Session,
    /// Where it comes from, where it was not recorded in a trace file.
    pub origin: Option<Origin>,
    /// The command that gives the same.
    pub repeat: String,
    /// The plan to compare it with.
    pub rival: Option<Version>,
    /// The search that was asked for and is still to be made.
    pub search: Option<Wanted>,
    /// The report, where it is not that of a plan.
    pub report: Option<String>,
}

/// When a search that was asked for is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Search {
    /// At once.
    Now,
    /// By whoever shows the quick plan meanwhile.
    Later,
}

impl Sides {
    /// Plans or reads what is asked for of the graph, or the trace, that `graph` names.
    pub fn planned(&self, graph: Option<&str>, planning: &Flags, when: Search) -> Result<Planned, Error> {
        if let Some(path) = graph.filter(|path| is_trace(path)) {
            return self.recorded(path);
        }
        let text = read_text(graph)?;
        if let Some(subject) = packing::subject(&text)? {
            return packing::planned(&subject, graph.unwrap_or_default(), self, planning);
        }
        let job = planning.job_of(&text, graph)?;
        let rival = self.rival(&text, graph, planning)?;
        let origin = job.origin.clone();
        let asked = job.search.as_ref().filter(|search| search.is_asked).map(|search| search.wanted.clone());
        let search = asked.filter(|_| when == Search::Later && self.plan.is_none());
        let session = match &self.plan {
            Some(folder) => read_plan(job, folder)?,
            None if search.is_some() => plan(quick(&job))?,
            None => plan(job.setup())?,
        };
        let mut repeat = origin.plan_command(&session);
        if let Some(against) = &self.against {
            // A comparison is shown by `view`, which takes the flags of `plan`.
            let shown = repeat.trim_start_matches("spillscope plan ").trim_start_matches("spillscope view ");
            repeat = format!("spillscope view {shown} --against {}", quoted(against));
        }
        Ok(Planned { session, origin: Some(origin), repeat, rival, search, report: None })
    }

    /// What --plan names.
    pub fn plan(&self) -> Option<&Path> {
        self.plan.as_deref()
    }

    /// What --against says.
    pub fn against(&self) -> Option<&str> {
        self.against.as_deref()
    }

    fn recorded(&self, path: &str) -> Result<Planned, Error> {
        if self.plan.is_some() || self.against.is_some() {
            let what = format!("{} is the trace of one plan, which --plan and --against cannot go with", clean(path));
            return Err(Error::input(what, "name the graph that it was made of"));
        }
        let session = Session::read(&Source::read(path)?)?;
        let repeat = format!("spillscope view {}", path_word(path));
        Ok(Planned { session, origin: None, repeat, rival: None, search: None, report: None })
    }

    fn rival(&self, text: &Source, graph: Option<&str>, planning: &Flags) -> Result<Option<Version>, Error> {
        let Some(against) = &self.against else { return Ok(None) };
        if Path::new(against).is_dir() {
            let job = planning.job_of(text, graph)?;
            let origin = job.origin.clone();
            let session = read_plan(job, Path::new(against))?;
            return Ok(Some(rival_of(session, String::new(), origin)));
        }
        if !against.trim_start().starts_with('-') {
            let what = format!("--against \"{}\" is neither a folder nor flags", clean(against));
            return Err(Error::input(what, "name the folder of a plan, or flags as in \"--order memory-aware\""));
        }
        let job = updated(planning, "--against", against)?.job_of(text, graph)?;
        let origin = job.origin.clone();
        Ok(Some(rival_of(plan(job.setup())?, clean(against.trim()).into(), origin)))
    }
}

fn rival_of(session: Session, change: String, origin: Origin) -> Version {
    Version { session: Arc::new(session), change, origin: Some(origin) }
}

/// The same with the quick plan, as far as there is one, in place of the search that was asked for.
fn quick(job: &Job) -> Setup {
    let search = (!job.problem.is_clocked()).then(|| Wanted::quick(&job.problem));
    Setup { search, ..job.setup() }
}

fn plan(setup: Setup) -> Result<Session, Error> {
    let extras = Extras::for_screen(setup.problem.graph.node_count());
    let made = setup.make(extras, &mut Unheard, |session| session.trace.prepare());
    let (session, ()) = made.map_err(super::plan::no_order)?;
    super::must_hold(&session)?;
    Ok(session)
}

/// The session of the plan in `folder` for the graph of `job`.
pub fn read_plan(job: Job, folder: &Path) -> Result<Session, Error> {
    let raw = input::read_plan(folder, &job.stem)?;
    Ok(Session::of_plan(job.problem, job.options, &raw, &folder.to_string_lossy()))
}

/// Whether that file begins as a trace file does; what cannot be read is told by whoever reads it.
pub fn is_trace(path: &str) -> bool {
    use std::io::Read;
    let mut beginning = Vec::new();
    let regular = Path::new(path).is_file();
    let read = regular.then(|| std::fs::File::open(path).and_then(|file| file.take(64).read_to_end(&mut beginning)));
    matches!(read, Some(Ok(_))) && is_trace_file(&String::from_utf8_lossy(&beginning))
}
