//! Snapshots in files.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use statewright_author::names::visible;
use statewright_step::{Command, Session, Step, StepError};

use crate::error::CliError;
use crate::input::read_limited;
use crate::output;

fn told(error: &CliError) -> StepError {
    StepError {
        message: error.message().to_owned(),
        help: error.help_text().map(str::to_owned),
    }
}

/// Keeps the present, in a file if one is named.
pub(crate) fn snapshot(session: &mut Session, file: Option<&Path>) -> Result<(), StepError> {
    match file {
        Some(file) => output::write(file, &session.to_bytes()).map_err(|error| told(&error)),
        None => session.carry_out(&Command::Snapshot(None)).map(|_| ()),
    }
}

/// Goes to what a file keeps.
pub(crate) fn restore(session: &mut Session, file: &Path) -> Result<Arc<Step>, StepError> {
    let bytes = File::open(file).and_then(read_limited);
    let name = visible(&file.display().to_string());
    let bytes = bytes.map_err(|error| {
        let found = CliError::read(&name, &error);
        StepError {
            message: found.message().to_owned(),
            help: Some("`snapshot FILE` makes one".to_owned()),
        }
    })?;
    session.restore_bytes(&bytes).map_err(|error| StepError {
        message: format!("`{name}`: {}", error.message),
        ..error
    })
}
