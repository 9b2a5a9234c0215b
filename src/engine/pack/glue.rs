//! Gluing: buffers that fill a rectangle of time and address together become one.
//!
//! Where memory is full all the time, what starts at some time takes exactly the place of what ends then. So a stack of
//! items that end where another stack of the same height starts, each of items with one and the same life, is glued to
//! one longer item; then this goes on with the longer ones. It undoes cuts from edge to edge. Five items around a
//! centre, each beside the next (a pinwheel), are glued as well. Nothing is lost inside of what is glued, but it cannot
//! be taken apart any more, so this is a heuristic: for problems without gaps, alignments and fixed addresses.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::sections::{Item, Sections};

/// Stacks of so many items of one life are tried in every combination, larger ones only whole, or of one or two.
const COMBINED: usize = 6;

/// Items glued together, or an item of the problem.
struct Block {
    item: Item,
    /// The blocks inside, with their addresses from this one's.
    inside: Vec<(u32, u64)>,
}

/// Blocks of one life that make a stack.
#[derive(Clone)]
struct Stack {
    first: u32,
    end: u32,
    blocks: Vec<u32>,
    size: u64,
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
    /// Glues what can be glued.
    pub(super) fn new(sections: &Sections, stacks_first: bool) -> Self {
        let mut gluer = Gluer::new(sections, stacks_first);
        gluer.run();
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

struct Gluer {
    /// Whether blocks of one life are stacked at once, for good.
    stacks_first: bool,
    blocks: Vec<Block>,
    /// Blocks by their lives.
    groups: BTreeMap<(u32, u32), Vec<u32>>,
    /// Where groups that end at a section start, and where groups that start there end.
    ending: Vec<BTreeSet<u32>>,
    starting: Vec<BTreeSet<u32>>,
    /// For each doubt the sections to look at.
    dirty: [BTreeSet<u32>; DOUBTS.len()],
}

impl Gluer {
    fn new(sections: &Sections, stacks_first: bool) -> Self {
        let count = sections.count + 1;
        let mut gluer = Self {
            stacks_first,
            blocks: Vec::new(),
            groups: BTreeMap::new(),
            ending: vec![BTreeSet::new(); count],
            starting: vec![BTreeSet::new(); count],
            dirty: Default::default(),
        };
        gluer.blocks = sections.items.iter().map(|&item| Block { item, inside: Vec::new() }).collect();
        (0..sections.items.len() as u32).for_each(|at| gluer.enter(at));
        gluer
    }

    fn add(&mut self, block: Block) {
        self.blocks.push(block);
        self.enter(self.blocks.len() as u32 - 1);
    }

    /// Lets a block take part.
    fn enter(&mut self, mut at: u32) {
        let item = self.blocks[at as usize].item;
        let (first, end) = (item.first, item.end);
        let group = self.groups.entry((first, end)).or_default();
        if let Some(below) = group.pop_if(|_| self.stacks_first) {
            let low = self.blocks[below as usize].item.size;
            let item = Item { size: item.size + low, ..item };
            self.blocks.push(Block { item, inside: vec![(below, 0), (at, low)] });
            at = self.blocks.len() as u32 - 1;
        }
        group.push(at);
        self.ending[end as usize].insert(first);
        self.starting[first as usize].insert(end);
        self.dirty.iter_mut().for_each(|dirty| dirty.extend([first, end]));
    }

    fn remove(&mut self, stack: &Stack) {
        let Some(group) = self.groups.get_mut(&(stack.first, stack.end)) else { return };
        group.retain(|block| !stack.blocks.contains(block));
        if group.is_empty() {
            self.groups.remove(&(stack.first, stack.end));
            self.ending[stack.end as usize].remove(&stack.first);
            self.starting[stack.first as usize].remove(&stack.end);
        }
    }

    fn run(&mut self) {
        let mut next = 0;
        loop {
            while let Some((doubt, section)) = self.next_dirty() {
                while self.chain(section, doubt) {}
            }
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
    fn stacks(&self, first: u32, end: u32) -> Vec<Stack> {
        let Some(group) = self.groups.get(&(first, end)) else { return Vec::new() };
        let size = |blocks: &[u32]| blocks.iter().map(|&block| self.blocks[block as usize].item.size).sum();
        let stack = |blocks: Vec<u32>| Stack { first, end, size: size(&blocks), blocks };
        if group.len() > COMBINED {
            let single = group.iter().map(|&block| stack(vec![block]));
            let double = (1..group.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
            let double = double.map(|(a, b)| stack(vec![group[a], group[b]])).take(500);
            return single.chain(double).chain([stack(group.clone())]).collect();
        }
        let chosen = (1u32..1 << group.len()).map(|mask| {
            let blocks = group.iter().enumerate().filter(|(at, _)| mask >> at & 1 == 1);
            stack(blocks.map(|(_, &block)| block).collect())
        });
        chosen.collect()
    }

    /// Glues one stack that ends at the section to one of the same size that starts there: the surest pair of those
    /// that are at least as sure as asked for, with fewest blocks of equally sure ones.
    fn chain(&mut self, section: u32, doubt: Doubt) -> bool {
        let (ending, starting) = (&self.ending[section as usize], &self.starting[section as usize]);
        if ending.is_empty() || starting.is_empty() || (doubt == Doubt::None && ending.len() + starting.len() > 2) {
            return false;
        }
        let is_asked = |stack: &Stack| match doubt {
            Doubt::None => stack.blocks.len() == self.groups.get(&(stack.first, stack.end)).map_or(0, Vec::len),
            Doubt::Unique(most) => stack.blocks.len() < most,
            Doubt::Any => true,
        };
        let mut by_size: HashMap<u64, (Stack, u32)> = HashMap::new();
        for stack in ending.iter().flat_map(|&first| self.stacks(first, section)).filter(is_asked) {
            let known = by_size.entry(stack.size).or_insert_with(|| (stack.clone(), 0));
            known.1 += 1;
            if stack.blocks.len() < known.0.blocks.len() {
                known.0 = stack;
            }
        }
        let right: Vec<Stack> = starting.iter().flat_map(|&end| self.stacks(section, end)).filter(is_asked).collect();
        let mut count: HashMap<u64, u32> = HashMap::new();
        right.iter().for_each(|stack| *count.entry(stack.size).or_default() += 1);
        let pairs = right.iter().filter_map(|right| {
            let (left, lefts) = by_size.get(&right.size)?;
            let is_unique = *lefts == 1 && count[&right.size] == 1;
            let blocks = left.blocks.len() + right.blocks.len();
            let is_sure = is_unique && !matches!(doubt, Doubt::Unique(most) if blocks > most);
            (doubt == Doubt::Any || is_sure).then_some((blocks, left, right))
        });
        let Some((_, left, right)) = pairs.min_by_key(|(count, left, right)| (*count, right.end - left.first)) else {
            return false;
        };
        let (left, right) = (left.clone(), right.clone());
        self.glue(left.first, right.end, left.size, &[(&left, 0), (&right, 0)]);
        true
    }

    /// Makes one block of these stacks, each at an address from the block's.
    fn glue(&mut self, first: u32, end: u32, size: u64, stacks: &[(&Stack, u64)]) {
        let mut inside = Vec::new();
        for &(stack, from) in stacks {
            self.remove(stack);
            let mut offset = from;
            for &block in &stack.blocks {
                inside.push((block, offset));
                offset += self.blocks[block as usize].item.size;
            }
        }
        self.add(Block { item: Item { first, end, size, align: 1, fixed: None }, inside });
    }

    /// Glues one pinwheel whose centre starts at the section.
    fn pinwheel(&mut self, section: u32) -> bool {
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
            for &right in rights.iter().filter(|&&right| self.groups.contains_key(&(y, right))) {
                if let Some((low, high, beside, other)) = self.arms(centre, left, right) {
                    let size = low.size + centre.size + high.size;
                    let parts = [(&low, 0), (centre, low.size), (&high, low.size + centre.size)];
                    let sides = [(&beside, low.size), (&other, 0)];
                    self.glue(left, right, size, &[&parts[..], &sides[..]].concat());
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
                    return Some((low, high, beside.clone(), other.clone()));
                }
            }
        }
        None
    }
}
