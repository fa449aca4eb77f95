//! Each feature once through the protocol; what exactly is answered is held by the tests of
//! `statewright-language`.

use serde_json::{Value, json};

use super::client::{Client, URI, edited, place_of, position};
use crate::common::{LAMP, WRONG};

fn open(text: &str) -> Client {
    let mut client = Client::start();
    client.open(URI, text);
    client
}

/// The place of a part of a text, where `$0` stands.
#[track_caller]
fn place(text: &str, around: &str) -> (u64, u64) {
    let plain = around.replacen("$0", "", 1);
    let at = text.find(&plain).unwrap_or_else(|| panic!("no {plain}"));
    place_of(text, at + around.find("$0").expect("a cursor"))
}

fn document() -> Value {
    json!({ "textDocument": { "uri": URI } })
}

#[test]
fn problems_come_with_their_remedies_as_fixes() {
    let mut client = open(WRONG);
    let problems = client.problems(URI, 1, |_, _| {});
    let problem = &problems[0];
    assert_eq!(problem["code"], "SW0101");
    assert_eq!(problem["severity"], 1);
    let message = problem["message"].as_str().unwrap();
    assert!(
        message.contains("no state named `bb`") && message.contains("did you mean `b`?"),
        "{message}"
    );
    let params = json!({ "textDocument": { "uri": URI }, "range": problem["range"],
        "context": { "diagnostics": [problem] } });
    let fixes = client
        .request("textDocument/codeAction", params.clone())
        .unwrap();
    assert_eq!(fixes[0]["title"], "Write `b`");
    assert_eq!(fixes[0]["kind"], "quickfix");
    assert_eq!(fixes[0]["diagnostics"][0], *problem);
    let mended = edited(WRONG, &fixes[0]["edit"]["changes"][URI]);
    assert_eq!(mended, WRONG.replace("\"bb\"", "\"b\""));
    client.change(URI, 2, json!([{ "text": mended }]));
    assert_eq!(client.problems(URI, 2, |_, _| {}), json!([]));
    let mut other = params;
    other["context"]["only"] = json!(["refactor"]);
    assert_eq!(
        client.request("textDocument/codeAction", other).unwrap(),
        json!([])
    );
    assert_eq!(client.end(), 0);
}

