//! One thing to read: a named file, or what somebody sends through `-`.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use statewright_author::parts::NOT_A_FILE;

use crate::content::{Content, MAX_ROM_BYTES, refuse_sidecar};
use crate::error::FileError;

/// One thing to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The file; `None` is standard input.
    pub path: Option<PathBuf>,
    /// Its path below the folder that was named; its own name if it was named itself.
    pub below: PathBuf,
}

impl Input {
    /// One path of the command line; not a folder.
    pub fn single(path: &Path) -> Self {
        if path == Path::new("-") {
            return Self {
                path: None,
                below: PathBuf::from("stdin"),
            };
        }
        let below = path
            .file_name()
            .map_or_else(|| path.to_owned(), PathBuf::from);
        Self {
            path: Some(path.to_owned()),
            below,
        }
    }

    /// The name in messages.
    pub fn name(&self) -> String {
        self.path
            .as_ref()
            .map_or_else(|| "<stdin>".to_owned(), |path| path.display().to_string())
    }

    /// Reads it and says what it is. `-` is read from `stdin`.
    pub fn read(&self, stdin: impl Read) -> Result<Content, FileError> {
        let name = self.name();
        refuse_sidecar(&name)?;
        let bytes = match &self.path {
            None => read_limited(stdin),
            Some(path) => open_file(path).and_then(read_limited),
        };
        let bytes = bytes.map_err(|error| FileError::read(&name, error))?;
        Content::new(&name, bytes)
    }
}

/// Opens a file that somebody named. Pipes that a shell hands over (`<(…)`, `/dev/stdin`) have a
/// writer; any other could keep the reader waiting for ever.
pub fn open_file(path: &Path) -> io::Result<File> {
    let from_shell = ["/dev/fd", "/dev/stdin", "/proc/self/fd"];
    match from_shell.iter().any(|place| path.starts_with(place)) {
        true => File::open(path),
        false => open_regular(path),
    }
}

/// Opens an ordinary file, and nothing else: already opening a pipe may wait for ever.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    let found = fs::metadata(path)?;
    if found.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !found.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, NOT_A_FILE));
    }
    File::open(path)
}

/// All bytes, or one more than is ever allowed.
pub fn read_limited(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MAX_ROM_BYTES as u64 + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}
