//! TAPE-1: a world is one tape, and its crowds are run again from it, each without the others.

use statewright::prelude::*;
use statewright::{CrowdKey, World};
use statewright_tape::{
    EndReason, Ending, Programs, Proof, RecordError, RecordingOptions, Replay, SealedProgram, Tape,
    Timeline, WorldRecorder, WorldTape, compare,
};

use crate::recording::Full;
use crate::town::example::Game;

fn greeter(name: &str) -> String {
    format!(
        r#"{{ "machine": "{name}", "tick_rate": 4, "events": {{ "Greet": {{ "payload": "entity" }} }},
  "initial": "silent", "states": {{
    "silent": {{ "transitions": [{{ "on": "Greet", "to": "glad", "do": "Answer" }}] }},
    "glad": {{ "transitions": [{{ "after": "3t", "to": "silent" }}] }} }} }}"#
    )
}

type Friends = World<()>;

fn bind(machine: &Machine) -> Result<Program<(), ()>, statewright::BindError> {
    machine.bind(Functions::<(), ()>::new().action("Answer", |_, _, cx| {
        let (greet, other) = (cx.event().unwrap(), cx.payload::<AgentId>());
        cx.send(other, greet, cx.agent());
    }))
}

fn friends() -> (Friends, [CrowdKey<()>; 2]) {
    let mut world = World::new();
    let keys = ["Cat", "Dog"].map(|name| {
        let machine = Machine::from_text(name, &greeter(name)).unwrap();
        let crowd = Crowd::new(bind(&machine).unwrap(), 1);
        world.join(&name.to_lowercase(), crowd).unwrap()
    });
    (world, keys)
}

fn options(sealed: bool) -> RecordingOptions {
    RecordingOptions {
        proof: Proof::Ticks,
        sealed,
        ..RecordingOptions::default()
    }
}

/// Cats and dogs greet each other.
fn run(world: &mut Friends, [cats, dogs]: [CrowdKey<()>; 2]) {
    let (tom, rex) = (world[cats].spawn(()), world[dogs].spawn(()));
    let greet = world[cats].machine().event("Greet").unwrap();
    for tick in 0..20 {
        if tick % 7 == 1 {
            world.send(tom, greet, rex).unwrap();
        }
        world.tick(&());
    }
}

fn recorded(sealed: bool) -> (Vec<u8>, Friends, [CrowdKey<()>; 2]) {
    let (mut world, keys) = friends();
    let recorder = WorldRecorder::new(options(sealed))
        .with(keys[0])
        .with(keys[1]);
    let recording = recorder.begin(&mut world, Vec::new()).unwrap();
    recording.set_context(5);
    run(&mut world, keys);
    let (bytes, summary) = recording.finish(&mut world).unwrap();
    assert_eq!((summary.ticks, summary.end), (20, EndReason::Host));
    (bytes, world, keys)
}

#[test]
fn tape_1_a_world_is_one_tape_and_each_crowd_is_run_again_from_it() {
    let (bytes, world, keys) = recorded(false);
    let tape = WorldTape::read(&bytes).unwrap();
    assert_eq!(tape.ending(), Ending::Closed(EndReason::Host));
    let names: Vec<&str> = tape.crowds().map(|(name, _)| name).collect();
    assert_eq!(names, ["cat", "dog"]);
    let mut messages = 0;
    for ((_, tape), key) in tape.crowds().zip(keys) {
        messages += tape.index().unwrap().inputs;
        for start in tape.checkpoints() {
            let mut replay = Replay::from_tick(tape, Programs::by(bind), start).unwrap();
            let verified = replay.run(|crowd| (crowd.tick(&()), None).1).unwrap();
            assert_eq!(verified.ticks, 20 - start);
            assert_eq!(replay.crowd().snapshot(), world[key].snapshot());
        }
        let mut timeline =
            Timeline::open(tape, Programs::by(bind), |crowd| (crowd.tick(&()), None).1).unwrap();
        assert!(timeline.seek(13).unwrap() && timeline.back().unwrap());
    }
    assert!(messages > 6, "greetings went to and fro: {messages}");
    assert!(tape.crowd("dog").is_some() && tape.crowd("cow").is_none());
    let refused = Tape::read(&bytes).unwrap_err().to_string();
    assert!(refused.contains("a tape of a world"), "{refused}");
}

#[test]
fn tape_1_recording_a_world_changes_nothing_and_gives_back_what_was_lent() {
    let (mut plain, keys) = friends();
    run(&mut plain, keys);
    let (_, world, _) = recorded(true);
    assert_eq!(plain.snapshot().unwrap(), world.snapshot().unwrap());
    for key in keys {
        assert!(!world[key].keeps_digest() && world[key].sealed().is_none());
    }
}

