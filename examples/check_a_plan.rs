//! Checks a plan, then one with a fault in it.
//!
//! `cargo run --example check_a_plan`

use std::error::Error;
use std::sync::Arc;

use spillscope::model::{Machine, Options, Order, Problem};
use spillscope::{check, engine, input};

/// Checks a plan as it is, then broken.
pub fn main() -> Result<(), Box<dyn Error>> {
    let graph = Arc::new(input::read_graph("samples/first-spill.json")?);
    let problem = Problem::new(graph.clone(), Machine::npu())?;

    // Any plan will do that is there in ids and addresses: `input::read_plan` reads the files of another tool.
    let planned = engine::plan(&problem, &Options::classic(Order::Program), &mut ())?;
    let mut plan = planned.plan.to_raw(&graph);

    // The checker shares nothing with the engine but the model, and works out every figure anew.
    let report = check::check(&problem, &plan);
    assert!(report.is_valid());
    assert_eq!(report.figures.as_ref(), Some(&planned.figures));
    println!("valid; extra traffic {}", planned.figures.extra_traffic);

    // A buffer that comes back to an address where another one lies.
    let (buffer, address) = &mut plan.spills[0];
    println!("\nbuffer {buffer} comes back to 64 in place of {address}:");
    *address = 64;
    let report = check::check(&problem, &plan);
    assert!(!report.is_valid());
    for broken in &report.broken {
        println!("  {broken}");
    }
    Ok(())
}
