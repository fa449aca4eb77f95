//! Who waits until when: at most one deadline per agent (WAKE-1).
//!
//! One number per agent, and over each 16 numbers a bound that none of them is below:
//!
//! ```text
//!  level 2                    [ 40 ]                      one number: nobody wakes before tick 40
//!                       ┌───────┴────────┐
//!  level 1            [ 40 ]           [ 90 ]             one per 16 agents
//!                  ┌────┴─────┐     ┌────┴─────┐
//!  level 0       [ 70  –  95  40 ][ 90  –  –  300 ]       one per agent; – waits for nothing
//! ```
//!
//! - **To wait** writes the agent's number, and goes up only as far as bounds are above it: at most
//!   one write per level, eight levels for 2^32 agents. A timer that is armed again each tick ends
//!   later than the one before: one write, and no bound moves.
//! - **Not to wait** any more, or longer, writes the number alone. Bounds may be too low after it.
//! - **What is due** is found from the top, below bounds that have come, in the order of agents. A
//!   bound that was too low is put right on the way, so each costs one look at 16 numbers, once
//!   for the deadline that it came from. Where nobody is due, one number is read.
//!
//! It costs 4 bytes per agent and 4/15 for the bounds (rounded up to room that vectors keep), from
//! the moment that the first agent waits, and never more: nothing is listed, so nothing can be
//! listed twice, and nothing is allocated once all agents have a number.

/// Numbers below one bound: those of a line of the cache.
const FAN: usize = 16;
/// Waits for nothing.
const NEVER: u32 = u32::MAX;

/// A deadline per agent.
#[derive(Clone, Debug, Default)]
pub(super) struct Deadlines {
    /// The tick that numbers count from, so that half of the bytes are enough.
    base: u64,
    /// A number per agent, then bounds, up to the level with a single one.
    levels: Vec<Vec<u32>>,
}

impl Deadlines {
    /// An agent waits until a tick, and for no other. `next` is the tick that comes; whoever waits
    /// longer than 2^32 ticks is due earlier, for nothing.
    pub(super) fn set(&mut self, index: usize, tick: u64, next: u64) {
        if tick.saturating_sub(self.base) >= NEVER.into() {
            self.count_from(next);
        }
        let number = tick.saturating_sub(self.base).min((NEVER - 1).into()) as u32;
        if self.levels.first().is_none_or(|all| all.len() <= index) {
            self.grow(index);
        }
        let mut place = index;
        for (level, numbers) in self.levels.iter_mut().enumerate() {
            if level > 0 && numbers[place] <= number {
                break;
            }
            numbers[place] = number;
            place /= FAN;
        }
    }

    /// An agent waits for nothing.
    pub(super) fn remove(&mut self, index: usize) {
        let number = self.levels.first_mut().and_then(|all| all.get_mut(index));
        number.into_iter().for_each(|number| *number = NEVER);
    }

    /// Nobody waits; the memory stays.
    pub(super) fn clear(&mut self) {
        self.base = 0;
        self.levels.iter_mut().for_each(|level| level.fill(NEVER));
    }

    /// Did anybody ever wait?
    pub(super) fn has_numbers(&self) -> bool {
        !self.levels.is_empty()
    }

    /// Nobody waits for a tick before this one.
    pub(super) fn counts_from(&self) -> u64 {
        self.base
    }

    /// Takes out all whose tick has come, in order.
    pub(super) fn take_due(&mut self, now: u64, mut due: impl FnMut(usize)) {
        // Nobody waits until before the base.
        if let Some(now) = now.checked_sub(self.base) {
            take_below(
                &mut self.levels,
                0,
                now.min((NEVER - 1).into()) as u32,
                &mut due,
            );
        }
    }

    /// Numbers for all agents up to an index.
    #[cold]
    fn grow(&mut self, index: usize) {
        let mut len = (index + 1).next_multiple_of(FAN);
        // Bound: each level is a sixteenth of the one below.
        for level in 0.. {
            if level == self.levels.len() {
                self.levels.push(Vec::new());
            }
            let (below, rest) = self.levels.split_at_mut(level);
            let (below, numbers) = (below.last(), &mut rest[0]);
            let lowest = |place: usize| {
                let numbers = below.into_iter().flatten().skip(place * FAN).take(FAN);
                numbers.copied().min().unwrap_or(NEVER)
            };
            numbers.extend((numbers.len()..len).map(lowest));
            if len <= 1 {
                break;
            }
            len = len.div_ceil(FAN);
        }
    }

