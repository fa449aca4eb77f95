//! Values of game code in expressions, and arguments that expressions compute (LANG-4, LANG-11,
//! LANG-12).

use statewright::prelude::*;
use statewright::trace::{Level, Settings};
use statewright::{BindProblem, Kind, Timing, Type, Value, World};

struct Town {
    noise: f32,
}

#[derive(Board)]
struct Guard {
    fear: f32,
    post: [f32; 2],
    steps: i32,
    #[board(skip)]
    said: Vec<(i32, f32)>,
}

#[functions(context = Town)]
impl Guard {
    #[value]
    fn danger(&self, town: &Town, factor: f32) -> f32 {
        self.fear * factor + town.noise
    }

    #[value(name = "ai::Spot")]
    fn spot(&self) -> [f32; 2] {
        [self.post[0] + 1.0, self.post[1]]
    }

    #[action]
    fn say(&mut self, count: i32, power: f32) {
        self.said.push((count, power));
    }
}

const MACHINE: &str = r#"{
  "machine": "Guard", "events": ["Look", "Walk"],
  "blackboard": { "fear": "f32", "post": "vec2", "steps": "i32" },
  "parameters": { "nerve": 10.0 },
  "variants": { "coward": { "nerve": 0.0 } },
  "functions": {
    "danger": { "kind": "value", "returns": "f32", "parameters": { "factor": "f32" } },
    "ai::Spot": { "kind": "value", "returns": "vec2" }
  },
  "initial": "watch",
  "states": {
    "watch": {
      "scratch": { "looks": "u16" },
      "transitions": [
        { "on": "Look", "do": ["looks += 1", "Say(looks * 10, danger(factor: 2))"] },
        { "on": "Walk", "do": ["post = ai::Spot", "steps += i32(post.x)"] },
        { "on": "Walk", "score": "danger(1)", "threshold": "nerve", "priority": 1, "to": "flee" }
      ]
    },
    "flee": {}
  }
}"#;

fn machine() -> Machine {
    Machine::from_text("guard.sw.json", MACHINE).unwrap()
}

fn crowd() -> (Crowd<Guard, Town>, AgentId) {
    let program = machine().bind(Guard::functions()).unwrap();
    let mut crowd = Crowd::new(program, 1);
    let agent = crowd.spawn(Guard {
        fear: 1.5,
        post: [0.0, 7.0],
        steps: 0,
        said: Vec::new(),
    });
    (crowd, agent)
}

#[test]
fn lang_4_and_lang_11_functions_get_what_expressions_compute() {
    let (mut crowd, agent) = crowd();
    let town = Town { noise: 0.25 };
    let look = crowd.machine().event("Look").unwrap();
    crowd.tick(&town);
    for _ in 0..2 {
        crowd.send(agent, look, ()).unwrap();
        crowd.tick(&town);
    }
    assert_eq!(crowd.board(agent).unwrap().said, [(10, 3.25), (20, 3.25)]);
}

#[test]
fn lang_12_the_threshold_follows_the_variant_of_the_agent() {
    let (mut crowd, agent) = crowd();
    let town = Town { noise: 0.0 };
    let machine = crowd.machine().clone();
    let (walk, flee) = (
        machine.event("Walk").unwrap(),
        machine.state("flee").unwrap(),
    );
    crowd.tick(&town);
    crowd.send(agent, walk, ()).unwrap();
    crowd.tick(&town);
    let board = crowd.board(agent).unwrap();
    assert_eq!((board.post, board.steps), ([1.0, 7.0], 1));
    assert!(!crowd.is_in(agent, flee).unwrap());
    let coward = machine.variant("coward").unwrap();
    crowd.set_variant(agent, coward).unwrap();
    assert_eq!(crowd.variant(agent).unwrap(), coward);
    crowd.send(agent, walk, ()).unwrap();
    crowd.tick(&town);
    assert!(crowd.is_in(agent, flee).unwrap());
}

