//! XState v5 configurations: what they become, and how that runs.

use crate::common::{arrows, deeds, outline, quiet, runs, said};
use statewright_author::graph::TransitionKind;
use statewright_author::text::write;
use statewright_author::value::{Literal, ParameterType, ValueType};
use statewright_import::xstate::read;

#[test]
fn a_toggle_runs() {
    let text = r#"{ "id": "toggle", "initial": "inactive", "states": {
        "inactive": { "on": { "TOGGLE": "active" } },
        "active": { "on": { "TOGGLE": { "target": "inactive" } } } } }"#;
    assert_eq!(quiet(read, text).name.value, "toggle");
    runs(
        read,
        text,
        &[
            ("", &["inactive"]),
            ("send TOGGLE", &["active"]),
            ("send TOGGLE", &["inactive"]),
        ],
    );
}

#[test]
fn a_file_without_an_id_has_the_name_of_the_file() {
    let (machine, _) = read(
        "charts/light.machine.json",
        r#"{ "initial": "a", "states": { "a": {} } }"#,
    );
    assert_eq!(machine.name.value, "light");
}

#[test]
fn targets_are_found_in_every_way_they_are_written() {
    let text = r##"{ "id": "m", "initial": "a", "on": { "RESET": ".a", "DEEP": "#m.b.c" }, "states": {
        "a": { "on": { "SIBLING": "b", "PATH": "b.d", "ID": "#dee" } },
        "b": { "initial": "c", "on": { "CHILD": ".d" }, "states": {
            "c": {}, "d": { "id": "dee", "on": { "MORE": "c" } } } } } }"##;
    runs(
        read,
        text,
        &[
            ("", &["a"]),
            ("send SIBLING", &["b/c"]),
            ("send CHILD", &["b/d"]),
            ("send MORE", &["b/c"]),
            ("send RESET", &["a"]),
            ("send PATH", &["b/d"]),
            ("send RESET", &["a"]),
            ("send ID", &["b/d"]),
            ("send RESET", &["a"]),
            ("send DEEP", &["b/c"]),
        ],
    );
}

#[test]
fn transitions_stay_inside_unless_they_reenter() {
    let text = r#"{ "initial": "p", "states": { "p": {
        "entry": "inP", "exit": "outP", "initial": "x",
        "on": { "STAY": ".y", "LEAVE": { "target": ".y", "reenter": true }, "SELF": "p", "AGAIN": { "target": "p", "reenter": true } },
        "states": { "x": { "entry": "inX" }, "y": { "entry": "inY" } } } } }"#;
    let happened = runs(
        read,
        text,
        &[
            ("", &["p/x"]),
            ("send STAY", &["p/y"]),
            ("send SELF", &["p/x"]),
            ("send LEAVE", &["p/y"]),
            ("send AGAIN", &["p/x"]),
        ],
    );
    assert_eq!(
        deeds(&happened),
        [
            "inP", "inX", "inY", "inX", "outP", "inP", "inY", "outP", "inP", "inX"
        ]
    );
    let machine = quiet(read, text);
    let kinds: Vec<_> = machine.root.regions[0].states[0]
        .transitions
        .iter()
        .map(|t| t.kind.as_ref().map(|k| k.value))
        .collect();
    assert_eq!(
        kinds,
        [
            None,
            Some(TransitionKind::External),
            None,
            Some(TransitionKind::External)
        ]
    );
}

/// An atomic state that aims at itself without `reenter` is not left: only the actions run.
#[test]
fn an_atomic_state_is_not_left_by_itself() {
    let text = r#"{ "initial": "a", "states": { "a": { "entry": "in", "exit": "out", "on": {
        "PING": { "target": "a", "actions": "pong" }, "QUIET": { "actions": ["one", "two"] } } } } }"#;
    let happened = runs(
        read,
        text,
        &[("", &["a"]), ("send PING", &["a"]), ("send QUIET", &["a"])],
    );
    assert_eq!(deeds(&happened), ["in", "pong", "one", "two"]);
}

#[test]
fn parallel_states_run_at_once_and_are_done_together() {
    let text = r#"{ "initial": "work", "states": {
        "work": { "type": "parallel", "onDone": "home", "states": {
            "left": { "initial": "a", "states": { "a": { "on": { "L": "b" } }, "b": { "type": "final" } } },
            "right": { "initial": "a", "states": { "a": { "on": { "R": "b" } }, "b": { "type": "final" } } } } },
        "home": {} } }"#;
    assert_eq!(
        outline(&quiet(read, text).root),
        "(work{left(a b!)|right(a b!)} home)"
    );
    runs(
        read,
        text,
        &[
            ("", &["work/left/a", "work/right/a"]),
            ("send L", &["work/left/b", "work/right/a"]),
            ("send R", &["home"]),
        ],
    );
}

