//! A sweep as a table with a bar for each value and the knee marked.

use unicode_width::UnicodeWidthStr;

use super::scale::Scale;
use super::table::{Cells, Table, wrapped};
use super::{busy, ended, failure, title};
use crate::compare::{Kind, Measured, Outcome, Point, Setting, Sweep};
use crate::model::{Options, Problem};
use crate::output::numbers::{grouped, percent};

/// How wide the longest bar is, in columns.
const BAR: u64 = 20;

/// What bars are drawn with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chart {
    /// Block elements, to an eighth of a column.
    Blocks,
    /// `#`.
    Ascii,
}

impl Chart {
    /// A bar of `value` where `most` has [`BAR`] columns; what is not nothing shows.
    fn bar(self, value: u64, most: u64) -> String {
        const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
        let parts = if self == Self::Blocks { 8 } else { 1 };
        let length = u128::from(value) * u128::from(BAR * parts) / u128::from(most.max(1));
        let length = (length as u64).max(u64::from(value > 0));
        let (whole, part) = (length / parts, length % parts);
        match self {
            Self::Blocks => "█".repeat(whole as usize) + EIGHTHS[part as usize],
            Self::Ascii => "#".repeat(whole as usize),
        }
    }
}

/// The sweep of `problem`, planned by `options`, in lines of at most `width` columns; ends with a newline. `repeat`, its
/// last line, is the command that gives the same again.
pub fn sweep(problem: &Problem, options: &Options, swept: &Sweep, width: usize, chart: Chart, repeat: &str) -> String {
    let what = format!("{} swept in {} order", name(problem, swept.setting), options.order);
    let mut lines = title(problem, &what, width);
    lines.extend(with_bars(problem, swept, width, chart));
    lines.push(String::new());
    lines.extend(conclusion(problem, swept).iter().flat_map(|text| wrapped(text, width, "", "")));
    let failures = swept.points.iter().filter_map(|point| {
        let failure = failure(problem, &point.outcome)?;
        Some(format!("At {}: {}", grouped(point.value), failure.long))
    });
    // The first of many says it for all: they differ in the capacity alone.
    lines.extend(failures.take(1).flat_map(|text| wrapped(&text, width, "", "")));
    lines.push(String::new());
    ended(lines, repeat)
}

/// `window`, `L1 capacity`.
fn name(problem: &Problem, setting: Setting) -> String {
    match setting {
        Setting::Capacity(level) => format!("{} capacity", problem.level(level).name),
        Setting::Window | Setting::PoolBytes => setting.to_string(),
    }
}

/// The same for a narrow column.
fn column_name(problem: &Problem, setting: Setting) -> String {
    match setting {
        Setting::Window => "window".into(),
        Setting::PoolBytes => "cap".into(),
        Setting::Capacity(level) => problem.level(level).name.to_string(),
    }
}

/// In what the values of `setting` are told.
fn value_scale(problem: &Problem, swept: &Sweep) -> Scale {
    let in_bytes = match swept.setting {
        Setting::Window => false,
        Setting::PoolBytes => true,
        Setting::Capacity(level) => problem.level(level).pool().is_some(),
    };
    if in_bytes { Scale::bytes(swept.points.last().map_or(0, |point| point.value)) } else { Scale::PLAIN }
}

/// The table, with bars of the time and the mark of the knee where there is room.
fn with_bars(problem: &Problem, swept: &Sweep, width: usize, chart: Chart) -> Vec<String> {
    // The line of what was left out is the last, and no row.
    let table = table(problem, swept);
    let room = BAR as usize + " ◀ knee".width() + 2;
    let mut lines = table.lines(width.saturating_sub(room));
    let most = swept.points.iter().filter_map(|point| point.outcome.makespan()).max().unwrap_or(0);
    let has_bar =
        |at: usize| at == 0 || swept.points.get(at - 1).is_some_and(|point| point.outcome.measured().is_some());
    let beside_bars = lines.iter().enumerate().filter(|(at, _)| has_bar(*at));
    let widest = beside_bars.map(|(_, line)| line.width()).max().unwrap_or(0);
    for (at, point) in swept.points.iter().enumerate() {
        let Some(line) = lines.get_mut(at + 1) else { continue };
        let bar = point.outcome.makespan().map_or_else(String::new, |time| chart.bar(time, most));
        let mark = match (swept.knee == Some(at), chart) {
            (false, _) => "",
            (true, Chart::Blocks) => " ◀ knee",
            (true, Chart::Ascii) => " < knee",
        };
        let padding = " ".repeat(widest.saturating_sub(line.width()));
        line.push_str(format!("{padding}  {bar}{mark}").trim_end());
    }
    lines
}

