//! `compare`: strategies side by side on one graph, or one setting over a range.

mod plans;
mod range;

use std::path::PathBuf;

use clap::ValueEnum;

use super::packing;
use super::planning::{Flags, Job, read_text};
use super::progress::Progress;
use super::with::updated;
use crate::compare::{Comparison, Outcome, Strategy, Sweep, count, standard};
use crate::error::Error;
use crate::input::Source;
use crate::output::command_line::quoted;
use crate::output::compare::{self as text, Chart};
use crate::output::{compare_csv, compare_json};

/// Arguments of `compare`.
#[derive(clap::Args)]
pub struct Args {
    /// The graph, lifetimes in CSV, or a TensorFlow Lite model: a file, or - for standard input [default: the built-in sample]
    graph: Option<String>,
    /// In place of strategies, two plans of the graph from their folders: figures, where they part, which buffers fare
    /// differently
    #[arg(value_name = "DIR", num_args = 2, conflicts_with_all = ["with", "sweep"])]
    #[arg(conflicts_with_all = ["order", "on_full", "postpone_limit", "deadlock", "no_light_tasks", "schedule"])]
    plans: Vec<PathBuf>,
    /// One more row, planned with these flags on top of the others, as in "--order memory-aware --buckets pow2"; may be
    /// given more than once
    #[arg(long, value_name = "FLAGS", allow_hyphen_values = true)]
    with: Vec<String>,
    /// In place of strategies, one setting over a range: window, max-pool-bytes or capacity.LEVEL from A to B, both
    /// included, in 16 values, in N, or in steps
    #[arg(long, value_name = "SETTING=A..B[/N|..STEP]", conflicts_with = "with")]
    sweep: Option<String>,
    /// The form of the table
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Draw bars with ASCII characters
    #[arg(long)]
    ascii: bool,
    #[command(flatten)]
    planning: Flags,
}

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  spillscope compare graph.json                 # orders, and ways to make room
  spillscope generate chains -o pipeline.json
  spillscope compare pipeline.json              # what each idea is worth
  spillscope compare pipeline.json --with \"--order memory-aware\" --with \"--buckets pow2\"
  spillscope compare pipeline.json --sweep window=1..16
  spillscope compare pipeline.json --sweep max-pool-bytes=1GiB..3GiB/9
  spillscope compare graph.json --sweep capacity.L1=2048..8192..512 --format csv
  spillscope compare graph.json mine theirs     # two plans: where they part, and why

Exit status: 0 done; 1 nothing has a plan, or one of two plans is broken; 2 bad usage or bad input.";

/// The form of the table.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Format {
    /// For people
    Text,
    /// For spreadsheets: one line a row, plain numbers
    Csv,
    /// For programs: stable names, plain numbers
    Json,
}

/// The width of tables where standard output is no terminal.
const USUAL_WIDTH: usize = 80;

/// Plans each row and prints the table; exit status 1 where no row has a plan, or one is broken.
pub fn run(args: &Args) -> Result<(), Error> {
    if let [first, second] = args.plans.as_slice() {
        return plans::run(args, &[first.clone(), second.clone()]);
    }
    let graph = read_text(args.graph.as_deref())?;
    if let Some(subject) = packing::subject(&graph)? {
        if !args.with.is_empty() || args.sweep.is_some() {
            let what = "--with and --sweep plan a graph in other ways, and these are lifetimes";
            return Err(Error::input(what, "leave them out"));
        }
        return packing::compare(&subject, args.graph.as_deref().unwrap_or_default(), args.format, &args.planning);
    }
    let job = args.planning.job_of(&graph, args.graph.as_deref())?;
    match &args.sweep {
        None => strategies(args, &graph, &job),
        Some(range) => sweep(args, &job, range),
    }
}

fn strategies(args: &Args, graph: &Source, job: &Job) -> Result<(), Error> {
    let mut strategies = standard(&job.problem, &job.options).map_err(super::plan::no_order)?;
    for flags in &args.with {
        let row = updated(&args.planning, "--with", flags)?.job_of(graph, args.graph.as_deref())?;
        strategies.push(Strategy::new(flags.trim(), &row.problem, row.options));
    }
    let progress = Progress::new(count(&strategies), "plans")?;
    let compared = Comparison::run(&job.problem, strategies, &mut || progress.step());
    drop(progress);
    let with: Vec<String> = args.with.iter().map(|flags| format!(" --with {}", quoted(flags))).collect();
    let repeat = format!("spillscope compare {}{}", job.words, with.concat());
    super::print(&match args.format {
        Format::Text => text::strategies(&compared, width(), &repeat),
        Format::Csv => compare_csv::strategies(&compared),
        Format::Json => compare_json::strategies(&compared, &repeat),
    })?;
    must_have_plans(&compared.rows.iter().map(|row| &row.outcome).collect::<Vec<_>>(), "strategy")
}

fn sweep(args: &Args, job: &Job, range: &str) -> Result<(), Error> {
    let parsed = range::parse(range, &job.problem)?;
    let progress = Progress::new(parsed.values.len(), "plans")?;
    let swept = Sweep::run(&job.problem, &job.options, &parsed, &mut || progress.step());
    drop(progress);
    let repeat = format!("spillscope compare {} --sweep {}", job.words, quoted(range));
    let chart = if args.ascii { Chart::Ascii } else { Chart::Blocks };
    let (problem, options) = (&job.problem, &job.options);
    super::print(&match args.format {
        Format::Text => text::sweep(problem, options, &swept, width(), chart, &repeat),
        Format::Csv => compare_csv::sweep(problem, &swept),
        Format::Json => compare_json::sweep(problem, options, &swept, &repeat),
    })?;
    must_have_plans(&swept.points.iter().map(|point| &point.outcome).collect::<Vec<_>>(), "value")
}

fn width() -> usize {
    let size = crate::tui::stdout_is_terminal().then(|| crossterm::terminal::size().ok()).flatten();
    size.map_or(USUAL_WIDTH, |(columns, _)| usize::from(columns))
}

fn must_have_plans(outcomes: &[&Outcome], what: &str) -> Result<(), Error> {
    let broken = outcomes.iter().find_map(|outcome| if let Outcome::Broken(how) = outcome { Some(how) } else { None });
    if let Some(how) = broken {
        return Err(Error::no_plan(how, super::OUR_FAULT));
    }
    if outcomes.iter().all(|outcome| outcome.measured().is_none()) {
        return Err(Error::no_plan(format!("no {what} has a plan"), "the table says why"));
    }
    Ok(())
}
