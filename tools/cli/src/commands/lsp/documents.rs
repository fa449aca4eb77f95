//! The documents that are open, each with its newest text and what is known about it.
//!
//! What is known also follows from the parts that a text uses. So a document is as good as new when
//! one of those files changes: it gets another *edition*, and what was found out about the one
//! before is not shown.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use lsp_types::{TextDocumentContentChangeEvent, Uri};
use statewright_language::{Analysis, Files};

use super::place::{Encoding, Lines};
use super::texts::{Texts, address, name};

/// An open document.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) uri: Uri,
    pub(super) version: i32,
    pub(super) text: Arc<str>,
    pub(super) lines: Lines,
    /// Counts changes of the text and of its parts.
    pub(super) edition: u64,
    /// Of this edition, once somebody asked.
    analysis: Option<Arc<Analysis>>,
    /// The files of its parts, as of the last edition that was looked at.
    parts: BTreeSet<String>,
}

impl Document {
    /// Whether a change of a file could change what is known about this one. Before it was looked
    /// at nobody knows which parts it uses.
    fn depends_on(&self, name: &str) -> bool {
        self.parts.contains(name) || (self.analysis.is_none() && self.text.contains("\"use\""))
    }
}

/// All open documents.
#[derive(Debug, Default)]
pub(super) struct Documents {
    open: BTreeMap<String, Document>,
    texts: Arc<Texts>,
    editions: u64,
}

impl Documents {
    pub(super) fn new(folders: Vec<PathBuf>) -> Self {
        let texts = Texts {
            open: BTreeMap::new(),
            folders,
        };
        Self {
            texts: Arc::new(texts),
            ..Self::default()
        }
    }

    pub(super) fn open(&mut self, uri: Uri, version: i32, text: String) {
        let name = name(&uri);
        let document = Document {
            version,
            lines: Lines::new(&text),
            text: text.into(),
            edition: 0,
            analysis: None,
            parts: BTreeSet::new(),
            uri,
        };
        self.open.insert(name.clone(), document);
        self.renew(&name);
    }

    pub(super) fn close(&mut self, name: &str) {
        self.open.remove(name);
        Arc::make_mut(&mut self.texts).open.remove(name);
    }

    /// Takes changes in their order; each refers to the text that the one before left.
    pub(super) fn change(
        &mut self,
        name: &str,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) {
        let Some(document) = self.open.get_mut(name) else {
            return;
        };
        for change in changes {
            let text = match change.range {
                None => change.text,
                Some(range) => {
                    let mut text = document.text.to_string();
                    let bytes = document.lines.bytes(&text, range, encoding);
                    text.replace_range(bytes, &change.text);
                    text
                }
            };
            document.version = version;
            document.lines = Lines::new(&text);
            document.text = text.into();
        }
        self.renew(name);
    }

    /// Forgets what is known about a document.
    pub(super) fn renew(&mut self, name: &str) {
        let Some(document) = self.open.get_mut(name) else {
            return;
        };
        self.editions += 1;
        document.edition = self.editions;
        document.analysis = None;
        let texts = Arc::make_mut(&mut self.texts);
        texts
            .open
            .insert(name.to_owned(), Arc::clone(&document.text));
    }

    /// The open documents that a change of a file could change.
    pub(super) fn users(&self, file: &str) -> Vec<String> {
        let users = self.open.iter();
        users
            .filter(|(name, document)| *name != file && document.depends_on(file))
            .map(|(name, _)| name.clone())
            .collect()
    }

    pub(super) fn get(&self, name: &str) -> Option<&Document> {
        self.open.get(name)
    }

    /// All texts as they are now.
    pub(super) fn texts(&self) -> Arc<Texts> {
        Arc::clone(&self.texts)
    }

    /// Keeps what was found out about an edition elsewhere, if it is still the newest.
    pub(super) fn keep(&mut self, name: &str, edition: u64, analysis: &Arc<Analysis>) -> bool {
        let document = self.open.get_mut(name);
        let Some(document) = document.filter(|document| document.edition == edition) else {
            return false;
        };
        document.parts = analysis.part_files().map(str::to_owned).collect();
        document.analysis = Some(Arc::clone(analysis));
        true
    }

    /// The address of a file, as the editor has it.
    pub(super) fn uri(&self, name: &str) -> Option<Uri> {
        match self.open.get(name) {
            Some(document) => Some(document.uri.clone()),
            None => address(name),
        }
    }

    /// A document that is asked about: an open one, or a file as it is on the disk.
    pub(super) fn asked(&mut self, name: &str) -> Option<Asked> {
        let uri = self.uri(name)?;
        if let Some(document) = self.open.get(name) {
            let (lines, version) = (document.lines.clone(), Some(document.version));
            let edition = document.edition;
            let analysis = match &document.analysis {
                Some(known) => Arc::clone(known),
                None => Arc::new(Analysis::with(name, &document.text, self.texts.as_ref())),
            };
            self.keep(name, edition, &analysis);
            return Some(Asked {
                uri,
                analysis,
                lines,
                version,
            });
        }
        let text = self.texts.text(name)?;
        Some(Asked {
            uri,
            analysis: Arc::new(Analysis::with(name, &text, self.texts.as_ref())),
            lines: Lines::new(&text),
            version: None,
        })
    }
}

/// What a question is about.
pub(super) struct Asked {
    pub(super) uri: Uri,
    pub(super) analysis: Arc<Analysis>,
    pub(super) lines: Lines,
    /// Of an open document.
    pub(super) version: Option<i32>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_known_as_long_as_it_is_open() {
        let mut documents = Documents::default();
        let uri: Uri = "file:///no/such/file.sw.json".parse().unwrap();
        documents.open(uri, 1, "{}".to_owned());
        let name = "/no/such/file.sw.json";
        assert!(documents.asked(name).is_some());
        documents.close(name);
        assert!(documents.asked(name).is_none());
    }

    #[test]
    fn what_is_known_ends_with_a_change_of_a_part() {
        let mut documents = Documents::default();
        let text =
            r#"{ "machine": "M", "initial": "a", "states": { "a": { "use": "p.sw.json" } } }"#;
        documents.open("file:///x/m.sw.json".parse().unwrap(), 1, text.to_owned());
        documents.open("file:///x/p.sw.json".parse().unwrap(), 1, "{}".to_owned());
        let (user, part) = ("/x/m.sw.json", "/x/p.sw.json");
        assert_eq!(documents.users(part), [user], "not looked at yet");
        let edition = documents.get(user).unwrap().edition;
        let known = documents.asked(user).unwrap().analysis;
        assert_eq!(documents.users(part), [user]);
        assert_eq!(documents.users("/x/other.sw.json"), [""; 0]);
        documents.renew(user);
        assert!(
            !documents.keep(user, edition, &known),
            "of an older edition"
        );
    }
}
