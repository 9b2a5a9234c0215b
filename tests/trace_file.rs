//! Trace files: what is written reads back to the same record, and what cannot have happened is refused.

mod common;

use common::{Dice, case};
use proptest::prelude::*;
use spillscope::input::{Source, read_graph_source};
use spillscope::model::{Machine, Options, Order, Problem};
use spillscope::output::trace_file::write_trace;
use spillscope::session::{Extras, Session, figures};
use spillscope::trace::State;

const EXTRAS: Extras = Extras { fractional_bound: false, remedies: false };

fn planned(seed: u64) -> Session {
    let (problem, options) = case(seed, seed.is_multiple_of(2));
    Session::plan(problem, options, EXTRAS).expect("an order")
}

/// Named operations with all that only they have: graph inputs, real sizes, zeroed outputs; a pool that is tight.
fn operations(seed: u64) -> Session {
    let mut dice = Dice::new(seed);
    let count = 3 + dice.roll(40);
    let node = |at: u64, dice: &mut Dice| {
        let inputs: Vec<String> = (0..dice.roll(3).min(at))
            .map(|_| if dice.one_in(9) { "\"in\"".into() } else { format!("\"n{}\"", at - 1 - dice.roll(at.min(6))) })
            .collect();
        let size = 1000 + dice.roll(60_000);
        let actual = if dice.one_in(5) { format!(",\"actual_size\":{}", 1 + dice.roll(90_000)) } else { String::new() };
        let zero = if dice.one_in(6) { ",\"zero_fill\":true" } else { "" };
        let inputs: std::collections::BTreeSet<String> = inputs.into_iter().collect();
        let inputs: Vec<String> = inputs.into_iter().collect();
        format!(
            "{{\"name\":\"n{at}\",\"op_type\":\"COPY_IN\",\"inputs\":[{}],\"output_size\":{size},\"est_duration\":0.0{}{actual}{zero}}}",
            inputs.join(","),
            1 + dice.roll(9)
        )
    };
    let nodes: Vec<String> = (0..count).map(|at| node(at, &mut dice)).collect();
    let text = format!("{{\"inputs\":[{{\"name\":\"in\",\"size\":5000}}],\"nodes\":[{}]}}", nodes.join(","));
    let graph = read_graph_source(&Source::from_text("ops.json", text)).expect("a graph");
    let mut machine = Machine::host();
    machine.levels[0].capacity = 500_000 + dice.roll(2_000_000);
    machine.units[0].count = 1 + dice.roll(4) as u8;
    let problem = Problem::new(graph.into(), machine).expect("the host has a pool");
    let order = dice.pick(&[Order::Topological, Order::CriticalPath, Order::MemoryAware, Order::Program]);
    Session::plan(problem, Options::classic(order), EXTRAS).expect("an order")
}

fn written(session: &Session) -> String {
    let mut bytes = Vec::new();
    write_trace(&mut bytes, session).expect("writing to memory never fails");
    String::from_utf8(bytes).expect("JSON is UTF-8")
}

fn read(text: impl Into<String>) -> Result<Session, String> {
    Session::read(&Source::from_text("x.trace.jsonl", text)).map_err(|error| error.to_string())
}

#[track_caller]
fn assert_same_record(session: &Session) {
    let text = written(session);
    let again = read(text.as_str()).unwrap_or_else(|error| panic!("{error}"));
    let (trace, back) = (&session.trace, &again.trace);
    assert_eq!(back.events(), trace.events());
    assert_eq!((back.step_count(), back.failing_step()), (trace.step_count(), trace.failing_step()));
    let (mut here, mut there) = (State::empty(&trace.problem), State::empty(&back.problem));
    for n in 0..trace.step_count() {
        assert_eq!((back.step(n), back.run_range(n)), (trace.step(n), trace.run_range(n)), "step {n}");
        trace.run(n).iter().for_each(|event| here.apply(&trace.problem, event));
        back.run(n).iter().for_each(|event| there.apply(&back.problem, event));
        assert_eq!(here, there, "after step {n}");
    }
    assert_eq!(again.options, session.options);
    assert_eq!(back.problem.machine, trace.problem.machine);
    if session.diagnosis.is_none() {
        assert_eq!(back.plan, trace.plan);
        assert_eq!(again.check, session.check, "the same plan of the same graph");
    }
    assert_eq!(written(&again), text, "and is written the same again");
}

