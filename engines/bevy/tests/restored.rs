//! Snapshots come back to agents that have not begun, to games that have changed, and to none that they
//! could harm.

use bevy_app::prelude::*;
use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_statewright::prelude::*;
use bevy_statewright::{
    AgentState, BrainsError, BrainsRestored, Problem, Ram as _, Ram64, SchemaBoard, WorldBrains,
};
use zerocopy::{FromBytes, IntoBytes};

use crate::common::*;

const SOLDIERS: u32 = 8;

/// Soldiers who call each other, some of whom hear a noise; their events are under way.
fn squad_app(soldiers: impl Fn(&App) -> Agent<Soldier>, with_ids: bool) -> App {
    let mut app = app();
    app.save_boards::<Soldier>();
    let agent = soldiers(&app);
    for number in 0..SOLDIERS {
        let friend = |by: u32| AgentId::new((number + by) % SOLDIERS, 1);
        let board = Soldier {
            friends: vec![friend(1), friend(3)],
            ..Soldier::default()
        };
        let mut entity = app.world_mut().spawn((agent.clone(), board));
        match with_ids {
            true => entity.insert(StableId::new(AgentId::new(number, 1))),
            false => entity.insert(AgentNumber(number)),
        };
    }
    app
}

fn make_noise(app: &mut App) {
    let noise = app.world().resource::<Events>().noise;
    for number in 0..4 {
        send(app, AgentId::new(number, 1), noise, 9_i32);
    }
}

/// A squad after some ticks, with events under way.
fn busy() -> App {
    let mut app = squad_app(soldier, false);
    app.update();
    make_noise(&mut app);
    app.update();
    assert!(app.world().resource::<AgentState>().events_under_way() > 0);
    app
}

/// Paths and bytes of everybody after some more ticks.
fn later(app: &mut App) -> (Vec<(u32, Vec<u8>)>, Vec<String>) {
    for tick in 0..20 {
        if tick % 7 == 3 {
            make_noise(app);
        }
        app.update();
    }
    let world = app.world_mut();
    let mut all = world.query::<(&StableId, &Soldier)>();
    let mut boards: Vec<(StableId, String)> = all
        .iter(world)
        .map(|(id, board)| (*id, format!("{board:?}")))
        .collect();
    boards.sort();
    let boards = boards.into_iter().map(|(_, board)| board).collect();
    (bytes(app), boards)
}

fn restore(app: &mut App, brains: &[u8]) -> BrainsRestored {
    app.world_mut().restore_brains(brains).unwrap()
}

/// Somebody whose machine comes later.
fn late(app: &App) -> Agent<Soldier> {
    let machines = app.world().resource::<Assets<MachineAsset>>();
    Agent::new(machines.reserve_handle())
}

/// The machine of an agent comes.
fn come(app: &mut App, agent: &Agent<Soldier>, machine: Machine) {
    let mut machines = app.world_mut().resource_mut::<Assets<MachineAsset>>();
    machines
        .insert(agent.machine(), MachineAsset(machine))
        .unwrap();
}

fn agent_of(app: &mut App, number: u32) -> (Entity, Agent<Soldier>) {
    let world = app.world_mut();
    let mut all = world.query::<(Entity, &StableId, &Agent<Soldier>)>();
    let found = all
        .iter(world)
        .find(|(_, id, _)| id.get().index() == number);
    let (entity, _, agent) = found.unwrap();
    (entity, agent.clone())
}

#[test]
fn a_game_is_loaded_by_spawning_its_agents_and_putting_the_snapshot_back_at_once() {
    let mut app = busy();
    let brains = app.world().snapshot_brains().unwrap();
    let expected = later(&mut app);
    let mut loaded = squad_app(soldier, true);
    let restored = restore(&mut loaded, &brains);
    assert_eq!(restored.not_ready, SOLDIERS as usize);
    assert_eq!((restored.same, restored.strangers), (0, 0));
    assert_eq!(restored.missing, []);
    // What waits is in a snapshot, too.
    let again = loaded.world().snapshot_brains().unwrap();
    let mut twice = squad_app(soldier, true);
    restore(&mut twice, &again);
    for mut app in [loaded, twice] {
        assert!(later(&mut app) == expected);
        assert_eq!(problems(&app), []);
        let lost = app.world().resource::<bevy_statewright::Problems>();
        assert_eq!((lost.lost_not_ready, lost.lost_unknown), (0, 0));
    }
}

