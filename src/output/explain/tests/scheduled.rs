//! The words for a scheduler and a pool, over a record made by hand: what each event says, whoever decided it.

use std::sync::Arc;

use super::*;
use crate::model::{
    BlockFate, Buckets, Event, GraphBuilder, Leaving, LevelIx, Machine, Manager, NodeIx, OperationGraph, Placing, Plan,
    PoolRules, Problem, Sink, UnitIx, Won,
};
use crate::trace::{Recorder, Trace};

const MB: u64 = 1 << 20;
const POOL: LevelIx = LevelIx(0);

/// Nodes by the ids that the reader of operation graphs gives: ALLOC, operation, FREE of each.
const CONV: NodeIx = NodeIx(1);
const NORM: NodeIx = NodeIx(4);
const RELU: NodeIx = NodeIx(7);

/// conv (25.2 MB) is read by norm (25.2 MB) and relu (10.5 MB), add reads both. Blocks are powers of two, the cap is 83.9 MB.
fn problem() -> Problem {
    let mut builder = GraphBuilder::new("net".into());
    builder.operation_graph = Some(OperationGraph::default());
    let (pool, worker) = (builder.intern("pool").unwrap(), builder.intern("worker").unwrap());
    let ops: [(&str, &[u64], u64, u64); 4] = [
        ("conv", &[0], 24 * MB, 12_000),
        ("norm", &[0, 1], 24 * MB, 8_000),
        ("relu", &[0, 2], 10 * MB, 1_000),
        ("add", &[1, 2, 3], 24 * MB, 4_000),
    ];
    for (buf, (name, operands, size, cycles)) in (0u64..).zip(ops) {
        let kind = builder.intern(name).unwrap();
        builder.alloc(3 * buf, buf, size, pool);
        builder.op(3 * buf + 1, kind, worker, cycles, operands);
        if name != "add" {
            builder.free(3 * buf + 2, buf);
        }
        builder.nodes.iter_mut().filter(|node| node.id / 3 == buf).for_each(|node| node.name = Some(name.into()));
    }
    let mut machine = Machine::host();
    machine.levels[0].capacity = 80 * MB;
    machine.levels[0].manager = Manager::Pool(PoolRules { buckets: Buckets::PowersOfTwo, max_age: None });
    Problem::new(Arc::new(builder.build().unwrap()), machine).unwrap()
}

fn block(fate: BlockFate, offset: u64, size: u64) -> Event {
    Event::Block { level: POOL, fate, offset: offset * MB, size: size * MB }
}

fn placed(buf: u32, offset: u64, at: u64) -> Event {
    Event::Placed { buf: BufIx(buf), how: Placing::Alloc, level: POOL, offset: offset * MB, at }
}

fn left(buf: u32, offset: u64, at: u64) -> Event {
    Event::Left { buf: BufIx(buf), how: Leaving::Free, level: POOL, offset: offset * MB, at }
}

fn queued(node: NodeIx, standing: Standing, slack: u64) -> Event {
    Event::Queued { node, standing, slack }
}

fn ran(node: NodeIx, lane: u8, start: u64, end: u64) -> Event {
    Event::Ran { node, unit: UnitIx(0), lane, start, end }
}

fn read(buf: u32, node: NodeIx, left: u32) -> Event {
    Event::Read { buf: BufIx(buf), node, left }
}

