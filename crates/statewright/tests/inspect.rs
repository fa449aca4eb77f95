//! Everything that an agent is, by name; its bytes out and in; all blackboards.

use statewright::prelude::*;
use statewright::{AnyValue, Blackboard, Fault, Input, InputError, InstanceError, Missing, Saved};

/// A bit of everything that an instance can hold.
const KNIGHT: &str = r#"{ "machine": "Knight", "tier": "hero", "tick_rate": 10,
  "events": { "Hit": { "payload": "i32" }, "Rest": {}, "Order": { "payload": "symbol" }, "Ride": {}, "Talk": {}, "Bye": {} },
  "blackboard": { "health": { "type": "i32", "default": 7 }, "mood": { "type": "symbol", "default": "glad" }, "seat": "vec2" },
  "parameters": { "brave": 1 }, "variants": { "coward": { "brave": 0 } },
  "channels": { "legs": { "lane": "animation" } },
  "timers": { "oath": {} },
  "initial": "castle",
  "states": {
    "castle": {
      "history": { "last": { "default": "hall" } },
      "initial": "hall", "clock": true, "scratch": { "steps": 2 },
      "states": {
        "hall": { "owns": ["legs"], "activity": "Wander", "transitions": [
          { "on": "Hit", "do": "Step", "cooldown": "2s", "name": "wince" },
          { "after": "5s", "to": "tower" },
          { "when": "done", "if": "brave > 5", "to": "tower" } ] },
        "tower": {} },
      "defer": ["Order"],
      "transitions": [{ "on": "Ride", "to": "field", "do": { "start": "oath", "after": "30s" } }] },
    "field": { "transitions": [{ "on": "Rest", "to": "castle/last" }, { "on": "Order", "do": "Step" }] } } }"#;

type Knights = Crowd<Blackboard, ()>;

fn knights() -> (Knights, AgentId) {
    let machine = Machine::from_text("knight.sw.json", KNIGHT).unwrap();
    let steps = machine
        .scratch(machine.state("castle").unwrap(), "steps")
        .unwrap();
    assert_eq!(steps.id().index(), 0, "`Step` writes the first scratch");
    let functions = Functions::<Blackboard, ()>::new()
        .action("Step", |_, (), cx| {
            let steps = statewright::ids::ScratchId::from_index(0).unwrap();
            let steps = cx.machine().handle(steps).unwrap();
            cx.set_scratch(steps, 1, 5);
        })
        .activity("Wander", |_, (), _, _| Status::Succeeded);
    let mut knights = Crowd::new(machine.bind(functions).unwrap(), 1);
    let coward = machine.variant("coward").unwrap();
    let knight = knights.spawn_as(Blackboard::new(&machine), coward);
    knights.tick(&());
    (knights, knight)
}

fn send<P: statewright::Payload>(knights: &mut Knights, to: AgentId, event: &str, payload: P) {
    let event = knights.machine().event(event).unwrap();
    knights.send(to, event, payload).unwrap();
}