#[test]
fn what_is_written_reads_back_to_the_same_record() {
    (0..60).for_each(|seed| assert_same_record(&planned(seed)));
}

#[test]
fn records_of_operation_graphs_too_with_pools_and_decisions() {
    (0..60).for_each(|seed| assert_same_record(&operations(seed)));
}

#[test]
fn figures_of_a_record_are_those_of_the_planner() {
    for seed in 0..60 {
        for session in [planned(seed), operations(seed)] {
            assert_eq!(figures(&session.trace), session.figures, "seed {seed}");
        }
    }
}

#[test]
fn what_cannot_have_happened_is_refused_with_its_line() {
    let text = written(&planned(4));
    let lines: Vec<&str> = text.lines().collect();
    let step = |start: &str| lines.iter().position(|line| line.starts_with(start)).expect("such a step");
    let with = |at: usize, line: &str| {
        let mut lines = lines.clone();
        lines[at] = line;
        read(lines.join("\n") + "\n").unwrap_err()
    };
    let out = step("{\"step\":{\"out\":0}");
    let cases = [
        (0, "{\"spillscope_trace\":2}".to_owned(), "version 2 of the trace format, expected version 1"),
        (0, "{\"spillscope_trace\":1}".to_owned(), "missing field `measured`"),
        (1, "{".to_owned(), "EOF while parsing"),
        (1, "{\"step\":{\"node\":0},\"events\":[{\"exploded\":{}}]}".to_owned(), "unknown variant `exploded`"),
        (1, lines[1].replace("\"node\":", "\"node\":9"), "there is no node 9"),
        (2, lines[1].to_owned(), "has a second step"),
        (out, lines[out].replace("\"out\":0", "\"out\":7"), "spill 7 is not the next one"),
        (out, "{\"events\":[]}".to_owned(), "a step follows the failing one"),
        (1, "{\"step\":{\"node\":0},\"events\":[]}".to_owned(), "do not do what the step says"),
    ];
    for (at, line, words) in cases {
        let error = with(at, &line);
        assert!(error.contains(words) && error.starts_with("x.trace.jsonl:"), "{line}: {error}");
    }
    let short = lines[..lines.len() - 2].join("\n");
    assert!(read(short).unwrap_err().contains("was it cut short?"));
    assert!(read("").unwrap_err().contains("EOF"));
}

/// Numbers and words of a line, changed here and there.
fn damaged(text: &str, seed: u64) -> String {
    let mut dice = Dice::new(seed);
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=dice.roll(4) {
        let at = dice.roll(bytes.len() as u64) as usize;
        match dice.roll(3) {
            0 => bytes[at] = b"0123456789"[dice.roll(10) as usize],
            1 => drop(bytes.remove(at)),
            _ => bytes.insert(at, b"0123456789{}[],:\"\\\n"[dice.roll(19) as usize]),
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    /// What is taken can be walked to its end and back; what is not says why. Neither panics.
    #[test]
    fn a_damaged_file_is_refused_or_harmless(seed in 0u64..40, damage: u64) {
        let session = if seed.is_multiple_of(2) { planned(seed) } else { operations(seed) };
        if let Ok(session) = read(damaged(&written(&session), damage)) {
            let mut cursor = session.trace.cursor();
            session.trace.seek(&mut cursor, usize::MAX);
            session.trace.seek(&mut cursor, 0);
        }
    }
}

#[test]
fn a_seek_in_a_record_of_pools_comes_to_the_state_that_playing_does() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/pipeline-240.json");
    let graph = spillscope::input::read_graph(path).expect("samples are sound");
    let problem = Problem::new(graph.into(), Machine::host()).expect("the host has a pool");
    let trace = Session::plan(problem, Options::classic(Order::CriticalPath), EXTRAS).expect("an order").trace;
    let mut state = State::empty(&trace.problem);
    let mut cursor = trace.cursor();
    for (position, event) in trace.events().iter().enumerate() {
        state.apply(&trace.problem, event);
        // From far away, so that a keyframe is on the way: also between the taking of a block and the placing in it.
        trace.seek(&mut cursor, if position % 2 == 0 { 0 } else { usize::MAX });
        trace.seek(&mut cursor, position + 1);
        assert_eq!(cursor.state(), &state, "after event {position}");
    }
}
