//! Collectors: choose the nearest coin, fetch it, deliver it, choose again.
//!
//! Moving is an update list with an argument from a parameter, so that a variant is faster; what
//! is near is a value of the game; what to do next is a decision with `then` and `else`.

use statewright::Saved;
use statewright::prelude::*;

const COLLECTOR: &str = r#"{ "machine": "Collector", "tick_rate": 10, "events": ["TooLate"],
  "blackboard": { "goal": "vec2", "home": "vec2", "delivered": "i32" },
  "parameters": { "speed": 2.0, "pause": "300ms" },
  "variants": { "runner": { "speed": 5.0 }, "dreamer": { "pause": "1s" } },
  "functions": {
    "coin_left": { "kind": "value", "returns": "bool" },
    "distance": { "kind": "value", "returns": "f32", "parameters": { "to": "vec2" } },
    "Choose": "action", "PickUp": "action",
    "MoveTo": { "kind": "action", "parameters": { "goal": "vec2", "step": "f32" } } },
  "initial": "choose",
  "states": {
    "choose": {
      "decisions": [{ "if": "coin_left", "then": "fetch", "else": "retire" }] },
    "fetch": {
      "entry": "Choose",
      "update": "MoveTo(goal, speed / 10.0)",
      "transitions": [{ "when": "always", "if": "distance(goal) < 0.01", "do": "PickUp", "to": "deliver" }] },
    "deliver": {
      "update": "MoveTo(home, speed / 10.0)",
      "transitions": [
        { "on": "TooLate", "to": "choose" },
        { "when": "always", "if": "distance(home) < 0.01", "do": "delivered += 1", "to": "breathe" }] },
    "breathe": { "transitions": [{ "after": "pause", "to": "choose" }] },
    "retire": {} } }"#;

/// Coins that still lie about.
pub(crate) struct Field {
    coins: Vec<[f32; 2]>,
}

/// An agent wants the coin that lies here.
#[derive(Clone, Copy, Debug, PartialEq, Command)]
#[command(lane = GAMEPLAY)]
struct Take([f32; 2]);

#[derive(Board, Saved)]
pub(crate) struct Collector {
    #[board(skip)]
    place: [f32; 2],
    goal: [f32; 2],
    home: [f32; 2],
    delivered: i32,
}

fn between([ax, ay]: [f32; 2], [bx, by]: [f32; 2]) -> f32 {
    ((bx - ax) * (bx - ax) + (by - ay) * (by - ay)).sqrt()
}

#[functions(context = Field)]
impl Collector {
    #[value]
    fn coin_left(&self, field: &Field) -> bool {
        !field.coins.is_empty()
    }

    #[value]
    fn distance(&self, to: [f32; 2]) -> f32 {
        between(self.place, to)
    }

    #[action]
    fn choose(&mut self, field: &Field) {
        let near = |a: &&[f32; 2], b: &&[f32; 2]| {
            between(self.place, **a).total_cmp(&between(self.place, **b))
        };
        self.goal = field
            .coins
            .iter()
            .min_by(near)
            .copied()
            .unwrap_or(self.home);
    }

    #[action]
    fn pick_up(&mut self, cx: &mut ActionCx) {
        cx.emit(Take(self.goal));
    }

    #[action]
    fn move_to(&mut self, goal: [f32; 2], step: f32) {
        let far = between(self.place, goal);
        let part = if far <= step { 1.0 } else { step / far };
        for (here, there) in self.place.iter_mut().zip(goal) {
            *here += (there - *here) * part;
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    play(|_| ()).map(drop)
}

/// All of it. `begin` gets the crowd before anybody is there, such as for a recording.
pub(crate) fn play<R>(
    begin: impl FnOnce(&mut Crowd<Collector, Field>) -> R,
) -> Result<(Crowd<Collector, Field>, R), Box<dyn std::error::Error>> {
    let machine = Machine::from_text("collector.sw.json", COLLECTOR)?;
    assert_eq!(machine.warnings(), [""; 0]);
    let too_late = machine.event("TooLate")?;
    let mut crowd = Crowd::new(machine.bind(Collector::functions())?, 1);
    let begun = begin(&mut crowd);
    let collector = |home| Collector {
        place: home,
        goal: home,
        home,
        delivered: 0,
    };
    let runner = crowd.spawn_as(collector([0.0, 0.0]), machine.variant("runner")?);
    let dreamer = crowd.spawn_as(collector([9.0, 0.0]), machine.variant("dreamer")?);
    let plain = crowd.spawn(collector([5.0, 5.0]));
    let names = [(runner, "runner"), (dreamer, "dreamer"), (plain, "plain")];
    let mut field = Field {
        coins: vec![[1.0, 1.0], [8.0, 1.0], [5.0, 3.0], [4.0, 0.0], [2.0, 4.0]],
    };
    let mut last = [const { String::new() }; 3];
    for tick in 0..80 {
        crowd.tick(&field);
        let wishes: Vec<(AgentId, Take)> = crowd
            .commands()
            .filter_map(|command| Some((command.agent(), command.get()?)))
            .collect();
        for (agent, Take(coin)) in wishes {
            match field.coins.iter().position(|&lies| lies == coin) {
                Some(at) => _ = field.coins.remove(at),
                None => crowd.send(agent, too_late, ())?,
            }
        }
        for ((agent, name), last) in names.into_iter().zip(&mut last) {
            let now = crowd.path(agent)?;
            if now != *last {
                println!("{:>4.1} s  {name:<7}  {now}", f64::from(tick) / 10.0);
                *last = now;
            }
        }
    }
    for (agent, name) in names {
        println!("{name} delivered {}", crowd.board(agent)?.delivered);
    }
    Ok((crowd, begun))
}
