//! TAPE-2: sealed tapes are run again by anybody, without the functions of the game.

use statewright::prelude::*;
use statewright::sealed::Sealed;
use statewright::{CrowdKey, GroupId, Mode, Saved, World};
use statewright_tape::{
    Proof, Record, Recording, RecordingOptions, Replay, ReplayError, SealedProgram, Tape, rewrite,
};

use crate::common::{Dogs, WORLD, program, run};

fn sealed(proof: Proof) -> RecordingOptions {
    RecordingOptions {
        proof,
        sealed: true,
        ..RecordingOptions::default()
    }
}

/// Runs a tape again without its game, from every checkpoint.
fn runs_without_its_game(bytes: &[u8]) {
    let tape = Tape::read(bytes).unwrap();
    let sealed = SealedProgram::of(&tape).unwrap();
    let starts: Vec<u64> = tape.checkpoints().collect();
    assert!(starts.len() > 1, "{starts:?}");
    for start in starts {
        let mut replay = sealed.replay(&tape, start).unwrap();
        let ran = replay.run(|crowd| sealed.tick(crowd));
        let verified = ran.unwrap_or_else(|error| panic!("from {start}: {error}"));
        assert!(start > 0 || verified.ticks == tape.index().unwrap().ticks);
    }
}

#[test]
fn tape_2_every_kind_of_input_of_a_sealed_tape_runs_without_its_functions() {
    for proof in [Proof::None, Proof::Ticks, Proof::Agents, Proof::Bytes] {
        let mut dogs: Dogs = Crowd::new(program(), 7);
        let recording = Recording::begin(&mut dogs, Vec::new(), sealed(proof)).unwrap();
        run(&mut dogs, |_, _| ());
        let (bytes, _) = recording.finish(&mut dogs).unwrap();
        assert_eq!(dogs.sealed(), None, "what was lent is given back");
        runs_without_its_game(&bytes);
        // With functions it is a tape as any other.
        let tape = Tape::read(&bytes).unwrap();
        let mut replay = Replay::new(&tape, program()).unwrap();
        replay.run(|dogs| (dogs.tick(&WORLD), None).1).unwrap();
        assert_eq!(replay.crowd().snapshot(), dogs.snapshot());
        let mut plain: Dogs = Crowd::new(program(), 7);
        run(&mut plain, |_, _| ());
        assert_eq!(plain.snapshot(), dogs.snapshot(), "sealing changes nothing");
    }
}

/// A machine and functions that do everything that user code can do.
const BEAST: &str = r#"{ "machine": "Beast", "tick_rate": 8, "tier": "hero", "budgets": { "command_bytes": 160 },
  "events": { "Poke": { "payload": "i32" }, "Own": { "payload": "i32" }, "Inner": {}, "Itch": {}, "Hail": { "payload": "i32" } },
  "blackboard": { "anger": "i32", "home": "vec2" },
  "lanes": { "sums": { "merge": "accumulate" } },
  "functions": { "Lucky": { "kind": "guard", "rng": true }, "Want": { "kind": "scorer", "rng": true }, "Height": { "kind": "value", "returns": "f32" }, "Everything": "action", "Dream": "activity" },
  "timers": { "itch": { "event": "Itch" } },
  "initial": "den",
  "states": {
    "den": { "history": { "last": { "deep": true, "default": "sleep" } }, "initial": "sleep", "scratch": { "count": 2 },
      "transitions": [
        { "on": "Poke", "if": "Lucky && anger > 2", "to": "field", "do": "Everything" },
        { "on": "Poke", "do": "Everything" },
        { "on": "Own", "do": "anger += event" },
        { "on": "Inner", "do": "anger += 1" },
        { "on": "Hail", "do": ["anger = event", { "emit": "Heard", "lane": "audio" }] },
        { "on": "Itch", "to": "field" } ],
      "states": { "sleep": { "activity": "Dream", "transitions": [{ "when": "done", "to": "wake" }] },
                  "wake": { "transitions": [{ "after": "5t", "if": "Height() > 0.5", "to": "sleep" }] } } },
    "field": { "transitions": [
        { "every": "3t", "score": "Want", "to": "den/last" },
        { "every": "3t", "score": "0.4", "to": "field" },
        { "after": "6t", "to": "den/last" } ] } } }"#;

