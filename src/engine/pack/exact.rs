//! The exact search over a [skyline](super::skyline): depth first, what lies lowest in some section.
//!
//! It looks for canonical packings only, in which every buffer is pushed down as far as it goes; where there is any
//! packing there is such a one (the idea of minimalloc: Moffitt, "MiniMalloc", ASPLOS 2023, doi 10.1145/3623278.3624752,
//! who places by rising address). A decision is about one section whose lowest items rest in a valley: which of them
//! lies at the floor, or that none does. In the latter case the floor rises to the lowest address at which one can then
//! come to rest, and the section's slack pays for it. Of alike items only one is tried.
//!
//! Placed items cut time into independent parts, which are solved one by one; where one fails, the decision before the
//! cut is wrong, whatever the others did. A part is known by its open items and its floors, so what was refuted is
//! remembered by a hash of 128 bits of these (that two parts share one is less likely than a fault of the machine) and
//! holds for later runs in other orders too.

use std::collections::HashSet;

use super::answer::Meter;
use super::sections::{Item, Sections};
use super::skyline::Skyline;
use crate::model::SplitMix64;

/// Refuted parts that are remembered at most; some hundred megabytes.
const REMEMBERED: usize = 4_000_000;

/// How a search came out.
pub(super) enum Outcome {
    /// An address for each item.
    Found(Vec<u64>),
    /// There are none, proven.
    Infeasible,
    /// It went too far.
    Limit,
}

/// Which section is decided on next, among those where that can be decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Focus {
    /// The lowest floor; then fewest alternatives.
    Lowest,
    /// Fewest alternatives; then the lowest floor.
    FewestLow,
    /// Fewest alternatives; then the least slack.
    FewestTight,
    /// Fewest alternatives per failure seen in the section so far (the weights of Boussemart and others, 2004).
    Failing,
}

/// What a run goes by.
struct Guide<'g> {
    focus: Focus,
    /// Of each item how early it is tried; the largest first.
    keys: &'g [f64],
}

/// One way to decide about a section.
#[derive(Clone, Copy)]
enum Alternative {
    /// This item lies at the floor.
    Place(u32),
    /// None does: the floor is here.
    Raise(u64),
}

/// A decision that may have to be taken back.
struct Choice {
    items: Vec<u32>,
    section: usize,
    alternatives: Vec<Alternative>,
    next: usize,
    mark: usize,
    hash: u128,
}

enum Frame {
    /// Independent parts that are still to be solved.
    Parts(Vec<Vec<u32>>),
    Choice(Choice),
}

enum Step {
    /// Look at what a decision came to for these items, which are ordered by their first sections.
    Enter(Vec<u32>),
    /// Decide about one part.
    Branch(Vec<u32>),
    /// The part on top is solved, or cannot be.
    Return(bool),
}

/// See the [module](self).
pub(super) struct Exact<'a> {
    sky: Skyline<'a>,
    /// A random number for each item.
    zobrist: Vec<u128>,
    refuted: HashSet<u128>,
    /// One more than the failures seen in each section.
    failures: Vec<f64>,
    /// Decisions so far.
    pub(super) nodes: u64,
}

impl<'a> Exact<'a> {
    /// Nothing is placed. `None` where not even that can go on; the sizes alive in each section are at most the capacity.
    pub(super) fn new(sections: &'a Sections, capacity: u64) -> Option<Self> {
        let sky = Skyline::new(sections, capacity)?;
        let mut random = SplitMix64::new(0);
        let zobrist = sections.items.iter().map(|_| u128::from(random.next()) << 64 | u128::from(random.next()));
        Some(Self {
            sky,
            zobrist: zobrist.collect(),
            refuted: HashSet::new(),
            failures: vec![1.0; sections.count],
            nodes: 0,
        })
    }

