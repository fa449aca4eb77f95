//! Choosing transitions (SEL-1 to SEL-4, SEL-7) and deferral (EVT-5).

use std::collections::{BTreeMap, BTreeSet};

use crate::domain::Domain;
use crate::model::Trigger;
use crate::oracle::{Env, Oracle, Site};
use crate::report::{Outcome, Selection};
use crate::world::{Cause, Status};

/// What a selection is made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Occasion {
    /// An event from queue or inbox.
    Event(usize),
    /// A timer that stands for an event.
    TimerAsEvent(usize),
    /// A timer.
    Timer(usize),
    /// An eventless round; in the first of a tick latched transitions are tried.
    Eventless { first: bool },
}

/// An enabled transition.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    pub(crate) transition: usize,
    pub(crate) domain: Option<Domain>,
    /// Active states that it exits or suspends.
    pub(crate) exits: BTreeSet<usize>,
    pub(crate) cause: Cause,
}

/// What a selection found.
#[derive(Clone, Debug)]
pub(crate) enum Choice {
    /// Transitions to carry out together, in the order of effects.
    Commit(Vec<Candidate>),
    /// The event is kept for later.
    Defer,
    /// A transition that may not leave yet waits; it has taken the event (SEL-6).
    Stored,
    /// One that stays has won: the event is handled, and nothing happens (LANG-6).
    Stay,
    /// Nobody wants it.
    Nothing,
}

/// What a state says.
#[derive(Clone, Debug)]
enum Answer {
    /// Nobody here.
    Nobody,
    /// This one.
    Found(Candidate),
    /// One that waits from now on.
    Stored,
    /// One that stays.
    Stay,
}

type Outcomes = BTreeMap<usize, Outcome>;

impl Oracle {
    /// One selection.
    pub(crate) fn select(
        &mut self,
        env: &mut Env<'_>,
        occasion: Occasion,
        cause: &Cause,
    ) -> Choice {
        let mut outcomes = Outcomes::new();
        // Latched transitions belong to the selection even if their slot is emptied by it.
        let matching: Vec<usize> = self
            .active
            .iter()
            .flat_map(|&state| self.matching(state, occasion))
            .collect();
        let choice = self.choose(env, occasion, cause, &mut outcomes);
        let alone = match &choice {
            Choice::Commit(list) => list
                .iter()
                .any(|one| self.model.transitions[one.transition].interrupt),
            _ => false,
        };
        for transition in matching {
            let plain = !self.model.transitions[transition].interrupt;
            let rest = if alone && plain {
                Outcome::Outranked
            } else {
                Outcome::NotReached
            };
            outcomes.entry(transition).or_insert(rest);
        }
        env.report.selections.push(Selection {
            cause: cause.clone(),
            outcomes,
        });
        choice
    }

    fn choose(
        &mut self,
        env: &mut Env<'_>,
        occasion: Occasion,
        cause: &Cause,
        outcomes: &mut Outcomes,
    ) -> Choice {
        // (a) Interrupts of all active states, in pre-order: the first enabled stands alone.
        for state in self.active.clone() {
            if let Answer::Found(found) =
                self.ask_state(env, state, true, occasion, cause, outcomes)
            {
                outcomes.insert(found.transition, Outcome::Taken);
                return Choice::Commit(vec![found]);
            }
        }
        // (b) Per leaf, from leaf to root, the first enabled transition; the first deferring state
        // ends the search.
        let mut answers: BTreeMap<usize, Answer> = BTreeMap::new();
        let mut found: Vec<Candidate> = Vec::new();
        let (mut deferred, mut stored, mut stayed) = (false, false, false);
        for leaf in self.leaves() {
            let path: Vec<usize> = self.model.up(leaf).collect();
            for state in path {
                let ask = || self.ask_state(env, state, false, occasion, cause, outcomes);
                match answers.entry(state).or_insert_with(ask) {
                    Answer::Found(candidate) => {
                        if found
                            .iter()
                            .all(|other| other.transition != candidate.transition)
                        {
                            found.push(candidate.clone());
                        }
                        break;
                    }
                    Answer::Stored => {
                        stored = true;
                        break;
                    }
                    Answer::Stay => {
                        stayed = true;
                        break;
                    }
                    Answer::Nobody => {}
                }
                if let Occasion::Event(id) = occasion
                    && self.model.states[state].defers.contains(&id)
                {
                    deferred = true;
                    break;
                }
            }
        }
        match (found.is_empty(), stored, stayed, deferred) {
            (false, ..) => Choice::Commit(self.arbitrate(found, outcomes)),
            (true, true, ..) => Choice::Stored,
            (true, false, true, _) => Choice::Stay,
            (true, false, false, true) => Choice::Defer,
            (true, false, false, false) => Choice::Nothing,
        }
    }

