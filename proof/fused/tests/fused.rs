//! Fused machines do what the tables and the reference interpreter do, to the last byte and call,
//! also where an agent goes by code in one tick and by the tables in the next.

use statewright_differential::compare;
use statewright_differential::machine::{CompiledCase, of_seed};
use statewright_fused_proof::MACHINES;
use statewright_kernel::fused::feature;

/// Ticks per machine; more with `cargo xtask test --long`.
fn ticks() -> u64 {
    if std::env::var_os("STATEWRIGHT_LONG").is_some() {
        100_000
    } else {
        5_000
    }
}

#[test]
fn fused_machines_do_what_tables_and_reference_do() {
    let (ticks, mut fused, mut transitions) = (ticks(), 0, 0);
    for machine in MACHINES {
        let seed = machine.seed;
        let compiled = CompiledCase::new(of_seed(seed)).unwrap();
        let tally = compare::run_fused(&compiled, seed, ticks, machine.poll);
        let tally = tally.unwrap_or_else(|difference| {
            panic!(
                "seed {seed}, tick {}: {difference:#?}",
                difference.after_ticks
            )
        });
        assert_eq!(tally.ticks, ticks);
        transitions += tally.counters.transitions;
        fused += u64::from(tally.fused > 0);
    }
    assert!(
        fused >= 40 && transitions > 10_000,
        "{fused} machines went by code, {transitions} transitions"
    );
}

#[test]
fn the_machines_have_all_features_that_polling_can_meet() {
    let seen = MACHINES
        .iter()
        .fold(0, |seen, machine| seen | machine.features);
    let missing = feature::ALL & !seen;
    assert_eq!(missing, 0, "no machine has the features {missing:#b}");
    assert_eq!(MACHINES.len(), 60);
}
