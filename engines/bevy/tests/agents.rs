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
fn exit_actions_of_those_who_stop_are_seen_on_their_blackboards() {
    #[derive(Resource, Default)]
    struct Seen(Vec<Entity>);
    let see = |changed: Query<Entity, Changed<Soldier>>, mut seen: ResMut<Seen>| {
        seen.0 = changed.iter().collect();
    };
    let mut app = app();
    app.init_resource::<Seen>().add_systems(Last, see);
    let agent = soldier(&app);
    let [one, _other] = [(); 2].map(|()| app.world_mut().spawn(agent.clone()).id());
    app.update();
    let Events { noise, help, .. } = *app.world().resource::<Events>();
    send(&mut app, one, noise, 9_i32);
    send(&mut app, one, help, AgentId::default());
    (0..2).for_each(|_| app.update());
    assert_eq!(path(&mut app, one), "alert/fight");
    assert_eq!(app.world().resource::<Seen>().0, []);
    assert_eq!(app.world().get::<Soldier>(one).unwrap().alarms, 1);
    // It sleeps, and is not awake for any other reason.
    stop(&mut app, one);
    app.update();
    assert_eq!(app.world().resource::<Seen>().0, [one]);
    assert_eq!(app.world().get::<Soldier>(one).unwrap().alarms, 0);
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

#[test]
fn a_blackboard_of_the_file_begins_with_its_defaults_or_with_others() {
    use bevy_statewright::SchemaBoard;
    const JAR: &str = r#"{ "machine": "Jar", "events": { "Take": { "payload": "i32" } },
      "blackboard": { "sweets": { "type": "i32", "default": 10 }, "tired": { "type": "f32", "default": 0.5 } },
      "initial": "full", "states": {
        "full": { "transitions": [
          { "when": "always", "if": "sweets <= 0", "to": "empty" }, { "on": "Take", "do": "sweets -= event" }] },
        "empty": {} } }"#;
    let mut app = app();
    app.add_agents(statewright::Functions::<SchemaBoard, ()>::new);
    let machine = Machine::from_text("jar.sw.json", JAR).unwrap();
    let (take, sweets) = (
        machine.event("Take").unwrap(),
        machine.key("sweets").unwrap(),
    );
    let jar = add_machine(&mut app, machine);
    let mut spawn = |board: SchemaBoard| {
        let agent = Agent::<SchemaBoard>::new(jar.clone());
        app.world_mut().spawn((agent, board)).id()
    };
    let plain = spawn(SchemaBoard::default());
    let small = spawn(SchemaBoard::default().with("sweets", 3));
    let odd = spawn(
        SchemaBoard::default()
            .with("sweets", 0.5_f32)
            .with("salt", 1),
    );
    app.update();
    let count = |app: &App, jar| {
        app.world()
            .get::<SchemaBoard>(jar)
            .unwrap()
            .get::<i32>(sweets)
    };
    assert_eq!(
        [plain, small, odd].map(|jar| count(&app, jar)),
        [10, 3, 10].map(|count| Some(Ok(count)))
    );
    for entity in [plain, small] {
        send(&mut app, entity, take, 3_i32);
    }
    app.update();
    app.update();
    assert_eq!(
        [plain, small].map(|jar| path(&mut app, jar)),
        ["full", "empty"]
    );
    let key = |key: &str| Problem::Key {
        entity: odd,
        key: key.to_owned(),
    };
    assert_eq!(problems(&app), [key("sweets"), key("salt")]);
}

#[test]
fn groups_are_spoken_to_by_systems_and_by_agents() {
    let mut app = app();
    let agent = soldier(&app);
    let squad = Group::named("first squad");
    let caller = Soldier {
        friends: vec![squad.receiver(), squad.receiver()],
        ..Soldier::default()
    };
    let caller = app
        .world_mut()
        .spawn((agent.clone(), caller, Groups(vec![squad])))
        .id();
    let members: Vec<Entity> = (0..3)
        .map(|_| {
            app.world_mut()
                .spawn((agent.clone(), Groups(vec![Group::new(1), squad])))
                .id()
        })
        .collect();
    let other = app
        .world_mut()
        .spawn((agent, Groups(vec![Group::new(1)])))
        .id();
    app.update();
    let Events { noise, .. } = *app.world().resource::<Events>();
    send(&mut app, caller, noise, 9_i32);
    app.update();
    app.update();
    // Everybody but the caller, and those who are not brave, heard the call for help.
    let fighting = |app: &mut App, entity| path(app, entity) == "alert/fight";
    assert_eq!(
        members
            .iter()
            .filter(|&&one| fighting(&mut app, one))
            .count(),
        3
    );
    assert_eq!(path(&mut app, caller), "alert/look");
    assert_eq!(path(&mut app, other), "idle");
    send(&mut app, Group::new(1), noise, 9_i32);
    app.update();
    assert_eq!(path(&mut app, other), "alert/look");
}

