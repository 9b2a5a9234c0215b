//! What packing came to, in words.

use crate::engine::pack::{Answer, Smallest, Why};
use crate::model::{BufIx, Packing};
use crate::output::numbers::{above_bound, counted, grouped, listed};
use crate::session::packing::{Outcome, Solved};
use crate::trace::Trace;

/// How many buffers a sentence names before it counts the rest.
const NAMED: usize = 6;

/// The answer in one sentence without a full stop. `capacity` is what was asked for.
pub fn verdict(packing: &Packing, solved: &Solved, capacity: Option<u64>) -> String {
    let capacity = grouped(capacity.unwrap_or(0));
    match &solved.outcome {
        Outcome::Fit(Answer::Fits(packed)) => {
            format!("fits {capacity}: the highest buffer ends at {}", grouped(packed.height))
        }
        Outcome::Fit(Answer::CannotFit { core, why: Why::Fixed { .. } | Why::Misaligned { .. }, .. }) => {
            format!("proven not to fit, whatever the capacity: {}", held_by(packing, core))
        }
        Outcome::Fit(Answer::CannotFit { core, .. }) => {
            format!("proven not to fit {capacity}: {} alone do not", names(packing, core))
        }
        Outcome::Fit(Answer::Unknown { best, bound }) => format!(
            "unknown whether it fits {capacity}: the time ran out with a packing of {}, {}",
            grouped(best.height),
            from_bound(best.height, *bound)
        ),
        Outcome::Smallest(Smallest { packed, proven: true, .. }) => {
            format!("smallest capacity {}: proven", grouped(packed.height))
        }
        Outcome::Smallest(Smallest { packed, bound, proven: false }) => format!(
            "smallest capacity found {}, {}; the time ran out",
            grouped(packed.height),
            from_bound(packed.height, *bound)
        ),
    }
}

/// `within 3% of the bound 1 024`.
pub fn from_bound(height: u64, bound: u64) -> String {
    let how = above_bound(height, bound);
    if how.starts_with("within") {
        format!("{how} of the bound {}", grouped(bound))
    } else {
        format!("bound {}", grouped(bound))
    }
}

/// Why nothing fits, in one sentence.
pub fn reason(packing: &Packing, core: &[usize], why: &Why) -> String {
    let name = |buffer: &usize| packing.buffers[*buffer].name.to_string();
    match why {
        Why::MaxLive { at, bytes } => {
            format!("at time {} they need {} together, wherever they lie", grouped(*at), grouped(*bytes))
        }
        Why::Larger { buffer } => format!("{} alone ends above the capacity", name(buffer)),
        Why::Fixed { one, other } => {
            format!("the given addresses of {} and {} overlap while both are alive", name(one), name(other))
        }
        Why::Misaligned { buffer } => format!("the given address of {} is no multiple of its alignment", name(buffer)),
        Why::Exhausted { nodes } => format!(
            "every way to place these {} was looked at, in {}",
            counted(core.len() as u64, "buffer"),
            counted(*nodes, "decision")
        ),
    }
}

/// The names of these buffers, the first few.
pub fn names(packing: &Packing, buffers: &[usize]) -> String {
    listed(buffers.iter().map(|&buffer| packing.buffers[buffer].name.to_string()), NAMED)
}

/// How high two packings of the same lifetimes are, in one sentence: of the memory in which they differ most, and of how
/// many more.
pub fn heights_compared(sides: [&Trace; 2]) -> String {
    let [a, b] = sides.map(heights);
    let differ = |&level: &usize| a[level] != b[level];
    let mut levels: Vec<usize> = (0..a.len().min(b.len())).filter(differ).collect();
    levels.sort_by_key(|&level| (std::cmp::Reverse(a[level].abs_diff(b[level])), level));
    let Some(&first) = levels.first() else {
        return "The two lie otherwise, and each memory is as high in both.".into();
    };
    let (name, high, low) = (&sides[0].problem.machine.levels[first].name, a[first], b[first]);
    let (which, by) = if low < high { ("less", high - low) } else { ("more", low - high) };
    let more = match levels.len() - 1 {
        0 => String::new(),
        count => format!("; of others {} differ", grouped(count as u64)),
    };
    format!("{name} ends at {} in A and at {} in B, {} {which}{more}.", grouped(high), grouped(low), grouped(by))
}

/// The end of the highest buffer, by memory.
fn heights(trace: &Trace) -> Vec<u64> {
    let problem = &trace.problem;
    let mut heights = vec![0; problem.level_count()];
    for (at, offset) in trace.plan.memory.iter().enumerate() {
        let buf = BufIx::new(at);
        let height = &mut heights[problem.level_of(buf).at()];
        *height = offset.map_or(*height, |offset| (*height).max(offset + problem.graph.buffer(buf).size));
    }
    heights
}

fn held_by(packing: &Packing, core: &[usize]) -> String {
    if core.is_empty() { "the given addresses cannot be kept".into() } else { names(packing, core) }
}
