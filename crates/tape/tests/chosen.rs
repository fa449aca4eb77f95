//! TAPE-2, TAPE-5: tapes of chosen agents, which anybody runs again without the others; and commands that are kept.

use statewright::commands::Lane;
use statewright::prelude::*;
use statewright::{Program, Saved, World};
use statewright_tape::{
    EndReason, Ending, FlightOptions, FlightRecorder, Fork, Forked, Output, Parting, Proof, Record,
    RecordError, Recording, RecordingOptions, Replay, ReplayError, SealedProgram, Tape, TapeAgent,
    Trouble, WhatDiffers, WorldRecorder, compare, diverge, rewrite, shrink,
};

/// Dogs bark at whom they know when they are called, and remember who barked at them.
const DOG: &str = r#"{ "machine": "Dog", "tick_rate": 8, "events": { "Call": { "payload": "i32" }, "Bark": { "payload": "i32" } },
  "blackboard": { "heard": "i32" }, "initial": "sit",
  "functions": { "Answer": "action" },
  "states": {
    "sit": { "transitions": [
      { "on": "Call", "do": ["Answer", { "emit": "Woof", "lane": "audio" }], "to": "stand" },
      { "on": "Bark", "do": "heard += event" } ] },
    "stand": { "transitions": [
      { "on": "Bark", "do": "heard += event" },
      { "after": "3t", "to": "sit" } ] } } }"#;

#[derive(Board, Saved, Clone, Default)]
struct Nose {
    heard: i32,
}

/// Whom dogs bark at, by index.
#[derive(Clone)]
struct Yard {
    dogs: Vec<AgentId>,
    /// How much louder they answer.
    luck: i32,
    /// How much they hear of what they say themselves.
    pride: i32,
}

impl std::ops::Deref for Yard {
    type Target = Vec<AgentId>;

    fn deref(&self) -> &Vec<AgentId> {
        &self.dogs
    }
}

fn program() -> Program<Nose, Yard> {
    program_of(DOG)
}

fn program_of(text: &str) -> Program<Nose, Yard> {
    let machine = Machine::from_text("dog.sw.json", text).unwrap();
    let functions = Functions::<Nose, Yard>::new().action("Answer", |nose, yard, cx| {
        nose.heard += yard.pride;
        let called = cx.payload::<i32>();
        assert_ne!(called, 13, "an unlucky number");
        let other = (cx.agent().index() as usize + 1) % yard.len();
        let bark = cx.machine().event("Bark").unwrap();
        cx.send(yard[other], bark, called + yard.luck);
    });
    machine.bind(functions).unwrap()
}

fn dogs(count: u32, luck: i32) -> (Crowd<Nose, Yard>, Yard) {
    dogs_of(program(), count, luck)
}

fn dogs_of(program: Program<Nose, Yard>, count: u32, luck: i32) -> (Crowd<Nose, Yard>, Yard) {
    let mut crowd = Crowd::new(program, 7);
    let dogs = (0..count).map(|_| crowd.spawn(Nose::default())).collect();
    let pride = 0;
    (crowd, Yard { dogs, luck, pride })
}

/// Some of them are called in every tick; the last one is taken away and another one comes.
fn live(crowd: &mut Crowd<Nose, Yard>, yard: &Yard, ticks: u32) {
    let call = crowd.machine().event("Call").unwrap();
    for tick in 0..ticks {
        for &dog in yard.iter().skip(tick as usize % 3).step_by(3) {
            _ = crowd.send(dog, call, 20 + tick as i32);
        }
        if tick == 9 {
            crowd.edit_board(yard[2], |nose| nose.heard = -100).unwrap();
            crowd.broadcast(call, 1).unwrap();
        }
        if tick == ticks / 2 {
            crowd.despawn(yard[4]).unwrap();
            let other = crowd.spawn(Nose::default());
            assert_eq!(other.index(), yard[4].index());
        }
        // Who came in the place of another has a life of its own.
        if tick > ticks / 2 {
            let other = crowd.agent_at(yard[4].index()).unwrap();
            crowd.send(other, call, 20 + tick as i32).unwrap();
        }
        crowd.tick(yard);
    }
}

