//! The skirmish in a window, or as a picture without one. The game is `bevy_statewright_games::skirmish`;
//! here it is only drawn, and keys are read.
//!
//! ```text
//!  main ── play ─▶ draw + keys, in a window
//!       └─ take ─▶ draw, into an image that is saved
//! ```

mod draw;
mod hud;
mod keys;
mod picture;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use bevy::asset::AssetPlugin;
use bevy::prelude::*;
use bevy_statewright_games::skirmish::{Folder, SOLDIER, SkirmishPlugin};

const USAGE: &str = "skirmish                     in a window
skirmish --screenshot FILE   a picture of it, as PNG, without one";

fn main() -> ExitCode {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let run: &dyn Fn(Folder) -> Result<(), String> = match arguments[..] {
        [] => &play,
        ["--screenshot", file] => &|folder| picture::take(folder, Path::new(file)),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::FAILURE;
        }
    };
    match in_folder(run) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

/// The machine files lie in a folder of this run, where anybody may edit them.
fn in_folder(run: impl Fn(Folder) -> Result<(), String>) -> Result<(), String> {
    let path: PathBuf =
        std::env::temp_dir().join(format!("statewright-skirmish-{}", std::process::id()));
    let folder = Folder::write(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    let done = run(folder);
    // A folder that stays behind harms nobody.
    let _ = std::fs::remove_dir_all(&path);
    done
}

/// Where machine files are loaded from, and loaded anew when they are saved.
fn assets(folder: &Folder) -> AssetPlugin {
    AssetPlugin {
        file_path: folder.0.display().to_string(),
        watch_for_changes_override: Some(true),
        ..default()
    }
}

fn play(folder: Folder) -> Result<(), String> {
    println!("the machine file: {}", folder.file(SOLDIER).display());
    let window = Window {
        title: "Skirmish".to_owned(),
        resolution: draw::VIEW.into(),
        ..default()
    };
    let windows = WindowPlugin {
        primary_window: Some(window),
        ..default()
    };
    let plugins = DefaultPlugins.set(assets(&folder)).set(windows);
    let exit = App::new()
        .add_plugins(plugins)
        .add_plugins((SkirmishPlugin(folder), draw::DrawPlugin, keys::KeysPlugin))
        .run();
    match exit {
        AppExit::Success => Ok(()),
        AppExit::Error(code) => Err(format!("ended with {code}")),
    }
}