#[test]
fn a_parallel_state_begins_all_regions_again() {
    let text = r#"{ "type": "parallel", "on": { "RESET": [{ "target": ".x.b" }] }, "states": {
        "x": { "initial": "a", "states": { "a": {}, "b": {} } },
        "y": { "initial": "a", "states": { "a": { "on": { "GO": "b" } }, "b": {} } } } }"#;
    runs(
        read,
        text,
        &[
            ("", &["x/a", "y/a"]),
            ("send GO", &["x/a", "y/b"]),
            ("send RESET", &["x/b", "y/a"]),
        ],
    );
}

#[test]
fn history_brings_back_what_was_active() {
    let text = r#"{ "initial": "on", "states": {
        "on": { "initial": "low", "on": { "OFF": "off" }, "states": {
            "low": { "on": { "UP": "high" } },
            "high": { "initial": "a", "states": { "a": { "on": { "NEXT": "b" } }, "b": {} } },
            "last": { "type": "history" }, "exact": { "type": "history", "history": "deep", "target": "high" } } },
        "off": { "on": { "ON": "on.last", "EXACT": "on.exact" } } } }"#;
    assert_eq!(
        outline(&quiet(read, text).root),
        "(on+H+H*(low high(a b)) off)"
    );
    runs(
        read,
        text,
        &[
            ("", &["on/low"]),
            ("send UP", &["on/high/a"]),
            ("send NEXT", &["on/high/b"]),
            ("send OFF", &["off"]),
            ("send EXACT", &["on/high/b"]),
            ("send OFF", &["off"]),
            ("send ON", &["on/high/a"]),
        ],
    );
}

#[test]
fn delays_and_eventless_transitions() {
    let text = r#"{ "initial": "green", "states": {
        "green": { "after": { "1000": "yellow" } },
        "yellow": { "after": { "500": { "target": "pick" } } },
        "pick": { "always": [{ "target": "red", "guard": "mustStop" }, { "target": "green" }] },
        "red": { "after": { "250": [{ "guard": "never", "target": "green" }] } } } }"#;
    runs(
        read,
        text,
        &[
            ("", &["green"]),
            ("after 1000", &["yellow"]),
            ("after 500", &["red"]),
            ("guard never false", &["red"]),
            ("after 9000", &["red"]),
        ],
    );
}

/// LANG-3: how long a named delay is, is code there and a parameter here.
#[test]
fn lang_3_named_delays_become_parameters() {
    let text = r#"{ "initial": "a", "states": {
        "a": { "after": { "patience": "b" } }, "b": { "after": { "patience": "a", "not a name": "a" } } } }"#;
    let (machine, problems) = read("delays.xstate.json", text);
    let said: Vec<&str> = problems.iter().map(|one| one.code.info().id).collect();
    assert_eq!(said, ["SW0805", "SW0802"]);
    assert_eq!(
        arrows(&machine),
        ["/a: after patience -> b", "/b: after patience -> a"]
    );
    let [patience] = &machine.parameters[..] else {
        panic!("{:?}", machine.parameters);
    };
    let (name, ty) = (patience.name.value.as_str(), patience.ty.value);
    assert_eq!((name, ty), ("patience", ParameterType::Duration));
}

#[test]
fn guards_and_actions_have_names_and_parameters() {
    let text = r##"{ "id": "m", "initial": "a", "states": {
        "a": { "entry": ["plain", { "type": "say", "params": { "words": "hi", "times": 2, "loud": true } }], "on": {
            "GO": { "target": "b", "guard": { "type": "near", "params": { "distance": 2.5, "what": "orc" } } },
            "BOTH": { "target": "b", "guard": { "type": "xstate.and", "guards": ["one", { "type": "not", "guards": ["two"] }] } },
            "IN": { "target": "b", "guard": { "type": "xstate.stateIn", "stateValue": "#m.a" } } } },
        "b": { "entry": "ui.show" } } }"##;
    let machine = quiet(read, text);
    assert_eq!(
        arrows(&machine),
        [
            "/a: GO [near(distance: 2.5, what: 'orc')] -> b",
            "/a: BOTH [(one && !(two))] -> b",
            "/a: IN [in('a')] -> b",
        ]
    );
    let functions: Vec<String> = machine
        .functions
        .iter()
        .map(|f| format!("{} {} {}", f.name.value, f.kind.value, f.parameters.len()))
        .collect();
    assert_eq!(
        functions,
        [
            "plain action 0",
            "say action 3",
            "near guard 2",
            "one guard 0",
            "two guard 0",
            "ui::show action 0"
        ]
    );
    let happened = runs(
        read,
        text,
        &[
            ("", &["a"]),
            ("guard near false", &["a"]),
            ("send GO", &["a"]),
            ("send BOTH", &["a"]),
            ("send IN", &["b"]),
        ],
    );
    assert_eq!(
        deeds(&happened),
        [
            "plain",
            "say(words: 'hi', times: 2, loud: true)",
            "ui::show"
        ]
    );
}

