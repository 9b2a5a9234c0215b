//! Who leaves when a level is full. Always with a reason: what was considered, in which order, and why not.

mod run;
mod score;

use std::collections::BinaryHeap;

use super::walk::Walk;
use crate::model::{BufIx, Event, LevelIx, Refusal, SHOWN_CANDIDATES, Sink, Verdict, VictimRule};
use run::{Neighbour, cheapest_run};
pub(super) use score::{Moment, Score};

/// A possible victim; greater means that it leaves first (ties to the lowest id).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    /// Whether somebody else than the rule picks it.
    picked: bool,
    rank: u128,
    tie: std::cmp::Reverse<BufIx>,
}

/// The victims of one decision, drawn lazily in the policy's order. Kept between decisions for its memory.
#[derive(Debug, Default)]
pub(super) struct Ranking {
    /// Not looked at yet.
    heap: BinaryHeap<Candidate>,
    /// Looked at, in order, with what became of them.
    seen: Vec<(BufIx, Verdict)>,
    chosen: Vec<BufIx>,
    pinned: Vec<BufIx>,
}

impl Ranking {
    /// Enters the residents of `level`, pinned ones apart.
    pub(super) fn fill<S: Sink>(&mut self, walk: &Walk<'_, S>, level: LevelIx, moment: Moment) {
        self.seen.clear();
        self.chosen.clear();
        self.pinned.clear();
        let mut candidates = std::mem::take(&mut self.heap).into_vec();
        candidates.clear();
        let picked = walk.picked_victim();
        for &buf in &walk.resident[level.at()] {
            if walk.is_pinned(buf) {
                self.pinned.push(buf);
            } else {
                let rank = Score::new(walk, buf, moment).rank;
                candidates.push(Candidate { picked: picked == Some(buf), rank, tie: std::cmp::Reverse(buf) });
            }
        }
        self.heap = BinaryHeap::from(candidates);
    }

    /// Chooses the first victim whose leaving opens a hole of `size`.
    pub(super) fn single<S: Sink>(&mut self, walk: &Walk<'_, S>, level: LevelIx, size: u64) -> Result<(), Refusal> {
        if self.heap.is_empty() {
            return Err(Refusal::NoVictim);
        }
        while let Some(Candidate { tie, .. }) = self.heap.pop() {
            let buf = tie.0;
            let opens = walk
                .offset(buf)
                .map_or(0, |offset| walk.arenas[level.at()].hole_if_given(offset, walk.problem.graph.buffer(buf).size));
            if opens >= size {
                self.seen.push((buf, Verdict::Chosen));
                self.chosen.push(buf);
                return Ok(());
            }
            self.seen.push((buf, Verdict::NoHole));
        }
        Err(Refusal::NoSingleVictim)
    }

    /// Chooses victims in order until together they open a hole of `size`; nobody where all together do not.
    pub(super) fn enough<S: Sink>(&mut self, walk: &mut Walk<'_, S>, level: LevelIx, size: u64) -> Result<(), Refusal> {
        if self.heap.is_empty() {
            return Err(Refusal::NoVictim);
        }
        let mut given = Vec::new();
        let mut large_enough = false;
        while let Some(Candidate { tie, .. }) = self.heap.pop() {
            let buf = tie.0;
            self.seen.push((buf, Verdict::Chosen));
            self.chosen.push(buf);
            if let Some(offset) = walk.offset(buf) {
                let length = walk.problem.graph.buffer(buf).size;
                given.push((offset, length));
                large_enough = walk.arenas[level.at()].give(offset, length).size >= size;
            }
            if large_enough {
                break;
            }
        }
        // It was a trial: each victim leaves in a step of its own.
        given.into_iter().rev().for_each(|(offset, length)| walk.arenas[level.at()].take(offset, length));
        if large_enough {
            return Ok(());
        }
        self.chosen.clear();
        self.seen.iter_mut().for_each(|(_, verdict)| *verdict = Verdict::NotEnough);
        Err(Refusal::NotEnoughTogether)
    }

