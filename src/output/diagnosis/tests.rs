use super::*;
use crate::model::NodeIx;
use crate::output::testing::{Kind, session};

fn texts(lines: &[Line], role: Role) -> Vec<&str> {
    lines.iter().filter(|line| line.role == role).map(|line| line.text.as_str()).collect()
}

#[test]
fn a_forbidden_spill_names_the_flag_the_holder_and_what_works() {
    let session = session(Kind::Failed);
    let lines = diagnosis(&session.trace, session.diagnosis.as_ref().unwrap());
    assert_eq!(texts(&lines, Role::Headline), ["No plan: L0C has no room for b2 at 2 ALLOC b2, step 1."]);
    assert_eq!(lines[0].step, Some(1));
    let facts = texts(&lines, Role::Fact);
    assert!(facts[0].contains("--spill-l0"), "{facts:?}");
    assert_eq!(facts[1], "needed 128, free 0, largest hole 0, capacity 512");
    let holders = texts(&lines, Role::Holder);
    assert_eq!(holders, ["b1 512 L0C[0,512) since step 0; next in 4 ADD; may not spill"]);
    let remedies = texts(&lines, Role::Remedy);
    assert!(remedies.contains(&"--capacity L0C=640  works; 639 fails"), "{remedies:?}");
    assert!(remedies.iter().any(|text| text.starts_with("--spill-l0  works")), "{remedies:?}");
}

/// b1 at [0,64), b2 at [96,160), b3 at [160,224): holes of 32 and 32 in an L1 of 256.
fn fragmented() -> Diagnosis {
    let holder =
        |buf: u32, offset: u64| Holder { buf: BufIx(buf), offset, since: 0, next_use: None, stays: Stay::OpensNoHole };
    Diagnosis {
        kind: FailureKind::NoHole,
        level: LevelIx(0),
        buf: BufIx(0),
        node: Some(NodeIx(0)),
        step: Some(0),
        need: 64,
        capacity: 256,
        free: 64,
        largest_hole: 32,
        holders: vec![holder(2, 0), holder(3, 96), holder(2, 160)],
        waiting: Vec::new(),
        conflict: None,
        rise: None,
        remedies: Vec::new(),
        in_vain: Vec::new(),
    }
}

#[test]
fn fragmentation_counts_the_holes_and_names_who_stands_between_them() {
    let session = session(Kind::Packed);
    let lines = diagnosis(&session.trace, &fragmented());
    assert_eq!(texts(&lines, Role::Fact)[0], "needed 64, free 64 in 2 holes, but the largest has 32: fragmented");
    assert_eq!(
        texts(&lines, Role::Blocker),
        ["b4 and b3 (128) stand between holes of 64 in L1[64,256); each alone opens no hole of 64"]
    );
}

#[test]
fn what_no_plan_can_do_is_said_as_such() {
    let session = session(Kind::Packed);
    let mut found = fragmented();
    found.holders.clear();
    (found.kind, found.need) = (FailureKind::LargerThanLevel, 300);
    let lines = diagnosis(&session.trace, &found);
    assert_eq!(lines[0].text, "No plan exists: b1 needs 300 units, and L1 has 256 in all.");
    found.kind = FailureKind::OperandsLargerThanLevel;
    found.node = session.trace.problem.graph.find_node(3);
    let lines = diagnosis(&session.trace, &found);
    assert_eq!(lines[0].text, "No plan exists: 3 ADD needs 300 units of L1 at once, which has 256 in all.");
    assert_eq!(texts(&lines, Role::Fact)[1], "b1 (128) and b2 (128)");
    found.node = None;
    assert!(diagnosis(&session.trace, &found)[0].text.contains("never freed"));
}

#[test]
fn only_a_proven_capacity_is_called_smallest() {
    let session = session(Kind::Spilled);
    let text = |levels: &[(LevelIx, u64)], smallest| {
        remedy_text(&session.trace.problem, &Remedy::Capacity { levels: levels.to_vec(), smallest })
    };
    assert!(text(&[(LevelIx(0), 300)], true).contains("no smaller one can"));
    assert_eq!(text(&[(LevelIx(0), 300)], false), "--capacity L1=300  works; 299 fails");
    let two = text(&[(LevelIx(0), 300), (LevelIx(1), 9)], false);
    assert_eq!(two, "--capacity L1=300,UB=9  works; with one unit less in any of them it fails");
}

/// A pool of 67.1 MB: a (41.9 MB) is held for c, which waits for b, for which there is no room.
#[test]
fn a_deadlock_says_who_waits_who_holds_and_who_would_free_it() {
    use crate::model::{GraphBuilder, Machine, OperationGraph, Options, Order, Problem};
    const MB: u64 = 1 << 20;
    let mut builder = GraphBuilder::new("g".into());
    builder.operation_graph = Some(OperationGraph::default());
    let (pool, worker) = (builder.intern("pool").unwrap(), builder.intern("worker").unwrap());
    for (buf, name, operands, size) in
        [(0u64, "a", &[0][..], 40 * MB), (1, "b", &[1], 30 * MB), (2, "c", &[0, 1, 2], MB), (3, "d", &[1, 2, 3], MB)]
    {
        let kind = builder.intern(name).unwrap();
        builder.alloc(3 * buf, buf, size, pool);
        builder.op(3 * buf + 1, kind, worker, 10, operands);
        builder.nodes.iter_mut().filter(|node| node.id / 3 == buf).for_each(|node| node.name = Some(name.into()));
    }
    let mut machine = Machine::host();
    machine.levels[0].capacity = 64 * MB;
    let problem = Problem::new(std::sync::Arc::new(builder.build().unwrap()), machine).unwrap();
    let session = crate::output::testing::planned(problem, Options::classic(Order::CriticalPath));
    let waiting = crate::model::Waiting { node: NodeIx(3), level: LevelIx(0), need: 30 * MB, room: 24 * MB, since: 12 };
    let holder = Holder { buf: BufIx(0), offset: 0, since: 1, next_use: Some(NodeIx(5)), stays: Stay::PoolsKeep };
    let found = Diagnosis {
        kind: FailureKind::Deadlock,
        step: Some(4),
        need: 30 * MB,
        capacity: 64 * MB,
        free: 24 * MB,
        holders: vec![holder],
        waiting: vec![waiting],
        remedies: vec![Remedy::AvoidDeadlock],
        ..fragmented()
    };
    let lines = diagnosis(&session.trace, &found);
    let told = "Deadlock, step 4: nothing runs, and 1 operation that could run waits for memory of pool.";
    assert_eq!(texts(&lines, Role::Headline), [told]);
    let facts = texts(&lines, Role::Fact);
    assert_eq!(facts[0], "b waits for 31 457 280 bytes since 12 µs; 25 165 824 can be had");
    assert_eq!(
        texts(&lines, Role::Holder),
        ["a 41.9 MB in a block of 41.9 MB since step 1; next in c; held until it is freed"]
    );
    assert!(texts(&lines, Role::Remedy)[0].starts_with("--deadlock avoid  works"));
}
