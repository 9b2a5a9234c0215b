//! How a random program grows, operation by operation (see [`random`](super::random)).

use super::cost;
use super::program::{Buf, Program};
use super::random::{Config, Sizes};
use crate::model::{Name, SplitMix64};

/// The program as it grows.
pub(super) struct Growth<'a> {
    config: &'a Config,
    pipes: &'a [String],
    rng: &'a mut SplitMix64,
    program: Program<'a>,
    levels: Vec<Level<'a>>,
}

/// The buffers of one level.
struct Level<'a> {
    name: &'a str,
    largest: u64,
    capacity: u64,
    spill: bool,
    buffers: Vec<(Buf, u64)>,
    /// From here on, buffers may still be named.
    open: usize,
    /// Sum of the sizes of those.
    open_size: u128,
}

impl Level<'_> {
    fn push(&mut self, buf: Buf, size: u64) {
        self.buffers.push((buf, size));
        self.open_size += u128::from(size);
    }

    /// Closes the oldest buffers until no more than `count` are open, of no more than `room` in total.
    fn close_to(&mut self, count: usize, room: u128) {
        while self.buffers.len() - self.open > count || self.open_size > room {
            self.open_size -= u128::from(self.buffers[self.open].1);
            self.open += 1;
        }
    }
}

/// The buffers that an operation names so far.
#[derive(Default)]
struct Picked {
    bufs: Vec<Buf>,
    /// Sum of their sizes, by level.
    sizes: Vec<u64>,
}

impl<'a> Growth<'a> {
    pub(super) fn new(config: &'a Config, pipes: &'a [String], rng: &'a mut SplitMix64) -> Self {
        let level = |(name, largest): &'a (Name, u64)| {
            let level = config.machine.levels.iter().find(|level| level.name == *name)?;
            let (name, capacity, spill) = (name.raw(), level.capacity, level.spill);
            Some(Level { name, largest: *largest, capacity, spill, buffers: Vec::new(), open: 0, open_size: 0 })
        };
        let levels = config.levels.iter().filter_map(level).collect();
        Self { config, pipes, rng, program: Program::default(), levels }
    }

    /// The whole program, with at least as many nodes as asked for.
    pub(super) fn run(mut self) -> Program<'a> {
        while (self.program.node_count() as u64) < self.config.nodes {
            self.grow();
        }
        self.program
    }

    /// Adds one operation, and perhaps a buffer for it to write.
    fn grow(&mut self) {
        let mut picked = Picked { bufs: Vec::new(), sizes: vec![0; self.levels.len()] };
        if self.rng.chance(0.5) {
            self.declare(&mut picked);
        }
        let wanted = 1 + self.rng.index(self.config.operands as usize);
        // A miss (no room left in the level, or named already) is not made up for: some operations stay small.
        for _ in picked.bufs.len()..wanted {
            self.pick(&mut picked);
        }
        if picked.bufs.is_empty() {
            self.declare(&mut picked);
        }
        let size = picked.sizes.iter().fold(0u64, |sum, &size| sum.saturating_add(size));
        let pipe: &'a str = &self.pipes[self.rng.index(self.pipes.len())];
        self.program.op("COMPUTE", pipe, cost::vector(size), &picked.bufs[..1], &picked.bufs[1..]);
    }

    /// Declares a buffer in some level. Closing older ones first keeps what is live there within a level that may
    /// not spill.
    fn declare(&mut self, picked: &mut Picked) {
        let at = self.rng.index(self.levels.len());
        let largest = self.levels[at].largest;
        let small = self.config.sizes == Sizes::Mixed && self.rng.chance(0.5);
        let most = if small { largest.div_ceil(8) } else { largest };
        let size = if self.config.sizes == Sizes::Equal { largest } else { 1 + self.rng.below(most) };
        let level = &mut self.levels[at];
        let bounded = !level.spill && !self.config.allow_impossible;
        // Half of the level stays free, since what is free is in several holes.
        let room = if bounded { u128::from((level.capacity / 2).saturating_sub(size)) } else { u128::MAX };
        level.close_to(self.config.window as usize - 1, room);
        let buf = self.program.buffer(level.name, size, None);
        level.push(buf, size);
        let may_stay = self.levels[at].spill;
        if may_stay && self.rng.chance(self.config.unfreed) {
            self.program.keep(buf);
        }
        if self.rng.chance(self.config.backed) {
            self.program.load(buf);
        }
        picked.bufs.push(buf);
        picked.sizes[at] = size;
    }

    /// Picks an open buffer of some level, where the level can hold it beside those picked.
    fn pick(&mut self, picked: &mut Picked) {
        let at = self.rng.index(self.levels.len());
        let level = &self.levels[at];
        let open = &level.buffers[level.open..];
        if open.is_empty() {
            return;
        }
        let (buf, size) = open[self.rng.index(open.len())];
        let sum = picked.sizes[at].saturating_add(size);
        let fits = sum <= level.capacity || self.config.allow_impossible;
        if fits && !picked.bufs.contains(&buf) {
            picked.bufs.push(buf);
            picked.sizes[at] = sum;
        }
    }
}
