//! What the report of a model has beside that of lifetimes: for people, and as JSON.
//!
//! # The JSON
//!
//! `model` counts `operators`, `tensors` and, of these, `constants`, `variables`, `unused` (no operator touches them), `unmade`
//! (read, but filled by nobody) and `resizable` ones; `other_subgraphs` are not read; `alignment` is what sizes are rounded up
//! to. `allocations` has one entry, as in the report of a dump: `allocation` is `arena`, `size` what packing by size comes to
//! (null where the tensors are too many), `packed` what ours does (null where it does not fit), `bound` what no packing is
//! below.

use serde::Serialize;

use crate::input::{Lifetimes, MODEL_ALIGNMENT, Model};
use crate::output::numbers::{counted, grouped, percent};
use crate::output::packing_report::{Packing, entry};

/// The lines that say what the model has; none ends in a newline.
pub(super) fn text(model: &Model) -> Vec<String> {
    let kinds = [(model.constants, "constant"), (model.variables, "variable"), (model.unused, "unused")];
    let kinds = kinds.into_iter().filter(|&(count, _)| count > 0).map(|(count, kind)| match kind {
        "unused" => format!("{} {kind}", grouped(count as u64)),
        _ => counted(count as u64, kind),
    });
    let kinds = kinds.collect::<Vec<_>>().join(", ");
    let tensors = counted(model.tensors as u64, "tensor");
    let beside = if kinds.is_empty() { String::new() } else { format!(", beside the arena {kinds}") };
    let operators = counted(model.operators.len() as u64, "operator");
    let mut lines = vec![
        entry("model", &format!("{operators}, {tensors}{beside}")),
        entry("alignment", &format!("{MODEL_ALIGNMENT}, to which sizes are rounded up, as TensorFlow Lite Micro does")),
    ];
    let mut note = |count: usize, name: &str, noun: &str, what: &str| {
        lines.extend((count > 0).then(|| entry(name, &format!("{}{what}", counted(count as u64, noun)))));
    };
    note(model.other_subgraphs, "not read", "subgraph", " behind the first");
    note(model.unmade, "unmade", "tensor", " read, but filled by nobody: alive from the start");
    note(model.resizable, "resizable", "tensor", " whose size depends on the inputs, taken as in the file");
    lines
}

/// What packing by size comes to, beside ours.
pub(super) fn greedy(report: &Packing) -> String {
    let Some(greedy) = report.greedy else {
        return entry("greedy", "not worked out: the tensors are too many");
    };
    let beside = match report.packed().map(|packed| packed.height) {
        Some(ours) if ours < greedy => {
            let less = greedy - ours;
            format!("; ours is {} less ({})", grouped(less), percent(less, greedy))
        }
        Some(ours) if ours > greedy => format!("; ours is {} more", grouped(ours - greedy)),
        Some(_) => "; ours is the same".into(),
        None => String::new(),
    };
    let fits = report.capacity.map_or("", |room| if greedy <= room { ", fits" } else { ", does not fit" });
    entry("greedy", &format!("{} by size, as TensorFlow Lite Micro packs{fits}{beside}", grouped(greedy)))
}

/// `CONV_2D.3 (operator 3)`, or `time 3` where there are no operators.
pub(super) fn moment(file: &Lifetimes, at: u64) -> String {
    let operator = file.model.as_ref().and_then(|model| model.operators.get(at as usize));
    operator.map_or_else(|| format!("time {}", grouped(at)), |name| format!("{name} (operator {})", grouped(at)))
}

#[derive(Serialize)]
pub(super) struct ModelJson {
    operators: usize,
    tensors: usize,
    constants: usize,
    variables: usize,
    unused: usize,
    unmade: usize,
    resizable: usize,
    other_subgraphs: usize,
    alignment: u64,
}

impl ModelJson {
    pub(super) fn of(model: &Model) -> Self {
        Self {
            operators: model.operators.len(),
            tensors: model.tensors,
            constants: model.constants,
            variables: model.variables,
            unused: model.unused,
            unmade: model.unmade,
            resizable: model.resizable,
            other_subgraphs: model.other_subgraphs,
            alignment: MODEL_ALIGNMENT,
        }
    }
}

#[derive(Serialize)]
pub(super) struct AllocationJson {
    allocation: &'static str,
    size: Option<u64>,
    packed: Option<u64>,
    bound: u64,
}

impl AllocationJson {
    pub(super) fn of(report: &Packing) -> Self {
        let packed = report.packed().map(|packed| packed.height);
        Self { allocation: "arena", size: report.greedy, packed, bound: report.bound() }
    }
}
