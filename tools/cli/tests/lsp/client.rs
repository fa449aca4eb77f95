//! A client of the protocol: starts the real server and talks to it over its standard input and
//! output. Framing is by hand, so that the server's library is not its own judge.

use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::Folder;

/// Longer than any answer takes on a computer that is busy with other things.
const PATIENCE: Duration = Duration::from_secs(60);

/// The document of most tests.
pub const URI: &str = "file:///tests/machine.sw.json";

/// A running server.
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Notifications that came while something else was waited for.
    notes: VecDeque<Value>,
    next_id: i64,
    /// What the server can do.
    pub capabilities: Value,
}

impl Client {
    /// Starts a server for a client that can do little.
    pub fn start() -> Self {
        Self::with(json!({}))
    }

    /// Starts a server for a client that can do this.
    pub fn with(capabilities: Value) -> Self {
        Self::initialized(
            json!({ "processId": null, "rootUri": null, "capabilities": capabilities }),
        )
    }

    /// Starts a server for a client in which a folder is open.
    pub fn in_folder(uri: &str) -> Self {
        let folders = json!([{ "uri": uri, "name": "folder" }]);
        Self::initialized(
            json!({ "processId": null, "workspaceFolders": folders, "capabilities": {} }),
        )
    }

    fn initialized(params: Value) -> Self {
        let mut client = Self::silent();
        let answer = client.request("initialize", params).unwrap();
        client.capabilities = answer["capabilities"].clone();
        client.notify("initialized", json!({}));
        client
    }

