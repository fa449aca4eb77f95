//! Owns the reports about keys: unknown, missing, given twice, excluding each other, badly named.

use std::collections::HashMap;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;

use super::Checker;
use super::hints::{in_lines, inner_state, keep_one, legal_name, other_name};
use crate::codes::DiagnosticCode;
use crate::diagnostic::{Change, Diagnostic, Fix, closest};
use crate::span::Span;
use crate::text::describe::{expected, or_list};
use crate::text::name::{Item, NameKind};
use crate::text::parse::span;
use crate::text::shape::{Field, ObjectKind, Type};

/// An item of `use`.
const SET: NameKind = NameKind::Reference(Item::TransitionSet);

/// Up to so many keys are compared with each other; more are hashed.
const FEW: usize = 12;

impl Checker<'_> {
    /// Reports keys that an object has twice and marks all but the first (SW0003).
    pub(super) fn duplicates(&mut self, object: &Object, help: &str) {
        let all = &object.properties;
        if all.len() <= FEW {
            for (at, property) in all.iter().enumerate() {
                let name = property.name.as_str();
                if let Some(first) = all[..at].iter().find(|before| before.name.as_str() == name) {
                    self.duplicate(first, property, help);
                }
            }
            return;
        }
        let mut seen: HashMap<&str, &ObjectProp> = HashMap::with_capacity(all.len());
        for property in all {
            match seen.get(property.name.as_str()) {
                Some(first) => self.duplicate(first, property, help),
                None => {
                    seen.insert(property.name.as_str(), property);
                }
            }
        }
    }

    fn duplicate(&mut self, first: &ObjectProp, second: &ObjectProp, help: &str) {
        self.bad.insert(second.name.start());
        self.report(
            DiagnosticCode::DuplicateField,
            span(second.name.range()),
            |bare| {
                let message = format!("`{}` is given twice", second.name.as_str());
                Diagnostic { message, ..bare }
                    .label("again")
                    .related(span(first.name.range()), "first given here")
                    .help(help)
            },
        );
    }

    pub(super) fn unknown_field(&mut self, property: &ObjectProp, kind: ObjectKind) {
        let (shape, key) = (kind.shape(), property.name.as_str());
        self.report(
            DiagnosticCode::UnknownField,
            span(property.name.range()),
            |bare| {
                let message = format!("{} has no field `{key}`", shape.title);
                let problem = Diagnostic { message, ..bare }.label("no such field");
                if let Some(help) = other_name(kind, key) {
                    return renamed(problem.help(help), help, kind);
                }
                let known = || shape.fields().map(|field| field.key);
                let is_object = matches!(property.value, Value::Object(_));
                if let Some(help) = inner_state(kind, key, is_object)
                    && closest(key, known()).is_none()
                {
                    return problem.help(help);
                }
                let fields: Vec<_> = shape
                    .fields()
                    .map(|field| format!("`{}`", field.key))
                    .collect();
                problem.suggest(key, known()).note(format!(
                    "the fields of {} are\n{}",
                    shape.title,
                    in_lines(&fields)
                ))
            },
        );
    }

    pub(super) fn missing_field(
        &mut self,
        object: &Object,
        kind: ObjectKind,
        field: &'static Field,
    ) {
        self.report(DiagnosticCode::MissingField, opening(object), |bare| {
            let message = format!("{} needs the field `{}`", kind.shape().title, field.key);
            let help = format!("add `\"{}\": …`, {}", field.key, expected(&field.ty));
            let note = format!("`{}`: {}", field.key, field.doc);
            Diagnostic { message, ..bare }
                .label(format!("without `{}`", field.key))
                .note(note)
                .help(help)
                .fix(Fix {
                    title: format!("Add `{}`", field.key),
                    change: Change::AddField {
                        object: opening(object),
                        key: field.key,
                    },
                })
        });
    }

    pub(super) fn missing_group(&mut self, object: &Object, kind: ObjectKind, keys: &[&str]) {
        self.report(DiagnosticCode::MissingField, opening(object), |bare| {
            let message = format!(
                "{} needs one of the fields {}",
                kind.shape().title,
                or_list(keys)
            );
            let docs = keys.iter().filter_map(|key| kind.shape().field(key));
            let docs: Vec<_> = docs
                .map(|field| format!("`{}`: {}", field.key, field.doc))
                .collect();
            Diagnostic { message, ..bare }
                .label("has none of them")
                .note(docs.join("\n"))
                .with_fields(opening(object), kind, keys)
        });
    }

    pub(super) fn exclusive(&mut self, first: &ObjectProp, second: &ObjectProp) {
        self.report(
            DiagnosticCode::FieldsExclude,
            span(second.name.range()),
            |bare| {
                let message = format!(
                    "`{}` and `{}` exclude each other",
                    first.name.as_str(),
                    second.name.as_str()
                );
                Diagnostic { message, ..bare }
                    .label("not with the other one")
                    .related(span(first.name.range()), "this one is given, too")
                    .help(keep_one(first.name.as_str(), second.name.as_str()))
            },
        );
    }

    /// A field that needs text in another one, which is not there or is a list.
    pub(super) fn alone(
        &mut self,
        property: &ObjectProp,
        other: Option<&ObjectProp>,
        kind: ObjectKind,
        needed: &'static str,
    ) {
        let place = span(property.name.range());
        self.report(DiagnosticCode::MissingField, place, |bare| {
            let key = property.name.as_str();
            let message = format!("`{key}` needs the field `{needed}` with the path of a part");
            let problem = Diagnostic { message, ..bare }.label("of which part?");
            let field = kind.shape().field(key);
            let problem = match field {
                Some(field) => problem.note(format!("`{key}`: {}", field.doc)),
                None => problem,
            };
            let path = format!("`\"{needed}\": \"parts/fight.sw.json\"`");
            match other {
                Some(list) => problem
                    .related(span(list.name.range()), "a list: transition sets")
                    .help(format!(
                        "remove `{key}`; a part is a text: {path}, in a state of its own"
                    )),
                None => problem.help(format!("add {path}, or remove `{key}`")),
            }
        });
    }

    /// Whether an action has no more than one verb; whose fields the others are would be a guess.
    pub(super) fn has_one_tag(&mut self, object: &Object, ty: &'static Type) -> bool {
        let Some(tags) = tags(ty) else { return true };
        let is_tag =
            |property: &&ObjectProp| tags.iter().any(|(key, _)| *key == property.name.as_str());
        let mut given = object.properties.iter().filter(is_tag);
        let Some(first) = given.next() else {
            return true;
        };
        let Some(second) = given.find(|second| second.name.as_str() != first.name.as_str()) else {
            return true;
        };
        self.bad.insert(object.start());
        self.exclusive(first, second);
        false
    }

    /// An action without a verb.
    pub(super) fn no_tag(&mut self, object: &Object, tags: &'static [(&'static str, ObjectKind)]) {
        self.bad.insert(object.start());
        let slip = object
            .properties
            .first()
            .map(|property| property.name.as_str());
        self.report(DiagnosticCode::MissingField, opening(object), |bare| {
            let keys: Vec<_> = tags.iter().map(|&(key, _)| key).collect();
            let message = format!("an action needs one of the fields {}", or_list(&keys));
            let problem = Diagnostic { message, ..bare }.label("has none of them");
            match slip {
                Some(slip) => problem.suggest(slip, keys),
                None => problem,
            }
        });
    }

    /// A key that is a name (SW0008).
    pub(super) fn key_name(&mut self, property: &ObjectProp, kind: NameKind) {
        if let Err(problem) = kind.check(property.name.as_str()) {
            self.bad_name(
                span(property.name.range()),
                property.name.as_str(),
                kind,
                problem,
            );
        }
    }

    pub(super) fn bad_name(&mut self, span: Span, name: &str, kind: NameKind, problem: String) {
        let written = self
            .text
            .get(span.start as usize..span.end as usize)
            .unwrap_or_default();
        // A control character that stands there as it is has been reported.
        if written.bytes().any(|byte| byte < b' ') {
            return;
        }
        self.report(DiagnosticCode::BadName, span, |bare| {
            let problem = Diagnostic {
                message: problem,
                ..bare
            }
            .label("not a legal name");
            match legal_name(name, kind) {
                _ if kind == SET && name.ends_with(".json") => problem.help(format!(
                    "a list has transition sets; a part is a text: `\"use\": \"{name}\"` in a state"
                )),
                _ if name == "*" => problem.help("for any event write `\"on\": \"*\"` alone"),
                Some(legal) => problem
                    .help(format!("write `{legal}`"))
                    .fix(Fix::name(span, legal)),
                None => problem,
            }
        });
    }
}

