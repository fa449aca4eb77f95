//! Owns the step from a checked JSON tree to the author graph. It reports nothing: the check has
//! done that, and what the check marked as bad is left out here. The root of all is [`machine`].

mod action;
mod declare;
mod fields;
mod machine;
mod state;
mod transition;

pub(crate) use transition::transition_kind;

use jsonc_parser::ast::{Object, ObjectProp, ObjectPropName, Value};
use jsonc_parser::common::Ranged;

use super::check::Bad;
use super::parse::{span, string_span};
use crate::span::{Name, Span, Spanned};

/// Reads values out of a checked tree.
pub(crate) struct Reader<'a> {
    /// The whole text.
    pub(crate) text: &'a str,
    /// What to leave out.
    pub(crate) bad: Bad,
}

impl Reader<'_> {
    /// The value of a field, if it is given and has the right form.
    pub(crate) fn field<'v, 't>(&self, object: &'v Object<'t>, key: &str) -> Option<&'v Value<'t>> {
        let property = object
            .properties
            .iter()
            .find(|property| property.name.as_str() == key)?;
        self.good(&property.value).then_some(&property.value)
    }

    /// Whether a value has the right form.
    pub(crate) fn good(&self, value: &Value) -> bool {
        !self.bad.contains(&value.start())
    }

    /// The entries of a map under their names. Of a name given twice the first counts. An entry
    /// whose value has the wrong form stays, so that its name is known.
    pub(crate) fn entries<'v, 't>(
        &self,
        object: &'v Object<'t>,
    ) -> impl Iterator<Item = Entry<'v, 't>> {
        let first = |property: &&ObjectProp| !self.bad.contains(&property.name.start());
        object
            .properties
            .iter()
            .filter(first)
            .map(|property| Entry { property })
    }

    /// The entries of the map in a field.
    pub(crate) fn members<'v, 't>(
        &self,
        object: &'v Object<'t>,
        key: &str,
    ) -> impl Iterator<Item = Entry<'v, 't>> {
        let map = self.field(object, key).and_then(Value::as_object);
        map.into_iter().flat_map(|map| self.entries(map))
    }

    /// The items of a list that have the right form.
    pub(crate) fn items<'v, 't>(
        &self,
        value: Option<&'v Value<'t>>,
    ) -> impl Iterator<Item = &'v Value<'t>> {
        let list = value
            .and_then(Value::as_array)
            .map(|list| list.elements.as_slice())
            .unwrap_or_default();
        list.iter().filter(|item| self.good(item))
    }

    /// The same, objects only.
    pub(crate) fn objects<'v, 't>(
        &self,
        value: Option<&'v Value<'t>>,
    ) -> impl Iterator<Item = &'v Object<'t>> {
        self.items(value).filter_map(Value::as_object)
    }

    /// The key of an entry as a name.
    pub(crate) fn key(&self, entry: &Entry) -> Name {
        let name = &entry.property.name;
        let span = match name {
            ObjectPropName::String(literal) => string_span(self.text, literal),
            ObjectPropName::Word(word) => span(word.range),
        };
        Spanned::new(name.as_str().to_owned(), span)
    }
}

/// A name and what stands under it.
pub(crate) struct Entry<'v, 't> {
    property: &'v ObjectProp<'t>,
}

impl<'v, 't> Entry<'v, 't> {
    /// What stands under the name.
    pub(crate) fn value(&self) -> &'v Value<'t> {
        &self.property.value
    }

    /// The same, if it is an object.
    pub(crate) fn object(&self) -> Option<&'v Object<'t>> {
        self.property.value.as_object()
    }

    /// Where name and value stand.
    pub(crate) fn span(&self) -> Span {
        span(self.property.range())
    }

    /// Whether this is a field beside the names.
    pub(crate) fn is_field(&self) -> bool {
        self.property.name.as_str().starts_with('$')
    }
}
