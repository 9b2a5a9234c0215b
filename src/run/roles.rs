//! Who writes a buffer and who reads it. A graph of nodes and buffers does not say; in an operation graph it follows.

use crate::error::Error;
use crate::model::{BufIx, Graph, NodeIx, NodeKind, Problem};

/// Producers and numbers of consumers, by buffer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Roles {
    producer: Vec<Option<NodeIx>>,
    consumers: Vec<u32>,
}

impl Roles {
    /// The roles in a graph that can be run: all its buffers in pools, each written once, by the operation on which all
    /// others that name it depend (graph inputs, which are backed, by none), and freed when these are done.
    ///
    /// # Errors
    /// What else there is in the graph.
    pub fn new(problem: &Problem) -> Result<Self, Error> {
        let graph = &*problem.graph;
        let mut roles = Self { producer: Vec::new(), consumers: Vec::new() };
        for node in graph.node_ixs() {
            if let NodeKind::Op(op) = graph.node(node).kind
                && graph.symbol(op.pipe).raw().is_empty()
            {
                return Err(refused(format!("node {} names no pipe to run on", graph.node(node).id)));
            }
        }
        for buf in (0..graph.buffers().len()).map(BufIx::new) {
            if problem.level(problem.level_of(buf)).pool().is_none() {
                let level = &problem.level(problem.level_of(buf)).name;
                let what = format!("buffer {} is in level {level}, which is no pool", graph.buffer(buf).id);
                return Err(refused(what));
            }
            must_be_plain(graph, buf)?;
            let producer = producer(graph, buf)?;
            roles.producer.push(producer);
            roles.consumers.push(graph.users(buf).len() as u32 - u32::from(producer.is_some()));
        }
        Ok(roles)
    }

    /// The operation that writes `buf`; none for a graph input.
    pub fn producer(&self, buf: BufIx) -> Option<NodeIx> {
        self.producer[buf.at()]
    }

    /// How many operations read `buf`.
    pub fn consumers(&self, buf: BufIx) -> u32 {
        self.consumers[buf.at()]
    }
}

/// The one of the users of `buf` that waits for none of the others.
fn producer(graph: &Graph, buf: BufIx) -> Result<Option<NodeIx>, Error> {
    if graph.buffer(buf).backed {
        return Ok(None);
    }
    let users = graph.users(buf);
    let mut firsts = users.iter().filter(|&&user| graph.preds(user).all(|pred| users.binary_search(&pred).is_err()));
    match (firsts.next(), firsts.next()) {
        (first, None) => Ok(first.copied()),
        (Some(&a), Some(&b)) => {
            let (a, b, id) = (graph.node(a).id, graph.node(b).id, graph.buffer(buf).id);
            Err(refused(format!(
                "nodes {a} and {b} both name buffer {id}, and neither depends on the other's writing it"
            )))
        }
        (None, Some(_)) => Ok(None),
    }
}

/// The ALLOC waits for nothing, the FREE for users alone, and nothing for the FREE.
fn must_be_plain(graph: &Graph, buf: BufIx) -> Result<(), Error> {
    let buffer = graph.buffer(buf);
    let of_users = |node: NodeIx| node == buffer.alloc || graph.users(buf).binary_search(&node).is_ok();
    let free_is_plain = |free: NodeIx| graph.preds(free).all(of_users) && graph.succs(free).next().is_none();
    if graph.preds(buffer.alloc).next().is_some() || !buffer.free.is_none_or(free_is_plain) {
        let what = format!("the ALLOC or FREE of buffer {} has edges to other nodes than its users", buffer.id);
        return Err(refused(what));
    }
    Ok(())
}

fn refused(what: String) -> Error {
    Error::input(
        what,
        "only operation graphs can be run: each buffer in a pool, written by one operation, read by others",
    )
}
