//! Writes random machines as Rust: those of `seeds.txt`, a fixed set that has every feature and every shape of code
//! between them. To find them, thousands are compiled; so that not every build does, their seeds are committed, and
//! `FUSED_CHOOSE=1 cargo build --package statewright-fused-proof` chooses anew.
//!
//! With the numbers of mistakes in `FUSED_MISTAKES` (`cargo xtask mistakes`, where the generator can make them):
//! instead, for each of them, the machine that is named (`80:426`), or those of these machines whose code it changes
//! most. Which mistake a process makes is decided once, so each has a process of its own, this program once
//! more.

use std::path::Path;
use std::process::Command;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use statewright_compile::{Options, compile};
use statewright_rom::layout::feature;

/// How many machines.
const MACHINES: usize = 60;
/// How many of them for a mistake that no machine is named for.
const MACHINES_PER_MISTAKE: usize = 6;
/// Features without which nothing polls.
const POLLING: u32 = feature::ACTIVITIES | feature::UPDATES | feature::EVENTLESS;
/// Larger ones take long to compile and show no more.
const MOST_STATES: usize = 40;
/// Up to this seed, machines are taken for their features.
const SEEDS_OF_FEATURES: u64 = 400;
/// Up to this seed, machines are taken for the shapes of their code.
const SEEDS_OF_SHAPES: u64 = 3_000;
/// So many machines have each of them, if there are so many.
const MACHINES_PER_SHAPE: usize = 5;
/// What code may have: all parts of a shape stand in it.
const SHAPES: [&[&str]; 10] = [
    &["fuse . latch ("],
    &["'waiting"],
    &["fuse . is_young"],
    &["fuse . debounce"],
    &["best ("],
    &["fuse . defer ("],
    &["return Taking :: Rests", "return Taking :: Taken"],
    &["return Taking :: Carried"],
    &["fn later_"],
    &["fn on_timer_"],
];
/// Seeds of the fixed set, a line each.
const CHOSEN: &str = "seeds.txt";
/// Choose the set anew.
const CHOOSE: &str = "FUSED_CHOOSE";
/// Numbers of mistakes, with commas.
const MISTAKES: &str = "FUSED_MISTAKES";
/// Seeds that a process with a mistake writes, with commas.
const SEEDS: &str = "FUSED_SEEDS";
/// Between the codes that it writes.
const SEPARATOR: char = '\u{1}';

/// A machine as code.
#[derive(Clone)]
struct Written {
    seed: u64,
    features: u32,
    code: TokenStream,
    /// The mistake that its code has; 0 for none.
    mistake: u8,
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={CHOSEN}");
    println!("cargo:rerun-if-env-changed={MISTAKES}");
    println!("cargo:rerun-if-env-changed={CHOOSE}");
    if let Ok(seeds) = std::env::var(SEEDS) {
        return print_codes(&seeds);
    }
    if std::env::var_os(CHOOSE).is_some() {
        let seeds = choose().into_iter().map(|seed| format!("{seed}\n"));
        std::fs::write(CHOSEN, seeds.collect::<String>()).expect("the folder of this package");
    }
    let machines = match std::env::var(MISTAKES) {
        Ok(numbers) => with_mistakes(&numbers),
        Err(_) => chosen(),
    };
    let folder = std::env::var_os("OUT_DIR").expect("cargo says where to write");
    let file = Path::new(&folder).join("machines.rs");
    std::fs::write(file, all(&machines).to_string()).expect("the folder is cargo's own");
}

