//! Items that are best done together, as one: fewer things to permute, and each order of them makes sense.
//!
//! A macro is a *main* item with what serves it alone: an item that feeds only the main one by buffers of its own (a
//! move of a tile into an inner level) stands right before it, an item behind which nothing comes (a result going out)
//! right behind it. An item without predecessors that several need (the copy of a tile from main memory) belongs to no
//! macro: it stands before the first that needs it. What that costs in freedom, the last phase of the search gives
//! back: there every item is a macro of its own.

use super::items::{Items, NONE};
use super::rows::Rows;
use crate::model::{BufIx, Problem};

/// How many items may hang before one another in a macro, beside the main one.
const DEPTH: u8 = 3;

/// An item that waits for more than so many is a macro of its own.
const MOST_PREDS: usize = 64;

/// Marks the last access of an item in [`Macros::accesses`].
pub(super) const LAST: u32 = 1 << 31;

/// Items in groups that stay together.
#[derive(Clone, Debug)]
pub(super) struct Macros {
    /// By macro: its items in order.
    pub(super) parts: Rows,
    /// By macro: macros that must be done before it.
    pub(super) preds: Rows,
    /// By macro: macros that wait for it.
    pub(super) succs: Rows,
    /// By macro: the buffers that its items name, item by item, the last of each item marked [`LAST`]. Levels in which
    /// nothing lives longer than a macro are left out, and so are the items of [`Macros::shared`].
    pub(super) accesses: Rows,
    /// By buffer: the macros with an access to it.
    pub(super) users: Rows,
    /// By item: whether it stands before the first item that needs it.
    shared: Vec<bool>,
}

/// What becomes of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Main,
    /// Before the first of those that wait for it.
    Shared,
    /// Right before the only one that waits for it; so many hang on it.
    Feeds(u8),
    /// Right behind the last that it waits for.
    Follows,
}

impl Macros {
    /// Every item by itself.
    pub(super) fn single(problem: &Problem, items: &Items) -> Self {
        Self::build(problem, items, &vec![Role::Main; items.len()]).0
    }

    /// Items that serve one another together.
    pub(super) fn contracted(problem: &Problem, items: &Items) -> Self {
        let mut alone = vec![false; items.len()];
        // Each turn takes the macros apart whose buffers do not fit a level together.
        for _ in 0..4 {
            let roles = roles(problem, items, &alone);
            let (macros, too_large) = Self::build(problem, items, &roles);
            if too_large.is_empty() {
                return macros;
            }
            too_large.into_iter().for_each(|item| alone[item as usize] = true);
        }
        Self::single(problem, items)
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        self.parts.len()
    }

    /// The macros, and the main items of those that do not fit.
    fn build(problem: &Problem, items: &Items, roles: &[Role]) -> (Self, Vec<u32>) {
        let (parts, macro_of) = gather(items, roles);
        let mut edges = Vec::new();
        for item in 0..items.len() as u32 {
            let own = macro_of[item as usize];
            for &pred in items.preds.of(item) {
                let pred = macro_of[pred as usize];
                if pred != own && pred != NONE && own != NONE {
                    edges.push((pred, own));
                }
            }
        }
        let (accesses, too_large) = accesses(problem, items, &parts, &macro_of);
        let named = (0..parts.len() as u32)
            .flat_map(|own| accesses.of(own).iter().map(move |&access| (access & !LAST, own)))
            .collect();
        let turned = edges.iter().map(|&(a, b)| (b, a)).collect();
        let macros = Self {
            preds: Rows::from_set(parts.len(), turned),
            succs: Rows::from_set(parts.len(), edges),
            users: Rows::from_set(problem.graph.buffers().len(), named),
            shared: roles.iter().map(|role| *role == Role::Shared).collect(),
            parts,
            accesses,
        };
        (macros, too_large)
    }

