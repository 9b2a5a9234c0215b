//! The state of the exact search: a skyline of what is placed, what cannot lie lower any more, and a trail to go back.
//!
//! Of each section there is a *floor*: nothing that is still open lies lower there. Of each open item there is the
//! lowest address that it can still have, its *low*. Three rules raise them until nothing changes or a section breaks:
//!
//! - an item is above the floors of all its sections, aligned, clear of what is fixed;
//! - the floor of a section is at least the lowest low of its items; and the floor with the sizes of all its open items
//!   must stay within the capacity. What is left then is the section's *slack*: so much of it may be wasted;
//! - an item whose low is above floor + slack needs something below it in that section: its low is at least the lowest
//!   end that another open item there can have.

use std::collections::VecDeque;

use super::sections::{Item, Sections};

/// What undoes one change.
enum Undo {
    Low { item: u32, was: u64 },
    Section { section: u32, floor: u64, lowest: u32 },
    Place { item: u32 },
}

/// See the [module](self).
pub(super) struct Skyline<'a> {
    pub(super) items: &'a [Item],
    pub(super) capacity: u64,
    /// Of each section, where the open items start.
    pub(super) floor: Vec<u64>,
    /// Of each section, the sizes of its open items together.
    rest: Vec<u64>,
    /// Of each section, how many open items have the floor as their low.
    lowest: Vec<u32>,
    /// Of each section its items, the open ones first.
    members: Vec<Vec<u32>>,
    /// Of each section, how many of its items are open.
    open: Vec<u32>,
    /// The position of an item among the members of each of its sections, from `places[item]` on.
    position: Vec<u32>,
    places: Vec<u32>,
    has_fixed: Vec<bool>,
    /// Of each open item the lowest address it can have; of a placed one its address.
    pub(super) low: Vec<u64>,
    trail: Vec<Undo>,
    dirty: VecDeque<u32>,
    is_dirty: Vec<bool>,
}

impl<'a> Skyline<'a> {
    /// Nothing is placed. `None` where propagation alone shows that nothing can be.
    pub(super) fn new(sections: &'a Sections, capacity: u64) -> Option<Self> {
        let items = &sections.items[..];
        let count = sections.count;
        let mut members = vec![Vec::new(); count];
        let mut has_fixed = vec![false; count];
        let (mut places, mut position) = (Vec::with_capacity(items.len()), Vec::new());
        for (at, item) in items.iter().enumerate() {
            places.push(position.len() as u32);
            for section in item.span() {
                position.push(members[section].len() as u32);
                members[section].push(at as u32);
                has_fixed[section] |= item.fixed.is_some();
            }
        }
        let rest = members.iter().map(|all| all.iter().map(|&at| items[at as usize].size).sum()).collect();
        let open = members.iter().map(|all| all.len() as u32).collect();
        let low = items.iter().map(|item| item.fixed.unwrap_or(0)).collect();
        let mut skyline = Self {
            items,
            capacity,
            floor: vec![0; count],
            rest,
            lowest: vec![0; count],
            members,
            open,
            position,
            places,
            has_fixed,
            low,
            trail: Vec::new(),
            dirty: (0..count as u32).collect(),
            is_dirty: vec![true; count],
        };
        skyline.propagate().ok()?;
        skyline.trail.clear();
        Some(skyline)
    }

    /// The open items of a section.
    pub(super) fn open_in(&self, section: usize) -> &[u32] {
        &self.members[section][..self.open[section] as usize]
    }

    /// How many items have the floor of this section as their low; 0 where none is open.
    pub(super) fn lowest_in(&self, section: usize) -> u32 {
        if self.open[section] == 0 { 0 } else { self.lowest[section] }
    }

    /// How much of a section may still be wasted.
    pub(super) fn slack(&self, section: usize) -> u64 {
        self.capacity - self.floor[section] - self.rest[section]
    }

    /// Where the trail stands, for [`Skyline::undo`].
    pub(super) fn mark(&self) -> usize {
        self.trail.len()
    }

    /// Takes back everything since the mark.
    pub(super) fn undo(&mut self, mark: usize) {
        while self.trail.len() > mark {
            match self.trail.pop() {
                Some(Undo::Low { item, was }) => self.low[item as usize] = was,
                Some(Undo::Section { section, floor, lowest }) => {
                    self.floor[section as usize] = floor;
                    self.lowest[section as usize] = lowest;
                }
                Some(Undo::Place { item }) => self.reopen(item),
                None => {}
            }
        }
    }

    fn reopen(&mut self, at: u32) {
        let item = self.items[at as usize];
        for section in item.span() {
            // The last that was closed is the first behind the open ones.
            self.open[section] += 1;
            self.rest[section] += item.size;
        }
    }

