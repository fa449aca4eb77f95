//! Writes random machines as Rust: a fixed set that has every feature between them.

use std::path::Path;

use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use statewright_compile::{Options, compile};
use statewright_rom::layout::feature;

/// How many machines.
const MACHINES: usize = 60;
/// Features without which nothing polls.
const POLLING: u32 = feature::ACTIVITIES | feature::UPDATES | feature::EVENTLESS;
/// Larger ones take long to compile and show no more.
const MOST_STATES: usize = 40;
/// Up to this seed, machines are taken for their features.
const SEEDS_OF_FEATURES: u64 = 400;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let mut modules = TokenStream::new();
    let mut table = TokenStream::new();
    let (mut seen, mut count) = (0_u32, 0);
    for seed in 0.. {
        let Some((features, code)) = machine(seed) else {
            continue;
        };
        // The first ones are those that bring a new feature, as long as there are any; then those that
        // have events, timers, or two leaves that are asked one after the other as code.
        let text = code.to_string();
        let [events, timers, later] =
            ["fn on_event_", "fn on_timer_", "fn later_"].map(|name| text.contains(name));
        let wanted = match seed {
            ..SEEDS_OF_FEATURES => features & !seen != 0,
            _ if seed % 4 == 0 => later,
            _ if seed % 2 == 0 => events,
            _ => events && timers,
        };
        if !wanted {
            continue;
        }
        seen |= features;
        let name = format_ident!("seed_{seed}");
        modules.extend(quote!(pub mod #name { #code }));
        table.extend(quote! {
            Machine {
                seed: #seed,
                features: #features,
                code: |fuse, host, phase| #name::fused::<ByNumber, _>(fuse, host, phase),
            },
        });
        count += 1;
        if count == MACHINES {
            break;
        }
    }
    let all = quote! {
        #modules
        /// The machines.
        pub const MACHINES: &[Machine] = &[#table];
    };
    let folder = std::env::var_os("OUT_DIR").expect("cargo says where to write");
    let file = Path::new(&folder).join("machines.rs");
    std::fs::write(file, all.to_string()).expect("the folder is cargo's own");
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
