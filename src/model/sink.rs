//! Where decisions go as they are made.

use super::event::Event;
use super::plan::Step;

/// Receives events as they are decided. `()` is the empty sink: with it, recording is compiled away.
pub trait Sink {
    /// Whether anything is kept; lets the engine skip work that is only for the record.
    const ON: bool;

    /// Takes one event of the step at hand.
    fn record(&mut self, event: Event);

    /// The step is complete: all events since the last call belong to it.
    fn end_step(&mut self, step: Step);

    /// Whether anybody still wants the plan. Asked before each node; where not, the engine ends there, and what it has
    /// made says nothing.
    #[inline]
    fn is_wanted(&self) -> bool {
        true
    }
}

impl Sink for () {
    const ON: bool = false;

    #[inline]
    fn record(&mut self, _: Event) {}

    #[inline]
    fn end_step(&mut self, _: Step) {}
}
