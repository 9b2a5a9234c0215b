//! Commands on static packing problems: files of lifetimes, models of TensorFlow Lite, and dumps of XLA. The commands of graphs hand over to these by what
//! a file is.

mod addresses;
mod compare;
mod dump;
mod lifetimes;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::SIGINT;

use super::plan::Format;
use super::planning::Flags;
use super::sides::{Planned, Sides};
use crate::engine::pack::Effort;
use crate::error::{Error, ErrorKind};
use crate::input::{Dump, Lifetimes, Source, StaticFormat, read_lifetimes, read_tflite, read_xla, static_format};
use crate::output::command_line::path_word;

/// How long packing may take where nothing is said of it and somebody waits, in seconds.
const SHORT: f64 = 2.0;
/// How long it may take where an answer was asked for.
const LONG: f64 = 20.0;

pub use compare::compare;

/// A file that needs addresses alone.
pub enum Subject {
    /// Lifetimes, also those of a model's tensors.
    Lifetimes(Lifetimes),
    /// A dump of XLA.
    Dump(Dump),
}

/// What a file holds, where it is no graph.
///
/// # Errors
/// Where something in it is not as it must be.
pub fn subject(text: &Source) -> Result<Option<Subject>, Error> {
    Ok(match static_format(text)? {
        None => None,
        Some(StaticFormat::Lifetimes) => Some(Subject::Lifetimes(read_lifetimes(text)?)),
        Some(StaticFormat::Tflite) => Some(Subject::Lifetimes(read_tflite(text)?)),
        Some(StaticFormat::Xla) => Some(Subject::Dump(read_xla(text)?)),
    })
}

/// What `plan` is asked beside the planning flags.
pub struct Wish<'a> {
    /// The file as it was named.
    pub path: &'a str,
    /// Where to write.
    pub out: Option<&'a Path>,
    /// Whether the smallest capacity is asked for.
    pub minimize: bool,
    /// The report's form.
    pub format: Format,
    /// The planning flags.
    pub flags: &'a Flags,
}

/// `plan`: packs, writes, reports; exit status 1 where it does not fit, or where that is not known.
pub fn plan(subject: &Subject, wish: &Wish) -> Result<(), Error> {
    match subject {
        Subject::Lifetimes(file) => lifetimes::plan(file, wish),
        Subject::Dump(dump) => dump::plan(dump, wish),
    }
}

/// `view` and `frame`: the session to open, with the packing to compare it with.
pub fn planned(subject: &Subject, path: &str, sides: &Sides, flags: &Flags) -> Result<Planned, Error> {
    match subject {
        Subject::Lifetimes(file) => lifetimes::planned(file, path, sides, flags),
        Subject::Dump(dump) => dump::planned(dump, path, sides, flags),
    }
}

/// `check`: verifies the addresses in the file itself, or in the file or folder `with`.
pub fn check(
    subject: &Subject,
    path: &str,
    with: Option<&Path>,
    format: Format,
    capacity: Option<u64>,
) -> Result<(), Error> {
    match subject {
        Subject::Lifetimes(file) => lifetimes::check(file, path, with, format, capacity),
        Subject::Dump(_) => {
            let advice = format!("spillscope plan {} tells the sums per allocation and clashes", path_word(path));
            Err(Error::input("a dump of XLA is verified as it is planned", advice))
        }
    }
}

/// Listens for Ctrl-C, which ends the packing with what it has.
struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    fn new(effort: &mut Effort) -> Result<Self, Error> {
        let flag = Arc::new(AtomicBool::new(false));
        signal_hook::flag::register(SIGINT, Arc::clone(&flag))
            .map_err(|error| Error::input(format!("cannot listen for an interrupt: {error}"), ""))?;
        effort.stop = Some(Arc::clone(&flag));
        Ok(Self(flag))
    }

    /// An error (exit status 130) where it came.
    fn told(&self) -> Result<(), Error> {
        if !self.0.load(Ordering::Relaxed) {
            return Ok(());
        }
        let what = "interrupted: this is what was found by then";
        Err(Error { kind: ErrorKind::Interrupted, ..Error::input(what, "") })
    }
}

/// A packing that the checker refuses, though it is ours.
fn fault_of_ours(what: String) -> Error {
    Error::no_plan(what, super::OUR_FAULT)
}

/// The words of an effort that gives the same again.
fn effort_words(effort: &Effort) -> String {
    let much = match (effort.nodes, effort.seconds) {
        (Some(nodes), _) => format!("--evaluations {nodes}"),
        (None, Some(seconds)) => format!("--search {seconds}"),
        (None, None) => String::new(),
    };
    format!("{much} --seed {}", effort.seed)
}
