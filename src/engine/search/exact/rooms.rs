//! Who goes where in an exact evaluation, and who leaves for it.

use super::{At, Exact, FREE, Facts, Price, Window};
use crate::model::{BufIx, LevelIx, NodeIx, Spill, SpillIx, Step};

impl Exact<'_> {
    /// Notes which stays begin with `node`. A buffer that nobody made leave since its last stay leaves now where it is to
    /// lie elsewhere from now on: others were laid out to lie where it does.
    pub(super) fn turn_over(&mut self, node: NodeIx, named: &[BufIx]) {
        if self.layout.is_empty() {
            return;
        }
        for &buf in named {
            let Some(stay) = self.layout.begins(buf, node) else { continue };
            self.states[buf.at()].stay = stay;
            let wanted = self.layout.address(buf, stay).filter(|_| self.fit.trust == f64::INFINITY);
            if matches!((wanted, self.states[buf.at()].at), (Some(wanted), At::Address(start)) if wanted != start) {
                self.leave(buf);
            }
        }
    }

    /// Brings those of `named` that are out back. All of them are pinned meanwhile.
    pub(super) fn bring_back(&mut self, named: &[BufIx]) -> Option<()> {
        if !named.iter().any(|&buf| matches!(self.states[buf.at()].at, At::Out(_))) {
            return Some(());
        }
        named.iter().for_each(|buf| self.states[buf.at()].pinned = self.turn);
        for &buf in named {
            if matches!(self.states[buf.at()].at, At::Out(_)) && self.come_back(buf).is_none() {
                self.pack(LevelIx(self.facts[buf.at()].level), named)?;
            }
        }
        Some(())
    }

    /// The last resort, where pinned buffers lie so that no window is large enough: everything in the level goes out,
    /// and the operands come back side by side.
    fn pack(&mut self, level: LevelIx, named: &[BufIx]) -> Option<()> {
        if !self.problem.level(level).spill {
            return None;
        }
        let held = self.levels[level.at()].stretches.iter().map(|stretch| stretch.holder);
        let held: Vec<u32> = held.filter(|&holder| holder != FREE).collect();
        held.into_iter().for_each(|buf| self.leave(BufIx(buf)));
        for &buf in named {
            let Facts { size, back, level: own, .. } = self.facts[buf.at()];
            if LevelIx(own) != level {
                continue;
            }
            let low = self.levels[level.at()].stretches.iter().find(|stretch| stretch.holder == FREE)?.start;
            if self.problem.level(level).capacity - low < size {
                return None;
            }
            self.settle_back(buf, level, low, size, back);
        }
        Some(())
    }

    /// SPILL_IN of `buf`.
    fn come_back(&mut self, buf: BufIx) -> Option<()> {
        let Facts { size, level, back, .. } = self.facts[buf.at()];
        let window = self.room(buf)?;
        self.clear_window(LevelIx(level), window);
        self.settle_back(buf, LevelIx(level), window.start, size, back);
        Some(())
    }

    fn settle_back(&mut self, buf: BufIx, level: LevelIx, start: u64, size: u64, cycles: u64) {
        let At::Out(spill) = self.states[buf.at()].at else { return };
        let since = self.levels[level.at()].take(start, size, buf.0);
        let ready = self.states[buf.at()].out_end.max(since);
        let end = self.occupy(self.problem.back_unit, ready, cycles);
        let state = &mut self.states[buf.at()];
        state.at = At::Address(start);
        (state.back_end, state.touched) = (end, state.touched.max(end));
        if let Some(plan) = &mut self.plan {
            plan.spills[spill.at()].offset = Some(start);
        }
        self.emit(Step::Back(spill));
    }

    /// Finds an address for `buf` and makes room there. Returns the cycle from which it is free.
    pub(super) fn enter(&mut self, buf: BufIx) -> Option<u64> {
        let Facts { size, level, .. } = self.facts[buf.at()];
        let level = LevelIx(level);
        let window = self.room(buf)?;
        self.clear_window(level, window);
        let since = self.levels[level.at()].take(window.start, size, buf.0);
        let state = &mut self.states[buf.at()];
        state.at = At::Address(window.start);
        if let Some(plan) = &mut self.plan {
            plan.memory[buf.at()] = Some(window.start);
        }
        Some(since)
    }

    /// The window that `buf` gets, whoever lies there.
    fn room(&mut self, buf: BufIx) -> Option<Window> {
        let Facts { size, level, .. } = self.facts[buf.at()];
        let may_spill = self.problem.machine.levels[usize::from(level)].spill;
        // Whatever fills the buffer cannot begin before its lane is free, so what falls free by then is not late.
        let ready = self.done_by(self.filled_on[buf.at()]);
        let addresses = &self.levels[usize::from(level)];
        let mut prices = std::mem::take(&mut self.prices);
        prices.clear();
        prices.extend(addresses.stretches.iter().map(|stretch| {
            if stretch.holder == FREE {
                return Price { worth: 0.0, late: stretch.since.saturating_sub(ready) };
            }
            let (facts, state) = (&self.facts[stretch.holder as usize], &self.states[stretch.holder as usize]);
            if !may_spill || state.pinned == self.turn {
                return Price { worth: f64::INFINITY, late: 0 };
            }
            let distance = f64::from(state.next.saturating_sub(self.place).max(1));
            let free_at = state.touched.saturating_add(facts.out);
            Price { worth: facts.cost as f64 / distance, late: free_at.saturating_sub(ready) }
        }));
        let wanted = self.layout.address(buf, self.states[buf.at()].stay);
        let window = addresses.best_near(wanted, size, self.fit, &prices);
        self.prices = prices;
        window
    }

    /// Lets everybody in the window leave.
    fn clear_window(&mut self, level: LevelIx, window: Window) {
        let touched = &self.levels[level.at()].stretches[window.first..window.end];
        self.leaving.clear();
        self.leaving.extend(touched.iter().map(|stretch| stretch.holder).filter(|&holder| holder != FREE));
        for at in 0..self.leaving.len() {
            self.leave(BufIx(self.leaving[at]));
        }
    }

    /// SPILL_OUT.
    fn leave(&mut self, buf: BufIx) {
        let Facts { cost, out, .. } = self.facts[buf.at()];
        let spill = SpillIx(self.spills);
        self.spills += 1;
        self.score.traffic = self.score.traffic.saturating_add(cost);
        let end = self.occupy(self.problem.out_unit, self.states[buf.at()].touched, out);
        self.vacate(buf, end, At::Out(spill));
        self.states[buf.at()].out_end = end;
        if let Some(plan) = &mut self.plan {
            plan.spills.push(Spill { buf, offset: None });
        }
        self.emit(Step::Out(spill));
    }

    pub(super) fn vacate(&mut self, buf: BufIx, cycle: u64, to: At) {
        if let At::Address(start) = self.states[buf.at()].at {
            self.levels[self.facts[buf.at()].level as usize].give(start, cycle);
        }
        self.states[buf.at()].at = to;
    }
}
