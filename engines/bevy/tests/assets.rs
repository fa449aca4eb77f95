//! Machines come from files, and change while agents run them.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use bevy_app::prelude::*;
use bevy_asset::{AssetApp, AssetId, AssetPlugin, AssetServer, Assets, Handle};
use bevy_ecs::message::Messages;
use bevy_ecs::prelude::*;
use bevy_statewright::prelude::*;
use bevy_statewright::{MachineReloaded, Problem, ReloadPolicy};
use statewright::Extent;

use crate::common::*;

/// A folder of its own, gone after the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("bevy_statewright_{name}_{}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[derive(Component, Board, Default)]
struct Lamp {
    light: f32,
}

#[functions]
impl Lamp {
    #[action]
    fn shine(&mut self) {
        self.light += 1.0;
    }
}

fn lamp(on: &str, extra: &str) -> String {
    format!(
        r#"{{ "machine": "Lamp", "tick_rate": 60, "events": {{ "Push": {{}} }}, "initial": "off", "states": {{
            "off": {{ "id": "1", "transitions": [{{ "on": "Push", "to": "{on}" }}] }},
            "{on}": {{ "id": "2", "entry": "Shine", "transitions": [{{ "on": "Push", "to": "off" }}] }} {extra} }} }}"#
    )
}

fn lamps(folder: &Path, reload: ReloadPolicy) -> App {
    lamps_that(folder, reload, false)
}

/// Lamps that see by themselves when a file is saved, or do not.
fn lamps_that(folder: &Path, reload: ReloadPolicy, watch: bool) -> App {
    let mut app = App::new();
    let assets = AssetPlugin {
        file_path: folder.display().to_string(),
        watch_for_changes_override: Some(watch),
        ..AssetPlugin::default()
    };
    let plugin = StatewrightPlugin::default()
        .in_schedule(Update)
        .with_reload(reload);
    app.add_plugins((TaskPoolPlugin::default(), assets, plugin));
    app.add_agents(Lamp::functions);
    app.finish();
    app.cleanup();
    app
}

fn load(app: &App, name: &'static str) -> Handle<MachineAsset> {
    app.world().resource::<AssetServer>().load(name)
}

