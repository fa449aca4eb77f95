//! One guard with everything: regions, history, a stack, a choice, utility with `stay`, debounce,
//! cooldown, latch, minimum time, interrupts, done and failed, update lists, values of the game,
//! parameters and variants. The story is printed as it happens.

use statewright::Saved;
use statewright::commands::What;
use statewright::prelude::*;

const GUARD: &str = r#"{ "machine": "Guard", "tick_rate": 10,
  "events": { "Noise": { "payload": "vec2" }, "Hit": { "payload": "i32", "class": "interrupt" },
    "Talk": {}, "Bye": {}, "Shift": {} },
  "blackboard": { "health": "i32", "goal": "vec2", "threat": "f32", "steps": "i32" },
  "parameters": { "reaction": "300ms", "nerve": 0.5, "speed": 4.0 },
  "variants": { "veteran": { "reaction": "100ms", "nerve": 0.9 } },
  "functions": {
    "distance": { "kind": "value", "returns": "f32", "parameters": { "to": "vec2" } },
    "WalkTo": { "kind": "activity", "parameters": { "goal": "vec2", "step": "f32" } } },
  "initial": "duty",
  "transitions": [{ "on": "Hit", "do": "health -= event", "interrupt": true }],
  "states": {
    "duty": {
      "stack": 1,
      "history": { "before": { "deep": true } },
      "initial": "routine",
      "transitions": [
        { "when": "always", "if": "health <= 0", "to": "down", "priority": 9 },
        { "on": "Shift", "to": "pause", "latch": true }],
      "states": {
        "routine": {
          "transitions": [
            { "on": "Noise", "if": "distance(event) < 20.0", "do": "goal = event", "to": "look", "cooldown": "2s" },
            { "on": "Talk", "to": "chat", "stack": "push" }],
          "regions": {
            "legs": { "initial": "walk", "states": {
              "walk": { "update": "steps += 1", "transitions": [{ "after": "1s..2s", "to": "stand" }] },
              "stand": { "transitions": [{ "after": "2 * reaction", "to": "walk" }] } } },
            "eyes": { "initial": "scan", "states": {
              "scan": { "transitions": [{ "when": "always", "if": "threat > 0.3", "debounce": "reaction", "to": "stare" }] },
              "stare": { "entry": { "emit": "Who is there?", "lane": "audio" }, "transitions": [{ "when": "always", "if": "threat <= 0.3", "to": "scan" }] } } } } },
        "look": {
          "activity": "WalkTo(goal, speed / 10.0)",
          "transitions": [{ "when": "done", "to": "judge" }, { "when": "failed", "to": "routine" }] },
        "judge": { "choice": [{ "if": "threat > nerve", "to": "fight" }, { "do": { "emit": "Only the wind.", "lane": "audio" }, "to": "routine" }] },
        "fight": {
          "min_active": "500ms",
          "initial": "circle",
          "scratch": { "blows": "u16" },
          "states": {
            "circle": { "transitions": [
              { "every": "200ms", "stay": true, "score": "0.4" },
              { "every": "200ms", "to": "strike", "score": "threat" }] },
            "strike": { "entry": ["blows += 1", "threat -= 0.3", { "emit": "Take this!", "lane": "audio" }], "transitions": [{ "after": "200ms", "to": "circle" }] } },
          "transitions": [
            { "when": "always", "if": "threat < 0.1", "to": "routine" },
            { "when": "always", "if": "blows >= 3", "to": "routine" }] },
        "chat": { "transitions": [{ "on": "Bye", "stack": "pop" }] } } },
    "pause": { "transitions": [{ "after": "1s", "to": "duty/before" }] },
    "down": { "final": true } } }"#;

#[derive(Board, Saved)]
pub(crate) struct Guard {
    health: i32,
    #[board(skip)]
    place: [f32; 2],
    goal: [f32; 2],
    threat: f32,
    steps: i32,
}

#[functions]
impl Guard {
    #[value]
    fn distance(&self, to: [f32; 2]) -> f32 {
        let [x, y] = [to[0] - self.place[0], to[1] - self.place[1]];
        (x * x + y * y).sqrt()
    }

    /// Fails at the river: nobody walks to a place west of it.
    #[activity]
    fn walk_to(&mut self, goal: [f32; 2], step: f32) -> Status {
        if goal[0] < 0.0 {
            return Status::Failed;
        }
        let far = self.distance(goal);
        let part = if far <= step { 1.0 } else { step / far };
        for (here, there) in self.place.iter_mut().zip(goal) {
            *here += (there - *here) * part;
        }
        if part == 1.0 {
            Status::Succeeded
        } else {
            Status::Running
        }
    }
}

/// What the world does to the guard in a tick.
enum Deed {
    Noise([f32; 2]),
    Hit(i32),
    Threat(f32),
    Word(&'static str),
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    play(|_| ()).map(drop)
}

/// All of it. `begin` gets the crowd before anybody is there, such as for a recording.
pub(crate) fn play<R>(
    begin: impl FnOnce(&mut Crowd<Guard, ()>) -> R,
) -> Result<(Crowd<Guard, ()>, R), Box<dyn std::error::Error>> {
    let machine = Machine::from_text("guard.sw.json", GUARD)?;
    assert_eq!(machine.warnings(), [""; 0]);
    let (noise, hit) = (machine.event("Noise")?, machine.event("Hit")?);
    let mut crowd = Crowd::new(machine.bind(Guard::functions())?, 1);
    let begun = begin(&mut crowd);
    let guard = crowd.spawn_as(
        Guard {
            health: 10,
            place: [0.0; 2],
            goal: [0.0; 2],
            threat: 0.0,
            steps: 0,
        },
        machine.variant("veteran")?,
    );
    let story = [
        (5, Deed::Word("Talk")),
        (9, Deed::Word("Bye")),
        (12, Deed::Noise([-1.0, 0.0])),
        (15, Deed::Threat(0.4)),
        (18, Deed::Threat(0.0)),
        (34, Deed::Noise([0.5, 0.5])),
        (37, Deed::Noise([99.0, 0.0])),
        (60, Deed::Noise([1.0, 0.0])),
        (60, Deed::Threat(1.0)),
        (64, Deed::Word("Shift")),
        (66, Deed::Hit(4)),
        (110, Deed::Hit(6)),
    ];
    let mut last = String::new();
    for tick in 0..115 {
        for (_, deed) in story.iter().filter(|(when, _)| *when == tick) {
            match *deed {
                Deed::Noise(place) => crowd.send(guard, noise, place)?,
                Deed::Hit(points) => crowd.send(guard, hit, points)?,
                Deed::Threat(threat) => crowd.board_mut(guard)?.threat = threat,
                Deed::Word(event) => crowd.send(guard, machine.event(event)?, ())?,
            }
        }
        crowd.tick(&());
        let time = f64::from(tick) / 10.0;
        for command in crowd.commands() {
            if let What::Emit { name, .. } = command.what(&machine.rom()) {
                println!("{time:>4.1} s  \"{name}\"");
            }
        }
        let now = crowd.path(guard)?;
        if now != last {
            println!("{time:>4.1} s  {now}");
            last = now;
        }
    }
    let Guard { health, steps, .. } = crowd.board(guard)?;
    println!("health {health}, {steps} steps on patrol");
    Ok((crowd, begun))
}