#[test]
fn wildcards_come_after_what_is_more_exact() {
    let text = r#"{ "initial": "a", "states": { "a": { "on": {
        "*": "other", "mouse.*": "mouse", "mouse.down.*": "down", "mouse.up": { "target": "up", "guard": "free" } } },
        "other": {}, "mouse": {}, "down": {}, "up": { "on": { "key": "a", "mouse.down.left": "a" } } } }"#;
    let machine = quiet(read, text);
    assert_eq!(
        arrows(&machine)[..8],
        [
            "/a: mouse.up [free] -> up",
            "/a: mouse.down.* -> down",
            "/a: mouse.down.left -> down",
            "/a: mouse.* -> mouse",
            "/a: mouse.down.* -> mouse",
            "/a: mouse.up -> mouse",
            "/a: mouse.down.left -> mouse",
            "/a: * -> other",
        ]
    );
    runs(
        read,
        text,
        &[("", &["a"]), ("send mouse.down.left", &["down"])],
    );
    runs(
        read,
        text,
        &[("guard free false", &["a"]), ("send mouse.up", &["mouse"])],
    );
    runs(read, text, &[("send key", &["other"])]);
}

#[test]
fn raised_events_come_before_those_from_outside() {
    let text = r#"{ "initial": "a", "states": {
        "a": { "on": { "GO": { "target": "b", "actions": { "type": "xstate.raise", "event": { "type": "NEXT" } } } } },
        "b": { "on": { "NEXT": "c" } }, "c": { "type": "final" } } }"#;
    let machine = quiet(read, text);
    assert!(
        machine
            .policies
            .internal_first
            .as_ref()
            .is_some_and(|on| on.value)
    );
    assert!(
        machine
            .policies
            .reverse_exit_order
            .as_ref()
            .is_some_and(|on| on.value)
            && machine.policies.done_events.is_none()
    );
    runs(read, text, &[("", &["a"]), ("send GO", &["c"])]);
}

#[test]
fn descriptions_meta_tags_and_context_are_kept() {
    let text = r#"{ "id": "m", "description": "A door.", "meta": { "x": 1 }, "initial": "a",
        "context": { "count": 3, "speed": 1.5, "open": true, "mode": "slow" },
        "states": { "a": { "description": "Shut.", "tags": ["calm"], "meta": { "y": 2 },
            "on": { "E": { "target": "a", "description": "Why.", "meta": 7 } } } } }"#;
    let machine = quiet(read, text);
    let state = &machine.root.regions[0].states[0];
    assert_eq!(machine.doc.as_deref(), Some("A door."));
    assert_eq!(machine.meta, Some(serde_json::json!({ "x": 1 })));
    assert_eq!(
        state.meta,
        Some(serde_json::json!({ "y": 2, "tags": ["calm"] }))
    );
    assert_eq!(state.transitions[0].doc.as_deref(), Some("Why."));
    let keys: Vec<_> = machine
        .blackboard
        .iter()
        .map(|key| (key.name.value.as_str(), key.ty.value))
        .collect();
    assert_eq!(
        keys,
        [
            ("count", ValueType::I32),
            ("speed", ValueType::F32),
            ("open", ValueType::Bool),
            ("mode", ValueType::Symbol)
        ]
    );
    assert_eq!(
        machine.blackboard[3].default.as_ref().unwrap().value,
        Literal::Text("slow".into())
    );
}

/// What comes out is a clean machine file.
#[test]
fn an_imported_chart_is_written_as_a_machine_file() {
    let text = r#"{ "id": "toggle", "initial": "off", "states": {
        "off": { "on": { "PRESS": { "target": "on", "guard": "powered", "actions": "beep" } } },
        "on": { "after": { "1500": "off" } } } }"#;
    assert_eq!(
        write(&quiet(read, text)),
        r#"{
  "machine": "toggle",
  "policies": { "exit_order": "reverse", "internal_first": true, "scxml_details": true },
  "events": ["PRESS"],
  "functions": {
    "powered": "guard",
    "beep": "action"
  },
  "initial": "off",
  "states": {
    "off": { "transitions": [{ "on": "PRESS", "if": "powered", "to": "on", "do": "beep" }] },
    "on": { "transitions": [{ "after": "1500ms", "to": "off" }] }
  }
}
"#
    );
}

