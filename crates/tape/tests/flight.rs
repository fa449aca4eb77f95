//! TAPE-5: the last seconds in memory, as a tape when something goes wrong or somebody asks.

use statewright::prelude::*;
use statewright::{Blackboard, Program, Reload};
use statewright_tape::{
    FlightOptions, FlightRecorder, Proof, RecordError, Replay, SealedProgram, Tape, Trouble,
};

use crate::common::{Dogs, TICKS, WORLD, program, run};

fn dogs(count: u32) -> Dogs {
    let mut dogs: Dogs = Crowd::new(program(), 7);
    let machine = dogs.machine().clone();
    for _ in 0..count {
        dogs.spawn(Blackboard::new(&machine));
    }
    dogs
}

/// Runs a tape again; how many ticks it has, and the crowd at its end.
fn replayed(bytes: &[u8]) -> (u64, Vec<u8>) {
    let tape = Tape::read(bytes).unwrap();
    let mut replay = Replay::new(&tape, program()).unwrap();
    let verified = replay.run(|dogs| (dogs.tick(&WORLD), None).1).unwrap();
    (verified.ticks, replay.crowd().snapshot())
}

#[test]
fn tape_5_the_last_ticks_are_there_at_any_time() {
    let mut dogs: Dogs = Crowd::new(program(), 7);
    let options = FlightOptions {
        ticks: Some(8),
        proof: Proof::Ticks,
        ..FlightOptions::default()
    };
    let recorder = FlightRecorder::begin(&mut dogs, options).unwrap();
    let mut dumped = 0;
    run(&mut dogs, |_, tick| {
        let (ticks, _) = replayed(&recorder.dump().unwrap());
        assert!(
            ticks >= tick.min(8) && ticks <= 12,
            "{ticks} before tick {tick}"
        );
        dumped += 1;
    });
    assert_eq!(dumped, TICKS);
    let (_, end) = replayed(&recorder.dump().unwrap());
    assert_eq!(end, dogs.snapshot());
    assert_eq!(recorder.take_incident(), None);
    recorder.finish(&mut dogs);
    assert!(!dogs.keeps_digest());
}

#[test]
fn tape_5_memory_stays_within_its_budget() {
    let budget = 100_000;
    let mut dogs = dogs(500);
    let options = FlightOptions {
        budget,
        ..FlightOptions::default()
    };
    let recorder = FlightRecorder::begin(&mut dogs, options.clone()).unwrap();
    let call = dogs.machine().event("Call").unwrap();
    for number in 0..200 {
        dogs.broadcast(call, number).unwrap();
        let agents: Vec<AgentId> = dogs.agents().collect();
        agents
            .iter()
            .for_each(|&agent| dogs.send(agent, call, number).unwrap());
        dogs.tick(&WORLD);
        assert!(
            recorder.kept_bytes() <= budget + 20_000,
            "{}",
            recorder.kept_bytes()
        );
    }
    let (ticks, end) = replayed(&recorder.dump().unwrap());
    assert!((1..20).contains(&ticks), "{ticks}");
    assert_eq!(end, dogs.snapshot());
    // A crowd that does not fit is refused.
    let options = FlightOptions {
        budget: 1000,
        ..options
    };
    let refused = FlightRecorder::begin(&mut dogs, options);
    assert!(matches!(refused, Err(RecordError::Write(_))), "{refused:?}");
}

#[test]
fn tape_5_trouble_is_dumped_once_and_happens_again_in_the_replay() {
    let text = r#"{ "machine": "Dog", "events": { "Call": { "payload": "i32" } }, "initial": "sit",
      "states": { "sit": { "transitions": [{ "on": "Call", "do": "Bark" }] } } }"#;
    let machine = Machine::from_text("dog.sw.json", text).unwrap();
    let bark = Functions::<(), ()>::new().action("Bark", |_, _, cx| {
        assert_ne!(cx.payload::<i32>(), 13, "an unlucky number");
    });
    let program = std::sync::Arc::new(machine.bind(bark).unwrap());
    let mut dogs = Crowd::new(program.clone(), 1);
    let dog = dogs.spawn(());
    let options = FlightOptions {
        proof: Proof::Bytes,
        ..FlightOptions::default()
    };
    let recorder = FlightRecorder::begin(&mut dogs, options).unwrap();
    for number in 10..16 {
        dogs.send(dog, machine.event("Call").unwrap(), number)
            .unwrap();
        dogs.tick(&());
    }
    let incident = recorder.take_incident().expect("a panic ended the dog");
    assert_eq!((incident.tick, incident.trouble), (3, Trouble::Panicked));
    assert_eq!(recorder.take_incident(), None, "there is one trouble");
    let tape = Tape::read(&incident.tape).unwrap();
    let mut replay = Replay::new(&tape, program).unwrap();
    let verified = replay.run(|dogs| (dogs.tick(&()), None).1).unwrap();
    assert_eq!(verified.ticks, 4);
    assert_eq!(
        replay.crowd().panicked().count(),
        1,
        "the last tick has it again"
    );
}

