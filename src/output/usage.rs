//! How full each level is over the cycles of a plan. (The trace tells it by steps, which on several units do not start in
//! the order in which they stand.)

use super::effect::Effect;
use crate::trace::Trace;

/// By level: the cycles at which its use changes, ascending, each once, with the units in use from then on.
pub(super) fn by_cycle(trace: &Trace) -> Vec<Vec<(u64, u64)>> {
    let mut changes: Vec<Vec<(u64, i128)>> = vec![Vec::new(); trace.problem.level_count()];
    for step in 0..trace.step_count() {
        let effect = Effect::of(trace.run(step));
        if let Some((buf, level, _)) = effect.moved {
            let size = i128::from(trace.problem.graph.buffer(buf).size);
            changes[level.at()].push((effect.at, if effect.came { size } else { -size }));
        }
    }
    changes.into_iter().map(summed).collect()
}

/// Changes as what they add up to, one entry a cycle.
fn summed(mut changes: Vec<(u64, i128)>) -> Vec<(u64, u64)> {
    changes.sort_unstable_by_key(|&(at, _)| at);
    let mut used: i128 = 0;
    let mut points: Vec<(u64, u64)> = Vec::new();
    for run in changes.chunk_by(|a, b| a.0 == b.0) {
        used += run.iter().map(|(_, change)| change).sum::<i128>();
        let now = u64::try_from(used.max(0)).unwrap_or(u64::MAX);
        if points.last().is_none_or(|&(_, before)| before != now) {
            points.push((run[0].0, now));
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::testing::{Kind, session};

    #[test]
    fn changes_of_one_cycle_are_one_point_and_what_changes_nothing_is_none() {
        assert_eq!(summed(vec![(5, -2), (0, 4), (5, 3), (7, 1), (7, -1)]), [(0, 4), (5, 5)]);
        assert_eq!(summed(vec![]), []);
    }

    #[test]
    fn no_level_is_ever_fuller_than_it_is_large() {
        for kind in Kind::ALL {
            let trace = session(kind).trace;
            for (points, level) in by_cycle(&trace).iter().zip(&trace.problem.machine.levels) {
                assert!(points.iter().all(|&(_, used)| used <= level.capacity), "{kind:?} {}", level.name);
                assert!(points.is_sorted_by(|a, b| a.0 < b.0));
            }
        }
    }
}
