//! The computation graph: nodes with their dependencies, buffers with their users.

use petgraph::Direction;
use petgraph::graph::{DiGraph, NodeIndex};

use super::ids::{BufIx, NodeIx, Symbol};
use super::name::Name;

/// A checked graph. Only [`GraphBuilder`](super::build::GraphBuilder) makes one, so whoever holds it may rely on:
/// ids are unique, every buffer has one ALLOC and at most one FREE of the same size and level, every operand is
/// allocated, the edges have no cycle, and the schedule (if any) holds every node once and in a legal order.
#[derive(Clone, Debug)]
pub struct Graph {
    /// What the graph is called: its file's name without the ending.
    pub name: Name,
    /// Fields of the file that mean nothing here and were left out.
    pub ignored_fields: usize,
    /// Set where the graph comes from named operations: one buffer each, in a pool, known by names in place of ids.
    pub operation_graph: Option<OperationGraph>,
    /// Set where the graph only spells out lifetimes: what its operations stand for.
    pub timeline: Option<Timeline>,
    pub(super) dag: DiGraph<Node, (), u32>,
    pub(super) buffers: Vec<Buffer>,
    pub(super) symbols: Vec<Name>,
    /// Operands of all operations, in the file's order; see [`Operation::operands`].
    pub(super) operands: Vec<BufIx>,
    /// The same runs, each sorted by buffer.
    pub(super) sorted_operands: Vec<BufIx>,
    /// Operations that name a buffer, run by run (see [`Buffer::users`]), ascending.
    pub(super) users: Vec<NodeIx>,
    pub(super) schedule: Option<Vec<NodeIx>>,
    /// Whether the file listed the edges (else they follow from the buffers).
    pub explicit_edges: bool,
}

/// What only a graph of named operations has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct OperationGraph {
    /// The cap of the pool that the graph is meant to run in, in bytes, where its file names one.
    #[serde(default)]
    pub max_pool_bytes: Option<u64>,
    /// Operations without a duration of their own that got the mean of their kind from a profile.
    pub durations_from_profile: usize,
    /// Operations without a duration of their own or of their kind that got the default.
    pub durations_by_default: usize,
}

/// What the operations stand for in a graph that only spells out when buffers are alive. Each runs from one moment to the
/// next, so that cycles are the times of the lifetimes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Timeline {
    /// Stretches of abstract time in which nothing is born or dies.
    Times,
    /// The instructions of a program, each of them one unit of time long.
    Program,
}

/// One node.
#[derive(Clone, Debug, PartialEq)]
pub struct Node {
    /// Its id in the file.
    pub id: u64,
    /// Its name, where the file gives one.
    pub name: Option<Name>,
    /// What it does.
    pub kind: NodeKind,
}

/// What a node does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// The buffer gets an address.
    Alloc(BufIx),
    /// The buffer's address is given back.
    Free(BufIx),
    /// Work on a pipe.
    Op(Operation),
}

/// Work on a pipe, over some buffers that must be resident.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// The kind as the file spells it (`MATMUL`); see [`Graph::symbol`].
    pub op: Symbol,
    /// The pipe it runs on.
    pub pipe: Symbol,
    /// How long it takes.
    pub cycles: u64,
    /// Its run in the operand table, half-open.
    pub(super) operands: (u32, u32),
}

/// One buffer.
#[derive(Clone, Debug, PartialEq)]
pub struct Buffer {
    /// Its id in the file.
    pub id: u64,
    /// Its size, in the units of its level's capacity.
    pub size: u64,
    /// The level it lives in, as the file spells it.
    pub level: Symbol,
    /// The node that allocates it.
    pub alloc: NodeIx,
    /// The node that frees it; without one it lives to the end.
    pub free: Option<NodeIx>,
    /// Whether some `COPY_IN` fills it, so that main memory still holds its contents (the published rule:
    /// also if an operation writes it later).
    pub backed: bool,
    /// The size that its producer will report, where it is known and differs from `size`, which is then an estimate.
    pub actual_size: Option<u64>,
    /// Whether its bytes must be zero before its producer writes it; else it starts with what its block held before.
    pub zero_fill: bool,
    /// Its run in the users table, half-open.
    pub(super) users: (u32, u32),
}

impl Graph {
    /// Whether nodes are told apart by their names, as in an operation graph or where lifetimes are spelt out: ids mean
    /// nothing to a reader there.
    #[inline]
    pub fn by_name(&self) -> bool {
        self.operation_graph.is_some() || self.timeline.is_some()
    }

    /// How many nodes there are.
    pub fn node_count(&self) -> usize {
        self.dag.node_count()
    }

    /// How many distinct edges there are.
    pub fn edge_count(&self) -> usize {
        self.dag.edge_count()
    }

    /// All node indices, by ascending id.
    pub fn node_ixs(&self) -> impl DoubleEndedIterator<Item = NodeIx> + ExactSizeIterator + use<> {
        (0..self.node_count()).map(NodeIx::new)
    }

    /// The node.
    #[inline]
    pub fn node(&self, node: NodeIx) -> &Node {
        &self.dag[NodeIndex::new(node.at())]
    }

