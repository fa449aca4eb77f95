//! Events that raise each other in a circle, without a guard on the way (TICK-4 stops them at run
//! time).
//!
//! Only circles that certainly go on are reported: each transition is the first that its event
//! finds, nothing holds it back, and the source of the next one is active.

use std::collections::{BTreeSet, HashMap, HashSet};

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::StateKind;

use super::Planned;
use super::eventless::{Link, active_after, find_circle, is_free};
use crate::actions::{certain, own_post};
use crate::index::{ActionListIndex, EventIndex, Index, StateIndex, TransitionIndex};
use crate::model::{Model, Transition, Trigger};

/// How many circles are reported.
const MOST_CIRCLES: usize = 16;

/// How many transitions in other regions are looked at for one event.
const MOST_ELSEWHERE: usize = 64;

/// Reports circles, those of one transition first.
pub fn check(planned: &Planned<'_, '_>, diagnostics: &mut Diagnostics) {
    let model = planned.model;
    if model
        .machine
        .policies
        .posted_next_tick
        .as_ref()
        .is_some_and(|next| next.value)
    {
        return;
    }
    let steps = steps(planned);
    let links = links(planned, &steps);
    let mut left: Vec<bool> = vec![true; links.len()];
    for (index, link) in links
        .iter()
        .enumerate()
        .filter(|(index, link)| link.next.contains(index))
    {
        left[index] = false;
        diagnostics.push(itself(model, &model.transitions[link.transition]));
    }
    for _ in 0..MOST_CIRCLES {
        let Some(circle) = find_circle(&links, |link| left[link]) else {
            return;
        };
        circle.iter().for_each(|&link| left[link] = false);
        let circle: Vec<&RaisingTransition> = circle.iter().map(|&link| &steps[link]).collect();
        if goes_round(model, &circle) {
            diagnostics.push(describe(model, &circle));
        }
    }
}

/// A transition that its event always starts, and that raises events itself.
struct RaisingTransition {
    transition: TransitionIndex,
    event: EventIndex,
    source: StateIndex,
    raises: BTreeSet<EventIndex>,
    /// States that are certainly active afterwards.
    active: BTreeSet<StateIndex>,
    /// What it leaves, if it leaves something: everything active below this state.
    domain: Option<StateIndex>,
    /// Where it goes, each as the state at or around it.
    anchors: Vec<StateIndex>,
}

fn steps(planned: &Planned<'_, '_>) -> Vec<RaisingTransition> {
    let model = planned.model;
    let raising = |list: Option<ActionListIndex>| {
        list.is_some_and(|list| raised(model, list).next().is_some())
    };
    let in_states = model
        .resolved
        .iter()
        .any(|state| raising(state.entry) || raising(state.exit));
    if !in_states
        && !model
            .transitions
            .iter()
            .any(|transition| raising(transition.effect))
    {
        return Vec::new();
    }
    let handlers = Handlers::new(model);
    let mut steps = Vec::new();
    for (index, &from) in planned.order.enumerate() {
        let transition = &model.transitions[from];
        let Trigger::Event(event) = transition.trigger else {
            continue;
        };
        if !handlers.always_reach(model, from, event) {
            continue;
        }
        let domain = planned.domain(index);
        let active = active_after(planned, index);
        let raises = raises(model, transition, domain, &active);
        // An `always` moves on before the next event is taken.
        if !raises.is_empty() && active.is_disjoint(&handlers.moving_on) {
            let anchors = transition
                .targets
                .iter()
                .map(|&target| model.tree.anchor(target))
                .collect();
            let domain = (!transition.targets.is_empty()).then_some(domain);
            steps.push(RaisingTransition {
                transition: from,
                event,
                source: transition.source,
                raises,
                active,
                domain,
                anchors,
            });
        }
    }
    steps
}

/// Events that a transition raises: in the exits, its effect, and the entries that are certain.
fn raises(
    model: &Model<'_>,
    transition: &Transition<'_>,
    domain: StateIndex,
    active: &BTreeSet<StateIndex>,
) -> BTreeSet<EventIndex> {
    let left = std::iter::once(transition.source).chain(model.tree.ancestors(transition.source));
    let left = left.take_while(|&state| !transition.targets.is_empty() && state != domain);
    let entered = active
        .range(domain.next()..)
        .filter(|_| !transition.targets.is_empty());
    let exits = left.filter_map(|state| model.resolved[state].exit);
    let entries = entered.filter_map(|&state| model.resolved[state].entry);
    exits
        .chain(transition.effect)
        .chain(entries)
        .flat_map(|list| raised(model, list))
        .collect()
}