/// Updates until something holds; a minute at most.
fn until(app: &mut App, what: &str, mut holds: impl FnMut(&mut App) -> bool) {
    let begun = Instant::now();
    while !holds(app) {
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "{what}: {:?}",
            problems(app)
        );
        app.update();
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn push(app: &mut App, entity: Entity) {
    let brains = move |brains: bevy_statewright::Brains| {
        brains.machine(entity).unwrap().event("Push").unwrap()
    };
    let push = bevy_ecs::system::RunSystemOnce::run_system_once(app.world_mut(), brains).unwrap();
    send(app, entity, push, ());
}

fn reports(app: &mut App) -> Vec<(Extent, usize)> {
    let mut messages = app.world_mut().resource_mut::<Messages<MachineReloaded>>();
    messages
        .drain()
        .map(|one| (one.report.extent, one.report.kept))
        .collect()
}

#[test]
fn a_machine_file_is_compiled_and_a_save_reloads_it_while_agents_go_on() {
    let folder = Folder::new("reload");
    folder.write("lamp.sw.json", lamp("on", ""));
    let mut app = lamps(&folder.0, ReloadPolicy::Always);
    let machine = load(&app, "lamp.sw.json");
    let lamps: Vec<Entity> = (0..5)
        .map(|_| {
            app.world_mut()
                .spawn(Agent::<Lamp>::new(machine.clone()))
                .id()
        })
        .collect();
    until(&mut app, "loaded", |app| path(app, lamps[0]) == "off");
    push(&mut app, lamps[3]);
    app.update();
    assert_eq!(path(&mut app, lamps[3]), "on");

    // Renamed, with an id: the same state.
    folder.write("lamp.sw.json", lamp("shining", r#", "dim": {}"#));
    app.world().resource::<AssetServer>().reload("lamp.sw.json");
    until(&mut app, "reloaded", |app| path(app, lamps[3]) == "shining");
    assert_eq!(path(&mut app, lamps[0]), "off");
    assert_eq!(reports(&mut app), [(Extent::Structure, 5)]);
    push(&mut app, lamps[0]);
    app.update();
    assert_eq!(path(&mut app, lamps[0]), "shining");
    assert_eq!(problems(&app), []);
}

#[test]
fn a_bad_save_keeps_everything_running_and_is_said_once() {
    let folder = Folder::new("bad");
    folder.write("lamp.sw.json", lamp("on", ""));
    let mut app = lamps(&folder.0, ReloadPolicy::Always);
    let machine = load(&app, "lamp.sw.json");
    let entity = app.world_mut().spawn(Agent::<Lamp>::new(machine)).id();
    until(&mut app, "loaded", |app| path(app, entity) == "off");

    folder.write(
        "lamp.sw.json",
        lamp(
            "on",
            r#", "odd": { "transitions": [{ "on": "Pull", "to": "on" }] }"#,
        ),
    );
    for _ in 0..3 {
        app.world().resource::<AssetServer>().reload("lamp.sw.json");
        (0..30).for_each(|_| {
            app.update();
            std::thread::sleep(Duration::from_millis(1));
        });
    }
    until(&mut app, "told", |app| !problems(app).is_empty());
    let told = problems(&app);
    assert!(
        matches!(&told[..], [Problem::Asset { path, report }] if path == "lamp.sw.json"
            && report.contains("Pull") && report.contains("lamp.sw.json:")),
        "{told:?}"
    );
    push(&mut app, entity);
    app.update();
    assert_eq!(path(&mut app, entity), "on");

    // A machine that calls what nobody has is refused, too.
    let missing = lamp("on", r#", "odd": { "entry": "Explode" }"#);
    folder.write("lamp.sw.json", missing);
    app.world().resource::<AssetServer>().reload("lamp.sw.json");
    let is_bind = |problem: &Problem| matches!(problem, Problem::Bind { report, .. } if report.contains("Explode"));
    until(&mut app, "refused", |app| problems(app).iter().any(is_bind));
    assert_eq!(path(&mut app, entity), "on");

    folder.write("lamp.sw.json", lamp("on", r#", "new": {}"#));
    app.world().resource::<AssetServer>().reload("lamp.sw.json");
    until(&mut app, "mended", |app| !reports(app).is_empty());
    assert_eq!(problems(&app), []);
}

#[test]
fn policies_refuse_with_the_report_of_what_would_have_been() {
    let folder = Folder::new("policy");
    let glowing = |glow: u32| {
        let parameters = format!(r#""machine": "Lamp", "parameters": {{ "glow": {glow} }},"#);
        lamp("on", "").replacen(r#""machine": "Lamp","#, &parameters, 1)
    };
    folder.write("lamp.sw.json", glowing(1));
    let mut app = lamps(&folder.0, ReloadPolicy::Parameters);
    let machine = load(&app, "lamp.sw.json");
    let entity = app.world_mut().spawn(Agent::<Lamp>::new(machine)).id();
    until(&mut app, "loaded", |app| path(app, entity) == "off");
    folder.write("lamp.sw.json", lamp("on", r#", "new": {}"#));
    app.world().resource::<AssetServer>().reload("lamp.sw.json");
    let refused = |problem: &Problem| matches!(problem, Problem::Reload { report, .. } if report.contains("structure; 1 kept"));
    until(&mut app, "refused", |app| problems(app).iter().any(refused));
    assert_eq!(reports(&mut app), []);
    // One that is allowed takes the place of the refused one, which is no problem any more.
    folder.write("lamp.sw.json", glowing(2));
    app.world().resource::<AssetServer>().reload("lamp.sw.json");
    until(&mut app, "allowed", |app| !reports(app).is_empty());
    assert_eq!(problems(&app), []);
    // The same goes for the version that runs.
    folder.write("lamp.sw.json", lamp("on", r#", "new": {}"#));
    app.world().resource::<AssetServer>().reload("lamp.sw.json");
    until(&mut app, "refused again", |app| {
        problems(app).iter().any(refused)
    });
    folder.write("lamp.sw.json", glowing(2));
    app.world().resource::<AssetServer>().reload("lamp.sw.json");
    until(&mut app, "taken back", |app| problems(app).is_empty());
    assert_eq!(reports(&mut app), []);
    // And it is refused once more when it is saved once more.
    folder.write("lamp.sw.json", lamp("on", r#", "new": {}"#));
    app.world().resource::<AssetServer>().reload("lamp.sw.json");
    until(&mut app, "refused once more", |app| {
        problems(app).iter().any(refused)
    });
    // Another policy looks at it again; one that is not another one does not.
    let told = |app: &App| app.world().resource::<bevy_statewright::Problems>().count();
    let before = told(&app);
    set_policy(&mut app, ReloadPolicy::Parameters);
    (0..3).for_each(|_| app.update());
    assert_eq!((told(&app), reports(&mut app)), (before, vec![]));
    set_policy(&mut app, ReloadPolicy::NobodyBeginsAnew);
    app.update();
    assert_eq!(reports(&mut app), [(Extent::Structure, 1)]);

    // While frames may be rolled back, new versions wait.
    let mut app = lamps(&folder.0, ReloadPolicy::Always);
    let machine = load(&app, "lamp.sw.json");
    let id = machine.id();
    let entity = app.world_mut().spawn(Agent::<Lamp>::new(machine)).id();
    until(&mut app, "loaded", |app| path(app, entity) == "off");
    hold(&mut app, true);
    folder.write("lamp.sw.json", lamp("on", ""));
    app.world().resource::<AssetServer>().reload("lamp.sw.json");
    let before = hash(&app, id).unwrap();
    until(&mut app, "there", |app| hash(app, id) != Some(before));
    (0..5).for_each(|_| app.update());
    assert_eq!(reports(&mut app), []);
    hold(&mut app, false);
    until(&mut app, "released", |app| !reports(app).is_empty());
}

/// Which version of a machine is there, if any.
fn hash(app: &App, machine: AssetId<MachineAsset>) -> Option<u64> {
    let assets = app.world().resource::<Assets<MachineAsset>>();
    assets
        .get(machine)
        .map(|MachineAsset(machine)| machine.structure_hash())
}

fn set_policy(app: &mut App, policy: ReloadPolicy) {
    let mut config = app.world_mut().resource_mut::<bevy_statewright::Config>();
    config.reload = policy;
}

fn hold(app: &mut App, holds: bool) {
    let mut config = app.world_mut().resource_mut::<bevy_statewright::Config>();
    config.holds_reloads = holds;
}

#[test]
fn a_machine_that_is_loaded_while_reloads_are_held_begins_when_they_are_let_go() {
    let folder = Folder::new("held");
    folder.write("lamp.sw.json", lamp("on", ""));
    let mut app = lamps(&folder.0, ReloadPolicy::Always);
    // One that was there before may be run at any time.
    let machine = Machine::from_text("lamp.sw.json", &lamp("on", "")).unwrap();
    let known = add_machine(&mut app, machine);
    hold(&mut app, true);
    app.update();
    let late = load(&app, "lamp.sw.json");
    let spawn = |app: &mut App, machine: &Handle<MachineAsset>| {
        let agent = Agent::<Lamp>::new(machine.clone());
        app.world_mut().spawn(agent).id()
    };
    let waits = spawn(&mut app, &late);
    until(&mut app, "there", |app| hash(app, late.id()).is_some());
    let (comes, begins) = (spawn(&mut app, &late), spawn(&mut app, &known));
    (0..3).for_each(|_| app.update());
    assert_eq!(
        [waits, comes, begins].map(|entity| path(&mut app, entity)),
        ["nothing", "nothing", "off"]
    );
    assert_eq!(problems(&app), [Problem::Held("Lamp".to_owned())]);
    hold(&mut app, false);
    app.update();
    assert_eq!(
        [waits, comes, begins].map(|entity| path(&mut app, entity)),
        ["off"; 3]
    );
}

#[test]
fn a_machine_of_another_tier_takes_over_in_another_component() {
    let folder = Folder::new("tier");
    folder.write("lamp.sw.json", lamp("on", ""));
    let mut app = lamps(&folder.0, ReloadPolicy::Always);
    let machine = load(&app, "lamp.sw.json");
    let entity = app.world_mut().spawn(Agent::<Lamp>::new(machine)).id();
    until(&mut app, "loaded", |app| path(app, entity) == "off");
    push(&mut app, entity);
    app.update();
    let wide = lamp("on", "").replacen(
        r#""machine": "Lamp","#,
        r#""machine": "Lamp", "tier": "hero","#,
        1,
    );
    folder.write("lamp.sw.json", wide);
    app.world().resource::<AssetServer>().reload("lamp.sw.json");
    until(&mut app, "reloaded", |app| !reports(app).is_empty());
    app.update();
    assert_eq!(path(&mut app, entity), "on");
    assert!(
        app.world()
            .get::<bevy_statewright::Ram256>(entity)
            .is_some()
    );
    assert!(app.world().get::<bevy_statewright::Ram64>(entity).is_none());
    push(&mut app, entity);
    app.update();
    assert_eq!(
        (path(&mut app, entity).as_str(), problems(&app)),
        ("off", vec![])
    );
}

#[test]
fn parts_belong_to_the_file_that_uses_them() {
    let folder = Folder::new("parts");
    let house = r#"{ "machine": "House", "states": { "lamp": { "use": "parts/lamp.sw.json" } } }"#;
    folder.write("house.sw.json", house);
    let part = |name: &str| {
        format!(
            r#"{{ "machine": "Part", "states": {{ "{name}": {{ "use": "deep/flame.sw.json" }} }} }}"#
        )
    };
    folder.write("parts/lamp.sw.json", part("wick"));
    folder.write(
        "parts/deep/flame.sw.json",
        r#"{ "machine": "Flame", "states": { "flame": {} } }"#,
    );
    let mut app = lamps(&folder.0, ReloadPolicy::Always);
    let machine = load(&app, "house.sw.json");
    let entity = app.world_mut().spawn(Agent::<Lamp>::new(machine)).id();
    until(&mut app, "loaded", |app| {
        path(app, entity) == "lamp/wick/flame"
    });
    std::fs::remove_file(folder.0.join("parts/deep/flame.sw.json")).unwrap();
    let mut app = lamps(&folder.0, ReloadPolicy::Always);
    let _machine = load(&app, "house.sw.json");
    let names_part = |problem: &Problem| matches!(problem, Problem::Asset { report, .. } if report.contains("deep/flame.sw.json"));
    until(&mut app, "told", |app| problems(app).iter().any(names_part));
}

#[cfg(feature = "file_watcher")]
#[test]
fn a_part_that_is_saved_loads_the_machine_anew_also_one_that_never_loaded() {
    let folder = Folder::new("watched");
    let house = r#"{ "machine": "House", "states": { "lamp": { "use": "parts/lamp.sw.json" } } }"#;
    folder.write("house.sw.json", house);
    let part = |states: &str| format!(r#"{{ "machine": "Part", "states": {{ {states} }} }}"#);
    folder.write("parts/lamp.sw.json", part(r#""wick": { "entry": 5 }"#));
    let mut app = lamps_that(&folder.0, ReloadPolicy::Always, true);
    let machine = load(&app, "house.sw.json");
    let entity = app.world_mut().spawn(Agent::<Lamp>::new(machine)).id();
    until(&mut app, "told", |app| !problems(app).is_empty());
    // So long that what the part was made of is known.
    (0..100).for_each(|_| {
        app.update();
        std::thread::sleep(Duration::from_millis(1));
    });
    assert_eq!(path(&mut app, entity), "nothing");
    folder.write("parts/lamp.sw.json", part(r#""wick": {}"#));
    until(&mut app, "mended", |app| path(app, entity) == "lamp/wick");
    // The event of it comes at the end of the frame.
    app.update();
    assert_eq!((problems(&app), reports(&mut app)), (vec![], vec![]));
    let part = r#"{ "machine": "Part", "initial": "wick", "states": { "wick": {}, "ash": {} } }"#;
    folder.write("parts/lamp.sw.json", part);
    until(&mut app, "reloaded", |app| !reports(app).is_empty());
    assert_eq!(path(&mut app, entity), "lamp/wick");
}

#[cfg(feature = "file_watcher")]
#[test]
fn a_saved_file_and_a_saved_part_are_seen_by_whoever_watches() {
    let folder = Folder::new("watched_parts");
    folder.write("lamp.sw.json", lamp("on", ""));
    let house = r#"{ "machine": "House", "states": { "lamp": { "use": "parts/lamp.sw.json" } } }"#;
    folder.write("house.sw.json", house);
    let part = r#"{ "machine": "Part", "states": { "wick": { "use": "deep/flame.sw.json" } } }"#;
    folder.write("parts/lamp.sw.json", part);
    let flame =
        |state: &str| format!(r#"{{ "machine": "Flame", "states": {{ "{state}": {{}} }} }}"#);
    folder.write("parts/deep/flame.sw.json", flame("flame"));
    let mut app = lamps_that(&folder.0, ReloadPolicy::Always, true);
    let [lit, housed] = ["lamp.sw.json", "house.sw.json"].map(|name| {
        let machine = load(&app, name);
        app.world_mut().spawn(Agent::<Lamp>::new(machine)).id()
    });
    until(&mut app, "loaded", |app| {
        path(app, lit) == "off" && path(app, housed) == "lamp/wick/flame"
    });
    push(&mut app, lit);
    app.update();
    folder.write("lamp.sw.json", lamp("shining", r#", "dim": {}"#));
    until(&mut app, "saved", |app| path(app, lit) == "shining");
    assert_eq!(path(&mut app, housed), "lamp/wick/flame");
    // A part of a part belongs to the file that uses it.
    folder.write("parts/deep/flame.sw.json", flame("ember"));
    until(&mut app, "part saved", |app| {
        path(app, housed) == "lamp/wick/ember"
    });
    assert_eq!(path(&mut app, lit), "shining");
    assert_eq!(problems(&app), []);
}

#[test]
fn a_rom_is_loaded_with_its_names_or_without_and_refused_if_damaged() {
    let folder = Folder::new("rom");
    let machine = Machine::from_text("lamp.sw.json", &lamp("on", "")).unwrap();
    folder.write("named.swrom", machine.bytes());
    folder.write("named.swdbg", machine.symbols().to_json());
    folder.write("plain.swrom", machine.bytes());
    let mut damaged = machine.bytes().to_vec();
    *damaged.last_mut().unwrap() ^= 1;
    folder.write("damaged.swrom", &damaged);
    let mut app = lamps(&folder.0, ReloadPolicy::Always);
    let [named, plain, damaged, missing] = [
        "named.swrom",
        "plain.swrom",
        "damaged.swrom",
        "missing.swrom",
    ]
    .map(|name| load(&app, name));
    let entities = [named, plain, damaged, missing]
        .map(|machine| app.world_mut().spawn(Agent::<Lamp>::new(machine)).id());
    until(&mut app, "loaded", |app| {
        path(app, entities[0]) == "off" && path(app, entities[1]) == "?" && problems(app).len() == 2
    });
    let told: Vec<String> = problems(&app).iter().map(ToString::to_string).collect();
    assert!(
        told.iter()
            .any(|word| word.starts_with("damaged.swrom cannot be used")
                && word.contains("checksum")),
        "{told:?}"
    );
    assert!(
        told.iter()
            .any(|word| word.starts_with("missing.swrom cannot be used")),
        "{told:?}"
    );
    assert_eq!(path(&mut app, entities[2]), "nothing");
}

#[test]
fn assets_may_be_there_before_the_plugin_or_not_at_all() {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), AssetPlugin::default()));
    app.init_asset::<MachineAsset>();
    app.add_plugins(StatewrightPlugin::default().in_schedule(Update));
    app.add_agents(Lamp::functions);
    let machine = Machine::from_text("lamp.sw.json", &lamp("on", "")).unwrap();
    let machine = add_machine(&mut app, machine);
    let entity = app.world_mut().spawn(Agent::<Lamp>::new(machine)).id();
    app.update();
    assert_eq!(path(&mut app, entity), "off");
}

#[test]
fn the_asset_server_may_come_after_the_plugin() {
    let folder = Folder::new("late");
    folder.write("lamp.sw.json", lamp("on", ""));
    let assets = || AssetPlugin {
        file_path: folder.0.display().to_string(),
        watch_for_changes_override: Some(false),
        ..AssetPlugin::default()
    };
    let plugin = || StatewrightPlugin::default().in_schedule(Update);
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), plugin(), assets()));
    app.add_agents(Lamp::functions);
    app.finish();
    app.cleanup();
    let machine = load(&app, "lamp.sw.json");
    let entity = app.world_mut().spawn(Agent::<Lamp>::new(machine)).id();
    until(&mut app, "loaded", |app| path(app, entity) == "off");

    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), plugin()));
    app.add_agents(Lamp::functions);
    let machine = Machine::from_text("lamp.sw.json", &lamp("on", "")).unwrap();
    let machine = add_machine(&mut app, machine);
    app.add_plugins(assets());
    app.finish();
    app.cleanup();
    let entity = app.world_mut().spawn(Agent::<Lamp>::new(machine)).id();
    app.update();
    assert_eq!(path(&mut app, entity), "off");
    assert_eq!(problems(&app), [Problem::LateAssets]);
}
