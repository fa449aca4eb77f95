//! A light that thinks, in forty lines: one component, one function, one machine.

use bevy_app::prelude::*;
use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_statewright::prelude::*;

const LIGHT: &str = r#"{ "machine": "Light", "tick_rate": 10, "initial": "red", "states": {
    "red": { "transitions": [{ "after": "300ms", "to": "green" }] },
    "green": { "entry": "Ring", "transitions": [{ "after": "200ms", "to": "red" }] } } }"#;

#[derive(Component, Board, Default)]
/// The blackboard.
pub struct Light {
    /// How often it rang.
    pub rings: i32,
}

#[functions]
impl Light {
    #[action]
    fn ring(&mut self) {
        self.rings += 1;
    }
}

fn spawn(mut commands: Commands, mut machines: ResMut<Assets<MachineAsset>>) -> Result {
    let machine = machines.add(Machine::from_text("light.sw.json", LIGHT)?);
    commands.spawn(Agent::<Light>::new(machine));
    Ok(())
}

fn show(brains: Brains, lights: Query<(Entity, &Light)>) {
    for (entity, light) in &lights {
        println!("{:?}, rang {} times", brains.path(entity), light.rings);
    }
}

/// The whole program.
pub fn app() -> App {
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        StatewrightPlugin::default().in_schedule(Update),
    ))
    .add_agents(Light::functions)
    .add_systems(Startup, spawn)
    .add_systems(Last, show);
    app
}

fn main() {
    let mut app = app();
    (0..10).for_each(|_| app.update());
}