#[test]
fn names_and_fields_are_completed() {
    let mut client = open(LAMP);
    let offered = client.at(
        "textDocument/completion",
        place(LAMP, r#""to": "bro$0ken""#),
    );
    let item = &offered["items"][0];
    assert_eq!(
        (&item["label"], &item["textEdit"]["newText"]),
        (&json!("broken"), &json!("\"broken\""))
    );
    let offered = client.at("textDocument/completion", place(LAMP, r#"{ $0"name""#));
    let find = |offered: &Value, label: &str| {
        let items = offered["items"].as_array().unwrap().clone();
        items
            .into_iter()
            .find(|item| item["label"] == label)
            .expect("offered")
    };
    let field = find(&offered, "priority");
    assert_eq!(field["textEdit"]["newText"], "\"priority\": ");
    let can = json!({ "textDocument": { "completion": { "completionItem": { "snippetSupport": true } } } });
    let mut client = Client::with(can);
    client.open(URI, LAMP);
    let offered = client.at("textDocument/completion", place(LAMP, r#"{ $0"name""#));
    let field = find(&offered, "debounce");
    assert_eq!(
        (&field["textEdit"]["newText"], &field["insertTextFormat"]),
        (&json!("\"debounce\": \"$0\""), &json!(2))
    );
}

#[test]
fn hover_definition_references_and_outline() {
    let mut client = open(LAMP);
    let hover = client.at("textDocument/hover", place(LAMP, r#""do": "cou$0nt"#));
    assert_eq!(hover["contents"]["value"], "blackboard key `count: i32`");
    let (line, character) = place(LAMP, r#"$0count +="#);
    let end = json!({ "line": line, "character": character + 5 });
    assert_eq!(
        hover["range"],
        json!({ "start": position((line, character)), "end": end })
    );
    let target = client.at("textDocument/definition", place(LAMP, r#""to": "o$0n""#));
    assert_eq!(target["uri"], URI);
    assert_eq!(
        target["range"]["start"],
        position(place(
            LAMP,
            r#""$0on": {
      "entry""#
        ))
    );
    let params = |declaration: bool| {
        json!({ "textDocument": { "uri": URI }, "position": position(place(LAMP, r#""fu$0se": {}"#)),
            "context": { "includeDeclaration": declaration } })
    };
    let all = client
        .request("textDocument/references", params(true))
        .unwrap();
    let uses = client
        .request("textDocument/references", params(false))
        .unwrap();
    assert_eq!(
        (
            all.as_array().unwrap().len(),
            uses.as_array().unwrap().len()
        ),
        (4, 3)
    );
    let outline = client
        .request("textDocument/documentSymbol", document())
        .unwrap();
    let names: Vec<&str> = outline
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["Press", "Break", "count", "fuse", "off", "on", "broken"]
    );
    let nowhere = client.at("textDocument/hover", (0, 0));
    assert_eq!(nowhere, Value::Null);
}

#[test]
fn renaming_keeps_the_machine_and_says_why_not() {
    let mut client = open(LAMP);
    let at = position(place(LAMP, r#""o$0n": {"#));
    let prepared = client.at("textDocument/prepareRename", place(LAMP, r#""o$0n": {"#));
    assert_eq!(prepared["placeholder"], "on");
    let params = json!({ "textDocument": { "uri": URI }, "position": at, "newName": "bright" });
    let change = client.request("textDocument/rename", params).unwrap();
    let renamed = edited(LAMP, &change["changes"][URI]);
    assert!(
        renamed.contains("\"bright\": {\n      \"id\": \""),
        "{renamed}"
    );
    client.change(URI, 2, json!([{ "text": renamed }]));
    assert_eq!(client.problems(URI, 2, |_, _| {}), json!([]));
    client.change(URI, 3, json!([{ "text": LAMP }]));
    let params = json!({ "textDocument": { "uri": URI }, "position": at, "newName": "off" });
    let error = client.request("textDocument/rename", params).unwrap_err();
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("cannot be renamed"),
        "{error}"
    );
    let nothing = json!({ "textDocument": { "uri": URI }, "position": position((0, 0)) });
    let error = client
        .request("textDocument/prepareRename", nothing)
        .unwrap_err();
    assert_eq!(error["message"], "there is no name here");
}

#[test]
fn edits_name_the_version_that_they_are_for() {
    let mut client =
        Client::with(json!({ "workspace": { "workspaceEdit": { "documentChanges": true } } }));
    client.open(URI, LAMP);
    let at = position(place(LAMP, r#""o$0n": {"#));
    let params = json!({ "textDocument": { "uri": URI }, "position": at, "newName": "bright" });
    let change = client.request("textDocument/rename", params).unwrap();
    let changes = &change["documentChanges"][0];
    assert_eq!(changes["textDocument"], json!({ "uri": URI, "version": 1 }));
    assert!(edited(LAMP, &changes["edits"]).contains("bright"));
}

#[test]
fn formatting_and_ticks() {
    let ugly = r#"{"machine":"M","initial":"a","states":{"a":{"transitions":[{"after":"1.5s","to":"a"}]}}}"#;
    let mut client = open(ugly);
    let options = json!({ "tabSize": 2, "insertSpaces": true });
    let params = json!({ "textDocument": { "uri": URI }, "options": options });
    let edits = client.request("textDocument/formatting", params).unwrap();
    assert_eq!(
        edited(ugly, &edits),
        statewright_author::format::format(ugly).unwrap()
    );
    let whole = json!({ "start": position((0, 0)), "end": position((9, 0)) });
    let params = json!({ "textDocument": { "uri": URI }, "range": whole });
    let hints = client.request("textDocument/inlayHint", params).unwrap();
    assert_eq!(hints[0]["label"], "90 ticks");
    assert_eq!(
        hints[0]["position"],
        position(place_of(ugly, ugly.find("1.5s").unwrap() + 5))
    );
}

#[test]
fn places_count_as_the_client_counts() {
    let text =
        "{ /* é\u{1F600} */ \"machine\": \"M\", \"initial\": \"a\", \"states\": { \"a\": {} } }";
    let byte = text.find("\"a\"").unwrap() + 1;
    let mut client = open(text);
    assert_eq!(client.capabilities["positionEncoding"], "utf-16");
    let target = client.at("textDocument/definition", place_of(text, byte));
    let declared = text.rfind("\"a\"").unwrap() + 1;
    assert_eq!(target["range"]["start"], position(place_of(text, declared)));
    let mut client =
        Client::with(json!({ "general": { "positionEncodings": ["utf-16", "utf-8"] } }));
    client.open(URI, text);
    assert_eq!(client.capabilities["positionEncoding"], "utf-8");
    let target = client.at("textDocument/definition", (0, byte as u64));
    assert_eq!(target["range"]["start"], position((0, declared as u64)));
}

#[test]
fn a_closed_document_has_no_problems_and_the_disk_answers() {
    let folder = crate::common::Folder::with_lamp();
    let uri = format!("file://{}", folder.path.join("lamp.sw.json").display());
    let mut client = Client::start();
    let params = json!({ "textDocument": { "uri": uri } });
    let outline = client
        .request("textDocument/documentSymbol", params.clone())
        .unwrap();
    assert_eq!(outline.as_array().unwrap().len(), 7);
    client.open(&uri, WRONG);
    let outline = client
        .request("textDocument/documentSymbol", params.clone())
        .unwrap();
    assert_eq!(outline.as_array().unwrap().len(), 3);
    assert_ne!(client.problems(&uri, 1, |_, _| {}), json!([]));
    client.notify("textDocument/didClose", params.clone());
    let outline = client
        .request("textDocument/documentSymbol", params)
        .unwrap();
    assert_eq!(outline.as_array().unwrap().len(), 7);
    let nowhere = json!({ "textDocument": { "uri": "file:///no/such/file" } });
    let error = client
        .request("textDocument/documentSymbol", nowhere)
        .unwrap_err();
    assert!(
        error["message"].as_str().unwrap().contains("no text of"),
        "{error}"
    );
}

#[test]
fn wrong_questions_get_an_error_and_goodbye_is_heard() {
    let mut client = open(LAMP);
    let code = |error: Value| error["code"].as_i64().unwrap();
    assert_eq!(
        code(
            client
                .request("textDocument/nothing", json!({}))
                .unwrap_err()
        ),
        -32601
    );
    assert_eq!(
        code(
            client
                .request("textDocument/hover", json!({ "x": 1 }))
                .unwrap_err()
        ),
        -32602
    );
    client.notify("textDocument/didChange", json!({ "nonsense": true }));
    client.notify("$/unknown", json!(null));
    client.send(&json!({ "jsonrpc": "2.0", "id": 77, "result": null }));
    client.change("file:///never/opened", 4, json!([{ "text": "x" }]));
    assert!(
        client
            .at("textDocument/hover", place(LAMP, r#""do": "cou$0nt"#))
            .is_object()
    );
    client.request("shutdown", Value::Null).unwrap();
    assert_eq!(
        code(
            client
                .request("textDocument/hover", document())
                .unwrap_err()
        ),
        -32600
    );
    client.notify("exit", Value::Null);
    assert_eq!(client.code(), 0);
    let mut rude = open(LAMP);
    rude.notify("exit", Value::Null);
    assert_eq!(rude.code(), 1);
    let mut gone = open(LAMP);
    assert_eq!(gone.code(), 1);
}
