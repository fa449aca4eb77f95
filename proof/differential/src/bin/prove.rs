//! `cargo xtask prove`: kernel against oracle over many machines, or one seed again.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use statewright_differential::report::prove;
use statewright_differential::search::{Total, search, silence_panics};
use statewright_differential::small;
use statewright_differential::{depth, parts, reload};

/// Runs random machines on kernel and oracle and compares them after every tick.
#[derive(Parser)]
#[command(name = "cargo xtask prove", bin_name = "cargo xtask prove")]
struct Arguments {
    /// Run only this seed, and show the first difference with a shrunk machine.
    #[arg(long)]
    seed: Option<u64>,
    /// First seed.
    #[arg(long, default_value_t = 0)]
    first: u64,
    /// How many machines.
    #[arg(long, default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(1..))]
    machines: u64,
    /// Ticks of each machine; 100 if not given, 1000 for a single seed.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    ticks: Option<u64>,
    /// Of a difference say only the seed, without shrinking its machine.
    #[arg(long)]
    brief: bool,
    /// Instead: every machine of up to so many states below the root, every transition.
    #[arg(long, value_name = "STATES", value_parser = clap::value_parser!(u64).range(1..=7))]
    small: Option<u64>,
    /// Instead: so many random parts, each used three times, beside the same states written out.
    #[arg(long, value_name = "PARTS", value_parser = clap::value_parser!(u64).range(1..))]
    parts: Option<u64>,
    /// Instead: agents of so many random machines live on in edited versions (`cargo xtask reloads`).
    #[arg(long, value_name = "CASES", value_parser = clap::value_parser!(u64).range(1..))]
    reloads: Option<u64>,
    /// With all fast paths of the kernel switched off.
    #[arg(long)]
    plain: bool,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    silence_panics();
    if arguments.plain && !switch_fast_paths_off() {
        eprintln!("this build has no toggles: `cargo xtask prove --plain` makes one that has");
        return ExitCode::FAILURE;
    }
    let done = match &arguments {
        Arguments {
            parts: Some(parts), ..
        } => all_parts(*parts, arguments.brief),
        Arguments {
            reloads: Some(cases),
            ..
        } => all_reloads(*cases, arguments.first),
        Arguments {
            seed: Some(seed), ..
        } => one(*seed, arguments.ticks.unwrap_or(1000)),
        Arguments {
            small: Some(states),
            ..
        } => small_scope(*states as usize),
        _ => many(&arguments),
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

/// Whether this build can.
#[cfg(feature = "toggles")]
fn switch_fast_paths_off() -> bool {
    use statewright_kernel::toggles::{Optimization, set};
    Optimization::ALL
        .into_iter()
        .for_each(|optimization| set(optimization, false));
    true
}

#[cfg(not(feature = "toggles"))]
fn switch_fast_paths_off() -> bool {
    false
}

fn one(seed: u64, ticks: u64) -> Result<String, String> {
    let tally = prove(seed, ticks)?;
    let line = format!(
        "seed {seed}: no difference in {} ticks ({} events, {} transitions, {} entries compared)",
        tally.ticks, tally.counters.events, tally.counters.transitions, tally.entries
    );
    with_stack(line, tally.deepest_stack)
}

/// Adds what ticks used of the stack; an error if it is too much.
fn with_stack(line: String, deepest: usize) -> Result<String, String> {
    let line = format!("{line}, deepest stack {deepest} bytes");
    match deepest {
        0 => Err(format!(
            "{line}\nno call of user code was seen: nothing was measured"
        )),
        // Without optimization frames are larger.
        depth::LIMIT.. if !cfg!(debug_assertions) => Err(format!(
            "{line}\na tick must use less than {} bytes of stack",
            depth::LIMIT
        )),
        _ => Ok(line),
    }
}

fn bar(length: u64) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:40} {pos}/{len} machines, {eta} left")
        .expect("a template");
    let bar = ProgressBar::new(length).with_style(style);
    bar.enable_steady_tick(Duration::from_millis(500));
    bar
}

fn many(arguments: &Arguments) -> Result<String, String> {
    let seeds = arguments.first..arguments.first.saturating_add(arguments.machines);
    let ticks = arguments.ticks.unwrap_or(100);
    let start = Instant::now();
    let bar = bar(arguments.machines);
    let result = search(seeds.clone(), ticks, |done| bar.set_position(done));
    bar.finish_and_clear();
    match result {
        Ok(total) => with_stack(
            summary(&seeds, &total, start.elapsed()),
            total.deepest_stack,
        ),
        Err(seed) if arguments.brief => Err(format!("seed {seed} differs")),
        Err(seed) => Err(match prove(seed, ticks) {
            Err(problem) => problem,
            Ok(_) => format!("seed {seed} differed once and not again: that must not be"),
        }),
    }
}

/// LOAD-9.
fn all_reloads(cases: u64, first: u64) -> Result<String, String> {
    let (tally, differing) = reload::search(first..first.saturating_add(cases), true);
    match differing.first() {
        Some((seed, what)) => Err(format!("seed {seed} differs: {what}")),
        None => Ok(format!("{cases} reloads: no difference. {tally:?}")),
    }
}

/// LANG-5.
fn all_parts(parts: u64, brief: bool) -> Result<String, String> {
    let mut lines = 0;
    for seed in 0..parts {
        let compared = parts::compare(seed).map_err(|problem| match brief {
            true => format!("seed {seed} differs"),
            false => format!("seed {seed}: {problem}"),
        })?;
        lines += compared.lines;
    }
    Ok(format!(
        "{parts} parts, each used three times: no difference. {lines} lines compared"
    ))
}

fn summary(seeds: &std::ops::Range<u64>, total: &Total, time: Duration) -> String {
    format!(
        "seeds {}..{}: no difference. {} machines, {} ticks, {} events, {} transitions, {} calls and commands compared, \
         {} clamped ticks, {} fail-safes, {} terminations, {:.0} s",
        seeds.start,
        seeds.end,
        total.machines,
        total.ticks,
        total.events,
        total.transitions,
        total.entries,
        total.clamps,
        total.fail_safes,
        total.terminations,
        time.as_secs_f64()
    )
}

fn small_scope(states: usize) -> Result<String, String> {
    let all: Vec<_> = (1..=states).flat_map(small::all).collect();
    let start = Instant::now();
    let bar = bar(all.len() as u64);
    let (next, deepest) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (moves, transitions) = (AtomicU64::new(0), AtomicU64::new(0));
    let problem = Mutex::new(None::<String>);
    let work = || {
        while let Some((shape, memory)) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            match small::run(shape, *memory) {
                Ok(count) => {
                    moves.fetch_add(count.moves, Ordering::Relaxed);
                    transitions.fetch_add(count.transitions, Ordering::Relaxed);
                    deepest.fetch_max(count.deepest_stack, Ordering::Relaxed);
                }
                Err(text) => {
                    problem
                        .lock()
                        .expect("no thread panics")
                        .get_or_insert(text);
                    return;
                }
            }
            bar.inc(1);
        }
    };
    std::thread::scope(|scope| {
        for _ in 0..std::thread::available_parallelism().map_or(2, usize::from) {
            scope.spawn(work);
        }
    });
    bar.finish_and_clear();
    match problem.into_inner().expect("no thread panics") {
        Some(problem) => Err(problem),
        None => {
            let line = format!(
                "small scope up to {states} states: no difference. {} machines, {} transitions declared, {} carried out, {:.0} s",
                all.len(),
                moves.into_inner(),
                transitions.into_inner(),
                start.elapsed().as_secs_f64()
            );
            with_stack(line, deepest.into_inner())
        }
    }
}
