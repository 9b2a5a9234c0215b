//! The report of a run for programs (`run --format json`). Stable: fields are added, never renamed. Times are in
//! microseconds, sizes in bytes.
//!
//! | field | what |
//! |---|---|
//! | `ending` | `done`, `interrupted`, `broken`, `failed`, `starved`, `no-room` or `confused`; in words under `ending_words` |
//! | `graph`, `machine`, `policy` | as in the report of a plan |
//! | `scale` | `size` and `time` |
//! | `measured`, `predicted` | `makespan`, `peak_bytes`, `peak_held`, `peak_in_use`, `worst_waste`, `allocations`, `reuse`; measured is the last run |
//! | `times` | the makespan of each run |
//! | `operations`, `late` | how many were done; how many took longer to read and write than to last |
//! | `stamps`, `stamp_bytes` | found whole over all runs; in how many bytes of the last one |
//! | `broken` | the broken stamps: `consumer` (node), `buffer`, `block`, `holder` (buffer or `null`), `what` in words |
//! | `resident` | `before` and `most`; `null` where the system does not tell |
//! | `kinds` | by kind of operation: `op_type`, `count`, mean `measured` and `estimated` |
//! | `busy` | by worker: `unit`, `lane`, `share` of the time |
//! | `outgrown` | outputs whose real size needs a larger block: `buffer`, `actual`, `estimated_block`, `block` |
//! | `repeat` | the command that does the same again |

use serde::Serialize;

use super::json::{GraphJson, MachineJson, PolicyJson, printable};
use super::run_report::{Run, broken_words, ending_words};
use crate::run::Ending;
use crate::session::Session;

#[derive(Serialize)]
struct RunJson<'a> {
    ending: &'static str,
    ending_words: String,
    graph: GraphJson,
    machine: MachineJson<'a>,
    policy: PolicyJson,
    scale: ScaleJson,
    measured: FiguresJson,
    predicted: FiguresJson,
    times: &'a [u64],
    operations: u64,
    late: u64,
    stamps: u64,
    stamp_bytes: u64,
    broken: Vec<BrokenJson>,
    resident: Option<ResidentJson>,
    kinds: Vec<KindJson>,
    busy: Vec<BusyJson>,
    outgrown: Vec<OutgrownJson>,
    repeat: &'a str,
}

#[derive(Serialize)]
struct ScaleJson {
    size: f64,
    time: f64,
}

#[derive(Serialize)]
struct FiguresJson {
    makespan: u64,
    peak_bytes: u64,
    peak_held: u64,
    peak_in_use: u64,
    worst_waste: u64,
    allocations: u64,
    reuse: u64,
}

#[derive(Serialize)]
struct BrokenJson {
    consumer: u64,
    buffer: u64,
    block: u32,
    holder: Option<u64>,
    what: String,
}

#[derive(Serialize)]
struct ResidentJson {
    before: u64,
    most: u64,
}

#[derive(Serialize)]
struct KindJson {
    op_type: String,
    count: u64,
    measured: f64,
    estimated: f64,
}

#[derive(Serialize)]
struct BusyJson {
    unit: String,
    lane: u8,
    share: f64,
}

#[derive(Serialize)]
struct OutgrownJson {
    buffer: u64,
    actual: u64,
    estimated_block: u64,
    block: u64,
}

/// The report as one JSON object with a newline at the end.
pub fn run_json(run: &Run) -> String {
    let trace = &run.session.trace;
    let (problem, last) = (&trace.problem, &run.last);
    printable(&RunJson {
        ending: ending_id(&last.ending),
        ending_words: ending_words(problem, &last.ending),
        graph: GraphJson::new(&problem.graph),
        machine: MachineJson::new(&problem.machine),
        policy: PolicyJson::new(&run.session.options, &problem.machine),
        scale: ScaleJson { size: run.scale.size, time: run.scale.time },
        measured: FiguresJson { makespan: last.micros, ..figures(&run.session) },
        predicted: figures(&run.predicted),
        times: &run.micros,
        operations: last.operations,
        late: last.late,
        stamps: run.stamps,
        stamp_bytes: last.bytes,
        broken: broken(run),
        resident: run
            .before
            .zip(run.after)
            .map(|(before, after)| ResidentJson { before: before.now, most: after.most }),
        kinds: kinds(run),
        busy: busy(run),
        outgrown: outgrown(run),
        repeat: &run.repeat,
    })
}

fn ending_id(ending: &Ending) -> &'static str {
    match ending {
        Ending::Done => "done",
        Ending::Interrupted => "interrupted",
        Ending::Broken(_) => "broken",
        Ending::Failed { .. } => "failed",
        Ending::Starved => "starved",
        Ending::NoRoom { .. } => "no-room",
        Ending::Confused(_) => "confused",
    }
}

fn figures(session: &Session) -> FiguresJson {
    let figures = &session.figures;
    let sum = |of: fn(&crate::model::PoolFigures) -> u64| figures.pools.iter().map(of).sum();
    FiguresJson {
        makespan: figures.makespan,
        peak_bytes: figures.peak.iter().sum(),
        peak_held: sum(|pool| pool.peak_held),
        peak_in_use: sum(|pool| pool.peak_busy),
        worst_waste: sum(|pool| pool.worst_waste),
        allocations: sum(|pool| pool.misses),
        reuse: sum(|pool| pool.hits),
    }
}

fn broken(run: &Run) -> Vec<BrokenJson> {
    let Ending::Broken(stamps) = &run.last.ending else { return Vec::new() };
    let problem = &run.session.trace.problem;
    let graph = &problem.graph;
    let one = |stamp: &crate::run::BrokenStamp| BrokenJson {
        consumer: graph.node(stamp.consumer).id,
        buffer: graph.buffer(stamp.buf).id,
        block: stamp.block.0,
        holder: stamp.holder.map(|buf| graph.buffer(buf).id),
        what: broken_words(problem, stamp),
    };
    stamps.iter().map(one).collect()
}

fn kinds(run: &Run) -> Vec<KindJson> {
    let graph = &run.session.trace.problem.graph;
    let one = |kind: &crate::run::KindTimes| {
        let mean = |sum: u64| sum as f64 / kind.count.max(1) as f64;
        KindJson {
            op_type: graph.symbol(kind.kind).raw().to_owned(),
            count: kind.count,
            measured: mean(kind.measured),
            estimated: mean(kind.estimated),
        }
    };
    run.last.kinds.iter().map(one).collect()
}

fn busy(run: &Run) -> Vec<BusyJson> {
    let units = &run.session.trace.problem.units;
    let one = |lane: &crate::run::LaneBusy| BusyJson {
        unit: units[lane.unit.at()].name.raw().to_owned(),
        lane: lane.lane,
        share: lane.micros as f64 / run.last.micros.max(1) as f64,
    };
    run.last.busy.iter().map(one).collect()
}

fn outgrown(run: &Run) -> Vec<OutgrownJson> {
    let graph = &run.session.trace.problem.graph;
    let one = |found: &crate::run::Outgrown| OutgrownJson {
        buffer: graph.buffer(found.buf).id,
        actual: found.actual,
        estimated_block: found.estimated,
        block: found.block,
    };
    run.last.outgrown.iter().map(one).collect()
}
