//! Runs machines whose code has a mistake (`cargo xtask mistakes`) and prints which mistakes are seen: the
//! number, and who saw it.

use statewright_differential::compare;
use statewright_differential::machine::{CompiledCase, of_seed};
use statewright_fused_proof::MACHINES;

/// Ticks of each machine.
const TICKS: u64 = 3_000;

fn main() {
    // What goes wrong may be a panic; it is told as a difference.
    std::panic::set_hook(Box::new(|_| {}));
    let mut last = 0;
    for machine in MACHINES.iter().filter(|machine| machine.mistake != 0) {
        if machine.mistake == last {
            continue;
        }
        let seed = machine.seed;
        let compiled = CompiledCase::new(of_seed(seed)).expect("it was compiled before");
        if let Err(difference) = compare::run_fused(&compiled, seed, TICKS, machine.code) {
            let tick = difference.after_ticks;
            println!("{} seed {seed}, tick {tick}", machine.mistake);
            last = machine.mistake;
        }
    }
}
