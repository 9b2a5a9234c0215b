use std::collections::VecDeque;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::*;
use crate::model::{GraphBuilder, Machine, NodeKind, Step};

/// Starts what is ready in the order in which it became so, on as many workers as there are; knows of no memory.
struct FirstCome {
    waits: Vec<u32>,
    ready: VecDeque<NodeIx>,
    idle: u8,
    graph: std::sync::Arc<crate::model::Graph>,
    events: Vec<Event>,
}

impl FirstCome {
    fn new(problem: &Problem) -> Self {
        let graph = problem.graph.clone();
        let is_op = |node: NodeIx| graph.node(node).kind.is_op();
        let waits = graph.node_ixs().map(|node| graph.preds(node).filter(|&pred| is_op(pred)).count() as u32);
        let waits: Vec<u32> = waits.collect();
        let ready = graph.node_ixs().filter(|&node| is_op(node) && waits[node.at()] == 0).collect();
        Self { ready, waits, idle: problem.units[0].count, graph: graph.clone(), events: Vec::new() }
    }
}

impl Scheduler for FirstCome {
    fn next(&mut self, _: u64) -> Option<NodeIx> {
        self.idle = self.idle.checked_sub(u8::from(!self.ready.is_empty()))?;
        self.ready.pop_front()
    }

    fn complete(&mut self, node: NodeIx, _: u64) {
        self.idle += 1;
        let graph = self.graph.clone();
        for next in graph.succs(node).filter(|&next| graph.node(next).kind.is_op()) {
            self.waits[next.at()] -= 1;
            if self.waits[next.at()] == 0 {
                self.events.push(Event::Ready { node: next });
                self.ready.push_back(next);
            }
        }
    }

    fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.events)
    }
}

/// An operation graph as its reader lowers it: operation i has the nodes 3i to 3i+2 and the buffer i; inputs come behind.
/// Each operation is given by its inputs, size and microseconds; what none makes is a graph input of 100 bytes.
fn lowered(ops: &[(&[u64], u64, u64)]) -> GraphBuilder {
    let mut builder = GraphBuilder::new("g".into());
    let (pool, worker, kind) =
        (builder.intern("pool").unwrap(), builder.intern("worker").unwrap(), builder.intern("work").unwrap());
    let made = ops.len() as u64;
    let inputs: std::collections::BTreeSet<u64> =
        ops.iter().flat_map(|(inputs, ..)| *inputs).copied().filter(|&buf| buf >= made).collect();
    let mut edges = Vec::new();
    for (buf, &(reads, size, micros)) in (0..).zip(ops) {
        builder.alloc(3 * buf, buf, size, pool);
        let operands: Vec<u64> = reads.iter().copied().chain([buf]).collect();
        builder.op(3 * buf + 1, kind, worker, micros, &operands);
        edges.push((3 * buf, 3 * buf + 1));
        edges.extend(reads.iter().filter(|&&read| read < made).map(|read| (3 * read + 1, 3 * buf + 1)));
        edges.extend(reads.iter().map(|read| (3 * read, 3 * buf + 1)));
        edges.extend(reads.iter().map(|read| (3 * buf + 1, 3 * read + 2)));
    }
    for &buf in &inputs {
        builder.alloc(3 * buf, buf, 100, pool);
        builder.backed.push(buf);
    }
    let read: std::collections::BTreeSet<u64> = ops.iter().flat_map(|(reads, ..)| *reads).copied().collect();
    for buf in read {
        builder.free(3 * buf + 2, buf);
        edges.extend((buf < made).then_some((3 * buf + 1, 3 * buf + 2)));
    }
    builder.edges = Some(edges);
    builder
}

fn bound(builder: GraphBuilder, workers: u8) -> Problem {
    let mut machine = Machine::host();
    machine.units[0].count = workers;
    Problem::new(builder.build().expect("a graph").into(), machine).expect("the host has a pool")
}

fn run_with(problem: &Problem, config: &Config) -> Measured {
    run(problem, &mut FirstCome::new(problem), config, &AtomicBool::new(false)).expect("it can be run")
}

/// Two rows that share: every operation reads the two before it, and some an input.
fn wide(count: u64, micros: u64) -> GraphBuilder {
    let reads: Vec<Vec<u64>> = (0..count)
        .map(|at| match at {
            0..2 => vec![1000 + at],
            _ => vec![at - 1 - at % 2, at - 2],
        })
        .collect();
    let ops: Vec<(&[u64], u64, u64)> =
        (0..).zip(&reads).map(|(at, reads)| (reads.as_slice(), 1000 + 777 * (at % 5), micros)).collect();
    lowered(&ops)
}

fn check_whole(measured: &Measured) {
    let Measured { trace, ending, .. } = measured;
    assert_eq!(*ending, Ending::Done);
    assert_eq!(trace.plan.steps.len(), trace.problem.graph.node_count(), "every node has its step");
    let report = crate::check::check(&trace.problem, &trace.plan.to_raw(&trace.problem.graph));
    assert_eq!(report.broken, []);
    assert_eq!(trace.failing_step(), None);
}

