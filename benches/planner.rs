//! Planning, seeking, drawing. Speed is read as a ratio against something in the same run: a thirty-thousand-node
//! graph beside a million, recording beside the empty sink.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use spillscope::engine::{order, walk};
use spillscope::generate::random;
use spillscope::model::{Machine, NodeIx, Options, Order, Problem};
use spillscope::session::{Extras, Session};
use spillscope::trace::Recorder;

fn problem(nodes: u64) -> Problem {
    let config = random::Config { nodes, seed: 1, ..random::Config::default() };
    let graph = random::generate(&config).expect("the default configuration is sound");
    Problem::new(Arc::new(graph), Machine::npu()).expect("the preset has its levels")
}

fn ordered(problem: &Problem) -> Vec<NodeIx> {
    order::first_order(&problem.graph, Order::Program).expect("generated orders are legal")
}

fn plan(criterion: &mut Criterion) {
    let options = Options::classic(Order::Program);
    let mut group = criterion.benchmark_group("plan");
    group.sample_size(10);
    for nodes in [30_000, 1_000_000] {
        let problem = problem(nodes);
        let first = ordered(&problem);
        group.throughput(Throughput::Elements(nodes));
        group.bench_function(BenchmarkId::new("order", nodes), |bench| bench.iter(|| black_box(ordered(&problem))));
        group.bench_function(BenchmarkId::new("empty sink", nodes), |bench| {
            bench.iter(|| black_box(walk(&problem, &first, &options, &mut ())));
        });
        group.bench_function(BenchmarkId::new("recorded", nodes), |bench| {
            bench.iter(|| black_box(walk(&problem, &first, &options, &mut Recorder::new())));
        });
    }
    group.finish();
}

fn seek(criterion: &mut Criterion) {
    let extras = Extras { fractional_bound: false, remedies: false };
    let mut group = criterion.benchmark_group("seek");
    for nodes in [30_000, 1_000_000] {
        let session = Session::plan(problem(nodes), Options::classic(Order::Program), extras).expect("an order");
        let trace = session.trace;
        let (mut cursor, mut seed) = (trace.cursor(), 1u64);
        group.bench_function(BenchmarkId::new("random", nodes), |bench| {
            bench.iter(|| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                trace.seek(&mut cursor, (seed >> 33) as usize % trace.event_count())
            });
        });
        group.bench_function(BenchmarkId::new("step", nodes), |bench| {
            bench.iter(|| {
                let next = (trace.step_at(cursor.position()) + 1) % trace.step_count();
                trace.seek_step(&mut cursor, next)
            });
        });
    }
    group.finish();
}

criterion_group!(benches, plan, seek);
criterion_main!(benches);
