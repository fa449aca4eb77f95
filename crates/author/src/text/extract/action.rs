//! Owns the reading of actions.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;

use super::Reader;
use crate::graph::{Action, ActionKind, Argument, ArgumentValue};
use crate::text::parse::{has_key, span};
use crate::text::shape::ObjectKind;
use crate::text::shapes::action::TAGS;

impl Reader<'_> {
    /// One action or a list of actions.
    pub(crate) fn actions(&self, object: &Object, key: &str) -> Vec<Action> {
        match self.field(object, key) {
            Some(list @ Value::Array(_)) => self
                .items(Some(list))
                .filter_map(|item| self.action(item))
                .collect(),
            Some(single) => self.action(single).into_iter().collect(),
            None => Vec::new(),
        }
    }

    fn action(&self, value: &Value) -> Option<Action> {
        let (kind, muted) = match value {
            Value::StringLit(_) => (ActionKind::Text(self.name_of(value)?), false),
            Value::Object(object) => (self.built_in(object)?, self.flag(object, "muted")),
            _ => return None,
        };
        Some(Action {
            kind,
            muted,
            span: span(value.range()),
        })
    }

    /// An action written as an object; `None` if a field that it needs is missing or bad.
    fn built_in(&self, object: &Object) -> Option<ActionKind> {
        let &(tag, kind) = TAGS.iter().find(|(tag, _)| has_key(object, tag))?;
        if kind == ObjectKind::If {
            let (then, otherwise) = (self.actions(object, "then"), self.actions(object, "else"));
            return Some(ActionKind::If {
                condition: self.code(object, tag)?,
                then,
                otherwise,
            });
        }
        let name = self.name(object, tag)?;
        let payload = || self.code(object, "payload");
        Some(match kind {
            ObjectKind::Call => ActionKind::Call {
                function: name,
                arguments: self.arguments(object),
            },
            ObjectKind::Set => ActionKind::Set {
                key: name,
                value: self.code(object, "to")?,
            },
            ObjectKind::Add => ActionKind::Add {
                key: name,
                value: self.code(object, "by")?,
            },
            ObjectKind::Raise => ActionKind::Raise {
                event: name,
                payload: payload(),
            },
            ObjectKind::Send => ActionKind::Send {
                event: name,
                payload: payload(),
                to: self.code(object, "to"),
            },
            ObjectKind::Emit => ActionKind::Emit {
                command: name,
                lane: self.name(object, "lane")?,
                payload: payload(),
            },
            ObjectKind::Start => ActionKind::StartTimer {
                timer: name,
                after: self.needed_duration(object, "after"),
            },
            ObjectKind::Stop => ActionKind::StopTimer { timer: name },
            ObjectKind::ClearHistory => ActionKind::ClearHistory { state: name },
            _ => return None,
        })
    }

    fn arguments(&self, object: &Object) -> Vec<Argument> {
        let unnamed = |item: &Value| {
            Some(Argument {
                name: None,
                value: self.argument(item)?,
            })
        };
        match self.field(object, "with") {
            Some(Value::Object(named)) => self
                .entries(named)
                .filter_map(|entry| {
                    Some(Argument {
                        name: Some(self.key(&entry)),
                        value: self.argument(entry.value())?,
                    })
                })
                .collect(),
            list => self.items(list).filter_map(unnamed).collect(),
        }
    }

    fn argument(&self, value: &Value) -> Option<ArgumentValue> {
        match value {
            Value::Object(computed) => self.code(computed, "value").map(ArgumentValue::Code),
            literal => self.literal_of(literal).map(ArgumentValue::Literal),
        }
    }
}