    /// Conflicts (SEL-4). What is accepted keeps the order of the first leaf that found it.
    fn arbitrate(&self, found: Vec<Candidate>, outcomes: &mut Outcomes) -> Vec<Candidate> {
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by_key(|&at| {
            let transition = found[at].transition;
            let record = &self.model.transitions[transition];
            (
                std::cmp::Reverse(record.priority),
                self.model.states[record.source].post,
                transition,
            )
        });
        let mut left: BTreeSet<usize> = BTreeSet::new();
        let mut accepted = BTreeSet::new();
        for at in order {
            if found[at].exits.is_disjoint(&left) {
                left.extend(&found[at].exits);
                accepted.insert(at);
                outcomes.insert(found[at].transition, Outcome::Taken);
            } else {
                outcomes.insert(found[at].transition, Outcome::LostConflict);
            }
        }
        found
            .into_iter()
            .enumerate()
            .filter(|(at, _)| accepted.contains(at))
            .map(|(_, one)| one)
            .collect()
    }

    /// Transitions of a state whose trigger matches, in the order of their numbers; a latched one
    /// in the first round.
    fn matching(&self, state: usize, occasion: Occasion) -> Vec<usize> {
        let latched = self.latched_now(state, occasion);
        let wanted =
            |&transition: &usize| Some(transition) == latched || self.matches(transition, occasion);
        self.model.states[state]
            .transitions
            .iter()
            .copied()
            .filter(wanted)
            .collect()
    }

    fn latched_now(&self, state: usize, occasion: Occasion) -> Option<usize> {
        let first = occasion == Occasion::Eventless { first: true };
        self.latched.get(&state).copied().filter(|_| first)
    }

    fn matches(&self, transition: usize, occasion: Occasion) -> bool {
        let record = &self.model.transitions[transition];
        let result = self.results.get(&record.source);
        match (occasion, record.trigger) {
            (Occasion::Event(_), Trigger::Any) => true,
            (Occasion::Event(id) | Occasion::TimerAsEvent(id), Trigger::Event(wanted)) => {
                id == wanted
            }
            (Occasion::Timer(timer), Trigger::Timer(wanted)) => timer == wanted,
            (Occasion::Eventless { .. }, Trigger::Always) => true,
            (Occasion::Eventless { .. }, Trigger::Done) => {
                self.is_complete(record.source) || result == Some(&Status::Succeeded)
            }
            (Occasion::Eventless { .. }, Trigger::Failed) => result == Some(&Status::Failed),
            _ => false,
        }
    }

    /// The first enabled transition of a state's list (SEL-3), interrupts or the others.
    fn ask_state(
        &mut self,
        env: &mut Env<'_>,
        state: usize,
        interrupts: bool,
        occasion: Occasion,
        cause: &Cause,
        outcomes: &mut Outcomes,
    ) -> Answer {
        let model = self.model.clone();
        let latched = self.latched_now(state, occasion).filter(|_| !interrupts);
        let mut list = self.matching(state, occasion);
        list.retain(|&transition| model.transitions[transition].interrupt == interrupts);
        let mut judged: BTreeSet<usize> = BTreeSet::new();
        for &transition in &list {
            if judged.contains(&transition) {
                continue;
            }
            let found = if Some(transition) == latched {
                judged.insert(transition);
                self.ask_latched(env, transition, outcomes)
                    .map_or(Answer::Nobody, Answer::Found)
            } else {
                let group: Vec<usize> = list
                    .iter()
                    .copied()
                    .filter(|&o| Some(o) != latched && self.is_grouped(transition, o))
                    .collect();
                judged.extend(&group);
                self.ask_group(env, &group, occasion, cause, outcomes)
            };
            match found {
                Answer::Nobody => {}
                found => return found,
            }
        }
        Answer::Nobody
    }

