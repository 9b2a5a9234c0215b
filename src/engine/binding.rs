//! What each step waited for: the constraint of [`timing`](super::timing) that set its start, found again from the
//! record with the same rule. Where several bind at once, work that took time is named before a mere moment.
//!
//! Following the constraints back from what ends last gives the critical path of the plan: a chain of steps without a
//! gap from cycle 0 to the makespan. It is not what slack counts from, the longest chain of the graph, which knows
//! neither units nor memory.

mod path;

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

pub use path::CriticalPath;

use super::timing::AddressClock;
use crate::model::{BufIx, Event, LevelIx, NodeIx, NodeKind, Plan, Problem, Step};

/// Why a step could not start earlier. Of causes that bind at once, the first in this order is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// A node that it depends on was not done (for a SPILL_OUT: the ALLOC or the last use of its buffer).
    Dependency,
    /// A buffer was on its way: an operand back from main memory, or a SPILL_IN's own buffer out to it.
    Transfer,
    /// Another buffer held its addresses until then.
    Address,
    /// The operation was ready and waited for memory until a FREE gave enough back.
    Memory,
    /// As many operations ran as the machine's window allows.
    Window,
    /// The unit was busy with the step before it.
    Unit,
    /// Steps start in the order in which they stand, and that one could not start earlier.
    Turn,
}

impl Cause {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::Dependency, Self::Transfer, Self::Address, Self::Memory, Self::Window, Self::Unit, Self::Turn];
}

/// A constraint that set a start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Binding {
    /// Its kind.
    pub cause: Cause,
    /// The step that was waited for. The start is that step's end; for [`Cause::Turn`] its start.
    pub by: usize,
}

/// What each step of a plan waited for; ten bytes a step.
#[derive(Clone, Debug, Default)]
pub struct Bindings {
    /// By step: who set its start, `NOBODY` where nothing held it; and why.
    by: Vec<u32>,
    cause: Vec<Cause>,
    /// By step: who worked until then, and why that held it up, seen through all steps that take no time.
    worker: Vec<u32>,
    named: Vec<Cause>,
    path: CriticalPath,
}

const NOBODY: u32 = u32::MAX;

impl Bindings {
    /// Of a plan with its record; `run` gives the events of a step. Where times were measured instead of planned, the
    /// latest constraint that was met by the start is named.
    pub fn new<'r>(problem: &Problem, plan: &Plan, run: impl Fn(usize) -> &'r [Event]) -> Self {
        let mut walk = Walk::new(problem, plan);
        for (at, &step) in plan.steps.iter().enumerate() {
            walk.step(at as u32, step, run(at));
        }
        let Walk { mut bindings, start, end, .. } = walk;
        bindings.path = CriticalPath::new(problem, plan, &bindings, &start, &end);
        bindings
    }

    /// The constraint that set the start of `step`; `None` where it starts at cycle 0.
    pub fn direct(&self, step: usize) -> Option<Binding> {
        let by = self.by.get(step).copied().filter(|&by| by != NOBODY)?;
        Some(Binding { cause: self.cause[step], by: by as usize })
    }

    /// What held `step` up, seen through ALLOCs, FREEs and whatever else takes no time: `by` is a step that worked
    /// right up to the start. `None` where nothing worked before it.
    pub fn wait(&self, step: usize) -> Option<Binding> {
        let by = self.worker.get(step).copied().filter(|&by| by != NOBODY)?;
        Some(Binding { cause: self.named[step], by: by as usize })
    }

    /// The link of the chain behind `step` that its [`wait`](Self::wait) is named after, with the step that waited:
    /// the ALLOC whose addresses were taken, say, and who gave them up.
    pub fn telling(&self, step: usize) -> Option<(usize, Binding)> {
        let cause = self.wait(step)?.cause;
        let mut at = step;
        loop {
            let direct = self.direct(at)?;
            if direct.cause == cause && (cause != Cause::Dependency || Some(direct.by) == self.wait(step).map(|w| w.by))
            {
                return Some((at, direct));
            }
            at = direct.by; // constraints point to earlier steps, so this ends
        }
    }

    /// The critical path of the plan.
    pub fn path(&self) -> &CriticalPath {
        &self.path
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        (self.by.capacity() + self.worker.capacity() + self.path.steps.capacity()) * 4
            + self.cause.capacity()
            + self.named.capacity()
    }

    /// Enters the next step, which takes time or not.
    fn enter(&mut self, found: Option<Binding>, takes_time: &[bool]) {
        let (by, cause) = found.map_or((NOBODY, Cause::Dependency), |found| (found.by as u32, found.cause));
        self.by.push(by);
        self.cause.push(cause);
        let Some(at) = found.map(|found| found.by) else {
            self.worker.push(NOBODY);
            self.named.push(cause);
            return;
        };
        // Who goes at the same moment has no part in the wait: what held it up holds up this step too.
        let passes_on = cause == Cause::Turn || !takes_time[at];
        let seen_through = passes_on && cause == Cause::Dependency && self.worker[at] != NOBODY;
        self.worker.push(if passes_on { self.worker[at] } else { by });
        self.named.push(if seen_through { self.named[at] } else { cause });
    }
}