fn chosen(proof: Proof, agents: Vec<AgentId>) -> RecordingOptions {
    RecordingOptions {
        proof,
        sealed: true,
        agents: Some(agents),
        outputs: vec![Lane::AUDIO],
        ..RecordingOptions::default()
    }
}

/// A fork in which nothing is other.
fn fork_at(at: u64, tape: &Tape<'_>) -> Forked {
    let fork = Fork {
        at,
        to: None,
        machine: None,
        prepare: &mut |_| (),
        keep: &mut |_, input| Some(input),
        before: &mut |_| (),
        ticked: &mut |_| (),
    };
    fork.run(tape).unwrap()
}

#[test]
fn tape_2_chosen_agents_run_again_without_the_others_and_without_the_game() {
    for proof in [Proof::None, Proof::Ticks, Proof::Agents, Proof::Bytes] {
        let (mut crowd, yard) = dogs(40, 0);
        live(&mut crowd, &yard, 4);
        let (mut plain, _) = dogs(40, 0);
        // Another one came to index 4 in the first ticks; in any order, and one twice.
        let there = crowd.agent_at(4).unwrap();
        let agents = vec![yard[7], yard[2], there, yard[2]];
        let recording = Recording::begin(&mut crowd, Vec::new(), chosen(proof, agents)).unwrap();
        let mut now = yard.clone();
        now.dogs[4] = there;
        live(&mut crowd, &now, 40);
        let (bytes, summary) = recording.finish(&mut crowd).unwrap();
        assert_eq!(summary.ticks, 40);
        assert!(crowd.sealed().is_none(), "what was lent is given back");
        // Being recorded changes nothing.
        live(&mut plain, &yard, 4);
        live(&mut plain, &now, 40);
        assert_eq!(plain.snapshot(), crowd.snapshot());

        let tape = Tape::read(&bytes).unwrap();
        let told = tape.chosen().unwrap().unwrap();
        let indices: Vec<u32> = told.iter().map(|agent| agent.index).collect();
        assert_eq!(indices, [2, 4, 7]);
        let sealed = SealedProgram::of(&tape).unwrap();
        for start in tape.checkpoints().collect::<Vec<_>>() {
            let mut replay = sealed.replay(&tape, start).unwrap();
            let verified = replay.run(|crowd| sealed.tick(crowd)).unwrap();
            assert!(start > 4 || verified.outputs > 0 && verified.ticks == 40);
            let there: Vec<AgentId> = replay.crowd().agents().collect();
            assert_eq!(
                there,
                [yard[2], yard[7]],
                "who came in the place of another is none of them"
            );
            for &dog in &there {
                let own = replay.crowd().instance_bytes(dog).unwrap();
                assert_eq!(own, crowd.instance_bytes(dog).unwrap());
                assert!(crowd.board(dog).unwrap().heard > 0, "others barked at it");
            }
        }
        // The game runs them again, too.
        let mut replay = Replay::new(&tape, program()).unwrap();
        replay.run(|crowd| (crowd.tick(&now), None).1).unwrap();
        assert_eq!(
            replay.crowd().board(yard[2]).unwrap().heard,
            crowd.board(yard[2]).unwrap().heard
        );
        // And goes on from anywhere in another way.
        let forked = fork_at(20, &tape);
        let fork = Tape::read(&forked.tape).unwrap();
        assert!(fork.is_part() && forked.guessed.is_empty());
        let sealed = SealedProgram::of(&fork).unwrap();
        let mut replay = sealed.replay(&fork, 0).unwrap();
        replay.run(|crowd| sealed.tick(crowd)).unwrap();
        assert_eq!(
            replay.crowd().instance_bytes(yard[2]),
            crowd.instance_bytes(yard[2])
        );
    }
}

