//! Kernel and oracle over some random machines and the smallest of the exhaustive scope. `cargo
//! xtask prove` runs more.

use statewright_differential::report::prove;
use statewright_differential::search::{search, silence_panics};
use statewright_differential::small;

#[test]
fn kernel_and_oracle_agree_on_random_machines() {
    silence_panics();
    match search(0..400, 150, |_| {}) {
        Ok(total) => {
            // A run in which nothing happens proves nothing.
            assert!(
                total.transitions > 10_000,
                "only {} transitions",
                total.transitions
            );
            assert!(
                total.clamps > 100 && total.fail_safes > 10 && total.terminations > 100,
                "{total:?}"
            );
        }
        Err(seed) => panic!("{}", prove(seed, 150).expect_err("it differed before")),
    }
}

#[test]
fn kernel_and_oracle_agree_on_all_machines_of_up_to_four_states() {
    for (shape, memory) in (1..=4).flat_map(small::all) {
        if let Err(problem) = small::run(&shape, memory) {
            panic!("{problem}");
        }
    }
}
