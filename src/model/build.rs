//! From a file's nodes and edges to a checked [`Graph`]. Every reader and generator goes through here, so that
//! what can be wrong with a graph is decided in one place, whatever format it came in.

use std::collections::HashMap;

use petgraph::graph::{DiGraph, NodeIndex};

use super::cycle::find_cycle;
use super::graph::{Buffer, Graph, Node, NodeKind, Operation};
use super::ids::{BufIx, NodeIx, Symbol};
use super::name::Name;

/// The largest id, size or cycle count that is taken: 2^63 − 1. Sums of sizes and of cycles are held to it too,
/// so that nothing that the planner adds up can wrap.
pub const MAX_NUMBER: u64 = i64::MAX as u64;

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
    fn new(at: Entry, what: impl Into<String>, advice: impl Into<String>) -> Self {
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
    /// Where the graph has more than 65 536 different names of kinds, pipes and levels.
    pub fn intern(&mut self, text: &str) -> Result<Symbol, Fault> {
        if let Some(&symbol) = self.symbol_of.get(text) {
            return Ok(symbol);
        }
        if self.symbols.len() > usize::from(u16::MAX) {
            let what = "the graph has more than 65536 different names of operations, pipes and levels";
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
        for pair in allocs.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
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
            graph.buffers.push(Buffer { id: buf, size, level, alloc, free: None, backed: false, users: (0, 0) });
        }
        let buffer_of = Lookup::new(allocs.iter().map(|&(buf, _)| buf));
        for (place, node) in self.nodes.iter().enumerate() {
            if let RawKind::Free(buf, size, level) = node.kind {
                self.attach_free(graph, &buffer_of, ids, (place, buf), size, level)?;
            }
        }
        Ok(buffer_of)
    }

    fn attach_free(
        &self,
        graph: &mut Graph,
        buffer_of: &Lookup,
        ids: &Lookup,
        (place, buf): (usize, u64),
        size: Option<u64>,
        level: Option<Symbol>,
    ) -> Result<(), Fault> {
        let id = self.nodes[place].id;
        let fault = |what: String, advice: &str| Err(Fault::new(Entry::Node(place), what, advice));
        let Some(index) = buffer_of.find(buf) else {
            return fault(
                format!("node {id} frees buffer {buf}, which no node allocates"),
                "add its ALLOC or drop the FREE",
            );
        };
        let alloc = graph.node_id_of_alloc(BufIx(index), &self.nodes, ids);
        let buffer = &mut graph.buffers[index as usize];
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
        buffer.free = ids.find(id).map(NodeIx);
        Ok(())
    }

    /// Adds the nodes in ascending order of id, with operands as buffer indices.
    fn add_nodes(&self, graph: &mut Graph, place_in_file: &[u32], buffer_of: &Lookup) -> Result<(), Fault> {
        let mut total_cycles: u64 = 0;
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
                        if !graph.operands[first..].contains(&buf) {
                            graph.operands.push(buf);
                        }
                        if self.symbols[op.at()].raw() == "COPY_IN" {
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

    fn add_edges(&self, graph: &mut Graph, ids: &Lookup) -> Result<(), Fault> {
        let mut edges = match &self.edges {
            Some(listed) => self.listed_edges(listed, ids)?,
            None => self.implied_edges(graph, ids)?,
        };
        edges.sort_unstable();
        edges.dedup();
        graph.dag.reserve_exact_edges(edges.len());
        for (from, to) in edges {
            graph.dag.add_edge(NodeIndex::new(from as usize), NodeIndex::new(to as usize), ());
        }
        Ok(())
    }

    fn listed_edges(&self, listed: &[(u64, u64)], ids: &Lookup) -> Result<Vec<(u32, u32)>, Fault> {
        let mut edges = Vec::with_capacity(listed.len());
        for (place, &(from, to)) in listed.iter().enumerate() {
            let node = |id: u64| {
                ids.find(id).ok_or_else(|| {
                    let what = format!("edge [{from},{to}] names node {id}, which the graph does not have");
                    Fault::new(Entry::Edge(place), what, "add the node or drop the edge")
                })
            };
            if from == to {
                let what = format!("edge [{from},{to}] leads from a node to itself");
                return Err(Fault::new(Entry::Edge(place), what, "drop the edge"));
            }
            edges.push((node(from)?, node(to)?));
        }
        Ok(edges)
    }

    /// Without `Edges`: each buffer's ALLOC, then its users one after another as in the schedule (else as in
    /// the file), then its FREE.
    fn implied_edges(&self, graph: &Graph, ids: &Lookup) -> Result<Vec<(u32, u32)>, Fault> {
        // Where each node stands; a broken schedule is reported in full by `set_schedule` later on.
        let mut rank = vec![u32::MAX; self.nodes.len()];
        let mut place = 0;
        let listed: &mut dyn Iterator<Item = u64> = match &self.schedule {
            Some(schedule) => &mut schedule.iter().copied(),
            None => &mut self.nodes.iter().map(|node| node.id),
        };
        for id in listed {
            let Some(node) = ids.find(id) else {
                let what = format!("the schedule names node {id}, which the graph does not have");
                return Err(Fault::new(Entry::Schedule(place), what, "take it out of the schedule"));
            };
            rank[node as usize] = place as u32;
            place += 1;
        }
        let mut edges = Vec::new();
        let mut chain: Vec<NodeIx> = Vec::new();
        for (index, buffer) in graph.buffers.iter().enumerate() {
            chain.clear();
            chain.push(buffer.alloc);
            chain.extend_from_slice(graph.users(BufIx::new(index)));
            chain[1..].sort_by_key(|node| rank[node.at()]);
            chain.extend(buffer.free);
            edges.extend(chain.windows(2).map(|pair| (pair[0].0, pair[1].0)));
        }
        Ok(edges)
    }
}

impl Graph {
    fn node_id_of_alloc(&self, buf: BufIx, nodes: &[RawNode], ids: &Lookup) -> u64 {
        let alloc = self.buffers[buf.at()].alloc;
        nodes.iter().find(|node| ids.find(node.id) == Some(alloc.0)).map_or(0, |node| node.id)
    }

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

    /// Takes `ids` as the graph's schedule.
    ///
    /// # Errors
    /// Where it misses a node, has one twice or one that is unknown, runs against an edge, or uses a buffer
    /// before its ALLOC or after its FREE. [`Entry::Schedule`] says at which place.
    pub fn set_schedule(&mut self, ids: &[u64]) -> Result<(), Fault> {
        let mut seen = vec![false; self.node_count()];
        let mut order = Vec::with_capacity(ids.len());
        for (place, &id) in ids.iter().enumerate() {
            let at = Entry::Schedule(place);
            let Some(node) = self.find_node(id) else {
                let what = format!("the schedule names node {id}, which the graph does not have");
                return Err(Fault::new(at, what, "take it out of the schedule"));
            };
            if std::mem::replace(&mut seen[node.at()], true) {
                let what = format!("the schedule has node {id} twice");
                return Err(Fault::new(at, what, "keep one of the two"));
            }
            order.push(node);
        }
        let missing: Vec<u64> =
            self.node_ixs().filter(|node| !seen[node.at()]).map(|node| self.node(node).id).collect();
        if !missing.is_empty() {
            let shown: Vec<String> = missing.iter().take(8).map(u64::to_string).collect();
            let more = if missing.len() > 8 { ", …" } else { "" };
            let what =
                format!("the schedule misses {} of {} nodes: {}{more}", missing.len(), seen.len(), shown.join(", "));
            return Err(Fault::new(Entry::Whole, what, "list every node once"));
        }
        self.check_order(&order)?;
        self.schedule = Some(order);
        Ok(())
    }

    /// Checks that `order`, which holds every node once, may be run: every edge runs forward, and no buffer is
    /// used before its ALLOC or after its FREE.
    ///
    /// # Errors
    /// The first step that may not stand where it does.
    pub fn check_order(&self, order: &[NodeIx]) -> Result<(), Fault> {
        let mut rank = vec![0u32; order.len()];
        for (place, node) in order.iter().enumerate() {
            rank[node.at()] = place as u32;
        }
        for (place, &node) in order.iter().enumerate() {
            let id = self.node(node).id;
            let fault = |what: String, advice: &str| Err(Fault::new(Entry::Schedule(place), what, advice));
            if let Some(pred) = self.preds(node).find(|pred| rank[pred.at()] as usize > place) {
                let pred = self.node(pred).id;
                return fault(
                    format!("node {id} stands at place {place} before node {pred}, on which it depends"),
                    "move it behind or drop the edge between them",
                );
            }
            let (alloc, free) = match self.node(node).kind {
                NodeKind::Alloc(_) => continue,
                NodeKind::Free(buf) => (self.late_alloc(&[buf], &rank, place), None),
                NodeKind::Op(op) => {
                    let operands = self.operands(&op);
                    (self.late_alloc(operands, &rank, place), self.early_free(operands, &rank, place))
                }
            };
            if let Some((buf, alloc)) = alloc {
                return fault(
                    format!("node {id} ({}) uses buffer {buf} before its ALLOC, node {alloc}", self.op_name(node)),
                    "add the edge from the ALLOC, or order them so in Schedule",
                );
            }
            if let Some((buf, free)) = free {
                return fault(
                    format!("node {id} ({}) uses buffer {buf} after its FREE, node {free}", self.op_name(node)),
                    "add the edge to the FREE, or order them so in Schedule",
                );
            }
        }
        Ok(())
    }

    /// The first of `bufs` (id, and id of its ALLOC) that is allocated only after `place`.
    fn late_alloc(&self, bufs: &[BufIx], rank: &[u32], place: usize) -> Option<(u64, u64)> {
        let late = bufs.iter().map(|&buf| self.buffer(buf)).find(|buffer| rank[buffer.alloc.at()] as usize > place)?;
        Some((late.id, self.node(late.alloc).id))
    }

    /// The first of `bufs` (id, and id of its FREE) that is freed before `place`.
    fn early_free(&self, bufs: &[BufIx], rank: &[u32], place: usize) -> Option<(u64, u64)> {
        let frees = bufs.iter().map(|&buf| self.buffer(buf)).filter_map(|buffer| Some((buffer.id, buffer.free?)));
        frees.filter(|(_, free)| (rank[free.at()] as usize) < place).map(|(id, free)| (id, self.node(free).id)).next()
    }
}

fn check_number(number: u64, what: &str, place: usize) -> Result<(), Fault> {
    if number > MAX_NUMBER {
        let what = format!("{what} {number} is 2^63 or more");
        return Err(Fault::new(Entry::Node(place), what, "use a whole number from 0 to 2^63-1"));
    }
    Ok(())
}

fn cycle_fault(graph: &Graph, cycle: &[NodeIx], place_in_file: &[u32]) -> Fault {
    let name = |node: &NodeIx| format!("{} {}", graph.node(*node).id, super::name::clean(graph.op_name(*node)));
    let mut shown: Vec<String> = cycle.iter().take(12).map(name).collect();
    if cycle.len() > 12 {
        shown.push(format!("… {} more", cycle.len() - 12));
    }
    shown.push(graph.node(cycle[0]).id.to_string());
    let what = format!("the edges run in a cycle of {} nodes: {}", cycle.len(), shown.join(" → "));
    Fault::new(Entry::Node(place_in_file[cycle[0].at()] as usize), what, "drop one of these edges")
}

/// From a file's ids to dense indices: a table where the ids are nearly dense, a hash map where not.
enum Lookup {
    Dense(Vec<u32>),
    Sparse(HashMap<u64, u32>),
}

impl Lookup {
    /// Of ids that come in ascending order; the k-th gets index k.
    fn new(ids: impl ExactSizeIterator<Item = u64> + Clone) -> Self {
        let count = ids.len();
        let largest = ids.clone().last().unwrap_or(0);
        if largest < 4 * count as u64 + 64 {
            let mut table = vec![u32::MAX; largest as usize + 1];
            ids.enumerate().for_each(|(index, id)| table[id as usize] = index as u32);
            Self::Dense(table)
        } else {
            Self::Sparse(ids.enumerate().map(|(index, id)| (id, index as u32)).collect())
        }
    }

    fn find(&self, id: u64) -> Option<u32> {
        match self {
            Self::Dense(table) => {
                let index = *table.get(usize::try_from(id).ok()?)?;
                (index != u32::MAX).then_some(index)
            }
            Self::Sparse(map) => map.get(&id).copied(),
        }
    }
}
