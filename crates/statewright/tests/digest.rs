//! TAPE-3: one number for a crowd. Whatever enters changes it, keeping it changes nothing, and observers
//! hear of everything once.

use std::sync::{Arc, Mutex};

use statewright::prelude::*;
use statewright::{Blackboard, Input, Observer, Sent, Tick};

const DOG: &str = r#"{ "machine": "Dog", "events": { "Call": { "payload": "i32" } },
  "parameters": { "brave": false }, "variants": { "hero": { "brave": true } },
  "blackboard": { "bones": { "type": "i32" } },
  "initial": "sit",
  "states": {
    "sit": { "transitions": [{ "when": "always", "if": "brave && bones > 0", "to": "bark" },
                             { "on": "Call", "to": "walk", "do": [{ "emit": "Woof", "lane": "audio" }] }] },
    "bark": {}, "walk": { "transitions": [{ "after": "3t", "to": "sit" }] } } }"#;

type Dogs = Crowd<Blackboard, ()>;

fn dogs() -> (Dogs, AgentId) {
    let machine = Machine::from_text("dog.sw.json", DOG).unwrap();
    let mut dogs = Crowd::new(machine.bind(Functions::new()).unwrap(), 1);
    let agents = [(); 3].map(|()| dogs.spawn(Blackboard::new(&machine)));
    dogs.tick(&());
    (dogs, agents[1])
}

/// Lets something enter.
type Step = fn(&mut Dogs, AgentId);

/// What enters, by name.
const STEPS: [(&str, Step); 10] = [
    ("spawn", |dogs, _| {
        let board = Blackboard::new(dogs.machine());
        dogs.spawn(board);
    }),
    ("despawn", |dogs, dog| dogs.despawn(dog).unwrap()),
    ("reset", |dogs, dog| dogs.reset(dog).unwrap()),
    ("stop", |dogs, dog| dogs.stop(dog).unwrap()),
    ("pause", |dogs, dog| dogs.pause(dog).unwrap()),
    ("send", |dogs, dog| {
        let call = dogs.machine().event("Call").unwrap();
        dogs.send(dog, call, 5).unwrap();
    }),
    ("broadcast", |dogs, _| {
        let call = dogs.machine().event("Call").unwrap();
        dogs.broadcast(call, 5).unwrap();
    }),
    ("variant", |dogs, dog| {
        let hero = dogs.machine().variant("hero").unwrap();
        dogs.set_variant(dog, hero).unwrap();
    }),
    ("parameter", |dogs, _| {
        let brave = dogs.machine().parameter("brave").unwrap();
        dogs.set_parameter(brave, true).unwrap();
    }),
    ("tick", |dogs, _| {
        dogs.tick(&());
    }),
];

#[test]
fn tape_3_whatever_enters_changes_the_digest_kept_or_not() {
    for (name, step) in STEPS {
        let (mut plain, dog) = dogs();
        let (mut kept, _) = dogs();
        kept.keep_digest(true);
        let before = plain.digest();
        assert_eq!(kept.digest(), before, "{name}");
        step(&mut plain, dog);
        step(&mut kept, dog);
        assert_ne!(plain.digest(), before, "{name}");
        assert_eq!(kept.digest(), plain.digest(), "{name}");
        for _ in 0..5 {
            plain.tick(&());
            kept.tick(&());
            assert_eq!(kept.digest(), plain.digest(), "{name}");
        }
        kept.keep_digest(false);
        assert_eq!(kept.digest(), plain.digest(), "{name}");
    }
}

#[test]
fn tape_3_blackboards_and_commands_have_digests_of_their_own() {
    let (mut crowd, dog) = dogs();
    let bones = crowd.machine().key("bones").unwrap();
    let (agents, boards) = (crowd.digest(), crowd.boards_digest());
    crowd
        .edit_board(dog, |board| board.set(bones, 3).unwrap())
        .unwrap();
    assert_eq!(crowd.digest(), agents);
    assert_ne!(crowd.boards_digest(), boards);
    let silent = crowd.commands_digest();
    let call = crowd.machine().event("Call").unwrap();
    crowd.send(dog, call, 5).unwrap();
    crowd.tick(&());
    assert_ne!(crowd.commands_digest(), silent);
}

#[test]
fn tape_3_the_digest_of_an_agent_is_its_own() {
    let (mut crowd, dog) = dogs();
    let other = crowd.agents().next().unwrap();
    let before = [dog, other].map(|agent| crowd.agent_digest(agent).unwrap());
    crowd.pause(dog).unwrap();
    let after = [dog, other].map(|agent| crowd.agent_digest(agent).unwrap());
    assert_ne!(after[0], before[0]);
    assert_eq!(after[1], before[1]);
    crowd.despawn(dog).unwrap();
    assert!(crowd.agent_digest(dog).is_err());
}

