//! What games get wrong harms nobody else: it is counted, said in words, and never a panic.

use bevy_app::prelude::*;
use bevy_asset::{AssetEvent, AssetLoadFailedEvent, Assets};
use bevy_diagnostic::DiagnosticsStore;
use bevy_ecs::message::Messages;
use bevy_ecs::prelude::*;
use bevy_statewright::prelude::*;
use bevy_statewright::{
    AgentDiagnosticsPlugin, AgentState, Agents, CommandMessage, Config, Inbox, MachineReloaded,
    Problem, Problems, Ram64, StateChanged, Telling,
};

use crate::common::*;

/// Somebody whose functions nobody said.
#[derive(Component, Board, Default)]
struct Stranger;

/// A kind of its own.
#[derive(Component, Board, Default)]
pub struct Other;

#[functions]
impl Other {
    #[action]
    fn stumble(&mut self) {
        panic!("it stumbles");
    }
}

pub const OTHER: &str = r#"{ "machine": "Other", "events": { "Go": {} },
  "states": { "walk": { "transitions": [{ "on": "Go", "do": "Stumble" }] } } }"#;

#[test]
fn a_machine_whose_functions_are_missing_waits_and_says_which() {
    let mut app = app();
    let good = spawn(&mut app);
    let machine = Machine::from_text(
        "odd.sw.json",
        r#"{ "machine": "Odd", "states": { "a": { "entry": "Nonsense" } } }"#,
    );
    let odd = add_machine(&mut app, machine.unwrap());
    let bad = app.world_mut().spawn(Agent::<Soldier>::new(odd)).id();
    (0..3).for_each(|_| app.update());
    assert_eq!(path(&mut app, good), "idle");
    assert_eq!(path(&mut app, bad), "nothing");
    let words = words(&app);
    assert_eq!(words.len(), 1, "said once: {words:?}");
    assert!(
        words[0].contains("machine `Odd`") && words[0].contains("action `Nonsense` is missing"),
        "{words:?}"
    );
}

#[test]
fn an_agent_without_blackboard_stands_still_until_it_has_one_again() {
    let mut app = app();
    let (poor, other) = (spawn(&mut app), spawn(&mut app));
    app.update();
    let noise = app.world().resource::<Events>().noise;
    let taken = app.world_mut().entity_mut(poor).take::<Soldier>().unwrap();
    send(&mut app, poor, noise, 9_i32);
    send(&mut app, other, noise, 9_i32);
    app.update();
    assert_eq!(path(&mut app, other), "alert/look");
    assert_eq!(path(&mut app, poor), "idle");
    assert_eq!(lost(&app), [0, 1, 0]);
    app.world_mut().entity_mut(poor).insert(taken);
    send(&mut app, poor, noise, 9_i32);
    app.update();
    assert_eq!(path(&mut app, poor), "alert/look");
    // Whoever has a turn and cannot have it is named, and has it later.
    app.world_mut().entity_mut(poor).remove::<Soldier>();
    (0..8).for_each(|_| app.update());
    let id = app.world().get::<StableId>(poor).unwrap().get();
    assert_eq!(problems(&app), [Problem::Unreachable(id)]);
    app.world_mut().entity_mut(poor).insert(Soldier::default());
    app.update();
    assert_eq!(
        path(&mut app, poor),
        "idle",
        "its timer has passed meanwhile"
    );
}

#[test]
fn instances_that_were_taken_off_are_named() {
    let mut app = app();
    let entity = spawn(&mut app);
    app.update();
    let noise = app.world().resource::<Events>().noise;
    send(&mut app, entity, noise, 9_i32);
    app.update();
    app.world_mut().entity_mut(entity).remove::<Ram64>();
    (0..6).for_each(|_| app.update());
    let id = app.world().get::<StableId>(entity).unwrap().get();
    assert_eq!(problems(&app), [Problem::Unreachable(id)]);
}

