//! The chain of fallbacks when no hole is large enough: one victim, many, or the ALLOC moves.

use super::Walk;
use crate::engine::spill::{Moment, Ranking};
use crate::model::{BufIx, Event, Fallback, LevelIx, NodeIx, Refusal, Sink, VictimRule};

/// How room for a placement was found.
pub(super) enum Room {
    Fits,
    By(Fallback),
    /// The ALLOC moved; this node is at hand now.
    Moved(NodeIx),
}

impl<S: Sink> Walk<'_, S> {
    /// Finds room for `buf`, whose turn is `node`'s, or says by events why there is none.
    pub(super) fn make_room(&mut self, buf: BufIx, node: NodeIx, here: u32, chain: &[Fallback]) -> Option<Room> {
        let level = self.problem.level_of(buf);
        let size = self.problem.graph.buffer(buf).size;
        if self.has_room(buf, level, size) {
            return Some(Room::Fits);
        }
        let (free, largest) = self.free_and_largest(level);
        self.sink.record(Event::NoHole { buf, level, free, largest });
        let moment = Moment { first: here, now: here.max(self.sequence.place(node)) };
        for (at, &fallback) in chain.iter().enumerate() {
            let refused = match fallback {
                Fallback::Spill
                    if chain.get(at + 1) == Some(&Fallback::SpillMany) && self.many_are_cheaper(buf, moment) =>
                {
                    Err((Refusal::RunIsCheaper, node))
                }
                Fallback::Spill => self.spill(buf, node, moment, false),
                Fallback::SpillMany => self.spill(buf, node, moment, true),
                Fallback::Postpone => match self.postpone(node, buf) {
                    Ok(next) => return Some(Room::Moved(next)),
                    Err(refusal) => Err(refusal),
                },
                Fallback::Pack | Fallback::Search | Fallback::Plan => continue,
            };
            match refused {
                Ok(()) => return Some(Room::By(fallback)),
                Err((reason, node)) => self.sink.record(Event::FellThrough { buf, fallback, reason, node }),
            }
        }
        None
    }

    /// Whether the rule would rather have several small ones leave than the best single victim.
    fn many_are_cheaper(&self, need: BufIx, moment: Moment) -> bool {
        let level = self.problem.level_of(need);
        self.options.victims == VictimRule::CheapestRun
            && self.may_spill(level)
            && Ranking::cheapest_length(self, level, self.problem.graph.buffer(need).size, moment) > 1
    }

    /// Blocks of a pool stay until their buffer is freed.
    pub(super) fn may_spill(&self, level: LevelIx) -> bool {
        self.problem.level(level).spill && self.pools[level.at()].is_none()
    }

    /// One victim, or (`many`) victims in order until a hole is large enough.
    fn spill(&mut self, need: BufIx, node: NodeIx, moment: Moment, many: bool) -> Result<(), (Refusal, NodeIx)> {
        let level = self.problem.level_of(need);
        if !self.may_spill(level) {
            return Err((Refusal::LevelMayNotSpill, node));
        }
        let size = self.problem.graph.buffer(need).size;
        let found = self.find_victims(level, size, moment, many);
        let mut ranking = std::mem::take(&mut self.ranking);
        if S::ON {
            ranking.report(self, moment).into_iter().for_each(|event| self.sink.record(event));
        }
        let how = if many { Fallback::SpillMany } else { Fallback::Spill };
        if found.is_ok() {
            ranking.chosen().iter().for_each(|&victim| self.leave(victim, need, how));
        }
        self.ranking = ranking;
        found.map_err(|refusal| (refusal, node))
    }

    /// Ranks who could leave `level` and chooses those whose leaving opens a hole of `size`.
    pub(super) fn find_victims(
        &mut self,
        level: LevelIx,
        size: u64,
        moment: Moment,
        many: bool,
    ) -> Result<(), Refusal> {
        let mut ranking = std::mem::take(&mut self.ranking);
        ranking.fill(self, level, moment);
        let found = match (many, self.options.victims) {
            (false, _) => ranking.single(self, level, size),
            (true, VictimRule::CheapestRun) => ranking.run(self, level, size, moment),
            (true, _) => ranking.enough(self, level, size),
        };
        self.ranking = ranking;
        found
    }

    /// Moves the ALLOC at hand to right behind the first FREE that makes room, if that comes before its first use.
    fn postpone(&mut self, alloc: NodeIx, buf: BufIx) -> Result<NodeIx, (Refusal, NodeIx)> {
        if self.postponed[buf.at()] >= self.options.postpone_limit {
            return Err((Refusal::PostponeLimit, alloc));
        }
        let graph = &*self.problem.graph;
        let level = self.problem.level_of(buf);
        let mut frees: Vec<(u32, NodeIx, u64)> = self.resident[level.at()]
            .iter()
            .map(|&resident| (resident, graph.buffer(resident)))
            .filter_map(|(resident, buffer)| {
                let free = buffer.free?;
                Some((self.sequence.first_place(free), free, self.problem.space_of(resident)))
            })
            .collect();
        frees.sort_unstable();
        let size = self.problem.space_of(buf);
        let (mut free, _) = self.free_and_largest(level);
        let makes_room = frees.iter().find(|(_, _, freed)| {
            free += freed;
            free >= size
        });
        let Some(&(_, behind, _)) = makes_room else { return Err((Refusal::NoLaterFree, alloc)) };
        let needs = graph.succs(alloc).chain(graph.users(buf).iter().copied()).chain(graph.buffer(buf).free);
        if let Some(first) = needs.min_by_key(|&need| self.sequence.key(need))
            && self.sequence.key(first) <= self.sequence.key(behind)
        {
            return Err((Refusal::PastFirstUse, first));
        }
        self.postponed[buf.at()] += 1;
        self.sink.record(Event::Postponed { buf, count: self.postponed[buf.at()], after: behind, free });
        Ok(self.sequence.postpone(alloc, behind))
    }
}
