//! `statewright fmt`.

use crate::common::{Folder, LAMP, WRONG, samples};
use statewright_compile::{Options, compile_text};

/// Structure hash, parameter hash and all bytes of a machine.
fn compiled(text: &str) -> (u64, u64, Vec<u8>) {
    let (output, problems) = compile_text("x", text, &Options::default());
    let rom = output.unwrap_or_else(|| panic!("{problems:?}\n{text}")).rom;
    (
        rom.as_rom().structure_hash(),
        rom.as_rom().parameter_hash(),
        rom.as_bytes().to_vec(),
    )
}

fn comments(text: &str) -> usize {
    text.matches("//").count() + text.matches("/*").count()
}

#[test]
fn formatting_changes_the_layout_only_and_once() {
    let folder = Folder::with_lamp();
    folder
        .run(&["fmt", "lamp.sw.json"])
        .code(0)
        .says("changed lamp.sw.json")
        .says("changed: 1 of 1 file");
    let formatted = folder.text("lamp.sw.json");
    assert_ne!(formatted, LAMP);
    assert!(compiled(&formatted) == compiled(LAMP), "the same bytes");
    assert_eq!(comments(&formatted), comments(LAMP));
    let again = folder
        .run(&["fmt", "lamp.sw.json"])
        .code(0)
        .says("changed: 0 of 1 file");
    assert_eq!(
        (again.out.as_str(), folder.text("lamp.sw.json")),
        ("", formatted)
    );
    assert_eq!(folder.names(), ["lamp.sw.json"]);
}

#[test]
fn check_lists_files_and_changes_nothing() {
    let folder = Folder::with_lamp();
    folder.write("b.sw.json", LAMP);
    folder.run(&["fmt", "-q", "b.sw.json"]).code(0);
    let ran = folder
        .run(&["fmt", "--check", "."])
        .code(1)
        .says("not formatted: 1 of 2 files");
    assert_eq!(ran.out, "./lamp.sw.json\n");
    assert_eq!(folder.text("lamp.sw.json"), LAMP);
    folder.run(&["fmt", "--check", "b.sw.json"]).code(0);
    folder
        .run(&["fmt", "--check", "--ids", "b.sw.json"])
        .code(1);
    folder
        .run_with(&["fmt", "--check", "-"], LAMP.as_bytes())
        .code(1)
        .prints("<stdin>");
}

#[test]
fn standard_input_goes_to_standard_output() {
    let folder = Folder::with_lamp();
    let piped = folder.run_with(&["fmt", "-"], LAMP.as_bytes()).code(0);
    folder.run(&["fmt", "-q", "lamp.sw.json"]).code(0);
    assert_eq!(piped.out, folder.text("lamp.sw.json"));
    let ran = folder
        .run_with(&["fmt", "-"], b"{ \"machine\": ")
        .code(1)
        .says("error[SW0001]");
    assert_eq!(ran.out, "");
}

#[test]
fn what_is_no_json_is_left_as_it_is() {
    let folder = Folder::new();
    folder.write("broken.sw.json", "{ \"machine\": \"X\", ");
    folder
        .run(&["fmt", "broken.sw.json"])
        .code(1)
        .says("error[SW0001]")
        .says("left as it is");
    assert_eq!(folder.text("broken.sw.json"), "{ \"machine\": \"X\", ");
    folder.write("latin.sw.json", b"{ \"machine\": \"\xe4\" }");
    folder
        .run(&["fmt", "latin.sw.json"])
        .code(1)
        .says("not UTF-8");
    folder
        .run(&["fmt", "none.sw.json"])
        .code(2)
        .says("no such file");
    // Mistakes that are not about the text do not matter for its layout, but ids need a machine
    // that was understood.
    folder.write(
        "wrong.sw.json",
        WRONG.replace("\"b\": {}", "\"b\": { \"entryy\": 1 }"),
    );
    folder
        .run(&["fmt", "--ids", "wrong.sw.json"])
        .code(1)
        .says("error[SW0004]")
        .says("left as it is");
    folder.run(&["fmt", "wrong.sw.json"]).code(0);
}

