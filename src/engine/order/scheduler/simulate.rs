//! Driving the scheduler in simulated time: the order in which things happen, with the decisions behind it.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::{Place, Scheduler};
use crate::engine::order::{Decisions, Ordered, Priorities};
use crate::model::{Event, NodeIx, NodeKind, Options, Problem, Waiting};

/// Runs the whole graph in simulated time. `record` keeps the decisions.
pub(in crate::engine::order) fn schedule(
    problem: &Problem,
    starts: &Priorities,
    options: &Options,
    record: bool,
) -> Ordered {
    run(problem, Scheduler::new(problem, starts, options, record))
}

fn run(problem: &Problem, mut scheduler: Scheduler) -> Ordered {
    let mut log = Log::new(problem.graph.node_count());
    let mut running: BinaryHeap<Reverse<(u64, NodeIx)>> = BinaryHeap::new();
    let mut now = 0;
    loop {
        while let Some(start) = scheduler.next(now) {
            running.push(Reverse((now.saturating_add(start.cycles), start.node)));
            log.dispatched(&mut scheduler);
        }
        let Some(&Reverse((end, _))) = running.peek() else { break };
        now = end;
        // All that end now, before anyone is chosen: each of them may have made somebody ready.
        while let Some(&Reverse((end, node))) = running.peek()
            && end == now
        {
            running.pop();
            scheduler.complete(node, now);
            log.completed(&mut scheduler);
        }
    }
    log.pending.extend(scheduler.take_events());
    let deadlock = if scheduler.all_started() { Vec::new() } else { scheduler.who_waits(now) };
    log.finish(problem, deadlock)
}

/// Steps and decisions as they come.
struct Log {
    nodes: Vec<NodeIx>,
    done: Vec<bool>,
    decisions: Decisions,
    /// What belongs to the step that comes next.
    pending: Vec<Event>,
}

impl Log {
    fn new(nodes: usize) -> Self {
        Self {
            nodes: Vec::with_capacity(nodes),
            done: vec![false; nodes],
            decisions: Decisions::default(),
            pending: Vec::new(),
        }
    }

    /// The ALLOCs of a start come first; the decision stands with the operation itself.
    fn dispatched(&mut self, scheduler: &mut Scheduler) {
        let mut events = scheduler.take_events();
        let is_decision = |event: &Event| matches!(event, Event::Woken { .. } | Event::Queued { .. });
        let decision = events.split_off(events.iter().position(is_decision).unwrap_or(events.len()));
        // What an ALLOC made ready came after the decision, and is told with it.
        self.pending.extend(events);
        let steps = scheduler.take_steps();
        for (at, &node) in steps.iter().enumerate() {
            if at + 1 == steps.len() {
                self.pending.extend_from_slice(&decision);
            }
            self.step(node);
        }
    }

    fn completed(&mut self, scheduler: &mut Scheduler) {
        scheduler.take_steps().into_iter().for_each(|node| self.step(node));
        self.pending.extend(scheduler.take_events());
    }

    fn step(&mut self, node: NodeIx) {
        self.done[node.at()] = true;
        self.nodes.push(node);
        self.decisions.add_step(&mut self.pending);
    }

    /// What no operation leads to comes last: buffers that nobody uses, and what lies behind them.
    fn finish(mut self, problem: &Problem, deadlock: Vec<Waiting>) -> Ordered {
        let graph = &*problem.graph;
        let planned = self.nodes.len();
        let mut waits = vec![0u32; graph.node_count()];
        let mut open = BinaryHeap::new();
        for node in graph.node_ixs().filter(|node| !self.done[node.at()]) {
            waits[node.at()] = graph.preds(node).filter(|pred| !self.done[pred.at()]).count() as u32;
            if waits[node.at()] == 0 {
                open.push(Reverse(rank(problem, node)));
            }
        }
        while let Some(Reverse((_, node))) = open.pop() {
            self.step(node);
            for next in graph.succs(node) {
                waits[next.at()] -= 1;
                if waits[next.at()] == 0 {
                    open.push(Reverse(rank(problem, next)));
                }
            }
        }
        let planned = if deadlock.is_empty() { self.nodes.len() } else { planned };
        self.decisions.trailing = self.pending;
        Ordered { nodes: self.nodes, decisions: Some(self.decisions), planned, deadlock }
    }
}

/// FREEs first, so that what is left holds no memory for longer than it must.
fn rank(problem: &Problem, node: NodeIx) -> (bool, NodeIx) {
    (!matches!(problem.graph.node(node).kind, NodeKind::Free(_)), node)
}

impl Scheduler<'_> {
    /// Those that are ready and wait for memory, in the order of preference.
    fn who_waits(&mut self, now: u64) -> Vec<Waiting> {
        let mut ops: Vec<u32> =
            (0..self.ops.len() as u32).filter(|&op| self.standing[op as usize] != Place::None).collect();
        ops.sort_unstable_by_key(|&op| self.ranks.key(op));
        let waiting = |op: u32| {
            let lack = self.wanted(op)?;
            let since = self.waiting_since[op as usize].min(now);
            Some(Waiting { node: self.ops[op as usize], level: lack.level, need: lack.need, room: lack.room, since })
        };
        ops.into_iter().filter_map(waiting).collect()
    }
}
