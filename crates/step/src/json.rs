//! Steps and answers as JSON: one object per line, described in `docs/step-json.md` and
//! `schemas/step.schema.json`.

use serde_json::{Value, json};
use statewright_kernel::{Event, Mode, Reason, event_flag};
use statewright_rom::ids::*;
use statewright_symbols::SymbolKind;
use statewright_trace::reason_name;

use crate::command::Command;
use crate::record::{ActionKind, Candidate, Step, StepEvent};
use crate::session::Session;
use crate::text::{listens, status_word};
use crate::value::{self, key_type, parameter_json, payload_type, scratch_json, value_json};

/// One step.
pub fn step(session: &Session, step: &Step) -> Value {
    let names = session.names();
    let states = |states: &[StateId]| {
        states
            .iter()
            .map(|&state| names.called(state))
            .collect::<Vec<_>>()
    };
    let rate = f64::from(session.tick_rate().max(1));
    let after = &step.after;
    json!({
        "step": step.number,
        "what": step.kind.word(),
        "tick": step.tick,
        "seconds": f64::from(step.tick) / rate,
        "event": step.event.map(|(event, _)| names.event(event)),
        "payload": step.event.map(|(event, words)| payload_json(session, event, words)),
        "configuration": states(&after.leaves),
        "entered": pick(step, |h| if let StepEvent::Entered(state) = h { Some(names.called(*state).to_owned()) } else { None }),
        "exited": pick(step, |h| if let StepEvent::Exited(state) = h { Some(names.called(*state).to_owned()) } else { None }),
        "actions": pick(step, |h| if let StepEvent::Did { words, .. } = h { Some(words.clone()) } else { None }),
        "activities": activities(session, step),
        "fired": pick(step, |h| if let StepEvent::Fired(timer) = h { Some(names.timer(*timer).to_owned()) } else { None }),
        "taken": step.candidates.iter().filter(|j| j.reason.is_none()).map(|j| candidate(session, j)).collect::<Vec<_>>(),
        "rejected": step.candidates.iter().filter(|j| j.reason.is_some()).map(|j| candidate(session, j)).collect::<Vec<_>>(),
        "commands": pick(step, |h| match h {
            StepEvent::Did { kind: ActionKind::Command, words, .. } => Some(words.clone()),
            _ => None,
        }),
        "unhandled": pick(step, |h| if let StepEvent::Unhandled(event) = h { Some(names.event(*event).to_owned()) } else { None }),
        "deferred": pick(step, |h| if let StepEvent::Deferred(event) = h { Some(names.event(*event).to_owned()) } else { None }),
        "suspended": states(&after.suspended),
        "queue": after.queue.iter().map(|event| queued(session, event)).collect::<Vec<_>>(),
        "timers": after.timers.iter().map(|wait| json!({
            "timer": names.timer(wait.timer), "ticks": wait.deadline.wrapping_sub(step.tick).cast_signed(),
        })).collect::<Vec<_>>(),
        "blackboard": board(session, &after.board),
        "notes": step.notes,
        "clamped": step.log.contains(&StepEvent::Clamped),
        "quarantined": after.quarantined,
        "terminated": after.terminated,
    })
}

fn pick(step: &Step, which: impl Fn(&StepEvent) -> Option<String>) -> Vec<String> {
    step.log.iter().filter_map(which).collect()
}

fn payload_json(session: &Session, event: EventId, words: [u32; 4]) -> Value {
    value::payload_json(&session.machine().rom(), event, words)
}

fn queued(session: &Session, event: &Event) -> Value {
    let id = event.id();
    json!({
        "event": id.map(|id| session.names().event(id)),
        "payload": id.map(|id| payload_json(session, id, event.words())),
        "deferred": event.has(event_flag::DEFERRED),
    })
}

fn board(session: &Session, words: &[[u32; 3]]) -> Value {
    let rom = session.machine().rom();
    let value = |(key, &[x, y, z]): (usize, &[u32; 3])| {
        let ty = key_type(&rom, key);
        (
            session
                .names()
                .symbols
                .shown(SymbolKind::Key, key)
                .into_owned(),
            value_json(&rom, ty, [x, y, z, 0]),
        )
    };
    Value::Object(words.iter().enumerate().map(value).collect())
}

