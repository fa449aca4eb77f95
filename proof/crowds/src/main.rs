//! `cargo xtask crowds`: sleeping, threads, rollback and tapes change no byte of a crowd, and reloads keep what
//! the files say.

mod outside;
mod reloads;
mod rollback;
mod tapes;
mod threads;
mod user;
mod wake;

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use clap::Parser;
use indicatif::{ProgressBar, ProgressStyle};
use statewright_memory::Filling;

/// What a snapshot is restored into is full of 0xA5.
#[global_allocator]
static ALLOCATOR: Filling = Filling;

/// Runs crowds in ways that must not matter, and compares every byte.
#[derive(Parser)]
#[command(name = "cargo xtask crowds", bin_name = "cargo xtask crowds")]
struct Arguments {
    /// Random machines for sleeping.
    #[arg(long, default_value_t = 2000)]
    machines: u64,
    /// Ticks of each [default: 100, and 300 with tapes].
    #[arg(long)]
    ticks: Option<u64>,
    /// Random machines for rollback.
    #[arg(long, default_value_t = 200)]
    rollbacks: u64,
    /// Random pairs of a machine and an edited version, for blackboards, variants and letters.
    #[arg(long, default_value_t = 600)]
    reloads: u64,
    /// Seeds for threads, each with every number of threads and every size of chunks.
    #[arg(long, default_value_t = 20)]
    seeds: u64,
    /// Ticks of each of these.
    #[arg(long, default_value_t = 600)]
    thread_ticks: u64,
    /// Random machines that are recorded and run again.
    #[arg(long, default_value_t = 30)]
    worlds: u64,
    /// Changed bits of inputs that replay has to find.
    #[arg(long, default_value_t = 200)]
    trials: u64,
    /// Only this changed bit.
    #[arg(long, requires = "tapes")]
    trial: Option<u64>,
    /// Runs tapes again in every way from every checkpoint.
    #[arg(long)]
    every_way: bool,
    /// What concerns tapes, instead of all else.
    #[arg(long)]
    tapes: bool,
    /// Run only this seed of sleeping.
    #[arg(long)]
    seed: Option<u64>,
}

/// Ticks of a random machine unless told.
const TICKS: u64 = 100;
/// The same of one that is recorded.
const TAPE_TICKS: u64 = 300;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    user::hush_panics();
    match prove(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::FAILURE
        }
    }
}

fn prove(arguments: &Arguments) -> Result<(), String> {
    if let Some(seed) = arguments.seed {
        let total = wake::run(seed, arguments.ticks.unwrap_or(TICKS))?;
        println!(
            "seed {seed}: no difference, {} transitions",
            total.transitions
        );
        return Ok(());
    }
    if let Some(trial) = arguments.trial {
        println!("trial {trial}: {:?}", localize(trial)?);
        return Ok(());
    }
    if arguments.tapes {
        tapes(arguments)?;
        return changed_bits(arguments);
    }
    sleeping(arguments)?;
    rollbacks(arguments)?;
    reloads(arguments)?;
    threads(arguments)
}

fn reloads(arguments: &Arguments) -> Result<(), String> {
    let start = Instant::now();
    let mut total = reloads::Total::default();
    let all = each("reloads", arguments.reloads, reloads::run)?;
    all.iter().for_each(|part| total.add(part));
    let happened = [
        total.parameters,
        total.values,
        total.defaults,
        total.variants,
        total.letters,
        total.said_anew,
        total.said_completed,
        total.said_kept,
    ];
    if arguments.reloads > 0 && happened.contains(&0) {
        return Err(format!("nothing was proved: {total:?}"));
    }
    println!(
        "reloads: no difference. {total:?}, {:.0} s",
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

/// Does work for each number, on all cores, with a bar. On threads of its own: one of rayon's that waits for a parallel
/// tick begins the next number meanwhile, on the same stack, and so on.
fn each<T: Send>(
    what: &'static str,
    numbers: u64,
    work: impl Fn(u64) -> Result<T, String> + Sync,
) -> Result<Vec<T>, String> {
    let style =
        ProgressStyle::with_template("{msg} {bar:40} {pos}/{len} {eta}").expect("a legal template");
    let bar = ProgressBar::new(numbers)
        .with_style(style)
        .with_message(what);
    let (next, done) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..rayon::current_num_threads() {
            scope.spawn(|| {
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= numbers {
                        break;
                    }
                    let result = work(number);
                    bar.inc(1);
                    done.lock()
                        .expect("nobody panics here")
                        .push((number, result));
                }
            });
        }
    });
    bar.finish_and_clear();
    let mut done = done.into_inner().expect("nobody panics here");
    // The first problem by number, whoever finds it first.
    done.sort_by_key(|(number, _)| *number);
    done.into_iter().map(|(_, result)| result).collect()
}

