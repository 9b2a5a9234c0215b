//! A graph that gives nothing back before its end.

use crate::model::{BufIx, Fault, Graph, GraphBuilder, NodeIx, NodeKind, RawKind, RawNode, Symbol};

/// `graph` without its FREEs. An order that runs through a FREE alone is dropped with it.
///
/// # Errors
/// None that a checked graph can have.
pub(super) fn hold_to_the_end(graph: &Graph) -> Result<Graph, Fault> {
    let mut builder = GraphBuilder::new(graph.name.clone());
    builder.ignored_fields = graph.ignored_fields;
    builder.operation_graph = graph.operation_graph;
    let symbols: Vec<Symbol> =
        graph.symbols().iter().map(|name| builder.intern(name.raw())).collect::<Result<_, _>>()?;
    let stays = |node: &NodeIx| !matches!(graph.node(*node).kind, NodeKind::Free(_));
    for node in graph.node_ixs().filter(stays) {
        let kind = raw_kind(graph, node, &symbols, &mut builder.operands);
        builder.nodes.extend(kind.map(|kind| RawNode {
            id: graph.node(node).id,
            name: graph.node(node).name.clone(),
            kind,
        }));
    }
    let id = |node: NodeIx| graph.node(node).id;
    let into = |to: NodeIx| graph.preds(to).filter(stays).map(move |from| (id(from), id(to)));
    builder.edges = Some(graph.node_ixs().filter(stays).flat_map(into).collect());
    builder.schedule =
        graph.schedule().map(|order| order.iter().filter(|node| stays(node)).map(|&node| id(node)).collect());
    for buffer in graph.buffers() {
        builder.actual_sizes.extend(buffer.actual_size.map(|size| (buffer.id, size)));
        builder.backed.extend(buffer.backed.then_some(buffer.id));
        builder.zero_fill.extend(buffer.zero_fill.then_some(buffer.id));
    }
    builder.build()
}

fn raw_kind(graph: &Graph, node: NodeIx, symbols: &[Symbol], operands: &mut Vec<u64>) -> Option<RawKind> {
    let id_of = |buf: BufIx| graph.buffer(buf).id;
    match graph.node(node).kind {
        NodeKind::Alloc(buf) => {
            let buffer = graph.buffer(buf);
            Some(RawKind::Alloc(buffer.id, buffer.size, symbols[buffer.level.at()]))
        }
        NodeKind::Free(_) => None,
        NodeKind::Op(op) => {
            let start = operands.len() as u32;
            operands.extend(graph.operands(&op).iter().map(|&buf| id_of(buf)));
            let run = (start, operands.len() as u32);
            Some(RawKind::Op(symbols[op.op.at()], symbols[op.pipe.at()], op.cycles, run))
        }
    }
}