#[test]
fn tape_4_a_tape_of_a_world_that_is_cut_off_or_damaged_is_read_as_far_as_it_goes() {
    let (bytes, ..) = recorded(true);
    let (mut readable, mut before) = (0, 0);
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (place % 8);
        for (bytes, is_cut) in [(&bytes[..place], true), (&damaged[..], false)] {
            let Ok(world) = WorldTape::read(bytes) else {
                continue;
            };
            assert!(!matches!(world.ending(), Ending::Closed(_)), "byte {place}");
            let ticks = world.crowds().map(|(_, tape)| tape.index().unwrap().ticks);
            let ticks: u64 = ticks.sum();
            assert!(ticks <= 40);
            if is_cut {
                assert!(ticks >= before, "a longer tape has no less");
                before = ticks;
                readable += 1;
            }
        }
    }
    assert_eq!(before, 40);
    assert!(readable > 100, "{readable}");
}

#[test]
fn tape_1_a_crowd_that_leaves_is_not_waited_for() {
    let (mut world, keys) = friends();
    let recorder = WorldRecorder::new(options(false))
        .with(keys[0])
        .with(keys[1]);
    let recording = recorder.begin(&mut world, Vec::new()).unwrap();
    run(&mut world, keys);
    let dogs = world.leave(keys[1]).unwrap();
    let (bytes, summary) = recording.finish(&mut world).unwrap();
    assert_eq!(summary.ticks, 20);
    let tape = WorldTape::read(&bytes).unwrap();
    // What was not written yet when it ended is not there: it is whole up to its last block.
    let ticks = tape.crowd("dog").unwrap().index().unwrap().ticks;
    assert!((16..=20).contains(&ticks), "{ticks}");
    drop(dogs);
    let recorder = WorldRecorder::new(RecordingOptions::default()).with(keys[1]);
    let none = recorder.begin(&mut world, Vec::new());
    assert!(matches!(none, Err(RecordError::NotHere)));
}

#[test]
fn tape_4_a_full_disk_ends_the_tape_of_a_world_and_not_the_world() {
    let (mut world, keys) = friends();
    let recorder = WorldRecorder::new(options(false))
        .with(keys[0])
        .with(keys[1]);
    let recording = recorder.begin(&mut world, Full(8000)).unwrap();
    run(&mut world, keys);
    for _ in 0..200 {
        world.tick(&());
    }
    assert_eq!(world.now(), 220);
    match recording.finish(&mut world) {
        Err(RecordError::Write(error)) => assert_eq!(error.to_string(), "no room"),
        other => panic!("{:?}", other.map(|(_, summary)| summary)),
    }
}

/// A sealed tape of the town.
fn town(ticks: u64, threads: usize) -> Vec<u8> {
    let mut game = Game::new().unwrap();
    let recorder = WorldRecorder::new(options(true))
        .with(game.villagers)
        .with(game.guards)
        .with(game.bosses);
    let recording = recorder.begin(&mut game.world, Vec::new()).unwrap();
    for _ in 0..ticks {
        game.tick(threads);
    }
    let (bytes, summary) = recording.finish(&mut game.world).unwrap();
    assert_eq!(summary.ticks, ticks);
    bytes
}

#[test]
fn tape_2_the_town_is_one_sealed_tape_and_the_same_as_the_tapes_of_its_crowds() {
    let bytes = town(120, 2);
    let world = WorldTape::read(&bytes).unwrap();
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/tapes");
    for (name, tape) in world.crowds() {
        let sealed = SealedProgram::of(tape).unwrap();
        let mut replay = sealed.replay(tape, 0).unwrap();
        let verified = replay.run(|crowd| sealed.tick(crowd)).unwrap();
        assert_eq!(verified.ticks, 120);
        let kept = std::fs::read(folder.join(format!("town-{name}.swtape"))).unwrap();
        let kept = Tape::read(&kept).unwrap();
        let parting = compare(tape, &kept, &kept.machine().unwrap()).unwrap();
        let parting = parting.unwrap().to_string();
        assert_eq!(
            parting, "equal for 120 ticks; then the second goes on",
            "{name}"
        );
    }
}

#[test]
fn tape_10_the_tape_of_the_town_as_a_world_is_kept_and_is_run_again() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = path.join("../../examples/tapes/town.swtape");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, town(30, 1)).unwrap();
    }
    let bytes = std::fs::read(&path).unwrap();
    let world = WorldTape::read(&bytes).unwrap();
    let mut inputs = 0;
    for (_, tape) in world.crowds() {
        let sealed = SealedProgram::of(tape).unwrap();
        let mut replay = sealed.replay(tape, 0).unwrap();
        let verified = replay.run(|crowd| sealed.tick(crowd)).unwrap();
        assert_eq!((verified.ticks, verified.digests), (30, 30));
        inputs += verified.inputs;
    }
    assert!(inputs > 1000, "{inputs}");
}
