//! `statewright fmt`: one way to lay out machine files, and stable ids for what has none.

use serde_json::{Value, json};
use statewright_author::diagnostic::Diagnostics;
use statewright_author::format::{format, write_ids};
use statewright_author::graph::Machine;
use statewright_author::text::read_bytes;
use statewright_compile::{Options, derived_id};
use statewright_files::{Content, Disk, Input, Wanted, compile, write};

use super::summary::count;
use crate::args::Fmt;
use crate::console::Console;
use crate::error::{CliError, Outcome};
use crate::load::{collect, read};
use crate::progress::Progress;

/// Names listed of what could not get an id.
const MAX_LISTED: usize = 8;

pub(crate) fn run(args: &Fmt, console: &Console) -> Result<Outcome, CliError> {
    let (inputs, errors) = collect(&args.paths, Wanted::Machines);
    if args.json && !args.check && inputs.iter().any(|input| input.path.is_none()) {
        let text = "standard output cannot take both the formatted text and JSON";
        return Err(CliError::new(text).help("name a file, or add `--check`"));
    }
    errors.iter().for_each(|error| console.error(error));
    let mut outcome = if errors.is_empty() {
        Outcome::Fine
    } else {
        Outcome::Failed
    };
    let progress = Progress::new(console, "formatting", inputs.len());
    let mut changed = 0;
    let mut files: Vec<Value> = Vec::new();
    for input in &inputs {
        let done = file(args, input, console);
        files
            .push(json!({ "file": input.name(), "ok": done.is_ok(), "changed": done == Ok(true) }));
        match done {
            Ok(true) => changed += 1,
            Ok(false) => {}
            Err(failure) => outcome = outcome.max(failure),
        }
        progress.step();
    }
    drop(progress);
    if args.json {
        console.json(
            &json!({ "files": files, "summary": { "files": inputs.len(), "changed": changed } }),
        );
    } else if inputs.iter().any(|input| input.path.is_some()) {
        let verb = if args.check {
            "not formatted"
        } else {
            "changed"
        };
        console.note(format_args!(
            "{verb}: {changed} of {}",
            count(inputs.len(), "file")
        ));
    }
    let found = if args.check && changed > 0 {
        Outcome::Problems
    } else {
        Outcome::Fine
    };
    Ok(outcome.max(found))
}

/// Formats one file; whether that changed it.
fn file(args: &Fmt, input: &Input, console: &Console) -> Result<bool, Outcome> {
    let name = input.name();
    let failed = |error: CliError, outcome| {
        console.error(&error);
        outcome
    };
    let bytes = match read(input) {
        Ok(Content::Machine(bytes)) => bytes,
        Ok(Content::Rom(_)) => {
            let error = CliError::new(format!("`{name}` is a ROM, not a machine file"));
            return Err(failed(error, Outcome::Failed));
        }
        Err(error) => return Err(failed(error, Outcome::Failed)),
    };
    let formatted = formatted(args, &name, &bytes, console)?;
    let is_changed = formatted.as_bytes() != bytes;
    match &input.path {
        None if !args.check => console.result(&formatted),
        _ if !is_changed => {}
        _ if args.check && args.json => {}
        _ if args.check => console.result(format!("{name}\n")),
        Some(path) => {
            write(path, formatted.as_bytes())
                .map_err(|error| failed(error.into(), Outcome::Failed))?;
            console.note(format_args!("changed {name}"));
        }
        None => {}
    }
    Ok(is_changed)
}

/// The new text. What is wrong with the old one has been said if there is none.
fn formatted(args: &Fmt, name: &str, bytes: &[u8], console: &Console) -> Result<String, Outcome> {
    let (machine, found) = read_bytes(name, bytes);
    let refuse = |problems: &Diagnostics| {
        console.problems(problems, &machine.source);
        console.error(&CliError::new(format!(
            "`{name}` is left as it is: correct it first"
        )));
        Outcome::Problems
    };
    let Ok(text) = std::str::from_utf8(bytes) else {
        return Err(refuse(&found));
    };
    if !args.ids {
        return format(text).map_err(|problems| refuse(&problems));
    }
    if found.has_errors() {
        return Err(refuse(&found));
    }
    let with_ids = with_ids(&machine, name, text, console).map_err(|error| {
        console.error(&error);
        Outcome::Failed
    })?;
    format(&with_ids).map_err(|problems| refuse(&problems))
}

/// The text with all ids, and a word on what could not get one.
fn with_ids(
    machine: &Machine,
    name: &str,
    text: &str,
    console: &Console,
) -> Result<String, CliError> {
    let written = write_ids(machine, |missing| derived_id(machine, missing));
    let Ok(written) = written else {
        return Err(CliError::new(format!("cannot write ids into `{name}`")));
    };
    if !written.skipped.is_empty() {
        let names: Vec<&str> = written
            .skipped
            .iter()
            .take(MAX_LISTED)
            .map(|item| item.name.value.as_str())
            .collect();
        let more = written.skipped.len() - names.len();
        let more = if more > 0 {
            format!(" and {more} more")
        } else {
            String::new()
        };
        console.note(format_args!(
            "{name}: no id for {}{more}: without an object of its own in the file there is no place for one",
            names.join(", ")
        ));
    }
    if hashes(name, text) != hashes(name, &written.text) {
        let text = format!("`{name}` is left as it is: its ids would change the machine");
        return Err(CliError::new(text)
            .help("this is a mistake of this tool; please report it with the file"));
    }
    Ok(written.text)
}

/// Both hashes of a machine that compiles.
fn hashes(name: &str, text: &str) -> Option<(u64, u64)> {
    let compiled = compile(name, text.as_bytes(), &Disk, &Options::default());
    compiled.output.map(|output| {
        (
            output.rom.as_rom().structure_hash(),
            output.rom.as_rom().parameter_hash(),
        )
    })
}
