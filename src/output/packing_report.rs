//! The report of a static packing: for people, and as JSON.
//!
//! # The JSON
//!
//! One object. `lifetimes` has `name`, `buffers` (how many) and `unknown_columns` (names). `answer` is `fits`, `cannot_fit`,
//! `unknown`, `smallest` (proven) or `smallest_found`. `capacity` is what was asked for, or null. `height` is that of the
//! packing, of the best one where the answer is `unknown`, and null where it is `cannot_fit`; no packing is lower than
//! `bound`. `max_live` is the fullest moment (`bytes`, `at`), `peak` who is alive then (`id`, `size`). `core` names buffers
//! that alone do not fit, `irreducible` says whether each of them is needed for that, and `why` why in words. `packing` has an
//! `id` and an `offset` a buffer. `seconds` is what packing took, `command` gives the same again. Those of a model have two
//! more fields, which `model_report.rs` tells of.

use serde::Serialize;

use crate::engine::pack::{Answer, Smallest};
use crate::input::Lifetimes;
use crate::model::Packed;
use crate::output::model_report::{self, AllocationJson, ModelJson};
use crate::output::numbers::{above_bound, counted, grouped, percent, seconds};
use crate::output::packing_words::{reason, verdict};
use crate::session::packing::{Holder, Outcome, Solved, holders_at};

/// How many holders and buffers of a core are listed; the rest is counted.
const LISTED: usize = 8;

/// What a report is of.
pub struct Packing<'a> {
    /// The lifetimes.
    pub file: &'a Lifetimes,
    /// What packing them came to.
    pub solved: &'a Solved,
    /// The capacity that was asked for.
    pub capacity: Option<u64>,
    /// Of a model, the height of the packing by size.
    pub greedy: Option<u64>,
    /// The command that gives the same again.
    pub repeat: &'a str,
}

impl Packing<'_> {
    /// The packing that is told of: the answer, or the best where there is none.
    pub(super) fn packed(&self) -> Option<&Packed> {
        match &self.solved.outcome {
            Outcome::Fit(Answer::Unknown { best, .. }) => Some(best),
            other => other.packed(),
        }
    }

    pub(super) fn bound(&self) -> u64 {
        match self.solved.outcome {
            Outcome::Fit(Answer::Unknown { bound, .. }) | Outcome::Smallest(Smallest { bound, .. }) => bound,
            Outcome::Fit(Answer::Fits(_) | Answer::CannotFit { .. }) => self.solved.max_live.bytes,
        }
    }

    fn holders(&self) -> Vec<Holder> {
        holders_at(&self.file.packing, self.solved.max_live.at)
    }
}

/// The report for people; ends with a newline.
pub fn text(report: &Packing) -> String {
    let (file, solved) = (report.file, report.solved);
    let mut lines = vec![format!("{}: {}", file.name, verdict(&file.packing, solved, report.capacity)), String::new()];
    let unknown = match file.unknown_columns.len() as u64 {
        0 => String::new(),
        count => format!("; {} kept", counted(count, "unknown column")),
    };
    lines.push(entry("lifetimes", &format!("{}{unknown}", counted(file.packing.buffers.len() as u64, "buffer"))));
    lines.extend(file.model.as_ref().into_iter().flat_map(model_report::text));
    lines.extend(report.capacity.map(|capacity| entry("capacity", &grouped(capacity))));
    lines.extend(report.packed().map(|packed| entry("height", &height(report, packed))));
    lines.extend(file.model.as_ref().map(|_| model_report::greedy(report)));
    let live = solved.max_live;
    let moment = model_report::moment(file, live.at);
    let at = format!("{} at {moment}: no packing is lower", grouped(live.bytes));
    lines.push(entry("max live", &at));
    if let Outcome::Fit(Answer::CannotFit { core, irreducible, why }) = &solved.outcome {
        lines.push(String::new());
        lines.push(entry("why", &reason(&file.packing, core, why)));
        let sort = if *irreducible {
            "each needed for that: without any one of them the rest fits"
        } else {
            "some of them may do"
        };
        lines.push(entry("core", &format!("{}, {sort}", counted(core.len() as u64, "buffer"))));
        lines.extend(table(core.iter().map(|&buffer| {
            let it = &file.packing.buffers[buffer];
            (it.name.to_string(), format!("{} in [{},{})", grouped(it.size), it.lower, it.upper))
        })));
    }
    lines.push(String::new());
    let holders = report.holders();
    lines.push(entry("peak", &format!("{moment}, held by {}", counted(holders.len() as u64, "buffer"))));
    lines.extend(table(holders.iter().map(|holder| {
        let share = percent(holder.size, live.bytes);
        (file.packing.buffers[holder.buffer].name.to_string(), format!("{} ({share})", grouped(holder.size)))
    })));
    lines.push(String::new());
    lines.push(entry("packed in", &seconds(solved.seconds)));
    lines.extend([String::new(), "the same again:".into(), report.repeat.into()]);
    lines.join("\n") + "\n"
}

