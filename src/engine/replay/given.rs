//! Plans of elsewhere: nothing is known of their reasons, and they may break any rule.

use super::Replay;
use crate::engine::Planned;
use crate::model::{
    BlockFate, BufIx, Event, Fallback, Leaving, LevelIx, MAX_NUMBER, NodeIx, Operation, Plan, Problem, Sink, Step,
};

/// Goes over a plan that another tool made, whatever it is worth, up to the first step that means nothing where it
/// stands: a node that has run already; an ALLOC or a SPILL_IN whose addresses are not free, not in the level or not
/// given; a FREE or a SPILL_OUT of a buffer that is not resident; a SPILL_IN of one that this spill has not out; a sum past
/// 2^63 − 1. What is left of the plan then ends before that step. Operations run whether or not their edges and buffers
/// allow it: that is for the checker to say.
///
/// Victims are told to leave for whom the plan places next. Pools have their blocks where the plan puts them, by the rules
/// of the checker. The figures are not those of pools.
pub fn replay_given<S: Sink>(problem: &Problem, mut plan: Plan, sink: &mut S) -> Planned {
    let once = before_a_repetition(problem, &plan);
    plan.steps.truncate(once);
    let mut replay = Replay::new(problem, &plan, Fallback::Plan, sink);
    replay.announce_roots();
    let replayed = (0..once).take_while(|&at| replay.step(at) && replay.is_countable()).count();
    let figures = replay.figures();
    let reached = replay.reached;
    plan.steps.truncate(replayed);
    Planned { plan, figures, reached, stuck: None }
}

/// The steps before the first node that stands a second time.
fn before_a_repetition(problem: &Problem, plan: &Plan) -> usize {
    let mut seen = vec![false; problem.graph.node_count()];
    let is_new = |step: &&Step| match **step {
        Step::Node(node) => !std::mem::replace(&mut seen[node.at()], true),
        Step::Out(_) | Step::Back(_) => true,
    };
    plan.steps.iter().take_while(is_new).count()
}

impl<S: Sink> Replay<'_, S> {
    fn is_countable(&self) -> bool {
        self.timing.makespan() <= MAX_NUMBER && self.main.figures().peak_held <= MAX_NUMBER
    }

    /// Takes the block at `offset` for `buf`: when that is. `None` where the pool cannot have one there.
    pub(super) fn settle_in_block(&mut self, node: NodeIx, buf: BufIx, level: LevelIx, offset: u64) -> Option<u64> {
        let now = self.timing.ready_at(node);
        let size = self.problem.space_of(buf);
        let pool = self.pools[level.at()].as_mut()?;
        let fate = pool.place(offset, size, now)?;
        for &(offset, size, fate) in pool.dropped() {
            self.sink.record(Event::Block { level, fate, offset, size });
        }
        self.sink.record(Event::Block { level, fate, offset, size });
        self.place[buf.at()] = Some(offset);
        self.used[level.at()] += self.problem.graph.buffer(buf).size;
        let peak = &mut self.figures.peak[level.at()];
        *peak = (*peak).max(self.used[level.at()]);
        let fresh = if fate == BlockFate::Fresh { self.problem.fresh_cycles(buf) } else { 0 };
        Some(self.timing.take_block(node, buf, fresh))
    }

    pub(super) fn lift_from_block(&mut self, node: NodeIx, buf: BufIx, level: LevelIx, offset: u64) {
        let at = self.timing.give_block(node);
        let size = self.problem.space_of(buf);
        if let Some(pool) = &mut self.pools[level.at()] {
            pool.lift(offset, at);
        }
        self.place[buf.at()] = None;
        self.used[level.at()] -= self.problem.graph.buffer(buf).size;
        self.sink.record(Event::Left { buf, how: Leaving::Free, level, offset, at });
        self.sink.record(Event::Block { level, fate: BlockFate::Idle, offset, size });
    }

    /// Records who of a pool has been read, how many readers are still to come, and what the real sizes are.
    pub(super) fn tell_reads(&mut self, node: NodeIx, op: &Operation) {
        if !S::ON {
            return;
        }
        let graph = &*self.problem.graph;
        for &buf in graph.operands(op) {
            if self.pools[self.problem.level_of(buf).at()].is_none() {
                continue;
            }
            let users = graph.users(buf).len() as u32;
            let read = &mut self.reads[buf.at()];
            *read += 1;
            let left = users.saturating_sub(*read);
            match graph.buffer(buf).actual_size {
                // Whoever uses a buffer first makes it, unless main memory did.
                _ if *read > 1 || graph.buffer(buf).backed => self.sink.record(Event::Read { buf, node, left }),
                Some(actual) => self.sink.record(Event::Reported { buf, actual }),
                None => {}
            }
        }
    }
}
