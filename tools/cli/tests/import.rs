//! `statewright import`, and charts of other tools given to the other commands.

use crate::common::{Folder, LAMP};
use serde_json::{Value, json};

const DOOR: &str = r#"<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" name="Door" initial="closed">
  <state id="closed">
    <transition event="open" target="ajar"/>
  </state>
  <state id="ajar">
    <onentry><send event="shut" delay="100ms" id="spring"/></onentry>
    <transition event="shut" target="closed"/>
    <transition event="break" target="broken"/>
  </state>
  <final id="broken"/>
</scxml>
"#;

const XSTATE: &str = r#"{
  "id": "light",
  "initial": "red",
  "states": {
    "red": { "on": { "next": "green" } },
    "green": { "on": { "next": "red" } }
  }
}
"#;

const MERMAID: &str =
    "stateDiagram-v2\n    [*] --> Closed\n    Closed --> Open : Push\n    Open --> Closed : Push\n";

const PLANTUML: &str =
    "@startuml\n[*] --> Closed\nClosed --> Open : Push\nOpen --> Closed : Push\n@enduml\n";

/// All formats: option, name of a file, its text, a state of it.
const FORMATS: [(&str, &str, &str, &str); 4] = [
    ("scxml", "door.scxml", DOOR, "ajar"),
    ("xstate", "light.xstate.json", XSTATE, "green"),
    ("mermaid", "gate.mmd", MERMAID, "Open"),
    ("plantuml", "hatch.puml", PLANTUML, "Open"),
];

/// A folder with a chart of every format.
fn charts() -> Folder {
    let folder = Folder::new();
    for (_, name, text, _) in FORMATS {
        folder.write(name, text);
    }
    folder
}

#[test]
fn every_format_becomes_a_machine_file_that_checks() {
    let folder = charts();
    for (_, name, _, state) in FORMATS {
        let stem = name.split('.').next().unwrap();
        let file = format!("{stem}.sw.json");
        folder
            .run(&["import", name])
            .code(0)
            .says(&format!("wrote {file}"));
        let text = folder.text(&file);
        assert!(
            text.contains(&format!("imported from {name}"))
                && text.contains(&format!("\"{state}\"")),
            "{text}"
        );
        let printed = folder.run(&["import", name, "-o", "-"]).code(0);
        assert_eq!(printed.out, text, "the same to standard output");
        folder.run(&["check", &file]).code(0);
        assert_eq!(
            folder.run(&["fmt", "--check", &file]).code,
            0,
            "{file} is formatted"
        );
    }
    folder.write("sub/other", "");
    folder
        .run(&["import", "door.scxml", "-o", "sub/x.sw.json"])
        .code(0)
        .says("wrote sub/x.sw.json");
    assert!(folder.has("sub/x.sw.json"));
}

#[test]
fn nothing_is_replaced_without_being_asked() {
    let folder = charts();
    folder.write("door.sw.json", "mine");
    folder
        .run(&["import", "door.scxml"])
        .code(2)
        .says("`door.sw.json` exists already")
        .says("--force");
    folder
        .run(&["import", "door.scxml", "-o", "door.scxml", "--force"])
        .code(2)
        .says("its own source");
    folder
        .run_with(
            &["import", "-", "--from", "scxml", "-o", "door.sw.json"],
            DOOR.as_bytes(),
        )
        .code(2)
        .says("exists already");
    assert_eq!(
        (
            folder.text("door.sw.json").as_str(),
            folder.text("door.scxml").as_str()
        ),
        ("mine", DOOR)
    );
    folder.run(&["import", "door.scxml", "--force"]).code(0);
    assert!(folder.text("door.sw.json").contains("ajar"));
}

#[test]
fn the_format_follows_from_the_name_or_is_said() {
    let folder = Folder::new();
    folder.write("chart.txt", DOOR);
    folder
        .run(&["import", "chart.txt"])
        .code(2)
        .says("does not say what kind of chart this is")
        .says("--from scxml");
    folder
        .run(&["import", "chart.txt", "--from", "scxml"])
        .code(0)
        .says("wrote chart.sw.json");
    folder
        .run(&["import", "chart.txt", "--from", "visio"])
        .code(2)
        .says("plantuml");
    folder
        .run_with(&["import", "-"], DOOR.as_bytes())
        .code(2)
        .says("--from");
    for (format, _, text, state) in FORMATS {
        let ran = folder
            .run_with(&["import", "-", "--from", format], text.as_bytes())
            .code(0);
        assert!(ran.out.contains(&format!("\"{state}\"")), "{}", ran.out);
    }
    folder
        .run(&["import", "none.scxml"])
        .code(2)
        .says("cannot read `none.scxml`");
}

