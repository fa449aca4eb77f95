//! What the plugin costs beside the calls that it makes, as ratios of one run.
//!
//! `cargo run --release --example cost`: each line is the median of several rounds, on as many threads as
//! Bevy's pool has. `Schedule` alone is an app whose kinds have no agents.

use std::hint::black_box;
use std::time::{Duration, Instant};

use bevy_app::prelude::*;
use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_statewright::prelude::*;
use bevy_statewright::{AgentState, BevyPool, statewright};
use statewright::{Crowd, EventHandle, Instance64, Segment, Slices, SlicesOutput, TickSettings};

const TOGGLE: &str = r#"{ "machine": "Toggle", "tier": "crowd", "events": { "Flip": {} }, "initial": "off", "states": {
    "off": { "transitions": [{ "on": "Flip", "to": "on" }, { "after": "10s", "to": "on" }] },
    "on": { "transitions": [{ "on": "Flip", "to": "off" }] } } }"#;

/// A machine where everybody takes a transition in each tick by itself.
const BLINK: &str = r#"{ "machine": "Blink", "tier": "crowd", "initial": "off", "states": {
    "off": { "transitions": [{ "after": "1t", "to": "on" }] },
    "on": { "transitions": [{ "after": "1t", "to": "off" }] } } }"#;

#[derive(Component, Board, Default, Clone)]
struct Toggle {
    count: i32,
}

fn none() -> Functions<Toggle, ()> {
    Functions::new()
}

/// An app of so many agents that run a machine.
fn app(machine: &Machine, agents: u32, settings: TickSettings) -> App {
    let mut app = App::new();
    let plugin = StatewrightPlugin {
        settings,
        ..StatewrightPlugin::default()
    };
    app.add_plugins((TaskPoolPlugin::default(), plugin.in_schedule(Update)));
    app.add_agents(none);
    let mut machines = app.world_mut().resource_mut::<Assets<MachineAsset>>();
    let machine = machines.add(machine.clone());
    let all =
        (0..agents).map(|number| (Agent::<Toggle>::new(machine.clone()), AgentNumber(number)));
    app.world_mut().spawn_batch(all.collect::<Vec<_>>());
    (0..20).for_each(|_| app.world_mut().run_schedule(Update));
    app
}

const ROUNDS: usize = 201;

/// The median of many rounds of each, which take turns.
fn medians<const N: usize>(mut works: [&mut dyn FnMut(); N]) -> [Duration; N] {
    let mut times = [const { Vec::new() }; N];
    for _ in 0..ROUNDS {
        for (work, times) in works.iter_mut().zip(&mut times) {
            let begun = Instant::now();
            work();
            times.push(begun.elapsed());
        }
    }
    times.map(|mut times| {
        times.sort_unstable();
        times[ROUNDS / 2]
    })
}

fn say(what: &str, [found, beside]: [Duration; 2], bar: f64) {
    let ratio = found.as_secs_f64() / beside.as_secs_f64();
    println!("{what}: {found:?} beside {beside:?}, {ratio:.2} x (bar {bar} x)");
}

/// The same agents as slices of one's own.
struct Own {
    program: statewright::Program<Toggle, ()>,
    instances: Vec<Instance64>,
    boards: Vec<Toggle>,
    ids: Vec<AgentId>,
    output: SlicesOutput,
    tick: u64,
}

impl Own {
    fn new(machine: &Machine, agents: u32) -> Self {
        let ids: Vec<AgentId> = (0..agents).map(|number| AgentId::new(number, 1)).collect();
        let new = |id: &AgentId| machine.new_instance(1, id.bits()).expect("of this tier");
        let mut own = Self {
            program: machine.bind(none()).expect("it calls nothing"),
            instances: ids.iter().map(new).collect(),
            boards: vec![Toggle::default(); ids.len()],
            ids,
            output: SlicesOutput::default(),
            tick: 0,
        };
        (0..20).for_each(|_| own.tick());
        own
    }

    fn tick(&mut self) {
        let mut segments = [Segment {
            instances: &mut self.instances,
            boards: &mut self.boards,
            agents: &self.ids,
        }];
        let slices = Slices {
            tick: self.tick,
            ..Slices::default()
        };
        let pool = BevyPool::default();
        let output = &mut self.output;
        let ran = self
            .program
            .tick_segments_on(&pool, &mut segments, &(), slices, output);
        black_box(ran).expect("slices that fit");
        self.tick += 1;
    }
}

fn quiet(machine: &Machine) {
    let mut own = Own::new(machine, 100_000);
    let mut sleeping = app(machine, 100_000, TickSettings::default());
    let mut few = app(machine, 1000, TickSettings::default());
    let awake = TickSettings {
        sleeping: false,
        ..TickSettings::default()
    };
    let mut visited = app(machine, 100_000, awake);
    let mut nobody = app(machine, 0, TickSettings::default());
    let [whole, call, thousand, all, empty] = medians([
        &mut || sleeping.world_mut().run_schedule(Update),
        &mut || own.tick(),
        &mut || few.world_mut().run_schedule(Update),
        &mut || visited.world_mut().run_schedule(Update),
        &mut || nobody.world_mut().run_schedule(Update),
    ]);
    println!("the schedule without agents: {empty:?}");
    say(
        "100,000 quiet agents, whole update beside the call over all",
        [whole, call],
        1.3,
    );
    println!("the same if nobody may sleep: {all:?}; everybody's bytes are compared then");
    say(
        "100,000 sleeping agents beside 1,000",
        [whole, thousand],
        1.2,
    );
}

fn transitions(machine: &Machine) {
    let mut crowd = Crowd::new(machine.bind(none()).expect("it calls nothing"), 1);
    (0..100_000).for_each(|_| _ = crowd.spawn(Toggle::default()));
    let mut app = app(machine, 100_000, TickSettings::default());
    let pool = BevyPool::default();
    (0..20).for_each(|_| _ = crowd.tick_on(&pool, &()));
    let [found, beside] = medians([&mut || app.world_mut().run_schedule(Update), &mut || {
        _ = black_box(crowd.tick_on(&pool, &()))
    }]);
    say(
        "100,000 transitions by timers, beside a crowd",
        [found, beside],
        1.5,
    );
}

fn events(machine: &Machine, flip: EventHandle) {
    let mut crowd = Crowd::new(machine.bind(none()).expect("it calls nothing"), 1);
    let agents: Vec<AgentId> = (0..100_000)
        .map(|_| crowd.spawn(Toggle::default()))
        .collect();
    let mut app = app(machine, 100_000, TickSettings::default());
    app.add_systems(
        Update,
        (move |mut tell: Tell, state: Res<AgentState>| {
            black_box(state.now());
            (0..100_000).for_each(|index| tell.send(AgentId::new(index, 1), flip, ()));
        })
        .before(StatewrightSystems::Intake),
    );
    app.world_mut().run_schedule(Update);
    let pool = BevyPool::default();
    let [found, beside] = medians([&mut || app.world_mut().run_schedule(Update), &mut || {
        for &agent in &agents {
            crowd.send(agent, flip, ()).expect("it is there");
        }
        black_box(crowd.tick_on(&pool, &()));
    }]);
    say(
        "100,000 transitions by events, sending included, beside a crowd",
        [found, beside],
        1.5,
    );
}

fn main() {
    let toggle = Machine::from_text("toggle.sw.json", TOGGLE).expect("it has no mistakes");
    let blink = Machine::from_text("blink.sw.json", BLINK).expect("it has no mistakes");
    quiet(&toggle);
    transitions(&blink);
    events(&toggle, toggle.event("Flip").expect("it is declared"));
}
