//! Gluing: buffers that fill a rectangle of time and address together become one.
//!
//! Where memory is full all the time, what starts at some time takes exactly the place of what ends then. So a stack of
//! items that end where another stack of the same height starts, each of items with one and the same life, is glued to
//! one longer item; then this goes on with the longer ones. It undoes cuts from edge to edge. Five items around a
//! centre, each beside the next (a pinwheel), are glued as well. Nothing is lost inside of what is glued, but it cannot
//! be taken apart any more, so this is a heuristic: for problems without gaps, alignments and fixed addresses.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};

use super::reglue::Change;
use super::sections::{Item, Sections};

/// Stacks of so many items of one life are tried in every combination, larger ones only whole, or of one or two.
const COMBINED: usize = 6;

/// No block.
pub(super) const NONE: u32 = u32::MAX;

/// Items glued together, or an item of the problem.
pub(super) struct Block {
    pub(super) item: Item,
    /// The blocks inside, with their addresses from this one's.
    pub(super) inside: Vec<(u32, u64)>,
    /// The block that this one is in, if any.
    pub(super) parent: u32,
    /// The section at which it is glued, if it is glued in one place.
    pub(super) seam: u32,
    /// Whether it was taken apart.
    pub(super) is_open: bool,
}

impl Block {
    fn new(item: Item, inside: Vec<(u32, u64)>, seam: u32) -> Self {
        Self { item, inside, parent: NONE, seam, is_open: false }
    }
}

/// Blocks of one life that make a stack.
#[derive(Clone, Copy)]
pub(super) struct Stack {
    pub(super) first: u32,
    pub(super) end: u32,
    pub(super) size: u64,
    /// How many blocks.
    pub(super) count: u32,
    pick: Pick,
}

/// Which blocks of a group a stack is made of, by their places in it.
#[derive(Clone, Copy)]
enum Pick {
    All,
    /// A bit for each.
    Mask(u32),
    /// Two, or one twice.
    Two(u32, u32),
}

/// A problem of fewer items, and how to get back.
pub(super) struct Glued {
    blocks: Vec<Block>,
    /// The blocks that are in no other.
    pub(super) outer: Vec<u32>,
    /// These as a problem.
    pub(super) sections: Sections,
    leaves: usize,
}

impl Glued {
    /// Glues what can be glued, then spends so much work on mending it.
    pub(super) fn new(sections: &Sections, stacks_first: bool, work: u64, seed: u64) -> Self {
        let mut gluer = Gluer::new(sections, stacks_first);
        gluer.run();
        // Where little could be glued, lives do not come from cuts, and there is nothing to mend.
        if 4 * gluer.groups.len() <= sections.items.len() {
            gluer.improve(work, seed);
        }
        let outer: Vec<u32> = gluer.groups.values().flatten().copied().collect();
        let items = outer.iter().map(|&block| gluer.blocks[block as usize].item).collect();
        let sections_left = Sections { items, count: sections.count };
        Self { blocks: gluer.blocks, outer, sections: sections_left, leaves: sections.items.len() }
    }

    /// The addresses of the items from those of the outer blocks.
    pub(super) fn unfold(&self, offsets: &[u64]) -> Vec<u64> {
        let mut found = vec![0; self.leaves];
        let mut open: Vec<(u32, u64)> = self.outer.iter().copied().zip(offsets.iter().copied()).collect();
        while let Some((at, offset)) = open.pop() {
            if (at as usize) < self.leaves {
                found[at as usize] = offset;
            }
            open.extend(self.blocks[at as usize].inside.iter().map(|&(block, above)| (block, offset + above)));
        }
        found
    }
}

/// How far one may be wrong in gluing two stacks of the same size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Doubt {
    /// Nothing else ends or starts there.
    None,
    /// They are the only stacks of that size there, and have at most so many blocks together.
    Unique(usize),
    /// There are others.
    Any,
}

/// What is glued first: two of the same size meet by chance the likelier the more stacks there are.
const DOUBTS: [Doubt; 7] = [
    Doubt::None,
    Doubt::Unique(2),
    Doubt::Unique(3),
    Doubt::Unique(4),
    Doubt::Unique(6),
    Doubt::Unique(usize::MAX),
    Doubt::Any,
];

