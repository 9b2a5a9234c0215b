//! The first order: the sequence of nodes before anything is spilled or postponed.

mod hoist;
mod lean;
mod near;
mod priorities;
mod program;
mod ready;
mod scheduler;

pub use lean::lean_need;
pub use near::near_order;
pub use priorities::Priorities;
pub use ready::ReadyQueue;
pub use scheduler::{Lack, Ledger, Scheduler, Start};

use crate::model::{Entry, Event, Fault, Graph, NodeIx, Options, Order, Problem, Waiting};

/// An order with the decisions that led to it.
#[derive(Clone, Debug, Default)]
pub struct Ordered {
    /// Every node once.
    pub nodes: Vec<NodeIx>,
    /// Why each stands where it does, where the scheduler decided and that was recorded.
    pub decisions: Option<Decisions>,
    /// How many of the nodes the scheduler came to; those behind them stand in any order that can be run.
    pub planned: usize,
    /// Who waited for memory when nothing went on any more; empty where it came to the end.
    pub deadlock: Vec<Waiting>,
}

/// Recorded decisions: for each place in the order a run of events.
#[derive(Clone, Debug, Default)]
pub struct Decisions {
    events: Vec<Event>,
    ends: Vec<u32>,
    /// What was decided behind the last step.
    trailing: Vec<Event>,
}

impl Decisions {
    /// One more place in the order; takes its events.
    fn add_step(&mut self, events: &mut Vec<Event>) {
        self.events.append(events);
        self.ends.push(self.events.len() as u32);
    }

    /// The events of a place in the order.
    pub fn at(&self, place: usize) -> &[Event] {
        let end = self.ends.get(place).map_or(self.events.len(), |&end| end as usize);
        let start = if place == 0 { 0 } else { self.ends.get(place - 1).map_or(end, |&start| start as usize) };
        &self.events[start..end]
    }

    /// What was decided behind the last step that the scheduler came to.
    pub fn trailing(&self) -> &[Event] {
        &self.trailing
    }
}

impl Ordered {
    /// An order that was not decided here.
    pub(super) fn fixed(nodes: Vec<NodeIx>) -> Self {
        Self { planned: nodes.len(), nodes, ..Self::default() }
    }
}

/// The order that planning starts from, with FREEs hoisted where that is asked for. `record` keeps the decisions of an
/// event-driven one.
///
/// # Errors
/// Where the graph has no schedule and [`Order::Given`] is asked for, or where an order made here runs an operation
/// before an ALLOC or after a FREE of its buffers because no edge says otherwise.
pub fn first_order(problem: &Problem, options: &Options, record: bool) -> Result<Ordered, Fault> {
    let ordered = order_of(problem, options, record)?;
    let hoists = options.hoist && !problem.is_clocked();
    Ok(if hoists { hoist::hoist_frees(&problem.graph, ordered) } else { ordered })
}

fn order_of(problem: &Problem, options: &Options, record: bool) -> Result<Ordered, Fault> {
    let graph = &*problem.graph;
    let ordered = match options.order {
        Order::Given => {
            let no_schedule = || Fault {
                what: "the graph has no schedule to follow".into(),
                advice: "give one with --schedule, or use --order program".into(),
                at: Entry::Whole,
            };
            return graph.schedule().map(|nodes| Ordered::fixed(nodes.to_vec())).ok_or_else(no_schedule);
        }
        Order::Program => Ordered::fixed(program::program_order(graph)),
        Order::Topological | Order::CriticalPath | Order::MemoryAware => {
            return schedule(problem, &Priorities::new(graph, &any_order(graph)), options, record);
        }
    };
    can_be_run(graph, ordered, options.order)
}

/// The order that the event-driven scheduler makes with these starts.
///
/// # Errors
/// Where it runs an operation before an ALLOC or after a FREE of its buffers because no edge says otherwise.
pub fn schedule(problem: &Problem, starts: &Priorities, options: &Options, record: bool) -> Result<Ordered, Fault> {
    can_be_run(&problem.graph, scheduler::schedule(problem, starts, options, record), options.order)
}

fn can_be_run(graph: &Graph, ordered: Ordered, order: Order) -> Result<Ordered, Fault> {
    graph.check_order(&ordered.nodes).map_err(|mut fault| {
        // The place is one of the computed order, not of the file.
        fault.at = Entry::Whole;
        fault.what = format!("in {order} order, {}", fault.what);
        fault
    })?;
    Ok(ordered)
}

/// Any order in which every edge runs forward (Kahn).
pub fn any_order(graph: &Graph) -> Vec<NodeIx> {
    let mut waits = graph.pred_counts();
    let mut order: Vec<NodeIx> = graph.node_ixs().filter(|node| waits[node.at()] == 0).collect();
    let mut at = 0;
    while let Some(&node) = order.get(at) {
        at += 1;
        for next in graph.succs(node) {
            waits[next.at()] -= 1;
            if waits[next.at()] == 0 {
                order.push(next);
            }
        }
    }
    order
}
