//! Agents live on in another version of their machine: `cargo xtask reloads` (LOAD-9).

use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use statewright_differential::reload::{run, search};
use statewright_differential::search::silence_panics;

/// Maps agents of random machines to edited versions, in the kernel's way and in the oracle's.
#[derive(Parser)]
#[command(name = "cargo xtask reloads", bin_name = "cargo xtask reloads")]
struct Arguments {
    /// How many pairs of machines.
    #[arg(long, default_value_t = 2_000)]
    cases: u64,
    /// The first seed.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// Only this one, with what differs.
    #[arg(long)]
    seed: Option<u64>,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    silence_panics();
    let (first, cases) = (arguments.first, arguments.cases);
    let done = match arguments.seed {
        Some(seed) => run(seed)
            .map(|tally| format!("seed {seed}: no difference. {tally:?}"))
            .map_err(|what| format!("seed {seed}: {what}")),
        None => all(first, cases),
    };
    match done {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

/// So many differences are shown.
const SHOWN: usize = 20;

fn all(first: u64, cases: u64) -> Result<String, String> {
    let begun = Instant::now();
    let end = first.saturating_add(cases);
    let (tally, differing) = search(first..end, false);
    let shown = |(seed, what): &(u64, String)| format!("\nseed {seed}: {what}");
    let examples: String = differing.iter().take(SHOWN).map(shown).collect();
    match differing.len() {
        count @ 1.. => Err(format!(
            "{count} of {cases} cases differ; the first:{examples}"
        )),
        0 => Ok(format!(
            "seeds {first}..{end}: no difference. {tally:?}, {} s",
            begun.elapsed().as_secs()
        )),
    }
}
