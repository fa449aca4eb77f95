//! Transitions of parallel states, and of states around them. In XState one is asked only if no
//! active state inside has a transition for the event; by the rules of SCXML, which machines here
//! follow, it is also taken for regions that have none, beside those of other regions. So it gets a
//! condition that says the former.

use std::collections::BTreeSet;

use statewright_author::graph::{Transition, Trigger};
use statewright_author::span::{Name, Spanned};

use super::Reader;
use crate::limits::MAX_MATCHES;
use crate::report::{ignored, limit};

/// Longest condition that is made; an expression of the engine has at most 4,096 bytes.
const MAX_CONDITION: usize = 2048;

/// A transition of a state, as far as others give way to it.
pub(super) struct Heard {
    state: usize,
    /// `None` for any event.
    event: Option<String>,
    guard: Option<String>,
}

impl Heard {
    /// The transitions of a state.
    pub(super) fn list(state: usize, transitions: &[Transition]) -> Vec<Self> {
        transitions
            .iter()
            .filter_map(|transition| Self::of(state, transition))
            .collect()
    }

    fn of(state: usize, transition: &Transition) -> Option<Self> {
        let event = match &transition.trigger {
            Trigger::Event(name) => Some(name.value.clone()),
            Trigger::Any(_) => None,
            _ => return None,
        };
        Some(Self {
            state,
            event,
            guard: transition.guard.as_ref().map(|code| code.value.clone()),
        })
    }
}

impl Reader<'_, '_> {
    /// Transitions of a state that give way to those of the states inside, which were noted from
    /// `first` on.
    pub(super) fn give_way(&mut self, list: Vec<Transition>, first: usize) -> Vec<Transition> {
        let names_events = self.heard[first..]
            .iter()
            .any(|heard| heard.event.is_some());
        let mut out = Vec::new();
        for transition in list {
            let event = match &transition.trigger {
                Trigger::Event(name) => Some(name.value.clone()),
                // What stands before it depends on the event.
                Trigger::Any(span) if names_events => {
                    let span = *span;
                    for event in self.events.names().to_vec() {
                        let trigger = Trigger::Event(Name::new(event.value.clone(), span));
                        let guard = self.guard_after(&transition, Some(&event.value), first);
                        out.push(Transition {
                            trigger,
                            guard,
                            ..transition.clone()
                        });
                    }
                    continue;
                }
                Trigger::Any(_) => None,
                _ => {
                    out.push(transition);
                    continue;
                }
            };
            let guard = self.guard_after(&transition, event.as_deref(), first);
            out.push(Transition {
                guard,
                ..transition
            });
        }
        out
    }

    /// The guard of a transition, and that no active state inside has one.
    fn guard_after(
        &mut self,
        transition: &Transition,
        event: Option<&str>,
        first: usize,
    ) -> Option<Spanned<String>> {
        let is_before = |heard: &&Heard| {
            heard.event.is_none() || event.is_none() || heard.event.as_deref() == event
        };
        let was_fine = self.matches <= MAX_MATCHES;
        self.matches += self.heard.len() - first;
        if self.matches > MAX_MATCHES {
            if was_fine {
                let message = format!(
                    "transitions of states and of those inside are compared more than {MAX_MATCHES} times"
                );
                self.out
                    .push(limit(transition.span, message).label("too many of both"));
            }
            return transition.guard.clone();
        }
        let mut before = BTreeSet::new();
        let mut length = transition.guard.as_ref().map_or(0, |code| code.value.len());
        for heard in self.heard[first..].iter().filter(is_before) {
            let active = format!(
                "in('{}')",
                self.tree.reference(heard.state, transition.span).value
            );
            let part = match &heard.guard {
                Some(guard) => format!("!({active} && ({guard}))"),
                None => format!("!{active}"),
            };
            length += part.len() + 4;
            if length > MAX_CONDITION {
                let message = "states inside have so many transitions for the event that it cannot be said which come first";
                let problem =
                    ignored(transition.span, message).label("taken beside those of other regions");
                self.out.push(
                    problem.help(
                        "in XState it is taken only if no region has one: say so in its guard",
                    ),
                );
                return transition.guard.clone();
            }
            before.insert(part);
        }
        if before.is_empty() {
            return transition.guard.clone();
        }
        let own = transition
            .guard
            .iter()
            .map(|code| format!("({})", code.value));
        let parts: Vec<String> = own.chain(before).collect();
        let span = transition
            .guard
            .as_ref()
            .map_or(transition.span, |code| code.span);
        Some(Spanned::new(parts.join(" && "), span))
    }
}
