//! TAPE-5: the last seconds in memory, as a tape when something goes wrong or somebody asks.

use statewright::Blackboard;
use statewright::prelude::*;
use statewright_tape::{FlightOptions, FlightRecorder, Proof, RecordError, Replay, Tape, Trouble};

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
