//! What a file is: a machine in text, a chart of another tool, a ROM, or something else. Names and
//! first bytes decide; no file is touched.

use std::path::{Path, PathBuf};

use statewright_author::limits::MAX_TEXT_BYTES;
pub use statewright_author::text::MACHINE_SUFFIX;
use statewright_rom::layout::FORMAT;
pub use statewright_symbols::SIDECAR_EXTENSION;

use crate::error::FileError;

/// Extension of SCXML documents.
pub const SCXML_EXTENSION: &str = "scxml";
/// Extension of ROMs.
pub const ROM_EXTENSION: &str = "swrom";
/// Largest ROM that is read; far above what any machine can need.
pub(crate) const MAX_ROM_BYTES: usize = 256 << 20;

/// First bytes of saves and tapes. The crates that have them lie above this one: a test compares.
const SAVE_MAGIC: [u8; 4] = *b"SWSV";
/// Those of tapes, of a crowd and of a world.
const TAPE_MAGICS: [[u8; 4]; 2] = [*b"SWTP", *b"SWTW"];

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// Text of a machine or of another tool's chart, not yet known to be UTF-8.
    Machine(Vec<u8>),
    /// Bytes of a ROM, not yet known to be one.
    Rom(Vec<u8>),
}

impl Content {
    /// What starts like a ROM, or is called like one, is one. Sidecars, traces, saves, tapes and
    /// files of absurd size are refused.
    pub fn new(name: &str, bytes: Vec<u8>) -> Result<Self, FileError> {
        refuse_sidecar(name)?;
        if statewright_trace::file::FORMAT.begins(&bytes) {
            return Err(FileError::Trace(name.to_owned()));
        }
        if bytes.starts_with(&SAVE_MAGIC) {
            return Err(FileError::Save(name.to_owned()));
        }
        if TAPE_MAGICS.iter().any(|magic| bytes.starts_with(magic)) {
            return Err(FileError::Tape(name.to_owned()));
        }
        let is_rom = has_extension(name, ROM_EXTENSION) || FORMAT.begins(&bytes);
        let limit_bytes = if is_rom {
            MAX_ROM_BYTES
        } else {
            MAX_TEXT_BYTES
        };
        if bytes.len() > limit_bytes {
            let name = name.to_owned();
            return Err(FileError::TooLarge { name, limit_bytes });
        }
        Ok(if is_rom {
            Self::Rom(bytes)
        } else {
            Self::Machine(bytes)
        })
    }
}

/// A sidecar is never read for itself.
pub(crate) fn refuse_sidecar(name: &str) -> Result<(), FileError> {
    if has_extension(name, SIDECAR_EXTENSION) {
        return Err(FileError::Sidecar(name.to_owned()));
    }
    Ok(())
}

pub(crate) fn has_extension(name: &str, wanted: &str) -> bool {
    let found = Path::new(name).extension();
    found.is_some_and(|extension| extension == wanted)
}

/// A path with another extension: of `x.sw.json` both parts are replaced.
pub fn with_extension(path: &Path, extension: &str) -> PathBuf {
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