/// Scratch of active states (LANG-8).
fn scratch(session: &Session) -> Vec<Value> {
    let (rom, names) = (session.machine().rom(), session.names());
    let one = |(id, slots): (ScratchId, Vec<u16>)| {
        let owner = rom.scratch().get(id.index());
        let owner = owner.and_then(|record| StateId::read(record.owner));
        json!({
            "state": owner.map(|owner| names.state(owner)),
            "scratch": names.scratch(id),
            "value": scratch_json(&rom, id, &slots),
        })
    };
    session.scratch().into_iter().map(one).collect()
}

/// Parameters as the agent has them.
fn parameters(session: &Session) -> Value {
    let (rom, names) = (session.machine().rom(), session.names());
    let all = (0..rom.parameters().len()).filter_map(ParameterId::from_index);
    let one = |id: ParameterId| {
        let value = parameter_json(&rom, session.variant(), id);
        (names.parameter(id).to_owned(), value)
    };
    Value::Object(all.map(one).collect())
}

fn activities(session: &Session, step: &Step) -> Vec<Value> {
    let activity = |event: &StepEvent| match event {
        StepEvent::Activity {
            call,
            mode,
            status,
            state,
        } => Some(json!({
            "activity": call,
            "state": session.names().state(*state),
            "said": if *mode == Mode::Cancel { "canceled" } else { status_word(*status) },
        })),
        _ => None,
    };
    step.log.iter().filter_map(activity).collect()
}

fn candidate(session: &Session, candidate: &Candidate) -> Value {
    let words = session
        .names()
        .transition(candidate.transition)
        .cloned()
        .unwrap_or_default();
    let mut value = json!({
        "search": candidate.search,
        "cause": candidate.cause,
        "transition": words.line,
        "name": words.name,
        "source": words.source,
        "to": words.targets,
    });
    if let Some(reason) = candidate.reason {
        value["reason"] = reason_name(reason).into();
        value["code"] = if let Reason::GuardFalse(code) = reason {
            code.into()
        } else {
            Value::Null
        };
        value["because"] = candidate.words.clone().into();
    }
    value
}

/// The answer to a command that only asks; none for one that does something.
pub fn answer(session: &Session, command: &Command) -> Option<Value> {
    let names = session.names();
    Some(match command {
        Command::Why => {
            let all = session.last().map_or(Vec::new(), |step| {
                step.candidates
                    .iter()
                    .map(|j| candidate(session, j))
                    .collect()
            });
            json!({ "query": "why", "step": session.last().map(|step| step.number), "candidates": all })
        }
        Command::In(state) => {
            json!({ "query": "in", "state": names.state(*state), "active": session.is_active(*state) })
        }
        Command::Show => {
            let after = session.look();
            let leaves: Vec<&str> = after
                .leaves
                .iter()
                .map(|&leaf| names.called(leaf))
                .collect();
            json!({
                "query": "show",
                "step": session.steps(),
                "tick": session.tick(),
                "configuration": leaves,
                "queue": after.queue.iter().map(|event| queued(session, event)).collect::<Vec<_>>(),
                "timers": after.timers.iter().map(|wait| json!({
                    "timer": names.timer(wait.timer), "ticks": wait.deadline.wrapping_sub(session.tick()).cast_signed(),
                })).collect::<Vec<_>>(),
                "blackboard": board(session, &after.board),
                "scratch": scratch(session),
                "variant": names.variant(session.variant()),
                "parameters": parameters(session),
            })
        }
        Command::Events => {
            let rom = session.machine().rom();
            let event = |(index, name): (usize, &str)| {
                let id = EventId::from_index(index)?;
                Some(
                    json!({ "event": name, "payload": payload_type(&rom, id), "heard": listens(session, id) }),
                )
            };
            json!({ "query": "events", "events": names.symbols.names(SymbolKind::Event).enumerate().filter_map(event).collect::<Vec<_>>() })
        }
        _ => return None,
    })
}
