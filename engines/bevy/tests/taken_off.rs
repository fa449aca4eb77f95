//! An Agent is taken off an entity that lives on: the agent ends, and what comes to the entity later is
//! somebody else.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_statewright::prelude::*;
use bevy_statewright::{Agents, Problem, Problems, Ram64};

use crate::common::*;

/// A kind of its own.
#[derive(Component, Board, Default)]
struct Ghost;

#[functions]
impl Ghost {}

/// Nobody says what its functions are.
#[derive(Component, Board, Default)]
struct Stranger;

struct Alert;

fn ghost(app: &mut App) -> Agent<Ghost> {
    let text = r#"{ "machine": "Ghost", "states": { "float": {} } }"#;
    let machine = Machine::from_text("ghost.sw.json", text).unwrap();
    Agent::new(add_machine(app, machine))
}

/// An app with two kinds, and somebody who looks around.
fn apps() -> [(App, Entity); 2] {
    [false, true].map(|is_ghost_first| {
        let mut app = App::new();
        app.add_plugins((
            TaskPoolPlugin::default(),
            StatewrightPlugin::default().in_schedule(Update),
        ));
        if is_ghost_first {
            app.add_agents(Ghost::functions);
        }
        app.add_agents(Soldier::functions).init_resource::<Fear>();
        if !is_ghost_first {
            app.add_agents(Ghost::functions);
        }
        app.mark_state::<Alert>("alert");
        let machine = squad();
        let noise = machine.event("Noise").unwrap();
        let squad = Squad(add_machine(&mut app, machine));
        let agent = Agent::<Soldier>::new(squad.0.clone());
        app.insert_resource(squad);
        let entity = app.world_mut().spawn(agent).id();
        app.update();
        send(&mut app, entity, noise, 9_i32);
        app.update();
        assert_eq!(path(&mut app, entity), "alert/look");
        assert!(app.world().get::<StateMarker<Alert>>(entity).is_some());
        (app, entity)
    })
}

fn id_of(app: &App, entity: Entity) -> AgentId {
    app.world().get::<StableId>(entity).unwrap().get()
}

#[test]
fn an_agent_whose_component_is_taken_off_ends_and_leaves_nothing_behind() {
    for (mut app, entity) in apps() {
        let id = id_of(&app, entity);
        app.world_mut()
            .entity_mut(entity)
            .remove::<Agent<Soldier>>();
        app.update();
        assert_eq!(app.world().resource::<Agents>().len(), 0);
        let entity = app.world().entity(entity);
        assert!(!entity.contains::<StableId>() && !entity.contains::<Ram64>());
        assert!(!entity.contains::<StateMarker<Alert>>());
        assert!(entity.contains::<Soldier>(), "that is the game's own");
        assert_eq!(problems(&app), []);
        let noise = squad().event("Noise").unwrap();
        send(&mut app, id, noise, 9_i32);
        app.update();
        assert_eq!(app.world().resource::<Problems>().lost_to_nobody, 1);
    }
}

#[test]
fn another_kind_takes_over_where_the_first_was_taken_off() {
    for (mut app, entity) in apps() {
        let id = id_of(&app, entity);
        let ghost = ghost(&mut app);
        app.world_mut()
            .entity_mut(entity)
            .remove::<Agent<Soldier>>()
            .insert(ghost);
        app.update();
        assert_eq!(path(&mut app, entity), "float");
        assert_eq!(id_of(&app, entity), id, "it is the same agent");
        assert!(app.world().get::<StateMarker<Alert>>(entity).is_none());
        assert_eq!(problems(&app), []);
        // And back, with a tick between: then it has ended.
        app.world_mut().entity_mut(entity).remove::<Agent<Ghost>>();
        app.update();
        let agent = soldier(&app);
        app.world_mut().entity_mut(entity).insert(agent);
        app.update();
        assert_eq!(path(&mut app, entity), "idle");
        assert_ne!(id_of(&app, entity), id);
        assert_eq!(problems(&app), []);
    }
}

#[test]
fn a_second_one_that_was_refused_may_be_taken_off() {
    for (mut app, entity) in apps() {
        let ghost = ghost(&mut app);
        app.world_mut().entity_mut(entity).insert(ghost);
        app.update();
        app.world_mut().entity_mut(entity).remove::<Agent<Ghost>>();
        app.update();
        assert_eq!(path(&mut app, entity), "alert/look");
        assert_eq!(problems(&app), [Problem::Twice(entity)]);
    }
}

#[test]
fn whoever_comes_to_an_entity_later_begins_and_has_no_bytes_of_the_one_before() {
    for is_same_frame in [false, true] {
        for (mut app, entity) in apps() {
            let (id, agent) = (id_of(&app, entity), soldier(&app));
            app.world_mut()
                .entity_mut(entity)
                .remove::<(Agent<Soldier>, StableId)>();
            if !is_same_frame {
                app.update();
                assert!(app.world().get::<Ram64>(entity).is_none());
                assert!(app.world().get::<StateMarker<Alert>>(entity).is_none());
            }
            app.world_mut().entity_mut(entity).insert(agent);
            app.update();
            assert_eq!(path(&mut app, entity), "idle");
            assert_ne!(id_of(&app, entity), id);
            assert!(app.world().get::<StateMarker<Alert>>(entity).is_none());
            assert_eq!(app.world().resource::<Agents>().len(), 1);
            assert_eq!(problems(&app), []);
        }
    }
}

#[test]
fn the_same_one_may_be_put_on_again_and_goes_on() {
    for (mut app, entity) in apps() {
        let (id, agent) = (id_of(&app, entity), soldier(&app));
        app.world_mut()
            .entity_mut(entity)
            .remove::<Agent<Soldier>>()
            .insert(agent);
        app.update();
        assert_eq!(
            (path(&mut app, entity).as_str(), id_of(&app, entity)),
            ("alert/look", id)
        );
    }
}

#[test]
fn a_kind_that_nobody_knows_is_named_in_the_place_of_another_one_too() {
    for (mut app, entity) in apps() {
        let squad = app.world().resource::<Squad>().0.clone();
        app.world_mut()
            .entity_mut(entity)
            .remove::<Agent<Soldier>>()
            .insert(Agent::<Stranger>::new(squad));
        app.update();
        assert_eq!(problems(&app), [Problem::NoKind(entity)]);
        assert_eq!(app.world().resource::<Agents>().len(), 0);
    }
}