/// Writes down what it hears.
struct Heard(Arc<Mutex<Vec<String>>>);

impl Observer<Blackboard, ()> for Heard {
    fn entering(&mut self, crowd: &Dogs, input: &Input<Blackboard>) {
        let text = format!("{input:?}");
        let name: String = text.chars().take_while(|c| c.is_alphabetic()).collect();
        let line = format!("{name} {}", crowd.len());
        self.0.lock().unwrap().push(line);
    }

    fn sent(&mut self, crowd: &Dogs, events: Sent<'_>) {
        let numbers = events.map(|one| one.event.i32());
        let line = format!("Sent {:?} {}", numbers.collect::<Vec<i32>>(), crowd.len());
        self.0.lock().unwrap().push(line);
    }

    fn restored(&mut self, crowd: &Dogs) {
        let line = format!("restored {}", crowd.len());
        self.0.lock().unwrap().push(line);
    }

    fn ticked(&mut self, crowd: &Dogs, tick: &Tick) {
        assert_eq!(crowd.now(), tick.tick + 1);
        let line = format!("tick {}", tick.tick);
        self.0.lock().unwrap().push(line);
    }
}

#[test]
fn an_observer_hears_of_everything_once_and_in_order() {
    let (mut crowd, dog) = dogs();
    let heard = Arc::new(Mutex::new(Vec::new()));
    let before = crowd.snapshot();
    assert!(
        crowd
            .set_observer(Some(Box::new(Heard(heard.clone()))))
            .is_none()
    );
    for (_, step) in STEPS {
        // Some come too late for the dog that is gone.
        if crowd.contains(dog) {
            step(&mut crowd, dog);
        }
    }
    assert!(
        crowd.despawn(dog).is_err(),
        "what is refused nobody hears of"
    );
    let (call, other) = (
        crowd.machine().event("Call").unwrap(),
        crowd.agents().next(),
    );
    for number in 0..3 {
        crowd.send(other.unwrap(), call, number).unwrap();
    }
    crowd.restore(&before).unwrap();
    crowd.edit_board(dog, |_| ()).unwrap();
    crowd.send(dog, call, 3).unwrap();
    crowd.tick(&());
    crowd.send(dog, call, 4).unwrap();
    crowd.pause(dog).unwrap();
    crowd.broadcast(call, 5).unwrap();
    crowd.send(dog, call, 6).unwrap();
    assert!(crowd.set_observer(None).is_some());
    crowd.tick(&());
    let heard = heard.lock().unwrap();
    let expected = [
        "Spawn 3",
        "Despawn 4",
        "Sent [0, 1, 2] 3",
        "restored 3",
        "Written 3",
        "Sent [3] 3",
        "tick 1",
        "Sent [4] 3",
        "Pause 3",
        "Broadcast 3",
        "Sent [6] 3",
    ];
    assert_eq!(*heard, expected);
}

/// Writes down the numbers of events that it hears of, as many as are told at once.
struct Numbers(Arc<Mutex<Vec<Vec<i32>>>>);

impl Observer<Blackboard, ()> for Numbers {
    fn entering(&mut self, _: &Dogs, input: &Input<Blackboard>) {
        panic!("{input:?} was not sent");
    }

    fn sent(&mut self, _: &Dogs, events: Sent<'_>) {
        let numbers = events.map(|one| one.event.i32()).collect();
        self.0.lock().unwrap().push(numbers);
    }

    fn restored(&mut self, _: &Dogs) {}

    fn ticked(&mut self, _: &Dogs, _: &Tick) {}
}

#[test]
fn an_observer_hears_of_many_events_before_the_tick() {
    let (mut crowd, dog) = dogs();
    let call = crowd.machine().event("Call").unwrap();
    crowd.send(dog, call, -1).unwrap();
    let heard = Arc::new(Mutex::new(Vec::new()));
    crowd.set_observer(Some(Box::new(Numbers(heard.clone()))));
    for number in 0..5000 {
        crowd.send(dog, call, number).unwrap();
    }
    let before = heard.lock().unwrap().len();
    assert!(before > 2, "{before}");
    crowd.set_observer(None);
    let heard = heard.lock().unwrap().concat();
    assert!(
        heard.into_iter().eq(0..5000),
        "what was sent before is none of its business"
    );
}
