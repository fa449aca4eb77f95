//! The macros, through a crowd: every function is called with what it asked for.

use statewright::prelude::*;

const MACHINE: &str = r#"{ "machine": "Guard", "tick_rate": 10,
  "events": { "Seen": { "payload": "i32" }, "Calm": {}, "Rest": {} },
  "blackboard": { "health": "i32", "speed": "f32", "alert": "bool", "home": "vec2" },
  "functions": {
    "IsBrave": "guard", "Knows": { "kind": "guard", "parameters": { "a": "i32", "b": "symbol" } },
    "Lucky": { "kind": "guard", "rng": true }, "Danger": "scorer", "fx::Spark": { "kind": "action", "parameters": { "size": "f32" } },
    "Shout": { "kind": "action", "parameters": { "power": "i32", "far": "bool", "at": "vec3", "line": "symbol" } },
    "Note": "action", "Track": { "kind": "activity", "parameters": { "step": "i32" } }, "Sleep": "activity" },
  "initial": "watch",
  "states": {
    "watch": { "transitions": [
      { "on": "Seen", "if": "IsBrave && Knows(3, \"foe\") && Lucky", "score": "Danger", "to": "fight",
        "do": [{ "call": "Shout", "with": [3, true, [1, 2, 3], "to arms"] }, "fx::Spark(0.5)", "health -= 10", "alert = true"] },
      { "on": "Rest", "to": "sleep" } ] },
    "fight": { "activity": "Track(2)", "transitions": [{ "on": "Calm", "to": "watch", "do": "Note" }] },
    "sleep": { "activity": "Sleep", "transitions": [{ "on": "Calm", "to": "watch" }] } } }"#;

struct World {
    fear: i32,
}

#[derive(Clone, Debug, PartialEq, Board)]
struct Body {
    courage: i32,
    health: i32,
    #[board(name = "speed")]
    pace: f32,
    alert: bool,
    home: [f32; 2],
    #[board(skip)]
    secret: i32,
    log: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Command)]
#[command(lane = AUDIO)]
struct Cry {
    power: i32,
    far: bool,
    at: [f32; 3],
    who: AgentId,
}

#[derive(Clone, Copy, Debug, PartialEq, Command)]
#[command(lane = own(1), name = "fx.Spark")]
struct Spark(f32);

#[derive(Arguments)]
struct Far {
    far: bool,
    at: [f32; 3],
}

#[functions(context = World)]
impl Body {
    const NEW: Self =
        Self { courage: 5, health: 100, pace: 1.5, alert: false, home: [1.0, 2.0], secret: 0, log: Vec::new() };

    fn note(&mut self, text: &str) {
        self.log.push(text.to_owned());
    }

    #[guard]
    fn is_brave(&self, world: &World) -> bool {
        self.courage > world.fear
    }

    #[guard]
    fn knows(&self, see: &See, number: i32, world: &World, text: &str) -> Verdict {
        Verdict { holds: number == 3 && text == "foe" && see.payload::<i32>() > world.fear, code: 4 }
    }

    #[guard(rng)]
    fn lucky(&self, see: &mut See<'_, '_>) -> bool {
        see.rng().is_some()
    }

    #[scorer]
    fn danger(&self) -> f32 {
        self.pace
    }

    #[action]
    fn shout(&mut self, power: i32, far: Far, act: &mut Act, line: &str) {
        self.note(line);
        assert!(act.emit(Cry { power, far: far.far, at: far.at, who: act.agent() }));
    }

    #[action(name = "fx::Spark")]
    fn spark(&self, act: &mut Act, size: f32) {
        assert!(act.emit(Spark(size)));
    }

    #[action(name = "Note")]
    fn take_note(&mut self) {
        self.note("calm");
    }

    #[cfg(any())]
    #[action]
    fn never(&self) {}

    #[activity]
    fn track(&mut self, step: i32, mode: Mode) -> Status {
        self.note(match mode {
            Mode::Run => "track",
            Mode::Cancel => "cancel",
        });
        self.secret += step;
        Status::Running
    }

    #[activity]
    fn sleep(&mut self) -> Status {
        self.note("sleep");
        Status::Running
    }
}

fn crowd() -> Crowd<Body, World> {
    let machine = Machine::from_text("guard.sw.json", MACHINE).unwrap_or_else(|error| panic!("{error}"));
    let program = machine.bind(Body::functions()).unwrap_or_else(|error| panic!("{error}"));
    Crowd::new(program, 7)
}

#[test]
fn code_2_functions_of_an_impl_block() {
    let (mut crowd, world) = (crowd(), World { fear: 3 });
    let event = |crowd: &Crowd<Body, World>, name| crowd.machine().event(name).unwrap();
    let (seen, calm, rest) = (event(&crowd, "Seen"), event(&crowd, "Calm"), event(&crowd, "Rest"));
    let agent = crowd.spawn(Body::NEW);
    crowd.tick(&world);
    crowd.send(agent, seen, 3).unwrap();
    crowd.tick(&world);
    assert_eq!(crowd.path(agent).unwrap(), "watch", "3 is not more than the fear");
    crowd.send(agent, seen, 4).unwrap();
    crowd.tick(&world);
    assert_eq!(crowd.path(agent).unwrap(), "fight");
    let cries: Vec<_> = crowd.commands().filter_map(|command| command.get::<Cry>()).collect();
    assert_eq!(cries, [Cry { power: 3, far: true, at: [1.0, 2.0, 3.0], who: agent }]);
    let sparks: Vec<_> =
        crowd.commands().filter_map(|command| Some((command.lane(), command.get::<Spark>()?))).collect();
    assert_eq!(sparks, [(Lane::own(1), Spark(0.5))]);
    let body = crowd.board(agent).unwrap();
    assert_eq!((body.health, body.alert), (90, true), "the file wrote these");
    crowd.tick(&world);
    crowd.send(agent, calm, ()).unwrap();
    crowd.tick(&world);
    crowd.send(agent, rest, ()).unwrap();
    crowd.tick(&world);
    crowd.tick(&world);
    crowd.send(agent, calm, ()).unwrap();
    crowd.tick(&world);
    let body = crowd.board(agent).unwrap();
    let log = body.log.join(" ");
    assert_eq!(log, "to arms track cancel calm sleep", "without a `Mode` nothing is called when the state is left");
    assert_eq!(body.secret, 4);
}
