//! `statewright schema`: the JSON Schema of machine files, for editors.

use statewright_author::text::{Draft as Version, schema};

use crate::args::{Draft, Schema};
use crate::console::Console;
use crate::error::{CliError, Outcome};

pub(crate) fn run(args: &Schema, console: &Console) -> Result<Outcome, CliError> {
    let version = match args.draft {
        Draft::Draft202012 => Version::Draft202012,
        Draft::Draft07 => Version::Draft07,
    };
    console.json(&schema(version));
    Ok(Outcome::Fine)
}
