//! Strict mode: every read in a tick, by the machine file or by a function in Rust, sees the
//! blackboard from before the tick (CODE-5).

use statewright::prelude::*;
use statewright::{
    BindProblem, Blackboard, Input, InputError, Instance as _, NotStrict, SlicesError,
    WrongSettings,
};

/// `Go` heals in Rust, then by the file, then looks in Rust; what it saw decides where it goes.
const PATIENT: &str = r#"{ "machine": "Patient", "policies": { "strict_writes": true }, "events": ["Go", "Fall"],
  "functions": { "Heal": "action", "Look": "action", "IsWell": "guard", "Wish": "scorer", "Nap": "activity" },
  "blackboard": { "health": "i32", "seen": "i32", "file_saw": "i32" },
  "initial": "bed",
  "states": {
    "bed": { "transitions": [
      { "on": "Go", "to": "hall", "do": ["Heal", "Heal", "file_saw = health", "Look"] },
      { "on": "Fall", "do": ["health = 1", "Heal"] } ] },
    "hall": { "transitions": [
      { "when": "always", "if": "IsWell", "to": "street" },
      { "when": "always", "if": "health > 50", "to": "street" } ] },
    "street": { "activity": "Nap" } } }"#;

#[derive(Clone, Debug, PartialEq, Board)]
struct Patient {
    health: i32,
    seen: i32,
    file_saw: i32,
    /// No key of the machine.
    healed: i32,
    #[board(skip)]
    calls: Vec<&'static str>,
}

#[functions]
impl Patient {
    #[action]
    fn heal(&mut self) {
        self.health += 60;
        self.healed += 1;
        self.calls.push("heal");
    }

    #[action]
    fn look(&mut self) {
        self.seen = self.health * 100 + self.healed;
    }

    #[guard]
    fn is_well(&self) -> bool {
        self.healed > 0
    }

    #[scorer]
    fn wish(&self) -> f32 {
        0.0
    }

    #[activity]
    fn nap(&mut self) -> Status {
        self.health -= 1;
        Status::Running
    }
}

const ILL: Patient = Patient {
    health: 10,
    seen: -1,
    file_saw: -1,
    healed: 0,
    calls: Vec::new(),
};

fn patients(text: &str) -> (Crowd<Patient, ()>, AgentId) {
    let machine = Machine::from_text("patient.sw.json", text).unwrap();
    let mut crowd = Crowd::new(machine.bind(Patient::functions()).unwrap(), 1);
    let patient = crowd.spawn(ILL);
    crowd.tick(&());
    (crowd, patient)
}

#[test]
fn code_5_in_strict_mode_rust_and_file_read_the_blackboard_from_before_the_tick() {
    let (mut crowd, patient) = patients(PATIENT);
    let go = crowd.machine().event("Go").unwrap();
    crowd.send(patient, go, ()).unwrap();
    crowd.tick(&());
    let after = crowd.board(patient).unwrap().clone();
    assert_eq!(
        crowd.path(patient).unwrap(),
        "hall",
        "no guard saw the new values"
    );
    assert_eq!(after.file_saw, 10, "the file read after Rust wrote");
    assert_eq!(after.seen, 1000, "Rust read after Rust wrote");
    assert_eq!(
        (after.health, after.healed),
        (70, 1),
        "each healing saw the old values"
    );
    assert_eq!(
        after.calls,
        ["heal", "heal"],
        "skipped fields are written at once"
    );
    crowd.tick(&());
    assert_eq!(
        crowd.path(patient).unwrap(),
        "street",
        "after the tick they are there"
    );
    // An activity as well: one step per tick.
    crowd.tick(&());
    assert_eq!(crowd.board(patient).unwrap().health, 69);
}

#[test]
fn code_5_without_strict_mode_everything_is_seen_at_once() {
    let (mut crowd, patient) = patients(&PATIENT.replace("true", "false"));
    let go = crowd.machine().event("Go").unwrap();
    crowd.send(patient, go, ()).unwrap();
    crowd.tick(&());
    let after = crowd.board(patient).unwrap();
    let expected = (130, 130, 13002, 2);
    assert_eq!(
        (after.health, after.file_saw, after.seen, after.healed),
        expected
    );
    assert_eq!(crowd.path(patient).unwrap(), "street");
}

