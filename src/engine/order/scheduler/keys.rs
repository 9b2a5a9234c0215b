//! The order of preference among ready operations, as keys that compare.

use super::ranks::{Key, Op};
use crate::engine::order::Priorities;
use crate::model::{BufIx, NodeIx, NodeKind, Order, Problem};

/// The key of each operation, by the order asked for.
#[derive(Clone, Debug)]
pub(super) struct Keys {
    keys: Vec<Key>,
    /// Kept only for the order `memory-aware`.
    balance: Option<Balance>,
}

/// What each operation gives back when it has run, less what it takes.
#[derive(Clone, Debug)]
struct Balance {
    /// By operation, in units of size.
    gives: Vec<i128>,
    /// By buffer: users that have not started.
    users_left: Vec<u32>,
    started: Vec<bool>,
}

impl Keys {
    /// `lean` is a sequence of all operations that holds little memory; only for the order `memory-aware`.
    pub(super) fn new(problem: &Problem, starts: &Priorities, order: Order, ops: &[NodeIx], lean: &[NodeIx]) -> Self {
        let key = |(at, &node): (usize, &NodeIx)| match order {
            Order::CriticalPath => Key(u64::from(starts.slack(node) > 0), starts.latest(node), at as u32),
            _ => Key(0, 0, at as u32),
        };
        let mut keys = Self { keys: ops.iter().enumerate().map(key).collect(), balance: None };
        if order == Order::MemoryAware {
            let balance = Balance::new(problem, ops);
            let mut place = vec![0; problem.graph.node_count()];
            lean.iter().enumerate().for_each(|(at, node)| place[node.at()] = at as u64);
            for (at, &node) in ops.iter().enumerate() {
                keys.keys[at] = Key(balance.rank(at), place[node.at()], at as u32);
            }
            keys.balance = Some(balance);
        }
        keys
    }

    pub(super) fn of(&self, op: Op) -> Key {
        self.keys[op as usize]
    }

    /// `node` starts: calls `changed` for each operation whose key is another now.
    pub(super) fn start(&mut self, problem: &Problem, node: NodeIx, op_of: &[Op], mut changed: impl FnMut(Op)) {
        let Some(balance) = &mut self.balance else { return };
        balance.started[op_of[node.at()] as usize] = true;
        let NodeKind::Op(operation) = problem.graph.node(node).kind else { return };
        for &buf in problem.graph.operands(&operation) {
            balance.users_left[buf.at()] -= 1;
            if balance.users_left[buf.at()] == 1 && problem.graph.buffer(buf).free.is_some() {
                let mut users = problem.graph.users(buf).iter().map(|user| op_of[user.at()]);
                if let Some(last) = users.find(|&user| !balance.started[user as usize]) {
                    balance.gives[last as usize] += i128::from(problem.space_of(buf));
                    self.keys[last as usize].0 = balance.rank(last as usize);
                    changed(last);
                }
            }
        }
    }
}

impl Balance {
    fn new(problem: &Problem, ops: &[NodeIx]) -> Self {
        let graph = &*problem.graph;
        let users_left = (0..graph.buffers().len()).map(|at| graph.users(BufIx::new(at)).len() as u32).collect();
        let mut balance = Self { gives: Vec::with_capacity(ops.len()), users_left, started: vec![false; ops.len()] };
        for &node in ops {
            let NodeKind::Op(operation) = graph.node(node).kind else { continue };
            let space = |buf: BufIx| i128::from(problem.space_of(buf));
            let alone = |buf: &&BufIx| balance.users_left[buf.at()] == 1 && graph.buffer(**buf).free.is_some();
            let gives: i128 = graph.operands(&operation).iter().filter(alone).map(|&buf| space(buf)).sum();
            let allocs = graph.preds(node).filter_map(|pred| match graph.node(pred).kind {
                NodeKind::Alloc(buf) => Some(space(buf)),
                NodeKind::Free(_) | NodeKind::Op(_) => None,
            });
            let takes: i128 = allocs.sum();
            balance.gives.push(gives - takes);
        }
        balance
    }

    /// What gives memory back goes first, the more the sooner; what takes some goes in the lean sequence.
    fn rank(&self, op: usize) -> u64 {
        let most = i128::from(u64::MAX - 1);
        let gives = self.gives[op].clamp(-1, most);
        if gives < 0 { u64::MAX } else { u64::try_from(most - gives).unwrap_or(0) }
    }
}
