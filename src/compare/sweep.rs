//! One setting over a range of values, and where more of it stops to pay.

use std::fmt;

use super::{Outcome, PLAIN, plan};
use crate::model::{LevelIx, Options, Problem};

/// The most values of a sweep.
pub const MOST_VALUES: usize = 1000;

/// How many values a range has where nobody says.
pub const USUAL_VALUES: usize = 16;

/// How near to the best time the knee must come: see [`Sweep::knee`].
pub const WITHIN_PERCENT: u64 = 2;

/// What is swept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Setting {
    /// How many operations may run at once.
    Window,
    /// The cap of every pool, in bytes.
    PoolBytes,
    /// The capacity of one level, in its units.
    Capacity(LevelIx),
}

/// A setting and the values that it takes, ascending.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    /// The setting.
    pub setting: Setting,
    /// Its values; at least 1 each.
    pub values: Vec<u64>,
}

/// One value and what it came to.
#[derive(Clone, Debug)]
pub struct Point {
    /// The value.
    pub value: u64,
    /// What the plan with it came to.
    pub outcome: Outcome,
}

/// A range that was gone through.
#[derive(Clone, Debug)]
pub struct Sweep {
    /// What was swept.
    pub setting: Setting,
    /// Its values, ascending.
    pub points: Vec<Point>,
    /// The place of the knee, by [`Setting::knee_rule`]. `None` where no value has a plan.
    pub knee: Option<usize>,
}

/// Which value of a sweep is its knee.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KneeRule {
    /// The smallest with which the plan takes at most [`WITHIN_PERCENT`] more time than with the best of all values.
    NearBestTime,
    /// The one furthest below the straight line between the ends, value and time scaled to the same length (Satopää,
    /// Albrecht, Irwin, Raghavan: "Finding a 'Kneedle' in a haystack", 2011): the bend, from which on less memory costs much
    /// time and more saves little. The smallest of several.
    Bend,
}

impl Setting {
    /// Which of its values is the knee: a cap trades time for memory, anything else is worth what it saves of time.
    pub fn knee_rule(self) -> KneeRule {
        match self {
            Self::PoolBytes => KneeRule::Bend,
            Self::Window | Self::Capacity(_) => KneeRule::NearBestTime,
        }
    }

    /// Gives `problem` that value of the setting.
    pub fn apply(self, problem: &mut Problem, value: u64) {
        match self {
            Self::Window => problem.machine.window = Some(u32::try_from(value).unwrap_or(u32::MAX)),
            Self::PoolBytes => {
                let pools = problem.machine.levels.iter_mut().filter(|level| level.pool().is_some());
                pools.for_each(|level| level.capacity = value);
            }
            Self::Capacity(level) => {
                if let Some(level) = problem.machine.levels.get_mut(level.at()) {
                    level.capacity = value;
                }
            }
        }
    }
}

impl fmt::Display for Setting {
    /// The setting without its level's name.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Window => "window",
            Self::PoolBytes => "max-pool-bytes",
            Self::Capacity(_) => "capacity",
        })
    }
}

impl Sweep {
    /// Plans with each value. `planned` is called after each.
    pub fn run(problem: &Problem, options: &Options, range: &Range, planned: &mut dyn FnMut()) -> Self {
        let mut point = |&value: &u64| {
            let mut problem = problem.clone();
            range.setting.apply(&mut problem, value);
            let outcome = plan(problem, options.clone(), PLAIN);
            planned();
            Point { value, outcome }
        };
        let points: Vec<Point> = range.values.iter().map(&mut point).collect();
        let times: Vec<Option<u64>> = points.iter().map(|point| point.outcome.makespan()).collect();
        let knee = match range.setting.knee_rule() {
            KneeRule::NearBestTime => knee(&times),
            KneeRule::Bend => bend(&range.values, &times),
        };
        Self { setting: range.setting, points, knee }
    }
}

/// The first time that is at most [`WITHIN_PERCENT`] above the best; values without a plan have no time.
fn knee(times: &[Option<u64>]) -> Option<usize> {
    let best = u128::from(times.iter().flatten().copied().min()?);
    let near = |time: u64| u128::from(time) * 100 <= best * u128::from(100 + WITHIN_PERCENT);
    times.iter().position(|time| time.is_some_and(near))
}

