//! The diagnosis of a failed plan in JSON, the same in reports and in plans kept by `--save-failed`.
//!
//! | field | what |
//! |---|---|
//! | `kind` | `larger-than-level`, `operands-larger-than-level`, `no-hole` or `forbidden` |
//! | `level`, `buffer`, `node`, `step` | where no room was found, for which buffer, and when; `null` where no step was reached |
//! | `need`, `capacity`, `free`, `largest_hole` | in units of size |
//! | `text` | the same in a sentence |
//! | `holders` | who is in the level: `buffer`, `size`, `offset`, `since_step`, `next_use` (a node), and why it `stays` |
//! | `conflict` | as few `buffers` as can be that cannot be in the level together, and what makes them too much: `kind` is `sizes`, `sizes-and-request` (both with their `sum`) or `places` (at their addresses they leave no hole); `null` where there is room and it is kept back |
//! | `remedies` | what was tried and works, as a `flag`; of a capacity, whether it is proven `smallest` |
//! | `in_vain` | what was tried and fails too, as a `flag` |

use serde::Serialize;

use crate::model::{Conflict, ConflictKind, Diagnosis, FailureKind, Holder, Problem, Remedy, Stay, Waiting};
use crate::output::diagnosis::{Role, diagnosis, remedy_flag};
use crate::session::Session;

/// See the [module](self).
#[derive(Serialize)]
pub(super) struct FailureJson {
    kind: &'static str,
    level: String,
    buffer: u64,
    node: Option<u64>,
    step: Option<u32>,
    need: u64,
    capacity: u64,
    free: u64,
    largest_hole: u64,
    /// The diagnosis in a sentence.
    text: String,
    holders: Vec<HolderJson>,
    /// Of a deadlock: who waits for memory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    waiting: Vec<WaitingJson>,
    conflict: Option<ConflictJson>,
    remedies: Vec<RemedyJson>,
    in_vain: Vec<RemedyJson>,
}

#[derive(Serialize)]
struct HolderJson {
    buffer: u64,
    size: u64,
    /// `null` where nothing was planned.
    offset: Option<u64>,
    since_step: Option<u32>,
    next_use: Option<u64>,
    stays: &'static str,
}

#[derive(Serialize)]
struct WaitingJson {
    node: u64,
    need: u64,
    room: u64,
    since: u64,
}

#[derive(Serialize)]
struct ConflictJson {
    buffers: Vec<u64>,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    sum: Option<u64>,
}

#[derive(Serialize)]
struct RemedyJson {
    flag: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    smallest: Option<bool>,
}

impl FailureJson {
    /// Why `session` has no plan; `None` where it has one.
    pub(super) fn new(session: &Session) -> Option<Self> {
        let found = session.diagnosis.as_ref()?;
        let problem = &session.trace.problem;
        let graph = &problem.graph;
        let headline = diagnosis(&session.trace, found).into_iter().find(|line| line.role == Role::Headline);
        Some(Self {
            kind: kind(found.kind),
            level: problem.level(found.level).name.raw().to_owned(),
            buffer: graph.buffer(found.buf).id,
            node: found.node.map(|node| graph.node(node).id),
            step: found.step,
            need: found.need,
            capacity: found.capacity,
            free: found.free,
            largest_hole: found.largest_hole,
            text: headline.map(|line| line.text).unwrap_or_default(),
            holders: found.holders.iter().map(|holder| holder_json(problem, found, holder)).collect(),
            waiting: found.waiting.iter().map(|waiting| waiting_json(problem, waiting)).collect(),
            conflict: found.conflict.as_ref().map(|conflict| conflict_json(problem, conflict)),
            in_vain: found.in_vain.iter().map(|remedy| remedy_json(problem, remedy)).collect(),
            remedies: found.remedies.iter().map(|remedy| remedy_json(problem, remedy)).collect(),
        })
    }
}

fn kind(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::LargerThanLevel => "larger-than-level",
        FailureKind::OperandsLargerThanLevel => "operands-larger-than-level",
        FailureKind::NoHole => "no-hole",
        FailureKind::Forbidden => "forbidden",
        FailureKind::Deadlock => "deadlock",
    }
}

fn holder_json(problem: &Problem, found: &Diagnosis, holder: &Holder) -> HolderJson {
    let graph = &problem.graph;
    HolderJson {
        buffer: graph.buffer(holder.buf).id,
        size: graph.buffer(holder.buf).size,
        offset: found.step.map(|_| holder.offset),
        since_step: found.step.map(|_| holder.since),
        next_use: holder.next_use.map(|node| graph.node(node).id),
        stays: match holder.stays {
            Stay::Pinned => "pinned",
            Stay::LevelMayNotSpill => "level-may-not-spill",
            Stay::ChainDoesNotSpill => "chain-does-not-spill",
            Stay::OpensNoHole => "opens-no-hole",
            Stay::PoolsKeep => "pools-keep",
        },
    }
}

fn waiting_json(problem: &Problem, waiting: &Waiting) -> WaitingJson {
    let Waiting { node, need, room, since, .. } = *waiting;
    WaitingJson { node: problem.graph.node(node).id, need, room, since }
}

fn conflict_json(problem: &Problem, conflict: &Conflict) -> ConflictJson {
    let (kind, sum) = match conflict.kind {
        ConflictKind::Sizes { sum } => ("sizes", Some(sum)),
        ConflictKind::SizesAndRequest { sum } => ("sizes-and-request", Some(sum)),
        ConflictKind::Places => ("places", None),
    };
    ConflictJson { buffers: conflict.bufs.iter().map(|&buf| problem.graph.buffer(buf).id).collect(), kind, sum }
}

fn remedy_json(problem: &Problem, remedy: &Remedy) -> RemedyJson {
    let smallest = if let Remedy::Capacity { smallest, .. } = remedy { Some(*smallest) } else { None };
    RemedyJson { flag: remedy_flag(problem, remedy), smallest }
}
