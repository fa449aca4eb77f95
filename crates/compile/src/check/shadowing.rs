//! Transitions that can never win (SEL-2, SEL-3): one of the same state is always taken first, or
//! an interrupt of a state around, or one in every state inside.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::graph::StateKind;

use crate::index::{EventIndex, IndexVec, StateIndex};
use crate::model::{Model, Transition, Trigger};
use crate::stable::is_own;

/// Reports each of them once.
pub fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let shadows = Shadows::new(model);
    let inside = shadows.taken_inside();
    let mut around = Interrupts::default();
    for (state, taken) in inside.enumerate() {
        let mut before = Taken::default();
        for later in in_order(model, state) {
            let beside = shadows
                .find(&before, later.trigger)
                .map(|by| (by, Level::Beside));
            let above = || {
                around
                    .find(&shadows, state, later.trigger)
                    .map(|by| (by, Level::Around))
            };
            let below = || {
                let by = shadows
                    .find(taken, later.trigger)
                    .filter(|_| later.authored.interrupt.is_none());
                by.map(|by| (by, Level::Inside))
            };
            match beside.or_else(above).or_else(below) {
                // A state may answer before the sets and any-state lists that it shares with
                // others.
                Some(_) if !is_own(model, later) => {}
                Some((earlier, level)) => diagnostics.push(shadowed(model, earlier, later, level)),
                None if shadows.is_always_taken(later) => before.add(later),
                None => {}
            }
        }
        around.enter(model, state);
    }
}

/// Where the one stands that is taken first.
#[derive(Clone, Copy)]
enum Level {
    Beside,
    Around,
    Inside,
}

/// Transitions of a state in the order of selection; interrupts are asked before the others.
fn in_order<'m, 'a>(model: &'m Model<'a>, state: StateIndex) -> Vec<&'m Transition<'a>> {
    let mut order: Vec<_> = model.transitions[model.resolved[state].transitions.clone()]
        .iter()
        .collect();
    order.sort_by_key(|transition| {
        (
            transition.authored.interrupt.is_none(),
            Reverse(transition.priority),
        )
    });
    order
}

/// Whether a transition is taken whenever it is asked, as far as it decides itself.
fn always_enabled(transition: &Transition<'_>) -> bool {
    transition.guard.is_none()
        && transition.score.is_none()
        && !transition.cooldown.is_some()
        && !transition.debounce.is_some()
        && transition.stack.is_none()
        && transition.authored.latch.is_none()
}

/// Triggers that certainly start something, each with a transition that shows it.
#[derive(Clone, Default)]
struct Taken<'m, 'a>(HashMap<Trigger, &'m Transition<'a>>);

impl<'m, 'a> Taken<'m, 'a> {
    fn add(&mut self, transition: &'m Transition<'a>) {
        self.0.entry(transition.trigger).or_insert(transition);
    }
}

/// What is known of the whole machine.
struct Shadows<'m, 'a> {
    model: &'m Model<'a>,
    /// Exit conditions can reject a transition, so that a later one gets its turn.
    has_conditions: bool,
    /// Events that a timer may stand for: `any` does not see the timer.
    from_timers: HashSet<EventIndex>,
}

impl<'m, 'a> Shadows<'m, 'a> {
    fn new(model: &'m Model<'a>) -> Self {
        Self {
            model,
            has_conditions: model
                .resolved
                .iter()
                .any(|state| state.exit_ready.is_some() || state.min_active.is_some()),
            from_timers: model
                .timers
                .iter()
                .filter_map(|timer| timer.event)
                .collect(),
        }
    }

    fn is_always_taken(&self, transition: &Transition<'_>) -> bool {
        // Interrupts ignore exit conditions.
        let held = self.has_conditions
            && !transition.targets.is_empty()
            && transition.authored.interrupt.is_none();
        always_enabled(transition) && !held
    }

    /// Triggers that include every occurrence of this one.
    fn covering(&self, trigger: Trigger) -> impl Iterator<Item = Trigger> {
        let wider = match trigger {
            Trigger::Event(event) => (!self.from_timers.contains(&event)).then_some(Trigger::Any),
            Trigger::Done | Trigger::Failed => Some(Trigger::Always),
            _ => None,
        };
        std::iter::once(trigger).chain(wider)
    }

    fn find(&self, taken: &Taken<'m, 'a>, trigger: Trigger) -> Option<&'m Transition<'a>> {
        self.covering(trigger)
            .find_map(|trigger| taken.0.get(&trigger).copied())
    }

