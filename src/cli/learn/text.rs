//! Lessons as text, for reading them elsewhere than in the screen.

use std::fmt::Write;

use crate::app::lesson::ShelfEntry;
use crate::app::words::wrap;
use crate::lesson::{Lesson, Question, Station};
use crate::output::labels::step_label;

/// Columns of the text.
const WIDTH: usize = 80;
/// Columns that what belongs to a station is set in by.
const INDENT: usize = 4;

/// The lessons with how far one has come.
pub fn list(entries: &[ShelfEntry]) -> String {
    let mut out = String::new();
    for (at, entry) in entries.iter().enumerate() {
        let _ = writeln!(out, "{:2}  {}  ({}; {})", at + 1, entry.title, entry.id, entry.progress());
        add(&mut out, &entry.aim, INDENT, 0);
    }
    out
}

/// A whole lesson, the built-in one of that number.
pub fn lesson(lesson: &Lesson, number: Option<usize>) -> String {
    let title = match number {
        Some(at) => format!("Lesson {}: {}", at + 1, lesson.title),
        None => lesson.title.clone(),
    };
    let mut out = title + "\n";
    add(&mut out, &lesson.aim, 0, 0);
    for (at, station) in lesson.stations.iter().enumerate() {
        let _ = writeln!(out, "\n{}", heading(lesson, at, station));
        add(&mut out, &station.caption, INDENT, 0);
        if let Some(question) = &station.question {
            ask(&mut out, question);
        }
    }
    for (heading, text) in [("Learnt", &lesson.learned), ("Try", &lesson.to_try)] {
        if !text.is_empty() {
            let _ = writeln!(out, "\n{heading}");
            add(&mut out, text, INDENT, 0);
        }
    }
    out
}

/// `3/6  step 11: SPILL_OUT b0`, with the plan where there are several.
fn heading(lesson: &Lesson, at: usize, station: &Station) -> String {
    let plan = &lesson.plans[station.plan];
    let trace = &plan.session.trace;
    let what = trace.step(station.step).map(|step| format!(": {}", step_label(trace, step))).unwrap_or_default();
    let named =
        if lesson.plans.len() > 1 { format!("plan {}, ", crate::model::clean(&plan.name)) } else { String::new() };
    format!("{}/{}  {named}step {}{what}", at + 1, lesson.stations.len(), station.step)
}

fn ask(out: &mut String, question: &Question) {
    out.push('\n');
    add(out, &question.text, INDENT, 0);
    for (at, choice) in question.choices.iter().enumerate() {
        let cost = choice.cost.as_ref().map(|cost| format!(" ({})", cost.figures)).unwrap_or_default();
        add(out, &format!("{}. {}{cost}: {}", at + 1, choice.text, choice.answer), INDENT, 3);
    }
}

fn add(out: &mut String, text: &str, indent: usize, hang: usize) {
    for line in wrap(text, WIDTH - indent, hang) {
        out.push_str(&" ".repeat(indent));
        out.push_str(&line);
        out.push('\n');
    }
}
