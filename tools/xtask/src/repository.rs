//! The files of the repository, for steps that read them.

use std::fs;
use std::path::{Path, PathBuf};

/// Its folder.
pub fn root() -> PathBuf {
    let tools = Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    tools
        .and_then(Path::parent)
        .unwrap_or(Path::new("."))
        .to_owned()
}

/// A file of text: its path from the root with `/`, and what is in it.
pub struct File {
    pub path: String,
    pub text: String,
}

impl File {
    /// Lines with their numbers, from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text
            .lines()
            .enumerate()
            .map(|(index, line)| (index + 1, line))
    }

    /// Whether its name ends so.
    pub fn is(&self, ending: &str) -> bool {
        self.path.ends_with(ending)
    }

    /// The name of a line, as editors jump to.
    pub fn at(&self, line: usize) -> String {
        format!("{}:{line}", self.path)
    }
}

/// All files of text, by path; what is built, and what git and editors keep, is left out.
pub fn files() -> Result<Vec<File>, String> {
    let root = root();
    let (mut open, mut files) = (vec![root.clone()], Vec::new());
    while let Some(folder) = open.pop() {
        let entries = fs::read_dir(&folder);
        let entries = entries.map_err(|error| format!("{}: {error}", folder.display()))?;
        for entry in entries {
            let path = entry.map_err(|error| error.to_string())?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if path.is_symlink() {
                // What it leads to is met where it is.
                continue;
            }
            if path.is_dir() {
                if !left_out(&name) {
                    open.push(path);
                }
            } else if let Ok(text) = fs::read_to_string(&path) {
                let inner = path.strip_prefix(&root).unwrap_or(&path);
                let path = inner.to_string_lossy().replace('\\', "/");
                files.push(File { path, text });
            }
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(files)
}

fn left_out(folder: &str) -> bool {
    let ours = [".github", ".cargo", ".ci"];
    folder == "target" || (folder.starts_with('.') && !ours.contains(&folder))
}
