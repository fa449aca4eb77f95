//! Sugar (CODE-8): transition sets, any-state transitions, decisions.

use statewright_author::graph::{
    AnyTransition, Decision, DecisionBranch, StateKind, TransitionSet, Trigger,
};
use statewright_author::span::{Name, Span};

use crate::code::Site;
use crate::generator::Generator;
use crate::plan::Target;
use crate::text::{name, spanned};
use crate::transition::Spot;
use crate::words::unused_odd;

const SETS: [&str; 3] = ["common", "reactions", "way out"];

impl Generator {
    fn may_have_transitions(&self, state: usize) -> bool {
        !matches!(
            self.plan.nodes[state].kind,
            StateKind::Final | StateKind::Choice
        )
    }

    /// Transition sets, and for each state the sets that it uses.
    pub(crate) fn transition_sets(&mut self) -> (Vec<TransitionSet>, Vec<Vec<Name>>) {
        let mut sets = Vec::new();
        let mut users = vec![Vec::new(); self.plan.nodes.len()];
        let mut used = Vec::new();
        while self.rng.chance(self.size.rare) && sets.len() < 2 {
            let set_name = name(unused_odd(&mut self.rng, &SETS, &mut used));
            let able: Vec<usize> = (0..self.plan.nodes.len())
                .filter(|&s| self.may_have_transitions(s))
                .collect();
            let mut sources = self.rng.some(&able, 25);
            sources.truncate(4);
            for &source in &sources {
                users[source].push(set_name.clone());
            }
            // A set that nobody uses is not looked at.
            let spot = Spot {
                sources: if sources.is_empty() { able } else { sources },
                any_of: None,
                in_set: true,
            };
            let mut transitions: Vec<_> = (0..self.rng.between(1, 2))
                .map(|_| self.transition(&spot))
                .collect();
            if self.rng.chance(self.size.rare / 4) {
                transitions.push(self.muted_transition());
            }
            // One that another set uses has the users of that one, too: those must be its own.
            let all: Vec<usize> = (0..users.len())
                .filter(|&state| users[state].contains(&set_name))
                .collect();
            let earlier: Vec<Name> = sets
                .iter()
                .map(|set: &TransitionSet| set.name.clone())
                .filter(|name| all.iter().all(|&state| users[state].contains(name)))
                .collect();
            let uses = if self.rng.chance(50) {
                earlier
            } else {
                Vec::new()
            };
            for state in all {
                if self.rng.chance(50) {
                    users[state].retain(|name| !uses.contains(name));
                }
            }
            sets.push(TransitionSet {
                name: set_name,
                transitions,
                uses,
            });
        }
        (sets, users)
    }

    /// Transitions for the children of a state.
    pub(crate) fn any_state(&mut self, parent: usize) -> Vec<AnyTransition> {
        let mut list = Vec::new();
        let children: Vec<usize> = self.plan.nodes[parent]
            .regions
            .iter()
            .flat_map(|region| region.children.clone())
            .collect();
        while !children.is_empty() && self.rng.chance(self.size.rare / 2) && list.len() < 2 {
            let include = if self.rng.chance(40) {
                self.rng.some(&children, 60)
            } else {
                Vec::new()
            };
            let exclude = if self.rng.chance(40) {
                self.rng.some(&children, 30)
            } else {
                Vec::new()
            };
            let is_source = |child: &usize| {
                (include.is_empty() || include.contains(child))
                    && !exclude.contains(child)
                    && self.may_have_transitions(*child)
            };
            let sources: Vec<usize> = children.iter().copied().filter(is_source).collect();
            if sources.is_empty() {
                continue;
            }
            let names = |states: &[usize]| {
                states
                    .iter()
                    .map(|&s| name(self.plan.child_name(s)))
                    .collect()
            };
            let (include, exclude) = (names(&include), names(&exclude));
            let muted = self.rng.chance(5);
            let spot = Spot {
                sources,
                any_of: Some(parent),
                in_set: false,
            };
            let transition = if muted {
                self.muted_transition()
            } else {
                self.transition(&spot)
            };
            list.push(AnyTransition {
                transition,
                include,
                exclude,
            });
        }
        list
    }

    /// Decisions of a state.
    pub(crate) fn decisions(&mut self, state: usize) -> Vec<Decision> {
        let mut list = Vec::new();
        while self.rng.chance(self.size.rare / 3) && list.len() < 2 {
            let muted = self.rng.chance(10);
            let decision = if muted {
                Some(muted_decision())
            } else {
                self.decision(state)
            };
            list.extend(decision);
        }
        list
    }

    fn decision(&mut self, state: usize) -> Option<Decision> {
        let both = self.rng.chance(60);
        let first = self.rng.chance(70);
        let trigger = self.decision_trigger(state, if both { 2 } else { 1 });
        let then = self.decision_branch(state, &trigger)?;
        let otherwise = self.decision_branch(state, &trigger)?;
        let site = Site {
            payload: self.payload_of(&trigger),
            ..Site::of(state)
        };
        Some(Decision {
            guard: self.guard(&site),
            then: (both || first).then_some(then),
            otherwise: (both || !first).then_some(otherwise),
            priority: self.rng.chance(30).then(|| spanned(self.rng.below(12))),
            effect: self.actions(&site),
            muted: false,
            trigger,
            span: Span::default(),
        })
    }
}

impl Generator {
    /// One way of a decision: often its own state, which means to stay, or to reenter (LANG-13).
    fn decision_branch(&mut self, state: usize, trigger: &Trigger) -> Option<DecisionBranch> {
        let own = state != 0 && self.rng.chance(25);
        let target = if own {
            Target::State(state)
        } else {
            self.single_target(&[state])?
        };
        let ends = matches!(trigger, Trigger::Done(_) | Trigger::Failed(_));
        let stays_ended = ends && target == Target::State(state);
        let reenter = state != 0 && (stays_ended || self.rng.chance(25));
        let target = self
            .plan
            .reference(&mut self.rng, Some(state), target)
            .map(name)?;
        Some(DecisionBranch {
            target,
            reenter: reenter.then(Span::default),
        })
    }

    /// A trigger of a decision; an `after` is paid for each of its ways, although they share a
    /// timer.
    fn decision_trigger(&mut self, state: usize, ways: u32) -> Trigger {
        let span = Span::default();
        match self.rng.below(7) {
            0 | 1 => Trigger::Always(span),
            2 if self.completes(state) => Trigger::Done(span),
            3 if self.plan.nodes[state].result => Trigger::Failed(span),
            4 => Trigger::Any(span),
            5 if self.plan.nodes[state].timers >= ways => {
                self.plan.nodes[state].timers -= ways;
                let duration = spanned(self.delay(&Site::of(state)));
                if self.rng.chance(40) {
                    Trigger::Every(duration)
                } else {
                    Trigger::After(duration)
                }
            }
            6 => self.timer_trigger(&Spot::own(state)),
            _ => self.event_trigger(),
        }
    }
}

fn muted_decision() -> Decision {
    Decision {
        guard: crate::text::code("this is not an expression"),
        then: Some(DecisionBranch {
            target: name("nowhere"),
            reenter: None,
        }),
        muted: true,
        ..Decision::default()
    }
}
