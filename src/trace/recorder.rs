//! The sink that keeps everything.

use crate::model::{Event, Sink, Step};

/// Keeps all events, step by step.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    pub(super) events: Vec<Event>,
    /// For each step, the position after its last event.
    pub(super) ends: Vec<u32>,
}

impl Recorder {
    /// An empty record.
    pub fn new() -> Self {
        Self::default()
    }
}

impl Sink for Recorder {
    const ON: bool = true;

    #[inline]
    fn record(&mut self, event: Event) {
        self.events.push(event);
    }

    #[inline]
    fn end_step(&mut self, _: Step) {
        self.ends.push(self.events.len() as u32);
    }
}