/// The constraints as they come up along the plan.
struct Walk<'a> {
    problem: &'a Problem,
    plan: &'a Plan,
    bindings: Bindings,
    /// By step.
    start: Vec<u64>,
    end: Vec<u64>,
    takes_time: Vec<bool>,
    /// By node, buffer, spill: the step that ran it, brought it back or used it last, moved it out.
    ran: Vec<u32>,
    back: Vec<u32>,
    used: Vec<u32>,
    out: Vec<u32>,
    /// By unit and lane: the last step.
    lanes: HashMap<(u16, u8), u32>,
    /// By level: when and by which step each address was last left.
    left: Vec<AddressClock<(u64, u32)>>,
    /// By level: the last FREE.
    freed: Vec<u32>,
    /// The latest start, and the first step that had it; only where steps start in order.
    clock: (u64, u32),
    /// Operations that may still run, by their ends; only where there is a window.
    running: BinaryHeap<Reverse<(u64, u32)>>,
}

/// The best of the constraints seen so far.
#[derive(Clone, Copy)]
struct Latest {
    start: u64,
    /// The cycle, whether work took until then, the cause; the largest wins.
    key: (u64, bool, Reverse<Cause>),
    by: u32,
}

impl Latest {
    fn binding(&self) -> Option<Binding> {
        (self.by != NOBODY).then_some(Binding { cause: self.key.2.0, by: self.by as usize })
    }
}

impl<'a> Walk<'a> {
    fn new(problem: &'a Problem, plan: &'a Plan) -> Self {
        let graph = &problem.graph;
        let (nodes, buffers, levels) = (graph.node_count(), graph.buffers().len(), problem.level_count());
        Self {
            problem,
            plan,
            bindings: Bindings::default(),
            start: Vec::with_capacity(plan.steps.len()),
            end: Vec::with_capacity(plan.steps.len()),
            takes_time: Vec::with_capacity(plan.steps.len()),
            ran: vec![NOBODY; nodes],
            back: vec![NOBODY; buffers],
            used: vec![NOBODY; buffers],
            out: vec![NOBODY; plan.spills.len()],
            lanes: HashMap::new(),
            left: vec![AddressClock::default(); levels],
            freed: vec![NOBODY; levels],
            clock: (0, NOBODY),
            running: BinaryHeap::new(),
        }
    }

    fn step(&mut self, at: u32, step: Step, run: &[Event]) {
        let (start, end) = span_of(run);
        let mut latest = Latest { start, key: (0, false, Reverse(Cause::Turn)), by: NOBODY };
        match step {
            Step::Node(node) => self.node(node, run, &mut latest),
            Step::Out(spill) => {
                let buf = self.plan.spills[spill.at()].buf;
                let born = self.ran[self.problem.graph.buffer(buf).alloc.at()];
                self.offer(&mut latest, Cause::Dependency, born);
                self.offer(&mut latest, Cause::Dependency, self.used[buf.at()]);
                self.offer(&mut latest, Cause::Transfer, self.back[buf.at()]);
                self.out[spill.at()] = at;
            }
            Step::Back(spill) => {
                self.offer(&mut latest, Cause::Transfer, self.out[spill.at()]);
                self.back[self.plan.spills[spill.at()].buf.at()] = at;
            }
        }
        self.start.push(start);
        self.end.push(end);
        self.takes_time.push(end > start);
        self.places(&mut latest, at, run);
        let found = self.turn(latest, at, run);
        self.bindings.enter(found, &self.takes_time);
    }

    /// Dependencies and reloads of a node, and the window of an operation.
    fn node(&mut self, node: NodeIx, run: &[Event], latest: &mut Latest) {
        let at = self.start.len() as u32;
        let graph = &*self.problem.graph;
        for pred in graph.preds(node) {
            self.offer(latest, Cause::Dependency, self.ran[pred.at()]);
        }
        match graph.node(node).kind {
            NodeKind::Alloc(_) => {}
            NodeKind::Free(buf) => {
                self.offer(latest, Cause::Transfer, self.back[buf.at()]);
                self.freed[self.problem.level_of(buf).at()] = at;
            }
            NodeKind::Op(op) => {
                for &buf in graph.operands(&op) {
                    self.offer(latest, Cause::Transfer, self.back[buf.at()]);
                    self.use_until(buf, at, span_of(run).1);
                }
                self.window(latest, at, span_of(run).1);
            }
        }
        self.ran[node.at()] = at;
    }

