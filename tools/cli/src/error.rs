//! How a command ends: its outcome and exit code, and errors of the command itself (not of
//! machines).

use std::fmt;
use std::io;
use std::process::ExitCode;

use statewright_files::{FileError, LoadFailure};
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
    pub(crate) fn read(name: &str, error: io::Error) -> Self {
        FileError::read(name, error).into()
    }

    /// The error of writing a file.
    pub(crate) fn write(name: &str, error: io::Error) -> Self {
        FileError::write(name, error).into()
    }
}

impl From<FileError> for CliError {
    fn from(error: FileError) -> Self {
        Self {
            message: error.to_string(),
            help: error.help(),
        }
    }
}

impl From<&LoadFailure> for CliError {
    fn from(failure: &LoadFailure) -> Self {
        Self {
            message: failure.to_string(),
            help: failure.help(),
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
