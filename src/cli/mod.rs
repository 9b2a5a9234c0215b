//! The command line: one file a command; each validates, calls and prints.

mod check;
mod compare;
mod completions;
mod config;
mod export;
mod frame;
mod generate;
mod hint;
mod keep;
pub mod learn;
mod man;
mod packing;
mod personal;
mod plan;
mod planning;
mod policy_flags;
mod pool_flags;
mod progress;
mod run;
mod screen;
mod search_flags;
mod sides;
mod view;
mod with;

use std::io::{IsTerminal, Write};
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory, Parser, Subcommand};

use crate::error::Error;
use crate::model::clean;
use crate::output;
use crate::session::Session;

/// Plan the memory of a computation graph and watch every decision.
///
/// Without a command, GRAPH is opened in the visualizer; without GRAPH, the built-in sample.
#[derive(Parser)]
#[command(name = "spillscope", version = VERSION, args_conflicts_with_subcommands = true, after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    view: view::Args,
}

/// What `--version` says: the version, and where it is known the commit and its day.
const VERSION: &str = concat!(env!("CARGO_PKG_VERSION"), env!("SPILLSCOPE_COMMIT"));

/// What `--help` ends with.
const EXAMPLES: &str = "\
Examples:
  spillscope                                    # look at the built-in sample
  spillscope graph.json --at peak               # open where its memory is fullest
  spillscope plan graph.json -o plan            # plan without a screen, write the files
  spillscope check graph.json plan              # verify them, or another tool's
  spillscope learn                              # how spilling works, in twelve lessons
  spillscope graph.json --plan plan             # look at them
  spillscope graph.json --against '--order memory-aware'   # two plans side by side
  spillscope lifetimes.csv                      # lifetimes: where buffers lie, at the peak
  spillscope generate matmul --tiles 3 | spillscope plan -

In the visualizer press ? for the keys and q to leave.";

#[derive(Subcommand)]
enum Command {
    /// Open the visualizer (the same as without a command)
    #[command(after_help = view::EXAMPLES)]
    View(view::Args),
    /// Plan without a screen: print a report, write plan files
    #[command(after_help = plan::EXAMPLES)]
    Plan(plan::Args),
    /// Verify a plan, ours or anyone's
    #[command(after_help = check::EXAMPLES)]
    Check(check::Args),
    /// Plan in several ways and print a table of what each comes to
    #[command(after_help = compare::EXAMPLES)]
    Compare(compare::Args),
    /// Guided lessons on how memory is planned and spilled
    #[command(after_help = learn::EXAMPLES)]
    Learn(learn::Args),
    /// Write a plan for other tools: Chrome trace, DOT, SVG, CSV, trace lines
    #[command(after_help = export::EXAMPLES)]
    Export(export::Args),
    /// Print one frame of the visualizer
    #[command(after_help = frame::EXAMPLES)]
    Frame(frame::Args),
    /// Execute an operation graph for real, on threads with the buffer pool
    #[command(after_help = run::EXAMPLES)]
    Run(run::Args),
    /// Print a configuration with every setting, or where yours is looked for
    #[command(after_help = config::EXAMPLES)]
    Config(config::Args),
    /// Write a graph: a kernel's tiling or a random one
    #[command(after_help = generate::EXAMPLES)]
    Generate(generate::Args),
    /// Print a script that completes the command line in a shell
    #[command(after_help = completions::EXAMPLES)]
    Completions(completions::Args),
    /// Print the man page, or write one for each command
    #[command(after_help = man::EXAMPLES)]
    Man(man::Args),
}

/// The command line as `completions` and `man` describe it.
fn command() -> clap::Command {
    Cli::command()
}

/// Parses the command line, runs the command, prints the error if there is one.
pub fn main() -> ExitCode {
    let result = parse().and_then(|cli| match cli.command {
        None => view::run(&cli.view),
        Some(Command::View(args)) => view::run(&args),
        Some(Command::Plan(args)) => plan::run(&args),
        Some(Command::Check(args)) => check::run(&args),
        Some(Command::Compare(args)) => compare::run(&args),
        Some(Command::Learn(args)) => learn::run(&args),
        Some(Command::Export(args)) => export::run(&args),
        Some(Command::Frame(args)) => frame::run(&args),
        Some(Command::Run(args)) => run::run(&args),
        Some(Command::Config(args)) => config::run(&args),
        Some(Command::Generate(args)) => generate::run(&args),
        Some(Command::Completions(args)) => completions::run(&args),
        Some(Command::Man(args)) => man::run(&args),
    });
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let color = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|no| no.is_empty());
            let _ = writeln!(std::io::stderr().lock(), "{}", output::error::render(&error, color).trim_end());
            ExitCode::from(error.exit_status())
        }
    }
}

/// The command line; where that is help or wrong, clap prints and exits.
fn parse() -> Result<Cli, Error> {
    let error = match Cli::try_parse() {
        Ok(cli) => return Ok(cli),
        Err(error) => error,
    };
    // A mistyped command is taken for GRAPH, and of the next word clap says that it is a command.
    match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) if error.kind() == ErrorKind::ArgumentConflict => {
            let what = format!("found '{}' behind what can only be one GRAPH", clean(word));
            let command = command();
            let names: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
            Err(Error::input(what, format!("the commands are {}; name one first", names.join(", "))))
        }
        _ => error.exit(),
    }
}

/// Refuses to show a plan that is broken.
fn must_hold(session: &Session) -> Result<(), Error> {
    match session.broken() {
        None => Ok(()),
        Some(what) => Err(Error::no_plan(what, OUR_FAULT)),
    }
}

/// The advice where a plan is broken.
const OUR_FAULT: &str = "this is a fault of spillscope; please report it with the graph";

/// An error (exit status 1) where there is no plan.
fn no_plan(session: &Session) -> Result<(), Error> {
    let Some(found) = &session.diagnosis else { return not_broken(session) };
    let lines = output::diagnosis::diagnosis(&session.trace, found);
    let what = lines.first().map_or_else(|| "there is no plan".into(), |line| line.text.clone());
    let advice = match found.remedies.first() {
        Some(remedy) => format!("{} works", output::diagnosis::remedy_flag(&session.trace.problem, remedy)),
        None => String::new(),
    };
    Err(Error::no_plan(what, advice))
}

/// An error (exit status 1) where the plan of another tool is broken.
fn not_broken(session: &Session) -> Result<(), Error> {
    let Some(recorded) = session.recorded.as_ref().filter(|_| !session.check.is_valid()) else { return Ok(()) };
    let whose = recorded.from.as_ref().map_or(String::new(), |folder| format!(" in {folder}"));
    let what = format!("the plan{whose} is broken: {}", output::check_report::count(&session.check));
    Err(Error::no_plan(what, "the report above names each with its step"))
}

/// Prints to stdout; a reader that has gone away (`| head`) is no error.
fn print(text: &str) -> Result<(), Error> {
    print_bytes(text.as_bytes())
}

/// The same for what is no text.
fn print_bytes(bytes: &[u8]) -> Result<(), Error> {
    let mut out = std::io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::input(format!("cannot write to standard output: {error}"), ""))
        }
        _ => Ok(()),
    }
}

/// Prints to stdout as it is written, for what may be large; the same for readers that have gone away.
fn print_streamed(write: impl FnOnce(&mut dyn Write) -> std::io::Result<()>) -> Result<(), Error> {
    let mut out = std::io::BufWriter::new(std::io::stdout().lock());
    match write(&mut out).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Error::input(format!("cannot write to standard output: {error}"), ""))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_command_line_is_sound() {
        super::command().debug_assert();
    }
}
