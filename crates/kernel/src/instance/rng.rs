//! Chance: xorshift32, kept in the instance and advanced only by use (CODE-6).
//!
//! Every method takes a number of draws that its kind and the length of what it is given decide,
//! never the values: who counts calls has counted draws, and two runs part where their calls do.

use core::ops::Range;

use zerocopy::byteorder::little_endian::U32;

/// Stands in for zero, which xorshift cannot leave.
const NEVER_ZERO: u32 = 0x9E37_79B9;

/// The random numbers of one instance.
///
/// | method | draws |
/// | --- | --- |
/// | [`next_u32`](Self::next_u32), [`below`](Self::below), [`range`](Self::range) | 1 |
/// | [`float`](Self::float), [`chance`](Self::chance) | 1 |
/// | [`pick`](Self::pick) | 1, also of nothing |
/// | [`shuffle`](Self::shuffle) | one less than there are items; 0 for none |
///
/// The same seed and the same calls give the same answers on every computer.
#[derive(Debug)]
pub struct Rng<'a> {
    state: &'a mut U32,
}

impl<'a> Rng<'a> {
    /// Over the state in an instance.
    pub(crate) fn new(state: &'a mut U32) -> Self {
        Self { state }
    }

    /// Goes on as after draws that somebody made and wrote down: for tools that run something again.
    pub fn go_on_from(&mut self, state: u32) {
        self.state.set(state);
    }

    /// The next 32 random bits; never 0. One draw.
    pub fn next_u32(&mut self) -> u32 {
        let next = advance(self.state.get());
        self.state.set(next);
        next
    }

    /// A number in `0 .. bound`; 0 for a bound of 0. One draw.
    ///
    /// The draw is scaled, not drawn again: of the 2^32 - 1 draws that there are, no number has over
    /// two more than another. For a bound of a million that is one part in two thousand.
    pub fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.next_u32()).wrapping_mul(u64::from(bound))) >> 32) as u32
    }

    /// A number in `start .. end`, of `i32` or `u32`, as even as [`Self::below`]. The start, if the
    /// range is empty or its end lies before its start. One draw in any case.
    pub fn range<T: Ranged>(&mut self, range: Range<T>) -> T {
        let chosen = self.below(T::count(&range));
        range.start.plus(chosen)
    }

    /// A number in `[0, 1)`: one of 2^24, evenly apart, so that none is rounded. One draw.
    pub fn float(&mut self) -> f32 {
        const STEP: f32 = 1.0 / (1 << 24) as f32;
        (self.next_u32() >> 8) as f32 * STEP
    }

    /// `true` with a probability: never for 0 and below and for what is no number, always for 1 and
    /// above, else to a 2^24th, rounded up. One draw in any case.
    pub fn chance(&mut self, probability: f32) -> bool {
        self.float() < probability
    }

    /// One of the items, as even as [`Self::below`]; `None` if there are none. Items behind the
    /// first 2^32 are never chosen. One draw in any case.
    pub fn pick<'t, T>(&mut self, items: &'t [T]) -> Option<&'t T> {
        let count = u32::try_from(items.len()).unwrap_or(u32::MAX);
        items.get(self.below(count) as usize)
    }

    /// Brings items into an order of chance (Fisher and Yates). One draw less than there are items,
    /// none for none. There are 2^32 - 1 courses of chance: from thirteen items on there are more
    /// orders than that, and not all can come.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let bound = u32::try_from(last).map_or(u32::MAX, |last| last.saturating_add(1));
            items.swap(last, self.below(bound) as usize);
        }
    }
}

/// Numbers that [`Rng::range`] chooses from: `i32` and `u32`.
pub trait Ranged: Copy + sealed::Sealed {
    /// How many there are in a range; 0 if it is empty.
    #[doc(hidden)]
    fn count(range: &Range<Self>) -> u32;

    /// So many behind this one.
    #[doc(hidden)]
    fn plus(self, count: u32) -> Self;
}

