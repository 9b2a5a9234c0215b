use std::sync::Arc;

use super::*;
use crate::engine::{diagnose, order, walk};
use crate::model::{GraphBuilder, Holder, Machine, Options, Order, SplitMix64, Stay};

/// Buffers of these sizes in an L1 of that capacity.
fn problem(sizes: &[u64], capacity: u64) -> Problem {
    let mut builder = GraphBuilder::new("g".into());
    let level = builder.intern("L1").unwrap();
    sizes.iter().enumerate().for_each(|(at, &size)| builder.alloc(at as u64, at as u64, size, level));
    let mut machine = Machine::npu();
    machine.levels[0].capacity = capacity;
    Problem::new(Arc::new(builder.build().unwrap()), machine).unwrap()
}

fn diagnosis(kind: FailureKind, need: u64, capacity: u64, holders: &[(u32, u64)]) -> Diagnosis {
    let holder = |&(buf, offset): &(u32, u64)| Holder {
        buf: BufIx(buf),
        offset,
        since: buf,
        next_use: None,
        stays: Stay::LevelMayNotSpill,
    };
    Diagnosis {
        kind,
        level: LevelIx(0),
        buf: BufIx(0),
        node: None,
        step: Some(0),
        need,
        capacity,
        free: 0,
        largest_hole: 0,
        holders: holders.iter().map(holder).collect(),
        waiting: Vec::new(),
        conflict: None,
        rise: None,
        remedies: Vec::new(),
        in_vain: Vec::new(),
    }
}

/// Whether the set cannot be there with the request, told the long way.
fn too_much(problem: &Problem, found: &Diagnosis, kind: ConflictKind, bufs: &[BufIx]) -> bool {
    let sum: u64 = bufs.iter().map(|&buf| problem.space_of(buf)).sum();
    match kind {
        ConflictKind::Sizes { .. } => sum > found.capacity,
        ConflictKind::SizesAndRequest { .. } => sum + found.need > found.capacity,
        ConflictKind::Places => {
            let taken = |at: u64| {
                let holds = |holder: &&Holder| bufs.contains(&holder.buf);
                let mut holders = found.holders.iter().filter(holds);
                holders.any(|holder| (holder.offset..holder.offset + problem.space_of(holder.buf)).contains(&at))
            };
            let mut run = 0;
            (0..found.capacity).all(|at| {
                run = if taken(at) { 0 } else { run + 1 };
                run < found.need
            })
        }
    }
}

/// The set is too much; without any one of its members it is not, and no set of fewer is.
fn assert_smallest(problem: &Problem, found: &Diagnosis) {
    let conflict = smallest_conflict(problem, found).expect("there is no room");
    assert!(too_much(problem, found, conflict.kind, &conflict.bufs), "{conflict:?} of {found:?}");
    for without in &conflict.bufs {
        let rest: Vec<BufIx> = conflict.bufs.iter().copied().filter(|buf| buf != without).collect();
        assert!(!too_much(problem, found, conflict.kind, &rest), "{conflict:?} without {without:?} of {found:?}");
    }
    if let ConflictKind::SizesAndRequest { sum } = conflict.kind {
        assert!(sum - found.need <= found.capacity, "without the request they fit, for they are there");
    }
    for chosen in 0u32..1 << found.holders.len() {
        if (chosen.count_ones() as usize) < conflict.bufs.len() {
            let bufs = found.holders.iter().enumerate().filter(|(at, _)| chosen & (1 << at) != 0);
            let bufs: Vec<BufIx> = bufs.map(|(_, holder)| holder.buf).collect();
            assert!(!too_much(problem, found, conflict.kind, &bufs), "{bufs:?} is smaller than {conflict:?}");
        }
    }
}

