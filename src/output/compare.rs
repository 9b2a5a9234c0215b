//! Strategies side by side, and sweeps, for people: aligned tables, a chart, and what each idea was worth in words.

mod columns;
mod scale;
mod sentences;
mod sweep;
mod table;

pub use sweep::{Chart, sweep};

use crate::compare::{Comparison, Kind, KneeRule, Measured, Outcome, Row, Setting, WITHIN_PERCENT, workers};
use crate::model::{Diagnosis, FailureKind, Problem};
use crate::output::diagnosis::headline;
use crate::output::numbers::{above_bound, counted, grouped};
use scale::Scale;
use table::{short_name, wrapped};

/// The comparison in tables of at most `width` columns, where names and two figures fit; ends with a newline.
/// `repeat`, its last line, is the command that gives the same again.
pub fn strategies(compared: &Comparison, width: usize, repeat: &str) -> String {
    let mut lines = title(&compared.problem, &format!("{} strategies", compared.rows.len()), width);
    for block in columns::blocks(compared) {
        lines.extend(block.table.lines(width));
        lines.extend(wrapped(&block.legend, width, "  ", "  "));
        lines.push(String::new());
    }
    let notes = notes(compared);
    if !notes.is_empty() {
        lines.extend(notes.iter().flat_map(|note| wrapped(note, width, "  ", "    ")));
        lines.push(String::new());
    }
    let sentences = sentences::sentences(compared);
    if !sentences.is_empty() {
        lines.extend(sentences.iter().flat_map(|sentence| wrapped(sentence, width, "", "")));
        lines.push(String::new());
    }
    ended(lines, repeat)
}

fn ended(mut lines: Vec<String>, repeat: &str) -> String {
    lines.extend(["the same again:".into(), repeat.into()]);
    lines.join("\n") + "\n"
}

/// `pipeline-240: 240 operations on 8 workers; 5 strategies`, and an empty line.
fn title(problem: &Problem, what: &str, width: usize) -> Vec<String> {
    let graph = &problem.graph;
    let operations = graph.node_ixs().filter(|&node| graph.node(node).kind.is_op()).count() as u64;
    let lane = if Kind::of(problem) == Kind::Pools { "worker" } else { "pipe" };
    let on = counted(workers(problem), lane);
    let title = format!("{}: {} on {on}; {what}", graph.name, counted(operations, "operation"));
    let mut lines = wrapped(&title, width, "", "  ");
    lines.push(String::new());
    lines
}

/// What was chosen for a strategy, what its cut name says in full, and why it has no plan.
fn notes(compared: &Comparison) -> Vec<String> {
    let mut notes = Vec::new();
    for row in compared.told() {
        let name = &row.strategy.name;
        let short = short_name(name);
        if short != *name {
            notes.push(format!("{short} is {name}"));
        }
        notes.extend(chosen(row).map(|chosen| format!("{short}: {chosen}")));
        notes.extend(failure(&row.strategy.problem, &row.outcome).map(|failure| format!("{short}: {}", failure.long)));
    }
    notes.extend(alike(compared));
    notes.extend(traffic_bounds(compared));
    notes
}

/// How near plans come to what their orders allow: `bounds on traffic, each for the order of its own plan: …`.
fn traffic_bounds(compared: &Comparison) -> Option<String> {
    let near = |row: &Row| {
        let measured = row.outcome.measured()?;
        let (moved, bound) = (measured.figures.extra_traffic, measured.traffic_bound?);
        Some(format!("{} {} ({})", row.strategy.name, grouped(bound), above_bound(moved, bound)))
    };
    let all: Vec<String> = compared.rows.iter().filter_map(near).collect();
    let named = all.join(", ");
    (!all.is_empty()).then(|| format!("bounds on traffic, each for the order of its own plan: {named}"))
}

/// The variants without a row of their own: `as program, to the last figure: --fit first, --hoist`.
fn alike(compared: &Comparison) -> Option<String> {
    let usual = compared.alike().find_map(|row| row.strategy.variant_of.as_ref())?;
    let names: Vec<&str> = compared.alike().map(|row| row.strategy.name.as_str()).collect();
    Some(format!("as {usual}, to the last figure: {}", names.join(", ")))
}

/// The value that a sweep chose.
fn chosen(row: &Row) -> Option<String> {
    let sweep = row.tuning.as_ref()?;
    let (first, last) = (sweep.points.first()?.value, sweep.points.last()?.value);
    let knee = sweep.points.get(sweep.knee?)?.value;
    let scale = if sweep.setting == Setting::PoolBytes { Scale::bytes(last) } else { Scale::PLAIN };
    let what = if sweep.setting == Setting::Window { "window" } else { "cap" };
    let (from, to) = (scale.show(first), scale.words(last));
    let searched = row.strategy.evaluations.map(|count| format!("; a search of {count} evaluations"));
    Some(format!(
        "{what} {}, of {} values from {from} to {to} {}{}",
        scale.words(knee),
        sweep.points.len(),
        knee_words(sweep.setting),
        searched.unwrap_or_default(),
    ))
}

/// What makes a value the knee.
fn knee_words(setting: Setting) -> String {
    match setting.knee_rule() {
        KneeRule::NearBestTime => {
            format!("the smallest that takes at most {WITHIN_PERCENT}% more time than the best of them")
        }
        KneeRule::Bend => "the one at the bend, where less memory begins to cost much time".into(),
    }
}

/// Why there is no plan: in a few words for a row, and in a sentence.
struct Failure {
    short: String,
    long: String,
}

fn failure(problem: &Problem, outcome: &Outcome) -> Option<Failure> {
    match outcome {
        Outcome::Planned(_) => None,
        Outcome::NoPlan(found) => {
            Some(Failure { short: format!("no plan: {}", kind_words(problem, found)), long: headline(problem, found) })
        }
        Outcome::NoOrder(fault) => {
            Some(Failure { short: "no plan: no order".into(), long: format!("No plan: {}.", fault.what) })
        }
        Outcome::Broken(how) => Some(Failure {
            short: "BROKEN PLAN".into(),
            long: format!("{how}; this is a fault of spillscope; please report it with the graph"),
        }),
    }
}

fn kind_words(problem: &Problem, found: &Diagnosis) -> String {
    let level = &problem.level(found.level).name;
    match found.kind {
        FailureKind::LargerThanLevel => format!("a buffer exceeds {level}"),
        FailureKind::OperandsLargerThanLevel => format!("what is needed at once exceeds {level}"),
        FailureKind::NoHole => format!("no hole in {level}"),
        FailureKind::Forbidden => format!("no room in {level}"),
        FailureKind::Deadlock => format!("deadlock in {level}"),
    }
}

/// The shares of `measured`'s lanes that were busy, in whole per cent: `58–97%`.
fn busy(measured: &Measured) -> String {
    let shares = measured.busy_shares();
    let percent = |share: f64| format!("{:.0}", share * 100.0);
    let least = percent(shares.iter().copied().fold(f64::INFINITY, f64::min));
    let most = percent(shares.iter().copied().fold(0.0, f64::max));
    match shares.len() {
        0 => "-".into(),
        _ if least == most => format!("{most}%"),
        _ => format!("{least}–{most}%"),
    }
}

#[cfg(test)]
mod tests;
