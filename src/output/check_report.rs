//! The report of `check`: figures where the plan holds, every broken rule where not.

use serde::Serialize;

use super::json::{FiguresJson, printable};
use super::numbers::{counted, grouped};
use crate::check::Report;
use crate::model::Problem;

/// For people; ends with a newline. `repeat` is the command that checks again.
pub fn text(problem: &Problem, report: &Report, repeat: &str) -> String {
    let name = &problem.graph.name;
    let mut lines = Vec::new();
    match &report.figures {
        _ if !report.is_valid() => {
            lines.push(format!("{name}: BROKEN plan, {}", count(report)));
            lines.extend(report.broken.iter().map(|broken| format!("  {broken}")));
            if report.seen > report.broken.len() {
                lines.push(format!("  … and more: stopped after {} findings", report.broken.len()));
            }
        }
        None => lines.push(format!("{name}: valid plan; its figures are too large to count")),
        Some(figures) => {
            let steps = counted(figures.steps, "step");
            lines.push(format!("{name}: valid plan, {steps}, {} (R1 to R6 hold)", counted(figures.spills, "spill")));
            lines.push(String::new());
            let levels = problem.machine.levels.iter().zip(&figures.peak).filter(|(_, peak)| **peak > 0);
            let peaks =
                levels.map(|(level, peak)| format!("{} {} of {}", level.name, grouped(*peak), grouped(level.capacity)));
            let row = |what: &str, figure: String| format!("  {what:<14} {figure}");
            lines.push(row("extra_traffic", grouped(figures.extra_traffic)));
            lines.push(row("makespan", format!("{} cycles", grouped(figures.makespan))));
            lines.push(row("peak", peaks.collect::<Vec<_>>().join(", ")));
            lines.push(row("peak_stay", grouped(figures.peak_stay)));
        }
    }
    lines.extend(report.notes.iter().map(|note| format!("note: {note}")));
    lines.extend([String::new(), "the same again:".into(), repeat.into()]);
    lines.join("\n") + "\n"
}

#[derive(Serialize)]
struct CheckJson<'a> {
    valid: bool,
    problems: Vec<String>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    figures: Option<FiguresJson>,
    notes: &'a [String],
    repeat: &'a str,
}

/// For programs, under the names of `check_plan.py --json`; ends with a newline.
pub fn json(problem: &Problem, report: &Report, repeat: &str) -> String {
    printable(&CheckJson {
        valid: report.is_valid(),
        problems: report.broken.iter().map(ToString::to_string).collect(),
        figures: report.figures.as_ref().map(|figures| FiguresJson::new(problem, figures)),
        notes: &report.notes,
        repeat,
    })
}

/// How many rules are broken, in words.
pub fn count(report: &Report) -> String {
    counted(report.seen as u64, "finding")
}
