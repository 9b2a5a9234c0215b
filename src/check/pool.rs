//! The blocks of one pool: who has each, and which lie idle since when. Written apart from the engine's pool.

use std::collections::{BTreeMap, BTreeSet};

use super::addresses::Range;
use crate::model::{BufIx, PoolFigures};

/// What a buffer needs of a pool.
#[derive(Clone, Copy)]
pub(super) struct Request {
    pub(super) buf: BufIx,
    /// Units of its block.
    pub(super) block: u64,
    /// Units that it really uses of them; at most as many.
    pub(super) used: u64,
}

/// What a placement got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Got {
    /// A new block: a miss.
    Fresh,
    /// A block that lay idle: a hit.
    Idle,
}

/// Why a placement cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The blocks in use, of so many units, leave no room under the cap.
    NoRoom { busy: u64 },
    /// It shares addresses with a block that the pool holds, and is not that block.
    Overlap { block: Range, holder: Option<BufIx> },
}

/// A block that the pool holds.
#[derive(Clone, Copy)]
struct Block {
    size: u64,
    state: State,
}

#[derive(Clone, Copy)]
enum State {
    Busy { holder: BufIx, waste: u64 },
    Idle { since: u64, rank: u64 },
}

/// See the [module](self).
pub(super) struct Pool {
    cap: u64,
    max_age: Option<u64>,
    /// By start. Disjoint, as long as only [`Pool::place`] makes blocks.
    blocks: BTreeMap<u64, Block>,
    /// Starts of the idle blocks by rank: longest idle first.
    idle: BTreeMap<u64, u64>,
    /// Size and rank of the idle blocks.
    idle_by_size: BTreeSet<(u64, u64)>,
    /// How often a block was released so far.
    releases: u64,
    busy: u64,
    held: u64,
    waste: u64,
    figures: PoolFigures,
}

impl Pool {
    /// A pool that holds at most `cap` units, and none idle for `max_age` cycles or longer.
    pub(super) fn new(cap: u64, max_age: Option<u64>) -> Self {
        Self {
            cap,
            max_age,
            blocks: BTreeMap::new(),
            idle: BTreeMap::new(),
            idle_by_size: BTreeSet::new(),
            releases: 0,
            busy: 0,
            held: 0,
            waste: 0,
            figures: PoolFigures::default(),
        }
    }

    pub(super) fn figures(&self) -> PoolFigures {
        self.figures
    }

    /// The plan puts the block of `request` at `start`, at `cycle`.
    pub(super) fn place(&mut self, request: Request, start: u64, cycle: u64) -> Result<Got, Refusal> {
        self.make_way(request, cycle)?;
        if let Some(&Block { size, state: State::Idle { rank, .. } }) = self.blocks.get(&start)
            && size == request.block
        {
            self.reuse(start, rank, request);
            return Ok(Got::Idle);
        }
        self.drop_over_cap(request.block);
        if let Some((block, holder)) = self.overlapped(start, request.block) {
            return Err(Refusal::Overlap { block, holder });
        }
        self.add(start, request);
        Ok(Got::Fresh)
    }

    /// The pool itself picks the block of `request`, at `cycle`: the one of its size that was released last, else a new
    /// one. Addresses are then mere numbers. Returns that of the block; `None` where there is no room.
    pub(super) fn pick(&mut self, request: Request, cycle: u64) -> Option<u64> {
        self.make_way(request, cycle).ok()?;
        let of_size = (request.block, 0)..=(request.block, u64::MAX);
        if let Some(&(_, rank)) = self.idle_by_size.range(of_size).next_back() {
            let start = self.idle[&rank];
            self.reuse(start, rank, request);
            return Some(start);
        }
        self.drop_over_cap(request.block);
        let start = self.figures.misses;
        self.add(start, request);
        Some(start)
    }

    /// The block at `start` falls idle at `cycle`. A time before that of the block that was released before counts as
    /// that, so that the longest idle one is always the oldest.
    pub(super) fn release(&mut self, start: u64, cycle: u64) {
        let newest = self.idle.last_key_value().and_then(|(_, start)| match self.blocks[start].state {
            State::Idle { since, .. } => Some(since),
            State::Busy { .. } => None,
        });
        let rank = self.releases;
        let Some(block) = self.blocks.get_mut(&start) else { return };
        let State::Busy { waste, .. } = block.state else { return };
        block.state = State::Idle { since: newest.map_or(cycle, |newest| newest.max(cycle)), rank };
        self.idle.insert(rank, start);
        self.idle_by_size.insert((block.size, rank));
        self.busy -= block.size;
        self.waste -= waste;
        self.releases += 1;
    }

    /// What happens at every request before a block is looked for.
    fn make_way(&mut self, request: Request, cycle: u64) -> Result<(), Refusal> {
        if request.block > self.cap - self.busy {
            return Err(Refusal::NoRoom { busy: self.busy });
        }
        let Some(max_age) = self.max_age else { return Ok(()) };
        while let Some((&rank, &start)) = self.idle.first_key_value()
            && let State::Idle { since, .. } = self.blocks[&start].state
            && cycle.saturating_sub(since) >= max_age
        {
            self.forget(rank, start);
            self.figures.aged += 1;
        }
        Ok(())
    }

    /// The longest idle blocks go until a new one of `size` fits under the cap.
    fn drop_over_cap(&mut self, size: u64) {
        while self.held > self.cap - size
            && let Some((&rank, &start)) = self.idle.first_key_value()
        {
            self.forget(rank, start);
            self.figures.over_cap += 1;
        }
    }

    fn forget(&mut self, rank: u64, start: u64) {
        self.idle.remove(&rank);
        if let Some(block) = self.blocks.remove(&start) {
            self.idle_by_size.remove(&(block.size, rank));
            self.held -= block.size;
        }
    }

    fn reuse(&mut self, start: u64, rank: u64, request: Request) {
        self.idle.remove(&rank);
        self.idle_by_size.remove(&(request.block, rank));
        self.figures.hits += 1;
        self.hold(start, request);
    }

    fn add(&mut self, start: u64, request: Request) {
        self.figures.misses += 1;
        self.held += request.block;
        self.figures.peak_held = self.figures.peak_held.max(self.held);
        self.hold(start, request);
    }

    fn hold(&mut self, start: u64, request: Request) {
        let Request { buf, block: size, used } = request;
        let waste = size - used;
        self.blocks.insert(start, Block { size, state: State::Busy { holder: buf, waste } });
        self.busy += size;
        self.waste += waste;
        self.figures.peak_busy = self.figures.peak_busy.max(self.busy);
        self.figures.worst_waste = self.figures.worst_waste.max(self.waste);
    }

    /// The first block that shares an address with `[start, start + size)`, and who has it.
    fn overlapped(&self, start: u64, size: u64) -> Option<(Range, Option<BufIx>)> {
        let end = start.saturating_add(size);
        let before = self.blocks.range(..start).next_back().filter(|(at, block)| *at + block.size > start);
        let (&at, block) = before.or_else(|| self.blocks.range(start..end).next())?;
        let holder = if let State::Busy { holder, .. } = block.state { Some(holder) } else { None };
        Some((Range { start: at, end: at.saturating_add(block.size) }, holder))
    }
}
