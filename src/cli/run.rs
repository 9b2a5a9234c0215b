//! `run`: execute an operation graph for real, on threads with the buffer pool.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use clap::ValueEnum;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use super::plan::Format;
use super::planning::{Flags, Job};
use crate::engine::order::{self, Priorities, any_order};
use crate::error::{Error, ErrorKind};
use crate::input::Profile;
use crate::model::{BufIx, Event, LevelIx, NodeIx, NodeKind, Order, Problem, clean};
use crate::output::run_report::{Run, broken_words, ending_words, run_report};
use crate::output::{run_json::run_json, save, trace_file};
use crate::run::{self, Config, Ending, Fault, Measured, Roles, Scale, is_one, system};
use crate::session::{Extras, Recorded, Session};

/// Arguments of `run`.
#[derive(clap::Args)]
pub struct Args {
    /// The graph of operations: a file, or - for standard input
    graph: String,
    /// Multiply every duration with this; workers sleep for what reading and writing leave of it, and spin the last
    /// 100 µs
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = scale)]
    time_scale: f64,
    /// Multiply every size with this, and the pool's cap too
    #[arg(long, value_name = "X", default_value_t = 1.0, value_parser = scale)]
    size_scale: f64,
    /// Run so often, one after another
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..))]
    runs: u32,
    /// Plant a fault, to see that it is caught
    #[arg(long, value_enum)]
    fault: Option<FaultFlag>,
    /// Let the kernel of the operation of that name fail
    #[arg(long, value_name = "NAME", hide = true)]
    fail_at: Option<String>,
    /// Write what happened as a trace file, which `view` opens; of several runs the last
    #[arg(short = 'o', long, value_name = "FILE")]
    trace: Option<PathBuf>,
    /// How much the newest duration counts in the means of --profile, above 0 and at most 1 [default: the profile's;
    /// a new one has 0.2]
    #[arg(long, value_name = "A", requires = "profile", value_parser = smoothing)]
    smoothing: Option<f64>,
    /// The report's form
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
    #[command(flatten)]
    planning: Flags,
}

/// What `--help` ends with.
pub const EXAMPLES: &str = "\
Examples:
  spillscope run graph.json                          # measured beside planned
  spillscope run graph.json --workers 2 --size-scale 0.5 --runs 20
  spillscope run graph.json -o graph.trace.jsonl     # and then: spillscope view graph.trace.jsonl
  spillscope run graph.json --fault early-release    # a careless pool is caught: exit status 1
  spillscope run graph.json --profile means.json     # durations of earlier runs, and of this one

Workers read every byte of their inputs and write every byte of their outputs. Each producer stamps its buffer, and
each consumer looks for the stamp.

Exit status: 0 done; 1 no plan, a broken stamp, a failed kernel or a deadlock; 2 bad usage or bad input; 130
interrupted.";

#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum FaultFlag {
    /// Buffers are released when the consumers that have started are done, though others have not started
    EarlyRelease,
}

/// Plans, runs, prints the report; exit status 1 where a run did not come to its end.
pub fn run(args: &Args) -> Result<(), Error> {
    let scale = Scale { size: args.size_scale, time: args.time_scale };
    let mut planning = args.planning.clone();
    let profile = planning.profile_to_update()?;
    let job = scaled(planning.job(Some(&args.graph))?, scale)?;
    let config = config(args, &job.problem)?;
    must_be_runnable(&job, scale)?;
    let extras = Extras { fractional_bound: false, remedies: true };
    let predicted = Session::plan(job.problem.clone(), job.options.clone(), extras).map_err(super::plan::no_order)?;
    super::must_hold(&predicted)?;
    super::no_plan(&predicted)?;
    let result = repeat_runs(args, &job, &config, predicted, scale)?;
    if let Some(file) = &args.trace {
        save::save_file(file, |out| trace_file::write_trace(out, &result.session))?;
    }
    if let Some((file, profile)) = profile {
        let profile = observed(profile, &result.last, scale, args.smoothing);
        save::save_file(&file, |out| out.write_all(profile.to_json().as_bytes()))?;
    }
    super::print(&match args.format {
        Format::Text => run_report(&result),
        Format::Json => run_json(&result),
    })?;
    outcome(&job.problem, &result.last)
}

/// The job with other sizes and durations.
fn scaled(job: Job, scale: Scale) -> Result<Job, Error> {
    let Job { problem, .. } = job;
    let graph = run::scaled(&problem.graph, scale).map_err(|fault| Error::input(fault.what, fault.advice))?;
    let mut machine = problem.machine;
    for level in machine.levels.iter_mut().filter(|level| level.pool().is_some()) {
        level.capacity = scale.size(level.capacity);
    }
    // The levels are those that it had.
    let problem = Problem::new(Arc::new(graph), machine).map_err(|_| Error::input("a level is missing", ""))?;
    Ok(Job { problem, ..job })
}

