//! Sums over the bars of a lane, so that a column of the screen that stands for thousands of them is told without
//! walking them.

use std::ops::Range;

use super::Session;
use crate::engine::binding::CriticalPath;
use crate::model::Step;
use crate::trace::Trace;

/// Bars in time order that never overlap: what one lane ran, or the critical path of the plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Track {
    /// The critical path.
    Path,
    /// A lane, by its place in [`Trace::lanes`].
    Lane(usize),
}

/// What some bars come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Cycles that they take.
    pub busy: u64,
    /// SPILL_OUTs among them.
    pub out: u32,
    /// SPILL_INs among them.
    pub back: u32,
    /// Those on the critical path.
    pub on_path: u32,
}

/// The sum of all bars before every `STRIDE`th one.
#[derive(Clone, Debug)]
struct Sums(Vec<Sum>);

/// Half of this is walked for a sum on average; a sum weighs as much as six bars.
const STRIDE: usize = 16;

/// The sums of all tracks.
#[derive(Clone, Debug)]
pub struct LaneSums {
    path: Sums,
    lanes: Vec<Sums>,
}

impl LaneSums {
    pub(super) fn new(trace: &Trace, path: &CriticalPath) -> Self {
        let sums = |steps: &[u32]| Sums::new(trace, path, steps);
        Self { path: sums(&path.steps), lanes: trace.lanes().iter().map(|lane| sums(&lane.steps)).collect() }
    }

    fn of(&self, track: Track) -> &Sums {
        match track {
            Track::Path => &self.path,
            Track::Lane(lane) => &self.lanes[lane],
        }
    }
}

impl Sums {
    fn new(trace: &Trace, path: &CriticalPath, steps: &[u32]) -> Self {
        let mut sum = Sum::default();
        let mut sums = Vec::with_capacity(steps.len() / STRIDE + 1);
        for chunk in steps.chunks(STRIDE) {
            sums.push(sum);
            chunk.iter().for_each(|&step| sum.add(trace, path, step as usize));
        }
        Self(sums)
    }
}

impl Sum {
    fn add(&mut self, trace: &Trace, path: &CriticalPath, step: usize) {
        let (start, end) = trace.time_of(step).unwrap_or((0, 0));
        self.busy = self.busy.saturating_add(end.saturating_sub(start));
        match trace.step(step) {
            Some(Step::Out(_)) => self.out += 1,
            Some(Step::Back(_)) => self.back += 1,
            _ => {}
        }
        self.on_path += u32::from(path.place_of(step).is_some());
    }
}

impl Session {
    /// The steps of a track, ascending in step and in time.
    pub fn track(&self, track: Track) -> &[u32] {
        match track {
            Track::Path => &self.bindings().path().steps,
            Track::Lane(lane) => self.trace.lanes().get(lane).map_or(&[], |lane| &lane.steps),
        }
    }

    /// What the bars `range` of `track` come to.
    pub fn sum(&self, track: Track, range: Range<usize>) -> Sum {
        let before = |bar: usize| {
            let (steps, sums) = (self.track(track), &self.lane_sums().of(track).0);
            let mark = (bar / STRIDE).min(sums.len().saturating_sub(1));
            let mut sum = sums.get(mark).copied().unwrap_or_default();
            let rest = steps.get(mark * STRIDE..bar.min(steps.len())).unwrap_or(&[]);
            rest.iter().for_each(|&step| sum.add(&self.trace, self.bindings().path(), step as usize));
            sum
        };
        let (from, to) = (before(range.start), before(range.end));
        Sum {
            busy: to.busy.saturating_sub(from.busy),
            out: to.out.saturating_sub(from.out),
            back: to.back.saturating_sub(from.back),
            on_path: to.on_path.saturating_sub(from.on_path),
        }
    }

    /// The lane that `step` runs on, and its place among the lane's steps.
    pub fn lane_of(&self, step: usize) -> Option<(usize, usize)> {
        let (unit, number) = self.trace.lane_at(step)?;
        let lanes = self.trace.lanes();
        let lane = lanes.iter().position(|lane| (lane.unit, lane.lane) == (unit, number))?;
        let place = lanes[lane].steps.binary_search(&u32::try_from(step).ok()?).ok()?;
        Some((lane, place))
    }
}