#[test]
fn whoever_waits_for_its_machine_goes_on_as_soon_as_it_is_loaded() {
    let mut app = busy();
    let brains = app.world().snapshot_brains().unwrap();
    let mut loaded = squad_app(late, false);
    loaded.update();
    let restored = restore(&mut loaded, &brains);
    assert_eq!(restored.not_ready, SOLDIERS as usize);
    loaded.update();
    let (entity, agent) = agent_of(&mut loaded, 0);
    assert_eq!(path(&mut loaded, entity), "nothing");
    // Another version of it comes.
    let text = SQUAD.replacen(r#""states": {"#, r#""states": { "asleep": {},"#, 1);
    let machine = Machine::from_text("squad.sw.json", &text).unwrap();
    come(&mut loaded, &agent, machine);
    loaded.update();
    for number in 0..SOLDIERS {
        let (one, _) = agent_of(&mut loaded, number);
        let (other, _) = agent_of(&mut app, number);
        let alarms = |app: &App, entity| app.world().get::<Soldier>(entity).unwrap().alarms;
        assert!(alarms(&loaded, one) >= alarms(&app, other), "{number}");
        if number < 4 {
            assert!(path(&mut loaded, one).starts_with("alert/"), "{number}");
        }
    }
    assert_eq!(problems(&loaded), []);
}

#[test]
fn whoever_had_not_begun_keeps_its_id_and_its_blackboard() {
    let mut app = busy();
    let waits = late(&app);
    let alarms = Soldier {
        alarms: 3,
        ..Soldier::default()
    };
    let entity = app.world_mut().spawn((waits.clone(), alarms.clone())).id();
    app.update();
    let id = *app.world().get::<StableId>(entity).unwrap();
    let brains = app.world().snapshot_brains().unwrap();
    app.world_mut().get_mut::<Soldier>(entity).unwrap().alarms = 5;
    let restored = restore(&mut app, &brains);
    assert_eq!((restored.not_ready, restored.strangers), (1, 0));
    come(&mut app, &waits, squad());
    app.update();
    assert_eq!(path(&mut app, entity), "idle");
    assert_eq!(*app.world().get::<StableId>(entity).unwrap(), id);
    assert_eq!(*app.world().get::<Soldier>(entity).unwrap(), alarms);
    assert_eq!(problems(&app), []);
}

#[test]
fn whoever_cannot_be_mapped_is_counted_and_begins_anew() {
    let app = busy();
    let brains = app.world().snapshot_brains().unwrap();
    let other = r#"{ "machine": "Other", "states": { "elsewhere": {} } }"#;
    let other = || Machine::from_text("other.sw.json", other).unwrap();
    let mut changed = squad_app(late, false);
    let (_, agent) = agent_of(&mut changed, 0);
    come(&mut changed, &agent, other());
    changed.update();
    let restored = restore(&mut changed, &brains);
    assert_eq!(
        (restored.mapped, restored.anew),
        (0, SOLDIERS as usize),
        "{restored:?}"
    );
    changed.update();
    let (entity, _) = agent_of(&mut changed, 2);
    assert_eq!(path(&mut changed, entity), "elsewhere");
}

#[test]
fn bytes_that_no_agent_of_the_machine_has_do_not_come_back() {
    let mut app = busy();
    let (entity, _) = agent_of(&mut app, 2);
    let machine = squad();
    let mut ram = app.world_mut().get_mut::<Ram64>(entity).unwrap();
    let good = *ram.instance();
    let is_bad = |at: &usize| {
        let mut bytes = good.as_bytes().to_vec();
        bytes[*at] ^= 0x55;
        let bad = statewright::Instance64::read_from_bytes(&bytes).unwrap();
        let error = machine.check_instance(&bad);
        error == Err(statewright::Fault::BadConfiguration)
    };
    let at = (0..64).find(is_bad).unwrap();
    ram.instance_mut().as_mut_bytes()[at] ^= 0x55;
    let brains = app.world().snapshot_brains().unwrap();
    let restored = restore(&mut app, &brains);
    assert_eq!((restored.same, restored.anew), (7, 1));
    app.update();
    assert_eq!(path(&mut app, entity), "idle");
    assert_eq!(problems(&app), []);
}

#[test]
fn machines_that_nobody_runs_any_more_are_in_no_snapshot() {
    let mut app = busy();
    // Until nothing is under way.
    (0..60).for_each(|_| app.update());
    let size = |app: &App| app.world().snapshot_brains().unwrap().len();
    let before = size(&app);
    for number in 0..3 {
        let text =
            format!(r#"{{ "machine": "Other{number}", "states": {{ "elsewhere": {{}} }} }}"#);
        let machine = Machine::from_text("other.sw.json", &text).unwrap();
        let machine = add_machine(&mut app, machine);
        let entity = app.world_mut().spawn(Agent::<Soldier>::new(machine)).id();
        app.update();
        assert!(size(&app) > before + 200);
        app.world_mut().despawn(entity);
        app.update();
    }
    // One index was used.
    assert_eq!(size(&app), before + 4);
}

/// The blackboard of an earlier version of the game.
mod old {
    use super::*;

    #[derive(Component, Board, Default, statewright::Saved)]
    pub struct Guard {
        pub courage: i32,
        #[board(skip)]
        pub name: u64,
    }

    #[functions]
    impl Guard {}
}

/// The same in this version: fields were moved, and there is another one.
mod new {
    use super::*;

    #[derive(Component, Board, Default, statewright::Saved)]
    pub struct Guard {
        #[board(skip)]
        #[saved(default)]
        pub mood: u8,
        #[board(skip)]
        pub name: u64,
        pub courage: i32,
    }

    #[functions]
    impl Guard {}
}

#[derive(Component, Board, Default, statewright::Saved)]
struct Dog {
    courage: i32,
    #[board(skip)]
    bones: u64,
}

#[functions]
impl Dog {}

const GUARD: &str = r#"{ "machine": "Guard", "events": { "Cheer": {} }, "blackboard": { "courage": "i32" },
  "initial": "stand", "states": { "stand": { "transitions": [{ "on": "Cheer", "do": "courage += 1", "to": "walk" }] },
    "walk": {} } }"#;

/// An app in which one entity thinks with a blackboard.
fn app_of<B: bevy_statewright::AgentBoard>(
    functions: fn() -> Functions<B, ()>,
    board: B,
) -> (App, Entity) {
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        StatewrightPlugin::default().in_schedule(Update),
    ));
    app.add_agents(functions);
    let machine = Machine::from_text("guard.sw.json", GUARD).unwrap();
    let machine = add_machine(&mut app, machine);
    let entity = app
        .world_mut()
        .spawn((Agent::<B>::new(machine), board))
        .id();
    app.update();
    (app, entity)
}

