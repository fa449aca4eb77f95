//! Two snapshots that are not the same say who is another one, and in what.

use bevy_ecs::prelude::*;
use bevy_statewright::prelude::*;
use bevy_statewright::{BrainsError, WorldBrains};

use crate::common::*;

/// Three soldiers after some ticks; the second one has heard something.
fn app_of_three() -> (bevy_app::App, [Entity; 3]) {
    let mut app = app();
    app.save_boards::<Soldier>();
    let entities = [0, 1, 2].map(|number| {
        let agent = soldier(&app);
        app.world_mut().spawn((agent, AgentNumber(number))).id()
    });
    app.update();
    let noise = app.world().resource::<Events>().noise;
    send(&mut app, entities[1], noise, 9_i32);
    app.update();
    (app, entities)
}

fn brains(app: &bevy_app::App) -> Vec<u8> {
    app.world().snapshot_brains().unwrap()
}

#[test]
fn the_same_brains_do_not_differ_and_damaged_ones_are_refused() {
    let (app, _) = app_of_three();
    let (other, _) = app_of_three();
    let (one, other) = (brains(&app), brains(&other));
    assert_eq!(app.world().compare_brains(&one, &other), Ok(None));
    let cut = &other[..other.len() - 1];
    let refused = app.world().compare_brains(&one, cut);
    assert!(
        matches!(refused, Err(BrainsError::Damaged(_))),
        "{refused:?}"
    );
}

#[test]
fn a_key_and_a_state_that_differ_are_named_with_their_agent() {
    let (mut app, [_, second, third]) = app_of_three();
    let one = brains(&app);
    app.world_mut().get_mut::<Soldier>(second).unwrap().alarms = 5;
    let found = app.world().compare_brains(&one, &brains(&app));
    let found = found.unwrap().expect("a key differs");
    assert_eq!(found.agent, Some(AgentId::new(1, 1)));
    assert_eq!(
        found.to_string(),
        "before tick 2: agent 1.1 differs\n  key alarms: 1 in the first, 5 in the other"
    );
    // What has no name is told by its place.
    let two = brains(&app);
    app.world_mut().get_mut::<Soldier>(second).unwrap().strikes = 7;
    let found = app.world().compare_brains(&two, &brains(&app));
    let fields = found.unwrap().expect("something differs").fields;
    assert!(
        fields[0].name.starts_with("byte of the blackboard"),
        "{fields:?}"
    );
    // Where all agents are the same, it is something beside them.
    let three = brains(&app);
    app.world_mut().despawn(third);
    app.update();
    let four = brains(&app);
    app.update();
    let found = app.world().compare_brains(&four, &brains(&app)).unwrap();
    let found = found.expect("it is a tick later");
    assert_eq!(
        (found.agent, &*found.fields[0].name),
        (None, "tick"),
        "{found}"
    );
    let found = app.world().compare_brains(&three, &four).unwrap();
    let found = found.expect("somebody is gone");
    assert_eq!(found.agent, Some(AgentId::new(2, 1)), "{found}");
}

#[test]
fn a_state_and_somebody_who_is_there_only_once_are_named() {
    let (mut app, [_, second, third]) = app_of_three();
    let (mut other, _) = app_of_three();
    let noise = app.world().resource::<Events>().noise;
    send(&mut app, third, noise, 9_i32);
    app.update();
    other.update();
    let found = other.world().compare_brains(&brains(&app), &brains(&other));
    let found = found.unwrap().expect("the third is elsewhere");
    assert_eq!(found.agent, Some(AgentId::new(2, 1)));
    let active = found.fields.iter().find(|field| field.name == "active");
    let active = active.map(|field| (&*field.one, &*field.other));
    assert_eq!(
        active,
        Some(("root, alert, alert/look", "root, idle")),
        "{found}"
    );
    app.world_mut().despawn(second);
    app.update();
    other.update();
    let found = other.world().compare_brains(&brains(&app), &brains(&other));
    let found = found.unwrap().expect("somebody is missing");
    assert_eq!(found.agent, Some(AgentId::new(1, 1)));
    assert_eq!(
        (&*found.fields[0].one, &*found.fields[0].other),
        ("", "there")
    );
}
