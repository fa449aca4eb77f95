//! Agents live on in another version of their machine: `cargo xtask reloads` (LOAD-9).

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use clap::Parser;
use statewright_differential::reload::{Tally, run};
use statewright_differential::search::silence_panics;

/// Maps agents of random machines to edited versions, in the kernel's way and in the oracle's.
#[derive(Parser)]
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
    if let Some(seed) = arguments.seed {
        return match run(seed) {
            Ok(tally) => {
                println!("seed {seed}: no difference. {tally:?}");
                ExitCode::SUCCESS
            }
            Err(what) => {
                println!("seed {seed}: {what}");
                ExitCode::FAILURE
            }
        };
    }
    let begun = Instant::now();
    let next = AtomicU64::new(arguments.first);
    let total = Mutex::new(Tally::default());
    let failed = Mutex::new(Vec::new());
    let end = arguments.first + arguments.cases;
    let work = || {
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= end {
                return;
            }
            match run(seed) {
                Ok(tally) => total.lock().expect("no thread panics").add(&tally),
                Err(what) => failed.lock().expect("no thread panics").push((seed, what)),
            }
        }
    };
    let threads = std::thread::available_parallelism().map_or(2, usize::from);
    std::thread::scope(|scope| {
        (0..threads).for_each(|_| _ = scope.spawn(work));
    });
    let total = total.into_inner().expect("no thread panics");
    let mut failed = failed.into_inner().expect("no thread panics");
    failed.sort();
    let seconds = begun.elapsed().as_secs();
    if let Some((seed, what)) = failed.first() {
        println!(
            "{} of {} cases differ; the first is seed {seed}:\n{what}",
            failed.len(),
            arguments.cases
        );
        return ExitCode::FAILURE;
    }
    println!(
        "seeds {}..{end}: no difference. {total:?}, {seconds} s",
        arguments.first
    );
    ExitCode::SUCCESS
}
