//! Push and pop: a stunned fighter goes on exactly where he was.

use statewright::Blackboard;
use statewright::prelude::*;

const FIGHTER: &str = r#"{ "machine": "Fighter", "tier": "standard", "tick_rate": 10, "stack": 2,
  "events": ["Hit", "Recovered"],
  "initial": "combo",
  "states": {
    "combo": { "initial": "jab", "transitions": [{ "on": "Hit", "to": "stunned", "stack": "push" }], "states": {
      "jab":   { "transitions": [{ "after": "1s", "to": "cross" }] },
      "cross": { "transitions": [{ "after": "1s", "to": "hook" }] },
      "hook":  { "transitions": [{ "after": "1s", "to": "jab" }] } } },
    "stunned": { "transitions": [{ "on": "Recovered", "stack": "pop" }] } } }"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    play(|_| ()).map(drop)
}

/// All of it. `begin` gets the crowd before anybody is there, such as for a recording.
pub(crate) fn play<R>(
    begin: impl FnOnce(&mut Crowd<Blackboard, ()>) -> R,
) -> Result<(Crowd<Blackboard, ()>, R), Box<dyn std::error::Error>> {
    let machine = Machine::from_text("fighter.sw.json", FIGHTER)?;
    let [hit, recovered] = [machine.event("Hit")?, machine.event("Recovered")?];
    let mut crowd = Crowd::new(machine.bind(Functions::<Blackboard, ()>::new())?, 1);
    let begun = begin(&mut crowd);
    let fighter = crowd.spawn(Blackboard::new(&machine));
    let mut last = String::new();
    for tick in 0..80 {
        match tick {
            // In the middle of the second blow.
            14 => crowd.send(fighter, hit, ())?,
            50 => crowd.send(fighter, recovered, ())?,
            _ => {}
        }
        crowd.tick(&());
        let now = crowd.path(fighter)?;
        if now != last {
            println!("{:>4.1} s  {now}", f64::from(tick) / 10.0);
            last = now;
        }
    }
    Ok((crowd, begun))
}
