//! Real plans in words: the samples of this project, and the published graphs where `SPILLSCOPE_CASES` names their
//! folder.

use std::path::Path;
use std::sync::Arc;

use spillscope::engine::plan;
use spillscope::input::read_graph;
use spillscope::model::{BufIx, Machine, Options, Order, Plan, Problem};
use spillscope::output::explain::{explain, one_line, story};
use spillscope::output::plan_files::{write_memory, write_schedule, write_spills};
use spillscope::trace::{Mark, Recorder, Trace};

fn traced(path: &Path, order: Option<Order>) -> Trace {
    let graph = read_graph(path.to_str().unwrap()).unwrap_or_else(|error| panic!("{error}"));
    let (usual, machine) = match graph.operation_graph {
        Some(_) => (Order::CriticalPath, Machine::host()),
        None if graph.schedule().is_some() => (Order::Given, Machine::npu()),
        None => (Order::Program, Machine::npu()),
    };
    let order = order.unwrap_or(usual);
    let problem = Problem::new(Arc::new(graph), machine).unwrap();
    let mut recorder = Recorder::new();
    let planned = plan(&problem, &Options::classic(order), &mut recorder).unwrap();
    Trace::new(problem, planned.plan, recorder)
}

fn graphs(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut graphs: Vec<_> = entries.filter(|path| path.extension().is_some_and(|ending| ending == "json")).collect();
    graphs.sort();
    assert!(!graphs.is_empty(), "no graph in {}", folder.display());
    graphs
}

/// Every step is told, and every spill, postponement and failure with what it was for.
fn told_in_full(path: &Path, order: Option<Order>) {
    let trace = traced(path, order);
    for step in 0..trace.step_count() {
        let told = explain(&trace, step);
        assert!(!told.sentence.is_empty() && !told.why.is_empty(), "{}, step {step}: {told:?}", path.display());
    }
    for mark in [Mark::Spill, Mark::Postpone, Mark::Failure] {
        for &position in trace.marks(mark) {
            let step = trace.step_at(position as usize + 1);
            let why = explain(&trace, step).why;
            assert!(why.iter().any(|line| line.contains(" needs ")), "{}, step {step}: {why:?}", path.display());
        }
    }
    assert!((0..trace.event_count()).all(|position| !one_line(&trace, position).is_empty()));
    for buf in 0..trace.problem.graph.buffers().len() {
        assert!(!story(&trace, BufIx::new(buf)).is_empty());
    }
}

#[test]
fn samples_are_told_in_full() {
    graphs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")).iter().for_each(|path| told_in_full(path, None));
}

#[test]
fn samples_are_told_in_full_where_a_scheduler_orders_them() {
    for order in [Order::CriticalPath, Order::MemoryAware, Order::Topological] {
        graphs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples"))
            .iter()
            .for_each(|path| told_in_full(path, Some(order)));
    }
}

#[test]
#[ignore = "reads the published graphs in the folder that SPILLSCOPE_CASES names"]
fn published_graphs_are_told_in_full() {
    let folder = std::env::var("SPILLSCOPE_CASES").expect("SPILLSCOPE_CASES names a folder");
    graphs(Path::new(&folder)).iter().for_each(|path| told_in_full(path, None));
}

#[test]
fn the_three_files_of_a_plan_read_back_as_the_plan() {
    let folder = tempfile::tempdir().unwrap();
    for path in graphs(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples")) {
        let trace = traced(&path, None);
        if trace.failing_step().is_some() {
            continue;
        }
        let (graph, plan): (_, &Plan) = (&*trace.problem.graph, &trace.plan);
        let file = |name: &str| std::fs::File::create(folder.path().join(name)).unwrap();
        write_schedule(&mut file("x_schedule.txt"), graph, plan).unwrap();
        write_memory(&mut file("x_memory.txt"), graph, plan).unwrap();
        write_spills(&mut file("x_spill.txt"), graph, plan).unwrap();
        let read = spillscope::input::read_plan(folder.path(), "x").unwrap();
        assert_eq!(read, plan.to_raw(graph), "{}", path.display());
    }
}
