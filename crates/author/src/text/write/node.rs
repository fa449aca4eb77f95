//! Owns JSON under construction: members in the order of their shape, and which brackets are opened
//! over lines.

use serde_json::Value;

use crate::graph::{ExprSource, Meta, StableId};
use crate::span::{Name, Spanned};
use crate::text::shape::{ObjectKind, key_order};
use crate::value::Literal;

/// A JSON value. The formatter breaks what does not fit on its line.
pub(super) enum JsonNode {
    /// A word, a number or quoted text.
    Scalar(String),
    /// A list.
    List(Vec<JsonNode>),
    /// An object; keys may repeat, which the reader reports.
    Object {
        /// Its members.
        members: Vec<(String, JsonNode)>,
        /// Its members stand on lines of their own even if they fit on one.
        open: bool,
    },
}

/// Quoted text.
pub(super) fn quoted(text: &str) -> JsonNode {
    JsonNode::Scalar(Value::from(text).to_string())
}

/// A value of `serde_json`.
pub(super) fn json(value: &Value) -> JsonNode {
    match value {
        Value::Array(items) => JsonNode::List(items.iter().map(json).collect()),
        Value::Object(map) => JsonNode::Object {
            members: map
                .iter()
                .map(|(key, value)| (key.clone(), json(value)))
                .collect(),
            open: false,
        },
        scalar => JsonNode::Scalar(scalar.to_string()),
    }
}

/// A name as quoted text.
pub(super) fn name(name: &Name) -> JsonNode {
    quoted(&name.value)
}

/// Source text; numbers and truth values stand for theirs.
pub(super) fn code(code: &ExprSource) -> JsonNode {
    let plain = matches!(code.value.as_str(), "true" | "false")
        || code
            .value
            .parse::<serde_json::Number>()
            .is_ok_and(|number| number.to_string() == code.value);
    if plain {
        JsonNode::Scalar(code.value.clone())
    } else {
        quoted(&code.value)
    }
}

/// A number, without a fraction if it has none.
pub(super) fn number(value: f64) -> JsonNode {
    let whole =
        value.fract() == 0.0 && value.abs() < 1e15 && (value != 0.0 || value.is_sign_positive());
    JsonNode::Scalar(if whole {
        format!("{value:.0}")
    } else {
        Value::from(value).to_string()
    })
}

/// A literal of the type that it has.
pub(super) fn literal(value: &Literal) -> JsonNode {
    match value {
        Literal::Int(value) => JsonNode::Scalar(value.to_string()),
        Literal::Float(value) => json(&Value::from(*value)),
        Literal::Bool(value) => JsonNode::Scalar(value.to_string()),
        Literal::Text(value) => quoted(value),
        Literal::Vector(parts) => JsonNode::List(parts.iter().copied().map(number).collect()),
    }
}

/// One value alone, several as a list.
pub(super) fn one_or_list(mut items: Vec<JsonNode>) -> JsonNode {
    if items.len() == 1 {
        items.remove(0)
    } else {
        JsonNode::List(items)
    }
}

/// Names with what stands under each, one per line.
pub(super) fn map(entries: impl Iterator<Item = (String, JsonNode)>) -> JsonNode {
    JsonNode::Object {
        members: entries.collect(),
        open: true,
    }
}

impl JsonNode {
    /// Writes it, with a line end after each bracket and comma that shall be opened.
    pub(super) fn print(&self, out: &mut String) {
        let open = self.is_open();
        let end = if open { "\n" } else { "" };
        match self {
            Self::Scalar(text) => out.push_str(text),
            Self::List(items) => {
                out.push('[');
                for (at, item) in items.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { "," });
                    out.push_str(end);
                    item.print(out);
                }
                out.push_str(end);
                out.push(']');
            }
            Self::Object { members, .. } => {
                out.push('{');
                for (at, (key, value)) in members.iter().enumerate() {
                    out.push_str(if at == 0 { "" } else { "," });
                    out.push_str(end);
                    quoted(key).print(out);
                    out.push(':');
                    value.print(out);
                }
                out.push_str(end);
                out.push('}');
            }
        }
    }

    /// The members of an object, printed; anything else is the value of the field `only`.
    pub(super) fn fields_or(self, only: &str) -> Vec<(String, String)> {
        let members = match self {
            Self::Object { members, .. } => members,
            other => vec![(only.to_owned(), other)],
        };
        let printed = |node: JsonNode| {
            let mut text = String::new();
            node.print(&mut text);
            text
        };
        let members = members.into_iter();
        members.map(|(key, node)| (key, printed(node))).collect()
    }

    /// Whether it takes several lines: because it shall, or because something in it does.
    fn is_open(&self) -> bool {
        match self {
            Self::Scalar(_) => false,
            Self::List(items) => {
                let objects = items
                    .iter()
                    .filter(|item| matches!(item, Self::Object { .. }))
                    .count();
                objects > 1 || items.iter().any(Self::is_open)
            }
            Self::Object { members, open } => {
                !members.is_empty() && (*open || members.iter().any(|(_, value)| value.is_open()))
            }
        }
    }
}

