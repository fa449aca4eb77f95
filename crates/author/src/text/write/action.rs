//! Owns the writing of actions.

use super::node::{JsonNode, Object, literal, name, one_or_list};
use crate::graph::{Action, ActionKind, Argument, ArgumentValue};
use crate::text::shape::ObjectKind;

/// Adds a field of actions, if there are any.
pub(super) fn add_actions(object: &mut Object, key: &str, list: &[Action]) {
    object.maybe(key, (!list.is_empty()).then(|| actions(list)));
}

/// One action alone, several as a list.
///
/// Text that is muted is left out, as it is of the compiled machine: only objects can say that they
/// are muted.
pub(super) fn actions(list: &[Action]) -> JsonNode {
    let said = |action: &&Action| !(action.muted && matches!(action.kind, ActionKind::Text(_)));
    one_or_list(list.iter().filter(said).map(action).collect())
}

fn action(action: &Action) -> JsonNode {
    let mut object = match &action.kind {
        ActionKind::Text(code) => return name(code),
        kind => built_in(kind),
    };
    object.flag("muted", action.muted);
    object.done()
}

fn built_in(kind: &ActionKind) -> Object {
    let mut object = Object::new(shape(kind));
    match kind {
        ActionKind::Text(_) => {}
        ActionKind::Call {
            function,
            arguments,
        } => {
            object
                .name("call", Some(function))
                .maybe("with", with(arguments));
        }
        ActionKind::Set { key, value } => {
            object.name("set", Some(key)).code("to", Some(value));
        }
        ActionKind::Add { key, value } => {
            object.name("add", Some(key)).code("by", Some(value));
        }
        ActionKind::Raise { event, payload } => {
            object
                .name("raise", Some(event))
                .code("payload", payload.as_ref());
        }
        ActionKind::Send { event, payload, to } => {
            object
                .name("send", Some(event))
                .code("payload", payload.as_ref())
                .code("to", to.as_ref());
        }
        ActionKind::Emit {
            command,
            lane,
            payload,
        } => {
            object
                .name("emit", Some(command))
                .name("lane", Some(lane))
                .code("payload", payload.as_ref());
        }
        ActionKind::StartTimer { timer, after } => {
            object
                .name("start", Some(timer))
                .shown("after", Some(after));
        }
        ActionKind::StopTimer { timer } => {
            object.name("stop", Some(timer));
        }
        ActionKind::ClearHistory { state } => {
            object.name("clear_history", Some(state));
        }
        ActionKind::If {
            condition,
            then,
            otherwise,
        } => {
            object.code("if", Some(condition));
            add_actions(&mut object, "then", then);
            add_actions(&mut object, "else", otherwise);
        }
    }
    object
}

fn shape(kind: &ActionKind) -> ObjectKind {
    match kind {
        ActionKind::Text(_) | ActionKind::Call { .. } => ObjectKind::Call,
        ActionKind::Set { .. } => ObjectKind::Set,
        ActionKind::Add { .. } => ObjectKind::Add,
        ActionKind::Raise { .. } => ObjectKind::Raise,
        ActionKind::Send { .. } => ObjectKind::Send,
        ActionKind::Emit { .. } => ObjectKind::Emit,
        ActionKind::StartTimer { .. } => ObjectKind::Start,
        ActionKind::StopTimer { .. } => ObjectKind::Stop,
        ActionKind::ClearHistory { .. } => ObjectKind::ClearHistory,
        ActionKind::If { .. } => ObjectKind::If,
    }
}

/// Arguments by position, or by name if the first has one.
fn with(arguments: &[Argument]) -> Option<JsonNode> {
    let first = arguments.first()?;
    Some(if first.name.is_some() {
        let key = |argument: &Argument| {
            argument
                .name
                .as_ref()
                .map_or_else(String::new, |name| name.value.clone())
        };
        let members = arguments
            .iter()
            .map(|argument| (key(argument), value(argument)))
            .collect();
        JsonNode::Object {
            members,
            open: false,
        }
    } else {
        JsonNode::List(arguments.iter().map(value).collect())
    })
}

fn value(argument: &Argument) -> JsonNode {
    match &argument.value {
        ArgumentValue::Literal(value) => literal(&value.value),
        ArgumentValue::Code(code) => {
            let mut object = Object::new(ObjectKind::Computed);
            object.code("value", Some(code));
            object.done()
        }
    }
}
