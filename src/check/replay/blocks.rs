//! The part of the replay that is about blocks: pool levels, and main memory.

use super::{Replay, Rule, Space, State};
use crate::check::addresses::Range;
use crate::check::pool::{Got, Refusal, Request};
use crate::model::{BufIx, PoolFigures, PoolRules};

impl<'a> Replay<'a> {
    /// How the pool that `buf` lives in keeps its blocks; `None` where it lives in an arena.
    pub(super) fn pool_rules(&self, buf: BufIx) -> Option<&'a PoolRules> {
        self.problem.level(self.problem.level_of(buf)).pool()
    }

    /// Gives `buf` its block at `cycle`.
    pub(super) fn settle_in_block(&mut self, buf: BufIx, rules: &PoolRules, offset: i64, cycle: u64) {
        let request = self.request(buf, rules);
        self.lives[buf.at()].state = State::In(None);
        let place = (offset, request.block);
        let Ok(start) = u64::try_from(offset) else {
            return self.broken_place(Rule::R5, buf, place, "lies below address 0", None);
        };
        let size = self.problem.graph.buffer(buf).size;
        let level = &mut self.levels[self.problem.level_of(buf).at()];
        let Space::Pool(pool) = &mut level.space else { return };
        match pool.place(request, start, cycle) {
            Ok(got) => {
                level.count_in(size);
                let life = &mut self.lives[buf.at()];
                life.state = State::In(Some(Range { start, end: start.saturating_add(size) }));
                life.fresh = got == Got::Fresh;
            }
            Err(refusal) => self.refuse_block(buf, place, refusal),
        }
    }

    fn refuse_block(&mut self, buf: BufIx, place: (i64, u64), refusal: Refusal) {
        let capacity = self.problem.level(self.problem.level_of(buf)).capacity;
        match refusal {
            Refusal::NoRoom { busy } => {
                let what = format!("has no room beside the blocks in use: {busy} of {capacity}");
                self.broken_place(Rule::R5, buf, place, &what, None);
            }
            Refusal::Overlap { block: Range { start, end }, holder } => {
                let whose = match holder {
                    Some(holder) => format!("block [{start},{end}) of buffer {}", self.problem.graph.buffer(holder).id),
                    None => format!("idle block [{start},{end})"),
                };
                self.broken_place(Rule::R6, buf, place, &format!("overlaps the {whose}"), holder);
            }
        }
    }

    /// Cycles that the operation at hand needs to touch those of its buffers for the first time whose blocks are new.
    pub(super) fn first_touches(&mut self, operands: &[BufIx]) -> u64 {
        let mut cycles: u64 = 0;
        for &buf in operands {
            if std::mem::take(&mut self.lives[buf.at()].fresh) && !self.problem.graph.buffer(buf).backed {
                let level = self.problem.level(self.problem.level_of(buf));
                cycles = cycles.saturating_add(level.fresh_cycles(self.problem.graph.buffer(buf).size));
            }
        }
        cycles
    }

    /// `buf` begins to go out at `cycle`: main memory needs a block for it, unless it holds the contents anyway.
    pub(super) fn keep_in_main(&mut self, buf: BufIx, cycle: u64) {
        if self.problem.graph.buffer(buf).backed {
            return;
        }
        let request = self.request(buf, &self.problem.machine.main_memory);
        let block = self.main.pick(request, cycle);
        self.main_overflowed |= block.is_none();
        self.lives[buf.at()].kept_in = block;
    }

    /// `buf` is back at `cycle`.
    pub(super) fn release_from_main(&mut self, buf: BufIx, cycle: u64) {
        if let Some(block) = self.lives[buf.at()].kept_in.take() {
            self.main.release(block, cycle);
        }
    }

    /// What main memory did. Its peak is `u64::MAX` where it came to more than can be counted.
    pub(super) fn main_figures(&self) -> PoolFigures {
        let figures = self.main.figures();
        let peak_held = if self.main_overflowed { u64::MAX } else { figures.peak_held };
        PoolFigures { peak_held, ..figures }
    }

    fn request(&self, buf: BufIx, rules: &PoolRules) -> Request {
        Request { buf, block: self.problem.block_size(buf, rules), used: self.problem.used_of(buf) }
    }
}
