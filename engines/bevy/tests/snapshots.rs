//! Brains go back in time, into another program, and into another version of their machine.

use std::hash::{DefaultHasher, Hash, Hasher};

use bevy_app::prelude::*;
use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_statewright::prelude::*;
use bevy_statewright::{AgentState, BrainsError, Inbox, Ram64, WorldBrains};

use crate::common::*;

const SOLDIERS: u32 = 20;

fn shout(mut tell: Tell, events: Res<Events>, state: Res<AgentState>) {
    let now = state.now() as u32;
    for number in 0..3 {
        let to = AgentId::new((now * 7 + number * 5) % SOLDIERS, 1);
        tell.send(to, events.noise, 4 + number as i32);
    }
}

/// Somebody comes every ten ticks, and goes five ticks later.
fn come_and_go(
    mut commands: Commands,
    guests: Query<Entity, With<Guest>>,
    state: Res<AgentState>,
    squad: Res<Squad>,
) {
    let now = state.now() as u32;
    if now.is_multiple_of(10) {
        let agent = Agent::<Soldier>::new(squad.0.clone());
        commands.spawn((
            agent,
            AgentNumber(SOLDIERS + now % 3),
            Guest,
            AgentVariant::new("sharp"),
        ));
    }
    if now % 10 == 5 {
        guests
            .iter()
            .for_each(|guest| commands.entity(guest).despawn());
    }
}

#[derive(Component, Clone, Copy)]
struct Guest;

fn battle() -> App {
    let mut app = app();
    app.save_boards::<Soldier>();
    app.add_systems(Update, shout.before(StatewrightSystems::Intake));
    let agent = soldier(&app);
    for number in 0..SOLDIERS {
        let friend = |by: u32| AgentId::new((number + by) % SOLDIERS, 1);
        let board = Soldier {
            friends: vec![friend(1), friend(4)],
            ..Soldier::default()
        };
        app.world_mut()
            .spawn((agent.clone(), AgentNumber(number), board));
    }
    app
}

fn digest(app: &mut App) -> u64 {
    let mut hasher = DefaultHasher::new();
    app.world().resource::<AgentState>().hash(&mut hasher);
    bytes(app).hash(&mut hasher);
    let world = app.world_mut();
    let mut boards: Vec<(StableId, String)> = world
        .query::<(&StableId, &Soldier)>()
        .iter(world)
        .map(|(id, board)| (*id, format!("{board:?}")))
        .collect();
    boards.sort();
    boards.hash(&mut hasher);
    hasher.finish()
}

fn digests(app: &mut App, ticks: usize) -> Vec<u64> {
    (0..ticks)
        .map(|_| {
            app.update();
            digest(app)
        })
        .collect()
}

#[test]
fn a_snapshot_goes_on_as_it_did_here_and_in_another_app() {
    let mut app = battle();
    digests(&mut app, 25);
    let snapshot = app.world().snapshot_brains().unwrap();
    let expected = digests(&mut app, 40);
    let restored = app.world_mut().restore_brains(&snapshot).unwrap();
    assert_eq!(
        (restored.same, restored.mapped, restored.missing.len()),
        (20, 0, 0)
    );
    assert_eq!(digests(&mut app, 40), expected);

    // Another app knows the agents by their numbers alone.
    let mut other = battle();
    digests(&mut other, 3);
    assert_ne!(digests(&mut other, 1), expected[..1]);
    let restored = other.world_mut().restore_brains(&snapshot).unwrap();
    assert_eq!((restored.same, restored.boards_refused), (20, 0));
    assert_eq!(digests(&mut other, 40), expected);
    assert_eq!(problems(&other), []);
}

#[test]
fn agents_that_one_side_alone_has_are_told() {
    let mut app = battle();
    digests(&mut app, 5);
    let snapshot = app.world().snapshot_brains().unwrap();
    let world = app.world_mut();
    let mut all = world.query::<(Entity, &StableId)>();
    let (gone, id) = all
        .iter(world)
        .find(|(_, id)| id.get().index() == 3)
        .unwrap();
    let id = id.get();
    world.despawn(gone);
    let agent = soldier(&app);
    let stranger = app.world_mut().spawn((agent, AgentNumber(700))).id();
    digests(&mut app, 5);
    let restored = app.world_mut().restore_brains(&snapshot).unwrap();
    assert_eq!(
        (restored.same, restored.missing, restored.strangers),
        (19, vec![id], 1)
    );
    app.update();
    assert_eq!(path(&mut app, stranger), "idle", "it began anew");
    assert_eq!(problems(&app), []);
}

