//! From the fast evaluation to addresses: who stays where, once it is known who stays when.
//!
//! The fast evaluation of an order tells when each buffer is in its level and when it is out. With that, addresses are a
//! static packing problem: stays with known beginnings and ends, of which no two that meet in time may meet in space. Each
//! goes to the lowest address that is free, those that take most first; those that find no room go ahead, and all are placed
//! anew. Where all find room, the plan moves no more than the fast evaluation says, however mixed the sizes.

use std::cmp::Reverse;

use super::dice::Dice;
use super::items::Items;
use super::rows::Rows;
use super::traffic::Stay;
use crate::model::{BufIx, NodeIx, Problem};

/// No address.
const NOWHERE: u64 = u64::MAX;

/// Pairs of stays that meet in time, at most, where a layout is looked for.
const MOST_MEETINGS: usize = 4_000_000;

/// Passes without a better one before the best is taken up again.
const PATIENCE: u32 = 200;

/// An address for each stay of each buffer, as far as one was found.
#[derive(Clone, Debug, Default)]
pub(super) struct Layout {
    /// By buffer: its first stay; and one past the last.
    first: Vec<u32>,
    /// By stay: the node that names the buffer first.
    begins: Vec<NodeIx>,
    addresses: Vec<u64>,
}

impl Layout {
    /// Whether there are no addresses at all.
    pub(super) fn is_empty(&self) -> bool {
        self.addresses.is_empty()
    }

    /// Where the buffer goes during its stay number `stay`, from 0.
    pub(super) fn address(&self, buf: BufIx, stay: u32) -> Option<u64> {
        let address = self.addresses[self.stays(buf)].get(stay as usize);
        address.copied().filter(|&address| address != NOWHERE)
    }

    /// The stay of `buf`, not its first, that begins with `node`.
    pub(super) fn begins(&self, buf: BufIx, node: NodeIx) -> Option<u32> {
        let begins = self.begins[self.stays(buf)].get(1..)?;
        begins.iter().position(|&first| first == node).map(|at| at as u32 + 1)
    }

    fn stays(&self, buf: BufIx) -> std::ops::Range<usize> {
        let at = |at: usize| self.first.get(at).map_or(0, |&first| first as usize);
        at(buf.at())..at(buf.at() + 1)
    }
}

/// Looks for a layout, pass by pass.
pub(super) struct Packer {
    stock: Stock,
    levels: Vec<Shelf>,
    /// As in the layout that is looked for.
    first: Vec<u32>,
    begins: Vec<NodeIx>,
}

/// All stays, with what is known of them.
struct Stock {
    sizes: Vec<u64>,
    /// By stay: those of the same level that it meets.
    meets: Rows,
    addresses: Vec<u64>,
    taken: Vec<(u64, u64)>,
}

/// The stays of one level, which no other level has to do with.
struct Shelf {
    capacity: u64,
    /// As they were placed last; and those that found no room.
    order: Vec<u32>,
    outside: Vec<u32>,
    /// The order that left fewest outside, and how many.
    best: Vec<u32>,
    best_outside: usize,
    /// Passes since then.
    vain: u32,
}

/// Of those that found no room, so many go ahead for the next pass.
const AHEAD: usize = 3;

impl Packer {
    /// For stays that are sorted by buffer, and those of a buffer by time. `None` where too many of them meet.
    pub(super) fn new(problem: &Problem, items: &Items, stays: &[Stay]) -> Option<Self> {
        let mut first = vec![0u32; problem.graph.buffers().len() + 1];
        stays.iter().for_each(|stay| first[stay.buf as usize + 1] += 1);
        (1..first.len()).for_each(|at| first[at] += first[at - 1]);
        let mut stock = Stock {
            sizes: stays.iter().map(|stay| problem.graph.buffer(BufIx(stay.buf)).size).collect(),
            meets: meetings(problem, stays)?,
            addresses: vec![NOWHERE; stays.len()],
            taken: Vec::new(),
        };
        let mut of_level = vec![Vec::new(); problem.level_count()];
        for (at, stay) in (0u32..).zip(stays) {
            of_level[problem.level_of(BufIx(stay.buf)).at()].push(at);
        }
        let levels = of_level.into_iter().zip(&problem.machine.levels);
        let levels = levels.map(|(all, level)| Shelf::new(level.capacity, &all, stays, &mut stock)).collect();
        let begins = stays.iter().map(|stay| items.nodes[stay.begins as usize]).collect();
        Some(Self { stock, levels, first, begins })
    }

