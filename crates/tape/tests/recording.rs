//! SYS-4, TAPE-1 to TAPE-4: what is recorded is run again to the same bytes, and a slow or broken output ends
//! the recording, not the game.

use std::io::{self, Write};
use std::sync::mpsc::{Receiver, channel};

use statewright::prelude::*;
use statewright::{Blackboard, Reload};
use statewright_tape::{
    EndReason, Ending, Item, Proof, Record, RecordError, Recording, RecordingOptions, Replay, Tape,
    WhenSlow,
};

use crate::common::{DOG, Dogs, TICKS, WORLD, functions, program, recorded, run};

#[test]
fn tape_1_a_tape_is_enough_to_run_a_crowd_again_from_every_checkpoint() {
    for proof in [Proof::None, Proof::Ticks, Proof::Agents, Proof::Bytes] {
        let (bytes, live) = recorded(proof);
        let tape = Tape::read(&bytes).unwrap();
        assert_eq!(*tape.ending(), Ending::Closed(EndReason::Host));
        let checkpoints: Vec<u64> = tape.checkpoints().collect();
        // One second is ten ticks; the restore goes back from tick 25 to 19.
        assert_eq!(checkpoints, [0, 10, 20, 19, 29], "{proof:?}");
        for &start in &checkpoints {
            for sleeping in [true, false] {
                let mut replay = Replay::from_tick(&tape, program(), start).unwrap();
                replay.crowd_mut().set_sleeping(sleeping);
                let verified = replay.run(|dogs| (dogs.tick(&WORLD), None).1).unwrap();
                assert_eq!(replay.crowd().snapshot(), live.snapshot());
                assert_eq!(verified.digests > 0, proof != Proof::None);
                if start == 0 {
                    assert_eq!((verified.ticks, verified.checkpoints), (TICKS, 3));
                    let index = tape.index().unwrap();
                    assert_eq!((index.ticks, index.checkpoints), (TICKS, 5));
                    assert_eq!(verified.inputs, index.inputs);
                }
            }
        }
    }
}

#[test]
fn tape_1_recording_changes_nothing() {
    let mut plain: Dogs = Crowd::new(program(), 7);
    run(&mut plain, |_, _| ());
    let (_, dogs) = recorded(Proof::Bytes);
    assert_eq!(plain.snapshot(), dogs.snapshot());
    assert!(!dogs.keeps_digest(), "what was lent is given back");
}

