//! How transitions of one state compete (SEL-2, SEL-3, SEL-6): what is not allowed, and what has no
//! effect.

use std::collections::BTreeMap;

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::span::Span;
use statewright_rom::layout::MAX_SCORED;

use super::Planned;
use crate::index::{IndexRange, StateIndex};
use crate::model::{Model, Transition, Trigger};

/// Rules that need no plans.
pub fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    // A field that could not be read is missing, too.
    let all_read = !diagnostics.has_errors();
    for transition in model.transitions.iter().filter(|t| !t.is_repeated()) {
        check_one(transition, diagnostics);
        check_stay(transition, diagnostics);
        if all_read && does_nothing(transition) {
            diagnostics.push(nothing(transition));
        }
        if all_read && wins_forever(transition) {
            diagnostics.push(scored_stays(transition));
        }
    }
    for state in &model.resolved {
        check_scores(&model.transitions[state.transitions.clone()], diagnostics);
    }
}

fn check_one(transition: &Transition<'_>, diagnostics: &mut Diagnostics) {
    let authored = &transition.authored;
    if let Some(debounce) = authored
        .debounce
        .as_ref()
        .filter(|_| transition.trigger != Trigger::Always)
    {
        diagnostics.push(
            Diagnostic::new(DiagnosticCode::DebounceNeedsAlways, debounce.span, "`debounce` needs `\"when\": \"always\"`")
                .label("no guard that could stay true")
                .related(transition.span(), "this trigger is over at once")
                .help("write `\"when\": \"always\"` with a guard, or use `cooldown` to limit how often it is taken"),
        );
    }
    if let Some(threshold) = authored
        .threshold
        .as_ref()
        .filter(|_| authored.score.is_none())
    {
        diagnostics.push(
            Diagnostic::new(
                DiagnosticCode::ThresholdWithoutScore,
                threshold.span,
                "a threshold without a score",
            )
            .label("compared with nothing")
            .help("add `\"score\"`, or remove `threshold`"),
        );
    }
    let may_interrupt = matches!(
        transition.trigger,
        Trigger::Event(_) | Trigger::Any | Trigger::Always
    );
    if authored.interrupt.is_some() && !may_interrupt {
        diagnostics.push(
            Diagnostic::new(
                DiagnosticCode::BadInterrupt,
                transition.span(),
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
    let leads_nowhere =
        authored.targets.is_empty() && authored.sync.is_empty() && authored.stack.is_none();
    // `always`, `done` and `failed` without a target are reported as what they lead to.
    leads_nowhere
        && authored.effect.is_empty()
        && authored.kind.is_none()
        && authored.stay.is_none()
        && !transition.trigger.is_eventless()
}

/// Whether it wins again and again, because nothing changes when it does.
fn wins_forever(transition: &Transition<'_>) -> bool {
    let authored = &transition.authored;
    transition.trigger == Trigger::Always
        && transition.score.is_some()
        && authored.stay.is_none()
        && transition.targets.is_empty()
        && authored.stack.is_none()
        && !transition.debounce.is_some()
        && !transition.cooldown.is_some()
}

fn scored_stays(transition: &Transition<'_>) -> Diagnostic {
    let text = "this scored `always` transition stays where it is, so it wins again at once";
    Diagnostic::new(DiagnosticCode::ScoredStays, transition.span(), text)
        .label("runs until the tick's cap of microsteps")
        .help("write `\"stay\": true` if it competes for staying, without `do`; else give it a target or a `cooldown`")
}

/// A branch to its own state is no candidate with a score, but the same triggers do not fit
/// (LANG-13): its state would stay complete, and nothing would ever take that.
fn check_branch_that_stays(transition: &Transition<'_>, diagnostics: &mut Diagnostics) {
    if !matches!(transition.trigger, Trigger::Done | Trigger::Failed) {
        return;
    }
    let text = "a branch of a `done` or `failed` decision that names its own state";
    diagnostics.push(
        Diagnostic::new(DiagnosticCode::BadStay, transition.span(), text)
            .label("would stay as it is, without end")
            .help("to start the state over, write `{ \"to\": \"…\", \"reenter\": true }`"),
    );
}

/// What cannot be said of a candidate that means to stay: it is scored, and nothing happens when it
/// wins (LANG-6).
fn check_stay(transition: &Transition<'_>, diagnostics: &mut Diagnostics) {
    let authored = &transition.authored;
    let Some(stay) = authored.stay else {
        return;
    };
    if transition.decided {
        check_branch_that_stays(transition, diagnostics);
        return;
    }
    if authored.score.is_none() {
        diagnostics.push(
            Diagnostic::new(DiagnosticCode::BadStay, stay, "`stay` without a score")
                .label("competes with nothing")
                .help("add `\"score\"`; to keep an event from the states around, write `\"kind\": \"internal\"` instead"),
        );
    }
    let trigger = match transition.trigger {
        Trigger::Done => Some("\"when\": \"done\""),
        Trigger::Failed => Some("\"when\": \"failed\""),
        Trigger::Event(_) | Trigger::Any | Trigger::Timer(_) | Trigger::Always => None,
    };
    if let Some(field) = trigger {
        diagnostics.push(excluded(field, transition.span(), stay).help(
            "write `\"when\": \"always\"` or an event instead, or give it a target and remove `stay`",
        ));
    }
    for (field, span) in fields_beside_stay(transition) {
        let problem = excluded(field, span, stay);
        diagnostics.push(problem.help(format!("remove `{field}`, or `stay`")));
    }
}

fn excluded(field: &str, span: Span, stay: Span) -> Diagnostic {
    let text = format!("`stay` and `{field}` exclude each other");
    Diagnostic::new(DiagnosticCode::BadStay, span, text)
        .label("not with `stay`")
        .related(stay, "nothing happens if it wins")
}

/// What a candidate that means to stay must not have, and where it stands.
fn fields_beside_stay(transition: &Transition<'_>) -> Vec<(&'static str, Span)> {
    let authored = &transition.authored;
    let fields = [
        ("to", authored.targets.first().map(|to| to.span)),
        ("sync", authored.sync.first().map(|(region, _)| region.span)),
        ("do", authored.effect.first().map(|action| action.span)),
        ("kind", authored.kind.as_ref().map(|kind| kind.span)),
        ("stack", authored.stack.as_ref().map(|stack| stack.span)),
        ("interrupt", authored.interrupt),
        ("cooldown", authored.cooldown.as_ref().map(|time| time.span)),
        ("debounce", authored.debounce.as_ref().map(|time| time.span)),
        ("latch", authored.latch),
    ];
    let given = fields.into_iter();
    given
        .filter_map(|(field, span)| Some((field, span?)))
        .collect()
}

fn nothing(transition: &Transition<'_>) -> Diagnostic {
    Diagnostic::new(DiagnosticCode::DoesNothing, transition.span(), "this transition does nothing")
        .label("has neither `to` nor `do`")
        .help("add `\"to\": \"…\"`; to keep the event from the states around, write `\"kind\": \"internal\"`")
}

/// Per trigger and priority, all or none are scored.
fn check_scores(transitions: &[Transition<'_>], diagnostics: &mut Diagnostics) {
    let mut groups: BTreeMap<(Trigger, u8), &Transition<'_>> = BTreeMap::new();
    if transitions
        .iter()
        .all(|transition| transition.authored.score.is_none())
    {
        return;
    }
    for transition in transitions {
        let first = *groups
            .entry((transition.trigger, transition.priority))
            .or_insert(transition);
        if first.authored.score.is_some() != transition.authored.score.is_some() {
            let (scored, plain) = if first.authored.score.is_some() {
                (first, transition)
            } else {
                (transition, first)
            };
            diagnostics.push(
                Diagnostic::new(
                    DiagnosticCode::MixedScores,
                    plain.span(),
                    "of transitions with the same trigger and priority, some are scored and some are not",
                )
                .label("has no score")
                .related(scored.span(), "has a score")
                .help("add a `score` to this one, too, or give it another `priority`"),
            );
            return;
        }
    }
    check_group_sizes(transitions, diagnostics);
}

/// The kernel compares a bounded number of scores.
fn check_group_sizes(transitions: &[Transition<'_>], diagnostics: &mut Diagnostics) {
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    for transition in transitions
        .iter()
        .filter(|transition| transition.authored.score.is_some())
    {
        let count = counts
            .entry((
                transition.trigger,
                transition.priority,
                transition.authored.interrupt.is_some(),
            ))
            .or_default();
        *count += 1;
        if *count == MAX_SCORED + 1 {
            let text = format!("more than {MAX_SCORED} scored transitions compete in one state");
            diagnostics.push(
                Diagnostic::new(DiagnosticCode::TableFull, transition.span(), text)
                    .label("one too many")
                    .help("give some of them another `priority`, or choose in two steps"),
            );
        }
    }
}

/// A latched transition that nothing can hold back.
pub fn check_latches(planned: &Planned<'_, '_>, diagnostics: &mut Diagnostics) {
    let model = planned.model;
    let waits = |state: StateIndex| {
        model.resolved[state].exit_ready.is_some() || model.resolved[state].min_active.is_some()
    };
    for (index, &from) in planned.order.enumerate() {
        let transition = &model.transitions[from];
        let Some(latch) = transition
            .authored
            .latch
            .filter(|_| !transition.is_repeated())
        else {
            continue;
        };
        let domain = planned.domain(index);
        let mut exited = IndexRange::new(domain.next(), model.tree.states[domain].end);
        if transition.authored.interrupt.is_some() || !exited.any(waits) {
            diagnostics.push(
                Diagnostic::new(
                    DiagnosticCode::LatchWithoutWait,
                    latch,
                    "`latch` has no effect here",
                )
                .label("nothing holds this transition back")
                .help(
                    "add `exit_ready` or `min_active` to a state that it leaves, or remove `latch`",
                ),
            );
        }
    }
}
