//! LOAD-9 on a few pairs of machines, among them some of other tick rates (LOAD-4); `cargo xtask reloads`
//! runs thousands.

use statewright_differential::reload::{Tally, run};

#[test]
fn load_9_agents_live_on_in_edited_machines_as_the_oracle_says() {
    let mut all = Tally::default();
    for seed in 0..300 {
        match run(seed) {
            Ok(tally) => all.add(&tally),
            Err(what) => panic!("seed {seed}: {what}"),
        }
    }
    assert!(all.cases > 250, "{all:?}");
    assert!(all.kept > 100 && all.completed > 5, "{all:?}");
}

/// The effect of a history default belongs to the entry of its state under `scxml_details`: a state
/// that a reload keeps is not entered.
#[test]
fn load_3_a_kept_state_runs_no_effect_of_its_history_default_in_scxml() {
    let tally = run(3002).unwrap();
    assert_eq!((tally.cases, tally.completed), (1, 1));
}
