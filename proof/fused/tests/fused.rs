//! Fused machines do what the tables and the reference interpreter do, to the last byte and call,
//! also where an agent goes by code in one tick and by the tables in the next.

use statewright_differential::kernel_side::ByCode;
use statewright_fused_proof::{MACHINES, Ran, SHAPES};
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
    let (ticks, mut fused) = (ticks(), 0);
    let [mut by_code, mut beside] = [ByCode::default(); 2];
    for machine in MACHINES {
        let Ran {
            ticks: ran,
            by_code: own,
            neighbors,
        } = machine
            .run(ticks)
            .unwrap_or_else(|problem| panic!("{problem}"));
        assert_eq!(ran, ticks, "{}", machine.name);
        fused += u64::from(own.polls > 0);
        println!("{}: {own:?}", machine.name);
        by_code.add(&own);
        beside.add(&neighbors);
    }
    // Everything that code can do was seen to be done by it.
    assert!(fused >= 40, "{fused} machines went by code");
    let ByCode {
        polls,
        eventless,
        events,
        timers,
        transitions,
        bare,
        taken_bare,
        together,
        called_bare,
        alone,
        calling,
    } = by_code;
    println!("{by_code:?}");
    assert!(polls > 10_000 && eventless > 1_000, "{by_code:?}");
    assert!(
        events > 3_000 && timers > 100 && transitions > 1_500,
        "{by_code:?}"
    );
    assert!(bare > 5_000 && alone > 100, "{by_code:?}");
    assert!(taken_bare > 100 && called_bare > 100, "{by_code:?}");
    assert!(together > 30, "{by_code:?}");
    assert!(calling > 5_000, "{by_code:?}");
    // And by agents that stand beside each other.
    println!("neighbors: {beside:?}");
    assert!(
        beside.polls > 10_000 && beside.transitions > 1_500,
        "{beside:?}"
    );
    assert!(
        beside.taken_bare > 100 && beside.together > 20,
        "{beside:?}"
    );
    assert!(beside.calling > 5_000, "{beside:?}");
}

#[test]
fn the_machines_have_all_features_that_polling_can_meet() {
    let seen = MACHINES
        .iter()
        .fold(0, |seen, machine| seen | machine.features);
    let missing = feature::ALL & !seen;
    assert_eq!(missing, 0, "no machine has the features {missing:#b}");
    let random = MACHINES.iter().filter(|machine| machine.text.is_none());
    assert_eq!(random.count(), 60);
}

#[test]
fn the_code_of_the_machines_has_all_shapes() {
    for (number, shape) in SHAPES.iter().enumerate() {
        let count = MACHINES
            .iter()
            .filter(|machine| machine.shapes[number])
            .count();
        // Up to five are asked for when the set is chosen; some shapes are rarer.
        assert!(
            count >= 2,
            "{count} machines have `{shape}`: `FUSED_CHOOSE=1 cargo build --package statewright-fused-proof` chooses others"
        );
    }
}
