//! `statewright lsp`: the Language Server Protocol on standard input and output, around
//! `statewright-language`.
//!
//! ```text
//! stdin → reader ─┐
//!                 ├→ one queue → Server, the only one that knows documents → writer → stdout
//! checker thread ─┘                 │ the newest text of each document
//!       ↑───────────────────────────┘
//! ```
//!
//! A machine may consist of several files (LANG-5): when the text of a part changes, the documents
//! that use it are looked at again.
//!
//! Questions are answered at once, in their order. Problems are looked for on a thread of their own,
//! in the newest text only; what comes back is shown if the text is still the same.

mod checker;
mod convert;
mod documents;
mod place;
mod published;
mod requests;
mod server;
mod texts;
mod wire;

use std::path::PathBuf;
use std::sync::mpsc;
use std::thread;

use lsp_server::{Connection, Message};
use lsp_types::{InitializeParams, Uri};
use serde_json::json;

use crate::console::Console;
use crate::error::{CliError, Outcome};
use checker::{Checked, Checker};
use server::{Client, Server};
use wire::Wire;

/// What the server waits for.
enum Incoming {
    Message(Message),
    Checked(Checked),
    /// The client is gone.
    End,
}

pub(crate) fn run(_console: &Console) -> Result<Outcome, CliError> {
    let (connection, wire) = Wire::start();
    let lost = |error: &dyn std::fmt::Display| {
        let gone = || CliError::new(format!("the editor is gone: {error}"));
        wire.fault().unwrap_or_else(gone)
    };
    let (id, params) = connection
        .initialize_start()
        .map_err(|error| lost(&error))?;
    let params: InitializeParams = serde_json::from_value(params).map_err(|error| {
        CliError::new(format!(
            "the editor's first request cannot be read: {error}"
        ))
    })?;
    let client = Client::new(&params);
    let answer = json!({
        "capabilities": client.capabilities(),
        "serverInfo": { "name": "statewright", "version": env!("CARGO_PKG_VERSION") },
    });
    connection
        .initialize_finish(id, answer)
        .map_err(|error| lost(&error))?;
    let (sender, incoming) = mpsc::channel();
    let Connection {
        sender: out,
        receiver,
    } = connection;
    let from_client = sender.clone();
    let intake = thread::spawn(move || {
        for message in receiver {
            if from_client.send(Incoming::Message(message)).is_err() {
                return;
            }
        }
        // The server may have ended before.
        _ = from_client.send(Incoming::End);
    });
    let checker = Checker::start(sender);
    let folders = folders(&params);
    let outcome = Server::new(client, folders, out, checker).serve(&incoming);
    drop(incoming);
    let intake = match intake.join() {
        Ok(()) => Outcome::Fine,
        Err(_) => Outcome::Problems,
    };
    Ok(wire.join()?.max(intake).max(outcome))
}

/// The folders that are open in the editor.
fn folders(params: &InitializeParams) -> Vec<PathBuf> {
    #[expect(deprecated, reason = "what older clients say instead of folders")]
    let root = params.root_uri.iter();
    let folders = params.workspace_folders.iter().flatten();
    let folders: Vec<&Uri> = folders.map(|folder| &folder.uri).collect();
    let uris = match folders.is_empty() {
        true => root.collect(),
        false => folders,
    };
    let paths = uris.into_iter().filter_map(|uri| texts::path(uri.as_str()));
    paths
        .map(|path| PathBuf::from(path.trim_end_matches('/')))
        .collect()
}
