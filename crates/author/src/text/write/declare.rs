//! Owns the writing of what a machine declares: events, keys, parameters, variants, channels,
//! lanes, functions, observers, timers, transition sets.

use super::action::actions;
use super::node::{JsonNode, Object, literal, name, quoted};
use super::transition::transitions;
use crate::graph::{
    Channel, Event, Function, Key, Lane, Machine, Observer, Parameter, Payload, Timer,
    TransitionSet, Variant,
};
use crate::text::shape::ObjectKind;
use crate::value::{Literal, ParameterType};

/// Everything that is declared.
pub(super) fn all(machine: &Machine, object: &mut Object) {
    object.names_or_map("events", machine.events.iter().map(event).collect());
    object.map("blackboard", machine.blackboard.iter().map(key));
    object.map("parameters", machine.parameters.iter().map(parameter));
    object.map("variants", machine.variants.iter().map(variant));
    object.names_or_map("channels", machine.channels.iter().map(channel).collect());
    let lanes = machine.lanes.iter().chain(&machine.built_in_lanes);
    object.map("lanes", lanes.map(lane));
    object.map("functions", machine.functions.iter().map(function));
    object.list(
        "observers",
        machine.observers.iter().map(observer).collect(),
    );
    object.names_or_map("timers", timers(&machine.timers));
    object.map(
        "transition_sets",
        machine.transition_sets.iter().map(transition_set),
    );
}

/// A declaration as the file has it, field by field.
pub(crate) trait Fields {
    /// Keys and values, in their order.
    fn fields(&self) -> Vec<(String, String)>;
}

macro_rules! fields {
    ($($ty:ident by $write:ident or $short:literal;)+) => {
        $(impl Fields for $ty {
            fn fields(&self) -> Vec<(String, String)> {
                $write(self).1.fields_or($short)
            }
        })+
    };
}

// The field is the one that a short form stands for.
fields! {
    Event by event or "payload";
    Key by key or "type";
    Channel by channel or "lane";
    Lane by lane or "merge";
    Function by function or "kind";
}

fn event(event: &Event) -> (String, JsonNode) {
    let payload = event.payload.as_ref().map(|payload| match payload.value {
        Payload::Value(ty) => quoted(ty.as_str()),
        Payload::U32 => quoted("u32"),
        Payload::U64 => quoted("u64"),
        Payload::Vec4 => quoted("vec4"),
        Payload::Bytes(bytes) => {
            let mut raw = Object::new(ObjectKind::Bytes);
            raw.put("bytes", JsonNode::Scalar(bytes.to_string()));
            raw.done()
        }
    });
    let mut object = Object::new(ObjectKind::Event);
    object
        .id(&event.id)
        .doc(&event.doc)
        .maybe("payload", payload)
        .shown("class", event.class.as_ref());
    object
        .flag("coalesce", event.coalesce)
        .shown("ttl", event.ttl.as_ref())
        .flag("indirect", event.indirect)
        .flag("ephemeral", event.ephemeral)
        .flag("sent", event.sent);
    object.meta(&event.meta);
    (event.name.value.clone(), object.done())
}

fn key(key: &Key) -> (String, JsonNode) {
    let mut object = Object::new(ObjectKind::Key);
    object.doc(&key.doc).shown("type", Some(&key.ty));
    object
        .maybe(
            "default",
            key.default.as_ref().map(|value| literal(&value.value)),
        )
        .flag("host", key.host)
        .meta(&key.meta);
    (key.name.value.clone(), object.or_only("type"))
}

