//! The skirmish without a window: what the keys do.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use bevy_app::prelude::*;
use bevy_asset::AssetPlugin;
use bevy_ecs::prelude::*;
use bevy_ecs::system::RunSystemOnce;
use bevy_statewright::prelude::*;
use bevy_statewright::{Agents, Problem, Problems};
use bevy_statewright_games::skirmish::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};

/// A game in a folder of its own, gone after the test.
struct Game {
    app: App,
    folder: PathBuf,
}

impl Drop for Game {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// What somebody does, and where.
type Story = BTreeMap<u32, (String, [f32; 2])>;

impl Game {
    fn new(name: &str) -> Self {
        let name = format!("bevy_statewright_skirmish_{name}_{}", std::process::id());
        let files = Folder::write(std::env::temp_dir().join(name)).unwrap();
        let folder = files.0.clone();
        let assets = AssetPlugin {
            file_path: folder.display().to_string(),
            watch_for_changes_override: Some(false),
            ..AssetPlugin::default()
        };
        let mut app = App::new();
        app.add_plugins((TaskPoolPlugin::default(), TimePlugin, assets))
            .add_plugins(SkirmishPlugin(files))
            .insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO));
        app.finish();
        app.cleanup();
        let mut game = Self { app, folder };
        game.until("loaded", |app| {
            let loaded = |machines: Machines| machines.are_loaded();
            app.world_mut().run_system_once(loaded).unwrap()
        });
        let each = TimeUpdateStrategy::ManualDuration(tick());
        game.app.insert_resource(each);
        game
    }

    /// Updates until something holds; a minute at most.
    fn until(&mut self, what: &str, mut holds: impl FnMut(&mut App) -> bool) {
        let begun = Instant::now();
        while !holds(&mut self.app) {
            assert!(begun.elapsed() < Duration::from_secs(60), "not {what}");
            self.app.update();
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn run(&mut self, ticks: u32) {
        (0..ticks).for_each(|_| self.app.update());
    }

    fn order(&mut self, order: Order) {
        self.app.world_mut().resource_mut::<Orders>().0.push(order);
    }

    fn story(&mut self) -> Story {
        let see = |brains: bevy_statewright::Brains,
                   people: Query<(Entity, &AgentNumber, &Position)>| {
            let all = people.iter().map(|(entity, number, position)| {
                let path = brains.path(entity).expect("everybody thinks");
                (number.0, (path, position.0))
            });
            all.collect::<Story>()
        };
        self.app.world_mut().run_system_once(see).unwrap()
    }

    fn problems(&self) -> Vec<Problem> {
        let problems = self.app.world().resource::<Problems>();
        problems.iter().cloned().collect()
    }

    fn transitions(&self) -> u64 {
        let agents = self.app.world().resource::<Agents>();
        agents.counters().transitions
    }
}

fn how_many(story: &Story, path: &str) -> usize {
    let paths = story.values().map(|(path, _)| path);
    paths.filter(|own| own.starts_with(path)).count()
}

#[test]
fn squads_meet_and_fight_and_civilians_run() {
    let mut game = Game::new("fight");
    game.run(2);
    let story = game.story();
    assert_eq!(story.len(), PEOPLE as usize);
    assert_eq!(how_many(&story, "alive/march"), SOLDIERS as usize);
    assert_eq!(how_many(&story, "calm"), CIVILIANS as usize);
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    for _ in 0..60 {
        game.run(RATE / 2);
        for (path, _) in game.story().into_values() {
            *seen.entry(path).or_default() += 1;
        }
    }
    let all = [
        "alive/fight/aim",
        "alive/fight/fire",
        "alive/fight/reload",
        "alive/march",
        "alive/retreat",
        "calm/stand",
        "calm/stroll",
        "fallen",
        "panic/hide",
        "panic/run",
    ];
    assert_eq!(seen.keys().collect::<Vec<_>>(), all, "{seen:?}");
    assert_eq!(game.problems(), []);
    let story = game.story();
    let inside = |(_, at): &(String, [f32; 2])| at[0].abs() <= FIELD[0] && at[1].abs() <= FIELD[1];
    assert!(story.values().all(inside));
}

#[test]
fn whoever_is_near_is_stunned_and_then_goes_on_with_what_it_did() {
    let mut game = Game::new("stun");
    game.run(2);
    let before = game.story();
    let (at, radius) = (before[&0].1, 120.0);
    game.order(Order::Stun { at, radius });
    game.run(1);
    let story = game.story();
    let mut hit = 0;
    for (number, (path, here)) in &before {
        let far = (here[0] - at[0]).hypot(here[1] - at[1]);
        // Nobody moves so far in the tick in which the order is obeyed.
        if (far - radius).abs() < 4.0 {
            continue;
        }
        let is_near = far < radius;
        hit += usize::from(is_near);
        assert_eq!(story[number].0 == "stunned", is_near, "{number}: {path}");
    }
    assert!(hit > 5, "{hit}");
    assert_eq!(story[&0].0, "stunned");
    // Three seconds.
    game.run(3 * RATE - 1);
    assert_eq!(game.story()[&0].0, "stunned");
    game.run(2);
    assert_eq!(game.story()[&0].0, "alive/march");
    assert_eq!(how_many(&game.story(), "stunned"), 0);
    assert_eq!(game.problems(), []);
}

#[test]
fn a_broken_file_is_told_once_while_everybody_goes_on_and_a_mended_one_is_forgotten() {
    let mut game = Game::new("break");
    game.run(10 * RATE);
    game.order(Order::Break);
    game.until("told", |app| {
        app.world().resource::<Problems>().iter().next().is_some()
    });
    let before = (game.transitions(), game.story());
    game.run(2 * RATE);
    assert!(game.transitions() > before.0 + 100);
    assert_ne!(game.story(), before.1);
    let told = game.problems();
    assert!(
        matches!(&told[..], [Problem::Asset { path, report }] if path == SOLDIER
            && report.contains("stuned") && report.contains("stunned")),
        "{told:?}"
    );
    // Saved so again: it is not told again.
    game.order(Order::Break);
    game.run(RATE);
    assert_eq!(game.problems(), told);

    game.order(Order::Mend);
    game.until("mended", |app| {
        app.world().resource::<Problems>().iter().next().is_none()
    });
    let transitions = game.transitions();
    game.run(RATE);
    assert!(game.transitions() > transitions);
    assert_eq!(game.story().len(), PEOPLE as usize);
}

#[test]
fn five_seconds_back_everything_is_as_it_was_and_happens_again() {
    let mut game = Game::new("rewind");
    game.run(12 * RATE);
    let then = game.story();
    game.run(SECONDS * RATE);
    let now = game.story();
    assert_ne!(then, now);
    let memory = game.app.world().resource::<Memory>();
    assert_eq!(memory.ticks(), (SECONDS * RATE) as usize);

    // Obeyed before the next tick, which is the one after `then`.
    game.order(Order::Rewind);
    game.run(SECONDS * RATE);
    assert_eq!(game.story(), now, "the same five seconds once more");
    game.order(Order::Rewind);
    game.run(1);
    let moved = |one: &Story, other: &Story| {
        let far = one.iter().map(|(number, (_, [x, y]))| {
            let [ox, oy] = other[number].1;
            (x - ox).hypot(y - oy)
        });
        far.fold(0.0, f32::max)
    };
    let back = game.story();
    assert!(moved(&back, &then) < 6.0, "one tick later than then");
    assert!(moved(&back, &now) > 20.0, "and not now");
    // Sooner again: only as far as it remembers.
    game.run(9);
    game.order(Order::Rewind);
    game.run(1);
    assert_eq!(game.story(), back);
    assert_eq!(game.problems(), []);
}
