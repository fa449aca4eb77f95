//! Owns the check of a file against its shape: every problem of form, reported once (SW0003 to
//! SW0012).
//!
//! In comes the JSON tree, out go diagnostics and the set of [`Bad`] values, which the extraction
//! then leaves out, so that no problem is reported a second time. Recursion is bounded by the
//! nesting that the scan lets through.

mod duration;
mod hints;
mod keys;
mod leaf;

pub(crate) use keys::opening;
pub(crate) use leaf::stable_id;

use std::collections::HashSet;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;

use super::describe::expected;
use super::parse::{has_key, json, span};
use super::shape::{Content, Field, Json, Map, ObjectKind, Rule, Type};
use crate::codes::DiagnosticCode;
use crate::diagnostic::{Diagnostic, Diagnostics, Fix};
use crate::span::Span;
use duration::is_duration;

/// Values, by where they start, that do not have the right form; and keys that are given a second
/// time.
pub(crate) type Bad = HashSet<usize>;

/// Checks a whole file.
pub(crate) fn check(text: &str, object: &Object, kind: ObjectKind, out: &mut Diagnostics) -> Bad {
    let mut checker = Checker {
        text,
        out,
        bad: Bad::new(),
    };
    checker.object(object, kind);
    checker.bad
}

/// Reports a problem. Its text is only made while it would be shown, so that a file full of them
/// stays cheap.
pub(crate) fn report(
    out: &mut Diagnostics,
    code: DiagnosticCode,
    span: Span,
    full: impl FnOnce(Diagnostic) -> Diagnostic,
) {
    let bare = Diagnostic::new(code, span, "");
    let shown = out.has_room();
    out.push(if shown { full(bare) } else { bare });
}

/// What a value is, for messages.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Subject<'a> {
    /// The value of a field.
    Field(&'a str),
    /// What stands under a name.
    Entry(&'a str),
    /// An item of the list in a field.
    Item(&'a str),
}

impl Subject<'_> {
    fn words(self) -> String {
        match self {
            Self::Field(key) | Self::Entry(key) => format!("`{key}`"),
            Self::Item(key) => format!("an item of `{key}`"),
        }
    }

    fn field(&self) -> Option<&str> {
        match self {
            Self::Field(key) => Some(key),
            Self::Entry(_) | Self::Item(_) => None,
        }
    }

    fn item(self) -> Self {
        match self {
            Self::Field(key) | Self::Entry(key) | Self::Item(key) => Self::Item(key),
        }
    }
}

struct Checker<'a> {
    text: &'a str,
    out: &'a mut Diagnostics,
    bad: Bad,
}

