//! What an agent did is kept on its entity, as long as somebody wants to know.

use bevy_app::prelude::*;
use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_statewright::prelude::*;
use bevy_statewright::{AgentState, WorldBrains, statewright};
use statewright::trace::{Kind, Level};

use crate::common::*;

fn noise(app: &mut App, to: Entity, loudness: i32) {
    let noise = app.world().resource::<Events>().noise;
    send(app, to, noise, loudness);
    app.update();
}

fn trace(app: &App, entity: Entity) -> &AgentTrace {
    app.world().get(entity).expect("it is traced")
}

fn lines(app: &App, entity: Entity) -> Vec<String> {
    trace(app, entity).lines().collect()
}

/// Two soldiers in the first tick.
fn pair() -> (App, Entity, Entity) {
    let mut app = app();
    let [one, two] = [(); 2].map(|()| {
        let agent = soldier(&app);
        app.world_mut().spawn(agent).id()
    });
    app.update();
    (app, one, two)
}

#[test]
fn a_trace_begins_and_ends_when_somebody_wants_it() {
    let (mut app, one, two) = pair();
    app.world_mut()
        .entity_mut(one)
        .insert(AgentTrace::new(Level::Outline));
    app.update();
    assert_eq!(lines(&app, one), Vec::<String>::new(), "everybody sleeps");
    noise(&mut app, one, 5);
    assert_eq!(
        lines(&app, one),
        ["tick 2: is in idle", "tick 2: Noise: idle -> alert/look",]
    );
    assert!(app.world().get::<AgentTrace>(two).is_none());
    app.world_mut().entity_mut(one).remove::<AgentTrace>();
    (0..9).for_each(|_| app.update());
    app.world_mut()
        .entity_mut(one)
        .insert(AgentTrace::new(Level::Steps));
    noise(&mut app, two, 5);
    assert_eq!(
        lines(&app, one),
        ["tick 12: is in idle"],
        "nothing of the others"
    );
    assert_eq!(problems(&app), []);
}

#[test]
fn the_oldest_make_place_and_each_has_its_level() {
    let (mut app, one, two) = pair();
    app.world_mut()
        .entity_mut(one)
        .insert(AgentTrace::with_capacity(Level::All, 40));
    app.world_mut()
        .entity_mut(two)
        .insert(AgentTrace::new(Level::Outline));
    for _ in 0..6 {
        for soldier in [one, two] {
            let noise = app.world().resource::<Events>().noise;
            send(&mut app, soldier, noise, 5);
        }
        (0..6).for_each(|_| app.update());
    }
    let (all, outline) = (trace(&app, one), trace(&app, two));
    assert_eq!(all.len(), 40);
    assert!(all.overwritten() > 20, "{}", all.overwritten());
    assert!(
        all.records()
            .any(|record| record.kind() == Some(Kind::Event))
    );
    assert!(all.records().is_sorted_by_key(|record| record.tick.get()));
    assert_eq!(outline.overwritten(), 0);
    let is_outline = |kind: Option<Kind>| kind.is_some_and(|kind| kind.level() == Level::Outline);
    assert!(outline.len() > 12 && outline.records().all(|record| is_outline(record.kind())));
    // Nobody else is at a higher level now.
    app.world_mut()
        .get_mut::<AgentTrace>(one)
        .unwrap()
        .set_level(Level::Outline);
    app.world_mut().get_mut::<AgentTrace>(one).unwrap().clear();
    noise(&mut app, one, 5);
    assert_eq!(lines(&app, one).len(), 1, "{:?}", lines(&app, one));
}

#[test]
fn functions_and_their_commands_have_names() {
    let (mut app, one, two) = pair();
    app.world_mut()
        .entity_mut(two)
        .insert(AgentTrace::new(Level::All));
    // The first is not brave.
    let help = app.world().resource::<Events>().help;
    send(&mut app, two, help, AgentId::new(0, 1));
    app.update();
    let told = lines(&app, two);
    assert!(
        told.iter()
            .any(|line| line.ends_with("emits gameplay Strike")),
        "{told:#?}"
    );
    assert!(
        told.iter()
            .any(|line| line.contains("guard of idle -> alert/fight: yes")),
        "{told:#?}"
    );
    app.world_mut()
        .entity_mut(one)
        .insert(AgentTrace::new(Level::All));
    send(&mut app, one, help, AgentId::new(0, 1));
    app.update();
    let told = lines(&app, one);
    assert!(
        told.iter()
            .any(|line| line.contains("guard IsBrave says no")),
        "{told:#?}"
    );
}

#[test]
fn ticks_that_are_run_again_take_the_place_of_those_that_they_were() {
    let (mut app, one, _) = pair();
    app.save_boards::<Soldier>();
    app.world_mut()
        .entity_mut(one)
        .insert(AgentTrace::new(Level::Steps));
    noise(&mut app, one, 5);
    let (snapshot, then) = (app.world().snapshot_brains().unwrap(), lines(&app, one));
    (0..7).for_each(|_| app.update());
    let later = lines(&app, one);
    assert!(later.len() > then.len());
    app.world_mut().restore_brains(&snapshot).unwrap();
    (0..7).for_each(|_| app.update());
    assert_eq!(lines(&app, one), later);
    assert_eq!(app.world().resource::<AgentState>().now(), 9);
}

#[test]
fn after_a_reload_it_begins_anew_with_the_new_names() {
    let (mut app, one, _) = pair();
    app.world_mut()
        .entity_mut(one)
        .insert(AgentTrace::new(Level::Outline));
    noise(&mut app, one, 5);
    let new = SQUAD.replace("alert", "alarmed");
    let new = Machine::from_text("squad.sw.json", &new).unwrap();
    let squad = app.world().resource::<Squad>().0.id();
    let mut machines = app.world_mut().resource_mut::<Assets<MachineAsset>>();
    machines.insert(squad, MachineAsset(new)).unwrap();
    (0..2).for_each(|_| app.update());
    noise(&mut app, one, 5);
    let told = lines(&app, one);
    assert!(
        told.iter().all(|line| !line.contains("alert/")),
        "{told:#?}"
    );
    assert!(
        told.iter().any(|line| line.contains("alarmed/look")),
        "{told:#?}"
    );
}
