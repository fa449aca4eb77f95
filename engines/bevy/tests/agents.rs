//! Agents begin, think, change machines and end.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_statewright::prelude::*;
use bevy_statewright::{AgentState, Agents, Brains, Problem, Ram64, Ram128};
use statewright::Machine;

use crate::common::*;

#[derive(Resource, Default, Debug, PartialEq)]
struct Strikes(Vec<(Entity, u32)>);

fn collect(wishes: AgentCommands, mut strikes: ResMut<Strikes>) {
    strikes.0.extend(
        wishes
            .of::<Strike>()
            .map(|(entity, strike)| (entity, strike.count)),
    );
}

#[test]
fn an_entity_thinks_from_one_line_on_and_hears_what_it_is_told() {
    let mut app = app();
    app.init_resource::<Strikes>();
    app.add_systems(Update, collect.in_set(StatewrightSystems::Commit));
    let agent = soldier(&app);
    let soldier = app.world_mut().spawn(agent).id();
    assert_eq!(path(&mut app, soldier), "nothing");
    app.update();
    assert_eq!(path(&mut app, soldier), "idle");
    assert_eq!(app.world().resource::<Agents>().len(), 1);
    assert_eq!(app.world().resource::<AgentState>().now(), 1);

    let events = *app.world().resource::<Events>();
    send(&mut app, soldier, events.noise, 9_i32);
    app.update();
    assert_eq!(path(&mut app, soldier), "alert/look");
    assert_eq!(app.world().get::<Soldier>(soldier).unwrap().alarms, 1);
    let id = app.world().get::<StableId>(soldier).unwrap().get();
    send(&mut app, id, events.help, id);
    app.update();
    assert_eq!(path(&mut app, soldier), "alert/fight");
    let strikes = app.world().resource::<Strikes>();
    assert!(matches!(strikes.0[..], [(entity, 1..=3)] if entity == soldier));
    assert_eq!(problems(&app), []);
}

#[test]
fn whoever_sleeps_is_not_awake_and_wakes_by_its_timer() {
    let mut app = app();
    let agent = soldier(&app);
    let soldiers: Vec<Entity> = (0..50)
        .map(|_| app.world_mut().spawn(agent.clone()).id())
        .collect();
    app.update();
    app.update();
    assert_eq!(app.world().resource::<Agents>().awake(), 0);
    assert_eq!(app.world().resource::<Agents>().last_turns(), 0);
    let noise = app.world().resource::<Events>().noise;
    send(&mut app, soldiers[30], noise, 9_i32);
    app.update();
    assert_eq!(app.world().resource::<Agents>().last_turns(), 1);
    assert_eq!(path(&mut app, soldiers[30]), "alert/look");
    (0..3).for_each(|_| app.update());
    assert_eq!(path(&mut app, soldiers[30]), "alert/look");
    app.update();
    assert_eq!(path(&mut app, soldiers[30]), "idle", "after four ticks");
}

#[test]
fn time_in_a_state_counts_ticks() {
    let mut app = app();
    let agent = soldier(&app);
    let soldier = app.world_mut().spawn(agent).id();
    (0..5).for_each(|_| app.update());
    let idle = squad().state("idle").unwrap();
    let look = move |brains: Brains| {
        (
            brains.ticks_in(soldier, idle),
            brains.is_in(soldier, idle),
            brains.seconds_in(soldier, idle),
        )
    };
    let found = bevy_ecs::system::RunSystemOnce::run_system_once(app.world_mut(), look).unwrap();
    assert_eq!(found, (Some(5), true, Some(5.0 / 60.0)));
}

#[test]
fn changed_means_that_a_byte_changed() {
    #[derive(Resource, Default)]
    struct Seen(Vec<Vec<Entity>>);
    let see = |changed: Query<Entity, Changed<Ram64>>, mut seen: ResMut<Seen>| {
        let mut list: Vec<Entity> = changed.iter().collect();
        list.sort();
        seen.0.push(list);
    };
    let mut app = app();
    app.init_resource::<Seen>().add_systems(Last, see);
    let agent = soldier(&app);
    let soldiers: Vec<Entity> = (0..4)
        .map(|_| app.world_mut().spawn(agent.clone()).id())
        .collect();
    app.update();
    app.update();
    let Events { noise, calm, .. } = *app.world().resource::<Events>();
    send(&mut app, soldiers[2], noise, 9_i32);
    // Nobody handles it: nothing changes.
    send(&mut app, soldiers[1], calm, ());
    app.update();
    let seen = &app.world().resource::<Seen>().0;
    assert_eq!(seen[0].len(), 4, "they started");
    assert_eq!(seen[1..], [vec![], vec![soldiers[2]]]);
}