/// A parameter by its value alone, if that says the type; symbols and vectors have no such form.
fn parameter(parameter: &Parameter) -> (String, JsonNode) {
    let value = &parameter.value.value;
    let name = parameter.name.value.clone();
    let is_duration = parameter.ty.value == ParameterType::Duration;
    let is_bare = parameter.doc.is_none() && parameter.meta.is_none() && !parameter.host;
    if is_duration && is_bare {
        return (name, literal(value));
    }
    let short = matches!(
        value,
        Literal::Int(_) | Literal::Float(_) | Literal::Bool(_)
    );
    let mut object = Object::new(ObjectKind::Parameter);
    object.doc(&parameter.doc);
    if parameter.ty.value != value.natural_type().into() {
        object.shown("type", Some(&parameter.ty));
    }
    object
        .put("value", literal(value))
        .flag("host", parameter.host)
        .meta(&parameter.meta);
    (
        name,
        if short {
            object.or_only("value")
        } else {
            object.done()
        },
    )
}

fn variant(variant: &Variant) -> (String, JsonNode) {
    let doc = variant
        .doc
        .as_ref()
        .map(|doc| ("$doc".to_owned(), quoted(doc)));
    let values = variant
        .values
        .iter()
        .map(|(name, value)| (name.value.clone(), literal(&value.value)));
    (
        variant.name.value.clone(),
        JsonNode::Object {
            members: doc.into_iter().chain(values).collect(),
            open: false,
        },
    )
}

fn channel(channel: &Channel) -> (String, JsonNode) {
    let mut object = Object::new(ObjectKind::Channel);
    object
        .doc(&channel.doc)
        .name("lane", channel.lane.as_ref())
        .name("release", channel.release.as_ref());
    (channel.name.value.clone(), object.done())
}

fn lane(lane: &Lane) -> (String, JsonNode) {
    let mut object = Object::new(ObjectKind::Lane);
    object
        .doc(&lane.doc)
        .shown("merge", lane.merge.as_ref())
        .maybe(
            "critical",
            lane.critical
                .as_ref()
                .map(|critical| JsonNode::Scalar(critical.value.to_string())),
        )
        .shown("key", lane.key.as_ref())
        .shown("scope", lane.scope.as_ref())
        .count("cap", &lane.cap);
    (lane.name.value.clone(), object.done())
}

fn function(function: &Function) -> (String, JsonNode) {
    let parameters = function
        .parameters
        .iter()
        .map(|(name, ty)| (name.value.clone(), quoted(ty.value.as_str())));
    let parameters = JsonNode::Object {
        members: parameters.collect(),
        open: false,
    };
    let mut object = Object::new(ObjectKind::Function);
    object
        .doc(&function.doc)
        .shown("kind", Some(&function.kind))
        .flag("rng", function.rng)
        .shown("returns", function.returns.as_ref());
    object.maybe(
        "parameters",
        (!function.parameters.is_empty()).then_some(parameters),
    );
    (function.name.value.clone(), object.or_only("kind"))
}

fn observer(observer: &Observer) -> JsonNode {
    let mut object = Object::new(ObjectKind::Observer);
    object.put(
        "on",
        observer.event.as_ref().map_or_else(|| quoted("*"), name),
    );
    object.put("do", actions(&observer.actions));
    object.done()
}

/// Timers by name.
pub(super) fn timers(timers: &[Timer]) -> Vec<(String, JsonNode)> {
    let timer = |timer: &Timer| {
        let mut object = Object::new(ObjectKind::Timer);
        object
            .id(&timer.id)
            .doc(&timer.doc)
            .count("instances", &timer.instances);
        object
            .shown("class", timer.class.as_ref())
            .name("event", timer.event.as_ref());
        (timer.name.value.clone(), object.done())
    };
    timers.iter().map(timer).collect()
}

fn transition_set(set: &TransitionSet) -> (String, JsonNode) {
    let list = JsonNode::List(transitions(&set.transitions));
    let node = if set.uses.is_empty() {
        list
    } else {
        let mut object = Object::new(ObjectKind::TransitionSet);
        object.names("use", &set.uses);
        object.maybe("transitions", (!set.transitions.is_empty()).then_some(list));
        object.done()
    };
    (set.name.value.clone(), node)
}
