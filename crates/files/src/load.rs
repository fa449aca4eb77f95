//! From a file to a machine that can be run and shown: a ROM with its sidecar, or a machine file that
//! is compiled first.

use std::fmt;
use std::io::Read;

use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::{Machine, Meta};
use statewright_author::parts::{PartFiles, read_bytes};
use statewright_compile::{Options, Output, compile_with};
use statewright_describe::Description;
use statewright_import::Format;
use statewright_rom::OwnedRom;
use statewright_symbols::SymbolTable;

use crate::content::Content;
use crate::error::FileError;
use crate::input::Input;
use crate::parts::Disk;
use crate::sidecar::{Sidecar, SidecarProblem};

/// A machine file after the compiler.
#[derive(Debug)]
pub struct Compiled {
    /// As it was read, with its text.
    pub machine: Machine,
    /// What came out.
    pub output: Option<Output>,
    /// What is wrong.
    pub diagnostics: Diagnostics,
}

/// Reads and compiles the bytes of a machine file, or of a chart of another tool if its name says
/// so. Parts of a machine file (LANG-5) are read by their names.
pub fn compile(name: &str, bytes: &[u8], parts: &dyn PartFiles, options: &Options) -> Compiled {
    let (machine, found) = match Format::of_name(name) {
        Some(format) => format.read(name, bytes),
        None => read_bytes(name, bytes, parts),
    };
    let (output, diagnostics) = compile_with(&machine, found, options);
    Compiled {
        machine,
        output,
        diagnostics,
    }
}

/// A ROM and its names.
#[derive(Debug)]
pub struct Loaded {
    /// The ROM.
    pub rom: OwnedRom,
    /// The names, if they are known.
    pub symbols: Option<SymbolTable>,
    /// Why they are not known, if that is worth a word.
    pub sidecar_problem: Option<SidecarProblem>,
    /// What the machine file says of itself for tools; a ROM has nothing of the kind.
    pub meta: Meta,
}

impl Loaded {
    /// Compiles a machine file, or a chart of another tool if its name says so. Parts are read by
    /// their names.
    pub fn from_machine(
        name: &str,
        bytes: &[u8],
        parts: &dyn PartFiles,
    ) -> Result<Self, LoadFailure> {
        let compiled = compile(name, bytes, parts, &Options::default());
        match compiled.output {
            Some(output) => Ok(Self {
                rom: output.rom,
                symbols: Some(output.symbols),
                sidecar_problem: None,
                meta: compiled.machine.meta,
            }),
            None => Err(LoadFailure::Machine {
                name: name.to_owned(),
                compiled: Box::new(compiled),
            }),
        }
    }

    /// A ROM, with the names of a sidecar that was looked for.
    pub fn from_rom(
        name: &str,
        bytes: Vec<u8>,
        sidecar: Option<Result<Sidecar, SidecarProblem>>,
    ) -> Result<Self, LoadFailure> {
        let rom = OwnedRom::from_vec(bytes).map_err(|error| LoadFailure::Rom {
            name: name.to_owned(),
            error,
        })?;
        let found = sidecar.map(|read| read.and_then(|sidecar| sidecar.symbols(&rom.as_rom())));
        let (symbols, sidecar_problem) = match found {
            None => (None, None),
            Some(Ok(symbols)) => (Some(symbols), None),
            Some(Err(problem)) => (None, Some(problem)),
        };
        Ok(Self {
            rom,
            symbols,
            sidecar_problem,
            meta: None,
        })
    }

    /// The machine, decompiled, and where everything lies.
    pub fn describe(&self) -> Description {
        Description::new(&self.rom.as_rom(), self.symbols.as_ref())
    }

    /// The same with texts that are safe to show.
    pub fn describe_visible(&self) -> Description {
        Description::visible(&self.rom.as_rom(), self.symbols.as_ref())
    }
}

/// Why a file is no machine that can be run.
#[derive(Debug)]
pub enum LoadFailure {
    /// It cannot be read, or is something else.
    File(FileError),
    /// The compiler found errors.
    Machine {
        /// The name in messages.
        name: String,
        /// What was read, and what is wrong with it.
        compiled: Box<Compiled>,
    },
    /// The bytes are no ROM that may be run.
    Rom {
        /// The name in messages.
        name: String,
        /// What is wrong with it.
        error: statewright_rom::LoadError,
    },
}

impl LoadFailure {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::File(error) => error.help(),
            Self::Machine { .. } => None,
            Self::Rom { .. } => {
                Some("build it again from its machine file: `statewright build`".to_owned())
            }
        }
    }
}

impl fmt::Display for LoadFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(error) => error.fmt(f),
            Self::Machine { name, .. } => write!(f, "`{name}` does not compile"),
            Self::Rom { name, error } => write!(f, "`{name}` cannot be used: {error}"),
        }
    }
}

impl std::error::Error for LoadFailure {}

impl From<FileError> for LoadFailure {
    fn from(error: FileError) -> Self {
        Self::File(error)
    }
}

/// Reads a ROM, or compiles a machine. `-` is read from `stdin`.
pub fn load(input: &Input, stdin: impl Read) -> Result<Loaded, LoadFailure> {
    load_content(input, input.read(stdin)?)
}

/// The same with what was read already. The sidecar of a ROM lies beside it.
pub fn load_content(input: &Input, content: Content) -> Result<Loaded, LoadFailure> {
    let name = input.name();
    match content {
        Content::Machine(bytes) => Loaded::from_machine(&name, &bytes, &Disk),
        Content::Rom(bytes) => {
            let sidecar = input.path.as_deref().map(Sidecar::beside);
            Loaded::from_rom(&name, bytes, sidecar)
        }
    }
}
