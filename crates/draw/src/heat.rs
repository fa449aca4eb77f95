//! How often states were entered and transitions taken, as colors.

use crate::theme::HEAT_STEPS;

/// Counts by number in the ROM. What lies beyond the end of a list was never seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Heat {
    /// Of each state.
    pub states: Vec<u64>,
    /// Of each transition.
    pub transitions: Vec<u64>,
}

impl Heat {
    /// The step of a state, from seldom to often; `None` is never.
    pub(crate) fn state(&self, state: usize) -> Option<usize> {
        step(self.states.get(state).copied().unwrap_or(0), self.states.iter().copied().max().unwrap_or(0))
    }

    /// The step of the most frequent of some transitions.
    pub(crate) fn transitions(&self, transitions: &[usize]) -> Option<usize> {
        let counts = transitions.iter().filter_map(|&transition| self.transitions.get(transition));
        let most = self.transitions.iter().copied().max().unwrap_or(0);
        step(counts.copied().max().unwrap_or(0), most)
    }
}

/// Each step is a power of the same factor, since counts differ by magnitudes.
fn step(count: u64, most: u64) -> Option<usize> {
    if count == 0 {
        return None;
    }
    let share = ((count as f64).ln() + 1.0) / ((most as f64).ln() + 1.0);
    Some(((share * HEAT_STEPS as f64).ceil() as usize).clamp(1, HEAT_STEPS) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_frequent_is_the_hottest_and_never_is_none() {
        let heat = Heat { states: vec![0, 1, 1000, 1_000_000], transitions: vec![5] };
        assert_eq!(heat.state(0), None);
        assert_eq!(heat.state(3), Some(HEAT_STEPS - 1));
        assert!(heat.state(1) < heat.state(2) && heat.state(2) < heat.state(3));
        assert_eq!(heat.state(99), None, "beyond the list");
        assert_eq!(heat.transitions(&[0, 7]), Some(HEAT_STEPS - 1));
        assert_eq!(heat.transitions(&[]), None);
        assert_eq!(step(u64::MAX, u64::MAX), Some(HEAT_STEPS - 1));
    }
}
