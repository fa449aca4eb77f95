//! Snapshots in files.

use std::path::Path;
use std::sync::Arc;

use statewright_author::names::visible;
use statewright_files::{FileError, open_file, read_limited, write};
use statewright_step::{Command, Session, Step, StepError};

fn told(error: &FileError) -> StepError {
    StepError {
        message: error.to_string(),
        help: error.help(),
    }
}

/// Keeps the present, in a file if one is named.
pub(crate) fn snapshot(session: &mut Session, file: Option<&Path>) -> Result<(), StepError> {
    match file {
        Some(file) => write(file, &session.to_bytes()).map_err(|error| told(&error)),
        None => session.carry_out(&Command::Snapshot(None)).map(|_| ()),
    }
}

/// Goes to what a file keeps.
pub(crate) fn restore(session: &mut Session, file: &Path) -> Result<Arc<Step>, StepError> {
    let bytes = open_file(file).and_then(read_limited);
    let name = visible(&file.display().to_string());
    let bytes = bytes.map_err(|error| {
        let found = FileError::read(&name, error);
        StepError {
            message: found.to_string(),
            help: Some("`snapshot FILE` makes one".to_owned()),
        }
    })?;
    session.restore_bytes(&bytes).map_err(|error| StepError {
        message: format!("`{name}`: {}", error.message),
        ..error
    })
}