    /// Starts a server that has heard nothing yet.
    pub fn silent() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_statewright"))
            .arg("lsp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()
            .unwrap();
        let input = child.stdin.take();
        let output = child.stdout.take().unwrap();
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            input,
            messages,
            notes: VecDeque::new(),
            next_id: 1,
            capabilities: Value::Null,
        }
    }

    /// Sends a message as it is.
    pub fn send(&mut self, message: &Value) {
        let text = message.to_string();
        let input = self.input.as_mut().expect("open");
        write!(input, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        input.flush().unwrap();
    }

    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }));
    }

    /// Asks without waiting; the number of the question.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        id
    }

    /// The answer to a question, or the error.
    #[track_caller]
    pub fn answer(&mut self, id: i64) -> Result<Value, Value> {
        loop {
            let message = self.next();
            if message["id"] == id {
                return match message.get("error") {
                    Some(error) => Err(error.clone()),
                    None => Ok(message["result"].clone()),
                };
            }
            assert!(
                message["method"].is_string(),
                "an answer to nothing: {message}"
            );
            self.notes.push_back(message);
        }
    }

    /// Asks and waits.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.ask(method, params);
        self.answer(id)
    }

    #[track_caller]
    fn next(&mut self) -> Value {
        match self.messages.recv_timeout(PATIENCE) {
            Ok(message) => message,
            Err(RecvTimeoutError::Timeout) => panic!("no word from the server"),
            Err(RecvTimeoutError::Disconnected) => {
                panic!("the server is gone: {:?}", self.child.try_wait())
            }
        }
    }

    pub fn open(&mut self, uri: &str, text: &str) {
        let document =
            json!({ "uri": uri, "languageId": "statewright", "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    /// Sends changes: whole texts, or with ranges.
    pub fn change(&mut self, uri: &str, version: i64, changes: Value) {
        let params = json!({ "textDocument": { "uri": uri, "version": version }, "contentChanges": changes });
        self.notify("textDocument/didChange", params);
    }

    /// The problems of a document, as soon as those of this version are shown; all that came on the
    /// way are given to `seen` with their version.
    #[track_caller]
    pub fn problems(
        &mut self,
        uri: &str,
        version: i64,
        mut seen: impl FnMut(i64, &Value),
    ) -> Value {
        loop {
            let note = match self.notes.pop_front() {
                Some(note) => note,
                None => self.next(),
            };
            let params = &note["params"];
            if note["method"] != "textDocument/publishDiagnostics" || params["uri"] != uri {
                continue;
            }
            let shown = params["version"].as_i64().expect("a version");
            seen(shown, &params["diagnostics"]);
            if shown == version {
                return params["diagnostics"].clone();
            }
        }
    }

    /// The problems of a document, as soon as they are as wanted. What is said of other documents
    /// meanwhile is kept: files that belong together are told about in any order.
    #[track_caller]
    pub fn problems_until(&mut self, uri: &str, wanted: impl Fn(&Value) -> bool) -> Value {
        let mut others = VecDeque::new();
        let found = loop {
            let note = match self.notes.pop_front() {
                Some(note) => note,
                None => self.next(),
            };
            let params = &note["params"];
            if note["method"] != "textDocument/publishDiagnostics" || params["uri"] != uri {
                others.push_back(note);
            } else if wanted(&params["diagnostics"]) {
                break params["diagnostics"].clone();
            }
        };
        others.append(&mut self.notes);
        self.notes = others;
        found
    }

    /// Asks about a place, which is given as `line:character`.
    #[track_caller]
    pub fn at(&mut self, method: &str, place: (u64, u64)) -> Value {
        let params = json!({ "textDocument": { "uri": URI }, "position": position(place) });
        self.request(method, params).unwrap()
    }

    /// The fastest of a few answers.
    pub fn fastest(&mut self, method: &str, params: &Value) -> Duration {
        let one = |client: &mut Self| {
            let begun = Instant::now();
            _ = client.request(method, params.clone());
            begun.elapsed()
        };
        (0..5).map(|_| one(self)).min().unwrap()
    }

    /// Says goodbye as the protocol wants it; the exit code.
    pub fn end(mut self) -> i32 {
        self.request("shutdown", Value::Null).unwrap();
        self.notify("exit", Value::Null);
        self.code()
    }

    /// Waits for the end of the server.
    pub fn code(&mut self) -> i32 {
        drop(self.input.take());
        self.child.wait().unwrap().code().expect("ended by itself")
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // A test that failed leaves nothing behind.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// A folder with files, and a client that has it open.
pub struct Session {
    pub folder: Folder,
    pub client: Client,
}

impl Session {
    pub fn new(files: &[(&str, &str)]) -> Self {
        let folder = Folder::new();
        for (name, text) in files {
            folder.write(name, text);
        }
        let client = Client::in_folder(&format!("file://{}", folder.path.display()));
        Self { folder, client }
    }

    pub fn uri(&self, file: &str) -> String {
        format!("file://{}/{file}", self.folder.path.display())
    }

    /// Asks about the place of `$0` in a part of a file's text.
    #[track_caller]
    pub fn at(&mut self, method: &str, file: &str, text: &str, around: &str, more: Value) -> Value {
        let plain = around.replacen("$0", "", 1);
        let byte = text.find(&plain).expect(around) + around.find("$0").unwrap();
        let mut params = json!({ "textDocument": { "uri": self.uri(file) },
            "position": position(place_of(text, byte)) });
        for (key, value) in more.as_object().unwrap() {
            params[key] = value.clone();
        }
        self.client.request(method, params).unwrap()
    }
}

/// The next message of the server.
pub fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end() {
            "" => break,
            line => {
                if let Some(number) = line.strip_prefix("Content-Length: ") {
                    length = number.parse().expect("a length");
                }
            }
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).expect("JSON"))
}

pub fn position((line, character): (u64, u64)) -> Value {
    json!({ "line": line, "character": character })
}

/// The place of a byte in a text, as UTF-16 counts it.
pub fn place_of(text: &str, byte: usize) -> (u64, u64) {
    let before = &text[..byte];
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let line = before.matches('\n').count() as u64;
    (line, before[start..].encode_utf16().count() as u64)
}

/// A text after edits of the protocol.
pub fn edited(text: &str, edits: &Value) -> String {
    let byte = |position: &Value| {
        let line = position["line"].as_u64().unwrap() as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let units = position["character"].as_u64().unwrap() as usize;
        let rest: Vec<u16> = text[start..].encode_utf16().take(units).collect();
        start + String::from_utf16(&rest).unwrap().len()
    };
    let mut edits: Vec<(usize, usize, &str)> = edits
        .as_array()
        .unwrap()
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            (
                byte(&range["start"]),
                byte(&range["end"]),
                edit["newText"].as_str().unwrap(),
            )
        })
        .collect();
    edits.sort_by_key(|&(start, end, _)| (start, end));
    let mut out = String::new();
    let mut done = 0;
    for (start, end, new) in edits {
        out += &text[done..start];
        out += new;
        done = end;
    }
    out + &text[done..]
}