#[test]
fn every_operation_runs_and_every_stamp_is_looked_for() {
    for workers in [1, 2, 8] {
        let problem = bound(wide(60, 200), workers);
        let measured = run_with(&problem, &Config::default());
        check_whole(&measured);
        assert_eq!((measured.operations, measured.busy.len()), (60, usize::from(workers)));
        assert_eq!(measured.stamps, 2 + 3 * 29, "an odd one reads one buffer, an even one two");
        let works = measured.busy.iter().map(|lane| lane.micros).sum::<u64>();
        let most = measured.micros * u64::from(workers);
        assert!((60 * 200..=most).contains(&works), "{works} of {most}");
        assert!(measured.kinds[0].measured >= measured.kinds[0].estimated);
    }
}

#[test]
fn spans_on_a_lane_follow_one_another_and_no_consumer_starts_before_its_producer_ends() {
    let problem = bound(wide(60, 100), 4);
    let trace = run_with(&problem, &Config::default()).trace;
    let span = |node| trace.time_of(trace.step_of(node).expect("it ran")).expect("it took time");
    for lane in trace.lanes() {
        let spans: Vec<(u64, u64)> =
            lane.steps.iter().map(|&step| trace.time_of(step as usize).expect("it took time")).collect();
        assert!(spans.windows(2).all(|pair| pair[0].1 <= pair[1].0), "{spans:?}");
    }
    for node in problem.graph.node_ixs() {
        let late = problem.graph.preds(node).find(|&pred| span(pred).1 > span(node).0);
        assert_eq!(late, None, "a predecessor of {node:?} ends after it starts");
    }
}

#[test]
fn blocks_are_used_again_and_none_is_left_in_use_but_those_of_outputs() {
    let problem = bound(wide(40, 0), 2);
    let measured = run_with(&problem, &Config::default());
    let mut cursor = measured.trace.cursor();
    measured.trace.seek(&mut cursor, usize::MAX);
    let outputs = problem.graph.buffers().iter().filter(|buffer| buffer.free.is_none()).count();
    assert_eq!(cursor.state().live_count(), outputs);
    let fresh = |event: &&Event| matches!(event, Event::Block { fate: crate::model::BlockFate::Fresh, .. });
    assert!(measured.trace.events().iter().filter(fresh).count() < 42, "of 42 buffers some had a block that was there");
}

/// A chain whose first output is read by the second and, much later, by the last operation.
fn early() -> GraphBuilder {
    lowered(&[(&[], 4000, 50), (&[0], 4000, 50), (&[1], 4000, 50), (&[2], 4000, 50), (&[3, 0], 4000, 50)])
}

#[test]
fn the_early_release_is_caught_each_time() {
    let config = Config { fault: Some(Fault::EarlyRelease), ..Config::default() };
    for workers in [1, 2, 8] {
        let problem = bound(early(), workers);
        for _ in 0..20 {
            let measured = run_with(&problem, &config);
            let Ending::Broken(stamps) = measured.ending else { panic!("not caught: {:?}", measured.ending) };
            assert!(stamps.iter().all(|stamp| problem.graph.users(stamp.buf).contains(&stamp.consumer)));
        }
    }
}

#[test]
fn a_reader_that_comes_too_late_is_told_who_holds_the_block() {
    let config = Config { fault: Some(Fault::EarlyRelease), ..Config::default() };
    let measured = run_with(&bound(early(), 1), &config);
    let Ending::Broken(stamps) = &measured.ending else { panic!("not caught: {:?}", measured.ending) };
    assert_eq!((stamps[0].buf, stamps[0].found), (BufIx(0), Found::ReleasedBefore(2)));
    assert_eq!(stamps[0].holder, Some(BufIx(4)), "b2 has had the block since, and b4 has it now");
    check_whole(&run_with(&bound(early(), 1), &Config::default()));
}

#[test]
fn a_failing_kernel_ends_the_run_and_what_runs_is_waited_for() {
    let problem = bound(wide(60, 300), 4);
    let node = problem.graph.find_node(3 * 20 + 1).unwrap();
    let measured = run_with(&problem, &Config { fail_at: Some(node), ..Config::default() });
    assert!(matches!(measured.ending, Ending::Failed { node: at, .. } if at == node), "{:?}", measured.ending);
    // What the failed one leads to never runs; the 20 of the other row behind it may.
    assert!((20..=40).contains(&measured.operations), "{} were done", measured.operations);
    let started = measured.trace.plan.steps.iter().filter(|step| match step {
        Step::Node(node) => problem.graph.node(*node).kind.is_op(),
        _ => false,
    });
    assert_eq!(started.count() as u64, measured.operations + 1, "all that started has ended");
}