    /// Scored transitions of one trigger and priority are judged as a whole.
    fn is_grouped(&self, one: usize, other: usize) -> bool {
        let (a, b) = (&self.model.transitions[one], &self.model.transitions[other]);
        one == other
            || (a.score.is_some()
                && b.score.is_some()
                && a.trigger == b.trigger
                && a.priority == b.priority)
    }

    fn candidate(&self, transition: usize, cause: &Cause) -> Candidate {
        let domain = self.domain(transition);
        Candidate {
            transition,
            exits: self.exit_set(&domain),
            domain,
            cause: cause.clone(),
        }
    }

    /// A stored transition is asked cooldown, stack, min-active and exit_ready only.
    fn ask_latched(
        &mut self,
        env: &mut Env<'_>,
        transition: usize,
        outcomes: &mut Outcomes,
    ) -> Option<Candidate> {
        let cause = match self.model.transitions[transition].trigger {
            Trigger::Event(id) => Cause::Event {
                id,
                payload: [0; 4],
            },
            _ => Cause::None,
        };
        let early = self
            .cooldown_allows(transition, env.tick)
            .and_then(|()| self.stack_allows(transition));
        if let Err(reason) = early {
            outcomes.insert(transition, reason);
            return None;
        }
        let candidate = self.candidate(transition, &cause);
        match self.exit_allows(env, transition, &candidate.exits, &cause) {
            Ok(()) => Some(candidate),
            Err(reason) => {
                outcomes.insert(transition, reason);
                None
            }
        }
    }

    /// A single transition, or a scored group.
    fn ask_group(
        &mut self,
        env: &mut Env<'_>,
        group: &[usize],
        occasion: Occasion,
        cause: &Cause,
        outcomes: &mut Outcomes,
    ) -> Answer {
        let model = self.model.clone();
        let mut left: Vec<usize> = Vec::new();
        for &transition in group {
            let answer = self
                .cooldown_allows(transition, env.tick)
                .and_then(|()| self.stack_allows(transition))
                .and_then(|()| self.guard_allows(env, transition, cause));
            match answer {
                Ok(()) => left.push(transition),
                Err(reason) => {
                    outcomes.insert(transition, reason);
                }
            }
        }
        let mut scored: Vec<(usize, Option<f32>)> = Vec::new();
        for transition in left {
            let record = &model.transitions[transition];
            let site = Site {
                state: record.source,
                transition: Some(transition),
                cause: cause.clone(),
            };
            scored.push((
                transition,
                record
                    .score
                    .as_ref()
                    .map(|score| self.score(env, score, &site)),
            ));
        }
        scored.sort_by(|(_, a), (_, b)| best_first(*a, *b));
        for (transition, score) in scored {
            let record = &model.transitions[transition];
            let site = Site {
                state: record.source,
                transition: Some(transition),
                cause: cause.clone(),
            };
            let threshold = match &record.threshold {
                Some(code) => self.value(env, code, &site).float(),
                None => 0.0,
            };
            // NaN is below any threshold, and nothing reaches a threshold of NaN.
            let reaches = |score: f32| score >= threshold;
            if score.is_some_and(|score| !reaches(score)) {
                outcomes.insert(transition, Outcome::BelowThreshold);
                continue;
            }
            if record.stay {
                outcomes.insert(transition, Outcome::Stayed);
                return Answer::Stay;
            }
            let candidate = self.candidate(transition, cause);
            if record.interrupt {
                return Answer::Found(candidate);
            }
            match self.exit_allows(env, transition, &candidate.exits, cause) {
                Ok(()) => return Answer::Found(candidate),
                Err(reason) => {
                    outcomes.insert(transition, reason);
                    // Storing takes the event; an eventless round has none to take and goes on.
                    if self.latch(transition) && !matches!(occasion, Occasion::Eventless { .. }) {
                        return Answer::Stored;
                    }
                }
            }
        }
        Answer::Nobody
    }
}

/// Higher scores first, NaN last; equal ones stay in declaration order, because the sort is stable.
fn best_first(a: Option<f32>, b: Option<f32>) -> std::cmp::Ordering {
    let of = |score: Option<f32>| score.filter(|score| !score.is_nan());
    match (of(a), of(b)) {
        (Some(a), Some(b)) => b.partial_cmp(&a).expect("neither is NaN"),
        (Some(_), None) => std::cmp::Ordering::Less,
        (None, Some(_)) => std::cmp::Ordering::Greater,
        (None, None) => std::cmp::Ordering::Equal,
    }
}
