//! The random numbers of a run: the same for the same seed, on every machine.

use statewright_step::mix;

/// A stream of numbers (splitmix64).
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(mix(seed ^ 0x9E37_79B9_7F4A_7C15))
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        mix(self.0)
    }

    /// Below a bound that is not 0.
    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(bound)) >> 64) as u64
    }

    /// From 0 up to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Positions in a crowd, each with a probability, in order: jumps from one to the next instead of
    /// asking for each: 5 % of a million agents cost 50,000 numbers.
    pub(crate) fn positions(&mut self, agents: u32, share: f64) -> impl Iterator<Item = u32> {
        let mut at = -1.0_f64;
        // The logarithm of the chance to be passed over.
        let passed = (1.0 - share.min(1.0)).ln();
        std::iter::from_fn(move || {
            if share <= 0.0 {
                return None;
            }
            let gap = if passed == f64::NEG_INFINITY {
                0.0
            } else {
                ((1.0 - self.unit()).ln() / passed).floor()
            };
            at += gap + 1.0;
            (at < f64::from(agents)).then_some(at as u32)
        })
    }
}
