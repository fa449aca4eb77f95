//! What the plugin costs beside the calls that it makes, as ratios of one run.
//!
//! `cargo run --release --example cost`: each line is the median of several rounds, on as many threads as
//! Bevy's pool has. Both sides of a line do the same work, and it is asserted that they did.

use std::hint::black_box;
use std::time::{Duration, Instant};

use bevy_app::prelude::*;
use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_statewright::prelude::*;
use bevy_statewright::{AgentState, Agents, BevyPool, statewright};
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

const AGENTS: u32 = 100_000;

/// Everybody has a turn in each tick.
fn all_awake() -> TickSettings {
    TickSettings {
        sleeping: false,
        ..TickSettings::default()
    }
}

/// The same agents as slices of one's own, and the call that the plugin makes for them.
struct Own {
    program: statewright::Program<Toggle, ()>,
    instances: Vec<Instance64>,
    boards: Vec<Toggle>,
    ids: Vec<AgentId>,
    everybody: Vec<u32>,
    output: SlicesOutput,
    tick: u64,
}

impl Own {
    fn new(machine: &Machine) -> Self {
        let ids: Vec<AgentId> = (0..AGENTS).map(|number| AgentId::new(number, 1)).collect();
        let new = |id: &AgentId| machine.new_instance(1, id.bits()).expect("of this tier");
        let mut own = Self {
            program: machine.bind(none()).expect("it calls nothing"),
            instances: ids.iter().map(new).collect(),
            boards: vec![Toggle::default(); ids.len()],
            ids,
            everybody: (0..AGENTS).collect(),
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
            awake: Some(&self.everybody),
            lists_changed: true,
            by_id: true,
            settings: all_awake(),
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

fn awake(app: &App) -> usize {
    app.world().resource::<Agents>().awake()
}

fn quiet(machine: &Machine) {
    let mut own = Own::new(machine);
    let mut visited = app(machine, AGENTS, all_awake());
    let mut sleeping = app(machine, AGENTS, TickSettings::default());
    let mut few = app(machine, 1000, TickSettings::default());
    let mut nobody = app(machine, 0, TickSettings::default());
    let [call, all, asleep, thousand, empty] = medians([
        &mut || own.tick(),
        &mut || visited.world_mut().run_schedule(Update),
        &mut || sleeping.world_mut().run_schedule(Update),
        &mut || few.world_mut().run_schedule(Update),
        &mut || nobody.world_mut().run_schedule(Update),
    ]);
    // Whoever was visited and does not sleep is awake next.
    let everybody = AGENTS as usize;
    assert_eq!(own.output.awake_next().count(), everybody);
    assert_eq!([&visited, &sleeping, &few].map(awake), [everybody, 0, 0]);
    println!("the schedule without agents: {empty:?}");
    say(
        "100,000 quiet agents, all visited: the update beside the call that it makes",
        [all, call],
        1.3,
    );
    say(
        "100,000 sleeping agents, the update beside that of 1,000",
        [asleep, thousand],
        1.2,
    );
    say(
        "100,000 quiet agents, asleep beside all visited",
        [asleep, all],
        1.0,
    );
}

/// Transitions since the app began, and since the crowd did.
fn transitions_of(app: &App, crowd: &Crowd<Toggle, ()>) -> [u64; 2] {
    let agents = app.world().resource::<Agents>();
    [agents.counters(), crowd.counters()].map(|counters| counters.transitions)
}

/// Both took a transition per agent in each round.
fn assert_all_moved(before: [u64; 2], after: [u64; 2]) {
    let expected = ROUNDS as u64 * u64::from(AGENTS);
    let taken = [after[0] - before[0], after[1] - before[1]];
    assert_eq!(taken, [expected; 2], "transitions");
}

fn transitions(machine: &Machine) {
    let mut crowd = Crowd::new(machine.bind(none()).expect("it calls nothing"), 1);
    (0..AGENTS).for_each(|_| _ = crowd.spawn(Toggle::default()));
    let mut app = app(machine, AGENTS, TickSettings::default());
    let pool = BevyPool::default();
    (0..20).for_each(|_| _ = crowd.tick_on(&pool, &()));
    let before = transitions_of(&app, &crowd);
    let [found, beside] = medians([&mut || app.world_mut().run_schedule(Update), &mut || {
        _ = black_box(crowd.tick_on(&pool, &()))
    }]);
    assert_all_moved(before, transitions_of(&app, &crowd));
    say(
        "100,000 transitions by timers, beside a crowd",
        [found, beside],
        1.5,
    );
}

fn events(machine: &Machine, flip: EventHandle) {
    let mut crowd = Crowd::new(machine.bind(none()).expect("it calls nothing"), 1);
    let agents: Vec<AgentId> = (0..AGENTS)
        .map(|_| crowd.spawn(Toggle::default()))
        .collect();
    let mut app = app(machine, AGENTS, TickSettings::default());
    app.add_systems(
        Update,
        (move |mut tell: Tell, state: Res<AgentState>| {
            black_box(state.now());
            (0..AGENTS).for_each(|index| tell.send(AgentId::new(index, 1), flip, ()));
        })
        .before(StatewrightSystems::Intake),
    );
    app.world_mut().run_schedule(Update);
    let pool = BevyPool::default();
    crowd.tick_on(&pool, &());
    let before = transitions_of(&app, &crowd);
    let [found, beside] = medians([&mut || app.world_mut().run_schedule(Update), &mut || {
        for &agent in &agents {
            crowd.send(agent, flip, ()).expect("it is there");
        }
        black_box(crowd.tick_on(&pool, &()));
    }]);
    assert_all_moved(before, transitions_of(&app, &crowd));
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
