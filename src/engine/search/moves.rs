//! Legal changes of an order: each is a rotation of a stretch (a block moves past its neighbour) or a reversal.

use super::dice::Dice;
use super::macros::LAST;
use super::rows::Rows;

/// What is put in order: things with precedences that touch buffers.
#[derive(Clone, Copy, Debug)]
pub(super) struct Web<'a> {
    /// By thing: what must stand before it.
    pub(super) preds: &'a Rows,
    /// By thing: what must stand behind it.
    pub(super) succs: &'a Rows,
    /// By thing: the buffers that it touches; a mark in the highest bit is passed over.
    pub(super) touches: &'a Rows,
    /// By buffer: the things that touch it.
    pub(super) users: &'a Rows,
    /// How many neighbours, counted from the start, belong together; 0 where none do and precedences hold.
    pub(super) bundle: usize,
}

/// A change of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Move {
    /// `[start, middle)` and `[middle, end)` change places.
    Rotate(usize, usize, usize),
    /// `[start, end)` is turned round.
    Reverse(usize, usize),
    /// Two change places.
    Swap(usize, usize),
}

/// An order with the place of each thing in it.
#[derive(Clone, Debug)]
pub(super) struct Sequence {
    pub(super) order: Vec<u32>,
    place: Vec<u32>,
}

/// The longest run that is turned round.
const LONGEST_REVERSAL: usize = 64;

impl Sequence {
    pub(super) fn new(order: Vec<u32>) -> Self {
        let mut place = vec![0; order.len()];
        (0u32..).zip(&order).for_each(|(at, &thing)| place[thing as usize] = at);
        Self { order, place }
    }

    pub(super) fn apply(&mut self, change: Move) {
        match change {
            Move::Rotate(start, middle, end) => {
                self.order[start..end].rotate_left(middle - start);
                self.renumber(start, end);
            }
            Move::Reverse(start, end) => {
                self.order[start..end].reverse();
                self.renumber(start, end);
            }
            Move::Swap(one, other) => {
                self.order.swap(one, other);
                self.renumber(one, one + 1);
                self.renumber(other, other + 1);
            }
        }
    }

    pub(super) fn undo(&mut self, change: Move) {
        self.apply(match change {
            Move::Rotate(start, middle, end) => Move::Rotate(start, start + (end - middle), end),
            Move::Reverse(..) | Move::Swap(..) => change,
        });
    }

    fn renumber(&mut self, start: usize, end: usize) {
        for at in start..end {
            self.place[self.order[at] as usize] = at as u32;
        }
    }

    /// A random legal change; `None` where the dice proposed an illegal one.
    pub(super) fn propose(&self, web: Web<'_>, dice: &mut Dice) -> Option<Move> {
        if self.order.len() < 2 {
            return None;
        }
        if web.bundle > 0 && dice.below(8) > 0 {
            return self.of_bundles(web, dice);
        }
        match dice.below(16) {
            0..=3 => self.shift(web, dice),
            4..=8 => self.beside(web, dice, 1),
            9..=10 => {
                let length = dice.short(self.order.len() / 2);
                self.beside(web, dice, length)
            }
            11..=14 => self.swap_blocks(web, dice),
            _ => self.reversal(web, dice),
        }
    }

    /// A change that leaves the other bundles as they are, of things without precedences.
    fn of_bundles(&self, web: Web<'_>, dice: &mut Dice) -> Option<Move> {
        let count = self.order.len() / web.bundle;
        if count < 2 || dice.below(3) == 0 {
            let (one, other) = (dice.below(self.order.len()), dice.below(self.order.len()));
            return (one != other).then_some(Move::Swap(one, other));
        }
        let start = dice.below(count - 1);
        let left = count - start;
        if dice.below(2) == 0 {
            let end = start + 1 + dice.short(left - 1);
            return Some(Move::Reverse(start * web.bundle, end * web.bundle));
        }
        let middle = start + dice.short(left - 1);
        let end = middle + dice.short(count - middle);
        (middle < end).then_some(Move::Rotate(start * web.bundle, middle * web.bundle, end * web.bundle))
    }

    /// One thing to anywhere that is legal, near places likelier.
    fn shift(&self, web: Web<'_>, dice: &mut Dice) -> Option<Move> {
        let at = dice.below(self.order.len());
        let (low, high) = self.span(web, at);
        let forward = dice.roll() & 1 == 0;
        let room = if forward { high - at - 1 } else { at - low };
        (room > 0).then(|| {
            let by = dice.short(room);
            if forward { Move::Rotate(at, at + 1, at + 1 + by) } else { Move::Rotate(at - by, at, at + 1) }
        })
    }

    /// The positions `[low, high)` that the thing at `at` may take.
    fn span(&self, web: Web<'_>, at: usize) -> (usize, usize) {
        let thing = self.order[at];
        let place = |other: &u32| self.place[*other as usize] as usize;
        let low = web.preds.of(thing).iter().map(place).max().map_or(0, |last| last + 1);
        let high = web.succs.of(thing).iter().map(place).min().unwrap_or(self.order.len());
        (low, high)
    }

    /// A block that begins with a random thing goes to beside another that touches the same buffer, or as near as is legal.
    fn beside(&self, web: Web<'_>, dice: &mut Dice, length: usize) -> Option<Move> {
        let at = dice.below(self.order.len());
        let touched = web.touches.of(self.order[at]);
        let buf = touched.get(dice.below(touched.len()))? & !LAST;
        let users = web.users.of(buf);
        let other = self.place[users[dice.below(users.len())] as usize] as usize;
        if length > 1 {
            let end = (at + length).min(self.order.len());
            return if other < at {
                self.rotation(web, other + 1, at, end)
            } else {
                self.rotation(web, at, end, other.max(end))
            };
        }
        let (low, high) = self.span(web, at);
        let after = dice.roll() & 1;
        if other < at {
            let to = (other + after as usize).max(low);
            (to < at).then_some(Move::Rotate(to, at, at + 1))
        } else {
            let to = (other + after as usize).min(high);
            (to > at + 1).then_some(Move::Rotate(at, at + 1, to))
        }
    }

    fn swap_blocks(&self, web: Web<'_>, dice: &mut Dice) -> Option<Move> {
        let start = dice.below(self.order.len() - 1);
        let left = self.order.len() - start;
        let middle = start + dice.short(left - 1);
        let end = middle + dice.short(self.order.len() - middle);
        self.rotation(web, start, middle, end)
    }

    /// The rotation, if no precedence runs between the two blocks.
    fn rotation(&self, web: Web<'_>, start: usize, middle: usize, end: usize) -> Option<Move> {
        if start >= middle || middle >= end {
            return None;
        }
        let clash = if middle - start <= end - middle {
            self.any_within(&self.order[start..middle], web.succs, middle, end)
        } else {
            self.any_within(&self.order[middle..end], web.preds, start, middle)
        };
        (!clash).then_some(Move::Rotate(start, middle, end))
    }

    fn reversal(&self, web: Web<'_>, dice: &mut Dice) -> Option<Move> {
        let start = dice.below(self.order.len() - 1);
        let end = (start + 1 + dice.short(LONGEST_REVERSAL)).min(self.order.len());
        (!self.any_within(&self.order[start..end], web.succs, start, end)).then_some(Move::Reverse(start, end))
    }

    /// Whether one of the `things` is bound to something in `[start, end)`.
    fn any_within(&self, things: &[u32], bonds: &Rows, start: usize, end: usize) -> bool {
        let inside = |other: &u32| (start..end).contains(&(self.place[*other as usize] as usize));
        things.iter().any(|&thing| bonds.of(thing).iter().any(inside))
    }
}
