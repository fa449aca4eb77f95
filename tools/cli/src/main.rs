//! The `statewright` command: from machine files to ROMs and back to something people can read.
//!
//! Comes in: arguments, files, standard input. Goes out: text for people on standard error, results
//! on standard output, files, and an exit code: 0 all is well, 1 problems were found, 2 the command
//! could not do its work. All meaning is in the libraries; here are only files, words and the order
//! of things.
#![forbid(unsafe_code)]

mod args;
mod commands;
mod console;
mod error;
mod load;
mod output;
mod progress;
mod stepper;

use std::process::ExitCode;

use clap::Parser;

use args::Cli;
use console::Console;
use error::Outcome;

fn main() -> ExitCode {
    let cli = Cli::parse();
    let console = Console::new(cli.quiet, cli.color);
    let outcome = commands::run(cli.command, &console);
    let outcome = match outcome {
        Ok(outcome) => outcome,
        Err(error) => {
            console.error(&error);
            Outcome::Failed
        }
    };
    match console.lost_output() {
        Some(error) => {
            console.error(&error);
            Outcome::Failed.into()
        }
        None => outcome.into(),
    }
}
