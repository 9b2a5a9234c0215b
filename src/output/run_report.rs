//! The report of a run: what was measured beside what was planned.

use super::labels::{buffer_label, node_label};
use super::numbers::{bytes, counted, grouped, listed, micros, percent};
use crate::model::{PoolFigures, Problem, clean};
use crate::run::system::Resident;
use crate::run::{BrokenStamp, Ending, Found, Measured, Scale};
use crate::session::Session;

/// How many broken stamps and outgrown blocks are listed; the rest is counted.
const LISTED: usize = 6;

/// How many workers' shares are shown one by one.
const SHOWN_LANES: usize = 16;

/// What a command `run` came to: one run, or several of the same.
pub struct Run {
    /// The plan in simulated time.
    pub predicted: Session,
    /// The last run, as a session.
    pub session: Session,
    /// The last run.
    pub last: Measured,
    /// How long each run took, in microseconds.
    pub micros: Vec<u64>,
    /// Stamps that were found whole, over all runs.
    pub stamps: u64,
    /// Memory of the process before the first run, where the system tells.
    pub before: Option<Resident>,
    /// After the last one.
    pub after: Option<Resident>,
    /// What sizes and durations were multiplied with.
    pub scale: Scale,
    /// The command that does the same again.
    pub repeat: String,
}

impl Run {
    fn problem(&self) -> &Problem {
        &self.session.trace.problem
    }

    /// The time of the run in the middle, in microseconds.
    pub fn median(&self) -> u64 {
        let mut sorted = self.micros.clone();
        sorted.sort_unstable();
        sorted.get(sorted.len() / 2).copied().unwrap_or(0)
    }

    /// The share of the time of all lanes in which they worked, in per cent of the last run.
    fn busy(&self) -> String {
        let Measured { busy, micros, .. } = &self.last;
        let all = micros.saturating_mul(busy.len() as u64);
        percent(busy.iter().map(|lane| lane.micros).sum::<u64>().min(all), all)
    }
}

/// The report for people; ends with a newline.
pub fn run_report(run: &Run) -> String {
    let mut lines = vec![headline(run), String::new()];
    lines.extend(subject(run));
    lines.push(String::new());
    lines.extend(beside(run));
    lines.push(String::new());
    lines.extend(kinds(run));
    lines.extend(facts(run));
    lines.extend([String::new(), "the same again:".into(), run.repeat.clone()]);
    lines.join("\n") + "\n"
}

fn headline(run: &Run) -> String {
    let name = &run.problem().graph.name;
    let done = counted(run.last.operations, "operation");
    let runs = if run.micros.len() > 1 { format!(" in each of {} runs", run.micros.len()) } else { String::new() };
    match &run.last.ending {
        Ending::Done => format!("{name}: {done} done{runs}, every stamp whole"),
        ending => format!("{name}: {} after {done}", ending_words(run.problem(), ending)),
    }
}

/// How a run ended, in a clause.
pub fn ending_words(problem: &Problem, ending: &Ending) -> String {
    let graph = &problem.graph;
    match ending {
        Ending::Done => "done".into(),
        Ending::Interrupted => "interrupted".into(),
        Ending::Broken(stamps) => counted(stamps.len() as u64, "broken stamp"),
        Ending::Failed { node, what } => format!("the kernel of {} failed: {}", node_label(graph, *node), clean(what)),
        Ending::Starved => "deadlock, since nothing runs and all that is left waits for memory,".into(),
        Ending::NoRoom { buf, refused } => format!("no room for {}: {refused}", buffer_label(graph, *buf)),
        Ending::Confused(node) => format!("{} was started where it cannot run", node_label(graph, *node)),
    }
}

/// One broken stamp in a sentence: who looked for it, where, what was there, who holds the block now.
pub fn broken_words(problem: &Problem, stamp: &BrokenStamp) -> String {
    let graph = &problem.graph;
    let what = match stamp.found {
        Found::ReleasedBefore(_) => "it had been released before the reader started".to_owned(),
        Found::ReleasedMeanwhile(_) => "it was released while the reader read".to_owned(),
        Found::Foreign(foreign) => {
            let whose = foreign.of.filter(|stamp| stamp.node.at() < graph.node_count());
            let whose = whose.map(|stamp| format!("the stamp of {}", node_label(graph, stamp.node)));
            format!("byte {} holds {}", grouped(8 * foreign.word as u64), whose.unwrap_or_else(|| "no stamp".into()))
        }
    };
    let holder = match stamp.holder {
        Some(buf) if buf == stamp.buf => "the same buffer holds it".into(),
        Some(buf) => format!("{} holds it now", buffer_label(graph, buf)),
        None => "nobody holds it now".into(),
    };
    let (consumer, buf) = (node_label(graph, stamp.consumer), buffer_label(graph, stamp.buf));
    format!("{consumer} read {buf} in block {}: {what}; {holder}", stamp.block.0)
}

fn subject(run: &Run) -> Vec<String> {
    let graph = &run.problem().graph;
    let (nodes, buffers) = (graph.node_ixs().filter(|&node| graph.node(node).kind.is_op()), graph.buffers().len());
    let mut lines = vec![
        entry(
            "graph",
            &format!("{}, {}", counted(nodes.count() as u64, "operation"), counted(buffers as u64, "buffer")),
        ),
        entry("machine", &run.problem().machine.name.to_string()),
        entry("order", &run.session.options.order.to_string()),
    ];
    if run.scale != (Scale { size: 1.0, time: 1.0 }) {
        lines.push(entry("scaled", &format!("sizes × {}, times × {}", run.scale.size, run.scale.time)));
    }
    lines
}

