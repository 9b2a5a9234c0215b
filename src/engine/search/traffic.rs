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

/// Where a buffer is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum At {
    Nowhere,
    Resident,
    Out,
}

/// One buffer during an evaluation.
#[derive(Clone, Copy, Debug)]
struct State {
    at: At,
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

/// Evaluates orders of macros. Nothing is allocated from the second call on.
#[derive(Clone, Debug)]
pub(super) struct Traffic {
    facts: Vec<Facts>,
    states: Vec<State>,
    levels: Vec<Level>,
    accesses: Vec<u32>,
    /// By access: the next one to the same buffer.
    next: Vec<u32>,
    last: Vec<u32>,
    /// Units moved so far.
    moved: u64,
    victims: Vec<(f64, u32)>,
}

/// After the last access: the end of the plan, where buffers without a FREE must be back.
const NEVER: u32 = u32::MAX;

impl Traffic {
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
            states: vec![State { at: At::Nowhere, slot: 0, next: 0, pinned: 0 }; facts.len()],
            last: vec![NEVER; facts.len()],
            facts,
            levels: problem.machine.levels.iter().map(level).collect(),
            accesses: Vec::new(),
            next: Vec::new(),
            moved: 0,
            victims: Vec::new(),
        }
    }

    /// Extra traffic of the order; `None` where some item's buffers find no room, or it comes to more than `limit`.
    pub(super) fn of(&mut self, macros: &Macros, sequence: &[u32], limit: u64) -> Option<u64> {
        self.accesses.clear();
        sequence.iter().for_each(|&own| self.accesses.extend_from_slice(macros.accesses.of(own)));
        self.link();
        self.reset();
        let mut step = 1;
        let mut start = 0;
        for at in 0..self.accesses.len() {
            if self.accesses[at] & LAST != 0 {
                self.step(start, at + 1, step)?;
                if self.moved > limit {
                    return None;
                }
                start = at + 1;
                step += 1;
            }
        }
        Some(self.moved)
    }

    /// For each access, the next one to the same buffer.
    fn link(&mut self) {
        self.next.clear();
        self.next.resize(self.accesses.len(), NEVER);
        self.last.fill(NEVER);
        for at in (0..self.accesses.len()).rev() {
            let last = &mut self.last[(self.accesses[at] & !LAST) as usize];
            self.next[at] = *last;
            *last = at as u32;
        }
    }

    fn reset(&mut self) {
        self.moved = 0;
        self.states.fill(State { at: At::Nowhere, slot: 0, next: 0, pinned: 0 });
        for level in &mut self.levels {
            level.used = 0;
            level.residents.clear();
        }
    }

    /// One item, which names the buffers of accesses `[start, end)`.
    fn step(&mut self, start: usize, end: usize, step: u32) -> Option<()> {
        for at in start..end {
            self.states[(self.accesses[at] & !LAST) as usize].pinned = step;
        }
        for at in start..end {
            let buf = self.accesses[at] & !LAST;
            if self.states[buf as usize].at != At::Resident {
                self.enter(buf, at as u32, step)?;
            }
            self.states[buf as usize].next = self.next[at];
        }
        for at in start..end {
            let buf = self.accesses[at] & !LAST;
            if self.next[at] == NEVER && self.facts[buf as usize].freed {
                self.leave(buf, At::Nowhere);
            }
        }
        Some(())
    }

    fn enter(&mut self, buf: u32, now: u32, step: u32) -> Option<()> {
        let Facts { size, level, .. } = self.facts[buf as usize];
        let place = &self.levels[level as usize];
        // Sums of sizes stay below 2^63.
        if place.used + size > place.capacity {
            let excess = place.used + size - place.capacity;
            if !place.may_spill {
                return None;
            }
            self.evict(level, excess, now, step)?;
        }
        let place = &mut self.levels[level as usize];
        place.used += size;
        let state = &mut self.states[buf as usize];
        (state.at, state.slot) = (At::Resident, place.residents.len() as u32);
        place.residents.push(buf);
        Some(())
    }

    fn leave(&mut self, buf: u32, to: At) {
        let Facts { size, level, .. } = self.facts[buf as usize];
        let place = &mut self.levels[level as usize];
        place.used -= size;
        let slot = self.states[buf as usize].slot as usize;
        place.residents.swap_remove(slot);
        if let Some(&moved) = place.residents.get(slot) {
            self.states[moved as usize].slot = slot as u32;
        }
        self.states[buf as usize].at = to;
    }

    /// Lets victims of at least `excess` units leave.
    fn evict(&mut self, level: u16, excess: u64, now: u32, step: u32) -> Option<()> {
        // What keeping a buffer is worth: its cost, spread over the time until it is needed.
        let worth = |facts: &Facts, state: &State| facts.cost as f64 / f64::from(state.next - now);
        let (mut one, mut one_worth) = (NEVER, f64::INFINITY);
        let mut smaller = false;
        for &buf in &self.levels[level as usize].residents {
            let (facts, state) = (&self.facts[buf as usize], &self.states[buf as usize]);
            if state.pinned == step {
                continue;
            }
            if facts.size < excess {
                smaller = true;
            } else if worth(facts, state) < one_worth {
                (one, one_worth) = (buf, worth(facts, state));
            }
        }
        if smaller && self.several(level, excess, now, step, one_worth) {
            let victims = std::mem::take(&mut self.victims);
            victims.iter().for_each(|&(_, buf)| self.spill(buf));
            self.victims = victims;
            return Some(());
        }
        (one != NEVER).then(|| self.spill(one))
    }

    fn spill(&mut self, buf: u32) {
        self.moved = self.moved.saturating_add(self.facts[buf as usize].cost);
        self.leave(buf, At::Out);
    }

    /// Looks for several victims that together are worth less than `limit`, into `victims`.
    fn several(&mut self, level: u16, excess: u64, now: u32, step: u32, limit: f64) -> bool {
        self.victims.clear();
        for &buf in &self.levels[level as usize].residents {
            let (facts, state) = (&self.facts[buf as usize], &self.states[buf as usize]);
            if state.pinned != step {
                let worth = facts.cost as f64 / f64::from(state.next - now);
                self.victims.push((worth / facts.size as f64, buf));
            }
        }
        self.victims.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut freed = 0;
        let enough = self.victims.iter().position(|&(_, buf)| {
            freed += self.facts[buf as usize].size;
            freed >= excess
        });
        let Some(enough) = enough else { return false };
        self.victims.truncate(enough + 1);
        // Those that turned out to be too many stay, the dearest first.
        let mut total = 0.0;
        for at in (0..self.victims.len()).rev() {
            let (density, buf) = self.victims[at];
            let size = self.facts[buf as usize].size;
            if freed - size >= excess {
                freed -= size;
                self.victims.remove(at);
            } else {
                total += density * size as f64;
            }
        }
        total < limit
    }
}
