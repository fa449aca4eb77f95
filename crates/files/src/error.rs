//! What may be wrong with files, in words and with what to do about it.

use std::path::PathBuf;
use std::{fmt, io};

use crate::content::ROM_EXTENSION;
use crate::find::Wanted;

/// Why a file cannot be read or written. Files are called as the user named them.
#[derive(Debug)]
pub enum FileError {
    /// It cannot be read.
    Read {
        /// The file or folder.
        name: String,
        /// What the system says.
        error: io::Error,
    },
    /// It cannot be written.
    Write {
        /// The file.
        name: String,
        /// What the system says.
        error: io::Error,
    },
    /// A sidecar where a machine should be.
    Sidecar(String),
    /// A trace where a machine should be.
    Trace(String),
    /// A save where a machine should be.
    Save(String),
    /// A tape where a machine should be.
    Tape(String),
    /// More bytes than a machine can have.
    TooLarge {
        /// The file.
        name: String,
        /// How many it may have.
        limit_bytes: usize,
    },
    /// A folder without anything that was looked for.
    NothingIn {
        /// The folder.
        folder: PathBuf,
        /// What was looked for.
        wanted: Wanted,
    },
    /// A device or a pipe where a file should be replaced.
    NotReplaceable(PathBuf),
    /// A file to be written, and its folder, which is not there.
    NoFolder(PathBuf, PathBuf),
    /// The file exists and must not be replaced.
    Exists(PathBuf),
    /// The result would replace what it was made from.
    OwnSource(PathBuf),
}

impl FileError {
    /// Reading failed.
    pub fn read(name: impl Into<String>, error: io::Error) -> Self {
        let name = name.into();
        Self::Read { name, error }
    }

    /// Writing failed.
    pub fn write(name: impl Into<String>, error: io::Error) -> Self {
        let name = name.into();
        Self::Write { name, error }
    }

    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        let help = match self {
            Self::Read { error, .. } => return help_to_read(error).map(str::to_owned),
            Self::Write { error, .. } => help_to_write(error),
            Self::Sidecar(_) => {
                return Some(format!(
                    "name the `*.{ROM_EXTENSION}` beside it; the sidecar is found by itself"
                ));
            }
            Self::Trace(_) => {
                "`statewright trace` shows it; `statewright draw MACHINE --heat TRACE` colors a picture by it"
            }
            Self::Save(_) => {
                "`statewright save inspect` shows it; `statewright run --load SAVE` runs its agents"
            }
            Self::Tape(_) => {
                "`statewright tape info` shows it; `statewright replay TAPE` runs it again"
            }
            Self::TooLarge { .. } => "this is no machine, or it must be split into several",
            Self::NothingIn { .. } => "name the files themselves if they are called differently",
            Self::NotReplaceable(_) => "name an ordinary file, or `-` for standard output",
            Self::NoFolder(_, folder) => {
                return Some(format!(
                    "make the folder first: `mkdir -p {}`",
                    folder.display()
                ));
            }
            Self::Exists(_) => "choose another name with `-o`, or replace it with `--force`",
            Self::OwnSource(_) => "choose another name",
        };
        Some(help.to_owned())
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { name, error } => write!(f, "cannot read `{name}`: {}", reason(error)),
            Self::Write { name, error } => write!(f, "cannot write `{name}`: {}", reason(error)),
            Self::Sidecar(name) => write!(f, "`{name}` is a debug sidecar, not a machine"),
            Self::Trace(name) => write!(f, "`{name}` is a trace, not a machine"),
            Self::Save(name) => write!(f, "`{name}` is a save, not a machine"),
            Self::Tape(name) => write!(f, "`{name}` is a tape, not a machine"),
            Self::TooLarge { name, limit_bytes } => write!(
                f,
                "cannot read `{name}`: it is larger than {} MiB",
                limit_bytes >> 20
            ),
            Self::NothingIn { folder, wanted } => write!(
                f,
                "there are no {} files in folder `{}`",
                wanted.names(),
                folder.display()
            ),
            Self::NotReplaceable(path) => {
                write!(f, "`{}` is not a file that can be replaced", path.display())
            }
            Self::NoFolder(path, folder) => write!(
                f,
                "cannot write `{}`: there is no folder `{}`",
                path.display(),
                folder.display()
            ),
            Self::Exists(path) => write!(f, "`{}` exists already", path.display()),
            Self::OwnSource(path) => write!(
                f,
                "the output would replace its own source `{}`",
                path.display()
            ),
        }
    }
}

impl std::error::Error for FileError {}

fn help_to_read(error: &io::Error) -> Option<&'static str> {
    match error.kind() {
        io::ErrorKind::NotFound => {
            Some("check the path; `statewright new` makes a first machine file")
        }
        io::ErrorKind::PermissionDenied => Some("allow your user to read it"),
        io::ErrorKind::IsADirectory => Some("name a file in it"),
        io::ErrorKind::InvalidInput => Some("name an ordinary file, or `-` for standard input"),
        _ => None,
    }
}

fn help_to_write(error: &io::Error) -> &'static str {
    match error.kind() {
        io::ErrorKind::NotFound => "make its folder first",
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            "allow your user to write there, or choose another place"
        }
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
            "free some space; the old file, if any, is untouched"
        }
        io::ErrorKind::IsADirectory => "a folder is in the way; choose another name",
        _ => "the old file, if any, is untouched",
    }
}

/// Why, in plain words where the system's are not.
pub(crate) fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        io::ErrorKind::PermissionDenied => "no permission".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        _ => error.to_string(),
    }
}