#[test]
fn the_conflict_is_irreducible_and_no_smaller_one_is_there() {
    let mut random = SplitMix64::new(5);
    let mut seen = [0; 3];
    for _ in 0..400 {
        let count = 1 + random.index(7);
        let sizes: Vec<u64> = (0..count).map(|_| 1 + random.below(12)).collect();
        let (mut holders, mut end) = (Vec::new(), 0);
        for (buf, size) in sizes.iter().enumerate() {
            end += random.below(8);
            holders.push((buf as u32, end));
            end += size;
        }
        let capacity = end + random.below(8);
        let problem = problem(&sizes, capacity);
        let need = 1 + random.below(capacity);
        let found = diagnosis(FailureKind::NoHole, need, capacity, &holders);
        if smallest_conflict(&problem, &found).is_none() {
            let all: Vec<BufIx> = found.holders.iter().map(|holder| holder.buf).collect();
            assert!(!too_much(&problem, &found, ConflictKind::Places, &all), "{found:?}");
            seen[0] += 1;
        } else {
            assert_smallest(&problem, &found);
            seen[1] += 1;
        }
        let sum: u64 = sizes.iter().sum();
        let operands = diagnosis(FailureKind::OperandsLargerThanLevel, sum, sum - 1, &holders);
        assert_smallest(&problem, &operands);
        seen[2] += 1;
    }
    assert!(seen.iter().all(|&count| count > 20), "{seen:?}");
}

/// Four accumulators fill L0C; two of them go, and those left stand so that there is no hole of 256.
#[test]
fn a_failure_is_taken_apart() {
    let mut builder = GraphBuilder::new("g".into());
    let [l0c, load, matmul, pipe] = ["L0C", "COPY_IN", "MATMUL", "CUBE"].map(|text| builder.intern(text).unwrap());
    builder.alloc(0, 9, 64, l0c);
    builder.op(1, load, pipe, 10, &[9]);
    for buf in 0..4 {
        builder.alloc(10 + buf, buf, 128, l0c);
        builder.op(20 + buf, matmul, pipe, 10, &[buf, 9]);
    }
    [0, 2].iter().for_each(|&buf| builder.free(30 + buf, buf));
    builder.alloc(40, 5, 256, l0c);
    builder.op(41, matmul, pipe, 10, &[5]);
    builder.free(42, 5);
    [1, 3, 9].iter().for_each(|&buf| builder.free(50 + buf, buf));
    builder.schedule = Some(builder.nodes.iter().map(|node| node.id).collect());
    let mut machine = Machine::npu();
    machine.levels.iter_mut().filter(|level| level.name.raw() == "L0C").for_each(|level| level.capacity = 64 + 512);
    let problem = Problem::new(Arc::new(builder.build().unwrap()), machine).unwrap();
    let options = Options::classic(Order::Given);
    let ordered = order::first_order(&problem, &options, false).unwrap();
    let planned = walk(&problem, &ordered, &options, &mut ());
    let found = diagnose::of_stuck(&problem, &ordered, &options, &planned, planned.stuck.unwrap());
    assert_smallest(&problem, &found);
    let ids = |bufs: &[BufIx]| bufs.iter().map(|&buf| problem.graph.buffer(buf).id).collect::<Vec<_>>();
    let conflict = found.conflict.as_ref().unwrap();
    assert_eq!((ids(&conflict.bufs), conflict.kind), (vec![1, 3], ConflictKind::Places));
    let rise = found.rise.as_ref().unwrap();
    let node = |node: NodeIx| problem.graph.node(node).id;
    let came = |fill: &Fill| (problem.graph.buffer(fill.buf).id, fill.by.map(node), fill.used);
    let fills: Vec<_> = rise.fills.iter().map(came).collect();
    assert_eq!(fills, [(9, Some(1), 64), (1, Some(21), 320), (3, Some(23), 576)], "{rise:?}");
    let behind: Vec<Vec<u64>> =
        rise.fills.iter().map(|fill| fill.behind.iter().map(|&op| node(op)).collect()).collect();
    assert_eq!(behind, [vec![], vec![20, 1], vec![22, 21, 20]], "users of one buffer run one after the other");
    assert_eq!((rise.low_step, rise.low, rise.more), (None, 0, 0));
}
