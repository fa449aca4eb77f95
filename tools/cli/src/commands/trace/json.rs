//! Records as JSON, and the fields that JSON and CSV share. `schemas/trace.schema.json` describes
//! it.

use serde_json::{Map, Value, json};

use statewright_trace::{Cause, Kind, Legend, NO_TRANSITION, Reason, reason_name};

use super::{Entry, Shown};

/// Fields of a record in the order of columns: name and value. Names instead of numbers wherever
/// there are any.
pub(super) const COLUMNS: [&str; 15] = [
    "tick",
    "agent",
    "level",
    "kind",
    "state",
    "event",
    "timer",
    "transition",
    "key",
    "value",
    "until",
    "answer",
    "reason",
    "code",
    "text",
];

/// A record as an object; what it does not have is left out.
pub(super) fn object(entry: &Entry, legend: &Legend) -> Map<String, Value> {
    let record = &entry.record;
    let subject = record.subject.get();
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| _ = fields.insert(name.to_owned(), value);
    put("tick", entry.tick.into());
    put("agent", record.agent.get().into());
    let Some(kind) = record.kind() else {
        return fields;
    };
    put("level", (kind.level() as u8).into());
    put("kind", kind.name().into());
    match kind {
        Kind::Present
        | Kind::Leaf
        | Kind::Entered
        | Kind::Exited
        | Kind::Suspended
        | Kind::Resumed => {
            put("state", legend.state(subject).into());
        }
        Kind::Event | Kind::EventLost | Kind::Unhandled | Kind::Deferred => {
            put("event", legend.event(subject).into())
        }
        Kind::Timer | Kind::TimerStopped => put("timer", legend.timer(subject).into()),
        Kind::TimerSet => {
            put("timer", legend.timer(subject).into());
            put("until", record.value.get().into());
        }
        Kind::Transition | Kind::Latched => {
            put("transition", legend.way(subject).into());
            match record.cause() {
                Some(Cause::Event(event)) => put("event", legend.event(event).into()),
                Some(Cause::Timer(timer)) => put("timer", legend.timer(timer).into()),
                _ => {}
            }
            if let Some(leaf) = record.leaf() {
                put("state", legend.state(leaf).into());
            }
        }
        Kind::Guard => {
            let (state, code) = record.guard();
            put("state", legend.state(state).into());
            put(
                "answer",
                if record.detail == 0 { "no" } else { "yes" }.into(),
            );
            put("code", code.into());
            if subject != NO_TRANSITION {
                put("transition", legend.way(subject).into());
            }
        }
        Kind::Activity => {
            put("state", legend.state(subject).into());
            let answers = ["running", "succeeded", "failed", "canceled"];
            put(
                "answer",
                answers
                    .get(usize::from(record.detail))
                    .copied()
                    .unwrap_or("?")
                    .into(),
            );
        }
        Kind::Rejected => {
            put("transition", legend.way(subject).into());
            if let Some(reason) = record.reason() {
                put("reason", reason_name(reason).into());
                if let Reason::GuardFalse(code) = reason {
                    put("code", code.into());
                }
            }
        }
        Kind::Asked => {
            let answer = if record.detail == 0 { "no" } else { "yes" };
            put("answer", answer.into());
            put("code", record.value.get().into());
        }
        Kind::Score => {
            put("transition", legend.way(subject).into());
            put(
                "value",
                f32::from_bits(record.value.get()).to_string().into(),
            );
        }
        Kind::Wrote | Kind::Read => {
            put("key", legend.key(subject).into());
            put("value", legend.value(record).into());
        }
        Kind::Gave => {
            put("function", legend.function(subject).into());
            put("value", legend.value(record).into());
        }
        Kind::More => put("value", legend.value(record).into()),
        Kind::Drew => put("code", record.value.get().into()),
        Kind::Command => {}
        Kind::Lost => put("code", record.value.get().into()),
        Kind::Started
        | Kind::Terminated
        | Kind::Faulted
        | Kind::Panicked
        | Kind::Clamped
        | Kind::FailSafe
        | Kind::Despawned => {}
    }
    put("text", legend.words(record).into());
    fields
}

/// The whole trace.
pub(super) fn document(shown: &Shown<'_>) -> Value {
    let legend = &shown.reading.legend;
    let records: Vec<Value> = shown
        .entries
        .iter()
        .map(|entry| object(entry, shown.legend(entry)).into())
        .collect();
    let hash = |hash: u64| format!("{hash:016x}");
    let reloads = (1..).zip(&shown.reading.reloads).map(|(version, reload)| {
        let [old, new] = reload.hashes.map(|hashes| hashes.map(hash));
        let record = shown
            .entries
            .iter()
            .position(|entry| entry.version >= version);
        json!({
            "tick": reload.tick,
            "old": old,
            "new": new,
            "machine": reload.legend.symbols.machine,
            "before_record": record,
        })
    });
    let reloads: Vec<Value> = reloads.collect();
    json!({
        "machine": legend.symbols.machine,
        "structure_hash": hash(legend.symbols.structure_hash),
        "parameter_hash": hash(legend.symbols.parameter_hash),
        "tick_rate": legend.tick_rate,
        "ending": shown.reading.ending.to_string(),
        "reloads": reloads,
        "records": records,
    })
}

/// A field of an object as plain text.
pub(super) fn plain(value: Option<&Value>) -> String {
    match value {
        None => String::new(),
        Some(Value::String(text)) => text.clone(),
        Some(other) => other.to_string(),
    }
}
