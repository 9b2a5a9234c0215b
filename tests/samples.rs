//! The files of `samples/`: generated ones are what the generators make, each is told of in the README there.
//!
//! After a change to a generator or a writer, `UPDATE_SAMPLES=1 cargo test --test samples` writes the kernels anew.

use std::path::PathBuf;

use spillscope::engine::bounds::default_pool_cap;
use spillscope::generate::{chains, conv, flash_attention, matmul};
use spillscope::input::{Source, read_graph_source};
use spillscope::model::{
    Buckets, BufIx, Event, FailureKind, Graph, LevelIx, Machine, Manager, OperationGraph, Options, Order, PoolRules,
    Problem, Step, Won,
};
use spillscope::output::graph_file::npu_json;
use spillscope::session::{Extras, Session};
use spillscope::trace::Mark;

/// What the classic policy makes of a sample on the machine `npu`.
struct Expected {
    name: &'static str,
    nodes: usize,
    /// `None` where it fails.
    outcome: Option<Outcome>,
}

/// Spills, and how often room was made by each way (counted as the reference planner counts).
struct Outcome {
    spills: u64,
    extra_traffic: u64,
    spill: u64,
    spill_many: u64,
    postpone: u64,
}

const fn plan(spills: u64, extra_traffic: u64, [spill, spill_many, postpone]: [u64; 3]) -> Outcome {
    Outcome { spills, extra_traffic, spill, spill_many, postpone }
}

const EXPECTED: [Expected; 10] = [
    Expected { name: "first-spill", nodes: 20, outcome: Some(plan(1, 1024, [1, 0, 0])) },
    Expected { name: "spill-many", nodes: 32, outcome: Some(plan(4, 2400, [0, 1, 0])) },
    Expected { name: "postpone", nodes: 36, outcome: Some(plan(0, 0, [0, 0, 1])) },
    Expected { name: "fragmented", nodes: 22, outcome: Some(plan(1, 1000, [1, 0, 0])) },
    Expected { name: "backed-reload", nodes: 22, outcome: Some(plan(2, 3072, [2, 0, 0])) },
    Expected { name: "thrash", nodes: 58, outcome: Some(plan(5, 4000, [5, 0, 0])) },
    Expected { name: "no-plan", nodes: 44, outcome: None },
    Expected { name: "matmul", nodes: 592, outcome: Some(plan(10, 2560, [10, 0, 0])) },
    Expected { name: "flash-attention", nodes: 906, outcome: Some(plan(7, 3072, [7, 0, 0])) },
    Expected { name: "conv", nodes: 436, outcome: Some(plan(64, 9984, [17, 3, 0])) },
];

/// The samples of named operations, and how many each has.
const OPERATIONS: [(&str, usize); 5] =
    [("pipeline-240", 240), ("light-tasks", 12), ("deadlock", 5), ("early-release", 5), ("buckets", 12)];

const POOL: LevelIx = LevelIx(0);

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("samples")
}

