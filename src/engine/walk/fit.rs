//! Where a buffer goes once there is a hole for it.

use super::Walk;
use crate::engine::memory::Hole;
use crate::model::{BufIx, Event, Fit, LevelIx, Sink};

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
            Fit::Window => self.best_window(level, size),
        }?;
        if S::ON {
            let holes = arena.holes().filter(|hole| hole.size >= size).count() as u32;
            let free_at = self.timing.free_since(level, offset, offset + size);
            self.sink.record(Event::Fitted { buf, fit, holes, free_at });
        }
        Some(offset)
    }

    /// Of all stretches of holes that begin or end where a hole does or an earlier holder did: the one that falls free
    /// first; of equal ones that in the smallest hole, then the one with the lowest address.
    fn best_window(&self, level: LevelIx, size: u64) -> Option<u64> {
        let holes = self.arenas[level.at()].holes().filter(|hole| hole.size >= size);
        let windows = holes.flat_map(|Hole { start, size: length }| {
            let last = start + length - size;
            let borders = self.timing.borders(level, start, start + length);
            let starts = borders.flat_map(move |border| [Some(border), border.checked_sub(size)]).flatten();
            let inside = starts.filter(move |&at| start <= at && at <= last);
            inside.chain([start, last]).map(move |at| (self.timing.free_since(level, at, at + size), length, at))
        });
        windows.min().map(|(_, _, at)| at)
    }
}
