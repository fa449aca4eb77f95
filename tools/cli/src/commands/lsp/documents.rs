//! The documents that are open, each with its newest text, and the files behind the others.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use lsp_types::{TextDocumentContentChangeEvent, Uri};
use statewright_language::{Analysis, Files};

use super::place::{Encoding, Lines};

/// Largest file that is read from a disk; the reader refuses larger ones anyway.
const MOST_BYTES: u64 = 64 << 20;

/// An open document.
#[derive(Debug)]
pub(super) struct Document {
    pub(super) uri: Uri,
    pub(super) version: i32,
    pub(super) text: Arc<str>,
    pub(super) lines: Lines,
    /// Of this text, once somebody asked.
    analysis: Option<Arc<Analysis>>,
}

impl Document {
    /// Everything known about the text.
    pub(super) fn analysis(&mut self) -> Arc<Analysis> {
        let (uri, text) = (&self.uri, &self.text);
        let made = self
            .analysis
            .get_or_insert_with(|| Arc::new(Analysis::new(&shown(uri), text)));
        Arc::clone(made)
    }

    fn set(&mut self, version: i32, text: String) {
        self.version = version;
        self.lines = Lines::new(&text);
        self.text = text.into();
        self.analysis = None;
    }
}

/// All open documents.
#[derive(Debug, Default)]
pub(super) struct Documents {
    open: BTreeMap<String, Document>,
}

impl Documents {
    pub(super) fn open(&mut self, uri: Uri, version: i32, text: String) {
        let document = Document {
            version,
            lines: Lines::new(&text),
            text: text.into(),
            analysis: None,
            uri: uri.clone(),
        };
        self.open.insert(uri.as_str().to_owned(), document);
    }

    pub(super) fn close(&mut self, uri: &Uri) {
        self.open.remove(uri.as_str());
    }

    /// Takes changes in their order; each refers to the text that the one before left.
    pub(super) fn change(
        &mut self,
        uri: &Uri,
        version: i32,
        changes: Vec<TextDocumentContentChangeEvent>,
        encoding: Encoding,
    ) {
        let Some(document) = self.open.get_mut(uri.as_str()) else {
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
            document.set(version, text);
        }
    }

    pub(super) fn get(&mut self, uri: &Uri) -> Option<&mut Document> {
        self.open.get_mut(uri.as_str())
    }

    /// Keeps what was found out about a text elsewhere, if the document still has that text.
    pub(super) fn keep(&mut self, uri: &Uri, version: i32, analysis: &Arc<Analysis>) -> bool {
        match self.get(uri).filter(|document| document.version == version) {
            Some(document) => {
                document.analysis = Some(Arc::clone(analysis));
                true
            }
            None => false,
        }
    }

    /// A document that is asked about: an open one, or a file as it is on the disk.
    pub(super) fn asked(&mut self, uri: &Uri) -> Option<Asked> {
        if let Some(document) = self.get(uri) {
            return Some(Asked {
                analysis: document.analysis(),
                lines: document.lines.clone(),
                version: Some(document.version),
            });
        }
        let text = self.text(uri.as_str())?;
        Some(Asked {
            analysis: Arc::new(Analysis::new(&shown(uri), &text)),
            lines: Lines::new(&text),
            version: None,
        })
    }
}

/// What a question is about.
pub(super) struct Asked {
    pub(super) analysis: Arc<Analysis>,
    pub(super) lines: Lines,
    /// Of an open document.
    pub(super) version: Option<i32>,
}

impl Files for Documents {
    fn text(&self, name: &str) -> Option<Arc<str>> {
        if let Some(document) = self.open.get(name) {
            return Some(Arc::clone(&document.text));
        }
        let path = path(name)?;
        let is_small =
            std::fs::metadata(&path).is_ok_and(|data| data.is_file() && data.len() <= MOST_BYTES);
        let text = is_small
            .then(|| std::fs::read_to_string(path).ok())
            .flatten()?;
        Some(text.into())
    }
}

/// The path of a `file:` address.
fn path(uri: &str) -> Option<PathBuf> {
    let path = decoded(uri.strip_prefix("file://")?)?;
    // `file:///C:/a` has a slash before the letter of its drive.
    let is_drive = path.as_bytes().get(2) == Some(&b':') && cfg!(windows);
    let path = if is_drive { &path[1..] } else { &path };
    Some(PathBuf::from(path))
}

/// The name of a file as messages show it.
pub(super) fn shown(uri: &Uri) -> String {
    let last = uri.as_str().rsplit('/').next().unwrap_or_default();
    decoded(last).unwrap_or_else(|| last.to_owned())
}

/// A text with bytes for `%20` and the like.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let digits = std::str::from_utf8(rest.get(..2)?).ok()?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        rest = &rest[2..];
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_become_paths() {
        assert_eq!(
            path("file:///a/b%20c.sw.json"),
            Some(PathBuf::from("/a/b c.sw.json"))
        );
        assert_eq!(path("untitled:1"), None);
        assert_eq!(path("file:///a%"), None);
        assert_eq!(path("file:///%ff"), None);
    }

    #[test]
    fn an_open_document_counts_before_the_disk() {
        let mut documents = Documents::default();
        let uri: Uri = "file:///no/such/file.sw.json".parse().unwrap();
        assert_eq!(documents.text(uri.as_str()), None);
        documents.open(uri.clone(), 1, "{}".to_owned());
        assert_eq!(documents.text(uri.as_str()).as_deref(), Some("{}"));
        assert!(documents.asked(&uri).is_some());
        documents.close(&uri);
        assert!(documents.asked(&uri).is_none());
    }
}