    /// Searches from the start, at most `limit` decisions more.
    pub(super) fn run(&mut self, focus: Focus, keys: &[f64], limit: u64, meter: &Meter) -> Outcome {
        let guide = Guide { focus, keys };
        let most = self.nodes.saturating_add(limit);
        let mut all: Vec<u32> = (0..self.sky.items.len() as u32).collect();
        all.sort_by_key(|&at| self.sky.items[at as usize].first);
        let mut frames: Vec<Frame> = Vec::new();
        let mut step = Step::Enter(all);
        loop {
            step = match step {
                Step::Enter(items) => {
                    self.nodes += 1;
                    if self.nodes > most || (self.nodes.is_multiple_of(256) && meter.is_over()) {
                        self.sky.undo(0);
                        return Outcome::Limit;
                    }
                    self.enter(items, &mut frames)
                }
                Step::Branch(items) => self.branch(items, &guide, &mut frames),
                Step::Return(is_solved) => {
                    let Some(next) = self.back(is_solved, &mut frames) else { return self.end(is_solved) };
                    next
                }
            };
        }
    }

    fn end(&mut self, is_solved: bool) -> Outcome {
        let found = self.sky.low.clone();
        self.sky.undo(0);
        if is_solved { Outcome::Found(found) } else { Outcome::Infeasible }
    }

    /// Where to go on after the part on top is solved or is not. `None` where nothing is left.
    fn back(&mut self, is_solved: bool, frames: &mut Vec<Frame>) -> Option<Step> {
        match frames.last_mut()? {
            Frame::Parts(parts) if is_solved => {
                if let Some(part) = parts.pop() {
                    return Some(Step::Branch(part));
                }
            }
            Frame::Choice(choice) if !is_solved => {
                self.sky.undo(choice.mark);
                if let Some(&alternative) = choice.alternatives.get(choice.next) {
                    choice.next += 1;
                    return Some(self.take(alternative, choice));
                }
                if self.refuted.len() < REMEMBERED {
                    self.refuted.insert(choice.hash);
                }
            }
            Frame::Parts(_) | Frame::Choice(_) => {}
        }
        frames.pop();
        Some(Step::Return(is_solved))
    }

    fn take(&mut self, alternative: Alternative, choice: &Choice) -> Step {
        match alternative {
            Alternative::Place(item) => {
                self.sky.place(item);
                Step::Enter(choice.items.iter().copied().filter(|&other| other != item).collect())
            }
            Alternative::Raise(floor) => {
                self.sky.raise(choice.section, floor);
                Step::Enter(choice.items.clone())
            }
        }
    }

    /// Carries a decision on; then one part, or several of which the smallest goes first.
    fn enter(&mut self, items: Vec<u32>, frames: &mut Vec<Frame>) -> Step {
        if let Err(section) = self.sky.propagate() {
            self.failures[section] += 1.0;
            return Step::Return(false);
        }
        let (mut parts, mut start, mut reach) = (Vec::new(), 0, 0);
        for (at, &item) in items.iter().enumerate() {
            let item = self.sky.items[item as usize];
            if item.first >= reach && at > start {
                parts.push(items[start..at].to_vec());
                start = at;
            }
            reach = reach.max(item.end);
        }
        if items.is_empty() {
            return Step::Return(true);
        }
        if parts.is_empty() {
            return Step::Branch(items);
        }
        parts.push(items[start..].to_vec());
        parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
        frames.push(Frame::Parts(parts));
        Step::Return(true)
    }

    /// Puts a decision about one part on the stack, with nothing tried yet.
    fn branch(&mut self, items: Vec<u32>, guide: &Guide, frames: &mut Vec<Frame>) -> Step {
        let sky = &self.sky;
        let end = items.iter().map(|&at| sky.items[at as usize].end).max().unwrap_or(0);
        let span = items.first().map_or(0, |&at| sky.items[at as usize].first) as usize..end as usize;
        let hash = self.hash(&items, span.clone());
        if self.refuted.contains(&hash) {
            return Step::Return(false);
        }
        let Some(section) = self.focus(span, guide.focus) else { return Step::Return(false) };
        let alternatives = self.alternatives(&items, section, guide.keys);
        let mark = self.sky.mark();
        frames.push(Frame::Choice(Choice { items, section, alternatives, next: 0, mark, hash }));
        Step::Return(false)
    }

