//! When each buffer was where: its stays at an address. Rows of the memory map that stand for many steps are made of
//! these, since the log is too long to be read for one frame.

use std::ops::Range;

use crate::model::{BufIx, Event, LevelIx, Problem};

/// One stay of a buffer at an address: after each of the steps `[from, to)` it is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stay {
    /// The step that placed it.
    pub from: u32,
    /// The step that took it away; `u32::MAX` where none does.
    pub to: u32,
    /// Whose.
    pub buf: BufIx,
    /// Its next one among those of its level, or [`NONE`].
    next: u32,
    /// Where it starts.
    pub offset: u64,
}

const NONE: u32 = u32::MAX;

impl Stay {
    /// A stay of `buf` at `offset` after each of the steps `[from, to)`.
    pub fn new(buf: BufIx, offset: u64, from: u32, to: u32) -> Self {
        Self { from, to, buf, next: NONE, offset }
    }
}

/// The stays of all buffers.
#[derive(Clone, Debug, Default)]
pub(super) struct Stays {
    /// By level: the stays in the order in which they began.
    by_level: Vec<Vec<Stay>>,
    /// By buffer: its first stay among those of its level, or [`NONE`].
    first: Vec<u32>,
    /// By buffer: its latest so far. Only until [`Stays::finish`].
    last: Vec<u32>,
}

impl Stays {
    pub(super) fn new(problem: &Problem) -> Self {
        let buffers = problem.graph.buffers().len();
        Self {
            by_level: vec![Vec::new(); problem.level_count()],
            first: vec![NONE; buffers],
            last: vec![NONE; buffers],
        }
    }

    /// Enters an event of `step`; steps come in ascending order.
    pub(super) fn enter(&mut self, step: u32, event: &Event) {
        match *event {
            Event::Placed { buf, level, offset, .. } => {
                let stays = &mut self.by_level[level.at()];
                let at = stays.len() as u32;
                match self.last[buf.at()] {
                    NONE => self.first[buf.at()] = at,
                    last => stays[last as usize].next = at,
                }
                self.last[buf.at()] = at;
                stays.push(Stay::new(buf, offset, step, u32::MAX));
            }
            Event::Left { buf, level, .. } => {
                if let Some(stay) = self.by_level[level.at()].get_mut(self.last[buf.at()] as usize) {
                    stay.to = step;
                }
            }
            _ => {}
        }
    }

    pub(super) fn finish(&mut self) {
        self.last = Vec::new();
        self.by_level.iter_mut().for_each(Vec::shrink_to_fit);
    }

    /// The stays that begin at the steps of `steps`.
    pub(super) fn beginning(&self, level: LevelIx, steps: Range<u32>) -> &[Stay] {
        let stays = &self.by_level[level.at()];
        let before = |step: u32| stays.partition_point(|stay| stay.from < step);
        &stays[before(steps.start)..before(steps.end).max(before(steps.start))]
    }

    /// The stays of one buffer of `level`, in order.
    pub(super) fn of(&self, level: LevelIx, buf: BufIx) -> impl Iterator<Item = Stay> + '_ {
        let stays = &self.by_level[level.at()];
        let at = move |at: u32| stays.get(at as usize).copied();
        std::iter::successors(at(self.first[buf.at()]), move |stay| at(stay.next))
    }

    pub(super) fn bytes(&self) -> usize {
        let stays = self.by_level.iter().map(Vec::capacity).sum::<usize>();
        stays * size_of::<Stay>() + (self.first.capacity() + self.last.capacity()) * 4
    }
}

const _: () = assert!(size_of::<Stay>() <= 24);
