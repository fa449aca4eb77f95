//! The schema accepts what the reader accepts, refuses typical mistakes, and is committed as
//! generated.

use serde_json::{Value, json};
use statewright_author::graph::DEFAULT_TICK_RATE;
use statewright_author::text::{Draft, read, schema, to_json};

const FULL: &str = include_str!("text_data/full.sw.json");
const FLAT: &str = include_str!("text_data/flat.sw.json");
const DRAFTS: [Draft; 2] = [Draft::Draft202012, Draft::Draft07];

fn validator(draft: Draft) -> jsonschema::Validator {
    let schema = schema(draft);
    assert!(
        jsonschema::meta::is_valid(&schema),
        "{draft:?} is not a schema"
    );
    jsonschema::validator_for(&schema).unwrap()
}

/// Both drafts and the reader must agree.
fn check(value: &Value, legal: bool) {
    for draft in DRAFTS {
        let validator = validator(draft);
        let errors: Vec<_> = validator
            .iter_errors(value)
            .map(|e| format!("{}: {e}", e.instance_path()))
            .collect();
        assert_eq!(errors.is_empty(), legal, "{draft:?} {value}: {errors:?}");
    }
    let (_, problems) = read("m", &value.to_string());
    assert_eq!(
        !problems.has_errors(),
        legal,
        "reader: {value} {:?}",
        problems.iter().next()
    );
}

fn with(key: &str, value: Value) -> Value {
    let mut machine = json!({ "machine": "M", "initial": "a", "states": { "a": {} } });
    machine[key] = value;
    machine
}

fn state(state: Value) -> Value {
    with("states", json!({ "a": state }))
}

#[test]
fn samples_are_valid() {
    check(&to_json(FULL).unwrap(), true);
    check(&to_json(FLAT).unwrap(), true);
    check(
        &json!({ "machine": "M", "regions": { "r": { "states": {} } } }),
        true,
    );
    check(
        &state(json!({ "transitions": [{ "after": " 1.5 s ", "to": "a" }] })),
        true,
    );
    check(
        &state(json!({ "final": false, "choice": [{ "to": "a" }] })),
        true,
    );
    check(
        &with("blackboard", json!({ "min": "i32", "Event": "bool" })),
        true,
    );
    check(&with("events", json!(["A", "B c"])), true);
    check(&with("timers", json!(["t"])), true);
    check(&with("tier", json!(128)), true);
}

#[test]
fn typical_mistakes_are_refused() {
    check(&json!({ "states": {} }), false);
    check(&with("tickrate", json!(60)), false);
    check(&with("tier", json!("medium")), false);
    check(&with("tier", json!(100)), false);
    check(&with("tick_rate", json!(0)), false);
    check(&with("events", json!(["a/b"])), false);
    check(&with("events", json!({ "*": {} })), false);
    check(&with("blackboard", json!({ "9lives": "i32" })), false);
    check(&with("blackboard", json!({ "lives": "int" })), false);
    check(&with("regions", json!({ "r": { "states": {} } })), false);
    check(&with("variants", json!({ "v": { "$dok": 1 } })), false);
    check(
        &with("parameters", json!({ "v": { "type": "i32" } })),
        false,
    );
    check(&with("observers", json!([{ "on": "A" }])), false);
    check(&state(json!({ "transitions": [{ "to": "a" }] })), false);
    check(
        &state(json!({ "transitions": [{ "on": "A", "after": "1s" }] })),
        false,
    );
    check(
        &state(json!({ "transitions": [{ "on": "A", "to": "b", "sync": {} }] })),
        false,
    );
    check(
        &state(json!({ "transitions": [{ "on": "A", "priority": 16 }] })),
        false,
    );
    check(&state(json!({ "transitions": { "on": "A" } })), false);
    check(&state(json!({ "decisions": [{ "if": "a" }] })), false);
    check(&state(json!({ "id": "xyz" })), false);
    check(&state(json!({ "entry": { "cal": "F" } })), false);
    check(
        &state(json!({ "entry": { "set": "a", "add": "b" } })),
        false,
    );
    check(&state(json!({ "entry": { "start": "t" } })), false);
    check(
        &state(json!({ "entry": { "call": "F", "with": [[1]] } })),
        false,
    );
    check(&state(json!({ "entry": [["A"]] })), false);
    check(&state(json!({ "regions": {} })), false);
    check(&state(json!({ "with": { "rage": 3 } })), false);
    check(
        &state(json!({ "use": ["s"], "map": { "Hit": "Hurt" } })),
        false,
    );
    check(&state(json!({ "final": true, "choice": [] })), false);
    check(&with("blackboard", json!({ "event": "i32" })), false);
    check(&with("parameters", json!({ "OR": 3 })), false);
    check(&with("machine", json!("M\u{200b}")), false);
    check(&with("events", json!(["\u{202e}A"])), false);
    check(
        &json!({ "machine": "M", "states": [{ "name": "a" }] }),
        false,
    );
    check(
        &json!({ "machine": "M", "states": [{ "id": "a", "type": "orthogonal" }] }),
        false,
    );
}

#[test]
fn editors_find_titles_descriptions_and_defaults() {
    for (draft, definitions) in DRAFTS.into_iter().zip(["$defs", "definitions"]) {
        let schema = schema(draft);
        for (name, definition) in schema[definitions].as_object().unwrap() {
            assert!(
                definition["title"].is_string() && definition["description"].is_string(),
                "{name}"
            );
            for (key, property) in definition["properties"].as_object().unwrap() {
                assert!(property["description"].is_string(), "{name} {key}");
                let hidden = draft == Draft::Draft07 && property.get("$ref").is_some();
                assert!(
                    !hidden,
                    "{name} {key}: draft-07 ignores what stands beside $ref"
                );
            }
        }
        let machine = &schema[definitions]["machine"]["properties"];
        assert_eq!(machine["tick_rate"]["default"], json!(DEFAULT_TICK_RATE));
        assert!(
            machine["fail_safe"]["description"]
                .as_str()
                .unwrap()
                .ends_with("Default: the initial state.")
        );
        assert!(schema[definitions]["event"]["properties"]["class"]["enum"].is_array());
    }
}

#[test]
fn committed_schemas_are_the_generated_ones() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../schemas/");
    for (draft, file) in DRAFTS.into_iter().zip([
        "statewright.schema.json",
        "statewright.draft-07.schema.json",
    ]) {
        let path = format!("{folder}{file}");
        let text = format!("{:#}\n", schema(draft));
        if std::env::var_os("BLESS").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == text,
            "{file} is out of date: run this test with BLESS=1"
        );
    }
}
