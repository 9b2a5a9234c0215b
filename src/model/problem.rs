//! A graph together with the machine that it is planned for.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use super::graph::Graph;
use super::ids::{BufIx, LevelIx, Symbol, UnitIx};
use super::machine::{Level, Machine, PoolRules, Unit};
use super::name::Name;

/// A graph bound to a machine: names of levels and pipes resolved to indices.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The graph; shared, since the same one is planned many times.
    pub graph: Arc<Graph>,
    /// The machine as asked for.
    pub machine: Machine,
    /// All units that nodes can run on: the machine's, then pipes that only the graph or the transfers name.
    pub units: Vec<Unit>,
    /// The unit of SPILL_OUT.
    pub out_unit: UnitIx,
    /// The unit of SPILL_IN.
    pub back_unit: UnitIx,
    /// The levels in the order of their names, which is the order in which an operation's buffers come back.
    pub levels_by_name: Vec<LevelIx>,
    level_of: Vec<Option<LevelIx>>,
    unit_of: Vec<Option<UnitIx>>,
}

/// A buffer asks for a level that the machine does not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownLevel {
    /// The buffer.
    pub buf: BufIx,
    /// The level's name as the graph spells it.
    pub level: Symbol,
}

impl fmt::Display for UnknownLevel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "buffer {} of the graph, counted from 0, is of a level that the machine does not have", self.buf.at())
    }
}

impl std::error::Error for UnknownLevel {}

impl Problem {
    /// Binds `graph` to `machine`.
    ///
    /// # Errors
    /// The first buffer whose level the machine lacks.
    pub fn new(graph: Arc<Graph>, machine: Machine) -> Result<Self, UnknownLevel> {
        let symbols = graph.symbols();
        let level_at = |name: &_| machine.levels.iter().position(|level| level.name == *name).map(LevelIx::new);
        let level_of: Vec<Option<LevelIx>> = symbols.iter().map(level_at).collect();
        if let Some(at) = graph.buffers().iter().position(|buffer| level_of[buffer.level.at()].is_none()) {
            return Err(UnknownLevel { buf: BufIx::new(at), level: graph.buffers()[at].level });
        }
        let mut units = Units::new(machine.units.clone());
        let mut unit_of = vec![None; symbols.len()];
        for node in graph.node_ixs() {
            if let super::NodeKind::Op(op) = graph.node(node).kind {
                unit_of[op.pipe.at()].get_or_insert_with(|| units.named(&symbols[op.pipe.at()]));
            }
        }
        let out_unit = units.named(&machine.transfer.out);
        let back_unit = units.named(&machine.transfer.back);
        let units = units.list;
        let mut levels_by_name: Vec<LevelIx> = (0..machine.levels.len()).map(LevelIx::new).collect();
        levels_by_name.sort_by(|a, b| machine.levels[a.at()].name.cmp(&machine.levels[b.at()].name));
        Ok(Self { graph, machine, units, out_unit, back_unit, levels_by_name, level_of, unit_of })
    }

    /// How many levels the machine has.
    pub fn level_count(&self) -> usize {
        self.machine.levels.len()
    }

    /// The level.
    #[inline]
    pub fn level(&self, level: LevelIx) -> &Level {
        &self.machine.levels[level.at()]
    }

    /// Main memory as events of its blocks name it: the index behind the machine's levels. It is none of them.
    pub fn main_memory(&self) -> LevelIx {
        LevelIx::new(self.level_count())
    }

    /// The level that `buf` lives in.
    #[inline]
    pub fn level_of(&self, buf: BufIx) -> LevelIx {
        self.level_of[self.graph.buffer(buf).level.at()].expect("checked by Problem::new")
    }

    /// Whether steps start in the order in which they stand: the clock of a plan with pools, whose steps are written as
    /// they happen, or of a machine with a window. Without, each step starts as early as can be (the published rule).
    pub fn is_clocked(&self) -> bool {
        self.machine.window.is_some() || self.machine.levels.iter().any(|level| level.pool().is_some())
    }

    /// Units that `buf` takes of its level: its size, or of a pool the whole block (of its bucket, for the size that it
    /// was planned with or that its producer will report, whichever is larger; held at 2^63 − 1).
    #[inline]
    pub fn space_of(&self, buf: BufIx) -> u64 {
        match self.level(self.level_of(buf)).pool() {
            None => self.graph.buffer(buf).size,
            Some(rules) => self.block_size(buf, rules),
        }
    }

    /// Units of the block that holds `buf` in a pool of these rules; held at 2^63 − 1.
    pub fn block_size(&self, buf: BufIx, rules: &PoolRules) -> u64 {
        rules.buckets.block_size(self.asked_of(buf)).unwrap_or(super::build::MAX_NUMBER)
    }

    /// Units that are asked of a pool for `buf`.
    pub fn asked_of(&self, buf: BufIx) -> u64 {
        let buffer = self.graph.buffer(buf);
        buffer.size.max(buffer.actual_size.unwrap_or(0))
    }

    /// Units of its block that `buf` really uses.
    pub fn used_of(&self, buf: BufIx) -> u64 {
        let buffer = self.graph.buffer(buf);
        buffer.actual_size.unwrap_or(buffer.size)
    }

    /// Cycles that the first operation to use `buf` takes longer where its block is new. None where main memory filled it
    /// before.
    pub fn fresh_cycles(&self, buf: BufIx) -> u64 {
        let buffer = self.graph.buffer(buf);
        if buffer.backed { 0 } else { self.level(self.level_of(buf)).fresh_cycles(buffer.size) }
    }

    /// The unit behind a pipe's name.
    #[inline]
    pub fn unit_of(&self, pipe: Symbol) -> UnitIx {
        self.unit_of[pipe.at()].expect("every operation's pipe was entered by Problem::new")
    }

    /// Extra data movement of one spill of `buf`: its size where it is backed (the way out is free), else twice.
    #[inline]
    pub fn spill_cost(&self, buf: BufIx) -> u64 {
        let buffer = self.graph.buffer(buf);
        if buffer.backed { buffer.size } else { buffer.size.saturating_mul(2) }
    }
}

/// Units in the making, found by name.
struct Units {
    list: Vec<Unit>,
    at: HashMap<Name, UnitIx>,
}

impl Units {
    fn new(list: Vec<Unit>) -> Self {
        let at = list.iter().enumerate().map(|(at, unit)| (unit.name.clone(), UnitIx::new(at))).collect();
        Self { list, at }
    }

    /// The unit of that name, entered with count 1 where it is new.
    fn named(&mut self, name: &Name) -> UnitIx {
        *self.at.entry(name.clone()).or_insert_with(|| {
            self.list.push(Unit { name: name.clone(), count: 1 });
            UnitIx::new(self.list.len() - 1)
        })
    }
}