    /// The nodes that must be done before `node`, in no particular order.
    #[inline]
    pub fn preds(&self, node: NodeIx) -> impl Iterator<Item = NodeIx> + '_ {
        self.dag.neighbors_directed(NodeIndex::new(node.at()), Direction::Incoming).map(|n| NodeIx::new(n.index()))
    }

    /// The nodes that wait for `node`, in no particular order.
    #[inline]
    pub fn succs(&self, node: NodeIx) -> impl Iterator<Item = NodeIx> + '_ {
        self.dag.neighbors_directed(NodeIndex::new(node.at()), Direction::Outgoing).map(|n| NodeIx::new(n.index()))
    }

    /// For each node, how many others must be done before it.
    pub fn pred_counts(&self) -> Vec<u32> {
        let mut counts = vec![0; self.node_count()];
        self.dag.raw_edges().iter().for_each(|edge| counts[edge.target().index()] += 1);
        counts
    }

    /// The dependency graph itself, for petgraph's algorithms; node `i` is `NodeIx(i)`.
    pub fn dag(&self) -> &DiGraph<Node, (), u32> {
        &self.dag
    }

    /// All buffers, by ascending id; position `i` is `BufIx(i)`.
    pub fn buffers(&self) -> &[Buffer] {
        &self.buffers
    }

    /// The buffer.
    #[inline]
    pub fn buffer(&self, buf: BufIx) -> &Buffer {
        &self.buffers[buf.at()]
    }

    /// The buffers that `op` names, in the file's order, each once.
    #[inline]
    pub fn operands(&self, op: &Operation) -> &[BufIx] {
        &self.operands[op.operands.0 as usize..op.operands.1 as usize]
    }

    /// The same by ascending buffer.
    #[inline]
    pub fn sorted_operands(&self, op: &Operation) -> &[BufIx] {
        &self.sorted_operands[op.operands.0 as usize..op.operands.1 as usize]
    }

    /// The operations that name `buf`, by ascending id.
    #[inline]
    pub fn users(&self, buf: BufIx) -> &[NodeIx] {
        let (start, end) = self.buffers[buf.at()].users;
        &self.users[start as usize..end as usize]
    }

    /// The schedule that came with the graph.
    pub fn schedule(&self) -> Option<&[NodeIx]> {
        self.schedule.as_deref()
    }

    /// The name behind a symbol.
    pub fn symbol(&self, symbol: Symbol) -> &Name {
        &self.symbols[symbol.at()]
    }

    /// All interned names; position `i` is `Symbol(i)`.
    pub fn symbols(&self) -> &[Name] {
        &self.symbols
    }

    /// The node with that id in the file.
    pub fn find_node(&self, id: u64) -> Option<NodeIx> {
        self.dag.raw_nodes().binary_search_by_key(&id, |node| node.weight.id).ok().map(NodeIx::new)
    }

    /// The buffer with that id in the file.
    pub fn find_buffer(&self, id: u64) -> Option<BufIx> {
        self.buffers.binary_search_by_key(&id, |buffer| buffer.id).ok().map(BufIx::new)
    }

    /// The first id that no node has: 1 + the largest, from which spill nodes are numbered.
    pub fn first_spill_id(&self) -> u64 {
        self.dag.raw_nodes().last().map_or(0, |node| node.weight.id + 1)
    }

    /// The first buffer that both nodes name, through which one depends on the other.
    pub fn shared_buffer(&self, a: NodeIx, b: NodeIx) -> Option<BufIx> {
        let (a, b) = (self.named_by(a), self.named_by(b));
        let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
        few.iter().copied().find(|buf| many.binary_search(buf).is_ok())
    }

    /// The buffers that a node names, ascending.
    fn named_by(&self, node: NodeIx) -> &[BufIx] {
        match &self.node(node).kind {
            NodeKind::Alloc(buf) | NodeKind::Free(buf) => std::slice::from_ref(buf),
            NodeKind::Op(op) => self.sorted_operands(op),
        }
    }

    /// What `node` is called in messages: `ALLOC`, `FREE` or the operation's kind.
    pub fn op_name(&self, node: NodeIx) -> &str {
        match &self.node(node).kind {
            NodeKind::Alloc(_) => "ALLOC",
            NodeKind::Free(_) => "FREE",
            NodeKind::Op(op) => self.symbol(op.op).raw(),
        }
    }

    /// The name that the file gives a buffer: the `Name` of its ALLOC.
    pub fn buffer_name(&self, buf: BufIx) -> Option<&Name> {
        self.node(self.buffer(buf).alloc).name.as_ref()
    }
}

impl NodeKind {
    /// The buffer of an ALLOC or FREE.
    pub fn cache_buffer(self) -> Option<BufIx> {
        match self {
            Self::Alloc(buf) | Self::Free(buf) => Some(buf),
            Self::Op(_) => None,
        }
    }

    /// Whether this is an operation.
    pub fn is_op(self) -> bool {
        matches!(self, Self::Op(_))
    }
}