#[test]
fn events_for_those_who_are_gone_or_never_were_are_counted() {
    let mut app = app();
    let (gone, stays) = (spawn(&mut app), spawn(&mut app));
    let nobody = app.world_mut().spawn_empty().id();
    app.update();
    let id = app.world().get::<StableId>(gone).unwrap().get();
    app.world_mut().despawn(gone);
    let noise = app.world().resource::<Events>().noise;
    send(&mut app, gone, noise, 9_i32);
    send(&mut app, id, noise, 9_i32);
    send(&mut app, nobody, noise, 9_i32);
    send(&mut app, AgentId::new(7000, 3), noise, 9_i32);
    send(&mut app, AgentId::default(), noise, 9_i32);
    app.update();
    assert_eq!(lost(&app), [5, 0, 0]);
    assert_eq!(path(&mut app, stays), "idle");
    // Its successor at the index hears nothing that was meant for it.
    let successor = spawn(&mut app);
    send(&mut app, id, noise, 9_i32);
    app.update();
    assert_eq!(
        app.world()
            .get::<StableId>(successor)
            .unwrap()
            .get()
            .index(),
        id.index()
    );
    assert_eq!(
        (path(&mut app, successor).as_str(), lost(&app)),
        ("idle", [6, 0, 0])
    );
}

#[test]
fn a_wrong_payload_and_an_unknown_event_are_said_and_change_nothing() {
    let mut app = app();
    let entity = spawn(&mut app);
    app.update();
    let noise = app.world().resource::<Events>().noise;
    send_typed(&mut app, entity, noise, 2.5_f32);
    let foreign = Machine::from_text("other.sw.json", OTHER)
        .unwrap()
        .event("Go")
        .unwrap();
    send_typed(&mut app, entity, foreign, ());
    app.update();
    assert_eq!(
        (path(&mut app, entity).as_str(), lost(&app)),
        ("idle", [0, 0, 2])
    );
    assert_eq!(
        words(&app),
        [
            "event `Noise` of `Squad` carries i32, not f32",
            "event `Go` of `Other` is none of `Squad`, which has no event of that name",
        ]
    );
}

#[test]
fn two_machines_on_one_entity_are_one() {
    let add: fn(&mut App) = |app| _ = app.add_agents(Other::functions);
    let nothing: fn(&mut App) = |_| {};
    for (before, after) in [(add, nothing), (nothing, add)] {
        let mut app = app_after(before, StatewrightPlugin::default());
        after(&mut app);
        let other = Machine::from_text("other.sw.json", OTHER).unwrap();
        let other = add_machine(&mut app, other);
        let first = soldier(&app);
        let entity = app
            .world_mut()
            .spawn((first, Agent::<Other>::new(other)))
            .id();
        (0..3).for_each(|_| app.update());
        assert_eq!(
            path(&mut app, entity),
            "walk",
            "the kind whose blackboard has the first name, `Other`"
        );
        assert_eq!(problems(&app), [Problem::Twice(entity)]);
        assert_eq!(app.world().resource::<Agents>().len(), 1);
    }
}

#[test]
fn a_kind_that_nobody_added_is_named_and_its_agents_are_none() {
    let mut app = app();
    let squad = app.world().resource::<Squad>().0.clone();
    let entity = app.world_mut().spawn(Agent::<Stranger>::new(squad)).id();
    let good = spawn(&mut app);
    (0..2).for_each(|_| app.update());
    assert_eq!(problems(&app), [Problem::NoKind(entity)]);
    assert_eq!(path(&mut app, good), "idle");
    assert_eq!(app.world().resource::<Agents>().len(), 1);
}

#[test]
fn a_schedule_that_runs_twice_in_a_frame_makes_two_ticks() {
    let mut app = app();
    spawn(&mut app);
    app.update();
    app.world_mut().run_schedule(Update);
    app.world_mut().run_schedule(Update);
    assert_eq!(app.world().resource::<AgentState>().now(), 3);
    assert_eq!(problems(&app), []);
}