impl Diagnostic {
    /// Offers each of some fields.
    fn with_fields(mut self, object: Span, kind: ObjectKind, keys: &[&str]) -> Self {
        let fields = keys.iter().filter_map(|key| kind.shape().field(key));
        self.fixes.extend(fields.map(|field| Fix {
            title: format!("Add `{}`", field.key),
            change: Change::AddField {
                object,
                key: field.key,
            },
        }));
        self
    }
}

/// Offers the name that a help of the form ``write `"to"`: …`` has, if the kind has such a field:
/// then only the name was wrong.
fn renamed(problem: Diagnostic, help: &str, kind: ObjectKind) -> Diagnostic {
    let named = help
        .strip_prefix("write `\"")
        .and_then(|rest| rest.split_once("\"`"));
    match named.and_then(|(key, _)| kind.shape().field(key)) {
        Some(field) => {
            let fix = Fix::name(problem.span, field.key);
            problem.fix(fix)
        }
        None => problem,
    }
}

/// The span of an object's opening bracket: the whole object would fill the screen.
pub(crate) fn opening(object: &Object) -> Span {
    Span::bytes(object.start()..object.start() + 1)
}

/// The keys that decide the kind of an object, if it is decided by its keys.
fn tags(ty: &'static Type) -> Option<&'static [(&'static str, ObjectKind)]> {
    match ty {
        Type::Tagged(tags) => Some(tags),
        Type::OneOf(types) => types.iter().find_map(tags),
        _ => None,
    }
}
