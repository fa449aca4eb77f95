//! Three regions at once: legs, arms, voice. States own channels, and give them back when they are
//! left.

use statewright::Blackboard;
use statewright::prelude::*;

const BODY: &str = r#"{ "machine": "Body", "tier": "standard",
  "events": ["Go", "Halt", "Draw", "Stow", "Shout", "Faint"],
  "channels": { "legs": { "lane": "navigation", "release": "StopLegs" }, "hands": { "lane": "animation", "release": "FreeHands" } },
  "initial": "awake",
  "transitions": [{ "on": "Faint", "to": "lying", "interrupt": true }],
  "states": {
    "awake": { "regions": {
      "legs":  { "initial": "stand", "states": {
        "stand": { "transitions": [{ "on": "Go", "to": "walk" }] },
        "walk":  { "owns": ["legs"], "entry": { "emit": "Walk", "lane": "navigation" }, "transitions": [{ "on": "Halt", "to": "stand" }] } } },
      "arms":  { "initial": "hang", "states": {
        "hang":  { "transitions": [{ "on": "Draw", "to": "aim" }] },
        "aim":   { "owns": ["hands"], "transitions": [{ "on": "Stow", "to": "hang" }] } } },
      "voice": { "initial": "calm", "states": {
        "calm":  { "transitions": [{ "on": "Shout", "do": { "emit": "Cry", "lane": "audio" } }] } } } } },
    "lying": {} } }"#;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    play(|_| ()).map(drop)
}

/// All of it. `begin` gets the crowd before anybody is there, such as for a recording.
pub(crate) fn play<R>(
    begin: impl FnOnce(&mut Crowd<Blackboard, ()>) -> R,
) -> Result<(Crowd<Blackboard, ()>, R), Box<dyn std::error::Error>> {
    let machine = Machine::from_text("body.sw.json", BODY)?;
    let mut crowd = Crowd::new(machine.bind(Functions::<Blackboard, ()>::new())?, 1);
    let begun = begin(&mut crowd);
    let body = crowd.spawn(Blackboard::new(&machine));
    crowd.tick(&());
    for events in [
        &["Go", "Draw"][..],
        &["Shout"],
        &["Stow"],
        &["Draw"],
        &["Faint"],
    ] {
        for event in events {
            crowd.send(body, machine.event(event)?, ())?;
        }
        crowd.tick(&());
        println!("{:<10} {}", events.join("+"), crowd.path(body)?);
        for command in crowd.commands() {
            match command.what(&machine.rom()) {
                What::Emit { name, .. } => println!("           emits {name}"),
                What::Release { name, .. } => println!("           gives back: {name}"),
                other => println!("           {other:?}"),
            }
        }
    }
    Ok((crowd, begun))
}
