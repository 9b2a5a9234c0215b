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

    /// An empty record with room for what a plan of that many nodes may well come to: room that is not used costs next
    /// to nothing, moving the record to where there is more of it does.
    pub fn for_nodes(nodes: usize) -> Self {
        Self { events: Vec::with_capacity(4 * nodes), ends: Vec::with_capacity(nodes + nodes / 4) }
    }

    /// The record ends at a step that cannot be done, with whatever led to it: one can stand at it.
    pub fn end_in_failure(&mut self) {
        self.ends.push(self.events.len() as u32);
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
