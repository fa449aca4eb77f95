//! Arguments of the commands for tapes.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use statewright_simulate::Proof;

use super::{ThemeChoice, seed, threads};

/// How much a tape says of the outcome of ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum RecordProof {
    /// Nothing: only checkpoints are compared
    None,
    /// Digests after every tick
    #[default]
    Ticks,
    /// Also a hash of every agent that changed: replay names the agent
    Agents,
    /// Also every byte of an agent that changed: replay names agent and field
    Bytes,
}

impl From<RecordProof> for Proof {
    fn from(proof: RecordProof) -> Self {
        match proof {
            RecordProof::None => Self::None,
            RecordProof::Ticks => Self::Ticks,
            RecordProof::Agents => Self::Agents,
            RecordProof::Bytes => Self::Bytes,
        }
    }
}

/// Which crowd of a tape of a world.
#[derive(Debug, Args)]
pub(crate) struct OfCrowd {
    /// The crowd, if the tape is of a world
    #[arg(long, value_name = "NAME")]
    pub(crate) crowd: Option<String>,
}

/// Arguments of `replay`.
#[derive(Debug, Args)]
#[command(
    after_help = "Everything that was recorded happens once more, and what comes of it is compared: digests after every tick, \
every byte at every checkpoint. The first difference is told and ends the replay (exit code 1). A sealed tape says itself what the functions \
of its game said; one that is not is run again by the game itself.\n\nExamples:\n  \
statewright run guard.sw.json --record guard.swtape\n  statewright replay guard.swtape\n  \
statewright replay guard.swtape --from 300 --threads 1 --json"
)]
pub(crate) struct Replay {
    /// The tape, or `-` for standard input
    #[arg(value_name = "TAPE")]
    pub(crate) path: PathBuf,
    #[command(flatten)]
    pub(crate) of: OfCrowd,
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
statewright tape cut guard.swtape --from 300 --to 360 -o fight.swtape\n  \
statewright tape why guard.swtape --agent 7 --tick 312\n  \
statewright tape fork guard.swtape --at 312 --do 'at 312 send Noise to agent 7' -o fork.swtape\n  \
statewright tape shrink guard.swtape --until 'state fight' -o small.swtape\n  \
statewright tape export guard.swtape --format svg -o guard.svg"
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
    /// Say what an agent did in a tick, and why
    Why(TapeWhy),
    /// Run on from a tick with other inputs, and say what differs
    Fork(TapeFork),
    /// Write the smallest tape found that still shows something
    Shrink(TapeShrink),
    /// Write a tape for other tools, or as a picture
    Export(TapeExport),
}

