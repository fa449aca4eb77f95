//! Worlds of machines that do not quite fit together: what is refused, and in which words; the order of
//! crowds; what is asked of an agent by its id alone.

use statewright::prelude::*;
use statewright::{
    Conflict, CrowdKey, CrowdNumber, Entered, Functions, GroupError, Missing, Saved, SendError,
    Told, VariantError, World, WorldInput, WorldInputError, WrongEvent,
};

/// Says its sign to its friend in every tick.
const TALKER: &str = r#"{ "machine": "Talker", "events": { "Say": { "payload": "i32" }, "Fetch": { "payload": "i32" }, "Dazzle": {} },
  "states": { "talk": { "activity": "Talk" } } }"#;

/// Keeps what it hears last. Knows `Fetch` with something else in it, and no `Dazzle`.
const EAR: &str = r#"{ "machine": "Ear", "events": { "Say": { "payload": "i32" }, "Fetch": { "payload": "f32" } },
  "initial": "open", "states": { "open": { "transitions": [{ "on": "Say", "do": "Keep" }], "states": { "wide": {} } } } }"#;

#[derive(Clone, Copy, Debug, Default, PartialEq, Saved)]
struct Person {
    friend: AgentId,
    sign: i32,
    heard: i32,
    /// What it says: the number of an event of `TALKER`.
    word: i32,
}

impl Board for Person {}

fn machine(text: &str) -> Machine {
    Machine::from_text("person", text).unwrap()
}

fn people(text: &str, number: u32) -> Crowd<Person, ()> {
    let talk = |person: &mut Person, _: &(), _: Mode, cx: &mut ActionCx<'_, '_, '_>| {
        let name = ["Say", "Fetch", "Dazzle"][person.word as usize];
        let event = machine(TALKER).event(name).unwrap();
        match person.word {
            2 => cx.send(person.friend, event, ()),
            _ => cx.send(person.friend, event, person.sign),
        };
        Status::Running
    };
    let keep = |person: &mut Person, _: &(), cx: &mut ActionCx<'_, '_, '_>| {
        person.heard = person
            .heard
            .wrapping_mul(3)
            .wrapping_add(cx.payload::<i32>());
    };
    let mut functions = Functions::new();
    functions = match text {
        TALKER => functions.activity("Talk", talk),
        _ => functions.action("Keep", keep),
    };
    let number = CrowdNumber::new(number).unwrap();
    Crowd::new(machine(text).bind(functions).unwrap(), 1).numbered(number)
}

/// Two crowds of one talker each, who say these words, and one of an ear; they join in an order of the
/// caller's.
fn world(order: [&str; 3], words: [i32; 2]) -> (World<()>, CrowdKey<Person>, AgentId) {
    let mut world = World::new();
    let keys = order.map(|name| {
        let crowd = match name {
            "a" => people(TALKER, 1),
            "b" => people(TALKER, 2),
            _ => people(EAR, 3),
        };
        (name, world.join(name, crowd).unwrap())
    });
    let key = |name| keys.iter().find(|(known, _)| *known == name).unwrap().1;
    let ears = key("ears");
    let ear = world[ears].spawn(Person::default());
    for (name, sign, word) in [("a", 1, words[0]), ("b", 2, words[1])] {
        let person = Person {
            friend: ear,
            sign,
            word,
            ..Person::default()
        };
        world[key(name)].spawn(person);
    }
    (world, ears, ear)
}

#[test]
fn sys_6_a_snapshot_brings_the_order_of_crowds_along() {
    let (mut one, ears, ear) = world(["a", "b", "ears"], [0, 0]);
    let (mut two, other_ears, _) = world(["ears", "b", "a"], [0, 0]);
    for _ in 0..3 {
        one.tick(&());
        two.tick(&());
    }
    let heard = |world: &World<()>, ears: CrowdKey<Person>| world[ears].board(ear).unwrap().heard;
    assert_ne!(heard(&one, ears), heard(&two, other_ears), "order shows");
    two.restore(&one.snapshot().unwrap()).unwrap();
    assert_eq!(two.names().collect::<Vec<_>>(), ["a", "b", "ears"]);
    for _ in 0..4 {
        assert_eq!(one.tick(&()), two.tick(&()));
        assert_eq!(heard(&one, ears), heard(&two, other_ears));
        assert_eq!(one.snapshot().unwrap(), two.snapshot().unwrap());
    }
    let ticks = |world: &World<()>| -> Vec<String> {
        world
            .last_ticks()
            .map(|(name, _)| name.to_owned())
            .collect()
    };
    assert_eq!(ticks(&one), ticks(&two));
}

#[test]
fn sys_6_undelivered_messages_are_listed_in_the_order_of_crowds() {
    let (mut one, ..) = world(["a", "b", "ears"], [1, 2]);
    let (mut two, ..) = world(["ears", "b", "a"], [0, 0]);
    one.tick(&());
    one.tick(&());
    two.restore(&one.snapshot().unwrap()).unwrap();
    assert_eq!(
        one.undelivered().collect::<Vec<_>>(),
        two.undelivered().collect::<Vec<_>>()
    );
    let from: Vec<String> = two.undelivered().map(|lost| lost.from).collect();
    assert_eq!(from, ["a", "b"]);
}

