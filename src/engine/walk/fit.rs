//! Where a buffer goes once there is a hole for it.

use super::{At, Walk};
use crate::engine::memory::Hole;
use crate::model::{BufIx, Event, Fit, LevelIx, NodeKind, Sink};

/// How many holes a window is looked for in, and at how many borders in each.
const LOOKED_AT: usize = 64;

impl<S: Sink> Walk<'_, S> {
    /// Takes addresses for `buf` by `fit`, for which a hole is known to be there.
    pub(super) fn settle(&mut self, buf: BufIx, fit: Fit) -> u64 {
        let level = self.problem.level_of(buf);
        let size = self.problem.graph.buffer(buf).size;
        let offset = self.place_of(buf, level, size, fit).expect("the caller made room");
        let arena = &mut self.arenas[level.at()];
        arena.take(offset, size);
        self.last_end[level.at()] = offset + size;
        let used = self.problem.level(level).capacity - arena.free();
        self.used_peak[level.at()] = self.used_peak[level.at()].max(used);
        self.moves_in(buf, level, offset);
        offset
    }

    /// Where `fit` puts `buf`; `None` where no hole is large enough.
    fn place_of(&mut self, buf: BufIx, level: LevelIx, size: u64, fit: Fit) -> Option<u64> {
        let arena = &self.arenas[level.at()];
        let offset = match fit {
            Fit::Best => return arena.best_fit(size),
            Fit::First => arena.first_fit(size, 0),
            Fit::Next => arena.first_fit(size, self.last_end[level.at()]).or_else(|| arena.first_fit(size, 0)),
            Fit::Window => self.best_window(buf, level, size),
        }?;
        if S::ON {
            let holes = arena.holes_for(size).count() as u32;
            let free_at = self.timing.free_since(level, offset, offset + size);
            self.sink.record(Event::Fitted { buf, fit, holes, free_at });
        }
        Some(offset)
    }

    /// Of all stretches of holes that begin or end where a hole does or an earlier holder did: the one that keeps `buf`
    /// waiting least for that holder; of equal ones that in the smallest hole, then the one with the lowest address. Of
    /// many only the smallest holes are looked at.
    fn best_window(&self, buf: BufIx, level: LevelIx, size: u64) -> Option<u64> {
        let wanted_at = self.wanted_at(buf);
        let holes = self.arenas[level.at()].holes_for(size).take(LOOKED_AT);
        let windows = holes.flat_map(|Hole { start, size: length }| {
            let last = start + length - size;
            let borders = self.timing.borders(level, start, start + length).take(LOOKED_AT);
            let starts = borders.flat_map(move |border| [Some(border), border.checked_sub(size)]).flatten();
            let inside = starts.filter(move |&at| start <= at && at <= last);
            inside.chain([start, last]).map(move |at| {
                let free_at = self.timing.free_since(level, at, at + size);
                (free_at.max(wanted_at), length, at)
            })
        });
        windows.min().map(|(_, _, at)| at)
    }

    /// The cycle before which `buf` makes no use of its addresses, as far as it is known: that at which its way back
    /// could begin, or its first user.
    fn wanted_at(&self, buf: BufIx) -> u64 {
        if let At::Out(_, out_end) = self.place[buf.at()] {
            return out_end.max(self.timing.lane_free(self.problem.back_unit));
        }
        let graph = &*self.problem.graph;
        match self.next_use.as_ref().and_then(|next_use| next_use.of(buf)) {
            Some(node) => match graph.node(node).kind {
                NodeKind::Op(op) => {
                    self.timing.ready_at(node).max(self.timing.lane_free(self.problem.unit_of(op.pipe)))
                }
                NodeKind::Alloc(_) | NodeKind::Free(_) => u64::MAX,
            },
            None => u64::MAX,
        }
    }
}
