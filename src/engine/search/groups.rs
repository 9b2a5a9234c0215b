//! Starting orders for graphs with accumulators: buffers that many operations touch and that cannot leave their level.
//!
//! All that touches one such buffer is a *group*. A level holds a few of them; so a few groups are open at once, and of
//! the open ones that goes on which touches what the one before has just touched: a tile that is brought in serves all of
//! them. Which group opens next is the nearest neighbour's choice: the one that shares most with what is still around,
//! ties drawn by lot. Several draws are made, and the order of groups is annealed.

use super::dice::Dice;
use super::items::NONE;
use super::macros::Macros;
use super::moves::Web;
use super::opening::Opening;
use super::rows::Rows;
use crate::model::{BufIx, Problem};

/// The most groups that are looked at as open together.
const MOST_AT_ONCE: usize = 8;

/// The most first groups of a bundle that are tried.
const FIRSTS: u64 = 48;

/// How many buffers of groups are looked at for one draw of an order.
const WORK: u64 = 50_000_000;

/// The groups of a problem's macros; a macro that belongs to none is a group by itself.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    /// By macro.
    pub(super) of: Vec<u32>,
    /// By group: its macros, ascending.
    pub(super) members: Rows,
    /// By group: the buffers in levels that spill that its macros touch.
    pub(super) touches: Rows,
    /// By buffer: the groups that touch it.
    pub(super) users: Rows,
    /// By group: no precedences are kept between groups; the opening looks after them.
    pub(super) unbound: Rows,
    /// By group: what it holds of each level that may not spill, as (level, units), while it is open.
    pub(super) holds: Vec<Vec<(u16, u64)>>,
    pub(super) capacities: Vec<u64>,
    /// Units that the levels that spill hold together: how far back a buffer counts as still around.
    around: u64,
    pub(super) sizes: Vec<u64>,
}

impl Groups {
    /// The groups, where there are any worth the name: at least two with several macros.
    pub(super) fn new(problem: &Problem, macros: &Macros) -> Option<Self> {
        let graph = &*problem.graph;
        let fixed = |buf: u32| !problem.level(problem.level_of(BufIx(buf))).spill;
        let mut union = Union::new(macros.len());
        for buf in (0..graph.buffers().len() as u32).filter(|&buf| fixed(buf)) {
            macros.users.of(buf).windows(2).for_each(|pair| union.join(pair[0], pair[1]));
        }
        let (of, count) = union.numbered();
        let pairs: Vec<(u32, u32)> = (0u32..).zip(&of).map(|(own, &group)| (group, own)).collect();
        let members = Rows::from_pairs(count, &pairs);
        if (0..count as u32).filter(|&group| members.of(group).len() > 1).count() < 2 {
            return None;
        }
        let mut touched = Vec::new();
        let mut holds = vec![Vec::new(); count];
        for buf in 0..graph.buffers().len() as u32 {
            let users = macros.users.of(buf);
            if !fixed(buf) {
                touched.extend(users.iter().map(|&own| (of[own as usize], buf)));
            } else if let Some(&own) = users.first() {
                hold(
                    &mut holds[of[own as usize] as usize],
                    problem.level_of(BufIx(buf)).0,
                    graph.buffer(BufIx(buf)).size,
                );
            }
        }
        let turned = touched.iter().map(|&(group, buf)| (buf, group)).collect();
        Some(Self {
            of,
            members,
            touches: Rows::from_set(count, touched),
            users: Rows::from_set(graph.buffers().len(), turned),
            unbound: Rows::from_pairs(count, &[]),
            holds,
            capacities: problem.machine.levels.iter().map(|level| level.capacity).collect(),
            around: problem
                .machine
                .levels
                .iter()
                .filter(|level| level.spill)
                .map(|level| level.capacity)
                .max()
                .unwrap_or(0),
            sizes: graph.buffers().iter().map(|buffer| buffer.size).collect(),
        })
    }

    pub(super) fn len(&self) -> usize {
        self.members.len()
    }