#[test]
fn what_is_something_else_is_refused_with_its_place() {
    let folder = Folder::new();
    folder.write("light.scxml", XSTATE);
    folder.write("door.xstate.json", DOOR);
    folder.write("gate.mmd", PLANTUML);
    folder.write("hatch.puml", MERMAID);
    for name in folder.names() {
        folder
            .run(&["import", &name])
            .code(1)
            .says("error[SW0801]")
            .says(&format!("{name}:1:"));
    }
    folder.write("lamp.sw.json", LAMP);
    folder.run(&["build", "lamp.sw.json", "-q"]).code(0);
    folder
        .run(&[
            "import",
            "lamp.swrom",
            "--from",
            "scxml",
            "-o",
            "new.sw.json",
        ])
        .code(2)
        .says("is a ROM");
    assert!(
        !folder.has("light.sw.json") && !folder.has("hatch.sw.json") && !folder.has("new.sw.json")
    );
}

const INVOKES: &str = r#"<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0">
  <state id="a">
    <invoke src="other.scxml"/>
    <transition event="go" target="nowhere"/>
  </state>
</scxml>
"#;

#[test]
fn all_problems_are_said_and_nothing_is_written() {
    let folder = Folder::new();
    folder.write("bad.scxml", INVOKES);
    let ran = folder.run(&["import", "bad.scxml"]).code(1);
    let ran = ran
        .says("error[SW0802]")
        .says("bad.scxml:3:5")
        .says("error[SW0803]")
        .says("bad.scxml:4:");
    ran.says("`bad.scxml` was not imported: nothing is written");
    let json = folder
        .run(&["import", "bad.scxml", "--json"])
        .code(1)
        .json();
    assert_eq!(
        (&json["format"], &json["written"]),
        (&json!("scxml"), &Value::Null)
    );
    let codes: Vec<&str> = json["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["code"].as_str().unwrap())
        .collect();
    assert!(
        codes.contains(&"SW0802") && codes.contains(&"SW0803"),
        "{codes:?}"
    );
    for command in ["check", "build", "run", "step", "draw", "docs"] {
        folder
            .run(&[command, "bad.scxml"])
            .code(1)
            .says("bad.scxml:3:5");
    }
    assert_eq!(folder.names(), ["bad.scxml"]);
}

#[test]
fn json_says_what_was_written() {
    let folder = charts();
    let json = folder
        .run(&["import", "door.scxml", "--json"])
        .code(0)
        .json();
    assert_eq!(json["file"], "door.scxml");
    assert_eq!(
        (&json["format"], &json["written"], &json["problems"]),
        (&json!("scxml"), &json!("door.sw.json"), &json!([]))
    );
    assert!(folder.has("door.sw.json"));
    folder
        .run(&["import", "door.scxml", "--json", "-o", "-"])
        .code(2)
        .says("cannot both go to standard output");
}

#[test]
fn strict_makes_errors_of_what_is_left_out() {
    let folder = Folder::new();
    folder.write(
        "note.puml",
        "@startuml\n[*] --> A\nA --> B : Go\nB --> A : Go\nnote right of A : hm\n@enduml\n",
    );
    folder
        .run(&["import", "note.puml", "--strict"])
        .code(1)
        .says("SW0805")
        .says("nothing is written");
    assert!(!folder.has("note.sw.json"));
    folder
        .run(&["import", "note.puml"])
        .code(0)
        .says("warning[SW0805]")
        .says("wrote note.sw.json");
}

#[test]
fn charts_are_taken_directly() {
    let folder = charts();
    folder
        .run(&[
            "check",
            "door.scxml",
            "light.xstate.json",
            "gate.mmd",
            "hatch.puml",
        ])
        .code(0)
        .says("checked 4 files");
    folder
        .run(&["build", "door.scxml"])
        .code(0)
        .prints("machine Door")
        .says("wrote door.swrom and door.swdbg");
    let report = folder
        .run(&[
            "run",
            "door.scxml",
            "--agents",
            "100",
            "--ticks",
            "50",
            "--json",
        ])
        .code(0)
        .json();
    assert_eq!(report["agents"], 100);
    folder
        .run(&["draw", "door.scxml"])
        .code(0)
        .prints("<svg ")
        .prints("data-state=\"ajar\"");
    folder
        .run(&["draw", "door.scxml", "--format", "mermaid"])
        .code(0)
        .prints("stateDiagram-v2")
        .prints("ajar");
    folder
        .run(&["docs", "door.scxml", "-o", "door.html"])
        .code(0);
    assert!(folder.text("door.html").contains("ajar"));
}

#[test]
fn a_folder_to_check_includes_scxml() {
    let folder = Folder::with_lamp();
    folder.write("sub/door.scxml", DOOR);
    folder.write("sub/notes.txt", "no chart");
    let json = folder.run(&["check", ".", "--json"]).code(0).json();
    let files: Vec<&str> = json["files"]
        .as_array()
        .unwrap()
        .iter()
        .map(|file| file["file"].as_str().unwrap())
        .collect();
    assert_eq!(files, ["./lamp.sw.json", "./sub/door.scxml"]);
    folder.write("sub/bad.scxml", INVOKES);
    folder
        .run(&["check", "."])
        .code(1)
        .says("sub/bad.scxml:3:5");
    folder.run(&["check", "--help"]).code(0).prints("`*.scxml`");
}

/// The fields of every line of `step --json`.
fn steps(folder: &Folder, args: &[&str]) -> Vec<Value> {
    let ran = folder.run(&[&["step"], args, &["--json"]].concat()).code(0);
    ran.out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[test]
fn steps_name_leaves_by_their_ids() {
    let folder = charts();
    let lines = steps(
        &folder,
        &["door.scxml", "--events", "open,after 100,open.slowly,break"],
    );
    let what: Vec<&str> = lines
        .iter()
        .map(|line| line["what"].as_str().unwrap())
        .collect();
    assert_eq!(
        what,
        ["start", "send", "after", "send", "send"],
        "time passes as one step"
    );
    let configurations: Vec<&Value> = lines.iter().map(|line| &line["configuration"]).collect();
    assert_eq!(
        configurations,
        [
            &json!(["closed"]),
            &json!(["ajar"]),
            &json!(["closed"]),
            &json!(["ajar"]),
            &json!(["broken"])
        ]
    );
    let ended: Vec<bool> = lines
        .iter()
        .map(|line| line["terminated"].as_bool().unwrap())
        .collect();
    assert_eq!(
        ended,
        [false, false, false, false, true],
        "the final state that it ended in is still told"
    );
    assert_eq!(lines[2]["exited"], json!(["ajar"]));
    assert_eq!(
        lines[3]["event"], "open",
        "a name that is not known belongs to its longest known beginning"
    );
}

#[test]
fn ids_are_not_paths_however_deep_and_unknown_events_do_no_harm() {
    let folder = Folder::new();
    folder.write(
        "deep.scxml",
        r#"<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0"><parallel id="p">
          <state id="a"><state id="a1"><transition event="a" target="a2"/></state><state id="a2"/></state>
          <state id="b"><state id="b1"><transition event="b" target="b2"/></state><state id="b2"/></state>
        </parallel></scxml>"#,
    );
    let lines = steps(
        &folder,
        &["deep.scxml", "--events", "a,after 100,b,what.is.this"],
    );
    let configurations: Vec<&Value> = lines.iter().map(|line| &line["configuration"]).collect();
    let (a2b1, a2b2) = (json!(["a2", "b1"]), json!(["a2", "b2"]));
    assert_eq!(
        configurations,
        [&json!(["a1", "b1"]), &a2b1, &a2b1, &a2b2, &a2b2]
    );
    assert_eq!(lines[4]["event"], "(other)");
    assert_eq!(
        lines[0]["entered"],
        json!(["root", "p", "a", "a1", "b", "b1"])
    );
}

/// A door that asks and calls the game.
const GATE: &str = r#"<scxml xmlns="http://www.w3.org/2005/07/scxml" version="1.0" name="Gate">
  <state id="closed">
    <transition event="open" cond="!isLocked('main')" target="ajar"><script>ring(2)</script></transition>
  </state>
  <state id="ajar"/>
</scxml>
"#;

#[test]
fn functions_are_called_if_a_table_names_them() {
    let folder = Folder::new();
    folder.write("gate.scxml", GATE);
    let refused = folder.run(&["import", "gate.scxml"]);
    refused
        .code(1)
        .says("import cannot call `isLocked`")
        .says("import cannot call `ring`")
        .says("--function NAME");
    folder
        .run(&[
            "import",
            "gate.scxml",
            "--function",
            "isLocked,ring=sound::Ring",
        ])
        .code(0);
    let text = folder.text("gate.sw.json");
    assert!(
        text.contains("!isLocked('main')") && text.contains("sound::Ring"),
        "{text}"
    );
    let told = folder.run(&[
        "step",
        "gate.sw.json",
        "--stub-guards",
        "false",
        "--events",
        "open",
    ]);
    told.code(0)
        .prints("isLocked('main')")
        .prints("sound::Ring(2)");
}

#[test]
fn wrong_functions_are_told() {
    let folder = charts();
    folder.write("gate.scxml", GATE);
    let import = |file: &str, function: &str| {
        folder.run(&["import", file, "-o", "-", "--function", function])
    };
    import("gate.scxml", "1x")
        .code(2)
        .says("`1x` cannot be called in a document")
        .says("NAME=FUNCTION");
    import("gate.scxml", "isLocked=min")
        .code(2)
        .says("`min` means something else");
    import("gate.scxml", "isLocked,ring,knock")
        .code(0)
        .says("nothing calls the function `knock`");
    import("gate.mmd", "a")
        .code(2)
        .says("`--function` is for SCXML documents");
}
