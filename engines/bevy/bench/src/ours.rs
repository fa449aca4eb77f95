//! Agents of this project.

use bevy_app::prelude::{App as BevyApp, TaskPoolPlugin, Update};
use bevy_asset::{Assets, Handle};
use bevy_ecs::prelude::*;
use bevy_statewright::prelude::*;
use bevy_statewright::{Agents, Problems, Ram as _, Ram64, statewright};
use statewright::{EventHandle, Instance64};

/// The blackboard.
#[derive(Component, Board, Clone, Copy, Default)]
pub struct Guard {
    #[board(skip)]
    _alarm: i32,
}

impl Guard {
    fn functions() -> Functions<Self, ()> {
        Functions::new()
    }
}

/// A transition for each event. `gearbox` builds the same of entities.
fn machine() -> Machine {
    let text = r#"{ "machine": "Signal", "tier": "crowd", "events": { "Go": {} }, "initial": "idle", "states": {
        "idle": { "transitions": [{ "on": "Go", "to": "alert" }] },
        "alert": { "initial": "look", "transitions": [{ "on": "Go", "to": "idle" }],
          "states": { "look": {} } } } }"#;
    Machine::from_text("signal.sw.json", text).expect("it has no mistakes")
}

/// What is sent to everybody.
#[derive(Resource)]
struct Go(EventHandle);

/// Agents in Bevy.
pub struct App {
    app: BevyApp,
    machine: Handle<MachineAsset>,
}

impl App {
    pub fn new() -> Self {
        let mut app = BevyApp::new();
        let plugin = StatewrightPlugin::default().in_schedule(Update);
        app.add_plugins((TaskPoolPlugin::default(), plugin))
            .add_agents(Guard::functions);
        let machine = machine();
        let go = machine.event("Go").expect("all have it");
        app.insert_resource(Go(go));
        let mut machines = app.world_mut().resource_mut::<Assets<MachineAsset>>();
        let machine = machines.add(machine);
        Self { app, machine }
    }

    /// So many agents, who have begun.
    pub fn spawn(&mut self, agents: usize) {
        let machine = self.machine.clone();
        let all = (0..agents).map(|_| (Agent::<Guard>::new(machine.clone()), Guard::default()));
        let world = self.app.world_mut();
        world.spawn_batch(all.collect::<Vec<_>>());
        (0..3).for_each(|_| self.update());
        assert_eq!(self.app.world().resource::<Problems>().count(), 0);
    }

    pub fn update(&mut self) {
        self.app.update();
    }

    /// Everybody is sent an event as a Bevy message, as in the other app.
    pub fn signal(&mut self) {
        let world = self.app.world_mut();
        let go = world.resource::<Go>().0;
        let mut agents = world.query_filtered::<Entity, With<Agent<Guard>>>();
        world.resource_scope(|world, mut messages: Mut<Messages<Signal>>| {
            for entity in agents.iter(world) {
                messages.write(Signal::new(entity, go, ()));
            }
        });
    }

    pub fn transitions(&self) -> u64 {
        self.app.world().resource::<Agents>().counters().transitions
    }

    pub fn in_alert(&mut self) -> usize {
        let machine = self.machine.clone();
        let world = self.app.world_mut();
        let assets = world.resource::<Assets<MachineAsset>>();
        let machine = assets.get(&machine).expect("it was added").0.clone();
        let alert = machine.state("alert").expect("it is a state");
        let mut rams = world.query::<&Ram64>();
        let all = rams.iter(world);
        all.filter(|ram| machine.is_in(ram.instance(), alert) == Ok(true))
            .count()
    }
}

/// Entities with an instance and a blackboard that nobody knows of.
pub fn bare(entities: usize, wave: usize) -> World {
    let machine = machine();
    let instance = machine
        .new_instance::<Instance64>(1, 1)
        .expect("the tier is its own");
    let mut world = World::new();
    let one: (Ram64, Guard) = (bevy_statewright::Ram::new(instance), Guard::default());
    for _ in 0..entities / wave {
        world.spawn_batch(vec![one; wave]);
    }
    world
}