#[test]
fn what_was_asked_for_is_told_as_messages_and_to_observers() {
    use bevy_ecs::message::Messages;
    use bevy_statewright::{Change, CommandMessage, StateChanged, Telling};
    #[derive(Resource, Default)]
    struct Heard(usize);
    let mut app = app_with(StatewrightPlugin::default().telling(Telling::Triggers));
    app.init_resource::<Heard>().add_command_message::<Strike>();
    app.add_observer(|_: On<StateChanged>, mut heard: ResMut<Heard>| heard.0 += 1);
    let agent = soldier(&app);
    let soldier = app.world_mut().spawn(agent).id();
    app.update();
    app.world_mut()
        .resource_mut::<Messages<StateChanged>>()
        .clear();
    app.world_mut().resource_mut::<Heard>().0 = 0;
    let Events { noise, help, .. } = *app.world().resource::<Events>();
    send(&mut app, soldier, noise, 9_i32);
    send(&mut app, soldier, help, AgentId::default());
    app.update();
    let machine = squad();
    let name = |state| machine.state_name(state).to_owned();
    let changes: Vec<StateChanged> = app
        .world_mut()
        .resource_mut::<Messages<StateChanged>>()
        .drain()
        .collect();
    let told: Vec<String> = changes
        .iter()
        .map(|one| match one.change {
            Change::Entered(state) => format!("+{}", name(state)),
            Change::Exited(state) => format!("-{}", name(state)),
            Change::Taken(_) => "!".to_owned(),
        })
        .collect();
    let noise = ["!", "-idle", "+alert", "+alert/look"];
    let help = ["!", "-alert/look", "+alert/fight"];
    assert_eq!(told, [&noise[..], &help].concat());
    assert_eq!(app.world().resource::<Heard>().0, changes.len());
    let mut strikes = app
        .world_mut()
        .resource_mut::<Messages<CommandMessage<Strike>>>();
    let strikes: Vec<Entity> = strikes.drain().map(|one| one.entity).collect();
    assert_eq!(strikes, [soldier]);
}

#[test]
fn agents_are_stopped_paused_reset_and_given_other_parameters() {
    use bevy_statewright::{Config, Ram as _, statewright};
    use statewright::{Parameters, VariantHandle};
    let mut app = app();
    let agent = soldier(&app);
    let [one, two, three] = [(); 3].map(|()| app.world_mut().spawn(agent.clone()).id());
    app.update();
    let machine = squad();
    let id = |app: &App, entity| app.world().get::<StableId>(entity).unwrap().get();
    let Events { noise, .. } = *app.world().resource::<Events>();
    for entity in [one, two] {
        send(&mut app, entity, noise, 9_i32);
    }
    app.update();
    let next = app.world().resource::<AgentState>().now();
    let first = id(&app, one);
    app.world_mut().resource_mut::<AgentState>().stop(first);
    machine.pause_instance(
        app.world_mut()
            .get_mut::<Ram64>(two)
            .unwrap()
            .instance_mut(),
        next,
    );
    (0..9).for_each(|_| app.update());
    assert_eq!(path(&mut app, one), "", "it has ended");
    assert_eq!(path(&mut app, two), "alert/look", "time stands still");
    let next = app.world().resource::<AgentState>().now();
    machine.resume_instance(
        app.world_mut()
            .get_mut::<Ram64>(two)
            .unwrap()
            .instance_mut(),
        next,
    );
    machine.reset_instance(
        app.world_mut()
            .get_mut::<Ram64>(one)
            .unwrap()
            .instance_mut(),
    );
    for entity in [one, two] {
        let agent = id(&app, entity);
        app.world_mut().resource_mut::<Agents>().wake(agent);
    }
    (0..6).for_each(|_| app.update());
    assert_eq!(
        [one, two].map(|entity| path(&mut app, entity)),
        ["idle", "idle"]
    );

    let mut parameters = Parameters::default();
    let deaf = machine.parameter("deaf").unwrap();
    parameters
        .set(&machine, VariantHandle::PLAIN, deaf, 20)
        .unwrap();
    let asset = app.world().resource::<Squad>().0.id();
    app.world_mut()
        .resource_mut::<Config>()
        .parameters
        .insert(asset, parameters);
    send(&mut app, three, noise, 9_i32);
    app.update();
    assert_eq!(path(&mut app, three), "idle", "it is deaf now");
    assert_eq!(problems(&app), []);
}