/// Events that a list of actions posts to the agent itself in any case.
fn raised<'m>(
    model: &'m Model<'_>,
    list: ActionListIndex,
) -> impl Iterator<Item = EventIndex> + 'm {
    certain(model.actions.actions_of(list)).filter_map(own_post)
}

/// Who reacts to what.
struct Handlers {
    /// States with transitions on an event or a deferral of it, in order.
    of_event: HashMap<EventIndex, Vec<StateIndex>>,
    /// States with transitions on any event, in order.
    of_any: Vec<StateIndex>,
    /// Interrupt transitions by event.
    interrupts: HashMap<EventIndex, usize>,
    /// Interrupt transitions on any event.
    any_interrupts: usize,
    /// The first transition of a state that an event finds.
    first: HashMap<(StateIndex, EventIndex), TransitionIndex>,
    /// States that are left at once.
    moving_on: BTreeSet<StateIndex>,
    /// Some state says when it may be left.
    has_conditions: bool,
}

impl Handlers {
    fn new(model: &Model<'_>) -> Self {
        let mut handlers = Self {
            of_event: HashMap::new(),
            of_any: Vec::new(),
            interrupts: HashMap::new(),
            any_interrupts: 0,
            first: HashMap::new(),
            moving_on: BTreeSet::new(),
            has_conditions: model
                .resolved
                .iter()
                .any(|state| state.exit_ready.is_some() || state.min_active.is_some()),
        };
        for (state, resolved) in model.resolved.enumerate() {
            resolved
                .defers
                .iter()
                .for_each(|&(event, _)| handlers.of_event.entry(event).or_default().push(state));
            let mut order: Vec<TransitionIndex> = resolved.transitions.clone().collect();
            order.sort_by_key(|&t| rank(&model.transitions[t]));
            order
                .into_iter()
                .for_each(|t| handlers.add(t, &model.transitions[t]));
        }
        handlers
    }

    fn add(&mut self, index: TransitionIndex, transition: &Transition<'_>) {
        let source = transition.source;
        let interrupt = usize::from(transition.authored.interrupt.is_some());
        match transition.trigger {
            Trigger::Event(event) => {
                self.of_event.entry(event).or_default().push(source);
                *self.interrupts.entry(event).or_default() += interrupt;
                self.first.entry((source, event)).or_insert(index);
            }
            Trigger::Any => {
                self.of_any.push(source);
                self.any_interrupts += interrupt;
            }
            Trigger::Always if is_free(transition) && !transition.targets.is_empty() => {
                self.moving_on.insert(source);
            }
            _ => {}
        }
    }

    /// Whether an event always starts a transition while its source is active.
    fn always_reach(&self, model: &Model<'_>, index: TransitionIndex, event: EventIndex) -> bool {
        let transition = &model.transitions[index];
        let interrupt = transition.authored.interrupt.is_some();
        let held = self.has_conditions && !transition.targets.is_empty() && !interrupt;
        let inside = transition.source.next()..model.tree.states[transition.source].end;
        let none_inside = |states: &Vec<StateIndex>| {
            states
                .get(states.partition_point(|&state| state < inside.start))
                .is_none_or(|&state| state >= inside.end)
        };
        let outranked = if interrupt {
            self.interrupts.get(&event).copied().unwrap_or(0) + self.any_interrupts > 1
        } else {
            let on_event =
                self.interrupts.get(&event).copied().unwrap_or(0) + self.any_interrupts > 0;
            on_event
                || !self.of_event.get(&event).is_none_or(none_inside)
                || !none_inside(&self.of_any)
        };
        is_free(transition)
            && transition.stack.is_none()
            && transition.authored.latch.is_none()
            && !held
            && !outranked
            && self.first.get(&(transition.source, event)) == Some(&index)
            // One on any event in the same state may come first.
            && self.of_any.binary_search(&transition.source).is_err()
    }
}

/// Order of selection in a state.
fn rank(transition: &Transition<'_>) -> (bool, std::cmp::Reverse<u8>) {
    (
        transition.authored.interrupt.is_none(),
        std::cmp::Reverse(transition.priority),
    )
}

