//! The writer of machine files: what it writes reads as the same graph, compiles to the same bytes
//! and names, and is what it would write again.

use std::path::{Path, PathBuf};

use crate::common::{OPTIONS, explain, for_each_seed, machines, random};
use statewright_author::graph::{Action, ActionKind, Argument, ArgumentValue, Machine, State};
use statewright_author::span::{Name, Span, Spanned};
use statewright_author::text::{left_out, read, write, write_with};
use statewright_author::value::Literal;
use statewright_compile::compile;
use statewright_compile::symbols::SymbolTable;
use statewright_generator::without_spans;

/// The graph, the ROM, the names in the sidecar and the text itself, before and after.
fn same(machine: &Machine) -> Result<(), String> {
    let text = write(machine);
    let (read, problems) = read("random.sw.json", &text);
    if !problems.is_empty() {
        return Err(problems
            .iter()
            .map(|problem| format!("{}\n", problem.message))
            .collect::<String>()
            + &text);
    }
    if without_spans(machine) != without_spans(&read) {
        return Err(format!(
            "not the same graph\n{}\n{}",
            without_spans(machine),
            without_spans(&read)
        ));
    }
    if compiled(machine) != compiled(&read) {
        return Err("not the same ROM or names".to_owned());
    }
    let again = write(&read);
    if again == text {
        Ok(())
    } else {
        Err(format!("written twice, not the same\n{text}{again}"))
    }
}

/// Bytes and names; `None` if it does not compile.
fn compiled(machine: &Machine) -> Option<(Vec<u8>, String)> {
    let (output, _) = compile(machine, &OPTIONS);
    output.map(|output| (output.rom.as_bytes().to_vec(), names(output.symbols)))
}

/// The sidecar without spans.
fn names(symbols: SymbolTable) -> String {
    fn strip(value: &mut serde_json::Value) {
        match value {
            serde_json::Value::Object(map) => {
                ["line", "column", "file"]
                    .iter()
                    .for_each(|key| drop(map.remove(*key)));
                map.values_mut().for_each(strip);
            }
            serde_json::Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut value = serde_json::to_value(symbols).unwrap();
    strip(&mut value);
    value.to_string()
}

fn folder(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
}

fn sample(path: &str) -> Machine {
    let text = std::fs::read_to_string(folder(path)).unwrap();
    let (machine, problems) = read(path, &text);
    assert!(!problems.has_errors(), "{path}: {problems:?}");
    machine
}

#[test]
fn random_machines_are_the_same_after_writing_and_reading() {
    for_each_seed(machines(2000), |seed| explain(&random(seed), same));
}

#[test]
fn sample_machines_are_the_same_after_writing_and_reading() {
    let mut seen = 0;
    for entry in std::fs::read_dir(folder("machines")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        if name.ends_with(".sw.json") {
            let machine = sample(&format!("machines/{name}"));
            assert!(
                compiled(&machine).is_some() && left_out(&machine).is_empty(),
                "{name}"
            );
            assert_eq!(same(&machine), Ok(()), "{name}");
            seen += 1;
        }
    }
    assert!(seen >= 5, "{seen}");
}

/// Every field of the format, flat files, and flags that only say what holds anyway.
#[test]
fn the_samples_of_the_format_are_the_same_after_writing_and_reading() {
    let full = sample("crates/author/tests/text_data/full.sw.json");
    assert_eq!(same(&full), Ok(()));
    let flat = sample("crates/author/tests/text_data/flat.sw.json");
    let (read, problems) = read("flat.sw.json", &write(&flat));
    assert!(!problems.has_errors(), "{problems:?}");
    assert_eq!(compiled(&flat), compiled(&read));
}

#[test]
fn a_file_looks_as_a_person_would_write_it() {
    let text = r#"{
      "machine": "Door",
      "policies": { "exit_order": "reverse" },
      "events": { "Push": {}, "Lock": {} },
      "blackboard": { "count": { "type": "i32" }, "open": { "type": "bool", "default": true } },
      "parameters": { "limit": { "type": "i32", "value": 3 }, "speed": { "type": "f32", "value": 3 } },
      "functions": { "Creak": { "kind": "action" } },
      "initial": { "to": "closed" },
      "states": {
        "closed": { "transitions": [{ "on": "Push", "if": "count < limit", "to": ["open"] }, { "on": "Lock", "to": "locked" }] },
        "open": { "entry": ["Creak"], "transitions": [{ "after": "5000ms", "do": [{ "set": "open", "to": "false" }], "to": "closed" }] },
        "locked": { "final": true, "muted": false }
      }
    }"#;
    let (machine, problems) = read("door.sw.json", text);
    assert!(problems.is_empty(), "{problems:?}");
    let header = [
        "A door.".to_owned(),
        String::new(),
        "Made\u{7} of\nwood. ".to_owned(),
    ];
    assert_eq!(
        write_with(&machine, &header),
        r#"// A door.
// Made  of
// wood.
{
  "machine": "Door",
  "policies": { "exit_order": "reverse" },
  "events": ["Push", "Lock"],
  "blackboard": {
    "count": "i32",
    "open": { "type": "bool", "default": true }
  },
  "parameters": {
    "limit": 3,
    "speed": { "type": "f32", "value": 3 }
  },
  "functions": {
    "Creak": "action"
  },
  "initial": "closed",
  "states": {
    "closed": {
      "transitions": [
        { "on": "Push", "if": "count < limit", "to": "open" },
        { "on": "Lock", "to": "locked" }
      ]
    },
    "open": {
      "entry": "Creak",
      "transitions": [{ "after": "5s", "to": "closed", "do": { "set": "open", "to": false } }]
    },
    "locked": { "final": true }
  }
}
"#
    );
}

fn named(text: &str) -> Name {
    Spanned::new(text.to_owned(), Span::default())
}

/// What only a builder or a flat file can make is named; what is illegal anyway is written and
/// refused by the reader.
#[test]
fn what_the_text_cannot_say_is_reported() {
    let mut machine = sample("machines/traffic_light.sw.json");
    machine.root.doc = Some("Its own.".into());
    machine.root.regions[0].id = Some(Spanned::new(7, Span::default()));
    let muted = Action {
        kind: ActionKind::Text(named("Beep")),
        muted: true,
        span: Span::default(),
    };
    machine.root.regions[0].states[0].entry.push(muted);
    let missing = left_out(&machine);
    assert_eq!(missing.len(), 3, "{missing:?}");
    assert!(!write(&machine).contains("Beep"));

    let twice = machine.root.regions[0].states[0].clone();
    machine.root.regions[0].states.push(twice);
    let argument = Argument {
        name: None,
        value: ArgumentValue::Literal(Spanned::new(Literal::Float(f64::NAN), Span::default())),
    };
    let call = ActionKind::Call {
        function: named("Beep"),
        arguments: vec![argument],
    };
    machine.root.entry.push(Action {
        kind: call,
        muted: false,
        span: Span::default(),
    });
    machine.root.regions[0].states.push(State {
        name: named("a/\u{7}b"),
        ..State::default()
    });
    let (_, problems) = read("bad.sw.json", &write(&machine));
    let codes: Vec<&str> = problems
        .iter()
        .map(|problem| problem.code.info().id)
        .collect();
    assert_eq!(codes, ["SW0005", "SW0003", "SW0008"], "{problems:?}");
}
