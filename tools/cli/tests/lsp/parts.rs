//! Machines of several files (LANG-5) through the protocol: open ones, and others on the disk.

use serde_json::{Value, json};

use super::client::{Session, edited, place_of, position};

const PART: &str = r#"{
  "machine": "Blink",
  "events": ["Stop"],
  "parameters": { "pause": "1s" },
  "initial": "on",
  "states": {
    "on": { "transitions": [{ "after": "pause", "to": "off" }] },
    "off": { "transitions": [{ "after": "pause", "to": "on" }, { "on": "Stop", "to": "over" }] },
    "over": { "final": true }
  }
}
"#;

const USER: &str = r#"{
  "machine": "Lighthouse",
  "events": ["Stop"],
  "initial": "lamp",
  "states": {
    "lamp": { "use": "parts/blink.sw.json", "with": { "pause": "3s" }, "transitions": [{ "when": "done", "to": "dark" }] },
    "dark": { "transitions": [{ "on": "Stop", "to": "lamp/off" }] }
  }
}
"#;

/// A folder with both files, and a client that has it open.
fn session() -> Session {
    Session::new(&[(BLINK, PART), (FILE, USER)])
}

const FILE: &str = "lighthouse.sw.json";
const BLINK: &str = "parts/blink.sw.json";

#[test]
fn names_lead_into_a_part_and_back() {
    let mut session = session();
    let (user, part) = (session.uri(FILE), session.uri(BLINK));
    session.client.open(&user, USER);
    assert_eq!(session.client.problems(&user, 1, |_, _| {}), json!([]));
    let none = json!({});
    let target = session.at(
        "textDocument/definition",
        FILE,
        USER,
        "lamp/o$0ff",
        none.clone(),
    );
    assert_eq!(target["uri"], part.as_str());
    let byte = PART.find("off\": {").unwrap();
    assert_eq!(target["range"]["start"], position(place_of(PART, byte)));
    let target = session.at("textDocument/definition", FILE, USER, "blink$0.sw", none);
    assert_eq!(target["uri"], part.as_str());
    // From the part, which is not open, to its uses.
    let context = json!({ "context": { "includeDeclaration": true } });
    let uses = session.at(
        "textDocument/references",
        BLINK,
        PART,
        "\"Bl$0ink\"",
        context.clone(),
    );
    assert_eq!(uses.as_array().unwrap().len(), 1);
    assert_eq!(uses[0]["uri"], user.as_str());
    let all = session.at(
        "textDocument/references",
        BLINK,
        PART,
        "\"pau$0se\": \"1s\"",
        context,
    );
    assert_eq!(all.as_array().unwrap().len(), 4, "{all}");
    assert_eq!(session.client.end(), 0);
}

#[test]
fn renaming_changes_open_and_closed_files_together() {
    let mut session = session();
    let (user, part) = (session.uri(FILE), session.uri(BLINK));
    session.client.open(&user, USER);
    let new = json!({ "newName": "gap" });
    let change = session.at(
        "textDocument/rename",
        FILE,
        USER,
        "\"pau$0se\": \"3s\"",
        new,
    );
    let text = edited(PART, &change["changes"][part.as_str()]);
    assert_eq!(text, PART.replace("pause", "gap"));
    let text = edited(USER, &change["changes"][user.as_str()]);
    assert_eq!(text, USER.replace("pause", "gap"));
    let new = json!({ "newName": "unlit" });
    let change = session.at("textDocument/rename", BLINK, PART, "\"of$0f\": {", new);
    let text = edited(PART, &change["changes"][part.as_str()]);
    assert!(text.contains("\"unlit\": { \"id\": \""), "{text}");
    let text = edited(USER, &change["changes"][user.as_str()]);
    assert_eq!(text, USER.replace("lamp/off", "lamp/unlit"));
    assert_eq!(session.client.end(), 0);
}

#[test]
fn problems_of_a_part_are_shown_in_it_and_follow_every_change() {
    let mut session = session();
    let (user, part) = (session.uri(FILE), session.uri(BLINK));
    session.client.open(&user, USER);
    assert_eq!(session.client.problems(&user, 1, |_, _| {}), json!([]));
    // A state that the user names is gone from the part, in the editor alone.
    let other = PART.replace("\"off\"", "\"unlit\"");
    session.client.open(&part, &other);
    let found = session
        .client
        .problems_until(&user, |list| list != &json!([]));
    let message = found[0]["message"].as_str().unwrap();
    assert!(
        message.contains("no history point named `off`"),
        "{message}"
    );
    // A mistake in the part itself is shown there, with the place that uses it.
    let wrong = PART.replace("\"to\": \"on\"", "\"to\": \"onn\"");
    session.client.change(&part, 2, json!([{ "text": wrong }]));
    let related = |list: &Value| list[0]["relatedInformation"][0]["location"]["uri"].clone();
    let found = session
        .client
        .problems_until(&part, |list| related(list) == user.as_str());
    assert_eq!(found.as_array().unwrap().len(), 1, "{found}");
    session.client.change(&part, 3, json!([{ "text": PART }]));
    session
        .client
        .problems_until(&part, |list| list == &json!([]));
    session
        .client
        .problems_until(&user, |list| list == &json!([]));
    // Closed, the file on the disk counts: it was never changed.
    session.client.notify(
        "textDocument/didClose",
        json!({ "textDocument": { "uri": part } }),
    );
    session.folder.write(BLINK, &other);
    let changes = json!({ "changes": [{ "uri": part, "type": 2 }] });
    session
        .client
        .notify("workspace/didChangeWatchedFiles", changes);
    let found = session
        .client
        .problems_until(&user, |list| list != &json!([]));
    let message = found[0]["message"].as_str().unwrap();
    assert!(message.contains("point named `off`"), "{message}");
    assert_eq!(session.client.end(), 0);
}

#[test]
fn paths_and_parameters_of_parts_are_offered() {
    let mut session = session();
    let text = USER.replace("parts/blink.sw.json", "");
    let user = session.uri(FILE);
    session.client.open(&user, &text);
    let offered = session.at(
        "textDocument/completion",
        FILE,
        &text,
        "\"use\": \"$0\"",
        json!({}),
    );
    assert_eq!(offered["items"][0]["label"], "parts/blink.sw.json");
    let text = USER.replace("\"pause\": \"3s\"", "\"\"");
    session.client.change(&user, 2, json!([{ "text": text }]));
    let offered = session.at(
        "textDocument/completion",
        FILE,
        &text,
        "\"with\": { \"$0\" }",
        json!({}),
    );
    assert_eq!(offered["items"][0]["label"], "pause");
    assert_eq!(offered["items"][0]["detail"], "duration");
    assert_eq!(session.client.end(), 0);
}
