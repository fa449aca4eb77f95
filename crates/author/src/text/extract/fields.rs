//! Owns the reading of single fields into the graph's small values.

use jsonc_parser::ast::{Object, StringLit, Value};
use jsonc_parser::common::Ranged;

use super::Reader;
use crate::duration::DurationSource;
use crate::graph::{ExprSource, Meta, StableId};
use crate::span::{Name, Span, Spanned};
use crate::text::check::stable_id;
use crate::text::parse::{is_written_whole, span, string_span, to_json, whole};
use crate::value::{Duration, Literal};

impl Reader<'_> {
    fn string<'v, 't>(&self, object: &'v Object<'t>, key: &str) -> Option<&'v StringLit<'t>> {
        self.field(object, key).and_then(Value::as_string_lit)
    }

    /// Free text.
    pub(crate) fn text(&self, object: &Object, key: &str) -> Option<String> {
        self.string(object, key)
            .map(|text| text.value.clone().into_owned())
    }

    /// A string as a name.
    pub(crate) fn name_of(&self, value: &Value) -> Option<Name> {
        let literal = value.as_string_lit()?;
        Some(Spanned::new(
            literal.value.clone().into_owned(),
            string_span(self.text, literal),
        ))
    }

    /// A name.
    pub(crate) fn name(&self, object: &Object, key: &str) -> Option<Name> {
        self.field(object, key)
            .and_then(|value| self.name_of(value))
    }

    /// One name or a list of names.
    pub(crate) fn names(&self, object: &Object, key: &str) -> Vec<Name> {
        self.field(object, key)
            .map_or_else(Vec::new, |value| self.names_of(value))
    }

    /// The same of a value.
    pub(crate) fn names_of(&self, value: &Value) -> Vec<Name> {
        match value {
            Value::Array(_) => self
                .items(Some(value))
                .filter_map(|item| self.name_of(item))
                .collect(),
            _ => self.name_of(value).into_iter().collect(),
        }
    }

    /// The names in a field of the wrong form: a text, a list, objects in a list. The form has been
    /// reported, so whoever uses one of the names makes no mistake.
    pub(crate) fn names_anyhow(&self, object: &Object, key: &str) -> Vec<Name> {
        let mut fields = object.properties.iter();
        let field = fields.find(|property| property.name.as_str() == key);
        match field.map(|property| &property.value) {
            Some(Value::Array(list)) => {
                let items = list.elements.iter();
                items.flat_map(|item| self.names_in(item)).collect()
            }
            Some(text) => self.name_of(text).into_iter().collect(),
            None => Vec::new(),
        }
    }

    /// The names in an item of a list of names.
    fn names_in(&self, item: &Value) -> Vec<Name> {
        match item {
            Value::Object(map) => self.entries(map).map(|entry| self.key(&entry)).collect(),
            text => {
                let name = self.good(text).then(|| self.name_of(text));
                name.flatten().into_iter().collect()
            }
        }
    }

    /// A truth value.
    pub(crate) fn boolean(&self, object: &Object, key: &str) -> Option<Spanned<bool>> {
        let literal = self.field(object, key)?.as_boolean_lit()?;
        Some(Spanned::new(literal.value, span(literal.range)))
    }

    /// Where a truth value says that it is so.
    pub(crate) fn mark(&self, object: &Object, key: &str) -> Option<Span> {
        let given = self.boolean(object, key).filter(|given| given.value);
        given.map(|given| given.span)
    }

    /// A truth value that is false if not given.
    pub(crate) fn flag(&self, object: &Object, key: &str) -> bool {
        self.boolean(object, key).is_some_and(|truth| truth.value)
    }

    /// A whole number.
    pub(crate) fn count(&self, object: &Object, key: &str) -> Option<Spanned<u32>> {
        self.field(object, key)
            .and_then(|value| self.count_of(value))
    }

    /// The same of a value.
    pub(crate) fn count_of(&self, value: &Value) -> Option<Spanned<u32>> {
        let literal = value.as_number_lit()?;
        let count = u32::try_from(whole(literal.value)?).ok()?;
        Some(Spanned::new(count, span(literal.range)))
    }

    /// One of some words.
    pub(crate) fn word<T>(
        &self,
        object: &Object,
        key: &str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<Spanned<T>> {
        self.word_of(self.field(object, key)?, read)
    }

    /// The same of a value.
    pub(crate) fn word_of<T>(
        &self,
        value: &Value,
        read: impl Fn(&str) -> Option<T>,
    ) -> Option<Spanned<T>> {
        let literal = value.as_string_lit()?;
        Some(Spanned::new(
            read(&literal.value)?,
            string_span(self.text, literal),
        ))
    }

    /// A duration.
    pub(crate) fn duration(&self, object: &Object, key: &str) -> Option<Spanned<Duration>> {
        self.word(object, key, |text| Duration::parse(text).ok())
    }

    /// A literal, a parameter, an expression or a range.
    pub(crate) fn any_duration(
        &self,
        object: &Object,
        key: &str,
    ) -> Option<Spanned<DurationSource>> {
        self.word(object, key, |text| DurationSource::parse(text).ok())
    }

    /// One that must be there. Another stands in for one that is wrong and has been reported, so
    /// that what is around it is looked at in the same round. No two of them are alike: nothing can
    /// be said about them together.
    pub(crate) fn needed_duration(&self, object: &Object, key: &str) -> Spanned<DurationSource> {
        self.any_duration(object, key).unwrap_or_else(|| {
            let ticks = 1 + object.range.start as u64;
            Spanned::new(Duration::Ticks(ticks).into(), span(object.range))
        })
    }

    /// A literal or a parameter.
    pub(crate) fn asked_duration(
        &self,
        object: &Object,
        key: &str,
    ) -> Option<Spanned<DurationSource>> {
        self.word(object, key, |text| DurationSource::parse_asked(text).ok())
    }

    /// A stable id.
    pub(crate) fn id(&self, object: &Object, key: &str) -> StableId {
        self.word(object, key, stable_id)
    }

    /// Source text; numbers and truth values stand for theirs.
    pub(crate) fn code(&self, object: &Object, key: &str) -> Option<ExprSource> {
        self.field(object, key)
            .and_then(|value| self.code_of(value))
    }

    /// The same of a value.
    pub(crate) fn code_of(&self, value: &Value) -> Option<ExprSource> {
        match value {
            Value::StringLit(_) => self.name_of(value),
            Value::NumberLit(raw) => Some(Spanned::new(raw.value.to_owned(), span(raw.range))),
            Value::BooleanLit(truth) => {
                Some(Spanned::new(truth.value.to_string(), span(truth.range)))
            }
            _ => None,
        }
    }

    /// A literal.
    pub(crate) fn literal_of(&self, value: &Value) -> Option<Spanned<Literal>> {
        let literal = match value {
            _ if !self.good(value) => return None,
            Value::StringLit(text) => Literal::Text(text.value.clone().into_owned()),
            Value::BooleanLit(truth) => Literal::Bool(truth.value),
            Value::NumberLit(raw) if is_written_whole(raw.value) => {
                Literal::Int(raw.value.parse().ok()?)
            }
            Value::NumberLit(raw) => Literal::Float(raw.value.parse().ok()?),
            Value::Array(list) => {
                Literal::Vector(list.elements.iter().map(component).collect::<Option<_>>()?)
            }
            _ => return None,
        };
        Some(Spanned::new(literal, span(value.range())))
    }

    /// Editor data.
    pub(crate) fn meta(&self, object: &Object) -> Meta {
        self.field(object, "meta").map(to_json)
    }
}

fn component(value: &Value) -> Option<f64> {
    value.as_number_lit()?.value.parse().ok()
}
