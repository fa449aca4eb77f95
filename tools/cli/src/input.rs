//! What a command works on: named files, everything below folders, standard input. Nothing here
//! knows what a machine is.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use statewright_author::limits::MAX_TEXT_BYTES;
use statewright_rom::layout::MAGIC;

use crate::error::CliError;

/// How the names of machine files end.
pub(crate) const MACHINE_SUFFIX: &str = ".sw.json";
/// Extension of SCXML documents.
pub(crate) const SCXML_EXTENSION: &str = "scxml";
/// Extension of ROMs.
pub(crate) const ROM_EXTENSION: &str = "swrom";
/// Extension of debug sidecars.
pub(crate) const SIDECAR_EXTENSION: &str = "swdbg";
/// Largest ROM that is read; far above what any machine can need.
const MAX_ROM_BYTES: usize = 256 << 20;
/// Deepest folder that is searched.
const MAX_FOLDER_DEPTH: usize = 64;

/// One thing to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Input {
    /// The file; `None` is standard input.
    pub(crate) path: Option<PathBuf>,
    /// Its path below the folder that was named; its own name if it was named itself.
    pub(crate) below: PathBuf,
}

/// What was read.
pub(crate) enum Content {
    /// Text of a machine, not yet known to be UTF-8.
    Machine(Vec<u8>),
    /// Bytes of a ROM, not yet known to be one.
    Rom(Vec<u8>),
}

impl Input {
    /// One path of the command line; not a folder.
    pub(crate) fn single(path: &Path) -> Self {
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
    pub(crate) fn name(&self) -> String {
        self.path
            .as_ref()
            .map_or_else(|| "<stdin>".to_owned(), |path| path.display().to_string())
    }

    /// Reads it. What starts like a ROM, or is called like one, is one.
    pub(crate) fn read(&self) -> Result<Content, CliError> {
        let name = self.name();
        let is_called = |extension| {
            self.path
                .as_ref()
                .is_some_and(|p| p.extension().is_some_and(|e| e == extension))
        };
        if is_called(SIDECAR_EXTENSION) {
            let text = format!("`{name}` is a debug sidecar, not a machine");
            return Err(CliError::new(text).help(format!(
                "name the `*.{ROM_EXTENSION}` beside it; the sidecar is found by itself"
            )));
        }
        let bytes = match &self.path {
            None => read_limited(io::stdin().lock()),
            Some(path) if path.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
            Some(path) => File::open(path).and_then(read_limited),
        };
        let bytes = bytes.map_err(|error| CliError::read(&name, &error))?;
        if bytes.starts_with(&statewright_trace::file::MAGIC) {
            return Err(CliError::new(format!("`{name}` is a trace, not a machine"))
                .help("`statewright trace` shows it; `statewright draw MACHINE --heat TRACE` colors a picture by it"));
        }
        let is_rom = is_called(ROM_EXTENSION) || bytes.starts_with(&MAGIC);
        let limit = if is_rom {
            MAX_ROM_BYTES
        } else {
            MAX_TEXT_BYTES
        };
        if bytes.len() > limit {
            let text = format!(
                "cannot read `{name}`: it is larger than {} MiB",
                limit >> 20
            );
            return Err(
                CliError::new(text).help("this is no machine, or it must be split into several")
            );
        }
        Ok(if is_rom {
            Content::Rom(bytes)
        } else {
            Content::Machine(bytes)
        })
    }
}

/// All bytes, or one more than is ever allowed.
pub(crate) fn read_limited(from: impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    from.take(MAX_ROM_BYTES as u64 + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// What a folder stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// The machine files in it.
    Machines,
    /// The machine files, the SCXML documents and the ROMs in it.
    Everything,
}

impl Wanted {
    fn takes(self, name: &str) -> bool {
        let ends = |wanted: &str| {
            Path::new(name)
                .extension()
                .is_some_and(|extension| extension == wanted)
        };
        let is_other = ends(ROM_EXTENSION) || ends(SCXML_EXTENSION);
        name.ends_with(MACHINE_SUFFIX) || (self == Self::Everything && is_other)
    }

    fn names(self) -> String {
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
pub(crate) fn collect(paths: &[PathBuf], wanted: Wanted) -> (Vec<Input>, Vec<CliError>) {
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

fn expand(path: &Path, wanted: Wanted, errors: &mut Vec<CliError>) -> Result<Vec<Input>, CliError> {
    let input = Input::single(path);
    if input.path.is_none() {
        return Ok(vec![input]);
    }
    let found = fs::metadata(path).map_err(|error| CliError::read(&input.name(), &error))?;
    if !found.is_dir() {
        return Ok(vec![input]);
    }
    let mut files = Vec::new();
    let before = errors.len();
    search(path, wanted, 0, &mut files, errors);
    if files.is_empty() && errors.len() == before {
        let text = format!(
            "there are no {} files in folder `{}`",
            wanted.names(),
            path.display()
        );
        return Err(
            CliError::new(text).help("name the files themselves if they are called differently")
        );
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
    errors: &mut Vec<CliError>,
) {
    let entries =
        fs::read_dir(folder).and_then(|entries| entries.collect::<io::Result<Vec<fs::DirEntry>>>());
    let mut entries = match entries {
        Ok(entries) => entries,
        Err(error) => return errors.push(CliError::read(&folder.display().to_string(), &error)),
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

/// A path with another extension: of `x.sw.json` both parts are replaced.
pub(crate) fn with_extension(path: &Path, extension: &str) -> PathBuf {
    let name = path
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
        .unwrap_or_default();
    match name.strip_suffix(MACHINE_SUFFIX) {
        Some(stem) if !stem.is_empty() => path.with_file_name(format!("{stem}.{extension}")),
        _ => path.with_extension(extension),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_parts_of_the_suffix_are_replaced() {
        let to_rom = |path| with_extension(Path::new(path), ROM_EXTENSION);
        assert_eq!(to_rom("a/b.sw.json"), Path::new("a/b.swrom"));
        assert_eq!(to_rom("a/b.v2.sw.json"), Path::new("a/b.v2.swrom"));
        assert_eq!(to_rom("b.json"), Path::new("b.swrom"));
        assert_eq!(to_rom("b"), Path::new("b.swrom"));
        assert_eq!(to_rom(".sw.json"), Path::new(".sw.swrom"));
    }
}