    /// How many stays have no room in the best layout so far.
    pub(super) fn outside(&self) -> usize {
        self.levels.iter().map(|level| level.best_outside).sum()
    }

    /// Whether the last passes left no more outside than the best ones did.
    pub(super) fn is_at_best(&self) -> bool {
        self.levels.iter().all(|level| level.outside.len() <= level.best_outside)
    }

    /// Places the stays of those levels anew in which some had no room.
    pub(super) fn again(&mut self, dice: &mut Dice) {
        let open = self.levels.iter_mut().filter(|level| level.best_outside > 0);
        open.for_each(|level| level.again(&mut self.stock, dice));
    }

    /// The layout of the last passes.
    pub(super) fn layout(&self) -> Layout {
        Layout { first: self.first.clone(), begins: self.begins.clone(), addresses: self.stock.addresses.clone() }
    }
}

impl Shelf {
    /// The best of some orders.
    fn new(capacity: u64, all: &[u32], stays: &[Stay], stock: &mut Stock) -> Self {
        let life = |at: u32| u64::from(stays[at as usize].to - stays[at as usize].from);
        let size = |at: u32| stock.sizes[at as usize];
        let mut orders = [all.to_vec(), all.to_vec(), all.to_vec()];
        orders[0].sort_by_key(|&at| (stays[at as usize].from, Reverse(size(at))));
        orders[1].sort_by_key(|&at| Reverse((size(at), life(at))));
        orders[2].sort_by_key(|&at| Reverse(size(at).saturating_mul(life(at))));
        let (outside, best, best_outside) = (Vec::new(), Vec::new(), usize::MAX);
        let mut shelf = Self { capacity, order: Vec::new(), outside, best, best_outside, vain: 0 };
        for order in orders {
            shelf.order = order;
            shelf.pass(stock);
            if shelf.best_outside == 0 {
                return shelf;
            }
        }
        shelf.take_up_best(stock);
        shelf
    }

    /// Sends those ahead that had no room, and places all anew.
    fn again(&mut self, stock: &mut Stock, dice: &mut Dice) {
        if self.vain > PATIENCE {
            self.take_up_best(stock);
        }
        for at in 0..self.outside.len().min(AHEAD) {
            let stay = self.outside[at];
            let Some(place) = self.order.iter().position(|&other| other == stay) else { continue };
            let to = dice.below(place.max(1));
            self.order[to..=place].rotate_right(1);
        }
        self.pass(stock);
    }

    fn take_up_best(&mut self, stock: &mut Stock) {
        self.order.clone_from(&self.best);
        self.pass(stock);
        self.vain = 0;
    }

    /// Places all, one after the other, each at the lowest address at which it meets nobody.
    fn pass(&mut self, stock: &mut Stock) {
        self.order.iter().for_each(|&stay| stock.addresses[stay as usize] = NOWHERE);
        self.outside.clear();
        for &stay in &self.order {
            match stock.lowest(stay, self.capacity) {
                Some(address) => stock.addresses[stay as usize] = address,
                None => self.outside.push(stay),
            }
        }
        self.vain += 1;
        if self.outside.len() < self.best_outside {
            self.best_outside = self.outside.len();
            self.best.clone_from(&self.order);
            self.vain = 0;
        }
    }
}

impl Stock {
    /// The lowest address at which the stay meets nobody who has one. Sums of sizes stay below 2^63.
    fn lowest(&mut self, stay: u32, capacity: u64) -> Option<u64> {
        let size = self.sizes[stay as usize];
        self.taken.clear();
        for &other in self.meets.of(stay) {
            let start = self.addresses[other as usize];
            if start != NOWHERE {
                self.taken.push((start, start + self.sizes[other as usize]));
            }
        }
        self.taken.sort_unstable();
        let mut low = 0;
        for &(start, end) in &self.taken {
            if start >= low + size {
                break;
            }
            low = low.max(end);
        }
        (low + size <= capacity).then_some(low)
    }
}

