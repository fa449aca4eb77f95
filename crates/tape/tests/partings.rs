//! TAPE-6: the first difference is told by tick, agent and field; two tapes tell where they part.

use statewright_tape::{
    Difference, Parting, Proof, Record, Replay, ReplayError, Tape, TapeInput, WhatDiffers, compare,
    cut, rewrite,
};

use crate::common::{WORLD, World, program, recorded};

/// A tape in which the bytes of the n-th record of a kind are others.
fn changed(bytes: &[u8], change: impl Fn(&Record, &mut Vec<u8>) -> bool, which: usize) -> Vec<u8> {
    let mut seen = 0;
    let tape = Tape::read(bytes).unwrap();
    let (other, _) = rewrite(&tape, &(0..=u64::MAX), |record, bytes| {
        let mut bytes = bytes.to_vec();
        if !change(record, &mut bytes) {
            return None;
        }
        seen += 1;
        (seen == which + 1).then_some(bytes)
    })
    .unwrap();
    assert!(seen > which, "there is such a record");
    other
}

/// The payload of a `Call` is another one.
fn louder(record: &Record, bytes: &mut [u8]) -> bool {
    match record {
        Record::Input(TapeInput::Send(_, event))
            if event.id.get() == 0 && event.words()[0] != 0 =>
        {
            let place = bytes.len() - 4;
            bytes[place] ^= 8;
            true
        }
        _ => false,
    }
}

fn difference(bytes: &[u8], world: &World) -> Difference {
    let tape = Tape::read(bytes).unwrap();
    let mut replay = Replay::new(&tape, program()).unwrap();
    match replay.run(|dogs| (dogs.tick(world), None).1) {
        Err(ReplayError::Difference(difference)) => *difference,
        other => panic!("{other:?}"),
    }
}

#[test]
fn tape_6_a_changed_input_is_told_by_tick_agent_and_field() {
    let (bytes, _) = recorded(Proof::Bytes);
    let found = difference(
        &changed(&bytes, |record, bytes| louder(record, bytes), 0),
        &WORLD,
    );
    assert_eq!(
        found.to_string(),
        "tick 1: agent 1.1\n  key bones: 0 on the tape, 1 now"
    );
    // One `Throw` less, and the dog goes on sitting.
    let missing = |record: &Record, bytes: &mut Vec<u8>| match record {
        Record::Input(TapeInput::Send(_, event)) if event.id.get() == 1 => {
            bytes.clear();
            true
        }
        _ => false,
    };
    let found = difference(&changed(&bytes, missing, 1), &WORLD);
    assert_eq!((found.tick, &found.later), (1, &None));
    let WhatDiffers::Agent { agent, fields } = &found.what else {
        panic!("{found}");
    };
    assert_eq!(agent.to_string(), "agent 1.1");
    let told: Vec<String> = fields.iter().map(ToString::to_string).collect();
    assert_eq!(told[0], "leaf: bark on the tape, sit now");
    let names: Vec<&str> = fields.iter().map(|field| field.field.as_str()).collect();
    for name in ["flag polls", "rng", "key mood"] {
        assert!(names.contains(&name), "{name} of {told:?}");
    }
    assert!(
        told.iter()
            .any(|line| line.starts_with("timer ")
                && line.ends_with("3t left on the tape, nothing now")),
        "{told:?}"
    );
}

#[test]
fn tape_6_digests_alone_tell_the_tick_and_the_next_checkpoint_the_agent() {
    let (bytes, _) = recorded(Proof::Ticks);
    let found = difference(
        &changed(&bytes, |record, bytes| louder(record, bytes), 0),
        &WORLD,
    );
    assert_eq!((found.tick, found.what), (1, WhatDiffers::Crowd));
    let (tick, what) = found.later.unwrap();
    assert_eq!(tick, 10);
    assert!(matches!(*what, WhatDiffers::Agent { .. }), "{what:?}");
}

