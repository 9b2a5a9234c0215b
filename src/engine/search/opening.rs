//! From an order of groups to one of macros: a few groups are open at once, and go on by turns.

use super::groups::Groups;
use super::macros::{LAST, Macros};

/// How many groups are open at most, and how many that cannot begin yet are passed over.
const LOOKAHEAD: usize = 64;

/// Lists macros group by group.
pub(super) struct Opening<'a> {
    groups: &'a Groups,
    macros: &'a Macros,
    /// By macro: macros that must still be done before it.
    waits: Vec<u32>,
    /// By group: its macros that are ready, last in first out.
    ready: Vec<Vec<u32>>,
    left: Vec<u32>,
    /// Groups that are begun and not done, the one that went on longest ago first.
    open: Vec<u32>,
    held: Vec<u64>,
    /// By rank: groups that are not begun.
    closed: Vec<u32>,
    /// By buffer: the number of the macro that touched it last.
    touched: Vec<u32>,
    order: Vec<u32>,
}

impl<'a> Opening<'a> {
    /// Groups open in the order of `wanted`.
    pub(super) fn new(groups: &'a Groups, macros: &'a Macros, wanted: &[u32]) -> Self {
        let waits: Vec<u32> = (0..macros.len() as u32).map(|own| macros.preds.of(own).len() as u32).collect();
        let mut ready = vec![Vec::new(); groups.len()];
        for own in (0..macros.len()).rev().filter(|&own| waits[own] == 0) {
            ready[groups.of[own] as usize].push(own as u32);
        }
        Self {
            waits,
            ready,
            left: (0..groups.len() as u32).map(|group| groups.members.of(group).len() as u32).collect(),
            open: Vec::new(),
            held: vec![0; groups.capacities.len()],
            closed: wanted.iter().rev().copied().collect(),
            touched: vec![0; groups.sizes.len()],
            order: Vec::with_capacity(macros.len()),
            groups,
            macros,
        }
    }

    /// The order of macros; `None` where nothing is ready any more before all are done.
    pub(super) fn run(mut self) -> Option<Vec<u32>> {
        while self.order.len() < self.macros.len() {
            self.open_more();
            let own = self.next()?;
            self.emit(own);
        }
        Some(self.order)
    }

    /// Opens groups in their order while there is room for what they hold; those that cannot begin are passed over.
    fn open_more(&mut self) {
        let mut looked_at = 0;
        while looked_at < self.closed.len().min(LOOKAHEAD) && self.open.len() < LOOKAHEAD {
            let at = self.closed.len() - 1 - looked_at;
            let group = self.closed[at];
            let fits = |&(level, units): &(u16, u64)| {
                self.held[level as usize] + units <= self.groups.capacities[level as usize]
            };
            let begins = !self.ready[group as usize].is_empty();
            if begins && !self.groups.holds[group as usize].iter().all(fits) {
                return; // its turn comes when there is room
            }
            if begins {
                self.closed.remove(at);
                self.groups.holds[group as usize].iter().for_each(|&(level, units)| self.held[level as usize] += units);
                self.open.insert(0, group);
                if self.groups.holds[group as usize].is_empty() {
                    return;
                }
            } else {
                looked_at += 1;
            }
        }
    }

    /// Of the open groups' macros, one that touches what the last one touched; else of the group that has waited longest.
    fn next(&mut self) -> Option<u32> {
        let now = self.order.len() as u32;
        let follows = |own: u32| {
            let touches = self.macros.accesses.of(own).iter().map(|access| access & !LAST);
            now > 0 && touches.into_iter().any(|buf| self.touched[buf as usize] == now)
        };
        let mut chosen = None;
        for (at, &group) in self.open.iter().enumerate() {
            if let Some(&own) = self.ready[group as usize].last() {
                if follows(own)
                    && Some(&self.groups.of[own as usize])
                        != self.order.last().map(|&last| &self.groups.of[last as usize])
                {
                    chosen = Some(at);
                    break;
                }
                chosen = chosen.or(Some(at));
            }
        }
        let at = chosen?;
        let group = self.open.remove(at);
        self.open.push(group);
        self.ready[group as usize].pop()
    }

    fn emit(&mut self, own: u32) {
        self.order.push(own);
        let now = self.order.len() as u32;
        for access in self.macros.accesses.of(own) {
            self.touched[(access & !LAST) as usize] = now;
        }
        for &next in self.macros.succs.of(own) {
            self.waits[next as usize] -= 1;
            if self.waits[next as usize] == 0 {
                self.ready[self.groups.of[next as usize] as usize].push(next);
            }
        }
        let group = self.groups.of[own as usize] as usize;
        self.left[group] -= 1;
        if self.left[group] == 0 {
            self.open.retain(|&open| open as usize != group);
            self.groups.holds[group].iter().for_each(|&(level, units)| self.held[level as usize] -= units);
        }
    }
}