#[test]
fn tape_5_who_entered_the_fail_safe_is_told_and_nobody_who_was_only_clamped() {
    let text = r#"{ "machine": "Echo", "events": ["Cry"], "budgets": { "clamp_limit": 2 },
      "functions": { "Echo": "action" }, "initial": "cave",
      "states": { "cave": { "transitions": [{ "on": "Cry", "do": "Echo" }] } } }"#;
    let machine = Machine::from_text("echo.sw.json", text).unwrap();
    let cry = machine.event("Cry").unwrap();
    // Whoever cries once cries on, until the fail-safe in the third tick.
    let echo = Functions::<(), ()>::new().action("Echo", |_, _, cx| {
        cx.post(cx.event().unwrap(), ());
    });
    let program = std::sync::Arc::new(machine.bind(echo).unwrap());
    for (chosen, who, when) in [
        (None, 1, 3),
        (Some(1), 1, 3),
        (Some(0), 0, 4),
        (Some(2), 0, 0),
    ] {
        let mut caves = Crowd::new(program.clone(), 1);
        let all = [(); 3].map(|()| caves.spawn(()));
        let [late, early, before] = all;
        caves.tick(&());
        caves.send(before, cry, ()).unwrap();
        (0..4).for_each(|_| _ = caves.tick(&()));
        assert_eq!(caves.counters().fail_safes, 1);
        let options = FlightOptions {
            agents: chosen.map(|one: usize| vec![all[one]]),
            ..FlightOptions::default()
        };
        let recorder = FlightRecorder::begin(&mut caves, options).unwrap();
        // Counters that begin anew hide nothing.
        caves.reset_counters();
        let (first, mut found) = (caves.now() - 1, None);
        for tick in 1..8 {
            match tick {
                1 => caves.send(early, cry, ()).unwrap(),
                2 => caves.send(late, cry, ()).unwrap(),
                _ => {}
            }
            assert_eq!(caves.tick(&()).clamped > 0, tick < 5, "tick {tick}");
            found = found.or(recorder.take_incident());
        }
        assert_eq!(caves.counters().fail_safes, 2);
        let told = found.map(|one| (one.trouble, one.agent.unwrap(), one.tick));
        let expected = (when > 0).then(|| (Trouble::FailSafe, all[who].into(), first + when));
        assert_eq!(told, expected, "chosen: {chosen:?}");
        recorder.finish(&mut caves);
    }
}

fn hearing(machine: &Machine) -> Program<(), ()> {
    let hears = Functions::new().guard("Hears", |(), (), cx| Verdict::from(cx.tick() > 2));
    machine.bind(hears).unwrap()
}

#[test]
fn tape_5_a_reload_is_kept_and_what_begins_behind_it_begins_with_the_new_machine() {
    let text = |more: &str| {
        format!(
            r#"{{ "machine": "Dog", "events": ["Call"], "initial": "sit", "states": {{
              "sit": {{ "transitions": [{{ "on": "Call", "if": "Hears", "to": "walk" }}] }}, "walk": {{}}{more} }} }}"#
        )
    };
    let machines =
        ["", r#", "run": {}"#].map(|more| Machine::from_text("dog", &text(more)).unwrap());
    let hashes = machines.each_ref().map(|machine| {
        let rom = machine.rom();
        [rom.structure_hash(), rom.parameter_hash()]
    });
    let [old, new] = &machines;
    for is_part in [false, true] {
        let mut dogs = Crowd::new(hearing(old), 1);
        let all: Vec<AgentId> = (0..3).map(|_| dogs.spawn(())).collect();
        let options = FlightOptions {
            ticks: Some(8),
            proof: Proof::Ticks,
            sealed: true,
            agents: is_part.then(|| vec![all[1]]),
            ..FlightOptions::default()
        };
        let recorder = FlightRecorder::begin(&mut dogs, options).unwrap();
        let (mut with, mut behind) = (0, 0);
        for tick in 0..30 {
            if tick == 6 {
                dogs.reload(hearing(new), Reload::plan(old, new)).unwrap();
            }
            let call = dogs.machine().event("Call").unwrap();
            dogs.send(all[1], call, ()).unwrap();
            dogs.tick(&());
            let dump = recorder.dump().unwrap();
            let tape = Tape::read(&dump).unwrap();
            let reloads = tape.reloads().unwrap().len();
            let begins_new = tape.hashes() == hashes[1];
            assert_eq!(
                reloads,
                usize::from(tick >= 6 && !begins_new),
                "tick {tick}"
            );
            with += reloads;
            behind += u32::from(begins_new);
            let sealed = SealedProgram::of(&tape).unwrap();
            let mut replay = sealed.replay(&tape, 0).unwrap();
            replay.run(|dogs| sealed.tick(dogs)).unwrap();
            assert_eq!(replay.crowd().now(), tick + 1);
            assert_eq!(replay.crowd().path(all[1]), dogs.path(all[1]));
        }
        assert!(
            with > 3 && behind > 10,
            "{with} with the reload, {behind} behind it"
        );
        recorder.finish(&mut dogs);
    }
}
