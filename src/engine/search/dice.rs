//! What a search draws by chance.

use crate::model::SplitMix64;

/// What a search draws.
#[derive(Clone, Debug)]
pub(super) struct Dice(SplitMix64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(SplitMix64::new(seed))
    }

    /// The next 64 bits.
    pub(super) fn roll(&mut self) -> u64 {
        self.0.next()
    }

    /// A position below `len`; 0 where there is none.
    pub(super) fn below(&mut self, len: usize) -> usize {
        self.0.below(len as u64) as usize
    }

    /// A length from 1 to `most`, short ones far likelier: every power of two is as likely as the next.
    pub(super) fn short(&mut self, most: usize) -> usize {
        let powers = (usize::BITS - most.leading_zeros()) as usize;
        let below = 1usize << (1 + self.below(powers.max(1)));
        (1 + self.below(below)).min(most.max(1))
    }

    /// Exponentially distributed with mean 1, piecewise linear. The same bits on any machine, which a logarithm of
    /// the platform would not promise.
    pub(super) fn exponential(&mut self) -> f64 {
        let bits = self.roll() | 1;
        let halvings = bits.leading_zeros();
        let rest = (bits << halvings << 1) >> 11;
        let share = rest as f64 / 9_007_199_254_740_992.0;
        (f64::from(halvings) + 1.0 - share) * std::f64::consts::LN_2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_stay_in_range_and_waits_have_mean_one() {
        let mut dice = Dice::new(7);
        assert!((0..1000).all(|_| dice.below(3) < 3 && (1..=9).contains(&dice.short(9))));
        let mean = (0..100_000).map(|_| dice.exponential()).sum::<f64>() / 100_000.0;
        assert!((0.97..1.08).contains(&mean), "{mean}");
    }
}
