//! All texts by name: those that the editor shows, and the files behind the others. Both threads
//! have one; it is cheap to copy.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lsp_types::Uri;
use statewright_files::{Wanted, collect};
use statewright_language::Files;

/// Largest file that is read from a disk; the reader refuses larger ones anyway.
const MOST_BYTES: u64 = 64 << 20;

/// Texts by name: paths with `/`, or addresses of what is no file.
#[derive(Clone, Debug, Default)]
pub(super) struct Texts {
    pub(super) open: BTreeMap<String, Arc<str>>,
    /// The folders of the editor, in which files are that may use each other.
    pub(super) folders: Vec<PathBuf>,
}

impl Files for Texts {
    fn text(&self, name: &str) -> Option<Arc<str>> {
        if let Some(text) = self.open.get(name) {
            return Some(Arc::clone(text));
        }
        let data = std::fs::metadata(name).ok()?;
        let is_small = data.is_file() && data.len() <= MOST_BYTES;
        let text = is_small
            .then(|| std::fs::read_to_string(name).ok())
            .flatten()?;
        Some(text.into())
    }

    fn exists(&self, name: &str) -> bool {
        self.open.contains_key(name) || Path::new(name).is_file()
    }

    fn machines(&self) -> Vec<String> {
        let (found, _) = collect(&self.folders, Wanted::Machines);
        let found = found.into_iter().filter_map(|input| input.path);
        let mut names: Vec<String> = found
            .filter_map(|path| path.to_str().map(|path| path.replace('\\', "/")))
            .chain(self.open.keys().cloned())
            .collect();
        names.sort();
        names.dedup();
        names
    }
}

/// The name of the text with an address: its path, if it is that of a file.
pub(super) fn name(uri: &Uri) -> String {
    path(uri.as_str()).unwrap_or_else(|| uri.as_str().to_owned())
}

/// The address of a text by its name.
pub(super) fn address(name: &str) -> Option<Uri> {
    let is_path = name.starts_with('/') || name.as_bytes().get(1) == Some(&b':');
    if !is_path {
        return name.parse().ok();
    }
    let mut uri = "file://".to_owned();
    if !name.starts_with('/') {
        uri.push('/');
    }
    for byte in name.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' | b'_' | b'~' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri.parse().ok()
}

/// The path of a `file:` address.
pub(super) fn path(uri: &str) -> Option<String> {
    let path = decoded(uri.strip_prefix("file://")?)?;
    // `file:///C:/a` has a slash before the letter of its drive.
    let is_drive = path.as_bytes().get(2) == Some(&b':') && cfg!(windows);
    Some(if is_drive { path[1..].to_owned() } else { path })
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
    fn addresses_become_paths_and_back() {
        assert_eq!(
            path("file:///a/b%20c.sw.json").as_deref(),
            Some("/a/b c.sw.json")
        );
        assert_eq!(path("untitled:1"), None);
        assert_eq!(path("file:///a%"), None);
        assert_eq!(path("file:///%ff"), None);
        for name in ["/a/b c.sw.json", "/ä/m.sw.json", "untitled:1"] {
            assert_eq!(super::name(&address(name).unwrap()), name);
        }
    }

    #[test]
    fn an_open_text_counts_before_the_disk() {
        let mut texts = Texts::default();
        let name = "/no/such/file.sw.json";
        assert_eq!(texts.text(name), None);
        texts.open.insert(name.to_owned(), "{}".into());
        assert_eq!(texts.text(name).as_deref(), Some("{}"));
        assert_eq!(texts.machines(), [name]);
    }
}