#[test]
fn tape_8_a_fork_keeps_what_came_from_whoever_took_the_place_of_a_chosen_agent() {
    let (mut crowd, yard) = dogs(8, 0);
    let options = chosen(Proof::Ticks, vec![yard[4], yard[5]]);
    let recording = Recording::begin(&mut crowd, Vec::new(), options).unwrap();
    let call = crowd.machine().event("Call").unwrap();
    for tick in 0..30 {
        if tick == 3 {
            crowd.despawn(yard[4]).unwrap();
            assert_eq!(crowd.spawn(Nose::default()).index(), 4);
        }
        let fourth = crowd.agent_at(4).unwrap();
        crowd.send(fourth, call, 1).unwrap();
        crowd.tick(&yard);
    }
    let heard = crowd.board(yard[5]).unwrap().heard;
    let (bytes, _) = recording.finish(&mut crowd).unwrap();
    let tape = Tape::read(&bytes).unwrap();
    let forked = fork_at(20, &tape);
    let fork = Tape::read(&forked.tape).unwrap();
    let sealed = SealedProgram::of(&fork).unwrap();
    let mut replay = sealed.replay(&fork, 0).unwrap();
    let key = replay.crowd().machine().key("heard").unwrap();
    let at_first = replay.crowd().board(yard[5]).unwrap().get(key).unwrap();
    replay.run(|crowd| sealed.tick(crowd)).unwrap();
    assert_eq!(
        replay.crowd().board(yard[5]).unwrap().get(key),
        Ok(heard),
        "{at_first} before tick 20"
    );
    assert!(0 < at_first && at_first < heard);
    assert_eq!(
        replay.crowd().instance_bytes(yard[5]),
        crowd.instance_bytes(yard[5])
    );
}

#[test]
fn tape_5_a_few_among_many_are_small_and_only_their_trouble_counts() {
    let (mut crowd, yard) = dogs(20_000, 0);
    let options = |agents: Option<Vec<AgentId>>| FlightOptions {
        sealed: true,
        agents,
        outputs: vec![Lane::AUDIO],
        ..FlightOptions::default()
    };
    let whole = FlightRecorder::begin(&mut crowd, options(None)).unwrap();
    let all = whole.kept_bytes();
    whole.finish(&mut crowd);
    let ours = vec![yard[3], yard[15_000]];
    let recorder = FlightRecorder::begin(&mut crowd, options(Some(ours))).unwrap();
    assert!(
        recorder.kept_bytes() * 1000 < all,
        "{} of {all}",
        recorder.kept_bytes()
    );
    let call = crowd.machine().event("Call").unwrap();
    let call_tick = |crowd: &mut Crowd<Nose, Yard>, dog: usize, number: i32| {
        crowd.send(yard[dog], call, number).unwrap();
        crowd.tick(&yard);
    };
    call_tick(&mut crowd, 0, 5);
    call_tick(&mut crowd, 14_999, 13);
    assert_eq!(crowd.panicked().count(), 1);
    assert_eq!(recorder.take_incident(), None, "that was another one");
    call_tick(&mut crowd, 2, 50);
    call_tick(&mut crowd, 15_000, 13);
    let incident = recorder.take_incident().unwrap();
    assert_eq!(incident.trouble, Trouble::Panicked);
    assert_eq!(incident.agent, Some(TapeAgent::from(yard[15_000])));
    let tape = Tape::read(&incident.tape).unwrap();
    let sealed = SealedProgram::of(&tape).unwrap();
    let mut replay = sealed.replay(&tape, 0).unwrap();
    let verified = replay.run(|crowd| sealed.tick(crowd)).unwrap();
    assert_eq!(verified.ticks, 4);
    assert_eq!(replay.crowd().panicked().count(), 1);
    assert_eq!(replay.crowd().len(), 2);
    // Others from now on.
    recorder.choose(&mut crowd, [yard[14_998]]).unwrap();
    call_tick(&mut crowd, 14_998, 13);
    let incident = recorder.take_incident().unwrap();
    assert_eq!(incident.agent, Some(TapeAgent::from(yard[14_998])));
    let tape = Tape::read(&incident.tape).unwrap();
    let sealed = SealedProgram::of(&tape).unwrap();
    let mut replay = sealed.replay(&tape, 0).unwrap();
    replay.run(|crowd| sealed.tick(crowd)).unwrap();
    assert_eq!(replay.crowd().agents().collect::<Vec<_>>(), [yard[14_998]]);
    recorder.finish(&mut crowd);
}

