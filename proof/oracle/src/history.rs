//! History points (EXEC-4): what is remembered, and when it is forgotten.

use std::collections::BTreeSet;

use crate::oracle::Oracle;

impl Oracle {
    /// Records the points of states about to be exited, from the configuration before the
    /// microstep.
    pub(crate) fn record_history(&mut self, exited: &BTreeSet<usize>) {
        let model = self.model.clone();
        for &state in exited {
            let record = &model.states[state];
            if record.reset_on_done && self.is_complete(state) {
                self.clear_history(state);
                continue;
            }
            for &point in &record.points {
                self.history[point] = Some(self.remembered(state, model.points[point].deep));
            }
        }
    }

    /// The last child per region, or every leaf below.
    fn remembered(&self, owner: usize, deep: bool) -> Vec<usize> {
        let regions = self.model.states[owner].regions.clone();
        regions
            .iter()
            .flat_map(|&region| self.remembered_in(region, &self.active, deep))
            .collect()
    }

    /// A region with frames counts with the states of its lowest frame.
    fn remembered_in(&self, region: usize, set: &BTreeSet<usize>, deep: bool) -> Vec<usize> {
        let lowest = self.frames.get(&region).and_then(|frames| frames.first());
        let set = lowest.map_or(set, |frame| &frame.states);
        let Some(child) = self.child_among(region, set) else {
            return Vec::new();
        };
        let regions = &self.model.states[child].regions;
        if !deep || regions.is_empty() {
            return vec![child];
        }
        regions
            .iter()
            .flat_map(|&region| self.remembered_in(region, set, deep))
            .collect()
    }

    /// Forgets what the points of a state remember.
    pub(crate) fn clear_history(&mut self, state: usize) {
        for &point in &self.model.clone().states[state].points {
            self.history[point] = None;
        }
    }

    /// `history_reset: on_done` at the end of a microstep.
    pub(crate) fn reset_completed_history(&mut self) {
        for state in self.complete_states() {
            if self.model.states[state].reset_on_done {
                self.clear_history(state);
            }
        }
    }
}
