//! Goes over the JSON tree of a machine file with the shapes of the file format and tells what
//! stands where. Every feature that asks "what is this" listens to it, so none has a list of fields.
//!
//! Recursion ends at the nesting that the reader allows.

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use statewright_author::text::json::kind;
use statewright_author::text::shape::{Content, Field, Map, ObjectKind, Type, file_kind};

/// What the keys of an object are.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Keys {
    /// Fields of a kind.
    Fields(ObjectKind),
    /// Names.
    Names(&'static Map),
    /// Verbs of an action; none is given.
    Verbs(&'static [(&'static str, ObjectKind)]),
}

/// An object that is being gone through.
#[derive(Clone, Copy)]
pub(crate) struct Frame<'v, 't> {
    /// The object.
    pub(crate) object: &'v Object<'t>,
    /// What its keys are.
    pub(crate) keys: Keys,
}

/// A key or a value.
#[derive(Clone, Copy)]
pub(crate) enum Spot<'v, 't> {
    /// A key with its value; the innermost frame says what keys are there.
    Key(&'v ObjectProp<'t>),
    /// An object or a list, before what is in it. A list has the type of its items.
    Inside(&'v Value<'t>, Content),
    /// A value that has no shape of its own.
    Leaf(&'v Value<'t>, &'static Type),
    /// A value of a kind that has no place there.
    Wrong(&'v Value<'t>, &'static Type),
}

/// Listens; the frames are those around the spot, the innermost last.
pub(crate) trait Listener<'v, 't> {
    /// Something stands there.
    fn meet(&mut self, spot: Spot<'v, 't>, frames: &[Frame<'v, 't>]);

    /// Whether to go into a value.
    fn wants(&self, _value: &Value<'t>) -> bool {
        true
    }
}

/// Goes over a whole file.
pub(crate) fn walk<'v, 't>(root: &'v Value<'t>, listener: &mut dyn Listener<'v, 't>) {
    let Value::Object(object) = root else { return };
    let states = object.get("states").map(|property| kind(&property.value));
    let mut walker = Walker {
        frames: Vec::new(),
        listener,
    };
    walker.object(root, object, Keys::Fields(file_kind(states)));
}

struct Walker<'l, 'v, 't> {
    frames: Vec<Frame<'v, 't>>,
    listener: &'l mut dyn Listener<'v, 't>,
}

impl<'v, 't> Walker<'_, 'v, 't> {
    fn object(&mut self, value: &'v Value<'t>, object: &'v Object<'t>, keys: Keys) {
        let content = match keys {
            Keys::Fields(kind) => Content::Object(kind),
            Keys::Names(map) => Content::Map(map),
            Keys::Verbs(tags) => Content::Untagged(tags),
        };
        self.listener
            .meet(Spot::Inside(value, content), &self.frames);
        self.frames.push(Frame { object, keys });
        for property in &object.properties {
            self.listener.meet(Spot::Key(property), &self.frames);
            if let Some(ty) = type_under(keys, property.name.as_str())
                && self.listener.wants(&property.value)
            {
                self.value(&property.value, ty);
            }
        }
        self.frames.pop();
    }

    fn value(&mut self, value: &'v Value<'t>, ty: &'static Type) {
        let has_key = |key: &str| value.as_object().is_some_and(|object| has_key(object, key));
        let Some(content) = ty.content(kind(value), &has_key) else {
            return self.listener.meet(Spot::Wrong(value, ty), &self.frames);
        };
        match (content, value) {
            (Content::Object(kind), Value::Object(object)) => {
                self.object(value, object, Keys::Fields(kind))
            }
            (Content::Map(map), Value::Object(object)) => {
                self.object(value, object, Keys::Names(map))
            }
            (Content::Untagged(tags), Value::Object(object)) => {
                self.object(value, object, Keys::Verbs(tags))
            }
            (Content::List(item), Value::Array(list)) => {
                self.listener
                    .meet(Spot::Inside(value, content), &self.frames);
                for element in &list.elements {
                    if self.listener.wants(element) {
                        self.value(element, item);
                    }
                }
            }
            (Content::Leaf(ty), _) => self.listener.meet(Spot::Leaf(value, ty), &self.frames),
            (Content::Object(_) | Content::Map(_) | Content::Untagged(_) | Content::List(_), _) => {
            }
        }
    }
}

/// The type of what stands under a key.
fn type_under(keys: Keys, key: &str) -> Option<&'static Type> {
    match keys {
        Keys::Fields(kind) => kind.shape().field(key).map(|field| &field.ty),
        Keys::Names(map) => match map.field(key) {
            Some(field) => Some(&field.ty),
            None => Some(&map.value),
        },
        Keys::Verbs(_) => None,
    }
}

/// The field that a key names, if it names one.
pub(crate) fn field_of(keys: Keys, key: &str) -> Option<&'static Field> {
    match keys {
        Keys::Fields(kind) => kind.shape().field(key),
        Keys::Names(map) => map.field(key),
        Keys::Verbs(_) => None,
    }
}

/// Whether an object has a key.
pub(crate) fn has_key(object: &Object, key: &str) -> bool {
    object
        .properties
        .iter()
        .any(|property| property.name.as_str() == key)
}

/// The text of a field that is a string.
pub(crate) fn text_field<'v>(object: &'v Object, key: &str) -> Option<&'v str> {
    let property = object
        .properties
        .iter()
        .find(|property| property.name.as_str() == key)?;
    property
        .value
        .as_string_lit()
        .map(|text| text.value.as_ref())
}

/// Whether a value covers a byte, its ends included.
pub(crate) fn covers(value: &dyn Ranged, byte: usize) -> bool {
    (value.start()..=value.end()).contains(&byte)
}
