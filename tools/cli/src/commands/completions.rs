//! `statewright completions`: scripts for shells.

use clap::CommandFactory;

use crate::args::{Cli, Completions};
use crate::console::Console;
use crate::error::{CliError, Outcome};

pub(crate) fn run(args: &Completions, console: &Console) -> Result<Outcome, CliError> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "statewright", &mut script);
    console.result(script);
    Ok(Outcome::Fine)
}