pub(super) struct Gluer {
    /// Whether blocks of one life are stacked at once, for good.
    pub(super) stacks_first: bool,
    pub(super) blocks: Vec<Block>,
    /// Blocks by their lives.
    pub(super) groups: BTreeMap<(u32, u32), Vec<u32>>,
    /// Where groups that end at a section start, and where groups that start there end.
    pub(super) ending: Vec<BTreeSet<u32>>,
    pub(super) starting: Vec<BTreeSet<u32>>,
    /// For each doubt the sections to look at.
    dirty: [BTreeSet<u32>; DOUBTS.len()],
    /// Of each section, blocks that are glued, start or end there; perhaps some that are no more.
    pub(super) touching: Vec<Vec<u32>>,
    /// What was changed since a step of the local search began.
    pub(super) changes: Vec<Change>,
    /// Stacks looked at: a measure of time.
    pub(super) work: Cell<u64>,
    /// Whether the local search is at work, which looks less far in each of its many steps.
    pub(super) is_mending: bool,
}

impl Gluer {
    pub(super) fn new(sections: &Sections, stacks_first: bool) -> Self {
        let count = sections.count + 1;
        let mut gluer = Self {
            stacks_first,
            blocks: Vec::new(),
            groups: BTreeMap::new(),
            ending: vec![BTreeSet::new(); count],
            starting: vec![BTreeSet::new(); count],
            dirty: Default::default(),
            touching: vec![Vec::new(); count],
            changes: Vec::new(),
            work: Cell::new(0),
            is_mending: false,
        };
        gluer.blocks = sections.items.iter().map(|&item| Block::new(item, Vec::new(), NONE)).collect();
        (0..sections.items.len() as u32).for_each(|at| gluer.enter(at));
        gluer
    }

    /// Makes a block of others that take part no more.
    fn add(&mut self, block: Block) -> u32 {
        let at = self.blocks.len() as u32;
        for section in [block.seam, block.item.first, block.item.end] {
            if let Some(touching) = self.touching.get_mut(section as usize) {
                touching.push(at);
            }
        }
        block.inside.iter().for_each(|&(inner, _)| self.blocks[inner as usize].parent = at);
        self.blocks.push(block);
        self.changes.push(Change::Glued(at));
        at
    }

    /// Lets a block take part.
    pub(super) fn enter(&mut self, mut at: u32) {
        let item = self.blocks[at as usize].item;
        let (first, end) = (item.first, item.end);
        if let Some(below) = self.below(first, end) {
            let low = self.blocks[below as usize].item.size;
            let item = Item { size: item.size + low, ..item };
            at = self.add(Block::new(item, vec![(below, 0), (at, low)], NONE));
        }
        self.insert(at);
        let doubts = if self.is_mending { &[1, 4, 6][..] } else { &[0, 1, 2, 3, 4, 5, 6] };
        doubts.iter().for_each(|&doubt: &usize| self.dirty[doubt].extend([first, end]));
    }

    /// Takes out the block that one of the same life is stacked on at once.
    fn below(&mut self, first: u32, end: u32) -> Option<u32> {
        let below = self.groups.get(&(first, end)).filter(|_| self.stacks_first)?.last().copied()?;
        self.remove(below);
        Some(below)
    }

    pub(super) fn insert(&mut self, at: u32) {
        let Item { first, end, .. } = self.blocks[at as usize].item;
        self.changes.push(Change::Entered(at));
        self.groups.entry((first, end)).or_default().push(at);
        self.ending[end as usize].insert(first);
        self.starting[first as usize].insert(end);
    }

    pub(super) fn remove(&mut self, at: u32) {
        let Item { first, end, .. } = self.blocks[at as usize].item;
        let Some(group) = self.groups.get_mut(&(first, end)) else { return };
        group.retain(|&block| block != at);
        self.changes.push(Change::Left(at));
        if group.is_empty() {
            self.groups.remove(&(first, end));
            self.ending[end as usize].remove(&first);
            self.starting[first as usize].remove(&end);
        }
    }