    fn hash(&self, items: &[u32], mut span: std::ops::Range<usize>) -> u128 {
        let open = items.iter().fold(0, |hash, &at| hash ^ self.zobrist[at as usize]);
        let live = span.by_ref().filter(|&section| !self.sky.open_in(section).is_empty());
        live.fold(open, |hash, at| hash ^ mix(u128::from(self.sky.floor[at]) ^ ((at as u128 + 1) << 64)))
    }

    /// The section to decide on: one whose lowest items have all of their floors at the same height. The section of the
    /// lowest floor is always such a one.
    fn focus(&self, span: std::ops::Range<usize>, focus: Focus) -> Option<usize> {
        let sky = &self.sky;
        let mut best: Option<(f64, usize)> = None;
        for section in span.filter(|&section| sky.lowest_in(section) > 0) {
            let (floor, slack) = (sky.floor[section], sky.slack(section));
            let count = f64::from(sky.lowest_in(section) + u32::from(slack > 0));
            let score = match focus {
                Focus::Lowest => floor as f64 + count / 1000.0,
                Focus::FewestLow => count + floor as f64 / sky.capacity as f64,
                Focus::FewestTight => count + slack as f64 / sky.capacity as f64,
                Focus::Failing => count / self.failures[section],
            };
            if best.is_none_or(|(least, _)| score < least) && self.is_valley(section) {
                best = Some((score, section));
            }
        }
        best.map(|(_, section)| section)
    }

    fn is_valley(&self, section: usize) -> bool {
        let (sky, floor) = (&self.sky, self.sky.floor[section]);
        let mut lowest = sky.open_in(section).iter().filter(|&&at| sky.low[at as usize] == floor);
        lowest.all(|&at| sky.items[at as usize].span().all(|other| sky.floor[other] == floor))
    }

    fn alternatives(&self, items: &[u32], section: usize, keys: &[f64]) -> Vec<Alternative> {
        let (sky, floor) = (&self.sky, self.sky.floor[section]);
        let mut lowest: Vec<u32> = sky.open_in(section).to_vec();
        lowest.retain(|&at| sky.low[at as usize] == floor);
        lowest.sort_by(|&a, &b| keys[b as usize].total_cmp(&keys[a as usize]).then(a.cmp(&b)));
        let mut seen: Vec<Item> = Vec::new();
        lowest.retain(|&at| {
            let item = sky.items[at as usize];
            let is_new = !seen.contains(&item);
            seen.push(item);
            is_new
        });
        let mut found: Vec<Alternative> = lowest.into_iter().map(Alternative::Place).collect();
        let slack = sky.slack(section);
        if slack > 0 {
            let raised = self.next_floor(items, section);
            found.extend((raised - floor <= slack).then_some(Alternative::Raise(raised)));
        }
        found
    }

    /// The lowest address at which something in the section can lie if not at its floor: the lowest low above that, or,
    /// of an item that could lie at the floor, on top of an open item that is not in the section itself.
    fn next_floor(&self, items: &[u32], section: usize) -> u64 {
        let sky = &self.sky;
        let lowest = sky.open_in(section).iter().map(|&at| {
            let (item, low) = (sky.items[at as usize], sky.low[at as usize]);
            if low > sky.floor[section] {
                return low;
            }
            let below = items.iter().filter(|&&other| {
                let other = sky.items[other as usize];
                other.first < item.end && item.first < other.end && !other.span().contains(&section)
            });
            let tops = below.map(|&other| sky.low[other as usize] + sky.items[other as usize].size);
            tops.min().map_or(u64::MAX, |top| top.next_multiple_of(item.align))
        });
        lowest.min().unwrap_or(u64::MAX)
    }
}

/// A hash of a floor; as of most, two multiplications and shifts between.
fn mix(x: u128) -> u128 {
    let x = (x ^ (x >> 67)).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    let x = (x ^ (x >> 59)).wrapping_mul(0xbf58_476d_1ce4_e5b9_94d0_49bb_1331_11eb);
    x ^ (x >> 71)
}
