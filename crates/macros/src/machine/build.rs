//! Finds and compiles the machine file; its mistakes become one error of the user's build.

use std::path::{Path, PathBuf};

use statewright_author::graph::Machine;
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
    pub graph: Machine,
    pub output: Output,
    /// What the compiler warned of, a line each.
    pub warnings: Vec<String>,
}

/// Compiles a file.
pub fn build(path: &LitStr) -> Result<Built> {
    let (name, file) = (path.value(), find(path));
    let file = std::path::absolute(&file).unwrap_or(file);
    let text = std::fs::read_to_string(&file).map_err(|error| {
        let text = format!(
            "cannot read the machine file {}: {error}\npaths begin at the folder of Cargo.toml",
            file.display()
        );
        Error::new(path.span(), text)
    })?;
    let (graph, problems) = statewright_author::text::read(&name, &text);
    let (output, problems) = compile_with(&graph, problems, &Options::default());
    match output {
        Some(output) => Ok(Built {
            path: name,
            file: file.display().to_string(),
            text,
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
