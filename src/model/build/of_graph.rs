//! The way back from a graph to what it was built from, so that it can be changed or written down.

use super::{GraphBuilder, RawKind, RawNode};
use crate::model::graph::{Graph, NodeKind};
use crate::model::ids::{BufIx, NodeIx, Symbol};
use crate::model::name::Name;

impl GraphBuilder {
    /// What builds `graph` again, its nodes by ascending id and its edges spelt out.
    pub fn of(graph: &Graph) -> Self {
        let buffers = || graph.buffers().iter();
        let id = |node: NodeIx| graph.node(node).id;
        let edges = graph.node_ixs().flat_map(|to| graph.preds(to).map(move |from| (id(from), id(to))));
        let mut builder = Self {
            name: graph.name.clone(),
            nodes: Vec::with_capacity(graph.node_count()),
            operands: Vec::new(),
            edges: Some(edges.collect()),
            schedule: graph.schedule().map(|order| order.iter().map(|&node| id(node)).collect()),
            actual_sizes: buffers().filter_map(|buffer| Some((buffer.id, buffer.actual_size?))).collect(),
            backed: buffers().filter(|buffer| buffer.backed).map(|buffer| buffer.id).collect(),
            zero_fill: buffers().filter(|buffer| buffer.zero_fill).map(|buffer| buffer.id).collect(),
            operation_graph: graph.operation_graph,
            timeline: graph.timeline,
            ignored_fields: graph.ignored_fields,
            symbols: graph.symbols().to_vec(),
            symbol_of: graph
                .symbols()
                .iter()
                .enumerate()
                .map(|(at, name)| (name.raw().into(), Symbol::new(at)))
                .collect(),
        };
        for node in graph.node_ixs() {
            builder.add(graph, node);
        }
        builder
    }

    /// The name behind a symbol of this builder.
    pub fn symbol(&self, symbol: Symbol) -> &Name {
        &self.symbols[symbol.at()]
    }

    fn add(&mut self, graph: &Graph, node: NodeIx) {
        let id_of = |buf: BufIx| graph.buffer(buf).id;
        let kind = match graph.node(node).kind {
            NodeKind::Alloc(buf) => RawKind::Alloc(id_of(buf), graph.buffer(buf).size, graph.buffer(buf).level),
            NodeKind::Free(buf) => RawKind::Free(id_of(buf), None, None),
            NodeKind::Op(op) => {
                let start = self.operands.len() as u32;
                self.operands.extend(graph.operands(&op).iter().map(|&buf| id_of(buf)));
                RawKind::Op(op.op, op.pipe, op.cycles, (start, self.operands.len() as u32))
            }
        };
        self.nodes.push(RawNode { id: graph.node(node).id, name: graph.node(node).name.clone(), kind });
    }
}