#[test]
fn a_world_whose_entities_or_agents_are_gone_goes_on() {
    let mut app = app();
    let soldiers: Vec<Entity> = (0..20).map(|_| spawn(&mut app)).collect();
    app.update();
    let noise = app.world().resource::<Events>().noise;
    for &entity in &soldiers {
        send(&mut app, entity, noise, 9_i32);
        app.world_mut().despawn(entity);
    }
    app.update();
    assert!(app.world().resource::<Agents>().is_empty());
    assert_eq!(lost(&app), [20, 0, 0]);
    let next = spawn(&mut app);
    app.update();
    assert_eq!(path(&mut app, next), "idle");
}

/// An app with all systems that the plugin can add.
fn app_with_everything() -> App {
    let mut app = app_with(StatewrightPlugin::default().telling(Telling::Triggers));
    app.add_plugins(AgentDiagnosticsPlugin)
        .add_command_message::<Strike>()
        .mark_state::<Other>("alert");
    app
}

#[test]
fn without_one_of_its_resources_the_plugin_does_nothing() {
    let removals: [fn(&mut World); 13] = [
        |world| _ = world.remove_resource::<Agents>(),
        |world| _ = world.remove_resource::<AgentState>(),
        |world| _ = world.remove_resource::<Config>(),
        |world| _ = world.remove_resource::<Inbox>(),
        |world| _ = world.remove_resource::<Problems>(),
        |world| _ = world.remove_resource::<Assets<MachineAsset>>(),
        |world| _ = world.remove_resource::<Messages<Signal>>(),
        |world| _ = world.remove_resource::<Messages<MachineReloaded>>(),
        |world| _ = world.remove_resource::<Messages<StateChanged>>(),
        |world| _ = world.remove_resource::<Messages<AssetEvent<MachineAsset>>>(),
        |world| _ = world.remove_resource::<Messages<AssetLoadFailedEvent<MachineAsset>>>(),
        |world| _ = world.remove_resource::<Messages<CommandMessage<Strike>>>(),
        |world| _ = world.remove_resource::<DiagnosticsStore>(),
    ];
    for remove in removals {
        let mut app = app_with_everything();
        let soldiers = [(); 3].map(|()| spawn(&mut app));
        (0..2).for_each(|_| app.update());
        remove(app.world_mut());
        app.update();
        app.world_mut().despawn(soldiers[0]);
        spawn(&mut app);
        app.update();
    }
}

#[test]
fn in_a_cleared_world_the_plugin_does_nothing() {
    let mut app = app_with_everything();
    let noise = app.world().resource::<Events>().noise;
    let entity = spawn(&mut app);
    (0..2).for_each(|_| app.update());
    send(&mut app, entity, noise, 9_i32);
    // The schedules themselves lie in the world, and would be gone with it.
    let mut schedules = app.world_mut().resource_mut::<Schedules>();
    let mut update = schedules.remove(Update).unwrap();
    app.world_mut().clear_all();
    update.run(app.world_mut());
    app.world_mut().spawn(Position(1.0));
    update.run(app.world_mut());
    assert!(!app.world().contains_resource::<Agents>());
}

#[test]
fn a_second_plugin_and_a_second_kind_of_the_same_name_are_refused_in_words() {
    let mut app = app_with(StatewrightPlugin::default().with_seed(1));
    app.add_plugins(StatewrightPlugin::default().with_seed(2));
    app.add_agents(Soldier::functions);
    let entity = spawn(&mut app);
    app.update();
    assert_eq!(path(&mut app, entity), "idle");
    assert_eq!(app.world().resource::<AgentState>().now(), 1, "one tick");
    let words = words(&app);
    assert_eq!(
        words[0],
        "StatewrightPlugin was added twice: the first one holds"
    );
    assert!(
        words[1].ends_with("Soldier was added twice: the first one holds"),
        "{words:?}"
    );
}

