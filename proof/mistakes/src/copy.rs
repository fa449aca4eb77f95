//! The copy of the kernel under `target/mistakes`: its text with all edits, and a module that knows
//! which mistake is to be made.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::edit::{Source, apply};
use crate::list::List;
use crate::root;

/// The module that the copy gets.
const MODULE: &str = include_str!("which.rs.txt");

/// Every source of the kernel as it is, in the order of paths.
pub fn sources() -> io::Result<Vec<Source>> {
    let kernel = root().join("crates/kernel");
    let paths = files_below(&kernel.join("src"))?;
    paths
        .into_iter()
        .map(|path| {
            Ok(Source {
                text: fs::read_to_string(&path)?,
                path: path
                    .strip_prefix(&kernel)
                    .map_err(io::Error::other)?
                    .to_owned(),
            })
        })
        .collect()
}

fn files_below(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let list = if path.is_dir() {
                &mut folders
            } else {
                &mut files
            };
            list.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// Writes the copy and returns its folder. Files that are right already stay untouched, so that
/// cargo builds nothing again.
pub fn write(list: &List) -> Result<PathBuf, String> {
    let folder = root().join("target/mistakes/kernel");
    let problem = |error: io::Error| format!("cannot copy the kernel: {error}");
    let mut files = apply(list, &sources().map_err(problem)?).map_err(|all| all.join("\n"))?;
    for file in &mut files {
        if file.path == Path::new("src/lib.rs") {
            file.text += "\nmod mistakes;\n";
        }
    }
    files.push(Source {
        path: "src/mistakes.rs".into(),
        text: MODULE.to_owned(),
    });
    let manifest = root().join("crates/kernel/Cargo.toml");
    files.push(Source {
        path: "Cargo.toml".into(),
        text: fs::read_to_string(manifest).map_err(problem)?,
    });
    write_all(&folder, &files).map_err(problem)?;
    Ok(folder)
}

/// Writes what is not there yet and removes what the kernel has no more.
fn write_all(folder: &Path, files: &[Source]) -> io::Result<()> {
    fs::create_dir_all(folder)?;
    for file in files {
        write_if_new(&folder.join(&file.path), &file.text)?;
    }
    let is_known = |path: &Path| files.iter().any(|file| folder.join(&file.path) == path);
    let mut old = files_below(folder)?;
    old.retain(|path| !is_known(path));
    old.iter().try_for_each(fs::remove_file)
}

fn write_if_new(path: &Path, text: &str) -> io::Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::write(path, text)
}
