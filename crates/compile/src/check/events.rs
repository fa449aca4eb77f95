//! Events and named timers: sizes, use, deferral, and what the policy `internal_first` excludes
//! (EVT-1 to EVT-10).

use std::collections::{HashMap, HashSet};

use statewright_author::codes::DiagnosticCode;
use statewright_author::diagnostic::{Diagnostic, Diagnostics};
use statewright_author::limits::MAX_PAYLOAD_BYTES;
use statewright_author::names::OTHER_EVENTS;
use statewright_author::span::Span;
use statewright_rom::layout::SpecialTrigger;

use crate::allocate::Allocation;
use crate::index::{EventIndex, Index, TimerIndex};
use crate::model::{Model, Transition, Trigger};
use crate::tree::too_many;

/// Checks the declarations.
pub fn check(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    check_payloads(model, diagnostics);
    if model
        .machine
        .policies
        .internal_first
        .as_ref()
        .is_some_and(|on| on.value)
    {
        check_internal_first(model, diagnostics);
    }
    let firing = model.timers.iter().filter(|t| t.kind.fires()).count();
    let triggers = model.machine.events.len() + firing;
    let most = usize::from(SpecialTrigger::FIRST) - 1;
    if triggers > most {
        diagnostics.push(too_many(
            "events and timers",
            triggers,
            most,
            model.machine.name.span,
        ));
    }
}

fn check_payloads(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    for event in &model.machine.events {
        let Some(payload) = &event.payload else {
            continue;
        };
        let bytes = payload.value.bytes();
        if bytes > MAX_PAYLOAD_BYTES && !event.indirect {
            let text = format!(
                "event `{}` has a payload of {bytes} bytes",
                event.name.value
            );
            diagnostics.push(
                Diagnostic::new(DiagnosticCode::PayloadTooLarge, payload.span, text)
                    .label(format!("at most {MAX_PAYLOAD_BYTES} fit"))
                    .help(
                        "add `\"indirect\": true` and keep the data in the blackboard; the event then carries an index",
                    ),
            );
        }
    }
    for state in &model.resolved {
        for &(event, span) in &state.defers {
            let declared = &model.machine.events[event.position()];
            if declared.indirect {
                let text = format!(
                    "event `{}` is deferred, but it is indirect",
                    declared.name.value
                );
                diagnostics.push(
                    Diagnostic::new(DiagnosticCode::DefersIndirect, span, text)
                        .label("deferred here")
                        .related(declared.name.span, "indirect")
                        .note("what it points to must still be there when the event is taken later")
                        .help("make sure that the data stays, or carry it in the event"),
                );
            }
        }
    }
}

/// Reports events and timers that nobody handles, sends or starts.
pub fn check_use(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    check_event_use(model, diagnostics);
    check_timer_use(model, diagnostics);
}

fn check_event_use(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let from_timers: HashSet<EventIndex> = model
        .timers
        .iter()
        .filter_map(|timer| timer.event)
        .collect();
    let posted: HashMap<EventIndex, Span> = model
        .usage
        .posted
        .iter()
        .map(|p| (p.value, p.span))
        .collect();
    for (index, event) in model.machine.events.iter().enumerate() {
        let index = EventIndex::new(index);
        let handled = model.usage.handles_any || model.usage.handled.contains(&index);
        match posted.get(&index) {
            _ if handled => {}
            // Who handles it is not in this file: another machine, or nobody yet.
            _ if event.sent && !from_timers.contains(&index) => {}
            Some(&sent) => diagnostics.push(
                Diagnostic::new(
                    DiagnosticCode::Unhandled,
                    sent,
                    format!("nobody handles event `{}`", event.name.value),
                )
                .label("sent here")
                .related(event.name.span, "declared here")
                .help("add a transition on it, or do not send it; if other machines handle it, give it `\"sent\": true`"),
            ),
            None if from_timers.contains(&index) => diagnostics.push(
                Diagnostic::new(
                    DiagnosticCode::Unhandled,
                    event.name.span,
                    format!(
                        "a timer fires as event `{}`, which nobody handles",
                        event.name.value
                    ),
                )
                .label("not handled")
                .help("add a transition on it"),
            ),
            // It stands for all that nobody asks for by name.
            None if event.name.value == OTHER_EVENTS => {}
            None => diagnostics.push(
                Diagnostic::new(
                    DiagnosticCode::UnusedEvent,
                    event.name.span,
                    format!("event `{}` is never used", event.name.value),
                )
                .label("declared only")
                .help(
                    "add a transition on it, or remove it; if only user code sends it, or it is \
                     sent on to other machines, give it `\"sent\": true`",
                ),
            ),
        }
    }
}

fn check_timer_use(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let waited_for = |t: &Transition<'_>| {
        if let Trigger::Timer(timer) = t.trigger {
            Some(timer)
        } else {
            None
        }
    };
    let waited_for: HashSet<TimerIndex> = model.transitions.iter().filter_map(waited_for).collect();
    for (index, timer) in model.timers.enumerate() {
        let Some(authored) = timer.authored else {
            continue;
        };
        let handled = waited_for.contains(&index) || timer.event.is_some();
        let started = model.usage.started.contains(&index);
        // Rust code may start a timer, so only a timer that nobody waits for is certainly useless.
        let what = match (handled, started) {
            (false, true) => "is started, but nothing happens when it fires",
            (false, false) => "is never used",
            (true, _) => continue,
        };
        diagnostics.push(
            Diagnostic::new(
                DiagnosticCode::UnusedTimer,
                authored.name.span,
                format!("timer `{}` {what}", authored.name.value),
            )
            .label("no transition waits for it")
            .help(format!(
                "add a transition with `\"timer\": \"{}\"`, or remove it",
                authored.name.value
            )),
        );
    }
}

/// Imported charts have plain queues (EVT-10).
fn check_internal_first(model: &Model<'_>, diagnostics: &mut Diagnostics) {
    let mut refuse = |what: &str, span: Span| {
        let text = format!("{what} is not possible with the policy `internal_first`");
        diagnostics.push(
            Diagnostic::new(DiagnosticCode::NotWithInternalFirst, span, text)
                .label("not possible")
                .help("remove it, or the policy"),
        );
    };
    for event in &model.machine.events {
        if let Some(class) = &event.class {
            refuse("an event class", class.span);
        }
        if event.coalesce {
            refuse("coalescing", event.name.span);
        }
        if let Some(ttl) = &event.ttl {
            refuse("a time to live", ttl.span);
        }
    }
    for state in &model.resolved {
        if let Some(&(_, span)) = state.defers.first() {
            refuse("deferral", span);
        }
    }
}

/// Deferral needs a queue of more than one place (EVT-5).
pub fn check_deferral(model: &Model<'_>, allocation: &Allocation, diagnostics: &mut Diagnostics) {
    if allocation.tier != 0 {
        return;
    }
    for state in &model.resolved {
        if let Some(&(event, span)) = state.defers.first() {
            let name = &model.machine.events[event.position()].name.value;
            diagnostics.push(
                Diagnostic::new(
                    DiagnosticCode::DeferralInCrowd,
                    span,
                    format!("event `{name}` is deferred in tier crowd"),
                )
                .label("a crowd agent has room for one event only")
                .help("use tier standard, or handle the event here instead of deferring it"),
            );
        }
    }
}