/// A talker who says one word, and an ear.
fn pair(word: i32) -> (World<()>, AgentId, AgentId, CrowdKey<Person>) {
    let mut world = World::new();
    let talkers = world.join("talkers", people(TALKER, 1)).unwrap();
    let ears = world.join("ears", people(EAR, 2)).unwrap();
    let ear = world[ears].spawn(Person::default());
    let talker = world[talkers].spawn(Person {
        friend: ear,
        word,
        ..Person::default()
    });
    (world, talker, ear, ears)
}

#[test]
fn cmd_4_events_of_one_name_that_carry_different_things_are_listed() {
    let (world, ..) = pair(0);
    let conflicts: Vec<Conflict> = world.conflicts();
    let said: Vec<String> = conflicts.iter().map(Conflict::to_string).collect();
    assert_eq!(
        said,
        [
            "event `Fetch` of `Talker` (crowd `talkers`) carries i32, but event `Fetch` of `Ear` (crowd `ears`) carries f32: \
             nobody gets one for the other; let both carry the same, or give one another name"
        ]
    );
    assert!(World::<()>::new().conflicts().is_empty());
}

#[test]
fn cmd_4_what_nobody_gets_says_whether_it_is_unknown_or_carries_something_else() {
    let reason = |word| {
        let (mut world, ..) = pair(word);
        // It enters its state, then it talks.
        world.tick(&());
        world.tick(&());
        let lost = world.undelivered().next().unwrap();
        (lost.event, lost.reason)
    };
    let words = |event: &str, reason: &str| (event.to_owned(), reason.to_owned());
    assert_eq!(
        reason(1),
        words(
            "Fetch",
            "event `Fetch` of `Ear` (crowd `ears`) carries f32, not i32"
        )
    );
    assert_eq!(
        reason(2),
        words("Dazzle", "`Ear` of crowd `ears` does not know the event")
    );
}

#[test]
fn hash_3_what_the_host_sends_says_the_same_by_names() {
    let (mut world, talker, ear, _) = pair(0);
    let machine = machine(TALKER);
    let [fetch, dazzle] = ["Fetch", "Dazzle"].map(|name| machine.event(name).unwrap());
    let conflict = "event `Fetch` of `Talker` carries i32, but that of `Ear` carries f32: they are different events";
    let unknown = "event `Dazzle` of `Talker` is none of `Ear`, which has no event of that name";
    assert_eq!(world.send(ear, fetch, 1).unwrap_err().to_string(), conflict);
    assert_eq!(
        world.send(ear, dazzle, ()).unwrap_err().to_string(),
        unknown
    );
    // A handle that was asked for by number has the name that its machine knows.
    let [fetch, dazzle] = [fetch, dazzle].map(|event| machine.handle(event.id()).unwrap());
    assert_eq!(world.send(ear, fetch, 1).unwrap_err().to_string(), conflict);
    assert_eq!(
        world.send(ear, dazzle, ()).unwrap_err().to_string(),
        unknown
    );
    let group = world.new_group().unwrap();
    for agent in [talker, ear] {
        world.join_group(group, agent).unwrap();
    }
    let told = |unknown, conflicting| Told {
        reached: 1,
        unknown,
        conflicting,
    };
    assert_eq!(world.send_to_group(group, fetch, 1), Ok(told(0, 1)));
    assert_eq!(world.send_to_group(group, dazzle, ()), Ok(told(1, 0)));
}

#[test]
fn ids_that_are_no_agents_have_words_of_their_own() {
    let (mut world, talker, ear, _) = pair(0);
    let say = machine(TALKER).event("Say").unwrap();
    let group = world.new_group().unwrap();
    let receiver = group.receiver();
    let refused = |world: &mut World<()>, agent| world.send(agent, say, 1).unwrap_err();
    let (to_group, to_nobody) = (
        refused(&mut world, receiver),
        refused(&mut world, AgentId::default()),
    );
    assert_eq!(to_group, SendError::Missing(Missing::Group(group)));
    assert_eq!(
        to_group.to_string(),
        format!("{group} is a group, not an agent: `World::send_to_group` speaks to its members")
    );
    assert_eq!(
        to_nobody.to_string(),
        "the id is `AgentId::default()`, which is nobody's: it was never set"
    );
    // A crowd says the same; an agent of another crowd stays one.
    let mut alone = people(TALKER, 1);
    let first = alone.spawn(Person::default());
    assert_eq!(first, talker);
    assert_eq!(alone.send(receiver, say, 1), Err(to_group));
    assert_eq!(alone.send(AgentId::default(), say, 1), Err(to_nobody));
    let crowd = alone.number();
    let foreign = Missing::Foreign { agent: ear, crowd };
    assert_eq!(alone.send(ear, say, 1), Err(foreign.into()));
    // The world does not know its crowd.
    let stranger = AgentId::new(0, 1).in_crowd(CrowdNumber::new(99).unwrap());
    assert_eq!(
        refused(&mut world, stranger).to_string(),
        "agent 0.1 of crowd 99 is not in this world: its crowd left it, or never joined"
    );
}

