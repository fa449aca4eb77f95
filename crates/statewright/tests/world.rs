//! Worlds: crowds of different machines with one clock, messages between them, groups, one snapshot
//! (SYS-1, CMD-4, SYS-6).

use std::sync::Arc;

use statewright::commands::Pool;
use statewright::prelude::*;
use statewright::{
    CrowdKey, CrowdNumber, GroupError, GroupId, JoinError, Missing, NotHere, Saved, SendError,
    Told, Undelivered, World, WorldError, WorldSnapshotError, WrongEvent,
};

const GUARD: &str = r#"{ "machine": "Guard", "tier": "standard",
  "events": { "Help": { "payload": "entity" }, "Roar": {}, "Hit": { "payload": "i32", "class": "interrupt" }, "Whistle": {} },
  "initial": "patrol",
  "states": {
    "patrol": { "transitions": [{ "on": "Help", "to": "fight", "do": "Strike" }, { "on": "Roar", "do": "Count" }, { "on": "Whistle", "do": "Call" }] },
    "fight": { "transitions": [{ "after": "3t", "to": "patrol" }, { "on": "Roar", "do": "Count" }, { "on": "Hit", "do": "Count" }] } } }"#;

/// Knows `Help` and `Hit` by name, `Roar` not at all, and `Whistle` with something else in it.
const BOSS: &str = r#"{ "machine": "Boss", "tier": "crowd",
  "events": { "Hit": { "payload": "i32", "class": "critical" }, "Help": { "payload": "entity" }, "Whistle": { "payload": "f32" } },
  "states": { "rage": { "transitions": [{ "on": "Hit", "do": "Bleed" }] } } }"#;

#[derive(Clone, Copy, Debug, Default, PartialEq, Saved)]
struct Guard {
    /// Whom it strikes or calls.
    friend: AgentId,
    count: i32,
    rest: i32,
}

impl Board for Guard {}

#[derive(Clone, Copy, Debug, Default, PartialEq, Saved)]
struct Boss {
    health: i32,
    last: i32,
}

impl Board for Boss {}

/// What a tick lends.
struct Town<'t> {
    strength: &'t [i32],
}

#[functions(context = Town<'_>)]
impl Guard {
    #[action]
    fn strike(&mut self, town: &Town, cx: &mut ActionCx) {
        let hit = town.strength[cx.agent().index() as usize % town.strength.len()];
        let event = guard().event("Hit").unwrap();
        cx.send(self.friend, event, hit);
    }

    #[action]
    fn count(&mut self) {
        self.count += 1;
    }

    #[action]
    fn call(&mut self, cx: &mut ActionCx) {
        let roar = guard().event("Roar").unwrap();
        cx.send(self.friend, roar, ());
    }
}

#[functions(context = Town<'_>)]
impl Boss {
    #[action]
    fn bleed(&mut self, cx: &mut ActionCx) {
        self.health -= cx.payload::<i32>();
        self.last = cx.payload();
    }
}

fn guard() -> Machine {
    static MACHINE: std::sync::OnceLock<Machine> = std::sync::OnceLock::new();
    let machine = || Machine::from_text("guard.sw.json", GUARD).unwrap();
    MACHINE.get_or_init(machine).clone()
}

fn guards(seed: u64) -> Crowd<Guard, InTown> {
    Crowd::new(guard().bind(Guard::functions()).unwrap(), seed)
}

fn bosses() -> Crowd<Boss, InTown> {
    let machine = Machine::from_text("boss.sw.json", BOSS).unwrap();
    Crowd::new(machine.bind(Boss::functions()).unwrap(), 1)
}

