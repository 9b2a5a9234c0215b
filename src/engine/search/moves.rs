//! Legal changes of an order: each is a rotation of a stretch (a block moves past its neighbour) or a reversal.

use std::ops::Range;

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
    /// `[start, end)` changes to the drawn order that the sequence keeps for it, and back.
    Redraw(usize, usize),
}

impl Move {
    /// The positions that may change.
    pub(super) fn range(self) -> Range<usize> {
        match self {
            Self::Rotate(start, _, end) | Self::Reverse(start, end) | Self::Redraw(start, end) => start..end,
            Self::Swap(one, other) => one.min(other)..one.max(other) + 1,
        }
    }
}

/// What a change of an order is meant to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MoveKind {
    /// One goes elsewhere.
    Shift,
    /// Some go to beside another that touches the same buffer.
    Gather,
    /// Two neighbouring blocks change places.
    SwapBlocks,
    /// A run is turned round.
    Reversal,
    /// One goes ahead with all that it waits for, or back with all that wait for it.
    Cone,
    /// Groups that are open together change places with others.
    Bundles,
}

impl MoveKind {
    /// In words, and in `plan.json`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Shift => "one moved",
            Self::Gather => "drawn beside the same buffer",
            Self::SwapBlocks => "two blocks swapped",
            Self::Reversal => "a run reversed",
            Self::Cone => "drawn with all it waits for",
            Self::Bundles => "groups exchanged",
        }
    }
}

/// An order with the place of each thing in it.
#[derive(Clone, Debug)]
pub(super) struct Sequence {
    pub(super) order: Vec<u32>,
    /// What the last change that was proposed is meant to do.
    pub(super) kind: MoveKind,
    place: Vec<u32>,
    /// What [`Move::Redraw`] changes its stretch to.
    drawn: Vec<u32>,
    /// By thing: the number of the cone that it was last found in.
    cone: Vec<u32>,
    cones: u32,
}

/// The last user of a buffer before a place is not looked for among more than so many.
const MOST_USERS: usize = 64;

/// The longest run that is turned round.
const LONGEST_REVERSAL: usize = 64;

