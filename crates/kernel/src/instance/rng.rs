//! Chance: xorshift32, kept in the instance and advanced only by use (CODE-6).

use zerocopy::byteorder::little_endian::U32;

/// Stands in for zero, which xorshift cannot leave.
const NEVER_ZERO: u32 = 0x9E37_79B9;

/// The random numbers of one instance.
#[derive(Debug)]
pub struct Rng<'a> {
    state: &'a mut U32,
}

impl<'a> Rng<'a> {
    /// Over the state in an instance.
    pub(crate) fn new(state: &'a mut U32) -> Self {
        Self { state }
    }

    /// The next 32 random bits; never 0.
    pub fn next_u32(&mut self) -> u32 {
        let next = advance(self.state.get());
        self.state.set(next);
        next
    }

    /// A number in `0 .. bound`; 0 for a bound of 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.next_u32()).wrapping_mul(u64::from(bound))) >> 32) as u32
    }
}

/// One step of xorshift32.
fn advance(state: u32) -> u32 {
    let mut x = if state == 0 { NEVER_ZERO } else { state };
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    x
}

/// The first state of an agent: seed and agent mixed, never 0 (SYS-10).
pub(crate) fn mix(seed: u64, agent: u64) -> u32 {
    let mut x = seed ^ agent.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    let mixed = (x ^ (x >> 31)) as u32;
    if mixed == 0 { NEVER_ZERO } else { mixed }
}