/// An object under construction: only what is there is written.
pub(super) struct Object {
    kind: ObjectKind,
    members: Vec<(String, JsonNode)>,
}

impl Object {
    /// An object without members.
    pub(super) fn new(kind: ObjectKind) -> Self {
        Self {
            kind,
            members: Vec::new(),
        }
    }

    pub(super) fn put(&mut self, key: &str, value: JsonNode) -> &mut Self {
        self.members.push((key.to_owned(), value));
        self
    }

    pub(super) fn maybe(&mut self, key: &str, value: Option<JsonNode>) -> &mut Self {
        if let Some(value) = value {
            self.put(key, value);
        }
        self
    }

    pub(super) fn flag(&mut self, key: &str, on: bool) -> &mut Self {
        self.maybe(key, on.then(|| JsonNode::Scalar("true".into())))
    }

    pub(super) fn word(&mut self, key: &str, word: Option<&str>) -> &mut Self {
        self.maybe(key, word.map(quoted))
    }

    pub(super) fn name(&mut self, key: &str, given: Option<&Name>) -> &mut Self {
        self.maybe(key, given.map(name))
    }

    pub(super) fn code(&mut self, key: &str, given: Option<&ExprSource>) -> &mut Self {
        self.maybe(key, given.map(code))
    }

    pub(super) fn count(&mut self, key: &str, count: &Option<Spanned<u32>>) -> &mut Self {
        self.maybe(
            key,
            count
                .as_ref()
                .map(|count| JsonNode::Scalar(count.value.to_string())),
        )
    }

    /// Something whose text form is how it shows itself.
    pub(super) fn shown<T: std::fmt::Display>(
        &mut self,
        key: &str,
        value: Option<&Spanned<T>>,
    ) -> &mut Self {
        self.maybe(key, value.map(|value| quoted(&value.value.to_string())))
    }

    pub(super) fn id(&mut self, id: &StableId) -> &mut Self {
        self.maybe(
            "id",
            id.as_ref().map(|id| quoted(&format!("{:016x}", id.value))),
        )
    }

    pub(super) fn doc(&mut self, doc: &Option<String>) -> &mut Self {
        self.word("doc", doc.as_deref())
    }

    pub(super) fn meta(&mut self, meta: &Meta) -> &mut Self {
        self.maybe("meta", meta.as_ref().map(json))
    }

    pub(super) fn list(&mut self, key: &str, items: Vec<JsonNode>) -> &mut Self {
        self.maybe(key, (!items.is_empty()).then_some(JsonNode::List(items)))
    }

    pub(super) fn names(&mut self, key: &str, names: &[Name]) -> &mut Self {
        self.list(key, names.iter().map(name).collect())
    }

    pub(super) fn targets(&mut self, key: &str, targets: &[Name]) -> &mut Self {
        self.maybe(
            key,
            (!targets.is_empty()).then(|| one_or_list(targets.iter().map(name).collect())),
        )
    }

    pub(super) fn map(
        &mut self,
        key: &str,
        entries: impl Iterator<Item = (String, JsonNode)>,
    ) -> &mut Self {
        let map = map(entries);
        let empty = matches!(&map, JsonNode::Object { members, .. } if members.is_empty());
        self.maybe(key, (!empty).then_some(map))
    }

    /// Names alone as a list, or names with their fields if any has some.
    pub(super) fn names_or_map(
        &mut self,
        key: &str,
        entries: Vec<(String, JsonNode)>,
    ) -> &mut Self {
        let bare = |node: &JsonNode| matches!(node, JsonNode::Object { members, .. } if members.is_empty());
        if entries.iter().all(|(_, fields)| bare(fields)) {
            return self.list(key, entries.iter().map(|(name, _)| quoted(name)).collect());
        }
        self.map(key, entries.into_iter())
    }

    /// The object, its members in the order of its shape; on one line if it fits.
    pub(super) fn done(self) -> JsonNode {
        self.finish(false)
    }

    /// The same, its members on lines of their own.
    pub(super) fn done_open(self) -> JsonNode {
        self.finish(true)
    }

    /// The same for a state: on one line if that stays easy to read.
    pub(super) fn done_state(self) -> JsonNode {
        let plain = self
            .members
            .iter()
            .all(|(_, value)| matches!(value, JsonNode::Scalar(_)));
        let open = self.members.len() > 1 && !plain;
        self.finish(open)
    }

    /// The value of the only member, if it is `key` alone; else the object.
    pub(super) fn or_only(mut self, key: &str) -> JsonNode {
        match &self.members[..] {
            [(only, _)] if only == key => self.members.remove(0).1,
            _ => self.done(),
        }
    }

    fn finish(mut self, open: bool) -> JsonNode {
        let order = key_order(self.kind);
        let rank = |key: &str| order.iter().position(|known| *known == key);
        self.members.sort_by_key(|(key, _)| rank(key));
        JsonNode::Object {
            members: self.members,
            open,
        }
    }
}
