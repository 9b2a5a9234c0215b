//! A record as a file: JSON lines, versioned, of a plan as well as of a measured run.
//!
//! The first line is the [`Head`]: version, graph, machine, options, how many steps there are. Then comes a line for each
//! step with what it does and its events, in the order in which they were decided; a failing step, which only the last
//! line can be, has events alone:
//!
//! ```text
//! {"spillscope_trace":1,"measured":false,"ended":null,"steps":22,…,"graph":{"name":"first-spill","nodes":[…],…}}
//! {"step":{"node":0},"events":[{"placed":{"buf":0,"how":"alloc","level":0,"offset":0,"at":0}}]}
//! {"step":{"out":0},"events":[…]}
//! ```
//!
//! Nodes and buffers are named by their place in ascending order of their ids, counted from 0; levels by their place in
//! the machine; units by their place among the machine's, then the graph's; spills by number.
//!
//! What is read back was written by anybody. It is replayed before it is taken: every event must be possible where it
//! stands, so that whoever walks the record need not doubt it.

mod graph;
mod head;
mod named;
mod replay;

use std::io::{self, Write};

use serde::{Deserialize, Serialize};

pub use graph::GraphFile;
pub use head::{Head, OptionsFile};

use super::{Recorder, Trace};
use crate::model::{Event, Problem, Sink, Step};
use replay::Replay;

/// The version of the format; raised when a field or an event changes its meaning or goes.
pub const TRACE_VERSION: u32 = 1;

/// What every trace file begins with.
const BEGINNING: &str = "{\"spillscope_trace\":";

/// What is wrong with a file, and where. The reader of files adds its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed {
    /// Line from 1.
    pub line: usize,
    /// Column from 1, in bytes; 1 where it is the line as a whole.
    pub column: usize,
    /// One sentence: what was expected and what was found.
    pub what: String,
}

/// The line of a step.
#[derive(Serialize)]
struct Written<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    step: Option<Step>,
    events: &'a [Event],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Read {
    step: Option<Step>,
    events: Vec<Event>,
}

/// Whether a text is, by its first words, a trace file.
pub fn is_trace_file(text: &str) -> bool {
    text.starts_with(BEGINNING)
}

/// Writes `trace` behind `head`.
///
/// # Errors
/// Where `out` fails.
pub fn write(out: &mut dyn Write, head: &Head, trace: &Trace) -> io::Result<()> {
    let mut line = serde_json::to_vec(head)?;
    for n in 0..trace.step_count() {
        line.push(b'\n');
        out.write_all(&line)?;
        line.clear();
        serde_json::to_writer(&mut line, &Written { step: trace.step(n), events: trace.run(n) })?;
    }
    line.push(b'\n');
    out.write_all(&line)
}

/// The first line of a file.
///
/// # Errors
/// Where it is no head, or one of another version.
pub fn read_head(text: &str) -> Result<Head, Malformed> {
    let first = text.lines().next().unwrap_or_default();
    let version = head::version(first).map_err(|error| syntax(1, &error))?;
    if version != TRACE_VERSION {
        let what = format!("this is version {version} of the trace format, expected version {TRACE_VERSION}");
        return Err(Malformed { line: 1, column: 1, what });
    }
    serde_json::from_str(first).map_err(|error| syntax(1, &error))
}

/// The steps of a file whose head was read and gave `problem`.
///
/// # Errors
/// Where a line is no step, does what cannot be where it stands, or lines are missing.
pub fn read_steps(problem: Problem, head: &Head, text: &str) -> Result<Trace, Malformed> {
    let mut recorder = Recorder::new();
    let mut replay = Replay::new(&problem);
    let mut last = 1;
    for (at, line) in text.lines().enumerate().skip(1).filter(|(_, line)| !line.trim().is_empty()) {
        last = at + 1;
        let read: Read = serde_json::from_str(line).map_err(|error| syntax(last, &error))?;
        let taken = replay.step(read.step, &read.events);
        taken.map_err(|what| Malformed { line: last, column: 1, what })?;
        read.events.into_iter().for_each(|event| recorder.record(event));
        if let Some(step) = read.step {
            recorder.end_step(step);
        }
    }
    let plan = replay.finish();
    if plan.steps.len() != head.steps {
        let what =
            format!("the first line promises {} steps, found {}: was it cut short?", head.steps, plan.steps.len());
        return Err(Malformed { line: last, column: 1, what });
    }
    Ok(Trace::new(problem, plan, recorder))
}

fn syntax(line: usize, error: &serde_json::Error) -> Malformed {
    // Each line is a text of its own to the parser, which ends its message with where in that text it stands.
    let text = error.to_string();
    let what = text.split(" at line ").next().unwrap_or_default();
    Malformed { line, column: error.column().max(1), what: crate::model::clean(what).into_owned() }
}
