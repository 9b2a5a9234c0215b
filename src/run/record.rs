//! The record of a run, step by step as things happen. The end of an operation is entered when it is known.

use crate::model::{BufIx, Event, NodeIx, Placing, Plan, Problem, Sink, Step};
use crate::trace::{Recorder, Trace};

/// Takes the events of a run.
#[derive(Debug)]
pub(super) struct Record {
    events: Vec<Event>,
    steps: Vec<Step>,
    /// For each step, how many events there were after its last.
    ends: Vec<usize>,
    memory: Vec<Option<u64>>,
    /// By node: where the event of its running stands.
    ran: Vec<usize>,
}

impl Record {
    pub fn new(problem: &Problem) -> Self {
        Self {
            events: Vec::new(),
            steps: Vec::new(),
            ends: Vec::new(),
            memory: vec![None; problem.graph.buffers().len()],
            ran: vec![usize::MAX; problem.graph.node_count()],
        }
    }

    /// `node` ran during `[start, end)`, in microseconds.
    pub fn set_span(&mut self, node: NodeIx, span: (u64, u64)) {
        if let Some(Event::Ran { start, end, .. }) = self.events.get_mut(self.ran[node.at()]) {
            (*start, *end) = span;
        }
    }

    /// Whether `buf` has had a place.
    pub fn was_placed(&self, buf: BufIx) -> bool {
        self.memory[buf.at()].is_some()
    }

    /// The whole, as it would have been recorded at once. Decisions that led to no step any more are left out.
    pub fn into_trace(self, problem: &Problem) -> Trace {
        let mut recorder = Recorder::for_nodes(problem.graph.node_count());
        let mut from = 0;
        for (&step, &end) in self.steps.iter().zip(&self.ends) {
            self.events[from..end].iter().for_each(|&event| recorder.record(event));
            recorder.end_step(step);
            from = end;
        }
        let plan = Plan { steps: self.steps, memory: self.memory, spills: Vec::new() };
        Trace::new(problem.clone(), plan, recorder)
    }
}

impl Sink for Record {
    const ON: bool = true;

    fn record(&mut self, event: Event) {
        match event {
            Event::Ran { node, .. } => self.ran[node.at()] = self.events.len(),
            Event::Placed { buf, how: Placing::Alloc, offset, .. } => self.memory[buf.at()] = Some(offset),
            _ => {}
        }
        self.events.push(event);
    }

    fn end_step(&mut self, step: Step) {
        self.steps.push(step);
        self.ends.push(self.events.len());
    }
}