#[test]
fn tape_2_what_cannot_be_chosen_is_refused_with_a_remedy() {
    let (mut crowd, yard) = dogs(3, 0);
    crowd.despawn(yard[1]).unwrap();
    let gone = Recording::begin(&mut crowd, Vec::new(), chosen(Proof::None, yard.to_vec()));
    assert!(matches!(gone, Err(RecordError::Missing(_))), "{gone:?}");
    // One of another crowd is not left out in silence, neither here nor in a world.
    let mut other = Crowd::new(program(), 8);
    let foreign = other.spawn(Nose::default());
    let both = || chosen(Proof::None, vec![yard[0], foreign]);
    let error = Recording::begin(&mut crowd, Vec::new(), both()).unwrap_err();
    assert!(matches!(error, RecordError::Missing(_)), "{error}");
    let mut world = World::new();
    let own = world.join("dogs", dogs(3, 0).0).unwrap();
    let foreign_key = world.join("others", other).unwrap();
    let own_dog = world[own].agents().next().unwrap();
    let agents = vec![own_dog, world[foreign_key].agents().next().unwrap()];
    let options = chosen(Proof::None, agents);
    let recorder = WorldRecorder::new(options.clone()).with(own);
    let error = recorder.begin(&mut world, Vec::new()).unwrap_err();
    assert!(
        error.to_string().contains("its crowd is not recorded"),
        "{error}"
    );
    let recorder = WorldRecorder::new(options).with(own).with(foreign_key);
    let recording = recorder.begin(&mut world, Vec::new()).unwrap();
    recording.finish(&mut world).unwrap();

    let whole = Recording::begin(&mut crowd, Vec::new(), RecordingOptions::default()).unwrap();
    let error = whole.choose(&mut crowd, [yard[0]]).unwrap_err();
    assert!(
        error.to_string().contains("begin with chosen agents"),
        "{error}"
    );
    whole.finish(&mut crowd).unwrap();
    crowd.set_forgets_commands(true);
    let kept = Recording::begin(&mut crowd, Vec::new(), chosen(Proof::None, vec![yard[0]]));
    let error = kept.unwrap_err().to_string();
    assert!(error.contains("set_forgets_commands(false)"), "{error}");
}

#[test]
fn tape_2_commands_of_chosen_lanes_are_kept_and_compared() {
    let record = |luck: i32, proof: Proof, outputs: &[Lane]| {
        let (mut crowd, yard) = dogs(6, luck);
        let options = RecordingOptions {
            proof,
            outputs: outputs.to_vec(),
            ..RecordingOptions::default()
        };
        let recording = Recording::begin(&mut crowd, Vec::new(), options).unwrap();
        let call = crowd.machine().event("Call").unwrap();
        for number in 1..4 {
            crowd.send(yard[0], call, number).unwrap();
            crowd.tick(&yard);
        }
        (recording.finish(&mut crowd).unwrap().0, yard)
    };
    let both = [Lane::AUDIO, Lane::MESSAGE];
    let (bytes, yard) = record(0, Proof::Ticks, &both);
    let tape = Tape::read(&bytes).unwrap();
    assert_eq!(
        tape.outputs().collect::<Vec<_>>(),
        [Lane::AUDIO, Lane::MESSAGE]
    );
    let machine = tape.machine().unwrap();
    let (mut player, mut told) = (tape.play(), Vec::new());
    while let Some(item) = player.next_item().unwrap() {
        if let statewright_tape::Item::Record(statewright_tape::Record::Output(output)) = item {
            told.push(Output::told(&output, &machine));
        }
    }
    assert_eq!(
        told,
        [
            "agent 0.1 says Woof on audio",
            "agent 0.1 says message Bark(1) for agent 1.1 on message"
        ]
    );
    let replay_by = |luck: i32| {
        let yard = Yard {
            luck,
            ..yard.clone()
        };
        let mut replay = Replay::new(&tape, program()).unwrap();
        replay.run(|crowd| (crowd.tick(&yard), None).1)
    };
    assert_eq!(replay_by(0).unwrap().outputs, 2);
    // A game that says something else.
    let Err(ReplayError::Difference(found)) = replay_by(1) else {
        panic!("another message is no difference");
    };
    assert_eq!(found.tick, 0);
    let WhatDiffers::Output { recorded, replayed } = &found.what else {
        panic!("{found}");
    };
    let said = |payload: i32| {
        Some(format!(
            "agent 0.1 says message Bark({payload}) for agent 1.1 on message"
        ))
    };
    assert_eq!((recorded, replayed), (&said(1), &said(2)));
    // Two tapes, of which one keeps more lanes: those of both are compared.
    let told = |one: &[u8], other: &[u8]| {
        let [one, other] = [one, other].map(|bytes| Tape::read(bytes).unwrap());
        compare(&one, &other, &machine).unwrap()
    };
    let [(one, _), (other, _)] =
        [(0, &both[..]), (1, &both[1..])].map(|(luck, lanes)| record(luck, Proof::None, lanes));
    let Some(Parting::Outcome(found)) = told(&one, &other) else {
        panic!("a message is another one");
    };
    assert!(matches!(found.what, WhatDiffers::Output { .. }), "{found}");
    let (audio, _) = record(0, Proof::None, &both[..1]);
    assert_eq!(told(&one, &audio), None);
}

