//! Transition sets (CODE-8): what a state gets of them, and that they use each other without
//! circles (LANG-14).

use std::borrow::Cow;

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::Diagnostic;
use statewright_author::graph::TransitionSet;
use statewright_author::span::Name;

use super::Resolver;
use super::transitions::share;
use crate::index::{Index, IndexVec, StateIndex, TransitionIndex, TransitionSetIndex};
use crate::model::{Shared, Transition};

/// How far the search for circles has come with a set.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Visit {
    New,
    /// On the way that is followed now.
    Open,
    Done,
}

impl<'a> Resolver<'a> {
    /// The transitions of all sets that a state uses, and of those that these use.
    pub(super) fn sets_of_state(
        &mut self,
        source: StateIndex,
        out: &mut IndexVec<TransitionIndex, Transition<'a>>,
    ) {
        let uses = &self.tree.states[source].authored.uses;
        for name in uses {
            self.names.sets.find(name, &mut self.diagnostics);
        }
        for set in self.machine.sets_used(uses) {
            let Some(index) = self.names.sets.get(&set.name.value) else {
                continue;
            };
            self.usage.sets.insert(index);
            let first = out.len();
            for transition in &set.transitions {
                self.add(Cow::Borrowed(transition), source, source, out);
            }
            share(out.iter_mut().skip(first), Shared::Set(index));
        }
    }

    /// Sets use sets that exist, and none uses itself in the end.
    pub(super) fn check_sets(&mut self) {
        let sets = &self.machine.transition_sets;
        for name in sets.iter().flat_map(|set| &set.uses) {
            self.names.sets.find(name, &mut self.diagnostics);
        }
        let mut visits = vec![Visit::New; sets.len()];
        for start in 0..sets.len() {
            self.follow_uses(start, &mut visits);
        }
    }

    /// Follows what a set uses as far as it leads; every set is looked at once.
    fn follow_uses(&mut self, start: usize, visits: &mut [Visit]) {
        let sets = &self.machine.transition_sets;
        // The way from the start, each with its next use.
        let mut way: Vec<(usize, usize)> = Vec::new();
        if visits[start] == Visit::New {
            visits[start] = Visit::Open;
            way.push((start, 0));
        }
        while let Some((set, next)) = way.last_mut() {
            let Some(name) = sets[*set].uses.get(*next) else {
                visits[*set] = Visit::Done;
                way.pop();
                continue;
            };
            *next += 1;
            let Some(used) = self
                .names
                .sets
                .get(&name.value)
                .map(TransitionSetIndex::position)
            else {
                continue;
            };
            match visits[used] {
                Visit::New => {
                    visits[used] = Visit::Open;
                    way.push((used, 0));
                }
                Visit::Open => {
                    let circle = way
                        .iter()
                        .map(|&(set, _)| set)
                        .skip_while(|&set| set != used);
                    let circle: Vec<&TransitionSet> = circle.map(|set| &sets[set]).collect();
                    self.diagnostics.push(circle_of(name, &circle));
                }
                Visit::Done => {}
            }
        }
    }
}

/// The circle, from the set that is used again.
fn circle_of(used: &Name, circle: &[&TransitionSet]) -> Diagnostic {
    let again = format!("`{}`", used.value);
    let names = circle.iter().map(|set| format!("`{}`", set.name.value));
    let way: Vec<String> = names.chain([again]).collect();
    let text = match circle {
        [_] => format!("transition set `{}` uses itself", used.value),
        _ => format!(
            "transition sets use each other in a circle: {}",
            way.join(" uses ")
        ),
    };
    let problem = Diagnostic::new(DiagnosticCode::SetCircle, used.span, text);
    let problem = problem.label("used again here");
    let problem = match circle.first() {
        Some(first) => problem.related(first.name.span, "leads back to itself"),
        None => problem,
    };
    problem.help("remove one of these uses; what both need can be a set of its own")
}