fn text_of(name: &str) -> String {
    let path = folder().join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn graph_of(name: &str) -> Graph {
    let file = format!("{name}.json");
    read_graph_source(&Source::from_text(&file, text_of(&file))).unwrap()
}

/// Plans a sample of operations by critical path on a machine that is changed before.
fn operations(name: &str, change: impl FnOnce(&mut Machine)) -> Session {
    let mut machine = Machine::host();
    change(&mut machine);
    let problem = Problem::new(graph_of(name).into(), machine).unwrap();
    let extras = Extras { fractional_bound: false, remedies: true };
    let session = Session::plan(problem, Options::classic(Order::CriticalPath), extras).unwrap();
    assert!(session.check.broken.is_empty(), "{name}: {:?}", session.check.broken);
    session
}

/// The cap that a sample of operations is opened with.
fn usual_cap(name: &str) -> u64 {
    let problem = Problem::new(graph_of(name).into(), Machine::host()).unwrap();
    default_pool_cap(&problem, POOL).unwrap()
}

fn assert_generated(name: &str, made: &str) {
    if std::env::var_os("UPDATE_SAMPLES").is_some() {
        std::fs::write(folder().join(name), made).unwrap();
    }
    assert!(made == text_of(name), "samples/{name} is not what its generator makes; see the head of this test");
}

#[test]
fn kernels_are_what_their_commands_in_the_readme_make() {
    let config = matmul::Config { tiles: 4, tile_size: 256, ..matmul::Config::default() };
    assert_generated("matmul.json", &npu_json(&matmul::generate(&config).unwrap()));
    let config = flash_attention::Config {
        q_blocks: 2,
        kv_blocks: 6,
        q_size: 320,
        score_size: 192,
        row_size: 32,
        ..flash_attention::Config::default()
    };
    assert_generated("flash-attention.json", &npu_json(&flash_attention::generate(&config).unwrap()));
    let config = conv::Config { bands: 4, in_channels: 4, out_channels: 4, ..conv::Config::default() };
    assert_generated("conv.json", &npu_json(&conv::generate(&config).unwrap()));
    assert_generated("pipeline-240.json", &chains::generate(&chains::Config::default()).unwrap().to_json());
}

#[test]
fn every_sample_has_its_nodes_named_and_its_line_in_the_readme() {
    let readme = text_of("README.md");
    for expected in &EXPECTED {
        let file = format!("{}.json", expected.name);
        let graph = read_graph_source(&Source::from_text(&file, text_of(&file))).unwrap();
        assert_eq!(graph.node_count(), expected.nodes, "{file}");
        for buf in (0..graph.buffers().len()).map(BufIx::new) {
            assert!(graph.buffer_name(buf).is_some(), "{file}: buffer {} has no name", graph.buffer(buf).id);
        }
        assert_eq!(npu_json(&graph), text_of(&file), "{file} is not laid out as the writer does it");
        assert!(readme.contains(&format!("- `{file}`:")), "{file} has no line in samples/README.md");
    }
    for (name, operations) in OPERATIONS {
        let graph = graph_of(name);
        let found = graph.node_ixs().filter(|&node| graph.node(node).kind.is_op()).count();
        assert_eq!((found, graph.ignored_fields), (operations, 0), "{name}");
        let max_pool_bytes = match name {
            "deadlock" => Some(96 << 20),
            "light-tasks" => Some(1 << 20),
            _ => None,
        };
        let facts = OperationGraph { max_pool_bytes, ..OperationGraph::default() };
        assert_eq!(graph.operation_graph, Some(facts), "{name}: every duration is there");
        assert!(readme.contains(&format!("- `{name}.json`:")), "{name} has no line in samples/README.md");
    }
}

#[test]
fn every_sample_shows_what_it_is_there_to_show() {
    for Expected { name, outcome, .. } in &EXPECTED {
        let file = format!("{name}.json");
        let graph = read_graph_source(&Source::from_text(&file, text_of(&file))).unwrap();
        let order = if graph.schedule().is_some() { Order::Given } else { Order::Program };
        let problem = Problem::new(graph.into(), Machine::npu()).unwrap();
        let extras = Extras { fractional_bound: true, remedies: true };
        let session = Session::plan(problem, Options::classic(order), extras).unwrap();
        let Some(expected) = outcome else {
            let diagnosis = session.diagnosis.expect("it is to fail");
            assert_eq!(diagnosis.kind, FailureKind::NoHole, "{file}");
            assert!(diagnosis.remedies.len() >= 3, "{file}: several things help");
            continue;
        };
        assert!(session.check.broken.is_empty(), "{file}: {:?}", session.check.broken);
        let reached = [session.reached.spill, session.reached.spill_many, session.reached.postpone];
        assert_eq!(reached, [expected.spill, expected.spill_many, expected.postpone], "{file}");
        assert_eq!(session.figures.spills, expected.spills, "{file}");
        assert_eq!(session.figures.extra_traffic, expected.extra_traffic, "{file}");
    }
}

#[test]
fn the_built_in_sample_fills_l1_before_its_first_spill() {
    let file = "flash-attention.json";
    let graph = read_graph_source(&Source::from_text(file, text_of(file))).unwrap();
    let problem = Problem::new(graph.into(), Machine::npu()).unwrap();
    let extras = Extras { fractional_bound: false, remedies: false };
    let trace = Session::plan(problem, Options::classic(Order::Program), extras).unwrap().trace;
    let first = trace.step_at(trace.marks(Mark::Spill)[0] as usize + 1);
    let (l1, ub) = (LevelIx(0), LevelIx(1));
    assert_eq!(trace.occupancy(l1).peak(first as u32).1, 4096, "the newcomer sees L1 run full first");
    let levels = trace.plan.spills.iter().map(|spill| trace.problem.level_of(spill.buf));
    assert!(levels.clone().any(|level| level == ub) && levels.clone().next() == Some(l1), "then UB spills too");
}

/// What each dispatched operation is called, why it won, and when.
fn dispatches(session: &Session) -> Vec<(String, Won, u64)> {
    let graph = &session.trace.problem.graph;
    let name = |node| graph.node(node).name.as_ref().map_or_else(String::new, ToString::to_string);
    let dispatched = session.trace.events().iter().filter_map(|event| match *event {
        Event::Dispatched { node, won, at, .. } => Some((name(node), won, at)),
        _ => None,
    });
    dispatched.collect()
}

#[test]
fn light_tasks_pass_the_audit_while_it_can_wait_and_no_longer() {
    let session = operations("light-tasks", |_| {});
    let order = dispatches(&session);
    let place = |name: &str| order.iter().position(|(found, ..)| found == name).unwrap();
    assert!(place("light b") < place("audit") && place("audit") < place("light c"), "{order:?}");
    assert_eq!((order[place("light a")].1, order[place("audit")].1), (Won::Light, Won::Urgent));
    assert!(session.figures.makespan <= 20_010, "the audit is not late: {}", session.figures.makespan);
}

#[test]
fn two_results_of_two_inputs_need_all_four_at_once() {
    let cap = usual_cap("deadlock");
    let session = operations("deadlock", |machine| machine.levels[0].capacity = cap);
    assert_eq!(session.diagnosis.unwrap().kind, FailureKind::Deadlock);
    let needed = 4 << 25;
    for (capacity, works) in [(needed, true), (needed - 1, false)] {
        let session = operations("deadlock", |machine| machine.levels[0].capacity = capacity);
        assert_eq!(session.diagnosis.is_none(), works, "{capacity}");
    }
}

#[test]
fn the_block_of_the_weights_would_be_taken_at_once_if_the_first_use_gave_it_back() {
    let cap = usual_cap("early-release");
    let session = operations("early-release", |machine| machine.levels[0].capacity = cap);
    let graph = &session.trace.problem.graph;
    let place = |id| session.trace.plan.steps.iter().position(|&step| step == Step::Node(graph.find_node(id).unwrap()));
    let weights = &graph.buffers()[0];
    assert_eq!(graph.users(BufIx(0)).len(), 3, "its producer and two readers");
    let (first_use, free) = (place(4).unwrap(), place(2).unwrap());
    let same_size = |buf: &&spillscope::model::Buffer| buf.size == weights.size;
    let taken = graph.buffers().iter().filter(same_size).filter_map(|buf| place(graph.node(buf.alloc).id));
    assert!(taken.clone().any(|at| first_use < at && at < free), "somebody asks for such a block meanwhile");
}

#[test]
fn each_way_of_rounding_gains_here_and_loses_there() {
    let figures = |buckets: Buckets| {
        let rules = Manager::Pool(PoolRules { buckets, max_age: None });
        let session = operations("buckets", |machine| machine.levels[0].manager = rules);
        (session.figures.pools[0].hits, session.figures.pools[0].peak_held, session.figures.pools[0].worst_waste)
    };
    let fixed = figures(Buckets::default());
    let pow2 = figures(Buckets::PowersOfTwo);
    let tlsf = figures(Buckets::tlsf());
    let exact = figures(Buckets::Exact);
    assert_eq!(fixed, (5, 401_305, 86_872), "hits below 64 KiB alone, and a small request in the largest block");
    assert_eq!(pow2, (8, 208_896, 97_608), "the most hits, the least memory and the most waste");
    assert_eq!(tlsf, (4, 267_008, 5_535), "hits among neighbours, and hardly any waste");
    assert_eq!(exact, (0, 461_934, 0), "no size comes twice");
}

#[test]
fn no_sample_is_left_out_here() {
    let mut found: Vec<String> = std::fs::read_dir(folder())
        .unwrap()
        .filter_map(|entry| entry.unwrap().file_name().to_str().map(str::to_owned))
        .filter_map(|file| file.strip_suffix(".json").map(str::to_owned))
        .collect();
    found.sort();
    let operations = OPERATIONS.iter().map(|&(name, _)| name);
    let mut expected: Vec<&str> = EXPECTED.iter().map(|expected| expected.name).chain(operations).collect();
    expected.sort_unstable();
    assert_eq!(found, expected);
    assert_eq!(EXPECTED.iter().filter(|expected| expected.outcome.is_none()).count(), 1, "one sample is to fail");
}
