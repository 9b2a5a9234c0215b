//! Plans a graph and writes the plan's files.
//!
//! `cargo run --example plan_a_graph [GRAPH]`; without GRAPH it takes a sample.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use spillscope::input;
use spillscope::model::{Machine, Options, Order, Problem};
use spillscope::output::plan_files;
use spillscope::session::{Extras, Session};

/// Plans, reports, writes.
pub fn main() -> Result<(), Box<dyn Error>> {
    let file =
        std::env::args().nth(1).filter(|word| Path::new(word).extension().is_some_and(|ending| ending == "json"));
    let graph = input::read_graph(file.as_deref().unwrap_or("samples/matmul.json"))?;
    let nodes = graph.node_ixs().len();

    // What is to be planned: the graph and the memories that it has. `npu` is built in; `input` reads others.
    let problem = Problem::new(Arc::new(graph), Machine::npu())?;

    // How: the classic policy with another order. Each part of `Options` can be set on its own.
    let options = Options::classic(Order::MemoryAware);

    // A session plans, records, checks and works out bounds.
    let session = Session::plan(problem, options, Extras::for_screen(nodes))?;
    let name = session.trace.problem.graph.name.to_string();
    if let Some(diagnosis) = &session.diagnosis {
        println!("{name}: no plan; {} other settings would give one", diagnosis.remedies.len());
        return Ok(());
    }
    assert!(session.check.is_valid(), "the checker replays every plan before anybody sees it");
    let figures = &session.figures;
    println!("{name}: {} steps, {} spills", figures.steps, figures.spills);
    println!("  extra traffic {} units, makespan {} cycles", figures.extra_traffic, figures.makespan);

    let folder = std::env::temp_dir().join(format!("spillscope-example-{}", std::process::id()));
    // The last argument is kept in the files: the command that gives this plan again.
    let repeat = format!("spillscope plan {name}.json --order memory-aware");
    for path in plan_files::save_plan(&folder, &name, &session, &repeat)? {
        println!("  {} bytes in {}", path.metadata()?.len(), path.display());
    }
    std::fs::remove_dir_all(folder)?; // it is but an example
    Ok(())
}
