//! Agents that no ordinary query sees: on disabled entities, or without their blackboard for a while.
//! They stand still, miss nothing, and go on.

use bevy_app::prelude::*;
use bevy_asset::Assets;
use bevy_ecs::entity_disabling::Disabled;
use bevy_ecs::message::Messages;
use bevy_ecs::prelude::*;
use bevy_statewright::prelude::*;
use bevy_statewright::{AgentState, Agents, MachineReloaded, Problem, Ram64, WorldBrains};

use crate::common::*;

/// A disabling component of somebody else's, like that of `bevy_ggrs`.
#[derive(Component)]
struct Hidden;

fn spawn(app: &mut App) -> Entity {
    let agent = soldier(app);
    app.world_mut().spawn(agent).id()
}

fn id_of(app: &App, entity: Entity) -> AgentId {
    app.world().get::<StableId>(entity).unwrap().get()
}

/// Somebody who looks around, in the state `alert/look`.
fn alert(app: &mut App) -> Entity {
    let entity = spawn(app);
    app.update();
    let noise = app.world().resource::<Events>().noise;
    send(app, entity, noise, 9_i32);
    app.update();
    assert_eq!(path(app, entity), "alert/look");
    entity
}

/// Another version of the machine is saved.
fn change_machine(app: &mut App) {
    let text = SQUAD.replacen(r#""states": {"#, r#""states": { "asleep": {},"#, 1);
    let squad = app.world().resource::<Squad>().0.clone();
    let mut machines = app.world_mut().resource_mut::<Assets<MachineAsset>>();
    let machine = Machine::from_text("squad.sw.json", &text).unwrap();
    machines.insert(&squad, MachineAsset(machine)).unwrap();
}

/// Time goes back to where it is: everybody is found again.
fn find_again(app: &mut App) {
    let brains = app.world().snapshot_brains().unwrap();
    let restored = app.world_mut().restore_brains(&brains).unwrap();
    assert_eq!(restored.missing, []);
}

#[test]
fn whoever_is_spawned_disabled_thinks_as_soon_as_it_is_enabled() {
    let mut app = app();
    let agent = soldier(&app);
    let entity = app.world_mut().spawn((agent, Disabled)).id();
    app.update();
    assert_eq!(app.world().resource::<Agents>().len(), 1);
    app.world_mut().entity_mut(entity).remove::<Disabled>();
    app.update();
    assert_eq!(path(&mut app, entity), "idle");
}

#[test]
fn a_disabled_agent_is_there_when_time_went_back_whatever_disables_it() {
    let mut app = app();
    // After the plugin: what its systems leave out must not depend on that.
    app.world_mut().register_disabling_component::<Hidden>();
    let (one, other) = (alert(&mut app), spawn(&mut app));
    app.update();
    let ids = [one, other].map(|entity| id_of(&app, entity));
    app.world_mut().entity_mut(one).insert(Disabled);
    app.world_mut().entity_mut(other).insert(Hidden);
    find_again(&mut app);
    (0..3).for_each(|_| app.update());
    let state = app.world().resource::<AgentState>();
    assert_eq!(ids.map(|id| state.has(id)), [true; 2]);
    app.world_mut().entity_mut(one).remove::<Disabled>();
    app.world_mut().entity_mut(other).remove::<Hidden>();
    assert_eq!(path(&mut app, one), "alert/look", "it stood still");
    assert_eq!([one, other].map(|entity| id_of(&app, entity)), ids);
    let noise = app.world().resource::<Events>().noise;
    send(&mut app, other, noise, 9_i32);
    app.update();
    assert_eq!(path(&mut app, other), "alert/look");
    assert_eq!(app.world().resource::<Agents>().len(), 2);
}

#[test]
fn a_disabled_agent_goes_through_a_reload_with_the_others() {
    let mut app = app();
    let entity = alert(&mut app);
    app.world_mut().entity_mut(entity).insert(Disabled);
    change_machine(&mut app);
    app.update();
    let mut reloads = app.world_mut().resource_mut::<Messages<MachineReloaded>>();
    let kept: Vec<usize> = reloads.drain().map(|one| one.report.kept).collect();
    assert_eq!(kept, [1]);
    app.world_mut().entity_mut(entity).remove::<Disabled>();
    assert_eq!(path(&mut app, entity), "alert/look");
    (0..5).for_each(|_| app.update());
    assert_eq!(path(&mut app, entity), "idle", "its timer ran on");
}

#[test]
fn what_changes_while_it_is_disabled_holds_when_it_is_back() {
    let mut app = app();
    let machines = app.world().resource::<Assets<MachineAsset>>();
    let late = machines.reserve_handle();
    let waits = Agent::<Soldier>::new(late.clone());
    let waits = app.world_mut().spawn((waits, Disabled)).id();
    let changes = spawn(&mut app);
    app.update();
    // A machine that is loaded meanwhile, and another variant.
    let mut machines = app.world_mut().resource_mut::<Assets<MachineAsset>>();
    machines.insert(&late, MachineAsset(squad())).unwrap();
    let sharp = AgentVariant::new("sharp");
    app.world_mut()
        .entity_mut(changes)
        .insert((Disabled, sharp));
    (0..2).for_each(|_| app.update());
    for entity in [waits, changes] {
        app.world_mut().entity_mut(entity).remove::<Disabled>();
    }
    app.update();
    assert_eq!(path(&mut app, waits), "idle");
    let noise = app.world().resource::<Events>().noise;
    send(&mut app, changes, noise, 2_i32);
    app.update();
    assert_eq!(path(&mut app, changes), "alert/look", "it is not deaf");
}

#[test]
fn events_for_the_disabled_are_counted_as_too_early_and_groups_go_on_without_them() {
    let mut app = app();
    let squad = Group::named("squad");
    let agent = soldier(&app);
    let [one, other] = [(); 2].map(|()| {
        let groups = Groups(vec![squad]);
        app.world_mut().spawn((agent.clone(), groups)).id()
    });
    app.update();
    app.world_mut().entity_mut(one).insert(Disabled);
    let noise = app.world().resource::<Events>().noise;
    send(&mut app, one, noise, 9_i32);
    send(&mut app, squad, noise, 9_i32);
    app.update();
    assert_eq!(path(&mut app, other), "alert/look");
    let problems = app.world().resource::<bevy_statewright::Problems>();
    assert_eq!((problems.lost_to_nobody, problems.lost_not_ready), (0, 2));
}

#[test]
fn whoever_comes_without_its_blackboard_begins_when_it_has_one() {
    let mut app = app();
    let entity = spawn(&mut app);
    app.world_mut().entity_mut(entity).remove::<Soldier>();
    (0..2).for_each(|_| app.update());
    let id = id_of(&app, entity);
    assert_eq!(problems(&app), [Problem::Unreachable(id)]);
    assert!(app.world().get::<Ram64>(entity).is_some());
    // Time goes back meanwhile.
    find_again(&mut app);
    app.update();
    app.world_mut()
        .entity_mut(entity)
        .insert(Soldier::default());
    app.update();
    assert_eq!(
        (path(&mut app, entity).as_str(), id_of(&app, entity)),
        ("idle", id)
    );
}
