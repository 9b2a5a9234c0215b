//! Gluing again: a local search that mends what gluing has got wrong.
//!
//! Two stacks that meet by chance are glued as well as two that belong together, and then their right partners are left
//! over, at that very section. So the search takes a block that is left over, opens a block that is glued where it starts
//! or ends (with all that this one is in), glues other stacks there, and glues all that is open as before. What does not
//! leave more different lives than before is kept. A step touches only what it opens.

use super::glue::{Block, Gluer, NONE, Stack};
use crate::model::SplitMix64;

/// What a step of the search has changed, so that it can be taken back.
pub(super) enum Change {
    /// A block takes part.
    Entered(u32),
    /// It does so no more.
    Left(u32),
    /// A block was made, the last one.
    Glued(u32),
    /// A block was taken apart.
    Opened(u32),
}

/// Blocks within blocks that are opened at once, at the most.
const DEPTH: usize = 100;

impl Gluer {
    /// Goes on until one life is left or so much work is done.
    pub(super) fn improve(&mut self, work: u64, seed: u64) {
        let mut random = SplitMix64::new(seed);
        self.stacks_first = false;
        self.is_mending = true;
        self.work.set(0);
        let mut idle = 0;
        while self.groups.len() > 1 && self.work.get() < work && idle < 1_000 {
            self.changes.clear();
            let before = self.groups.len();
            self.work.set(self.work.get() + 20);
            idle = if self.step(&mut random) { 0 } else { idle + 1 };
            let limit = before + usize::from(random.chance(0.01));
            if self.groups.len() > limit {
                self.take_back();
            }
        }
    }

    /// One change; whether there was something to change.
    fn step(&mut self, random: &mut SplitMix64) -> bool {
        let Some(&(first, end)) = self.groups.keys().nth(random.index(self.groups.len())) else { return false };
        let (section, other) = if random.chance(0.5) { (first, end) } else { (end, first) };
        if !self.dig(section, random) {
            return false;
        }
        while random.chance(0.4) {
            self.dig(if random.chance(0.5) { section } else { other }, random);
        }
        // A pinwheel first, at times: else the stacks that were opened are glued just as before.
        if !(random.chance(0.5) && self.wheel(section, other)) {
            self.chain_any(section, random);
        }
        self.settle();
        self.wheels();
        true
    }

    /// Opens a block that touches the section, and what it is in; whether there is one.
    fn dig(&mut self, section: u32, random: &mut SplitMix64) -> bool {
        let Some(block) = self.touch(section, random) else { return false };
        let mut path = vec![block];
        while let Some(&top) = path.last() {
            let parent = self.blocks[top as usize].parent;
            if parent == NONE {
                break;
            }
            path.push(parent);
        }
        if path.len() > DEPTH {
            return false;
        }
        path.iter().rev().for_each(|&block| self.open(block));
        true
    }

    /// Glues a pinwheel whose centre starts or ends at one of the sections.
    fn wheel(&mut self, section: u32, other: u32) -> bool {
        let ends = [section, other].map(|at| self.ending[at as usize].iter().copied());
        let starts: Vec<u32> = [section, other].into_iter().chain(ends.into_iter().flatten()).collect();
        starts.into_iter().any(|start| self.pinwheel(start))
    }

    /// Glues pinwheels around what was opened, and what can be chained to them.
    fn wheels(&mut self) {
        let opened = self.changes.iter().filter_map(|change| match change {
            Change::Entered(block) => Some(self.blocks[*block as usize].item.first),
            _ => None,
        });
        let mut sections: Vec<u32> = opened.collect();
        sections.sort_unstable();
        sections.dedup();
        for section in sections {
            while self.pinwheel(section) {
                self.settle();
            }
        }
    }

    /// A block that is glued, starts or ends at the section, by chance.
    fn touch(&mut self, section: u32, random: &mut SplitMix64) -> Option<u32> {
        let is_there = |own: &Block| !own.is_open && [own.seam, own.item.first, own.item.end].contains(&section);
        loop {
            let touching = &mut self.touching[section as usize];
            if touching.is_empty() {
                return None;
            }
            let at = random.index(touching.len());
            let block = touching[at];
            if self.blocks.get(block as usize).is_some_and(&is_there) {
                return Some(block);
            }
            touching.swap_remove(at);
        }
    }

