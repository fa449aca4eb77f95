//! The samples use every field of the description, and the reference page names every field.

use std::collections::BTreeSet;

use serde_json::Value;
use statewright_author::text::shape::{Content, Json, ObjectKind, Type, file_kind};
use statewright_author::text::{key_order, read, to_json};

const SAMPLES: [&str; 7] = [
    include_str!("text_data/full.sw.json"),
    include_str!("text_data/flat.sw.json"),
    r#"{ "machine": "P", "states": { "a": { "use": "p.sw.json", "with": { "b": 1 }, "map": { "E": "F" } } } }"#,
    r#"{ "machine": "F", "states": [{ "id": "a", "use": "p.sw.json", "with": { "b": 1 }, "map": { "E": "F" } }] }"#,
    r#"{ "machine": "L", "functions": { "d": { "kind": "value", "returns": "f32" } }, "states": { "a": { "scratch": { "n": { "type": "u16" } },
        "entry": { "call": "S", "with": [{ "value": "n" }] }, "transitions": [{ "every": "1s" }],
        "decisions": [{ "every": "1s", "if": true, "then": "a" }] } } }"#,
    r#"{ "machine": "U", "blackboard": { "k": { "type": "i32", "host": true } }, "parameters": { "p": { "value": 1, "host": true } },
        "transition_sets": { "s": { "use": ["t"], "transitions": [{ "on": ["A", "B"], "score": 1, "stay": true }] }, "t": [] },
        "states": { "a": { "update": "S", "decisions": [{ "if": true, "then": { "to": "a", "reenter": true } }] } } }"#,
    r#"{ "machine": "R", "regions": { "a": { "initial": "x", "states": { "x": {} } }, "b": { "states": {} } } }"#,
];
const PAGE: &str = include_str!("../../../docs/file-format.md");

fn json(value: &Value) -> Json {
    match value {
        Value::Null => Json::Null,
        Value::Bool(_) => Json::Bool,
        Value::Number(_) => Json::Number,
        Value::String(_) => Json::Text,
        Value::Array(_) => Json::List,
        Value::Object(_) => Json::Object,
    }
}

type Used = BTreeSet<(&'static str, &'static str)>;

fn object(value: &Value, kind: ObjectKind, used: &mut Used) {
    for (key, value) in value.as_object().unwrap() {
        let field = kind
            .shape()
            .field(key)
            .unwrap_or_else(|| panic!("{kind:?} {key}"));
        used.insert((kind.shape().name, field.key));
        walk(value, &field.ty, used);
    }
}

fn walk(value: &Value, ty: &'static Type, used: &mut Used) {
    match ty.content(json(value), &|key| value.get(key).is_some()) {
        Some(Content::Object(kind)) => object(value, kind, used),
        Some(Content::Map(map)) => {
            for (key, value) in value.as_object().unwrap() {
                match map.field(key) {
                    Some(_) => {}
                    None => walk(value, &map.value, used),
                }
            }
        }
        Some(Content::List(item)) => value
            .as_array()
            .unwrap()
            .iter()
            .for_each(|value| walk(value, item, used)),
        Some(Content::Leaf(_)) => {}
        other => panic!("{other:?} {value}"),
    }
}

#[test]
fn the_samples_use_every_field() {
    let mut used = Used::new();
    for text in SAMPLES {
        let value = to_json(text).unwrap();
        object(&value, file_kind(value.get("states").map(json)), &mut used);
    }
    let machine: BTreeSet<_> = key_order(ObjectKind::Machine).iter().copied().collect();
    for kind in ObjectKind::ALL {
        for field in kind.shape().fields() {
            // What the flat shape shares with the nested one need not be used twice.
            let shared = *kind == ObjectKind::FlatMachine && machine.contains(field.key);
            assert!(
                shared || used.contains(&(kind.shape().name, field.key)),
                "{kind:?} {}",
                field.key
            );
        }
    }
}

#[test]
fn the_reference_page_names_every_field() {
    for kind in ObjectKind::ALL {
        for field in kind.shape().fields() {
            let named = [format!("`{}`", field.key), format!("\"{}\"", field.key)]
                .iter()
                .any(|key| PAGE.contains(key));
            assert!(
                named,
                "docs/file-format.md does not mention `{}` of {}",
                field.key,
                kind.shape().title
            );
        }
    }
}

#[test]
fn the_reference_page_names_every_word() {
    fn words(ty: &'static Type, found: &mut BTreeSet<&'static str>) {
        match ty {
            Type::Word(words) => found.extend(words.words),
            Type::List(item) => words(item, found),
            Type::Map(map) => words(&map.value, found),
            Type::OneOf(types) => types.iter().for_each(|ty| words(ty, found)),
            _ => {}
        }
    }
    for kind in ObjectKind::ALL {
        for field in kind.shape().fields() {
            let mut found = BTreeSet::new();
            words(&field.ty, &mut found);
            for word in found {
                let named = [format!("`{word}`"), format!("\"{word}\"")];
                assert!(
                    named.iter().any(|named| PAGE.contains(named)),
                    "docs/file-format.md does not mention `{word}` of `{}`",
                    field.key
                );
            }
        }
    }
}

#[test]
fn alternatives_are_told_apart_by_the_kind_of_json_value() {
    fn check(ty: &Type) {
        match ty {
            Type::OneOf(types) => {
                for json in [
                    Json::Null,
                    Json::Bool,
                    Json::Number,
                    Json::Text,
                    Json::List,
                    Json::Object,
                ] {
                    let accepting = types.iter().filter(|ty| ty.accepts(json)).count();
                    assert!(accepting <= 1, "{ty:?} {json:?}");
                }
                types.iter().for_each(check);
            }
            Type::List(item) => check(item),
            Type::Map(map) => check(&map.value),
            _ => {}
        }
    }
    ObjectKind::ALL
        .iter()
        .flat_map(|kind| kind.shape().fields())
        .for_each(|field| check(&field.ty));
}

#[test]
fn keys_are_unique_and_have_an_order() {
    for kind in ObjectKind::ALL {
        let order = key_order(*kind);
        let unique: BTreeSet<_> = order.iter().collect();
        assert_eq!(unique.len(), order.len(), "{kind:?}");
        assert_eq!(order.len(), kind.shape().fields().count());
    }
    assert_eq!(
        &key_order(ObjectKind::Machine)[..4],
        ["$schema", "machine", "id", "doc"]
    );
    for (kind, keys) in [
        (ObjectKind::State, ["initial", "states"]),
        (ObjectKind::Transition, ["on", "to"]),
    ] {
        let ranks = keys.map(|key| {
            key_order(kind)
                .iter()
                .position(|other| *other == key)
                .unwrap()
        });
        assert!(ranks[0] < ranks[1], "{kind:?}");
    }
}

#[test]
fn the_examples_of_the_reference_page_are_legal() {
    let blocks: Vec<_> = PAGE
        .split("```jsonc\n")
        .skip(1)
        .map(|rest| rest.split("```").next().unwrap())
        .collect();
    assert!(blocks.len() > 10);
    for block in blocks {
        // A whole file, or fields of a machine, or states, or fields of a state.
        let files = [
            block.to_owned(),
            format!("{{ \"machine\": \"M\", {block} }}"),
            format!("{{ \"machine\": \"M\", \"states\": {{ {block} }} }}"),
            format!("{{ \"machine\": \"M\", \"states\": {{ \"a\": {{ {block} }} }} }}"),
        ];
        assert!(
            files.iter().any(|file| read("m", file).1.is_empty()),
            "{block}"
        );
    }
}
