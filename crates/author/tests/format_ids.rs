//! Writing stable ids into files: into every place that can have one, and nothing else is touched.

use statewright_author::format::{
    ItemKind, MissingId, PathSegment, Written, missing_ids, write_ids,
};
use statewright_author::graph::Machine;
use statewright_author::text;

fn read(file: &str) -> Machine {
    let (machine, problems) = text::read("test.sw.json", file);
    assert!(!problems.has_errors(), "{problems:?}");
    machine
}

/// Writes an id made of the kind and a number into everything, or into one kind only.
fn write(file: &str, only: Option<ItemKind>) -> Written {
    let mut number = 0;
    let id_of = |missing: &MissingId| {
        if only.is_some_and(|kind| kind != missing.kind) {
            return None;
        }
        number += 1;
        Some(number)
    };
    write_ids(&read(file), id_of).expect("is JSON")
}

fn hex(id: u64) -> String {
    format!("\"id\": \"{id:016x}\"")
}

const NESTED: &str = r#"{
  "machine": "Soldier", // its name
  "events": { "Sight": {}, "Hit": { "class": "low" } },
  "timers": ["fuse"],
  "initial": "idle",
  "states": {
    "idle": {},
    "combat": {
      // comment of entry
      "entry": ["Draw"],
      "transitions": [{ "name": "flee", "on": "Hit", "to": "idle" }, { "on": "Sight", "to": "idle" }],
      "regions": {
        "movement": { "initial": "walk", "states": { "walk": { // same line
          "exit": [], }, "run": {} } },
        "weapon": {
          "initial": "aim",
          "states": { "aim": { /* empty */ } }
        }
      },
      "history": { "last": { "deep": true } }
    }
  }
}
"#;

#[test]
fn states_of_the_nested_shape() {
    let written = write(NESTED, Some(ItemKind::State));
    let expected = NESTED
        .replace("\"idle\": {},", &format!("\"idle\": {{ {} }},", hex(1)))
        .replace(
            "      // comment of",
            &format!("      {},\n      // comment of", hex(2)),
        )
        .replace(
            "          \"exit\"",
            &format!("          {},\n          \"exit\"", hex(3)),
        )
        .replace("\"run\": {}", &format!("\"run\": {{ {} }}", hex(4)))
        .replace("{ /* empty", &format!("{{ {} /* empty", hex(5)));
    assert_eq!(written.text, expected, "{}", written.text);
    assert_eq!(written.written.len(), 5);
    assert!(written.skipped.is_empty());
    let machine = read(&written.text);
    assert!(
        !missing_ids(&machine)
            .iter()
            .any(|missing| missing.kind == ItemKind::State)
    );
}

#[test]
fn everything_of_the_nested_shape() {
    let machine = read(NESTED);
    let kinds: Vec<(ItemKind, &str)> = NESTED_ITEMS.to_vec();
    let missing = missing_ids(&machine);
    assert_eq!(
        missing
            .iter()
            .map(|m| (m.kind, m.name.value.as_str()))
            .collect::<Vec<_>>(),
        kinds
    );
    use PathSegment::{Region, State};
    assert_eq!(missing[10].path, [Region(0), State(1), Region(0), State(1)]);

    let written = write(NESTED, None);
    assert!(
        written
            .text
            .contains("\"Soldier\", // its name\n  \"id\": \"0000000000000001\",\n"),
        "{}",
        written.text
    );
    assert!(
        written
            .text
            .contains("{ \"name\": \"flee\", \"id\": \"0000000000000008\", \"on\""),
        "{}",
        written.text
    );
    assert!(
        written
            .text
            .contains("\"timers\": {\"fuse\": { \"id\": \"0000000000000004\" }},"),
        "{}",
        written.text
    );
    assert!(written.skipped.is_empty());
    let again = read(&written.text);
    assert!(missing_ids(&again).is_empty());
    assert_eq!(again.id.unwrap().value, 1);
    assert_eq!(
        again.root.regions[0].states[0].id.as_ref().unwrap().value,
        5
    );
}

const NESTED_ITEMS: [(ItemKind, &str); 13] = [
    (ItemKind::Machine, "Soldier"),
    (ItemKind::Event, "Sight"),
    (ItemKind::Event, "Hit"),
    (ItemKind::Timer, "fuse"),
    (ItemKind::State, "idle"),
    (ItemKind::State, "combat"),
    (ItemKind::History, "last"),
    (ItemKind::Transition, "flee"),
    (ItemKind::Region, "movement"),
    (ItemKind::State, "walk"),
    (ItemKind::State, "run"),
    (ItemKind::Region, "weapon"),
    (ItemKind::State, "aim"),
];