#[test]
fn a_blackboard_whose_struct_was_changed_is_read_field_by_field() {
    let guard = old::Guard {
        courage: 7,
        name: 99,
    };
    let (mut app, _) = app_of(old::Guard::functions, guard);
    app.save_boards::<old::Guard>();
    let brains = app.world().snapshot_brains().unwrap();
    let (mut app, entity) = app_of(new::Guard::functions, new::Guard::default());
    app.save_boards::<new::Guard>();
    assert_eq!(restore(&mut app, &brains).boards_refused, 0);
    let guard = app.world().get::<new::Guard>(entity).unwrap();
    assert_eq!((guard.courage, guard.name, guard.mood), (7, 99, 0));
    // A type of another name is another one, whatever its bytes would mean.
    let (mut app, entity) = app_of(Dog::functions, Dog::default());
    app.save_boards::<Dog>();
    assert_eq!(restore(&mut app, &brains).boards_refused, 1);
    let dog = app.world().get::<Dog>(entity).unwrap();
    assert_eq!((dog.courage, dog.bones), (0, 0));
}

#[test]
fn blackboards_are_known_by_their_names_in_whatever_order_they_were_said() {
    let dog = Dog {
        courage: 2,
        bones: 5,
    };
    let (mut app, _) = app_of(Dog::functions, dog);
    app.save_boards::<old::Guard>().save_boards::<Dog>();
    let brains = app.world().snapshot_brains().unwrap();
    let (mut app, entity) = app_of(Dog::functions, Dog::default());
    app.save_boards::<Dog>().save_boards::<old::Guard>();
    assert_eq!(restore(&mut app, &brains).boards_refused, 0);
    let dog = app.world().get::<Dog>(entity).unwrap();
    assert_eq!((dog.courage, dog.bones), (2, 5));
    assert_eq!(app.world().snapshot_brains().unwrap(), brains);
}

