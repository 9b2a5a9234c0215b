//! The fast evaluation of an order: what it moves beside the graph's own copies, addresses left aside.
//!
//! Each level holds what fits by size. Where an item's buffer does not, victims leave: those with the farthest next use
//! come first (Belady: "A study of replacement algorithms for a virtual-storage computer", 1966; exact for equal sizes
//! and costs), distance weighed by what a spill of the victim costs a unit of its size.

use super::macros::{LAST, Macros};
use crate::model::{BufIx, Problem};

/// What is known of a buffer for good.
#[derive(Clone, Copy, Debug)]
struct Facts {
    size: u64,
    /// Units moved by one spill.
    cost: u64,
    level: u16,
    freed: bool,
}

/// One buffer during an evaluation.
#[derive(Clone, Copy, Debug, Default)]
struct State {
    /// The evaluation that it is resident in; 0 for none.
    resident_in: u64,
    /// Its place in the list of its level.
    slot: u32,
    /// The access at which it is needed next.
    next: u32,
    /// The step at which it was named last: it may not leave during that step.
    pinned: u32,
}

#[derive(Clone, Debug)]
struct Level {
    capacity: u64,
    may_spill: bool,
    used: u64,
    residents: Vec<u32>,
}

/// After the last access: the end of the plan, where buffers without a FREE must be back.
pub(super) const NEVER: u32 = u32::MAX;

/// What the levels hold while an order is gone through, item by item. Nothing is allocated once it is warm.
#[derive(Clone, Debug)]
pub(super) struct Holding {
    facts: Vec<Facts>,
    states: Vec<State>,
    levels: Vec<Level>,
    /// The number of this evaluation, from 1.
    run: u64,
    step: u32,
    /// Units moved so far.
    pub(super) moved: u64,
    victims: Vec<(f64, u32)>,
}

impl Holding {
    pub(super) fn new(problem: &Problem) -> Self {
        let facts = (0..problem.graph.buffers().len()).map(BufIx::new).map(|buf| Facts {
            size: problem.graph.buffer(buf).size,
            cost: problem.spill_cost(buf),
            level: problem.level_of(buf).0,
            freed: problem.graph.buffer(buf).free.is_some(),
        });
        let level = |level: &crate::model::Level| Level {
            capacity: level.capacity,
            may_spill: level.spill,
            used: 0,
            residents: Vec::new(),
        };
        let facts: Vec<Facts> = facts.collect();
        Self {
            states: vec![State::default(); facts.len()],
            facts,
            levels: problem.machine.levels.iter().map(level).collect(),
            run: 0,
            step: 0,
            moved: 0,
            victims: Vec::new(),
        }
    }

    /// Empties the levels.
    pub(super) fn clear(&mut self) {
        self.run += 1;
        (self.step, self.moved) = (0, 0);
        for level in &mut self.levels {
            level.used = 0;
            level.residents.clear();
        }
    }

    /// Buffers that are resident, with the access at which each is needed next.
    pub(super) fn residents(&self) -> impl Iterator<Item = (u32, u32)> {
        let all = self.levels.iter().flat_map(|level| &level.residents);
        all.map(|&buf| (buf, self.states[buf as usize].next))
    }

    /// Whether just these buffers are resident.
    pub(super) fn holds_just(&self, bufs: &[(u32, u32)]) -> bool {
        let count: usize = self.levels.iter().map(|level| level.residents.len()).sum();
        count == bufs.len() && bufs.iter().all(|&(buf, _)| self.is_resident(buf))
    }

    /// Puts a buffer in that is needed next at access `next`, where there surely is room.
    pub(super) fn put(&mut self, buf: u32, next: u32) {
        let Facts { size, level, .. } = self.facts[buf as usize];
        let place = &mut self.levels[level as usize];
        place.used += size;
        let slot = place.residents.len() as u32;
        place.residents.push(buf);
        self.states[buf as usize] = State { resident_in: self.run, slot, next, pinned: 0 };
    }

    /// Whether a buffer is in its level.
    pub(super) fn is_resident(&self, buf: u32) -> bool {
        self.states[buf as usize].resident_in == self.run
    }