#[test]
fn events_of_the_machine_before_are_not_heard_by_the_one_after_it() {
    let mut app = app();
    // It takes one event per tick, so that others are left over.
    let slow = SQUAD.replacen(
        r#""machine": "Squad","#,
        r#""machine": "Slow", "budgets": { "events_per_tick": 1 },"#,
        1,
    );
    let slow = Machine::from_text("slow.sw.json", &slow).unwrap();
    let calm = slow.event("Calm").unwrap();
    let slow = add_machine(&mut app, slow);
    let agent = soldier(&app);
    let entity = app.world_mut().spawn(Agent::<Soldier>::new(slow)).id();
    app.update();
    for _ in 0..3 {
        send(&mut app, entity, calm, ());
    }
    app.update();
    app.world_mut().entity_mut(entity).insert(agent);
    app.update();
    assert_eq!(path(&mut app, entity), "idle");
    let lost = app
        .world()
        .resource::<bevy_statewright::Problems>()
        .lost_unknown;
    assert!(lost > 0, "{lost}");
}

#[test]
fn counters_are_diagnostics_of_the_engine() {
    use bevy_diagnostic::{DiagnosticPath, DiagnosticsStore};
    use bevy_statewright::AgentDiagnosticsPlugin as Shown;
    let mut app = App::new();
    // Before the plugin that it counts for.
    app.add_plugins(Shown);
    app.add_plugins((
        TaskPoolPlugin::default(),
        StatewrightPlugin::default().in_schedule(Update),
    ));
    app.add_agents(Soldier::functions).init_resource::<Fear>();
    let machine = squad();
    let noise = machine.event("Noise").unwrap();
    let squad = add_machine(&mut app, machine);
    let soldiers: Vec<Entity> = (0..3)
        .map(|_| {
            app.world_mut()
                .spawn(Agent::<Soldier>::new(squad.clone()))
                .id()
        })
        .collect();
    app.update();
    send(&mut app, soldiers[0], noise, 9_i32);
    send(&mut app, AgentId::new(9, 9), noise, 9_i32);
    app.update();
    let store = app.world().resource::<DiagnosticsStore>();
    let shown = |path: &DiagnosticPath| store.get(path).and_then(|one| one.value());
    let all = [
        Shown::AGENTS,
        Shown::TURNS,
        Shown::EVENTS,
        Shown::TRANSITIONS,
        Shown::LOST,
    ];
    assert_eq!(
        all.map(|path| shown(&path)),
        [3.0, 1.0, 1.0, 1.0, 1.0].map(Some)
    );
}

#[test]
fn an_id_of_somebody_who_is_gone_or_of_a_group_means_nobody() {
    let mut app = app();
    let agent = soldier(&app);
    let first = app.world_mut().spawn(agent.clone()).id();
    app.update();
    let old = app.world().get::<StableId>(first).unwrap().get();
    app.world_mut().despawn(first);
    app.update();
    let second = app.world_mut().spawn(agent).id();
    (0..2).for_each(|_| app.update());
    let new = app.world().get::<StableId>(second).unwrap().get();
    assert_eq!(old.index(), new.index(), "its successor");
    let group = Group::new(new.index()).receiver();
    let mut agents = app.world_mut().resource_mut::<Agents>();
    assert_eq!(agents.entity(new), Some(second));
    for nobody in [old, group] {
        assert_eq!(agents.entity(nobody), None);
        assert!(agents.machine(nobody).is_none());
        agents.wake(nobody);
        assert_eq!(agents.awake(), 0);
    }
    agents.wake(new);
    assert_eq!(agents.awake(), 1);
    let mut state = app.world_mut().resource_mut::<AgentState>();
    for nobody in [old, group] {
        assert!(!state.has(nobody));
        state.stop(nobody);
    }
    app.update();
    assert_eq!(path(&mut app, second), "idle");
}
