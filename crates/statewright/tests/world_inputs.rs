//! Everything enters a world through one door: a method and the input of its kind do the same, and
//! what is refused changes nothing.

use statewright::prelude::*;
use statewright::{
    CrowdInput, CrowdKey, Entered, Envelope, GroupError, GroupId, Input, InputError, Missing,
    NotHere, Saved, SendError, Told, Undelivered, World, WorldInput, WorldInputError,
    WorldSnapshotError, WrongEvent,
};

const CAT: &str = r#"{ "machine": "Cat", "events": { "Greet": { "payload": "i32" }, "Hiss": {} },
  "initial": "calm", "states": { "calm": { "transitions": [
    { "on": "Greet", "do": "Answer" }, { "on": "Hiss", "do": "Flee" } ] } } }"#;

/// Does not know `Hiss`.
const DOG: &str = r#"{ "machine": "Dog", "events": { "Greet": { "payload": "i32" } },
  "initial": "calm", "states": { "calm": { "transitions": [{ "on": "Greet", "do": "Answer" }] } } }"#;

#[derive(Clone, Copy, Debug, Default, PartialEq, Saved)]
struct Pet {
    friend: AgentId,
    heard: i32,
}

impl Board for Pet {}

fn cat() -> Machine {
    static MACHINE: std::sync::OnceLock<Machine> = std::sync::OnceLock::new();
    let machine = || Machine::from_text("cat.sw.json", CAT).unwrap();
    MACHINE.get_or_init(machine).clone()
}

fn pets(machine: &Machine) -> Crowd<Pet, ()> {
    let functions = Functions::new()
        .action("Answer", |me: &mut Pet, (), cx| {
            me.heard = me.heard * 10 + cx.payload::<i32>()
        })
        .action("Flee", |me, (), cx| {
            cx.send(me.friend, cat().event("Hiss").unwrap(), ());
        });
    Crowd::new(machine.bind(functions).unwrap(), 1)
}

struct Scene {
    world: World<()>,
    cats: CrowdKey<Pet>,
    dogs: CrowdKey<Pet>,
}

fn scene() -> Scene {
    let dog = Machine::from_text("dog.sw.json", DOG).unwrap();
    let mut world = World::new();
    let cats = world.join("cats", pets(&cat())).unwrap();
    let dogs = world.join("dogs", pets(&dog)).unwrap();
    Scene { world, cats, dogs }
}

fn spawn(key: CrowdKey<Pet>, board: Pet) -> WorldInput<'static> {
    let variant = None;
    WorldInput::Crowd(CrowdInput::new(key, Input::Spawn { board, variant }))
}

/// Both worlds are the same after a tick.
fn tick_both(first: &mut World<()>, second: &mut World<()>, step: &str) {
    assert_eq!(first.tick(&()), second.tick(&()), "{step}");
    assert_eq!(first.snapshot(), second.snapshot(), "{step}");
}