    /// For each state what is certainly taken inside it, whatever is active there.
    fn taken_inside(&self) -> IndexVec<StateIndex, Taken<'m, 'a>> {
        let tree = &self.model.tree;
        let mut inside = IndexVec::filled(Taken::default(), &tree.states);
        // What a state takes itself, or lets those inside take.
        let mut all: IndexVec<StateIndex, Taken<'m, 'a>> = inside.clone();
        // Children come after their parents.
        for state in tree.states.indices().rev() {
            let regions = tree.states[state].regions.clone();
            let children = regions.flat_map(|region| &tree.regions[region].children);
            let children: Vec<StateIndex> = children
                .copied()
                .filter(|&child| tree.states[child].kind != StateKind::Choice)
                .collect();
            inside[state] = self.common(&children, &all);
            let mut taken = inside[state].clone();
            in_order(self.model, state)
                .into_iter()
                .filter(|t| self.is_always_taken(t))
                .for_each(|t| taken.add(t));
            all[state] = taken;
            children
                .into_iter()
                .for_each(|child| all[child] = Taken::default());
        }
        inside
    }

    /// What every one of these states takes.
    fn common(
        &self,
        states: &[StateIndex],
        all: &IndexVec<StateIndex, Taken<'m, 'a>>,
    ) -> Taken<'m, 'a> {
        let is_wide = |&&state: &&StateIndex| all[state].0.contains_key(&Trigger::Any);
        let Some(smallest) = states
            .iter()
            .filter(|state| !is_wide(state))
            .min_by_key(|&&state| all[state].0.len())
        else {
            // All take any event.
            return states
                .first()
                .map(|&first| all[first].clone())
                .filter(|_| states.len() == 1)
                .unwrap_or_else(|| {
                    let any = states
                        .first()
                        .and_then(|&first| all[first].0.get(&Trigger::Any));
                    Taken(any.into_iter().map(|&any| (Trigger::Any, any)).collect())
                });
        };
        let by_all = |trigger: &Trigger| {
            states
                .iter()
                .all(|&state| self.find(&all[state], *trigger).is_some())
        };
        let common = all[*smallest]
            .0
            .iter()
            .filter(|(trigger, _)| by_all(trigger));
        Taken(
            common
                .map(|(&trigger, &transition)| (trigger, transition))
                .collect(),
        )
    }
}

/// Interrupts of the states around, each with the end of its state.
#[derive(Default)]
struct Interrupts<'m, 'a>(HashMap<Trigger, Vec<(StateIndex, &'m Transition<'a>)>>);

impl<'m, 'a> Interrupts<'m, 'a> {
    fn enter(&mut self, model: &'m Model<'a>, state: StateIndex) {
        let end = model.tree.states[state].end;
        let own = &model.transitions[model.resolved[state].transitions.clone()];
        for interrupt in own
            .iter()
            .filter(|t| t.authored.interrupt.is_some() && always_enabled(t))
        {
            let open = self.0.entry(interrupt.trigger).or_default();
            // States come in pre-order, so what has ended does not come back.
            open.retain(|&(end, _)| end > state);
            // One that ends here, too, is of the same state or of one around.
            if open.last().is_none_or(|&(last, _)| last != end) {
                open.push((end, interrupt));
            }
        }
    }

    fn find(
        &self,
        shadows: &Shadows<'m, 'a>,
        state: StateIndex,
        trigger: Trigger,
    ) -> Option<&'m Transition<'a>> {
        let open = |trigger: Trigger| {
            self.0
                .get(&trigger)
                .into_iter()
                .flatten()
                .find(|&&(end, _)| end > state)
        };
        shadows
            .covering(trigger)
            .find_map(|trigger| open(trigger).map(|&(_, interrupt)| interrupt))
    }
}

fn shadowed(
    model: &Model<'_>,
    earlier: &Transition<'_>,
    later: &Transition<'_>,
    level: Level,
) -> Diagnostic {
    let text = format!(
        "this transition of `{}` can never be taken",
        model.tree.path(later.source)
    );
    let (why, help) = match level {
        Level::Beside => (
            "always taken first: it has no guard",
            "write this one before the other, give it a higher `priority`, or guard the other with `if`",
        ),
        Level::Around => (
            "always taken first: an interrupt of a state around, without a guard",
            "guard the interrupt with `if`, or remove this one",
        ),
        Level::Inside => (
            "every state inside takes it first, such as here",
            "guard one of those inside with `if`, make this one an `interrupt`, or remove it",
        ),
    };
    Diagnostic::new(DiagnosticCode::Shadowed, later.span(), text)
        .label("never reached")
        .related(earlier.span(), why)
        .help(help)
}
