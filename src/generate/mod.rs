//! Graph generators: kernels as they are really tiled ([`matmul`], [`flash_attention`], [`conv`]) and seeded
//! random graphs ([`random`]); and pipelines of named operations ([`chains`]).
//!
//! Each is a `Config` with defaults and a function `generate`; the same configuration gives the same graph on
//! every machine. Of kernels, sizes are in the units of the machine preset `npu` and cycles follow [`cost`]; of
//! operations they are bytes and microseconds.

pub mod chains;
pub mod conv;
pub mod cost;
pub mod flash_attention;
mod growth;
pub mod matmul;
pub mod operations;
mod program;
pub mod random;

use crate::model::{Entry, Fault};

/// The most nodes that a generator makes: some gigabytes of graph.
pub const MAX_NODES: u128 = 20_000_000;

fn fault(what: impl Into<String>, advice: impl Into<String>) -> Fault {
    Fault { what: what.into(), advice: advice.into(), at: Entry::Whole }
}

/// Refuses a field that must be at least 1 and is 0. `name` is the field as the command line spells it.
fn at_least_one(name: &str, value: u64) -> Result<(), Fault> {
    if value == 0 {
        return Err(fault(format!("{name} is 0"), format!("give {name} a whole number from 1")));
    }
    Ok(())
}

/// Refuses a graph that would have more than [`MAX_NODES`] nodes.
fn check_node_count(nodes: u128) -> Result<(), Fault> {
    if nodes > MAX_NODES {
        let what = format!("the graph would have {nodes} nodes, more than the {MAX_NODES} that are generated at most");
        return Err(fault(what, "ask for fewer tiles, blocks or nodes"));
    }
    Ok(())
}

#[cfg(test)]
mod test_help {
    use crate::model::{BufIx, Graph};

    pub(super) fn count_ops(graph: &Graph, kind: &str) -> usize {
        graph.node_ixs().filter(|&node| graph.op_name(node) == kind).count()
    }

    pub(super) fn every_buffer_is_freed(graph: &Graph) -> bool {
        graph.buffers().iter().all(|buffer| buffer.free.is_some())
    }

    /// The first buffer of that name.
    pub(super) fn buffer_named(graph: &Graph, name: &str) -> BufIx {
        let mut all = (0..graph.buffers().len()).map(BufIx::new);
        all.find(|&buf| graph.buffer_name(buf).is_some_and(|n| n.raw() == name)).expect("no buffer of that name")
    }
}
