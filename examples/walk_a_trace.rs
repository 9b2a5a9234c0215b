//! Walks through the record of a plan: from spill to spill, with the reasons and with what is where.
//!
//! `cargo run --example walk_a_trace`

use std::error::Error;
use std::sync::Arc;

use spillscope::engine;
use spillscope::input;
use spillscope::model::{LevelIx, Machine, Options, Order, Problem};
use spillscope::output::explain::explain;
use spillscope::trace::{Mark, Recorder, Trace};

/// Goes from spill to spill, and back.
pub fn main() -> Result<(), Box<dyn Error>> {
    let graph = Arc::new(input::read_graph("samples/thrash.json")?);
    let problem = Problem::new(graph, Machine::npu())?;

    // A recorder is a `Sink`; with `&mut ()` in its place the same plan is made and nothing is kept.
    let mut recorder = Recorder::new();
    let options = Options::classic(Order::Program);
    let planned = engine::plan(&problem, &options, &mut recorder)?;
    let trace = Trace::new(problem, planned.plan, recorder);
    println!("{} steps, {} events", trace.step_count(), trace.event_count());

    // A position is a number of events that came before. An index knows those of each kind.
    let mut cursor = trace.cursor();
    for &position in trace.marks(Mark::Spill).iter().take(3) {
        let step = trace.step_at(position as usize + 1);
        println!("\nstep {step}: {}", explain(&trace, step).sentence);
        trace.seek_step(&mut cursor, step); // forward or backward, from the nearest place that is known
        println!("  {} buffers live, {} in main memory", cursor.state().live_count(), cursor.state().out().len());
        for (ix, level) in trace.problem.machine.levels.iter().enumerate() {
            let holes = cursor.state().holes(&trace.problem, LevelIx::new(ix));
            let free: u64 = holes.iter().map(|(begin, end)| end - begin).sum();
            println!("  {:<4} {:>5} of {:>5} free, in {} holes", level.name, free, level.capacity, holes.len());
        }
    }

    // Backward costs no more: each event can be taken back.
    trace.seek_step(&mut cursor, 0);
    println!("\nback at step 0: {} buffers live", cursor.state().live_count());
    Ok(())
}