#[test]
fn a_method_and_its_input_do_the_same() {
    let one = World::<()>::new().starting_at(9);
    let mut two = World::<()>::new();
    assert_eq!(two.apply(WorldInput::StartAt(9)), Ok(Entered::Done));
    assert_eq!(one.now(), two.now());

    let Scene {
        world: mut one,
        cats,
        dogs,
    } = scene();
    let mut two = scene().world;
    let rex = one[dogs].spawn(Pet::default());
    let friend = Pet {
        friend: rex,
        heard: 0,
    };
    let tom = one[cats].spawn(friend);
    let kit = one[cats].spawn(Pet::default());
    for (input, agent) in [
        (spawn(dogs, Pet::default()), rex),
        (spawn(cats, friend), tom),
        (spawn(cats, Pet::default()), kit),
    ] {
        assert_eq!(two.apply(input), Ok(Entered::Agent(agent)));
    }
    tick_both(&mut one, &mut two, "spawn");
    let saved = one.snapshot().unwrap();

    let [greet, hiss] = ["Greet", "Hiss"].map(|name| cat().event(name).unwrap());
    one.send(tom, greet, 1).unwrap();
    let event = cat().make_event(greet, 1).unwrap();
    let input = WorldInput::Send(Envelope { to: tom, event });
    assert_eq!(two.apply(input), Ok(Entered::Done));
    // An event that the receiver of the message does not know: both count it.
    one.send(tom, hiss, ()).unwrap();
    let event = cat().make_event(hiss, ()).unwrap();
    two.apply(WorldInput::Send(Envelope { to: tom, event }))
        .unwrap();
    tick_both(&mut one, &mut two, "send");
    assert_eq!(one.undelivered().count(), 1);

    let squad = one.new_group().unwrap();
    assert_eq!(two.apply(WorldInput::NewGroup), Ok(Entered::Group(squad)));
    for agent in [kit, rex, tom] {
        one.join_group(squad, agent).unwrap();
        two.apply(WorldInput::JoinGroup(squad, agent)).unwrap();
    }
    one.leave_group(squad, kit).unwrap();
    two.apply(WorldInput::LeaveGroup(squad, kit)).unwrap();
    tick_both(&mut one, &mut two, "join and leave");
    let told = one.send_to_group(squad, greet, 7).unwrap();
    let input = WorldInput::SendToGroup {
        group: squad,
        event: greet,
        payload: [7, 0, 0, 0],
    };
    assert_eq!(two.apply(input), Ok(Entered::Told(told)));
    tick_both(&mut one, &mut two, "send to a group");
    assert_eq!(two[dogs].board(rex).unwrap().heard, 7);
    assert_eq!(two[cats].board(tom).unwrap().heard, 17);
    assert_eq!(two[cats].board(kit).unwrap().heard, 0);

    one.despawn(rex).unwrap();
    assert_eq!(two.apply(WorldInput::Despawn(rex)), Ok(Entered::Done));
    one.dissolve_group(squad).unwrap();
    two.apply(WorldInput::DissolveGroup(squad)).unwrap();
    tick_both(&mut one, &mut two, "the end");
    one.restore(&saved).unwrap();
    assert_eq!(two.apply(WorldInput::Restore(&saved)), Ok(Entered::Done));
    assert_eq!(two.snapshot().unwrap(), saved);
    tick_both(&mut one, &mut two, "restore");
}