/// A short tape with commands: of the whole crowd, or of three of it.
fn with_outputs(part: bool) -> Vec<u8> {
    let (mut crowd, yard) = dogs(5, 0);
    let agents = part.then(|| vec![yard[1], yard[2], yard[4]]);
    let options = RecordingOptions {
        agents,
        ..chosen(Proof::Ticks, Vec::new())
    };
    let recording = Recording::begin(&mut crowd, Vec::new(), options).unwrap();
    let call = crowd.machine().event("Call").unwrap();
    for tick in 0..9 {
        if part && tick == 5 {
            recording.choose(&mut crowd, [yard[1], yard[3]]).unwrap();
        }
        crowd.send(yard[tick % 5], call, 3).unwrap();
        crowd.tick(&yard);
    }
    recording.finish(&mut crowd).unwrap().0
}

#[test]
fn tape_4_no_bit_and_no_truncation_of_a_tape_of_chosen_agents_or_with_commands_passes() {
    for part in [true, false] {
        let bytes = with_outputs(part);
        let whole = Tape::read(&bytes).unwrap().index().unwrap();
        // What can be read of it is what was recorded, up to there.
        let mut read = 0;
        let mut look = |bytes: &[u8]| {
            let Ok(tape) = Tape::read(bytes) else {
                return;
            };
            assert!(!matches!(tape.ending(), Ending::Closed(_)));
            let Ok(sealed) = SealedProgram::of(&tape) else {
                return;
            };
            let Ok(mut replay) = sealed.replay(&tape, 0) else {
                return;
            };
            let ran = replay.run(|crowd| sealed.tick(crowd));
            let ticks = ran.unwrap_or_else(|error| panic!("{error}")).ticks;
            assert!(ticks <= whole.ticks);
            read += 1;
        };
        (0..bytes.len()).for_each(|end| look(&bytes[..end]));
        let mut damaged = bytes.clone();
        for place in 0..bytes.len() {
            damaged[place] ^= 1 << (place % 8);
            look(&damaged);
            damaged[place] ^= 1 << (place % 8);
        }
        assert!(read > 100, "{read}");
    }
}

#[test]
fn tape_2_commands_and_chosen_agents_with_right_checksums_that_cannot_be_are_refused() {
    for part in [true, false] {
        let bytes = with_outputs(part);
        let tape = Tape::read(&bytes).unwrap();
        let (mut differs, mut refused, mut same) = (0, 0, 0);
        for trial in 0..200 {
            let mut count = 0;
            let edit = |record: &Record, bytes: &[u8]| {
                if !matches!(record, Record::Output(_)) {
                    return None;
                }
                count += 1;
                let mut bytes = bytes.to_vec();
                // Behind its kind and its length.
                let place = 2 + trial * 7 % (bytes.len() - 2);
                bytes[place] ^= 1 << (trial % 8);
                (count == 1 + trial % 3).then_some(bytes)
            };
            let (other, _) = rewrite(&tape, &(0..=u64::MAX), edit).unwrap();
            let other = Tape::read(&other).unwrap();
            let sealed = SealedProgram::of(&other).unwrap();
            let mut replay = sealed.replay(&other, 0).unwrap();
            match replay.run(|crowd| sealed.tick(crowd)) {
                Ok(_) => same += 1,
                Err(ReplayError::Difference(found)) => {
                    assert!(matches!(found.what, WhatDiffers::Output { .. }), "{found}");
                    // What it was, in words, whatever it is.
                    assert!(!found.to_string().is_empty());
                    differs += 1;
                }
                Err(ReplayError::Damaged(_)) => refused += 1,
                Err(error) => panic!("{error}"),
            }
        }
        assert_eq!(same, 0, "every byte of a command is compared");
        assert!(differs > 50 && refused > 10, "{differs} {refused}");
    }
}