fn config(args: &Args, problem: &Problem) -> Result<Config, Error> {
    let fault = args.fault.map(|FaultFlag::EarlyRelease| Fault::EarlyRelease);
    let fail_at = args.fail_at.as_deref().map(|name| named(problem, name)).transpose()?;
    Ok(Config { fault, fail_at })
}

/// The operation of that name.
fn named(problem: &Problem, name: &str) -> Result<NodeIx, Error> {
    let graph = &problem.graph;
    let has_name = |node: &NodeIx| {
        let node = graph.node(*node);
        node.kind.is_op() && node.name.as_ref().is_some_and(|found| found.raw() == name)
    };
    let missing = || Error::input(format!("no operation has the name '{}'", clean(name)), "use a name of the graph");
    graph.node_ixs().find(has_name).ok_or_else(missing)
}

/// What can be said before anything is started.
fn must_be_runnable(job: &Job, scale: Scale) -> Result<(), Error> {
    if job.search.as_ref().is_some_and(|search| search.is_asked) {
        let what = "a search makes a plan beforehand, but a run decides as it goes";
        return Err(Error::input(what, "leave --search or --evaluations out; `plan` and `view` take them"));
    }
    Roles::new(&job.problem)?;
    if matches!(job.options.order, Order::Given | Order::Program) {
        let what = format!("--order {} is fixed beforehand, but a run decides as it goes", job.options.order);
        return Err(Error::input(what, "use --order critical-path, memory-aware or topological"));
    }
    match system::available() {
        Some(available) => must_fit(&job.problem, scale, available),
        None => Ok(()),
    }
}

/// Bytes that the pools may come to hold, against what the system has.
fn must_fit(problem: &Problem, scale: Scale, available: u64) -> Result<(), Error> {
    let buffers = || (0..problem.graph.buffers().len()).map(BufIx::new);
    let need = (0..problem.level_count()).map(|level| {
        let here = buffers().filter(|&buf| problem.level_of(buf).at() == level);
        let all = here.map(|buf| problem.space_of(buf)).fold(0, u64::saturating_add);
        all.min(problem.level(LevelIx::new(level)).capacity)
    });
    let need = need.fold(0, u64::saturating_add);
    if need <= available {
        return Ok(());
    }
    // With room to spare, since others want memory too.
    let fits = scale.size * 0.8 * available as f64 / need as f64;
    let what = format!("the pool may come to hold {need} bytes, and the system has {available} (MemAvailable)");
    Err(Error::input(what, format!("use --size-scale {}, or a smaller --max-pool-bytes", two_digits(fits))))
}

/// `number` rounded down to two significant digits.
fn two_digits(number: f64) -> String {
    let digits = (1 - number.log10().floor() as i32).max(0);
    let unit = 10f64.powi(digits);
    format!("{:.*}", usize::try_from(digits).unwrap_or(0), (number * unit).floor() / unit)
}

/// Runs as often as asked for, or until a run does not come to its end.
fn repeat_runs(args: &Args, job: &Job, config: &Config, predicted: Session, scale: Scale) -> Result<Run, Error> {
    let stop = stop_on_signals()?;
    let problem = &job.problem;
    let starts = Priorities::new(&problem.graph, &any_order(&problem.graph));
    let before = system::resident();
    let (mut micros, mut stamps) = (Vec::new(), 0);
    let last = loop {
        let mut scheduler = order::Scheduler::new(problem, &starts, &job.options, true);
        let measured = run::run(problem, &mut scheduler, config, &stop)?;
        micros.push(measured.micros);
        stamps += measured.stamps;
        if measured.ending != Ending::Done || micros.len() >= args.runs as usize {
            break measured;
        }
    };
    let after = system::resident();
    let ended = (last.ending != Ending::Done).then(|| ending_words(problem, &last.ending));
    let recorded = Recorded { measured: true, ended, from: None };
    let session = Session::recorded(last.trace.clone(), job.options.clone(), recorded, last.micros as f64 / 1e6);
    let repeat = repeat_words(args, job);
    Ok(Run { predicted, session, last, micros, stamps, before, after, scale, repeat })
}

