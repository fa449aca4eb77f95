//! From an input to a machine that can be shown: a ROM with its sidecar, or a machine file that is
//! compiled first.

use std::fs::File;
use std::path::Path;

use statewright_author::diagnostic::Diagnostics;
use statewright_author::graph::Machine;
use statewright_author::text::read_bytes;
use statewright_compile::{Options, Output, compile_with, describe};
use statewright_import::Format;
use statewright_rom::{OwnedRom, Rom};
use statewright_symbols::SymbolTable;

use crate::console::Console;
use crate::error::{CliError, Outcome};
use crate::input::{Content, Input, SIDECAR_EXTENSION, read_limited};

/// A machine file after the compiler.
pub(crate) struct Compiled {
    /// As it was read, with its text.
    pub(crate) machine: Machine,
    /// What came out.
    pub(crate) output: Option<Output>,
    /// What is wrong.
    pub(crate) diagnostics: Diagnostics,
}

/// Reads and compiles the bytes of a machine file, or of a chart of another tool if its name says
/// so.
pub(crate) fn compile(name: &str, bytes: &[u8], options: &Options) -> Compiled {
    let (machine, found) = match Format::of_name(name) {
        Some(format) => format.read(name, bytes),
        None => read_bytes(name, bytes),
    };
    let (output, diagnostics) = compile_with(&machine, found, options);
    Compiled {
        machine,
        output,
        diagnostics,
    }
}

/// The words for a ROM that was refused.
pub(crate) fn refused(name: &str, error: &statewright_rom::LoadError) -> CliError {
    CliError::new(format!("`{name}` cannot be used: {error}"))
        .help("build it again from its machine file: `statewright build`")
}

/// A ROM and its names.
pub(crate) struct Loaded {
    /// The ROM.
    pub(crate) rom: OwnedRom,
    /// The names, if they are known.
    pub(crate) symbols: Option<SymbolTable>,
}

impl Loaded {
    /// The description, as JSON.
    pub(crate) fn describe(&self) -> serde_json::Value {
        describe::describe(&self.rom.as_rom(), self.symbols.as_ref())
    }
}

/// The machine for those who name none.
#[expect(clippy::expect_used, reason = "a test runs it")]
pub(crate) fn load_sample() -> Loaded {
    let text = include_str!("../../../machines/soldier.sw.json");
    let output = compile("soldier.sw.json", text.as_bytes(), &Options::default()).output;
    let output = output.expect("the sample is right");
    Loaded {
        rom: output.rom,
        symbols: Some(output.symbols),
    }
}

/// Reads a ROM, or compiles a machine. What is wrong with either has been said when this answers
/// with an outcome.
pub(crate) fn load(input: &Input, console: &Console) -> Result<Loaded, Outcome> {
    let content = input.read().map_err(|error| {
        console.error(&error);
        Outcome::Failed
    })?;
    load_content(input, content, console)
}

/// The same with what was read already.
pub(crate) fn load_content(
    input: &Input,
    content: Content,
    console: &Console,
) -> Result<Loaded, Outcome> {
    let name = input.name();
    let failed = |error: &CliError, outcome| {
        console.error(error);
        outcome
    };
    match content {
        Content::Machine(bytes) => {
            let compiled = compile(&name, &bytes, &Options::default());
            match compiled.output {
                Some(output) => Ok(Loaded {
                    rom: output.rom,
                    symbols: Some(output.symbols),
                }),
                None => {
                    console.problems(&compiled.diagnostics, &compiled.machine.source);
                    Err(failed(
                        &CliError::new(format!("`{name}` does not compile")),
                        Outcome::Problems,
                    ))
                }
            }
        }
        Content::Rom(bytes) => {
            let rom = OwnedRom::from_vec(bytes)
                .map_err(|error| failed(&refused(&name, &error), Outcome::Problems))?;
            let symbols = input
                .path
                .as_ref()
                .and_then(|path| sidecar(path, &rom.as_rom(), console));
            Ok(Loaded { rom, symbols })
        }
    }
}

/// The sidecar beside a ROM, if there is one that belongs to it.
fn sidecar(rom_path: &Path, rom: &Rom<'_>, console: &Console) -> Option<SymbolTable> {
    let path = rom_path.with_extension(SIDECAR_EXTENSION);
    let name = path.display();
    let text = match File::open(&path).and_then(read_limited) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            console.note(format_args!(
                "no sidecar `{name}`, so things are called by number"
            ));
            return None;
        }
        Err(error) => {
            console.warning(format_args!(
                "cannot read sidecar `{name}`: {error}; things are called by number"
            ));
            return None;
        }
    };
    match SymbolTable::from_json(&text) {
        Ok(symbols) if symbols.belongs_to(rom) => Some(symbols),
        Ok(_) => {
            console.warning(format_args!(
                "sidecar `{name}` belongs to another build and is not used; things are called by number"
            ));
            None
        }
        Err(error) => {
            console.warning(format_args!(
                "sidecar `{name}` is not used: {error}; things are called by number"
            ));
            None
        }
    }
}
