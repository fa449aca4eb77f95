//! Compile time and peak memory by machine size, and checked load against a plain hash of the same
//! bytes.
//!
//! Times are the best of many rounds and are compared within one run only. Every row first asserts
//! that the work happened.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use statewright_compile::{Options, Output, compile_text};
use statewright_memory::{Counting, peak_of};
use statewright_rom::Rom;
use statewright_rom::layout::Section;
use xxhash_rust::xxh3::xxh3_64;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Transitions of each state.
const TRANSITIONS: usize = 15;
/// Children of each compound.
const FAN_OUT: usize = 8;
/// Event types, whatever the size.
const EVENTS: usize = 32;

fn main() {
    // `cargo test --all-targets` runs benchmarks once to see that they work.
    let testing = !std::env::args().any(|argument| argument == "--bench");
    let quick =
        testing || std::env::var("STATEWRIGHT_BENCH_QUICK").is_ok_and(|value| !value.is_empty());
    let rounds = if quick { 3 } else { 15 };
    let sizes: &[usize] = if testing {
        &[100]
    } else {
        &[100, 1_000, 4_096]
    };
    println!("compile, {TRANSITIONS} transitions per state, best of {rounds}");
    println!(
        "{:>7} {:>10} {:>12} {:>11} {:>14} {:>12}",
        "states", "ms", "µs/state", "peak MiB", "peak KiB/state", "ROM KiB"
    );
    let mut roms = Vec::new();
    for &states in sizes {
        let text = machine(states);
        let (time, peak, output) = compile_best(&text, states, rounds);
        println!(
            "{states:>7} {:>10.1} {:>12.1} {:>11.1} {:>14.1} {:>12.1}",
            time.as_secs_f64() * 1e3,
            time.as_secs_f64() * 1e6 / states as f64,
            peak as f64 / f64::from(1 << 20),
            peak as f64 / 1024.0 / states as f64,
            output.rom.as_bytes().len() as f64 / 1024.0,
        );
        roms.push((format!("{states} states"), output.rom.into_bytes().to_vec()));
    }
    println!(
        "\nchecked load against a plain xxh3 pass over the same bytes, best of {}",
        rounds * 20
    );
    println!(
        "{:>24} {:>10} {:>12} {:>12} {:>10}",
        "machine", "KiB", "xxh3 GB/s", "load GB/s", "ratio"
    );
    let only = std::env::var("STATEWRIGHT_BENCH_ONLY").unwrap_or_default();
    for (name, bytes) in roms
        .into_iter()
        .chain(samples())
        .filter(|(name, _)| name.contains(&only))
    {
        load_row(&name, &bytes, rounds * 20);
    }
}

/// Compiles several times; checks that all states and transitions came out.
fn compile_best(text: &str, states: usize, rounds: usize) -> (Duration, usize, Output) {
    let mut best = Duration::MAX;
    let mut peak = 0;
    let mut last = None;
    for _ in 0..rounds {
        drop(last.take());
        let (most, (time, (output, diagnostics))) = peak_of(|| {
            let start = Instant::now();
            let compiled = compile_text("bench.sw.json", text, &Options::default());
            (start.elapsed(), compiled)
        });
        best = best.min(time);
        peak = most;
        assert_eq!(diagnostics.errors(), 0, "{diagnostics:?}");
        let output = output.expect("a machine without errors compiles");
        assert_eq!(
            output.rom.as_rom().count(Section::States),
            states + 1,
            "all states and the root"
        );
        assert_eq!(
            output.rom.as_rom().count(Section::Transitions),
            states * TRANSITIONS
        );
        last = Some(output);
    }
    (best, peak, last.expect("at least one round"))
}

fn load_row(name: &str, bytes: &[u8], rounds: usize) {
    let repeat = (1 << 20) / bytes.len() + 1;
    let time = |work: &dyn Fn()| {
        let start = Instant::now();
        (0..repeat).for_each(|_| work());
        start.elapsed()
    };
    let (mut hash, mut load) = (Duration::MAX, Duration::MAX);
    // In turns, so that both meet the same disturbances.
    for _ in 0..rounds {
        hash = hash.min(time(&|| {
            black_box(xxh3_64(black_box(bytes)));
        }));
        load = load.min(time(&|| {
            assert!(
                black_box(Rom::from_bytes(black_box(bytes))).is_ok(),
                "{name} loads"
            )
        }));
    }
    let speed = |time: Duration| (bytes.len() * repeat) as f64 / time.as_secs_f64() / 1e9;
    let (hash, load) = (speed(hash), speed(load));
    println!(
        "{name:>24} {:>10.1} {hash:>12.2} {load:>12.2} {:>10.2}",
        bytes.len() as f64 / 1024.0,
        load / hash
    );
}

/// ROMs of the sample machines.
fn samples() -> Vec<(String, Vec<u8>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../machines");
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .expect("the samples are there")
        .flatten()
        .map(|f| f.path())
        .collect();
    files.retain(|path| path.to_string_lossy().ends_with(".sw.json"));
    files.sort();
    files
        .into_iter()
        .map(|path| {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            let text = std::fs::read_to_string(&path).expect("a sample can be read");
            let (output, diagnostics) = compile_text(&name, &text, &Options::default());
            (
                name,
                output
                    .unwrap_or_else(|| panic!("{diagnostics:?}"))
                    .rom
                    .into_bytes()
                    .to_vec(),
            )
        })
        .collect()
}

/// A machine of so many states below the root: compounds of [`FAN_OUT`] leaves, each state with
/// [`TRANSITIONS`] transitions to states all over the machine, some with guards and effects.
fn machine(states: usize) -> String {
    let mut text =
        String::from("{ \"machine\": \"Bench\", \"blackboard\": { \"a\": \"i32\" }, \"events\": [");
    for event in 0..EVENTS {
        let _ = write!(text, "\"E{event}\",");
    }
    text.push_str("], \"initial\": \"s0\", \"states\": {");
    for state in 0..states {
        let first = state % (FAN_OUT + 1) == 0;
        if first && state > 0 {
            text.push_str("} },");
        }
        let _ = write!(
            text,
            "\"s{state}\": {{ \"entry\": \"Enter{}\", \"transitions\": [",
            state % 50
        );
        for number in 0..TRANSITIONS {
            let target = (state * 31 + number * 977 + 1) % states;
            let _ = write!(
                text,
                "{{ \"on\": \"E{}\", \"to\": \"s{target}\"",
                (state + number) % EVENTS
            );
            if number % 3 == 0 {
                let _ = write!(
                    text,
                    ", \"if\": \"a > {}\", \"do\": \"a += {number}\"",
                    state % 100
                );
            }
            text.push_str("},");
        }
        text.push(']');
        if first && state + 1 < states {
            let _ = write!(text, ", \"initial\": \"s{}\", \"states\": {{", state + 1);
        } else {
            text.push_str("},");
        }
    }
    if !(states - 1).is_multiple_of(FAN_OUT + 1) {
        text.push_str("} }");
    }
    text.push_str("} }");
    text
}
