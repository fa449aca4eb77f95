//! What happened, in words that both sides share.

use statewright_scxml_oracle::Happening as Told;
use statewright_step::{ActionKind, Step, StepEvent};

use crate::machine::Imported;

/// What the interpreter of the document noted.
pub(crate) fn of_document(log: &[Told]) -> Vec<String> {
    let line = |told: &Told| match told {
        Told::Enter(id) => Some(format!("enter {id}")),
        Told::Exit(id) => Some(format!("exit {id}")),
        Told::Log { label, value } => Some(format!(
            "log {label}{}",
            value.as_ref().map_or(String::new(), |value| format!(
                "({})",
                value.to_string().trim_matches('\'')
            ))
        )),
        Told::Assign { name, value } => {
            Some(format!("{name} = {}", value.to_string().trim_matches('\'')))
        }
        Told::Call(call) => Some(format!("call {}", call.trim_end_matches("()"))),
        _ => None,
    };
    log.iter().filter_map(line).collect()
}

/// What a step of the machine did.
pub(crate) fn of_machine(machine: &Imported, step: &Step) -> Vec<String> {
    let line = |event: &StepEvent| match event {
        StepEvent::Entered(state) => machine.name(*state).map(|name| format!("enter {name}")),
        StepEvent::Exited(state) => machine.name(*state).map(|name| format!("exit {name}")),
        StepEvent::Did {
            kind: ActionKind::Command,
            words,
            ..
        } => Some(words.strip_prefix("emit ").unwrap_or(words).to_owned()),
        StepEvent::Did {
            kind: ActionKind::Call,
            words,
            ..
        } => Some(format!("call {words}")),
        StepEvent::Did {
            kind: ActionKind::Write,
            words,
            ..
        } => Some(words.clone()),
        _ => None,
    };
    step.log.iter().filter_map(line).collect()
}
