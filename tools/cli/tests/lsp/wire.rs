//! What is no message gets an error; what cannot even be cut into messages ends the server with a
//! reason.

use serde_json::{Value, json};

use super::client::read;
use crate::common::{Folder, Ran};

fn framed(body: &str) -> String {
    format!("Content-Length: {}\r\n\r\n{body}", body.len())
}

fn run(input: &str) -> Ran {
    Folder::new().run_with(&["lsp"], input.as_bytes())
}

fn initialize() -> String {
    let params = json!({ "processId": null, "rootUri": null, "capabilities": {} });
    let request = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let done = json!({ "jsonrpc": "2.0", "method": "initialized", "params": {} });
    framed(&request.to_string()) + &framed(&done.to_string())
}

fn goodbye() -> String {
    let shutdown = json!({ "jsonrpc": "2.0", "id": 2, "method": "shutdown" });
    let exit = json!({ "jsonrpc": "2.0", "method": "exit" });
    framed(&shutdown.to_string()) + &framed(&exit.to_string())
}

/// The error that a body gets before and after the greeting; all else must go on as ever.
#[track_caller]
fn check_refusal(body: &str, id: &Value, code: i64) {
    for input in [
        framed(body) + &initialize() + &goodbye(),
        initialize() + &framed(body) + &goodbye(),
    ] {
        let ran = run(&input).code(0);
        let mut output = ran.bytes.as_slice();
        let answers: Vec<Value> = std::iter::from_fn(|| read(&mut output)).collect();
        let refused = answers.iter().filter(|answer| answer["error"].is_object());
        let refused: Vec<&Value> = refused.collect();
        assert_eq!(refused.len(), 1, "`{body}`: {answers:?}");
        let error = &refused[0]["error"];
        assert_eq!((&refused[0]["id"], &error["code"]), (id, &json!(code)));
        assert!(error["message"].is_string());
        assert_eq!(answers.len(), 3, "`{body}`: {answers:?}");
    }
}

#[test]
fn what_is_no_message_is_answered_with_an_error() {
    check_refusal("{not json", &Value::Null, -32700);
    check_refusal("", &Value::Null, -32700);
    check_refusal("[1,2,3]", &Value::Null, -32600);
    check_refusal("3", &Value::Null, -32600);
    check_refusal("{}", &Value::Null, -32600);
    check_refusal(r#"{"id":"abc"}"#, &json!("abc"), -32600);
    check_refusal(r#"{"id":7,"method":[]}"#, &json!(7), -32600);
    // The protocol's ids are small numbers and texts.
    check_refusal(r#"{"id":1.5,"method":"shutdown"}"#, &json!(1.5), -32600);
    check_refusal(&"[".repeat(100_000), &Value::Null, -32700);
}

#[test]
fn an_answer_is_never_answered() {
    let answer = framed(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"?"}}"#);
    let ran = run(&(initialize() + &answer + &goodbye())).code(0);
    assert!(!ran.out.contains("error"), "{}", ran.out);
}

#[test]
fn lost_framing_ends_the_server_with_a_reason() {
    for (input, why) in [
        ("Content-Length: 99999999999999\r\n\r\n", "99999999999999"),
        (
            "Content-Length: many\r\n\r\n{}",
            "`Content-Length: many` is no length",
        ),
        ("Content-Type: x\r\n\r\n{}", "without `Content-Length`"),
        ("hello\r\n\r\n", "`hello` is no header"),
        ("Content-Length: 10\r\n\r\n{}", "in the middle of a message"),
        ("Content-Length: 10\r\n", "in the middle of a message"),
        ("Content-Length: 10", "a header that does not end"),
    ] {
        for input in [input.to_owned(), initialize() + input] {
            let ran = run(&input).code(2);
            ran.says("what the editor sends cannot be read").says(why);
        }
    }
}