#[test]
fn a_run_that_is_asked_to_stop_starts_nothing_more() {
    let problem = bound(wide(60, 20_000), 2);
    let stop = AtomicBool::new(true);
    let measured = run(&problem, &mut FirstCome::new(&problem), &Config::default(), &stop).unwrap();
    assert_eq!((measured.ending, measured.operations, measured.trace.step_count()), (Ending::Interrupted, 0, 0));

    stop.store(false, Ordering::SeqCst);
    let measured = thread::scope(|scope| {
        scope.spawn(|| {
            thread::sleep(Duration::from_millis(30));
            stop.store(true, Ordering::SeqCst);
        });
        run(&problem, &mut FirstCome::new(&problem), &Config::default(), &stop).unwrap()
    });
    assert_eq!(measured.ending, Ending::Interrupted);
    assert!(measured.operations < 60);
    let ran = measured.trace.events().iter().filter(|event| matches!(event, Event::Ran { .. })).count();
    assert_eq!(ran as u64, measured.operations);
}

#[test]
fn an_output_that_outgrows_its_estimate_has_the_right_block_and_is_named() {
    let mut builder = lowered(&[(&[], 1000, 0), (&[0], 1000, 0), (&[1], 1000, 0)]);
    builder.actual_sizes = vec![(0, 5000), (1, 10)];
    let problem = bound(builder, 2);
    let measured = run_with(&problem, &Config::default());
    check_whole(&measured);
    assert_eq!(measured.outgrown, [Outgrown { buf: BufIx(0), actual: 5000, estimated: 1024, block: 5120 }]);
    assert_eq!(measured.bytes, 5000 + 16, "as many as there really are, in whole words");
}

#[test]
fn what_has_no_room_or_no_worker_is_said_and_nothing_hangs() {
    let mut problem = bound(lowered(&[(&[], 1000, 0), (&[], 1000, 0), (&[0, 1], 10, 0)]), 2);
    problem.machine.levels[0].capacity = 1500;
    let measured = run_with(&problem, &Config::default());
    assert!(matches!(measured.ending, Ending::NoRoom { buf: BufIx(1), .. }), "{:?}", measured.ending);

    let problem = bound(wide(4, 1000), 1);
    let mut greedy = FirstCome::new(&problem);
    greedy.idle = 9;
    let measured = run(&problem, &mut greedy, &Config::default(), &AtomicBool::new(false)).unwrap();
    assert!(matches!(measured.ending, Ending::Confused(_)), "{:?}", measured.ending);

    let mut idle = FirstCome::new(&problem);
    idle.ready.clear();
    let measured = run(&problem, &mut idle, &Config::default(), &AtomicBool::new(false)).unwrap();
    assert_eq!((measured.ending, measured.operations), (Ending::Starved, 0));
}

#[test]
fn buffers_that_no_operation_names_have_their_steps_too() {
    let mut builder = lowered(&[(&[], 1000, 0)]);
    let pool = builder.intern("pool").unwrap();
    builder.alloc(100, 100, 64, pool);
    builder.alloc(101, 101, 64, pool);
    builder.free(102, 101);
    builder.edges.as_mut().unwrap().push((101, 102));
    builder.backed = vec![100];
    check_whole(&run_with(&bound(builder, 1), &Config::default()));
    let empty = run_with(&bound(GraphBuilder::default(), 1), &Config::default());
    assert_eq!((empty.ending, empty.trace.step_count()), (Ending::Done, 0));
}

#[test]
fn what_is_no_operation_graph_is_refused_with_the_reason() {
    let refusal = |builder: GraphBuilder| Roles::new(&bound(builder, 1)).unwrap_err().what;
    let mut two_writers = lowered(&[(&[], 10, 0), (&[], 10, 0)]);
    two_writers.operands[1] = 0;
    assert!(refusal(two_writers).contains("nodes 1 and 4 both name buffer 0"));
    let mut late_alloc = lowered(&[(&[], 10, 0), (&[], 10, 0)]);
    late_alloc.edges.as_mut().unwrap().push((1, 3));
    assert!(refusal(late_alloc).contains("ALLOC or FREE of buffer 1"));

    let npu = Problem::new(
        crate::generate::matmul::generate(&crate::generate::matmul::Config::default()).unwrap().into(),
        Machine::npu(),
    );
    assert!(Roles::new(&npu.unwrap()).unwrap_err().what.contains("which is no pool"));
}

#[test]
fn a_scaled_graph_has_the_same_shape() {
    let graph = wide(10, 1000).build().unwrap();
    let half = scaled(&graph, Scale { size: 0.001, time: 0.5 }).unwrap();
    assert_eq!((half.node_count(), half.edge_count()), (graph.node_count(), graph.edge_count()));
    assert_eq!(half.buffer(BufIx(0)).size, 1);
    let cycles = |node: NodeIx| if let NodeKind::Op(op) = half.node(node).kind { op.cycles } else { 0 };
    assert_eq!(cycles(half.find_node(1).unwrap()), 500);
    let same = scaled(&graph, Scale { size: 1.0, time: 1.0 }).unwrap();
    assert!(same.buffers().iter().eq(graph.buffers()));
    assert_eq!(Scale { size: 1e300, time: 1e300 }.size(5), crate::model::MAX_NUMBER);
}