    /// Chooses the cheapest run of neighbours whose leaving opens a hole of `size`.
    pub(super) fn run<S: Sink>(
        &mut self,
        walk: &Walk<'_, S>,
        level: LevelIx,
        size: u64,
        moment: Moment,
    ) -> Result<(), Refusal> {
        if self.heap.is_empty() {
            return Err(Refusal::NoVictim);
        }
        let residents = neighbours(walk, level, moment);
        let capacity = walk.problem.level(level).capacity;
        let Some(run) = cheapest_run(&residents, capacity, size) else {
            while let Some(Candidate { tie, .. }) = self.heap.pop() {
                self.seen.push((tie.0, Verdict::NotEnough));
            }
            return Err(Refusal::NotEnoughTogether);
        };
        self.chosen.extend(run.iter().map(|one| one.buf));
        self.seen.extend(self.chosen.iter().map(|&buf| (buf, Verdict::Chosen)));
        let chosen = &self.chosen;
        self.heap.retain(|candidate| !chosen.contains(&candidate.tie.0));
        Ok(())
    }

    /// How many leave in the cheapest run that opens a hole of `size`; 0 where there is none.
    pub(super) fn cheapest_length<S: Sink>(walk: &Walk<'_, S>, level: LevelIx, size: u64, moment: Moment) -> usize {
        let residents = neighbours(walk, level, moment);
        cheapest_run(&residents, walk.problem.level(level).capacity, size).map_or(0, <[Neighbour]>::len)
    }

    /// The victims, in the order in which they leave.
    pub(super) fn chosen(&self) -> Vec<BufIx> {
        self.chosen.clone()
    }

    /// The decision as events: the best candidates one by one, the rest counted.
    pub(super) fn report<S: Sink>(&mut self, walk: &Walk<'_, S>, moment: Moment) -> Vec<Event> {
        // Fill the rows that are left with those that were spared, then with those that were pinned.
        let spared = if walk.victims() == VictimRule::CheapestRun && !self.chosen.is_empty() {
            Verdict::DearerRun
        } else {
            Verdict::NotNeeded
        };
        let mut not_needed = self.heap.len() as u32;
        while self.seen.len() < SHOWN_CANDIDATES {
            let Some(Candidate { tie, .. }) = self.heap.pop() else { break };
            self.seen.push((tie.0, spared));
            not_needed -= 1;
        }
        // Who is chosen gets a row even where many before it were in vain.
        if let Some(at) = self.seen.iter().position(|(_, verdict)| *verdict == Verdict::Chosen)
            && at >= SHOWN_CANDIDATES
        {
            self.seen.swap(SHOWN_CANDIDATES - 1, at);
        }
        let room_for_pinned = SHOWN_CANDIDATES.saturating_sub(self.seen.len()).min(self.pinned.len());
        self.pinned.sort_unstable();
        let pinned = self.pinned[..room_for_pinned].iter().map(|&buf| (buf, Verdict::Pinned));
        let shown = self.seen.iter().take(SHOWN_CANDIDATES).copied().chain(pinned);
        let mut events: Vec<Event> = shown.map(|(buf, verdict)| candidate(walk, moment, buf, verdict)).collect();
        let count = |wanted: Verdict| {
            self.seen.iter().skip(SHOWN_CANDIDATES).filter(|(_, verdict)| *verdict == wanted).count() as u32
        };
        let pinned = (self.pinned.len() - room_for_pinned) as u32;
        let no_hole = count(Verdict::NoHole) + count(Verdict::NotEnough);
        let chosen = count(Verdict::Chosen);
        if pinned + no_hole + not_needed + chosen > 0 {
            events.push(Event::MoreCandidates { pinned, no_hole, not_needed, chosen });
        }
        events
    }
}

/// The residents of `level` by address, with what their leaving costs.
fn neighbours<S: Sink>(walk: &Walk<'_, S>, level: LevelIx, moment: Moment) -> Vec<Neighbour> {
    let neighbour = |&buf: &BufIx| {
        let start = walk.offset(buf)?;
        let end = start + walk.problem.graph.buffer(buf).size;
        let price = (!walk.is_pinned(buf)).then(|| Score::new(walk, buf, moment).price());
        Some(Neighbour { buf, start, end, price })
    };
    let mut residents: Vec<Neighbour> = walk.resident[level.at()].iter().filter_map(neighbour).collect();
    residents.sort_unstable_by_key(|one| one.start);
    residents
}

fn candidate<S: Sink>(walk: &Walk<'_, S>, moment: Moment, buf: BufIx, verdict: Verdict) -> Event {
    let next = walk.next_use.as_ref().and_then(|next_use| next_use.of(buf));
    let Score { steps, shown, .. } = Score::new(walk, buf, moment);
    Event::Candidate {
        buf,
        verdict,
        rule: walk.victims(),
        next_use: next.map_or(u32::MAX, |node| walk.sequence.first_place(node)),
        steps,
        score: shown,
    }
}
