//! Small sessions for the tests of this folder: real plans of graphs that are easy to follow by hand.

use std::sync::Arc;

use crate::model::{Fallback, Graph, GraphBuilder, Machine, Options, Order, Problem};
use crate::session::{Extras, Session};

/// What happens in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// One backed buffer leaves for another and comes back.
    Spilled,
    /// Two buffers, one of them not backed, leave for a third.
    Many,
    /// The ALLOC of b2 waits for the FREE of b1.
    Postponed,
    /// The last resort: b1 and b2 are needed together where b3 and b4 stand in the way.
    Packed,
    /// b2 finds no room in L0C, which may not spill.
    Failed,
    /// Nothing to plan.
    Empty,
}

impl Kind {
    pub const ALL: [Self; 6] = [Self::Spilled, Self::Many, Self::Postponed, Self::Packed, Self::Failed, Self::Empty];
}

/// A graph from lines `ALLOC buf size`, `FREE buf`, `OP buf,buf`, each with its id, in the order of the schedule.
pub fn graph(level: &str, nodes: &[(u64, &str, &[u64], u64)]) -> Graph {
    let mut builder = GraphBuilder::new("g".into());
    let level = builder.intern(level).unwrap();
    for &(id, op, bufs, number) in nodes {
        match op {
            "ALLOC" => builder.alloc(id, bufs[0], number, level),
            "FREE" => builder.free(id, bufs[0]),
            _ => {
                let (op, pipe) = (builder.intern(op).unwrap(), builder.intern("VECTOR").unwrap());
                builder.op(id, op, pipe, number, bufs);
            }
        }
    }
    builder.schedule = Some(nodes.iter().map(|&(id, ..)| id).collect());
    builder.build().unwrap_or_else(|fault| panic!("{fault:?}"))
}

fn subject(kind: Kind) -> (Graph, Vec<Fallback>) {
    let classic = || Options::classic(Order::Given).on_full;
    let nodes: &[(u64, &str, &[u64], u64)] = match kind {
        Kind::Spilled => &[
            (10, "ALLOC", &[1], 256),
            (11, "COPY_IN", &[1], 30),
            (12, "ADD", &[1], 10),
            (20, "ALLOC", &[2], 256),
            (21, "MUL", &[2], 10),
            (22, "FREE", &[2], 0),
            (13, "ADD", &[1], 10),
            (14, "FREE", &[1], 0),
        ],
        Kind::Many => &[
            (1, "ALLOC", &[1], 128),
            (2, "ALLOC", &[2], 128),
            (3, "COPY_IN", &[1], 30),
            (4, "ADD", &[1, 2], 10),
            (5, "ALLOC", &[3], 256),
            (6, "MUL", &[3], 10),
            (7, "FREE", &[3], 0),
            (8, "ADD", &[1, 2], 10),
            (9, "FREE", &[1], 0),
            (10, "FREE", &[2], 0),
        ],
        Kind::Postponed => &[
            (1, "ALLOC", &[1], 256),
            (2, "ALLOC", &[2], 256),
            (3, "ADD", &[1], 10),
            (4, "FREE", &[1], 0),
            (5, "MUL", &[2], 10),
            (6, "FREE", &[2], 0),
        ],
        Kind::Packed => &[
            (1, "ALLOC", &[1], 128),
            (2, "ALLOC", &[2], 128),
            (3, "ADD", &[1, 2], 10),
            (4, "ALLOC", &[3], 64),
            (5, "ALLOC", &[4], 64),
            (6, "MUL", &[3, 4], 10),
            (7, "ADD", &[1, 2], 10),
            (8, "FREE", &[3], 0),
            (9, "FREE", &[4], 0),
            (10, "FREE", &[2], 0),
            (11, "FREE", &[1], 0),
        ],
        Kind::Failed => &[
            (1, "ALLOC", &[1], 512),
            (2, "ALLOC", &[2], 128),
            (3, "MATMUL", &[2], 10),
            (4, "ADD", &[1], 10),
            (5, "FREE", &[2], 0),
            (6, "FREE", &[1], 0),
        ],
        Kind::Empty => &[],
    };
    let level = if kind == Kind::Failed { "L0C" } else { "L1" };
    let chain = match kind {
        Kind::Postponed => vec![Fallback::Postpone],
        Kind::Packed => vec![Fallback::Spill],
        _ => classic(),
    };
    (graph(level, nodes), chain)
}

/// The session of that kind, on the machine `npu` with an L1 of 256.
pub fn session(kind: Kind) -> Session {
    let (graph, on_full) = subject(kind);
    let mut machine = Machine::npu();
    machine.levels[0].capacity = 256;
    let problem = Problem::new(Arc::new(graph), machine).unwrap();
    let options = Options { on_full, ..Options::classic(Order::Given) };
    planned(problem, options)
}

/// The session of `problem`, with everything that can be worked out, and a time that is the same on each machine.
pub fn planned(problem: Problem, options: Options) -> Session {
    let extras = Extras { fractional_bound: true, remedies: true };
    let mut session = Session::plan(problem, options, extras).unwrap();
    session.seconds = 0.0123;
    session
}
