//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use statewright_bench::contenders::Kind;
use statewright_bench::workload::Workload;
use statewright_kernel::toggles::Optimization;

/// What the kernel costs, beside hand-written machines, a peer and plain memory.
///
/// Without options: one table of times. All contenders of a row run the same events over the same
/// number of agents and take turns round by round; each round is timed with the CPU clock of the
/// thread. A cell is the best and the middle round; a ratio is the middle round of the inbox over
/// the middle round of the other. Before a row is shown, the totals of exit, effect and entry calls
/// of all contenders are compared. Times do not carry over to another machine; ratios and
/// instruction counts nearly do.
#[derive(Debug, Parser)]
#[command(
    name = "bench",
    bin_name = "cargo xtask bench",
    args_conflicts_with_subcommands = true
)]
#[command(after_help = "\
Contenders: inbox, scan, queue: Statewright, by how events come (scan: everybody is run though few get an event). hand64: a match \
written by hand, callbacks inlined, 64 bytes per agent. hand-call: the same with callbacks that are real calls. statig: the crate. \
touch, sweep: plain memory, one line of 64 bytes per agent, written or only read.

`cargo xtask bench --compile` measures the compiler and the loader instead, `--crowd` crowds of agents and worlds of crowds, `--symbols` what of the kernel is compiled once and what \
per host.")]
pub struct Arguments {
    /// Fewer rounds and fewer rows with a million agents: less than a minute.
    #[arg(long)]
    pub quick: bool,

    /// Figures as JSON on standard output.
    #[arg(long, conflicts_with_all = ["gate", "bless", "curves"])]
    pub json: bool,

    /// Instructions per agent and tick, counted with valgrind.
    #[arg(long, conflicts_with_all = ["quick", "gate", "bless", "curves"])]
    pub instructions: bool,

    /// Compares the instruction counts of the kernel with the committed ones; an error if they
    /// differ by more than 5 %.
    #[arg(long, conflicts_with_all = ["quick", "bless", "curves"])]
    pub gate: bool,

    /// Writes the instruction counts as they are now into `tools/bench/gates.json`, for the next
    /// commit.
    #[arg(long, conflicts_with_all = ["quick", "curves"])]
    pub bless: bool,

    /// What commands cost: writing one beside a push to a vector, and handing all over.
    #[arg(long, conflicts_with_all = ["json", "instructions", "gate", "bless", "curves"])]
    pub commands: bool,

    /// Whole machines of games, beside the same behavior written by hand: times, and instructions
    /// where valgrind is installed.
    #[arg(long, conflicts_with_all = ["json", "instructions", "gate", "bless", "commands", "curves"])]
    pub real: bool,

    /// Draws how costs grow with depth, regions, transitions, size and agents into this folder, as
    /// SVG.
    #[arg(long, value_name = "FOLDER")]
    pub curves: Option<PathBuf>,

    /// Leaves a fast path of the kernel out: idlemask, jumps, polling, post or prefetch. May be
    /// given more than once.
    #[arg(long, global = true, value_name = "PATH", value_parser = optimization, conflicts_with_all = ["gate", "bless"])]
    pub without: Vec<Optimization>,

    #[command(subcommand)]
    pub command: Option<Command>,
}

fn optimization(name: &str) -> Result<Optimization, String> {
    let found = Optimization::ALL
        .into_iter()
        .find(|optimization| format!("{optimization:?}").eq_ignore_ascii_case(name));
    found.ok_or_else(|| format!("there are {:?}", Optimization::ALL))
}

#[derive(Debug, Subcommand)]
pub enum Command {
    /// Runs one contender once; what is counted under valgrind.
    #[command(hide = true)]
    Once {
        #[arg(long)]
        contender: Kind,
        #[arg(long)]
        workload: Workload,
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
        agents: u32,
        #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
        ticks: u32,
    },
    /// Runs one contender in all real machines; parts of it are counted under valgrind.
    #[command(hide = true)]
    RealOnce {
        #[arg(long)]
        contender: String,
    },
    /// Prints the real machines with the number of their transitions.
    #[command(hide = true)]
    RealTransitions,
    /// Runs all features once; parts of it are counted under valgrind.
    #[command(hide = true)]
    FeaturesOnce,
}
