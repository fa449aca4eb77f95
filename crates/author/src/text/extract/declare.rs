//! Owns the reading of what a machine declares: events, keys, parameters, variants, channels,
//! lanes, functions, observers, transition sets.

use jsonc_parser::ast::{Object, Value};
use jsonc_parser::common::Ranged;

use super::{Entry, Reader};
use crate::graph::{
    Channel, Event, Function, Key, Lane, Observer, Parameter, Payload, TransitionSet, Variant,
};
use crate::span::Spanned;
use crate::text::parse::span;
use crate::value::{
    Class, FunctionKind, LaneKey, LaneScope, Literal, MergeRule, ParameterType, ValueType,
};

impl Reader<'_> {
    /// The entries of a field that is a map, each read by a function.
    fn each<T>(&self, object: &Object, key: &str, read: impl Fn(&Entry) -> Option<T>) -> Vec<T> {
        let Some(map) = self.field(object, key).and_then(Value::as_object) else {
            return Vec::new();
        };
        self.entries(map).filter_map(|entry| read(&entry)).collect()
    }

    /// Event types.
    pub(super) fn events(&self, object: &Object) -> Vec<Event> {
        match self.field(object, "events") {
            Some(Value::Object(_)) => self.each(object, "events", |entry| Some(self.event(entry))),
            _ => self
                .names_anyhow(object, "events")
                .into_iter()
                .map(|name| Event {
                    name,
                    ..Event::default()
                })
                .collect(),
        }
    }

    fn event(&self, entry: &Entry) -> Event {
        let name = self.key(entry);
        let Some(object) = entry.object() else {
            return Event {
                name,
                ..Event::default()
            };
        };
        Event {
            name,
            id: self.id(object, "id"),
            doc: self.text(object, "doc"),
            payload: self.payload(object),
            class: self.word(object, "class", Class::parse),
            coalesce: self.flag(object, "coalesce"),
            ttl: self.duration(object, "ttl"),
            indirect: self.flag(object, "indirect"),
            ephemeral: self.flag(object, "ephemeral"),
            sent: self.flag(object, "sent"),
            meta: self.meta(object),
        }
    }

    fn payload(&self, object: &Object) -> Option<Spanned<Payload>> {
        match self.field(object, "payload")? {
            Value::Object(raw) => {
                let bytes = self.count(raw, "bytes")?;
                Some(Spanned::new(Payload::Bytes(bytes.value), span(raw.range())))
            }
            word => self.word_of(word, payload),
        }
    }

    /// Blackboard keys. One whose type is bad counts as i32: it is declared, after all.
    pub(super) fn blackboard(&self, object: &Object) -> Vec<Key> {
        let read = |entry: &Entry| {
            let name = self.key(entry);
            let full = entry.object();
            let ty = match full {
                Some(object) => self.word(object, "type", ValueType::parse),
                None => self.word_of(entry.value(), ValueType::parse),
            };
            // A bad type has been reported; the one that was probably meant saves the author what
            // would follow.
            let written = full.map_or(Some(entry.value()), |object| {
                object.get("type").map(|property| &property.value)
            });
            let written = written
                .and_then(Value::as_string_lit)
                .map_or("", |text| &text.value);
            let guess = ValueType::of_other_word(written).unwrap_or(ValueType::I32);
            Some(Key {
                doc: full.and_then(|object| self.text(object, "doc")),
                ty: ty.unwrap_or_else(|| Spanned::new(guess, name.span)),
                default: full.and_then(|object| self.literal_of(self.field(object, "default")?)),
                host: full.is_some_and(|object| self.flag(object, "host")),
                meta: full.and_then(|object| self.meta(object)),
                name,
            })
        };
        self.each(object, "blackboard", read)
    }

    /// Parameters, by value only or with fields.
    pub(super) fn parameters(&self, object: &Object) -> Vec<Parameter> {
        let read = |entry: &Entry| {
            let name = self.key(entry);
            let full = entry.object();
            let value = match full {
                Some(object) => self
                    .field(object, "value")
                    .and_then(|value| self.literal_of(value)),
                None => self.literal_of(entry.value()),
            };
            let given = full.and_then(|object| self.word(object, "type", ParameterType::parse));
            // Text alone is a duration: texts of symbols have fields.
            let is_duration = matches!(entry.value(), Value::StringLit(_));
            // What has no value has been reported; what stands in for it must not be wrong again.
            let stand_in = || match given.as_ref().map(|ty| ty.value) {
                Some(ty) => ty.stand_in(),
                None if is_duration => ParameterType::Duration.stand_in(),
                None => Literal::Int(0),
            };
            let value = value.unwrap_or_else(|| Spanned::new(stand_in(), name.span));
            let natural = if is_duration {
                ParameterType::Duration
            } else {
                value.natural_type().into()
            };
            Some(Parameter {
                doc: full.and_then(|object| self.text(object, "doc")),
                ty: given.unwrap_or_else(|| Spanned::new(natural, value.span)),
                host: full.is_some_and(|object| self.flag(object, "host")),
                meta: full.and_then(|object| self.meta(object)),
                value,
                name,
            })
        };
        self.each(object, "parameters", read)
    }

    /// Variants.
    pub(super) fn variants(&self, object: &Object) -> Vec<Variant> {
        self.each(object, "variants", |entry| {
            let name = self.key(entry);
            let Some(map) = entry.object() else {
                return Some(Variant {
                    name,
                    ..Variant::default()
                });
            };
            let value = |entry: Entry| Some((self.key(&entry), self.literal_of(entry.value())?));
            let values = self
                .entries(map)
                .filter(|entry| !entry.is_field())
                .filter_map(value)
                .collect();
            Some(Variant {
                name,
                doc: self.text(map, "$doc"),
                values,
            })
        })
    }

    /// Channels, by name only or with fields.
    pub(super) fn channels(&self, object: &Object) -> Vec<Channel> {
        if let Some(list @ Value::Array(_)) = self.field(object, "channels") {
            return self
                .names_of(list)
                .into_iter()
                .map(|name| Channel {
                    name,
                    ..Channel::default()
                })
                .collect();
        }
        self.each(object, "channels", |entry| {
            let full = entry.object();
            Some(Channel {
                name: self.key(entry),
                doc: full.and_then(|object| self.text(object, "doc")),
                lane: full.and_then(|object| self.name(object, "lane")),
                release: full.and_then(|object| self.name(object, "release")),
            })
        })
    }

    /// Lanes, built-in ones too.
    pub(super) fn lanes(&self, object: &Object) -> Vec<Lane> {
        self.each(object, "lanes", |entry| {
            let (name, full) = (self.key(entry), entry.object());
            Some(Lane {
                doc: full.and_then(|object| self.text(object, "doc")),
                merge: full.and_then(|object| self.word(object, "merge", MergeRule::parse)),
                critical: full.and_then(|object| self.boolean(object, "critical")),
                key: full.and_then(|object| self.word(object, "key", LaneKey::parse)),
                scope: full.and_then(|object| self.word(object, "scope", LaneScope::parse)),
                cap: full.and_then(|object| self.count(object, "cap")),
                name,
            })
        })
    }

    /// Functions. One whose kind is bad is left out: any kind would be a guess.
    pub(super) fn functions(&self, object: &Object) -> Vec<Function> {
        self.each(object, "functions", |entry| {
            let name = self.key(entry);
            let Some(full) = entry.object() else {
                let kind = self.word_of(entry.value(), FunctionKind::parse)?;
                return Some(Function {
                    name,
                    doc: None,
                    kind,
                    returns: None,
                    rng: false,
                    parameters: Vec::new(),
                });
            };
            Some(Function {
                name,
                doc: self.text(full, "doc"),
                kind: self.word(full, "kind", FunctionKind::parse)?,
                returns: self.word(full, "returns", ValueType::parse),
                rng: self.flag(full, "rng"),
                parameters: self.each(full, "parameters", |entry| {
                    Some((
                        self.key(entry),
                        self.word_of(entry.value(), ValueType::parse)?,
                    ))
                }),
            })
        })
    }

    /// Observers.
    pub(super) fn observers(&self, object: &Object) -> Vec<Observer> {
        let read = |observer: &Object| {
            let event = self.name(observer, "on")?;
            Some(Observer {
                event: Some(event).filter(|event| event.value != "*"),
                actions: self.actions(observer, "do"),
                span: span(observer.range()),
            })
        };
        self.objects(self.field(object, "observers"))
            .filter_map(read)
            .collect()
    }

    /// Transition sets.
    pub(super) fn transition_sets(&self, object: &Object) -> Vec<TransitionSet> {
        self.each(object, "transition_sets", |entry| {
            let value = entry.value();
            let (list, uses) = match value {
                Value::Object(set) => (self.field(set, "transitions"), self.names(set, "use")),
                _ => (Some(value), Vec::new()),
            };
            Some(TransitionSet {
                name: self.key(entry),
                transitions: self.transitions(list),
                uses,
            })
        })
    }
}

fn payload(word: &str) -> Option<Payload> {
    match word {
        "u32" => Some(Payload::U32),
        "u64" => Some(Payload::U64),
        "vec4" => Some(Payload::Vec4),
        word => ValueType::parse(word).map(Payload::Value),
    }
}
