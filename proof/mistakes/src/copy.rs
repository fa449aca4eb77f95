//! The copy of the kernel under `target/mistakes`: its text with all edits, a module that knows
//! which mistake is to be made, and a workspace around it.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::edit::{Source, apply};
use crate::list::List;
use crate::root;

/// Where the copy of the kernel lies in its workspace. Not where the real one does: cargo would take
/// one for the other.
const KERNEL: &str = "kernel_with_mistakes";

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

/// Writes the copy and returns its folder: a workspace like the real one in which everything but
/// the kernel is a link. Where packages lie in a workspace is how cargo knows them, so with the same
/// `target` folder it builds the kernel and what needs it, and nothing else again.
pub fn write(list: &List) -> Result<PathBuf, String> {
    let folder = root().join("target/mistakes");
    let edited = |error: io::Error| format!("cannot copy the kernel: {error}");
    let mut files = apply(list, &sources().map_err(edited)?).map_err(|all| all.join("\n"))?;
    let library = files
        .iter_mut()
        .find(|file| file.path == Path::new("src/lib.rs"));
    library.ok_or("the kernel has no src/lib.rs")?.text += "\nmod mistakes;\n";
    files.push(Source {
        path: "src/mistakes.rs".into(),
        text: MODULE.to_owned(),
    });
    write_kernel(&folder.join(KERNEL), files)
        .and_then(|()| write_workspace(&folder))
        .map_err(edited)?;
    Ok(folder)
}

/// Writes what is not there yet and removes what the kernel has no more.
fn write_kernel(folder: &Path, mut files: Vec<Source>) -> io::Result<()> {
    files.push(Source {
        path: "Cargo.toml".into(),
        text: fs::read_to_string(root().join("crates/kernel/Cargo.toml"))?,
    });
    fs::create_dir_all(folder)?;
    for file in &files {
        write_if_new(&folder.join(&file.path), &file.text)?;
    }
    let is_known = |path: &Path| files.iter().any(|file| folder.join(&file.path) == path);
    let mut old = files_below(folder)?;
    old.retain(|path| !is_known(path));
    old.iter().try_for_each(fs::remove_file)
}

fn write_workspace(folder: &Path) -> io::Result<()> {
    let manifest = fs::read_to_string(root().join("Cargo.toml"))?;
    let manifest = manifest.replace("\"crates/kernel\"", &format!("\"{KERNEL}\""));
    write_if_new(&folder.join("Cargo.toml"), &manifest)?;
    let lock = fs::read_to_string(root().join("Cargo.lock"))?;
    write_if_new(&folder.join("Cargo.lock"), &lock)?;
    for entry in fs::read_dir(root())? {
        let entry = entry?;
        let (original, link) = (entry.path(), folder.join(entry.file_name()));
        let hidden = entry.file_name().to_string_lossy().starts_with('.');
        if original.is_dir() && !hidden && entry.file_name() != "target" && !link.exists() {
            make_link(&original, &link)?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn make_link(original: &Path, link: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(original, link)
}

#[cfg(windows)]
fn make_link(original: &Path, link: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_dir(original, link)
}

fn write_if_new(path: &Path, text: &str) -> io::Result<()> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    path.parent().map_or(Ok(()), fs::create_dir_all)?;
    fs::write(path, text)
}
