//! `statewright export`.

use crate::common::{Folder, LAMP, WRONG};
use serde_json::{Value, json};

const GATE: &str = r#"{
  "machine": "Gate",
  "doc": "Opens for those who pay.",
  "events": ["Coin", "Push"],
  "blackboard": { "coins": "i32" },
  "initial": "locked",
  "any_state": [{ "on": "Coin", "do": "coins += 1", "to": "open", "exclude": ["open"] }],
  "states": {
    "locked": {},
    "open": { "transitions": [{ "on": "Push", "if": "coins > 0 && in(open)", "to": "locked", "do": "coins -= 1" }] },
  },
}
"#;

const GATE_SCXML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<!-- Opens for those who pay. -->
<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" datamodel="ecmascript" name="Gate" initial="locked">
  <datamodel>
    <data id="coins" expr="0"/>
  </datamodel>
  <state id="locked">
    <transition event="Coin" target="open">
      <assign location="coins" expr="coins + 1"/>
    </transition>
  </state>
  <state id="open">
    <transition event="Push" cond="coins &gt; 0 &amp;&amp; In('open')" target="locked">
      <assign location="coins" expr="coins - 1"/>
    </transition>
  </state>
</scxml>
"#;

#[test]
fn a_document_is_written_beside_the_machine_and_means_the_same() {
    let folder = Folder::new();
    folder.write("gate.sw.json", GATE);
    folder
        .run(&["export", "gate.sw.json"])
        .code(0)
        .says("wrote gate.scxml");
    assert_eq!(folder.text("gate.scxml"), GATE_SCXML);
    assert_eq!(
        folder
            .run(&["export", "gate.sw.json", "-o", "-"])
            .code(0)
            .out,
        GATE_SCXML
    );
    assert_eq!(
        folder
            .run_with(&["export", "-"], GATE.as_bytes())
            .code(0)
            .out,
        GATE_SCXML
    );
    let steps = |file: &str| -> Vec<(Value, Value, Value)> {
        let ran = folder
            .run(&[
                "step",
                file,
                "--json",
                "--events",
                "Push,Coin,Coin,Push,Push,Coin",
            ])
            .code(0);
        let lines = ran
            .out
            .lines()
            .map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines
            .map(|line| {
                (
                    line["configuration"].clone(),
                    line["actions"].clone(),
                    line["blackboard"].clone(),
                )
            })
            .collect()
    };
    assert_eq!(steps("gate.sw.json"), steps("gate.scxml"));
}

#[test]
fn nothing_is_replaced_without_being_asked() {
    let folder = Folder::new();
    folder.write("gate.sw.json", GATE);
    folder.write("gate.scxml", "mine");
    folder
        .run(&["export", "gate.sw.json"])
        .code(2)
        .says("`gate.scxml` exists already")
        .says("--force");
    folder
        .run(&["export", "gate.sw.json", "-o", "gate.sw.json", "--force"])
        .code(2)
        .says("its own source");
    assert_eq!(folder.text("gate.scxml"), "mine");
    folder.run(&["export", "gate.sw.json", "--force"]).code(0);
    assert_eq!(folder.text("gate.scxml"), GATE_SCXML);
    folder
        .run(&["export", "gate.scxml"])
        .code(2)
        .says("its own source");
}

#[test]
fn all_that_stands_in_the_way_is_said_and_nothing_is_written() {
    let folder = Folder::with_lamp();
    let ran = folder
        .run(&["export", "lamp.sw.json"])
        .code(1)
        .says("error[SW0806]")
        .says("lamp.sw.json:8:");
    let ran = ran
        .says("SCXML cannot say this: transitions of the root")
        .says("the payload of the event");
    ran.says("the timer `fuse`")
        .says("`lamp.sw.json` was not exported: nothing is written");
    let json = folder
        .run(&["export", "lamp.sw.json", "--json"])
        .code(1)
        .json();
    assert_eq!(
        (&json["format"], &json["written"]),
        (&json!("scxml"), &Value::Null)
    );
    assert!(
        json["problems"]
            .as_array()
            .unwrap()
            .iter()
            .all(|problem| problem["code"] == "SW0806")
    );
    folder.write("wrong.sw.json", WRONG);
    folder
        .run(&["export", "wrong.sw.json"])
        .code(1)
        .says("wrong.sw.json:5:")
        .says("was not exported");
    folder.run(&["build", "lamp.sw.json", "-q"]).code(0);
    folder
        .run(&["export", "lamp.swrom"])
        .code(2)
        .says("is a ROM")
        .says("export the machine file");
    assert!(!folder.has("lamp.scxml") && !folder.has("wrong.scxml"));
    assert_eq!(folder.text("lamp.sw.json"), LAMP);
}

#[test]
fn json_says_what_was_written() {
    let folder = Folder::new();
    folder.write("gate.sw.json", GATE);
    let json = folder
        .run(&["export", "gate.sw.json", "--json"])
        .code(0)
        .json();
    assert_eq!(
        (&json["file"], &json["written"], &json["problems"]),
        (&json!("gate.sw.json"), &json!("gate.scxml"), &json!([]))
    );
    folder
        .run(&["export", "gate.sw.json", "--json", "-o", "-"])
        .code(2)
        .says("cannot both go to standard output");
}