fn table(problem: &Problem, swept: &Sweep) -> Table {
    let values = value_scale(problem, swept);
    let largest = |value: &dyn Fn(&Measured) -> u64| {
        swept.points.iter().filter_map(|point| point.outcome.measured()).map(value).max().unwrap_or(0)
    };
    let times = Scale::times(problem, largest(&|measured| measured.figures.makespan));
    let held = Scale::bytes(largest(&|measured| measured.pool.peak_held));
    let mut titles = vec![values.title(&column_name(problem, swept.setting))];
    let time = if times == Scale::PLAIN { "cycles".into() } else { times.title("time") };
    match Kind::of(problem) {
        Kind::Pools => titles.extend([time, held.title("peak"), "at once".into(), "reuse".into(), "busy".into()]),
        Kind::Arenas => titles.extend([time, "traffic".into(), "spills".into(), "at once".into()]),
    }
    let cells = |measured: &Measured| match Kind::of(problem) {
        Kind::Pools => vec![
            times.show(measured.figures.makespan),
            held.show(measured.pool.peak_held),
            format!("{:.1}", measured.mean_concurrency()),
            percent(measured.pool.hits, measured.pool.hits.saturating_add(measured.pool.misses)),
            busy(measured),
        ],
        Kind::Arenas => vec![
            times.show(measured.figures.makespan),
            grouped(measured.figures.extra_traffic),
            grouped(measured.figures.spills),
            format!("{:.1}", measured.mean_concurrency()),
        ],
    };
    let row = |point: &Point| {
        let value = values.show(point.value);
        match &point.outcome {
            Outcome::Planned(measured) => Cells::Whole([value].into_iter().chain(cells(measured)).collect()),
            other => Cells::Words(value, failure(problem, other).map_or_else(String::new, |failure| failure.short)),
        }
    };
    Table { titles, rows: swept.points.iter().map(row).collect() }
}

/// What the knee is, and how busy the plan is there from beginning to end.
fn conclusion(problem: &Problem, swept: &Sweep) -> Vec<String> {
    let knee = swept.knee.and_then(|at| swept.points.get(at));
    let Some((point, measured)) = knee.and_then(|point| Some((point, point.outcome.measured()?))) else {
        return vec!["No value has a plan.".into()];
    };
    let name = name(problem, swept.setting);
    let value = value_scale(problem, swept).words(point.value);
    let tenths: Vec<String> = measured.concurrency.iter().map(|running| format!("{running:.1}")).collect();
    vec![
        format!("The knee is at {name} {value}: of all values {}.", super::knee_words(swept.setting)),
        format!(
            "There {:.1} operations run at once on average; in each tenth of the time: {}.",
            measured.mean_concurrency(),
            tenths.join(" ")
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_bar_is_full_and_nothing_has_none() {
        assert_eq!(Chart::Blocks.bar(400, 400), "█".repeat(20));
        assert_eq!(Chart::Blocks.bar(210, 400), "█".repeat(10) + "▌");
        assert_eq!(Chart::Blocks.bar(1, 1_000_000), "▏", "what is there shows");
        assert_eq!(Chart::Ascii.bar(210, 400), "#".repeat(10));
        assert_eq!([Chart::Ascii.bar(1, 1_000_000), Chart::Ascii.bar(0, 9)], ["#", ""]);
        assert_eq!(Chart::Blocks.bar(u64::MAX, u64::MAX), "█".repeat(20), "nothing overflows");
    }
}