#[test]
fn what_is_refused_changes_nothing() {
    let Scene {
        mut world,
        cats,
        dogs,
    } = scene();
    let tom = world[cats].spawn(Pet::default());
    let rex = world[dogs].spawn(Pet::default());
    let squad = world.new_group().unwrap();
    world.join_group(squad, tom).unwrap();
    world.join_group(squad, rex).unwrap();
    world.tick(&());
    world.despawn(rex).unwrap();
    let ended = world.new_group().unwrap();
    world.dissolve_group(ended).unwrap();
    let lonely = world.new_group().unwrap();
    let before = world.snapshot().unwrap();

    let [greet, hiss] = ["Greet", "Hiss"].map(|name| cat().event(name).unwrap());
    let stranger = scene().world;
    let foreign: CrowdKey<Pet> = {
        let mut other = stranger;
        other
            .join("third", pets(&cat()).numbered(number(9)))
            .unwrap()
    };
    let event = cat().make_event(hiss, ()).unwrap();
    let gone = Missing::Gone(rex);
    let missing = Envelope { to: rex, event };
    let to_group = |group: GroupId| WorldInput::SendToGroup {
        group,
        event: greet,
        payload: [0; 4],
    };
    let despawn = Input::<Pet>::Despawn(rex);
    let refused: [(WorldInput<'_>, WorldInputError); 12] = [
        (spawn(foreign, Pet::default()), NotHere.into()),
        (
            // Blackboards of another type.
            WorldInput::Crowd(CrowdInput::new(retyped(cats), Input::<()>::ResetCounters)),
            NotHere.into(),
        ),
        (
            WorldInput::Crowd(CrowdInput::new(dogs, despawn)),
            InputError::Missing(gone).into(),
        ),
        (WorldInput::Send(missing), SendError::Missing(gone).into()),
        (WorldInput::Despawn(rex), gone.into()),
        (
            WorldInput::DissolveGroup(ended),
            GroupError::Gone(ended).into(),
        ),
        (
            WorldInput::JoinGroup(squad, tom),
            GroupError::Member(tom).into(),
        ),
        (
            WorldInput::JoinGroup(squad, rex),
            GroupError::Missing(rex).into(),
        ),
        (
            WorldInput::LeaveGroup(lonely, tom),
            GroupError::NoMember(tom).into(),
        ),
        (to_group(lonely), GroupError::Nobody(lonely).into()),
        (WorldInput::StartAt(3), WorldInputError::StartAt(3)),
        (
            WorldInput::Restore(&before[..70]),
            world.restore(&before[..70]).unwrap_err().into(),
        ),
    ];
    for (input, expected) in refused {
        let said = format!("{input:?}");
        assert_eq!(world.apply(input), Err(expected), "{said}");
        assert_eq!(world.snapshot().unwrap(), before, "{said}");
    }
    // By number there is such an event in one machine and none in the other.
    let pup = world[dogs].spawn(Pet::default());
    let unknown = world.apply(WorldInput::Send(Envelope { to: pup, event }));
    assert!(
        matches!(
            unknown,
            Err(WorldInputError::Send(SendError::Event(
                WrongEvent::Unknown { .. }
            )))
        ),
        "{unknown:?}"
    );
    let told = world.send_to_group(squad, greet, 1);
    let reached = Told {
        reached: 1,
        unknown: 0,
        conflicting: 0,
    };
    assert_eq!(told, Ok(reached), "the dead are left out");
}

fn number(number: u32) -> statewright::CrowdNumber {
    statewright::CrowdNumber::new(number).unwrap()
}

/// A key of the same place with another type: that of another world.
fn retyped(_: CrowdKey<Pet>) -> CrowdKey<()> {
    let functions = Functions::<(), ()>::new()
        .action("Answer", |_, _, _| {})
        .action("Flee", |_, _, _| {});
    let crowd = Crowd::new(cat().bind(functions).unwrap(), 1);
    World::new().join("cats", crowd).unwrap()
}

/// Cats hiss at dogs, who do not know it, at nobody, at a group that is gone, and at a crowd that
/// left.
fn hissed() -> (Scene, AgentId, Vec<Undelivered>) {
    let Scene {
        mut world,
        cats,
        dogs,
    } = scene();
    let third = pets(&cat()).numbered(number(77));
    let third = world.join("third", third).unwrap();
    let rex = world[dogs].spawn(Pet::default());
    let lost = world[third].spawn(Pet::default());
    let other = world[third].spawn(Pet {
        friend: rex,
        heard: 0,
    });
    let group = world.new_group().unwrap();
    world.dissolve_group(group).unwrap();
    let friends = [rex, lost, AgentId::default(), group.receiver(), rex];
    let hiss = cat().event("Hiss").unwrap();
    let hissing = friends.map(|friend| world[cats].spawn(Pet { friend, heard: 0 }));
    world.tick(&());
    world.send(other, hiss, ()).unwrap();
    world.tick(&());
    let _ = world.leave(third).unwrap();
    for cat in hissing {
        world.send(cat, hiss, ()).unwrap();
    }
    world.tick(&());
    let undelivered = world.undelivered().collect();
    (Scene { world, cats, dogs }, hissing[0], undelivered)
}

#[test]
fn sys_6_messages_that_nobody_got_are_part_of_a_snapshot() {
    let (Scene { mut world, .. }, cat_agent, undelivered) = hissed();
    let said: Vec<(&str, &str, u64)> = undelivered
        .iter()
        .map(|lost| (lost.from.as_str(), lost.event.as_str(), lost.count))
        .collect();
    assert_eq!(
        said,
        [
            ("cats", "Hiss", 2),
            ("cats", "Hiss", 1),
            ("cats", "Hiss", 1),
            ("cats", "Hiss", 1),
            ("", "", 1)
        ],
        "{undelivered:#?}"
    );
    let saved = world.snapshot().unwrap();
    world
        .send(cat_agent, cat().event("Hiss").unwrap(), ())
        .unwrap();
    world.tick(&());
    let later: Vec<Undelivered> = world.undelivered().collect();
    assert_eq!(later[0].count, 3);
    world.restore(&saved).unwrap();
    assert_eq!(world.undelivered().collect::<Vec<_>>(), undelivered);
    // In a world where nobody ever left, and where crowds joined in another order.
    let mut fresh = scene().world;
    fresh.restore(&saved).unwrap();
    assert_eq!(fresh.undelivered().collect::<Vec<_>>(), undelivered);
    assert_eq!(fresh.snapshot().unwrap(), saved);
    let mut turned: World<()> = World::new();
    let dog = Machine::from_text("dog.sw.json", DOG).unwrap();
    turned.join("dogs", pets(&dog)).unwrap();
    turned.join("cats", pets(&cat())).unwrap();
    turned.restore(&saved).unwrap();
    assert_eq!(turned.undelivered().collect::<Vec<_>>(), undelivered);
}

#[test]
fn sys_6_messages_of_a_snapshot_that_cannot_be_are_refused() {
    let (Scene { mut world, .. }, ..) = hissed();
    let saved = world.snapshot().unwrap();
    // Head, time, one place of a group without group, one free place; then how many failures.
    let first = HEAD + 8 + (8 + 12) + (8 + 4) + 8;
    let count = u64::from_le_bytes(saved[first - 8..first].try_into().unwrap());
    assert_eq!(count, 5);
    // Crowd and event of the sender, kind of reason, its detail, how many.
    for (at, value) in [(0, 9_u8), (4, 200), (6, 3), (8, 9), (12, 0)] {
        let mut damaged = saved.clone();
        damaged[first + at] = value;
        statewright_bytes::seal(&mut damaged);
        assert_eq!(
            world.restore(&damaged),
            Err(WorldSnapshotError::Content("undelivered messages")),
            "byte {at}"
        );
    }
    assert_eq!(world.snapshot().unwrap(), saved);
}

/// Bytes before the content of a snapshot.
const HEAD: usize = size_of::<statewright_bytes::Head>();

#[test]
fn a_group_is_spoken_to_without_those_who_went_in_any_way() {
    let Scene {
        mut world,
        cats,
        dogs,
    } = scene();
    let tom = world[cats].spawn(Pet::default());
    let rex = world[dogs].spawn(Pet::default());
    let pup = world[dogs].spawn(Pet::default());
    let squad = world.new_group().unwrap();
    for agent in [rex, tom, pup] {
        world.join_group(squad, agent).unwrap();
    }
    world.tick(&());
    let saved = world.snapshot().unwrap();
    let greet = cat().event("Greet").unwrap();
    let reach = |world: &mut World<()>| world.send_to_group(squad, greet, 1).unwrap().reached;
    assert_eq!(reach(&mut world), 3);
    // By the crowd itself, whose place somebody else takes.
    world[dogs].despawn(rex).unwrap();
    let new = world[dogs].spawn(Pet::default());
    assert_eq!(new.index(), rex.index());
    assert_eq!(reach(&mut world), 2);
    // By a snapshot of the world: all are back.
    world.restore(&saved).unwrap();
    assert_eq!(reach(&mut world), 3);
    // By a snapshot of the crowd alone.
    let empty = scene().world[dogs].snapshot();
    world[dogs].restore(&empty).unwrap();
    assert_eq!(reach(&mut world), 1);
    // With their crowd.
    world.restore(&saved).unwrap();
    let _ = world.leave(dogs).unwrap();
    assert_eq!(reach(&mut world), 1);
    assert_eq!(world.group(squad).unwrap().collect::<Vec<_>>(), [tom]);
}