    fn open(&mut self, block: u32) {
        self.remove(block);
        self.changes.push(Change::Opened(block));
        self.blocks[block as usize].is_open = true;
        for (inner, _) in self.blocks[block as usize].inside.clone() {
            self.blocks[inner as usize].parent = NONE;
            self.enter(inner);
        }
    }

    /// Glues any two stacks that match at the section, those of few blocks likelier.
    fn chain_any(&mut self, section: u32, random: &mut SplitMix64) {
        let all = |gluer: &Self, lives: Vec<(u32, u32)>| -> Vec<Stack> {
            lives.into_iter().flat_map(|(first, end)| gluer.stacks(first, end)).collect()
        };
        let mut left = all(self, self.ending[section as usize].iter().map(|&first| (first, section)).collect());
        let right = all(self, self.starting[section as usize].iter().map(|&end| (section, end)).collect());
        left.sort_by_key(|stack| stack.size);
        let mut best: Option<(f64, &Stack, &Stack)> = None;
        for right in &right {
            let from = left.partition_point(|stack| stack.size < right.size);
            for left in left[from..].iter().take_while(|stack| stack.size == right.size) {
                let count = f64::from(left.count + right.count);
                let share = (random.next() >> 11) as f64 / 9_007_199_254_740_992.0;
                let key = count.exp2() * share;
                if best.is_none_or(|(least, ..)| key < least) {
                    best = Some((key, left, right));
                }
            }
        }
        if let Some((_, left, right)) = best {
            let (left, right) = (*left, *right);
            self.join(&left, &right);
        }
    }

    fn take_back(&mut self) {
        for change in std::mem::take(&mut self.changes).into_iter().rev() {
            match change {
                Change::Entered(block) => self.remove(block),
                Change::Left(block) => self.insert(block),
                Change::Glued(block) => {
                    let inside = self.blocks.pop().map_or_else(Vec::new, |own| own.inside);
                    debug_assert_eq!(self.blocks.len(), block as usize);
                    inside.iter().for_each(|&(inner, _)| self.blocks[inner as usize].parent = NONE);
                }
                Change::Opened(block) => {
                    self.blocks[block as usize].is_open = false;
                    for (inner, _) in self.blocks[block as usize].inside.clone() {
                        self.blocks[inner as usize].parent = block;
                    }
                }
            }
        }
        self.changes.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::super::sections::{Item, Sections};
    use super::*;

    /// Squares of a board: everything matches everything, so that much is glued by chance.
    fn board(side: u32) -> Sections {
        let item =
            |at| Item { first: at % side, end: at % side + 1, size: u64::from(at % 3 + 1), align: 1, fixed: None };
        Sections { items: (0..side * side).map(item).collect(), count: side as usize }
    }

    fn outer(gluer: &Gluer) -> Vec<((u32, u32), Vec<u32>)> {
        let sorted = |blocks: &[u32]| {
            let mut blocks = blocks.to_vec();
            blocks.sort_unstable();
            blocks
        };
        gluer.groups.iter().map(|(&life, blocks)| (life, sorted(blocks))).collect()
    }

    #[test]
    fn a_step_that_is_taken_back_leaves_everything_as_it_was() {
        let mut gluer = Gluer::new(&board(10), false);
        gluer.run();
        let mut random = SplitMix64::new(7);
        let mut steps = 0;
        for _ in 0..200 {
            let (before, blocks) = (outer(&gluer), gluer.blocks.len());
            gluer.changes.clear();
            steps += u32::from(gluer.step(&mut random));
            gluer.take_back();
            assert_eq!((outer(&gluer), gluer.blocks.len()), (before, blocks));
            assert!(gluer.blocks.iter().all(|own| !own.is_open), "what was opened is whole again");
        }
        assert!(steps > 0, "there was something to change");
    }
}
