//! LOAD-7, TAPE-1: a tape goes on over reloads of its machine, and needs no file beside it.

use statewright::prelude::*;
use statewright::{Blackboard, Reload, World as AllCrowds};
use statewright_tape::{
    CheckpointReason, EndReason, Ending, FlightOptions, FlightRecorder, Fork, Item, Programs,
    Proof, Recording, RecordingOptions, Replay, ReplayError, SealedProgram, Tape, Timeline,
    compare, cut, diverge,
};

use crate::common::{DOG, Dogs, WORLD, World, functions, program};

/// Ticks of a run with reloads.
const TICKS: u64 = 36;

/// Version 2 has a state more, version 3 another duration and another parameter.
fn versions() -> [Machine; 3] {
    let second = DOG.replace(
        r#""walk": { "transitions": ["#,
        r#""nap": {}, "walk": { "transitions": [{ "on": "Throw", "to": "nap" }, "#,
    );
    let third = second
        .replace(r#""after": "3t""#, r#""after": "9t""#)
        .replace(r#""patience": 3"#, r#""patience": 2"#);
    assert!(second != DOG && third != second);
    [DOG, &second, &third].map(|text| Machine::from_text("dog.sw.json", text).unwrap())
}

fn programs() -> Programs<Blackboard, World> {
    Programs::by(|machine: &Machine| machine.bind(functions()))
}

fn reload(dogs: &mut Dogs, to: &Machine, by: impl FnOnce(Reload) -> Reload) {
    let plan = by(Reload::plan(dogs.machine(), to));
    dogs.reload(to.bind(functions()).unwrap(), plan).unwrap();
}

/// A run in which the machine becomes another one four times: with a paused agent, with messages under
/// way, twice between two ticks, with a pending stop.
fn run(dogs: &mut Dogs) {
    let [_, second, third] = versions();
    let first = dogs.machine().clone();
    let board = |machine: &Machine| Blackboard::new(machine);
    let mut agents: Vec<AgentId> = Vec::new();
    for _ in 0..6 {
        agents.push(dogs.spawn(board(&first)));
    }
    for tick in 0..TICKS {
        let agent = agents[tick as usize % agents.len()];
        let machine = dogs.machine().clone();
        dogs.send(agent, machine.event("Call").unwrap(), tick as i32 % 7)
            .unwrap();
        match tick {
            5 => dogs.pause(agents[1]).unwrap(),
            // A message is under way: the one that was just sent.
            7 => reload(dogs, &second, |plan| plan),
            9 => dogs.resume(agents[1]).unwrap(),
            12 => {
                dogs.stop(agents[2]).unwrap();
                reload(dogs, &third, Reload::with_restarted_timers);
            }
            18 => {
                reload(dogs, &first, |plan| plan);
                reload(dogs, &second, |plan| plan);
                agents.push(dogs.spawn(board(&second)));
            }
            20 => dogs
                .broadcast(second.event("Throw").unwrap(), [1.0, 0.0, 2.0])
                .unwrap(),
            25 => reload(dogs, &third, Reload::with_all_anew),
            _ => {}
        }
        dogs.tick(&WORLD);
    }
}

const RELOADS: u64 = 5;

fn recorded(proof: Proof, sealed: bool) -> (Vec<u8>, Dogs) {
    let mut dogs: Dogs = Crowd::new(program(), 7);
    let options = RecordingOptions {
        proof,
        sealed,
        ..RecordingOptions::default()
    };
    let recording = Recording::begin(&mut dogs, Vec::new(), options).unwrap();
    run(&mut dogs);
    assert_eq!(recording.ended(), None);
    let (bytes, summary) = recording.finish(&mut dogs).unwrap();
    assert_eq!((summary.ticks, summary.end), (TICKS, EndReason::Host));
    (bytes, dogs)
}

fn tick(dogs: &mut Dogs) -> Option<u64> {
    dogs.tick(&WORLD);
    None
}

#[test]
fn load_7_a_tape_goes_on_over_reloads_from_every_checkpoint() {
    let mut plain: Dogs = Crowd::new(program(), 7);
    run(&mut plain);
    for proof in [Proof::None, Proof::Ticks, Proof::Agents, Proof::Bytes] {
        let (bytes, live) = recorded(proof, false);
        assert_eq!(
            live.snapshot(),
            plain.snapshot(),
            "recording changes nothing"
        );
        let tape = Tape::read(&bytes).unwrap();
        assert_eq!(*tape.ending(), Ending::Closed(EndReason::Host));
        assert_eq!(tape.proof(), Some(proof));
        let mut starts: Vec<u64> = tape.checkpoints().collect();
        assert!(
            starts.starts_with(&[0, 7, 12, 18, 18, 25]),
            "one behind each reload, and then a second of play on: {starts:?}"
        );
        starts.push(3);
        for start in starts {
            for sleeping in [true, false] {
                let mut replay = Replay::from_tick(&tape, programs(), start).unwrap();
                replay.crowd_mut().set_sleeping(sleeping);
                let ran = replay.run(tick);
                let verified = ran.unwrap_or_else(|error| panic!("{proof:?} {start}: {error}"));
                assert_eq!(replay.crowd().snapshot(), live.snapshot());
                if start == 0 {
                    assert_eq!((verified.ticks, verified.reloads), (TICKS, RELOADS));
                }
            }
        }
    }
}

#[test]
fn load_7_the_record_of_a_reload_has_both_hashes_and_the_whole_new_machine() {
    let (bytes, _) = recorded(Proof::Ticks, false);
    let tape = Tape::read(&bytes).unwrap();
    let hashes = |machine: &Machine| {
        let rom = machine.rom();
        [rom.structure_hash(), rom.parameter_hash()]
    };
    let [first, second, third] = versions();
    let expected = [
        (7, &first, &second),
        (12, &second, &third),
        (18, &third, &first),
        (18, &first, &second),
        (25, &second, &third),
    ];
    let reloads = tape.reloads().unwrap();
    assert_eq!(reloads.len() as u64, RELOADS);
    for (reload, (tick, old, new)) in reloads.iter().zip(expected) {
        assert_eq!(reload.tick, tick);
        assert_eq!(reload.hashes, [hashes(old), hashes(new)]);
        let machine = reload.machine().unwrap();
        assert_eq!(machine.bytes(), new.bytes());
        assert_eq!(machine.symbols().to_json(), new.symbols().to_json());
        assert_eq!(reload.restarts_timers, tick == 12);
        assert_eq!(reload.all_anew, tick == 25);
    }
    let [old, _] = [hashes(&second), hashes(&third)];
    let words = reloads[1].told();
    assert!(
        words.starts_with(&format!(
            "reload the machine, {:016x}/{:016x} becomes ",
            old[0], old[1]
        )),
        "{words}"
    );
    assert!(words.ends_with(", changed timers anew"), "{words}");
    // Each is followed by what it made of the crowd.
    let mut player = tape.play();
    let mut after_reload = false;
    while let Some(item) = player.next_item().unwrap() {
        if after_reload {
            let Item::Checkpoint(checkpoint) = &item else {
                panic!("{item:?}");
            };
            assert_eq!(checkpoint.why, CheckpointReason::Reloaded);
        }
        after_reload = matches!(item, Item::Reload(_));
    }
}

#[test]
fn load_7_a_sealed_tape_goes_on_over_reloads_without_its_functions() {
    for proof in [Proof::None, Proof::Ticks, Proof::Agents, Proof::Bytes] {
        let (bytes, live) = recorded(proof, true);
        let tape = Tape::read(&bytes).unwrap();
        let sealed = SealedProgram::of(&tape).unwrap();
        for start in tape.checkpoints() {
            let mut replay = sealed.replay(&tape, start).unwrap();
            let ran = replay.run(|crowd| sealed.tick(crowd));
            let verified = ran.unwrap_or_else(|error| panic!("{proof:?} {start}: {error}"));
            assert!(start > 0 || verified.reloads == RELOADS);
            assert_eq!(replay.crowd().digest(), live.digest());
        }
        let mut replay = Replay::new(&tape, programs()).unwrap();
        replay.run(tick).unwrap();
        assert_eq!(replay.crowd().snapshot(), live.snapshot());
    }
}

#[test]
fn load_7_one_program_runs_a_tape_up_to_its_reload() {
    let (bytes, _) = recorded(Proof::Ticks, false);
    let tape = Tape::read(&bytes).unwrap();
    let mut replay = Replay::new(&tape, program()).unwrap();
    let error = replay.run(tick).unwrap_err();
    assert!(matches!(error, ReplayError::Machine { .. }), "{error}");
    assert_eq!(replay.crowd().now(), 7);
    let refused = Replay::from_tick(&tape, program(), 30);
    assert!(matches!(refused, Err(ReplayError::Machine { .. })));
}

/// A game whose functions are gone meanwhile: the crowd stays what it was before the reload.
#[test]
fn load_7_a_reload_with_a_program_that_does_not_bind_ends_the_replay_there() {
    let (bytes, _) = recorded(Proof::Ticks, false);
    let tape = Tape::read(&bytes).unwrap();
    let first = versions()[0].rom().structure_hash();
    let without = Programs::by(move |machine: &Machine| {
        let is_first = machine.rom().structure_hash() == first;
        machine.bind(if is_first {
            functions()
        } else {
            Functions::new()
        })
    });
    let mut replay = Replay::new(&tape, without.clone()).unwrap();
    let error = replay.run(tick).unwrap_err();
    assert!(matches!(error, ReplayError::Bind(_)), "{error}");
    let text = error.to_string();
    assert!(text.contains("Hears") && text.contains("Chew"), "{text}");
    let crowd = replay.crowd();
    assert_eq!(
        (crowd.now(), crowd.machine().rom().structure_hash()),
        (7, first)
    );
    let mut before = Replay::new(&tape, programs()).unwrap();
    while before.crowd().now() < 7 {
        before.step(tick).unwrap();
    }
    // The message that was sent before it has entered.
    assert_eq!(crowd.counters(), before.crowd().counters());
    assert_eq!(crowd.len(), before.crowd().len());
    // From a checkpoint behind it nothing begins.
    let refused = Replay::from_tick(&tape, without, 7);
    assert!(matches!(refused, Err(ReplayError::Bind(_))), "{refused:?}");
}

#[test]
fn tape_7_travel_goes_back_and_forth_over_reloads() {
    let (bytes, _) = recorded(Proof::Ticks, false);
    let tape = Tape::read(&bytes).unwrap();
    let mut timeline = Timeline::open(&tape, programs(), tick).unwrap();
    let [first, second, third] = versions();
    let hash = |machine: &Machine| machine.rom().parameter_hash();
    for (at, machine) in [
        (30, &third),
        (5, &first),
        (20, &second),
        (15, &third),
        (9, &second),
    ] {
        assert!(timeline.seek(at).unwrap());
        assert_eq!(hash(timeline.crowd().machine()), hash(machine), "tick {at}");
    }
    assert!(timeline.seek(7).unwrap());
    assert!(timeline.back().unwrap());
    assert_eq!(hash(timeline.crowd().machine()), hash(&first));
    // The second version took the place of the first before tick 7: why says so in its words.
    let dog = timeline.crowd().agent_at(0).unwrap();
    timeline.seek(8).unwrap();
    assert_eq!(timeline.agent(dog).unwrap().leaves.len(), 1);
}

#[test]
fn tape_6_a_part_behind_a_reload_begins_with_the_machine_that_ran_there() {
    let (bytes, _) = recorded(Proof::Bytes, true);
    let tape = Tape::read(&bytes).unwrap();
    let [_, second, third] = versions();
    for (ticks, machine, reloads) in [(8..=11, &second, 0), (13..=20, &third, 2)] {
        let part = cut(&tape, ticks.clone()).unwrap().unwrap();
        let part = Tape::read(&part).unwrap();
        assert_eq!(part.machine().unwrap().bytes(), machine.bytes());
        assert_eq!(part.reloads().unwrap().len(), reloads);
        let mut replay = Replay::new(&part, programs()).unwrap();
        replay.run(tick).unwrap();
        assert_eq!(replay.crowd().now(), ticks.end() + 1);
        let sealed = SealedProgram::of(&part).unwrap();
        let mut replay = sealed.replay(&part, 0).unwrap();
        replay.run(|crowd| sealed.tick(crowd)).unwrap();
    }
}

#[test]
fn tape_6_tapes_that_reload_otherwise_part_there() {
    let (bytes, _) = recorded(Proof::Ticks, false);
    let one = Tape::read(&bytes).unwrap();
    let machine = one.machine().unwrap();
    assert_eq!(compare(&one, &one, &machine).unwrap(), None);
    let other = {
        let mut dogs: Dogs = Crowd::new(program(), 7);
        let recording =
            Recording::begin(&mut dogs, Vec::new(), RecordingOptions::default()).unwrap();
        for _ in 0..6 {
            dogs.spawn(Blackboard::new(&machine));
        }
        for tick in 0..10 {
            let agent = dogs.agent_at(tick % 6).unwrap();
            let call = dogs.machine().event("Call").unwrap();
            dogs.send(agent, call, tick as i32 % 7).unwrap();
            if tick == 5 {
                dogs.pause(dogs.agent_at(1).unwrap()).unwrap();
            }
            if tick == 7 {
                let third = &versions()[2];
                reload(&mut dogs, third, |plan| plan);
            }
            dogs.tick(&WORLD);
        }
        recording.finish(&mut dogs).unwrap().0
    };
    let two = Tape::read(&other).unwrap();
    let parting = compare(&one, &two, &machine).unwrap().unwrap().to_string();
    assert!(
        parting.starts_with("before tick 7, after equal inputs:\n  first: reload the machine, "),
        "{parting}"
    );
    assert_eq!(parting.matches("becomes").count(), 2, "{parting}");
}

#[test]
fn tape_5_a_flight_recorder_goes_on_over_reloads() {
    let mut dogs: Dogs = Crowd::new(program(), 7);
    let options = FlightOptions {
        ticks: Some(8),
        proof: Proof::Ticks,
        ..FlightOptions::default()
    };
    let recorder = FlightRecorder::begin(&mut dogs, options).unwrap();
    let mut dumps = Vec::new();
    let [first, second, third] = versions();
    for _ in 0..3 {
        dogs.spawn(Blackboard::new(&first));
    }
    for now in 0..40 {
        match now {
            10 => reload(&mut dogs, &second, |plan| plan),
            13 => reload(&mut dogs, &third, |plan| plan),
            _ => {}
        }
        let call = dogs.machine().event("Call").unwrap();
        dogs.broadcast(call, now).unwrap();
        dogs.tick(&WORLD);
        dumps.push(recorder.dump().unwrap());
    }
    let mut reloads = [0; 3];
    for (now, dump) in dumps.iter().enumerate() {
        let tape = Tape::read(dump).unwrap();
        let mut replay = Replay::new(&tape, programs()).unwrap();
        let ran = replay.run(tick);
        let verified = ran.unwrap_or_else(|error| panic!("{now}: {error}"));
        assert_eq!(replay.crowd().now(), now as u64 + 1);
        assert!(now < 8 || verified.ticks >= 8);
        reloads[verified.reloads as usize] += 1;
    }
    assert!(reloads.iter().all(|&count| count > 0), "{reloads:?}");
    recorder.finish(&mut dogs);
}

#[test]
fn tape_8_a_fork_goes_on_over_reloads() {
    let (bytes, _) = recorded(Proof::Ticks, true);
    let tape = Tape::read(&bytes).unwrap();
    let fork = Fork {
        at: 5,
        to: None,
        machine: None,
        prepare: &mut |_| (),
        keep: &mut |_, input| Some(input),
        before: &mut |_| (),
        ticked: &mut |_| (),
    };
    let forked = fork.run(&tape).unwrap();
    assert!(forked.guessed.is_empty(), "{:?}", forked.guessed);
    let other = Tape::read(&forked.tape).unwrap();
    assert_eq!(other.reloads().unwrap().len() as u64, RELOADS);
    let divergence = diverge(&tape, &other, |_| ()).unwrap();
    assert_eq!(
        (divergence.ticks, divergence.differing),
        (TICKS - 5, vec![])
    );
}

#[test]
fn tape_4_a_tape_with_reloads_that_is_cut_off_or_damaged_is_read_as_far_as_it_goes() {
    let (bytes, _) = recorded(Proof::Ticks, true);
    let whole = Tape::read(&bytes).unwrap().index().unwrap();
    for place in (0..bytes.len()).step_by(5) {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (place % 8);
        for bytes in [&bytes[..place], &damaged] {
            let Ok(tape) = Tape::read(bytes) else {
                continue;
            };
            assert!(!matches!(tape.ending(), Ending::Closed(_)), "byte {place}");
            let index = tape.index().unwrap();
            assert!(index.ticks <= whole.ticks);
            assert!(tape.reloads().unwrap().len() as u64 <= RELOADS);
            if place % 35 != 0 {
                continue;
            }
            let ran = Replay::new(&tape, programs()).and_then(|mut replay| replay.run(tick));
            match ran {
                Ok(verified) => assert_eq!(verified.ticks, index.ticks),
                Err(error) => assert!(matches!(error, ReplayError::Empty), "{error}"),
            }
        }
    }
}

#[test]
fn load_7_a_crowd_of_a_world_is_recorded_over_a_reload_with_its_messages() {
    let greeter = r#"{ "machine": "Dog", "events": { "Greet": { "payload": "entity" } }, "initial": "silent",
      "states": { "silent": { "transitions": [{ "on": "Greet", "to": "glad", "do": "Answer" }] },
                  "glad": { "transitions": [{ "after": "2t", "to": "silent" }, { "on": "Greet", "do": "Answer" }] } } }"#;
    let edited = greeter.replace("\"glad\": {", "\"nap\": {}, \"glad\": {");
    let [old, new] =
        [greeter, &edited].map(|text| Machine::from_text("dog.sw.json", text).unwrap());
    let bind = |machine: &Machine| {
        machine.bind(Functions::<(), ()>::new().action("Answer", |_, _, cx| {
            let (greet, other) = (cx.event().unwrap(), cx.payload::<AgentId>());
            cx.send(other, greet, cx.agent());
        }))
    };
    let mut world = AllCrowds::new();
    let [one, two] = [1, 2].map(|seed| Crowd::new(bind(&old).unwrap(), seed));
    let (one, two) = (
        world.join("one", one).unwrap(),
        world.join("two", two).unwrap(),
    );
    let options = RecordingOptions {
        sealed: true,
        ..RecordingOptions::default()
    };
    let recording = Recording::begin(&mut world[one], Vec::new(), options).unwrap();
    let (dog, other) = (world[one].spawn(()), world[two].spawn(()));
    world.tick(&());
    world.send(dog, old.event("Greet").unwrap(), other).unwrap();
    for tick in 0..12 {
        if tick == 4 {
            let plan = Reload::plan(&old, &new);
            world.reload(one, bind(&new).unwrap(), plan).unwrap();
        }
        world.tick(&());
    }
    let (bytes, summary) = recording.finish(&mut world[one]).unwrap();
    assert!(summary.inputs > 4, "messages came: {summary:?}");
    let tape = Tape::read(&bytes).unwrap();
    let mut replay = Replay::new(&tape, Programs::by(bind)).unwrap();
    let verified = replay.run(|crowd| (crowd.tick(&()), None).1).unwrap();
    assert_eq!((verified.ticks, verified.reloads), (13, 1));
    assert_eq!(replay.crowd().digest(), world[one].digest());
    let sealed = SealedProgram::of(&tape).unwrap();
    let mut replay = sealed.replay(&tape, 0).unwrap();
    let verified = replay.run(|crowd| sealed.tick(crowd)).unwrap();
    assert_eq!(verified.reloads, 1);
}
