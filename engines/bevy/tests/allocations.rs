//! A tick allocates nothing once everybody has begun: not for tables, machines, tiers, events, groups, signals,
//! commands, markers or what is told of states. And what an agent costs in memory.

use std::sync::{Mutex, MutexGuard, PoisonError};

use bevy_app::prelude::*;
use bevy_asset::Assets;
use bevy_ecs::message::Messages;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::{ScheduleLabel, SingleThreadedExecutor};
use bevy_statewright::prelude::*;
use bevy_statewright::{AgentState, Agents, Ram, Ram64, StateChanged, Telling, statewright};
use statewright::{EventHandle, Instance64};
use statewright_memory::{Counting, allocations, in_use};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes in use are those of the whole program: one test at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

const WALKER: &str = r#"{ "machine": "Walker", "tier": "crowd", "events": { "Push": {}, "Hello": {} },
  "initial": "wait", "states": {
    "wait": { "transitions": [{ "on": "Push", "to": "walk", "do": "Greet" }, { "on": "Hello", "to": "walk" }] },
    "walk": { "update": "Step", "transitions": [{ "after": "5t", "to": "wait" }] } } }"#;

const WALKERS: u32 = 2000;

/// So many of them run a machine of another tier.
fn is_runner(number: u32) -> bool {
    number.is_multiple_of(5)
}

#[derive(Component, Board, Default)]
struct Walker {
    steps: i32,
}

#[derive(Clone, Copy, Debug, PartialEq, statewright::Command)]
#[command(lane = NAVIGATION)]
struct Step {
    count: i32,
}

/// Events of both machines.
#[derive(Resource)]
struct Events {
    push: EventHandle,
    hello: [EventHandle; 2],
}

const GUESTS: Group = Group::new(1);

impl Walker {
    fn functions() -> Functions<Self, borrowed!(Res<'_, Events>)> {
        use statewright::Callback;
        Functions::new()
            .add(
                "Step",
                Callback::Action(|me: &mut Self, _, cx| {
                    me.steps += 1;
                    cx.emit(Step { count: me.steps });
                }),
            )
            .add(
                "Greet",
                Callback::Action(|_, events, cx| {
                    let own = cx.agent().index();
                    let hello = events.hello[usize::from(is_runner(own))];
                    cx.send(AgentId::new((own * 7 + 1) % WALKERS, 1), hello, ());
                    if own.is_multiple_of(40) {
                        cx.send(GUESTS.receiver(), hello, ());
                    }
                }),
            )
    }
}

/// Another kind, which hears walkers.
#[derive(Component, Board, Default)]
struct Porter {
    greeted: i32,
}

const PORTER: &str = r#"{ "machine": "Porter", "tier": "hero", "events": { "Hello": {} }, "blackboard": { "greeted": "i32" },
  "states": { "stand": { "transitions": [{ "on": "Hello", "do": "greeted += 1" }] } } }"#;

/// Lists grow as long as there is more in a tick than in any before it: it is loud at first.
fn times(now: u32, count: u32) -> std::ops::Range<u32> {
    if now.is_multiple_of(2) && now < 100 {
        0..count * 8
    } else {
        0..count
    }
}

fn push(mut tell: Tell, events: Res<Events>, state: Res<AgentState>) {
    let now = state.now() as u32;
    for number in times(now, 50) {
        let index = (now * 131 + number * 37) % WALKERS;
        tell.send(AgentId::new(index, 1), events.push, ());
    }
    tell.send(GUESTS, events.hello[0], ());
}

fn signal(
    mut signals: MessageWriter<Signal>,
    agents: Res<Agents>,
    events: Res<Events>,
    state: Res<AgentState>,
) {
    let now = state.now() as u32;
    for number in times(now, 20) {
        let agent = AgentId::new((now * 17 + number * 41) % WALKERS, 1);
        if let Some(entity) = agents.entity(agent) {
            signals.write(Signal::new(entity, events.push, ()).in_order(number as i32));
        }
    }
}

#[derive(Resource, Default)]
struct Read([usize; 3]);

fn read(wishes: AgentCommands, mut read: ResMut<Read>) {
    read.0[0] += wishes.of::<Step>().count();
    read.0[1] += wishes.iter().count();
    read.0[2] += wishes.lane(statewright::commands::Lane::NAVIGATION).count();
}

#[derive(Component)]
struct Other;

fn add_machine(app: &mut App, text: &str) -> (bevy_asset::Handle<MachineAsset>, Machine) {
    let machine = Machine::from_text("walker.sw.json", text).unwrap();
    let mut machines = app.world_mut().resource_mut::<Assets<MachineAsset>>();
    (machines.add(machine.clone()), machine)
}

