//! `selectEventlessTransitions`, `selectTransitions`, `removeConflictingTransitions`, and how event
//! names match.

use crate::document::{Descriptor, Transition};
use crate::interpreter::Interpreter;

impl Interpreter<'_> {
    pub(crate) fn select_eventless_transitions(&self) -> Vec<usize> {
        self.select(|t| t.event.is_none())
    }

    pub(crate) fn select_transitions(&self, event: &str) -> Vec<usize> {
        self.select(|t| {
            t.event
                .as_ref()
                .is_some_and(|descriptors| name_match(descriptors, event))
        })
    }

    /// What both functions of the pseudo-code have in common. A transition that several states
    /// select is there once, at the place of the first of them.
    fn select(&self, triggered: impl Fn(&Transition) -> bool) -> Vec<usize> {
        let mut enabled_transitions: Vec<usize> = Vec::new();
        let atomic_states = self
            .configuration
            .iter()
            .copied()
            .filter(|&s| self.document.is_atomic_state(s));
        for state in atomic_states {
            let mut path = vec![state];
            path.extend(self.document.proper_ancestors(state, None));
            let mut candidates = path
                .iter()
                .flat_map(|&s| &self.document.states[s].transitions)
                .copied();
            let first = candidates.find(|&t| {
                let t = &self.document.transitions[t];
                triggered(t) && self.condition_match(t)
            });
            enabled_transitions.extend(first.filter(|t| !enabled_transitions.contains(t)));
        }
        self.remove_conflicting_transitions(&enabled_transitions)
    }

    fn condition_match(&self, t: &Transition) -> bool {
        t.cond.as_ref().is_none_or(|cond| cond.truth(self))
    }

    fn remove_conflicting_transitions(&self, enabled_transitions: &[usize]) -> Vec<usize> {
        let mut filtered_transitions: Vec<usize> = Vec::new();
        for &t1 in enabled_transitions {
            let mut t1_preempted = false;
            let mut transitions_to_remove = Vec::new();
            for &t2 in &filtered_transitions {
                if !self
                    .compute_exit_set(&[t1])
                    .is_disjoint(&self.compute_exit_set(&[t2]))
                {
                    if self
                        .document
                        .is_descendant(self.source(t1), self.source(t2))
                    {
                        transitions_to_remove.push(t2);
                    } else {
                        t1_preempted = true;
                        break;
                    }
                }
            }
            if !t1_preempted {
                filtered_transitions.retain(|t3| !transitions_to_remove.contains(t3));
                filtered_transitions.push(t1);
            }
        }
        filtered_transitions
    }

    pub(crate) fn source(&self, t: usize) -> usize {
        self.document.transitions[t].source
    }
}

/// Whether one of the descriptors is the beginning of a name, token by token.
fn name_match(descriptors: &[Descriptor], event: &str) -> bool {
    let tokens: Vec<&str> = event.split('.').collect();
    descriptors.iter().any(|descriptor| {
        let wanted = &descriptor.tokens;
        wanted.len() <= tokens.len()
            && wanted
                .iter()
                .zip(&tokens)
                .all(|(wanted, found)| wanted == found)
    })
}
