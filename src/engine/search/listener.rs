//! Who follows a search: how it goes, and each better plan as it is found.

use super::Improvement;
use super::budget::Progress;

/// Follows a search. A closure that takes [`Progress`] and returns whether to go on is one too.
pub trait Listener {
    /// How it goes; whether to go on.
    fn progress(&mut self, news: Progress) -> bool;

    /// A better plan is there: the last of these, after all that were better before.
    fn better(&mut self, _history: &[Improvement]) {}
}

impl<F: FnMut(Progress) -> bool> Listener for F {
    fn progress(&mut self, news: Progress) -> bool {
        self(news)
    }
}

/// Nobody follows, and nobody ends it early.
#[derive(Clone, Copy, Debug)]
pub struct Unheard;

impl Listener for Unheard {
    fn progress(&mut self, _: Progress) -> bool {
        true
    }
}