#[test]
fn code_5_the_last_write_counts_whoever_wrote() {
    let (mut crowd, patient) = patients(PATIENT);
    let fall = crowd.machine().event("Fall").unwrap();
    crowd.send(patient, fall, ()).unwrap();
    crowd.tick(&());
    assert_eq!(crowd.board(patient).unwrap().health, 70, "Rust came last");
    let swapped = PATIENT.replace(r#"["health = 1", "Heal"]"#, r#"["Heal", "health = 1"]"#);
    let (mut crowd, patient) = patients(&swapped);
    crowd.send(patient, fall, ()).unwrap();
    crowd.tick(&());
    assert_eq!(
        crowd.board(patient).unwrap().health,
        1,
        "the file came last"
    );
}

#[test]
fn code_5_a_panic_takes_writes_of_its_tick_along() {
    let machine = Machine::from_text("patient.sw.json", PATIENT).unwrap();
    let functions = Functions::new()
        .action("Heal", |me: &mut Patient, _: &(), _| {
            me.health += 1;
            me.healed += 1;
        })
        .action("Look", |me, _, _| {
            me.health = 1000;
            panic!("as the test wants")
        })
        .guard("IsWell", |_, _, _| Verdict::from(false))
        .activity("Nap", |_, _, _, _| Status::Running);
    let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 1);
    let [one, two] = [crowd.spawn(ILL), crowd.spawn(ILL)];
    crowd.tick(&());
    crowd.send(one, machine.event("Fall").unwrap(), ()).unwrap();
    crowd.send(two, machine.event("Go").unwrap(), ()).unwrap();
    assert_eq!(crowd.tick(&()).panicked, 1);
    let [one, two] = [one, two].map(|agent| crowd.board(agent).unwrap());
    assert_eq!(
        (one.health, one.healed),
        (11, 1),
        "the other one is not touched"
    );
    assert_eq!(*two, ILL);
}

#[test]
fn code_5_strict_writes_of_rust_to_a_schema_checked_blackboard() {
    let machine = Machine::from_text("patient.sw.json", PATIENT).unwrap();
    let health = machine.key("health").unwrap();
    let functions = Functions::new()
        .action(
            "Heal",
            |me: &mut Blackboard, key: &statewright::KeyHandle, _| {
                let now: i32 = me.get(*key).unwrap();
                me.set(*key, now + 60).unwrap();
            },
        )
        // Writes what is there already: still the last word.
        .action("Look", |me, key, _| {
            let now: i32 = me.get(*key).unwrap();
            assert_eq!(me.revision(), 0, "nothing was written yet");
            me.set(*key, now).unwrap();
        })
        .guard("IsWell", |me, _, _| Verdict::from(me.revision() > 0))
        .activity("Nap", |_, _, _, _| Status::Running);
    let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 1);
    let agent = crowd.spawn(Blackboard::new(&machine));
    crowd.tick(&health);
    crowd.send(agent, machine.event("Go").unwrap(), ()).unwrap();
    assert_eq!(crowd.tick(&health).panicked, 0);
    assert_eq!(crowd.path(agent).unwrap(), "hall");
    let board = crowd.board(agent).unwrap();
    assert_eq!(
        (board.get::<i32>(health), board.revision()),
        (Ok(0), 2),
        "health and file_saw"
    );
    let mut board = board.clone();
    let dirty = ["health", "file_saw"].map(|key| machine.key(key).unwrap());
    assert_eq!(board.take_dirty().collect::<Vec<_>>(), dirty);
    crowd.tick(&health);
    assert_eq!(crowd.path(agent).unwrap(), "street");
}

/// It has a field that cannot be held back.
#[derive(Clone, Board)]
struct Walker {
    health: i32,
    seen: i32,
    file_saw: i32,
    path: Vec<[f32; 3]>,
    trail: String,
}

/// Nobody can tell what it has.
struct Secret(i32);

impl Board for Secret {
    const FIELDS: &'static [(&'static str, statewright::Type)] = &[
        ("health", statewright::Type::I32),
        ("seen", statewright::Type::I32),
        ("file_saw", statewright::Type::I32),
    ];

    fn read(&self, _: usize) -> [u32; 3] {
        [self.0 as u32, 0, 0]
    }
}

fn functions<B: Board>() -> Functions<B, ()> {
    Functions::new()
        .action("Heal", |_: &mut B, _: &(), _| {})
        .action("Look", |_, _, _| {})
        .guard("IsWell", |_, _, _| Verdict::from(true))
        .activity("Nap", |_, _, _, _| Status::Running)
}

