//! Who an id means, and what an event carries: neither is taken for another (EVT-1, HASH-3).

use statewright::prelude::*;
use statewright::{
    CrowdNumber, EventHandle, Input, InputError, Missing, PayloadKind, SendError, WrongEvent,
};

const GUARD: &str = r#"{ "machine": "Guard", "tick_rate": 60,
  "events": { "Hit": { "payload": "i32" }, "Calm": {}, "See": { "payload": "entity" } },
  "states": { "idle": { "transitions": [
    { "on": "Hit", "do": "Hurt" }, { "on": "See", "do": "Look" }, { "on": "Calm", "do": "Look" }] } } }"#;

#[derive(Debug)]
struct Body {
    health: i32,
    seen: Option<AgentId>,
}

impl Board for Body {}

fn machine(text: &str) -> Machine {
    Machine::from_text("guard.sw.json", text).unwrap()
}

fn functions() -> Functions<Body, ()> {
    Functions::new()
        .action("Hurt", |me: &mut Body, (): &(), cx| {
            me.health -= cx.payload::<i32>()
        })
        .action("Look", |me, (), cx| me.seen = Some(cx.payload()))
}

fn crowd(text: &str, seed: u64) -> (Crowd<Body, ()>, AgentId) {
    let mut crowd = Crowd::new(machine(text).bind(functions()).unwrap(), seed);
    let agent = crowd.spawn(Body {
        health: 100,
        seen: None,
    });
    crowd.tick(&());
    (crowd, agent)
}

fn payload(event: &str, carries: PayloadKind, given: PayloadKind) -> SendError {
    SendError::Event(WrongEvent::Payload {
        event: event.to_owned(),
        machine: "Guard".to_owned(),
        carries,
        given,
    })
}

#[test]
fn evt_1_a_payload_of_another_type_is_refused_and_nobody_is_hurt() {
    let (mut guards, guard) = crowd(GUARD, 1);
    let hit = guards.machine().event("Hit").unwrap();
    let before = guards.state();
    let wrong = guards.send(guard, hit, 2.5_f32).unwrap_err();
    assert_eq!(wrong, payload("Hit", PayloadKind::I32, PayloadKind::F32));
    assert_eq!(
        wrong.to_string(),
        "event `Hit` of `Guard` carries i32, not f32"
    );
    let wrong = guards.send(guard, hit, ()).unwrap_err();
    assert_eq!(wrong, payload("Hit", PayloadKind::I32, PayloadKind::Empty));
    assert_eq!(
        wrong.to_string(),
        "event `Hit` of `Guard` carries i32, not nothing"
    );
    let calm = guards.machine().event("Calm").unwrap();
    let wrong = guards
        .send_as(guard, calm, Class::Critical, 5_u32)
        .unwrap_err();
    assert_eq!(wrong, payload("Calm", PayloadKind::Empty, PayloadKind::U32));
    assert!(guards.broadcast(hit, true).is_err());
    guards.tick(&());
    assert_eq!(guards.board(guard).unwrap().health, 100);
    assert_eq!(guards.state(), before);
    // The right one arrives, and so do words that nobody looks at.
    guards.send(guard, hit, 30).unwrap();
    guards.send(guard, hit, [4_u32, 0, 0, 0]).unwrap();
    guards.tick(&());
    assert_eq!(guards.board(guard).unwrap().health, 66);
}

#[test]
fn evt_1_an_event_that_the_machine_does_not_have_is_refused() {
    let (mut guards, guard) = crowd(GUARD, 1);
    let machine = guards.machine().clone();
    let number = statewright::ids::EventId::from_index(77).unwrap();
    assert_eq!(machine.handle(number), None);
    let event = statewright::Event::new(number, Class::Normal);
    let unknown = InputError::Event(WrongEvent::Unknown {
        event: 77,
        machine: "Guard".to_owned(),
        events: 3,
    });
    let envelope = statewright::Envelope { to: guard, event };
    assert_eq!(guards.apply(Input::Send(envelope)), Err(unknown.clone()));
    assert_eq!(guards.apply(Input::Broadcast(event)), Err(unknown.clone()));
    assert_eq!(unknown.to_string(), "`Guard` has no event 77: it has 3");
}

#[test]
fn hash_3_an_event_of_another_machine_is_refused_by_both_names() {
    let (mut guards, guard) = crowd(GUARD, 1);
    let ogre = machine(&GUARD.replace("Guard", "Ogre"));
    let hit = ogre.event("Hit").unwrap();
    let wrong = guards.send(guard, hit, 1).unwrap_err();
    assert!(
        matches!(&wrong, SendError::Event(WrongEvent::OtherMachine(wrong)) if !wrong.is_gone()),
        "{wrong}"
    );
    assert_eq!(
        wrong.to_string(),
        "event `Hit` of `Ogre` is none of `Guard`: ask `Guard` for its event"
    );
}

#[test]
fn hash_3_an_event_is_found_by_its_stable_id_in_another_version_of_its_machine() {
    // The event before it moves it to another number.
    let later = GUARD.replace(r#""Hit""#, r#""Alarm": {}, "Hit""#).replacen(
        r#"{ "on": "Alarm": {}, "Hit", "do""#,
        r#"{ "on": "Hit", "do""#,
        1,
    );
    let (mut guards, guard) = crowd(&later, 1);
    let old: EventHandle = machine(GUARD).event("Hit").unwrap();
    let new = guards.machine().event("Hit").unwrap();
    assert_ne!(old.id(), new.id());
    guards.send(guard, old, 10).unwrap();
    guards.tick(&());
    assert_eq!(guards.board(guard).unwrap().health, 90);
    // What is gone from the new version is refused.
    let gone = guards.machine().event("Alarm").unwrap();
    let (mut old_guards, old_guard) = crowd(GUARD, 1);
    assert!(old_guards.send(old_guard, gone, ()).is_err());
}

