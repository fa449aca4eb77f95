//! Complete states (EXEC-6) and the events that tell of them (EVT-10).

use std::collections::BTreeSet;

use statewright_author::graph::StateKind;

use crate::oracle::Oracle;

impl Oracle {
    /// Whether an active state is complete.
    pub(crate) fn is_complete(&self, state: usize) -> bool {
        let is_final = |child: usize| self.model.states[child].kind == StateKind::Final;
        let record = &self.model.states[state];
        let mut children = record
            .regions
            .iter()
            .map(|&region| self.active_child(region));
        match record.kind {
            StateKind::Compound => children.all(|child| child.is_some_and(is_final)),
            StateKind::Orthogonal => children
                .all(|child| child.is_some_and(|child| is_final(child) || self.is_complete(child))),
            StateKind::Atomic | StateKind::Final | StateKind::Choice => false,
        }
    }

    /// All complete states.
    pub(crate) fn complete_states(&self) -> BTreeSet<usize> {
        self.active
            .iter()
            .copied()
            .filter(|&state| self.is_complete(state))
            .collect()
    }

    /// Raises `done.state.NAME` for each state that a microstep made complete, innermost first.
    pub(crate) fn raise_done_events(&mut self, tick: u32, completed: &BTreeSet<usize>) {
        if !self.model.done_events || self.model.scxml_details {
            return;
        }
        let model = self.model.clone();
        let mut states: Vec<usize> = completed
            .iter()
            .copied()
            .filter(|&state| state != 0)
            .collect();
        states.sort_by_key(|&state| model.states[state].post);
        for state in states {
            self.raise_done_event(tick, state);
        }
    }

    fn raise_done_event(&mut self, tick: u32, state: usize) {
        let model = self.model.clone();
        let name = format!("done.state.{}", model.states[state].name);
        if let Some(event) = model.events.iter().position(|event| event.name == name) {
            self.admit(tick, event, None, [0; 4], true, self.hides_posts());
        }
    }

    /// In SCXML the states that a final state completes say so right after its entry, innermost
    /// first.
    pub(crate) fn tell_completed_around(&mut self, tick: u32, entered: usize) {
        if !self.model.done_events {
            return;
        }
        let model = self.model.clone();
        let around: Vec<usize> = model
            .up(entered)
            .filter(|&state| state != entered && state != 0)
            .collect();
        for state in around {
            if !self.is_complete(state) {
                break;
            }
            self.raise_done_event(tick, state);
        }
    }
}