fn height(report: &Packing, packed: &Packed) -> String {
    let bound = report.bound();
    let how = above_bound(packed.height, bound);
    let bound = if how == "proven optimal" { how } else { format!("bound {}: {how}", grouped(bound)) };
    let share = report.capacity.map_or(String::new(), |capacity| {
        if packed.height > capacity {
            format!(", {} too high", grouped(packed.height - capacity))
        } else {
            format!(", {} of the capacity", percent(packed.height, capacity))
        }
    });
    format!("{}{share}; {bound}", grouped(packed.height))
}

/// Names and what is said of them, the first few; the rest is counted.
pub(super) fn table(rows: impl ExactSizeIterator<Item = (String, String)>) -> Vec<String> {
    use unicode_width::UnicodeWidthStr;
    let more = rows.len().saturating_sub(LISTED);
    let shown: Vec<_> = rows.take(LISTED).collect();
    let width = shown.iter().map(|(name, _)| name.width()).max().unwrap_or(0);
    let line = |(name, text): &(String, String)| {
        entry("", &format!("{name}{}  {text}", " ".repeat(width.saturating_sub(name.width()))))
    };
    let mut lines: Vec<String> = shown.iter().map(line).collect();
    lines.extend((more > 0).then(|| entry("", &format!("and {} more", grouped(more as u64)))));
    lines
}

/// A name in its column, and what is said of it.
pub(super) fn entry(name: &str, text: &str) -> String {
    format!("  {name:<13}{text}")
}

#[derive(Serialize)]
struct ReportJson<'a> {
    lifetimes: FileJson<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<ModelJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    allocations: Option<[AllocationJson; 1]>,
    answer: &'a str,
    capacity: Option<u64>,
    height: Option<u64>,
    bound: u64,
    max_live: MaxLiveJson,
    peak: Vec<HolderJson<'a>>,
    core: Vec<&'a str>,
    irreducible: Option<bool>,
    why: Option<String>,
    packing: Vec<AddressJson<'a>>,
    seconds: f64,
    command: &'a str,
}

#[derive(Serialize)]
struct FileJson<'a> {
    name: &'a str,
    buffers: usize,
    unknown_columns: Vec<&'a str>,
}

#[derive(Serialize)]
struct MaxLiveJson {
    bytes: u64,
    at: u64,
}

#[derive(Serialize)]
struct HolderJson<'a> {
    id: &'a str,
    size: u64,
}

#[derive(Serialize)]
struct AddressJson<'a> {
    id: &'a str,
    offset: u64,
}

/// The report as JSON; ends with a newline.
pub fn json(report: &Packing) -> String {
    let (file, solved) = (report.file, report.solved);
    let name = |buffer: usize| file.packing.buffers[buffer].name.raw();
    let (answer, core, irreducible, why) = match &solved.outcome {
        Outcome::Fit(Answer::Fits(_)) => ("fits", &[][..], None, None),
        Outcome::Fit(Answer::CannotFit { core, irreducible, why }) => {
            ("cannot_fit", core.as_slice(), Some(*irreducible), Some(reason(&file.packing, core, why)))
        }
        Outcome::Fit(Answer::Unknown { .. }) => ("unknown", &[][..], None, None),
        Outcome::Smallest(Smallest { proven: true, .. }) => ("smallest", &[][..], None, None),
        Outcome::Smallest(Smallest { .. }) => ("smallest_found", &[][..], None, None),
    };
    let offsets = report.packed().map_or(&[][..], |packed| packed.offsets.as_slice());
    let holders = report.holders();
    let whole = ReportJson {
        lifetimes: FileJson {
            name: file.name.raw(),
            buffers: file.packing.buffers.len(),
            unknown_columns: file.unknown_columns.iter().map(crate::model::Name::raw).collect(),
        },
        model: file.model.as_ref().map(ModelJson::of),
        allocations: file.model.as_ref().map(|_| [AllocationJson::of(report)]),
        answer,
        capacity: report.capacity,
        height: report.packed().map(|packed| packed.height),
        bound: report.bound(),
        max_live: MaxLiveJson { bytes: solved.max_live.bytes, at: solved.max_live.at },
        peak: holders.iter().map(|holder| HolderJson { id: name(holder.buffer), size: holder.size }).collect(),
        core: core.iter().map(|&buffer| name(buffer)).collect(),
        irreducible,
        why,
        packing: offsets.iter().enumerate().map(|(at, &offset)| AddressJson { id: name(at), offset }).collect(),
        seconds: solved.seconds,
        command: report.repeat,
    };
    to_json(&whole)
}

/// Pretty JSON with a newline. Names and numbers alone cannot fail.
pub(super) fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default() + "\n"
}