    /// The macros of an order of items: each where its main item stands.
    pub(super) fn of_items(&self, order: &[u32]) -> Vec<u32> {
        let mut place = vec![0; self.shared.len()];
        (0u32..).zip(order).for_each(|(at, &item)| place[item as usize] = at);
        let last = |own: u32| self.parts.of(own).iter().map(|&item| place[item as usize]).max();
        let mut sequence: Vec<u32> = (0..self.len() as u32).collect();
        sequence.sort_by_key(|&own| last(own));
        self.legalize(&sequence)
    }

    /// The legal order nearest to `wanted`: of the macros that are ready, the one that stands first there.
    pub(super) fn legalize(&self, wanted: &[u32]) -> Vec<u32> {
        let mut place = vec![0; self.len()];
        (0u32..).zip(wanted).for_each(|(at, &own)| place[own as usize] = at);
        let mut waits: Vec<u32> = (0..self.len() as u32).map(|own| self.preds.of(own).len() as u32).collect();
        let ready = wanted.iter().filter(|&&own| waits[own as usize] == 0);
        let mut ready: std::collections::BinaryHeap<_> =
            ready.map(|&own| std::cmp::Reverse(place[own as usize])).collect();
        let mut order = Vec::with_capacity(wanted.len());
        while let Some(std::cmp::Reverse(at)) = ready.pop() {
            let own = wanted[at as usize];
            order.push(own);
            for &next in self.succs.of(own) {
                waits[next as usize] -= 1;
                if waits[next as usize] == 0 {
                    ready.push(std::cmp::Reverse(place[next as usize]));
                }
            }
        }
        order
    }

    /// The items of an order of macros, into `order`; `done` is kept between calls for its memory.
    pub(super) fn items(&self, items: &Items, sequence: &[u32], order: &mut Vec<u32>, done: &mut Vec<bool>) {
        order.clear();
        done.clear();
        done.resize(items.len(), false);
        for &own in sequence {
            for &item in self.parts.of(own) {
                for &pred in items.preds.of(item) {
                    if self.shared[pred as usize] && !std::mem::replace(&mut done[pred as usize], true) {
                        order.push(pred);
                    }
                }
                order.push(item);
            }
        }
    }
}

fn roles(problem: &Problem, items: &Items, alone: &[bool]) -> Vec<Role> {
    let mut roles = vec![Role::Main; items.len()];
    let mut waits: Vec<u32> = (0..items.len() as u32).map(|item| items.preds.of(item).len() as u32).collect();
    let mut ready: Vec<u32> = (0..items.len() as u32).filter(|&item| waits[item as usize] == 0).collect();
    while let Some(item) = ready.pop() {
        roles[item as usize] = role(problem, items, item, &roles, alone);
        for &next in items.succs.of(item) {
            waits[next as usize] -= 1;
            if waits[next as usize] == 0 {
                ready.push(next);
            }
        }
    }
    roles
}

/// The role of an item whose predecessors have theirs.
fn role(problem: &Problem, items: &Items, item: u32, roles: &[Role], alone: &[bool]) -> Role {
    let (preds, succs) = (items.preds.of(item), items.succs.of(item));
    if alone[item as usize] || succs.iter().any(|&next| alone[next as usize]) {
        return Role::Main;
    }
    match (preds, succs) {
        (&[pred], &[]) if roles[pred as usize] == Role::Main && !alone[pred as usize] => Role::Follows,
        (_, &[next]) => {
            let mut depths = preds.iter().map(|&pred| match roles[pred as usize] {
                Role::Shared => Some(0),
                Role::Feeds(depth) => Some(depth),
                Role::Main | Role::Follows => None,
            });
            let depth = depths.try_fold(0, |most: u8, depth| Some(most.max(depth?)));
            let own = |&buf: &u32| {
                problem.graph.buffer(BufIx(buf)).backed
                    || items.users.of(buf).iter().all(|&user| user == item || user == next || preds.contains(&user))
            };
            match depth {
                Some(depth)
                    if depth < DEPTH && preds.len() <= MOST_PREDS && items.operands.of(item).iter().all(own) =>
                {
                    Role::Feeds(depth + 1)
                }
                _ => Role::Main,
            }
        }
        (&[], &[_, ..]) => {
            let named_too =
                |next: &u32| items.operands.of(item).iter().all(|buf| items.operands.of(*next).contains(buf));
            if succs.len() < 1000 && succs.iter().all(named_too) { Role::Shared } else { Role::Main }
        }
        _ => Role::Main,
    }
}

