//! A packing problem as the exact search sees it: items over sections of time.

use crate::model::{Lifetime, Packing};

/// A buffer over sections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Item {
    /// The sections in which it is alive, half-open.
    pub(super) first: u32,
    pub(super) end: u32,
    pub(super) size: u64,
    pub(super) align: u64,
    pub(super) fixed: Option<u64>,
}

impl Item {
    /// The indices of its sections.
    pub(super) fn span(&self) -> std::ops::Range<usize> {
        self.first as usize..self.end as usize
    }
}

/// Items without gaps over the sections that matter. A section is a stretch of time in which the same buffers are
/// alive; one whose buffers are all alive in a neighbour too says nothing that the neighbour does not say, so only the
/// others are kept. They are the maximal cliques of the interval graph, at most as many as buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Sections {
    /// In the order of the packing's buffers.
    pub(super) items: Vec<Item>,
    pub(super) count: usize,
}

impl Sections {
    /// Of all the buffers, as if they had no gaps.
    pub(super) fn new(packing: &Packing) -> Self {
        let buffers = packing.buffers.iter();
        let item = |b: &Lifetime| Item { first: 0, end: 0, size: b.size, align: b.alignment, fixed: b.fixed };
        let mut sections = Self { items: buffers.clone().map(item).collect(), count: 0 };
        sections.number(buffers.map(|buffer| (buffer.lower, buffer.upper)).collect());
        sections
    }

    /// Works out the sections of the items from their lives.
    fn number(&mut self, lives: Vec<(u64, u64)>) {
        let mut changes: Vec<(u64, bool, usize)> = Vec::with_capacity(2 * lives.len());
        for (at, (lower, upper)) in lives.into_iter().enumerate() {
            changes.push((lower, true, at));
            changes.push((upper, false, at));
        }
        changes.sort_unstable();
        // A live set is maximal where a start is followed by an end: a section ends with the first end after a start.
        let (mut section, mut grew) = (0, false);
        for (_, starts, at) in changes {
            if starts {
                self.items[at].first = section;
                grew = true;
            } else {
                section += u32::from(grew);
                grew = false;
                self.items[at].end = section;
            }
        }
        self.count = section as usize;
    }

    /// The same items over the sections that matter to them.
    pub(super) fn reduced(&self) -> Self {
        let lives = self.items.iter().map(|item| (u64::from(item.first), u64::from(item.end)));
        let mut reduced = Self { items: self.items.clone(), count: 0 };
        reduced.number(lives.collect());
        reduced
    }
}