#[test]
fn load_7_after_a_reload_the_kept_digest_is_the_one_found_anew() {
    let mut dogs: Dogs = Crowd::new(program(), 7);
    let recording = Recording::begin(&mut dogs, Vec::new(), RecordingOptions::default()).unwrap();
    dogs.spawn(Blackboard::new(&dogs.machine().clone()));
    dogs.tick(&WORLD);
    let edited = DOG.replace(r#""walk": {"#, r#""nap": {}, "walk": {"#);
    let new = Machine::from_text("dog.sw.json", &edited).unwrap();
    let plan = Reload::plan(dogs.machine(), &new);
    dogs.reload(new.bind(functions()).unwrap(), plan).unwrap();
    let kept = dogs.digest();
    assert_eq!(recording.ended(), None);
    let (_, summary) = recording.finish(&mut dogs).unwrap();
    assert_eq!(dogs.digest(), kept, "found anew it is the same");
    assert_eq!(
        (summary.ticks, summary.inputs, summary.end),
        (1, 1, EndReason::Host)
    );
}

#[test]
fn tape_1_inputs_take_few_bytes() {
    let mut dogs: Dogs = Crowd::new(program(), 7);
    let machine = dogs.machine().clone();
    let call = machine.event("Call").unwrap();
    let agents: Vec<AgentId> = (0..2000)
        .map(|_| dogs.spawn(statewright::Blackboard::new(&machine)))
        .collect();
    let size = |dogs: &mut Dogs, sent: usize, ticks: usize| {
        let options = RecordingOptions {
            checkpoint_ticks: Some(u32::MAX),
            ..RecordingOptions::default()
        };
        let recording = Recording::begin(dogs, Vec::new(), options).unwrap();
        for &agent in agents.iter().rev().take(sent) {
            dogs.send(agent, call, 1_000_000).unwrap();
        }
        for _ in 0..ticks {
            dogs.tick(&WORLD);
        }
        let (bytes, _) = recording.finish(dogs).unwrap();
        let tape = Tape::read(&bytes).unwrap();
        tape.record_bytes().unwrap()
    };
    assert!(size(&mut dogs, 2000, 0) <= 2000 * (12 + 4));
    assert!(size(&mut dogs, 0, 100) <= 100 * 24);
}

#[test]
fn tape_2_the_host_is_told_that_its_context_differs() {
    let (bytes, _) = recorded(Proof::Ticks);
    let tape = Tape::read(&bytes).unwrap();
    let mut replay = Replay::new(&tape, program()).unwrap();
    let mut ticks = 0..;
    let context = |tick: u64| if tick == 17 { 99 } else { tick };
    let error = replay.run(|dogs| {
        dogs.tick(&WORLD);
        ticks.next().map(context)
    });
    assert_eq!(
        error.unwrap_err().to_string(),
        "tick 17: the context of the host is another one (digest 0000000000000011 on the tape, 0000000000000063 now)"
    );
}

/// An output that waits for somebody with every write after the first.
struct Slow {
    go_on: Receiver<()>,
    written: Vec<u8>,
}

impl Write for Slow {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.written.is_empty() {
            // The test lets everything through at its end.
            let _ = self.go_on.recv();
        }
        self.written.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn tape_4_a_slow_output_ends_the_recording_with_a_flag() {
    let (let_go, go_on) = channel();
    let slow = Slow {
        go_on,
        written: Vec::new(),
    };
    let mut dogs: Dogs = Crowd::new(program(), 7);
    let options = RecordingOptions {
        when_slow: WhenSlow::End,
        checkpoint_ticks: Some(1),
        ..RecordingOptions::default()
    };
    let recording = Recording::begin(&mut dogs, slow, options).unwrap();
    run(&mut dogs, |_, _| ());
    assert_eq!(recording.ended(), Some(EndReason::Slow));
    drop(let_go);
    let (slow, summary) = recording.finish(&mut dogs).unwrap();
    assert_eq!(summary.end, EndReason::Slow);
    assert!(summary.ticks < TICKS);
    let tape = Tape::read(&slow.written).unwrap();
    assert_eq!(*tape.ending(), Ending::Closed(EndReason::Slow));
    let mut replay = Replay::new(&tape, program()).unwrap();
    let verified = replay.run(|dogs| (dogs.tick(&WORLD), None).1).unwrap();
    assert_eq!(verified.ticks, summary.ticks);
}

/// An output with room for so many bytes.
pub(crate) struct Full(pub(crate) usize);

impl Write for Full {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self
            .0
            .checked_sub(bytes.len())
            .ok_or_else(|| io::Error::other("no room"))?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn tape_4_a_full_disk_ends_the_recording_and_not_the_run() {
    let mut dogs: Dogs = Crowd::new(program(), 7);
    let options = RecordingOptions {
        checkpoint_ticks: Some(1),
        ..RecordingOptions::default()
    };
    let recording = Recording::begin(&mut dogs, Full(6000), options).unwrap();
    run(&mut dogs, |_, _| ());
    assert_eq!(dogs.now(), 34, "tick 40 after going back from 25 to 19");
    match recording.finish(&mut dogs) {
        Err(RecordError::Write(error)) => assert_eq!(error.to_string(), "no room"),
        other => panic!("{:?}", other.map(|(_, summary)| summary)),
    }
    let none = Recording::begin(&mut dogs, Full(10), RecordingOptions::default());
    assert!(matches!(none, Err(RecordError::Write(_))));
}

#[test]
fn tape_1_a_crowd_is_recorded_on_when_it_joins_a_world() {
    let mut dogs: Dogs = Crowd::new(program(), 7);
    let recording = Recording::begin(&mut dogs, Vec::new(), RecordingOptions::default()).unwrap();
    let board = statewright::Blackboard::new(dogs.machine());
    dogs.spawn(board);
    dogs.tick(&WORLD);
    let mut world = statewright::World::new().starting_at(1);
    let key = world.join("dogs", dogs).unwrap();
    world.tick(&WORLD);
    world.tick(&WORLD);
    let (bytes, summary) = recording.finish(&mut world[key]).unwrap();
    assert_eq!((summary.ticks, summary.inputs), (3, 1));
    let tape = Tape::read(&bytes).unwrap();
    let mut replay = Replay::new(&tape, program()).unwrap();
    assert!(replay.run(|dogs| (dogs.tick(&WORLD), None).1).is_ok());
}

#[test]
fn tape_3_what_is_left_of_forgotten_commands_is_no_outcome() {
    for forgets in [true, false] {
        let mut dogs: Dogs = Crowd::new(program(), 7);
        dogs.set_forgets_commands(forgets);
        let options = RecordingOptions::default();
        let recording = Recording::begin(&mut dogs, Vec::new(), options).unwrap();
        let machine = dogs.machine().clone();
        for _ in 0..6 {
            dogs.spawn(Blackboard::new(&machine));
        }
        let call = machine.event("Call").unwrap();
        for _ in 0..8 {
            dogs.broadcast(call, 5).unwrap();
            dogs.tick(&WORLD);
        }
        let (bytes, _) = recording.finish(&mut dogs).unwrap();
        let tape = Tape::read(&bytes).unwrap();
        let (mut player, mut said) = (tape.play(), Vec::new());
        while let Some(item) = player.next_item().unwrap() {
            if let Item::Record(Record::Tick(proof)) = item {
                said.push(proof.digests.unwrap().commands);
            }
        }
        assert_eq!(said.len(), 8);
        assert_eq!(said.iter().all(|&digest| digest == 0), forgets);
        let mut replay = Replay::new(&tape, program()).unwrap();
        let verified = replay.run(|dogs| (dogs.tick(&WORLD), None).1).unwrap();
        assert_eq!(verified.digests, 8);
    }
}

#[test]
fn tape_1_another_observer_ends_the_recording() {
    let mut dogs: Dogs = Crowd::new(program(), 7);
    let recording = Recording::begin(&mut dogs, Vec::new(), RecordingOptions::default()).unwrap();
    run(&mut dogs, |_, _| ());
    drop(dogs.set_observer(None));
    dogs.tick(&WORLD);
    let (_, summary) = recording.finish(&mut dogs).unwrap();
    assert_eq!((summary.ticks, summary.end), (TICKS, EndReason::Host));
}
