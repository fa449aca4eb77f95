//! Arguments of the commands for tapes.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use statewright_simulate::Proof;

use super::{seed, threads};

/// How much a tape says of the outcome of ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RecordProof {
    /// Nothing: only checkpoints are compared
    None,
    /// Digests after every tick
    #[default]
    Ticks,
    /// Also every byte of an agent that changed: replay names agent and field
    Bytes,
}

impl From<RecordProof> for Proof {
    fn from(proof: RecordProof) -> Self {
        match proof {
            RecordProof::None => Self::None,
            RecordProof::Ticks => Self::Ticks,
            RecordProof::Bytes => Self::Bytes,
        }
    }
}

/// Arguments of `replay`.
#[derive(Debug, Args)]
#[command(
    after_help = "Everything that `run` recorded happens once more, and what comes of it is compared: digests after every tick, \
every byte at every checkpoint. The first difference is told and ends the replay (exit code 1). Tapes of games have functions that only the \
game has; they are run again by the game itself.\n\nExamples:\n  \
statewright run guard.sw.json --record guard.swtape\n  statewright replay guard.swtape\n  \
statewright replay guard.swtape --from 300 --threads 1 --json"
)]
pub(crate) struct Replay {
    /// The tape, or `-` for standard input
    #[arg(value_name = "TAPE")]
    pub(crate) path: PathBuf,
    /// Begin with the last checkpoint before this tick
    #[arg(long, value_name = "TICK", default_value = "0", value_parser = seed, allow_negative_numbers = true)]
    pub(crate) from: u64,
    /// How many threads work [default: all cores]
    #[arg(long, value_name = "N", value_parser = threads, allow_negative_numbers = true)]
    pub(crate) threads: Option<u16>,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `tape`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  statewright tape info guard.swtape\n  statewright tape diff monday.swtape tuesday.swtape\n  \
statewright tape cut guard.swtape --from 300 --to 360 -o fight.swtape"
)]
pub(crate) struct Tape {
    #[command(subcommand)]
    pub(crate) command: TapeCommand,
}

/// What to do with tapes.
#[derive(Debug, Subcommand)]
pub(crate) enum TapeCommand {
    /// Say what a tape has: machine, ticks, inputs, checkpoints, how it ends
    Info(TapeInfo),
    /// Say where two tapes part: which input, or which agent and field
    Diff(TapeDiff),
    /// Write some ticks of a tape as a tape of its own
    Cut(TapeCut),
}

/// Arguments of `tape info`.
#[derive(Debug, Args)]
pub(crate) struct TapeInfo {
    /// The tape, or `-` for standard input
    #[arg(value_name = "TAPE")]
    pub(crate) path: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `tape diff`.
#[derive(Debug, Args)]
pub(crate) struct TapeDiff {
    /// A tape
    #[arg(value_name = "ONE")]
    pub(crate) one: PathBuf,
    /// Another tape of the same machine
    #[arg(value_name = "TWO")]
    pub(crate) two: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `tape cut`.
#[derive(Debug, Args)]
pub(crate) struct TapeCut {
    /// The tape, or `-` for standard input
    #[arg(value_name = "TAPE")]
    pub(crate) path: PathBuf,
    /// First tick; the part begins with the last checkpoint before it
    #[arg(long, value_name = "TICK", default_value = "0", value_parser = seed, allow_negative_numbers = true)]
    pub(crate) from: u64,
    /// Last tick [default: that of the tape]
    #[arg(long, value_name = "TICK", value_parser = seed, allow_negative_numbers = true)]
    pub(crate) to: Option<u64>,
    /// File to write, `-` for standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Replace a file that exists
    #[arg(long, short)]
    pub(crate) force: bool,
}
