//! The first order: the sequence of nodes before anything is spilled or postponed.

mod priorities;
mod program;
mod ready;

pub use priorities::Priorities;
pub use ready::ReadyQueue;

use crate::model::{Fault, Graph, NodeIx, Order};

/// The order that planning starts from.
///
/// # Errors
/// Where the graph has no schedule and [`Order::Given`] is asked for, or where program order runs an operation
/// before an ALLOC or after a FREE of its buffers because no edge says otherwise.
pub fn first_order(graph: &Graph, order: Order) -> Result<Vec<NodeIx>, Fault> {
    match order {
        Order::Given => graph.schedule().map(<[NodeIx]>::to_vec).ok_or_else(|| Fault {
            what: "the graph has no schedule to follow".into(),
            advice: "give one with --schedule, or use --order program".into(),
            at: crate::model::Entry::Whole,
        }),
        Order::Program => {
            let order = program::program_order(graph);
            graph.check_order(&order).map_err(|mut fault| {
                // The place is one of the computed order, not of the file.
                fault.at = crate::model::Entry::Whole;
                fault.what = format!("in program order, {}", fault.what);
                fault
            })?;
            Ok(order)
        }
        Order::Topological | Order::CriticalPath | Order::MemoryAware => Err(Fault {
            what: format!("order {order} is not scheduled yet"),
            advice: "use --order program".into(),
            at: crate::model::Entry::Whole,
        }),
    }
}
