//! Rollback: a snapshot is a copy of bytes. Run on, learn that an input came late, go back, and run
//! again.

use statewright::Blackboard;
use statewright::prelude::*;

const DICE: &str = r#"{ "machine": "Gambler", "events": ["Roll", "Cheat"],
  "blackboard": { "coins": { "type": "i32", "default": 10 } },
  "functions": { "Lucky": { "kind": "guard", "rng": true } },
  "initial": "play",
  "states": {
    "play": { "transitions": [
      { "on": "Roll", "if": "Lucky", "do": "coins += 3" },
      { "on": "Roll", "do": "coins -= 1" },
      { "on": "Cheat", "do": "coins += 100" },
      { "when": "always", "if": "coins < 1", "to": "broke" } ] },
    "broke": {} } }"#;

/// Winners' coins, by agent.
fn coins(crowd: &Crowd<Blackboard, ()>) -> Result<Vec<i32>, Box<dyn std::error::Error>> {
    let key = crowd.machine().key("coins")?;
    crowd
        .agents()
        .map(|agent| Ok(crowd.board(agent)?.get(key)?))
        .collect()
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let machine = Machine::from_text("gambler.sw.json", DICE)?;
    let lucky = Functions::new()
        .guard("Lucky", |_: &Blackboard, _: &(), cx| {
            Verdict::from(cx.rng().is_some_and(|mut rng| rng.below(4) == 0))
        })
        .uses_rng();
    let [roll, cheat] = [machine.event("Roll")?, machine.event("Cheat")?];
    let mut crowd = Crowd::new(machine.bind(lucky)?, 2024);
    let gamblers: Vec<AgentId> = (0..4)
        .map(|_| crowd.spawn(Blackboard::new(&machine)))
        .collect();

    let play = |crowd: &mut Crowd<Blackboard, ()>, ticks: u32| {
        for _ in 0..ticks {
            crowd.broadcast(roll, ()).expect("an event of the machine");
            crowd.tick(&());
        }
    };
    play(&mut crowd, 20);
    let saved = crowd.snapshot();
    println!("tick 20: {:?}, {} bytes", coins(&crowd)?, saved.len());

    play(&mut crowd, 8);
    let predicted = crowd.snapshot();
    println!("tick 28: {:?} as predicted", coins(&crowd)?);

    crowd.restore(&saved)?;
    play(&mut crowd, 8);
    println!("tick 28: again the same: {}", crowd.snapshot() == predicted);

    // Late news: somebody cheated in tick 20.
    crowd.restore(&saved)?;
    crowd.send(gamblers[1], cheat, ())?;
    play(&mut crowd, 8);
    println!("tick 28: {:?} as it really was", coins(&crowd)?);
    Ok(())
}