    /// Chains whatever can be chained.
    pub(super) fn settle(&mut self) {
        while let Some((doubt, section)) = self.next_dirty() {
            while self.chain(section, doubt) {}
        }
    }

    pub(super) fn run(&mut self) {
        let mut next = 0;
        loop {
            self.settle();
            // Pinwheels only where nothing is left to chain: they take longer to find.
            let count = self.ending.len() as u32;
            let Some(found) = (0..count).map(|off| (next + off) % count).find(|&section| self.pinwheel(section)) else {
                return;
            };
            next = found;
        }
    }

    /// The next section to look at, and how far: what is sure goes first everywhere.
    fn next_dirty(&mut self) -> Option<(Doubt, u32)> {
        DOUBTS.into_iter().zip(&mut self.dirty).find_map(|(doubt, dirty)| Some((doubt, dirty.pop_first()?)))
    }

    /// The stacks that can be made of a group: its combinations, or only the whole and the single ones.
    pub(super) fn stacks(&self, first: u32, end: u32) -> Vec<Stack> {
        let Some(group) = self.groups.get(&(first, end)) else { return Vec::new() };
        let looks = if group.len() > COMBINED { group.len() * group.len() / 2 } else { 1 << group.len() };
        self.work.set(self.work.get() + looks.min(if self.is_mending { 40 + group.len() } else { 500 }) as u64);
        let size = |at: usize| self.blocks[group[at] as usize].item.size;
        let stack = |size: u64, count: usize, pick: Pick| Stack { first, end, size, count: count as u32, pick };
        if group.len() > COMBINED {
            let single = (0..group.len()).map(|at| stack(size(at), 1, Pick::Two(at as u32, at as u32)));
            let double = (1..group.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
            let double = double
                .map(|(a, b)| stack(size(a) + size(b), 2, Pick::Two(a as u32, b as u32)))
                .take(if self.is_mending { 40 } else { 500 });
            let all = stack((0..group.len()).map(size).sum(), group.len(), Pick::All);
            return single.chain(double).chain([all]).collect();
        }
        let mut sums = [0; 1 << COMBINED];
        let mut found = Vec::with_capacity(1 << group.len());
        for mask in 1usize..1 << group.len() {
            sums[mask] = sums[mask & (mask - 1)] + size(mask.trailing_zeros() as usize);
            found.push(stack(sums[mask], mask.count_ones() as usize, Pick::Mask(mask as u32)));
        }
        found
    }

    /// The blocks of a stack.
    fn picked(&self, stack: &Stack) -> Vec<u32> {
        let Some(group) = self.groups.get(&(stack.first, stack.end)) else { return Vec::new() };
        match stack.pick {
            Pick::All => group.clone(),
            Pick::Mask(mask) => (0..group.len()).filter(|at| mask >> at & 1 == 1).map(|at| group[at]).collect(),
            Pick::Two(a, b) if a == b => vec![group[a as usize]],
            Pick::Two(a, b) => vec![group[a as usize], group[b as usize]],
        }
    }

    /// Glues one stack that ends at the section to one of the same size that starts there: the surest pair of those
    /// that are at least as sure as asked for, with fewest blocks of equally sure ones.
    fn chain(&mut self, section: u32, doubt: Doubt) -> bool {
        let (ending, starting) = (&self.ending[section as usize], &self.starting[section as usize]);
        if ending.is_empty() || starting.is_empty() || (doubt == Doubt::None && ending.len() + starting.len() > 2) {
            return false;
        }
        let is_asked = |stack: &Stack| match doubt {
            Doubt::None => stack.count as usize == self.groups.get(&(stack.first, stack.end)).map_or(0, Vec::len),
            Doubt::Unique(most) => (stack.count as usize) < most,
            Doubt::Any => true,
        };
        let sorted = |lives: &mut dyn Iterator<Item = (u32, u32)>| -> Vec<Stack> {
            let mut all: Vec<Stack> = lives.flat_map(|(first, end)| self.stacks(first, end)).filter(is_asked).collect();
            all.sort_by_key(|stack| (stack.size, stack.count));
            all
        };
        let left = sorted(&mut ending.iter().map(|&first| (first, section)));
        let right = sorted(&mut starting.iter().map(|&end| (section, end)));
        let (mut left, mut right) = (&left[..], &right[..]);
        let mut best: Option<(u32, u32, Stack, Stack)> = None;
        while let (Some(a), Some(b)) = (left.first().copied(), right.first().copied()) {
            let size = a.size.max(b.size);
            if a.size != b.size {
                left = &left[left.partition_point(|stack| stack.size < size)..];
                right = &right[right.partition_point(|stack| stack.size < size)..];
                continue;
            }
            let lefts = left.iter().take_while(|stack| stack.size == size).count();
            let rights = right.iter().take_while(|stack| stack.size == size).count();
            let count = a.count + b.count;
            let is_sure = lefts == 1 && rights == 1 && !matches!(doubt, Doubt::Unique(most) if count as usize > most);
            if (doubt == Doubt::Any || is_sure)
                && best.is_none_or(|(least, life, ..)| (count, b.end - a.first) < (least, life))
            {
                best = Some((count, b.end - a.first, a, b));
            }
            (left, right) = (&left[lefts..], &right[rights..]);
        }
        let Some((.., left, right)) = best else { return false };
        self.join(&left, &right);
        true
    }

    /// Glues two stacks of the same size, of which one ends where the other starts.
    pub(super) fn join(&mut self, left: &Stack, right: &Stack) {
        self.glue((left.first, right.end), left.size, right.first, &[(left, 0), (right, 0)]);
    }

    /// Makes one block of these stacks, each at an address from the block's.
    fn glue(&mut self, (first, end): (u32, u32), size: u64, seam: u32, stacks: &[(&Stack, u64)]) {
        let mut inside = Vec::new();
        for &(stack, from) in stacks {
            let mut offset = from;
            for block in self.picked(stack) {
                self.remove(block);
                inside.push((block, offset));
                offset += self.blocks[block as usize].item.size;
            }
        }
        let at = self.add(Block::new(Item { first, end, size, align: 1, fixed: None }, inside, seam));
        self.enter(at);
    }

    /// Glues one pinwheel whose centre starts at the section.
    pub(super) fn pinwheel(&mut self, section: u32) -> bool {
        let centres: Vec<u32> = self.starting[section as usize].iter().copied().collect();
        for &end in &centres {
            for centre in self.stacks(section, end) {
                if self.around(&centre) {
                    return true;
                }
            }
        }
        false
    }

    /// With the centre over `[x, y)`: one arm `[left, y)` and one `[x, right)` on two sides of it, and `[left, x)` beside
    /// the first as high as the second with the centre, `[y, right)` the other way round.
    fn around(&mut self, centre: &Stack) -> bool {
        let (x, y) = (centre.first, centre.end);
        let lefts: Vec<u32> = self.ending[y as usize].range(..x).copied().collect();
        let rights: Vec<u32> = self.starting[x as usize].range(y + 1..).copied().collect();
        for &left in &lefts {
            if !self.groups.contains_key(&(left, x)) {
                continue;
            }
            self.work.set(self.work.get() + rights.len() as u64 / 4);
            for &right in rights.iter().filter(|&&right| self.groups.contains_key(&(y, right))) {
                if let Some((low, high, beside, other)) = self.arms(centre, left, right) {
                    let size = low.size + centre.size + high.size;
                    let parts = [(&low, 0), (centre, low.size), (&high, low.size + centre.size)];
                    let sides = [(&beside, low.size), (&other, 0)];
                    self.glue((left, right), size, x, &[&parts[..], &sides[..]].concat());
                    return true;
                }
            }
        }
        false
    }

    fn arms(&self, centre: &Stack, left: u32, right: u32) -> Option<(Stack, Stack, Stack, Stack)> {
        let (x, y) = (centre.first, centre.end);
        let (besides, others) = (self.stacks(left, x), self.stacks(y, right));
        for low in self.stacks(left, y) {
            let Some(other) = others.iter().find(|other| other.size == low.size + centre.size) else { continue };
            for high in self.stacks(x, right) {
                if let Some(beside) = besides.iter().find(|beside| beside.size == centre.size + high.size) {
                    return Some((low, high, *beside, *other));
                }
            }
        }
        None
    }
}
