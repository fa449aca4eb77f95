//! Files that are whole or not there: written under a temporary name, then renamed.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use statewright_bytes::file::{Replacement, folder_of};

use crate::error::FileError;
use crate::input::Input;

/// A file that was written under a temporary name. It goes away unless it is put in place.
pub struct Prepared {
    replacement: Replacement,
    target: PathBuf,
}

impl Prepared {
    /// Writes the bytes beside the target, whose folder must exist: one that does not is more often
    /// a slip than meant.
    pub fn new(target: &Path, bytes: &[u8]) -> Result<Self, FileError> {
        let refuse = |error: io::Error| FileError::write(target.display().to_string(), error);
        if target.is_dir() {
            return Err(refuse(io::ErrorKind::IsADirectory.into()));
        }
        // A link stays a link: what it points to is replaced.
        let target = fs::canonicalize(target).unwrap_or_else(|_| target.to_owned());
        if fs::metadata(&target).is_ok_and(|old| !old.is_file()) {
            return Err(FileError::NotReplaceable(target));
        }
        existing_folder(&target)?;
        let replacement = Replacement::new(&target, bytes).map_err(refuse)?;
        Ok(Self {
            replacement,
            target,
        })
    }

    /// Gives it its name.
    pub fn place(self) -> Result<(), FileError> {
        let Self {
            replacement,
            target,
        } = self;
        let refuse = |error: io::Error| FileError::write(target.display().to_string(), error);
        replacement.place().map_err(refuse)
    }
}

/// The folder of a file, which must be there.
fn existing_folder(target: &Path) -> Result<&Path, FileError> {
    let folder = folder_of(target);
    match folder.exists() {
        true => Ok(folder),
        false => Err(FileError::NoFolder(target.to_owned(), folder.to_owned())),
    }
}

/// Makes the folder of a file, and those around it, for whoever was told to write into a folder.
pub fn make_folder_of(target: &Path) -> Result<(), FileError> {
    let made = fs::create_dir_all(folder_of(target));
    made.map_err(|error| FileError::write(target.display().to_string(), error))
}

/// An empty file that grows while the command works; what it had before is gone.
pub fn create(target: &Path) -> Result<File, FileError> {
    existing_folder(target)?;
    File::create(target).map_err(|error| FileError::write(target.display().to_string(), error))
}

/// Refuses a file that exists, unless it may be replaced. `-` is standard output.
pub fn refuse_existing(target: &Path, force: bool) -> Result<(), FileError> {
    if target == Path::new("-") || force || !target.exists() {
        return Ok(());
    }
    Err(FileError::Exists(target.to_owned()))
}

/// Writes one file.
pub fn write(target: &Path, bytes: &[u8]) -> Result<(), FileError> {
    Prepared::new(target, bytes)?.place()
}

/// A result must not replace what it was made from.
pub fn refuse_own_source(target: Option<&Path>, input: &Input) -> Result<(), FileError> {
    match (target, &input.path) {
        (Some(target), Some(source)) if is_same_file(target, source) => {
            Err(FileError::OwnSource(source.clone()))
        }
        _ => Ok(()),
    }
}

/// Whether two names mean one file that exists.
pub fn is_same_file(a: &Path, b: &Path) -> bool {
    let found = |path: &Path| fs::canonicalize(path).ok();
    found(a).is_some_and(|a| Some(a) == found(b))
}
