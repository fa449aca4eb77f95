//! From the name of a function to Rust: a program binds a machine and writes its sidecar, and an editor
//! is led to this very file, which lies in the folder of the test where the compiler saw it.

use serde_json::{Value, json};
use statewright::prelude::*;

use super::client::{Session, place_of, position};

const GUARD: &str = r#"{
  "machine": "Guard",
  "events": ["Noise"],
  "functions": { "IsBrave": "guard", "Shout": "action", "Sing": "action" },
  "initial": "stand",
  "states": { "stand": { "transitions": [{ "on": "Noise", "if": "IsBrave", "do": ["Shout", "Sing"] }] } }
}
"#;

/// Where the machine lies, and its sidecar.
const FILE: &str = "game/machines/guard.sw.json";
const SIDECAR: &str = "game/machines/guard.swdbg";

const DEFINITION: &str = "textDocument/definition";

#[derive(Board)]
struct Body;

#[functions]
impl Body {
    #[guard]
    fn is_brave(&self) -> bool {
        true
    }

    #[action]
    fn shout(&mut self) {}
}

/// The text of this file.
const RUST: &str = include_str!("rust.rs");

/// What the game writes.
fn sidecar() -> String {
    let machine = Machine::from_text("guard.sw.json", GUARD).unwrap();
    let by_hand = Functions::new().action("Sing", |_, _, _| {});
    let functions = Body::functions().and(by_hand);
    machine.bind(functions).unwrap().sidecar()
}

/// The name of this file as the compiler has it.
fn rust_file() -> String {
    file!().replace('\\', "/")
}

fn session(sidecar: &str) -> Session {
    let mut session = Session::new(&[(FILE, GUARD), (SIDECAR, sidecar), (&rust_file(), RUST)]);
    let uri = session.uri(FILE);
    session.client.open(&uri, GUARD);
    session
}

/// The range of the first text after another one in a file.
fn range(text: &str, after: &str, name: &str) -> Value {
    let after = text.find(after).unwrap();
    let start = after + text[after..].find(name).unwrap();
    json!({ "start": position(place_of(text, start)), "end": position(place_of(text, start + name.len())) })
}

#[test]
fn functions_lead_to_their_declaration_and_to_rust() {
    let mut session = session(&sidecar());
    let (machine, rust) = (session.uri(FILE), session.uri(&rust_file()));
    for (around, declared, after, name) in [
        ("\"if\": \"IsB$0rave", "IsBrave", "fn is_brave", "is_brave"),
        ("{ \"IsB$0rave", "IsBrave", "fn is_brave", "is_brave"),
        ("[\"Sh$0out", "Shout", "fn shout", "shout"),
        ("\"Si$0ng\"]", "Sing", "Functions::new()", "action"),
    ] {
        let found = session.at(DEFINITION, FILE, GUARD, around, json!({}));
        let wanted = json!([
            { "uri": machine, "range": range(GUARD, "\"functions\"", declared) },
            { "uri": rust, "range": range(RUST, after, name) },
        ]);
        assert_eq!(found, wanted, "{around}");
    }
    let hover = session.at("textDocument/hover", FILE, GUARD, "[\"Sh$0out", json!({}));
    let line = place_of(RUST, RUST.find("fn shout").unwrap()).0 + 1;
    let written = format!(
        "function `Shout: action()`\n\nWritten in `{}:{line}`.",
        rust_file()
    );
    assert_eq!(hover["contents"]["value"], written);
    assert_eq!(session.client.end(), 0);
}

/// The answer follows the files as they are: nothing has to be opened again.
#[test]
fn a_function_that_is_declared_nowhere_leads_to_rust_alone() {
    let mut session = session(&sidecar());
    let uri = session.uri(FILE);
    let text = GUARD
        .replace("\"Sing\": \"action\"", "")
        .replace("\"action\",", "\"action\"");
    let text = text.replace(
        "\"functions\": { \"IsBrave\": \"guard\", \"Shout\": \"action\"  },",
        "",
    );
    session.client.change(&uri, 2, json!([{ "text": text }]));
    let ask = |session: &mut Session| session.at(DEFINITION, FILE, &text, "[\"Sh$0out", json!({}));
    let found = ask(&mut session);
    assert_eq!(found["uri"], session.uri(&rust_file()), "{found}");
    assert_eq!(found["range"], range(RUST, "fn shout", "shout"));
    session
        .folder
        .write(SIDECAR, sidecar().replace("\"Guard\"", "\"Ogre\""));
    assert_eq!(ask(&mut session), Value::Null, "of another machine");
    session.folder.write(SIDECAR, &sidecar()[..900]);
    assert_eq!(ask(&mut session), Value::Null, "damaged");
    session.folder.write(SIDECAR, sidecar());
    assert_ne!(ask(&mut session), Value::Null);
    std::fs::remove_file(session.folder.path.join(rust_file())).unwrap();
    assert_eq!(ask(&mut session), Value::Null, "no such file");
    std::fs::remove_file(session.folder.path.join(SIDECAR)).unwrap();
    assert_eq!(ask(&mut session), Value::Null, "no sidecar");
    assert_eq!(session.client.end(), 0);
}

/// `statewright build` knows no Rust: its sidecar has no places, and is read like any other.
#[test]
fn the_sidecar_of_a_build_leads_nowhere() {
    let mut session = session("");
    session.folder.run(&["build", FILE]).code(0);
    let found = session.at(DEFINITION, FILE, GUARD, "[\"Sh$0out", json!({}));
    assert_eq!(found["uri"], session.uri(FILE), "the declaration: {found}");
    assert_eq!(session.client.end(), 0);
}
