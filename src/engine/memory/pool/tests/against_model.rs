//! Random calls against a plain model: a list of blocks, and a look at each of them for every question.

use super::*;

/// Each time somebody had a block.
type Tenure = usize;

struct PlainBlock {
    serial: usize,
    size: u64,
    state: Plain,
}

#[derive(Clone, Copy)]
enum Plain {
    Busy { tenure: Tenure, size: u64, consumers: u32, kept: bool },
    Idle { since: u64, releases_before: usize },
}

/// The blocks in no particular order, and the counters that cannot be read off them.
struct Model {
    buckets: Buckets,
    cap: u64,
    max_age: Option<u64>,
    blocks: Vec<PlainBlock>,
    made: usize,
    tenures: usize,
    releases: usize,
    stats: PoolStats,
}

/// A block's serial number, its size and why it went.
type Gone = (usize, u64, DropReason);

impl Model {
    fn sum(&self, of: impl Fn(&PlainBlock) -> u64) -> u64 {
        self.blocks.iter().map(of).sum()
    }

    fn in_use(&self) -> u64 {
        self.sum(|block| if matches!(block.state, Plain::Busy { .. }) { block.size } else { 0 })
    }

    fn held(&self) -> u64 {
        self.sum(|block| block.size)
    }

    fn waste(&self) -> u64 {
        self.sum(|block| match block.state {
            Plain::Busy { size, .. } => block.size - size,
            Plain::Idle { .. } => 0,
        })
    }

    /// The statistics now; called after every call, so that the peaks are those of all moments.
    fn stats(&mut self) -> PoolStats {
        let (in_use, held, waste) = (self.in_use(), self.held(), self.waste());
        self.stats.in_use = in_use;
        self.stats.idle = held - in_use;
        self.stats.waste = waste;
        self.stats.worst_waste = self.stats.worst_waste.max(waste);
        self.stats.peak_in_use = self.stats.peak_in_use.max(in_use);
        self.stats.peak_held = self.stats.peak_held.max(held);
        self.stats
    }

    /// Place, time of release and rank of release of the idle blocks, longest idle first.
    fn idle(&self) -> Vec<(usize, u64)> {
        let mut idle: Vec<(usize, usize, u64)> = Vec::new();
        for (at, block) in self.blocks.iter().enumerate() {
            if let Plain::Idle { since, releases_before } = block.state {
                idle.push((releases_before, at, since));
            }
        }
        idle.sort_unstable();
        idle.into_iter().map(|(_, at, since)| (at, since)).collect()
    }

    fn remove(&mut self, at: usize, why: DropReason) -> Gone {
        let block = self.blocks.remove(at);
        match why {
            DropReason::Aged => self.stats.aged_out += 1,
            DropReason::OverCap => self.stats.dropped_over_cap += 1,
        }
        (block.serial, block.size, why)
    }

    fn age(&mut self, now: u64) -> Vec<Gone> {
        let mut gone = Vec::new();
        while let Some(&(at, since)) = self.idle().first() {
            if self.max_age.is_none_or(|age| now < since + age) {
                break;
            }
            gone.push(self.remove(at, DropReason::Aged));
        }
        gone
    }

    /// Serial number of the block, whether it is an old one, and what had to go.
    fn acquire(&mut self, size: u64, consumers: u32, now: u64) -> Option<(usize, bool, Vec<Gone>)> {
        let need = self.buckets.block_size(size).unwrap();
        if self.in_use() + need > self.cap {
            return None;
        }
        let mut gone = self.age(now);
        let state = Plain::Busy { tenure: self.tenures, size, consumers, kept: false };
        self.tenures += 1;
        if let Some(&(at, _)) = self.idle().iter().rev().find(|&&(at, _)| self.blocks[at].size == need) {
            self.blocks[at].state = state;
            self.stats.hits += 1;
            return Some((self.blocks[at].serial, true, gone));
        }
        while self.held() + need > self.cap {
            let oldest = self.idle()[0].0;
            gone.push(self.remove(oldest, DropReason::OverCap));
        }
        self.blocks.push(PlainBlock { serial: self.made, size: need, state });
        self.made += 1;
        self.stats.misses += 1;
        Some((self.made - 1, false, gone))
    }

