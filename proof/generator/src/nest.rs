//! History and scores that lead somewhere without further conditions (EXEC-4, SEL-3): random transitions hardly ever
//! do. Only some machines have them, in a state that was made for it (`Extra::Nest`).
//!
//! ```text
//!   any sibling ── Return ─▶ nest/last chick        nest ── Return ─▶ a sibling
//!                            nest: Hop to eldest, to youngest, … or stay, the best score wins
//! ```

use statewright_author::graph::{Event, State, Transition, Trigger};
use statewright_author::span::Span;

use crate::code::Site;
use crate::generator::Generator;
use crate::plan::Target;
use crate::text::{code, name, spanned};
use crate::transition::SCORED_PRIORITY;

/// Leads out of the nest, and back to what it remembers.
const RETURN: &str = "Return";
/// Leads to one of its children.
const HOP: &str = "Hop";

/// What a point brings back is known by what it remembers alone.
fn remember_plainly(state: &mut State) {
    state.history_reset_on_done = false;
    for point in &mut state.history {
        point.effect.clear();
        point.restore_on_entry = false;
    }
}

impl Generator {
    /// The events that have to do with the nest, as they are declared.
    pub(crate) fn events_of_nest(&self) -> Vec<Event> {
        let declared = |event: &str| Event {
            name: name(event),
            ..Event::default()
        };
        let nest = self.plan.nest();
        nest.map_or_else(Vec::new, |_| [RETURN, HOP].map(declared).into())
    }

    /// Lets the nest and the states beside it react.
    pub(crate) fn react_in_nest(&mut self, index: usize, state: &mut State) {
        let Some(nest) = self.plan.nest() else {
            return;
        };
        if index == nest {
            let out = self.way_out(nest);
            let hops = self.hops(nest);
            state.transitions.splice(0..0, out.into_iter().chain(hops));
            if self.rng.chance(80) {
                remember_plainly(state);
            }
        } else if self.plan.is_beside(index, Some(nest)) {
            let point = self.plan.nodes[nest].points.first().copied();
            let back = point.map(|point| self.goes(index, RETURN, Target::Point(point)));
            state.transitions.splice(0..0, back);
        }
    }

    /// A transition of a state, without conditions.
    fn goes(&mut self, index: usize, event: &str, target: Target) -> Transition {
        let effect = match self.rng.chance(40) {
            true => self.some_actions(&Site::of(index)),
            false => Vec::new(),
        };
        Transition {
            trigger: Trigger::Event(name(event)),
            targets: self.names_of(Some(index), &[target]),
            effect,
            ..Transition::default()
        }
    }

    fn way_out(&mut self, nest: usize) -> Option<Transition> {
        let beside = |&state: &usize| self.plan.is_beside(state, Some(nest));
        let siblings: Vec<usize> = (1..nest).filter(beside).collect();
        let target = self.rng.pick(&siblings).copied()?;
        Some(self.goes(nest, RETURN, Target::State(target)))
    }

    /// Each child once, and now and then a reason to stay.
    fn hops(&mut self, nest: usize) -> Vec<Transition> {
        let mut hops = Vec::new();
        for child in self.plan.nodes[nest].regions[0].children.clone() {
            let hop = self.goes(nest, HOP, Target::State(child));
            hops.push(self.competing(nest, hop));
        }
        if self.rng.chance(40) {
            let stay = Transition {
                trigger: Trigger::Event(name(HOP)),
                stay: Some(Span::default()),
                ..Transition::default()
            };
            let at = self.rng.below(hops.len() as u32 + 1) as usize;
            let stay = self.competing(nest, stay);
            hops.insert(at, stay);
        }
        hops
    }

    fn competing(&mut self, nest: usize, transition: Transition) -> Transition {
        let site = Site::of(nest);
        let score = match self.rng.chance(50) {
            true => code(self.rng.one(&["0.5", "1.0", "2.0", "3.0"])),
            false => self.score(&site),
        };
        Transition {
            priority: Some(spanned(SCORED_PRIORITY)),
            score: Some(score),
            threshold: self.rng.chance(20).then(|| self.threshold()),
            guard: self.rng.chance(25).then(|| self.guard(&site)),
            ..transition
        }
    }
}