#[test]
fn ids_of_another_crowd_are_refused() {
    let (mut guards, guard) = crowd(GUARD, 1);
    let (ogres, ogre) = crowd(&GUARD.replace("Guard", "Ogre"), 1);
    assert_eq!((guard.index(), guard.generation()), (0, 1));
    assert_eq!((ogre.index(), ogre.generation()), (0, 1));
    assert_ne!(guard, ogre);
    let hit = guards.machine().event("Hit").unwrap();
    let foreign = Missing::Foreign {
        agent: ogre,
        crowd: guards.number(),
    };
    assert_eq!(guards.send(ogre, hit, 5), Err(foreign.into()));
    assert_eq!(guards.despawn(ogre), Err(foreign));
    assert_eq!(guards.path(ogre), Err(foreign));
    assert!(!guards.contains(ogre) && ogres.contains(ogre));
    assert_eq!(
        foreign.to_string(),
        format!(
            "{ogre} is not in this crowd, which is crowd {}: ask the crowd that it belongs to",
            guards.number()
        )
    );
    guards.tick(&());
    assert_eq!(guards.board(guard).unwrap().health, 100);
}

#[test]
fn ids_of_the_dead_are_refused_and_no_id_comes_again() {
    let (mut guards, first) = crowd(GUARD, 1);
    guards.despawn(first).unwrap();
    let second = guards.spawn(Body {
        health: 1,
        seen: None,
    });
    assert_eq!(second.index(), first.index());
    let calm = guards.machine().event("Calm").unwrap();
    assert_eq!(
        guards.send(first, calm, ()),
        Err(Missing::Gone(first).into())
    );
    // All generations of one index are used up: the next agent gets another index.
    let mut last = second;
    while last.generation() < AgentId::GENERATIONS - 1 {
        guards.despawn(last).unwrap();
        last = guards.spawn(Body {
            health: 1,
            seen: None,
        });
        assert_eq!(last.index(), 0);
    }
    assert_eq!(guards.len(), 1);
    guards.despawn(last).unwrap();
    assert_eq!(guards.len(), 0);
    let next = guards.spawn(Body {
        health: 1,
        seen: None,
    });
    assert_eq!((next.index(), next.generation()), (1, 1));
    assert_eq!(guards.agents().collect::<Vec<_>>(), [next]);
    assert!(!guards.contains(last));
}

#[test]
fn numbers_of_crowds_follow_from_machine_and_seed_and_may_be_chosen() {
    let number = |text: &str, seed| crowd(text, seed).0.number();
    assert_eq!(number(GUARD, 1), number(GUARD, 1));
    assert_ne!(number(GUARD, 1), number(GUARD, 2));
    let faster = GUARD.replace("\"tick_rate\": 60", "\"tick_rate\": 30");
    assert_eq!(
        number(GUARD, 1),
        number(&faster, 1),
        "an edit of a machine does not change who its agents are"
    );
    let program = machine(GUARD).bind(functions()).unwrap();
    let chosen = CrowdNumber::new(9).unwrap();
    let mut guards = Crowd::new(program, 1).numbered(chosen);
    let guard = guards.spawn(Body {
        health: 1,
        seen: None,
    });
    assert_eq!((guards.number(), guard.crowd()), (chosen, chosen));
    assert_eq!(
        guards.apply(Input::Number(CrowdNumber::MAX)),
        Err(InputError::Number(CrowdNumber::MAX))
    );
}

#[test]
fn evt_1_reading_another_type_than_the_event_carries_ends_the_agent_alone() {
    let (mut guards, guard) = crowd(GUARD, 1);
    let other = guards.spawn(Body {
        health: 5,
        seen: None,
    });
    guards.tick(&());
    // `Look` reads an agent: `Calm` carries nothing, which is nobody; `See` does.
    let (see, calm) = (
        guards.machine().event("See").unwrap(),
        guards.machine().event("Calm").unwrap(),
    );
    guards.send(other, calm, ()).unwrap();
    guards.send(guard, see, other).unwrap();
    assert_eq!(guards.tick(&()).panicked, 0);
    assert_eq!(guards.board(other).unwrap().seen, Some(AgentId::default()));
    assert_eq!(guards.board(guard).unwrap().seen, Some(other));
    // A machine whose `Hit` carries something else than its function reads.
    let floats = GUARD.replacen(
        r#""Hit": { "payload": "i32" }"#,
        r#""Hit": { "payload": "f32" }"#,
        1,
    );
    let (mut guards, guard) = crowd(&floats, 1);
    let other = guards.spawn(Body {
        health: 5,
        seen: None,
    });
    guards.tick(&());
    let hit = guards.machine().event("Hit").unwrap();
    guards.send(guard, hit, 2.5_f32).unwrap();
    assert_eq!(guards.tick(&()).panicked, 1);
    assert_eq!(guards.board(guard).unwrap().health, 100);
    assert!(guards.has_ended(guard).unwrap() && !guards.has_ended(other).unwrap());
}

/// What can be compared of a crowd without a saved blackboard.
trait Compare {
    fn state(&self) -> Vec<(AgentId, String, i32)>;
}

impl Compare for Crowd<Body, ()> {
    fn state(&self) -> Vec<(AgentId, String, i32)> {
        self.agents()
            .map(|agent| {
                let health = self.board(agent).unwrap().health;
                (agent, self.path(agent).unwrap(), health)
            })
            .collect()
    }
}
