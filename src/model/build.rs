//! From a file's nodes and edges to a checked [`Graph`]. Every reader and generator goes through here, so that
//! what can be wrong with a graph is decided in one place, whatever format it came in.

mod of_graph;

use std::collections::HashMap;

use petgraph::graph::DiGraph;

use super::cycle::{cycle_fault, find_cycle};
use super::graph::{Buffer, Graph, Node, NodeKind, Operation, OperationGraph, Timeline};
use super::ids::{BufIx, NodeIx, Symbol};
use super::lookup::Lookup;
use super::name::Name;

/// The largest id, size or cycle count that is taken: 2^63 − 1. Sums of sizes and of cycles are held to it too,
/// so that nothing that the planner adds up can wrap.
pub const MAX_NUMBER: u64 = i64::MAX as u64;

/// The most names of kinds, pipes and levels: half of what a [`Symbol`] can count, so that the units of a graph
/// and of a machine together still fit their index.
const MAX_SYMBOLS: usize = 1 << 15;

/// How many names are looked through one by one before the look-up is asked.
const FEW_SYMBOLS: usize = 16;

/// What is wrong with a graph, and where. The reader adds file, line and column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// One sentence: what was expected and what was found.
    pub what: String,
    /// What to do about it; may be empty.
    pub advice: String,
    /// The entry of the file that the sentence speaks of.
    pub at: Entry,
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.what)
    }
}

impl std::error::Error for Fault {}

/// A place in a graph file, format aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// No single entry.
    Whole,
    /// Entry of the node list, counted from 0.
    Node(usize),
    /// Entry of the edge list, counted from 0.
    Edge(usize),
    /// Entry of the schedule, counted from 0.
    Schedule(usize),
}

impl Fault {
    pub(super) fn new(at: Entry, what: impl Into<String>, advice: impl Into<String>) -> Self {
        Self { what: what.into(), advice: advice.into(), at }
    }
}

/// A node as a file says it.
#[derive(Clone, Debug)]
pub struct RawNode {
    /// Its id.
    pub id: u64,
    /// Its name, if any.
    pub name: Option<Name>,
    /// What it does.
    pub kind: RawKind,
}

/// What a node does, with a file's ids.
#[derive(Clone, Copy, Debug)]
pub enum RawKind {
    /// ALLOC: buffer, size, level.
    Alloc(u64, u64, Symbol),
    /// FREE: buffer, and size and level where the file repeats them.
    Free(u64, Option<u64>, Option<Symbol>),
    /// An operation: kind, pipe, cycles, and its run in [`GraphBuilder::operands`].
    Op(Symbol, Symbol, u64, (u32, u32)),
}

/// Collects a graph and checks it.
#[derive(Clone, Debug, Default)]
pub struct GraphBuilder {
    /// What the graph will be called.
    pub name: Name,
    /// The nodes, in the file's order.
    pub nodes: Vec<RawNode>,
    /// Buffer ids named by operations, run after run.
    pub operands: Vec<u64>,
    /// The edges, or none where the file leaves them to the buffers.
    pub edges: Option<Vec<(u64, u64)>>,
    /// The schedule, if any.
    pub schedule: Option<Vec<u64>>,
    /// Buffers whose real size is known to differ from what their ALLOC says: id and size.
    pub actual_sizes: Vec<(u64, u64)>,
    /// Buffers whose contents main memory holds from the start, such as the graph's inputs.
    pub backed: Vec<u64>,
    /// Buffers whose bytes must be zero before they are written.
    pub zero_fill: Vec<u64>,
    /// Set where the graph comes from named operations.
    pub operation_graph: Option<OperationGraph>,
    /// Set where the graph only spells out lifetimes.
    pub timeline: Option<Timeline>,
    /// Fields that were left out.
    pub ignored_fields: usize,
    symbols: Vec<Name>,
    symbol_of: HashMap<Box<str>, Symbol>,
}

impl GraphBuilder {
    /// An empty graph of that name.
    pub fn new(name: Name) -> Self {
        Self { name, ..Self::default() }
    }

