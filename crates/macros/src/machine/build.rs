//! Finds and compiles the machine file; its mistakes become one error of the user's build.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use statewright_author::graph::Machine;
use statewright_author::parts::{NOT_A_FILE, NOT_UTF8, PartFiles};
use statewright_author::render::{Style, render_text, warning_lines};
use statewright_compile::{Options, Output, compile_with};
use syn::{Error, LitStr, Result};

/// A compiled file.
pub struct Built {
    /// As the user wrote it.
    pub path: String,
    /// The whole path.
    pub file: String,
    pub text: String,
    /// The whole paths of its parts, each once.
    pub parts: Vec<String>,
    pub graph: Machine,
    pub output: Output,
    /// What the compiler warned of, a line each.
    pub warnings: Vec<String>,
}

/// Compiles a file.
pub fn build(path: &LitStr) -> Result<Built> {
    let (name, file) = (path.value(), find(path));
    let file = std::path::absolute(&file).unwrap_or(file);
    let text = read(&file).map_err(|error| {
        let text = format!(
            "cannot read the machine file {}: {error}\npaths begin at the folder of Cargo.toml",
            file.display()
        );
        Error::new(path.span(), text)
    })?;
    let parts = Parts::new(&name, &file);
    let (graph, problems) = statewright_author::parts::read(&name, &text, &parts);
    let (output, problems) = compile_with(&graph, problems, &Options::default());
    match output {
        Some(output) => Ok(Built {
            path: name,
            file: file.display().to_string(),
            text,
            parts: parts.files.into_inner(),
            warnings: warning_lines(&problems, &graph.source),
            graph,
            output,
        }),
        None => {
            let report = render_text(&problems, &graph.source, Style::default());
            Err(Error::new(
                path.span(),
                format!("the machine file has mistakes\n\n{report}"),
            ))
        }
    }
}

/// Reads parts from where they lie beside the machine file, and remembers which.
struct Parts {
    /// The folder in the names of parts, and where it is.
    named: PathBuf,
    folder: PathBuf,
    files: RefCell<Vec<String>>,
}

impl Parts {
    fn new(name: &str, file: &Path) -> Self {
        let folder = |path: &Path| path.parent().map(Path::to_owned).unwrap_or_default();
        Self {
            named: folder(Path::new(name)),
            folder: folder(file),
            files: RefCell::default(),
        }
    }

    /// `machines/parts/fight.sw.json` lies where `machines` lies; `parts/fight.sw.json` beside it.
    fn file(&self, name: &str) -> PathBuf {
        let name = Path::new(name);
        let shared = name.components().zip(self.named.components());
        let shared = shared.take_while(|(one, other)| one == other).count();
        let mut file = self.folder.clone();
        for _ in shared..self.named.components().count() {
            file.push("..");
        }
        file.extend(name.components().skip(shared));
        file
    }
}

impl PartFiles for Parts {
    fn read(&self, name: &str) -> std::result::Result<String, String> {
        let file = self.file(name);
        let text = read(&file)?;
        self.files.borrow_mut().push(file.display().to_string());
        Ok(text)
    }
}

/// The text of a file. A pipe would keep the user's build waiting.
fn read(file: &Path) -> std::result::Result<String, String> {
    let found = std::fs::metadata(file).map_err(|error| error.to_string())?;
    if !found.is_file() && !found.is_dir() {
        return Err(NOT_A_FILE.to_owned());
    }
    let bytes = std::fs::read(file).map_err(|error| error.to_string())?;
    String::from_utf8(bytes).map_err(|_| NOT_UTF8.to_owned())
}

/// The file in the user's package, or else beside the source file: examples and tests may lie
/// outside of packages.
fn find(path: &LitStr) -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map(PathBuf::from)
        .unwrap_or_default();
    let in_package = package.join(path.value());
    let source = path.span().unwrap().local_file();
    let beside = source
        .as_deref()
        .and_then(Path::parent)
        .map(|folder| folder.join(path.value()));
    beside
        .filter(|beside| beside.exists() && !in_package.exists())
        .unwrap_or(in_package)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(unix)]
    #[test]
    fn a_device_is_no_machine_file() {
        assert_eq!(read(Path::new("/dev/null")), Err(NOT_A_FILE.to_owned()));
    }
}
