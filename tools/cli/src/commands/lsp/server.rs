//! The loop: takes what arrives, keeps the documents, answers.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::sync::mpsc::Receiver;

use lsp_server::{ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::notification::{
    DidChangeTextDocument, DidChangeWatchedFiles, DidCloseTextDocument, DidOpenTextDocument,
    Notification as _, PublishDiagnostics,
};
use lsp_types::{
    CancelParams, DidChangeTextDocumentParams, DidChangeWatchedFilesParams,
    DidCloseTextDocumentParams, DidOpenTextDocumentParams, InitializeParams, NumberOrString,
    PublishDiagnosticsParams,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::json;

use super::Incoming;
use super::checker::{Checked, Checker};
use super::convert;
use super::documents::Documents;
use super::place::Encoding;
use super::published::Published;
use super::texts::name;
use crate::error::Outcome;

/// What the client can do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Client {
    pub(super) encoding: Encoding,
    /// Completions may say where the cursor goes.
    pub(super) takes_snippets: bool,
    /// Edits may say of which version of a document they are.
    pub(super) takes_versions: bool,
    /// It tells about changed files if it is asked to.
    watches_files: bool,
}

impl Client {
    pub(super) fn new(params: &InitializeParams) -> Self {
        let capabilities = serde_json::to_value(&params.capabilities).unwrap_or_default();
        let says = |path: &str| capabilities.pointer(path).cloned().unwrap_or_default();
        let encodings = says("/general/positionEncodings");
        let knows_bytes = encodings
            .as_array()
            .is_some_and(|all| all.iter().any(|one| one == "utf-8"));
        Self {
            encoding: if knows_bytes {
                Encoding::Utf8
            } else {
                Encoding::Utf16
            },
            takes_snippets: says("/textDocument/completion/completionItem/snippetSupport") == true,
            takes_versions: says("/workspace/workspaceEdit/documentChanges") == true,
            watches_files: says("/workspace/didChangeWatchedFiles/dynamicRegistration") == true,
        }
    }
}

/// The state of the server.
pub(super) struct Server {
    pub(super) client: Client,
    pub(super) documents: Documents,
    published: Published,
    out: crossbeam_channel::Sender<Message>,
    checker: Checker,
    is_shut_down: bool,
}

impl Server {
    pub(super) fn new(
        client: Client,
        folders: Vec<PathBuf>,
        out: crossbeam_channel::Sender<Message>,
        checker: Checker,
    ) -> Self {
        Self {
            client,
            documents: Documents::new(folders),
            published: Published::default(),
            out,
            checker,
            is_shut_down: false,
        }
    }

    /// Answers until the client says goodbye or is gone.
    pub(super) fn serve(mut self, incoming: &Receiver<Incoming>) -> Outcome {
        let mut waiting: VecDeque<Incoming> = VecDeque::new();
        self.watch();
        loop {
            match incoming.recv() {
                Ok(first) => waiting.push_back(first),
                Err(_) => return Outcome::Problems,
            }
            waiting.extend(incoming.try_iter());
            while let Some(next) = waiting.pop_front() {
                match next {
                    Incoming::Message(Message::Request(request)) => {
                        self.request(request, &mut waiting)
                    }
                    Incoming::Message(Message::Notification(notification)) => {
                        if notification.method == "exit" {
                            return self.goodbye();
                        }
                        self.notification(notification);
                    }
                    Incoming::Message(Message::Response(_)) => {}
                    Incoming::Checked(checked) => self.checked(&checked),
                    Incoming::End => return self.goodbye(),
                }
                // A question that nobody wants answered any more is found before its turn comes.
                waiting.extend(incoming.try_iter());
            }
        }
    }

    /// As the protocol asks: 0 after `shutdown`, else 1.
    fn goodbye(&self) -> Outcome {
        if self.is_shut_down {
            Outcome::Fine
        } else {
            Outcome::Problems
        }
    }

    fn send(&self, message: impl Into<Message>) {
        // A client that is gone is noticed by the reader.
        _ = self.out.send(message.into());
    }

    fn notify<N: lsp_types::notification::Notification>(&self, params: N::Params)
    where
        N::Params: Serialize,
    {
        self.send(Notification::new(N::METHOD.to_owned(), params));
    }

    fn request(&mut self, request: Request, waiting: &mut VecDeque<Incoming>) {
        let id = request.id.clone();
        let error = |code: ErrorCode, text: &str| {
            Response::new_err(id.clone(), code as i32, text.to_owned())
        };
        if self.is_shut_down {
            return self.send(error(ErrorCode::InvalidRequest, "the server is shut down"));
        }
        if request.method == "shutdown" {
            self.is_shut_down = true;
            return self.send(Response::new_ok(id, ()));
        }
        if is_canceled(&id, waiting) {
            return self.send(error(ErrorCode::RequestCanceled, "canceled"));
        }
        // A mistake of ours must not end the server.
        let answer = catch_unwind(AssertUnwindSafe(|| self.answer(request)));
        let answer =
            answer.unwrap_or_else(|_| error(ErrorCode::InternalError, "a mistake of the server"));
        self.send(answer);
    }

    fn notification(&mut self, notification: Notification) {
        let Notification { method, params } = notification;
        match method.as_str() {
            DidOpenTextDocument::METHOD => {
                if let Some(DidOpenTextDocumentParams { text_document: new }) = read(params) {
                    let name = name(&new.uri);
                    self.documents.open(new.uri, new.version, new.text);
                    self.changed(&name);
                }
            }
            DidChangeTextDocument::METHOD => {
                if let Some(DidChangeTextDocumentParams {
                    text_document: changed,
                    content_changes,
                }) = read(params)
                {
                    let (encoding, name) = (self.client.encoding, name(&changed.uri));
                    self.documents
                        .change(&name, changed.version, content_changes, encoding);
                    self.changed(&name);
                }
            }
            DidCloseTextDocument::METHOD => {
                if let Some(DidCloseTextDocumentParams {
                    text_document: closed,
                }) = read(params)
                {
                    self.close(&name(&closed.uri));
                }
            }
            DidChangeWatchedFiles::METHOD => {
                if let Some(DidChangeWatchedFilesParams { changes }) = read(params) {
                    for file in changes.iter().map(|change| name(&change.uri)) {
                        // Of an open document the editor's text counts.
                        if self.documents.get(&file).is_none() {
                            self.changed(&file);
                        }
                    }
                }
            }
            // Cancellations are looked for when the question's turn comes; the rest is not for us.
            _ => {}
        }
    }

    /// Asks the client to tell when files change that are not open: they may be parts.
    fn watch(&self) {
        if !self.client.watches_files {
            return;
        }
        let params = json!({ "registrations": [{
            "id": "files",
            "method": DidChangeWatchedFiles::METHOD,
            "registerOptions": { "watchers": [{ "globPattern": "**/*.sw.json" }] },
        }] });
        let id = RequestId::from("files".to_owned());
        self.send(Request::new(
            id,
            "client/registerCapability".to_owned(),
            params,
        ));
    }

    /// A text has changed: it is looked at, and whatever uses it as a part.
    fn changed(&mut self, file: &str) {
        self.published.forget_in(file);
        self.check(file);
        for user in self.documents.users(file) {
            self.documents.renew(&user);
            self.check(&user);
        }
    }

    fn close(&mut self, name: &str) {
        let uri = self.documents.uri(name);
        self.documents.close(name);
        let mut files = self.published.close(name);
        files.remove(name);
        // From now on the file on the disk counts. Its problems are shown again if it is a part.
        self.published.forget_in(name);
        if let Some(uri) = uri {
            let none = PublishDiagnosticsParams::new(uri, Vec::new(), None);
            self.notify::<PublishDiagnostics>(none);
        }
        files.iter().for_each(|file| self.publish(file));
        for user in self.documents.users(name) {
            self.documents.renew(&user);
            self.check(&user);
        }
    }

    fn check(&mut self, name: &str) {
        if let Some(document) = self.documents.get(name) {
            let texts = self.documents.texts();
            self.checker.ask(name, document.edition, texts);
        }
    }

    /// Shows problems, unless the text or a part has changed since.
    fn checked(&mut self, checked: &Checked) {
        let Checked {
            name,
            edition,
            analysis,
        } = checked;
        if !self.documents.keep(name, *edition, analysis) {
            return;
        }
        let problems = convert::problems(analysis, &self.documents, self.client.encoding);
        for file in self.published.set(name, problems) {
            self.publish(&file);
        }
    }

    fn publish(&self, file: &str) {
        let Some(uri) = self.documents.uri(file) else {
            return;
        };
        let version = self.documents.get(file).map(|document| document.version);
        let problems = PublishDiagnosticsParams::new(uri, self.published.of(file), version);
        self.notify::<PublishDiagnostics>(problems);
    }
}

fn read<P: DeserializeOwned>(params: serde_json::Value) -> Option<P> {
    serde_json::from_value(params).ok()
}

/// Whether somebody took a question back that is still waiting.
fn is_canceled(id: &RequestId, waiting: &VecDeque<Incoming>) -> bool {
    waiting.iter().any(|message| match message {
        Incoming::Message(Message::Notification(notification))
            if notification.method == "$/cancelRequest" =>
        {
            let params: Option<CancelParams> = read(notification.params.clone());
            params.is_some_and(|params| match params.id {
                NumberOrString::Number(number) => *id == RequestId::from(number),
                NumberOrString::String(text) => *id == RequestId::from(text),
            })
        }
        Incoming::Message(_) | Incoming::Checked(_) | Incoming::End => false,
    })
}