/// Set by the first SIGINT or SIGTERM; the second ends the process at once.
fn stop_on_signals() -> Result<Arc<AtomicBool>, Error> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in [SIGINT, SIGTERM] {
        let listening = flag::register_conditional_default(signal, stop.clone());
        let listening = listening.and_then(|_| flag::register(signal, stop.clone()));
        listening.map_err(|error| Error::input(format!("signals cannot be listened to: {error}"), ""))?;
    }
    Ok(stop)
}

/// The profile with the durations of a run, as they are without scaling.
fn observed(mut profile: Profile, measured: &Measured, scale: Scale, smoothing: Option<f64>) -> Profile {
    let graph = &measured.trace.problem.graph;
    profile.smoothing = smoothing.unwrap_or(profile.smoothing);
    let weight = profile.smoothing;
    for event in measured.trace.events() {
        if let Event::Ran { node, start, end, .. } = *event
            && let NodeKind::Op(op) = graph.node(node).kind
        {
            profile.observe(graph.symbol(op.op).raw(), end.saturating_sub(start) as f64 / scale.time, weight);
        }
    }
    profile
}

fn repeat_words(args: &Args, job: &Job) -> String {
    let mut words = vec![format!("spillscope run {}", job.words)];
    words.extend((!is_one(args.size_scale)).then(|| format!("--size-scale {}", args.size_scale)));
    words.extend((!is_one(args.time_scale)).then(|| format!("--time-scale {}", args.time_scale)));
    words.extend((args.runs > 1).then(|| format!("--runs {}", args.runs)));
    words.extend(args.fault.map(|FaultFlag::EarlyRelease| "--fault early-release".to_owned()));
    words.join(" ")
}

/// The error for a run that did not come to its end.
fn outcome(problem: &Problem, last: &Measured) -> Result<(), Error> {
    let words = ending_words(problem, &last.ending);
    let advice = match &last.ending {
        Ending::Done => return Ok(()),
        Ending::Interrupted => {
            let what = format!("interrupted after {} operations; those that ran were waited for", last.operations);
            return Err(Error { kind: ErrorKind::Interrupted, ..Error::input(what, "") });
        }
        Ending::Broken(stamps) => {
            let first = stamps.first().map_or(words, |stamp| broken_words(problem, stamp));
            return Err(Error::no_plan(format!("a stamp is broken: {first}"), "the buffer was given away too early"));
        }
        Ending::Failed { .. } => "nothing was started after it",
        Ending::Starved => "use a larger --max-pool-bytes",
        Ending::NoRoom { .. } | Ending::Confused(_) => "this is a fault of spillscope; please report it with the graph",
    };
    Err(Error::no_plan(words, advice))
}

fn scale(text: &str) -> Result<f64, String> {
    let scale: Option<f64> = text.parse().ok().filter(|scale: &f64| scale.is_finite() && *scale > 0.0);
    scale.ok_or_else(|| format!("'{}' is no scale: use a number above 0, as in 0.1", clean(text)))
}

fn smoothing(text: &str) -> Result<f64, String> {
    let weight = text.parse().ok().filter(|weight| *weight > 0.0 && *weight <= 1.0);
    weight.ok_or_else(|| format!("'{}' is no weight: use a number above 0, at most 1", clean(text)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{GraphBuilder, Machine};

    #[test]
    fn what_does_not_fit_is_refused_with_a_scale_that_does() {
        let mut builder = GraphBuilder::new("g".into());
        let pool = builder.intern("pool").unwrap();
        builder.alloc(0, 0, 1 << 20, pool);
        builder.backed = vec![0];
        let problem = Problem::new(builder.build().unwrap().into(), Machine::host()).unwrap();
        let scale = Scale { size: 0.5, time: 1.0 };
        assert!(must_fit(&problem, scale, 1 << 20).is_ok());
        let refused = must_fit(&problem, scale, (1 << 20) - 1).unwrap_err();
        assert!(refused.what.contains("hold 1048576 bytes, and the system has 1048575"), "{}", refused.what);
        assert!(refused.advice.starts_with("use --size-scale 0.39,"), "{}", refused.advice);
    }

    #[test]
    fn scales_keep_two_digits_and_are_never_rounded_up() {
        for (number, text) in
            [(0.4567, "0.45"), (1.99, "1.9"), (0.000_123_4, "0.00012"), (99.9, "99"), (1234.0, "1234")]
        {
            assert_eq!(two_digits(number), text);
        }
    }

    #[test]
    fn scales_and_weights_are_above_0() {
        assert_eq!((scale("0.5"), smoothing("1")), (Ok(0.5), Ok(1.0)));
        for text in ["0", "-1", "inf", "nan", "x"] {
            assert!(scale(text).is_err() && smoothing(text).is_err(), "{text}");
        }
        assert!(smoothing("1.5").is_err());
    }
}
