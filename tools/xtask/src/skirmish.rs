//! `cargo xtask skirmish`: the game of `engines/bevy/skirmish`, in a window or as a picture.

use std::path::Path;

use crate::engines::{BEVY, SKIRMISH};
use crate::needs::{LAVAPIPE, SOFTWARE_VULKAN};
use crate::repository::root;
use crate::steps::cargo;

/// Where the picture is written unless somebody says so.
pub const PICTURE: &str = "engines/bevy/pictures/skirmish.png";

/// Runs it, or saves a picture of it; a relative path is one from here.
pub fn skirmish(screenshot: Option<&Path>, install: bool) -> Result<(), String> {
    #[rustfmt::skip]
    let arguments = ["run", "--manifest-path", BEVY, "--package", SKIRMISH, "--locked", "--"];
    let mut run = cargo();
    run.args(arguments);
    if let Some(file) = screenshot {
        let install = install || std::env::var("CI").as_deref() == Ok("true");
        SOFTWARE_VULKAN.have(install)?;
        run.arg("--screenshot").arg(place(file)?);
        // Whatever graphics card there is: the picture is the same everywhere.
        let driver = LAVAPIPE.iter().find(|path| Path::new(path).exists());
        for variable in ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"] {
            run.env(variable, driver.copied().unwrap_or_default());
        }
        run.env("WGPU_BACKEND", "vulkan");
    }
    let status = run.status();
    let status = status.map_err(|error| format!("cannot start cargo: {error}"))?;
    match (status.success(), screenshot) {
        (true, Some(file)) => println!("    {}", file.display()),
        (true, None) => {}
        (false, _) => return Err("==> skirmish ended with an error, see above".to_owned()),
    }
    Ok(())
}

/// Where the picture is written: the default one belongs to the repository, wherever the caller is.
fn place(file: &Path) -> Result<std::path::PathBuf, String> {
    let path = match file == Path::new(PICTURE) {
        true => root().join(file),
        false => std::path::absolute(file).map_err(|error| error.to_string())?,
    };
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(path)
}
