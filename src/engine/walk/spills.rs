//! The two halves of a spill: who leaves, and who comes back before it is named again.

use super::{At, Walk};
use crate::model::{
    BufIx, Event, Fallback, Fit, Leaving, LevelIx, NodeIx, PickedVictim, Placing, Sink, Spill, SpillIx, Step,
};

impl<S: Sink> Walk<'_, S> {
    /// Buffers without a FREE live to the end: those that are out come back there, as if the end named them all.
    pub(super) fn bring_back_the_undying(&mut self, here: usize) {
        let buffers = self.problem.graph.buffers().iter().enumerate();
        let undying: Vec<BufIx> =
            buffers.filter(|(_, buffer)| buffer.free.is_none()).map(|(at, _)| BufIx::new(at)).collect();
        if let Some(&first) = undying.first() {
            self.turn += 1;
            let node = self.problem.graph.buffer(first).alloc;
            self.bring_back(&undying, node, here as u32);
        }
    }

    /// Brings those of `named` (sorted) that are out back, level by level in the order of the levels' names. All
    /// of them are pinned meanwhile.
    pub(super) fn bring_back(&mut self, named: &[BufIx], node: NodeIx, here: u32) {
        if !named.iter().any(|&buf| self.is_out(buf)) {
            return;
        }
        named.iter().for_each(|buf| self.pinned_at[buf.at()] = self.turn);
        let problem = self.problem;
        let chain = self.options.on_full.iter().copied().filter(|step| *step != Fallback::Postpone);
        let chain: Vec<Fallback> = chain.collect();
        for &level in &problem.levels_by_name {
            for &buf in named {
                if problem.level_of(buf) != level || !self.is_out(buf) {
                    continue;
                }
                if let Some(room) = self.make_room(buf, node, here, &chain) {
                    self.count(&room);
                    self.come_back(buf, self.options.fit);
                } else {
                    self.pack(level, buf, named);
                    break; // all of this level are back
                }
            }
        }
    }

    /// The last resort: everything in the level goes out by id, and the operands come back by id from address 0.
    fn pack(&mut self, level: LevelIx, need: BufIx, named: &[BufIx]) {
        self.sink.record(Event::Packed { level, buf: need });
        self.reached.packed += 1;
        let mut all = self.resident[level.at()].clone();
        all.sort_unstable();
        all.into_iter().for_each(|buf| self.leave(buf, need, Fallback::Pack));
        // Of an empty level best fit always fills the start, so that whatever fits in total fits.
        for &buf in named.iter().filter(|&&buf| self.problem.level_of(buf) == level) {
            self.come_back(buf, Fit::Best);
        }
    }

    /// Who goes first in the decision at hand, where somebody else than the rule picks.
    pub(in crate::engine) fn picked_victim(&self) -> Option<BufIx> {
        let here = |picked: &PickedVictim| picked.spill.at() == self.plan.spills.len();
        self.options.picked.filter(here).map(|picked| picked.victim)
    }

    /// SPILL_OUT of `victim`.
    pub(super) fn leave(&mut self, victim: BufIx, need: BufIx, how: Fallback) {
        let At::Offset(offset) = self.place[victim.at()] else { return };
        let level = self.problem.level_of(victim);
        let size = self.problem.graph.buffer(victim).size;
        let spill = SpillIx::new(self.plan.spills.len());
        self.plan.spills.push(Spill { buf: victim, offset: None });
        self.traffic = self.traffic.saturating_add(self.problem.spill_cost(victim));
        self.sink.record(Event::Chosen { victim, need, how, spill });
        if let Some(node) = self.next_use.as_ref().and_then(|next_use| next_use.of(victim)) {
            self.sink.record(Event::PlannedBack { spill, node });
        }
        let slot = self.timing.move_out(victim, level, offset);
        self.place[victim.at()] = At::Out(spill, slot.end);
        self.out += 1;
        self.main.keep(self.problem, victim, slot.start, self.sink);
        self.sink.record(Event::MovedOut { spill, unit: slot.unit, lane: slot.lane, start: slot.start, end: slot.end });
        self.lift(victim, level, offset, size, Leaving::Out, slot.end);
        self.plan.steps.push(Step::Out(spill));
        self.sink.end_step(Step::Out(spill));
    }

    /// SPILL_IN of `buf`, for which a hole is there.
    pub(super) fn come_back(&mut self, buf: BufIx, fit: Fit) {
        let At::Out(spill, out_end) = self.place[buf.at()] else { return };
        let level = self.problem.level_of(buf);
        let offset = self.settle(buf, fit);
        self.out -= 1;
        self.plan.spills[spill.at()].offset = Some(offset);
        let slot = self.timing.move_back(buf, level, offset, out_end);
        self.sink.record(Event::MovedBack {
            spill,
            unit: slot.unit,
            lane: slot.lane,
            start: slot.start,
            end: slot.end,
        });
        self.main.release(self.problem, buf, slot.end, self.sink);
        self.sink.record(Event::Placed { buf, how: Placing::Back, level, offset, at: slot.start });
        self.plan.steps.push(Step::Back(spill));
        self.sink.end_step(Step::Back(spill));
    }
}
