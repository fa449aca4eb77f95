//! A picture of the game, without a window: some seconds of it go by unseen, somebody is stunned, the
//! machine file is broken, and what then stands there is rendered into an image and saved.

use std::path::Path;
use std::time::Duration;

use bevy::app::PluginsState;
use bevy::camera::RenderTarget;
use bevy::ecs::system::RunSystemOnce;
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::render_resource::TextureFormat;
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured, save_to_disk};
use bevy::time::TimeUpdateStrategy;
use bevy::window::ExitCondition;
use bevy::winit::WinitPlugin;
use bevy_statewright::Problems;
use bevy_statewright_games::skirmish::{
    Folder, Machines, Order, Orders, RATE, SkirmishPlugin, tick,
};

use crate::draw::{DrawPlugin, MIDDLE, VIEW};

/// When the machine file is broken, when people are stunned, and when the picture is taken.
const BREAK: u32 = 2 * RATE;
const STUN: u32 = 13 * RATE;
const TAKE: u32 = 14 * RATE;
/// Who is stunned.
const SOMEBODY: Order = Order::Stun {
    at: [150.0, 90.0],
    radius: 110.0,
};
/// Nothing takes longer than so many frames.
const MOST_FRAMES: u32 = 2_000;

/// The image that is rendered into.
#[derive(Resource)]
struct Canvas(Handle<Image>);

/// The picture was written, or could not be.
#[derive(Resource)]
struct Taken;

pub fn take(folder: Folder, file: &Path) -> Result<(), String> {
    // What is there afterwards is new.
    if file.exists() {
        std::fs::remove_file(file).map_err(|error| format!("{}: {error}", file.display()))?;
    }
    let mut app = app(folder);
    hold(&mut app, true);
    until(&mut app, "the machine files are loaded", |app| {
        let loaded = |machines: Machines| machines.are_loaded();
        app.world_mut().run_system_once(loaded).unwrap_or(false)
    })?;
    hold(&mut app, false);
    for now in 0..TAKE {
        match now {
            BREAK => order(&mut app, Order::Break),
            STUN => order(&mut app, SOMEBODY),
            _ => {}
        }
        app.update();
    }
    if app.world().resource::<Problems>().iter().next().is_none() {
        return Err("nobody was told that the machine file is broken".to_owned());
    }
    hold(&mut app, true);
    look(&mut app)?;
    // Pipelines and images are there after a few frames.
    (0..10).for_each(|_| app.update());
    let canvas = app.world().resource::<Canvas>().0.clone();
    let mut shot = app.world_mut().spawn(Screenshot::image(canvas));
    shot.observe(save_to_disk(file.to_path_buf()));
    shot.observe(|_: On<ScreenshotCaptured>, mut commands: Commands| {
        commands.insert_resource(Taken);
    });
    until(&mut app, "the picture is taken", |app| {
        app.world().contains_resource::<Taken>()
    })?;
    match file.exists() {
        true => Ok(()),
        false => Err(format!(
            "{} could not be written, see above",
            file.display()
        )),
    }
}

fn app(folder: Folder) -> App {
    let windows = WindowPlugin {
        primary_window: None,
        exit_condition: ExitCondition::DontExit,
        ..default()
    };
    let render = RenderPlugin {
        synchronous_pipeline_compilation: true,
        ..default()
    };
    let plugins = DefaultPlugins
        .set(crate::assets(&folder))
        .set(windows)
        .set(render)
        .disable::<WinitPlugin>()
        .disable::<PipelinedRenderingPlugin>();
    let mut app = App::new();
    app.add_plugins(plugins)
        .add_plugins((SkirmishPlugin(folder), DrawPlugin))
        .add_systems(Startup, set_up);
    while app.plugins_state() == PluginsState::Adding {
        bevy::tasks::tick_global_task_pools_on_main_thread();
    }
    app.finish();
    app.cleanup();
    app
}

/// A camera that looks into the image, and is blind at first: what nobody sees is not rendered.
fn set_up(mut commands: Commands, mut images: ResMut<Assets<Image>>) {
    let format = TextureFormat::Rgba8UnormSrgb;
    let canvas = images.add(Image::new_target_texture(VIEW.0, VIEW.1, format, None));
    let camera = Camera {
        is_active: false,
        ..default()
    };
    let target = RenderTarget::Image(canvas.clone().into());
    let place = Transform::from_translation(MIDDLE.extend(0.0));
    commands.spawn((Camera2d, camera, target, place));
    commands.insert_resource(Canvas(canvas));
}

fn look(app: &mut App) -> Result<(), String> {
    let open = |mut camera: Single<&mut Camera>| camera.is_active = true;
    let opened = app.world_mut().run_system_once(open);
    opened.map_err(|error| error.to_string())
}

/// Each update is a tick, or no time passes.
fn hold(app: &mut App, held: bool) {
    let each = if held { Duration::ZERO } else { tick() };
    app.insert_resource(TimeUpdateStrategy::ManualDuration(each));
}

fn order(app: &mut App, order: Order) {
    app.world_mut().resource_mut::<Orders>().0.push(order);
}

fn until(app: &mut App, what: &str, mut holds: impl FnMut(&mut App) -> bool) -> Result<(), String> {
    for _ in 0..MOST_FRAMES {
        if holds(app) {
            return Ok(());
        }
        app.update();
        std::thread::sleep(Duration::from_millis(1));
    }
    Err(format!("waited in vain until {what}"))
}