#[test]
fn an_agent_is_seen_whole_by_name() {
    let (mut knights, knight) = knights();
    send(&mut knights, knight, "Hit", 3);
    knights.tick(&());
    let order = knights.machine().clone();
    let order = order.event("Order").unwrap();
    knights.send(knight, order, [1_u32, 0, 0, 0]).unwrap();
    knights.tick(&());
    let seen = knights.inspect(knight).unwrap();
    assert_eq!(
        (seen.agent, seen.machine.as_str(), seen.tick),
        (knight, "Knight", 3)
    );
    assert_eq!(seen.active, ["root", "castle", "castle/hall"]);
    assert_eq!(seen.leaves, ["castle/hall"]);
    assert_eq!(seen.queue.len(), 1);
    let queued = &seen.queue[0];
    assert_eq!((queued.event.as_str(), queued.deferred), ("Order", true));
    assert!(matches!(&queued.payload, AnyValue::Symbol(_)));
    assert_eq!(seen.timers.len(), 1);
    assert_eq!(seen.timers[0].owner, "castle/hall");
    assert_eq!(seen.timers[0].ticks_left, 50 - 3);
    assert_eq!(seen.clocks, [("castle".to_owned(), 3)]);
    assert_eq!(seen.cooldowns, [("wince".to_owned(), 20 - 2)]);
    assert_eq!(
        seen.results,
        [("castle/hall".to_owned(), Status::Succeeded)]
    );
    assert_eq!(
        seen.scratch,
        [("castle".to_owned(), "steps".to_owned(), vec![0, 5])]
    );
    assert_eq!(seen.channels, ["legs"]);
    assert_eq!(
        seen.blackboard,
        [
            ("health".to_owned(), AnyValue::I32(7)),
            ("mood".to_owned(), AnyValue::Symbol(Ok("glad".to_owned()))),
            ("seat".to_owned(), AnyValue::Vector(vec![0.0, 0.0])),
        ]
    );
    assert_eq!(seen.variant, "coward");
    assert_eq!(seen.flags, ["started", "polls"]);
    assert!(seen.history.is_empty());
    // In the field: what the castle was is remembered, and the order is taken.
    send(&mut knights, knight, "Ride", ());
    knights.tick(&());
    let seen = knights.inspect(knight).unwrap();
    assert_eq!(seen.leaves, ["field"]);
    assert_eq!(seen.history.len(), 1);
    assert_eq!(seen.history[0].1, ["castle/hall"]);
    assert_eq!(
        (seen.scratch.len(), seen.results.len(), seen.channels.len()),
        (0, 0, 0)
    );
    let oath = &seen.timers[0];
    assert_eq!((oath.timer.as_str(), oath.ticks_left), ("oath", 299));
    let text = seen.to_string();
    for line in [
        "active      root, field",
        "timers      oath in 299t",
        "history     castle/last: castle/hall",
        "blackboard  health = 7; mood = 'glad'; seat = (0, 0)",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    // Time stands still while it is paused.
    knights.pause(knight).unwrap();
    (0..5).for_each(|_| _ = knights.tick(&()));
    let seen = knights.inspect(knight).unwrap();
    assert_eq!(seen.timers[0].ticks_left, 299);
    assert!(seen.flags.contains(&"paused"));
}

#[test]
fn bytes_of_one_agent_go_out_and_in() {
    let (mut knights, knight) = knights();
    let machine = knights.machine().clone();
    let other = knights.spawn(Blackboard::new(&machine));
    send(&mut knights, knight, "Ride", ());
    knights.tick(&());
    let bytes = knights.instance_bytes(knight).unwrap().to_vec();
    assert_eq!(bytes.len(), 256);
    assert_eq!(knights.path(other).unwrap(), "castle/hall");
    knights.set_instance_bytes(other, &bytes).unwrap();
    assert_eq!(knights.path(other).unwrap(), "field");
    assert_eq!(knights.instance_bytes(other).unwrap(), bytes);
    // A method and its input do the same.
    let input = Input::Instance(other, bytes.clone().into());
    assert_eq!(knights.apply(input).unwrap(), None);
    // Whoever it was, it goes on from there.
    send(&mut knights, other, "Rest", ());
    knights.tick(&());
    assert_eq!(knights.path(other).unwrap(), "castle/hall");
}

#[test]
fn bytes_that_no_agent_can_be_are_refused_and_nothing_changes() {
    let (mut knights, knight) = knights();
    let before = knights.instance_bytes(knight).unwrap().to_vec();
    let mut refuse = |bytes: &[u8], expected: InstanceError| {
        let error = knights.set_instance_bytes(knight, bytes).unwrap_err();
        assert_eq!(error, expected, "{error}");
        assert_eq!(
            knights.apply(Input::Instance(knight, bytes.into())),
            Err(InputError::Instance(expected))
        );
        assert_eq!(knights.instance_bytes(knight).unwrap(), before);
    };
    refuse(
        &before[..64],
        InstanceError::Length {
            found: 64,
            expected: 256,
        },
    );
    let damaged = |at: usize, value: u8| {
        let mut bytes = before.clone();
        bytes[at] = value;
        bytes
    };
    refuse(
        &damaged(0, !before[0]),
        InstanceError::Fault(Fault::WrongMachine),
    );
    refuse(
        &damaged(16, 200),
        InstanceError::Fault(Fault::BadConfiguration),
    );
    refuse(&damaged(7, 99), InstanceError::Fault(Fault::BadQueue));
    let gone = AgentId::new(9, 1).in_crowd(knight.crowd());
    assert_eq!(
        knights.set_instance_bytes(gone, &before),
        Err(InstanceError::Missing(Missing::Gone(gone)))
    );
    assert_eq!(knights.inspect(gone).map(drop), Err(Missing::Gone(gone)));
    assert_eq!(knights.instance_bytes(gone), Err(Missing::Gone(gone)));
}

#[test]
fn all_blackboards_are_seen_and_changed_by_index() {
    let (mut knights, first) = knights();
    let machine = knights.machine().clone();
    let health = machine.key("health").unwrap();
    let second = knights.spawn(Blackboard::new(&machine));
    let third = knights.spawn(Blackboard::new(&machine));
    knights.despawn(second).unwrap();
    knights.edit_boards(|agent, board| {
        board.set(health, agent.index() as i32 * 10).unwrap();
    });
    let seen: Vec<(AgentId, i32)> = knights
        .iter()
        .map(|(agent, board)| (agent, board.get(health).unwrap()))
        .collect();
    assert_eq!(seen, [(first, 0), (third, 20)]);
    let mut bytes = Vec::new();
    knights.board(third).unwrap().save(&mut bytes);
    assert!(!bytes.is_empty());
}

#[test]
fn agents_that_were_cut_short_in_the_last_tick_are_listed() {
    let text = r#"{ "machine": "Clerk", "tier": "crowd", "events": ["Mail", "Loop", "Note"], "parameters": { "spin": true }, "budgets": { "microsteps_per_tick": 3 },
      "initial": "desk", "states": {
        "desk": { "transitions": [{ "on": "Mail", "do": "Copy" }, { "on": "Loop", "to": "left" }] },
        "left": { "transitions": [{ "when": "always", "if": "spin", "to": "right" }] },
        "right": { "transitions": [{ "when": "always", "if": "spin", "to": "left" }] } } }"#;
    let machine = Machine::from_text("clerk.sw.json", text).unwrap();
    let [mail, endless, note] = ["Mail", "Loop", "Note"].map(|name| machine.event(name).unwrap());
    let functions =
        Functions::new().action("Copy", |_: &mut (), note: &statewright::EventHandle, cx| {
            // One place in the queue, two copies.
            cx.post(*note, ());
            cx.post(*note, ());
        });
    let mut clerks = Crowd::new(machine.bind(functions).unwrap(), 1);
    let [calm, busy, dizzy] = [(); 3].map(|()| clerks.spawn(()));
    clerks.tick(&note);
    clerks.send(busy, mail, ()).unwrap();
    clerks.send(dizzy, endless, ()).unwrap();
    let done = clerks.tick(&note);
    assert_eq!(clerks.clamped().collect::<Vec<_>>(), [dizzy]);
    assert_eq!(done.clamped, 1);
    assert!(clerks.overflowed().eq([busy]));
    assert!(!clerks.overflowed().any(|agent| agent == calm));
}
