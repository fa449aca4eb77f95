//! `statewright export`: a machine as an SCXML document, if that means the same.

use std::path::{Path, PathBuf};

use serde_json::json;
use statewright_author::diagnostic::Diagnostics;
use statewright_author::render::render_json;
use statewright_compile::Options;
use statewright_files::{
    Compiled, Content, Disk, Input, SCXML_EXTENSION, compile, refuse_existing, refuse_own_source,
    with_extension, write,
};
use statewright_import::export::scxml;

use crate::args::{Export, MessageFormat};
use crate::console::Console;
use crate::error::{CliError, Outcome};
use crate::load::read;
use crate::output::deliver;

pub(crate) fn run(args: &Export, console: &Console) -> Result<Outcome, CliError> {
    let input = Input::single(&args.file);
    let name = input.name();
    let target = target(args, &input)?;
    let as_json = args.compiling.format() == MessageFormat::Json;
    if target == Path::new("-") && as_json {
        return Err(CliError::new(
            "the document and the problems as JSON cannot both go to standard output",
        )
        .help("name a file with `-o`"));
    }
    let Content::Machine(bytes) = read(&input)? else {
        return Err(CliError::new(format!(
            "`{name}` is a ROM, which does not hold all that its machine file says"
        ))
        .help("export the machine file instead"));
    };
    let options = Options {
        strict: args.compiling.strict,
        dev: args.compiling.dev,
    };
    let (text, diagnostics, compiled) = export(compile(&name, &bytes, &Disk, &options));
    let source = &compiled.machine.source;
    if as_json {
        if let Some(text) = &text {
            write(&target, text.as_bytes())?;
        }
        let written = text.as_ref().map(|_| target.display().to_string());
        console.json(&json!({ "file": name, "format": "scxml", "written": written, "problems": render_json(&diagnostics, source) }));
        return Ok(if text.is_some() {
            Outcome::Fine
        } else {
            Outcome::Problems
        });
    }
    console.problems(&diagnostics, source);
    let Some(text) = text else {
        console.error(&CliError::new(format!(
            "`{name}` was not exported: nothing is written"
        )));
        return Ok(Outcome::Problems);
    };
    deliver(Some(&target), text.as_bytes(), console)?;
    Ok(Outcome::Fine)
}

/// The document of a machine that compiles, and everything that is wrong.
fn export(mut compiled: Compiled) -> (Option<String>, Diagnostics, Compiled) {
    let mut diagnostics = std::mem::take(&mut compiled.diagnostics);
    let text = compiled
        .output
        .as_ref()
        .and_then(|_| match scxml(&compiled.machine) {
            Ok(text) => Some(text),
            Err(problems) => {
                diagnostics.append(problems);
                diagnostics.sort();
                None
            }
        });
    (text, diagnostics, compiled)
}

/// Where to write: the machine's own name with another end, unless told.
fn target(args: &Export, input: &Input) -> Result<PathBuf, CliError> {
    let own = || {
        input.path.as_ref().map_or_else(
            || PathBuf::from("-"),
            |source| with_extension(source, SCXML_EXTENSION),
        )
    };
    let target = args.output.clone().unwrap_or_else(own);
    refuse_own_source(Some(&target), input)?;
    refuse_existing(&target, args.force)?;
    Ok(target)
}