    /// One item. `named` are its accesses, the first of which is access `start` of the order; `next` tells for each of
    /// them the next one to the same buffer. `None` where its buffers find no room.
    pub(super) fn step(&mut self, named: &[u32], next: &[u32], start: u32) -> Option<()> {
        self.step += 1;
        for access in named {
            self.states[(access & !LAST) as usize].pinned = self.step;
        }
        for ((now, access), &next) in (start..).zip(named).zip(next) {
            let buf = access & !LAST;
            if !self.is_resident(buf) {
                self.enter(buf, now)?;
            }
            self.states[buf as usize].next = next;
        }
        for (access, &next) in named.iter().zip(next) {
            let buf = access & !LAST;
            if next == NEVER && self.facts[buf as usize].freed {
                self.leave(buf);
            }
        }
        Some(())
    }

    fn enter(&mut self, buf: u32, now: u32) -> Option<()> {
        let Facts { size, level, .. } = self.facts[buf as usize];
        let place = &self.levels[level as usize];
        // Sums of sizes stay below 2^63.
        if place.used + size > place.capacity {
            let excess = place.used + size - place.capacity;
            if !place.may_spill {
                return None;
            }
            self.evict(level, excess, now)?;
        }
        self.put(buf, now);
        self.states[buf as usize].pinned = self.step;
        Some(())
    }

    fn leave(&mut self, buf: u32) {
        let Facts { size, level, .. } = self.facts[buf as usize];
        let place = &mut self.levels[level as usize];
        place.used -= size;
        let slot = self.states[buf as usize].slot as usize;
        place.residents.swap_remove(slot);
        if let Some(&moved) = place.residents.get(slot) {
            self.states[moved as usize].slot = slot as u32;
        }
        self.states[buf as usize].resident_in = 0;
    }

    /// Lets victims of at least `excess` units leave.
    fn evict(&mut self, level: u16, excess: u64, now: u32) -> Option<()> {
        let (mut one, mut one_worth) = (NEVER, f64::INFINITY);
        let mut smaller = false;
        for &buf in &self.levels[level as usize].residents {
            if self.states[buf as usize].pinned == self.step {
                continue;
            }
            if self.facts[buf as usize].size < excess {
                smaller = true;
                continue;
            }
            let worth = self.worth(buf, now);
            if (worth, buf) < (one_worth, one) {
                (one, one_worth) = (buf, worth);
            }
        }
        if smaller && self.several(level, excess, now, one_worth) {
            let victims = std::mem::take(&mut self.victims);
            victims.iter().for_each(|&(_, buf)| self.spill(buf));
            self.victims = victims;
            return Some(());
        }
        (one != NEVER).then(|| self.spill(one))
    }

    /// What keeping a buffer is worth: its cost, spread over the time until it is needed.
    fn worth(&self, buf: u32, now: u32) -> f64 {
        self.facts[buf as usize].cost as f64 / f64::from(self.states[buf as usize].next - now)
    }

    fn spill(&mut self, buf: u32) {
        self.moved = self.moved.saturating_add(self.facts[buf as usize].cost);
        self.leave(buf);
    }

    /// Looks for several victims that together are worth less than `limit`, into `victims`.
    fn several(&mut self, level: u16, excess: u64, now: u32, limit: f64) -> bool {
        let mut victims = std::mem::take(&mut self.victims);
        victims.clear();
        let free = |buf: &&u32| self.states[**buf as usize].pinned != self.step;
        let residents = self.levels[level as usize].residents.iter().filter(free);
        victims.extend(residents.map(|&buf| (self.worth(buf, now) / self.facts[buf as usize].size as f64, buf)));
        victims.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let total = self.just_enough(&mut victims, excess);
        self.victims = victims;
        total.is_some_and(|total| total < limit)
    }

