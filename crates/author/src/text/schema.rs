//! Owns the JSON Schema of machine files, made from the [`shape`](super::shape) so that editors
//! complete, explain and check exactly what the reader accepts. The committed files in `schemas/`
//! are this function's output.

use serde_json::{Map as JsonMap, Value, json};

use super::name::NameKind;
use super::shape::{Field, Group, Map, ObjectKind, Rule, Shape, Type};

/// A version of JSON Schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Draft {
    /// 2020-12, the current one.
    Draft202012,
    /// Draft-07, which older editors know.
    Draft07,
}

impl Draft {
    /// The URI of the draft itself.
    pub fn uri(self) -> &'static str {
        match self {
            Self::Draft202012 => "https://json-schema.org/draft/2020-12/schema",
            Self::Draft07 => "http://json-schema.org/draft-07/schema#",
        }
    }

    /// Where definitions stand.
    fn definitions(self) -> &'static str {
        match self {
            Self::Draft202012 => "$defs",
            Self::Draft07 => "definitions",
        }
    }
}

/// Durations as [`Duration::parse`](crate::value::Duration::parse) reads them.
const DURATION: &str = r"^\s*(([0-9]+\.?[0-9]*|\.[0-9]+)\s*m?s|[0-9]+\s*t)\s*$";
/// The same, a range of two, or anything else that does not begin like one.
const ANY_DURATION: &str = concat!(
    r"^\s*(?:",
    r"(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)\s*m?s|[0-9]+\s*t)",
    r"(?:\s*\.\.\s*(?:(?:[0-9]+\.?[0-9]*|\.[0-9]+)\s*m?s|[0-9]+\s*t))?\s*$",
    r"|(?![^'\x22`]*\.\.)(?!-?(?:[0-9.][0-9A-Za-z., ]*)?$).)",
);
const STABLE_ID: &str = "^(0x)?[0-9a-fA-F]{1,16}$";

/// The definition that all actions written as objects share.
const ACTION: &str = "action";

/// The schema of machine files.
pub fn schema(draft: Draft) -> Value {
    let writer = Writer { draft };
    let mut definitions = JsonMap::new();
    for kind in ObjectKind::ALL {
        definitions.insert(kind.shape().name.to_owned(), writer.object(kind.shape()));
    }
    definitions.insert(ACTION.to_owned(), writer.action());
    let mut root = json!({
        "$schema": draft.uri(),
        "title": "Statewright machine",
        "description": ObjectKind::Machine.shape().doc,
        "type": "object",
        "if": { "required": ["states"], "properties": { "states": { "type": "array" } } },
        "then": writer.reference(ObjectKind::FlatMachine.shape().name),
        "else": writer.reference(ObjectKind::Machine.shape().name),
    });
    root[draft.definitions()] = Value::Object(definitions);
    root
}

struct Writer {
    draft: Draft,
}

impl Writer {
    fn reference(&self, name: &str) -> Value {
        json!({ "$ref": format!("#/{}/{name}", self.draft.definitions()) })
    }

    fn object(&self, shape: &'static Shape) -> Value {
        let properties: JsonMap<_, _> = shape
            .fields()
            .map(|field| (field.key.to_owned(), self.field(field)))
            .collect();
        let required: Vec<_> = shape
            .fields()
            .filter(|field| field.required)
            .map(|field| field.key)
            .collect();
        let groups: Vec<_> = shape
            .groups
            .iter()
            .flat_map(|of| group(shape, of))
            .collect();
        let mut object = json!({
            "title": capital(shape.title),
            "description": shape.doc,
            "type": "object",
            "properties": properties,
            "additionalProperties": false,
        });
        if !required.is_empty() {
            object["required"] = json!(required);
        }
        if !groups.is_empty() {
            object["allOf"] = Value::Array(groups);
        }
        object
    }

    fn field(&self, field: &'static Field) -> Value {
        let mut schema = self.ty(&field.ty);
        // Up to draft-07 nothing beside a reference counts.
        if self.draft == Draft::Draft07 && schema.get("$ref").is_some() {
            schema = json!({ "allOf": [schema] });
        }
        let default = field
            .default
            .map(|text| (text, serde_json::from_str::<Value>(text)));
        let mut description = field.doc.to_owned();
        match default {
            Some((_, Ok(value))) => schema["default"] = value,
            Some((words, Err(_))) => description = format!("{description} Default: {words}."),
            None => {}
        }
        schema["description"] = Value::String(description);
        schema
    }