#[test]
fn another_machine_begins_anew_and_taking_it_off_ends() {
    let mut app = app();
    let agent = soldier(&app);
    let entity = app.world_mut().spawn(agent.clone()).id();
    app.update();
    let id = *app.world().get::<StableId>(entity).unwrap();
    let wide = r#"{ "machine": "Wide", "tier": "standard", "states": { "wide": {} } }"#;
    let wide = Machine::from_text("wide.sw.json", wide).unwrap();
    let wide = add_machine(&mut app, wide);
    app.world_mut()
        .entity_mut(entity)
        .insert(Agent::<Soldier>::new(wide));
    app.update();
    assert_eq!(path(&mut app, entity), "wide");
    assert_eq!(
        *app.world().get::<StableId>(entity).unwrap(),
        id,
        "it is the same agent"
    );
    assert!(app.world().get::<Ram64>(entity).is_none());
    assert!(app.world().get::<Ram128>(entity).is_some());
    app.world_mut().entity_mut(entity).insert(agent.clone());
    app.update();
    assert_eq!(path(&mut app, entity), "idle");
    app.world_mut()
        .entity_mut(entity)
        .remove::<(Agent<Soldier>, StableId)>();
    app.update();
    assert_eq!(app.world().resource::<Agents>().len(), 0);
    // Its index is used again, with another generation.
    let other = app.world_mut().spawn(agent).id();
    app.update();
    let other = app.world().get::<StableId>(other).unwrap().get();
    assert_eq!(other.index(), id.get().index());
    assert_ne!(other, id.get());
    assert_eq!(problems(&app), []);
}

#[test]
fn a_machine_that_is_loaded_late_starts_its_agents_late() {
    let mut app = app();
    let machines = app.world().resource::<bevy_asset::Assets<MachineAsset>>();
    let late = machines.reserve_handle();
    let entity = app
        .world_mut()
        .spawn(Agent::<Soldier>::new(late.clone()))
        .id();
    (0..3).for_each(|_| app.update());
    assert_eq!(path(&mut app, entity), "nothing");
    let noise = app.world().resource::<Events>().noise;
    send(&mut app, entity, noise, 9_i32);
    app.update();
    let mut machines = app
        .world_mut()
        .resource_mut::<bevy_asset::Assets<MachineAsset>>();
    machines.insert(&late, MachineAsset(squad())).unwrap();
    app.update();
    assert_eq!(path(&mut app, entity), "idle");
    let lost = app
        .world()
        .resource::<bevy_statewright::Problems>()
        .lost_not_ready;
    assert_eq!(lost, 1);
}

#[test]
fn markers_follow_states_and_stay_where_nothing_changes() {
    struct Alert;
    let mut app = app();
    app.mark_state::<Alert>("alert");
    let agent = soldier(&app);
    let soldiers: Vec<Entity> = (0..3)
        .map(|_| app.world_mut().spawn(agent.clone()).id())
        .collect();
    app.update();
    let noise = app.world().resource::<Events>().noise;
    send(&mut app, soldiers[1], noise, 9_i32);
    app.update();
    let marked = |app: &mut App| -> Vec<Entity> {
        let world = app.world_mut();
        let mut query = world.query_filtered::<Entity, With<StateMarker<Alert>>>();
        query.iter(world).collect()
    };
    assert_eq!(marked(&mut app), [soldiers[1]]);
    let others = app.world().entity(soldiers[0]).archetype().id();
    (0..4).for_each(|_| app.update());
    assert_eq!(marked(&mut app), []);
    assert_eq!(app.world().entity(soldiers[0]).archetype().id(), others);
}

#[test]
fn a_variant_has_its_own_parameters_and_may_be_changed() {
    let mut app = app();
    let agent = soldier(&app);
    let sharp = app
        .world_mut()
        .spawn((agent.clone(), AgentVariant::new("sharp")))
        .id();
    let plain = app.world_mut().spawn(agent.clone()).id();
    let odd = app
        .world_mut()
        .spawn((agent, AgentVariant::new("odd")))
        .id();
    app.update();
    let noise = app.world().resource::<Events>().noise;
    for entity in [sharp, plain, odd] {
        send(&mut app, entity, noise, 2_i32);
    }
    app.update();
    assert_eq!(path(&mut app, sharp), "alert/look");
    assert_eq!(path(&mut app, plain), "idle");
    assert_eq!(path(&mut app, odd), "idle");
    app.world_mut()
        .entity_mut(plain)
        .insert(AgentVariant::new("sharp"));
    app.update();
    send(&mut app, plain, noise, 2_i32);
    app.update();
    assert_eq!(path(&mut app, plain), "alert/look");
    let variant = "odd".to_owned();
    assert_eq!(
        problems(&app),
        [Problem::Variant {
            entity: odd,
            variant
        }]
    );
}
