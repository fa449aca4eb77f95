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
