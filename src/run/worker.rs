//! The worker threads and their kernels: each reads every byte of its inputs, writes every byte of its outputs, and
//! lasts as long as the graph says.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering;
use std::sync::mpsc::{Receiver, Sender};
use std::thread;
use std::time::{Duration, Instant};

use super::block::View;
use super::stamp::Foreign;
use crate::model::{BufIx, NodeIx};

/// An operation for a worker.
#[derive(Debug)]
pub(super) struct Task {
    pub node: NodeIx,
    /// The lane of its unit.
    pub lane: u8,
    /// Of work; touching fresh memory comes on top, as in the plan.
    pub lasts: Duration,
    pub reads: Vec<View>,
    pub writes: Vec<View>,
    /// Panic in place of the work: what a failing kernel does is tested so.
    pub fails: bool,
}

/// What became of a task.
#[derive(Debug)]
pub(super) struct Finished {
    pub node: NodeIx,
    pub lane: u8,
    /// Microseconds since the run began, half-open.
    pub span: (u64, u64),
    pub outcome: Outcome,
}

#[derive(Debug)]
pub(super) enum Outcome {
    /// How many stamps were there, in how many bytes; whether reading and writing alone took longer than it should last.
    Done { stamps: u64, bytes: u64, late: bool },
    /// Inputs that are not what their producers wrote.
    Broken(Vec<(BufIx, Found)>),
    /// The kernel's last words.
    Failed(String),
}

/// What a reader met in place of what was written for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// The block had been released before the reader came, so often.
    ReleasedBefore(u64),
    /// The block was released while the reader read, so often in all.
    ReleasedMeanwhile(u64),
    /// Other contents.
    Foreign(Foreign),
}

/// Runs the tasks that come, one after another, until there will be no more.
pub(super) fn work(tasks: &Receiver<Task>, done: &Sender<Finished>, began: Instant) {
    for task in tasks {
        let start = micros(began);
        // A task shares nothing but atomic words, which no panic leaves half-made.
        let outcome = catch_unwind(AssertUnwindSafe(|| kernel(&task)));
        let outcome = outcome.unwrap_or_else(|panic| Outcome::Failed(last_words(panic.as_ref())));
        let finished = Finished { node: task.node, lane: task.lane, span: (start, micros(began)), outcome };
        // Before the scheduler hears of the end: it may drop blocks, which nobody should still hold.
        drop(task);
        if done.send(finished).is_err() {
            return;
        }
    }
}

/// Whole microseconds since `began`.
pub(super) fn micros(began: Instant) -> u64 {
    u64::try_from(began.elapsed().as_micros()).unwrap_or(u64::MAX)
}

fn kernel(task: &Task) -> Outcome {
    if task.fails {
        // Not `panic!`: the hook would print it, and it is reported in its place.
        resume_unwind(Box::new("asked to fail (--fail-at)"));
    }
    for view in &task.writes {
        if let Err(full) = view.block.words() {
            return Outcome::Failed(format!("the system has no memory for a block of {} bytes", full.bytes));
        }
    }
    let until = Instant::now() + task.lasts;
    let mut bytes = 0;
    let mut broken = Vec::new();
    for view in &task.reads {
        broken.extend(read(view).err().map(|found| (view.buf, found)));
        bytes += 8 * view.len as u64;
    }
    for view in &task.writes {
        if view.must_zero {
            view.words().iter().for_each(|word| word.store(0, Ordering::Relaxed));
        }
        view.stamp.write(view.words());
    }
    let late = Instant::now() > until;
    wait(until);
    if !broken.is_empty() {
        return Outcome::Broken(broken);
    }
    Outcome::Done { stamps: task.reads.len() as u64, bytes, late }
}

/// Reads all of a buffer. The generation is looked at before and after, since a block that was released keeps its
/// contents until another takes it.
fn read(view: &View) -> Result<(), Found> {
    let before = view.block.generation();
    if before != view.stamp.generation {
        return Err(Found::ReleasedBefore(before));
    }
    let foreign = view.stamp.find_foreign(view.words());
    let after = view.block.generation();
    match foreign {
        Some(foreign) => Err(Found::Foreign(foreign)),
        None if after != before => Err(Found::ReleasedMeanwhile(after)),
        None => Ok(()),
    }
}

/// The last stretch of a wait, which is spun through: a sleep may well end so much too late.
const SPUN: Duration = Duration::from_micros(100);

/// Sleeps until shortly before `until`, and spins the rest.
fn wait(until: Instant) {
    loop {
        let rest = until.saturating_duration_since(Instant::now());
        match rest.checked_sub(SPUN).filter(|sleep| !sleep.is_zero()) {
            Some(sleep) => thread::sleep(sleep),
            None if rest.is_zero() => return,
            None => std::hint::spin_loop(),
        }
    }
}

fn last_words(panic: &(dyn std::any::Any + Send)) -> String {
    let words = panic.downcast_ref::<&str>().map(|words| (*words).to_owned());
    words.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "it panicked".into())
}
