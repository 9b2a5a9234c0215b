//! What the letters and colours of the map tell: which buffer, or a class that it falls into.

use super::super::rows::{self, NextUse};
use crate::model::{BufIx, NodeKind, Symbol};
use crate::trace::Trace;

/// What letters and colours tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Coloring {
    /// Which buffer.
    #[default]
    Buffer,
    /// For how many steps it has been where it is.
    Age,
    /// In how many steps it is used next.
    NextUse,
    /// Whether main memory has a copy.
    Backed,
    /// The kind of the first operation that names it.
    Operation,
}

/// All of them, in the order of the key.
const ALL: [Coloring; 5] = [Coloring::Buffer, Coloring::Age, Coloring::NextUse, Coloring::Backed, Coloring::Operation];

/// A buffer's class in one coloring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// Steps by their magnitude: 0 for none, then 1, 2–3, 4–7, … up to [`LONGEST`] for all from 256 on.
    Steps(u8),
    /// It is never used again.
    Never,
    /// Too much would have to be looked through.
    Unknown,
    /// Main memory has a copy.
    Backed,
    /// Main memory has none: going out must be written.
    Unbacked,
    /// The kind of operation.
    Kind(Symbol),
}

/// The class of the most steps.
pub const LONGEST: u8 = 9;

/// Users that are looked through for one cell.
const MOST_USERS: usize = 512;

impl Coloring {
    /// The next or previous one, round and round.
    #[must_use]
    pub fn beside(self, forward: bool) -> Self {
        let at = ALL.iter().position(|&coloring| coloring == self).unwrap_or(0);
        ALL[(at + if forward { 1 } else { ALL.len() - 1 }) % ALL.len()]
    }

    /// What the letters tell, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Buffer => "buffer",
            Self::Age => "age",
            Self::NextUse => "next use",
            Self::Backed => "backed or not",
            Self::Operation => "operation",
        }
    }

    /// The class of `buf`, which came to its place at step `since`, as step `step` leaves it; `None` where letters tell
    /// the buffer itself.
    pub(super) fn class(self, trace: &Trace, buf: BufIx, since: usize, step: usize) -> Option<Class> {
        Some(match self {
            Self::Buffer => return None,
            Self::Age => Class::Steps(magnitude(step.saturating_sub(since))),
            Self::NextUse => match rows::next_use(trace, buf, step) {
                NextUse::At(at) => Class::Steps(magnitude(at - step)),
                NextUse::Never => Class::Never,
                NextUse::Many(_) => Class::Unknown,
            },
            Self::Backed if trace.problem.graph.buffer(buf).backed => Class::Backed,
            Self::Backed => Class::Unbacked,
            Self::Operation => first_kind(trace, buf).map_or(Class::Unknown, Class::Kind),
        })
    }
}

/// How many binary digits a number has.
fn magnitude(steps: usize) -> u8 {
    (steps.checked_ilog2().map_or(0, |log| log + 1) as u8).min(LONGEST)
}

/// The kind of the first operation in the plan that names `buf`; before any has run, the first of the graph.
fn first_kind(trace: &Trace, buf: BufIx) -> Option<Symbol> {
    let graph = &trace.problem.graph;
    let users = graph.users(buf);
    if users.len() > MOST_USERS {
        return None;
    }
    let first = users.iter().min_by_key(|&&node| trace.step_of(node).unwrap_or(usize::MAX))?;
    match graph.node(*first).kind {
        NodeKind::Op(op) => Some(op.op),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_told_by_magnitude() {
        let classes = [0, 1, 2, 3, 4, 255, 256, usize::MAX].map(magnitude);
        assert_eq!(classes, [0, 1, 2, 2, 3, 8, 9, 9]);
    }

    #[test]
    fn the_key_goes_round_both_ways() {
        for coloring in ALL {
            assert_eq!(coloring.beside(true).beside(false), coloring);
        }
        assert_eq!((0..ALL.len()).fold(Coloring::Buffer, |at, _| at.beside(true)), Coloring::Buffer);
    }
}
