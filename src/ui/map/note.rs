//! The line below the map: what the cell at hand stands for, where a spilled buffer is, else what a row is.

use ratatui::text::Line;
use unicode_width::UnicodeWidthStr;

use super::super::theme::{Look, letter};
use crate::app::App;
use crate::app::map::{Absence, Coloring, Probe};
use crate::model::{BufIx, Graph};
use crate::output::labels::{buffer_id, buffer_label, range};
use crate::output::numbers::{counted, grouped};

/// The line, in so many columns.
pub fn line(app: &App, look: Look, width: usize) -> Line<'static> {
    match asked(app, width) {
        Some(text) => Line::styled(text, look.text()),
        None => Line::styled(meaning(app, width), look.dim()),
    }
}

/// What the person has asked for by going to a cell, or what this step leads to.
pub fn asked(app: &App, width: usize) -> Option<String> {
    let map = app.map();
    let cell = map.probe.as_ref().map(|probe| cell(app, probe, width));
    cell.or_else(|| map.absence.as_ref().map(|absence| gap(app, absence, width)))
}

/// What the cell stands for: who, where, when. Where there is little room, who alone, since row and column are marked.
fn cell(app: &App, probe: &Probe, width: usize) -> String {
    let level = app.trace().problem.level(probe.level);
    let when = match probe.steps.len() {
        1 => format!("step {}", probe.steps.start),
        _ => format!("steps {}–{}", probe.steps.start, probe.steps.end.saturating_sub(1)),
    };
    let place = if level.pool().is_some() {
        format!("a block of {}", level.name)
    } else {
        format!("{}[{},{})", level.name, probe.addresses.start, probe.addresses.end)
    };
    let place = format!(" · {place}, {when}");
    let texts = [(probe.bufs.len(), buffer_label as Name), (probe.bufs.len(), buffer_id)]
        .map(|(shown, name)| who(app, probe, shown, name) + &place);
    let fewer = (1..=probe.bufs.len()).rev().map(|shown| who(app, probe, shown, buffer_id));
    let least = who(app, probe, 1, buffer_id);
    texts.into_iter().chain(fewer).find(|text| text.width() <= width).unwrap_or(least)
}

/// How a buffer is called.
type Name = fn(&Graph, BufIx) -> String;

/// The first `shown` of the cell's buffers, and how many more there are.
fn who(app: &App, probe: &Probe, shown: usize, name: Name) -> String {
    let named = |&buf: &BufIx| format!("{} {}", letter(app.trace(), buf), name(&app.trace().problem.graph, buf));
    let names: Vec<String> = probe.bufs.iter().take(shown).map(named).collect();
    let more = match probe.count.saturating_sub(names.len()) {
        0 => String::new(),
        more => format!(", … {} more", grouped(more as u64)),
    };
    match probe.count {
        0 => "› nothing".to_owned(),
        1 => format!("› {}", names.concat()),
        many => format!("› {}: {}{more}", counted(many as u64, "buffer"), names.join(", ")),
    }
}

/// From where to where a spilled buffer goes, and when: the longest that fits.
fn gap(app: &App, absence: &Absence, width: usize) -> String {
    let problem = &app.trace().problem;
    let size = problem.graph.buffer(absence.buf).size;
    let at = |offset: u64| range(problem, problem.level_of(absence.buf), offset, size);
    let name = format!("{} {}", letter(app.trace(), absence.buf), buffer_label(&problem.graph, absence.buf));
    let (left, out) = (at(absence.left), absence.out);
    let texts = match absence.back {
        Some((back, to)) if back == app.step() => [
            format!("{name} is back: it was out since step {out}, {left} → {}", at(to)),
            format!("{name} is back, out since {out}"),
            format!("{name} is back"),
        ],
        Some((back, to)) => [
            format!("{name} is out │ since step {out}, back at step {back}: {left} → {}", at(to)),
            format!("{name} out │ {out}–{back} → {}", at(to)),
            format!("{name} out │ {out}–{back}"),
        ],
        None => [
            format!("{name} is out │ since step {out} from {left} and never comes back"),
            format!("{name} out │ since {out} for good"),
            format!("{name} out for good"),
        ],
    };
    let shortest = texts[2].clone();
    texts.into_iter().find(|text| text.width() <= width).unwrap_or(shortest)
}

/// What rows and signs stand for, the longest that fits.
fn meaning(app: &App, width: usize) -> String {
    let digits = !matches!(app.map_settings().coloring, Coloring::Age | Coloring::NextUse);
    let steps = app.map().steps_per_row;
    let texts = if steps > 1 {
        let steps = grouped(steps as u64);
        let (alone, several) = match (digits, app.map().pool.is_some()) {
            (true, false) => ("a letter", "2–9 buffers, ░▒▓█ more"),
            (false, false) => ("a sign", "░▒▓█ several buffers"),
            (true, true) => ("a letter", "░ idle, 2–9 buffers, ▒▓█ more"),
            (false, true) => ("a sign", "░ idle, ▒▓█ several buffers"),
        };
        [
            format!(
                "a row is {steps} steps: {alone} for the only buffer there, {several}, by how full; · nothing at any of them"
            ),
            format!("a row is {steps} steps: {several}, by how full; · nothing at any"),
            format!("{steps} steps a row: {several}; · nothing"),
            format!("{steps} steps a row"),
        ]
    } else {
        let several = if digits { "2–9 ▒▓█ so many" } else { "▒▓█ several" };
        [
            format!("a row is a step: · free  - partly in use  ░ just left  [ ] just placed  {several} share a cell"),
            format!("· free  - partly  ░ left  [ ] placed  {several} share a cell"),
            "· free  - partly in use  ░ just left".to_owned(),
            String::new(),
        ]
    };
    texts.into_iter().find(|text| text.width() <= width).unwrap_or_default()
}
