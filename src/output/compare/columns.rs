//! The columns of the tables, by the kind of memory.

use super::scale::{Scale, ratio};
use super::table::{Cells, Table};
use super::{busy, failure};
use crate::compare::{Comparison, Kind, Measured, Row};
use crate::output::numbers::{grouped, percent};

/// A table and what its columns mean.
pub(super) struct Block {
    pub table: Table,
    pub legend: String,
}

/// A column: its title, and its cell for a strategy that has a plan.
type Column<'a> = (String, Box<dyn Fn(&Row, &Measured) -> String + 'a>);

/// The tables, each with a row a strategy.
pub(super) fn blocks(compared: &Comparison) -> Vec<Block> {
    match compared.kind() {
        Kind::Pools => vec![pool_memory(compared), pool_time(compared)],
        Kind::Arenas => vec![arenas(compared)],
    }
}

fn table(compared: &Comparison, columns: &[Column]) -> Table {
    let titles = ["strategy".to_owned()].into_iter().chain(columns.iter().map(|(title, _)| title.clone())).collect();
    let row = |row: &Row| {
        let name = row.strategy.name.clone();
        match (row.outcome.measured(), failure(&row.strategy.problem, &row.outcome)) {
            (Some(measured), _) => {
                let cells = columns.iter().map(|(_, cell)| cell(row, measured));
                Cells::Whole([name].into_iter().chain(cells).collect())
            }
            (None, failure) => Cells::Words(name, failure.map_or_else(String::new, |failure| failure.short)),
        }
    };
    Table { titles, rows: compared.told().map(row).collect() }
}

/// The largest value of a column.
fn largest(compared: &Comparison, value: impl Fn(&Measured) -> u64) -> u64 {
    compared.rows.iter().filter_map(|row| row.outcome.measured()).map(value).max().unwrap_or(0)
}

fn column<'a>(title: impl Into<String>, cell: impl Fn(&Row, &Measured) -> String + 'a) -> Column<'a> {
    (title.into(), Box::new(cell))
}

fn pool_memory(compared: &Comparison) -> Block {
    let base = compared.baseline().map(|base| base.pool.peak_held);
    let held = Scale::bytes(largest(compared, |measured| measured.pool.peak_held));
    let waste = Scale::bytes(largest(compared, |measured| measured.pool.worst_waste));
    let need = compared.limits.operand_set;
    let columns = [
        column(held.title("peak"), move |_, measured: &Measured| held.show(measured.pool.peak_held)),
        column("×base", move |_, measured: &Measured| ratio(measured.pool.peak_held, base)),
        column("×least", move |_, measured: &Measured| ratio(measured.pool.peak_held, Some(need))),
        column(held.title("live"), move |_, measured: &Measured| held.show(measured.live)),
        column("allocs", |_, measured: &Measured| grouped(measured.pool.misses)),
        column("reuse", |_, measured: &Measured| {
            percent(measured.pool.hits, measured.pool.hits.saturating_add(measured.pool.misses))
        }),
        column(waste.title("waste"), move |_, measured: &Measured| waste.show(measured.pool.worst_waste)),
    ];
    let legend = format!(
        "peak: the most held from the system, idle blocks included; ×base: beside {}; ×least: beside {}, the most that one \
         operation or the end needs at once; live: the most in use at once; allocs: new blocks; reuse: requests that took \
         an idle block; waste: the most that blocks were larger than what they held",
        compared.kind().baseline(),
        Scale::bytes(need).words(need),
    );
    Block { table: table(compared, &columns), legend }
}

fn pool_time(compared: &Comparison) -> Block {
    let base = compared.baseline().map(|base| base.figures.makespan);
    let times = Scale::times(&compared.problem, largest(compared, |measured| measured.figures.makespan));
    let longest_wait = largest(compared, |measured| measured.waiting);
    let waits = if longest_wait == 0 { times } else { Scale::times(&compared.problem, longest_wait) };
    let caps = Scale::bytes(largest(compared, |measured| measured.pool.peak_held));
    let columns = [
        column(times.title("time"), move |_, measured: &Measured| times.show(measured.figures.makespan)),
        column("×base", move |_, measured: &Measured| ratio(measured.figures.makespan, base)),
        column("×bound", |_, measured: &Measured| ratio(measured.figures.makespan, Some(measured.makespan_bound))),
        column(waits.title("wait"), move |_, measured: &Measured| waits.show(measured.waiting)),
        column("busy", |_, measured: &Measured| busy(measured)),
        column("window", |row, _| {
            row.strategy.problem.machine.window.map_or_else(|| "-".into(), |window| window.to_string())
        }),
        column(caps.title("cap"), move |row, _| row.strategy.cap().map_or_else(|| "-".into(), |cap| caps.show(cap))),
    ];
    let bound = compared.limits.makespan;
    let legend = format!(
        "×bound: beside the larger of the critical path and work ÷ workers, {} with these workers; wait: for memory, \
         summed over operations; busy: the share of the time in which a worker works, least and most; window, cap: the most \
         at once, -: no limit",
        times.words(bound),
    );
    Block { table: table(compared, &columns), legend }
}

fn arenas(compared: &Comparison) -> Block {
    let base = compared.baseline();
    let traffic = base.map(|base| base.figures.extra_traffic);
    let time = base.map(|base| base.figures.makespan);
    let mut columns = vec![
        column("traffic", |_, measured: &Measured| grouped(measured.figures.extra_traffic)),
        column("×base", move |_, measured: &Measured| ratio(measured.figures.extra_traffic, traffic)),
        column("spills", |_, measured: &Measured| grouped(measured.figures.spills)),
        column("cycles", |_, measured: &Measured| grouped(measured.figures.makespan)),
        column("×base", move |_, measured: &Measured| ratio(measured.figures.makespan, time)),
        column("×bound", |_, measured: &Measured| ratio(measured.figures.makespan, Some(measured.makespan_bound))),
    ];
    for (at, level) in compared.problem.machine.levels.iter().enumerate() {
        let peak = move |measured: &Measured| measured.figures.peak.get(at).copied().unwrap_or(0);
        if largest(compared, peak) > 0 {
            columns.push(column(level.name.to_string(), move |_, measured| grouped(peak(measured))));
        }
    }
    let legend = format!(
        "traffic: units moved because of spills; ×base: beside {}; ×bound: cycles beside the larger of the critical path and \
         the work of the busiest unit, {} here; by level: the most in it at once",
        compared.kind().baseline(),
        grouped(compared.limits.makespan),
    );
    Block { table: table(compared, &columns), legend }
}