/// The steps with what is recorded for each.
fn record() -> Vec<(u32, Vec<Event>)> {
    use BlockFate::{Fresh, Idle, OverCap, Reused};
    use Standing::{Behind, LetPass, Waits};
    let (won, dispatched) = (Standing::Won, |node, ready, won, at| Event::Dispatched { node, ready, won, at });
    let waits = Event::WaitsForMemory { node: NORM, level: POOL, need: 32 * MB, room: 20 * MB };
    vec![
        (0, vec![Event::Ready { node: CONV }, block(Fresh, 0, 32), placed(0, 0, 0)]),
        (1, vec![queued(CONV, won, 0), dispatched(CONV, 1, Won::Alone, 0), ran(CONV, 0, 0, 15_072)]),
        (
            6,
            vec![Event::Ready { node: NORM }, Event::Ready { node: RELU }, block(Fresh, 32, 16), placed(2, 32, 15_072)],
        ),
        (
            7,
            vec![
                queued(NORM, LetPass, 2_000),
                queued(RELU, won, 7_000),
                dispatched(RELU, 12, Won::Light, 15_072),
                read(0, RELU, 1),
                ran(RELU, 3, 15_072, 17_352),
                Event::Reported { buf: BufIx(2), actual: 9 * MB },
            ],
        ),
        (3, vec![waits, block(OverCap, 32, 16), block(Fresh, 48, 32), placed(1, 48, 17_352)]),
        (
            4,
            vec![
                Event::Woken { node: NORM, level: POOL, since: 15_072, at: 17_352 },
                queued(CONV, Waits, 0),
                queued(NORM, won, 0),
                queued(RELU, Behind, 10),
                dispatched(NORM, 3, Won::Fits, 17_352),
                read(0, NORM, 0),
                ran(NORM, 0, 17_352, 25_352),
            ],
        ),
        (2, vec![left(0, 0, 25_352), block(Idle, 0, 32)]),
        (9, vec![block(Reused, 0, 32), placed(3, 0, 25_352)]),
    ]
}

fn trace() -> Trace {
    let problem = problem();
    let mut recorder = Recorder::new();
    let mut plan = Plan { memory: vec![None; problem.graph.buffers().len()], ..Plan::default() };
    for (id, events) in record() {
        let step = Step::Node(problem.graph.find_node(u64::from(id)).unwrap());
        plan.steps.push(step);
        events.into_iter().for_each(|event| recorder.record(event));
        recorder.end_step(step);
    }
    Trace::new(problem, plan, recorder)
}

#[test]
fn a_start_says_why_it_won_and_the_queue_what_became_of_each() {
    let trace = trace();
    let told = explain(&trace, 3);
    assert_eq!(told.sentence, "relu starts before norm, which can wait for so long; 11 others are ready.");
    assert_eq!(told.why[0], "light: it takes 1.00 ms, which fits into the slack of norm (2.00 ms)");
    let rows: Vec<(&str, u64)> = told.queue.iter().map(|row| (row.text.as_str(), row.slack)).collect();
    assert_eq!(rows, [("can wait: lets the lighter one pass", 2_000), ("starts", 7_000)]);
    assert_eq!(told.more_ready.as_deref(), Some("10 more ready, not listed"));
    assert_eq!(
        told.did,
        [
            "relu on worker 3, 15 072–17 352 µs (2.28 ms)",
            "1.28 ms of it to touch fresh memory",
            "reads conv (1 more to come)",
            "reports a real size of 9 437 184 bytes; planned with 10 485 760 bytes",
        ]
    );
    let alone = explain(&trace, 1);
    assert_eq!((alone.sentence.as_str(), &alone.more_ready), ("conv starts: nothing else is ready.", &None));
}

#[test]
fn whoever_waited_says_how_long_and_who_waits_says_for_how_much() {
    let trace = trace();
    let waits = explain(&trace, 4);
    assert!(
        waits.sentence.starts_with(
            "norm has to wait for memory: it needs 33.6 MB of pool, and 21.0 MB are free. Then: The output of norm"
        ),
        "{waits:?}"
    );
    let woken = explain(&trace, 5);
    assert_eq!(woken.sentence, "norm starts: it is the first in the queue that has room; 2 others are ready.");
    assert_eq!(woken.why[1], "it had waited 2.28 ms for 33.6 MB of pool (since 15.07 ms)");
    assert!(woken.did.contains(&"norm has room now: it had waited 2.28 ms".into()), "{woken:?}");
    assert!(woken.did.contains(&"reads conv (its last reader)".into()), "{woken:?}");
    assert_eq!(woken.queue[0].text, "waits for memory");
}