    /// Keeps of the victims, cheapest first for their sizes, just those that are needed; what they are worth together.
    fn just_enough(&self, victims: &mut Vec<(f64, u32)>, excess: u64) -> Option<f64> {
        let size = |buf: u32| self.facts[buf as usize].size;
        let mut freed = 0;
        let enough = victims.iter().position(|&(_, buf)| {
            freed += size(buf);
            freed >= excess
        })?;
        victims.truncate(enough + 1);
        // Those that turned out to be too many stay, the dearest first.
        let mut total = 0.0;
        for at in (0..victims.len()).rev() {
            let (density, buf) = victims[at];
            if freed - size(buf) >= excess {
                freed -= size(buf);
                victims.remove(at);
            } else {
                total += density * size(buf) as f64;
            }
        }
        Some(total)
    }
}

/// Evaluates whole orders of macros.
#[derive(Clone, Debug)]
pub(super) struct Traffic {
    holding: Holding,
    accesses: Vec<u32>,
    /// By access: the next one to the same buffer.
    next: Vec<u32>,
    last: Vec<u32>,
}

impl Traffic {
    pub(super) fn new(problem: &Problem) -> Self {
        let last = vec![NEVER; problem.graph.buffers().len()];
        Self { holding: Holding::new(problem), accesses: Vec::new(), next: Vec::new(), last }
    }

    /// Extra traffic of the order; `None` where some item's buffers find no room, or it comes to more than `limit`.
    pub(super) fn of(&mut self, macros: &Macros, sequence: &[u32], limit: u64) -> Option<u64> {
        self.accesses.clear();
        sequence.iter().for_each(|&own| self.accesses.extend_from_slice(macros.accesses.of(own)));
        self.next.resize(self.accesses.len(), NEVER);
        self.last.fill(NEVER);
        link(&self.accesses, 0, &mut self.next, &mut self.last);
        self.holding.clear();
        let mut start = 0;
        for named in self.accesses.split_inclusive(|access| access & LAST != 0) {
            let end = start + named.len();
            self.holding.step(named, &self.next[start..end], start as u32)?;
            if self.holding.moved > limit {
                return None;
            }
            start = end;
        }
        Some(self.holding.moved)
    }

    /// When each buffer is in its level, for an order of single items; sorted by buffer and time. `None` where some item's buffers find no room.
    pub(super) fn stays(&mut self, macros: &Macros, sequence: &[u32]) -> Option<Vec<Stay>> {
        self.of(macros, sequence, u64::MAX)?;
        let mut stays: Vec<Stay> = Vec::new();
        let mut last_of = vec![NEVER; self.last.len()];
        self.holding.clear();
        let mut start = 0;
        let items = sequence.iter().filter(|&&own| !macros.accesses.of(own).is_empty());
        let named = self.accesses.split_inclusive(|access| access & LAST != 0);
        for ((at, named), &own) in (0..).zip(named).zip(items) {
            for buf in named.iter().map(|access| access & !LAST) {
                let last = &mut last_of[buf as usize];
                // An item may name a buffer twice.
                let goes_on = *last != NEVER && (self.holding.is_resident(buf) || stays[*last as usize].to == at + 1);
                if !goes_on {
                    *last = stays.len() as u32;
                    stays.push(Stay { buf, from: at, to: at, begins: own });
                }
                stays[*last as usize].to = at + 1;
            }
            let end = start + named.len();
            self.holding.step(named, &self.next[start..end], start as u32)?;
            start = end;
        }
        stays.sort_by_key(|stay| (stay.buf, stay.from));
        Some(stays)
    }
}

/// A stretch of an order during which a buffer must be in its level: the items `[from, to)`, the last of which names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stay {
    pub(super) buf: u32,
    pub(super) from: u32,
    pub(super) to: u32,
    /// The first of them.
    pub(super) begins: u32,
}

/// For each of `accesses`, the first of which is access `start` of the order, the next one to the same buffer. `first`
/// holds by buffer the first access behind them, and then the first one from `start` on.
pub(super) fn link(accesses: &[u32], start: usize, next: &mut [u32], first: &mut [u32]) {
    for (at, access) in accesses.iter().enumerate().rev() {
        let known = &mut first[(access & !LAST) as usize];
        next[at] = *known;
        *known = (start + at) as u32;
    }
}