/// The table of what was measured beside what was planned.
fn beside(run: &Run) -> Vec<String> {
    let (measured, planned) = (pools(&run.session), pools(&run.predicted));
    let peak = |session: &Session| session.figures.peak.iter().sum::<u64>();
    let planned_time = run.predicted.figures.makespan;
    let rows: [(&str, String, String, String); 7] = [
        ("time", micros(run.median()), micros(planned_time), deviation(run.median(), planned_time)),
        ("peak", bytes(peak(&run.session)), bytes(peak(&run.predicted)), "buffers that are there at once".into()),
        ("pool held", bytes(measured.peak_held), bytes(planned.peak_held), "the most, in use and idle".into()),
        ("pool in use", bytes(measured.peak_busy), bytes(planned.peak_busy), "the most".into()),
        ("waste", bytes(measured.worst_waste), bytes(planned.worst_waste), "the most, by rounding up to blocks".into()),
        ("allocations", grouped(measured.misses), grouped(planned.misses), "blocks that were new".into()),
        ("reuse", grouped(measured.hits), grouped(planned.hits), "blocks that had been used before".into()),
    ];
    let mut lines = vec![format!("  {:<13} {:>10} {:>10}", "", "measured", "planned")];
    lines.extend(rows.map(|(name, a, b, note)| format!("  {name:<13} {a:>10} {b:>10}   {note}").trim_end().to_owned()));
    lines.push(entry("resident", &resident(run)));
    lines
}

/// The counts of all pools together.
fn pools(session: &Session) -> PoolFigures {
    let mut all = PoolFigures::default();
    for pool in &session.figures.pools {
        all.hits += pool.hits;
        all.misses += pool.misses;
        all.peak_held += pool.peak_held;
        all.peak_busy += pool.peak_busy;
        all.worst_waste += pool.worst_waste;
    }
    all
}

/// `+2.4%` of what was planned.
fn deviation(measured: u64, planned: u64) -> String {
    if planned == 0 {
        return String::new();
    }
    format!("{:+.1}%", (measured as f64 / planned as f64 - 1.0) * 100.0)
}

fn resident(run: &Run) -> String {
    let (Some(before), Some(after)) = (run.before, run.after) else { return "not available on this system".into() };
    format!(
        "{:>10}              the most of the whole process, by the system; {} before",
        bytes(after.most),
        bytes(before.now)
    )
}

/// One row a kind of operation.
fn kinds(run: &Run) -> Vec<String> {
    if run.last.kinds.is_empty() {
        return Vec::new();
    }
    let graph = &run.problem().graph;
    let name = |symbol| graph.symbol(symbol).to_string();
    let width = run.last.kinds.iter().map(|kind| name(kind.kind).chars().count()).max().unwrap_or(0).max(13);
    let mut lines = vec![format!("  {:<width$} {:>10} {:>10}   count", "kind", "mean", "estimate")];
    for kind in &run.last.kinds {
        let mean = |sum: u64| micros(sum / kind.count.max(1));
        let (measured, estimated) = (mean(kind.measured), mean(kind.estimated));
        lines.push(format!("  {:<width$} {measured:>10} {estimated:>10}   {}", name(kind.kind), grouped(kind.count)));
    }
    lines.push(String::new());
    lines
}

fn facts(run: &Run) -> Vec<String> {
    let last = &run.last;
    let lanes = last.busy.iter().take(SHOWN_LANES).map(|lane| percent(lane.micros.min(last.micros), last.micros));
    let more = if last.busy.len() > SHOWN_LANES { " …" } else { "" };
    let lanes = lanes.collect::<Vec<_>>().join(" ");
    let mut lines = vec![entry("workers", &format!("{} busy: {lanes}{more}", run.busy()))];
    if let (Some(least), Some(most)) = (run.micros.iter().min(), run.micros.iter().max())
        && run.micros.len() > 1
    {
        lines.push(entry("runs", &format!("{}, from {} to {}", run.micros.len(), micros(*least), micros(*most))));
    }
    let stamps = format!("{} found whole, the last run's in {}", counted(run.stamps, "stamp"), bytes(last.bytes));
    lines.push(entry("stamps", &stamps));
    if last.late > 0 {
        let late = counted(last.late, "kernel");
        lines.push(entry(
            "late",
            &format!("{late} took longer to read and write than to last: too few cores, or --size-scale"),
        ));
    }
    lines.extend(outgrown(run));
    if let Ending::Broken(stamps) = &last.ending {
        let words = |stamp: &BrokenStamp| broken_words(run.problem(), stamp);
        lines.extend(stamps.iter().take(LISTED).map(|stamp| entry("BROKEN", &words(stamp))));
        lines.extend((stamps.len() > LISTED).then(|| entry("", &format!("and {} more", stamps.len() - LISTED))));
    }
    lines
}

/// Outputs that turned out so large that the block for their estimate would not have held them.
fn outgrown(run: &Run) -> Option<String> {
    let graph = &run.problem().graph;
    let word = |found: &crate::run::Outgrown| {
        let (actual, block, estimated) = (bytes(found.actual), bytes(found.block), bytes(found.estimated));
        format!("{} has {actual}: a block of {block} in place of {estimated}", buffer_label(graph, found.buf))
    };
    let outgrown = &run.last.outgrown;
    (!outgrown.is_empty()).then(|| entry("real sizes", &listed(outgrown.iter().map(word), LISTED)))
}

/// A name and what it is.
fn entry(name: &str, text: &str) -> String {
    format!("  {name:<13} {text}")
}
