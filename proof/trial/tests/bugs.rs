//! The alarm works: every deliberate mistake of the kernel is seen within 10,000 machines.
#![cfg(feature = "deliberate-bugs")]

use statewright_kernel::bugs::{Bug, set};
use statewright_trial::search::{search, silence_panics};

const MACHINES: u64 = 10_000;
const TICKS: u64 = 300;

#[test]
fn every_deliberate_bug_is_caught() {
    silence_panics();
    let mut missed = Vec::new();
    for bug in Bug::ALL {
        set(Some(bug));
        match search(0..MACHINES, TICKS, |_| {}) {
            Err(seed) => println!("{bug:?}: seen by seed {seed}"),
            Ok(_) => missed.push(bug),
        }
    }
    set(None);
    assert!(
        missed.is_empty(),
        "not seen within {MACHINES} machines: {missed:?}"
    );
    assert!(Bug::ALL.len() >= 20);
    assert!(
        search(0..200, TICKS, |_| {}).is_ok(),
        "without a bug nothing differs"
    );
}