    /// For annealing an order of groups.
    pub(super) fn web(&self) -> Web<'_> {
        Web {
            preds: &self.unbound,
            succs: &self.unbound,
            touches: &self.touches,
            users: &self.users,
            bundle: self.at_once(),
        }
    }

    /// Groups in the order of their first macros.
    pub(super) fn in_order(&self, sequence: &[u32]) -> Vec<u32> {
        let mut seen = vec![false; self.len()];
        let first = |group: &u32| !std::mem::replace(&mut seen[*group as usize], true);
        sequence.iter().map(|&own| self.of[own as usize]).filter(first).collect()
    }

    /// How many groups are open at once, as a rule: as many of the commonest kind as the levels hold.
    pub(super) fn at_once(&self) -> usize {
        let mut fits: Vec<u64> = (0..self.len())
            .filter_map(|group| {
                let holds = self.holds[group].iter();
                holds.map(|&(level, units)| self.capacities[level as usize] / units.max(1)).min()
            })
            .collect();
        fits.sort_unstable();
        usize::try_from(fits.get(fits.len() / 2).copied().unwrap_or(1)).unwrap_or(1).clamp(1, MOST_AT_ONCE)
    }

    /// An order of groups by nearest neighbours, beginning with a random one. Those that are open at once are chosen
    /// together, for what they share with one another and with what is around counts alike. Among equals those go first
    /// (`for_later`) that bring in what many others still need, and can go on with it.
    pub(super) fn nearest(&self, for_later: bool, dice: &mut Dice) -> Vec<u32> {
        let at_once = self.at_once();
        let mut order = Vec::with_capacity(self.len());
        let mut left: Vec<u32> = (0..self.len() as u32).collect();
        let mut recent = Recent::new(self);
        if for_later {
            let needed = (0..self.users.len() as u32).map(|buf| self.users.of(buf).len() as u64);
            recent.needed.iter_mut().zip(needed).for_each(|(needed, by)| *needed = by);
        }
        let mut shared = vec![0u64; self.len()];
        let mut bundle = Vec::new();
        while !left.is_empty() {
            let mut best: (Price, Vec<u32>) = (Price::MOST, Vec::new());
            for first in self.firsts(&left, &shared, dice) {
                let new = self.fill_bundle(first, &left, at_once, &mut recent, &mut bundle, dice);
                if new < best.0 {
                    best = (new, bundle.clone());
                }
            }
            recent.begin();
            best.1.iter().for_each(|&group| recent.touch(self, group, &mut shared));
            recent.forget(self, &mut shared);
            left.retain(|group| !best.1.contains(group));
            order.extend(best.1);
        }
        order
    }

    /// How many first groups are tried for each bundle; 0 where there are too many groups to look for neighbours at all.
    pub(super) fn firsts_tried(&self) -> usize {
        let bundles = (self.len() / self.at_once()).max(1) as u64;
        let looked_at = bundles.saturating_mul(self.touches.total() as u64).max(1);
        (WORK / looked_at).min(FIRSTS) as usize
    }

    /// Those of `left` that share most with what is around: all of them, or some by lot where they are many.
    fn firsts(&self, left: &[u32], shared: &[u64], dice: &mut Dice) -> Vec<u32> {
        let most = left.iter().map(|&group| shared[group as usize]).max().unwrap_or(0);
        let mut firsts: Vec<u32> = left.iter().copied().filter(|&group| shared[group as usize] == most).collect();
        let tried = self.firsts_tried();
        for at in 0..firsts.len().min(tried) {
            let other = at + dice.below(firsts.len() - at);
            firsts.swap(at, other);
        }
        firsts.truncate(tried);
        firsts
    }

    /// Groups to be open together with `first`, into `bundle`; returns a group's share of their price.
    fn fill_bundle(
        &self,
        first: u32,
        left: &[u32],
        at_once: usize,
        recent: &mut Recent,
        bundle: &mut Vec<u32>,
        dice: &mut Dice,
    ) -> Price {
        bundle.clear();
        bundle.push(first);
        let mut total = recent.price(self, first);
        recent.mark(self, first);
        while bundle.len() < at_once.min(left.len()) {
            let mut best: Option<(Price, u64, u32)> = None;
            for &group in left.iter().filter(|group| !bundle.contains(group)) {
                let candidate = (recent.price(self, group), dice.roll(), group);
                if best.is_none_or(|best| candidate < best) {
                    best = Some(candidate);
                }
            }
            let Some((price, _, group)) = best else { break };
            total = Price(total.0 + price.0, total.1 + price.1);
            bundle.push(group);
            recent.mark(self, group);
        }
        recent.unmark();
        Price(total.0 / bundle.len() as u64, total.1)
    }

    /// The size of a buffer.
    pub(super) fn size(&self, buf: u32) -> u64 {
        self.sizes[buf as usize]
    }

    /// How much of so many units a level holds.
    pub(super) fn stays(&self, units: u64) -> u64 {
        units.min(self.around)
    }

    /// Units that a group touches, as a rule.
    pub(super) fn footprint(&self) -> f64 {
        let all = (0..self.len() as u32).flat_map(|group| self.touches.of(group)).map(|&buf| self.size(buf) as f64);
        all.sum::<f64>() / self.len() as f64
    }

    /// The order of macros in which the groups open one after the other as they stand in `groups`, as many at once as the
    /// levels hold. `None` where that comes to a standstill.
    pub(super) fn open(&self, macros: &Macros, groups: &[u32]) -> Option<Vec<u32>> {
        Opening::new(self, macros, groups).run()
    }
}

