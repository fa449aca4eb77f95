//! `cargo xtask …`: the commands of the project, the same for people and for CI.

mod ahead;
mod bench;
mod engines;
mod features;
mod needs;
mod prove;
mod repository;
mod skirmish;
mod steps;
mod symbols;
mod test;
mod tidy;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// The commands of the project.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Everything that must hold before a change lands: formatting, lints, tests, documentation,
    /// builds without std, proofs. Installs nothing unless told to: what needs a missing program or
    /// target is left out aloud.
    Test {
        /// Only the step of this name, or those whose names contain it.
        #[arg(long, value_name = "NAME")]
        only: Option<String>,
        /// List the steps and what each is for, run nothing.
        #[arg(long)]
        list: bool,
        /// Also what takes too long for CI.
        #[arg(long)]
        long: bool,
        /// Install missing targets and programs (so does CI=true in the environment).
        #[arg(long)]
        install: bool,
    },
    /// Names of rules, files, crates and steps in docs and code fit together (a step of `test`).
    Tidy,
    /// Rewrites every committed expectation (rendered messages, golden ROMs, schemas) for review
    /// with `git diff`.
    Bless,
    /// Kernel against reference interpreter over many random machines; `--seed N` shows one again.
    #[command(disable_help_flag = true)]
    Prove {
        /// Passed on; try `cargo xtask prove --help`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Each mistake of `proof/mistakes` in a copy of the kernel must be seen; names run these alone,
    /// `--fixtures` shows which cases see one.
    #[command(disable_help_flag = true)]
    Mistakes {
        /// Passed on; try `cargo xtask mistakes --help`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Agents of random machines live on in edited versions of them, in the kernel's way and in the
    /// oracle's (LOAD-9); `--seed N` runs one again.
    #[command(disable_help_flag = true)]
    Reloads {
        /// Passed on; try `cargo xtask reloads --help`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Sleeping, threads and rollback change no byte of a crowd; `--seed N` runs one machine again.
    #[command(disable_help_flag = true)]
    Crowds {
        /// Passed on; try `cargo xtask crowds --help`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Recorded crowds are run again from every checkpoint, and a changed bit of an input is found by
    /// tick, agent and field.
    #[command(disable_help_flag = true)]
    Tapes {
        /// Passed on; try `cargo xtask tapes --help`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// Random SCXML documents, imported and by the letter of the recommendation; `--export` takes
    /// each there and back first, `--first N --documents 1` runs one again.
    #[command(disable_help_flag = true)]
    Charts {
        /// Passed on; try `cargo xtask charts --help`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
    /// The skirmish of `engines/bevy/skirmish`, agents in Bevy, in a window. Its build takes long the first time, and no
    /// other command does it.
    Skirmish {
        /// A picture of it as PNG instead, rendered in software and without a window.
        #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = skirmish::PICTURE)]
        screenshot: Option<PathBuf>,
        /// Install the driver for that if it is missing (so does CI=true in the environment).
        #[arg(long)]
        install: bool,
    },
    /// What kernel, commands and crowds cost beside hand-written machines, a peer and plain memory;
    /// `--commands`, `--crowd`, `--tape` and `--rollback` for these alone, `--compile` for the compiler and the loader,
    /// `--symbols` for what is compiled once and what per host.
    #[command(disable_help_flag = true)]
    Bench {
        /// Passed on; try `cargo xtask bench --help`.
        #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
        arguments: Vec<String>,
    },
}

fn main() -> ExitCode {
    let done = match Arguments::parse().command {
        Command::Test {
            only,
            list,
            long,
            install,
        } => test::test(&test::Wish {
            only,
            list,
            long,
            install,
        }),
        Command::Tidy => tidy::tidy(),
        Command::Bless => test::bless(),
        Command::Prove { arguments } => prove::prove(&arguments),
        Command::Mistakes { arguments } => prove::mistakes(&arguments),
        Command::Crowds { arguments } => prove::crowds(&arguments),
        Command::Tapes { arguments } => prove::tapes(&arguments),
        Command::Reloads { arguments } => prove::reloads(&arguments),
        Command::Charts { arguments } => prove::charts(&arguments),
        Command::Skirmish {
            screenshot,
            install,
        } => skirmish::skirmish(screenshot.as_deref(), install),
        Command::Bench { arguments } => bench::bench(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}
