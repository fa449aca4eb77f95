//! Real machines have the same outcome whoever runs them, tick by tick: a figure beside another one
//! would mean nothing otherwise.

use statewright_bench::real::ALL;
use statewright_bench::real::machine::Drive;

fn compare(percent: u32, ticks: usize) {
    let drive = Drive {
        agents: 100,
        warm_up: 0,
        ticks,
        percent,
    };
    for real in ALL {
        let transitions = real
            .compare(&drive)
            .unwrap_or_else(|error| panic!("{error}"));
        assert!(transitions > 1_000, "{}: {transitions}", real.name());
    }
}

#[test]
fn everybody_does_the_same_when_little_happens() {
    compare(1, 4_000);
}

#[test]
fn everybody_does_the_same_when_much_happens() {
    compare(10, 3_000);
}
