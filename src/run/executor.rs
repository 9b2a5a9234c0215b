//! The event loop of a run. All decisions and all bookkeeping are on this one thread; workers only do what they are sent
//! and say when they are done, over one channel. So nothing can be woken too early or not at all.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::{Builder, Scope};
use std::time::{Duration, Instant};

use super::memory::Memory;
use super::record::Record;
use super::roles::Roles;
use super::tally::Tally;
use super::worker::{Finished, Found, Outcome, Task, micros, work};
use super::{BrokenStamp, Config, Ending, Fault, Measured, Scheduler};
use crate::model::{BufIx, Event, NodeIx, NodeKind, Operation, Problem, Sink, Step, UnitIx};

/// See the [module](self).
pub(super) struct Executor<'a, S> {
    problem: &'a Problem,
    config: &'a Config,
    scheduler: &'a mut S,
    stop: &'a AtomicBool,
    roles: &'a Roles,
    memory: Memory<'a>,
    record: Record,
    tally: Tally,
    /// By unit.
    lanes: Vec<Vec<Lane>>,
    done: Receiver<Finished>,
    began: Instant,
    running: usize,
    /// Operations that have not ended.
    left: usize,
    /// By buffer: how many of its consumers have not started.
    unread: Vec<u32>,
    /// Why nothing more starts.
    ending: Option<Ending>,
}

/// A worker thread, or one of a unit that runs several things at once.
struct Lane {
    tasks: Sender<Task>,
    idle: bool,
}

