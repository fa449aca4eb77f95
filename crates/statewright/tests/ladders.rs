//! History and scores by jumps of the tables: each rung of a ladder leads to its own state. Crowds that nobody traces
//! take them; the fixtures trace, and so take the slow path.

use statewright::Blackboard;
use statewright::prelude::*;

const MACHINE: &str = r#"{
  "machine": "Ladders",
  "events": ["One", "Two", "Three", "Away", "Back", "Choose"],
  "blackboard": { "low": { "type": "f32", "default": 1.0 }, "high": { "type": "f32", "default": 2.0 } },
  "initial": "home",
  "states": {
    "home": {
      "initial": "one",
      "history": { "last": { "default": "two" } },
      "transitions": [
        { "on": "One", "to": "one" }, { "on": "Two", "to": "two" }, { "on": "Three", "to": "three" },
        { "on": "Away", "to": "out" }
      ],
      "states": { "one": {}, "two": {}, "three": {} }
    },
    "out": {
      "transitions": [
        { "on": "Back", "to": "home/last" },
        { "on": "Choose", "to": "home/one", "score": "low" },
        { "on": "Choose", "to": "home/three", "score": "high" },
        { "on": "Choose", "to": "home/two", "score": "low + 0.5" }
      ]
    }
  }
}"#;

/// One agent after these events, one in each tick.
fn after(events: &[&str]) -> String {
    let machine = Machine::from_text("ladders.sw.json", MACHINE).unwrap();
    let program = machine.bind(Functions::<Blackboard, ()>::new()).unwrap();
    let mut crowd = Crowd::new(program, 1);
    let agent = crowd.spawn(Blackboard::new(&machine));
    crowd.tick(&());
    for &event in events {
        let event = machine.event(event).unwrap();
        crowd.send(agent, event, ()).unwrap();
        crowd.tick(&());
    }
    let inside = |name: &&&str| crowd.is_in(agent, machine.state(name).unwrap()).unwrap();
    let leaves = ["home/one", "home/two", "home/three", "out"];
    leaves.iter().find(inside).unwrap().to_string()
}

#[test]
fn exec_4_history_brings_back_each_state_that_it_may_remember() {
    assert_eq!(after(&["Three", "Away", "Back"]), "home/three");
    assert_eq!(after(&["Two", "Away", "Back"]), "home/two");
    assert_eq!(after(&["One", "Away", "Back"]), "home/one");
    let again = ["Three", "Away", "Back", "Two", "Away", "Back"];
    assert_eq!(after(&again), "home/two");
}

#[test]
fn sel_3_the_best_score_wins_wherever_it_stands() {
    assert_eq!(after(&["Away", "Choose"]), "home/three");
}
