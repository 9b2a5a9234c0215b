//! Whom an event speaks of.

use super::Trace;
use crate::model::{BufIx, Event, NodeIx};

/// The buffer that an event speaks of first.
pub fn buf_of(trace: &Trace, event: &Event) -> Option<BufIx> {
    match *event {
        Event::Placed { buf, .. }
        | Event::Left { buf, .. }
        | Event::NoHole { buf, .. }
        | Event::Candidate { buf, .. }
        | Event::Fitted { buf, .. }
        | Event::FellThrough { buf, .. }
        | Event::Postponed { buf, .. }
        | Event::Packed { buf, .. }
        | Event::Failed { buf, .. }
        | Event::Read { buf, .. }
        | Event::Reported { buf, .. }
        | Event::Chosen { victim: buf, .. } => Some(buf),
        Event::MovedOut { spill, .. }
        | Event::MovedBack { spill, .. }
        | Event::PlannedBack { spill, .. }
        | Event::Prefetched { spill, .. } => trace.plan.spills.get(spill.at()).map(|spill| spill.buf),
        Event::Ready { .. }
        | Event::Ran { .. }
        | Event::Coalesced { .. }
        | Event::MoreCandidates { .. }
        | Event::Dispatched { .. }
        | Event::Queued { .. }
        | Event::WaitsForMemory { .. }
        | Event::Woken { .. }
        | Event::Block { .. } => None,
    }
}

/// The node that an event speaks of.
pub fn node_of(event: &Event) -> Option<NodeIx> {
    match *event {
        Event::Ready { node }
        | Event::Ran { node, .. }
        | Event::Dispatched { node, .. }
        | Event::Queued { node, .. }
        | Event::WaitsForMemory { node, .. }
        | Event::Woken { node, .. }
        | Event::Read { node, .. }
        | Event::Failed { node, .. } => Some(node),
        _ => None,
    }
}
