//! Which files paths of a command line stand for: files themselves, and everything below folders.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::content::{MACHINE_SUFFIX, ROM_EXTENSION, SCXML_EXTENSION, has_extension};
use crate::error::FileError;
use crate::input::Input;

/// Deepest folder that is searched.
const MAX_FOLDER_DEPTH: usize = 64;

/// What a folder stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The machine files in it.
    Machines,
    /// The machine files, the SCXML documents and the ROMs in it.
    Everything,
}

impl Wanted {
    fn takes(self, name: &str) -> bool {
        let is_other = has_extension(name, ROM_EXTENSION) || has_extension(name, SCXML_EXTENSION);
        name.ends_with(MACHINE_SUFFIX) || (self == Self::Everything && is_other)
    }

    /// The names that it takes, in words.
    pub(crate) fn names(self) -> String {
        match self {
            Self::Machines => format!("`*{MACHINE_SUFFIX}`"),
            Self::Everything => {
                format!("`*{MACHINE_SUFFIX}`, `*.{SCXML_EXTENSION}` or `*.{ROM_EXTENSION}`")
            }
        }
    }
}

/// What paths of the command line stand for, and what is wrong with those that stand for nothing. A
/// file is taken once.
pub fn collect(paths: &[PathBuf], wanted: Wanted) -> (Vec<Input>, Vec<FileError>) {
    let (mut inputs, mut errors, mut seen) = (Vec::new(), Vec::new(), HashSet::new());
    for path in paths {
        let found = match expand(path, wanted, &mut errors) {
            Ok(found) => found,
            Err(error) => {
                errors.push(error);
                continue;
            }
        };
        inputs.extend(
            found
                .into_iter()
                .filter(|input| seen.insert(input.path.clone())),
        );
    }
    (inputs, errors)
}

fn expand(
    path: &Path,
    wanted: Wanted,
    errors: &mut Vec<FileError>,
) -> Result<Vec<Input>, FileError> {
    let input = Input::single(path);
    if input.path.is_none() {
        return Ok(vec![input]);
    }
    let found = fs::metadata(path).map_err(|error| FileError::read(input.name(), error))?;
    if !found.is_dir() {
        return Ok(vec![input]);
    }
    let mut files = Vec::new();
    let before = errors.len();
    search(path, wanted, 0, &mut files, errors);
    if files.is_empty() && errors.len() == before {
        return Err(FileError::NothingIn {
            folder: path.to_owned(),
            wanted,
        });
    }
    let below = |file: &PathBuf| {
        file.strip_prefix(path)
            .map_or_else(|_| file.clone(), Path::to_owned)
    };
    Ok(files
        .iter()
        .map(|file| Input {
            path: Some(file.clone()),
            below: below(file),
        })
        .collect())
}

/// What is wanted of a folder and below, sorted. Hidden ones and links to folders are left out; a
/// folder that cannot be read is reported and does not keep the others from being searched.
fn search(
    folder: &Path,
    wanted: Wanted,
    depth: usize,
    files: &mut Vec<PathBuf>,
    errors: &mut Vec<FileError>,
) {
    let entries =
        fs::read_dir(folder).and_then(|entries| entries.collect::<io::Result<Vec<fs::DirEntry>>>());
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(error) => return errors.push(FileError::read(folder.display().to_string(), error)),
    };
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        if name.starts_with('.') {
            continue;
        }
        if is_folder && depth < MAX_FOLDER_DEPTH {
            search(&entry.path(), wanted, depth + 1, files, errors);
        } else if !is_folder && wanted.takes(&name) {
            files.push(entry.path());
        }
    }
}
