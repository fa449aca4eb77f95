//! Writes machines as Rust: random ones, those of `seeds.txt`, a fixed set that has every feature and every shape of
//! code between them, and those of `machines`, written by hand for what chance hardly ever does. To find the random
//! ones, thousands are compiled; so that not every build does, their seeds are committed, and
//! `FUSED_CHOOSE=1 cargo build --package statewright-fused-proof` chooses anew.
//!
//! With the numbers of mistakes in `FUSED_MISTAKES` (`cargo xtask mistakes`, where the generator can make them):
//! instead, for each of them, the machine that is named (`80:426`, `81:latches`), or those of these machines whose
//! code it changes most. Which mistake a process makes is decided once, so each has a process of its own, this program once
//! more.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use statewright_author::graph::Machine;
use statewright_compile::{Options, compile};
use statewright_generator::Rng;
use statewright_rom::Rom;
use statewright_rom::layout::{ActionOp, OpRecord, feature};

/// How many machines.
const MACHINES: usize = 60;
/// How many of them for a mistake that no machine is named for.
const MACHINES_PER_MISTAKE: usize = 6;
/// So many are enough for lints and documentation: code of a generator has what it has in each machine.
const FEW: usize = 4;
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
const SHAPES: [&[&str]; 12] = [
    &["fuse . latch ("],
    &["'waiting"],
    &["fuse . is_young"],
    &["fuse . debounce"],
    &["best ("],
    &["fuse . defer ("],
    &["return Taking :: Rests", "return Taking :: Taken"],
    &["return Taking :: Carried"],
    &["Taking :: Both"],
    &["fn later_"],
    &["fn on_timer_"],
    &["fuse . payload ()", "_sub ("],
];
/// Seeds of the fixed set, a line each.
const CHOSEN: &str = "seeds.txt";
/// Files of machines that were written by hand.
const MACHINES_BY_HAND: &str = "machines";
/// How they end.
const ENDING: &str = ".sw.json";
/// What is written of them: a name, the file, and which functions look at nothing but the blackboard, if they can.
const BY_HAND: [(&str, &str, u64); 8] = [
    ("bytes", "bytes", u64::MAX),
    ("bytes_in_part", "bytes", 0b011_0101_0101),
    ("defers", "defers", 0b0101),
    ("latches", "latches", 0),
    ("pair", "pair", u64::MAX),
    ("pair_in_part", "pair", 0b10_1101),
    ("regions", "regions", 0),
    ("scores", "scores", u64::MAX),
];
/// Choose the set anew.
const CHOOSE: &str = "FUSED_CHOOSE";
/// Numbers of mistakes, with commas.
const MISTAKES: &str = "FUSED_MISTAKES";
/// Names of the machines that a process with a mistake writes, with commas.
const NAMES: &str = "FUSED_NAMES";
/// Between the codes that it writes.
const SEPARATOR: char = '\u{1}';

/// A machine as code.
#[derive(Clone)]
struct Written {
    name: String,
    /// What its agents meet is made of it, and a random machine itself.
    seed: u64,
    /// The file of one that was written by hand.
    file: Option<PathBuf>,
    features: u32,
    code: TokenStream,
    /// Functions that look at nothing but the blackboard, a bit each.
    plain: u64,
    /// The mistake that its code has; 0 for none.
    mistake: u8,
}

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={CHOSEN}");
    println!("cargo:rerun-if-changed={MACHINES_BY_HAND}");
    println!("cargo:rerun-if-env-changed={MISTAKES}");
    println!("cargo:rerun-if-env-changed={CHOOSE}");
    if let Ok(names) = std::env::var(NAMES) {
        return print_codes(&names);
    }
    if std::env::var_os(CHOOSE).is_some() {
        let seeds = choose().into_iter().map(|seed| format!("{seed}\n"));
        fs::write(CHOSEN, seeds.collect::<String>()).expect("the folder of this package");
    }
    let machines = match std::env::var(MISTAKES) {
        Ok(numbers) => with_mistakes(&numbers),
        Err(_) => whole_set(),
    };
    let folder = std::env::var_os("OUT_DIR").expect("cargo says where to write");
    let few = &machines[machines.len().saturating_sub(FEW)..];
    for (file, machines) in [("machines.rs", &machines[..]), ("few.rs", few)] {
        let file = Path::new(&folder).join(file);
        fs::write(file, all(machines).to_string()).expect("the folder is cargo's own");
    }
}

