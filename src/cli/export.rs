//! `export`: a plan for other tools.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::ValueEnum;

use super::plan::{Made, make, not_interrupted};
use super::planning::Flags;
use super::sides::{self, is_trace};
use crate::error::Error;
use crate::input::Source;
use crate::model::{LevelIx, Problem, clean};
use crate::output::buffers_csv::write_buffers_csv;
use crate::output::chrome_trace::write_chrome_trace;
use crate::output::command_line::path_word;
use crate::output::dot::write_dot;
use crate::output::save::{NewFile, save_all, save_file};
use crate::output::steps_csv::write_steps_csv;
use crate::output::svg::Axis;
use crate::output::svg_map::write_map;
use crate::output::svg_timeline::write_timeline;
use crate::output::trace_file::write_trace;
use crate::session::{Extras, Session};

/// Arguments of `export`.
#[derive(clap::Args)]
pub struct Args {
    /// The graph, or a trace: a file, or - for a graph on standard input [default: the built-in sample]
    graph: Option<String>,
    /// The format
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: Format,
    /// Where to write; of csv without --what the folder for X_steps.csv and X_buffers.csv, where X is the graph file's name
    /// without its ending; standard output where left out
    #[arg(short, long, value_name = "FILE|DIR")]
    out: Option<PathBuf>,
    /// Of csv steps or buffers [default: both, into a folder], of svg map or timeline [default: map]
    #[arg(long, value_enum, value_name = "WHAT")]
    what: Option<What>,
    /// The level that a picture shows [default: the map the one with most spills, the timeline all]
    #[arg(long, value_name = "LEVEL")]
    level: Option<String>,
    /// What runs from left to right in a picture [default: steps]
    #[arg(long, value_enum, value_name = "AXIS")]
    axis: Option<AxisFlag>,
    /// Export the plan in this folder, ours or another tool's, in place of planning
    #[arg(long, value_name = "DIR")]
    #[arg(conflicts_with_all = ["order", "policy", "on_full", "postpone_limit", "victims", "fit", "hoist", "prefetch"])]
    #[arg(conflicts_with_all = ["deadlock", "no_light_tasks", "schedule", "search", "evaluations"])]
    plan: Option<PathBuf>,
    #[command(flatten)]
    planning: Flags,
}

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  spillscope export graph.json --to chrome-trace -o trace.json  # for ui.perfetto.dev
  spillscope export graph.json --to svg -o map.svg              # the memory map as a picture
  spillscope export graph.json --to svg --what timeline --axis cycles -o timeline.svg
  spillscope export graph.json --to csv -o tables               # steps and buffers, two files
  spillscope export graph.json --to csv --what buffers          # one of them, printed
  spillscope export graph.json --to dot                         # the graph, for Graphviz
  spillscope export graph.json --plan plan --to trace -o graph.trace.jsonl

What --to trace writes, view opens again. Where there is no plan, or a broken one, what
there is of it is written, and the exit status is 1.";

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    /// Trace Event Format (JSON): units as lanes, levels as counters, spills as arrows; for ui.perfetto.dev
    ChromeTrace,
    /// The graph for Graphviz
    Dot,
    /// A picture of the memory map or of the timeline
    Svg,
    /// Tables of steps and of buffers
    Csv,
    /// JSON lines with every event, which view and frame open
    Trace,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// csv: a line a step
    Steps,
    /// csv: a line a buffer
    Buffers,
    /// svg: addresses over time
    Map,
    /// svg: how full each level is over time
    Timeline,
}

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum AxisFlag {
    /// Steps of the plan
    Steps,
    /// Cycles
    Cycles,
}

/// A plan to be written.
struct Subject {
    session: Session,
    repeat: String,
    interrupted: bool,
}

/// Plans, or reads a plan, and writes it.
pub fn run(args: &Args) -> Result<(), Error> {
    args.must_make_sense()?;
    if args.to == Format::Dot {
        let problem = args.problem()?;
        return deliver(args.out.as_deref(), |out| write_dot(out, &problem));
    }
    let Subject { session, repeat, interrupted } = args.subject()?;
    let out = args.out.as_deref();
    match args.to {
        Format::ChromeTrace => deliver(out, |out| write_chrome_trace(out, &session, &repeat))?,
        Format::Dot | Format::Trace => deliver(out, |out| write_trace(out, &session))?,
        Format::Svg => picture(args, &session)?,
        Format::Csv => tables(args, &session)?,
    }
    super::no_plan(&session)?;
    not_interrupted(interrupted)
}

impl Args {
    /// Flags that the format has a use for.
    fn must_make_sense(&self) -> Result<(), Error> {
        let is_picture = self.to == Format::Svg;
        let fits = match self.what {
            None => true,
            Some(What::Steps | What::Buffers) => self.to == Format::Csv,
            Some(What::Map | What::Timeline) => is_picture,
        };
        if !fits {
            let what = "--what says steps or buffers of --to csv, and map or timeline of --to svg";
            return Err(Error::input(what, "leave it out, or name the other format"));
        }
        if !is_picture && (self.level.is_some() || self.axis.is_some()) {
            return Err(Error::input("--level and --axis go with --to svg", "leave them out"));
        }
        if self.to == Format::Csv && self.what.is_none() && self.out.is_none() {
            let what = "--to csv are two tables, and standard output holds one";
            return Err(Error::input(what, "name a folder with -o, or one table with --what steps or --what buffers"));
        }
        Ok(())
    }