impl Checker<'_> {
    fn report(
        &mut self,
        code: DiagnosticCode,
        span: Span,
        full: impl FnOnce(Diagnostic) -> Diagnostic,
    ) {
        report(self.out, code, span, full);
    }

    fn object(&mut self, object: &Object, kind: ObjectKind) {
        let shape = kind.shape();
        self.duplicates(
            object,
            "keep one of them; several actions or transitions go into one list",
        );
        let mut slipped = false;
        for property in &object.properties {
            match shape.field(property.name.as_str()) {
                Some(field) => self.field(property, field),
                None => {
                    slipped = true;
                    self.unknown_field(property, kind);
                }
            }
        }
        // A field that seems to be missing is probably the one that has a wrong name.
        if !slipped {
            self.missing(object, kind);
        }
        for group in shape.groups {
            self.group(object, kind, group.keys, group.rule, slipped);
        }
    }

    fn missing(&mut self, object: &Object, kind: ObjectKind) {
        for field in kind.shape().fields().filter(|field| field.required) {
            if !has_key(object, field.key) {
                self.missing_field(object, kind, field);
            }
        }
    }

    fn field(&mut self, property: &ObjectProp, field: &'static Field) {
        self.value(&property.value, &field.ty, Subject::Field(field.key));
    }

    fn value(&mut self, value: &Value, ty: &'static Type, subject: Subject) {
        let keys = |key: &str| value.as_object().is_some_and(|object| has_key(object, key));
        let Some(content) = ty.content(json(value), &keys) else {
            return self.wrong_type(value, ty, subject);
        };
        match (content, value) {
            (Content::Object(kind), Value::Object(object)) => self.object_of(object, kind, ty),
            (Content::Map(map), Value::Object(object)) => self.map(object, map, subject),
            (Content::Untagged(tags), Value::Object(object)) => self.no_tag(object, tags),
            (Content::List(item), Value::Array(list)) => {
                for element in &list.elements {
                    self.value(element, item, subject.item());
                }
            }
            (Content::Leaf(ty), value) => self.leaf(value, ty, subject),
            _ => {}
        }
    }

    fn object_of(&mut self, object: &Object, kind: ObjectKind, ty: &'static Type) {
        if self.has_one_tag(object, ty) {
            self.object(object, kind);
        }
    }

    fn map(&mut self, object: &Object, map: &'static Map, subject: Subject) {
        self.duplicates(object, "give one of them another name");
        if object.properties.is_empty() && !map.may_be_empty {
            self.bad.insert(object.start());
            self.report(DiagnosticCode::BadValue, span(object.range()), |bare| {
                Diagnostic {
                    message: format!("{} must not be empty", subject.words()),
                    ..bare
                }
            });
        }
        for property in &object.properties {
            let key = property.name.as_str();
            if let Some(field) = map.field(key) {
                self.field(property, field);
                continue;
            }
            self.key_name(property, map.keys);
            self.value(&property.value, &map.value, Subject::Entry(key));
        }
    }

    fn wrong_type(&mut self, value: &Value, ty: &'static Type, subject: Subject) {
        self.bad.insert(value.start());
        let found = json(value);
        let list_of_one = matches!(ty, Type::List(item) if item.accepts(found));
        let raw = self
            .text
            .get(value.start()..value.end())
            .filter(|raw| raw.len() <= 40)
            .map(str::to_owned);
        self.report(DiagnosticCode::WrongType, span(value.range()), |bare| {
            let message = format!(
                "{} must be {}, found {}",
                subject.words(),
                expected(ty),
                found.words()
            );
            let problem =
                Diagnostic { message, ..bare }.label(format!("this is {}", found.words()));
            match raw {
                Some(raw) if is_part_path(subject, &raw) => problem.help(format!(
                    "the root cannot be a part: put it into a state, `\"states\": {{ \"Fight\": {{ \"use\": {raw} }} }}`"
                )),
                Some(raw) if list_of_one => {
                    problem.help(format!("write `[{raw}]`")).fix(Fix::replace(
                        format!("Write `[{raw}]`"),
                        span(value.range()),
                        format!("[{raw}]"),
                    ))
                }
                Some(raw) if is_duration(ty) && found == Json::Number => {
                    duration::for_number(problem, &raw, ty)
                }
                _ if subject == Subject::Item("events") && found == Json::Object => problem.help(
                    "write the name alone; with more to say of events, they are an object: `\"events\": { \"Noise\": { \"payload\": \"i32\" }, \"Hit\": {} }`",
                ),
                _ => problem,
            }
        });
    }

    fn group(
        &mut self,
        object: &Object,
        kind: ObjectKind,
        keys: &'static [&'static str],
        rule: Rule,
        slipped: bool,
    ) {
        if rule == Rule::BesideText {
            return self.beside_text(object, kind, keys, slipped);
        }
        // A flag that is off excludes nothing.
        let is_off = |property: &&ObjectProp| matches!(&property.value, Value::BooleanLit(flag) if !flag.value);
        let is_flag = |property: &&ObjectProp| {
            kind.shape()
                .field(property.name.as_str())
                .is_some_and(Field::is_flag)
        };
        let mut given = object.properties.iter().filter(|property| {
            keys.contains(&property.name.as_str()) && !(is_off(property) && is_flag(property))
        });
        match (given.next(), rule) {
            (None, Rule::One | Rule::AtLeastOne) if !slipped => {
                self.missing_group(object, kind, keys)
            }
            (Some(first), Rule::One | Rule::AtMostOne) => {
                let other = given.find(|second| second.name.as_str() != first.name.as_str());
                if let Some(second) = other {
                    self.exclusive(first, second);
                }
            }
            _ => {}
        }
    }

    /// Fields that say more about the text in the first one.
    fn beside_text(
        &mut self,
        object: &Object,
        kind: ObjectKind,
        keys: &'static [&'static str],
        slipped: bool,
    ) {
        let Some((&first, others)) = keys.split_first() else {
            return;
        };
        let text = property(object, first);
        let is_given = match text.map(|property| &property.value) {
            // A field with a wrong name may be the one.
            None => slipped,
            Some(Value::Array(_)) => false,
            // Of the wrong type, if not text: reported there.
            Some(_) => true,
        };
        for other in others.iter().filter(|_| !is_given) {
            if let Some(other) = property(object, other) {
                self.alone(other, text, kind, first);
            }
        }
    }
}

/// A quoted path of a machine file where transition sets are expected.
fn is_part_path(subject: Subject, raw: &str) -> bool {
    matches!(subject, Subject::Field("use")) && raw.ends_with(".json\"")
}

/// The property of a key.
fn property<'o, 'a>(object: &'o Object<'a>, key: &str) -> Option<&'o ObjectProp<'a>> {
    let mut properties = object.properties.iter();
    properties.find(|property| property.name.as_str() == key)
}