/// The value furthest below the line between the first and the last that have a plan; see [`KneeRule::Bend`].
fn bend(values: &[u64], times: &[Option<u64>]) -> Option<usize> {
    let points: Vec<(usize, f64, f64)> =
        (0..values.len()).filter_map(|at| Some((at, values[at] as f64, times.get(at).copied()?? as f64))).collect();
    let (&(first, start, _), &(_, end, _)) = (points.first()?, points.last()?);
    let (slowest, fastest) =
        points.iter().fold((0.0f64, f64::MAX), |(most, least), &(_, _, time)| (most.max(time), least.min(time)));
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    let below =
        |value: f64, time: f64| 1.0 - share(value - start, end - start) - share(time - fastest, slowest - fastest);
    let best = points.iter().fold((first, below(start, points[0].2)), |best, &(at, value, time)| {
        let found = below(value, time);
        if found > best.1 { (at, found) } else { best }
    });
    Some(best.0)
}

/// `count` whole values from `first` to `last`, both included, as evenly as can be; fewer where there are not so many.
pub fn evenly(first: u64, last: u64, count: usize) -> Vec<u64> {
    let span = u128::from(last.saturating_sub(first));
    let gaps = (count.clamp(2, MOST_VALUES) - 1) as u128;
    // What is added is at most `span`, so it fits.
    let mut values: Vec<u64> = (0..=gaps).map(|at| first + (span * at / gaps) as u64).collect();
    values.dedup();
    values
}

/// Every `step`-th value from `first` on, up to and with `last`; [`MOST_VALUES`] at most. `step` is at least 1.
pub fn stepped(first: u64, last: u64, step: u64) -> Vec<u64> {
    let next = |&value: &u64| value.checked_add(step.max(1)).filter(|&next| next <= last);
    std::iter::successors(Some(first), next).take(MOST_VALUES).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_knee_is_the_first_value_near_the_best() {
        assert_eq!(knee(&[Some(400), Some(204), Some(203), Some(200)]), Some(1), "204 is 2% above 200");
        assert_eq!(knee(&[Some(400), Some(205), Some(204), Some(200)]), Some(2), "205 is more than that");
        assert_eq!(knee(&[Some(7), Some(7), Some(7)]), Some(0), "where nothing is gained, the least will do");
        assert_eq!(knee(&[Some(100), Some(300), Some(99)]), Some(0), "times may rise in between");
        assert_eq!(knee(&[Some(0), Some(0)]), Some(0));
        assert_eq!(knee(&[Some(u64::MAX - 1), Some(u64::MAX)]), Some(0), "nothing overflows");
    }

    #[test]
    fn the_bend_is_where_less_begins_to_cost_much() {
        let caps = [10, 20, 30, 40, 50];
        // Shares of value and time: (0, 1), (¼, ½), (½, ⅒), (¾, 0), (1, 0); below the line by 0, ¼, 0.4, ¼, 0.
        assert_eq!(bend(&caps, &[Some(200), Some(150), Some(110), Some(100), Some(100)]), Some(2));
        assert_eq!(
            bend(&caps, &[None, Some(150), Some(110), Some(100), Some(100)]),
            Some(2),
            "ends are those with a plan"
        );
        assert_eq!(bend(&caps, &[Some(7); 5]), Some(0), "where nothing is gained, the least will do");
        assert_eq!(bend(&caps, &[None; 5]), None);
        assert_eq!(bend(&[9], &[Some(3)]), Some(0));
    }

    #[test]
    fn values_without_a_plan_are_no_knee() {
        assert_eq!(knee(&[None, None, Some(50), Some(50)]), Some(2));
        assert_eq!(knee(&[None, None]), None);
        assert_eq!(knee(&[]), None);
    }

    #[test]
    fn even_values_keep_both_ends() {
        assert_eq!(evenly(1, 16, 16), (1..=16).collect::<Vec<_>>());
        assert_eq!(evenly(1, 4, 16), [1, 2, 3, 4], "no value stands twice");
        assert_eq!(evenly(10, 20, 3), [10, 15, 20]);
        assert_eq!(evenly(5, 5, 16), [5]);
        assert_eq!(evenly(1, u64::MAX, 3), [1, u64::MAX / 2 + 1, u64::MAX]);
    }

    #[test]
    fn steps_end_at_or_before_the_last_value() {
        assert_eq!(stepped(1, 10, 4), [1, 5, 9]);
        assert_eq!(stepped(2, 10, 4), [2, 6, 10]);
        assert_eq!(stepped(u64::MAX - 1, u64::MAX, 3), [u64::MAX - 1]);
        assert_eq!(stepped(1, u64::MAX, 1).len(), MOST_VALUES);
    }
}