#[test]
fn a_request_says_hit_or_miss_and_what_had_to_go() {
    let trace = trace();
    let first = explain(&trace, 0);
    assert_eq!(first.sentence, "The output of conv gets a new block of 33.6 MB: no idle one of that size is there.");
    assert_eq!(first.why, ["miss: no block is idle"]);
    assert_eq!(first.did[0], "25 165 824 bytes in the block pool[0,33554432), at 0 µs");
    assert_eq!(first.did[1], "8 388 608 bytes of the block stay unused (25%)");
    let dropped = explain(&trace, 4);
    assert_eq!(dropped.did[2], "1 idle block dropped over the cap: 16.8 MB");
    assert!(dropped.why[1].contains("would pass its cap of 83.9 MB: the blocks longest idle go first"), "{dropped:?}");
    let hit = explain(&trace, 7);
    assert_eq!(hit.sentence, "The output of add gets a block of 33.6 MB that lay idle.");
    assert_eq!(hit.why, ["hit: of the idle blocks of 33.6 MB the one given back last, idle since step 6 (25.35 ms)"]);
}

#[test]
fn a_free_names_the_last_reader() {
    let told = explain(&trace(), 6);
    assert_eq!(told.sentence, "The output of conv is no longer needed: its last reader norm is done.");
    assert_eq!(told.did[1], "its block of 33.6 MB lies idle: pool[0,33554432)");
    assert_eq!(told.why, ["consumer count 0: norm, the last of them, ran at step 5"]);
}

#[test]
fn a_story_counts_the_readers_and_names_block_and_real_size() {
    let trace = trace();
    let lines = |buf| story(&trace, BufIx(buf)).into_iter().map(|line| line.text).collect::<Vec<_>>();
    assert_eq!(
        lines(0),
        [
            "born: 25 165 824 bytes in a new block of 33 554 432 bytes",
            "made by conv",
            "read by relu, 1 more to come",
            "read by norm, the last",
            "given back: its block lies idle",
        ]
    );
    assert!(lines(2).contains(&"real size reported: 9 437 184 bytes".into()), "{:?}", lines(2));
    assert_eq!(lines(3)[0], "born: 25 165 824 bytes in a block used before of 33 554 432 bytes");
}

#[test]
fn the_log_has_a_line_for_each_of_these_events() {
    let trace = trace();
    let lines: Vec<String> = (0..trace.event_count()).map(|at| one_line(&trace, at)).collect();
    for line in [
        "3 queue: norm lets pass, slack 2.00 ms",
        "3 START relu: light, 12 ready, 15.07 ms",
        "4 WAITS norm: needs 33.6 MB of pool, 21.0 MB free",
        "4 dropped over the cap: block of 16.8 MB, pool @33554432",
        "5 woken norm after 2.28 ms, 17.35 ms",
        "5 read conv, 0 readers to come",
        "6 idle: block of 33.6 MB, pool @0",
        "7 hit: block of 33.6 MB, pool @0",
    ] {
        assert!(lines.iter().any(|told| told == line), "{line} in {lines:#?}");
    }
}

#[test]
fn every_reason_to_win_and_every_standing_has_words_of_its_own() {
    let reasons = [
        Won::Alone,
        Won::Given,
        Won::LowestId,
        Won::Critical,
        Won::Urgent,
        Won::Light,
        Won::Releases,
        Won::Fits,
        Won::Forced,
    ];
    let told = |won, standing| {
        let problem = problem();
        let mut recorder = Recorder::new();
        let step = Step::Node(CONV);
        recorder.record(queued(NORM, standing, 5));
        recorder.record(Event::Dispatched { node: CONV, ready: 2, won, at: 3 });
        recorder.end_step(step);
        let plan = Plan { steps: vec![step], memory: vec![None; 4], ..Plan::default() };
        explain(&Trace::new(problem, plan, recorder), 0)
    };
    let mut sentences: Vec<String> = reasons.map(|won| told(won, Standing::Behind).sentence).to_vec();
    sentences.sort();
    sentences.dedup();
    assert_eq!(sentences.len(), reasons.len(), "{sentences:#?}");
    let standings = [Standing::Won, Standing::Behind, Standing::LetPass, Standing::Waits, Standing::HeldBack];
    let mut texts: Vec<String> = standings.map(|standing| told(Won::Given, standing).queue[0].text.clone()).to_vec();
    texts.sort();
    texts.dedup();
    assert_eq!(texts.len(), standings.len(), "{texts:#?}");
}
