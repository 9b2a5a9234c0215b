//! Random numbers of our own, so that a seed gives the same plan on any machine, for ever.

/// `SplitMix64` (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
#[derive(Clone, Debug)]
pub(super) struct Dice(u64);

impl Dice {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next 64 bits.
    pub(super) fn roll(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A position below `len`; 0 where there is none.
    pub(super) fn below(&mut self, len: usize) -> usize {
        ((u128::from(self.roll()) * len as u128) >> 64) as usize
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
