//! What programs hold of a machine is never taken for something else (HASH-3): each kind, looked up
//! by name and as a constant, in its machine, in another version of it, and in another machine.

use statewright::prelude::*;
use statewright::symbols::SymbolId;
use statewright::{
    Blackboard, Handle, LookError, ParameterError, Parameters, SpawnError, StateHandle,
    VariantError, VariantHandle, WrongHandle, WrongKey,
};

const GUARD: &str = r#"{ "machine": "Guard", "tick_rate": 60,
  "events": { "Go": {} },
  "blackboard": { "health": { "type": "i32", "default": 9 } },
  "parameters": { "fear": 3 },
  "variants": { "hero": { "fear": 0 } },
  "channels": { "legs": {} },
  "initial": "alive",
  "states": {
    "alive": { "initial": "idle", "owns": ["legs"], "scratch": { "steps": 1 }, "timers": ["tired"],
      "states": { "idle": {}, "patrol": {} },
      "transitions": [{ "on": "Go", "do": "Use" }, { "timer": "tired", "to": "asleep" }] },
    "asleep": { "states": { "idle": {} } } } }"#;

/// Everything has another number than in `GUARD`.
fn later() -> String {
    let more = [
        (r#""Go": {}"#, r#""Alarm": {}, "Go": {}"#),
        (r#""health""#, r#""armor": { "type": "i32" }, "health""#),
        (r#""fear": 3"#, r#""anger": 1, "fear": 3"#),
        (r#""hero""#, r#""coward": {}, "hero""#),
        (r#""legs": {}"#, r#""arms": {}, "legs": {}"#),
        (r#""steps": 1"#, r#""breaths": 1, "steps": 1"#),
        (r#"["tired"]"#, r#"["bored", "tired"]"#),
        (
            r#""states": { "idle": {}, "#,
            r#""states": { "born": {}, "idle": {}, "#,
        ),
    ];
    more.iter().fold(GUARD.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replacen(from, to, 1)
    })
}

fn machine(text: &str) -> Machine {
    Machine::from_text("guard.sw.json", text).unwrap_or_else(|error| panic!("{error}"))
}

fn ogre() -> Machine {
    machine(&GUARD.replace("Guard", "Ogre"))
}

/// One kind of thing: found in its machine and in the later one, refused by the other.
fn check<I: SymbolId + PartialEq + std::fmt::Debug>(
    word: &str,
    name: &str,
    find: impl Fn(&Machine) -> Handle<I>,
) {
    let (old, new, other) = (machine(GUARD), machine(&later()), ogre());
    let (held, renumbered) = (find(&old), find(&new));
    assert_ne!(
        held.id().index(),
        renumbered.id().index(),
        "{word}: the test moves it"
    );
    assert_eq!(old.resolve(held), Ok(held.id()));
    assert_eq!(
        new.resolve(held),
        Ok(renumbered.id()),
        "{word}: by its stable id"
    );
    assert_eq!(held, renumbered, "{word}: the same thing");
    assert_eq!(held.to_string(), format!("{word} `{name}` of `Guard`"));
    let foreign = find(&other);
    assert_eq!(foreign.id(), held.id(), "{word}: the same number elsewhere");
    assert_ne!(foreign, held);
    let wrong = old.resolve(foreign).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        format!("{word} `{name}` of `Ogre` is none of `Guard`: ask `Guard` for its {word}")
    );
    assert_eq!((wrong.machine(), wrong.other_machine()), ("Guard", "Ogre"));
}

#[test]
fn hash_3_every_kind_is_found_by_stable_id_and_refused_by_other_machines() {
    check("event", "Go", |m| m.event("Go").unwrap());
    check("state", "alive/patrol", |m| {
        m.state("alive/patrol").unwrap()
    });
    check("timer", "tired", |m| m.timer("tired").unwrap());
    check("blackboard key", "health", |m| m.key("health").unwrap());
    check("parameter", "fear", |m| m.parameter("fear").unwrap());
    check("variant", "hero", |m| m.variant("hero").unwrap());
    check("channel", "legs", |m| m.channel("legs").unwrap());
    let steps = |m: &Machine| m.scratch(m.state("alive").unwrap(), "steps").unwrap();
    check("scratch", "steps", steps);
}

#[test]
fn hash_3_what_a_version_no_longer_has_is_gone() {
    let (old, new) = (machine(GUARD), machine(&later()));
    let born = new.state("born").unwrap();
    let wrong = old.resolve(born).unwrap_err();
    assert!(wrong.is_gone());
    assert_eq!(
        wrong.to_string(),
        format!(
            "state `alive/born` of another version of `Guard` is gone: \
             this version has none with its stable id {:016x}",
            born.stable_id()
        )
    );
    let armor = new.key("armor").unwrap();
    assert!(old.resolve(armor).unwrap_err().is_gone());
}

#[test]
fn hash_3_parameters_that_changed_places_keep_their_meaning() {
    // Both machines have one structure hash: agents need not be touched.
    let [two, swapped] = [r#""fear": 3, "anger": 1"#, r#""anger": 1, "fear": 3"#]
        .map(|order| machine(&GUARD.replacen(r#""fear": 3"#, order, 1)));
    assert_eq!(two.structure_hash(), swapped.structure_hash());
    let fear = two.parameter("fear").unwrap();
    let parameters = Parameters::default();
    assert_eq!(parameters.get(&two, VariantHandle::PLAIN, fear), Ok(3));
    assert_eq!(parameters.get(&swapped, VariantHandle::PLAIN, fear), Ok(3));
}

struct Held {
    state: StateHandle,
    timer: statewright::TimerHandle,
    scratch: statewright::ScratchHandle,
    parameter: statewright::ParameterHandle,
    use_: fn(&mut Blackboard, &Held, &mut ActionCx),
}

fn held(machine: &Machine, use_: fn(&mut Blackboard, &Held, &mut ActionCx)) -> Held {
    let state = machine.state("alive").unwrap();
    Held {
        state,
        timer: machine.timer("tired").unwrap(),
        scratch: machine.scratch(state, "steps").unwrap(),
        parameter: machine.parameter("fear").unwrap(),
        use_,
    }
}

fn guards(text: &str) -> (Crowd<Blackboard, Held>, AgentId, AgentId) {
    let machine = machine(text);
    let functions = Functions::new().action("Use", |board, held: &Held, cx| {
        (held.use_)(board, held, cx);
    });
    let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 1);
    let agents = [(); 2].map(|()| crowd.spawn(Blackboard::new(&machine)));
    crowd.tick(&held(&machine, |_, _, _| {}));
    (crowd, agents[0], agents[1])
}

const USES: [fn(&mut Blackboard, &Held, &mut ActionCx); 7] = [
    |_, held, cx| assert!(cx.is_active(held.state)),
    |_, held, cx| assert_eq!(cx.parameter::<i32>(held.parameter), 3),
    |_, held, cx| assert_eq!(cx.scratch(held.scratch, 0), Some(0)),
    |_, held, cx| assert!(cx.set_scratch(held.scratch, 0, 0)),
    |_, held, cx| cx.start_timer(held.timer, 100),
    |_, held, cx| cx.stop_timer(held.timer),
    |_, held, cx| cx.clear_history(held.state),
];

#[test]
fn hash_3_user_code_with_a_foreign_handle_ends_its_agent_alone() {
    for use_ in USES {
        for (of, panicked) in [(machine(GUARD), 0), (machine(&later()), 0), (ogre(), 1)] {
            let (mut crowd, agent, other) = guards(GUARD);
            let go = crowd.machine().event("Go").unwrap();
            crowd.send(agent, go, ()).unwrap();
            let tick = crowd.tick(&held(&of, use_));
            assert_eq!(tick.panicked, panicked, "{}", of.name());
            assert_eq!(crowd.has_ended(agent).unwrap(), panicked == 1);
            assert!(!crowd.has_ended(other).unwrap());
        }
    }
}

#[test]
fn hash_3_a_crowd_refuses_foreign_handles_and_stays_as_it_is() {
    let (mut crowd, agent, _) = guards(GUARD);
    let (ogre, before) = (ogre(), crowd.snapshot());
    let wrong = |handle: Result<(), WrongHandle>| handle.unwrap_err();
    let state = ogre.state("alive").unwrap();
    let alive = wrong(crowd.machine().resolve(state).map(drop));
    assert_eq!(crowd.is_in(agent, state), Err(LookError::Handle(alive)));
    assert_eq!(
        crowd.ticks_in_state(agent, state),
        Err(LookError::Handle(alive))
    );
    assert_eq!(crowd.all_in(state), Err(alive));
    assert_eq!(crowd.machine().state_name(state), "?");
    let hero = ogre.variant("hero").unwrap();
    let no_hero = wrong(crowd.machine().resolve(hero).map(drop));
    let board = Blackboard::new(crowd.machine());
    assert_eq!(
        crowd.set_variant(agent, hero),
        Err(VariantError::Variant(no_hero))
    );
    assert_eq!(
        crowd.try_spawn_as(board, hero),
        Err(SpawnError::Variant(no_hero))
    );
    let fear = ogre.parameter("fear").unwrap();
    let no_fear = ParameterError::Handle(wrong(crowd.machine().resolve(fear).map(drop)));
    assert_eq!(crowd.set_parameter(fear, 1), Err(no_fear.clone()));
    assert_eq!(crowd.parameter::<i32>(fear), Err(no_fear));
    let health = ogre.key("health").unwrap();
    let no_health = wrong(crowd.machine().resolve(health).map(drop));
    let board = crowd.board(agent).unwrap();
    assert_eq!(board.get::<i32>(health), Err(WrongKey::Handle(no_health)));
    assert_eq!(crowd.program().field(health), Err(no_health));
    let written = crowd
        .edit_board(agent, |board| board.set(health, 1))
        .unwrap();
    assert_eq!(written, Err(WrongKey::Handle(no_health)));
    assert_eq!(crowd.snapshot(), before);
}

#[test]
fn hash_3_a_crowd_of_another_version_takes_what_it_still_has() {
    let (mut crowd, agent, _) = guards(&later());
    let old = machine(GUARD);
    let state = |path| old.state(path).unwrap();
    assert_eq!(crowd.is_in(agent, state("alive")), Ok(true));
    assert_eq!(crowd.is_in(agent, state("alive/patrol")), Ok(false));
    assert_eq!(crowd.all_in(state("alive")).unwrap().len(), 2);
    assert_eq!(crowd.machine().state_name(state("patrol")), "alive/patrol");
    let (hero, fear) = (old.variant("hero").unwrap(), old.parameter("fear").unwrap());
    crowd.set_variant(agent, hero).unwrap();
    assert_eq!(crowd.variant(agent), Ok(hero));
    crowd.set_parameter(fear, 7).unwrap();
    let machine = crowd.machine();
    assert_eq!(crowd.parameter(machine.parameter("fear").unwrap()), Ok(7));
    assert_eq!(crowd.parameter(machine.parameter("anger").unwrap()), Ok(1));
    let board = crowd.board(agent).unwrap();
    assert_eq!(board.get(old.key("health").unwrap()), Ok(9));
    let held: Vec<_> = crowd.held_channels(agent).unwrap().collect();
    assert_eq!(held, [old.channel("legs").unwrap()]);
    assert_eq!(crowd.leaves(agent).unwrap(), [state("alive/idle")]);
}

#[test]
fn states_are_found_by_the_end_of_their_path() {
    let machine = machine(GUARD);
    let state = |path| {
        machine
            .state(path)
            .map(|state| machine.state_name(state).to_owned())
    };
    assert_eq!(state("patrol").unwrap(), "alive/patrol");
    assert_eq!(state("asleep/idle").unwrap(), "asleep/idle");
    let error = |path| machine.state(path).unwrap_err().to_string();
    assert_eq!(
        error("idle"),
        "the machine has several states named `idle`: `alive/idle`, `asleep/idle`"
    );
    assert_eq!(
        error("patrl"),
        "the machine has no state named `patrl`; did you mean `alive/patrol`?"
    );
    assert_eq!(
        error("trol"),
        "the machine has no state named `trol`",
        "no name ends within a word"
    );
    assert!(machine.state("").is_err() && machine.state("/idle").is_err());
}
