//! The names beside a ROM: `guard.swdbg` of the same build as `guard.swrom`.

use std::fmt;
use std::io;
use std::path::Path;

use statewright_rom::Rom;
use statewright_symbols::SymbolTable;

use crate::content::SIDECAR_EXTENSION;
use crate::input::{open_file, read_limited};

/// What is known of a sidecar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sidecar {
    /// The name in messages.
    pub name: String,
    /// Its text.
    pub text: String,
}

/// Why a ROM is shown without names. It can be used all the same.
#[derive(Debug)]
pub struct SidecarProblem {
    /// The sidecar, as it is called in messages.
    pub name: String,
    /// What is the matter.
    pub reason: SidecarReason,
}

/// What is the matter with a sidecar.
#[derive(Debug)]
pub enum SidecarReason {
    /// There is none: worth a note.
    Missing,
    /// It cannot be read.
    Unreadable(io::Error),
    /// It belongs to another build of the machine.
    OtherBuild,
    /// It is no sidecar.
    Malformed(String),
}

impl fmt::Display for SidecarProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        match &self.reason {
            SidecarReason::Missing => {
                write!(f, "no sidecar `{name}`, so things are called by number")
            }
            SidecarReason::Unreadable(error) => write!(
                f,
                "cannot read sidecar `{name}`: {error}; things are called by number"
            ),
            SidecarReason::OtherBuild => write!(
                f,
                "sidecar `{name}` belongs to another build and is not used; things are called by number"
            ),
            SidecarReason::Malformed(error) => write!(
                f,
                "sidecar `{name}` is not used: {error}; things are called by number"
            ),
        }
    }
}

impl Sidecar {
    /// Reads the one beside a ROM.
    pub fn beside(rom_path: &Path) -> Result<Self, SidecarProblem> {
        let path = rom_path.with_extension(SIDECAR_EXTENSION);
        let name = path.display().to_string();
        match open_file(&path).and_then(read_limited) {
            Ok(bytes) => Ok(Self {
                name,
                text: String::from_utf8_lossy(&bytes).into_owned(),
            }),
            Err(error) => {
                let reason = match error.kind() {
                    io::ErrorKind::NotFound => SidecarReason::Missing,
                    _ => SidecarReason::Unreadable(error),
                };
                Err(SidecarProblem { name, reason })
            }
        }
    }

    /// The names, if they belong to this ROM.
    pub fn symbols(self, rom: &Rom<'_>) -> Result<SymbolTable, SidecarProblem> {
        let reason = match SymbolTable::from_json(&self.text) {
            Ok(symbols) if symbols.belongs_to(rom) => return Ok(symbols),
            Ok(_) => SidecarReason::OtherBuild,
            Err(error) => SidecarReason::Malformed(error.to_string()),
        };
        let name = self.name;
        Err(SidecarProblem { name, reason })
    }
}