fn sleeping(arguments: &Arguments) -> Result<(), String> {
    let start = Instant::now();
    let mut total = wake::Total::default();
    for part in each("sleeping", arguments.machines, |seed| {
        wake::run(seed, arguments.ticks.unwrap_or(TICKS))
    })? {
        total.add(&part);
    }
    let wake::Total {
        machines,
        ticks,
        wakeful,
        ran,
        transitions,
        commands,
        panics,
        faults,
        variants,
        past_the_end,
    } = total;
    let happened = [
        transitions,
        commands,
        panics,
        faults,
        variants,
        past_the_end,
    ];
    if ran >= wakeful || happened.contains(&0) {
        return Err(format!(
            "nothing was proved: {ran} of {wakeful} turns; {total:?}"
        ));
    }
    println!(
        "sleeping: no difference. {machines} machines, {ticks} ticks, {transitions} transitions, {commands} commands, {panics} panics, {faults} other faults, {variants} agents with variants, \
         {past_the_end} machines beyond tick 2^32; {ran} turns instead of {wakeful}, {:.0} s",
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

fn rollbacks(arguments: &Arguments) -> Result<(), String> {
    let start = Instant::now();
    let repeated: u64 = each("rollback", arguments.rollbacks, |seed| {
        rollback::run(seed, arguments.ticks.unwrap_or(TICKS))
    })?
    .iter()
    .sum();
    let (runs, seconds) = (arguments.rollbacks, start.elapsed().as_secs_f64());
    println!("rollback: no difference. {runs} runs, {repeated} ticks repeated, {seconds:.0} s");
    rewinds(arguments)
}

fn rewinds(arguments: &Arguments) -> Result<(), String> {
    let start = Instant::now();
    let runs = each("frames", arguments.rollbacks, |seed| {
        rollback::rewind(seed, arguments.ticks.unwrap_or(TICKS))
    })?;
    let sum = |one: fn(&rollback::Rewound) -> u64| runs.iter().map(one).sum::<u64>();
    let (times, ticks) = (sum(|run| run.times), sum(|run| run.ticks));
    if ticks == 0 {
        return Err("nothing was proved: no crowd went back".to_owned());
    }
    let (runs, seconds) = (arguments.rollbacks, start.elapsed().as_secs_f64());
    println!(
        "frames: no difference. {runs} runs went back {times} times, {ticks} ticks in all, {seconds:.0} s"
    );
    Ok(())
}

fn threads(arguments: &Arguments) -> Result<(), String> {
    let start = Instant::now();
    let ways: Vec<(usize, usize)> = threads::THREADS
        .iter()
        .flat_map(|&threads| threads::CHUNKS.map(|chunk| (threads, chunk)))
        .collect();
    let ticks = arguments.thread_ticks;
    let style = ProgressStyle::with_template("threads {bar:40} {pos}/{len} {eta}")
        .expect("a legal template");
    let bar = ProgressBar::new(arguments.seeds * ways.len() as u64).with_style(style);
    let (mut transitions, mut commands) = (0, 0);
    for seed in 0..arguments.seeds {
        let mut expected = None;
        for &(threads, chunk) in &ways {
            let found = threads::run(seed, ticks, threads, chunk)?;
            bar.inc(1);
            let expected = *expected.get_or_insert(found);
            if found != expected {
                return Err(format!(
                    "seed {seed}: {threads} threads and chunks of {chunk} differ from 1 thread and chunks of 1"
                ));
            }
        }
        let (_, made, emitted) = expected.unwrap_or_default();
        (transitions, commands) = (transitions + made, commands + emitted);
    }
    bar.finish_and_clear();
    if transitions == 0 || commands == 0 {
        return Err("nothing was proved: no transitions or no commands".to_owned());
    }
    println!(
        "threads: no difference. {} seeds x {} ways, 10000 agents, {ticks} ticks, {transitions} transitions and {commands} commands each way, {:.0} s",
        arguments.seeds,
        ways.len(),
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

fn tapes(arguments: &Arguments) -> Result<(), String> {
    let start = Instant::now();
    let mut total = tapes::Total::default();
    let all = each("tapes", arguments.worlds, |seed| {
        let ticks = arguments.ticks.unwrap_or(TAPE_TICKS);
        tapes::run(seed, ticks, arguments.every_way)
    })?;
    all.iter().for_each(|part| total.add(part));
    let tapes::Total {
        ticks,
        inputs,
        checkpoints,
        sealed,
        reloads,
        outputs,
    } = total;
    let all = [ticks, inputs, checkpoints, sealed, reloads, outputs];
    if arguments.worlds > 0 && all.contains(&0) {
        return Err(format!("nothing was proved: {total:?}"));
    }
    println!(
        "tapes: no difference. {} worlds from each checkpoint, up to 4 ways; {ticks} ticks ({sealed} without functions) and {inputs} inputs again, {reloads} reloads, {checkpoints} checkpoints and {outputs} commands compared, {:.0} s",
        arguments.worlds,
        start.elapsed().as_secs_f64()
    );
    Ok(())
}

fn localize(trial: u64) -> Result<tapes::Found, String> {
    tapes::localize(trial % 200, trial, 60)
}

fn changed_bits(arguments: &Arguments) -> Result<(), String> {
    let start = Instant::now();
    let found = each("changed bits", arguments.trials, localize)?;
    let count = |is: fn(&tapes::Found) -> bool| found.iter().filter(|found| is(found)).count();
    let agents = count(|found| matches!(found, tapes::Found::At(_, Some(_))));
    let crowds = count(|found| matches!(found, tapes::Found::At(_, None)));
    let nothing = count(|found| *found == tapes::Found::Nothing);
    let refused = count(|found| *found == tapes::Found::Refused);
    if arguments.trials > 0 && agents == 0 {
        return Err("nothing was proved: no changed bit showed".to_owned());
    }
    // Few trials may be unlucky.
    if refused * 4 > found.len() * 3 + 20 {
        return Err(format!(
            "little was proved: {refused} of {} changed bits are no input any more",
            found.len()
        ));
    }
    println!(
        "changed bits: all {} as two crowds say that are compared byte by byte: {agents} found by tick, agent and field, {crowds} of the crowd as a whole, {nothing} that change nothing, {refused} that are no input any more, {:.0} s",
        arguments.trials,
        start.elapsed().as_secs_f64()
    );
    Ok(())
}
