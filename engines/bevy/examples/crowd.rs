//! A hundred thousand pedestrians without a window: they walk, wait, and run when they are pushed. Whoever
//! only waits costs nothing.
//!
//! `cargo run --release --example crowd [AGENTS]`

use std::time::Instant;

use bevy_app::prelude::*;
use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_statewright::prelude::*;
use bevy_statewright::{AgentState, Agents, statewright};
use statewright::EventHandle;

const PEDESTRIAN: &str = r#"{ "machine": "Pedestrian", "tick_rate": 20, "events": { "Push": {} },
  "initial": "wait", "states": {
    "wait": { "transitions": [{ "on": "Push", "to": "run" }, { "after": "5s..60s", "to": "walk" }] },
    "walk": { "update": "Step(1)", "transitions": [{ "on": "Push", "to": "run" }, { "after": "1s..2s", "to": "wait" }] },
    "run": { "entry": { "emit": "Cry", "lane": "audio" }, "update": "Step(3)", "transitions": [{ "after": "1s", "to": "wait" }] } } }"#;

#[derive(Component, Board, Default)]
struct Pedestrian {
    steps: i32,
}

#[functions]
impl Pedestrian {
    #[action]
    fn step(&mut self, count: i32) {
        self.steps += count;
    }
}

#[derive(Resource)]
struct Push(EventHandle);

/// One in a thousand is pushed in each tick.
fn push(mut tell: Tell, push: Res<Push>, agents: Res<Agents>, state: Res<AgentState>) {
    let count = agents.len() as u32;
    for number in 0..count / 1000 {
        let index = (state.now() as u32)
            .wrapping_mul(7919)
            .wrapping_add(number * 991)
            % count;
        tell.send(AgentId::new(index, 1), push.0, ());
    }
}

#[derive(Resource, Default)]
struct Cries(usize);

fn hear(wishes: AgentCommands, mut cries: ResMut<Cries>) {
    cries.0 += wishes.iter().count();
}

/// So many pedestrians for so many ticks: how many steps they made, and how often they cried.
pub fn run(agents: u32, ticks: u32) -> (i64, usize) {
    let mut app = App::new();
    let plugin = StatewrightPlugin::default()
        .in_schedule(Update)
        .with_seed(1);
    app.add_plugins((TaskPoolPlugin::default(), plugin))
        .add_agents(Pedestrian::functions)
        .init_resource::<Cries>()
        .add_systems(Update, push.before(StatewrightSystems::Intake))
        .add_systems(Update, hear.in_set(StatewrightSystems::Commit));
    let machine = Machine::from_text("pedestrian.sw.json", PEDESTRIAN).expect("it has no mistakes");
    app.insert_resource(Push(machine.event("Push").expect("it is declared")));
    let machine = app
        .world_mut()
        .resource_mut::<Assets<MachineAsset>>()
        .add(machine);
    let all = (0..agents).map(|number| {
        (
            Agent::<Pedestrian>::new(machine.clone()),
            AgentNumber(number),
        )
    });
    app.world_mut().spawn_batch(all.collect::<Vec<_>>());
    let begun = Instant::now();
    app.update();
    println!("{agents} agents began in {:?}", begun.elapsed());
    let begun = Instant::now();
    for tick in 1..ticks {
        app.update();
        if tick.is_multiple_of(100) {
            let agents = app.world().resource::<Agents>();
            println!(
                "tick {tick}: {} had a turn, {} awake",
                agents.last_turns(),
                agents.awake()
            );
        }
    }
    println!("{:?} per tick", begun.elapsed() / ticks.max(1));
    let world = app.world_mut();
    let steps = world
        .query::<&Pedestrian>()
        .iter(world)
        .map(|one| i64::from(one.steps))
        .sum();
    (steps, world.resource::<Cries>().0)
}

fn main() {
    let agents = std::env::args()
        .nth(1)
        .and_then(|count| count.parse().ok())
        .unwrap_or(100_000);
    let (steps, cries) = run(agents, 600);
    println!("{steps} steps, {cries} cries");
}
