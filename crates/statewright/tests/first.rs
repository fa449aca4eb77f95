//! A first program, by hand: functions, a crowd, messages, commands, snapshots.

use statewright::prelude::*;
use statewright::{BindProblem, Kind, Program, SymbolTable};

const MACHINE: &str = r#"{ "machine": "Guard", "events": { "Seen": {}, "Alarm": { "payload": "entity" }, "Calm": {} },
  "blackboard": { "alarms": { "type": "i32" } },
  "initial": "watch",
  "states": {
    "watch": { "transitions": [
      { "on": "Seen", "if": "IsBrave", "to": "fight", "do": ["Shout(3)", "alarms += 1"] },
      { "on": "Alarm", "to": "fight", "do": "Answer" } ] },
    "fight": { "transitions": [{ "on": "Calm", "to": "watch" }, { "after": "5t", "to": "watch" }] } } }"#;

#[derive(
    Clone, Copy, statewright::Saved, zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::Immutable,
)]
#[saved(bytes)]
#[repr(C)]
struct Body {
    courage: i32,
    alarms: i32,
    friend: [u32; 2],
}

impl Board for Body {
    const FIELDS: &'static [(&'static str, statewright::Type)] =
        &[("alarms", statewright::Type::I32)];

    fn read(&self, _: usize) -> [u32; 3] {
        statewright::Value::to_words(self.alarms)
    }

    fn write(&mut self, _: usize, words: [u32; 3]) {
        self.alarms = statewright::Value::from_words(words);
    }
}

#[derive(Clone, Copy)]
struct Cry(i32);

impl Command for Cry {
    const NAME: &'static str = "Cry";
    const LANE: Lane = Lane::AUDIO;
    const BYTES: usize = 4;

    fn write(&self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.0.to_le_bytes());
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        Some(Self(i32::from_le_bytes(bytes.try_into().ok()?)))
    }
}

struct World {
    fear: i32,
    alarm: statewright::EventHandle,
}

fn functions() -> Functions<Body, World> {
    Functions::new()
        .guard("IsBrave", |me: &Body, world: &World, _| {
            Verdict::from(me.courage > world.fear)
        })
        .action("Shout", |me, world, cx| {
            assert!(cx.emit(Cry(cx.argument(0))));
            let friend = statewright::Value::from_words([me.friend[0], me.friend[1], 0]);
            assert!(cx.send(friend, world.alarm, cx.agent()));
        })
        .arguments(&[statewright::Type::I32])
        .action("Answer", |me, _, cx| {
            let caller: AgentId = cx.payload();
            me.alarms += 10 + caller.index() as i32;
        })
}

fn crowd() -> (Crowd<Body, World>, World, Vec<AgentId>) {
    let machine = Machine::from_text("guard.sw.json", MACHINE).unwrap();
    let world = World {
        fear: 3,
        alarm: machine.event("Alarm").unwrap(),
    };
    let mut crowd = Crowd::new(machine.bind(functions()).unwrap(), 7);
    let [low, high, _] = statewright::Value::to_words(AgentId::new(0, 1).in_crowd(crowd.number()));
    let agents: Vec<AgentId> = (0..4)
        .map(|courage| {
            crowd.spawn(Body {
                courage: courage * 2,
                alarms: 0,
                friend: [low, high],
            })
        })
        .collect();
    (crowd, world, agents)
}

#[test]
fn sys_1_a_whole_round() {
    let (mut crowd, world, agents) = crowd();
    let seen = crowd.machine().event("Seen").unwrap();
    assert_eq!(crowd.tick(&world).ran, 4, "everybody starts");
    assert_eq!(crowd.awake(), 0);
    crowd.send(agents[1], seen, ()).unwrap();
    crowd.send(agents[2], seen, ()).unwrap();
    let tick = crowd.tick(&world);
    assert_eq!(tick.ran, 2);
    assert_eq!(crowd.path(agents[2]).unwrap(), "fight");
    assert_eq!(
        crowd.path(agents[1]).unwrap(),
        "watch",
        "courage 2 is too little"
    );
    let cries: Vec<_> = crowd
        .commands()
        .filter_map(|command| Some((command.agent(), command.get::<Cry>()?.0)))
        .collect();
    assert_eq!(cries, [(agents[2], 3)]);
    assert_eq!(crowd.board(agents[2]).unwrap().alarms, 1);
    crowd.tick(&world);
    assert_eq!(
        crowd.path(agents[0]).unwrap(),
        "fight",
        "the message came (CMD-4)"
    );
    assert_eq!(crowd.board(agents[0]).unwrap().alarms, 12);
    assert_eq!(crowd.counters().transitions, 2);
    let fight = crowd.machine().state("fight").unwrap();
    assert_eq!(crowd.all_in(fight).unwrap(), [agents[0], agents[2]]);
    for _ in 0..3 {
        assert_eq!(crowd.tick(&world).ran, 0, "all sleep");
    }
    assert_eq!(crowd.tick(&world).ran, 1, "the timer wakes the first one");
    assert_eq!(crowd.tick(&world).ran, 1);
    assert_eq!(crowd.all_in(fight).unwrap(), []);
}

