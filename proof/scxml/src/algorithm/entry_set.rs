//! `computeEntrySet`, `addDescendantStatesToEnter`, `addAncestorStatesToEnter`.

use std::collections::{BTreeMap, BTreeSet};

use crate::happening::Happening;
use crate::interpreter::Interpreter;

/// The three sets that the pseudo-code fills.
#[derive(Default)]
pub(crate) struct EntrySet {
    pub states_to_enter: BTreeSet<usize>,
    pub states_for_default_entry: BTreeSet<usize>,
    /// The transition whose content is executed, by the parent of its history.
    pub default_history_content: BTreeMap<usize, usize>,
}

impl Interpreter<'_> {
    /// The domains of transitions that are taken together are apart, so each transition can have a
    /// set of its own first.
    pub(crate) fn compute_entry_set(&mut self, domains: &[(usize, usize)]) -> EntrySet {
        let mut all = EntrySet::default();
        for &(t, ancestor) in domains {
            let mut entry = EntrySet::default();
            for &s in &self.document.transitions[t].target {
                self.add_descendant_states_to_enter(s, &mut entry);
            }
            for s in self.get_effective_target_states(t) {
                self.add_ancestor_states_to_enter(s, ancestor, &mut entry);
            }
            self.keep_what_was_left(ancestor, &mut entry);
            all.states_to_enter.append(&mut entry.states_to_enter);
            all.states_for_default_entry
                .append(&mut entry.states_for_default_entry);
            all.default_history_content
                .append(&mut entry.default_history_content);
        }
        all
    }

    /// Not in the pseudo-code. A transition from deep inside the parent of a history to that
    /// history can have a domain inside the parent; the pseudo-code would then enter states
    /// between the two again, or defaults of regions beside, though all of them
    /// are still active. By the prose (section 3.13) only states that are not active or were just
    /// left are entered.
    fn keep_what_was_left(&self, domain: usize, entry: &mut EntrySet) {
        entry
            .states_to_enter
            .retain(|&s| self.document.is_descendant(s, domain));
    }

    fn add_descendant_states_to_enter(&mut self, state: usize, entry: &mut EntrySet) {
        if self.document.is_history_state(state) {
            self.add_history(state, entry);
            return;
        }
        entry.states_to_enter.insert(state);
        if self.document.is_compound_state(state) {
            entry.states_for_default_entry.insert(state);
            let initial = self.document.states[state]
                .initial
                .expect("the reader gives every compound state one");
            self.add_targets(&self.document.transitions[initial].target, state, entry);
        } else if self.document.is_parallel_state(state) {
            self.add_children(state, entry);
        }
    }

    fn add_history(&mut self, history: usize, entry: &mut EntrySet) {
        let parent = self.document.states[history]
            .parent
            .expect("the reader lets a history stand in a state only");
        if let Some(recorded) = self.history_value.get(&history).cloned() {
            self.log
                .push(Happening::Restore(self.document.states[history].id.clone()));
            self.add_targets(&recorded, parent, entry);
        } else {
            let transition = self.default_transition(history);
            entry.default_history_content.insert(parent, transition);
            self.add_targets(&self.document.transitions[transition].target, parent, entry);
        }
    }

    /// All descendants first, then all ancestors, so that no child of a parallel gets its default
    /// that a later target is in.
    fn add_targets(&mut self, targets: &[usize], ancestor: usize, entry: &mut EntrySet) {
        for &s in targets {
            self.add_descendant_states_to_enter(s, entry);
        }
        for &s in targets {
            self.add_ancestor_states_to_enter(s, ancestor, entry);
        }
    }

    fn add_ancestor_states_to_enter(
        &mut self,
        state: usize,
        ancestor: usize,
        entry: &mut EntrySet,
    ) {
        for anc in self.document.proper_ancestors(state, Some(ancestor)) {
            entry.states_to_enter.insert(anc);
            if self.document.is_parallel_state(anc) {
                self.add_children(anc, entry);
            }
        }
    }

    /// Children of a parallel that nothing is entered in so far.
    fn add_children(&mut self, parallel: usize, entry: &mut EntrySet) {
        for &child in self.document.child_states(parallel) {
            if !entry
                .states_to_enter
                .iter()
                .any(|&s| self.document.is_descendant(s, child))
            {
                self.add_descendant_states_to_enter(child, entry);
            }
        }
    }
}
