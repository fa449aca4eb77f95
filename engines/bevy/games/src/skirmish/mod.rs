//! The skirmish: two squads fight in a town square, and hundreds of civilians run from them. Without a
//! window; `engines/bevy/skirmish` draws it and reads keys.
//!
//! ```text
//!  player ── Order ──▶ orders: Stun ─────▶ soldiers, civilians
//!                              Break, Mend ▶ the machine file, which is loaded anew
//!                              Rewind ───▶ memory: all brains, all places, as they were
//!  people ── Walk, Shoot ──▶ field: they move, are hit, and hear shots
//! ```
//!
//! - `people` the two machines' blackboards and functions, and what they see
//! - `field` what people want is done
//! - `orders` what the player wants is done
//! - `memory` the last five seconds, tick by tick

mod field;
mod memory;
mod orders;
mod people;

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use bevy_app::prelude::*;
use bevy_asset::{AssetServer, Assets, Handle};
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_statewright::prelude::*;
use bevy_time::{Fixed, Time};
use statewright::EventHandle;

pub use field::{Tracer, Tracers};
pub use memory::{Memory, SECONDS};
pub use orders::{Order, Orders};
pub use people::{Civilian, Sights, Soldier};

/// Ticks per second; the machine files say the same.
pub const RATE: u32 = 30;
pub const SQUAD: u32 = 10;
pub const SOLDIERS: u32 = 2 * SQUAD;
pub const CIVILIANS: u32 = 300;
/// People have numbers of their own: soldiers first.
pub const PEOPLE: u32 = SOLDIERS + CIVILIANS;

/// Half of the field, from its middle.
pub const FIELD: [f32; 2] = [610.0, 300.0];

pub const SOLDIER: &str = "soldier.sw.json";
pub const CIVILIAN: &str = "civilian.sw.json";
const SOLDIER_TEXT: &str = include_str!("../../assets/skirmish/soldier.sw.json");
const CIVILIAN_TEXT: &str = include_str!("../../assets/skirmish/civilian.sw.json");

/// On which side a soldier is.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    Red,
    Blue,
}

/// Where somebody is.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq)]
pub struct Position(pub [f32; 2]);

/// Where somebody belongs.
#[derive(Component, Clone, Copy, Debug, PartialEq)]
pub struct Post(pub [f32; 2]);

/// The machines of the game.
#[derive(Resource, Clone, Debug)]
pub struct Handles {
    pub soldier: Handle<MachineAsset>,
    pub civilian: Handle<MachineAsset>,
}

impl FromWorld for Handles {
    fn from_world(world: &mut World) -> Self {
        let assets = world.resource::<AssetServer>();
        Self {
            soldier: assets.load(SOLDIER),
            civilian: assets.load(CIVILIAN),
        }
    }
}

/// Events by name, once the machines are loaded. Those of an earlier version of a file mean the same in the
/// next one.
#[derive(SystemParam)]
pub struct Machines<'w> {
    handles: Res<'w, Handles>,
    assets: Res<'w, Assets<MachineAsset>>,
}

impl Machines<'_> {
    pub fn soldier(&self, event: &str) -> Option<EventHandle> {
        self.assets.get(&self.handles.soldier)?.0.event(event).ok()
    }

    pub fn civilian(&self, event: &str) -> Option<EventHandle> {
        self.assets.get(&self.handles.civilian)?.0.event(event).ok()
    }

    /// Whether both are there: whoever lets no time pass before sees the same game each time.
    pub fn are_loaded(&self) -> bool {
        let all = [&self.handles.soldier, &self.handles.civilian];
        all.into_iter().all(|one| self.assets.contains(one))
    }
}

/// The folder of the machine files. They may be edited while the game runs.
#[derive(Resource, Clone, Debug)]
pub struct Folder(pub PathBuf);

impl Folder {
    /// Writes the machine files, which the asset server of the app is to load from there.
    pub fn write(path: impl Into<PathBuf>) -> io::Result<Self> {
        let folder = Self(path.into());
        std::fs::create_dir_all(&folder.0)?;
        std::fs::write(folder.file(SOLDIER), SOLDIER_TEXT)?;
        std::fs::write(folder.file(CIVILIAN), CIVILIAN_TEXT)?;
        Ok(folder)
    }

    pub fn file(&self, name: impl AsRef<Path>) -> PathBuf {
        self.0.join(name)
    }
}

/// The game, for an app that has an asset server of this folder and Bevy's time.
pub struct SkirmishPlugin(pub Folder);

impl Plugin for SkirmishPlugin {
    fn build(&self, app: &mut App) {
        app.add_plugins(
            StatewrightPlugin::default()
                .with_seed(19)
                .with_numbers_from(PEOPLE),
        )
        .add_agents(Soldier::functions)
        .add_agents(Civilian::functions)
        .save_boards::<Soldier>()
        .save_boards::<Civilian>()
        .insert_resource(Time::<Fixed>::from_duration(tick()))
        .insert_resource(self.0.clone())
        .init_resource::<Handles>()
        .init_resource::<Sights>()
        .init_resource::<Tracers>()
        .init_resource::<Orders>()
        .init_resource::<Memory>()
        .add_systems(Startup, muster)
        .add_systems(
            FixedUpdate,
            (
                (
                    memory::rewind,
                    orders::edit,
                    orders::stun,
                    people::look_around,
                )
                    .chain()
                    .before(StatewrightSystems::Intake),
                (field::walk, field::shoot)
                    .chain()
                    .in_set(StatewrightSystems::Commit),
                memory::remember.in_set(StatewrightSystems::Debug),
            ),
        );
    }
}

/// How long a tick is.
pub fn tick() -> Duration {
    Duration::from_secs(1) / RATE
}

/// Everybody comes.
fn muster(mut commands: Commands, machines: Res<Handles>) {
    for number in 0..SOLDIERS {
        let (side, post) = soldier_post(number);
        commands.spawn((
            Agent::<Soldier>::new(machines.soldier.clone()),
            AgentNumber(number),
            side,
            Post(post),
            Position(post),
        ));
    }
    for number in 0..CIVILIANS {
        let post = civilian_post(number);
        commands.spawn((
            Agent::<Civilian>::new(machines.civilian.clone()),
            AgentNumber(SOLDIERS + number),
            Post(post),
            Position(post),
        ));
    }
}

/// A squad stands in a line on its side of the field, every other one a step in front.
fn soldier_post(number: u32) -> (Side, [f32; 2]) {
    let (side, sign) = match number < SQUAD {
        true => (Side::Red, -1.0),
        false => (Side::Blue, 1.0),
    };
    let place = number % SQUAD;
    let step = 2.0 * FIELD[1] / SQUAD as f32;
    let y = FIELD[1] - step * (place as f32 + 0.5);
    let x = FIELD[0] - 60.0 - 90.0 * (place % 2) as f32;
    (side, [sign * x, y])
}

/// All over the field, the same in each run: steps of the golden ratio leave no rows.
fn civilian_post(number: u32) -> [f32; 2] {
    let part = |ratio: f32| (ratio * (number + 1) as f32).fract() * 2.0 - 1.0;
    [
        0.95 * FIELD[0] * part(0.618_034),
        0.95 * FIELD[1] * ((number as f32 + 0.5) / CIVILIANS as f32 * 2.0 - 1.0),
    ]
}
