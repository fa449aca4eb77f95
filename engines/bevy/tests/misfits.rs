//! What does not fit together harms nobody else: blackboards, variants and parameters of another machine,
//! settings that no tick can have, functions that read what their own tick changes, and what lies outside of
//! tables.

use bevy_app::prelude::*;
use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_statewright::prelude::*;
use bevy_statewright::{AgentState, Agents, Config, Problem, Problems};

use crate::bad_input::Other;
use crate::common::*;

const JAR: &str = r#"{ "machine": "Jar", "events": { "Take": { "payload": "i32" } },
  "blackboard": { "sweets": { "type": "i32", "default": 10 } }, "initial": "full", "states": {
    "full": { "transitions": [
      { "when": "always", "if": "sweets <= 0", "to": "empty" }, { "on": "Take", "do": "sweets -= event" }] },
    "empty": {} } }"#;

#[test]
fn a_blackboard_of_the_file_may_be_put_on_anew_while_its_agent_lives() {
    use bevy_statewright::SchemaBoard;
    let mut app = app();
    app.add_agents(Functions::<SchemaBoard, ()>::new);
    let machine = Machine::from_text("jar.sw.json", JAR).unwrap();
    let take = machine.event("Take").unwrap();
    let jar = add_machine(&mut app, machine);
    let [one, other] = [(); 2].map(|()| {
        let agent = Agent::<SchemaBoard>::new(jar.clone());
        app.world_mut().spawn(agent).id()
    });
    app.update();
    let board = SchemaBoard::default().with("sweets", 3).with("salt", 1);
    app.world_mut().entity_mut(one).insert(board);
    let all = |app: &mut App| [one, other].map(|entity| path(app, entity));
    for _ in 0..2 {
        for entity in [one, other] {
            send(&mut app, entity, take, 2_i32);
        }
        app.update();
    }
    app.update();
    assert_eq!(all(&mut app), ["empty", "full"]);
    for _ in 0..3 {
        send(&mut app, other, take, 2_i32);
    }
    (0..2).for_each(|_| app.update());
    assert_eq!(all(&mut app), ["empty", "empty"]);
    let key = "salt".to_owned();
    assert_eq!(problems(&app), [Problem::Key { entity: one, key }]);
    assert_eq!(lost(&app), [0, 0, 0]);
}

/// A blackboard that fits if it likes.
#[derive(Component, Default)]
struct Moody {
    is_moody: bool,
}

impl Board for Moody {
    fn fits(&self, _: &Machine) -> bool {
        !self.is_moody
    }
}

pub const LAMP: &str = r#"{ "machine": "Lamp", "events": { "Push": {} }, "initial": "off", "states": {
    "off": { "transitions": [{ "on": "Push", "to": "on" }, { "after": "3t", "to": "on" }] }, "on": {} } }"#;

#[test]
fn whoever_has_a_blackboard_of_another_machine_stands_still_alone() {
    let mut app = app();
    app.add_agents(Functions::<Moody, ()>::new);
    let machine = Machine::from_text("lamp.sw.json", LAMP).unwrap();
    let push = machine.event("Push").unwrap();
    let lamp = add_machine(&mut app, machine);
    let [one, other] = [(); 2].map(|()| {
        let agent = Agent::<Moody>::new(lamp.clone());
        app.world_mut().spawn(agent).id()
    });
    app.update();
    let mood = |app: &mut App, is_moody| {
        app.world_mut().get_mut::<Moody>(one).unwrap().is_moody = is_moody;
    };
    mood(&mut app, true);
    for entity in [one, other] {
        send(&mut app, entity, push, ());
    }
    (0..5).for_each(|_| app.update());
    let all = [one, other].map(|entity| path(&mut app, entity));
    assert_eq!(all, ["off", "on"]);
    let id = app.world().get::<StableId>(one).unwrap().get();
    assert_eq!(problems(&app), [Problem::Board(id)]);
    assert_eq!(lost(&app), [0, 1, 0]);
    mood(&mut app, false);
    app.update();
    assert_eq!(path(&mut app, one), "on", "its timer has passed meanwhile");
}

#[test]
fn parameters_of_another_machine_change_nothing() {
    use statewright::{Parameters, VariantHandle};
    let mut app = app();
    let entity = spawn(&mut app);
    app.update();
    let text = SQUAD.replacen("Squad", "Other", 1);
    let other = Machine::from_text("other.sw.json", &text).unwrap();
    let deaf = other.parameter("deaf").unwrap();
    let mut parameters = Parameters::default();
    parameters
        .set(&other, VariantHandle::PLAIN, deaf, 20)
        .unwrap();
    let squad = app.world().resource::<Squad>().0.id();
    let mut config = app.world_mut().resource_mut::<Config>();
    config.parameters.insert(squad, parameters);
    let noise = app.world().resource::<Events>().noise;
    send(&mut app, entity, noise, 9_i32);
    (0..2).for_each(|_| app.update());
    assert_eq!(path(&mut app, entity), "alert/look");
    assert_eq!(problems(&app), [Problem::Parameters("Squad".to_owned())]);
}

