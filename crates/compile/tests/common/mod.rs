//! Helpers of the tests over random machines.
#![allow(dead_code, reason = "each test file uses its own part")]

pub mod alive;
pub mod durations;
pub mod moves;
pub mod mutate;
pub mod project;
pub mod tree;

use statewright_author::diagnostic::{Diagnostics, Severity};
use statewright_author::graph::Machine;
use statewright_compile::{Options, Output, compile, deep};
use statewright_generator::{Rng, Size, machine, shrink::shrink, to_text};

/// Tiers that are too small are raised: a random machine does not know how large it gets.
pub const OPTIONS: Options = Options {
    strict: false,
    dev: true,
};

/// How many machines a test looks at: `FORGE_MACHINES`, or so many.
pub fn machines(usual: u64) -> std::ops::Range<u64> {
    let given = std::env::var("FORGE_MACHINES")
        .ok()
        .and_then(|count| count.parse().ok());
    let first = std::env::var("FORGE_FIRST")
        .ok()
        .and_then(|first| first.parse().ok())
        .unwrap_or(0);
    first..first + given.unwrap_or(usual)
}

/// Runs something that may panic; the problem is its message.
pub fn caught<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).map_err(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        format!(
            "panic: {}",
            text.or_else(|| panic.downcast_ref::<&str>().map(|s| s.to_string()))
                .unwrap_or_default()
        )
    })
}

/// Runs a check over the seeds on all processors; panics with the first problem, by seed.
pub fn for_each_seed(
    seeds: std::ops::Range<u64>,
    check: impl Fn(u64) -> Result<(), String> + Sync,
) {
    let threads = std::thread::available_parallelism()
        .map_or(2, usize::from)
        .min(8) as u64;
    let failures: Vec<(u64, String)> = std::thread::scope(|scope| {
        let check = &check;
        let run = |part: u64| {
            let mut seeds = seeds.clone().filter(move |seed| seed % threads == part);
            seeds.find_map(|seed| {
                caught(|| check(seed))
                    .and_then(|result| result)
                    .err()
                    .map(|problem| (seed, problem))
            })
        };
        let handles: Vec<_> = (0..threads)
            .map(|part| scope.spawn(move || run(part)))
            .collect();
        handles
            .into_iter()
            .filter_map(|handle| handle.join().unwrap())
            .collect()
    });
    if let Some((seed, problem)) = failures.into_iter().min() {
        panic!("seed {seed}: {problem}");
    }
}

/// Runs a check over small machines, every fourth a little larger; what fails is shrunk.
pub fn for_small_machines(check: impl Fn(&Machine) -> Result<(), String> + Sync) {
    let size = |seed: u64| match seed % 4 {
        0 => Size::MEDIUM,
        _ => Size::SMALL,
    };
    for_each_seed(machines(800), |seed| {
        explain(&varied(seed, size(seed)), |machine| check(machine))
    });
}

/// The machine of a seed, in a size that follows from it.
pub fn random(seed: u64) -> Machine {
    machine(seed, Size::of_seed(seed))
}

/// A machine of a seed; a third of them with other targets than the generator would choose, if they
/// still compile.
pub fn varied(seed: u64, size: Size) -> Machine {
    let plain = machine(seed, size);
    if !seed.is_multiple_of(3) {
        return plain;
    }
    let mut changed = plain.clone();
    mutate::retarget(&mut Rng::new(!seed), &mut changed);
    if compile(&changed, &OPTIONS).0.is_some() {
        changed
    } else {
        plain
    }
}

/// Errors, one per line.
pub fn errors(diagnostics: &Diagnostics) -> String {
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
    errors
        .map(|d| format!("{} {}\n", d.code.info().id, d.message))
        .collect()
}

/// A machine that must compile. The problem shows its errors and a small machine that has the first
/// of them, too.
pub fn compiled(machine: &Machine) -> Result<Output, String> {
    let (output, diagnostics) = compile(machine, &OPTIONS);
    if let Some(output) = output.filter(|_| !diagnostics.has_errors()) {
        return Ok(output);
    }
    let kind = |m: &Machine| {
        let (_, diagnostics) = compile(m, &OPTIONS);
        let list: Vec<_> = diagnostics
            .iter()
            .filter(|d| d.severity == Severity::Error)
            .collect();
        list.first()
            .filter(|_| diagnostics.errors() == 1)
            .map(|d| (d.code, tail(&d.message)))
    };
    let first = diagnostics
        .iter()
        .find(|d| d.severity == Severity::Error)
        .map(|d| (d.code, tail(&d.message)));
    let small = if kind(machine) == first {
        shrink(machine, |m| kind(m) == first)
    } else {
        machine.clone()
    };
    Err(format!(
        "does not compile:\n{}as small as possible:\n{}",
        errors(&diagnostics),
        to_text(&small)
    ))
}

/// What an internal error is about, without the record; nothing for others, whose names change with
/// the machine.
fn tail(message: &str) -> String {
    let Some((_, reason)) = message.split_once("refused: ") else {
        return String::new();
    };
    reason.chars().filter(|c| !c.is_ascii_digit()).collect()
}

/// Shrinks a machine while a check fails, and says how it fails then.
pub fn explain(
    machine: &Machine,
    check: impl Fn(&Machine) -> Result<(), String>,
) -> Result<(), String> {
    let Err(problem) = check(machine) else {
        return Ok(());
    };
    let fails = |m: &Machine| compile(m, &OPTIONS).0.is_some() && check(m).is_err();
    let small = if fails(machine) {
        shrink(machine, fails)
    } else {
        machine.clone()
    };
    let now = check(&small).err().unwrap_or_default();
    Err(format!(
        "{problem}\nas small as possible:\n{}{now}",
        to_text(&small)
    ))
}

/// Plans and hashes follow from the other tables (ROM-2).
pub fn equals_derivation(output: &Output) -> Result<(), String> {
    let differences = deep::verify(&output.rom.as_rom());
    if differences.is_empty() {
        Ok(())
    } else {
        Err(format!("{differences:?}"))
    }
}