#[test]
fn ids_change_no_hash_and_keep_comments() {
    let folder = Folder::new();
    let mut machines: Vec<(String, String)> = samples()
        .iter()
        .map(|path| {
            (
                path.file_name().unwrap().to_string_lossy().into_owned(),
                std::fs::read_to_string(path).unwrap(),
            )
        })
        .collect();
    machines.push(("lamp.sw.json".to_owned(), LAMP.to_owned()));
    machines.push(("everything.sw.json".to_owned(), EVERYTHING.to_owned()));
    machines.push(("flat.sw.json".to_owned(), FLAT.to_owned()));
    for (name, text) in machines {
        folder.write(&name, &text);
        folder.run(&["fmt", "--ids", &name]).code(0);
        let with_ids = folder.text(&name);
        assert!(
            compiled(&with_ids) == compiled(&text),
            "{name}: not a byte differs"
        );
        assert!(
            comments(&with_ids) >= comments(&text),
            "{name}: comments are kept"
        );
        let once_more = folder.run(&["fmt", "--ids", &name]).code(0);
        assert!(
            once_more.err.contains("changed: 0 of 1 file"),
            "{name}: {}",
            once_more.err
        );
        let strict = folder.run(&["check", "--strict", &name]);
        assert!(
            !strict.err.contains("SW0117"),
            "{name}: every state has an id\n{}",
            strict.err
        );
    }
}

#[test]
fn ids_survive_renaming_everything_that_has_one() {
    let folder = Folder::new();
    folder.write("e.sw.json", EVERYTHING);
    folder.run(&["fmt", "--ids", "-q", "e.sw.json"]).code(0);
    let text = folder.text("e.sw.json");
    let mut renamed = text.clone();
    for name in [
        "Everything",
        "Go",
        "alarm",
        "top",
        "left",
        "right",
        "inner",
        "nap",
        "memory",
        "notes",
        "start it",
    ] {
        assert!(renamed.contains(&format!("\"{name}\"")), "{name}");
        renamed = renamed.replace(&format!("\"{name}\""), &format!("\"{name}_2\""));
    }
    let ((structure, parameters, _), old) = (compiled(&renamed), compiled(&text));
    assert_eq!((structure, parameters), (old.0, old.1));
}

#[test]
fn short_forms_are_spelled_out_for_their_ids() {
    let folder = Folder::new();
    let text = r#"{ "machine": "M", "events": ["Go", "Stop"], "timers": ["fuse"], "initial": "a",
  "states": { "a": {
    "scratch": { "count": "u16", /* for Rust */ "notes": 2 },
    "entry": { "start": "fuse", "after": "1s" },
    "update": ["count += 1"],
    "transitions": [{ "on": "Go" }, { "on": "Stop" }, { "timer": "fuse" }],
  } } }"#;
    folder.write("short.sw.json", text);
    let ran = folder.run(&["fmt", "--ids", "short.sw.json"]).code(0);
    assert!(!ran.err.contains("no id"), "{}", ran.err);
    let with_ids = folder.text("short.sw.json");
    assert!(compiled(&with_ids) == compiled(text), "{with_ids}");
    assert!(with_ids.contains("/* for Rust */"), "{with_ids}");
    for (name, more) in [
        ("Go", ""),
        ("Stop", ""),
        ("fuse", ""),
        ("count", ", \"type\": \"u16\""),
        ("notes", ", \"slots\": 2"),
    ] {
        let start = with_ids
            .find(&format!("\"{name}\": {{ \"id\": "))
            .expect(name);
        let line = with_ids[start..].lines().next().unwrap();
        assert!(line.contains(&format!("\"{more} }}")), "{line}");
    }
}