#[test]
fn sys_1_snapshots_are_whole() {
    let (mut crowd, world, agents) = crowd();
    let seen = crowd.machine().event("Seen").unwrap();
    crowd.tick(&world);
    crowd.send(agents[3], seen, ()).unwrap();
    let before = crowd.snapshot();
    let run = |crowd: &mut Crowd<Body, World>| {
        (0..10)
            .map(|_| (crowd.tick(&world), crowd.snapshot()).1)
            .collect::<Vec<_>>()
    };
    let first = run(&mut crowd);
    crowd.restore(&before).unwrap();
    assert_eq!(crowd.snapshot(), before);
    assert_eq!(run(&mut crowd), first);
}

#[test]
fn rom_8_functions_that_the_machine_does_not_call_are_listed_and_do_no_harm() {
    let machine = Machine::build("Door", |m| {
        m.event("Knock");
        m.initial("shut");
        m.state("shut", |s| {
            s.on("Knock").run("Creak");
        });
    })
    .unwrap();
    let unused = |program: &Program<(), ()>| program.unused().to_vec();
    let both = Functions::<(), ()>::new()
        .action("Creak", |_, _, _| {})
        .guard("Creak", |_, _, _| true.into())
        .guard_code("Creak", 1, "it was oiled")
        .action("Slam", |_, _, _| {});
    assert_eq!(
        unused(&machine.bind(both).unwrap()),
        [
            ("Creak".to_owned(), Kind::Guard),
            ("Slam".to_owned(), Kind::Action)
        ]
    );
    let neither = Functions::<(), ()>::new()
        .scorer("Creak", |_, _, _| 0.0)
        .guard("Creak", |_, _, _| true.into());
    let error = machine.bind(neither).unwrap_err().to_string();
    assert!(error.contains("but it is a scorer"), "{error}");
    assert!(
        machine
            .lane("audoi")
            .unwrap_err()
            .to_string()
            .contains("audio")
    );
}

#[test]
fn rom_8_everything_that_does_not_fit_is_listed() {
    let machine = Machine::from_text("guard.sw.json", MACHINE).unwrap();
    let functions = || -> Functions<(), ()> {
        Functions::new()
            .action("IsBrave", |_, _, _| {})
            .action("shout", |_, _, _| {})
            .arguments(&[statewright::Type::F32, statewright::Type::Bool])
            .guard("Extra", |_, _, _| Verdict::from(true))
    };
    let error = machine.bind(functions()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "machine `Guard` does not fit its functions:
  `IsBrave` must be a guard (it takes that place in the machine), but it is an action
  action `Answer` is missing
    used by a transition of `watch` (guard.sw.json:7:16)
  `shout` takes (f32, bool), but the machine calls it with (i32)
    used by a transition of `watch` (guard.sw.json:6:16)
  the blackboard has no field `alarms` of type i32, which the machine declares"
    );
    // The same of a ROM that has no names: by number, and by the hash of the function.
    let bare = Machine::from_rom(machine.bytes().to_vec(), SymbolTable::default()).unwrap();
    let error = bare.bind(functions()).unwrap_err().to_string();
    assert!(
        error.contains("is missing\n    hash 84f5a043\n    used by a transition of `state_1`"),
        "{error}"
    );
}

/// Every kind of place that can call a function.
#[test]
fn rom_8_every_place_of_use_is_named() {
    let text = r#"{ "machine": "M", "events": ["Go", "Stop"],
      "blackboard": { "mood": "i32" },
      "observers": [{ "on": "Go", "do": "F" }],
      "initial": "a",
      "states": {
        "a": { "entry": "F", "exit": { "if": "G && mood > 1", "then": ["F"] }, "activity": "A",
          "history": { "last": { "default": "b", "do": "F" } }, "exit_ready": "G",
          "initial": { "to": "b", "do": "F" },
          "states": { "b": {}, "c": { "choice": [{ "if": "!G", "to": "b" }, { "to": "b", "do": "F" }] } } },
        "d": { "transitions": [
          { "on": "Go", "if": "mood > 0 || G", "to": "c", "do": "F" },
          { "when": "always", "score": "S", "to": "a" }, { "on": "Stop", "to": "last" } ] } } }"#;
    let machine = Machine::from_text("m.sw.json", text).unwrap();
    let error = machine
        .bind(Functions::<statewright::Blackboard, ()>::new())
        .unwrap_err();
    let uses = |wanted: &str| -> Vec<String> {
        let found = error.problems.iter().find_map(|problem| match problem {
            BindProblem::Missing { name, uses, .. } if name == wanted => Some(uses.clone()),
            _ => None,
        });
        let bare = |text: &String| text.split(" (").next().unwrap_or_default().to_owned();
        found.unwrap().iter().map(bare).collect()
    };
    assert_eq!(
        uses("F"),
        [
            "entry of `a`",
            "exit of `a`",
            "history of `a`",
            "the initial transition of `a`",
            "a branch of `a/c`",
            "a transition of `d`",
            "the observer of Go"
        ]
    );
    assert_eq!(
        uses("G"),
        [
            "exit of `a`",
            "exit condition of `a`",
            "a branch of `a/c`",
            "a transition of `d`"
        ]
    );
    assert_eq!(uses("A"), ["activity of `a`"]);
    assert_eq!(uses("S"), ["a transition of `d`"]);
}