    /// The block that `tenure` still has.
    fn held_by(&mut self, tenure: Tenure) -> Option<&mut PlainBlock> {
        self.blocks
            .iter_mut()
            .find(|block| matches!(block.state, Plain::Busy { tenure: holder, .. } if holder == tenure))
    }

    fn release(&mut self, tenure: Tenure, now: u64) {
        let since = self.idle().last().map_or(now, |&(_, newest)| newest.max(now));
        let releases_before = self.releases;
        self.releases += 1;
        self.held_by(tenure).unwrap().state = Plain::Idle { since, releases_before };
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }
}

/// The pool and the model side by side.
struct Pair {
    pool: Pool,
    model: Model,
    /// By tenure.
    handles: Vec<Handle>,
    /// By block id: the serial number of the last block of that id, and how often blocks of that id were released.
    ids: Vec<(usize, u64)>,
}

impl Pair {
    fn new(random: &mut Random) -> Self {
        let buckets = match random.below(5) {
            0 => Buckets::Fixed(vec![8, 32]),
            1 => Buckets::PowersOfTwo,
            2 => Buckets::Tlsf { second_level_bits: 1 },
            3 => Buckets::Tlsf { second_level_bits: 3 },
            _ => Buckets::Exact,
        };
        let (cap, max_age) = (random.below(160), Some(random.below(12)).filter(|&age| age > 2));
        let (blocks, stats) = (Vec::new(), PoolStats::default());
        let model = Model { buckets: buckets.clone(), cap, max_age, blocks, made: 0, tenures: 0, releases: 0, stats };
        Self { pool: Pool::new(buckets, cap, max_age), model, handles: Vec::new(), ids: Vec::new() }
    }

    fn acquire(&mut self, random: &mut Random, now: u64) {
        let request = Request { size: 1 + random.below(48), consumers: random.below(4) as u32, zero_fill: false };
        let expected = self.model.acquire(request.size, request.consumers, now);
        let answer = self.pool.acquire(request, now);
        let Some((serial, hit, gone)) = expected else {
            let (in_use, held) = (self.model.in_use(), self.model.held());
            let need = self.model.buckets.block_size(request.size).unwrap();
            assert_eq!(answer, Err(NoRoom { need, in_use, idle: held - in_use, cap: self.model.cap }));
            return;
        };
        let Acquired { handle, hit: was_hit, .. } = answer.unwrap();
        assert_eq!(was_hit, hit);
        self.same_dropped(&gone);
        if self.ids.len() <= handle.block.at() {
            self.ids.resize(handle.block.at() + 1, (usize::MAX, 0));
        }
        let (last, releases) = &mut self.ids[handle.block.at()];
        assert_eq!(handle.generation, *releases);
        if hit {
            assert_eq!(*last, serial, "the block that was released last");
        }
        *last = serial;
        self.handles.push(handle);
    }

    fn same_dropped(&self, gone: &[Gone]) {
        let dropped = self.pool.dropped().iter();
        let dropped: Vec<Gone> = dropped.map(|gone| (self.ids[gone.block.at()].0, gone.size, gone.why)).collect();
        assert_eq!(dropped, gone);
    }