    /// The symbol for `text`.
    ///
    /// # Errors
    /// Where the graph has more than 32 768 different names of kinds, pipes and levels.
    pub fn intern(&mut self, text: &str) -> Result<Symbol, Fault> {
        // Most graphs use few names, and to compare those is quicker than to hash one.
        if let Some(at) = self.symbols.iter().take(FEW_SYMBOLS).position(|symbol| symbol.raw() == text) {
            return Ok(Symbol::new(at));
        }
        if let Some(&symbol) = self.symbol_of.get(text) {
            return Ok(symbol);
        }
        if self.symbols.len() >= MAX_SYMBOLS {
            let what = "the graph has more than 32768 different names of operations, pipes and levels";
            return Err(Fault::new(Entry::Whole, what, "use fewer kinds of operation"));
        }
        let symbol = Symbol::new(self.symbols.len());
        self.symbols.push(Name::new(text));
        self.symbol_of.insert(text.into(), symbol);
        Ok(symbol)
    }

    /// Adds an ALLOC.
    pub fn alloc(&mut self, id: u64, buf: u64, size: u64, level: Symbol) {
        self.nodes.push(RawNode { id, name: None, kind: RawKind::Alloc(buf, size, level) });
    }

    /// Adds a FREE.
    pub fn free(&mut self, id: u64, buf: u64) {
        self.nodes.push(RawNode { id, name: None, kind: RawKind::Free(buf, None, None) });
    }

    /// Adds an operation.
    pub fn op(&mut self, id: u64, op: Symbol, pipe: Symbol, cycles: u64, bufs: &[u64]) {
        let start = self.operands.len() as u32;
        self.operands.extend_from_slice(bufs);
        let run = (start, self.operands.len() as u32);
        self.nodes.push(RawNode { id, name: None, kind: RawKind::Op(op, pipe, cycles, run) });
    }

    /// Checks everything and makes the graph.
    ///
    /// # Errors
    /// The first fault found: ids, then buffers, operands, edges, cycles, schedule.
    pub fn build(self) -> Result<Graph, Fault> {
        if self.nodes.len() >= u32::MAX as usize || self.operands.len() >= u32::MAX as usize {
            return Err(Fault::new(Entry::Whole, "the graph has more than 2^32 nodes or operands", "split it"));
        }
        let (ids, place_in_file) = self.sorted_ids()?;
        let mut graph = Graph {
            name: self.name.clone(),
            ignored_fields: self.ignored_fields,
            operation_graph: self.operation_graph,
            timeline: self.timeline,
            dag: DiGraph::default(),
            buffers: Vec::new(),
            symbols: self.symbols.clone(),
            operands: Vec::with_capacity(self.operands.len()),
            sorted_operands: Vec::with_capacity(self.operands.len()),
            users: Vec::new(),
            schedule: None,
            explicit_edges: self.edges.is_some(),
        };
        let buffer_of = self.collect_buffers(&mut graph, &ids)?;
        self.add_nodes(&mut graph, &place_in_file, &buffer_of)?;
        self.add_facts(&mut graph, &buffer_of)?;
        graph.index_users();
        self.add_edges(&mut graph, &ids)?;
        if let Some(cycle) = find_cycle(&graph) {
            return Err(cycle_fault(&graph, &cycle, &place_in_file));
        }
        if let Some(schedule) = &self.schedule {
            graph.set_schedule(schedule)?;
        }
        Ok(graph)
    }

    /// The nodes' ids ascending, as a look-up, and for each its place in the file.
    fn sorted_ids(&self) -> Result<(Lookup, Vec<u32>), Fault> {
        let mut places: Vec<u32> = (0..self.nodes.len() as u32).collect();
        places.sort_by_key(|&place| self.nodes[place as usize].id);
        for pair in places.windows(2) {
            let (first, second) = (&self.nodes[pair[0] as usize], &self.nodes[pair[1] as usize]);
            if first.id == second.id {
                let what =
                    format!("node id {} stands twice: entries {} and {} of the nodes", first.id, pair[0], pair[1]);
                return Err(Fault::new(Entry::Node(pair[1] as usize), what, "give each node an id of its own"));
            }
        }
        for &place in &places {
            check_number(self.nodes[place as usize].id, "node id", place as usize)?;
        }
        Ok((Lookup::new(places.iter().map(|&place| self.nodes[place as usize].id)), places))
    }