#[derive(Board, Saved, Clone, Default)]
struct Beast {
    anger: i32,
    home: [f32; 2],
    #[board(skip)]
    secret: u32,
}

#[derive(Clone, Copy, Command)]
#[command(lane = AUDIO)]
struct Roar {
    loud: u32,
}

#[derive(Clone, Copy, Command)]
#[command(lane = own(0), merge = Self::add)]
struct Sum {
    of: u32,
}

impl Sum {
    fn add(&mut self, later: &Self) -> bool {
        self.of += later.of;
        true
    }
}

/// What the beasts see.
struct Land {
    others: Vec<AgentId>,
    weather: u32,
}

fn beasts() -> Functions<Beast, Land> {
    Functions::new()
        .guard("Lucky", |me: &Beast, land: &Land, cx| {
            let luck = cx.rng().map_or(0, |mut rng| rng.below(4));
            Verdict {
                holds: (luck + me.secret + land.weather).is_multiple_of(3),
                code: luck as u16,
            }
        })
        .scorer("Want", |_, land, cx| {
            cx.rng().map_or(0.0, |mut rng| rng.float()) * land.weather as f32 / 2.0
        })
        .value("Height", statewright::Type::F32, |me, _, _| {
            [(me.secret as f32 % 2.0).to_bits(), 0, 0]
        })
        .activity("Dream", |me, land, mode, cx| {
            me.secret += 1;
            match mode {
                Mode::Cancel => Status::Running,
                Mode::Run if (me.secret + land.weather).is_multiple_of(7) => Status::Succeeded,
                Mode::Run if cx.rng().below(30) == 0 => panic!("a nightmare of {}", me.secret),
                Mode::Run => Status::Running,
            }
        })
        .action("Everything", |me, land, cx| {
            let machine = cx.machine().clone();
            let event = |name: &str| machine.event(name).unwrap();
            me.anger += 1;
            me.home = [land.weather as f32, me.secret as f32];
            me.secret ^= cx.rng().next_u32() % 8;
            cx.post(event("Own"), me.secret as i32);
            cx.post_as(event("Own"), Class::Critical, 1);
            cx.raise(event("Inner"), ());
            let other = cx.rng().pick(&land.others).copied().unwrap_or_default();
            cx.send(other, event("Hail"), me.anger);
            for loud in 0..me.secret % 4 {
                cx.emit(Roar { loud });
                cx.emit(Sum { of: loud });
            }
            let den = machine.state("den").unwrap();
            cx.start_timer(machine.timer("itch").unwrap(), 4 + me.secret);
            if me.secret > 5 {
                cx.stop_timer(machine.timer("itch").unwrap());
                cx.clear_history(den);
            }
            let count = machine.scratch(den, "count").unwrap();
            cx.set_scratch(count, 1, me.secret as u16);
        })
}

fn beast_machine() -> Machine {
    Machine::from_text("beast.sw.json", BEAST).unwrap_or_else(|error| panic!("{error}"))
}

/// Lets beasts live; every kind of thing that user code does happens.
fn live(crowd: &mut Crowd<Beast, Land>, ticks: u32, others: bool) -> Vec<usize> {
    let machine = crowd.machine().clone();
    let poke = machine.event("Poke").unwrap();
    let mut land = Land {
        others: Vec::new(),
        weather: 1,
    };
    for number in 0..12 {
        let board = Beast {
            secret: number,
            ..Beast::default()
        };
        let agent = crowd.spawn(board);
        if others {
            land.others.push(agent);
        }
    }
    let mut panicked = Vec::new();
    for tick in 0..ticks {
        land.weather = tick % 5;
        let agents: Vec<AgentId> = crowd.agents().collect();
        let agent = agents[tick as usize * 7 % agents.len()];
        crowd.send(agent, poke, 3).unwrap();
        if tick % 9 == 4 {
            crowd.edit_board(agent, |board| board.anger = 5).unwrap();
        }
        if tick % 11 == 6 {
            // Who panicked lives again, with whatever its blackboard has.
            crowd.reset(agent).unwrap();
        }
        panicked.push(crowd.tick(&land).panicked);
    }
    panicked
}