/// Nobody knows how those who are chosen later would have come there in another run, and of those who were before
/// nothing is told any more.
#[test]
fn tape_8_a_fork_ends_where_others_are_chosen_and_one_from_there_has_them() {
    let (mut crowd, yard) = dogs(6, 0);
    let options = chosen(Proof::Ticks, vec![yard[2]]);
    let recording = Recording::begin(&mut crowd, Vec::new(), options).unwrap();
    let call = crowd.machine().event("Call").unwrap();
    for tick in 0..20 {
        if tick == 12 {
            recording.choose(&mut crowd, [yard[2], yard[3]]).unwrap();
        }
        for dog in [yard[2], yard[3]] {
            crowd.send(dog, call, 1).unwrap();
        }
        crowd.tick(&yard);
    }
    let (bytes, _) = recording.finish(&mut crowd).unwrap();
    let tape = Tape::read(&bytes).unwrap();
    let agents_of = |forked: &Forked| {
        let fork = Tape::read(&forked.tape).unwrap();
        let sealed = SealedProgram::of(&fork).unwrap();
        let mut replay = sealed.replay(&fork, 0).unwrap();
        replay.run(|crowd| sealed.tick(crowd)).unwrap();
        replay.crowd().agents().collect::<Vec<_>>()
    };
    let early = fork_at(5, &tape);
    assert_eq!((early.ticks, early.others_at), (12 - 5, Some(12)));
    assert_eq!(agents_of(&early), [yard[2]]);
    let fork = Tape::read(&early.tape).unwrap();
    let divergence = diverge(&tape, &fork, |_| ()).unwrap();
    assert_eq!((divergence.ticks, divergence.agents), (12 - 5, 1));
    assert_eq!(divergence.differing, []);
    let late = fork_at(12, &tape);
    assert_eq!((late.ticks, late.others_at), (20 - 12, None));
    assert_eq!(agents_of(&late), [yard[2], yard[3]]);
    // What shows only behind it is found there.
    let shrunk = shrink(
        &tape,
        &mut |crowd, _| crowd.contains(yard[3]).then_some(Some(yard[3])),
        0,
        |_| (),
    );
    let shrunk = shrunk.unwrap().unwrap();
    assert_eq!(shrunk.agent, Some(yard[3]));
    assert!(shrunk.tick >= 12);
}

#[test]
fn tape_8_a_fork_keeps_what_the_tape_keeps_of_commands() {
    let (mut crowd, yard) = dogs(4, 0);
    let options = chosen(Proof::Ticks, vec![yard[1], yard[2]]);
    let recording = Recording::begin(&mut crowd, Vec::new(), options).unwrap();
    let call = crowd.machine().event("Call").unwrap();
    for _ in 0..12 {
        crowd.send(yard[1], call, 1).unwrap();
        crowd.tick(&yard);
    }
    let (bytes, _) = recording.finish(&mut crowd).unwrap();
    let tape = Tape::read(&bytes).unwrap();
    let forked = fork_at(3, &tape);
    let fork = Tape::read(&forked.tape).unwrap();
    assert!(fork.outputs().eq([Lane::AUDIO]));
    let sealed = SealedProgram::of(&fork).unwrap();
    let mut replay = sealed.replay(&fork, 0).unwrap();
    let verified = replay.run(|crowd| sealed.tick(crowd)).unwrap();
    assert!(verified.outputs > 0, "they are compared");
}

