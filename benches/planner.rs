//! Planning, seeking, drawing. Speed is read as a ratio against something in the same run: a thirty-thousand-node
//! graph beside a million, recording beside the empty sink.

use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use spillscope::app::{App, Command, Prefs, Where, update};
use spillscope::engine::order::{self, Ordered};
use spillscope::engine::pack::{max_live, quick};
use spillscope::engine::walk;
use spillscope::generate::random;
use spillscope::model::{Machine, Options, Order, Problem};
use spillscope::session::{Extras, Session};
use spillscope::trace::{Recorder, Trace};
use spillscope::ui::draw;

#[path = "../tests/packing/cuts.rs"]
mod cuts;

use cuts::{Cuts, cut};

fn problem(nodes: u64) -> Problem {
    let config = random::Config { nodes, seed: 1, ..random::Config::default() };
    let graph = random::generate(&config).expect("the default configuration is sound");
    Problem::new(Arc::new(graph), Machine::npu()).expect("the preset has its levels")
}

fn ordered(problem: &Problem) -> Ordered {
    let options = Options::classic(Order::Program);
    order::first_order(problem, &options, false).expect("generated orders are legal")
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

/// A million nodes of which thousands of buffers live at once, on a machine that holds them all.
fn wide() -> Problem {
    let config = random::Config { nodes: 1_000_000, seed: 1, window: 5000, ..random::Config::default() };
    let graph = random::generate(&config).expect("the configuration is sound");
    let mut machine = Machine::npu();
    machine.levels.iter_mut().for_each(|level| level.capacity = 1 << 40);
    Problem::new(Arc::new(graph), machine).expect("the preset has its levels")
}

/// Prints what no sample of a benchmark shows: the memory of a record, and the slowest of many seeks.
fn print_extremes(nodes: &str, trace: &Trace) {
    let (mut cursor, mut seed, mut live) = (trace.cursor(), 1u64, 0);
    let mut times: Vec<Duration> = (0..20_000)
        .map(|_| {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let started = Instant::now();
            trace.seek(&mut cursor, (seed >> 33) as usize % trace.event_count());
            let passed = started.elapsed();
            live = live.max(cursor.state().live_count());
            passed
        })
        .collect();
    times.sort_unstable();
    let bytes = trace.bytes() as f64 / trace.step_count() as f64;
    let (median, worst) = (times[times.len() / 2], times[times.len() - 1]);
    println!(
        "{nodes}: {bytes:.0} bytes a step, {live} buffers live; seek {median:?} in the median, {worst:?} at worst"
    );
}

fn seek(criterion: &mut Criterion) {
    let extras = Extras { fractional_bound: false, remedies: false };
    let mut group = criterion.benchmark_group("seek");
    for (nodes, problem) in [("30000", problem(30_000)), ("1000000", problem(1_000_000)), ("wide", wide())] {
        let session = Session::plan(problem, Options::classic(Order::Program), extras).expect("an order");
        let trace = session.trace;
        print_extremes(nodes, &trace);
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

/// From a read graph to the first frame, and frames while one jumps about, on a large screen.
fn screen(criterion: &mut Criterion) {
    let extras = Extras { fractional_bound: false, remedies: false };
    let mut group = criterion.benchmark_group("screen");
    group.sample_size(10);
    for nodes in [30_000, 1_000_000] {
        let problem = problem(nodes);
        let opened = || {
            let session = Session::plan(problem.clone(), Options::classic(Order::Program), extras).expect("an order");
            let mut app = App::new(Arc::new(session), Prefs::default());
            update(&mut app, Command::Resize(WIDTH, HEIGHT));
            app
        };
        let mut terminal = Terminal::new(TestBackend::new(WIDTH, HEIGHT)).expect("a test backend never fails");
        group.bench_function(BenchmarkId::new("open", nodes), |bench| {
            bench.iter(|| terminal.draw(|frame| draw(&opened(), frame)).map(drop));
        });
        let (mut app, mut seed) = (opened(), 1u64);
        let steps = app.trace().step_count();
        group.bench_function(BenchmarkId::new("jump and draw", nodes), |bench| {
            bench.iter(|| {
                seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                app.open_at(Where::Step((seed >> 33) as usize % steps));
                terminal.draw(|frame| draw(&app, frame)).map(drop)
            });
        });
    }
    group.finish();
}

/// Static packing, beside sorting the same buffers: of a full rectangle, and of lives that no glue holds together.
fn pack(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("pack");
    group.sample_size(10);
    for count in [20_000, 60_000] {
        let full = cut(count, 1 << 20, 1 << 20, Cuts::Guillotine, 1);
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(BenchmarkId::new("sort", count), |bench| {
            bench.iter(|| {
                let mut order: Vec<_> = full.buffers.iter().map(|own| (own.lower, own.upper, own.size)).collect();
                order.sort_unstable();
                black_box(order)
            });
        });
        group.bench_function(BenchmarkId::new("max-live", count), |bench| bench.iter(|| black_box(max_live(&full))));
        group.bench_function(BenchmarkId::new("quick, full", count), |bench| bench.iter(|| black_box(quick(&full))));
        let mut loose = full.clone();
        loose.buffers.iter_mut().for_each(|own| own.size += own.lower % 7);
        group.bench_function(BenchmarkId::new("quick, loose", count), |bench| bench.iter(|| black_box(quick(&loose))));
    }
    group.finish();
}

const WIDTH: u16 = 200;
const HEIGHT: u16 = 60;

criterion_group!(benches, plan, seek, screen, pack);
criterion_main!(benches);