/// Which step follows which: its event is raised and its source is active, or stays so elsewhere.
fn links(planned: &Planned<'_, '_>, steps: &[RaisingTransition]) -> Vec<Link> {
    let model = planned.model;
    let mut of_source: HashMap<(StateIndex, EventIndex), usize> = HashMap::new();
    let mut staying: HashMap<EventIndex, Vec<usize>> = HashMap::new();
    for (index, step) in steps.iter().enumerate() {
        of_source.insert((step.source, step.event), index);
        if step.active.contains(&step.source) {
            staying.entry(step.event).or_default().push(index);
        }
    }
    let next = |step: &RaisingTransition| {
        let mut next: Vec<usize> = Vec::new();
        for &event in &step.raises {
            next.extend(
                step.active
                    .iter()
                    .filter_map(|&state| of_source.get(&(state, event))),
            );
            let elsewhere = staying
                .get(&event)
                .into_iter()
                .flatten()
                .take(MOST_ELSEWHERE);
            next.extend(elsewhere.filter(|&&other| leaves_alone(model, step, steps[other].source)));
        }
        let mut seen = HashSet::new();
        next.retain(|&link| seen.insert(link));
        next
    };
    steps
        .iter()
        .map(|step| Link {
            transition: step.transition,
            next: next(step),
        })
        .collect()
}

/// Whether a state that may be active during a step is neither left nor entered by it.
fn leaves_alone(model: &Model<'_>, step: &RaisingTransition, state: StateIndex) -> bool {
    let tree = &model.tree;
    let common = tree.common_ancestor(step.source, state);
    let related = common == step.source || common == state;
    let region = |inside| {
        tree.child_towards(common, inside)
            .and_then(|child| tree.states[child].region)
    };
    let beside =
        tree.states[common].kind == StateKind::Orthogonal && region(step.source) != region(state);
    match step.domain {
        None => related || beside,
        Some(_) if related || !beside => false,
        // The region of the source alone is left.
        Some(domain) if domain == common => step
            .anchors
            .iter()
            .all(|&anchor| region(anchor) == region(step.source)),
        Some(domain) => tree.contains(common, domain),
    }
}

/// Whether each source that is only known to stay active does so all the way round.
fn goes_round(model: &Model<'_>, circle: &[&RaisingTransition]) -> bool {
    circle.iter().enumerate().all(|(index, step)| {
        let before = circle[(index + circle.len() - 1) % circle.len()];
        let kept = |other: &&RaisingTransition| {
            other.active.contains(&step.source) || leaves_alone(model, other, step.source)
        };
        before.active.contains(&step.source) || circle.iter().all(kept)
    })
}

fn itself(model: &Model<'_>, transition: &Transition<'_>) -> Diagnostic {
    let event = if let Trigger::Event(event) = transition.trigger {
        event
    } else {
        EventIndex::new(0)
    };
    let name = &model.machine.events[event.position()].name.value;
    let text = format!("this transition on `{name}` sends `{name}` to itself, without a guard");
    Diagnostic::new(DiagnosticCode::PossibleLivelock, transition.span(), text)
        .label("goes on without end")
        .note("a tick would take this until its cap, and be clamped")
        .help("give it a guard, or use a timer")
}

fn describe(model: &Model<'_>, circle: &[&RaisingTransition]) -> Diagnostic {
    const MOST_SHOWN: usize = 6;
    let name = |step: &&RaisingTransition| {
        format!(
            "`{}`",
            model.machine.events[step.event.position()].name.value
        )
    };
    let mut names: Vec<String> = circle.iter().take(MOST_SHOWN).map(name).collect();
    if circle.len() > MOST_SHOWN {
        names.push("…".to_owned());
    }
    names.push(names[0].clone());
    let span = |step: &RaisingTransition| model.transitions[step.transition].span();
    let text = format!(
        "events raise each other in a circle, without a guard: {}",
        names.join(" → ")
    );
    let problem = Diagnostic::new(DiagnosticCode::PossibleLivelock, span(circle[0]), text)
        .label("part of the circle");
    let rest = circle[1..].iter().take(MOST_SHOWN);
    rest.fold(problem, |problem, step| {
        problem.related(span(step), "and this")
    })
    .note("a tick would take these until its cap, and be clamped")
    .help("give one of them a guard, or use a timer")
}
