//! Playing: steps by the clock.

use std::time::Duration;

use super::command::Dir;

/// Steps a second at 1x.
const STEPS_A_SECOND: f64 = 4.0;
/// Speeds are 2^this, from a quarter…
const SLOWEST: i32 = -2;
/// …to 256 times.
const FASTEST: i32 = 8;
/// No shorter tick than this: faster play skips frames, not steps.
const FRAME: Duration = Duration::from_millis(33);

/// How the plan plays.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Playback {
    running: bool,
    backward: bool,
    power: i32,
    /// Share of the next step that has passed.
    part: f64,
}

impl Playback {
    /// Whether it plays.
    pub fn running(&self) -> bool {
        self.running
    }

    /// Which way it plays.
    pub fn dir(&self) -> Dir {
        if self.backward { Dir::Back } else { Dir::Forward }
    }

    /// The speed, as `2x` or `1/4x`.
    pub fn speed(&self) -> String {
        if self.power < 0 { format!("1/{}x", 1 << -self.power) } else { format!("{}x", 1 << self.power) }
    }

    /// Starts or pauses.
    pub(super) fn set(&mut self, running: bool) {
        (self.running, self.part) = (running, 0.0);
    }

    pub(super) fn turn(&mut self) {
        self.backward = !self.backward;
    }

    pub(super) fn faster(&mut self, by: i32) {
        self.power = (self.power + by).clamp(SLOWEST, FASTEST);
    }

    /// Steps to go after `passed`.
    pub(super) fn tick(&mut self, passed: Duration) -> usize {
        // A pause of the whole program (a suspended job) is not made up for.
        self.part += passed.as_secs_f64().min(1.0) / self.a_step().as_secs_f64();
        let whole = self.part.floor();
        self.part -= whole;
        #[expect(clippy::cast_sign_loss, reason = "times are not negative")]
        let steps = whole as usize;
        steps
    }

    /// Time until the next tick is due; `None` while paused.
    pub(super) fn next_tick(&self) -> Option<Duration> {
        let rest = self.a_step().mul_f64((1.0 - self.part).clamp(0.0, 1.0));
        self.running.then(|| rest.max(FRAME))
    }

    fn a_step(&self) -> Duration {
        Duration::from_secs_f64(1.0 / (STEPS_A_SECOND * 2f64.powi(self.power)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_plays_as_many_steps_as_the_speed_says_and_pausing_stops_the_clock() {
        let mut play = Playback::default();
        assert_eq!(play.next_tick(), None);
        play.set(true);
        for (power, steps) in [(0, 4), (1, 8), (-2, 1), (8, 1024)] {
            play.power = power;
            let mut gone = 0;
            (0..100).for_each(|_| gone += play.tick(Duration::from_millis(10)));
            assert!(gone.abs_diff(steps) <= 1, "{} plays {gone} steps a second", play.speed());
        }
        assert!(play.next_tick().is_some_and(|tick| tick >= FRAME));
        play.faster(100);
        assert_eq!(play.speed(), "256x");
        play.faster(-100);
        assert_eq!(play.speed(), "1/4x");
    }
}