/// Two kinds, three machines, three tiers and several tables, with all that can be asked for.
fn app(telling: Telling) -> App {
    let mut app = App::new();
    let plugin = StatewrightPlugin {
        parallel: false,
        telling,
        ..StatewrightPlugin::default()
    };
    app.add_plugins((TaskPoolPlugin::default(), plugin.in_schedule(Update)))
        .add_agents(Walker::functions)
        .add_agents(Functions::<Porter, ()>::new)
        .init_resource::<Read>()
        .mark_state::<Other>("walk")
        .add_command_message::<Step>()
        .add_systems(Update, (push, signal).before(StatewrightSystems::Intake))
        .add_systems(Update, read.in_set(StatewrightSystems::Commit));
    for label in [First.intern(), Update.intern()] {
        app.edit_schedule(label, |schedule| {
            schedule.set_executor(SingleThreadedExecutor::new());
        });
    }
    let (walker, machine) = add_machine(&mut app, WALKER);
    let runner = WALKER
        .replacen("Walker", "Runner", 1)
        .replacen("crowd", "standard", 1);
    let (runner, other) = add_machine(&mut app, &runner);
    let (porter, _) = add_machine(&mut app, PORTER);
    let event = |machine: &Machine, name| machine.event(name).unwrap();
    app.insert_resource(Events {
        push: event(&machine, "Push"),
        hello: [event(&machine, "Hello"), event(&other, "Hello")],
    });
    for number in (0..WALKERS).rev() {
        let machine = if is_runner(number) { &runner } else { &walker };
        let agent = Agent::<Walker>::new(machine.clone());
        let mut entity = app.world_mut().spawn((agent, AgentNumber(number)));
        if number.is_multiple_of(3) {
            entity.insert(Other);
        }
        if number.is_multiple_of(50) {
            entity.insert(Groups(vec![Group::new(7), GUESTS]));
        }
    }
    for number in 0..10 {
        let agent = Agent::<Porter>::new(porter.clone());
        let number = AgentNumber(WALKERS + number);
        app.world_mut().spawn((agent, number, Groups(vec![GUESTS])));
    }
    (0..300).for_each(|_| update(&mut app));
    app
}

/// What an update does for agents: messages of the frame before are forgotten, and a tick.
fn update(app: &mut App) {
    app.world_mut().run_schedule(First);
    app.world_mut().run_schedule(Update);
}

/// How often memory is asked for in a hundred ticks.
fn allocations_of(app: &mut App) -> u64 {
    let greeted = |app: &mut App| {
        let mut porters = app.world_mut().query::<&Porter>();
        let porters = porters.iter(app.world());
        porters.map(|porter| porter.greeted).sum::<i32>()
    };
    let (begun, read) = (greeted(app), app.world().resource::<Read>().0);
    let mut turns = 0;
    let before = allocations();
    for _ in 0..100 {
        update(app);
        turns += app.world().resource::<Agents>().last_turns();
    }
    let after = allocations();
    assert!(turns > 10_000, "{turns}");
    assert!(greeted(app) > begun + 1000, "porters are greeted");
    let now = app.world().resource::<Read>().0;
    assert!(
        (0..3).all(|place| now[place] > read[place] + 10_000),
        "{now:?}"
    );
    let mut marked = app.world_mut().query::<&StateMarker<Other>>();
    assert!(marked.iter(app.world()).count() > 100);
    after - before
}

#[test]
fn nothing_is_allocated_after_a_while() {
    let _alone = alone();
    let mut app = app(Telling::Nothing);
    assert_eq!(allocations_of(&mut app), 0, "allocations in 100 ticks");
}

#[test]
fn nothing_is_allocated_for_what_is_told_of_states() {
    let _alone = alone();
    let mut app = app(Telling::Messages);
    assert_eq!(allocations_of(&mut app), 0, "allocations in 100 ticks");
    let told = app.world().resource::<Messages<StateChanged>>().len();
    assert!(told > 100, "{told}");
}

/// Bytes per entity of a hundred thousand, of which so many come per update.
fn bytes_each(per_update: u32, mut spawn: impl FnMut(&mut App)) -> usize {
    const COUNT: u32 = 100_000;
    let mut app = App::new();
    let plugin = StatewrightPlugin::default().in_schedule(Update);
    app.add_plugins((TaskPoolPlugin::default(), plugin))
        .add_agents(Functions::<Walker, ()>::new);
    app.update();
    let before = in_use();
    for _ in 0..COUNT / per_update {
        (0..per_update).for_each(|_| spawn(&mut app));
        app.update();
    }
    app.update();
    (in_use() - before) / COUNT as usize
}

#[test]
fn an_agent_costs_what_the_readme_says() {
    let _alone = alone();
    let machine = Machine::from_text(
        "stone.sw.json",
        r#"{ "machine": "Stone", "tier": "crowd", "states": { "lie": {} } }"#,
    );
    let machine = machine.unwrap();
    let instance: Instance64 = machine.new_instance(1, 1).unwrap();
    let bare = bytes_each(1000, |app| {
        _ = app
            .world_mut()
            .spawn((Ram64::new(instance), Walker::default()));
    });
    let spawn = || {
        let (machine, mut stone) = (machine.clone(), None);
        move |app: &mut App| {
            let stone = stone.get_or_insert_with(|| {
                let mut machines = app.world_mut().resource_mut::<Assets<MachineAsset>>();
                machines.add(machine.clone())
            });
            let agent = Agent::<Walker>::new(stone.clone());
            app.world_mut().spawn(agent);
        }
    };
    let (agent, at_once) = (bytes_each(1000, spawn()), bytes_each(100_000, spawn()));
    eprintln!("{bare} bytes bare, {agent} bytes per agent, {at_once} if all come at once");
    assert!(bare <= 180, "{bare}");
    assert!(agent <= 280, "{agent}");
    assert!(at_once <= 800, "{at_once}");
}
