//! The lines of the log around where one stands.

use super::command::Dir;
use super::find::Filter;
use crate::trace::Trace;

/// Events that are looked through to find lines, each way; then the log says that it stopped.
const MOST_LOOKED_AT: usize = 20_000;

/// Some lines of the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LogWindow {
    /// Indices of events, ascending.
    pub lines: Vec<usize>,
    /// How many of the lines are of events that have happened.
    pub happened: usize,
    /// Whether the search for earlier lines was given up.
    pub gave_up_before: bool,
    /// Whether the search for later lines was given up.
    pub gave_up_after: bool,
}

/// Up to `before` shown events that have happened at `position`, and up to `after` that have not.
pub fn around(trace: &Trace, filter: &Filter, position: usize, before: usize, after: usize) -> LogWindow {
    let shown = |&at: &usize| filter.shows(trace, &trace.events()[at]);
    let (earlier, gave_up_before) = take(before, backward(trace, filter, position), shown);
    let (later, gave_up_after) = take(after, forward(trace, filter, position), shown);
    let happened = earlier.len();
    let lines = earlier.into_iter().rev().chain(later).collect();
    LogWindow { lines, happened, gave_up_before, gave_up_after }
}

/// The next shown event at or after `position`, or the last one before it, without giving up.
pub(super) fn next(trace: &Trace, filter: &Filter, position: usize, dir: Dir) -> Option<usize> {
    let mut positions = match dir {
        Dir::Forward => forward(trace, filter, position),
        Dir::Back => backward(trace, filter, position),
    };
    positions.find(|&at| filter.shows(trace, &trace.events()[at]))
}

type Positions<'t> = Box<dyn Iterator<Item = usize> + 't>;

fn forward<'t>(trace: &'t Trace, filter: &Filter, position: usize) -> Positions<'t> {
    match filter.candidates(trace) {
        Some(some) => {
            let from = some.partition_point(|&at| (at as usize) < position);
            Box::new(some[from..].iter().map(|&at| at as usize))
        }
        None => Box::new(position..trace.event_count()),
    }
}

fn backward<'t>(trace: &'t Trace, filter: &Filter, position: usize) -> Positions<'t> {
    match filter.candidates(trace) {
        Some(some) => {
            let to = some.partition_point(|&at| (at as usize) < position);
            Box::new(some[..to].iter().rev().map(|&at| at as usize))
        }
        None => Box::new((0..position.min(trace.event_count())).rev()),
    }
}

/// The first `wanted` that are shown, and whether the search was given up before they were found.
fn take(wanted: usize, positions: Positions<'_>, shown: impl Fn(&usize) -> bool) -> (Vec<usize>, bool) {
    let mut found = Vec::new();
    for (looked_at, at) in positions.enumerate() {
        if found.len() == wanted {
            break;
        }
        if looked_at == MOST_LOOKED_AT {
            return (found, true);
        }
        if shown(&at) {
            found.push(at);
        }
    }
    (found, false)
}
