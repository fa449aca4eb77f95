//! Real machines have the same outcome whoever runs them, tick by tick: a figure beside another one
//! would mean nothing otherwise.

use statewright_bench_real::compare::same;
use statewright_bench_real::machine::{Drive, Real, contenders};
use statewright_bench_real::trap::TrapMachine;
use statewright_bench_real::{ALL, events};

/// States that end an agent: nobody is seen in them after a tick.
const ENDS: [&str; 2] = ["dead", "defeated"];

fn compare(percent: u32, ticks: usize) {
    let drive = Drive {
        agents: 100,
        warm_up: 0,
        ticks,
        percent,
    };
    for real in ALL {
        let seen = real.compare(&drive);
        let seen = seen.unwrap_or_else(|error| panic!("{error}"));
        let name = real.name();
        assert!(
            seen.transitions > 2_000 && seen.commands > 1_000,
            "{name}: {seen:?}"
        );
        let missing = seen
            .unseen
            .iter()
            .filter(|state| !ENDS.contains(&state.as_str()));
        assert_eq!(missing.count(), 0, "{name}: {seen:?}");
    }
}

#[test]
fn everybody_does_the_same_when_little_happens() {
    compare(1, 8_000);
}

#[test]
fn everybody_does_the_same_when_much_happens() {
    compare(10, 6_000);
}

#[test]
fn one_event_more_for_one_agent_is_seen() {
    let machine = TrapMachine::machine();
    let mut all = contenders::<TrapMachine>(3).unwrap();
    let events = events::random(&machine, TrapMachine::EVENTS, (3, 1), 100, 1);
    all[0].tick(&events[0]);
    all[1].tick(&events[0]);
    all[2].tick(&events[0][..2]);
    let problem = same(&all, "after a tick").unwrap_err();
    assert!(
        problem.contains("slices and hand differ: agent 2"),
        "{problem}"
    );
}
