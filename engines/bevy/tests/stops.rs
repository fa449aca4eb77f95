//! A stop is carried out once, whatever comes between the call and the agent.

use bevy_app::prelude::*;
use bevy_asset::Assets;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::prelude::*;
use bevy_statewright::prelude::*;
use bevy_statewright::{AgentState, Brains, WorldBrains};

use crate::common::*;

fn spawn(app: &mut App) -> Entity {
    let agent = soldier(app);
    app.world_mut().spawn(agent).id()
}

fn stop(app: &mut App, entity: Entity) {
    let id = app.world().get::<StableId>(entity).unwrap().get();
    app.world_mut().resource_mut::<AgentState>().stop(id);
}

fn have_ended<const N: usize>(app: &mut App, entities: [Entity; N]) -> [bool; N] {
    use bevy_ecs::system::RunSystemOnce;
    let look = move |brains: Brains| entities.map(|entity| brains.has_ended(entity));
    app.world_mut().run_system_once(look).unwrap()
}

#[test]
fn a_stop_goes_back_with_the_frame_that_it_was_made_in() {
    let mut app = app();
    let (one, other) = (spawn(&mut app), spawn(&mut app));
    app.update();
    stop(&mut app, one);
    let asked = app.world().snapshot_brains().unwrap();
    app.update();
    stop(&mut app, other);
    app.update();
    assert_eq!(have_ended(&mut app, [one, other]), [true; 2]);
    // Time goes back to where only the first stop had been made: it is made again, the other is not.
    app.world_mut().restore_brains(&asked).unwrap();
    assert_eq!(have_ended(&mut app, [one, other]), [false; 2]);
    (0..2).for_each(|_| app.update());
    assert_eq!(have_ended(&mut app, [one, other]), [true, false]);
}

#[test]
fn what_is_kept_of_a_frame_knows_who_is_to_be_stopped() {
    use std::hash::{DefaultHasher, Hash, Hasher};
    let mut app = app();
    let entity = spawn(&mut app);
    app.update();
    let hash = |app: &App| {
        let mut hasher = DefaultHasher::new();
        app.world().resource::<AgentState>().hash(&mut hasher);
        hasher.finish()
    };
    let (before, brains) = (hash(&app), app.world().snapshot_brains().unwrap());
    stop(&mut app, entity);
    assert_ne!(hash(&app), before);
    let asked = app.world().snapshot_brains().unwrap();
    let found = app.world().compare_brains(&brains, &asked).unwrap();
    assert_eq!(found.unwrap().fields[0].name, "agents to be stopped");
    app.update();
    // Done: it is not kept for ever.
    let id = app.world().get::<StableId>(entity).unwrap().get();
    let mut again = app.world().resource::<AgentState>().clone();
    let done = format!("{again:?}");
    assert!(done.contains("stopping: []"), "{done}");
    again.stop(id);
    assert!(!format!("{again:?}").contains("stopping: []"));
}

#[test]
fn whoever_cannot_be_stopped_yet_is_stopped_later() {
    let mut app = app();
    let late = {
        let machines = app.world().resource::<Assets<MachineAsset>>();
        machines.reserve_handle()
    };
    let waits = Agent::<Soldier>::new(late.clone());
    let waits = app.world_mut().spawn(waits).id();
    let (disabled, poor) = (spawn(&mut app), spawn(&mut app));
    app.update();
    app.world_mut().entity_mut(disabled).insert(Disabled);
    app.world_mut().entity_mut(poor).remove::<Soldier>();
    for entity in [waits, disabled, poor] {
        stop(&mut app, entity);
    }
    (0..3).for_each(|_| app.update());
    let mut machines = app.world_mut().resource_mut::<Assets<MachineAsset>>();
    machines.insert(&late, MachineAsset(squad())).unwrap();
    app.world_mut().entity_mut(disabled).remove::<Disabled>();
    app.world_mut().entity_mut(poor).insert(Soldier::default());
    assert_eq!(have_ended(&mut app, [waits, disabled, poor]), [false; 3]);
    (0..2).for_each(|_| app.update());
    assert_eq!(have_ended(&mut app, [waits, disabled, poor]), [true; 3]);
}
