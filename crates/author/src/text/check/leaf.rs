//! Owns the check of single values: numbers, words, ids, names, literals.

use jsonc_parser::ast::{NumberLit, StringLit, Value};
use jsonc_parser::common::Ranged;

use super::duration::is_duration;
use super::hints::other_word;
use super::{Checker, Subject};
use crate::codes::DiagnosticCode;
use crate::diagnostic::{Diagnostic, Fix};
use crate::text::describe::{expected, or_list};
use crate::text::name::NameKind;
use crate::text::parse::{is_written_whole, number, span, string_span, whole};
use crate::text::shape::{Type, Words};
use crate::value::ValueType;

impl Checker<'_> {
    pub(super) fn leaf(&mut self, value: &Value, ty: &'static Type, subject: Subject) {
        match (value, ty) {
            (_, Type::Any) => self.any(value),
            (Value::NumberLit(raw), _) => self.number(raw, ty, subject),
            (Value::StringLit(text), Type::Name(kind)) => self.name(text, *kind),
            (Value::StringLit(text), Type::Word(words)) => self.word(text, words, subject),
            (Value::StringLit(text), ty) if is_duration(ty) => self.duration(text, ty),
            (Value::StringLit(text), Type::StableId) => self.stable_id(text),
            (Value::Array(list), _) => {
                self.vector(list.range.start..list.range.end, &list.elements, subject)
            }
            _ => {}
        }
    }

    /// Editor data: only what JSON itself asks for.
    fn any(&mut self, value: &Value) {
        match value {
            Value::NumberLit(raw) if number(raw.value).is_none() => self.too_large(raw),
            Value::Array(list) => list.elements.iter().for_each(|element| self.any(element)),
            Value::Object(object) => {
                self.duplicates(object, "keep one of them");
                object
                    .properties
                    .iter()
                    .for_each(|property| self.any(&property.value));
            }
            _ => {}
        }
    }

    fn number(&mut self, raw: &NumberLit, ty: &'static Type, subject: Subject) {
        if number(raw.value).is_none() {
            return self.too_large(raw);
        }
        let legal = |n: i64| match ty {
            Type::Int { min, max } => (i64::from(*min)..=i64::from(*max)).contains(&n),
            Type::OneInt(choices) => choices.iter().any(|&choice| i64::from(choice) == n),
            _ => true,
        };
        match (ty, whole(raw.value)) {
            (Type::Int { .. } | Type::OneInt(_), Some(n)) if legal(n) => {}
            (Type::Int { .. } | Type::OneInt(_), _) => self.bad_value(raw, ty, subject, raw.value),
            (Type::Literal, None) if is_written_whole(raw.value) => self.too_large(raw),
            _ => {}
        }
    }

    fn too_large(&mut self, raw: &NumberLit) {
        self.bad.insert(raw.start());
        self.report(DiagnosticCode::BadValue, span(raw.range()), |bare| {
            let shown: String = raw.value.chars().take(30).collect();
            Diagnostic {
                message: format!("the number {shown} is too large"),
                ..bare
            }
            .label("cannot be represented")
        });
    }

    fn bad_value(&mut self, value: &dyn Ranged, ty: &'static Type, subject: Subject, found: &str) {
        self.bad.insert(value.range().start);
        self.report(DiagnosticCode::BadValue, span(value.range()), |bare| {
            let shown: String = found.chars().take(60).collect();
            let message = format!(
                "{} must be {}, found `{shown}`",
                subject.words(),
                expected(ty)
            );
            Diagnostic { message, ..bare }.label("not allowed here")
        });
    }

    fn name(&mut self, text: &StringLit, kind: NameKind) {
        if let Err(problem) = kind.check(&text.value) {
            self.bad.insert(text.start());
            self.bad_name(span(text.range()), &text.value, kind, problem);
        }
    }

    fn word(&mut self, text: &StringLit, words: &'static Words, subject: Subject) {
        if words.all().any(|word| word == text.value) {
            return;
        }
        self.bad.insert(text.start());
        self.report(
            DiagnosticCode::BadValue,
            string_span(self.text, text),
            |bare| {
                let shown: String = text.value.chars().take(60).collect();
                let message = format!(
                    "{} must be {}, found `{shown}`",
                    subject.words(),
                    or_list(words.words)
                );
                let problem = Diagnostic { message, ..bare }.label("no such word");
                match ValueType::of_other_word(&text.value)
                    .filter(|ty| words.words.contains(&ty.as_str()))
                {
                    Some(ty) => {
                        let fix = Fix::name(problem.span, ty.as_str());
                        problem.help(format!("write `{ty}`")).fix(fix)
                    }
                    None => match subject.field().and_then(|key| other_word(key, &text.value)) {
                        Some(help) => problem.help(help),
                        None => problem.suggest(&text.value, words.words.iter().copied()),
                    },
                }
            },
        );
    }

    fn stable_id(&mut self, text: &StringLit) {
        if stable_id(&text.value).is_none() {
            self.bad.insert(text.start());
            self.report(DiagnosticCode::BadStableId, string_span(self.text, text), |bare| {
                let message =
                    "a stable id is 1 to 16 hexadecimal digits, such as \"9f03a1\" or \"0x9f03a1\"";
                Diagnostic {
                    message: message.into(),
                    ..bare
                }
                .label("not a stable id")
                .help("leave `id` out: `statewright fmt --ids` writes one")
            });
        }
    }

    /// A list as literal: two or three numbers.
    fn vector(&mut self, range: std::ops::Range<usize>, elements: &[Value], subject: Subject) {
        let numbers = elements
            .iter()
            .all(|element| matches!(element, Value::NumberLit(_)));
        if !numbers || !(2..=3).contains(&elements.len()) {
            self.bad.insert(range.start);
            let span = crate::span::Span::bytes(range);
            return self.report(DiagnosticCode::BadValue, span, |bare| {
                let message = format!(
                    "{} must be two or three numbers if it is a list",
                    subject.words()
                );
                Diagnostic { message, ..bare }.label("not a vector")
            });
        }
        for raw in elements.iter().filter_map(Value::as_number_lit) {
            if number(raw.value).is_none() {
                self.bad.insert(range.start);
                self.too_large(raw);
            }
        }
    }
}

/// Reads a stable id (ROM-6).
pub(crate) fn stable_id(text: &str) -> Option<u64> {
    let digits = text.strip_prefix("0x").unwrap_or(text);
    let legal = (1..=16).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
    if legal {
        u64::from_str_radix(digits, 16).ok()
    } else {
        None
    }
}