#[test]
fn a_blackboard_of_the_file_is_in_snapshots_and_begins_anew_with_its_own_values() {
    let fresh = || SchemaBoard::default().with("courage", 4);
    let functions = Functions::<SchemaBoard, ()>::new;
    let (mut app, entity) = app_of(functions, fresh());
    app.save_boards::<SchemaBoard>();
    let machine = Machine::from_text("guard.sw.json", GUARD).unwrap();
    let (cheer, courage) = (
        machine.event("Cheer").unwrap(),
        machine.key("courage").unwrap(),
    );
    let value = |app: &App| {
        let board = app.world().get::<SchemaBoard>(entity).unwrap();
        board.get::<i32>(courage).unwrap().unwrap()
    };
    let id = app.world().get::<StableId>(entity).unwrap().get();
    send(&mut app, id, cheer, ());
    app.update();
    assert_eq!(value(&app), 5);
    let brains = app.world().snapshot_brains().unwrap();
    let mut own = app.world_mut().get_mut::<SchemaBoard>(entity).unwrap();
    own.set(courage, 30).unwrap().unwrap();
    let other = app.world().snapshot_brains().unwrap();
    let found = app.world().compare_brains(&brains, &other).unwrap();
    assert_eq!(found.unwrap().fields[0].name, "key courage");
    assert_eq!(restore(&mut app, &brains).boards_refused, 0);
    assert_eq!(value(&app), 5);
    // What it begins with is its own, whatever came back.
    let text = GUARD.replace(r#""blackboard": {"#, r#""blackboard": { "luck": "f32","#);
    let anew = Machine::from_text("anew.sw.json", &text.replace("Guard", "Anew")).unwrap();
    let courage = anew.key("courage").unwrap();
    let anew = add_machine(&mut app, anew);
    app.world_mut()
        .entity_mut(entity)
        .insert(Agent::<SchemaBoard>::new(anew));
    app.update();
    let board = app.world().get::<SchemaBoard>(entity).unwrap();
    assert_eq!(board.get::<i32>(courage), Some(Ok(4)));
    // Another version of the file: values go by their keys.
    let machine = Machine::from_text("guard.sw.json", &text).unwrap();
    let courage = machine.key("courage").unwrap();
    let (mut app, entity) = app_of(functions, fresh());
    app.save_boards::<SchemaBoard>();
    let machine = add_machine(&mut app, machine);
    app.world_mut()
        .entity_mut(entity)
        .insert(Agent::<SchemaBoard>::new(machine));
    app.update();
    let restored = restore(&mut app, &brains);
    assert_eq!((restored.mapped, restored.boards_refused), (1, 0));
    let board = app.world().get::<SchemaBoard>(entity).unwrap();
    assert_eq!(board.get::<i32>(courage), Some(Ok(5)));
}

#[test]
fn what_waited_and_does_not_fit_is_told_when_it_is_looked_at() {
    let app = busy();
    let brains = app.world().snapshot_brains().unwrap();
    let mut loaded = squad_app(late, true);
    restore(&mut loaded, &brains);
    let (entity, agent) = agent_of(&mut loaded, 1);
    let other = r#"{ "machine": "Other", "tier": "hero", "states": { "elsewhere": {} } }"#;
    come(
        &mut loaded,
        &agent,
        Machine::from_text("other.sw.json", other).unwrap(),
    );
    loaded.update();
    assert_eq!(path(&mut loaded, entity), "elsewhere");
    assert_eq!(
        loaded.world_mut().restore_brains(&brains[1..]),
        Err(BrainsError::Damaged(
            "they begin as no snapshot of this version does"
        ))
    );
    let told = problems(&loaded);
    let is_told = |problem: &Problem| matches!(problem, Problem::Restore { .. });
    assert_eq!(told.len(), SOLDIERS as usize, "{told:?}");
    assert!(told.iter().all(is_told), "{told:?}");
}
