//! The graph in the DOT language of Graphviz, by petgraph's own writer, which escapes the labels.
//!
//! Operations are boxes in a colour for each unit, ALLOCs and FREEs grey ellipses. Labels are those of reports: id, kind,
//! name. Edges are those of the graph, each once.

use std::io::{self, Write};

use petgraph::dot::{Config, Dot};

use super::labels::{buffer_label, node_label};
use super::svg::BUFFERS;
use crate::model::{NodeIx, NodeKind, Problem};

/// Writes the graph of `problem`.
///
/// # Errors
/// Where `out` fails.
pub fn write_dot(out: &mut dyn Write, problem: &Problem) -> io::Result<()> {
    let graph = &*problem.graph;
    let labelled = graph.dag().map(|ix, _| label(problem, NodeIx::new(ix.index())), |_, ()| "");
    let attributes = |_, (ix, _): (petgraph::graph::NodeIndex, &String)| look(problem, NodeIx::new(ix.index()));
    let config = [Config::EdgeNoLabel];
    let edges = |_, _| String::new();
    let dot = Dot::with_attr_getters(&labelled, &config, &edges, &attributes);
    write!(out, "{dot}")
}

/// What stands in a node. Ids alone do not tell what an ALLOC is of.
fn label(problem: &Problem, node: NodeIx) -> String {
    let graph = &*problem.graph;
    match graph.node(node).kind {
        NodeKind::Alloc(buf) => {
            let size = graph.buffer(buf).size;
            let level = &problem.level(problem.level_of(buf)).name;
            format!("{}\n{size} of {level}", node_label(graph, node))
        }
        NodeKind::Free(_) => node_label(graph, node),
        NodeKind::Op(op) => {
            let bufs: Vec<String> = graph.operands(&op).iter().map(|&buf| buffer_label(graph, buf)).collect();
            format!("{}\n{}", node_label(graph, node), bufs.join(" "))
        }
    }
}

fn look(problem: &Problem, node: NodeIx) -> String {
    match problem.graph.node(node).kind {
        NodeKind::Alloc(_) | NodeKind::Free(_) => "shape=ellipse style=filled fillcolor=\"#eeeeee\"".into(),
        NodeKind::Op(op) => {
            let (ground, ink) = BUFFERS[problem.unit_of(op.pipe).at() % BUFFERS.len()];
            format!("shape=box style=filled fillcolor=\"{ground}\" fontcolor=\"{ink}\"")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;

    use crate::model::{GraphBuilder, Machine};
    use crate::output::testing::{Kind, session};

    fn dot(problem: &Problem) -> String {
        let mut text = Vec::new();
        write_dot(&mut text, problem).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn every_node_and_edge_is_there() {
        let problem = session(Kind::Spilled).trace.problem;
        let text = dot(&problem);
        assert!(text.starts_with("digraph {\n") && text.ends_with("}\n"), "{text}");
        assert_eq!(text.matches(" [ label = ").count(), problem.graph.node_count());
        assert_eq!(text.matches(" -> ").count(), problem.graph.edge_count());
        assert!(text.contains("0 [ label = \"10 ALLOC b1\\l256 of L1\" shape=ellipse"), "{text}");
        assert!(text.contains("1 [ label = \"11 COPY_IN\\lb1\" shape=box"), "{text}");
    }

    #[test]
    fn names_cannot_end_a_label_or_reach_a_terminal() {
        let mut builder = GraphBuilder::new("g".into());
        let op = builder.intern("a\"]\\\u{1b}").unwrap();
        builder.op(0, op, op, 3, &[]);
        let problem = Problem::new(Arc::new(builder.build().unwrap()), Machine::npu()).unwrap();
        assert!(dot(&problem).contains("label = \"0 a\\\"]\\\\\u{fffd}\\l\""), "{}", dot(&problem));
    }
}
