//! A tick allocates nothing once everybody has begun: not for tables, not for events, not for commands.

use bevy_app::prelude::*;
use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::SingleThreadedExecutor;
use bevy_statewright::prelude::*;
use bevy_statewright::{Agents, statewright};
use statewright::EventHandle;
use statewright_memory::{Counting, allocations};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const WALKER: &str = r#"{ "machine": "Walker", "events": { "Push": {}, "Hello": {} },
  "initial": "wait", "states": {
    "wait": { "transitions": [{ "on": "Push", "to": "walk", "do": "Greet" }, { "on": "Hello", "to": "walk" }] },
    "walk": { "update": "Step", "transitions": [{ "after": "5t", "to": "wait" }] } } }"#;

#[derive(Component, Board, Default)]
struct Walker {
    steps: i32,
}

#[derive(Clone, Copy, statewright::Command)]
#[command(lane = NAVIGATION)]
struct Step {
    count: i32,
}

#[derive(Resource)]
struct Hello(EventHandle);

impl Walker {
    fn functions() -> Functions<Self, borrowed!(Res<'_, Hello>)> {
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
                Callback::Action(|_, hello, cx| {
                    let next = AgentId::new((cx.agent().index() * 7 + 1) % 2000, 1);
                    cx.send(next, hello.0, ());
                }),
            )
    }
}

#[derive(Resource)]
struct Push(EventHandle);

fn push(mut tell: Tell, push: Res<Push>, state: Res<bevy_statewright::AgentState>) {
    for number in 0..50 {
        let index = (state.now() as u32 * 131 + number * 37) % 2000;
        tell.send(AgentId::new(index, 1), push.0, ());
    }
}

#[derive(Component)]
struct Other;

#[test]
fn nothing_is_allocated_after_a_while() {
    let mut app = App::new();
    let plugin = StatewrightPlugin {
        parallel: false,
        ..StatewrightPlugin::default()
    };
    app.add_plugins((TaskPoolPlugin::default(), plugin.in_schedule(Update)))
        .add_agents(Walker::functions)
        .add_systems(Update, push.before(StatewrightSystems::Intake));
    app.edit_schedule(Update, |schedule| {
        schedule.set_executor(SingleThreadedExecutor::new());
    });
    let machine = Machine::from_text("walker.sw.json", WALKER).unwrap();
    app.insert_resource(Push(machine.event("Push").unwrap()));
    app.insert_resource(Hello(machine.event("Hello").unwrap()));
    let machine = app
        .world_mut()
        .resource_mut::<Assets<MachineAsset>>()
        .add(machine);
    for number in 0..2000 {
        let mut entity = app.world_mut().spawn((
            Agent::<Walker>::new(machine.clone()),
            AgentNumber(1999 - number),
        ));
        if number % 3 == 0 {
            entity.insert(Other);
        }
    }
    (0..300).for_each(|_| app.update());
    let mut turns = 0;
    let before = allocations();
    for _ in 0..100 {
        app.world_mut().run_schedule(Update);
        turns += app.world().resource::<Agents>().last_turns();
    }
    let after = allocations();
    assert!(turns > 10_000, "{turns}");
    assert_eq!(after - before, 0, "allocations in 100 ticks");
}