/// By stay: those of the same level that it meets in time. `None` where they are too many.
fn meetings(problem: &Problem, stays: &[Stay]) -> Option<Rows> {
    let level = |at: u32| problem.level_of(BufIx(stays[at as usize].buf)).at();
    let mut order: Vec<u32> = (0..stays.len() as u32).collect();
    order.sort_by_key(|&at| stays[at as usize].from);
    let mut inside: Vec<Vec<u32>> = vec![Vec::new(); problem.level_count()];
    let mut pairs = Vec::new();
    for at in order {
        let inside = &mut inside[level(at)];
        inside.retain(|&other| stays[other as usize].to > stays[at as usize].from);
        pairs.extend(inside.iter().flat_map(|&other| [(at, other), (other, at)]));
        inside.push(at);
        if pairs.len() > MOST_MEETINGS {
            return None;
        }
    }
    Some(Rows::from_pairs(stays.len(), &pairs))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::addresses::Fit;
    use super::super::exact::{Exact, Limits};
    use super::super::items::Expander;
    use super::super::macros::Macros;
    use super::super::tests::small;
    use super::super::traffic::Traffic;
    use super::*;

    /// An order of the items of a generated problem, and when its buffers stay.
    fn drawn(seed: u64) -> (Problem, Items, Vec<u32>, Vec<Stay>, u64) {
        let problem = small(seed, 40);
        let items = Items::new(&problem);
        let macros = Macros::single(&problem, &items);
        let order = macros.legalize(&(0..macros.len() as u32).collect::<Vec<_>>());
        let mut traffic = Traffic::new(&problem);
        let moved = traffic.of(&macros, &order, u64::MAX).unwrap();
        let stays = traffic.stays(&macros, &order).unwrap();
        (problem, items, order, stays, moved)
    }

    #[test]
    fn stays_that_meet_do_not_overlap() {
        for seed in 0..100 {
            let (problem, items, _, stays, _) = drawn(seed);
            let mut packer = Packer::new(&problem, &items, &stays).unwrap();
            let mut dice = Dice::new(seed);
            (0..20).for_each(|_| packer.again(&mut dice));
            let layout = packer.layout();
            let size = |stay: &Stay| problem.graph.buffer(BufIx(stay.buf)).size;
            let visit = |at: usize| stays[..at].iter().filter(|other| other.buf == stays[at].buf).count() as u32;
            let at = |at: usize| layout.address(BufIx(stays[at].buf), visit(at));
            for one in 0..stays.len() {
                assert!(at(one).is_none_or(|start| start + size(&stays[one]) <= problem.machine.levels[0].capacity));
                for other in 0..one {
                    let meet = stays[one].from < stays[other].to && stays[other].from < stays[one].to;
                    let (Some(a), Some(b)) = (at(one), at(other)) else { continue };
                    let apart = a + size(&stays[one]) <= b || b + size(&stays[other]) <= a;
                    assert!(!meet || apart, "seed {seed}: {:?} {:?}", stays[one], stays[other]);
                }
            }
        }
    }

    #[test]
    fn where_all_find_room_the_exact_evaluation_moves_no_more_than_the_fast_one() {
        let mut whole = 0;
        for seed in 0..200 {
            let (problem, items, order, stays, moved) = drawn(seed);
            let mut packer = Packer::new(&problem, &items, &stays).unwrap();
            let mut dice = Dice::new(seed);
            (0..100).for_each(|_| packer.again(&mut dice));
            if packer.outside() > 0 {
                continue;
            }
            whole += 1;
            let (mut exact, mut expander) = (Exact::new(&problem), Expander::default());
            exact.follow(&Arc::new(packer.layout()));
            let fit = Fit { trust: f64::INFINITY, ..Fit::default() };
            let score = exact.of(expander.nodes(&problem, &items, &order), fit, Limits::NONE).unwrap();
            // Less where somebody who was to leave could stay after all.
            assert!(score.traffic <= moved, "seed {seed}: {} {moved}", score.traffic);
        }
        assert!(whole > 100, "{whole}");
    }
}