#[test]
fn an_agent_is_looked_at_stopped_and_reset_by_its_id_alone() {
    let (mut world, talker, ear, _) = pair(0);
    world.tick(&());
    let open = machine(EAR).state("open").unwrap();
    assert_eq!(world.is_in(ear, open), Ok(true));
    assert_eq!(
        world.is_in(talker, open).unwrap_err().to_string(),
        "state `open` of `Ear` is none of `Talker`, which has no state of that name"
    );
    assert_eq!(world.inspect(ear).unwrap().leaves, ["open/wide"]);
    let ended = |world: &World<()>| world.is_in(ear, open) == Ok(false);
    world.stop(ear).unwrap();
    world.tick(&());
    assert!(ended(&world));
    world.reset(ear).unwrap();
    world.tick(&());
    assert!(!ended(&world));
    // The same by the door.
    assert_eq!(world.apply(WorldInput::Stop(ear)), Ok(Entered::Done));
    world.tick(&());
    assert!(ended(&world));
    assert_eq!(world.apply(WorldInput::Reset(ear)), Ok(Entered::Done));
    world.despawn(ear).unwrap();
    let gone = Missing::Gone(ear);
    assert_eq!(world.inspect(ear).map(drop), Err(gone));
    assert_eq!(world.stop(ear), Err(gone));
    let refused = Err(WorldInputError::Missing(gone));
    assert_eq!(world.apply(WorldInput::Reset(ear)), refused);
}

const DOG: &str = r#"{ "machine": "Dog", "parameters": { "brave": false }, "variants": { "hero": { "brave": true } }, "initial": "sit",
  "states": { "sit": { "transitions": [{ "when": "always", "if": "brave", "to": "bark" }] }, "bark": {} } }"#;

/// LANG-12.
#[test]
fn a_variant_enters_a_world_by_its_door() {
    let (mut world, talker, ..) = pair(1);
    let (dogs, hero) = (machine(DOG), machine(DOG).variant("hero").unwrap());
    let kennel = Crowd::new(dogs.bind(Functions::<(), ()>::new()).unwrap(), 1);
    let kennel = world.join("dogs", kennel).unwrap();
    let [first, second] = [(); 2].map(|()| world[kennel].spawn(()));
    world.set_variant(first, hero).unwrap();
    let input = WorldInput::SetVariant(second, hero);
    assert_eq!(world.apply(input), Ok(Entered::Done));
    assert_eq!(world.variant(first), Ok(hero));
    world.tick(&());
    assert_eq!(world.path(first).unwrap(), "bark");
    assert_eq!(world.path(second).unwrap(), "bark");
    // Those of other machines do not take it, nor does somebody who is gone.
    let error = world.apply(WorldInput::SetVariant(talker, hero));
    let said = error.unwrap_err().to_string();
    assert!(said.starts_with("variant `hero` of `Dog`"), "{said}");
    world.despawn(second).unwrap();
    let gone = VariantError::Missing(Missing::Gone(second));
    assert_eq!(world.set_variant(second, hero), Err(gone));
}

#[test]
fn a_broadcast_reaches_all_who_know_the_event() {
    let (mut world, _, ear, ears) = pair(2);
    let events = machine(TALKER);
    let event = |name: &str| events.event(name).unwrap();
    let told = |reached, unknown, conflicting| Told {
        reached,
        unknown,
        conflicting,
    };
    world.tick(&());
    assert_eq!(world.broadcast(event("Say"), 7), Ok(told(2, 0, 0)));
    assert_eq!(world.broadcast(event("Dazzle"), ()), Ok(told(1, 1, 0)));
    let fetch = WorldInput::Broadcast {
        event: event("Fetch"),
        payload: [1, 0, 0, 0],
    };
    assert_eq!(world.apply(fetch), Ok(Entered::Told(told(1, 0, 1))));
    world.tick(&());
    assert_eq!(world[ears].board(ear).unwrap().heard, 7);
    let wrong = world.broadcast(event("Say"), 2.5_f32).unwrap_err();
    assert_eq!(
        wrong.to_string(),
        "event `Say` of `Talker` carries i32, not f32"
    );
    let stranger = Machine::from_text(
        "owl",
        r#"{ "machine": "Owl", "events": ["Hoot"], "states": { "sit": {} } }"#,
    );
    let hoot = stranger.unwrap().event("Hoot").unwrap();
    let nowhere = WrongEvent::NoMachine(hoot);
    assert_eq!(world.broadcast(hoot, ()), Err(nowhere.clone()));
    assert_eq!(
        nowhere.to_string(),
        "event `Hoot` of `Owl` is none of any machine in this world"
    );
    let group = world.new_group().unwrap();
    assert_eq!(
        world.send_to_group(group, hoot, ()),
        Err(GroupError::Event(nowhere))
    );
}