#[test]
fn a_variant_that_a_new_version_does_not_have_stops_nobody() {
    use bevy_ecs::entity_disabling::Disabled;
    let mut app = app();
    let agent = soldier(&app);
    let sharp = (agent, AgentVariant::new("sharp"));
    let away = app.world_mut().spawn(sharp).id();
    let here = spawn(&mut app);
    app.update();
    app.world_mut().entity_mut(away).insert(Disabled);
    // A new version without variants comes while one of its agents is out of reach.
    let text = SQUAD.replacen(r#", "variants": { "sharp": { "deaf": 0 } }"#, "", 1);
    let new = Machine::from_text("squad.sw.json", &text).unwrap();
    let noise = new.event("Noise").unwrap();
    let squad = app.world().resource::<Squad>().0.clone();
    let mut machines = app.world_mut().resource_mut::<Assets<MachineAsset>>();
    machines.insert(&squad, MachineAsset(new)).unwrap();
    app.update();
    app.world_mut().entity_mut(away).remove::<Disabled>();
    for entity in [away, here] {
        send(&mut app, entity, noise, 9_i32);
    }
    (0..2).for_each(|_| app.update());
    assert_eq!(path(&mut app, here), "alert/look");
    let is_tick = |problem: &Problem| matches!(problem, Problem::Tick(_));
    assert!(!problems(&app).iter().any(is_tick), "{:?}", words(&app));
}

#[test]
fn what_is_sent_while_ticks_are_refused_does_not_pile_up() {
    let mut app = app();
    let entity = spawn(&mut app);
    app.update();
    let noise = app.world().resource::<Events>().noise;
    app.world_mut().resource_mut::<Config>().settings.budget = Some(0);
    for _ in 0..5 {
        (0..100).for_each(|_| send(&mut app, entity, noise, 9_i32));
        app.update();
    }
    assert_eq!(app.world().resource::<AgentState>().events_under_way(), 64);
    assert_eq!(app.world().resource::<Problems>().lost_surplus, 436);
    let words = words(&app);
    assert!(
        words.len() == 1 && words[0].contains("a budget of 0 bytes"),
        "{words:?}"
    );
    app.world_mut().resource_mut::<Config>().settings.budget = None;
    app.update();
    assert_ne!(path(&mut app, entity), "idle", "it heard what was kept");
}

/// Reads what its own tick changes.
#[derive(bevy_ecs::system::SystemParam)]
struct Mirror<'w, 's> {
    _brains: bevy_statewright::Brains<'w, 's>,
    _problems: Res<'w, Problems>,
}

/// Reads what changes between ticks alone.
#[derive(bevy_ecs::system::SystemParam)]
struct Crowd<'w, 's> {
    agents: Res<'w, Agents>,
    shining: Query<'w, 's, Has<StateMarker<Moody>>>,
}

#[functions(context = Crowd<'_, '_>)]
impl Moody {
    #[guard]
    fn shines(&self, crowd: &Crowd, cx: &mut GuardCx) -> bool {
        let entity = crowd.agents.entity(cx.agent());
        entity.is_some_and(|entity| crowd.shining.get(entity) == Ok(true))
    }
}

#[test]
fn functions_that_read_what_their_own_tick_changes_are_refused_in_words() {
    let mut app = app();
    app.add_agents(Functions::<Other, borrowed!(Mirror<'_, '_>)>::new);
    let told = words(&app);
    assert!(
        told.len() == 1
            && told[0].contains("Other read Problems, Ram128, Ram256, Ram64, which the tick"),
        "{told:?}"
    );
    let good = spawn(&mut app);
    app.update();
    assert_eq!(path(&mut app, good), "idle");

    // Markers of states are there for everybody, of one's own kind, too.
    app.mark_state::<Moody>("on");
    app.add_agents(Moody::functions);
    let text = LAMP.replacen(
        r#""on": {}"#,
        r#""on": { "transitions": [{ "when": "always", "if": "Shines", "to": "warm" }] }, "warm": {}"#,
        1,
    );
    let lamp = add_machine(&mut app, Machine::from_text("lamp.sw.json", &text).unwrap());
    let lamp = app.world_mut().spawn(Agent::<Moody>::new(lamp)).id();
    (0..4).for_each(|_| app.update());
    assert_eq!(
        path(&mut app, lamp),
        "on",
        "its marker comes after the tick"
    );
    app.update();
    assert_eq!(path(&mut app, lamp), "warm");
    assert_eq!(words(&app), told);
}

#[test]
fn a_second_state_for_a_marker_is_refused_in_words() {
    let mut app = app();
    app.mark_state::<Other>("alert").mark_state::<Other>("idle");
    let told = words(&app);
    assert!(
        told.len() == 1 && told[0].ends_with("Other was added twice: the first one holds"),
        "{told:?}"
    );
    let entity = spawn(&mut app);
    let is_marked = |app: &App| app.world().get::<StateMarker<Other>>(entity).is_some();
    (0..2).for_each(|_| app.update());
    assert!(!is_marked(&app), "it is idle");
    let noise = app.world().resource::<Events>().noise;
    send(&mut app, entity, noise, 9_i32);
    app.update();
    assert!(is_marked(&app), "it is alert");
}

#[test]
fn a_disabling_component_outside_of_tables_is_named_and_events_are_counted() {
    use bevy_ecs::entity_disabling::DefaultQueryFilters;
    #[derive(Component)]
    #[component(storage = "SparseSet")]
    struct Hidden;
    let mut app = app();
    let hidden = app.world_mut().register_component::<Hidden>();
    let mut filters = app.world_mut().resource_mut::<DefaultQueryFilters>();
    filters.register_disabling_component(hidden);
    let entity = spawn(&mut app);
    app.update();
    let noise = app.world().resource::<Events>().noise;
    (0..3).for_each(|_| send(&mut app, entity, noise, 9_i32));
    app.update();
    let told = words(&app);
    assert!(
        told.len() == 1 && told[0].contains("a component that disables entities"),
        "{told:?}"
    );
    assert_eq!(lost(&app), [0, 3, 0]);
}
