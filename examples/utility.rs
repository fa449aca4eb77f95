//! Utility: among several wishes the strongest one wins; scores are expressions or Rust.

use statewright::Saved;
use statewright::prelude::*;

const CAT: &str = r#"{ "machine": "Cat", "tick_rate": 1,
  "events": ["Choose"],
  "blackboard": { "hunger": "f32", "fatigue": "f32" },
  "functions": { "Playfulness": "scorer", "Live": { "kind": "action", "parameters": { "hunger": "f32", "fatigue": "f32" } } },
  "initial": "sit",
  "transitions": [
    { "on": "Choose", "to": "eat", "score": "hunger", "threshold": 0.4 },
    { "on": "Choose", "to": "sleep", "score": "fatigue", "threshold": 0.4 },
    { "on": "Choose", "to": "play", "score": "Playfulness" } ],
  "states": {
    "sit": {},
    "eat": { "entry": ["Live(0.0, 0.1)", "hunger = 0.0"] },
    "sleep": { "entry": ["Live(0.2, 0.0)", "fatigue = 0.0"] },
    "play": { "entry": "Live(0.25, 0.3)" } } }"#;

#[derive(Board, Saved)]
pub(crate) struct Cat {
    hunger: f32,
    fatigue: f32,
    fun: u32,
}

#[functions]
impl Cat {
    /// The more it has played, the less it wants to.
    #[scorer]
    fn playfulness(&self) -> f32 {
        0.6 - 0.05 * self.fun as f32
    }

    #[action]
    fn live(&mut self, hunger: f32, fatigue: f32) {
        self.hunger += hunger;
        self.fatigue += fatigue;
        self.fun += u32::from(hunger > 0.2);
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    play(|_| ()).map(drop)
}

/// All of it. `begin` gets the crowd before anybody is there, such as for a recording.
pub(crate) fn play<R>(
    begin: impl FnOnce(&mut Crowd<Cat, ()>) -> R,
) -> Result<(Crowd<Cat, ()>, R), Box<dyn std::error::Error>> {
    let machine = Machine::from_text("cat.sw.json", CAT)?;
    let choose = machine.event("Choose")?;
    let mut crowd = Crowd::new(machine.bind(Cat::functions())?, 1);
    let begun = begin(&mut crowd);
    let cat = crowd.spawn(Cat {
        hunger: 0.3,
        fatigue: 0.2,
        fun: 0,
    });
    crowd.tick(&());
    for hour in 1..=10 {
        crowd.send(cat, choose, ())?;
        crowd.tick(&());
        let Cat {
            hunger, fatigue, ..
        } = crowd.board(cat)?;
        println!(
            "hour {hour:>2}: {:<5}  hunger {hunger:.2}  fatigue {fatigue:.2}",
            crowd.path(cat)?
        );
    }
    Ok((crowd, begun))
}