fn all(machines: &[Written]) -> TokenStream {
    let (mut modules, mut table) = (TokenStream::new(), TokenStream::new());
    for Written {
        seed,
        features,
        code,
        mistake,
    } in machines
    {
        let name = format_ident!("seed_{seed}_{mistake}");
        let shapes = shapes_of(code);
        modules.extend(quote!(pub mod #name { #code }));
        table.extend(quote! {
            Machine {
                seed: #seed,
                features: #features,
                shapes: [#(#shapes),*],
                mistake: #mistake,
                code: FusedCode {
                    run: |fuse, host, phase| #name::fused::<ByNumber, _>(fuse, host, phase),
                    bare: |bytes, host, phase| #name::bare::<ByNumber, _>(bytes, host, phase),
                    needs: #name::NEEDS,
                    timers: #name::TIMERS,
                },
            },
        });
    }
    let shapes = SHAPES.map(|shape| shape.join(", "));
    let count = shapes.len();
    quote! {
        #modules
        /// What code may have, in words of the code.
        pub const SHAPES: [&str; #count] = [#(#shapes),*];
        /// The machines.
        pub const MACHINES: &[Machine] = &[#table];
    }
}

/// The fixed set.
fn chosen() -> Vec<Written> {
    let seeds = std::fs::read_to_string(CHOSEN).expect("the file is committed");
    seeds.lines().filter_map(named).collect()
}

/// Which of the shapes a code has.
fn shapes_of(code: &TokenStream) -> [bool; SHAPES.len()] {
    let text = code.to_string();
    SHAPES.map(|shape| shape.iter().all(|part| text.contains(part)))
}

/// Seeds for the fixed set.
fn choose() -> Vec<u64> {
    let mut chosen = Vec::new();
    let mut seen = 0_u32;
    let mut shapes = [0; SHAPES.len()];
    for seed in 0.. {
        let Some((features, code)) = machine(seed) else {
            continue;
        };
        // The first ones are those that bring a new feature, as long as there are any; then those whose code
        // has what few have.
        let has = shapes_of(&code);
        let rare = |(has, count): (&bool, &usize)| *has && *count < MACHINES_PER_SHAPE;
        let wanted = match seed {
            ..SEEDS_OF_FEATURES => features & !seen != 0,
            SEEDS_OF_FEATURES..SEEDS_OF_SHAPES => has.iter().zip(&shapes).any(rare),
            _ => code.to_string().contains("fn on_event_"),
        };
        if !wanted {
            continue;
        }
        seen |= features;
        for (count, has) in shapes.iter_mut().zip(has) {
            *count += usize::from(has);
        }
        chosen.push(seed);
        if chosen.len() == MACHINES {
            break;
        }
    }
    chosen
}

/// For each mistake, the machine that is named, or those of the set whose code it changes most.
fn with_mistakes(numbers: &str) -> Vec<Written> {
    let mut set = None;
    let mut changed = Vec::new();
    for number in numbers.split(',') {
        let (number, machines) = match number.split_once(':') {
            Some((number, seed)) => (number, named(seed).into_iter().collect()),
            None => (number, set.get_or_insert_with(chosen).clone()),
        };
        let codes = codes_with(number, &machines);
        let mut found: Vec<_> = machines
            .into_iter()
            .zip(codes)
            .map(|(one, code)| (changed_bytes(&one.code.to_string(), &code), one, code))
            .filter(|(bytes, ..)| *bytes != 0)
            .collect();
        found.sort_by_key(|(bytes, one, _)| (std::cmp::Reverse(*bytes), one.seed));
        for (_, one, code) in found.into_iter().take(MACHINES_PER_MISTAKE) {
            changed.push(Written {
                code: code.parse().expect("the generator writes tokens"),
                mistake: number.parse().expect("a number"),
                ..one
            });
        }
    }
    changed
}

/// The machine of a seed.
fn named(seed: &str) -> Option<Written> {
    let seed = seed.parse().expect("a seed");
    let (features, code) = machine(seed)?;
    Some(Written {
        seed,
        features,
        code,
        mistake: 0,
    })
}

/// The code of machines as a process with a mistake writes it.
fn codes_with(number: &str, machines: &[Written]) -> Vec<String> {
    let seeds: Vec<String> = machines.iter().map(|one| one.seed.to_string()).collect();
    let this = std::env::current_exe().expect("a program has a path");
    let run = Command::new(this)
        .env("MISTAKE", number)
        .env(SEEDS, seeds.join(","))
        .output()
        .expect("this program runs");
    assert!(run.status.success(), "mistake {number} stops the generator");
    let text = String::from_utf8(run.stdout).expect("code is text");
    // Before the first is what cargo is told.
    text.split(SEPARATOR).skip(1).map(str::to_owned).collect()
}

/// From the first byte that differs to the last.
fn changed_bytes(one: &str, other: &str) -> usize {
    let same =
        |pairs: &mut dyn Iterator<Item = (u8, u8)>| pairs.take_while(|(a, b)| a == b).count();
    let before = same(&mut one.bytes().zip(other.bytes()));
    let behind = same(&mut one.bytes().rev().zip(other.bytes().rev()));
    match one == other {
        true => 0,
        false => one.len().saturating_sub(before + behind).max(1),
    }
}

/// What a process with a mistake does.
fn print_codes(seeds: &str) {
    for seed in seeds.split(',') {
        let code = machine(seed.parse().expect("a seed"));
        let code = code.map_or_else(String::new, |(_, code)| code.to_string());
        print!("{SEPARATOR}{code}");
    }
}

/// The machine of a seed as code, with its features; `None` if it has no use for code.
fn machine(seed: u64) -> Option<(u32, TokenStream)> {
    let options = Options {
        strict: false,
        dev: true,
    };
    let (output, _) = compile(&statewright_generator::of_seed(seed), &options);
    let output = output?;
    let rom = output.rom.as_rom();
    let features = rom.header().features.get();
    if features & POLLING == 0 || rom.states().len() > MOST_STATES {
        return None;
    }
    let border = quote!(::statewright_kernel::fused);
    let code = statewright_fuse::fuse(&rom, &output.symbols, &border)?;
    Some((features, code))
}