fn all(machines: &[Written]) -> TokenStream {
    let (mut modules, mut table) = (TokenStream::new(), TokenStream::new());
    for Written {
        name,
        seed,
        file,
        features,
        code,
        plain,
        mistake,
    } in machines
    {
        let module = format_ident!("machine_{name}_{mistake}");
        let shapes = shapes_of(code);
        let text = match file.as_ref().map(|file| text_of(file)) {
            Some(text) => quote!(Some(#text)),
            None => quote!(None),
        };
        modules.extend(quote!(pub mod #module { #code }));
        table.extend(quote! {
            Machine {
                name: #name,
                seed: #seed,
                text: #text,
                features: #features,
                shapes: [#(#shapes),*],
                mistake: #mistake,
                code: FusedCode {
                    run: |fuse, host, phase| #module::fused::<Plainly<#plain>, _>(fuse, host, phase),
                    bare: |bytes, host, phase| #module::bare::<Plainly<#plain>, _>(bytes, host, phase),
                    calling: |agent, host, phase| #module::calling::<Plainly<#plain>, _>(agent, host, phase),
                    polls: |agent, host| #module::polls::<Plainly<#plain>, _>(agent, host),
                    needs: #module::NEEDS,
                    timers: #module::TIMERS,
                    plain: #plain,
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
        /// The machines. No constant: their code would be compiled again in each program that uses it.
        pub static MACHINES: &[Machine] = &[#table];
    }
}

/// The fixed set, and what was written by hand.
fn whole_set() -> Vec<Written> {
    let seeds = fs::read_to_string(CHOSEN).expect("the file is committed");
    let by_hand = BY_HAND.iter().map(|(name, ..)| (*name).to_owned());
    let names = seeds.lines().map(str::to_owned).chain(by_hand);
    names.filter_map(|name| named(&name)).collect()
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
        let Some(Written { features, code, .. }) = named(&seed.to_string()) else {
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
        let (number, name) = match number.split_once(':') {
            Some((number, name)) => (number, Some(name)),
            None => (number, None),
        };
        let machines = match name {
            Some(name) => named(name).into_iter().collect(),
            None => set.get_or_insert_with(whole_set).clone(),
        };
        let codes = codes_with(number, &machines);
        // Of one that is named the kernel may make the mistake, and not its code.
        let mut found: Vec<_> = machines
            .into_iter()
            .zip(codes)
            .map(|(one, code)| (changed_bytes(&one.code.to_string(), &code), one, code))
            .filter(|(bytes, ..)| *bytes != 0 || name.is_some())
            .collect();
        found.sort_by_key(|(bytes, one, _)| (std::cmp::Reverse(*bytes), one.name.clone()));
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

/// The machine of a seed or of a file; `None` if it has no use for code.
fn named(name: &str) -> Option<Written> {
    let Ok(seed) = name.parse() else {
        return Some(by_hand(name));
    };
    let plain = match seed % 3 {
        0 => 0,
        1 => u64::MAX,
        _ => Rng::new(seed).next_u64(),
    };
    let written = written(name, &statewright_generator::of_seed(seed), plain)?;
    Some(Written { seed, ..written })
}

/// A machine that was written by hand.
fn by_hand(name: &str) -> Written {
    let known = BY_HAND.iter().find(|(known, ..)| *known == name);
    let (_, file, plain) = known.unwrap_or_else(|| panic!("no machine is named {name}"));
    let file = Path::new(MACHINES_BY_HAND).join(format!("{file}{ENDING}"));
    let (machine, problems) = statewright_author::text::read(name, &text_of(&file));
    let messages: Vec<&str> = problems.iter().map(|one| &*one.message).collect();
    assert!(!problems.has_errors(), "{name}: {messages:?}");
    let written = written(name, &machine, *plain);
    Written {
        file: Some(file),
        ..written.unwrap_or_else(|| panic!("{name} does not compile, or has no use for code"))
    }
}

fn text_of(file: &Path) -> String {
    let text = fs::read_to_string(file);
    text.unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The code of machines as a process with a mistake writes it.
fn codes_with(number: &str, machines: &[Written]) -> Vec<String> {
    let names: Vec<&str> = machines.iter().map(|one| one.name.as_str()).collect();
    let this = std::env::current_exe().expect("a program has a path");
    let run = Command::new(this)
        .env("MISTAKE", number)
        .env(NAMES, names.join(","))
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
fn print_codes(names: &str) {
    for name in names.split(',') {
        let code = named(name).map_or_else(String::new, |one| one.code.to_string());
        print!("{SEPARATOR}{code}");
    }
}

/// A machine as code; `None` if it has no use for it. `plain`: which of its functions look at nothing but the blackboard,
/// if they can.
fn written(name: &str, machine: &Machine, plain: u64) -> Option<Written> {
    let options = Options {
        strict: false,
        dev: true,
    };
    let (output, _) = compile(machine, &options);
    let output = output?;
    let rom = output.rom.as_rom();
    let features = rom.header().features.get();
    if features & POLLING == 0 || rom.states().len() > MOST_STATES {
        return None;
    }
    let border = quote!(::statewright_kernel::fused);
    Some(Written {
        name: name.to_owned(),
        seed: 0,
        file: None,
        features,
        code: statewright_fuse::fuse(&rom, &output.symbols, &border)?,
        plain: plain & may_be_plain(&rom),
        mistake: 0,
    })
}

/// Functions that can do without a view of their agent: they have no parameters and draw no random numbers.
fn may_be_plain(rom: &Rom<'_>) -> u64 {
    let functions = (0..u64::BITS).zip(rom.linker());
    let calm = functions.filter(|(_, function)| function.rng == 0);
    let all = calm.fold(0, |all, (number, _)| all | 1_u64 << number);
    let with_arguments = |op: &&OpRecord| {
        op.kind == ActionOp::Call && op.count != 0 || op.kind == ActionOp::CallWith
    };
    let calls = rom.ops().iter().filter(with_arguments);
    calls.fold(all, |all, op| {
        all & !1_u64.checked_shl(op.a.get().into()).unwrap_or(0)
    })
}