#[test]
fn tape_3_a_hash_of_each_agent_names_it_and_the_next_checkpoint_the_field() {
    let (bytes, _) = recorded(Proof::Agents);
    let other = changed(&bytes, |record, bytes| louder(record, bytes), 0);
    let found = difference(&other, &WORLD);
    let text = found.to_string();
    assert!(
        text.starts_with("tick 1: agent 1.1 is another one; the tape does not say what of it\nat the checkpoint before tick 10: agent "),
        "{text}"
    );
    // Two tapes: the other one was recorded where a call is louder.
    let mut dogs = statewright::Crowd::new(program(), 7);
    let options = statewright_tape::RecordingOptions {
        proof: Proof::Agents,
        ..statewright_tape::RecordingOptions::default()
    };
    let recording = statewright_tape::Recording::begin(&mut dogs, Vec::new(), options).unwrap();
    let board = statewright::Blackboard::new(dogs.machine());
    let dog = dogs.spawn(board);
    let call = dogs.machine().event("Call").unwrap();
    for tick in 0..5 {
        dogs.send(dog, call, 1).unwrap();
        dogs.tick(&World {
            loudness: if tick == 3 { 9 } else { 0 },
        });
    }
    let (loud, _) = recording.finish(&mut dogs).unwrap();
    let tape = Tape::read(&loud).unwrap();
    let machine = tape.machine().unwrap();
    assert_eq!(compare(&tape, &tape, &machine).unwrap(), None);
    let found = difference(&loud, &World { loudness: 0 });
    assert_eq!(
        (found.tick, found.what),
        (3, WhatDiffers::Other { agent: dog.into() })
    );
}

#[test]
fn tape_6_functions_that_do_something_else_are_noticed() {
    let (bytes, _) = recorded(Proof::Bytes);
    let found = difference(&bytes, &World { loudness: 50 });
    let WhatDiffers::Agent { fields, .. } = &found.what else {
        panic!("{found}");
    };
    assert_eq!(fields[0].field, "key bones");
}

#[test]
fn tape_6_two_tapes_tell_where_they_part() {
    let (bytes, _) = recorded(Proof::Bytes);
    let other = changed(&bytes, |record, bytes| louder(record, bytes), 2);
    let (one, two) = (Tape::read(&bytes).unwrap(), Tape::read(&other).unwrap());
    let machine = one.machine().unwrap();
    let parting = |one: &Tape<'_>, two: &Tape<'_>| compare(one, two, &machine).unwrap();
    assert_eq!(parting(&one, &one), None);
    let found = parting(&one, &two).unwrap();
    assert_eq!(
        found.to_string(),
        "before tick 3, after 1 equal inputs:\n  first: send `Call(3)` to agent 3.1\n  second: send `Call(11)` to agent 3.1"
    );
    let (ticks, _) = recorded(Proof::Ticks);
    let short = cut(&one, 0..=14).unwrap().unwrap();
    let short = Tape::read(&short).unwrap();
    let longer = Parting::Length {
        ticks: 15,
        first_is_longer: true,
    };
    assert_eq!(parting(&one, &short), Some(longer));
    assert_eq!(
        parting(&one, &Tape::read(&ticks).unwrap()),
        None,
        "another proof of the same run"
    );
}

#[test]
fn tape_6_a_part_of_a_tape_is_a_tape() {
    let (bytes, _) = recorded(Proof::Bytes);
    let tape = Tape::read(&bytes).unwrap();
    let part = cut(&tape, 12..=16).unwrap().unwrap();
    let part = Tape::read(&part).unwrap();
    assert_eq!(part.checkpoints().collect::<Vec<_>>(), [10]);
    let mut replay = Replay::new(&part, program()).unwrap();
    let verified = replay.run(|dogs| (dogs.tick(&WORLD), None).1).unwrap();
    assert_eq!((verified.ticks, replay.crowd().now()), (7, 17));
    assert_eq!(cut(&tape, 1000..=2000).unwrap(), None);
}