    /// One of the calls that take a handle, mostly by one who still has it.
    fn call(&mut self, random: &mut Random, now: u64) {
        let Some(last) = self.handles.len().checked_sub(1) else { return };
        let mut tenure = random.below(self.handles.len() as u64) as usize;
        if self.model.held_by(tenure).is_none() && random.below(4) > 0 {
            tenure = last;
        }
        let handle = self.handles[tenure];
        let call = random.below(10);
        let Some(&mut PlainBlock { size: block_size, ref mut state, .. }) = self.model.held_by(tenure) else {
            self.stale(handle, call, now);
            return;
        };
        let Plain::Busy { size, consumers, kept, .. } = state else { unreachable!("it is held") };
        let mut released = false;
        match call {
            0 | 1 => {
                assert_eq!(self.pool.add_consumer(handle), Ok(()));
                *consumers += 1;
            }
            2 => {
                assert_eq!(self.pool.keep(handle), Ok(()));
                *kept = true;
            }
            3 => {
                let actual = random.below(block_size + 3);
                if actual > block_size {
                    assert_eq!(self.pool.resize_report(handle, actual), Err(PoolError::Overrun { actual, block_size }));
                } else {
                    assert_eq!(self.pool.resize_report(handle, actual), Ok(()));
                    *size = actual;
                }
            }
            4 | 5 if *consumers > 0 => {
                assert_eq!(self.pool.release(handle, now), Err(PoolError::StillRead { consumers: *consumers }));
            }
            4 | 5 => {
                assert_eq!(self.pool.release(handle, now), Ok(()));
                released = true;
            }
            _ if *consumers == 0 => assert_eq!(self.pool.consume(handle, now), Err(PoolError::NoConsumer)),
            _ => {
                *consumers -= 1;
                released = *consumers == 0 && !*kept;
                assert_eq!(self.pool.consume(handle, now), Ok(released));
            }
        }
        if released {
            self.model.release(tenure, now);
            self.ids[handle.block.at()].1 += 1;
        }
    }

    fn stale(&mut self, handle: Handle, call: u64, now: u64) {
        let serial = self.ids[handle.block.at()].0;
        let in_use = |block: &PlainBlock| block.serial == serial && matches!(block.state, Plain::Busy { .. });
        let reused = self.model.blocks.iter().any(in_use);
        let expected = if reused { PoolError::Reused } else { PoolError::Released };
        let answer = match call {
            0 | 1 => self.pool.add_consumer(handle),
            2 => self.pool.keep(handle),
            3 => self.pool.resize_report(handle, 1),
            4 | 5 => self.pool.release(handle, now),
            _ => self.pool.consume(handle, now).map(|_| ()),
        };
        assert_eq!(answer, Err(expected));
    }

    fn compare(&mut self) {
        assert_eq!(*self.pool.stats(), self.model.stats());
        assert!(self.pool.stats().held() <= self.model.cap, "over the cap");
        let mut rows = 0;
        for row in self.pool.usage() {
            let of_size = || self.model.blocks.iter().filter(|block| block.size == row.block_size);
            let busy = of_size().filter(|block| matches!(block.state, Plain::Busy { .. })).count();
            assert_eq!((row.busy, row.busy + row.idle), (busy, of_size().count()));
            rows += row.busy + row.idle;
        }
        assert_eq!(rows, self.model.blocks.len());
    }
}

fn sequence(seed: u64) -> PoolStats {
    let random = &mut Random(seed);
    let mut pair = Pair::new(random);
    let mut now = 20;
    for _ in 0..30 {
        // Now and then a clock that runs back.
        now = if random.below(20) == 0 { now - random.below(4) } else { now + random.below(4) };
        match random.below(20) {
            0..8 => pair.acquire(random, now),
            8 => {
                let gone = pair.model.age(now);
                pair.pool.age(now);
                pair.same_dropped(&gone);
            }
            _ => pair.call(random, now),
        }
        pair.compare();
    }
    *pair.pool.stats()
}

#[test]
fn a_hundred_thousand_random_sequences_end_as_in_the_plain_model() {
    let mut seen = PoolStats::default();
    for seed in 0..100_000 {
        let stats = std::panic::catch_unwind(|| sequence(seed)).unwrap_or_else(|_| panic!("sequence {seed}"));
        seen.hits += stats.hits;
        seen.aged_out += stats.aged_out;
        seen.dropped_over_cap += stats.dropped_over_cap;
    }
    let often = [seen.hits, seen.aged_out, seen.dropped_over_cap].iter().all(|&count| count > 10_000);
    assert!(often, "every way of the pool is walked: {seen:?}");
}
