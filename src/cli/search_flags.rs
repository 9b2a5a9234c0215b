//! The flags of a search, its bar on standard error, and its end by Ctrl-C: what has been found by then is kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};
use signal_hook::consts::SIGINT;

use crate::engine::pack::Effort;
use crate::engine::search::{Budget, Objective, Progress};
use crate::error::Error;
use crate::model::{LevelIx, Problem, clean};
use crate::session::Wanted;

/// Searching for a better plan.
#[derive(clap::Args, Clone, Debug, Default, PartialEq)]
#[group(id = "searching")]
#[command(next_help_heading = "Search")]
pub struct SearchFlags {
    /// Search for a better plan, for so long
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    search: Option<f64>,
    /// Search for a better plan with so many evaluations: with the same seed the same plan on any machine
    #[arg(long, value_name = "N", conflicts_with = "search", value_parser = clap::value_parser!(u64).range(1..))]
    evaluations: Option<u64>,
    /// What to make small: traffic, makespan, peak, energy, or weights as in traffic=1,makespan=0.1 [default: traffic]
    #[arg(long, value_name = "WHAT", value_parser = objective)]
    objective: Option<ObjectiveFlag>,
    /// How much extra traffic a small makespan may cost, beside the least found [default: 1.1]
    #[arg(long, value_name = "FACTOR", value_parser = slack)]
    traffic_slack: Option<f64>,
    /// Levels that hold at most one live buffer each, for a small peak, as in L0A,L0B,L0C
    #[arg(long, value_name = "LEVEL,…", value_delimiter = ',')]
    single: Vec<String>,
    /// Another seed, another search [default: 0]
    #[arg(long, value_name = "N")]
    seed: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum ObjectiveFlag {
    Traffic,
    Makespan,
    Peak,
    /// Traffic and makespan.
    Weights(f64, f64),
}

impl SearchFlags {
    /// What is asked for, if a search is.
    ///
    /// # Errors
    /// Where a flag is given that only a search heeds, or that its objective does not, or an unknown level is named.
    pub fn wanted(&self, problem: &Problem) -> Result<Option<Wanted>, Error> {
        let budget = match (self.search, self.evaluations) {
            (Some(seconds), _) => Budget::Seconds(seconds),
            (None, Some(evaluations)) => Budget::Evaluations(evaluations),
            (None, None) if self.is_empty() => return Ok(None),
            (None, None) => {
                let what = "--objective, --traffic-slack, --single and --seed steer a search, and none is asked for";
                return Err(Error::input(what, "add --search SECONDS or --evaluations N"));
            }
        };
        let objective = self.objective.unwrap_or(ObjectiveFlag::Traffic);
        if self.traffic_slack.is_some() && objective != ObjectiveFlag::Makespan {
            return Err(Error::input("--traffic-slack goes with --objective makespan", "leave one of the two out"));
        }
        if !self.single.is_empty() && objective != ObjectiveFlag::Peak {
            return Err(Error::input("--single goes with --objective peak", "leave it out"));
        }
        let objective = match objective {
            ObjectiveFlag::Traffic => Objective::Traffic,
            ObjectiveFlag::Makespan => Objective::Makespan { slack: self.traffic_slack.unwrap_or(1.1) },
            ObjectiveFlag::Peak => Objective::PeakStay { single: self.levels(problem)? },
            ObjectiveFlag::Weights(traffic, makespan) => Objective::Weighted { traffic, makespan },
        };
        Ok(Some(Wanted { objective, budget, seed: self.seed.unwrap_or(0), from: None }))
    }

    /// How much packing may do, for `seconds` where nothing is said of it; with the flags that say so taken out.
    pub fn take_effort(&mut self, seconds: f64) -> Effort {
        let usual = Effort::default();
        let nodes = self.evaluations.take();
        let seconds = self.search.take().or_else(|| nodes.is_none().then_some(seconds));
        Effort { seconds, nodes, seed: self.seed.take().unwrap_or(usual.seed), stop: None }
    }

    fn is_empty(&self) -> bool {
        self.objective.is_none() && self.traffic_slack.is_none() && self.single.is_empty() && self.seed.is_none()
    }

    fn levels(&self, problem: &Problem) -> Result<Vec<LevelIx>, Error> {
        let levels = &problem.machine.levels;
        let found = self.single.iter().map(|name| {
            levels.iter().position(|level| level.name.raw() == name).map(LevelIx::new).ok_or_else(|| {
                let what = format!("--single names level {}, which the machine does not have", clean(name));
                Error::input(what, "name one of its levels")
            })
        });
        found.collect()
    }
}

/// Listens to a search: a bar where standard error is a terminal, and a note of an interrupt.
pub struct Listener {
    bar: ProgressBar,
    interrupted: Arc<AtomicBool>,
}

impl Listener {
    /// From here on Ctrl-C ends the search in place of the process.
    ///
    /// # Errors
    /// Where the signal cannot be caught.
    pub fn new() -> Result<Self, Error> {
        let interrupted = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(SIGINT, interrupted.clone())
            .map_err(|error| Error::input(format!("cannot listen for an interrupt: {error}"), ""))?;
        let bar = ProgressBar::new(1000);
        let style = ProgressStyle::with_template("{elapsed_precise} {bar:30} {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        Ok(Self { bar, interrupted })
    }

    /// Shows how it goes; whether to go on.
    pub fn hear(&self, progress: Progress) -> bool {
        #[expect(clippy::cast_sign_loss, reason = "a share from 0 to 1")]
        self.bar.set_position((progress.done * 1000.0) as u64);
        self.bar.set_message(format!("{} evaluations, {}", progress.evaluations, progress.phase));
        !self.is_interrupted()
    }

    /// Whether Ctrl-C came.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

fn seconds(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| seconds.is_finite() && *seconds > 0.0);
    seconds.ok_or_else(|| format!("'{}' is no time: use seconds above 0, as in 20", clean(text)))
}

fn slack(text: &str) -> Result<f64, String> {
    let slack = text.parse().ok().filter(|slack: &f64| slack.is_finite() && *slack >= 1.0);
    slack.ok_or_else(|| format!("'{}' is no slack: use a factor of at least 1, as in 1.1", clean(text)))
}

fn objective(text: &str) -> Result<ObjectiveFlag, String> {
    match text {
        // Energy is that of the transfers: it is smallest where traffic is.
        "traffic" | "energy" => return Ok(ObjectiveFlag::Traffic),
        "makespan" | "cycles" => return Ok(ObjectiveFlag::Makespan),
        "peak" => return Ok(ObjectiveFlag::Peak),
        _ => {}
    }
    let wrong = || {
        format!("unknown objective '{}': use traffic, makespan, peak, energy, or traffic=1,makespan=0.1", clean(text))
    };
    let (mut traffic, mut makespan) = (0.0, 0.0);
    for part in text.split(',') {
        let (name, weight) = part.split_once('=').ok_or_else(wrong)?;
        let weight =
            weight.parse().ok().filter(|weight: &f64| weight.is_finite() && *weight >= 0.0).ok_or_else(wrong)?;
        match name {
            "traffic" | "energy" => traffic += weight,
            "makespan" => makespan += weight,
            _ => return Err(wrong()),
        }
    }
    if traffic + makespan > 0.0 { Ok(ObjectiveFlag::Weights(traffic, makespan)) } else { Err(wrong()) }
}