impl Sequence {
    pub(super) fn new(order: Vec<u32>) -> Self {
        let mut place = vec![0; order.len()];
        (0u32..).zip(&order).for_each(|(at, &thing)| place[thing as usize] = at);
        let cone = vec![0; order.len()];
        Self { order, kind: MoveKind::Shift, place, drawn: Vec::new(), cone, cones: 0 }
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
            Move::Redraw(start, end) => {
                self.order[start..end].swap_with_slice(&mut self.drawn);
                self.renumber(start, end);
            }
        }
    }

    pub(super) fn undo(&mut self, change: Move) {
        self.apply(match change {
            Move::Rotate(start, middle, end) => Move::Rotate(start, start + (end - middle), end),
            Move::Reverse(..) | Move::Swap(..) | Move::Redraw(..) => change,
        });
    }

    fn renumber(&mut self, start: usize, end: usize) {
        for at in start..end {
            self.place[self.order[at] as usize] = at as u32;
        }
    }

    /// A random legal change, half of them of one of the `costly` things; `None` where the dice proposed an illegal one.
    pub(super) fn propose(&mut self, web: Web<'_>, costly: &[u32], dice: &mut Dice) -> Option<Move> {
        if self.order.len() < 2 {
            return None;
        }
        if web.bundle > 0 && dice.below(8) > 0 {
            self.kind = MoveKind::Bundles;
            return self.of_bundles(web, dice);
        }
        let at = if costly.is_empty() || dice.below(2) == 0 {
            dice.below(self.order.len())
        } else {
            self.place[costly[dice.below(costly.len())] as usize] as usize
        };
        // Without precedences a cone is a single thing.
        let roll = dice.below(if web.bundle > 0 { 16 } else { 20 });
        self.kind = match roll {
            0..=3 => MoveKind::Shift,
            4..=10 => MoveKind::Gather,
            11..=14 => MoveKind::SwapBlocks,
            15 => MoveKind::Reversal,
            _ => MoveKind::Cone,
        };
        match roll {
            0..=3 => self.shift(web, at, dice),
            4..=8 => self.beside(web, at, dice, 1),
            9..=10 => {
                let length = dice.short(self.order.len() / 2);
                self.beside(web, at, dice, length)
            }
            11..=14 => self.swap_blocks(web, dice),
            15 => self.reversal(web, dice),
            16..=17 => self.cone_before(web, at, dice),
            _ => self.cone_behind(web, at, dice),
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

    /// The thing at `at` to anywhere that is legal, near places likelier.
    fn shift(&self, web: Web<'_>, at: usize, dice: &mut Dice) -> Option<Move> {
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

    /// The block that begins at `at` goes to beside another that touches the same buffer, or as near as is legal.
    fn beside(&self, web: Web<'_>, at: usize, dice: &mut Dice, length: usize) -> Option<Move> {
        let touched = web.touches.of(self.order[at]);
        let buf = touched.get(dice.below(touched.len()))? & !LAST;
        let other = self.user(web, buf, at, dice);
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

    /// A thing goes further ahead, and with it all between that it waits for.
    fn cone_before(&mut self, web: Web<'_>, last: usize, dice: &mut Dice) -> Option<Move> {
        let start = self.far(web, last, dice, true)?;
        self.cones += 1;
        self.drawn.clear();
        self.cone[self.order[last] as usize] = self.cones;
        for at in (start..=last).rev() {
            let thing = self.order[at];
            if self.cone[thing as usize] == self.cones {
                web.preds.of(thing).iter().for_each(|&pred| self.cone[pred as usize] = self.cones);
            }
        }
        self.partition(start, last + 1, true)
    }

    /// A thing goes further back, and with it all between that wait for it.
    fn cone_behind(&mut self, web: Web<'_>, first: usize, dice: &mut Dice) -> Option<Move> {
        let end = self.far(web, first, dice, false)? + 1;
        self.cones += 1;
        self.cone[self.order[first] as usize] = self.cones;
        for at in first..end {
            let thing = self.order[at];
            if self.cone[thing as usize] == self.cones {
                web.succs.of(thing).iter().for_each(|&next| self.cone[next as usize] = self.cones);
            }
        }
        self.partition(first, end, false)
    }

    /// `[start, end)` with those of the cone first, or last; `None` where nothing changes.
    fn partition(&mut self, start: usize, end: usize, first: bool) -> Option<Move> {
        let (order, cone, cones) = (&self.order[start..end], &self.cone, self.cones);
        let inside = |thing: &&u32| (cone[**thing as usize] == cones) == first;
        self.drawn.clear();
        self.drawn.extend(order.iter().filter(inside));
        let taken = self.drawn.len();
        self.drawn.extend(order.iter().filter(|thing| !inside(thing)));
        (taken < end - start).then_some(Move::Redraw(start, end))
    }

    /// A place before `at` or behind it: beside a thing that touches the same buffer, or so many places away.
    fn far(&self, web: Web<'_>, at: usize, dice: &mut Dice, before: bool) -> Option<usize> {
        let to = if dice.below(2) == 0 {
            let touched = web.touches.of(self.order[at]);
            let buf = touched.get(dice.below(touched.len()))? & !LAST;
            let users = web.users.of(buf);
            let other = self.place[users[dice.below(users.len())] as usize] as usize;
            if before { other + 1 } else { other.checked_sub(1)? }
        } else {
            let by = dice.short(self.order.len() / 2);
            if before { at.checked_sub(by)? } else { at + by }
        };
        ((before && to < at) || (!before && to > at && to < self.order.len())).then_some(to)
    }

    /// The place of another thing that touches `buf`: any, or the last before `at`, for there it surely is.
    fn user(&self, web: Web<'_>, buf: u32, at: usize, dice: &mut Dice) -> usize {
        let users = web.users.of(buf);
        let any = self.place[users[dice.below(users.len())] as usize] as usize;
        if users.len() > MOST_USERS || dice.below(2) == 0 {
            return any;
        }
        let before = users.iter().map(|&user| self.place[user as usize] as usize).filter(|&place| place < at);
        before.max().unwrap_or(any)
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