fn hold(holds: &mut Vec<(u16, u64)>, level: u16, size: u64) {
    match holds.iter_mut().find(|(held, _)| *held == level) {
        // Buffers of one group may not all live at once; the largest is what is surely needed.
        Some((_, units)) => *units = (*units).max(size),
        None => holds.push((level, size)),
    }
}

/// The buffers that may still be around: those of the last bundle, and those touched before it, as many as fit.
struct Recent {
    /// By buffer: when it was touched.
    stamp: Vec<u64>,
    /// (stamp, buffer), oldest first; overtaken entries are passed over.
    queue: std::collections::VecDeque<(u64, u32)>,
    held: u64,
    clock: u64,
    /// The clock when the last bundle began.
    begun: u64,
    /// By buffer: the number of the bundle in the making that touches it.
    marked: Vec<u32>,
    mark: u32,
    /// By buffer: how many groups still need it; 0 where that does not count.
    needed: Vec<u64>,
}

/// What a group or a bundle takes: units to be brought in; among equals, the negative of what its buffers are still needed
/// for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Price(u64, i64);

impl Price {
    const MOST: Self = Self(u64::MAX, i64::MAX);
}

impl Recent {
    fn new(groups: &Groups) -> Self {
        let queue = std::collections::VecDeque::new();
        Self {
            stamp: vec![0; groups.sizes.len()],
            queue,
            held: 0,
            clock: 0,
            begun: 0,
            marked: vec![0; groups.sizes.len()],
            mark: 1,
            needed: vec![0; groups.sizes.len()],
        }
    }

    fn has(&self, buf: u32) -> bool {
        self.stamp[buf as usize] > 0
    }

    /// What it takes to add `group` to the bundle in the making.
    fn price(&self, groups: &Groups, group: u32) -> Price {
        let mut price = Price(0, 0);
        for &buf in groups.touches.of(group).iter().filter(|&&buf| self.marked[buf as usize] != self.mark) {
            let size = groups.sizes[buf as usize];
            price.0 += if self.has(buf) { 0 } else { size };
            price.1 -= i64::try_from(size.saturating_mul(self.needed[buf as usize])).unwrap_or(i64::MAX);
        }
        price
    }

    /// Enters a group into the bundle in the making.
    fn mark(&mut self, groups: &Groups, group: u32) {
        groups.touches.of(group).iter().for_each(|&buf| self.marked[buf as usize] = self.mark);
    }

    /// Begins another bundle.
    fn unmark(&mut self) {
        self.mark += 1;
    }

    /// A bundle begins.
    fn begin(&mut self) {
        self.begun = self.clock;
    }

    /// Touches all of a group and keeps `shared`, by group the units of its buffers that are around.
    fn touch(&mut self, groups: &Groups, group: u32, shared: &mut [u64]) {
        for &buf in groups.touches.of(group) {
            self.clock += 1;
            self.needed[buf as usize] = self.needed[buf as usize].saturating_sub(1);
            if !self.has(buf) {
                let size = groups.sizes[buf as usize];
                self.held += size;
                groups.users.of(buf).iter().for_each(|&user| shared[user as usize] += size);
            }
            self.stamp[buf as usize] = self.clock;
            self.queue.push_back((self.clock, buf));
        }
    }

    /// Forgets the oldest beyond what there is room for. Of the last bundle nothing is forgotten: which part of it stays
    /// is decided knowing what comes next.
    fn forget(&mut self, groups: &Groups, shared: &mut [u64]) {
        while self.held > groups.around && self.queue.front().is_some_and(|&(stamp, _)| stamp <= self.begun) {
            let Some((stamp, buf)) = self.queue.pop_front() else { return };
            if self.stamp[buf as usize] == stamp {
                let size = groups.sizes[buf as usize];
                self.stamp[buf as usize] = 0;
                self.held -= size;
                groups.users.of(buf).iter().for_each(|&user| shared[user as usize] -= size);
            }
        }
    }
}

/// Disjoint sets by path halving.
struct Union(Vec<u32>);

impl Union {
    fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    fn root(&mut self, mut of: u32) -> u32 {
        while self.0[of as usize] != of {
            self.0[of as usize] = self.0[self.0[of as usize] as usize];
            of = self.0[of as usize];
        }
        of
    }

    fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        // The lower number stays, so that sets are numbered by their first members.
        self.0[a.max(b) as usize] = a.min(b);
    }

    /// For each member the number of its set, and how many sets there are.
    fn numbered(mut self) -> (Vec<u32>, usize) {
        let mut number = vec![NONE; self.0.len()];
        let mut count = 0;
        let mut of = Vec::with_capacity(self.0.len());
        for member in 0..self.0.len() as u32 {
            let root = self.root(member) as usize;
            if number[root] == NONE {
                number[root] = count;
                count += 1;
            }
            of.push(number[root]);
        }
        (of, count as usize)
    }
}
