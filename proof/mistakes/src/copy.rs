//! The copies of kernel, compiler, author, reload and fuse under `target/mistakes`: their text with all edits, a
//! module that knows which mistake is to be made, and a workspace around them.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::edit::{Source, apply};
use crate::list::List;
use crate::root;

/// What is copied, and where the copy lies in its workspace. Not where the real one does: cargo
/// would take one for the other.
const COPIES: [(&str, &str); 5] = [
    ("crates/kernel", "kernel_with_mistakes"),
    ("crates/compile", "compiler_with_mistakes"),
    ("crates/author", "author_with_mistakes"),
    ("crates/reload", "reload_with_mistakes"),
    ("crates/fuse", "fuse_with_mistakes"),
];

/// Folders of these crates with what their sources include.
const FOLDERS: [&str; 2] = ["src", "errors"];

/// Parts of a manifest that a copy of the sources alone cannot have.
const TESTS: [&str; 3] = ["[dev-dependencies]", "[[test]]", "[[bench]]"];

/// The module that each copy gets.
const MODULE: &str = include_str!("which.rs.txt");

/// Every source of these crates as it is, in the order of paths.
pub fn sources() -> io::Result<Vec<Source>> {
    let mut sources = Vec::new();
    for (original, _) in COPIES {
        let folders = FOLDERS.map(|folder| root().join(original).join(folder));
        let folders = folders.iter().filter(|folder| folder.exists());
        let files = folders.map(|folder| files_below(folder));
        for path in files.collect::<io::Result<Vec<_>>>()?.concat() {
            sources.push(Source {
                text: fs::read_to_string(&path)?,
                path: path
                    .strip_prefix(root())
                    .map_err(io::Error::other)?
                    .to_owned(),
            });
        }
    }
    Ok(sources)
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
/// what is copied is a link. Where packages lie in a workspace is how cargo knows them, so with
/// the same `target` folder it builds these and what needs them, and nothing else again.
pub fn write(list: &List) -> Result<PathBuf, String> {
    let folder = root().join("target/mistakes");
    let edited = |error: io::Error| format!("cannot copy kernel, compiler and author: {error}");
    let files = apply(list, &sources().map_err(edited)?).map_err(|all| all.join("\n"))?;
    for (original, copy) in COPIES {
        write_copy(&folder.join(copy), original, &files).map_err(edited)?;
    }
    write_workspace(&folder).map_err(edited)?;
    Ok(folder)
}

/// Writes what is not there yet and removes what the crate has no more.
fn write_copy(folder: &Path, original: &str, files: &[Source]) -> io::Result<()> {
    let mut own: Vec<Source> = Vec::new();
    for file in files {
        if let Ok(path) = file.path.strip_prefix(original) {
            let is_library = path == Path::new("src/lib.rs");
            let module = if is_library { "\nmod mistakes;\n" } else { "" };
            own.push(Source {
                path: path.to_owned(),
                text: format!("{}{module}", file.text),
            });
        }
    }
    let of_crate = |name: &str| fs::read_to_string(root().join(original).join(name));
    let further = [
        ("src/mistakes.rs", MODULE.to_owned()),
        ("Cargo.toml", without_tests(&of_crate("Cargo.toml")?)),
        ("README.md", of_crate("README.md")?),
    ];
    own.extend(further.map(|(path, text)| Source {
        path: path.into(),
        text,
    }));
    fs::create_dir_all(folder)?;
    for file in &own {
        write_if_new(&folder.join(&file.path), &file.text)?;
    }
    let is_known = |path: &Path| own.iter().any(|file| folder.join(&file.path) == path);
    let mut old = files_below(folder)?;
    old.retain(|path| !is_known(path));
    old.iter().try_for_each(fs::remove_file)
}

/// A manifest without what is only there for tests and benchmarks.
fn without_tests(manifest: &str) -> String {
    let mut kept = String::new();
    let mut is_left_out = false;
    for line in manifest.lines() {
        if line.starts_with('[') {
            is_left_out = TESTS.contains(&line.trim());
        }
        if !is_left_out {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

fn write_workspace(folder: &Path) -> io::Result<()> {
    let manifest = fs::read_to_string(root().join("Cargo.toml"))?;
    let manifest = COPIES.iter().fold(manifest, |manifest, (original, copy)| {
        manifest.replace(&format!("\"{original}\""), &format!("\"{copy}\""))
    });
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