    /// The step whose use of `buf` ends last.
    fn use_until(&mut self, buf: BufIx, at: u32, end: u64) {
        let last = &mut self.used[buf.at()];
        if *last == NOBODY || self.end[*last as usize] <= end {
            *last = at;
        }
    }

    /// Takes `by` as the constraint if its end is later than those before.
    fn offer(&self, latest: &mut Latest, cause: Cause, by: u32) {
        if by != NOBODY {
            self.offer_at(latest, cause, by, self.end[by as usize]);
        }
    }

    fn offer_at(&self, latest: &mut Latest, cause: Cause, by: u32, cycle: u64) {
        let key = (cycle, self.takes_time[by as usize], Reverse(cause));
        if cycle > 0 && cycle <= latest.start && (latest.by == NOBODY || key > latest.key) {
            (latest.key, latest.by) = (key, by);
        }
    }

    /// The operation whose end made room in the window, as the clocked rule counts those that run.
    fn window(&mut self, latest: &mut Latest, at: u32, end: u64) {
        let Some(window) = self.problem.machine.window else { return };
        let mut ready = latest.key.0.max(self.clock.0);
        let mut last = None;
        while let Some(&Reverse((ended, step))) = self.running.peek()
            && (ended <= ready || self.running.len() >= window as usize)
        {
            self.running.pop();
            if ended > ready {
                (ready, last) = (ended, Some(step));
            }
        }
        if let Some(step) = last {
            self.offer(latest, Cause::Window, step);
        }
        self.running.push(Reverse((end, at)));
    }

    /// Units and addresses: who had them before, and that this step has them now.
    fn places(&mut self, latest: &mut Latest, at: u32, run: &[Event]) {
        for event in run {
            match *event {
                Event::Ran { unit, lane, .. }
                | Event::MovedOut { unit, lane, .. }
                | Event::MovedBack { unit, lane, .. } => {
                    // A pipe without a name is no unit: nothing waits for it.
                    let is_unit = !self.problem.units.get(unit.at()).is_some_and(|unit| unit.name.raw().is_empty());
                    if let Some(before) = self.lanes.insert((unit.0, lane), at).filter(|_| is_unit) {
                        self.offer(latest, Cause::Unit, before);
                    }
                }
                Event::Placed { buf, level, offset, .. } if self.is_arena(level) => {
                    let end = offset.saturating_add(self.problem.graph.buffer(buf).size);
                    let (cycle, by) = self.left[level.at()].latest(offset, end);
                    if cycle > 0 {
                        self.offer_at(latest, Cause::Address, by, cycle);
                    }
                }
                Event::Left { buf, level, offset, at: cycle, .. } if self.is_arena(level) => {
                    let end = offset.saturating_add(self.problem.graph.buffer(buf).size);
                    self.left[level.at()].raise(offset, end, (cycle, at));
                }
                _ => {}
            }
        }
    }

    fn is_arena(&self, level: LevelIx) -> bool {
        self.problem.machine.levels.get(level.at()).is_some_and(|level| level.pool().is_none())
    }

    /// What held a step up in the end: the latest constraint; where nothing else did, its turn.
    fn turn(&mut self, latest: Latest, at: u32, run: &[Event]) -> Option<Binding> {
        if !self.problem.is_clocked() {
            return latest.binding();
        }
        let (clock, leader) = self.clock;
        let held_by_order = latest.key.0 < clock && clock == latest.start && leader != NOBODY;
        if latest.start > clock || leader == NOBODY {
            self.clock = (latest.start, at);
        }
        if let Some(free) = self.gave_memory(latest.start, run) {
            return Some(Binding { cause: Cause::Memory, by: free as usize });
        }
        let turn = Binding { cause: Cause::Turn, by: leader as usize };
        if held_by_order { Some(turn) } else { latest.binding() }
    }

    /// The FREE at cycle `start` for which the operation of this step had waited. It was ready before, so nothing else
    /// that ends at the same moment is the reason.
    fn gave_memory(&self, start: u64, run: &[Event]) -> Option<u32> {
        let waited = |event: &Event| if let Event::Woken { level, .. } = *event { Some(level) } else { None };
        let level = run.iter().find_map(waited)?;
        let free = self.freed.get(level.at()).copied().filter(|&free| free != NOBODY)?;
        (start > 0 && self.end[free as usize] == start).then_some(free)
    }
}

/// The cycles `[start, end)` that a step works, or the moment at which it happens; 0 for what never does.
fn span_of(run: &[Event]) -> (u64, u64) {
    let mut moment = (0, 0);
    for event in run.iter().rev() {
        match *event {
            Event::Ran { start, end, .. }
            | Event::MovedOut { start, end, .. }
            | Event::MovedBack { start, end, .. } => {
                return (start, end);
            }
            Event::Placed { at, .. } | Event::Left { at, .. } => moment = (at, at),
            _ => {}
        }
    }
    moment
}