#[test]
fn lang_11_a_value_of_another_type_is_named_with_both() {
    let functions = Functions::<(), ()>::new()
        .value("danger", Type::I32, |(), (), _| 3.to_words())
        .arguments(&[Type::F32])
        .value("ai::Spot", Type::Vec2, |(), (), _| [0.0, 1.0].to_words())
        .action("Say", |(), (), _| {});
    let text = MACHINE.replace(r#""fear": "f32", "post": "vec2", "steps": "i32""#, "");
    let text = text.replace(
        r#", "do": ["post = ai::Spot", "steps += i32(post.x)"]"#,
        r#", "if": "ai::Spot.x > 1", "do": "Say(1, 2)""#,
    );
    let machine = Machine::from_text("guard.sw.json", &text).unwrap();
    let error = machine.bind(functions).unwrap_err();
    assert_eq!(
        error.problems,
        [BindProblem::Returns {
            name: "danger".to_owned(),
            wanted: Type::F32,
            found: Type::I32,
        }]
    );
    assert!(
        error
            .to_string()
            .contains("the machine declares that `danger` gives f32, but it gives i32"),
        "{error}"
    );
    let missing = machine.bind(Functions::<(), ()>::new()).unwrap_err();
    let kinds: Vec<Kind> = missing
        .problems
        .iter()
        .filter_map(|problem| match problem {
            BindProblem::Missing { kind, .. } => Some(*kind),
            _ => None,
        })
        .collect();
    assert_eq!(kinds, [Kind::Action, Kind::Value, Kind::Value]);
}

#[test]
fn lang_12_a_world_reads_and_changes_variants_of_its_agents() {
    let (crowd, agent) = crowd();
    let coward = crowd.machine().variant("coward").unwrap();
    let mut world = World::new();
    let guards = world.join_unsaved("guards", crowd).unwrap();
    let agent = world
        .crowd(guards)
        .unwrap()
        .agent_at(agent.index())
        .unwrap();
    assert_ne!(world.variant(agent).unwrap(), coward);
    world.set_variant(agent, coward).unwrap();
    assert_eq!(world.variant(agent).unwrap(), coward);
    assert_eq!(world.crowd(guards).unwrap().variant(agent).unwrap(), coward);
    world.despawn(agent).unwrap();
    assert!(world.variant(agent).is_err());
    assert!(world.set_variant(agent, coward).is_err());
}

#[test]
fn lang_11_ticks_that_are_traced_or_measured_ask_the_same_functions() {
    let said = |prepare: fn(&mut Crowd<Guard, Town>)| {
        let (mut crowd, agent) = crowd();
        prepare(&mut crowd);
        let town = Town { noise: 0.25 };
        let look = crowd.machine().event("Look").unwrap();
        crowd.tick(&town);
        crowd.send(agent, look, ()).unwrap();
        crowd.tick(&town);
        crowd.board(agent).unwrap().said.clone()
    };
    assert_eq!(said(|_| {}), [(10, 3.25)]);
    let traced = said(|crowd| crowd.set_trace(Some(Settings::new(Level::All))).unwrap());
    assert_eq!(traced, [(10, 3.25)]);
    let measured = said(|crowd| crowd.set_timing(Some(Timing::new(|| 0))));
    assert_eq!(measured, [(10, 3.25)]);
}

#[test]
fn lang_11_only_a_value_function_that_panics_ends_its_agent_and_is_named() {
    let functions = Functions::<(), bool>::new().value("danger", Type::F32, |(), fails, _| {
        assert!(!fails, "too much");
        1.0_f32.to_words()
    });
    let text = r#"{ "machine": "Guard", "events": ["Look"],
      "functions": { "danger": { "kind": "value", "returns": "f32" } }, "initial": "watch",
      "states": { "watch": { "transitions": [{ "on": "Look", "if": "danger > 2", "to": "watch" }] } } }"#;
    let machine = Machine::from_text("guard.sw.json", text).unwrap();
    let look = machine.event("Look").unwrap();
    let mut guards = Crowd::new(machine.bind(functions).unwrap(), 1);
    let guard = guards.spawn(());
    guards.tick(&false);
    for (fails, ended) in [(false, 0), (true, 1)] {
        guards.send(guard, look, ()).unwrap();
        assert_eq!(guards.tick(&fails).panicked, ended);
    }
    let said: Vec<String> = guards.panicked().map(ToString::to_string).collect();
    assert_eq!(said, [format!("{guard}, `danger` in `watch`: too much")]);
}