type InTown = borrowed!(Town<'_>);

struct Scene {
    world: World<InTown>,
    guards: CrowdKey<Guard>,
    bosses: CrowdKey<Boss>,
    guard: Vec<AgentId>,
    boss: AgentId,
}

const STRENGTH: [i32; 3] = [5, 7, 9];

fn tick(world: &mut World<InTown>) -> statewright::WorldTick {
    world.tick(&Town {
        strength: &STRENGTH,
    })
}

fn scene() -> Scene {
    let mut world = World::new();
    let guards = world.join("guards", guards(1)).unwrap();
    let bosses = world.join("bosses", bosses()).unwrap();
    let boss = world[bosses].spawn(Boss {
        health: 100,
        last: 0,
    });
    let spawn = |_| {
        world[guards].spawn(Guard {
            friend: boss,
            ..Guard::default()
        })
    };
    let guard = (0..3).map(spawn).collect();
    tick(&mut world);
    Scene {
        world,
        guards,
        bosses,
        guard,
        boss,
    }
}

#[test]
fn cmd_4_messages_reach_agents_of_other_machines_by_name() {
    let Scene {
        mut world,
        bosses,
        guard: agents,
        boss,
        ..
    } = scene();
    let help = guard().event("Help").unwrap();
    world.send(agents[0], help, boss).unwrap();
    world.send(agents[2], help, boss).unwrap();
    let first = tick(&mut world);
    assert_eq!((first.messages, first.undelivered), (2, 0));
    assert_eq!(world[bosses].board(boss).unwrap().health, 100, "not yet");
    tick(&mut world);
    // In the order of senders: the last strike is that of the last guard.
    let board = *world[bosses].board(boss).unwrap();
    assert_eq!((board.health, board.last), (100 - 5 - 9, 9));
    // The host may send an event of one machine to an agent of another.
    let hit = guard().event("Hit").unwrap();
    world.send(boss, hit, 50).unwrap();
    let wrong = world.send(boss, hit, 2.5_f32).unwrap_err();
    assert!(matches!(
        wrong,
        SendError::Event(WrongEvent::Payload { .. })
    ));
    tick(&mut world);
    assert_eq!(world[bosses].board(boss).unwrap().health, 36);
}

#[test]
fn cmd_4_an_event_that_the_receiver_does_not_know_is_counted_and_named() {
    let Scene {
        mut world,
        guard: agents,
        boss,
        ..
    } = scene();
    let whistle = guard().event("Whistle").unwrap();
    world.send(agents[0], whistle, ()).unwrap();
    world.send(agents[1], whistle, ()).unwrap();
    let done = tick(&mut world);
    assert_eq!((done.messages, done.undelivered), (0, 2));
    let unknown: Vec<Undelivered> = world.undelivered().collect();
    assert_eq!(
        unknown,
        [Undelivered {
            from: "guards".to_owned(),
            event: "Roar".to_owned(),
            reason: "`Boss` of crowd `bosses` does not know the event".to_owned(),
            count: 2,
        }]
    );
    // The host is told at once.
    let roar = guard().event("Roar").unwrap();
    assert!(matches!(
        world.send(boss, roar, ()),
        Err(SendError::Event(WrongEvent::OtherMachine { .. }))
    ));
    // The same name with another payload is another event.
    assert_eq!(
        world.send(boss, whistle, ()).unwrap_err().to_string(),
        "event `Whistle` of `Guard` carries nothing, but that of `Boss` carries f32: they are different events"
    );
}

#[test]
fn cmd_4_messages_to_a_crowd_that_left_are_counted_and_named() {
    let Scene {
        mut world,
        bosses,
        guard: agents,
        boss,
        ..
    } = scene();
    let squad = world.new_group().unwrap();
    for agent in [boss, agents[0]] {
        world.join_group(squad, agent).unwrap();
    }
    let gone = world.leave(bosses).unwrap();
    assert_eq!(gone.len(), 1);
    assert_eq!(world.crowd(bosses).map(drop), Err(NotHere));
    assert_eq!(world.leave(bosses).map(drop), Err(NotHere));
    assert_eq!(world.names().collect::<Vec<_>>(), ["guards"]);
    let help = guard().event("Help").unwrap();
    world.send(agents[0], help, boss).unwrap();
    assert_eq!(
        world.send(boss, help, boss),
        Err(Missing::NoCrowd(boss).into())
    );
    assert_eq!(tick(&mut world).undelivered, 1);
    let lost = world.undelivered().next().unwrap();
    assert_eq!((lost.event.as_str(), lost.count), ("Hit", 1));
    assert_eq!(
        lost.reason,
        format!("crowd {} is not in this world", boss.crowd())
    );
    // The world has gone on without it: it comes back after it was ticked alone as often.
    let mut gone = gone;
    gone.tick(&Town {
        strength: &STRENGTH,
    });
    let back = world.join("bosses", gone).unwrap();
    assert_eq!((world[back].now(), world.contains(boss)), (2, true));
    let squad: Vec<AgentId> = world.group(squad).unwrap().collect();
    assert_eq!(squad, [agents[0]], "groups forgot who left");
    tick(&mut world);
}

#[test]
fn groups_are_spoken_to_in_the_order_in_which_their_members_joined() {
    let Scene {
        mut world,
        guards,
        bosses,
        guard: agents,
        boss,
    } = scene();
    let squad = world.new_group().unwrap();
    for agent in [agents[2], boss, agents[0], agents[1]] {
        world.join_group(squad, agent).unwrap();
    }
    assert_eq!(
        world.group(squad).unwrap().collect::<Vec<_>>(),
        [agents[2], boss, agents[0], agents[1]]
    );
    let roar = guard().event("Roar").unwrap();
    assert_eq!(
        world.send_to_group(squad, roar, ()),
        Ok(Told {
            reached: 3,
            unknown: 1,
            conflicting: 0
        })
    );
    tick(&mut world);
    let counts = |world: &World<InTown>| -> Vec<i32> {
        let board = |&agent: &AgentId| world[guards].board(agent).unwrap().count;
        agents.iter().map(board).collect()
    };
    assert_eq!(counts(&world), [1, 1, 1]);
    // An agent speaks to its group by the group's id, and does not hear itself.
    world[guards].board_mut(agents[0]).unwrap().friend = squad.receiver();
    world.leave_group(squad, boss).unwrap();
    let whistle = guard().event("Whistle").unwrap();
    world.send(agents[0], whistle, ()).unwrap();
    let done = tick(&mut world);
    assert_eq!((done.messages, done.undelivered), (2, 0));
    tick(&mut world);
    assert_eq!(counts(&world), [1, 2, 2]);
    // Who is gone is no member any more.
    world.despawn(agents[1]).unwrap();
    assert_eq!(world.group(squad).unwrap().count(), 2);
    assert_eq!(world.send_to_group(squad, roar, ()).unwrap().reached, 2);
    let _ = bosses;
}

#[test]
fn what_groups_refuse() {
    let Scene {
        mut world,
        guard: agents,
        ..
    } = scene();
    let (squad, other) = (world.new_group().unwrap(), world.new_group().unwrap());
    let [roar, hit] = ["Roar", "Hit"].map(|name| guard().event(name).unwrap());
    world.join_group(squad, agents[0]).unwrap();
    assert_eq!(
        world.join_group(squad, agents[0]),
        Err(GroupError::Member(agents[0]))
    );
    assert_eq!(
        world.leave_group(squad, agents[1]),
        Err(GroupError::NoMember(agents[1]))
    );
    assert!(matches!(
        world.send_to_group(squad, hit, true),
        Err(GroupError::Event(WrongEvent::Payload { .. }))
    ));
    let stranger = Machine::from_text(
        "x",
        r#"{ "machine": "X", "events": ["Y"], "states": { "z": {} } }"#,
    );
    let stranger = stranger.unwrap().event("Y").unwrap();
    assert_eq!(
        world.send_to_group(squad, stranger, ()),
        Err(GroupError::Event(WrongEvent::NoMachine(stranger)))
    );
    // A group of the dead.
    world.despawn(agents[0]).unwrap();
    assert_eq!(
        world.send_to_group(squad, roar, ()),
        Err(GroupError::Nobody(squad))
    );
    assert_eq!(
        world.join_group(squad, agents[0]),
        Err(GroupError::Missing(agents[0]))
    );
    // A group that is gone, also when another has its place.
    world.dissolve_group(other).unwrap();
    let third = world.new_group().unwrap();
    assert_ne!(third, other);
    for gone in [
        world.join_group(other, agents[1]),
        world.dissolve_group(other),
        world.send_to_group(other, roar, ()).map(drop),
        world.group(other).map(drop),
    ] {
        assert_eq!(gone, Err(GroupError::Gone(other)));
    }
    assert_eq!(GroupId::of(agents[1]), None);
    assert_eq!(GroupId::of(third.receiver()), Some(third));
}

#[test]
fn a_message_to_a_group_that_is_gone_is_counted_and_named() {
    let Scene {
        mut world,
        guards,
        guard: agents,
        ..
    } = scene();
    let squad = world.new_group().unwrap();
    world[guards].board_mut(agents[0]).unwrap().friend = squad.into();
    world.dissolve_group(squad).unwrap();
    let whistle = guard().event("Whistle").unwrap();
    world.send(agents[0], whistle, ()).unwrap();
    assert_eq!(tick(&mut world).undelivered, 1);
    assert_eq!(
        world.undelivered().next().unwrap().reason,
        "the group is gone"
    );
}

#[test]
fn crowds_that_cannot_join_are_refused() {
    let Scene { mut world, .. } = scene();
    let refused = |world: &mut World<InTown>, name, crowd| world.join(name, crowd).map(drop);
    assert_eq!(
        refused(&mut world, "guards", guards(2)),
        Err(JoinError::SameName("guards".to_owned()))
    );
    let same = guards(1).number();
    assert_eq!(
        refused(&mut world, "more guards", guards(1)),
        Err(JoinError::SameNumber {
            number: same,
            other: "guards".to_owned()
        })
    );
    let mut older = guards(3);
    older.spawn(Guard::default());
    assert_eq!(
        refused(&mut world, "older", older),
        Err(JoinError::OtherTime { crowd: 0, world: 1 })
    );
    assert_eq!(
        [(1, 3), (3, 2)].map(|(crowd, world)| JoinError::OtherTime { crowd, world }.to_string()),
        [
            "the next tick of the crowd is 1, that of the world 3: tick the crowd alone 2 more times; \
             only a crowd that never had an agent takes the time of the world",
            "the next tick of the crowd is 3, that of the world 2: tick the world without it 1 more time; \
             only a crowd that never had an agent takes the time of the world",
        ]
    );
    // Without agents it takes the time of the world; with a number of its own it is told apart.
    let number = CrowdNumber::new(77).unwrap();
    let more = world
        .join("more guards", guards(1).numbered(number))
        .unwrap();
    assert_eq!(world[more].now(), 1);
    assert_eq!(world.name_of(number), Some("more guards"));
    assert_eq!(world.len(), 4);
}

#[test]
fn crowds_of_a_world_are_ticked_by_it_alone() {
    let Scene {
        mut world, guards, ..
    } = scene();
    let town = Town {
        strength: &STRENGTH,
    };
    world[guards].tick(&town);
    let error = world.try_tick(&town).unwrap_err();
    assert_eq!(
        error,
        WorldError::OtherTime {
            crowd: "guards".to_owned(),
            at: 2,
            world: 1
        }
    );
}

#[test]
fn cmd_2_a_pool_that_is_too_small_refuses_the_whole_tick() {
    let mut world: World<InTown> = World::new();
    let pool = Arc::new(Pool::new(1));
    let bosses = world
        .join("bosses", bosses().with_pool(pool.clone()))
        .unwrap();
    let guards = world.join("guards", guards(1).with_pool(pool)).unwrap();
    let boss = world[bosses].spawn(Boss::default());
    for _ in 0..8 {
        world[guards].spawn(Guard::default());
    }
    let town = Town {
        strength: &STRENGTH,
    };
    for _ in 0..2 {
        let error = world.try_tick(&town).unwrap_err();
        assert!(
            matches!(&error, WorldError::Pool { crowd, .. } if crowd == "guards"),
            "{error}"
        );
    }
    assert_eq!(world[bosses].path(boss).unwrap(), "", "nobody has started");
    assert_eq!(world.now(), 0);
    for agent in world[guards].agents().collect::<Vec<_>>() {
        world.despawn(agent).unwrap();
    }
    assert_eq!(world.try_tick(&town).unwrap().all.ran, 1, "pages came back");
}

/// Everything that a run leaves: the bytes of the world after each tick, and its commands.
fn run(ticks: u64, one: impl Fn(&mut World<InTown>)) -> Vec<Vec<u8>> {
    let Scene {
        mut world,
        guards,
        guard: agents,
        boss,
        ..
    } = scene();
    world[guards].set_chunk_size(1);
    let squad = world.new_group().unwrap();
    for &agent in &agents {
        world.join_group(squad, agent).unwrap();
    }
    let [help, whistle] = ["Help", "Whistle"].map(|name| guard().event(name).unwrap());
    let mut states = Vec::new();
    for tick in 0..ticks {
        match tick % 5 {
            0 => world.send(agents[tick as usize % 3], help, boss).unwrap(),
            1 => _ = world.send_to_group(squad, help, boss).unwrap(),
            2 => {
                let agent = agents[tick as usize % 3];
                world[guards].board_mut(agent).unwrap().friend = squad.receiver();
                world.send(agent, whistle, ()).unwrap();
            }
            _ => {}
        }
        one(&mut world);
        let mut bytes = world.snapshot().unwrap();
        world.commit(|crowd, command| {
            bytes.extend_from_slice(crowd.as_bytes());
            bytes.extend_from_slice(command.bytes());
        });
        states.push(bytes);
    }
    states
}

#[test]
fn sys_1_a_world_is_the_same_on_any_number_of_threads() {
    let expected = run(40, |world| _ = tick(world));
    for threads in [1, 2, 7] {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        let found = run(40, |world| {
            let town = Town {
                strength: &STRENGTH,
            };
            pool.install(|| _ = world.tick_parallel(&town));
        });
        assert!(found == expected, "{threads} threads");
    }
}

#[test]
fn sys_6_a_world_is_restored_whole_or_not_at_all() {
    let Scene {
        mut world,
        guards,
        bosses,
        guard: agents,
        boss,
    } = scene();
    let squad = world.new_group().unwrap();
    world.join_group(squad, agents[1]).unwrap();
    let help = guard().event("Help").unwrap();
    world.send(agents[0], help, boss).unwrap();
    tick(&mut world);
    let saved = world.snapshot().unwrap();
    tick(&mut world);
    tick(&mut world);
    let later = world.snapshot().unwrap();
    assert_ne!(saved, later);
    world.leave_group(squad, agents[1]).unwrap();
    world.despawn(agents[2]).unwrap();
    world.restore(&saved).unwrap();
    assert_eq!(world.snapshot().unwrap(), saved);
    assert_eq!(world.group(squad).unwrap().count(), 1);
    tick(&mut world);
    tick(&mut world);
    assert_eq!(world.snapshot().unwrap(), later, "it goes on as it did");
    // Damage anywhere is refused and changes nothing.
    for at in (0..saved.len()).step_by(7) {
        let mut damaged = saved.clone();
        damaged[at] ^= 0x10;
        assert!(world.restore(&damaged).is_err(), "byte {at}");
        assert!(world.restore(&saved[..at]).is_err(), "cut at {at}");
    }
    for other in [&[][..], &world[bosses].snapshot()] {
        let refused = world.restore(other).unwrap_err().to_string();
        assert_eq!(refused, "these bytes are no snapshot of a world");
    }
    assert_eq!(world.snapshot().unwrap(), later);
    // A world without one of the crowds, or with another one.
    let gone = world.leave(bosses).unwrap();
    assert_eq!(
        world.restore(&saved),
        Err(WorldSnapshotError::MissingCrowd("bosses".to_owned()))
    );
    let back = world.join("bosses", gone).unwrap();
    world.join_unsaved("more", self::guards(9)).unwrap();
    assert_eq!(
        world.restore(&saved),
        Err(WorldSnapshotError::NewCrowd("more".to_owned()))
    );
    assert_eq!(
        world.snapshot(),
        Err(WorldSnapshotError::Unsaved("more".to_owned()))
    );
    assert_eq!(world[back].board(boss).unwrap().health, 95);
    assert_eq!(world[guards].len(), 3);
}
