//! What user functions are given: whole payloads, scratch, history (CODE-1, EVT-1).

use statewright::prelude::*;
use statewright::{Payload, PayloadKind, ScratchHandle, StateHandle, Value};

const HOUSE: &str = r#"{ "machine": "House", "events": { "Word": {}, "Next": {}, "Back": {}, "Forget": {}, "Seen": {} },
  "observers": [{ "on": "Seen", "do": "Meddle" }],
  "initial": "rooms",
  "states": {
    "rooms": { "history": { "last": { "default": "hall" } }, "initial": "hall",
      "states": {
        "hall": { "scratch": { "visits": 2 }, "transitions": [
          { "on": "Word", "do": "Hear" }, { "on": "Next", "if": "HasHeard(2)", "to": "attic" } ] },
        "attic": {} },
      "transitions": [{ "on": "Seen", "to": "garden" }] },
    "garden": { "entry": "Late", "transitions": [{ "on": "Back", "to": "rooms/last" }, { "on": "Forget", "do": "Forget" }] } } }"#;

#[derive(Default)]
struct Memory {
    words: [u32; 4],
    scratch: Vec<Option<u16>>,
    written: Vec<bool>,
    observed: Vec<(Option<u16>, bool)>,
}

impl Board for Memory {}

struct House {
    visits: ScratchHandle,
    rooms: StateHandle,
}

fn house() -> (Crowd<Memory, House>, House, AgentId) {
    house_of(HOUSE)
}

fn house_of(text: &str) -> (Crowd<Memory, House>, House, AgentId) {
    let machine = Machine::from_text("house.sw.json", text).unwrap();
    let visits = machine
        .scratch(machine.state("rooms/hall").unwrap(), "visits")
        .unwrap();
    let world = House {
        visits,
        rooms: machine.state("rooms").unwrap(),
    };
    let functions = Functions::<Memory, House>::new()
        .guard("HasHeard", |_, house, cx| {
            Verdict::from(cx.scratch(house.visits, 0) == Some(cx.argument::<i32>(0) as u16))
        })
        .action("Hear", |me, house, cx| {
            me.words = cx.payload_words();
            me.scratch = (0..3).map(|word| cx.scratch(house.visits, word)).collect();
            let next = me.scratch[0].unwrap_or(0) + 1;
            me.written = (0..3)
                .map(|word| cx.set_scratch(house.visits, word, next))
                .collect();
        })
        .action("Late", |me, house, cx| {
            me.scratch = vec![cx.scratch(house.visits, 0)];
            me.written = vec![cx.set_scratch(house.visits, 0, 9)];
        })
        .action("Meddle", |me, house, cx| {
            me.observed.push((
                cx.scratch(house.visits, 0),
                cx.set_scratch(house.visits, 0, 9),
            ));
        })
        .action("Forget", |_, house, cx| cx.clear_history(house.rooms));
    let mut crowd = Crowd::new(machine.bind(functions).unwrap(), 1);
    let agent = crowd.spawn(Memory::default());
    crowd.tick(&world);
    (crowd, world, agent)
}

fn tell(
    crowd: &mut Crowd<Memory, House>,
    world: &House,
    agent: AgentId,
    event: &str,
    payload: impl Payload,
) {
    let event = crowd.machine().event(event).unwrap();
    crowd.send(agent, event, payload).unwrap();
    crowd.tick(world);
}

#[test]
fn evt_1_payloads_of_all_types_arrive_whole() {
    fn check<T: Payload + Copy + PartialEq + std::fmt::Debug>(sent: T, words: [u32; 4]) {
        let word = match T::KIND {
            None | Some(PayloadKind::Empty) => "{}".to_owned(),
            Some(PayloadKind::Bytes) => r#"{ "payload": { "bytes": 16 } }"#.to_owned(),
            Some(kind) => format!(r#"{{ "payload": "{}" }}"#, kind.name()),
        };
        let text = HOUSE.replacen(r#""Word": {}"#, &format!(r#""Word": {word}"#), 1);
        let (mut crowd, world, agent) = house_of(&text);
        tell(&mut crowd, &world, agent, "Word", sent);
        let found = crowd.board(agent).unwrap().words;
        assert_eq!((found, T::from_payload(found)), (words, sent));
    }
    check((), [0; 4]);
    check(-1, [u32::MAX, 0, 0, 0]);
    check(true, [1, 0, 0, 0]);
    check(u32::MAX - 1, [u32::MAX - 1, 0, 0, 0]);
    check(0x1122_3344_5566_7788_u64, [0x5566_7788, 0x1122_3344, 0, 0]);
    check([1_u32, 2, 3, 4], [1, 2, 3, 4]);
    check(
        [1.0_f32, -2.0, 0.5, 4.0],
        [1.0_f32, -2.0, 0.5, 4.0].map(f32::to_bits),
    );
    check(
        [1.0_f32, 2.0, 3.0],
        [1.0_f32, 2.0, 3.0, 0.0].map(f32::to_bits),
    );
    check(
        std::array::from_fn::<u8, 16, _>(|at| at as u8),
        [0x0302_0100, 0x0706_0504, 0x0B0A_0908, 0x0F0E_0D0C],
    );
    check(AgentId::from_words([7, 9, 0]), [7, 9, 0, 0]);
}

#[test]
fn code_1_scratch_is_read_and_written_while_its_state_is_active() {
    let (mut crowd, world, agent) = house();
    tell(&mut crowd, &world, agent, "Word", ());
    let me = crowd.board(agent).unwrap();
    assert_eq!(
        (&me.scratch[..], &me.written[..]),
        (&[Some(0), Some(0), None][..], &[true, true, false][..])
    );
    tell(&mut crowd, &world, agent, "Next", ());
    assert_eq!(
        crowd.path(agent).unwrap(),
        "rooms/hall",
        "the guard has seen one visit"
    );
    tell(&mut crowd, &world, agent, "Word", ());
    assert_eq!(
        crowd.board(agent).unwrap().scratch,
        [Some(1), Some(1), None]
    );
    tell(&mut crowd, &world, agent, "Next", ());
    assert_eq!(crowd.path(agent).unwrap(), "rooms/attic", "and now two");
    tell(&mut crowd, &world, agent, "Seen", ());
    let me = crowd.board(agent).unwrap();
    assert_eq!(
        (&me.scratch[..], &me.written[..]),
        (&[None][..], &[false][..]),
        "its state is not active"
    );
}

#[test]
fn evt_8_observers_write_no_scratch() {
    let (mut crowd, world, agent) = house();
    tell(&mut crowd, &world, agent, "Seen", ());
    assert_eq!(
        crowd.board(agent).unwrap().observed,
        [(Some(0), false)],
        "it may look at what the active state owns"
    );
}

#[test]
fn exec_4_history_is_forgotten_on_demand() {
    for forgets in [false, true] {
        let (mut crowd, world, agent) = house();
        for _ in 0..2 {
            tell(&mut crowd, &world, agent, "Word", ());
        }
        for event in ["Next", "Seen"] {
            tell(&mut crowd, &world, agent, event, ());
        }
        assert_eq!(crowd.path(agent).unwrap(), "garden");
        if forgets {
            tell(&mut crowd, &world, agent, "Forget", ());
        }
        tell(&mut crowd, &world, agent, "Back", ());
        assert_eq!(
            crowd.path(agent).unwrap(),
            if forgets { "rooms/hall" } else { "rooms/attic" }
        );
    }
}
