//! Which hole was taken, and what is left of it.

use super::decision::holes_at;
use crate::model::{Event, Fit, LevelIx};
use crate::output::labels::range;
use crate::output::numbers::{counted, grouped};
use crate::output::quantities::moment;
use crate::trace::Trace;

/// Why the buffer that the event at `position` placed lies at `offset` of `level`: by which fit, in which hole.
pub(super) fn placed(trace: &Trace, position: usize, level: LevelIx, offset: u64, size: u64) -> String {
    let holes = holes_at(trace, position, level);
    let Some(&(start, end)) = holes.iter().find(|&&(start, end)| start <= offset && offset.saturating_add(size) <= end)
    else {
        return "its place was chosen by the plan".into();
    };
    let whole = range(&trace.problem, level, start, end - start);
    let hole = format!("{whole}, {}", counted(end - start, "unit"));
    let left = match (end - start).saturating_sub(size) {
        0 => "it is filled exactly".into(),
        left => format!("{} stay free there", grouped(left)),
    };
    let count = counted(holes.len() as u64, "hole");
    match fitted(trace, position) {
        Some((Fit::Window, free_at)) => {
            let since = moment(&trace.problem, free_at);
            format!("window: the stretch that falls free first, at {since}, is in {hole}; {left}")
        }
        Some((fit, _)) if holes.len() == 1 => format!("{fit} fit: the only hole is {hole}; {left}"),
        Some((Fit::Next, _)) => format!("next fit: of {count} the next that holds it is {hole}; {left}"),
        Some((fit, _)) => format!("{fit} fit: of {count} the first that holds it is {hole}; {left}"),
        None if !is_best(&holes, (start, end), offset, size) => {
            format!("its place in the hole {whole} was chosen by the plan")
        }
        None if holes.len() == 1 => format!("best fit: the only hole is {hole}; {left}"),
        None => format!("best fit: of {count} the smallest that holds it is {hole}; {left}"),
    }
}

/// The fit that put the buffer there, if it is another than best fit, and since when the addresses were free.
fn fitted(trace: &Trace, position: usize) -> Option<(Fit, u64)> {
    let run = trace.run_range(trace.step_at(position + 1));
    trace.events()[run].iter().find_map(|event| match *event {
        Event::Fitted { fit, free_at, .. } => Some((fit, free_at)),
        _ => None,
    })
}

/// Whether best fit would have come to the same: a search may choose otherwise.
fn is_best(holes: &[(u64, u64)], taken: (u64, u64), offset: u64, size: u64) -> bool {
    let smallest =
        holes.iter().filter(|(start, end)| end - start >= size).min_by_key(|&&(start, end)| (end - start, start));
    offset == taken.0 && smallest == Some(&taken)
}
