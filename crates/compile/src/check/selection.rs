//! How transitions of one state compete (SEL-2, SEL-3, SEL-6): what is not allowed, and what can never win.

use std::collections::{BTreeMap, HashMap};

use statewright_author::codes::Code;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};

use super::Planned;
use crate::model::{Model, Transition, Trigger};
use crate::stable::is_own;
use crate::tree::StateIndex;

/// Rules that need no plans.
pub fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    // A field that could not be read is missing, too.
    let all_read = !diagnostics.has_errors();
    for transition in &model.transitions {
        check_one(transition, diagnostics);
        if all_read && does_nothing(transition) {
            diagnostics.push(nothing(transition));
        }
    }
    for part in &model.parts {
        check_scores(&model.transitions[part.transitions.clone()], diagnostics);
    }
}

fn check_one(transition: &Transition<'_>, diagnostics: &mut Diagnostics) {
    let authored = &transition.authored;
    if let Some(debounce) = authored.debounce.as_ref().filter(|_| transition.trigger != Trigger::Always) {
        diagnostics.push(
            Diagnostic::new(Code::DebounceNeedsAlways, debounce.place, "`debounce` needs `\"when\": \"always\"`")
                .label("no guard that could stay true")
                .related(transition.place(), "this trigger is over at once")
                .help("write `\"when\": \"always\"` with a guard, or use `cooldown` to limit how often it is taken"),
        );
    }
    if let Some(threshold) = authored.threshold.as_ref().filter(|_| authored.score.is_none()) {
        diagnostics.push(
            Diagnostic::new(Code::ThresholdWithoutScore, threshold.place, "a threshold without a score")
                .label("compared with nothing")
                .help("add `\"score\"`, or remove `threshold`"),
        );
    }
    let may_interrupt = matches!(transition.trigger, Trigger::Event(_) | Trigger::Any | Trigger::Always);
    if authored.interrupt && !may_interrupt {
        diagnostics.push(
            Diagnostic::new(
                Code::BadInterrupt,
                transition.place(),
                "an interrupt needs an event, any event or `always`",
            )
            .label("this trigger cannot interrupt")
            .help("remove `interrupt`, or give it the trigger `on` or `\"when\": \"always\"`"),
        );
    }
}

/// Whether nothing happens when it is taken, and the author did not say that this is meant.
fn does_nothing(transition: &Transition<'_>) -> bool {
    let authored = &transition.authored;
    let leads_nowhere = authored.targets.is_empty() && authored.sync.is_empty() && authored.stack.is_none();
    // `always`, `done` and `failed` without a target are reported as what they lead to.
    leads_nowhere && authored.effect.is_empty() && authored.kind.is_none() && !transition.trigger.is_eventless()
}

fn nothing(transition: &Transition<'_>) -> Diagnostic {
    Diagnostic::new(Code::DoesNothing, transition.place(), "this transition does nothing")
        .label("has neither `to` nor `do`")
        .help("add `\"to\": \"…\"`; to keep the event from the states around, write `\"kind\": \"internal\"`")
}

/// Per trigger and priority, all or none are scored.
fn check_scores(transitions: &[Transition<'_>], diagnostics: &mut Diagnostics) {
    let mut groups: BTreeMap<(Trigger, u8), &Transition<'_>> = BTreeMap::new();
    if transitions.iter().all(|transition| transition.authored.score.is_none()) {
        return;
    }
    for transition in transitions {
        let first = *groups.entry((transition.trigger, transition.priority)).or_insert(transition);
        if first.authored.score.is_some() != transition.authored.score.is_some() {
            let (scored, plain) =
                if first.authored.score.is_some() { (first, transition) } else { (transition, first) };
            diagnostics.push(
                Diagnostic::new(
                    Code::MixedScores,
                    plain.place(),
                    "of transitions with the same trigger and priority, some are scored and some are not",
                )
                .label("has no score")
                .related(scored.place(), "has a score")
                .help("add a `score` to this one, too, or give it another `priority`"),
            );
            return;
        }
    }
}

/// Whether a transition is taken whenever it is asked.
fn always_enabled(transition: &Transition<'_>) -> bool {
    transition.guard.is_none()
        && transition.score.is_none()
        && transition.cooldown == 0
        && transition.debounce == 0
        && transition.stack.is_none()
        && !transition.authored.latch
}

/// Whether every occurrence of `later`'s trigger is one of `earlier`'s.
fn covers(earlier: Trigger, later: Trigger) -> bool {
    match earlier {
        Trigger::Any => matches!(later, Trigger::Event(_) | Trigger::Any),
        Trigger::Always => later.is_eventless(),
        _ => earlier == later,
    }
}

/// Transitions that come after one that is always taken first.
pub fn check_shadowed(planned: &Planned<'_, '_>, diagnostics: &mut Diagnostics) {
    let model = planned.model;
    let has_conditions = model.parts.iter().any(|part| part.exit_ready.is_some() || part.min_active > 0);
    for part in &model.parts {
        // In selection order; interrupts are asked before the others.
        let mut order: Vec<&Transition<'_>> = model.transitions[part.transitions.clone()].iter().collect();
        order.sort_by_key(|t| (!t.authored.interrupt, std::cmp::Reverse(t.priority)));
        let mut blockers: Vec<&Transition<'_>> = Vec::new();
        let mut blocked: HashMap<Trigger, &Transition<'_>> = HashMap::new();
        for later in order {
            let by = blocked.get(&later.trigger).copied();
            let by = by.or_else(|| blockers.iter().copied().find(|earlier| covers(earlier.trigger, later.trigger)));
            match by {
                // A state may answer before the sets and any-state lists that it shares with others.
                Some(_) if !is_own(model, later) => {}
                Some(earlier) => diagnostics.push(shadowed(model, earlier, later)),
                // Exit conditions can reject the first one, so that a later one gets its turn.
                None if always_enabled(later) && (!has_conditions || later.targets.is_empty()) => {
                    blocked.insert(later.trigger, later);
                    if matches!(later.trigger, Trigger::Any | Trigger::Always) {
                        blockers.push(later);
                    }
                }
                None => {}
            }
        }
    }
}

fn shadowed(model: &Model<'_>, earlier: &Transition<'_>, later: &Transition<'_>) -> Diagnostic {
    let text = format!("this transition of `{}` can never be taken", model.tree.path(later.source));
    Diagnostic::new(Code::Shadowed, later.place(), text)
        .label("never reached")
        .related(earlier.place(), "always taken first: it has no guard")
        .help("write this one before the other, give it a higher `priority`, or guard the other with `if`")
}

/// A latched transition that nothing can hold back.
pub fn check_latches(planned: &Planned<'_, '_>, diagnostics: &mut Diagnostics) {
    let model = planned.model;
    let waits = |state: StateIndex| model.parts[state].exit_ready.is_some() || model.parts[state].min_active > 0;
    for (place, &from) in planned.order.iter().enumerate() {
        let transition = &model.transitions[from];
        if !transition.authored.latch {
            continue;
        }
        let domain = usize::from(planned.tables.transitions[place].domain.get());
        let exited = domain + 1..model.tree.states[domain].end;
        if transition.authored.interrupt || !exited.into_iter().any(waits) {
            diagnostics.push(
                Diagnostic::new(Code::LatchWithoutWait, transition.place(), "`latch` has no effect here")
                    .label("nothing holds this transition back")
                    .help("add `exit_ready` or `min_active` to a state that it leaves, or remove `latch`"),
            );
        }
    }
}
