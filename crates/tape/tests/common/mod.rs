//! A crowd with something of everything, and a run of it.

use std::sync::Arc;

use statewright::prelude::*;
use statewright::{Blackboard, Program, TickSettings};
use statewright_tape::{Proof, Recording, RecordingOptions};

pub const DOG: &str = r#"{ "machine": "Dog", "tick_rate": 10,
  "events": { "Call": { "payload": "i32" }, "Throw": { "payload": "vec3" }, "Greet": { "payload": "entity" } },
  "parameters": { "brave": false, "patience": 3 }, "variants": { "hero": { "brave": true } },
  "blackboard": { "bones": { "type": "i32" }, "mood": { "type": "f32", "default": 0.5 } },
  "initial": "sit",
  "states": {
    "sit": { "transitions": [{ "when": "always", "if": "brave && bones > patience", "to": "bark" },
                             { "on": "Call", "if": "Hears", "to": "walk", "do": ["bones += 1", { "emit": "Woof", "lane": "audio" }] },
                             { "on": "Throw", "to": "bark" }] },
    "bark": { "entry": "Chew", "transitions": [{ "after": "4t", "to": "sit", "do": "bones = 0" }] },
    "walk": { "transitions": [{ "after": "3t", "to": "sit" }, { "on": "Greet", "to": "bark" }] } } }"#;

pub type Dogs = Crowd<Blackboard, World>;

/// What user code looks at.
pub struct World {
    pub loudness: i32,
}

pub fn functions() -> Functions<Blackboard, World> {
    Functions::new()
        .guard("Hears", |_: &Blackboard, world: &World, cx| {
            let call = cx.payload_words()[0] as i32;
            Verdict::from(call + world.loudness > 3)
        })
        .action("Chew", |board: &mut Blackboard, _: &World, cx| {
            let drawn = cx.rng().below(100) as f32;
            let mood = board.machine_key("mood");
            board.write(mood, [drawn.to_bits(), 0, 0]);
        })
}

/// Fields of [`Blackboard`]s are keys in their order.
trait KeyByName {
    fn machine_key(&self, name: &str) -> usize;
}

impl KeyByName for Blackboard {
    fn machine_key(&self, name: &str) -> usize {
        ["bones", "mood"]
            .iter()
            .position(|key| *key == name)
            .unwrap()
    }
}

pub fn program() -> Arc<Program<Blackboard, World>> {
    let machine = Machine::from_text("dog.sw.json", DOG).unwrap();
    Arc::new(machine.bind(functions()).unwrap())
}

pub const WORLD: World = World { loudness: 1 };

/// Ticks of a run.
pub const TICKS: u64 = 40;

/// Every kind of input, and ticks between. `each` hears of the crowd before every tick.
pub fn run(dogs: &mut Dogs, mut each: impl FnMut(&Dogs, u64)) {
    let machine = dogs.machine().clone();
    let [call, throw] = ["Call", "Throw"].map(|name| machine.event(name).unwrap());
    let greet = machine.event("Greet").unwrap();
    let (hero, bones) = (
        machine.variant("hero").unwrap(),
        machine.key("bones").unwrap(),
    );
    let board = || Blackboard::new(&machine);
    let mut agents = vec![dogs.spawn(board()), dogs.spawn_as(board(), hero)];
    let mut saved = Vec::new();
    for tick in 0..TICKS {
        let agent = agents[tick as usize % agents.len()];
        let there = dogs.contains(agent);
        match tick {
            1..=8 => agents.push(dogs.spawn(board().with(&machine, "bones", tick as i32).unwrap())),
            9 => dogs
                .set_parameter(machine.parameter("patience").unwrap(), 1)
                .unwrap(),
            10 => dogs.despawn(agents[3]).unwrap(),
            11 => agents.push(dogs.spawn_as(board(), hero)),
            12 => dogs.pause(agents[4]).unwrap(),
            13 => dogs
                .edit_board(agents[5], |board| board.set(bones, 7).unwrap())
                .unwrap(),
            14 => dogs.broadcast(call, 9).unwrap(),
            15 => dogs.stop(agents[6]).unwrap(),
            16 => dogs.resume(agents[4]).unwrap(),
            17 => dogs.set_variant(agents[0], hero).unwrap(),
            18 => dogs.reset(agents[6]).unwrap(),
            19 => saved = dogs.snapshot(),
            20 => {
                let bytes = dogs.instance_bytes(agents[0]).unwrap().to_vec();
                dogs.set_instance_bytes(agents[0], &bytes).unwrap();
            }
            21 => {
                let settings = TickSettings {
                    budget: Some(100),
                    ..*dogs.settings()
                };
                dogs.set_settings(settings).unwrap();
            }
            22 => dogs.clear_flags(agents[0]).unwrap(),
            23 => dogs.reset_counters(),
            25 => dogs.restore(&saved).unwrap(),
            _ => {}
        }
        if there {
            let _ = dogs.send(agent, call, tick as i32 % 7);
            let _ = dogs.send(agent, throw, [1.0, tick as f32, 0.0]);
            let _ = dogs.send(agent, greet, agents[0]);
        }
        each(dogs, tick);
        dogs.tick(&WORLD);
    }
}

/// A tape of a run, and the crowd at its end.
pub fn recorded(proof: Proof) -> (Vec<u8>, Dogs) {
    let mut dogs: Dogs = Crowd::new(program(), 7);
    let options = RecordingOptions {
        proof,
        ..RecordingOptions::default()
    };
    let recording = Recording::begin(&mut dogs, Vec::new(), options).unwrap();
    run(&mut dogs, |_, tick| recording.set_context(tick));
    let (bytes, summary) = recording.finish(&mut dogs).unwrap();
    assert_eq!(summary.ticks, TICKS);
    (bytes, dogs)
}
