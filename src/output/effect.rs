//! What a step came to, by its events: what files have of each step.

use crate::model::{BufIx, Event, LevelIx, UnitIx};

/// See the [module](self).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Effect {
    /// The buffer that came to or left an address, with where it starts.
    pub moved: Option<(BufIx, LevelIx, u64)>,
    /// When the address became its own or fell free, in cycles.
    pub at: u64,
    /// Whether it came there.
    pub came: bool,
    /// The unit that worked, and which of its lanes.
    pub unit: Option<(UnitIx, u8)>,
    /// The cycles `[start, end)` of the work, else the moment of the ALLOC or FREE.
    pub time: (u64, u64),
}

impl Effect {
    /// Of a step with these events.
    pub fn of(run: &[Event]) -> Self {
        let mut effect = Self::default();
        for event in run {
            match *event {
                Event::Placed { buf, level, offset, at, .. } | Event::Left { buf, level, offset, at, .. } => {
                    effect.moved = Some((buf, level, offset));
                    effect.at = at;
                    effect.came = matches!(event, Event::Placed { .. });
                    if effect.unit.is_none() {
                        effect.time = (at, at);
                    }
                }
                Event::Ran { unit, lane, start, end, .. }
                | Event::MovedOut { unit, lane, start, end, .. }
                | Event::MovedBack { unit, lane, start, end, .. } => {
                    effect.unit = Some((unit, lane));
                    effect.time = (start, end);
                }
                _ => {}
            }
        }
        effect
    }
}
