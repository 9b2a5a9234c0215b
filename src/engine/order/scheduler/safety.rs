//! Keeping memory back so that what is left can always run to its end (the banker's rule: Dijkstra, EWD 623, 1965, with
//! one known way to the end in place of a search for one).
//!
//! The known way is a sequence of all operations, one at a time, that fits. A state is safe while what has not run yet,
//! taken in that sequence, fits behind what is held now. An operation out of turn is let go only into a safe state; the
//! first one of the sequence that has not run can always go once the running ones are done. So no deadlock can arise.
//!
//! Per level a [`Profile`] over the sequence holds what would be held at each of its places. Letting an operation go early
//! adds its new buffers to the places before its own, and takes those that it was the last to need from the places up to
//! where they would have been freed.

use super::profile::Profile;
use crate::model::{BufIx, LevelIx, NodeIx, NodeKind, Problem};

/// See the [module](self).
#[derive(Clone, Debug)]
pub(super) struct Safety<'a> {
    problem: &'a Problem,
    /// By level: what would be held, where the level is kept safe.
    profiles: Vec<Option<(Profile, i64)>>,
    sequence: Vec<NodeIx>,
    /// By node: its place in the sequence.
    place: Vec<u32>,
    /// By buffer: places of its users in the sequence, last first.
    users: Vec<u32>,
    users_of: Vec<(u32, u32)>,
    /// By buffer: how many of those have started, from the last on without a gap.
    passed: Vec<u32>,
    /// By node.
    started: Vec<bool>,
    /// By buffer.
    held: Vec<bool>,
    /// The first place of the sequence that has not started.
    front: usize,
    changes: Vec<Change>,
}

/// Something added to the places `[start, end)` of a level.
#[derive(Clone, Copy, Debug)]
struct Change {
    level: LevelIx,
    start: usize,
    end: usize,
    by: i64,
}

impl<'a> Safety<'a> {
    /// Along `sequence`, which holds each operation once, in an order that can be run. Kept are the levels that may not
    /// spill and in which the sequence fits. `None` where there are none.
    pub(super) fn new(problem: &'a Problem, sequence: Vec<NodeIx>) -> Option<Self> {
        let mut place = vec![u32::MAX; problem.graph.node_count()];
        sequence.iter().enumerate().for_each(|(at, op)| place[op.at()] = at as u32);
        let (users, users_of) = users_by_place(problem, &place);
        let kept = |level: &crate::model::Level| !level.spill || level.pool().is_some();
        let profile = |level: &crate::model::Level| {
            let capacity = i64::try_from(level.capacity).unwrap_or(i64::MAX);
            kept(level).then(|| (Profile::new(sequence.len()), capacity))
        };
        let mut safety = Self {
            problem,
            profiles: problem.machine.levels.iter().map(profile).collect(),
            started: vec![false; problem.graph.node_count()],
            held: vec![false; problem.graph.buffers().len()],
            passed: vec![0; problem.graph.buffers().len()],
            sequence,
            place,
            users,
            users_of,
            front: 0,
            changes: Vec::new(),
        };
        safety.enter_all();
        for profile in &mut safety.profiles {
            profile.take_if(|(profile, capacity)| profile.largest() > *capacity);
        }
        safety.profiles.iter().any(Option::is_some).then_some(safety)
    }

    /// Before anything has started, each buffer is held from its first user to its last.
    fn enter_all(&mut self) {
        for buf in (0..self.held.len()).map(BufIx::new) {
            let Some(&first) = self.users(buf).last() else { continue };
            let end = self.end_of(buf).unwrap_or(first as usize);
            self.change(buf, first as usize, end, 1);
        }
        self.apply(1);
    }

    /// Places of the users of `buf`, last first.
    fn users(&self, buf: BufIx) -> &[u32] {
        let (start, end) = self.users_of[buf.at()];
        &self.users[start as usize..end as usize]
    }

    /// Behind which place `buf` is no longer needed: the last of its users that have not started. `None` where all have,
    /// and it is freed.
    fn end_of(&self, buf: BufIx) -> Option<usize> {
        if self.problem.graph.buffer(buf).free.is_none() {
            return Some(self.sequence.len());
        }
        let waits = |&&place: &&u32| !self.started[self.sequence[place as usize].at()];
        self.users(buf)[self.passed[buf.at()] as usize..].iter().find(waits).map(|&place| place as usize + 1)
    }

