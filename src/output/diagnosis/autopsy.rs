//! The smallest conflict and the rise to a failure, in words.

use super::{Line, Role};
use crate::model::{BufIx, Conflict, ConflictKind, Diagnosis, Fill, Problem, Rise};
use crate::output::labels::{buffer_id, buffer_label, node_id};
use crate::output::numbers::{grouped, listed};
use crate::output::quantities::size;

/// How many buffers of a conflict are named.
const NAMED: usize = 8;

/// The buffers that cannot be together; the line leads to the first of them.
pub(super) fn conflict(problem: &Problem, found: &Diagnosis, conflict: &Conflict) -> Line {
    let level = problem.level(found.level);
    let alone = conflict.bufs.len() == 1;
    let of = |sum: u64| format!("{} of {}", size(level, sum), size(level, found.capacity));
    let text = match conflict.kind {
        ConflictKind::Sizes { sum } if alone => {
            format!("{} alone is larger than {}: {}", names(problem, found, conflict, None), level.name, of(sum))
        }
        ConflictKind::Sizes { sum } => {
            format!(
                "{} together are too much: {}; without any one of them the others fit",
                names(problem, found, conflict, None),
                of(sum)
            )
        }
        ConflictKind::SizesAndRequest { sum } => {
            let request = format!("the {} needed", size(level, found.need));
            let names = names(problem, found, conflict, Some(request));
            format!("{names} together are too much: {}; without any one of them the others fit", of(sum))
        }
        ConflictKind::Places if alone => {
            format!(
                "{} alone leaves no hole of {} where it lies",
                names(problem, found, conflict, None),
                grouped(found.need)
            )
        }
        ConflictKind::Places => format!(
            "{} leave no hole of {} where they lie; without any one of them there is one",
            names(problem, found, conflict, None),
            grouped(found.need)
        ),
    };
    Line { buf: conflict.bufs.first().copied(), ..Line::new(Role::Conflict, text) }
}

/// The buffers of a conflict with their sizes, and what was requested.
fn names(problem: &Problem, found: &Diagnosis, conflict: &Conflict, request: Option<String>) -> String {
    let level = problem.level(found.level);
    let named = |&buf: &BufIx| format!("{} ({})", buffer_id(&problem.graph, buf), size(level, problem.space_of(buf)));
    let mut names: Vec<String> = conflict.bufs.iter().take(NAMED).map(named).collect();
    let more = conflict.bufs.len().saturating_sub(NAMED) as u64;
    names.extend((more > 0).then(|| format!("{} more", grouped(more))));
    names.extend(request);
    let count = names.len();
    listed(names.into_iter(), count)
}

/// How the level filled; each line leads to the step at which a buffer came.
pub(super) fn rise(problem: &Problem, found: &Diagnosis, rise: &Rise) -> Vec<Line> {
    let level = problem.level(found.level);
    let low = match rise.low_step {
        Some(step) => format!("step {step}: {} of {} in use", size(level, rise.low), size(level, found.capacity)),
        None => "nothing at the start".into(),
    };
    let low = Line { step: rise.low_step.map(|step| step as usize), ..Line::new(Role::Rise, low) };
    let fills = rise.fills.iter().map(|fill| Line {
        buf: Some(fill.buf),
        step: Some(fill.step as usize),
        ..Line::new(Role::Rise, fill_text(problem, found, fill))
    });
    let more = (rise.more > 0)
        .then(|| Line::new(Role::Rise, format!("and {} more, none of them larger", grouped(rise.more as u64))));
    std::iter::once(low).chain(fills).chain(more).collect()
}

/// `step 24: b10 “acc3” +128 → 512, for 31 MATMUL ← 29 MOVE`.
fn fill_text(problem: &Problem, found: &Diagnosis, fill: &Fill) -> String {
    let graph = &problem.graph;
    let level = problem.level(found.level);
    let chain: Vec<String> = fill.by.iter().chain(&fill.behind).map(|&node| node_id(graph, node)).collect();
    let purpose = if chain.is_empty() { String::new() } else { format!(", for {}", chain.join(" ← ")) };
    format!(
        "step {}: {} +{} → {}{purpose}",
        fill.step,
        buffer_label(graph, fill.buf),
        size(level, problem.space_of(fill.buf)),
        size(level, fill.used)
    )
}
