//! Predicates and functions about the tree of states.

use crate::document::{Document, Kind};

impl Document {
    /// `getProperAncestors(state1, state2)`: ancestors in ancestry order, up to but not including
    /// `state2`. For null (`None`) the `scxml` element is the last one. Empty if `state2` is
    /// not an ancestor.
    pub(crate) fn proper_ancestors(&self, state1: usize, state2: Option<usize>) -> Vec<usize> {
        let mut ancestors = Vec::new();
        let mut at = self.states[state1].parent;
        while let Some(ancestor) = at {
            if Some(ancestor) == state2 {
                return ancestors;
            }
            ancestors.push(ancestor);
            at = self.states[ancestor].parent;
        }
        if state2.is_none() {
            ancestors
        } else {
            Vec::new()
        }
    }

    /// `isDescendant(state1, state2)`: is `state1` inside `state2`?
    pub(crate) fn is_descendant(&self, state1: usize, state2: usize) -> bool {
        self.proper_ancestors(state1, None).contains(&state2)
    }

    /// `getChildStates(state1)`: state, parallel and final children in document order.
    pub(crate) fn child_states(&self, state1: usize) -> &[usize] {
        &self.states[state1].children
    }

    pub(crate) fn is_history_state(&self, state: usize) -> bool {
        self.states[state].kind.is_history()
    }

    pub(crate) fn is_final_state(&self, state: usize) -> bool {
        self.states[state].kind == Kind::Final
    }

    pub(crate) fn is_parallel_state(&self, state: usize) -> bool {
        self.states[state].kind == Kind::Parallel
    }

    /// A `state` element with states inside.
    pub(crate) fn is_compound_state(&self, state: usize) -> bool {
        self.states[state].kind == Kind::State && !self.states[state].children.is_empty()
    }

    pub(crate) fn is_scxml_element(&self, state: usize) -> bool {
        self.states[state].kind == Kind::Scxml
    }

    /// A state without states inside, or a final.
    pub(crate) fn is_atomic_state(&self, state: usize) -> bool {
        self.is_final_state(state)
            || self.states[state].kind == Kind::State && self.states[state].children.is_empty()
    }
}