    /// Places an open item at its low, which is the floor of all its sections.
    pub(super) fn place(&mut self, at: u32) {
        let item = self.items[at as usize];
        let top = self.low[at as usize] + item.size;
        for section in item.span() {
            let own = self.places[at as usize] as usize + section - item.first as usize;
            let (here, last) = (self.position[own], self.open[section] - 1);
            let other = self.members[section][last as usize];
            self.members[section].swap(here as usize, last as usize);
            self.position[own] = last;
            let others = self.places[other as usize] as usize + section - self.items[other as usize].first as usize;
            self.position[others] = here;
            if other == at {
                self.position[own] = here;
            }
            self.open[section] = last;
            self.rest[section] -= item.size;
        }
        self.trail.push(Undo::Place { item: at });
        item.span().for_each(|section| self.raise(section, top));
    }

    /// Decides that nothing lies below `floor` in this section.
    pub(super) fn raise(&mut self, section: usize, floor: u64) {
        self.note(section, floor, self.lowest[section]);
        self.soil(section);
    }

    fn note(&mut self, section: usize, floor: u64, lowest: u32) {
        if (self.floor[section], self.lowest[section]) != (floor, lowest) {
            let (was, lowest_was) = (self.floor[section], self.lowest[section]);
            self.trail.push(Undo::Section { section: section as u32, floor: was, lowest: lowest_was });
            self.floor[section] = floor;
            self.lowest[section] = lowest;
        }
    }

    fn soil(&mut self, section: usize) {
        if !self.is_dirty[section] {
            self.is_dirty[section] = true;
            self.dirty.push_back(section as u32);
        }
    }

    /// Applies the rules until nothing changes.
    ///
    /// # Errors
    /// With the section that can no longer hold what is open in it.
    pub(super) fn propagate(&mut self) -> Result<(), usize> {
        while let Some(section) = self.dirty.pop_front() {
            self.is_dirty[section as usize] = false;
            if !(self.lift(section as usize) && self.settle(section as usize)) {
                while let Some(left) = self.dirty.pop_front() {
                    self.is_dirty[left as usize] = false;
                }
                return Err(section as usize);
            }
        }
        Ok(())
    }

    /// Sets the low of an item, which is not aligned yet. Whether it can be there.
    fn set_low(&mut self, at: u32, low: u64) -> bool {
        let item = self.items[at as usize];
        let low = low.next_multiple_of(item.align);
        if low + item.size > self.capacity || item.fixed.is_some_and(|fixed| low > fixed) {
            return false;
        }
        self.trail.push(Undo::Low { item: at, was: self.low[at as usize] });
        self.low[at as usize] = low;
        item.span().for_each(|section| self.soil(section));
        true
    }

    /// Lifts the open items of a section to its floor and clear of what is fixed there.
    fn lift(&mut self, section: usize) -> bool {
        let floor = self.floor[section];
        for at in 0..self.open[section] as usize {
            let item = self.members[section][at];
            if self.low[item as usize] < floor && !self.set_low(item, floor) {
                return false;
            }
        }
        !self.has_fixed[section] || self.clear_fixed(section)
    }

    fn clear_fixed(&mut self, section: usize) -> bool {
        for with in 0..self.open[section] as usize {
            let fixed = self.members[section][with];
            let Some(from) = self.items[fixed as usize].fixed else { continue };
            let to = from + self.items[fixed as usize].size;
            for at in 0..self.open[section] as usize {
                let item = self.members[section][at];
                let low = self.low[item as usize];
                let meets = low < to && low + self.items[item as usize].size > from;
                if item != fixed && meets && !self.set_low(item, to) {
                    return false;
                }
            }
        }
        true
    }

    /// Raises the floor to the lowest low, checks the slack, and lifts what needs something below it.
    fn settle(&mut self, section: usize) -> bool {
        let (mut lowest, mut count) = (u64::MAX, 0);
        let (mut end, mut second, mut whose) = (u64::MAX, u64::MAX, u32::MAX);
        for &item in self.open_in(section) {
            let low = self.low[item as usize];
            if low < lowest {
                (lowest, count) = (low, 0);
            }
            count += u32::from(low == lowest);
            let top = low + self.items[item as usize].size;
            if top < end {
                (second, end, whose) = (end, top, item);
            } else if top < second {
                second = top;
            }
        }
        if count == 0 {
            return true;
        }
        self.note(section, lowest, count);
        if lowest + self.rest[section] > self.capacity {
            return false;
        }
        let most = self.capacity - self.rest[section];
        for at in 0..self.open[section] as usize {
            let item = self.members[section][at];
            let (low, needs) = (self.low[item as usize], if item == whose { second } else { end });
            if low > most && low < needs && (needs == u64::MAX || !self.set_low(item, needs)) {
                return false;
            }
        }
        true
    }
}
