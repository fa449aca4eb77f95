//! The machine `Signal` as entities of `bevy_gearbox`: `idle` and `alert`, with `look` in it, and an edge
//! each way for the same message.

use bevy::app::App as BevyApp;
use bevy::prelude::*;
use bevy_gearbox::GearboxPlugin;
use bevy_gearbox::prelude::*;

/// An event for a machine.
#[derive(Message, Clone, Reflect)]
struct Go {
    machine: Entity,
}

impl GearboxMessage for Go {
    type Validator = AcceptAll;

    fn target(&self) -> Entity {
        self.machine
    }
}

/// A state that transitions lead to: one more is counted whenever it is entered.
#[derive(Component)]
struct Counted {
    is_alert: bool,
}

#[derive(Resource, Default)]
struct Transitions(u64);

pub struct App {
    app: BevyApp,
    machines: Vec<Entity>,
}

impl App {
    pub fn new() -> Self {
        let mut app = BevyApp::new();
        app.add_plugins((MinimalPlugins, GearboxPlugin::default()))
            .register_transition::<Go>()
            .init_resource::<Transitions>()
            .add_systems(
                Last,
                |entered: Query<(), (Added<Active>, With<Counted>)>,
                 mut all: ResMut<Transitions>| {
                    all.0 += entered.iter().count() as u64;
                },
            );
        app.finish();
        app.cleanup();
        Self {
            app,
            machines: Vec::new(),
        }
    }

    pub fn spawn(&mut self, machines: usize) {
        let world = self.app.world_mut();
        for _ in 0..machines {
            let machine = world.spawn_empty().id();
            let idle = world
                .spawn((SubstateOf(machine), Counted { is_alert: false }))
                .id();
            let alert = world
                .spawn((SubstateOf(machine), Counted { is_alert: true }))
                .id();
            let look = world.spawn(SubstateOf(alert)).id();
            world.entity_mut(alert).insert(InitialState(look));
            world.spawn((Source(idle), Target(alert), MessageEdge::<Go>::default()));
            world.spawn((Source(alert), Target(idle), MessageEdge::<Go>::default()));
            world
                .entity_mut(machine)
                .insert((StateMachine::new(), InitialState(idle)));
            self.machines.push(machine);
        }
        (0..3).for_each(|_| self.update());
    }

    pub fn update(&mut self) {
        self.app.update();
    }

    pub fn signal(&mut self) {
        let mut messages = self.app.world_mut().resource_mut::<Messages<Go>>();
        for &machine in &self.machines {
            messages.write(Go { machine });
        }
    }

    pub fn transitions(&self) -> u64 {
        self.app.world().resource::<Transitions>().0
    }

    pub fn in_alert(&mut self) -> usize {
        let world = self.app.world_mut();
        let mut states = world.query_filtered::<&Counted, With<Active>>();
        states.iter(world).filter(|state| state.is_alert).count()
    }
}