#[test]
fn tape_2_everything_that_user_code_does_is_done_again_without_it() {
    for strict in [None, Some(true)] {
        let program = beast_machine().bind(beasts()).unwrap();
        let mut crowd = Crowd::new(program, 3);
        if strict.is_some() {
            // Nothing may be hidden there; the secret is no part of the blackboard.
            let settings = statewright::TickSettings {
                strict,
                ..*crowd.settings()
            };
            crowd.set_settings(settings).unwrap();
        }
        let recording = Recording::begin(&mut crowd, Vec::new(), sealed(Proof::Bytes)).unwrap();
        let panicked = live(&mut crowd, 160, true);
        let (bytes, _) = recording.finish(&mut crowd).unwrap();
        assert!(panicked.iter().sum::<usize>() > 3, "{panicked:?}");
        assert!(crowd.counters().commands_dropped > 0, "some found no room");
        runs_without_its_game(&bytes);
    }
}

#[test]
fn tape_2_answers_that_do_not_fit_are_refused_with_agent_and_function() {
    let mut crowd = Crowd::new(beast_machine().bind(beasts()).unwrap(), 3);
    let recording = Recording::begin(&mut crowd, Vec::new(), sealed(Proof::Ticks)).unwrap();
    live(&mut crowd, 40, true);
    let (bytes, _) = recording.finish(&mut crowd).unwrap();
    let tape = Tape::read(&bytes).unwrap();
    // Without any of its answers, and with each call of one tick left out at its end.
    let mut seen = 0;
    for at in 0..20 {
        let mut count = 0;
        let edit = |record: &Record, bytes: &[u8]| match record {
            Record::Calls(_) => {
                count += 1;
                (count == at + 1).then(Vec::new)
            }
            _ => (!bytes.is_empty()).then(|| bytes.to_vec()),
        };
        let (other, _) = rewrite(&tape, &(0..=u64::MAX), edit).unwrap();
        let other = Tape::read(&other).unwrap();
        let program = SealedProgram::of(&other).unwrap();
        let mut replay = program.replay(&other, 0).unwrap();
        let error = replay.run(|crowd| program.tick(crowd)).unwrap_err();
        let ReplayError::Answers { misfit, .. } = &error else {
            panic!("{error}");
        };
        assert!(misfit.contains("the tape has no more answers"), "{error}");
        seen += usize::from(misfit.contains('`'));
    }
    assert_eq!(seen, 20, "each names the function");
}

#[test]
fn tape_2_a_tape_that_is_not_sealed_says_so() {
    let (bytes, _) = crate::common::recorded(Proof::Ticks);
    let tape = Tape::read(&bytes).unwrap();
    let error = SealedProgram::of(&tape).unwrap_err();
    assert!(matches!(error, ReplayError::NotSealed), "{error}");
}

#[test]
fn tape_2_sealing_some_or_all_changes_nobody() {
    let new = || Crowd::new(beast_machine().bind(beasts()).unwrap(), 3);
    let mut plain = new();
    live(&mut plain, 60, true);
    for sealed in [Sealed::All, Sealed::Agents(vec![0, 3, 4, 11, 700])] {
        let mut crowd = new();
        crowd.set_sealed(Some(sealed));
        live(&mut crowd, 60, true);
        assert_eq!(crowd.snapshot(), plain.snapshot());
        assert!(crowd.sealed_calls().count() > 0);
    }
}

/// Two crowds that send each other messages, and a group of both.
fn world() -> (World<Land>, [CrowdKey<Beast>; 2]) {
    let mut world = World::new();
    let bind = || beast_machine().bind(beasts()).unwrap();
    let first = world.join("first", Crowd::new(bind(), 1)).unwrap();
    let second = world.join("second", Crowd::new(bind(), 2)).unwrap();
    (world, [first, second])
}

