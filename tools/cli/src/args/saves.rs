//! Arguments of the commands for saves.

use std::ops::RangeInclusive;
use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Arguments of `save`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  statewright run guard.sw.json --agents 100 --save monday.swsave\n  \
statewright save inspect monday.swsave\n  statewright save verify monday.swsave --json\n  \
statewright save migrate monday.swsave guard.sw.json -o tuesday.swsave"
)]
pub(crate) struct Save {
    #[command(subcommand)]
    pub(crate) command: SaveCommand,
}

/// What to do with a save.
#[derive(Debug, Subcommand)]
pub(crate) enum SaveCommand {
    /// Say who is in a save: crowds, machines, agents, blackboards
    Inspect(SaveInspect),
    /// Prove that a save is whole: every checksum, every machine, every agent, every blackboard
    Verify(SaveVerify),
    /// Write a save for another version of a machine, and say what becomes of the agents
    Migrate(SaveMigrate),
}

/// Arguments of `save inspect`.
#[derive(Debug, Args)]
pub(crate) struct SaveInspect {
    /// The save, or `-` for standard input
    #[arg(value_name = "SAVE")]
    pub(crate) path: PathBuf,
    /// Also show these agents with all they are: numbers and ranges with commas between
    #[arg(long = "agent", value_name = "AGENTS", value_delimiter = ',', value_parser = super::places)]
    pub(crate) agents: Vec<RangeInclusive<u32>>,
    /// Of this crowd only
    #[arg(long, value_name = "NAME")]
    pub(crate) crowd: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `save verify`.
#[derive(Debug, Args)]
#[command(
    after_help = "Blackboards of types that a game wrote by hand can only be read by that game: they are named, not proved."
)]
pub(crate) struct SaveVerify {
    /// The save, or `-` for standard input
    #[arg(value_name = "SAVE")]
    pub(crate) path: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `save migrate`.
#[derive(Debug, Args)]
#[command(
    after_help = "Agents are mapped as a reload maps them; blackboards with the keys of the machine go by name and type. \
Types of a game's own are left alone: the game loads them by name and type itself."
)]
pub(crate) struct SaveMigrate {
    /// The save, or `-` for standard input
    #[arg(value_name = "SAVE")]
    pub(crate) path: PathBuf,
    /// The machine of today: a machine file or a ROM
    #[arg(value_name = "MACHINE")]
    pub(crate) machine: PathBuf,
    /// File to write, `-` for standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Replace a file that exists
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Which crowd [default: all whose machine is an earlier version of this one]
    #[arg(long, value_name = "NAME")]
    pub(crate) crowd: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}
