//! Where results go: to a file, or to standard output.

use std::path::Path;

use statewright_files::write;

use crate::console::Console;
use crate::error::CliError;

/// Writes a result to a file and says so, or to standard output if none or `-` is named.
pub(crate) fn deliver(
    target: Option<&Path>,
    bytes: &[u8],
    console: &Console,
) -> Result<(), CliError> {
    match target.filter(|path| *path != Path::new("-")) {
        None => console.result(bytes),
        Some(path) => {
            write(path, bytes)?;
            console.note(format_args!("wrote {}", path.display()));
        }
    }
    Ok(())
}
