//! Small graphs of operations over one pool, for tests here and of what shows comparisons.

use std::sync::Arc;

use crate::model::{Buckets, GraphBuilder, Machine, Manager, Options, Order, PoolRules, Problem, RawKind};

/// An operation: the places of those whose outputs it reads, the size of its output, its microseconds.
pub type Op<'a> = (&'a [u64], u64, u64);

/// Two operations of 10 bytes that are ready at once, each read by one of 1 byte; 100 µs each. Under a cap of 12 the second
/// waits until the first has been read.
pub const RIVALS: [Op; 4] = [(&[], 10, 100), (&[], 10, 100), (&[0], 1, 100), (&[1], 1, 100)];

/// A heavy chain beside a light one, which meet in the end: 65 MB in all.
pub const FORK: [Op; 6] = [
    (&[], 10 << 20, 1000),
    (&[0], 20 << 20, 9000),
    (&[0], 10 << 20, 1000),
    (&[2], 10 << 20, 1000),
    (&[3], 10 << 20, 1000),
    (&[1, 4], 5 << 20, 500),
];

/// The operations on `workers` workers over a pool of that cap with exact buckets; fresh memory costs nothing.
pub fn pooled(ops: &[Op], workers: u8, cap: u64) -> Problem {
    let mut builder = GraphBuilder::new("small".into());
    let (level, worker) = (builder.intern("pool").unwrap(), builder.intern("worker").unwrap());
    let mut edges = Vec::new();
    for (at, &(inputs, size, micros)) in (0u64..).zip(ops) {
        builder.alloc(3 * at, at, size, level);
        let bufs: Vec<u64> = inputs.iter().copied().chain([at]).collect();
        builder.op(3 * at + 1, worker, worker, micros, &bufs);
        edges.push((3 * at, 3 * at + 1));
        edges.extend(inputs.iter().flat_map(|input| [(3 * input + 1, 3 * at + 1), (3 * at + 1, 3 * input + 2)]));
    }
    let is_read = |at: u64| ops.iter().any(|(inputs, ..)| inputs.contains(&at));
    for at in (0..ops.len() as u64).filter(|&at| is_read(at)) {
        builder.free(3 * at + 2, at);
    }
    assert!(builder.nodes.iter().any(|node| matches!(node.kind, RawKind::Free(..))), "something dies");
    builder.edges = Some(edges);
    let mut machine = Machine::host();
    machine.units[0].count = workers;
    machine.levels[0].capacity = cap;
    machine.levels[0].fresh_bytes_per_cycle = None;
    machine.levels[0].manager = Manager::Pool(PoolRules { buckets: Buckets::Exact, max_age: None });
    Problem::new(Arc::new(builder.build().unwrap()), machine).unwrap()
}

/// Topological order, everything else as usual.
pub fn topological() -> Options {
    Options::classic(Order::Topological)
}