#[test]
fn code_5_a_blackboard_that_cannot_be_held_back_is_refused() {
    let hidden = NotStrict {
        hidden: Some(&["path", "trail"]),
    };
    let strict = Machine::from_text("patient.sw.json", PATIENT).unwrap();
    let error = strict.bind(functions::<Walker>()).unwrap_err();
    assert_eq!(error.problems, [BindProblem::NotStrict(hidden)]);
    assert_eq!(
        error.to_string().lines().nth(1).unwrap(),
        "  strict mode cannot hold back what functions in Rust write to `path`, `trail`: machine files have no type for it; write `#[board(skip)]` before what is no part of the blackboard"
    );
    let unknown = strict.bind(functions::<Secret>()).unwrap_err();
    let nobody = NotStrict { hidden: None };
    assert_eq!(unknown.problems, [BindProblem::NotStrict(nobody)]);
    assert!(unknown.to_string().contains("Board::HIDDEN"));

    let loose = PATIENT.replace("true", "false");
    let loose = Machine::from_text("patient.sw.json", &loose).unwrap();
    let mut crowd = Crowd::new(loose.bind(functions::<Walker>()).unwrap(), 1);
    let wrong = WrongSettings::Strict(hidden);
    let settings = statewright::TickSettings {
        strict: Some(true),
        ..*crowd.settings()
    };
    assert_eq!(crowd.set_strict(true), Err(hidden));
    assert_eq!(crowd.set_settings(settings), Err(wrong));
    let refused = crowd.apply(Input::Settings(settings));
    assert_eq!(refused, Err(InputError::Settings(wrong)));
    assert_eq!(crowd.settings().strict, None, "nothing changed");
    crowd.set_strict(false).unwrap();
    let mut instances = [statewright::Instance64::new(&loose.rom(), 1, 0).unwrap()];
    let mut boards = [Walker {
        health: 0,
        seen: 0,
        file_saw: 0,
        path: Vec::new(),
        trail: String::new(),
    }];
    let slices = statewright::Slices {
        settings,
        ..Default::default()
    };
    let ticked = crowd.program().tick_slices(
        &mut instances,
        &mut boards,
        &(),
        slices,
        &mut statewright::SlicesOutput::default(),
    );
    assert_eq!(ticked, Err(SlicesError::Settings(wrong)));
    // Who writes nothing in Rust may have what it wants.
    let quiet =
        r#"{ "machine": "Quiet", "policies": { "strict_writes": true }, "states": { "on": {} } }"#;
    let quiet = Machine::from_text("quiet.sw.json", quiet).unwrap();
    assert!(quiet.bind(Functions::<Walker, ()>::new()).is_ok());
}

#[cfg(feature = "parallel")]
#[test]
fn code_5_strict_writes_of_rust_are_the_same_on_any_threads() {
    let run = |size: Option<usize>, sleeping: bool| {
        let (mut crowd, _) = patients(PATIENT);
        crowd.set_chunk_size(size.unwrap_or(1));
        crowd.set_sleeping(sleeping);
        for _ in 0..50 {
            crowd.spawn(ILL);
        }
        let [go, fall] = ["Go", "Fall"].map(|name| crowd.machine().event(name).unwrap());
        let mut seen = Vec::new();
        for tick in 0..12 {
            let agents: Vec<AgentId> = crowd.agents().collect();
            for (number, agent) in agents.into_iter().enumerate() {
                let event = if number % 3 == 0 { go } else { fall };
                if number % 5 == tick % 5 {
                    crowd.send(agent, event, ()).unwrap();
                }
            }
            match size {
                Some(_) => crowd.tick_parallel(&()),
                None => crowd.tick(&()),
            };
            let all = crowd.agents().map(|agent| {
                let board = crowd.board(agent).unwrap().clone();
                (crowd.path(agent).unwrap(), board)
            });
            seen.push(all.collect::<Vec<_>>());
        }
        seen
    };
    let expected = run(None, true);
    for (size, sleeping) in [(1, true), (7, false), (100, true)] {
        assert_eq!(run(Some(size), sleeping), expected, "{size}");
    }
}

/// Writes more keys in one tick than its budget has room for: each takes 36 bytes.
const SCRIBE: &str = r#"{ "machine": "Scribe", "policies": { "strict_writes": true }, "events": ["Go"],
  "blackboard": { "a": "i32", "b": "i32", "c": "i32" }, "budgets": { "command_bytes": 80 },
  "states": { "desk": { "transitions": [{ "on": "Go", "do": ["a = 1", "b = 2", "c = 3", "a = 4"] }] } } }"#;

#[test]
fn cmd_2_lost_staged_writes_are_listed_and_counted() {
    use statewright::commands::WhyLost;
    let machine = Machine::from_text("scribe.sw.json", SCRIBE).unwrap();
    let functions = Functions::<Blackboard, ()>::new();
    let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 1);
    let scribe = crowd.spawn(Blackboard::new(&machine));
    crowd.tick(&());
    crowd
        .send(scribe, machine.event("Go").unwrap(), ())
        .unwrap();
    crowd.tick(&());
    let lost: Vec<_> = crowd.lost_commands().collect();
    assert_eq!(lost.len(), 1);
    assert_eq!(lost[0].name(&machine), "write of c");
    assert_eq!(
        (lost[0].agent(), lost[0].lane(), lost[0].why()),
        (scribe, Lane::BLACKBOARD, WhyLost::Budget)
    );
    assert_eq!((lost[0].bytes(), lost[0].state()), (12, None));
    // A key that is written again needs no room.
    let board = crowd.board(scribe).unwrap();
    let read = |name| board.get::<i32>(machine.key(name).unwrap()).unwrap();
    assert_eq!(["a", "b", "c"].map(read), [4, 2, 0]);
    crowd.tick(&());
    assert_eq!(crowd.lost_commands().count(), 0);
}
