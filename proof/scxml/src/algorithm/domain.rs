//! `getTransitionDomain`, `findLCCA`, `getEffectiveTargetStates`, `computeExitSet`.

use std::collections::BTreeSet;

use crate::interpreter::Interpreter;

impl Interpreter<'_> {
    pub(crate) fn compute_exit_set(&self, transitions: &[usize]) -> BTreeSet<usize> {
        let mut states_to_exit = BTreeSet::new();
        for &t in transitions {
            if let Some(domain) = self.get_transition_domain(t) {
                let inside = self
                    .configuration
                    .iter()
                    .filter(|&&s| self.document.is_descendant(s, domain));
                states_to_exit.extend(inside);
            }
        }
        states_to_exit
    }

    /// `None` for a transition without target. The initial transition of the document has the
    /// `scxml` element as source and domain.
    pub(crate) fn get_transition_domain(&self, t: usize) -> Option<usize> {
        let tstates = self.get_effective_target_states(t);
        let transition = &self.document.transitions[t];
        let source = transition.source;
        if self.document.is_scxml_element(source) {
            return Some(source);
        }
        if tstates.is_empty() {
            None
        } else if transition.internal
            && self.document.is_compound_state(source)
            && tstates
                .iter()
                .all(|&s| self.document.is_descendant(s, source))
        {
            Some(source)
        } else {
            Some(self.find_lcca(source, &tstates))
        }
    }

    /// The least common compound ancestor of a list of states, given as head and tail. Never a
    /// parallel.
    fn find_lcca(&self, head: usize, tail: &BTreeSet<usize>) -> usize {
        let ancestors = self.document.proper_ancestors(head, None);
        let is_compound = |&anc: &usize| {
            self.document.is_compound_state(anc) || self.document.is_scxml_element(anc)
        };
        let mut candidates = ancestors.into_iter().filter(is_compound);
        let lcca =
            candidates.find(|&anc| tail.iter().all(|&s| self.document.is_descendant(s, anc)));
        lcca.expect("every state is inside the scxml element")
    }

    pub(crate) fn get_effective_target_states(&self, t: usize) -> BTreeSet<usize> {
        let mut targets = BTreeSet::new();
        for &s in &self.document.transitions[t].target {
            if self.document.is_history_state(s) {
                match self.history_value.get(&s) {
                    Some(recorded) => targets.extend(recorded),
                    None => {
                        targets.extend(self.get_effective_target_states(self.default_transition(s)))
                    }
                }
            } else {
                targets.insert(s);
            }
        }
        targets
    }

    /// `state.transition` of a history.
    pub(crate) fn default_transition(&self, history: usize) -> usize {
        self.document.states[history].transitions[0]
    }
}
