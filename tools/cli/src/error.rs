//! How a command ends: its outcome and exit code, and errors of the command itself (not of
//! machines).

use std::fmt;
use std::io;
use std::process::ExitCode;

use statewright_step::StepError;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// All is well.
    Fine,
    /// Problems were found, or things differ.
    Problems,
    /// The command could not do its work.
    Failed,
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> Self {
        Self::from(match outcome {
            Outcome::Fine => 0,
            Outcome::Problems => 1,
            Outcome::Failed => 2,
        })
    }
}

/// Why a command cannot do its work, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CliError {
    message: String,
    help: Option<String>,
}

impl CliError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            help: None,
        }
    }

    #[must_use]
    pub(crate) fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// What is wrong.
    pub(crate) fn message(&self) -> &str {
        &self.message
    }

    /// What to do about it.
    pub(crate) fn help_text(&self) -> Option<&str> {
        self.help.as_deref()
    }

    /// The error of reading a file.
    pub(crate) fn read(name: &str, error: &io::Error) -> Self {
        let found = Self::new(format!("cannot read `{name}`: {}", reason(error)));
        match error.kind() {
            io::ErrorKind::NotFound => {
                found.help("check the path; `statewright new` makes a first machine file")
            }
            io::ErrorKind::PermissionDenied => found.help("allow your user to read it"),
            io::ErrorKind::IsADirectory => found.help("name a file in it"),
            _ => found,
        }
    }

    /// The error of writing a file.
    pub(crate) fn write(name: &str, error: &io::Error) -> Self {
        let found = Self::new(format!("cannot write `{name}`: {}", reason(error)));
        match error.kind() {
            io::ErrorKind::NotFound => found.help("make its folder first"),
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                found.help("allow your user to write there, or choose another place")
            }
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => {
                found.help("free some space; the old file, if any, is untouched")
            }
            io::ErrorKind::IsADirectory => {
                found.help("a folder is in the way; choose another name")
            }
            _ => found.help("the old file, if any, is untouched"),
        }
    }
}

impl From<&StepError> for CliError {
    fn from(error: &StepError) -> Self {
        Self {
            message: error.message.clone(),
            help: error.help.clone(),
        }
    }
}

impl fmt::Display for CliError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        self.help
            .as_ref()
            .map_or(Ok(()), |help| write!(f, "\n  = help: {help}"))
    }
}

/// Why, in plain words where the system's are not.
fn reason(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "there is no such file or folder".to_owned(),
        io::ErrorKind::PermissionDenied => "no permission".to_owned(),
        io::ErrorKind::IsADirectory => "it is a folder".to_owned(),
        io::ErrorKind::StorageFull => "the disk is full".to_owned(),
        _ => error.to_string(),
    }
}