impl<'a, S: Scheduler> Executor<'a, S> {
    /// Starts the worker threads, which end when the executor is gone.
    ///
    /// # Errors
    /// Where the system starts no more threads.
    pub fn new<'s>(
        problem: &'a Problem,
        config: &'a Config,
        scheduler: &'a mut S,
        stop: &'a AtomicBool,
        roles: &'a Roles,
        scope: &'s Scope<'s, '_>,
    ) -> std::io::Result<Self> {
        let began = Instant::now();
        let (sender, done) = channel();
        let mut operations = vec![0usize; problem.units.len()];
        for op in problem.graph.node_ixs().filter_map(|node| operation(problem, node)) {
            operations[problem.unit_of(op.pipe).at()] += 1;
        }
        let mut lanes = Vec::new();
        for (unit, &count) in problem.units.iter().zip(&operations) {
            let start = |_| start_lane(scope, sender.clone(), began);
            lanes.push((0..count.min(usize::from(unit.count))).map(start).collect::<Result<_, _>>()?);
        }
        Ok(Self {
            problem,
            config,
            scheduler,
            stop,
            roles,
            memory: Memory::new(problem, roles, config.fault == Some(Fault::EarlyRelease)),
            record: Record::new(problem),
            tally: Tally::new(problem),
            lanes,
            done,
            began,
            running: 0,
            left: operations.iter().sum(),
            unread: (0..problem.graph.buffers().len()).map(|buf| roles.consumers(BufIx::new(buf))).collect(),
            ending: None,
        })
    }

    /// Runs until all is done, or until something ends it and what was running is done.
    pub fn run(mut self) -> Measured {
        loop {
            self.start_what_may();
            if self.running == 0 {
                break;
            }
            let Ok(finished) = self.done.recv() else { break };
            self.finish(finished);
            while let Ok(finished) = self.done.try_recv() {
                self.finish(finished);
            }
        }
        if self.ending.is_none() && self.left > 0 {
            self.ending = Some(Ending::Starved);
        }
        if self.ending.is_none() {
            self.place_the_unnamed();
        }
        let micros = micros(self.began);
        let ending = self.ending.unwrap_or(Ending::Done);
        self.tally.measured(self.record.into_trace(self.problem), ending, micros)
    }

    fn start_what_may(&mut self) {
        while self.ending.is_none() {
            if self.left > 0 && self.stop.load(Ordering::SeqCst) {
                self.ending = Some(Ending::Interrupted);
                return;
            }
            let now = micros(self.began);
            let Some(node) = self.scheduler.next(now) else { return };
            if let Err(ending) = self.start(node, now) {
                self.ending = Some(ending);
            }
        }
    }

    /// Gives `node` its blocks and sends it to a worker. The decision stands with the operation itself, behind its ALLOCs,
    /// as in plans.
    fn start(&mut self, node: NodeIx, now: u64) -> Result<(), Ending> {
        let Some(op) = operation(self.problem, node) else { return Err(Ending::Confused(node)) };
        let unit = self.problem.unit_of(op.pipe);
        let lane = self.lanes[unit.at()].iter().position(|lane| lane.idle).ok_or(Ending::Confused(node))?;
        let events = self.scheduler.take_events();
        let is_decision = |event: &Event| matches!(event, Event::Woken { .. } | Event::Queued { .. });
        let (before, decision) = events.split_at(events.iter().position(is_decision).unwrap_or(events.len()));
        before.iter().for_each(|&event| self.record.record(event));
        let mut missing: Vec<BufIx> = self.problem.graph.operands(&op).to_vec();
        missing.retain(|&buf| !self.record.was_placed(buf));
        missing.sort_unstable_by_key(|&buf| self.problem.graph.buffer(buf).alloc);
        for buf in missing {
            self.place(buf, now)?;
        }
        decision.iter().for_each(|&event| self.record.record(event));
        let task = self.task(node, &op, lane as u8);
        for view in &task.reads {
            let left = &mut self.unread[view.buf.at()];
            *left = left.saturating_sub(1);
            self.record.record(Event::Read { buf: view.buf, node, left: *left });
            self.memory.consumer_starts(view.buf);
        }
        for view in &task.writes {
            self.report(view.buf);
        }
        self.record.record(Event::Ran { node, unit, lane: lane as u8, start: now, end: now });
        self.record.end_step(Step::Node(node));
        let lane = &mut self.lanes[unit.at()][lane];
        lane.idle = false;
        self.running += 1;
        lane.tasks.send(task).map_err(|_| Ending::Confused(node))
    }

    /// ALLOC of `buf`. A graph input has its contents from then on.
    fn place(&mut self, buf: BufIx, now: u64) -> Result<(), Ending> {
        self.memory.acquire(buf, now, &mut self.record).map_err(|refused| Ending::NoRoom { buf, refused })?;
        self.record.end_step(Step::Node(self.problem.graph.buffer(buf).alloc));
        if self.roles.producer(buf).is_none()
            && let Some(view) = self.memory.view(buf)
        {
            view.stamp.write(view.words());
        }
        Ok(())
    }

    fn task(&self, node: NodeIx, op: &Operation, lane: u8) -> Task {
        let operands = self.problem.graph.operands(op).iter();
        let views = operands.filter_map(|&buf| self.memory.view(buf));
        let (writes, reads) = views.partition(|view| self.roles.producer(view.buf) == Some(node));
        let fails = self.config.fail_at == Some(node);
        Task { node, lane, lasts: Duration::from_micros(op.cycles), reads, writes, fails }
    }

    /// What the producer of `buf` will report is in the graph; the record says where it differs.
    fn report(&mut self, buf: BufIx) {
        let actual = self.problem.used_of(buf);
        if actual != self.problem.graph.buffer(buf).size {
            self.record.record(Event::Reported { buf, actual });
            self.tally.reported(self.problem, buf);
        }
    }

    fn finish(&mut self, finished: Finished) {
        let Finished { node, lane, span, outcome } = finished;
        let Some(op) = operation(self.problem, node) else { return };
        let unit = self.problem.unit_of(op.pipe);
        self.lanes[unit.at()][usize::from(lane)].idle = true;
        self.running -= 1;
        self.left -= 1;
        self.record.set_span(node, span);
        self.tally.finished(&op, (unit, lane), span, &outcome);
        match outcome {
            Outcome::Done { .. } => {}
            Outcome::Broken(found) => self.broken(node, &found),
            Outcome::Failed(what) => _ = self.ending.get_or_insert(Ending::Failed { node, what }),
        }
        let now = micros(self.began);
        self.scheduler.complete(node, now);
        for &buf in self.problem.graph.operands(&op) {
            let gone = if self.roles.producer(buf) == Some(node) {
                self.memory.produced(buf, now, &mut self.record)
            } else {
                self.memory.consumer_ends(buf, now, &mut self.record)
            };
            if let Some(free) = self.problem.graph.buffer(buf).free.filter(|_| gone) {
                self.record.end_step(Step::Node(free));
            }
        }
        self.scheduler.take_events().into_iter().for_each(|event| self.record.record(event));
    }

    /// A reader found other contents than were written for it.
    fn broken(&mut self, consumer: NodeIx, found: &[(BufIx, Found)]) {
        let memory = &self.memory;
        let stamps = found.iter().filter_map(|&(buf, found)| {
            let (block, holder) = memory.holder(buf)?;
            Some(BrokenStamp { consumer, buf, block, found, holder })
        });
        let stamps: Vec<BrokenStamp> = stamps.collect();
        match &mut self.ending {
            Some(Ending::Broken(all)) => all.extend(stamps),
            ending => *ending = Some(Ending::Broken(stamps)),
        }
    }

    /// Buffers that no operation names have an ALLOC, and perhaps a FREE, all the same.
    fn place_the_unnamed(&mut self) {
        for buf in (0..self.problem.graph.buffers().len()).map(BufIx::new) {
            if self.record.was_placed(buf) {
                continue;
            }
            let now = micros(self.began);
            if let Err(ending) = self.place(buf, now) {
                self.ending = Some(ending);
                return;
            }
            if self.memory.produced(buf, now, &mut self.record)
                && let Some(free) = self.problem.graph.buffer(buf).free
            {
                self.record.end_step(Step::Node(free));
            }
        }
    }
}

fn operation(problem: &Problem, node: NodeIx) -> Option<Operation> {
    if let NodeKind::Op(op) = problem.graph.node(node).kind { Some(op) } else { None }
}

fn start_lane<'s>(scope: &'s Scope<'s, '_>, done: Sender<Finished>, began: Instant) -> std::io::Result<Lane> {
    let (tasks, inbox) = channel();
    Builder::new().name("worker".into()).spawn_scoped(scope, move || work(&inbox, &done, began))?;
    Ok(Lane { tasks, idle: true })
}

/// A lane of a unit.
pub(super) type LaneIx = (UnitIx, u8);
