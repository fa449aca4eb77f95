//! One file per command. Each takes its arguments and the console and ends with an outcome.

mod build;
mod check;
mod completions;
mod diff;
mod docs;
mod draw;
mod dump;
mod explain;
mod export;
mod fmt;
mod import;
mod lsp;
mod man;
mod new;
mod run;
mod save;
mod schema;
mod step;
mod summary;
mod tape;
mod trace;
mod watch;

use statewright_files::Disk;

use crate::args::Command;
use crate::console::Console;
use crate::error::{CliError, Outcome};

/// Runs a command.
pub(crate) fn run(command: Command, console: &Console) -> Result<Outcome, CliError> {
    match command {
        Command::New(args) => new::run(&args, console),
        Command::Check(args) if args.watch => watch::run(&args, console),
        Command::Check(args) => Ok(check::once(&args, console, &Disk)),
        Command::Build(args) => build::run(&args, console),
        Command::Run(args) => run::run(&args, console),
        Command::Dump(args) => dump::run(&args, console),
        Command::Draw(args) => draw::run(&args, console),
        Command::Docs(args) => docs::run(&args, console),
        Command::Step(args) => step::run(&args, console),
        Command::Diff(args) => diff::run(&args, console),
        Command::Fmt(args) => fmt::run(&args, console),
        Command::Import(args) => import::run(&args, console),
        Command::Export(args) => export::run(&args, console),
        Command::Trace(args) => trace::run(&args, console),
        Command::Replay(args) => tape::replay(&args, console),
        Command::Tape(args) => tape::run(&args.command, console),
        Command::Save(args) => save::run(&args.command, console),
        Command::Lsp(_) => lsp::run(console),
        Command::Schema(args) => schema::run(&args, console),
        Command::Explain(args) => explain::run(&args, console),
        Command::Completions(args) => completions::run(&args, console),
        Command::Man(args) => man::run(&args, console),
    }
}
