//! `check`: verify a plan, ours or anyone's.

use std::path::PathBuf;

use super::packing;
use super::plan::Format;
use super::planning::{self, Beside, MachineFlags};
use crate::check;
use crate::error::Error;
use crate::input;
use crate::output::check_report;
use crate::output::command_line::path_word;

/// Arguments of `check`.
#[derive(clap::Args)]
pub struct Args {
    /// The graph, lifetimes in CSV, or a TensorFlow Lite model: a file, or - for standard input
    graph: String,
    /// The folder with the plan: X_schedule.txt, X_memory.txt, X_spill.txt, where X is the graph file's name without its ending.
    /// For lifetimes X_packed.csv there, or a CSV file with a column offset; without it the addresses in the lifetimes themselves
    dir: Option<PathBuf>,
    /// The report's form
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    /// Mean durations by kind of operation, as the plan was made with
    #[arg(long, value_name = "FILE")]
    profile: Option<String>,
    #[command(flatten)]
    machine: MachineFlags,
}

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  spillscope check graph.json plan              # figures, or every rule broken with its step
  spillscope check graph.json plan --format json
  cat graph.json | spillscope check - plan      # takes the only plan in the folder

Exit status: 0 the plan holds; 1 it is broken; 2 bad usage or bad input.";

/// Replays the plan and prints its figures, or every rule that it breaks (exit status 1).
pub fn run(args: &Args) -> Result<(), Error> {
    let text = planning::read_text(Some(&args.graph))?;
    if let Some(subject) = packing::subject(&text)? {
        let capacity = args.machine.packing_capacity()?;
        if args.profile.is_some() {
            return Err(Error::input("--profile is for operation graphs, and these are lifetimes", "leave it out"));
        }
        return packing::check(&subject, &args.graph, args.dir.as_deref(), args.format, capacity);
    }
    let Some(dir) = args.dir.as_deref() else {
        return Err(Error::input("check needs <DIR>, the folder with the plan", "name it behind the graph"));
    };
    let loaded = planning::load_text(
        &text,
        Some(&args.graph),
        Beside { profile: args.profile.as_deref(), ..Beside::default() },
        &args.machine,
    )?;
    let plan = input::read_plan(dir, &loaded.stem)?;
    let report = check::check(&loaded.problem, &plan);
    let dir = path_word(&dir.to_string_lossy());
    let profile = args.profile.as_deref().map_or_else(String::new, |file| format!(" --profile {}", path_word(file)));
    let machine = loaded.origin.machine_words(&loaded.problem.machine);
    let repeat = format!("spillscope check {} {dir} {machine}{profile}", path_word(&args.graph));
    super::print(&match args.format {
        Format::Text => check_report::text(&loaded.problem, &report, &repeat),
        Format::Json => check_report::json(&loaded.problem, &report, &repeat),
    })?;
    if report.is_valid() {
        return Ok(());
    }
    let what = format!("the plan in {dir} is broken: {}", check_report::count(&report));
    Err(Error::no_plan(what, "the report above names each with its step"))
}