/// Everything that can have a stable id, some already with one, some muted, some shared.
const EVERYTHING: &str = r#"{
  // One of each.
  "machine": "Everything",
  "tier": "hero",
  "events": { "Go": {}, "Stop": { "id": "77" } },
  "timers": { "alarm": {} },
  "transition_sets": { "shared": [{ "name": "shared one", "on": "Stop", "do": { "start": "alarm", "after": "1s" } }] },
  "initial": "top",
  "states": {
    "top": {
      "use": ["shared"],
      "any_state": [{ "name": "any one", "on": "Stop", "priority": 3, "do": "Shout" }],
      "history": { "memory": { "deep": true } },
      "scratch": { "notes": { "slots": 2 } },
      "transitions": [
        { "name": "start it", "on": "Go", "to": "rest", "cooldown": "1s", "muted": true },
        { "name": "start it", "on": "Go", "to": "rest", "cooldown": "1s", "if": "Ready" },
        { "name": "start it", "on": "Go", "to": "other", "cooldown": "2s" },
        { "name": "wait for it", "after": "5s", "to": "other" },
        { "timer": "alarm", "to": "rest" },
      ],
      "regions": {
        "left": {
          "states": {
            "inner": {
              "timers": { "nap": {} },
              "entry": { "start": "nap", "after": "2s" },
              "transitions": [{ "timer": "nap", "do": "Shout" }],
            },
          },
        },
        "right": { "id": "99", "states": { "quiet": { "id": "55" } } },
      },
    },
    "silent": { "muted": true },
    "rest": { "transitions": [{ "on": "Go", "to": "memory" }] },
    "other": { "decisions": [{ "on": "Go", "if": "Ready", "then": "rest", "else": "top" }] },
  },
}
"#;

/// The flat shape.
const FLAT: &str = r#"{
  "machine": "Flat",
  "events": { "Go": {} },
  "initial": "idle",
  // A list of states, a list of transitions.
  "states": [
    { "id": "idle" },
    { "id": "busy", "initial": "one", "children": ["one", "two"] },
    { "id": "one" },
    { "id": "two" },
  ],
  "transitions": [
    { "source": "idle", "target": "busy", "trigger": "Go", "name": "work" },
    { "source": "one", "target": "two", "trigger": "Go" },
    { "source": "two", "target": "idle", "trigger": "Go" },
  ],
}
"#;

#[test]
fn what_came_of_each_file_is_json_if_wanted() {
    let folder = Folder::with_lamp();
    folder.run(&["fmt", "lamp.sw.json", "-q"]).code(0);
    folder.write("wide.sw.json", LAMP.replace("  ", "      "));
    folder.write("broken.sw.json", "{");
    let check = folder.run(&["fmt", "--check", ".", "--json"]).code(1);
    let json = check.json();
    assert_eq!(
        json["summary"],
        serde_json::json!({ "files": 3, "changed": 1 })
    );
    let of = |json: &serde_json::Value, name: &str| {
        let files = json["files"].as_array().unwrap();
        files
            .iter()
            .find(|file| file["file"].as_str().unwrap().ends_with(name))
            .unwrap()
            .clone()
    };
    assert_eq!(
        (
            &of(&json, "wide.sw.json")["changed"],
            &of(&json, "wide.sw.json")["ok"]
        ),
        (&true.into(), &true.into())
    );
    assert_eq!(of(&json, "lamp.sw.json")["changed"], false);
    assert_eq!(of(&json, "broken.sw.json")["ok"], false);
    let done = folder
        .run(&["fmt", "wide.sw.json", "--json"])
        .code(0)
        .json();
    assert_eq!(done["files"][0]["changed"], true);
    assert_eq!(
        folder
            .run(&["fmt", "wide.sw.json", "--json"])
            .code(0)
            .json()["summary"]["changed"],
        0
    );
    folder
        .run_with(&["fmt", "-", "--json"], LAMP.as_bytes())
        .code(2)
        .says("both the formatted text and JSON");
    folder
        .run_with(&["fmt", "-", "--check", "--json"], LAMP.as_bytes())
        .code(1);
}