#[test]
fn everything_that_cannot_be_mapped_is_named_at_once() {
    let text = r##"{ "id": "m", "initial": "nowhere", "version": "1", "context": { "list": [], "ok": 1, "and": 2, "busy": true }, "states": {
        "a": { "invoke": { "src": "x" }, "onn": {}, "cond": "x", "after": { "SLOW": "b" }, "on": {
            "": "b", "done.invoke.x": "b", "E": "missing", "F": "#none", "G": { "target": "b", "guard": "no spaces" },
            "H": { "actions": { "type": "xstate.assign" } }, "I": { "actions": { "type": "say", "params": { "x": [1] } } },
            "J": { "guard": "busy", "target": "b" }, "K": { "guard": "say2" }, "L": { "actions": "say2" } } },
        "b": { "type": "finale", "states": {} }, "a/b": {} } }"##;
    let found = said(read, text);
    let codes: Vec<&str> = found.iter().map(|line| &line[..6]).collect();
    let count = |code: &str| codes.iter().filter(|found| **found == code).count();
    assert_eq!(
        (count("SW0802"), count("SW0803"), count("SW0805")),
        (8, 7, 4),
        "{found:#?}"
    );
}

#[test]
fn a_transition_between_regions_is_refused_if_the_state_around_does_something() {
    let chart = |entry: &str| {
        format!(
            r##"{{ "initial": "p", "states": {{ "p": {{ "type": "parallel", {entry} "states": {{
        "l": {{ "initial": "a", "states": {{ "a": {{ "on": {{ "X": "#r2" }} }} }} }},
        "r": {{ "initial": "a", "states": {{ "a": {{}}, "b": {{ "id": "r2" }} }} }} }} }} }} }}"##
        )
    };
    assert_eq!(said(read, &chart("")), [""; 0]);
    runs(
        read,
        &chart(""),
        &[("", &["p/l/a", "p/r/a"]), ("send X", &["p/l/a", "p/r/b"])],
    );
    assert!(
        said(read, &chart(r#""entry": "boom","#))[0]
            .starts_with("SW0802 a transition that leaves a region of `p`")
    );
}

/// As XState 5 does it: a transition of a parallel state, or of one around it, is taken only if no
/// state inside has one for the event.
#[test]
fn states_around_regions_give_way_to_all_that_is_inside() {
    let text = r##"{
          "id": "both", "initial": "work",
          "states": {
            "work": {
              "on": { "e": { "actions": "outer" }, "f": { "actions": "outer" }, "*": { "actions": "any" } },
              "initial": "deck",
              "states": {
                "deck": {
                  "type": "parallel",
                  "on": { "e": { "actions": "deck" } },
                  "states": {
                    "left": { "initial": "a", "states": { "a": { "on": { "e": { "actions": "left", "target": "b" } } }, "b": {} } },
                    "right": { "on": { "g": { "guard": "ready", "actions": "right" } } }
                  }
                }
              }
            }
          }
        }"##;
    let (a, b, right) = ("work/deck/left/a", "work/deck/left/b", "work/deck/right");
    let happened = runs(
        read,
        text,
        &[
            ("", &[a, right]),
            ("send g", &[a, right]),
            ("guards false", &[a, right]),
            ("send g", &[a, right]),
            ("send e", &[b, right]),
            ("send e", &[b, right]),
            ("send f", &[b, right]),
        ],
    );
    assert_eq!(deeds(&happened), ["right", "any", "left", "deck", "outer"]);
}

/// As XState 5 does it: whatever leaves a region leaves all of them.
#[test]
fn a_region_that_is_entered_again_takes_the_others_along() {
    let deck = r##""type": "parallel", "states": {
      "left": {
        "initial": "a", "on": { "again": { "target": "#a", "reenter": true } },
        "states": { "a": { "id": "a", "on": { "go": "b" } }, "b": {} }
      },
      "right": { "initial": "x", "states": { "x": { "on": { "go": "y" } }, "y": {} } }
    }"##;
    let alone = format!(r#"{{ "id": "both", {deck} }}"#);
    let inside =
        format!(r#"{{ "id": "m", "initial": "deck", "states": {{ "deck": {{ {deck} }} }} }}"#);
    for (text, path) in [(alone, ""), (inside, "deck/")] {
        let at = |leaf: &str| format!("{path}{leaf}");
        let (first, second) = ([at("left/a"), at("right/x")], [at("left/b"), at("right/y")]);
        let [first, second] = [&first, &second].map(|pair| pair.each_ref().map(String::as_str));
        runs(
            read,
            &text,
            &[("", &first), ("send go", &second), ("send again", &first)],
        );
    }
}