#[test]
fn tape_2_a_crowd_of_a_world_runs_again_without_the_world() {
    let (mut world, [first, second]) = world();
    let machine = world[first].machine().clone();
    let (poke, group) = (machine.event("Poke").unwrap(), world.new_group().unwrap());
    let mut others = vec![GroupId::receiver(group)];
    for key in [first, second] {
        for number in 0..6 {
            let board = Beast {
                secret: number,
                ..Beast::default()
            };
            let agent = world[key].spawn(board);
            others.push(agent);
            if number % 2 == 0 {
                world.join_group(group, agent).unwrap();
            }
        }
    }
    let recording = Recording::begin(&mut world[first], Vec::new(), sealed(Proof::Bytes)).unwrap();
    let mut messages = 0;
    for tick in 0..80 {
        let land = Land {
            others: others.clone(),
            weather: tick % 5,
        };
        let receivers: Vec<AgentId> = world[first]
            .agents()
            .chain(world[second].agents())
            .collect();
        let to = receivers[tick as usize * 7 % receivers.len()];
        world.send(to, poke, 3).unwrap();
        messages += world.tick(&land).messages;
    }
    let (bytes, summary) = recording.finish(&mut world[first]).unwrap();
    assert!(
        messages > 20 && summary.inputs > 60,
        "{messages} {summary:?}"
    );
    runs_without_its_game(&bytes);
}

#[test]
fn tape_2_damaged_answers_with_right_checksums_are_refused_or_differ_and_never_panic() {
    let mut crowd = Crowd::new(beast_machine().bind(beasts()).unwrap(), 3);
    let recording = Recording::begin(&mut crowd, Vec::new(), sealed(Proof::Ticks)).unwrap();
    live(&mut crowd, 30, true);
    let (bytes, _) = recording.finish(&mut crowd).unwrap();
    let tape = Tape::read(&bytes).unwrap();
    let (mut refused, mut differs, mut same, mut rng) = (0, 0, 0, 0x9E37_79B9_u32);
    let mut below = |bound: usize| {
        rng ^= rng << 13;
        rng ^= rng >> 17;
        rng ^= rng << 5;
        rng as usize % bound
    };
    for _ in 0..400 {
        let (target, mut count) = (below(25), 0);
        let (place, bit) = (below(1 << 20), below(8));
        let edit = |record: &Record, bytes: &[u8]| {
            let (Record::Calls(calls) | Record::Keys(calls)) = record else {
                return None;
            };
            count += 1;
            if count != target + 1 {
                return None;
            }
            // Behind the length, so that the record itself stays one.
            let mut bytes = bytes.to_vec();
            let first = bytes.len() - calls.len();
            if !calls.is_empty() {
                bytes[first + place % calls.len()] ^= 1 << bit;
            }
            Some(bytes)
        };
        let (other, _) = rewrite(&tape, &(0..=u64::MAX), edit).unwrap();
        let other = Tape::read(&other).unwrap();
        let program = SealedProgram::of(&other).unwrap();
        let mut replay = program.replay(&other, 0).unwrap();
        match replay.run(|crowd| program.tick(crowd)) {
            Ok(_) => same += 1,
            Err(ReplayError::Answers { .. }) => refused += 1,
            Err(ReplayError::Difference(_)) => differs += 1,
            Err(error) => panic!("{error}"),
        }
    }
    // A message of a panic, or a key that nobody reads, may be another one unnoticed.
    assert!(
        refused > 100 && differs > 50 && same < 200,
        "{refused} {differs} {same}"
    );
}

#[test]
fn tape_4_no_bit_and_no_truncation_of_a_sealed_tape_passes_unnoticed() {
    let mut crowd = Crowd::new(beast_machine().bind(beasts()).unwrap(), 3);
    let recording = Recording::begin(&mut crowd, Vec::new(), sealed(Proof::Ticks)).unwrap();
    live(&mut crowd, 9, true);
    let (bytes, _) = recording.finish(&mut crowd).unwrap();
    let whole = Tape::read(&bytes).unwrap().index().unwrap();
    let look = |bytes: &[u8]| {
        let Ok(tape) = Tape::read(bytes) else {
            return None;
        };
        let Ok(program) = SealedProgram::of(&tape) else {
            return None;
        };
        let mut replay = program.replay(&tape, 0).ok()?;
        let ran = replay.run(|crowd| program.tick(crowd));
        Some(ran.unwrap_or_else(|error| panic!("{error}")).ticks)
    };
    for end in 0..bytes.len() {
        // What can be read is what was recorded, up to there.
        assert!(look(&bytes[..end]).is_none_or(|ticks| ticks <= whole.ticks));
    }
    for place in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[place] ^= 1 << (place % 8);
        assert!(look(&damaged).is_none_or(|ticks| ticks <= whole.ticks));
    }
}