    /// Numbers count from another tick, which is not before the last one that was due: once in 2^31
    /// ticks at most, a year of 60 per second.
    #[cold]
    fn count_from(&mut self, tick: u64) {
        let shift = u32::try_from(tick.saturating_sub(self.base)).unwrap_or(NEVER);
        let numbers = self.levels.iter_mut().flatten();
        numbers
            .filter(|number| **number != NEVER)
            .for_each(|number| *number = number.saturating_sub(shift));
        self.base = tick;
    }
}

/// Takes out all that are due below a bound of the last level: the bound that is right after it.
/// Calls itself once per level.
fn take_below(levels: &mut [Vec<u32>], place: usize, now: u32, due: &mut impl FnMut(usize)) -> u32 {
    let Some((numbers, below)) = levels.split_last_mut() else {
        return NEVER;
    };
    if numbers[place] > now {
        return numbers[place];
    }
    numbers[place] = NEVER;
    match below.last().map(Vec::len) {
        None => due(place),
        Some(len) => {
            for child in place * FAN..(place * FAN + FAN).min(len) {
                numbers[place] = numbers[place].min(take_below(below, child, now, due));
            }
        }
    }
    numbers[place]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const NOBODY: [usize; 0] = [];

    fn due(deadlines: &mut Deadlines, now: u64) -> Vec<usize> {
        let mut list = Vec::new();
        deadlines.take_due(now, |index| list.push(index));
        list
    }

    /// Deterministic noise.
    fn noise(state: &mut u64) -> u64 {
        *state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        *state >> 33
    }

    #[test]
    fn wake_1_who_is_due_is_what_a_map_says() {
        // From the beginning, past the end of the low half, and where numbers count anew.
        for (first, step, seed) in [
            (0_u64, 1, 1_u64),
            (u64::from(u32::MAX) - 50, 1_u64, 2),
            (7, 1 << 27, 3),
        ] {
            let (mut deadlines, mut map) = (Deadlines::default(), BTreeMap::<usize, u64>::new());
            let (mut state, mut now, mut seen) = (seed, first, 0);
            for _ in 0..2000 {
                let expected: Vec<usize> = map
                    .iter()
                    .filter_map(|(&index, &tick)| (tick <= now).then_some(index))
                    .collect();
                assert_eq!(due(&mut deadlines, now), expected, "at {now}");
                assert_eq!(due(&mut deadlines, now), NOBODY, "once");
                map.retain(|_, tick| *tick > now);
                seen += expected.len();
                for _ in 0..noise(&mut state) % 20 {
                    let index = noise(&mut state) as usize % (now as usize % 5000 + 1);
                    if noise(&mut state).is_multiple_of(5) {
                        deadlines.remove(index);
                        map.remove(&index);
                    } else {
                        let tick = now + 2 + noise(&mut state) % 60 * step.min(1 << 24);
                        deadlines.set(index, tick, now + 1);
                        map.insert(index, tick);
                    }
                }
                now += step;
            }
            assert!(seen > 5000, "{seen}");
        }
    }

    #[test]
    fn wake_1_a_deadline_out_of_reach_is_due_too_early_and_never_too_late() {
        let mut deadlines = Deadlines::default();
        deadlines.set(3, u64::MAX, 1000);
        assert_eq!(due(&mut deadlines, 1 << 31), NOBODY);
        assert_eq!(due(&mut deadlines, 1 << 33), [3]);
        deadlines.set(4, u64::MAX - 5, u64::MAX - 10);
        assert_eq!(due(&mut deadlines, u64::MAX - 6), NOBODY);
        assert_eq!(due(&mut deadlines, u64::MAX - 5), [4]);
        deadlines.set(5, 1, u64::MAX);
        deadlines.clear();
        assert_eq!(due(&mut deadlines, u64::MAX), NOBODY);
        deadlines.set(5, 9, 2);
        assert_eq!(due(&mut deadlines, 8), NOBODY);
        assert_eq!(due(&mut deadlines, 9), [5]);
    }

    #[test]
    fn wake_1_less_than_five_bytes_per_agent_however_often_timers_are_armed() {
        let mut deadlines = Deadlines::default();
        deadlines.set((1 << 20) - 1, 10, 0);
        let numbers = |deadlines: &Deadlines| deadlines.levels.iter().map(Vec::len).sum::<usize>();
        let before = numbers(&deadlines);
        assert!(before * 4 < 5 << 20, "{before}");
        for round in 0..10 {
            (0..1000).for_each(|index| deadlines.set(index * 997, 100 + round % 3, 1));
        }
        assert_eq!(numbers(&deadlines), before);
        assert_eq!(deadlines.levels.len(), 6);
    }
}