    fn ty(&self, ty: &'static Type) -> Value {
        match ty {
            Type::Bool => json!({ "type": "boolean" }),
            Type::Text | Type::PartFile | Type::Code => json!({ "type": "string" }),
            Type::Name(kind) => name(*kind),
            Type::Int { min, max } => json!({ "type": "integer", "minimum": min, "maximum": max }),
            Type::OneInt(choices) => json!({ "enum": choices }),
            Type::Number => json!({ "type": "number" }),
            Type::Duration => json!({ "type": "string", "pattern": DURATION }),
            Type::AnyDuration => json!({ "type": "string", "pattern": ANY_DURATION }),
            Type::AskedDuration => json!({
                "type": "string",
                "anyOf": [{ "pattern": DURATION }, { "pattern": NameKind::Identifier.pattern() }],
            }),
            Type::StableId => json!({ "type": "string", "pattern": STABLE_ID }),
            Type::Expression => json!({ "type": ["string", "number", "boolean"] }),
            Type::Word(words) => json!({ "enum": words.all().collect::<Vec<_>>() }),
            Type::Literal => {
                json!({ "anyOf": [{ "type": ["string", "number", "boolean"] }, vector()] })
            }
            Type::Vector => vector(),
            Type::Any => json!({}),
            Type::Object(kind) => self.reference(kind.shape().name),
            Type::Tagged(_) => self.reference(ACTION),
            Type::Map(map) => self.map(map),
            Type::List(item) => json!({ "type": "array", "items": self.ty(item) }),
            Type::OneOf(types) => {
                json!({ "anyOf": types.iter().map(|ty| self.ty(ty)).collect::<Vec<_>>() })
            }
        }
    }

    fn map(&self, map: &'static Map) -> Value {
        let mut schema = json!({ "type": "object", "additionalProperties": self.ty(&map.value) });
        let mut names = name(map.keys);
        if !map.fields.is_empty() {
            let fields: JsonMap<_, _> = map
                .fields
                .iter()
                .map(|field| (field.key.to_owned(), self.field(field)))
                .collect();
            let keys: Vec<_> = map.fields.iter().map(|field| field.key).collect();
            schema["properties"] = Value::Object(fields);
            names = json!({ "anyOf": [names, { "enum": keys }] });
        }
        if !map.may_be_empty {
            schema["minProperties"] = json!(1);
        }
        schema["propertyNames"] = names;
        schema
    }

    /// Any action that is an object. The verb decides, so an editor complains about the right one.
    fn action(&self) -> Value {
        let tags = super::shapes::action::TAGS;
        let verbs: Vec<_> = tags
            .iter()
            .map(|(key, _)| json!({ "required": [key] }))
            .collect();
        let rules = tags
            .iter()
            .map(|(key, kind)| json!({ "if": { "required": [key] }, "then": self.reference(kind.shape().name) }));
        let properties: JsonMap<_, _> = tags
            .iter()
            .filter_map(|(key, kind)| {
                Some(((*key).to_owned(), self.field(kind.shape().field(key)?)))
            })
            .collect();
        json!({
            "title": "An action",
            "description": "A built-in action or a call; the first key says which.",
            "type": "object",
            "properties": properties,
            "oneOf": verbs,
            "allOf": rules.collect::<Vec<_>>(),
        })
    }
}

fn name(kind: NameKind) -> Value {
    json!({ "type": "string", "pattern": kind.pattern(), "maxLength": kind.max_bytes() })
}

fn vector() -> Value {
    json!({ "type": "array", "items": { "type": "number" }, "minItems": 2, "maxItems": 3 })
}

/// What a group of fields asks for.
fn group(shape: &'static Shape, group: &Group) -> Vec<Value> {
    let one = |key: &&str| json!({ "required": [key] });
    match group.rule {
        Rule::One => vec![json!({ "oneOf": group.keys.iter().map(one).collect::<Vec<_>>() })],
        Rule::AtLeastOne => {
            vec![json!({ "anyOf": group.keys.iter().map(one).collect::<Vec<_>>() })]
        }
        Rule::AtMostOne => pairs(group.keys)
            .map(|pair| json!({ "not": both(shape, pair) }))
            .collect(),
        Rule::BesideText => match group.keys {
            [text, others @ ..] => vec![beside_text(text, others)],
            [] => Vec::new(),
        },
    }
}

/// Fields that need text in another one.
fn beside_text(text: &str, others: &[&str]) -> Value {
    let any: Vec<_> = others
        .iter()
        .map(|key| json!({ "required": [key] }))
        .collect();
    json!({
        "if": { "anyOf": any },
        "then": { "required": [text], "properties": { text: { "type": "string" } } },
    })
}

/// Two fields that are given; a flag that is off is not.
fn both(shape: &'static Shape, pair: [&str; 2]) -> Value {
    let flags = pair
        .iter()
        .filter(|key| shape.field(key).is_some_and(Field::is_flag));
    let on: JsonMap<_, _> = flags
        .map(|key| ((*key).to_owned(), json!({ "const": true })))
        .collect();
    match on.is_empty() {
        true => json!({ "required": pair }),
        false => json!({ "required": pair, "properties": on }),
    }
}

fn pairs<'k>(keys: &'k [&'k str]) -> impl Iterator<Item = [&'k str; 2]> {
    keys.iter()
        .enumerate()
        .flat_map(move |(at, first)| keys[at + 1..].iter().map(move |second| [*first, *second]))
}

fn capital(title: &str) -> String {
    let mut letters = title.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}
