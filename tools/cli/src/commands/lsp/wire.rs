//! Messages over standard input and output: headers with a length, then that many bytes of JSON.
//!
//! The reader of `lsp-server` ends at the first body that is no message, and allocates whatever a
//! header says. Here such a body is answered with an error and the next one is read. Only when
//! nobody can say any more where the next one begins does reading end, and the reason is kept.

use std::io::{self, BufRead, Read, Write};
use std::sync::{Arc, OnceLock};
use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, bounded};
use lsp_server::{Connection, ErrorCode, Message};
use serde_json::{Value, json};
use statewright_author::limits::MAX_TEXT_BYTES;

use crate::error::{CliError, Outcome};

/// Room for the longest text that is read, with every character escaped by a second one.
const MAX_BODY_BYTES: u64 = 2 * MAX_TEXT_BYTES as u64;

/// Longer than any header of the protocol.
const MAX_HEADER_BYTES: u64 = 4096;

/// The threads that read and write.
pub(super) struct Wire {
    reader: JoinHandle<()>,
    writer: JoinHandle<io::Result<()>>,
    /// Why reading ended. It is there before anybody can notice that it did.
    fault: Arc<OnceLock<String>>,
}

impl Wire {
    /// Begins to read and to write.
    pub(super) fn start() -> (Connection, Self) {
        let (to_server, receiver) = bounded(0);
        let (sender, from_server) = bounded(0);
        let fault = Arc::new(OnceLock::new());
        let found = Arc::clone(&fault);
        let reader = thread::spawn(move || {
            if let Err(why) = read_all(&mut io::stdin().lock(), &to_server) {
                // Nobody else sets it.
                _ = found.set(why);
            }
        });
        let wire = Self {
            reader,
            writer: thread::spawn(move || write_all(&from_server)),
            fault,
        };
        (Connection { sender, receiver }, wire)
    }

    /// What is wrong with the client's messages, if that ended the conversation.
    pub(super) fn fault(&self) -> Option<CliError> {
        let why = self.fault.get()?;
        let text = format!("what the editor sends cannot be read: {why}");
        Some(CliError::new(text))
    }

    /// Waits until everything is written. After `exit` the reader has ended; without it, only the
    /// end of the input ends it.
    pub(super) fn join(self) -> Result<Outcome, CliError> {
        let fault = self.fault();
        match (fault, self.reader.join(), self.writer.join()) {
            (Some(fault), _, _) => Err(fault),
            (None, Ok(()), Ok(Ok(()))) => Ok(Outcome::Fine),
            (None, _, _) => Ok(Outcome::Problems),
        }
    }
}

fn write_all(messages: &Receiver<Message>) -> io::Result<()> {
    // The reader writes, too, so each message locks for itself.
    let mut messages = messages.iter();
    messages.try_for_each(|message| message.write(&mut io::stdout().lock()))
}

/// Reads until `exit`, the end of the input or something after which no message can be found.
fn read_all(input: &mut impl BufRead, messages: &Sender<Message>) -> Result<(), String> {
    while let Some(body) = body(input)? {
        match message(&body) {
            Ok(Some(message)) => {
                let is_exit = matches!(&message, Message::Notification(it) if it.method == "exit");
                if messages.send(message).is_err() || is_exit {
                    break;
                }
            }
            Ok(None) => {}
            Err(refusal) => answer(&refusal),
        }
    }
    Ok(())
}

/// The bytes of the next message; `None` at the end of the input.
fn body(input: &mut impl BufRead) -> Result<Option<Vec<u8>>, String> {
    let Some(length) = length(input)? else {
        return Ok(None);
    };
    if length > MAX_BODY_BYTES {
        return Err(format!(
            "a message of {length} bytes; at most {MAX_BODY_BYTES} are taken"
        ));
    }
    // Memory is taken as bytes arrive, not as they are announced.
    let mut body = Vec::new();
    let read = input.by_ref().take(length).read_to_end(&mut body);
    match read.map_err(|error| error.to_string())? as u64 == length {
        true => Ok(Some(body)),
        false => Err(TOO_SHORT.to_owned()),
    }
}

const TOO_SHORT: &str = "it ends in the middle of a message";

/// Reads the headers of a message, of which only the length matters.
fn length(input: &mut impl BufRead) -> Result<Option<u64>, String> {
    let mut length = None;
    let mut is_first = true;
    while let Some(line) = header(input)? {
        is_first = false;
        if line.is_empty() {
            let length = length.ok_or("a message without `Content-Length`")?;
            return Ok(Some(length));
        }
        let Some((name, value)) = line.split_once(':') else {
            return Err(format!("`{line}` is no header"));
        };
        if name.eq_ignore_ascii_case("Content-Length") {
            let number = value.trim().parse();
            length = Some(number.map_err(|_| format!("`{line}` is no length"))?);
        }
    }
    match is_first {
        true => Ok(None),
        false => Err(TOO_SHORT.to_owned()),
    }
}

/// A line without its end; `None` at the end of the input.
fn header(input: &mut impl BufRead) -> Result<Option<String>, String> {
    let mut line = String::new();
    let read = input.by_ref().take(MAX_HEADER_BYTES).read_line(&mut line);
    match read.map_err(|error| error.to_string())? {
        0 => Ok(None),
        _ if line.ends_with('\n') => Ok(Some(line.trim_end().to_owned())),
        _ => Err("a header that does not end".to_owned()),
    }
}

/// The message that a body is, or the answer that it gets instead.
fn message(body: &[u8]) -> Result<Option<Message>, Value> {
    let value: Value = serde_json::from_slice(body).map_err(|error| {
        let why = format!("the message is not JSON: {error}");
        refusal(Value::Null, ErrorCode::ParseError, &why)
    })?;
    let has = |key: &str| value.get(key).is_some();
    // Answers are never answered, or two sides could go on for ever.
    let is_answer = !has("method") && (has("result") || has("error"));
    let id = value.get("id").cloned();
    match serde_json::from_value(value) {
        // An id of a type that none may have makes a question look like a note.
        Ok(Message::Notification(_)) if id.is_some() => {}
        Ok(message) => return Ok(Some(message)),
        Err(_) if is_answer => return Ok(None),
        Err(_) => {}
    }
    let id = id.filter(|id| id.is_string() || id.is_number());
    let why = "the message is no request, notification or response";
    Err(refusal(
        id.unwrap_or_default(),
        ErrorCode::InvalidRequest,
        why,
    ))
}

/// The types of `lsp-server` know no answer without an id.
fn refusal(id: Value, code: ErrorCode, why: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code as i32, "message": why } })
}

fn answer(refusal: &Value) {
    let text = refusal.to_string();
    let mut out = io::stdout().lock();
    // A client that is gone is noticed when the next message is read.
    _ = write!(out, "Content-Length: {}\r\n\r\n{text}", text.len()).and_then(|()| out.flush());
}