#[test]
fn a_save_of_an_earlier_machine_is_mapped_by_stable_ids() {
    let mut app = battle();
    digests(&mut app, 12);
    let snapshot = app.world().snapshot_brains().unwrap();
    let before = paths(&mut app);
    assert!(before.iter().any(|path| path != "idle"), "{before:?}");
    let mut patched = battle();
    change_machine(&mut patched);
    digests(&mut patched, 2);
    let restored = patched.world_mut().restore_brains(&snapshot).unwrap();
    assert_eq!((restored.same, restored.mapped), (0, 20));
    assert_eq!(paths(&mut patched), before);
    digests(&mut patched, 20);
    assert_eq!(problems(&patched), []);
}

/// Another version of the machine is saved: one with a state more.
fn change_machine(app: &mut App) {
    let text = SQUAD.replacen(r#""states": {"#, r#""states": { "asleep": {},"#, 1);
    let squad = app.world().resource::<Squad>().0.clone();
    let mut machines = app.world_mut().resource_mut::<Assets<MachineAsset>>();
    let machine = Machine::from_text("squad.sw.json", &text).unwrap();
    machines.insert(&squad, MachineAsset(machine)).unwrap();
}

/// Active leaves of all agents, in their order.
fn paths(app: &mut App) -> Vec<String> {
    let world = app.world_mut();
    let mut all = world.query::<(Entity, &StableId)>();
    let mut all: Vec<(StableId, Entity)> =
        all.iter(world).map(|(entity, id)| (*id, entity)).collect();
    all.sort();
    all.into_iter()
        .map(|(_, entity)| path(app, entity))
        .collect()
}

#[test]
fn a_reload_in_the_frame_in_which_time_goes_back_maps_everybody() {
    let mut app = battle();
    digests(&mut app, 12);
    let (frame, brains) = (keep(&mut app), app.world().snapshot_brains().unwrap());
    assert!(paths(&mut app).iter().any(|path| path != "idle"));
    let expected = {
        digests(&mut app, 1);
        paths(&mut app)
    };
    for is_restored in [true, false] {
        let mut app = battle();
        digests(&mut app, 5);
        match is_restored {
            true => _ = app.world_mut().restore_brains(&brains).unwrap(),
            false => go_back(&mut app, &frame),
        }
        change_machine(&mut app);
        app.update();
        let mut reloads = app
            .world_mut()
            .resource_mut::<bevy_ecs::message::Messages<bevy_statewright::MachineReloaded>>();
        let reports: Vec<_> = reloads.drain().map(|one| one.report).collect();
        assert_eq!(reports.len(), 1);
        assert_eq!((reports[0].kept, reports[0].anew_agents()), (20, 0));
        assert_eq!(paths(&mut app), expected);
        assert_eq!(problems(&app), []);
    }
}

#[test]
fn whoever_comes_in_the_frame_that_goes_back_is_numbered_in_the_order_of_spawning() {
    let mut app = battle();
    digests(&mut app, 3);
    let brains = app.world().snapshot_brains().unwrap();
    let agent = soldier(&app);
    // Entities are given out in any order: the second one that is spawned lies before the first.
    let mut places: Vec<Entity> = (0..4).map(|_| app.world_mut().spawn_empty().id()).collect();
    places.sort();
    let order = [2, 0, 3, 1].map(|place| places[place]);
    for entity in order {
        app.world_mut().entity_mut(entity).insert(agent.clone());
    }
    app.world_mut().restore_brains(&brains).unwrap();
    app.update();
    let indices = order.map(|entity| {
        let id = app.world().get::<StableId>(entity).unwrap();
        id.get().index()
    });
    assert_eq!(indices, [0, 1, 2, 3].map(|place| SOLDIERS + place));
}

#[test]
fn damaged_snapshots_are_refused_and_change_nothing() {
    let mut app = battle();
    digests(&mut app, 8);
    let snapshot = app.world().snapshot_brains().unwrap();
    let before = digest(&mut app);
    for end in (0..snapshot.len()).step_by(97) {
        assert!(
            app.world_mut().restore_brains(&snapshot[..end]).is_err(),
            "{end} bytes"
        );
    }
    for place in (0..snapshot.len()).step_by(53) {
        let mut damaged = snapshot.clone();
        damaged[place] ^= 1 << (place % 8);
        assert!(
            app.world_mut().restore_brains(&damaged).is_err(),
            "byte {place}"
        );
    }
    assert_eq!(digest(&mut app), before);
    let mut empty = World::new();
    assert_eq!(empty.restore_brains(&snapshot), Err(BrainsError::NoPlugin));
    assert_eq!(empty.snapshot_brains(), Err(BrainsError::NoPlugin));
}

/// What a rollback library keeps of a frame: components by value, entities made anew.
struct Frame {
    state: AgentState,
    inbox: Inbox,
    agents: Vec<(
        StableId,
        Option<Ram64>,
        Soldier,
        AgentNumber,
        Option<Guest>,
        Option<AgentVariant>,
    )>,
}

fn keep(app: &mut App) -> Frame {
    let world = app.world_mut();
    let mut query = world.query::<(
        &StableId,
        Option<&Ram64>,
        &Soldier,
        &AgentNumber,
        Option<&Guest>,
        Option<&AgentVariant>,
    )>();
    let all = query.iter(world);
    let agents = all
        .map(|(id, ram, board, number, guest, variant)| {
            (
                *id,
                ram.copied(),
                board.clone(),
                *number,
                guest.copied(),
                variant.cloned(),
            )
        })
        .collect();
    Frame {
        state: world.resource::<AgentState>().clone(),
        inbox: world.resource::<Inbox>().clone(),
        agents,
    }
}

fn go_back(app: &mut App, frame: &Frame) {
    let agent = soldier(app);
    let world = app.world_mut();
    let mut query = world.query_filtered::<Entity, With<StableId>>();
    let old: Vec<Entity> = query.iter(world).collect();
    old.into_iter().for_each(|entity| _ = world.despawn(entity));
    for (id, ram, board, number, guest, variant) in frame.agents.iter().rev() {
        let mut entity = world.spawn((agent.clone(), board.clone(), *number, *id));
        ram.map(|ram| entity.insert(ram));
        guest.map(|guest| entity.insert(guest));
        variant.clone().map(|variant| entity.insert(variant));
    }
    world.insert_resource(frame.state.clone());
    world.insert_resource(frame.inbox.clone());
}

#[test]
fn frames_that_are_rolled_back_and_run_again_are_the_same() {
    const DISTANCE: usize = 7;
    let mut app = battle();
    app.add_systems(Update, come_and_go.after(StatewrightSystems::Emit));
    let (mut frames, mut seen) = (vec![keep(&mut app)], Vec::new());
    for frame in 0..200 {
        app.update();
        seen.push(digest(&mut app));
        frames.push(keep(&mut app));
        if frame >= DISTANCE {
            go_back(&mut app, &frames[frame - DISTANCE + 1]);
            let again = &seen[frame - DISTANCE + 1..];
            for (number, expected) in again.iter().enumerate() {
                app.update();
                assert_eq!(digest(&mut app), *expected, "frame {number} from {frame}");
            }
        }
    }
    assert_eq!(problems(&app), []);
    let distinct: std::collections::HashSet<u64> = seen.iter().copied().collect();
    assert!(
        distinct.len() > 190,
        "something happens in nearly every frame"
    );
}

#[test]
fn a_new_version_that_comes_in_the_middle_of_a_rollback_waits() {
    use bevy_ecs::message::Messages;
    use bevy_statewright::{Brains, Config, MachineReloaded};
    const DISTANCE: usize = 7;
    let mut app = battle();
    app.add_systems(Update, come_and_go.after(StatewrightSystems::Emit));
    app.world_mut().resource_mut::<Config>().holds_reloads = true;
    let (mut frames, mut seen) = (vec![keep(&mut app)], Vec::new());
    for _ in 0..43 {
        app.update();
        seen.push(digest(&mut app));
        frames.push(keep(&mut app));
    }
    let knows = |app: &mut App| {
        let look = |brains: Brains, agents: Query<Entity, With<StableId>>| {
            let machines = agents.iter().filter_map(|agent| brains.machine(agent));
            machines
                .filter(|machine| machine.state("asleep").is_ok())
                .count()
        };
        bevy_ecs::system::RunSystemOnce::run_system_once(app.world_mut(), look).unwrap()
    };
    let first = frames.len() - DISTANCE - 1;
    for round in 0..3 {
        go_back(&mut app, &frames[first]);
        for (number, expected) in seen[first..].iter().enumerate() {
            if (round, number) == (1, 3) {
                // Somebody saves the machine while frames run again.
                let text = SQUAD.replacen(r#""states": {"#, r#""states": { "asleep": {},"#, 1);
                let machine = Machine::from_text("squad.sw.json", &text).unwrap();
                let squad = app.world().resource::<Squad>().0.clone();
                let mut machines = app.world_mut().resource_mut::<Assets<MachineAsset>>();
                machines.insert(&squad, MachineAsset(machine)).unwrap();
            }
            app.update();
            assert_eq!(digest(&mut app), *expected, "frame {number} of {round}");
        }
    }
    assert_eq!(knows(&mut app), 0);
    let agents = app.world().resource::<bevy_statewright::Agents>().len();
    app.world_mut().resource_mut::<Config>().holds_reloads = false;
    app.update();
    assert_eq!(knows(&mut app), agents);
    let mut reloaded = app.world_mut().resource_mut::<Messages<MachineReloaded>>();
    let kept: Vec<usize> = reloaded.drain().map(|one| one.report.kept).collect();
    assert_eq!(kept, [agents]);
    assert_eq!(problems(&app), []);
}