#[test]
fn the_flat_shape_has_stable_id() {
    let flat = r#"{
  "machine": "Door",
  "states": [
    { "id": "root", "children": ["open", "closed"], "initial": "open" },
    { "id": "open" },
    {
      "type": "leaf",
      "id": "closed",
      "onEntry": ["Slam"]
    }
  ],
  "transitions": [{ "source": "open", "target": "closed", "trigger": "Push" }]
}
"#;
    let written = write(flat, Some(ItemKind::State));
    let machine = read(&written.text);
    let states = &machine.root.regions[0].states;
    assert!(
        states.iter().all(|state| state.id.is_some()),
        "{}",
        written.text
    );
    let id = |number: u64| format!("\"stable_id\": \"{number:016x}\"");
    let count = written.written.len() as u64;
    assert!(
        written
            .text
            .contains(&format!("{{ \"id\": \"open\", {} }}", id(count - 1))),
        "{}",
        written.text
    );
    let expected = format!(
        "      \"id\": \"closed\",\n      {},\n      \"onEntry\"",
        id(count)
    );
    assert!(written.text.contains(&expected), "{}", written.text);
    assert!(written.skipped.is_empty());
}

#[test]
fn space_of_all_kinds_is_kept() {
    let file = "\u{feff}{\"machine\":\"M\",\"initial\":\"a\",\"states\":{\"a\":{\r\n\r\n\t\"entry\":[]},\"b\":{\"exit\":[]},\"c\\u0041\":{\n}}}";
    let written = write(file, Some(ItemKind::State));
    let id = |number| hex(number);
    let expected = format!(
        "{{\"machine\":\"M\",\"initial\":\"a\",\"states\":{{\"a\":{{\r\n\r\n\t{},\r\n\t\"entry\":[]}},\"b\":{{{},\"exit\":[]}},\"c\\u0041\":{{ {}\n}}}}}}",
        id(1),
        id(2),
        id(3)
    );
    assert_eq!(written.text, expected);
    read(&written.text);
}

#[test]
fn short_forms_are_spelled_out_and_keep_their_comments() {
    let file = r#"{ "machine": "M", "id": "1", "initial": "a", "events": [
    "Go", // at once
    /* or */ "Stop"
  ], "timers": [ "t", ],
  "states": { "a": { "scratch": { "hits": /* so many */ "u16", "notes": 2 } } } }"#;
    let written = write(file, None);
    let expected = r#"{ "machine": "M", "id": "1", "initial": "a", "events": {
    "Go": { "id": "0000000000000001" }, // at once
    /* or */ "Stop": { "id": "0000000000000002" }
  }, "timers": { "t": { "id": "0000000000000003" }, },
  "states": { "a": { "id": "0000000000000004", "scratch": { "hits": /* so many */ { "id": "0000000000000005", "type": "u16" }, "notes": { "id": "0000000000000006", "slots": 2 } } } } }"#;
    assert_eq!(written.text, expected);
    assert!(missing_ids(&read(&written.text)).is_empty());
    // One of a list takes the others along.
    let only = |missing: &MissingId| (missing.name.value == "Stop").then_some(7);
    let written = write_ids(&read(file), only).expect("is JSON");
    assert!(written.text.contains("\"Go\": {}, // at once"));
    assert_eq!(missing_ids(&read(&written.text)).len(), 5);
}

#[test]
fn comments_stay_with_what_they_stand_beside() {
    let cases = [
        (
            "\"name\": \"n\", // c\n  \"on\": \"E\"",
            "\"name\": \"n\", // c\n  ID,\n  \"on\": \"E\"",
        ),
        (
            "\"on\": \"E\",\n  \"name\": \"n\" // c\n",
            "\"on\": \"E\",\n  \"name\": \"n\", // c\n  ID\n",
        ),
        (
            "\"on\": \"E\",\n  \"name\": \"n\", // c\n",
            "\"on\": \"E\",\n  \"name\": \"n\", // c\n  ID,\n",
        ),
        (
            "\"on\": \"E\", \"name\": \"n\" // c\n",
            "\"on\": \"E\", \"name\": \"n\", // c\nID\n",
        ),
        (
            "\"name\": \"n\" /* c */, \"on\": \"E\"",
            "\"name\": \"n\", /* c */ ID, \"on\": \"E\"",
        ),
        (
            "\"name\": \"n\",\n  // of on\n  \"on\": \"E\"",
            "\"name\": \"n\",\n  ID,\n  // of on\n  \"on\": \"E\"",
        ),
    ];
    for (before, after) in cases {
        let newline = if before.starts_with("\"name\"") && before.contains('\n') {
            "\n  "
        } else {
            " "
        };
        let file = |inside: &str| {
            format!(
                "{{ \"machine\": \"M\", \"events\": [\"E\"], \"initial\": \"a\", \"transitions\": [{{{newline}{inside}}}], \"states\": {{ \"a\": {{}} }} }}"
            )
        };
        let written = write(&file(before), Some(ItemKind::Transition));
        assert_eq!(
            written.text,
            file(&after.replace("ID", &hex(1))),
            "{before}"
        );
        read(&written.text);
    }
}

#[test]
fn existing_ids_stay_and_built_machines_have_no_file() {
    let file = NESTED.replace("\"idle\": {}", "\"idle\": { \"id\": \"abc\" }");
    let written = write(&file, Some(ItemKind::State));
    assert_eq!(written.written.len(), 4);
    assert!(written.text.contains("\"idle\": { \"id\": \"abc\" },"));
    let (built, _) = Machine::build("M", |m| {
        m.state("a", |_| {});
    });
    assert!(missing_ids(&built).is_empty());
    assert_eq!(write_ids(&built, |_| Some(1)).unwrap().text, "");
}
