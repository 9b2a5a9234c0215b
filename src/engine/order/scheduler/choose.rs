//! One decision: who of the ready goes, and why.

use super::ranks::{Key, Op};
use super::{Lack, Place, Scheduler, Start};
use crate::model::{Event, LevelIx, NodeIx, NodeKind, Order, SHOWN_CANDIDATES, Standing, UnitIx, Won};

/// How many of those for whom memory is kept back are looked at in one decision. The first of the safe sequence, which may
/// always go, is looked at in any case.
const MOST_LOOKS: usize = 8;

/// Who goes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    op: Op,
    won: Won,
    /// A more urgent one that was let wait.
    passed: Option<Op>,
}

/// Whether an operation may start now.
enum Verdict {
    Goes,
    Lacks(Lack),
    Unsafe,
}

impl Scheduler<'_> {
    /// The operation that starts on `unit`, whose lane is idle.
    pub(super) fn choose(&mut self, unit: UnitIx, now: u64) -> Option<Choice> {
        let first = self.first_that_fits(unit, now)?;
        if self.order != Order::CriticalPath || first.won == Won::Critical {
            return Some(first);
        }
        let can_wait = self.starts.latest(self.ops[first.op as usize]) > now;
        if can_wait && self.ledger.is_scarce() {
            // What is not due yet would only hold memory for longer; but somebody must run.
            return (self.running == 0).then_some(first);
        }
        Some(self.unless_a_light_one_passes(unit, now, first))
    }

    /// The first by key that has room, safely. Whoever comes to its turn without is entered among the waiting.
    fn first_that_fits(&mut self, unit: UnitIx, now: u64) -> Option<Choice> {
        let mut held_behind = None;
        let mut looks = 0;
        while let Some((op, place)) = self.first_candidate(unit, held_behind).filter(|_| looks < MOST_LOOKS) {
            match self.verdict(op) {
                Verdict::Goes => return Some(self.winner(unit, op)),
                Verdict::Lacks(lack) if place != Place::Held => self.waits_for(op, lack, now),
                Verdict::Unsafe if place != Place::Held => {
                    looks += 1;
                    held_behind = held_behind.max(Some(self.ranks.key(op)));
                    self.is_held_back(op, now);
                }
                Verdict::Lacks(_) | Verdict::Unsafe => {
                    looks += 1;
                    held_behind = Some(self.ranks.key(op));
                }
            }
        }
        let front = self.safety.as_mut()?.front()?;
        let op = self.op_of[front.at()];
        let here = self.standing[op as usize] != Place::None && self.unit_of(op) == unit;
        (here && matches!(self.verdict(op), Verdict::Goes)).then(|| self.winner(unit, op))
    }

    /// The first by key of the ready, of those whose level has room for them again, and of those kept back behind
    /// `held_behind`.
    fn first_candidate(&self, unit: UnitIx, held_behind: Option<Key>) -> Option<(Op, Place)> {
        let queue = &self.queues[unit.at()];
        let ready = self.ranks.first(queue.ready).map(|op| (op, Place::Ready));
        let held = match held_behind {
            None => self.ranks.first(queue.held),
            Some(key) => self.ranks.after(queue.held, key),
        };
        let waiting = queue.waiting.iter().enumerate().filter(|(_, set)| !set.is_empty()).filter_map(|(at, &set)| {
            let level = LevelIx::new(at);
            self.ranks.first_fitting(set, self.ledger.room(level)).map(|op| (op, Place::Waiting(level)))
        });
        waiting.chain(ready).chain(held.map(|op| (op, Place::Held))).min_by_key(|&(op, _)| self.ranks.key(op))
    }

    fn verdict(&mut self, op: Op) -> Verdict {
        let node = self.ops[op as usize];
        if let Some(lack) = self.lack(node, |_| true) {
            return Verdict::Lacks(lack);
        }
        let safe = self.safety.as_mut().is_none_or(|safety| safety.is_safe_with(node));
        if safe { Verdict::Goes } else { Verdict::Unsafe }
    }

    fn lack(&mut self, node: NodeIx, counts: impl Fn(LevelIx) -> bool) -> Option<Lack> {
        let mut allocs = std::mem::take(&mut self.allocs);
        self.ledger.missing(node, &mut allocs);
        let lack = self.ledger.lack(&allocs, counts);
        self.allocs = allocs;
        lack
    }

    fn moves(&mut self, op: Op, place: Place, need: u64) {
        self.leave(op);
        self.enter(op, place, need);
    }

    fn waits_for(&mut self, op: Op, lack: Lack, now: u64) {
        self.notes_wait(op, lack, now);
        self.moves(op, Place::Waiting(lack.level), lack.need);
    }

    fn is_held_back(&mut self, op: Op, now: u64) {
        if let Some(wanted) = self.wanted(op) {
            self.notes_wait(op, wanted, now);
        }
        self.moves(op, Place::Held, 0);
    }

    /// What `op` needs of the first level that lacks it, else of the first level that it takes anything of.
    pub(super) fn wanted(&mut self, op: Op) -> Option<Lack> {
        let node = self.ops[op as usize];
        self.lack(node, |_| true).or_else(|| {
            let level = self.level_of_alloc(*self.allocs.first()?);
            let here = self.allocs.iter().filter(|&&alloc| self.level_of_alloc(alloc) == level);
            let need = here.map(|&alloc| self.space_of_alloc(alloc)).sum();
            Some(Lack { level, need, room: self.ledger.room(level) })
        })
    }

    fn level_of_alloc(&self, alloc: NodeIx) -> LevelIx {
        let NodeKind::Alloc(buf) = self.problem.graph.node(alloc).kind else { unreachable!("an ALLOC") };
        self.problem.level_of(buf)
    }

    fn space_of_alloc(&self, alloc: NodeIx) -> u64 {
        let NodeKind::Alloc(buf) = self.problem.graph.node(alloc).kind else { unreachable!("an ALLOC") };
        self.problem.space_of(buf)
    }

    /// It waits from here on, unless it did before.
    fn notes_wait(&mut self, op: Op, lack: Lack, now: u64) {
        if self.waiting_since[op as usize] == u64::MAX {
            self.waiting_since[op as usize] = now;
            if self.record {
                let node = self.ops[op as usize];
                self.events.push(Event::WaitsForMemory { node, level: lack.level, need: lack.need, room: lack.room });
            }
        }
    }

    /// `op` is the first by key that fits.
    fn winner(&self, unit: UnitIx, op: Op) -> Choice {
        let queue = &self.queues[unit.at()];
        let won = if queue.len() == 1 {
            Won::Alone
        } else if self.somebody_before(unit, op) {
            Won::Fits
        } else {
            match self.order {
                Order::CriticalPath if self.keys.of(op).0 == 0 => Won::Critical,
                Order::CriticalPath => Won::Urgent,
                Order::MemoryAware => Won::Releases,
                _ => Won::LowestId,
            }
        };
        Choice { op, won, passed: None }
    }

    /// Whether somebody with a better key waits for memory.
    fn somebody_before(&self, unit: UnitIx, op: Op) -> bool {
        let queue = &self.queues[unit.at()];
        let key = self.ranks.key(op);
        let before = |set| self.ranks.first(set).is_some_and(|first| self.ranks.key(first) < key);
        before(queue.held) || queue.waiting.iter().any(|&set| before(set))
    }

    /// The shortest of the ready goes before `first` where `first` has slack for it, so that the queue moves on.
    fn unless_a_light_one_passes(&mut self, unit: UnitIx, now: u64, first: Choice) -> Choice {
        let latest = self.starts.latest(self.ops[first.op as usize]);
        while let Some(&(cycles, op)) = self.queues[unit.at()].by_cycles.first().filter(|_| self.light_tasks) {
            if cycles >= self.cycles(first.op) || now.saturating_add(cycles) > latest {
                break;
            }
            match self.verdict(op) {
                Verdict::Goes => return Choice { op, won: Won::Light, passed: Some(first.op) },
                Verdict::Lacks(lack) => self.waits_for(op, lack, now),
                Verdict::Unsafe => self.is_held_back(op, now),
            }
        }
        first
    }

    pub(super) fn cycles(&self, op: Op) -> u64 {
        match self.problem.graph.node(self.ops[op as usize]).kind {
            NodeKind::Op(op) => op.cycles,
            NodeKind::Alloc(_) | NodeKind::Free(_) => 0,
        }
    }

    /// Nothing runs and nothing has room: the first that lacks only levels that may spill goes all the same.
    pub(super) fn choose_forced(&mut self) -> Option<Choice> {
        let mut waiting: Vec<Op> = Vec::new();
        for queue in self.queues.iter().filter(|queue| queue.idle > 0) {
            for &set in queue.waiting.iter().filter(|set| !set.is_empty()) {
                waiting.extend(self.ranks.front(set, MOST_LOOKS));
            }
        }
        waiting.sort_unstable_by_key(|&op| self.ranks.key(op));
        if let Some(front) = self.safety.as_mut().and_then(super::Safety::front) {
            let op = self.op_of[front.at()];
            waiting.extend((self.standing[op as usize] != Place::None).then_some(op));
        }
        let problem = self.problem;
        let may_not_spill = |level: LevelIx| !problem.level(level).spill || problem.level(level).pool().is_some();
        let goes = |op: &Op| {
            let node = self.ops[*op as usize];
            let lack = self.lack(node, may_not_spill);
            lack.is_none() && self.safety.as_mut().is_none_or(|safety| safety.is_safe_with(node))
        };
        let op = waiting.into_iter().find(goes)?;
        Some(Choice { op, won: Won::Forced, passed: None })
    }

    /// Starts what was chosen: its missing buffers get room, and it leaves the queue.
    pub(super) fn start(&mut self, choice: Choice, now: u64) -> Start {
        let Choice { op, .. } = choice;
        let node = self.ops[op as usize];
        let unit = self.unit_of(op);
        self.record_decision(unit, &choice, now);
        self.leave(op);
        if let Some(safety) = &mut self.safety {
            safety.start(node);
            self.dirty.extend(self.stalled.iter().copied());
        }
        let fresh = self.run_missing_allocs(node, now);
        self.steps.push(node);
        self.left -= 1;
        self.running += 1;
        let queue = &mut self.queues[unit.at()];
        queue.idle -= 1;
        self.rekey(node);
        Start { node, unit, cycles: self.cycles(op).saturating_add(fresh) }
    }

    /// The ALLOCs that `node` waits for run. Returns the cycles that fresh memory costs it.
    fn run_missing_allocs(&mut self, node: NodeIx, now: u64) -> u64 {
        let mut allocs = Vec::new();
        self.ledger.missing(node, &mut allocs);
        let mut fresh: u64 = 0;
        for alloc in allocs {
            let NodeKind::Alloc(buf) = self.problem.graph.node(alloc).kind else { continue };
            fresh = fresh.saturating_add(self.ledger.take(alloc, buf, now));
            self.steps.push(alloc);
            self.need_less(alloc);
            self.finish(alloc, now);
        }
        fresh
    }

    /// Others that waited for memory for this ALLOC too are looked at again.
    fn need_less(&mut self, alloc: NodeIx) {
        let problem = self.problem;
        for next in problem.graph.succs(alloc).filter(|&next| problem.graph.node(next).kind.is_op()) {
            let op = self.op_of[next.at()];
            if matches!(self.standing[op as usize], Place::Waiting(_) | Place::Held) {
                self.moves(op, Place::Ready, 0);
            }
        }
    }

    fn rekey(&mut self, node: NodeIx) {
        let mut changed = Vec::new();
        let problem = self.problem;
        self.keys.start(problem, node, &self.op_of, |op| changed.push(op));
        changed.into_iter().for_each(|op| self.enter_again(op));
    }

    /// The queue as it stood, and who won.
    fn record_decision(&mut self, unit: UnitIx, choice: &Choice, now: u64) {
        if !self.record {
            return;
        }
        let node = self.ops[choice.op as usize];
        let since = self.waiting_since[choice.op as usize];
        if since != u64::MAX {
            let level = self.wanted(choice.op).map_or(LevelIx(0), |wanted| wanted.level);
            self.events.push(Event::Woken { node, level, since, at: now });
        }
        let mut front = self.queue_front(unit);
        if !front.contains(&choice.op) {
            front.truncate(SHOWN_CANDIDATES - 1);
            front.push(choice.op);
        }
        for op in front {
            let standing = match self.standing[op as usize] {
                _ if op == choice.op => Standing::Won,
                _ if Some(op) == choice.passed => Standing::LetPass,
                Place::Waiting(_) => Standing::Waits,
                Place::Held => Standing::HeldBack,
                Place::Ready | Place::None => Standing::Behind,
            };
            let node = self.ops[op as usize];
            self.events.push(Event::Queued { node, standing, slack: self.starts.latest(node).saturating_sub(now) });
        }
        let ready = self.queues[unit.at()].len();
        self.events.push(Event::Dispatched { node, ready, won: choice.won, at: now });
    }

    /// The first of all that want `unit`, waiting ones among them, in the order of preference.
    fn queue_front(&self, unit: UnitIx) -> Vec<Op> {
        let queue = &self.queues[unit.at()];
        let sets = queue.waiting.iter().copied().chain([queue.ready, queue.held]);
        let mut front: Vec<Op> = sets.flat_map(|set| self.ranks.front(set, SHOWN_CANDIDATES)).collect();
        front.sort_unstable_by_key(|&op| self.ranks.key(op));
        front.truncate(SHOWN_CANDIDATES);
        front
    }
}