#[test]
fn kinds_and_markers_may_be_added_before_the_plugin() {
    let mut app = App::new();
    app.add_agents(Soldier::functions)
        .mark_state::<Other>("alert");
    app.add_plugins((
        TaskPoolPlugin::default(),
        StatewrightPlugin::default().in_schedule(Update),
    ));
    app.init_resource::<Fear>();
    let squad = add_machine(&mut app, squad());
    let entity = app.world_mut().spawn(Agent::<Soldier>::new(squad)).id();
    app.update();
    assert_eq!(path(&mut app, entity), "idle");
}

#[test]
fn a_copy_of_an_entity_is_an_agent_of_its_own() {
    let mut app = app();
    let entity = spawn(&mut app);
    app.world_mut().entity_mut(entity).insert(AgentNumber(3));
    app.update();
    let noise = app.world().resource::<Events>().noise;
    send(&mut app, entity, noise, 9_i32);
    app.update();
    let copy = app.world_mut().entity_mut(entity).clone_and_spawn();
    app.update();
    let [one, other] =
        [entity, copy].map(|entity| app.world().get::<StableId>(entity).unwrap().get());
    assert_eq!((one.index(), other.index()), (3, 0));
    assert_eq!(
        (path(&mut app, entity), path(&mut app, copy)),
        ("alert/look".into(), "idle".into())
    );
    assert_eq!(
        app.world().get::<Soldier>(copy).unwrap().alarms,
        1,
        "its blackboard is a copy"
    );
    assert_eq!(problems(&app), []);
}

#[test]
fn a_machine_whose_asset_is_gone_goes_on() {
    let mut app = app();
    let entity = spawn(&mut app);
    app.update();
    let squad = app.world().resource::<Squad>().0.clone();
    app.world_mut()
        .resource_mut::<Assets<MachineAsset>>()
        .remove(&squad);
    let noise = app.world().resource::<Events>().noise;
    send(&mut app, entity, noise, 9_i32);
    app.update();
    assert_eq!(path(&mut app, entity), "alert/look");
    assert_eq!(problems(&app), []);
}

#[test]
fn numbers_are_for_one_agent_each() {
    let mut app = app_with(StatewrightPlugin {
        most_agents: 4,
        ..StatewrightPlugin::default()
    });
    let agent = soldier(&app);
    let mut number = |number: u32| {
        app.world_mut()
            .spawn((agent.clone(), AgentNumber(number)))
            .id()
    };
    let (first, second, high) = (number(2), number(2), number(9));
    app.update();
    let index = |app: &App, entity| app.world().get::<StableId>(entity).unwrap().get().index();
    assert_eq!(
        [first, second, high].map(|entity| index(&app, entity)),
        [2, 0, 1]
    );
    assert_eq!(
        problems(&app),
        [
            Problem::Number {
                entity: second,
                number: 2
            },
            Problem::Number {
                entity: high,
                number: 9
            },
        ]
    );
    assert!(
        words(&app)[1]
            .contains("number 9, which another one has, or which is not below `most_agents`")
    );
    let rest: Vec<Entity> = (0..2).map(|_| spawn(&mut app)).collect();
    app.update();
    assert_eq!(problems(&app).last(), Some(&Problem::TooMany(rest[1])));
    assert_eq!(
        (
            path(&mut app, rest[0]).as_str(),
            path(&mut app, rest[1]).as_str()
        ),
        ("idle", "nothing")
    );
    app.world_mut().despawn(first);
    app.update();
    assert_eq!(path(&mut app, rest[1]), "idle", "it waited");
}

