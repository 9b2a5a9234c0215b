//! Generated operation graphs on hosts with little memory.
#![allow(dead_code, reason = "each test file uses its part")]

use std::sync::Arc;

use serde_json::json;
use spillscope::engine::bounds::operand_sets;
use spillscope::input::{Source, read_graph_source};
use spillscope::model::{Buckets, Graph, Machine, Manager, Options, Order, PoolRules, Problem};

use super::{Dice, with_capacity};

pub const EVENT_DRIVEN: [Order; 3] = [Order::Topological, Order::CriticalPath, Order::MemoryAware];

/// A graph of that many operations, each of which reads up to three of those shortly before it.
pub fn operations(dice: &mut Dice, count: u64) -> Graph {
    let reach = 1 + dice.roll(12);
    let mut nodes = Vec::new();
    for at in 0..count {
        let readable = at.min(reach);
        let reads = if readable == 0 { 0 } else { dice.roll(readable.min(3) + 1) };
        let inputs: Vec<String> = (0..reads).map(|_| format!("op{}", at - 1 - dice.roll(readable))).collect();
        let size = dice.pick(&[1, 7, 100, 5000, 70_000]) + dice.roll(50);
        let mut node = json!({
            "name": format!("op{at}"), "op_type": "work", "inputs": inputs, "output_size": size,
            "est_duration": dice.roll(40) as f64 / 8.0,
        });
        if dice.one_in(10) {
            node["actual_size"] = json!(1 + dice.roll(2 * size));
        }
        nodes.push(node);
    }
    let text = json!({ "nodes": nodes }).to_string();
    read_graph_source(&Source::from_text("ops.json", text)).expect("a sound graph")
}

/// Operations on a host whose pool is about as large as the largest operand set, and sometimes too small.
pub fn tight_case(seed: u64) -> (Problem, Options) {
    let mut dice = Dice::new(seed);
    let count = 2 + dice.roll(40);
    let graph = operations(&mut dice, count);
    let mut machine = Machine::host();
    let buckets = dice.pick(&[Buckets::Exact, Buckets::PowersOfTwo, Buckets::tlsf(), Buckets::default()]);
    let max_age = dice.pick(&[None, None, Some(0), Some(3000)]);
    machine.levels[0].manager = Manager::Pool(PoolRules { buckets, max_age });
    machine.levels[0].fresh_bytes_per_cycle = dice.pick(&[None, Some(10.0), Some(0.3)]);
    machine.units[0].count = dice.pick(&[1, 2, 3, 8]);
    machine.window = dice.pick(&[None, None, Some(1), Some(2), Some(5)]);
    let roomy = Problem::new(Arc::new(graph), machine).expect("the host has a pool");
    let need = operand_sets(&roomy)[0].map_or(1, |set| set.need);
    let capacity = if dice.one_in(15) { need - need.min(2) + 1 } else { need + dice.roll(need) };
    let problem = with_capacity(&roomy, 0, capacity);
    let mut options = Options::classic(dice.pick(&EVENT_DRIVEN));
    options.avoid_deadlock = dice.one_in(3);
    options.light_tasks = !dice.one_in(3);
    (problem, options)
}
