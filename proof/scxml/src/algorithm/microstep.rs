//! `microstep`, `exitStates`, `executeTransitionContent`, `enterStates`, `isInFinalState`.

use crate::document::{Document, Kind};
use crate::happening::Happening;
use crate::interpreter::Interpreter;

impl<'d> Interpreter<'d> {
    /// The pseudo-code asks for the domain of a transition again when it enters states. If the
    /// state around the target was a parallel with a single child and its history was recorded
    /// in between, the domain may by then lie inside what was left. By the prose (section 3.13)
    /// everything that was left and is in the complete target set is entered.
    pub(crate) fn microstep(&mut self, enabled_transitions: &[usize]) {
        let domains = self.domains(enabled_transitions);
        self.exit_states(enabled_transitions);
        self.execute_transition_content(enabled_transitions);
        self.enter_states(&domains);
    }

    /// Transitions with a target, each with its domain.
    pub(crate) fn domains(&self, transitions: &[usize]) -> Vec<(usize, usize)> {
        transitions
            .iter()
            .filter_map(|&t| Some((t, self.get_transition_domain(t)?)))
            .collect()
    }

    fn exit_states(&mut self, enabled_transitions: &[usize]) {
        let states_to_exit = self.compute_exit_set(enabled_transitions);
        for &s in states_to_exit.iter().rev() {
            for &h in &self.document.states[s].histories {
                let recorded = self.record(s, self.document.states[h].kind);
                self.history_value.insert(h, recorded);
            }
        }
        for &s in states_to_exit.iter().rev() {
            self.execute_onexit(s);
            self.configuration.remove(&s);
            self.note_exit(s);
        }
    }

    /// What a history of `s` remembers.
    fn record(&self, s: usize, kind: Kind) -> Vec<usize> {
        let document = self.document;
        let deep = |s0: usize| document.is_atomic_state(s0) && document.is_descendant(s0, s);
        let shallow = |s0: usize| document.states[s0].parent == Some(s);
        let active = self.configuration.iter().copied();
        active
            .filter(|&s0| {
                if kind == Kind::DeepHistory {
                    deep(s0)
                } else {
                    shallow(s0)
                }
            })
            .collect()
    }

    fn execute_transition_content(&mut self, enabled_transitions: &[usize]) {
        for &t in enabled_transitions {
            let source = self.source(t);
            self.log
                .push(Happening::Take(self.document.states[source].id.clone()));
            self.execute_content(&self.document.transitions[t].content);
        }
    }

    pub(crate) fn enter_states(&mut self, domains: &[(usize, usize)]) {
        let entry = self.compute_entry_set(domains);
        let document = self.document;
        for &s in &entry.states_to_enter {
            self.configuration.insert(s);
            self.log
                .push(Happening::Enter(document.states[s].id.clone()));
            for content in &document.states[s].onentry {
                self.execute_content(content);
            }
            if entry.states_for_default_entry.contains(&s) {
                let initial = document.states[s]
                    .initial
                    .expect("the reader gives every compound state one");
                self.execute_content(&document.transitions[initial].content);
            }
            if let Some(&transition) = entry.default_history_content.get(&s) {
                self.execute_content(&document.transitions[transition].content);
            }
            if document.is_final_state(s) {
                self.enter_final(s);
            }
        }
    }

    /// The end of the session, or done events: of the parent, then of every parallel around it that
    /// is done by now.
    ///
    /// Section 3.4: "When all of the children reach final states, the parallel element itself is
    /// considered to be in a final state." The pseudo-code asks the grandparent only; the loop
    /// asks further parallels, too.
    fn enter_final(&mut self, s: usize) {
        let document: &'d Document = self.document;
        let parent = document.states[s]
            .parent
            .expect("a final stands in a state");
        if document.is_scxml_element(parent) {
            self.running = false;
            return;
        }
        self.raise_done(parent);
        let mut at = document.states[parent].parent;
        while let Some(grandparent) = at.filter(|&state| document.is_parallel_state(state)) {
            if !self.is_in_final_state(grandparent) {
                break;
            }
            self.raise_done(grandparent);
            at = document.states[grandparent].parent;
        }
    }

    fn raise_done(&mut self, state: usize) {
        self.enqueue_internal(format!("done.state.{}", self.document.states[state].id));
    }

    fn is_in_final_state(&self, s: usize) -> bool {
        let children = self.document.child_states(s);
        if self.document.is_compound_state(s) {
            children.iter().any(|&child| {
                self.document.is_final_state(child) && self.configuration.contains(&child)
            })
        } else if self.document.is_parallel_state(s) {
            children.iter().all(|&child| self.is_in_final_state(child))
        } else {
            false
        }
    }

    pub(crate) fn execute_onexit(&mut self, s: usize) {
        for content in &self.document.states[s].onexit {
            self.execute_content(content);
        }
    }

    pub(crate) fn note_exit(&mut self, s: usize) {
        self.log
            .push(Happening::Exit(self.document.states[s].id.clone()));
    }
}