#[test]
fn a_panic_in_user_code_ends_its_agent_alone() {
    let mut app = app();
    app.add_agents(Other::functions);
    let machine = Machine::from_text("other.sw.json", OTHER).unwrap();
    let go = machine.event("Go").unwrap();
    let other = add_machine(&mut app, machine);
    let [one, two] = [(); 2].map(|()| {
        app.world_mut()
            .spawn(Agent::<Other>::new(other.clone()))
            .id()
    });
    app.update();
    send(&mut app, one, go, ());
    app.update();
    let words = words(&app);
    assert!(
        words.len() == 1 && words[0].contains("`Stumble` in `walk`: it stumbles"),
        "{words:?}"
    );
    assert_eq!(path(&mut app, two), "walk");
    (0..3).for_each(|_| app.update());
}

#[test]
fn a_blackboard_outside_of_tables_is_refused_in_words() {
    #[derive(Component, Board, Default)]
    #[component(storage = "SparseSet")]
    struct Sparse;
    #[functions]
    impl Sparse {}
    let mut app = app();
    app.add_agents(Sparse::functions);
    let text = r#"{ "machine": "Calm", "states": { "calm": {} } }"#;
    let calm = add_machine(&mut app, Machine::from_text("calm.sw.json", text).unwrap());
    let good = spawn(&mut app);
    app.world_mut().spawn(Agent::<Sparse>::new(calm));
    (0..2).for_each(|_| app.update());
    assert_eq!(path(&mut app, good), "idle");
    let words = words(&app);
    assert!(
        words
            .iter()
            .any(|word| word.contains("the blackboard must lie in tables")),
        "{words:?}"
    );
}

#[test]
fn a_disabled_entity_stands_still_until_it_is_enabled() {
    use bevy_ecs::entity_disabling::Disabled;
    let mut app = app();
    let entity = spawn(&mut app);
    app.update();
    let noise = app.world().resource::<Events>().noise;
    send(&mut app, entity, noise, 9_i32);
    app.update();
    app.world_mut().entity_mut(entity).insert(Disabled);
    send(&mut app, entity, noise, 9_i32);
    (0..9).for_each(|_| app.update());
    let id = app.world().get::<StableId>(entity).unwrap().get();
    assert_eq!(problems(&app), [Problem::Unreachable(id)]);
    assert_eq!(
        app.world().get::<Soldier>(entity).unwrap().alarms,
        1,
        "it heard nothing"
    );
    app.world_mut().entity_mut(entity).remove::<Disabled>();
    app.update();
    assert_eq!(
        path(&mut app, entity),
        "idle",
        "its timer has passed meanwhile"
    );
    assert_eq!(app.world().resource::<Agents>().len(), 1);
}

#[test]
fn numbers_below_those_that_the_plugin_gives_are_never_taken() {
    let mut app = app_with(StatewrightPlugin::default().with_numbers_from(10));
    let plain = [(); 3].map(|()| spawn(&mut app));
    app.update();
    let agent = soldier(&app);
    let own = [2, 0].map(|number| {
        let own = (agent.clone(), AgentNumber(number));
        app.world_mut().spawn(own).id()
    });
    app.update();
    let index = |entity: &Entity| app.world().get::<StableId>(*entity).unwrap().get().index();
    assert_eq!(plain.each_ref().map(index), [10, 11, 12]);
    assert_eq!(own.each_ref().map(index), [2, 0]);
    assert_eq!(problems(&app), []);
}

#[test]
fn a_schedule_that_nobody_runs_is_named() {
    use bevy_time::TimePlugin;
    let begin = |plugin: StatewrightPlugin, has_time: bool| {
        let mut app = App::new();
        app.add_plugins((TaskPoolPlugin::default(), plugin));
        if has_time {
            app.add_plugins(TimePlugin);
        }
        app.finish();
        app.cleanup();
        app.update();
        problems(&app)
    };
    let fixed = StatewrightPlugin::default;
    assert_eq!(begin(fixed(), false), [Problem::NoTime]);
    assert_eq!(begin(fixed().in_schedule(Update), false), []);
    assert_eq!(begin(fixed(), true), []);
}