mod sealed {
    /// Nobody else has such numbers.
    pub trait Sealed {}
    impl Sealed for i32 {}
    impl Sealed for u32 {}
}

impl Ranged for u32 {
    fn count(range: &Range<Self>) -> u32 {
        range.end.saturating_sub(range.start)
    }

    fn plus(self, count: u32) -> Self {
        self.wrapping_add(count)
    }
}

impl Ranged for i32 {
    fn count(range: &Range<Self>) -> u32 {
        if range.is_empty() {
            0
        } else {
            range.end.abs_diff(range.start)
        }
    }

    fn plus(self, count: u32) -> Self {
        self.wrapping_add_unsigned(count)
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

/// How many draws lead from one state to another; at most [`MOST_DRAWS`]. The state is all that an
/// instance keeps, so that counting costs nothing where nobody counts.
pub(crate) fn draws_between(before: u32, after: u32) -> u32 {
    let mut state = before;
    for draws in 0..MOST_DRAWS {
        if state == after {
            return draws;
        }
        state = advance(state);
    }
    MOST_DRAWS
}

/// More draws of one call are not told apart.
const MOST_DRAWS: u32 = 1 << 16;

/// The first state of an agent: seed and agent mixed, never 0 (SYS-10).
pub(crate) fn mix(seed: u64, agent: u64) -> u32 {
    let mut x = seed ^ agent.wrapping_mul(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    let mixed = (x ^ (x >> 31)) as u32;
    if mixed == 0 { NEVER_ZERO } else { mixed }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `draw` gives from a state on, and how many draws that took.
    fn with<T>(state: u32, draw: impl FnOnce(&mut Rng<'_>) -> T) -> (T, u32) {
        let mut now = U32::new(state);
        let answer = draw(&mut Rng::new(&mut now));
        let (mut draws, mut at) = (0, state);
        while at != now.get() {
            at = advance(at);
            draws += 1;
        }
        (answer, draws)
    }

    /// So many answers.
    fn some<T, const N: usize>(state: u32, mut draw: impl FnMut(&mut Rng<'_>) -> T) -> [T; N] {
        let mut now = U32::new(state);
        core::array::from_fn(|_| draw(&mut Rng::new(&mut now)))
    }

    #[test]
    fn code_6_the_same_state_gives_the_same_answers_forever() {
        // Computed apart from this code.
        let bits = some(1, |rng| rng.next_u32());
        assert_eq!(bits, [270_369, 67_634_689, 2_647_435_461, 307_599_695]);
        let teens = some(1, |rng| rng.range(10_u32..20));
        assert_eq!(teens, [10, 10, 16, 10, 15, 11, 11, 11, 14, 16, 16, 13]);
        let around_zero = some(7, |rng| rng.range(-3..3));
        assert_eq!(around_zero, [-3, -3, 2, 1, 0, -1, -3, -2, -1, -3, 2, -3]);
        let floats = some(2026, |rng| rng.float() * 16_777_216.0);
        assert_eq!(
            floats,
            [2_053_557.0, 9_902_940.0, 7_324_298.0, 15_652_989.0]
        );
        let chances = some(2026, |rng| u8::from(rng.chance(0.3)));
        assert_eq!(chances, [1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0]);
        let letters = some(5, |rng| rng.pick(b"abc").copied().unwrap_or(b'?'));
        assert_eq!(&letters, b"aaccaacbaa");
        let mut order = [0, 1, 2, 3, 4, 5, 6, 7];
        with(42, |rng| rng.shuffle(&mut order));
        assert_eq!(order, [5, 2, 1, 3, 6, 7, 4, 0]);
    }

    #[test]
    fn code_6_each_method_takes_a_fixed_number_of_draws() {
        for state in [1, 77, 0xDEAD_BEEF] {
            assert_eq!(with(state, |rng| rng.below(0)), (0, 1));
            assert_eq!(with(state, |rng| rng.below(9)).1, 1);
            assert_eq!(with(state, |rng| rng.range(1..7)).1, 1);
            assert_eq!(with(state, |rng| rng.float()).1, 1);
            for probability in [-1.0, 0.0, 0.5, 1.0, 2.0, f32::NAN, f32::INFINITY] {
                assert_eq!(with(state, |rng| rng.chance(probability)).1, 1);
            }
            assert_eq!(with(state, |rng| rng.pick(&[0_u8; 0]).is_none()), (true, 1));
            assert_eq!(with(state, |rng| rng.pick(&[4]).copied()), (Some(4), 1));
            for (items, draws) in [(0, 0), (1, 0), (2, 1), (30, 29)] {
                let mut list = [0_u8; 30];
                let shuffled = with(state, |rng| rng.shuffle(&mut list[..items]));
                assert_eq!(shuffled, ((), draws));
            }
        }
    }

    #[test]
    fn code_6_an_empty_range_gives_its_start() {
        assert_eq!(with(3, |rng| rng.range(5_u32..5)), (5, 1));
        #[expect(clippy::reversed_empty_ranges, reason = "that is what is tested")]
        let backwards = (
            with(3, |rng| rng.range(5_u32..2)),
            with(3, |rng| rng.range(5..-2)),
            with(3, |rng| rng.range(i32::MAX..i32::MIN)),
        );
        assert_eq!(backwards, ((5, 1), (5, 1), (i32::MAX, 1)));
    }

    #[test]
    fn code_6_every_answer_lies_in_its_range_to_both_ends() {
        let (mut least, mut most) = (i32::MAX, i32::MIN);
        let mut state = U32::new(9);
        let mut rng = Rng::new(&mut state);
        for _ in 0..100_000 {
            let number = rng.range(i32::MIN..i32::MAX);
            (least, most) = (least.min(number), most.max(number));
            assert!((-2..3).contains(&rng.range(-2..3)));
            assert!((7..8).contains(&rng.range(7_u32..8)));
            assert!((0.0..1.0).contains(&rng.float()));
            assert!(!rng.chance(0.0) && !rng.chance(-0.1) && !rng.chance(f32::NAN));
            assert!(rng.chance(1.0) && rng.chance(f32::INFINITY));
        }
        assert!(least < i32::MIN / 100 * 99 && most > i32::MAX / 100 * 99);
    }

    #[test]
    fn code_6_answers_are_even() {
        const ROUNDS: u32 = 60_000;
        let near = |count: u32, part: f32| {
            let expected = ROUNDS as f32 * part;
            // Four times what chance allows two thirds of the time.
            let room = 4.0 * (expected as u32).isqrt() as f32;
            assert!(
                (count as f32 - expected).abs() < room,
                "{count} of {expected}"
            );
        };
        for seed in 0..5 {
            let mut state = U32::new(mix(2026, seed));
            let mut rng = Rng::new(&mut state);
            let (mut dice, mut picked, mut floats, mut hits) = ([0; 6], [0; 3], [0; 10], 0);
            // Where the first of three goes.
            let mut orders = [0; 3];
            for _ in 0..ROUNDS {
                dice[rng.range(0_u32..6) as usize] += 1;
                picked[rng.pick(&[0, 1, 2]).copied().unwrap_or(9)] += 1;
                floats[(rng.float() * 10.0) as usize] += 1;
                hits += u32::from(rng.chance(0.2));
                let mut three = [true, false, false];
                rng.shuffle(&mut three);
                orders[three.iter().position(|&first| first).unwrap_or(9)] += 1;
            }
            dice.into_iter().for_each(|count| near(count, 1.0 / 6.0));
            picked.into_iter().for_each(|count| near(count, 1.0 / 3.0));
            floats.into_iter().for_each(|count| near(count, 0.1));
            orders.into_iter().for_each(|count| near(count, 1.0 / 3.0));
            near(hits, 0.2);
        }
    }
}
