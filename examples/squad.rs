//! Messages between agents, and a sync group: one event moves feet and weapon of a soldier
//! together.

use statewright::Saved;
use statewright::prelude::*;

const SQUAD: &str = r#"{ "machine": "Soldier", "tier": "standard",
  "events": { "Contact": { "payload": "entity" }, "FallBack": {} },
  "initial": "ready",
  "states": {
    "ready": { "transitions": [{ "on": "Contact", "to": "combat", "do": "Report" }] },
    "combat": {
      "transitions": [{ "on": "FallBack", "sync": { "feet": "retreat", "weapon": "cover" } }],
      "regions": {
        "feet": { "initial": "advance", "states": { "advance": {}, "retreat": {} } },
        "weapon": { "initial": "fire", "states": { "fire": {}, "cover": {} } } } } } }"#;

#[derive(Saved)]
pub(crate) struct Soldier {
    next: Option<AgentId>,
    enemy: Option<AgentId>,
}

impl Board for Soldier {}

/// Events by name, once.
pub(crate) struct Words {
    contact: statewright::EventHandle,
}

#[functions(context = Words)]
impl Soldier {
    /// Whoever sees the enemy first tells the next one; that takes a tick each.
    #[action]
    fn report(&mut self, words: &Words, cx: &mut ActionCx) {
        self.enemy = Some(cx.payload());
        if let Some(next) = self.next {
            cx.send(next, words.contact, cx.payload::<AgentId>());
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    play(|_| ()).map(drop)
}

/// All of it. `begin` gets the crowd before anybody is there, such as for a recording.
pub(crate) fn play<R>(
    begin: impl FnOnce(&mut Crowd<Soldier, Words>) -> R,
) -> Result<(Crowd<Soldier, Words>, R), Box<dyn std::error::Error>> {
    let machine = Machine::from_text("soldier.sw.json", SQUAD)?;
    let words = Words {
        contact: machine.event("Contact")?,
    };
    let fall_back = machine.event("FallBack")?;
    let mut crowd = Crowd::new(machine.bind(Soldier::functions())?, 1);
    let begun = begin(&mut crowd);
    let mut next = None;
    for _ in 0..4 {
        next = Some(crowd.spawn(Soldier { next, enemy: None }));
    }
    let squad: Vec<AgentId> = crowd.agents().collect();
    crowd.tick(&words);
    crowd.send(squad[3], words.contact, squad[0])?;
    for tick in 1..=6 {
        if tick == 6 {
            crowd.broadcast(fall_back, ())?;
        }
        crowd.tick(&words);
        let paths: Vec<String> = squad
            .iter()
            .map(|&soldier| crowd.path(soldier))
            .collect::<Result<_, _>>()?;
        println!("tick {tick}: {}", paths.join(" | "));
    }
    println!("{} messages lost", crowd.lost_messages());
    Ok((crowd, begun))
}
