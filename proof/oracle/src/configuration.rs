//! What is active: a set of states, and what follows from it.

use std::collections::BTreeSet;

use crate::oracle::Oracle;

impl Oracle {
    /// The active child of a region.
    pub(crate) fn active_child(&self, region: usize) -> Option<usize> {
        self.child_among(region, &self.active)
    }

    /// The child of a region that is in a set of states.
    pub(crate) fn child_among(&self, region: usize, set: &BTreeSet<usize>) -> Option<usize> {
        self.model.regions[region]
            .children
            .iter()
            .copied()
            .find(|child| set.contains(child))
    }

    /// The active leaves, in order.
    pub fn leaves(&self) -> Vec<usize> {
        self.leaves_among(&self.active)
    }

    /// The states of a set that have no regions, in order.
    pub(crate) fn leaves_among(&self, set: &BTreeSet<usize>) -> Vec<usize> {
        set.iter()
            .copied()
            .filter(|&state| self.model.states[state].regions.is_empty())
            .collect()
    }

    /// Active states below the given regions.
    pub(crate) fn active_in(&self, regions: &BTreeSet<usize>) -> BTreeSet<usize> {
        let inside = |state: &usize| {
            regions
                .iter()
                .any(|&region| self.model.in_region(region, *state))
        };
        self.active.iter().copied().filter(inside).collect()
    }

    /// Ticks since an active state was entered; 0 while it is not active (`ticks_in_state`).
    pub(crate) fn ticks_in_state(&self, state: usize, now: u32) -> u32 {
        let entered = self
            .clocks
            .get(&state)
            .filter(|_| self.active.contains(&state));
        entered.map_or(0, |&entered| now.wrapping_sub(entered))
    }

    /// After every microstep: the root is active, and of each region of an active state exactly one
    /// child; nothing else is, and nothing is both active and suspended.
    pub(crate) fn check_configuration(&self) {
        let mut expected = BTreeSet::new();
        let mut open = vec![0];
        while let Some(state) = open.pop() {
            expected.insert(state);
            for &region in &self.model.states[state].regions {
                let children = &self.model.regions[region].children;
                let active: Vec<usize> = children
                    .iter()
                    .copied()
                    .filter(|child| self.active.contains(child))
                    .collect();
                assert_eq!(active.len(), 1, "region {region} has one active child");
                open.extend(active);
            }
        }
        assert_eq!(
            self.active, expected,
            "an active state lies in an active one"
        );
        assert!(
            self.active.iter().all(|&state| !self.is_suspended(state)),
            "no state is active and suspended"
        );
    }
}