/// More in one tick than a block of a tape has room for.
#[test]
fn tape_4_many_small_events_for_a_chosen_agent_in_one_tick_are_many_blocks() {
    const MANY: u64 = 500_000;
    let (mut crowd, yard) = dogs(3, 0);
    let options = chosen(Proof::Ticks, vec![yard[1]]);
    let recording = Recording::begin(&mut crowd, Vec::new(), options).unwrap();
    let bark = crowd.machine().event("Bark").unwrap();
    for _ in 0..MANY {
        crowd.send(yard[1], bark, 1).unwrap();
    }
    crowd.tick(&yard);
    let (bytes, summary) = recording.finish(&mut crowd).unwrap();
    assert_eq!(
        (summary.end, summary.ticks, summary.inputs),
        (EndReason::Host, 1, MANY)
    );
    let tape = Tape::read(&bytes).unwrap();
    assert!(tape.record_bytes().unwrap() > 4 << 20);
    let sealed = SealedProgram::of(&tape).unwrap();
    let mut replay = sealed.replay(&tape, 0).unwrap();
    let verified = replay.run(|crowd| sealed.tick(crowd)).unwrap();
    assert_eq!((verified.ticks, verified.inputs), (1, MANY));
}

#[test]
fn tape_6_two_tapes_of_chosen_agents_name_the_one_that_differs() {
    let last = 70_000;
    let record = |proof: Proof, pride: i32| {
        let (mut crowd, mut yard) = dogs(last as u32 + 1, 0);
        let options = chosen(proof, vec![yard[3], yard[last]]);
        let recording = Recording::begin(&mut crowd, Vec::new(), options).unwrap();
        let call = crowd.machine().event("Call").unwrap();
        for tick in 0..8 {
            if tick == 3 {
                recording.choose(&mut crowd, [yard[last], yard[1]]).unwrap();
            }
            if tick == 6 {
                yard.pride = pride;
            }
            if tick % 6 == 0 {
                crowd.send(yard[last], call, 1).unwrap();
            }
            crowd.tick(&yard);
        }
        (recording.finish(&mut crowd).unwrap().0, yard[last])
    };
    for proof in [Proof::Agents, Proof::Bytes] {
        let [(one, who), (other, _)] = [0, 5].map(|pride| record(proof, pride));
        let [one, other] = [&one, &other].map(|bytes| Tape::read(bytes).unwrap());
        let machine = one.machine().unwrap();
        assert_eq!(compare(&one, &one, &machine).unwrap(), None);
        let Some(Parting::Outcome(found)) = compare(&one, &other, &machine).unwrap() else {
            panic!("they part");
        };
        assert_eq!(found.tick, 6, "{found}");
        match found.what {
            WhatDiffers::Other { agent } if proof == Proof::Agents => {
                assert_eq!(agent, who.into());
            }
            WhatDiffers::Agent { agent, fields } if proof == Proof::Bytes => {
                assert_eq!(agent, who.into());
                assert_eq!(fields[0].field, "byte of the blackboard 0");
            }
            other => panic!("{other}"),
        }
    }
}

/// Where equal commands of the whole crowd count once, those of the others hide nothing that a chosen agent says.
#[test]
fn tape_2_what_chosen_agents_say_in_a_lane_of_the_whole_crowd_is_kept_as_written() {
    let text = DOG.replace(
        r#""functions""#,
        r#""lanes": { "audio": { "scope": "crowd" } }, "functions""#,
    );
    for part in [false, true] {
        let (mut crowd, yard) = dogs_of(program_of(&text), 6, 0);
        let options = RecordingOptions {
            agents: part.then(|| vec![yard[3], yard[5]]),
            ..chosen(Proof::Ticks, Vec::new())
        };
        let recording = Recording::begin(&mut crowd, Vec::new(), options).unwrap();
        let call = crowd.machine().event("Call").unwrap();
        crowd.tick(&yard);
        crowd.broadcast(call, 1).unwrap();
        crowd.tick(&yard);
        assert_eq!(crowd.lane(Lane::AUDIO).count(), 1, "all bark, one is heard");
        let (bytes, _) = recording.finish(&mut crowd).unwrap();
        let tape = Tape::read(&bytes).unwrap();
        let sealed = SealedProgram::of(&tape).unwrap();
        let mut replay = sealed.replay(&tape, 0).unwrap();
        let verified = replay.run(|crowd| sealed.tick(crowd)).unwrap();
        assert_eq!(verified.outputs, if part { 2 } else { 1 });
    }
}