/// The items of each macro, and the macro of each item ([`NONE`] for shared ones).
fn gather(items: &Items, roles: &[Role]) -> (Rows, Vec<u32>) {
    let mut parts = Rows::new();
    let mut macro_of = vec![NONE; items.len()];
    let mut own = Vec::new();
    for item in (0..items.len() as u32).filter(|&item| roles[item as usize] == Role::Main) {
        own.clear();
        feeders(items, roles, item, &mut own);
        own.push(item);
        own.extend(items.succs.of(item).iter().filter(|&&next| roles[next as usize] == Role::Follows));
        own.iter().for_each(|&part| macro_of[part as usize] = parts.len() as u32);
        parts.push(own.iter().copied());
    }
    (parts, macro_of)
}

/// Those that feed `item`, each behind those that feed it; at most [`DEPTH`] deep.
fn feeders(items: &Items, roles: &[Role], item: u32, into: &mut Vec<u32>) {
    for &pred in items.preds.of(item) {
        if matches!(roles[pred as usize], Role::Feeds(_)) {
            feeders(items, roles, pred, into);
            into.push(pred);
        }
    }
}

/// Accesses by macro, and the main items of macros that need more of a level than there is.
fn accesses(problem: &Problem, items: &Items, parts: &Rows, macro_of: &[u32]) -> (Rows, Vec<u32>) {
    let private = |buf: u32| {
        let users = items.users.of(buf);
        let own = users.first().map(|&user| macro_of[user as usize]);
        problem.graph.buffer(BufIx(buf)).free.is_some()
            && own.is_some_and(|own| own != NONE && users.iter().all(|&user| macro_of[user as usize] == own))
    };
    let mut watched = vec![false; problem.level_count()];
    for buf in (0..problem.graph.buffers().len() as u32).filter(|&buf| !private(buf)) {
        watched[problem.level_of(BufIx(buf)).at()] = true;
    }
    let mut accesses = Rows::new();
    let mut too_large = Vec::new();
    let mut own: Vec<u32> = Vec::new();
    for row in 0..parts.len() as u32 {
        let first = accesses.total();
        own.clear();
        for &item in parts.of(row) {
            let before = own.len();
            own.extend(items.operands.of(item).iter().filter(|&&buf| watched[problem.level_of(BufIx(buf)).at()]));
            if own.len() > before
                && let Some(last) = own.last_mut()
            {
                *last |= LAST;
            }
        }
        accesses.push(own.iter().copied());
        debug_assert!(accesses.total() == first + own.len());
        if parts.of(row).len() > 1 && !fits(problem, items, parts.of(row)) {
            too_large.extend(parts.of(row));
        }
    }
    (accesses, too_large)
}

/// Whether all buffers that the items name fit their levels at once.
fn fits(problem: &Problem, items: &Items, parts: &[u32]) -> bool {
    let mut bufs: Vec<u32> = parts.iter().flat_map(|&item| items.operands.of(item)).copied().collect();
    bufs.sort_unstable();
    bufs.dedup();
    let mut need = vec![0u64; problem.level_count()];
    bufs.iter().for_each(|&buf| {
        need[problem.level_of(BufIx(buf)).at()] += problem.graph.buffer(BufIx(buf)).size;
    });
    problem.machine.levels.iter().zip(need).all(|(level, need)| level.spill || need <= level.capacity)
}
