//! What inspectors and the remote protocol see of agents: read and put on as they do it, by the type
//! registry and a path, without naming the type.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_ecs::reflect::{AppTypeRegistry, ReflectComponent};
use bevy_ecs::system::RunSystemOnce;
use bevy_reflect::serde::{TypedReflectDeserializer, TypedReflectSerializer};
use bevy_reflect::{GetPath, TypeRegistration, TypeRegistry};
use bevy_statewright::{AgentView, AgentViewsPlugin, Brains, WorldBrains};
use serde::de::DeserializeSeed;
use serde_json::json;

use crate::common::*;

const TYPE: &str = "bevy_statewright::AgentView";

fn app_with_views() -> App {
    let mut app = app();
    app.add_plugins(AgentViewsPlugin);
    app
}

fn registration(registry: &TypeRegistry) -> &TypeRegistration {
    let registration = registry.get_with_type_path(TYPE);
    registration.expect("the type is registered")
}

fn component(registry: &TypeRegistry) -> &ReflectComponent {
    let data = registration(registry).data::<ReflectComponent>();
    data.expect("it is known as a component")
}

/// A field of the view, by the name of the type and a path.
fn field<T: bevy_reflect::Reflect + Clone>(app: &App, entity: Entity, path: &str) -> Option<T> {
    let registry = app.world().resource::<AppTypeRegistry>().read();
    let view = component(&registry).reflect(app.world().entity(entity))?;
    Some(view.path::<T>(path).expect("it is there").clone())
}

fn text(app: &App, entity: Entity, path: &str) -> String {
    field(app, entity, path).expect("the entity has a view")
}

/// Puts a view on, as `world.insert_components` of the remote protocol does.
fn put_on(app: &mut App, entity: Entity) {
    let registry = app.world().resource::<AppTypeRegistry>().clone();
    let registry = registry.read();
    let view = TypedReflectDeserializer::new(registration(&registry), &registry);
    let view = view.deserialize(&json!({})).expect("nothing needs a value");
    let mut entity = app.world_mut().entity_mut(entity);
    component(&registry).insert(&mut entity, &*view, &registry);
}

/// The whole view, as `world.get_components` sends it.
fn sent(app: &App, entity: Entity) -> serde_json::Value {
    let registry = app.world().resource::<AppTypeRegistry>().read();
    let view = component(&registry).reflect(app.world().entity(entity));
    let view = view.expect("the entity has a view");
    let view = TypedReflectSerializer::new(view.as_partial_reflect(), &registry);
    serde_json::to_value(&view).expect("all of it can be written")
}

#[test]
fn a_view_says_what_an_agent_does_to_whoever_reads_by_reflection() {
    let mut app = app_with_views();
    let agent = soldier(&app);
    let [seen, unseen] = [0, 1].map(|_| app.world_mut().spawn(agent.clone()).id());
    put_on(&mut app, seen);
    assert_eq!(text(&app, seen, "machine"), "", "before the first tick");
    app.update();
    assert_eq!(text(&app, seen, "machine"), "Squad");
    assert_eq!(text(&app, seen, "agent"), "agent 0.1");
    assert_eq!(text(&app, seen, "states[0]"), "idle");
    assert_eq!(text(&app, seen, "last_change"), "");
    (0..5).for_each(|_| app.update());

    // `idle` has a clock, which says the same.
    let machine = squad();
    let idle = machine.state("idle").unwrap();
    let clock = move |brains: Brains| brains.ticks_in(seen, idle).map(u64::from);
    let clock = app.world_mut().run_system_once(clock).unwrap();
    assert_eq!(field(&app, seen, "ticks"), clock);
    assert_eq!(clock, Some(6));
    assert_eq!(field(&app, seen, "seconds"), Some(0.1_f32));

    let noise = app.world().resource::<Events>().noise;
    send(&mut app, seen, noise, 9_i32);
    app.update();
    assert_eq!(text(&app, seen, "states[0]"), "alert/look");
    assert_eq!(text(&app, seen, "last_change"), "idle -> alert/look");
    let numbers = ["since", "ticks", "changes"].map(|name| field::<u64>(&app, seen, name));
    assert_eq!(numbers, [Some(6), Some(1), Some(1)]);
    assert_eq!(field::<String>(&app, unseen, "machine"), None);
    let whole = json!({
        "agent": "agent 0.1", "machine": "Squad", "states": ["alert/look"], "since": 6, "ticks": 1,
        "seconds": sent(&app, seen)["seconds"], "last_change": "idle -> alert/look", "changes": 1,
        "has_ended": false
    });
    assert_eq!(sent(&app, seen), whole);
}

#[test]
fn whoever_has_no_view_costs_nothing_and_a_view_that_is_written_into_changes_nobody() {
    let mut app = app_with_views();
    let agent = soldier(&app);
    let entity = app.world_mut().spawn((agent, AgentView::default())).id();
    let stranger = app.world_mut().spawn(AgentView::default()).id();
    app.update();
    let mut view = app.world_mut().get_mut::<AgentView>(entity).unwrap();
    view.states = vec!["alert/fight".to_owned()];
    app.update();
    assert_eq!(text(&app, entity, "states[0]"), "idle");
    assert_eq!(path(&mut app, entity), "idle");
    let nobody = app.world().get::<AgentView>(stranger);
    assert_eq!(nobody, Some(&AgentView::default()));
}

#[test]
fn a_view_follows_when_time_goes_back_and_when_an_agent_ends() {
    let mut app = app_with_views();
    let agent = soldier(&app);
    let entity = app.world_mut().spawn((agent, AgentView::default())).id();
    (0..3).for_each(|_| app.update());
    let brains = app.world().snapshot_brains().unwrap();
    let noise = app.world().resource::<Events>().noise;
    (0..20).for_each(|_| app.update());
    send(&mut app, entity, noise, 9_i32);
    app.update();
    assert_eq!(text(&app, entity, "states[0]"), "alert/look");
    app.world_mut().restore_brains(&brains).unwrap();
    app.update();
    assert_eq!(text(&app, entity, "states[0]"), "idle");
    assert_eq!(text(&app, entity, "last_change"), "alert/look -> idle");
    assert_eq!(field::<u64>(&app, entity, "since"), Some(3));

    stop(&mut app, entity);
    app.update();
    assert_eq!(field(&app, entity, "has_ended"), Some(true));
}
