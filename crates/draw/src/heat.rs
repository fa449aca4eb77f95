//! How often states were entered and transitions taken, as colors.

use crate::chart::Chart;
use crate::theme::HEAT_STEPS;

/// Counts by number in the ROM. What lies beyond the end of a list was never seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heat {
    /// Of each state.
    pub states: Vec<u64>,
    /// Of each transition.
    pub transitions: Vec<u64>,
}

/// The colors of a picture.
pub(crate) struct Colors<'h> {
    heat: &'h Heat,
    /// How often each transition was taken; one of a list of events counts for the first.
    taken: Vec<u64>,
    states: Range,
    transitions: Range,
}

impl<'h> Colors<'h> {
    /// Only leaves have a color, so only they are compared.
    pub(crate) fn new(heat: &'h Heat, chart: &Chart) -> Self {
        let leaves = heat
            .states
            .iter()
            .zip(&chart.states)
            .filter(|(_, state)| state.regions.is_empty());
        let states = Range::of(leaves.map(|(count, _)| *count));
        let count = |number: usize| heat.transitions.get(number).copied().unwrap_or(0);
        let mut taken: Vec<u64> = (0..chart.transitions.len()).map(count).collect();
        for (first, transition) in chart.drawn() {
            taken[first] += transition.also.iter().map(|&more| count(more)).sum::<u64>();
        }
        let drawn = chart.drawn().map(|(number, _)| taken[number]);
        Self {
            heat,
            states,
            transitions: Range::of(drawn),
            taken,
        }
    }

    /// The step of a state, from seldom to often; `None` is never.
    pub(crate) fn state(&self, state: usize) -> Option<usize> {
        self.states.step(self.entered(state))
    }

    /// How often a state was entered.
    pub(crate) fn entered(&self, state: usize) -> u64 {
        self.heat.states.get(state).copied().unwrap_or(0)
    }

    /// How often a transition was taken.
    pub(crate) fn taken(&self, transition: usize) -> u64 {
        self.taken.get(transition).copied().unwrap_or(0)
    }

    /// The step of the most frequent of some transitions.
    pub(crate) fn transitions(&self, transitions: &[usize]) -> Option<usize> {
        let counts = transitions
            .iter()
            .filter_map(|&transition| self.taken.get(transition));
        self.transitions.step(counts.copied().max().unwrap_or(0))
    }

    /// What the two ends of the colors mean for states.
    pub(crate) fn ends(&self) -> (u64, u64) {
        (self.states.least, self.states.most)
    }
}

/// Counts from the least that is not 0 to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Range {
    least: u64,
    most: u64,
}

impl Range {
    fn of(counts: impl Iterator<Item = u64>) -> Self {
        let (mut least, mut most) = (u64::MAX, 0);
        for count in counts.filter(|&count| count != 0) {
            (least, most) = (count.min(least), count.max(most));
        }
        Self {
            least: least.min(most),
            most,
        }
    }

    /// Each step is a power of the same factor, since counts differ by magnitudes.
    fn step(self, count: u64) -> Option<usize> {
        if count == 0 {
            return None;
        }
        let (least, most) = ((self.least as f64).ln(), (self.most as f64).ln());
        // Where all are the same, all are the most frequent.
        let share = if most > least {
            ((count as f64).ln() - least) / (most - least)
        } else {
            1.0
        };
        Some(((share * HEAT_STEPS as f64) as usize).min(HEAT_STEPS - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_is_the_hottest_and_never_is_none() {
        let range = Range::of([0, 40, 1000, 1_000_000].into_iter());
        assert_eq!(
            range,
            Range {
                least: 40,
                most: 1_000_000
            }
        );
        assert_eq!(
            [0, 40, 1000, 1_000_000].map(|count| range.step(count)),
            [None, Some(0), Some(1), Some(HEAT_STEPS - 1)]
        );
        assert_eq!(
            Range::of([7, 7, 0].into_iter()).step(7),
            Some(HEAT_STEPS - 1),
            "all the same"
        );
        assert_eq!(Range::of([0].into_iter()).step(0), None);
        assert_eq!(
            Range::of([1, u64::MAX].into_iter()).step(u64::MAX),
            Some(HEAT_STEPS - 1)
        );
    }
}
