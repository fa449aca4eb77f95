//! What short forms of the graph stand for: a list of events, sets that use sets.
//!
//! They stay as they were written in the graph ([`crate::graph`]); the compiler and tools ask here.

use crate::graph::{Machine, TransitionSet, Trigger};
use crate::span::{Name, Span, Spanned};

impl Trigger {
    /// The trigger of a list of events; a list of one says no more than its event.
    pub fn of_events(mut events: Vec<Name>, span: Span) -> Self {
        match events.len() {
            1 => Self::Event(events.remove(0)),
            _ => Self::Events(Spanned::new(events, span)),
        }
    }

    /// The events that it names, in the order written.
    pub fn events(&self) -> &[Name] {
        match self {
            Self::Event(event) => std::slice::from_ref(event),
            Self::Events(events) => &events.value,
            Self::Any(_)
            | Self::After(_)
            | Self::Every(_)
            | Self::Timer(_)
            | Self::Always(_)
            | Self::Done(_)
            | Self::Failed(_) => &[],
        }
    }
}

impl Machine {
    /// The sets that some names mean, each followed by those that it uses; every set once, where it
    /// is first reached (LANG-14). Names of no set are left out.
    pub fn sets_used<'m>(&'m self, names: &'m [Name]) -> Vec<&'m TransitionSet> {
        let find = |name: &Name| {
            let mut sets = self.transition_sets.iter();
            sets.find(|set| set.name.value == name.value)
        };
        let mut found: Vec<&TransitionSet> = Vec::new();
        // Those still to come, the next one last.
        let mut open: Vec<&Name> = names.iter().rev().collect();
        while let Some(name) = open.pop() {
            let is_known = found.iter().any(|set| set.name.value == name.value);
            if let Some(set) = find(name).filter(|_| !is_known) {
                found.push(set);
                open.extend(set.uses.iter().rev());
            }
        }
        found
    }
}