    /// The trace that is named, if it is one.
    fn trace(&self) -> Result<Option<Session>, Error> {
        let Some(path) = self.graph.as_deref().filter(|path| is_trace(path)) else { return Ok(None) };
        if self.plan.is_some() {
            let what = format!("{} is the trace of one plan, which --plan cannot go with", clean(path));
            return Err(Error::input(what, "name the graph that it was made of"));
        }
        Session::read(&Source::read(path)?).map(Some)
    }

    /// Graph and machine alone.
    fn problem(&self) -> Result<Problem, Error> {
        match self.trace()? {
            Some(session) => Ok(session.trace.problem),
            None => Ok(self.planning.job(self.graph.as_deref())?.problem),
        }
    }

    fn subject(&self) -> Result<Subject, Error> {
        if let Some(session) = self.trace()? {
            let repeat = format!("spillscope view {}", path_word(self.graph.as_deref().unwrap_or_default()));
            return Ok(Subject { session, repeat, interrupted: false });
        }
        let job = self.planning.job(self.graph.as_deref())?;
        let origin = job.origin.clone();
        let (session, interrupted) = if let Some(folder) = &self.plan {
            (sides::read_plan(job, folder)?, false)
        } else {
            let extras = Extras { fractional_bound: false, remedies: true };
            let Made { session, interrupted, .. } = make(&job, extras, |session| session.trace.prepare())?;
            super::must_hold(&session)?;
            (session, interrupted)
        };
        let repeat = origin.plan_command(&session);
        Ok(Subject { session, repeat, interrupted })
    }
}

/// Writes one file, or to standard output.
fn deliver(out: Option<&Path>, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), Error> {
    match out {
        Some(path) => save_file(path, write),
        None => super::print_streamed(write),
    }
}

fn tables(args: &Args, session: &Session) -> Result<(), Error> {
    let steps = |out: &mut dyn Write| write_steps_csv(out, session);
    let buffers = |out: &mut dyn Write| write_buffers_csv(out, session);
    match (args.what, args.out.as_deref()) {
        (Some(What::Steps), out) => deliver(out, steps),
        (Some(_), out) => deliver(out, buffers),
        (None, None) => Ok(()), // refused before
        (None, Some(folder)) => {
            let stem = stem(session);
            let files = vec![
                NewFile::new(format!("{stem}_steps.csv"), steps),
                NewFile::new(format!("{stem}_buffers.csv"), buffers),
            ];
            save_all(folder, files).map(drop)
        }
    }
}

/// The graph's name as the beginning of a file's. That of a trace's graph may be anything.
fn stem(session: &Session) -> String {
    let name = session.trace.problem.graph.name.to_string();
    let is_file_name = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', ':']);
    if is_file_name { name } else { "graph".into() }
}

fn picture(args: &Args, session: &Session) -> Result<(), Error> {
    let problem = &session.trace.problem;
    let named = args.level.as_deref().map(|name| level(problem, name)).transpose()?;
    let axis = if args.axis == Some(AxisFlag::Cycles) { Axis::Cycles } else { Axis::Steps };
    if args.what == Some(What::Timeline) {
        let levels = named.map_or_else(|| levels_in_use(session), |level| vec![level]);
        return deliver(args.out.as_deref(), |out| write_timeline(out, session, &levels, axis));
    }
    let level = named.unwrap_or_else(|| busiest(session));
    deliver(args.out.as_deref(), |out| write_map(out, session, level, axis))
}

fn level(problem: &Problem, name: &str) -> Result<LevelIx, Error> {
    let levels = &problem.machine.levels;
    let found = levels.iter().position(|level| level.name.raw() == name);
    found.map(LevelIx::new).ok_or_else(|| {
        let known = levels.iter().map(|level| level.name.to_string()).collect::<Vec<_>>().join(", ");
        let what = format!("--level names level {}, which the machine does not have", clean(name));
        Error::input(what, format!("its levels are {known}"))
    })
}

/// Levels that hold anything; all where none does.
fn levels_in_use(session: &Session) -> Vec<LevelIx> {
    let all = || (0..session.trace.problem.level_count()).map(LevelIx::new);
    let used: Vec<LevelIx> = all().filter(|level| session.figures.peak[level.at()] > 0).collect();
    if used.is_empty() { all().collect() } else { used }
}

/// The level with the most spills; among equals the one with the most stays.
fn busiest(session: &Session) -> LevelIx {
    let trace = &session.trace;
    let mut spills = vec![0u32; trace.problem.level_count()];
    trace.plan.spills.iter().for_each(|spill| spills[trace.problem.level_of(spill.buf).at()] += 1);
    let levels = (0..spills.len()).map(LevelIx::new);
    let key = |level: &LevelIx| (spills[level.at()], trace.stays_beginning(*level, 0..u32::MAX).len());
    levels.rev().max_by_key(key).unwrap_or(LevelIx(0))
}