    fn change(&mut self, buf: BufIx, start: usize, end: usize, sign: i64) {
        let level = self.problem.level_of(buf);
        if start < end && self.profiles[level.at()].is_some() {
            let units = i64::try_from(self.problem.space_of(buf)).unwrap_or(i64::MAX);
            self.changes.push(Change { level, start, end, by: sign * units });
        }
    }

    /// Makes the collected changes, or (`sign` −1) takes them back.
    fn apply(&mut self, sign: i64) {
        for &Change { level, start, end, by } in &self.changes {
            if let Some((profile, _)) = &mut self.profiles[level.at()] {
                profile.add(start, end, sign * by);
            }
        }
    }

    /// Whether the state is safe with `op` started, which has not.
    pub(super) fn is_safe_with(&mut self, op: NodeIx) -> bool {
        if self.place[op.at()] as usize == self.front_place() || self.is_roomy_for(op) {
            return true;
        }
        self.collect(op);
        self.apply(1);
        let fits = |profile: &Option<(Profile, i64)>| {
            profile.as_ref().is_none_or(|(profile, capacity)| profile.largest() <= *capacity)
        };
        let safe = self.profiles.iter().all(fits);
        self.apply(-1);
        safe
    }

    /// Whether the buffers that `op` is the first to use fit beside whatever will be held at any place: then there is no
    /// need to look closer.
    fn is_roomy_for(&self, op: NodeIx) -> bool {
        let NodeKind::Op(operation) = self.problem.graph.node(op).kind else { return true };
        let new = self.problem.graph.operands(&operation).iter().filter(|buf| !self.held[buf.at()]);
        let more = new.fold(0, |sum: u64, &buf| sum.saturating_add(self.problem.space_of(buf)));
        let more = i64::try_from(more).unwrap_or(i64::MAX);
        let fits = |(profile, capacity): &(Profile, i64)| profile.largest().saturating_add(more) <= *capacity;
        self.profiles.iter().flatten().all(fits)
    }

    /// `op` starts.
    pub(super) fn start(&mut self, op: NodeIx) {
        self.collect(op);
        self.apply(1);
        self.started[op.at()] = true;
        let problem = self.problem;
        let NodeKind::Op(operation) = problem.graph.node(op).kind else { return };
        for &buf in problem.graph.operands(&operation) {
            self.held[buf.at()] = true;
            let has_started = |place: &u32| self.started[self.sequence[*place as usize].at()];
            let more = self.users(buf)[self.passed[buf.at()] as usize..].iter().take_while(|place| has_started(place));
            self.passed[buf.at()] += more.count() as u32;
        }
    }

    /// What changes when `op` starts now.
    fn collect(&mut self, op: NodeIx) {
        self.changes.clear();
        let problem = self.problem;
        let NodeKind::Op(operation) = problem.graph.node(op).kind else { return };
        for &buf in problem.graph.operands(&operation) {
            let Some(before) = self.end_of(buf) else { continue };
            let first = self.users(buf).last().map_or(0, |&place| place as usize);
            if !self.held[buf.at()] {
                self.change(buf, 0, first, 1);
            }
            self.started[op.at()] = true;
            let end = self.end_of(buf).unwrap_or(0);
            self.started[op.at()] = false;
            self.change(buf, end, before, -1);
        }
    }

    /// The first operation of the sequence that has not started: it may always go once the running ones are done.
    pub(super) fn front(&mut self) -> Option<NodeIx> {
        let at = self.front_place();
        self.sequence.get(at).copied()
    }

    fn front_place(&mut self) -> usize {
        while self.sequence.get(self.front).is_some_and(|op| self.started[op.at()]) {
            self.front += 1;
        }
        self.front
    }
}

/// For each buffer, the places of its users, last first: one list, and each buffer's run in it.
fn users_by_place(problem: &Problem, place: &[u32]) -> (Vec<u32>, Vec<(u32, u32)>) {
    let graph = &problem.graph;
    let mut all = Vec::new();
    let runs = (0..graph.buffers().len()).map(|at| {
        let start = all.len();
        all.extend(graph.users(BufIx::new(at)).iter().map(|user| place[user.at()]));
        all[start..].sort_unstable_by(|a, b| b.cmp(a));
        (start as u32, all.len() as u32)
    });
    let runs = runs.collect();
    (all, runs)
}
