//! TAPE-7: a tape opened for travel shows every tick as it was, in any order.

use statewright::prelude::*;
use statewright_tape::{Proof, Recording, RecordingOptions, Tape, Timeline};

use crate::common::{Dogs, WORLD, program};

/// A tape of thirty ticks in which one dog is called and thrown at, and what the crowd was before each.
fn seen() -> (Vec<u8>, AgentId, Vec<u64>) {
    let mut dogs: Dogs = Crowd::new(program(), 3).starting_at(100);
    let machine = dogs.machine().clone();
    let board = || statewright::Blackboard::new(&machine);
    let agents = [(); 5].map(|()| dogs.spawn(board()));
    let options = RecordingOptions {
        proof: Proof::Ticks,
        ..RecordingOptions::default()
    };
    let recording = Recording::begin(&mut dogs, Vec::new(), options).unwrap();
    let (call, throw) = (
        machine.event("Call").unwrap(),
        machine.event("Throw").unwrap(),
    );
    let mut digests = Vec::new();
    for tick in 0..30 {
        digests.push(dogs.digest());
        match tick {
            7 => dogs.send(agents[2], call, 9).unwrap(),
            18 => dogs.send(agents[2], throw, [0.0; 3]).unwrap(),
            _ => dogs.send(agents[tick % 2], call, 9).unwrap(),
        }
        dogs.tick(&WORLD);
    }
    digests.push(dogs.digest());
    let (bytes, _) = recording.finish(&mut dogs).unwrap();
    (bytes, agents[2], digests)
}

#[test]
fn tape_7_every_tick_can_be_visited_in_any_order() {
    let (bytes, _, digests) = seen();
    let tape = Tape::read(&bytes).unwrap();
    let tick = |dogs: &mut Dogs| (dogs.tick(&WORLD), None).1;
    let mut timeline = Timeline::open(&tape, program(), tick).unwrap();
    // Inputs that came before the first tick of the stretch are told with that tick, so that
    // agents, not events under way, are what is seen between ticks.
    for step in 0..62_u64 {
        let place = step * 13 % 31;
        assert!(timeline.seek(100 + place).unwrap());
        assert_eq!(timeline.now(), 100 + place);
        assert_eq!(
            timeline.crowd().digest(),
            digests[place as usize],
            "tick {place}"
        );
    }
    assert!(!timeline.seek(200).unwrap());
    assert_eq!(timeline.now(), 130);
    for place in (0..30).rev() {
        assert!(timeline.back().unwrap());
        assert_eq!(timeline.crowd().digest(), digests[place], "tick {place}");
    }
    assert!(!timeline.back().unwrap());
    assert_eq!(timeline.now(), 100);
}

#[test]
fn tape_7_why_and_when_are_told_from_the_tape() {
    let (bytes, dog, _) = seen();
    let tape = Tape::read(&bytes).unwrap();
    let tick = |dogs: &mut Dogs| (dogs.tick(&WORLD), None).1;
    let mut timeline = Timeline::open(&tape, program(), tick).unwrap();
    timeline.seek(107).unwrap();
    let why = timeline.why(dog).unwrap();
    assert!(why.contains(&"Call: sit -> walk".to_owned()), "{why:?}");
    assert!(
        timeline.crowd().trace_settings().is_none(),
        "nothing is traced any more"
    );
    timeline.seek(130).unwrap();
    let walks = |seen: &statewright::Inspection| seen.leaves == ["walk"];
    let last = timeline.last(dog, walks).unwrap();
    assert_eq!((last, timeline.now()), (Some(110), 110));
    assert_eq!(
        timeline.last(dog, |seen| seen.leaves == ["bark"]).unwrap(),
        None,
        "not before that"
    );
}
