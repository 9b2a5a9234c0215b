//! The graph of a trace file: in the shape of an NPU graph, with what only operation graphs know (`ActualSize`,
//! `Backed`, `ZeroFill`, `Operations`), so that nothing of the model is lost on the way.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::model::{Entry, Fault, Graph, GraphBuilder, Name, OperationGraph, RawKind, RawNode};

/// A graph as it stands in a trace file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct GraphFile {
    name: String,
    #[serde(rename = "Nodes")]
    nodes: Vec<NodeFile>,
    #[serde(rename = "Edges")]
    edges: Vec<(u64, u64)>,
    #[serde(rename = "Schedule", default, skip_serializing_if = "Option::is_none")]
    schedule: Option<Vec<u64>>,
    /// Only where it comes from named operations: what their reader noted.
    #[serde(rename = "Operations", default, skip_serializing_if = "Option::is_none")]
    operations: Option<OperationGraph>,
}

/// A node; which of the fields there are depends on `op`.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct NodeFile {
    id: u64,
    op: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    buf_id: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    r#type: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    actual_size: Option<u64>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    backed: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    zero_fill: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pipe: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cycles: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bufs: Option<Vec<u64>>,
}

impl GraphFile {
    /// The graph that `builder` builds, for a file.
    pub fn new(builder: &GraphBuilder) -> Self {
        let mut nodes: Vec<NodeFile> = builder.nodes.iter().map(|node| NodeFile::new(builder, node)).collect();
        let actual: HashMap<u64, u64> = builder.actual_sizes.iter().copied().collect();
        let [backed, zeroed] =
            [&builder.backed, &builder.zero_fill].map(|list| list.iter().copied().collect::<HashSet<u64>>());
        for node in nodes.iter_mut().filter(|node| node.op == "ALLOC") {
            node.actual_size = node.buf_id.and_then(|buf| actual.get(&buf).copied());
            node.backed = node.buf_id.is_some_and(|buf| backed.contains(&buf));
            node.zero_fill = node.buf_id.is_some_and(|buf| zeroed.contains(&buf));
        }
        Self {
            name: builder.name.raw().to_owned(),
            nodes,
            edges: builder.edges.clone().unwrap_or_default(),
            schedule: builder.schedule.clone(),
            operations: builder.operation_graph,
        }
    }

    /// The graph.
    ///
    /// # Errors
    /// What is wrong with it, as for any graph.
    pub fn build(&self) -> Result<Graph, Fault> {
        let mut builder = GraphBuilder::new(Name::new(self.name.as_str()));
        builder.edges = Some(self.edges.clone());
        builder.schedule.clone_from(&self.schedule);
        builder.operation_graph = self.operations;
        for (place, node) in self.nodes.iter().enumerate() {
            node.add_to(&mut builder, place)?;
        }
        builder.build()
    }
}

impl NodeFile {
    fn new(builder: &GraphBuilder, raw: &RawNode) -> Self {
        let text = |symbol| Some(builder.symbol(symbol).raw().to_owned());
        let node = Self { id: raw.id, name: raw.name.as_ref().map(|name| name.raw().to_owned()), ..Self::default() };
        match raw.kind {
            RawKind::Alloc(buf, size, level) => {
                Self { op: "ALLOC".into(), buf_id: Some(buf), size: Some(size), r#type: text(level), ..node }
            }
            RawKind::Free(buf, ..) => Self { op: "FREE".into(), buf_id: Some(buf), ..node },
            RawKind::Op(op, pipe, cycles, (start, end)) => Self {
                op: text(op).unwrap_or_default(),
                pipe: text(pipe),
                cycles: Some(cycles),
                bufs: Some(builder.operands[start as usize..end as usize].to_vec()),
                ..node
            },
        }
    }

    fn add_to(&self, builder: &mut GraphBuilder, place: usize) -> Result<(), Fault> {
        let fault = |what: &str| {
            let what = format!("node {}: {what} is missing", self.id);
            Fault { what, advice: String::new(), at: Entry::Node(place) }
        };
        // An operation may be called ALLOC or FREE too; only it has a pipe.
        if let Some(pipe) = &self.pipe {
            let (op, pipe) = (builder.intern(&self.op)?, builder.intern(pipe)?);
            let bufs = self.bufs.as_ref().ok_or_else(|| fault("Bufs"))?;
            builder.op(self.id, op, pipe, self.cycles.ok_or_else(|| fault("Cycles"))?, bufs);
        } else {
            let buf = self.buf_id.ok_or_else(|| fault("BufId"))?;
            if self.op == "ALLOC" {
                let level = builder.intern(self.r#type.as_deref().ok_or_else(|| fault("Type"))?)?;
                builder.alloc(self.id, buf, self.size.ok_or_else(|| fault("Size"))?, level);
                builder.actual_sizes.extend(self.actual_size.map(|size| (buf, size)));
                builder.backed.extend(self.backed.then_some(buf));
                builder.zero_fill.extend(self.zero_fill.then_some(buf));
            } else if self.op == "FREE" {
                builder.free(self.id, buf);
            } else {
                return Err(fault("Pipe"));
            }
        }
        if let Some(node) = builder.nodes.last_mut() {
            node.name = self.name.as_deref().map(Name::new);
        }
        Ok(())
    }
}