    /// Fills the buffer table from the ALLOCs and FREEs; node indices come from `ids`.
    fn collect_buffers(&self, graph: &mut Graph, ids: &Lookup) -> Result<Lookup, Fault> {
        let mut allocs: Vec<(u64, usize)> = Vec::new();
        for (place, node) in self.nodes.iter().enumerate() {
            if let RawKind::Alloc(buf, ..) = node.kind {
                allocs.push((buf, place));
            }
        }
        allocs.sort_unstable();
        if let Some(pair) = allocs.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            let nodes = (self.nodes[pair[0].1].id, self.nodes[pair[1].1].id);
            let what = format!("buffer {} is allocated twice: by node {} and by node {}", pair[0].0, nodes.0, nodes.1);
            return Err(Fault::new(Entry::Node(pair[1].1), what, "keep one ALLOC a buffer"));
        }
        let mut total: u64 = 0;
        for &(buf, place) in &allocs {
            let RawKind::Alloc(_, size, level) = self.nodes[place].kind else { unreachable!("collected above") };
            check_number(buf, "buffer id", place)?;
            if size == 0 {
                let what = format!("node {}: buffer {buf} has size 0", self.nodes[place].id);
                return Err(Fault::new(Entry::Node(place), what, "a buffer's size is a whole number from 1"));
            }
            total = total.checked_add(size).filter(|&sum| sum <= MAX_NUMBER).ok_or_else(|| {
                let what = format!("with buffer {buf} of {size} the sizes of all buffers together pass 2^63-1");
                Fault::new(Entry::Node(place), what, "use a larger unit for sizes")
            })?;
            let alloc = ids.find(self.nodes[place].id).map(NodeIx).expect("every node is in the look-up");
            graph.buffers.push(Buffer {
                id: buf,
                size,
                level,
                alloc,
                free: None,
                backed: false,
                actual_size: None,
                zero_fill: false,
                users: (0, 0),
            });
        }
        let buffer_of = Lookup::new(allocs.iter().map(|&(buf, _)| buf));
        for (place, node) in self.nodes.iter().enumerate() {
            if let RawKind::Free(buf, size, level) = node.kind {
                let alloc = buffer_of.find(buf).map(|index| self.nodes[allocs[index as usize].1].id);
                let buffer = buffer_of.find(buf).map(|index| &mut graph.buffers[index as usize]);
                let (Some(alloc), Some(buffer)) = (alloc, buffer) else {
                    let what = format!("node {} frees buffer {buf}, which no node allocates", node.id);
                    return Err(Fault::new(Entry::Node(place), what, "add its ALLOC or drop the FREE"));
                };
                self.check_free(buffer, place, alloc, size, level)?;
                buffer.free = ids.find(node.id).map(NodeIx);
            }
        }
        Ok(buffer_of)
    }

    /// Checks that the FREE at `place` says the same as the buffer's ALLOC, and is its first.
    fn check_free(
        &self,
        buffer: &Buffer,
        place: usize,
        alloc: u64,
        size: Option<u64>,
        level: Option<Symbol>,
    ) -> Result<(), Fault> {
        let (id, buf) = (self.nodes[place].id, buffer.id);
        let fault = |what: String, advice: &str| Err(Fault::new(Entry::Node(place), what, advice));
        if let Some(size) = size.filter(|&size| size != buffer.size) {
            let what =
                format!("node {id} frees buffer {buf} with size {size}; its ALLOC, node {alloc}, says {}", buffer.size);
            return fault(what, "make the two sizes equal or leave the FREE's out");
        }
        if let Some(level) = level.filter(|&level| level != buffer.level) {
            let (here, there) = (&self.symbols[level.at()], &self.symbols[buffer.level.at()]);
            let what = format!("node {id} frees buffer {buf} from level {here}; its ALLOC, node {alloc}, says {there}");
            return fault(what, "make the two levels equal or leave the FREE's out");
        }
        if buffer.free.is_some() {
            return fault(format!("buffer {buf} is freed a second time by node {id}"), "keep one FREE a buffer");
        }
        Ok(())
    }

    /// Real sizes and backed buffers.
    fn add_facts(&self, graph: &mut Graph, buffer_of: &Lookup) -> Result<(), Fault> {
        let find = |buf: u64| {
            let fault = || Fault::new(Entry::Whole, format!("no node allocates buffer {buf}"), "add its ALLOC");
            buffer_of.find(buf).ok_or_else(fault)
        };
        for &(buf, size) in &self.actual_sizes {
            if size == 0 || size > MAX_NUMBER {
                let what = format!("the real size of buffer {buf} is {size}");
                return Err(Fault::new(Entry::Whole, what, "use a whole number from 1 to 2^63-1"));
            }
            graph.buffers[find(buf)? as usize].actual_size = Some(size);
        }
        for &buf in &self.backed {
            graph.buffers[find(buf)? as usize].backed = true;
        }
        for &buf in &self.zero_fill {
            graph.buffers[find(buf)? as usize].zero_fill = true;
        }
        Ok(())
    }

    /// Adds the nodes in ascending order of id, with operands as buffer indices.
    fn add_nodes(&self, graph: &mut Graph, place_in_file: &[u32], buffer_of: &Lookup) -> Result<(), Fault> {
        let mut total_cycles: u64 = 0;
        let mut named_last_by = vec![u32::MAX; graph.buffers.len()]; // place of the operation
        graph.dag.reserve_exact_nodes(self.nodes.len());
        for &place in place_in_file {
            let raw = &self.nodes[place as usize];
            let at = Entry::Node(place as usize);
            let buffer = |buf: u64| {
                buffer_of.find(buf).map(BufIx).ok_or_else(|| {
                    let what = format!("node {} names buffer {buf}, which no node allocates", raw.id);
                    Fault::new(at, what, "add an ALLOC for it or take it out of Bufs")
                })
            };
            let kind = match raw.kind {
                RawKind::Alloc(buf, ..) => NodeKind::Alloc(buffer(buf)?),
                RawKind::Free(buf, ..) => NodeKind::Free(buffer(buf)?),
                RawKind::Op(op, pipe, cycles, (start, end)) => {
                    total_cycles =
                        total_cycles.checked_add(cycles).filter(|&sum| sum <= MAX_NUMBER).ok_or_else(|| {
                            let what =
                                format!("with node {} the cycles of all operations together pass 2^63-1", raw.id);
                            Fault::new(at, what, "use a larger unit for cycles")
                        })?;
                    let first = graph.operands.len();
                    for &buf in &self.operands[start as usize..end as usize] {
                        let buf = buffer(buf)?;
                        if std::mem::replace(&mut named_last_by[buf.at()], place) != place {
                            graph.operands.push(buf);
                        }
                        // Kinds of named operations have no meaning of their own.
                        if self.operation_graph.is_none() && self.symbols[op.at()].raw() == "COPY_IN" {
                            graph.buffers[buf.at()].backed = true;
                        }
                    }
                    graph.sorted_operands.extend_from_slice(&graph.operands[first..]);
                    graph.sorted_operands[first..].sort_unstable();
                    let operands = (first as u32, graph.operands.len() as u32);
                    NodeKind::Op(Operation { op, pipe, cycles, operands })
                }
            };
            graph.dag.add_node(Node { id: raw.id, name: raw.name.clone(), kind });
        }
        Ok(())
    }
}

impl Graph {
    /// Sorts the operations by the buffers that they name.
    fn index_users(&mut self) {
        let mut count = vec![0u32; self.buffers.len() + 1];
        for buf in &self.operands {
            count[buf.at() + 1] += 1;
        }
        for at in 1..count.len() {
            count[at] += count[at - 1];
        }
        for (at, buffer) in self.buffers.iter_mut().enumerate() {
            buffer.users = (count[at], count[at + 1]);
        }
        self.users = vec![NodeIx(0); self.operands.len()];
        for node in self.dag.node_indices() {
            if let NodeKind::Op(op) = self.dag[node].kind {
                for at in op.operands.0..op.operands.1 {
                    let slot = &mut count[self.operands[at as usize].at()];
                    self.users[*slot as usize] = NodeIx::new(node.index());
                    *slot += 1;
                }
            }
        }
    }
}

fn check_number(number: u64, what: &str, place: usize) -> Result<(), Fault> {
    if number > MAX_NUMBER {
        let what = format!("{what} {number} is 2^63 or more");
        return Err(Fault::new(Entry::Node(place), what, "use a whole number from 0 to 2^63-1"));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
