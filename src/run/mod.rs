//! The executor: runs an operation graph for real, on threads, in memory from the same pools that plans are made with
//! (seed 000).
//!
//! It is apart from the [`Scheduler`]: that one chooses what starts next and knows no thread; this one starts it and knows
//! no priority. What happened is recorded in the events of a plan, with measured times, so that it can be watched.
//!
//! The work is synthetic. A kernel reads every byte of its inputs and writes every byte of its outputs, and sleeps for the
//! rest of its time. Producers stamp what they write ([`stamp`]) and readers verify it, so that a buffer that is given
//! away too early is caught in the act.

pub mod block;
mod executor;
mod memory;
mod record;
mod roles;
mod scale;
pub mod stamp;
pub mod system;
mod tally;
mod worker;

use std::sync::atomic::AtomicBool;
use std::thread;

pub use roles::Roles;
pub use scale::{Scale, is_one, scaled};
pub use worker::Found;

use crate::engine::memory::pool::NoRoom;
use crate::engine::order;
use crate::error::Error;
use crate::model::{BlockId, BufIx, Event, NodeIx, Problem, Symbol, UnitIx};
use crate::trace::Trace;
use executor::Executor;

/// Chooses which operation starts next. Times are microseconds since the run began, and never go back.
pub trait Scheduler {
    /// The operation to start now: all that it waits for is done, a lane of its unit is idle, and its buffers have room.
    /// To be asked until there is none.
    fn next(&mut self, now: u64) -> Option<NodeIx>;

    /// `node` is done.
    fn complete(&mut self, node: NodeIx, now: u64);

    /// What was decided since the last call.
    fn take_events(&mut self) -> Vec<Event>;
}

/// The scheduler that plans are made with.
impl Scheduler for order::Scheduler<'_> {
    fn next(&mut self, now: u64) -> Option<NodeIx> {
        order::Scheduler::next(self, now).map(|start| start.node)
    }

    fn complete(&mut self, node: NodeIx, now: u64) {
        order::Scheduler::complete(self, node, now);
    }

    fn take_events(&mut self) -> Vec<Event> {
        // Its steps are those that are taken here as well, in the same order.
        order::Scheduler::take_steps(self);
        order::Scheduler::take_events(self)
    }
}

/// How to run.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// What is to go wrong.
    pub fault: Option<Fault>,
    /// The operation whose kernel is to fail.
    pub fail_at: Option<NodeIx>,
}

/// Faults that can be planted, to show that they are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The consumer count of seed 000: it grows as consumers start, so that a buffer is released when those that run are
    /// done, though others have not started.
    EarlyRelease,
}

/// What a run came to. Times are in microseconds.
#[derive(Clone, Debug)]
pub struct Measured {
    /// What happened, with the measured times. It ends early where the run did.
    pub trace: Trace,
    /// How it ended.
    pub ending: Ending,
    /// From the first decision to the last end.
    pub micros: u64,
    /// Operations that were done.
    pub operations: u64,
    /// Those of them for which reading and writing took longer than they should have lasted.
    pub late: u64,
    /// Stamps that were looked for and found whole.
    pub stamps: u64,
    /// The bytes that they stood in.
    pub bytes: u64,
    /// Times by kind of operation.
    pub kinds: Vec<KindTimes>,
    /// For how long each lane worked.
    pub busy: Vec<LaneBusy>,
    /// Outputs for which the block of their estimated size would have been too small.
    pub outgrown: Vec<Outgrown>,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// All operations are done.
    Done,
    /// Asked from outside to stop.
    Interrupted,
    /// Readers found what was not written for them.
    Broken(Vec<BrokenStamp>),
    /// A kernel failed.
    Failed {
        /// The operation.
        node: NodeIx,
        /// The kernel's last words.
        what: String,
    },
    /// Nothing runs, and nothing that is left may start: all of it waits for memory.
    Starved,
    /// The scheduler started what has no room in the pool.
    NoRoom {
        /// The buffer.
        buf: BufIx,
        /// What the pool said.
        refused: NoRoom,
    },
    /// The scheduler started what is no operation, or for which no worker is idle.
    Confused(NodeIx),
}

/// A stamp that was not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BrokenStamp {
    /// Who looked for it.
    pub consumer: NodeIx,
    /// In which buffer.
    pub buf: BufIx,
    /// In which block that buffer is, or was.
    pub block: BlockId,
    /// What was there.
    pub found: Found,
    /// The buffer that holds the block now, if any does.
    pub holder: Option<BufIx>,
}

/// Times of the operations of one kind that were done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KindTimes {
    /// The kind.
    pub kind: Symbol,
    /// How many.
    pub count: u64,
    /// The sum of what they should have lasted.
    pub estimated: u64,
    /// The sum of what they lasted.
    pub measured: u64,
}

/// How long a lane worked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneBusy {
    /// The unit.
    pub unit: UnitIx,
    /// Which of its lanes.
    pub lane: u8,
    /// For so long.
    pub micros: u64,
}

/// An output that is larger than was estimated, by so much that it needed a larger block. It had that from the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outgrown {
    /// The buffer.
    pub buf: BufIx,
    /// Its real size.
    pub actual: u64,
    /// The block for the estimated size.
    pub estimated: u64,
    /// The block that it was given.
    pub block: u64,
}

/// Runs the graph, unless `stop` is set; where that happens on the way, what runs is waited for.
///
/// # Errors
/// A graph that cannot be run ([`Roles::new`]); a system that starts no more threads.
pub fn run<S: Scheduler>(
    problem: &Problem,
    scheduler: &mut S,
    config: &Config,
    stop: &AtomicBool,
) -> Result<Measured, Error> {
    let roles = Roles::new(problem)?;
    thread::scope(|scope| {
        let executor = Executor::new(problem, config, scheduler, stop, &roles, scope);
        executor.map(Executor::run).map_err(|error| {
            Error::input(format!("the system starts no more threads: {error}"), "use fewer workers (--workers)")
        })
    })
}

#[cfg(test)]
mod tests;
