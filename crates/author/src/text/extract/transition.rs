//! Owns the reading of transitions, any-state transitions, decisions and branches.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;

use super::Reader;
use crate::graph::{
    AnyTransition, Branch, Decision, DecisionBranch, StackOperation, Transition, TransitionKind,
    Trigger,
};
use crate::span::Name;
use crate::text::parse::{has_key, span};
use crate::text::shapes::TRIGGERS;

impl Reader<'_> {
    /// A list of transitions.
    pub(crate) fn transitions(&self, list: Option<&Value>) -> Vec<Transition> {
        self.objects(list)
            .filter_map(|object| self.transition(object))
            .collect()
    }

    /// A transition; `None` without a legal trigger, because any other one would mean something
    /// else.
    fn transition(&self, object: &Object) -> Option<Transition> {
        Some(Transition {
            trigger: self.trigger(object, "on")?,
            targets: self.names(object, "to"),
            kind: self.word(object, "kind", transition_kind),
            guard: self.code(object, "if"),
            effect: self.actions(object, "do"),
            interrupt: self.mark(object, "interrupt"),
            ..self.transition_rest(object)
        })
    }

    /// The fields whose keys are the same in the nested and the flat shape.
    pub(crate) fn transition_rest(&self, object: &Object) -> Transition {
        Transition {
            name: self.name(object, "name"),
            id: self.id(object, "id"),
            doc: self.text(object, "doc"),
            span: span(object.range()),
            sync: self.sync(object),
            stack: self.word(object, "stack", stack_operation),
            priority: self.count(object, "priority"),
            score: self.code(object, "score"),
            threshold: self.code(object, "threshold"),
            stay: self.mark(object, "stay"),
            cooldown: self.any_duration(object, "cooldown"),
            debounce: self.asked_duration(object, "debounce"),
            latch: self.mark(object, "latch"),
            muted: self.flag(object, "muted"),
            meta: self.meta(object),
            ..Transition::default()
        }
    }

    /// What starts it: the first trigger field that is given. `event` is the key of the event
    /// trigger.
    pub(crate) fn trigger(&self, object: &Object, event: &str) -> Option<Trigger> {
        if has_key(object, event) {
            return self.event_or_any(object, event);
        }
        if has_key(object, "after") {
            return Some(Trigger::After(self.needed_duration(object, "after")));
        }
        if has_key(object, "every") {
            return Some(Trigger::Every(self.needed_duration(object, "every")));
        }
        if has_key(object, "timer") {
            return self.name(object, "timer").map(Trigger::Timer);
        }
        let when = self.name(object, "when")?;
        Some(match when.value.as_str() {
            "done" => Trigger::Done(when.span),
            "failed" => Trigger::Failed(when.span),
            _ => Trigger::Always(when.span),
        })
    }

    fn event_or_any(&self, object: &Object, key: &str) -> Option<Trigger> {
        if let Some(Value::Array(list)) = self.field(object, key) {
            let events = self.names(object, key);
            // A list of which nothing could be read has been reported; it is not empty.
            if events.is_empty() && !list.elements.is_empty() {
                return None;
            }
            return Some(Trigger::of_events(events, span(list.range)));
        }
        let event = self.name(object, key)?;
        Some(if event.value == "*" {
            Trigger::Any(event.span)
        } else {
            Trigger::Event(event)
        })
    }

    fn sync(&self, object: &Object) -> Vec<(Name, Name)> {
        let Some(groups) = self.field(object, "sync").and_then(Value::as_object) else {
            return Vec::new();
        };
        let pair = |entry| {
            Some((
                self.key(&entry),
                self.good(entry.value())
                    .then(|| self.name_of(entry.value()))??,
            ))
        };
        self.entries(groups).filter_map(pair).collect()
    }

    /// Any-state transitions.
    pub(crate) fn any_transitions(&self, list: Option<&Value>) -> Vec<AnyTransition> {
        let read = |object: &Object| {
            Some(AnyTransition {
                transition: self.transition(object)?,
                include: self.names(object, "include"),
                exclude: self.names(object, "exclude"),
            })
        };
        self.objects(list).filter_map(read).collect()
    }

    /// Decisions. Without a trigger field they are always tried.
    pub(crate) fn decisions(&self, list: Option<&Value>) -> Vec<Decision> {
        self.objects(list)
            .filter_map(|object| self.decision(object))
            .collect()
    }

    fn decision(&self, object: &Object) -> Option<Decision> {
        let span = span(object.range());
        let has_trigger = TRIGGERS.iter().any(|key| has_key(object, key));
        Some(Decision {
            trigger: if has_trigger {
                self.trigger(object, "on")?
            } else {
                Trigger::Always(span)
            },
            guard: self.code(object, "if")?,
            then: self.decision_branch(object, "then"),
            otherwise: self.decision_branch(object, "else"),
            priority: self.count(object, "priority"),
            effect: self.actions(object, "do"),
            muted: self.flag(object, "muted"),
            span,
        })
    }

    /// One way of a decision: a state alone, or with fields.
    fn decision_branch(&self, object: &Object, key: &str) -> Option<DecisionBranch> {
        if let Some(Value::Object(full)) = self.field(object, key) {
            let reenter = self.boolean(full, "reenter").filter(|is| is.value);
            return Some(DecisionBranch {
                target: self.name(full, "to")?,
                reenter: reenter.map(|is| is.span),
            });
        }
        let target = self.name(object, key)?;
        Some(DecisionBranch {
            target,
            reenter: None,
        })
    }

    /// Branches of a choice. One whose target is bad stays, so that the last one stays the last.
    pub(crate) fn branches(&self, list: Option<&Value>) -> Vec<Branch> {
        let read = |object: &Object| Branch {
            guard: self.code(object, "if"),
            targets: self.names(object, "to"),
            effect: self.actions(object, "do"),
            span: span(object.range()),
        };
        self.objects(list).map(read).collect()
    }
}

/// Reads the kind of a transition.
pub(crate) fn transition_kind(word: &str) -> Option<TransitionKind> {
    match word {
        "internal" => Some(TransitionKind::Internal),
        "local" => Some(TransitionKind::Local),
        "external" => Some(TransitionKind::External),
        _ => None,
    }
}

fn stack_operation(word: &str) -> Option<StackOperation> {
    match word {
        "push" => Some(StackOperation::Push),
        "pop" => Some(StackOperation::Pop),
        _ => None,
    }
}
