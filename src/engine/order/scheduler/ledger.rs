//! What the scheduler knows of memory: totals for levels with addresses, blocks for pools. Where exactly a buffer lies
//! in an arena is decided later, by the walk.

use crate::engine::memory::{InBlock, PoolLevel};
use crate::model::{BufIx, LevelIx, NodeIx, NodeKind, Problem};

/// How much of each level is taken.
#[derive(Clone, Debug)]
pub struct Ledger<'a> {
    problem: &'a Problem,
    levels: Vec<Account>,
    /// By node of an ALLOC.
    born: Vec<bool>,
    /// Units wanted by level, kept between calls for its memory.
    wanted: Vec<u64>,
}

#[derive(Clone, Debug)]
enum Account {
    Arena { capacity: u64, used: u64 },
    Pool(Box<PoolLevel>),
}

/// A level that lacks room for an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lack {
    /// The level.
    pub level: LevelIx,
    /// Units needed.
    pub need: u64,
    /// Units to be had.
    pub room: u64,
}

impl<'a> Ledger<'a> {
    /// Nothing taken.
    pub(super) fn new(problem: &'a Problem) -> Self {
        let buffers = problem.graph.buffers().len();
        let account = |level: &crate::model::Level| match level.pool() {
            Some(rules) => Account::Pool(Box::new(PoolLevel::new(rules, level.capacity, buffers))),
            None => Account::Arena { capacity: level.capacity, used: 0 },
        };
        Self {
            problem,
            levels: problem.machine.levels.iter().map(account).collect(),
            born: vec![false; problem.graph.node_count()],
            wanted: vec![0; problem.level_count()],
        }
    }

    /// The ALLOCs that `op` waits for, by ascending id, into `into`.
    pub(super) fn missing(&self, op: NodeIx, into: &mut Vec<NodeIx>) {
        into.clear();
        let graph = &self.problem.graph;
        let is_alloc = |node: &NodeIx| matches!(graph.node(*node).kind, NodeKind::Alloc(_));
        into.extend(graph.preds(op).filter(|node| is_alloc(node) && !self.born[node.at()]));
        into.sort_unstable();
    }

    /// The first level, of those that `counts` says count, without room for the buffers of `allocs`.
    pub(super) fn lack(&mut self, allocs: &[NodeIx], counts: impl Fn(LevelIx) -> bool) -> Option<Lack> {
        for &alloc in allocs {
            let (level, units) = self.units(alloc);
            self.wanted[level.at()] = self.wanted[level.at()].saturating_add(units);
        }
        let mut lack = None;
        for &alloc in allocs {
            let (level, _) = self.units(alloc);
            let need = std::mem::take(&mut self.wanted[level.at()]);
            let room = self.room(level);
            if need > room && lack.is_none() && counts(level) {
                lack = Some(Lack { level, need, room });
            }
        }
        lack
    }

    /// Level and units of an ALLOC's buffer: of a pool, those of its block.
    fn units(&self, alloc: NodeIx) -> (LevelIx, u64) {
        let NodeKind::Alloc(buf) = self.problem.graph.node(alloc).kind else { unreachable!("an ALLOC") };
        (self.problem.level_of(buf), self.problem.space_of(buf))
    }

    /// Units that can be had in `level`.
    pub(super) fn room(&self, level: LevelIx) -> u64 {
        match &self.levels[level.at()] {
            Account::Arena { capacity, used } => capacity.saturating_sub(*used),
            Account::Pool(pool) => pool.room(),
        }
    }

    /// Whether less than half of a pool can be had.
    pub(super) fn is_scarce(&self) -> bool {
        self.levels.iter().any(|account| match account {
            Account::Arena { .. } => false,
            Account::Pool(pool) => pool.room() < pool.cap() / 2,
        })
    }

    /// The ALLOC of `buf` runs. The cycles that its fresh memory costs whoever uses it first.
    pub(super) fn take(&mut self, alloc: NodeIx, buf: BufIx, now: u64) -> u64 {
        self.born[alloc.at()] = true;
        let problem = self.problem;
        let (level, space) = (problem.level_of(buf), problem.space_of(buf));
        match &mut self.levels[level.at()] {
            Account::Arena { used, .. } => *used = used.saturating_add(space),
            Account::Pool(pool) => {
                let placed = pool.place(buf, problem.asked_of(buf), problem.used_of(buf), now);
                if matches!(placed, Ok(InBlock { fresh: true, .. })) {
                    return problem.fresh_cycles(buf);
                }
            }
        }
        0
    }

    /// The FREE of `buf` runs.
    pub(super) fn give(&mut self, buf: BufIx, now: u64) {
        let space = self.problem.space_of(buf);
        match &mut self.levels[self.problem.level_of(buf).at()] {
            Account::Arena { used, .. } => *used = used.saturating_sub(space),
            Account::Pool(pool) => {
                pool.lift(buf, now);
            }
        }
    }

    /// The pool that `level` is, if it is one.
    pub fn pool(&self, level: LevelIx) -> Option<&PoolLevel> {
        if let Account::Pool(pool) = &self.levels[level.at()] { Some(pool) } else { None }
    }
}