/// Arguments of `tape why`.
#[derive(Debug, Args)]
pub(crate) struct TapeWhy {
    /// The tape, sealed or of `run`; `-` for standard input
    #[arg(value_name = "TAPE")]
    pub(crate) path: PathBuf,
    #[command(flatten)]
    pub(crate) of: OfCrowd,
    /// Index of the agent
    #[arg(long, value_name = "INDEX")]
    pub(crate) agent: u32,
    /// The tick
    #[arg(long, value_name = "TICK", value_parser = seed, allow_negative_numbers = true)]
    pub(crate) tick: u64,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `tape fork`.
#[derive(Debug, Args)]
#[command(
    after_help = "Up to the fork all is as recorded. From there on inputs are left out (`--drop`) and others come (`--do`, lines as in scripts of \
`run`). Answers of functions come from the tape as long as an agent asks what it asked there; from its first other question on they are \
guesses: the last answer of that function to that agent, else that nothing is so.\n\nExamples:\n  \
statewright tape fork town.swtape --at 130 --drop 130:17 -o fork.swtape\n  \
statewright tape fork town.swtape --at 130 --machine guard.sw.json -o fork.swtape\n  \
statewright tape fork town.swtape --at 130 --do 'at 130 send Roar to agent 17' --do 'at 131 set health 3 to agent 17' -o fork.swtape"
)]
pub(crate) struct TapeFork {
    /// The tape, sealed or of `run`; `-` for standard input
    #[arg(value_name = "TAPE")]
    pub(crate) path: PathBuf,
    #[command(flatten)]
    pub(crate) of: OfCrowd,
    /// The tick that the fork begins before
    #[arg(long, value_name = "TICK", value_parser = seed, allow_negative_numbers = true)]
    pub(crate) at: u64,
    /// Last tick [default: that of the tape]
    #[arg(long, value_name = "TICK", value_parser = seed, allow_negative_numbers = true)]
    pub(crate) to: Option<u64>,
    /// Something that happens, as in a script of `run`
    #[arg(long = "do", value_name = "LINE")]
    pub(crate) actions: Vec<String>,
    /// Go on in another version of the machine (*.sw.json, *.swrom), through a reload
    #[arg(long, value_name = "FILE")]
    pub(crate) machine: Option<PathBuf>,
    /// What comes before a tick is left out, for all or for one agent
    #[arg(long, value_name = "TICK[:AGENT]")]
    pub(crate) drop: Vec<String>,
    /// File to write
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Replace a file that exists
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// Arguments of `tape shrink`.
#[derive(Debug, Args)]
#[command(
    after_help = "Conditions: `state NAME` (somebody is in it), `agent INDEX in NAME`, `fault` (an agent is quarantined or its functions panic), \
`difference` (what comes of the tape is not what it says).\n\nExamples:\n  \
statewright tape shrink town.swtape --until 'agent 17 in fight' -o small.swtape\n  \
statewright tape shrink crash.swtape --until fault --before 60 -o small.swtape\n  \
statewright tape shrink guard.swtape --until 'state fight' --fixture fight.txt --machine guard.sw.json -o small.swtape"
)]
pub(crate) struct TapeShrink {
    /// The tape, sealed or of `run`; `-` for standard input
    #[arg(value_name = "TAPE")]
    pub(crate) path: PathBuf,
    #[command(flatten)]
    pub(crate) of: OfCrowd,
    /// What must still be so
    #[arg(long, value_name = "CONDITION")]
    pub(crate) until: String,
    /// Ticks that are kept before it, if there are so many
    #[arg(long, value_name = "TICKS", default_value_t = 0)]
    pub(crate) before: u64,
    /// Also write a test of the agent that shows it, from its first tick on: a fixture
    #[arg(
        long,
        value_name = "FILE",
        requires = "machine",
        conflicts_with = "before"
    )]
    pub(crate) fixture: Option<PathBuf>,
    /// The file that the machine of the tape was made from, for the fixture
    #[arg(long, value_name = "FILE", requires = "fixture")]
    pub(crate) machine: Option<PathBuf>,
    /// File to write
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Replace a file that exists
    #[arg(long, short)]
    pub(crate) force: bool,
    /// Print JSON
    #[arg(long)]
    pub(crate) json: bool,
}

/// What a tape is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TapeFormat {
    /// What agents did, as one JSON document
    Json,
    /// A trace, for `statewright trace`
    Trace,
    /// For <https://ui.perfetto.dev>
    Perfetto,
    /// A picture: where agents were, tick by tick
    Svg,
}

/// Arguments of `tape export`.
#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  statewright tape export town.swtape --format svg -o town.svg\n  \
statewright tape export town.swtape --format svg --fork fork.swtape --agents 17,18 -o both.svg\n  \
statewright tape export town.swtape --format perfetto --from 100 --to 160 -o town.perfetto"
)]
pub(crate) struct TapeExport {
    /// The tape, sealed or of `run`; `-` for standard input
    #[arg(value_name = "TAPE")]
    pub(crate) path: PathBuf,
    #[command(flatten)]
    pub(crate) of: OfCrowd,
    /// As what
    #[arg(long, value_enum, value_name = "FORMAT")]
    pub(crate) format: TapeFormat,
    /// Indices of agents [default: all; of a picture those to whom most happens]
    #[arg(long, value_name = "INDEX", value_delimiter = ',')]
    pub(crate) agents: Vec<u32>,
    /// First tick
    #[arg(long, value_name = "TICK", default_value = "0", value_parser = seed, allow_negative_numbers = true)]
    pub(crate) from: u64,
    /// Last tick [default: that of the tape]
    #[arg(long, value_name = "TICK", value_parser = seed, allow_negative_numbers = true)]
    pub(crate) to: Option<u64>,
    /// A fork of the tape, shown beside it in a picture
    #[arg(long, value_name = "TAPE")]
    pub(crate) fork: Option<PathBuf>,
    /// Colors of a picture
    #[arg(long, value_enum, value_name = "THEME")]
    pub(crate) theme: Option<ThemeChoice>,
    /// File to write, `-` for standard output [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// Replace a file that exists
    #[arg(long, short)]
    pub(crate) force: bool,
}

/// Arguments of `tape info`.
#[derive(Debug, Args)]
pub(crate) struct TapeInfo {
    /// The tape, or `-` for standard input
    #[arg(value_name = "TAPE")]
    pub(crate) path: PathBuf,
    #[command(flatten)]
    pub(crate) of: OfCrowd,
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
    #[command(flatten)]
    pub(crate) of: OfCrowd,
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
    #[command(flatten)]
    pub(crate) of: OfCrowd,
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
